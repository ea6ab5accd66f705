/** What the gateway calls no sale, in its settlement: accepted by staff, still before them, or a test. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ReviewsAnswer, WireSettlement } from '../../../../engine/api.ts'
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

const came = async (reference: string, kind: 'other' | 'test') => {
  const one = await registerDelegate(server, EVENT)
  const { amount } = one
  await server.deps.store.applyPaymentEvent(
    one.order,
    { type: 'confirmed', reference, amount, currency: '356', kind, at: server.now() },
    null,
  )
  return { ...one, line: `${one.order},${reference},${amount / 100},UTR1,30-01-2026,Sale` }
}
async function settlementOf(...lines: readonly string[]): Promise<WireSettlement> {
  const head = 'Merchant Txn ID,Transaction ID,Txn Amount,UTR Number,Settlement Date,Txn Type'
  const answer = await server.app.inject({
    method: 'POST',
    url: `/admin/reconcile/?event=${EVENT}`,
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'text/csv' },
    payload: [head, ...lines].join('\n'),
  })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<{ settlement: WireSettlement }>().settlement
}

test('a payment that the gateway does not call a sale was unknown in its settlement after staff had accepted it, and missing from outstanding payouts', async () => {
  const accepted = await came('AP1', 'other')
  const waits = await came('AP2', 'other')
  await came('AP3', 'test')
  const path = `/admin/reviews/?event=${EVENT}`
  const { reviews } = (await owner.json(path)) as unknown as ReviewsAnswer
  const review = reviews.find(({ reg_no: regNo }) => regNo === accepted.regNo)
  const accept = { act: 'accept', review: review?.id, why: 'It is on the account.' }
  expect((await owner.act(accepted.regNo, accept)).status).toBe(200)

  // Accepted, it is to be settled; a test, or what is before staff because of its kind, may never be.
  const without = await settlementOf('ELSEWHERE1,AP9,590,UTR1,30-01-2026,Sale')
  expect(without.unsettled).toMatchObject([{ reference: 'AP1', reg_no: accepted.regNo }])
  const { lines, unsettled } = await settlementOf(accepted.line, waits.line)
  expect(lines.map(({ as, why }) => [as, why])).toEqual([
    ['settled', null],
    ['review', null],
  ])
  expect(unsettled).toEqual([])
})
