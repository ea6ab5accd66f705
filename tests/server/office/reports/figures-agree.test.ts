/**
 * The payments of one event in every report of the office: the figures must agree, to the paisa.
 */
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
let test_: TestApp
let office: Office
beforeAll(async () => {
  test_ = await startTestApp({ clock: '2025-10-10T16:00:00+05:30' })
  office = await signIn(test_)
})
afterAll(() => test_.close())

const registerSample = (n: number, pays?: 'success' | 'wrong-amount') =>
  register(test_, EVENT, {
    n,
    on: toNoon('2025-10-10'),
    answers: {
      full_name: `Delegate ${n}`,
      email: `delegate${n}@example.org`,
      phone_number: '+919876500000',
      ticket_type: 'afpi-gp-specialist',
    },
    throughGateway: true,
    ...(pays === undefined ? {} : { pays }),
  })
const toPaise = (rupees: unknown): number => Math.round(Number(rupees) * 100)
const performAction = async (regNo: string, payload: object) => {
  const done = await office.act(regNo, payload)
  expect(done, JSON.stringify(done.body)).toMatchObject({ status: 200 })
}

/** The gateway's report on all sales so far, and on refunds through the gateway. */
const report: string[] = [
  'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type',
]
const createLine = (order: string, reference: string, amount: number, is: 'Sale' | 'Refund') =>
  report.push(`${order},${reference},${amount / 100},0,0,${amount / 100},UTR1,11-10-2025,${is}`)
/** Refunds outside the gateway. */
let byHand = 0
const sendReport = async (path: string) => {
  const answer = await test_.app.inject({
    method: 'POST',
    url: `/admin/${path}/?event=${EVENT}`,
    headers: { authorization: `Bearer ${office.token}`, 'content-type': 'text/csv' },
    payload: report.join('\n'),
  })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<{ settlement: WireSettlement }>()
}
/** Settled and outstanding amounts, without payments under review. */
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
    byHand
  )
}

const actionInput = { who: 'office', why: 'Ill', actor: 'owner', once: null } as const

/** Reads the totals of each report, in paise. */
async function readFigures() {
  const listRows = (await office.json(
    '/admin/afpicon/registrations/?page_size=100',
  )) as unknown as ListResponse
  const body = (await office.get('/afpicon/download-csv/')).body.replace(/^\uFEFF/, '')
  const rows = parse(body, { columns: true }) as Record<string, string>[]
  const sumColumn = (column: string) => rows.reduce((sum, row) => sum + toPaise(row[column]), 0)
  const rowsAdded = (column: string) =>
    listRows.registrations.reduce((sum, row) => sum + toPaise(row[column] ?? 0), 0)
  const soldRows = (await office.json(
    `/admin/sold/?event_id=${EVENT}&list_id=afpicon`,
  )) as unknown as SalesResponse
  const { data } = (await office.json('/admin/dashboard/stats/')) as unknown as StatsResponse
  const stats = data['afpicon_stats'] as { total_revenue: number }
  return {
    csv: sumColumn('Amount paid') - sumColumn('Amount refunded'),
    csvDue: sumColumn('Amount due'),
    rows: rowsAdded('money.paid') - rowsAdded('money.refunded'),
    list: toPaise(listRows.sums?.money),
    listDue: toPaise(listRows.sums?.due),
    sales: soldRows.rows.reduce((sum, row) => sum + toPaise(row.paid_total), 0),
    beside: toPaise(soldRows.paid_beside),
    salesBy: [soldRows.by_category, soldRows.by_period, soldRows.by_day].map((groups) =>
      groups.reduce((sum, { received }) => sum + toPaise(received), 0),
    ),
    dashboard: toPaise(stats.total_revenue),
    reconciliation: await sumReconciled(
      ((await office.json(`/admin/settlements/?event=${EVENT}`)) as unknown as SettlementsResponse)
        .settlement,
    ),
  }
}
/** `outsideBills`: the part that was paid for items no longer sold. */
async function expectAgreement(paidSum: number, due: number, outsideBills = 0) {
  expect(await readFigures()).toEqual({
    csv: paidSum,
    csvDue: due,
    rows: paidSum,
    list: paidSum,
    listDue: due,
    sales: paidSum - outsideBills,
    beside: outsideBills,
    salesBy: [paidSum, paidSum, paidSum],
    dashboard: paidSum,
    reconciliation: paidSum,
  })
}

const PRICE = 708_000

test('“Paid” is what payers paid: list, CSV, sales, dashboard and reconciliation add up to one figure', async () => {
  const [paid, cancelled, review] = [
    await registerSample(1, 'success'),
    await registerSample(2, 'success'),
    await registerSample(3, 'wrong-amount'),
  ]
  await registerSample(4)
  await expectAgreement(2 * PRICE, 2 * PRICE)
  // A partial amount accepted as the price: one rupee was paid.
  await performAction(review, { act: 'accept', why: 'Agreed.', review: await readReview(review) })
  await expectAgreement(2 * PRICE + 100, PRICE)
  await test_.deps.store.requestRefund({
    of: paid,
    amount: toAmount(100_050),
    ...actionInput,
    byHand: 'NEFT 1',
    at: test_.now(),
  })
  byHand += 100_050
  await expectAgreement(2 * PRICE + 100 - 100_050, PRICE)
  await test_.deps.store.cancel(
    { ...actionInput, regNo: cancelled, act: 'cancel', at: test_.now() },
    { payBack: toAmount(300_000), shown: null, mail: null },
  )
  await expectAgreement(2 * PRICE + 100 - 100_050, PRICE, PRICE)
  await test_.deps.store.requestRefund({
    of: cancelled,
    amount: toAmount(300_000),
    ...actionInput,
    byHand: 'NEFT 2',
    at: test_.now(),
  })
  byHand += 300_000
  await expectAgreement(2 * PRICE + 100 - 400_050, PRICE, PRICE - 300_000)

  // The gateway settles two of the three payments, and a refund made in its own panel.
  await test_.deps.store.applyPaymentEvent(
    createOrderId(paid, 1),
    { type: 'refunded', reference: 'PANEL', amount: toAmount(8_000), at: test_.now() },
    null,
  )
  createLine(createOrderId(paid, 1), 'REF1', PRICE, 'Sale')
  createLine(createOrderId(review, 1), 'REF3', 100, 'Sale')
  createLine(createOrderId(paid, 1), 'PANEL', 8_000, 'Refund')
  const paidSum = 2 * PRICE + 100 - 408_050
  expect(await sumReconciled((await sendReport('reconcile')).settlement)).toBe(paidSum)
  await sendReport('reconcile/keep')
  await expectAgreement(paidSum, PRICE, PRICE - 300_000)
})

const readReview = async (regNo: RegNo): Promise<string> =>
  (await test_.deps.store.reviews(null)).find((review) => review.regNo === regNo)?.id ?? ''
