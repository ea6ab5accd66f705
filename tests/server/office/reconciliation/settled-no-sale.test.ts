/** Payments that a settlement report does not list as sales, and settlement lines stored by older versions. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type {
  ReviewsResponse,
  SettlementsResponse,
  WireSettlement,
} from '../../../../engine/api.ts'
import { buildFixtureEvent } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { registerDelegate, registerPaid } from '../card-payers.ts'
import { signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const EVENT = 'sample2026'
let server: TestApp
let owner: Office

beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-28T12:00:00+05:30',
    events: { 'sample2026.yaml': buildFixtureEvent({}) },
  })
  owner = await signIn(server)
})
afterAll(() => server.close())

const registerWithPayment = async (reference: string, kind: 'other' | 'test') => {
  const payer = await registerDelegate(server, EVENT)
  const { amount } = payer
  await server.deps.store.applyPaymentEvent(
    payer.order,
    { type: 'confirmed', reference, amount, currency: '356', kind, at: server.now() },
    null,
  )
  return { ...payer, line: `${payer.order},${reference},${amount / 100},UTR1,30-01-2026,Sale` }
}
async function post(path: string, ...lines: readonly string[]) {
  const header = 'Merchant Txn ID,Transaction ID,Txn Amount,UTR Number,Settlement Date,Txn Type'
  const response = await server.app.inject({
    method: 'POST',
    url: `/admin/reconcile/${path}?event=${EVENT}`,
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'text/csv' },
    payload: [header, ...lines].join('\n'),
  })
  expect(response.statusCode, response.body).toBe(200)
  return response
}
const checkSettlement = async (...lines: readonly string[]): Promise<WireSettlement> =>
  (await post('', ...lines)).json<{ settlement: WireSettlement }>().settlement

test('a payment that the gateway does not report as a sale is expected in a settlement only once staff have accepted it', async () => {
  const acceptedPayment = await registerWithPayment('AP1', 'other')
  const paymentUnderReview = await registerWithPayment('AP2', 'other')
  await registerWithPayment('AP3', 'test')
  const path = `/admin/reviews/?event=${EVENT}`
  const { reviews } = (await owner.json(path)) as unknown as ReviewsResponse
  const review = reviews.find(({ reg_no: regNo }) => regNo === acceptedPayment.regNo)
  const acceptance = { act: 'accept', review: review?.id, why: 'The money is in the account.' }
  expect((await owner.act(acceptedPayment.regNo, acceptance)).status).toBe(200)

  // An accepted payment is expected in a settlement. A test payment, or a payment under review because of
  // its kind, might never appear in one.
  const unrelatedSettlement = await checkSettlement('ELSEWHERE1,AP9,590,UTR1,30-01-2026,Sale')
  expect(unrelatedSettlement.unsettled).toMatchObject([
    { reference: 'AP1', reg_no: acceptedPayment.regNo },
  ])
  const { lines, unsettled } = await checkSettlement(acceptedPayment.line, paymentUnderReview.line)
  expect(lines.map(({ as: outcome, why: reason }) => [outcome, reason])).toEqual([
    ['settled', null],
    ['review', null],
  ])
  expect(unsettled).toEqual([])
})

test('a payout whose reference is in upper case in the next report is not counted as a second payout', async () => {
  const [firstPayment, secondPayment] = [
    await registerPaid(server, EVENT, 'AP7'),
    await registerPaid(server, EVENT, 'AP8'),
  ]
  const { source, account } =
    server.rows('SELECT source, account FROM captures WHERE reference = ?', 'AP7')[0] ?? {}
  // A line as older versions stored it: the key contained the reference as written in the report.
  const db = new Database(join(server.dir, 'rollcall.db'))
  db.prepare(
    "INSERT INTO settlements (id, source, account, event_id, sha256, who, at) VALUES (77, ?, ?, ?, '', 'owner', 1)",
  ).run(source, account, EVENT)
  const insertLine = db.prepare(
    `INSERT INTO settlement_lines (settlement_id, source, account, key, line, kind, order_id, reference, amount, fee, tax, net, day, utr, nth, utr_key)
     VALUES (77, ?, ?, ?, 2, 'sale', ?, ?, 118000, 0, 0, 118000, '2026-01-30', ?, 1, 'UTIB7')`,
  )
  for (const [order, reference, utr] of [
    [firstPayment.order, 'AP7', 'utib7'],
    [secondPayment.order, 'AP8', 'utib7'],
    [secondPayment.order, 'AP8', 'UTIB7'],
  ])
    insertLine.run(source, account, `sale ${reference} 118000 ${utr} 1`, order, reference, utr)
  db.close()
  const { settlement } = (await owner.json(
    `/admin/settlements/?event=${EVENT}`,
  )) as unknown as SettlementsResponse
  // No line needs staff attention.
  expect(settlement).toMatchObject({ lines: [], payouts: [{ lines: 2, net: 2360 }] })
  const upperCaseResult = await checkSettlement(
    `${firstPayment.order},AP7,1180.00,UTIB7,30-01-2026,Sale`,
  )
  expect(upperCaseResult).toMatchObject({ fresh: 0, lines: [{ as: 'settled' }] })
  const saveResponse = await post(
    'keep/',
    `${firstPayment.order},AP7,1180.00,UTIB7,30-01-2026,Sale`,
  )
  expect(saveResponse.json()).toMatchObject({ message: expect.stringContaining('0 lines saved') })
})
