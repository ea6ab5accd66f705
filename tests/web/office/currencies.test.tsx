/** Office pages for an event in another currency: amounts have its symbol, and inputs its decimal places. */
import { renderToStaticMarkup } from 'react-dom/server'
import type { ReactElement } from 'react'
import { MemoryRouter } from 'react-router-dom'
import { expect, test } from 'vitest'
import { readCurrency } from '../../../engine/index.ts'
import type { AdminList, Currency } from '../../../engine/index.ts'
import type { ActionsResponse, ListRow, WireReview } from '../../../engine/api.ts'
import { createListReader } from '../../../web/office/office-api-responses.ts'
import { formatTotalRevenue } from '../../../web/office/dashboard/dashboard-page.tsx'
import {
  buildBars,
  describeBars,
  describeOtherRevenue,
} from '../../../web/office/dashboard/registrations-chart.tsx'
import { ListTable } from '../../../web/office/lists/list-table.tsx'
import { SalesTable } from '../../../web/office/events/sales-page.tsx'
import { buildCells } from '../../../web/office/lists/visible-columns.ts'
import { ReviewAmounts } from '../../../web/office/reconciliation/payment-review-card.tsx'
import { ApprovalDetails } from '../../../web/office/registration/actions/approval-dialog-content.tsx'
import { RecordPaymentFields } from '../../../web/office/registration/actions/record-payment-fields.tsx'
import { buildPriceRows } from '../../../web/office/registration/money-panel.tsx'
import { SettlementPanel } from '../../../web/office/registration/payouts-and-disputes.tsx'
import {
  addAmounts,
  formatForInput,
  formatSignedMoney,
} from '../../../web/office/ui/format-amount.ts'

function getCurrency(code: string): Currency {
  const currency = readCurrency(code)
  if (currency === null) throw new Error(`no currency ${code}`)
  return currency
}
const [EUR, JPY, KWD] = [getCurrency('EUR'), getCurrency('JPY'), getCurrency('KWD')]

const renderText = (element: ReactElement): string =>
  renderToStaticMarkup(<MemoryRouter>{element}</MemoryRouter>).replaceAll('\u00a0', ' ')

const list: AdminList = {
  id: 'members',
  title: 'Members',
  route: '/admin/members',
  api: '/admin/members/registrations/',
  filters: [],
  columns: [
    { id: 'reg_no', label: 'Number', kind: 'text' },
    { id: 'base', label: 'Base', kind: 'money' },
    { id: 'total', label: 'Total', kind: 'money' },
  ] as AdminList['columns'],
  pageSize: 20,
  pageSizes: [20],
  empty: 'None',
  errors: { load: '', shape: '', export: '' },
  export: { api: '/admin/export/', file: 'members.csv' },
}
const buildRow = (regNo: string, amounts: object) => ({
  id: regNo,
  reg_no: regNo,
  payment_status: 'success',
  payment_status_display: 'Paid',
  in_review: false,
  ...amounts,
})
const renderList = (responseFields: object, columns = list.columns): string => {
  const page = createListReader(list)({ status: 'success', count: 2, ...responseFields })
  if (page === null) throw new Error('the page cannot read this list')
  const { rows, currency } = page
  return renderText(
    <ListTable
      event={{ id: 'sample' }}
      list={list}
      cells={buildCells(columns, { name: null, category: 'category' }, []).cells}
      rows={rows as readonly ListRow[]}
      currency={currency}
      refundRequestRegNos={[]}
      isStale={false}
      sort=""
      onSort={() => {}}
      totals={null}
      selection={null}
    />,
  )
}

test('a list with amounts in yen shows the yen symbol', () => {
  const registrations = [
    buildRow('A1', { base: 1000, total: 1180 }),
    buildRow('A2', { base: 0, total: 0 }),
  ]
  const table = renderList({ currency: 'JPY', registrations })
  expect(table).toContain('JP¥ 1,180')
  expect(table).toContain('Free')
  expect(table).not.toContain('₹')
  expect(renderList({ registrations })).toContain('₹ 1,180')
})

test('a row states its currency if it differs from the list’s currency', () => {
  const rows = [
    buildRow('A1', { total: 150.5, 'money.currency': 'EUR' }),
    buildRow('A2', { total: 1180 }),
  ]
  const table = renderList({ registrations: rows })
  expect(table).toContain('€ 150.50')
  expect(table).toContain('₹ 1,180')
})

test('a paid registration with a balance shows the amount due', () => {
  const amounts = { total: 1180, 'money.owed': 100 }
  const columns = [...list.columns, { id: 'payment_status', label: 'Status', kind: 'status' }]
  const table = renderList(
    { currency: 'EUR', registrations: [buildRow('A1', amounts)] },
    columns as AdminList['columns'],
  )
  expect(table).toMatch(/Paid.*€ 100 due/)
})

test('the dashboard totals each currency separately', () => {
  const formatTotal = (stats: Parameters<typeof formatTotalRevenue>[0]): string =>
    formatTotalRevenue(stats, EUR).replaceAll('\u00a0', ' ')
  const otherCurrencies = [
    { currency: 'EUR', total_revenue: 0.3 },
    { currency: 'JPY', total_revenue: 9 },
  ]
  expect(formatTotal({ total_revenue: 130_000 })).toBe('₹ 1,30,000')
  expect(formatTotal({ total_revenue: 130_000, other_currencies: otherCurrencies })).toBe(
    '₹ 1,30,000 · € 0.30 · JP¥ 9',
  )
  expect(formatTotal({ total_revenue: 0, other_currencies: otherCurrencies })).toBe(
    '€ 0.30 · JP¥ 9',
  )
  // A currency without sales is omitted. If there is no revenue at all, one zero is shown.
  const currenciesWithoutRevenue = [{ currency: 'USD', total_revenue: 0 }]
  expect(formatTotal({ total_revenue: 130_000, other_currencies: currenciesWithoutRevenue })).toBe(
    '₹ 1,30,000',
  )
  expect(formatTotal({ total_revenue: 0, other_currencies: currenciesWithoutRevenue })).toBe('€ 0')
})

test('the chart for an event in Kuwaiti dinars shows three decimal places', () => {
  const days = [{ day: '2025-10-02', registrations: 2, revenue: 8555.125 }]
  const bars = buildBars(days, '2025-10-02', KWD)
  expect(describeBars(bars, 'A', '2025-10-02', KWD).replaceAll('\u00a0', ' ')).toBe(
    '2 registrations on 2 Oct 2025; revenue KWD 8,555.125.',
  )
})

test('the sales report for an event in euros shows euros', () => {
  const sale = { item: 'a', option: null, label: 'A', option_label: null, registrations: 1 }
  const table = renderText(
    <SalesTable
      status="success"
      currency="EUR"
      capped={false}
      rows={[{ ...sale, quantity: 1, total: 1234.1, paid_quantity: 1, paid_total: 1000 }]}
      paid_beside={0.2}
      people={[]}
      places={[]}
    />,
  )
  expect(table).toContain('€ 1,234.10')
  expect(table).toContain('€ 1,000.20')
  expect(table).not.toContain('₹')
})

test('the sales report for an event in euros has no total in euros if all sales were in rupees', () => {
  const sale = { item: 'a', option: null, label: 'A', option_label: null, registrations: 1 }
  const table = renderText(
    <SalesTable
      {...{ status: 'success', capped: false, people: [], places: [], currency: 'EUR' }}
      rows={[
        { ...sale, quantity: 1, currency: 'INR', total: 590, paid_quantity: 1, paid_total: 590 },
      ]}
      paid_beside={0}
      others_beside={[{ currency: 'INR', amount: 0 }]}
    />,
  )
  expect(table).toContain('A (INR)')
  expect(table).toContain('₹ 590')
  expect(table).not.toContain('€')
})

test('a registration in euros and its payouts are shown in euros', () => {
  const rows = buildPriceRows({
    currency: 'EUR',
    registration: buildRow('A1', { base: 100, gst: 19.5, total: 119.5 }) as unknown as ListRow,
    lines: [],
  })
  expect(rows.map(({ value }) => String(value).replaceAll('\u00a0', ' '))).toEqual([
    '€ 100',
    '€ 19.50',
    '€ 119.50',
  ])
  const settled = [
    {
      is: 'refund',
      reference: 'r',
      amount: 119.5,
      fee: 2,
      tax: 0.4,
      net: -121.9,
      day: null,
      utr: '',
      currency: 'EUR',
    },
  ] as const
  expect(renderText(<SettlementPanel settled={[...settled]} />)).toContain('−€ 121.90')
})

test('the sales report counts all listed people, with or without a ticket', () => {
  const table = renderText(
    <SalesTable
      {...{ status: 'success', capped: false, rows: [], paid_beside: 0, places: [] }}
      people={[{ id: 'companions', label: 'Companions', count: 2, paid: 1 }]}
    />,
  )
  expect(table.replaceAll('<!-- -->', '')).toContain('2 people listed, 1 on paid registrations')
  expect(table).toContain('with or without a ticket')
})

test.each([
  [undefined, 'UTR or bank reference', true],
  ['EUR', 'Bank reference', false],
] as const)(
  'when a transfer in currency %s is recorded, the form asks for a UTR and offers UPI only for rupees',
  (code, name, hasUpi) => {
    const fields = renderText(
      <RecordPaymentFields
        told={null}
        to_pay={0}
        today={'2026-01-20' as never}
        userRole="treasurer"
        {...(code && { currency: code })}
      />,
    )
    expect(fields).toContain(`<label>${name}<input`)
    expect(fields.includes('<option value="upi">')).toBe(hasUpi)
  },
)

test('the front desk is offered only the payment methods that it can record', () => {
  const fields = renderText(
    <RecordPaymentFields told={null} to_pay={0} today={'2026-01-20' as never} userRole="desk" />,
  )
  expect(fields).toContain('<option value="cash" selected="">')
  expect(fields).toContain('<option value="machine">')
  expect(fields).not.toMatch(/value="(transfer|upi|cheque)"/)
})

test('an office method of the event file is offered in “Record payment” with its label', () => {
  const fields = renderText(
    <RecordPaymentFields
      told={null}
      to_pay={0}
      today={'2026-01-20' as never}
      userRole="desk"
      office_methods={[
        { id: 'dd', label: 'DD', reference: 'DD number', required: true, fields: [] },
      ]}
    />,
  )
  expect(fields).toContain('<option value="dd">DD</option>')
})

test('“Record payment” shows and prefills the price by the chosen method, not that of the registration', () => {
  const props = {
    told: null,
    to_pay: 7670,
    today: '2026-01-20' as never,
    userRole: 'desk',
  } as const
  const renderFigures = (due: number) => <p>Due {due}</p>
  const fields = renderText(
    <RecordPaymentFields {...props} to_pay_by_method={{ cash: 7439.9 }} {...{ renderFigures }} />,
  )
  expect(fields).toContain('Price in cash: ₹ 7,439.90')
  expect(fields).toContain('<p>Due 7439.9</p>')
  expect(fields).toContain('value="7439.90"')
  expect(fields).not.toContain('7670')
  const sameFields = renderText(<RecordPaymentFields {...props} />)
  expect(sameFields).toContain('value="7670"')
  expect(sameFields).not.toContain('Price in cash')
})

test.each([
  [undefined, '₹ 590', 'Amount received<', 'decimal', '590'],
  ['EUR', '€ 590', 'Amount received (EUR)', 'decimal', '590'],
  ['JPY', 'JP¥ 590', 'Amount received (JPY)', 'numeric', '590'],
] as const)(
  'when a payment in currency %s is recorded, the label, the keyboard and the reported amount match the currency',
  (code, reportedAmount, label, mode, value) => {
    const currency = code === undefined ? {} : { currency: code }
    const claim = {
      label: 'UPI',
      reference: 'r1',
      amount: 590,
      paid_on: null,
      answers: [],
      stands: 'looking',
    } as unknown as NonNullable<ActionsResponse['told']>
    const fields = renderText(
      <RecordPaymentFields
        told={claim}
        to_pay={0}
        today={'2026-01-20' as never}
        userRole="owner"
        {...currency}
      />,
    )
    expect(fields).toContain(reportedAmount)
    expect(fields).toContain(label)
    expect(fields).toContain(`inputMode="${mode}"`)
    expect(fields).toContain(`value="${value}"`)
    const approval = { look_at: [], decide_by: null, total: 590, offer: null, ...currency }
    expect(renderText(<ApprovalDetails approval={approval} canOffer={false} />)).toContain(
      reportedAmount,
    )
  },
)

test('a payment in dollars for a bill in rupees is shown in dollars', () => {
  const review = {
    id: 'r',
    kind: 'misfit',
    came: { amount: 100, currency: 'USD', reference: 'x', paid_at: '2026-01-20T12:00:00+05:30' },
    due: 7080,
    left: 100,
    currency: 'USD',
    due_currency: 'INR',
    said: null,
  } as unknown as WireReview
  const text = renderText(<ReviewAmounts {...review} />)
  expect(text).toContain('Payment: US$ 100')
  expect(text).toContain('Due: ₹ 7,080')
  const { due_currency: _dueCurrency, ...sameCurrency } = review
  expect(renderText(<ReviewAmounts {...sameCurrency} currency="JPY" />)).toContain('Due: JP¥ 7,080')
})

test('amounts are added in minor units, and an input shows its currency’s decimal places', () => {
  expect(addAmounts([0.1, 0.2, -0.05], EUR)).toBe(0.25)
  expect(addAmounts([0.001, 0.002], KWD)).toBe(0.003)
  expect(addAmounts([5, 6], JPY)).toBe(11)
  expect(formatForInput(590.5, EUR)).toBe('590.50')
  expect(formatForInput(590, KWD)).toBe('590')
  expect(formatForInput(590.125, KWD)).toBe('590.125')
  expect(formatForInput(590, JPY)).toBe('590')
  expect(formatSignedMoney(-590, JPY)).toBe('−JP¥\u00a0590')
})

test('the sentence below the chart states the highest daily revenue in dollars', () => {
  const by_day = [
    { day: '2027-07-20', revenue: 389.4 },
    { day: '2027-07-21', revenue: 2184.67 },
  ]
  const other = { currency: 'USD', total_revenue: 2574.07, dismissed_amount: 0 }
  expect(describeOtherRevenue([{ ...other, by_day }]).replaceAll('\u00a0', ' ')).toBe(
    ' Highest revenue in USD on 21 Jul 2027 (US$ 2,184.67).',
  )
  expect(describeOtherRevenue([other])).toBe('')
})
