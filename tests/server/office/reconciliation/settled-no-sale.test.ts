/**
 * Payments that the settlement does not call a sale: accepted by staff, still under review, or a
 * test.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ReviewsResponse, WireSettlement } from '../../../../engine/api.ts'
import { fixtureEvent } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { registerDelegate } from '../card-payers.ts'
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
    events: { 'sample2026.yaml': fixtureEvent({}) },
  })
  owner = await signIn(server)
})
afterAll(() => server.close())

const payOfKind = async (reference: string, kind: 'other' | 'test') => {
  const payer = await registerDelegate(server, EVENT)
  const { amount } = payer
  await server.deps.store.applyPaymentEvent(
    payer.order,
    { type: 'confirmed', reference, amount, currency: '356', kind, at: server.now() },
    null,
  )
  return { ...payer, line: `${payer.order},${reference},${amount / 100},UTR1,30-01-2026,Sale` }
}
async function settlementOf(...lines: readonly string[]): Promise<WireSettlement> {
  const header = 'Merchant Txn ID,Transaction ID,Txn Amount,UTR Number,Settlement Date,Txn Type'
  const answer = await server.app.inject({
    method: 'POST',
    url: `/admin/reconcile/?event=${EVENT}`,
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'text/csv' },
    payload: [header, ...lines].join('\n'),
  })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<{ settlement: WireSettlement }>().settlement
}

test('a payment that the gateway does not call a sale was unknown in its settlement after staff had accepted it, and missing from outstanding payouts', async () => {
  const acceptedPayment = await payOfKind('AP1', 'other')
  const waitingPayment = await payOfKind('AP2', 'other')
  await payOfKind('AP3', 'test')
  const path = `/admin/reviews/?event=${EVENT}`
  const { reviews } = (await owner.json(path)) as unknown as ReviewsResponse
  const review = reviews.find(({ reg_no: regNo }) => regNo === acceptedPayment.regNo)
  const accept = { act: 'accept', review: review?.id, why: 'It is on the account.' }
  expect((await owner.act(acceptedPayment.regNo, accept)).status).toBe(200)

  // An accepted payment is expected in a settlement; a test, or one under review because of its
  // kind, may never appear.
  const withoutPayments = await settlementOf('ELSEWHERE1,AP9,590,UTR1,30-01-2026,Sale')
  expect(withoutPayments.unsettled).toMatchObject([
    { reference: 'AP1', reg_no: acceptedPayment.regNo },
  ])
  const { lines, unsettled } = await settlementOf(acceptedPayment.line, waitingPayment.line)
  expect(lines.map(({ as: outcome, why: reason }) => [outcome, reason])).toEqual([
    ['settled', null],
    ['review', null],
  ])
  expect(unsettled).toEqual([])
})
