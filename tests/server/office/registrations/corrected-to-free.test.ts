/** A registration that a correction makes free is complete; a later price increase creates a balance. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OrderId, Amount, RegNo } from '../../../../engine/index.ts'
import type { ActionResponse } from '../../../../engine/api.ts'
import { buildFixtureEvent } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { actionsUrl, toNoon, register, signIn } from '../office.ts'
import type { Office } from '../office.ts'

let server: TestApp
let owner: Office
const EVENT = 'sample2026'

beforeAll(async () => {
  const eventFile = buildFixtureEvent({ total: 0 }).replace(
    'member:     [1000, 2000]',
    'member: [free, free]',
  )
  server = await startTestApp({ clock: '2026-01-20', events: { 'sample2026.yaml': eventFile } })
  owner = await signIn(server)
})
afterAll(() => server.close())

const registerSample = (n: number, paymentResult?: 'success'): Promise<RegNo> =>
  register(server, EVENT, {
    n,
    on: toNoon('2026-01-10'),
    answers: {
      full_name: `Delegate ${n}`,
      email: `delegate${n}@example.org`,
      phone_number: '9876500000',
      is_member: false,
    },
    ...(paymentResult === undefined
      ? {}
      : {
          pays: paymentResult,
          mail: { to: 'x@example.org', copyTo: null, subject: 'Paid', text: 'Once.' },
        }),
  })
const performAction = async (regNo: RegNo, body: object): Promise<ActionResponse> => {
  const response = await server.app.inject({
    method: 'POST',
    url: `/admin/registrations/${regNo}/acts/`,
    headers: { authorization: `Bearer ${owner.token}` },
    payload: { why: 'As the letter says.', ...body },
  })
  expect(response.statusCode, response.body).toBe(200)
  return response.json<ActionResponse>()
}
const correctToFree = (regNo: RegNo) =>
  performAction(regNo, { act: 'correct', answers: { is_member: true }, total: 0 })
const correctToPaid = (regNo: RegNo) =>
  performAction(regNo, { act: 'correct', answers: { is_member: false }, total: 3540 })
const findStored = async (regNo: RegNo) => {
  const registration = await server.deps.store.registration(regNo)
  if (registration === null) throw new Error(`${regNo} was not found`)
  return registration
}
const readState = async (regNo: RegNo) => {
  const { state, paymentStatus, due, total } = await findStored(regNo)
  return [state, paymentStatus, due, total]
}
const listConfirmations = async (regNo: RegNo): Promise<unknown[]> => {
  const { id } = await findStored(regNo)
  return server.rows(
    `SELECT recipient, subject, body FROM mail_queue WHERE kind = 'confirmation' AND registration_id = ${id}`,
  )
}
const applyPayment = (orderId: OrderId | undefined, reference: string, amount: number) =>
  server.deps.store.applyPaymentEvent(
    orderId ?? ('' as OrderId),
    {
      type: 'confirmed',
      reference,
      amount: amount as Amount,
      currency: '356',
      kind: 'sale',
      at: server.now(),
    },
    { to: 'x@example.org', copyTo: null, subject: 'Twice', text: 'No.' },
  )

test('one confirmation with the ticket is sent for an unpaid registration that becomes free', async () => {
  const regNo = await registerSample(1)
  expect(await correctToFree(regNo)).toMatchObject({ state: 'complete' })
  expect(await readState(regNo)).toEqual(['complete', 'success', 0, 0])
  expect(await listConfirmations(regNo)).toEqual([
    {
      recipient: 'delegate1@example.org',
      subject: `Sample 2026: ${regNo}`,
      body: expect.stringContaining('you are registered as Member'),
    },
  ])
  // A late payment for the earlier order is due for refund, and no second confirmation is sent.
  await applyPayment((await findStored(regNo)).payments[0]?.orderId, 'LATE1', 354_000)
  expect(await readState(regNo)).toEqual(['complete', 'success', -354_000, 0])
  expect(await listConfirmations(regNo)).toHaveLength(1)
})

test('no second confirmation is sent for a paid registration that becomes free', async () => {
  const regNo = await registerSample(2, 'success')
  await correctToFree(regNo)
  expect(await readState(regNo)).toEqual(['complete', 'success', -354_000, 0])
  expect(await listConfirmations(regNo)).toMatchObject([{ subject: 'Paid' }])
})

test('an unpaid registration that becomes free and is then priced again is complete once the difference is paid', async () => {
  const regNo = await registerSample(3)
  await correctToFree(regNo)
  expect(await correctToPaid(regNo)).toMatchObject({ state: 'to_pay' })
  expect(await readState(regNo)).toEqual(['to_pay', 'success', 354_000, 354_000])
  await applyPayment((await findStored(regNo)).payments[0]?.orderId, 'DIFF3', 354_000)
  expect(await readState(regNo)).toEqual(['complete', 'success', 0, 354_000])
  expect(await listConfirmations(regNo)).toHaveLength(1)
})

test('a paid registration that becomes free, is refunded and is then priced again is not cancelled', async () => {
  const regNo = await registerSample(4, 'success')
  await correctToFree(regNo)
  await performAction(regNo, { act: 'refund', amount: 3540, by_hand: true, reference: 'NEFT 4' })
  expect(await readState(regNo)).toEqual(['complete', 'success', 0, 0])
  expect(await correctToPaid(regNo)).toMatchObject({ state: 'to_pay' })
  expect(await readState(regNo)).toEqual(['to_pay', 'success', 354_000, 354_000])
  await applyPayment((await findStored(regNo)).payments[0]?.orderId, 'DIFF4', 354_000)
  expect(await readState(regNo)).toEqual(['complete', 'success', 0, 354_000])
})

test('the refund dialog states that a full refund cancels only a registration that it cancels', async () => {
  const readFlag = async (regNo: RegNo) =>
    (await owner.json(actionsUrl(regNo)))['full_refund_cancels']
  const regNo = await registerSample(6, 'success')
  expect(await readFlag(regNo)).toBe(true)
  await correctToFree(regNo)
  expect(await readFlag(regNo)).toBe(false)
  await performAction(regNo, { act: 'refund', amount: 3540, by_hand: true, reference: 'NEFT 6' })
  expect((await readState(regNo))[0]).toBe('complete')
})

test('a payment for the first order pays the new price, which is not requested twice', async () => {
  const regNo = await registerSample(5)
  const [firstOrder] = (await findStored(regNo)).payments
  await correctToFree(regNo)
  await correctToPaid(regNo)
  await applyPayment(firstOrder?.orderId, 'LATE5', 354_000)
  expect(await readState(regNo)).toEqual(['complete', 'success', 0, 354_000])
  const { payments } = await findStored(regNo)
  expect(payments.map(({ status }) => status)).toEqual(['failed', 'success'])
  // A goodwill refund changes the state as usual.
  await performAction(regNo, { act: 'refund', by_hand: true, reference: 'NEFT 5' })
  expect((await readState(regNo)).slice(0, 2)).toEqual(['cancelled', 'refunded'])
})
