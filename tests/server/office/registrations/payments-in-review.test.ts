/** Payments in review describe the present state of their registration, also after another payment was accepted. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toAmount } from '../../../../engine/index.ts'
import type { OrderId, RegNo } from '../../../../engine/index.ts'
import type { ActionsResponse, RegisterResponse } from '../../../../engine/api.ts'
import { fixtureDelegate, buildFixtureEvent } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { buildDecline, buildSale } from '../../sample-registrations.ts'
import { actionsUrl, signIn } from '../office.ts'
import type { Office } from '../office.ts'

const DUE = 1180
const EVENT = buildFixtureEvent({
  extra: `
quotas: [{id: hall, max: 1, full: The hall is full}]
hold_seats_for: 30 minutes
`,
})
let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-10T10:00:00+05:30',
    events: { 'sample2026.yaml': EVENT },
  })
  office = await signIn(server)
})
afterAll(() => server.close())

const register = async (email: string): Promise<{ regNo: RegNo; orderId: OrderId }> => {
  const response = await server.post('/api/sample2026/register/', { ...fixtureDelegate, email })
  expect(response.statusCode, response.body).toBe(201)
  const { reg_no: regNo, payment_data: payment } = response.json<RegisterResponse>()
  return { regNo: regNo as RegNo, orderId: payment?.orderid as OrderId }
}
const record = async (regNo: RegNo, way: string, reference: string, amount = DUE) => {
  const action = { act: 'confirm', way, reference, amount: String(amount), why: 'At the desk.' }
  const { status, body } = await office.act(regNo, action)
  expect(status, body.message).toBe(200)
}
const readActions = async (regNo: RegNo) =>
  (await office.json(actionsUrl(regNo))) as unknown as ActionsResponse
const accept = (id: string | undefined) =>
  office.decide(id, { decision: 'accept', why: 'A chair was found.' })
test('after staff accept one of two payments for a seat that was sold, the review of the other states that it is a second payment and that nothing is due', async () => {
  const { regNo, orderId } = await register('declined@example.org')
  await server.deps.store.applyPaymentEvent(orderId, buildDecline(), null)
  const buyer = await register('buyer@example.org')
  const sale = buildSale('AP1', toAmount(DUE * 100), server.now())
  await server.deps.store.applyPaymentEvent(buyer.orderId, sale, null)
  await record(regNo, 'cash', 'SLIP 1')
  await record(regNo, 'transfer', '526123000001')
  const { reviews } = await readActions(regNo)
  expect(reviews).toMatchObject([
    { kind: 'misfit', why: expect.stringContaining('after the seat was released'), due: DUE },
    { kind: 'misfit', why: expect.stringContaining('after the seat was released'), due: DUE },
  ])
  await accept(reviews[0]?.id)
  expect(await readActions(regNo)).toMatchObject({
    due: 0,
    reviews: [
      {
        id: reviews[1]?.id,
        kind: 'second',
        why: 'Payment received a second time, as 526123000001. The first payment is SLIP 1.',
        due: 0,
      },
    ],
  })
  expect((await server.deps.store.registration(regNo))?.inReview).toBe(true)
})
