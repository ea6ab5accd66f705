/** The form of an event in another currency: every price has the currency's symbol and number of decimals. */
import { renderToStaticMarkup } from 'react-dom/server'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, expect, test, vi } from 'vitest'
import {
  EMPTY_CONTEXT,
  day,
  normalise,
  toAmount,
  readCurrency,
  readInstant,
} from '../../../engine/index.ts'
import { buildTariff, toWireQuote } from '../../../engine/api.ts'
import type { Currency, EventConfig, Quote } from '../../../engine/index.ts'
import { renderScriptNotice } from '../../../server/pages/html-shell.ts'
import { createTariffReader, toQuote } from '../../../web/app/api-responses.ts'
import { formatOptionPrice } from '../../../web/registration/fields/radio-choices.tsx'
import { buildUiSchema } from '../../../web/registration/form/ui-schema.ts'
import { FeeTable, PriceUntil } from '../../../web/registration/price/fee-table.tsx'
import {
  buildOptionStatuses,
  calculatePriceByBill,
} from '../../../web/registration/price/itemised-price.ts'
import { calculatePriceByTariff } from '../../../web/registration/price/live-price.ts'
import { PriceChangedDialog } from '../../../web/registration/submit-dialogs.tsx'
import { ItemPrices } from '../../../web/organisers/preview/item-prices.tsx'
import { PricePreview } from '../../../web/organisers/preview/price-preview.tsx'
import ResultsPreview from '../../../web/organisers/preview/result-page-and-email-preview.tsx'
import { buildBillRows } from '../../../web/ui/payment/bill-rows.tsx'
import { buildQuoteRows } from '../../../web/ui/payment/quote-rows.tsx'
import { createEvent, createField, createRequired } from '../../engine/fixtures.ts'

const NOW = '2026-01-20T12:00:00+05:30'
const TAX = { name: 'VAT', percent: 10, prices: 'exclusive', round: 'paise' } as const

function getCurrency(code: string): Currency {
  const currency = readCurrency(code)
  if (currency === null) throw new Error(`no currency ${code}`)
  return currency
}

/**
 * Creates an event in this currency. In minor units before tax, a registration costs 120,000 (150,000 once the first
 * period has ended), and a night 2,505.
 */
const createEventIn = (code: string): EventConfig =>
  createEvent({
    currency: getCurrency(code),
    fields: [
      createField('email', { type: 'email' }),
      createField('kind', {
        type: 'select',
        options: [{ id: 'plain', label: 'Plain' }],
        required: createRequired('Choose'),
      }),
      createField('nights', { type: 'number', isWhole: true }),
    ],
    categories: [{ id: 'plain', label: 'Plain', listedOnly: false }],
    categoryChoice: { by: 'field', field: 'kind' },
    fees: {
      tax: TAX,
      periods: [
        { id: 'now', label: 'Now', to: day('2026-01-30') },
        { id: 'later', label: 'Later' },
      ],
      otherDates: null,
      prices: { plain: { now: toAmount(120_000), later: toAmount(150_000) } },
      items: [
        {
          id: 'night',
          label: 'Night',
          count: { field: 'nights' },
          tax: TAX,
          prices: [{ when: null, table: { each: { now: toAmount(2505), later: toAmount(2505) } } }],
        },
      ],
      adjustments: [],
    },
  })

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Returns the amounts in a text, with their symbols. */
const findAmounts = (html: string): readonly string[] =>
  [...html.replaceAll('\u00a0', ' ').matchAll(/(?:₹|€|JP¥|KWD|US\$) [\d,.]*\d/g)].map(
    ([amount]) => amount,
  )

const at = readInstant(NOW)
if (at === null) throw new Error('no time')
const now = at

/** Returns the tariff that the browser parses from the server's response. */
function readTariff(event: EventConfig) {
  const tariff = createTariffReader(event, NOW)(JSON.parse(JSON.stringify(buildTariff(event, now))))
  if (tariff === null) throw new Error('the browser cannot read this tariff')
  return tariff
}

function calculateBill(event: EventConfig): Quote {
  const { answers } = normalise(event, { kind: 'plain', nights: 2 })
  const bill = calculatePriceByBill(event, readTariff(event), 'plain', answers)
  if (bill === null || typeof bill === 'string') throw new Error(`no bill: ${bill}`)
  return bill
}

test.each([
  ['INR', ['₹ 1,200', '₹ 1,500', '₹ 25.05', '₹ 1,200']],
  ['EUR', ['€ 1,200', '€ 1,500', '€ 25.05', '€ 1,200']],
  ['USD', ['US$ 1,200', 'US$ 1,500', 'US$ 25.05', 'US$ 1,200']],
  ['JPY', ['JP¥ 120,000', 'JP¥ 150,000', 'JP¥ 2,505', 'JP¥ 120,000']],
  ['KWD', ['KWD 120', 'KWD 150', 'KWD 2.505', 'KWD 120']],
] as const)(
  'an event in %s lists its prices in its currency, both in the form and on the page without JavaScript',
  (code, [price, laterPrice, nightPrice, today]) => {
    const event = createEventIn(code)
    const { answers } = normalise(event, { kind: 'plain' })
    const tariff = readTariff(event)
    expect(
      findAmounts(
        renderToStaticMarkup(<FeeTable event={event} category={null} answers={{}} now={NOW} />),
      ),
    ).toEqual([price, laterPrice])
    expect(findAmounts(renderScriptNotice(event))).toEqual([price, laterPrice])
    expect(findAmounts(formatOptionPrice(event, tariff, { id: 'plain' }) ?? '')).toEqual([today])
    const unitPrice =
      buildOptionStatuses(event, tariff, answers, 'plain').get('nights')?.price ?? ''
    expect(findAmounts(unitPrice)).toEqual([nightPrice])
  },
)

test.each([
  ['INR', ['₹ 1,200', '₹ 25.05', '₹ 50.10', '₹ 1,250.10', '₹ 125.01', '₹ 1,375.11'], 1375.11],
  [
    'JPY',
    ['JP¥ 120,000', 'JP¥ 2,505', 'JP¥ 5,010', 'JP¥ 125,010', 'JP¥ 12,501', 'JP¥ 137,511'],
    137_511,
  ],
  [
    'KWD',
    ['KWD 120', 'KWD 2.505', 'KWD 5.010', 'KWD 125.010', 'KWD 12.501', 'KWD 137.511'],
    137.511,
  ],
] as const)(
  'a bill in %s has the symbol and the number of decimals of its currency',
  (code, amounts, total) => {
    const event = createEventIn(code)
    const bill = calculateBill(event)
    const rows = buildBillRows(event, bill, ['base', 'gst', 'total'])
    const texts = rows.map(({ about, value }) => `${String(about ?? '')} ${String(value)}`)
    expect(findAmounts(texts.join(' '))).toEqual(amounts)
    // The browser reads the same bill from the server's response.
    const wire = JSON.parse(JSON.stringify(toWireQuote(bill))) as ReturnType<typeof toWireQuote>
    expect(wire.total).toBe(total)
    const { base, gst, total: sum, currency } = bill
    expect(toQuote(wire)).toMatchObject({ base, gst, total: sum, currency })
    expect(toQuote(wire)?.lines).toHaveLength(bill.lines.length)
  },
)

test('the summary for an event in yen that has no items shows amounts in yen', () => {
  const event = createEventIn('JPY')
  const quote = calculatePriceByTariff(event, readTariff(event), 'plain', {})
  if (quote === null || typeof quote === 'string') throw new Error('no quote')
  const rows = buildQuoteRows(event, quote, ['base', 'gst', 'total'])
  expect(findAmounts(rows.map(({ value }) => String(value)).join(' '))).toEqual([
    'JP¥ 120,000',
    'JP¥ 12,000',
    'JP¥ 132,000',
  ])
  const priceUntilHtml = renderToStaticMarkup(
    <PriceUntil event={event} answers={{ kind: 'plain' }} quote={quote} now={NOW} />,
  )
  expect(findAmounts(priceUntilHtml)).toEqual(['JP¥ 165,000'])
})

test('the dialog about a changed price shows prices in euro for an event in euro', () => {
  const event = createEventIn('EUR')
  const newQuote = calculateBill(event)
  const html = renderToStaticMarkup(
    <PriceChangedDialog
      event={event}
      buildRows={buildQuoteRows}
      oldQuote={{ ...newQuote, total: toAmount(newQuote.total - 100) }}
      newQuote={newQuote}
      pay={() => {}}
      onClose={() => {}}
    />,
  )
  expect(findAmounts(html)).toContain('€ 1,374.11')
  expect(findAmounts(html).at(-1)).toBe('€ 1,375.11')
})

test.each([
  ['INR', 'decimal'],
  ['JPY', 'numeric'],
])(
  'the keyboard for a donation in %s has a decimal point only if the currency has decimals',
  (code, mode) => {
    const donation = createField('donation', { type: 'number', isAmount: true })
    const schema = buildUiSchema({ ...createEventIn(code), fields: [donation] })
    expect(JSON.stringify(schema['donation'])).toContain(`"inputMode":"${mode}"`)
  },
)

test.each([
  ['EUR', '€ 27.56', '€ 1,375.11', '€ 1,320'],
  ['JPY', 'JP¥ 2,756', 'JP¥ 137,511', 'JP¥ 132,000'],
])(
  'the organisers’ preview of an event in %s shows amounts in its currency',
  (code, night, bill, price) => {
    const event = createEventIn(code)
    const testDelegate = {
      day: day('2026-01-20'),
      answers: { kind: 'plain', nights: 2 },
      context: EMPTY_CONTEXT,
    }
    const preview = (
      <PricePreview
        title="Price"
        event={event}
        testDelegate={testDelegate}
        lines={null}
        extremeBills={[]}
        goTo={() => {}}
      />
    )
    const html = renderToStaticMarkup(preview)
    for (const amount of [night, bill, price]) expect(findAmounts(html)).toContain(amount)
    expect(html).not.toContain('₹')
    expect(findAmounts(renderToStaticMarkup(<ItemPrices event={event} />))).toContain(night)
    vi.stubGlobal('location', new URL('http://localhost/'))
    const ticket = renderToStaticMarkup(
      <MemoryRouter>
        <ResultsPreview event={event} testDelegate={testDelegate} />
      </MemoryRouter>,
    )
    expect(findAmounts(ticket)).toContain(bill)
    expect(ticket).not.toContain('₹')
  },
)
