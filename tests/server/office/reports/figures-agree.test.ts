/** The figures for one event's payments agree to the paisa in every office report. */
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOrderId, toAmount } from '../../../../engine/index.ts'
import type { RegNo, SalesResponse } from '../../../../engine/index.ts'
import type {
  ListResponse,
  ReviewsResponse,
  SettlementsResponse,
  StatsResponse,
  WireSettlement,
} from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { toNoon, register, signIn } from '../office.ts'
import type { Office } from '../office.ts'

const EVENT = 'afpicon2026'
let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({ clock: '2025-10-10T16:00:00+05:30' })
  office = await signIn(server)
})
afterAll(() => server.close())

const registerSample = (n: number, paymentResult?: 'success' | 'wrong-amount') =>
  register(server, EVENT, {
    n,
    on: toNoon('2025-10-10'),
    answers: {
      full_name: `Delegate ${n}`,
      email: `delegate${n}@example.org`,
      phone_number: '+919876500000',
      ticket_type: 'afpi-gp-specialist',
    },
    throughGateway: true,
    ...(paymentResult === undefined ? {} : { pays: paymentResult }),
  })
const toPaise = (rupees: unknown): number => Math.round(Number(rupees) * 100)
const performAction = async (regNo: string, payload: object) => {
  const actionResponse = await office.act(regNo, payload)
  expect(actionResponse, JSON.stringify(actionResponse.body)).toMatchObject({ status: 200 })
}

/** The lines of the gateway's report: all sales so far, and refunds through the gateway. */
const report: string[] = [
  'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type',
]
const addReportLine = (order: string, reference: string, amount: number, kind: 'Sale' | 'Refund') =>
  report.push(`${order},${reference},${amount / 100},0,0,${amount / 100},UTR1,11-10-2025,${kind}`)
/** The total refunded outside the gateway, in paise. */
let manualRefundSum = 0
const sendReport = async (path: string) => {
  const response = await server.app.inject({
    method: 'POST',
    url: `/admin/${path}/?event=${EVENT}`,
    headers: { authorization: `Bearer ${office.token}`, 'content-type': 'text/csv' },
    payload: report.join('\n'),
  })
  expect(response.statusCode, response.body).toBe(200)
  return response.json<{ settlement: WireSettlement }>()
}
/** Sums the settled and outstanding amounts, excluding payments under review. */
async function sumReconciled({ payouts, unsettled }: WireSettlement): Promise<number> {
  const { reviews } = (await office.json(
    `/admin/reviews/?event=${EVENT}`,
  )) as unknown as ReviewsResponse
  const sum = (amounts: readonly number[]) =>
    amounts.reduce((sum, amount) => sum + toPaise(amount), 0)
  return (
    sum(payouts.map(({ sales }) => sales)) -
    sum(payouts.map(({ refunds }) => refunds)) +
    sum(unsettled.map(({ amount }) => amount)) -
    sum(reviews.map(({ came: received }) => received?.amount ?? 0)) -
    manualRefundSum
  )
}

const actionInput = { who: 'office', why: 'Ill', actor: 'owner', idempotencyKey: null } as const

/** Reads the totals of each report, in paise. */
async function readFigures() {
  const listPage = (await office.json(
    '/admin/afpicon/registrations/?page_size=100',
  )) as unknown as ListResponse
  const body = (await office.get('/afpicon/download-csv/')).body.replace(/^\uFEFF/, '')
  const rows = parse(body, { columns: true }) as Record<string, string>[]
  const sumColumn = (column: string) => rows.reduce((sum, row) => sum + toPaise(row[column]), 0)
  const sumRows = (column: string) =>
    listPage.registrations.reduce((sum, row) => sum + toPaise(row[column] ?? 0), 0)
  const sales = (await office.json(
    `/admin/sold/?event_id=${EVENT}&list_id=afpicon`,
  )) as unknown as SalesResponse
  const { data } = (await office.json('/admin/dashboard/stats/')) as unknown as StatsResponse
  const stats = data['afpicon_stats'] as { total_revenue: number }
  return {
    csv: sumColumn('Amount paid') - sumColumn('Amount refunded'),
    csvDue: sumColumn('Amount due'),
    rows: sumRows('money.paid') - sumRows('money.refunded'),
    list: toPaise(listPage.sums?.money),
    listDue: toPaise(listPage.sums?.due),
    sales: sales.rows.reduce((sum, row) => sum + toPaise(row.paid_total), 0),
    beside: toPaise(sales.paid_beside),
    salesBy: [sales.by_category, sales.by_period, sales.by_day].map((groups) =>
      groups.reduce((sum, { received }) => sum + toPaise(received), 0),
    ),
    dashboard: toPaise(stats.total_revenue),
    reconciliation: await sumReconciled(
      ((await office.json(`/admin/settlements/?event=${EVENT}`)) as unknown as SettlementsResponse)
        .settlement,
    ),
  }
}
/** Checks that all reports agree. `outsideBills`: the part of the payments in no current bill. */
async function expectAgreement(paidSum: number, expectedDue: number, outsideBills = 0) {
  expect(await readFigures()).toEqual({
    csv: paidSum,
    csvDue: expectedDue,
    rows: paidSum,
    list: paidSum,
    listDue: expectedDue,
    sales: paidSum - outsideBills,
    beside: outsideBills,
    salesBy: [paidSum, paidSum, paidSum],
    dashboard: paidSum,
    reconciliation: paidSum,
  })
}

const PRICE_PAISE = 708_000

test('“Paid” is the amount that delegates paid: list, CSV, sales, dashboard and reconciliation show the same total', async () => {
  const [paidRegNo, cancelledRegNo, reviewedRegNo] = [
    await registerSample(1, 'success'),
    await registerSample(2, 'success'),
    await registerSample(3, 'wrong-amount'),
  ]
  await registerSample(4)
  await expectAgreement(2 * PRICE_PAISE, 2 * PRICE_PAISE)
  // One rupee is accepted as payment of the price.
  await performAction(reviewedRegNo, {
    act: 'accept',
    why: 'Agreed.',
    review: await readReview(reviewedRegNo),
  })
  await expectAgreement(2 * PRICE_PAISE + 100, PRICE_PAISE)
  await server.deps.store.requestRefund({
    of: paidRegNo,
    amount: toAmount(100_050),
    ...actionInput,
    manualReference: 'NEFT 1',
    at: server.now(),
  })
  manualRefundSum += 100_050
  await expectAgreement(2 * PRICE_PAISE + 100 - 100_050, PRICE_PAISE)
  await server.deps.store.cancel(
    { ...actionInput, regNo: cancelledRegNo, act: 'cancel', at: server.now() },
    { refundAmount: toAmount(300_000), shownPaidAmount: null, mail: null },
  )
  await expectAgreement(2 * PRICE_PAISE + 100 - 100_050, PRICE_PAISE, PRICE_PAISE)
  await server.deps.store.requestRefund({
    of: cancelledRegNo,
    amount: toAmount(300_000),
    ...actionInput,
    manualReference: 'NEFT 2',
    at: server.now(),
  })
  manualRefundSum += 300_000
  await expectAgreement(2 * PRICE_PAISE + 100 - 400_050, PRICE_PAISE, PRICE_PAISE - 300_000)

  // The gateway settles two of the three payments, and a refund made in the gateway's own panel.
  await server.deps.store.applyPaymentEvent(
    createOrderId(paidRegNo, 1),
    { type: 'refunded', reference: 'PANEL', amount: toAmount(8_000), at: server.now() },
    null,
  )
  addReportLine(createOrderId(paidRegNo, 1), 'REF1', PRICE_PAISE, 'Sale')
  addReportLine(createOrderId(reviewedRegNo, 1), 'REF3', 100, 'Sale')
  addReportLine(createOrderId(paidRegNo, 1), 'PANEL', 8_000, 'Refund')
  const paidSum = 2 * PRICE_PAISE + 100 - 408_050
  expect(await sumReconciled((await sendReport('reconcile')).settlement)).toBe(paidSum)
  await sendReport('reconcile/keep')
  await expectAgreement(paidSum, PRICE_PAISE, PRICE_PAISE - 300_000)
})

const readReview = async (regNo: RegNo): Promise<string> =>
  (await server.deps.store.reviews(null)).find((review) => review.regNo === regNo)?.id ?? ''
