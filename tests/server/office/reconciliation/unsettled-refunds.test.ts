/** A refund missing from settlements stays in the work queue until a treasurer closes it with a reason. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOrderId, toAmount } from '../../../../engine/index.ts'
import type {
  ActionsResponse,
  ListResponse,
  ReconcileResponse,
  StatsResponse,
} from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { actionsUrl, hashCheaply, toNoon, PASSWORD, register, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const EVENT = 'afpicon2026'
const DELEGATE = {
  full_name: 'Jürgen D’Souza',
  email: 'delegate@example.org',
  phone_number: '+919876500000',
  ticket_type: 'afpi-gp-specialist',
}

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({ clock: '2025-10-10T16:00:00+05:30' })
  const { store } = server.deps
  for (const role of ['desk', 'treasurer'] as const)
    await store.addAdmin(role, await hashCheaply(PASSWORD), server.now(), { role, events: null })
})
afterAll(() => server.close())

const listUnsettledRegNos = async (): Promise<readonly unknown[]> => {
  const page = await office.json('/admin/afpicon/registrations/?waiting=refund_unsettled')
  return (page as unknown as ListResponse).registrations.map((row) => row['reg_no'])
}
const readActions = async (regNo: string): Promise<ActionsResponse> =>
  (await office.get(actionsUrl(regNo))).json<ActionsResponse>()

test('a refund missing from settlements for five days stays in the work queue until staff mark it as handled, with a reason', async () => {
  const { store } = server.deps
  const [missingRegistration, settledRegistration] = [1, 2].map((n) =>
    register(server, EVENT, {
      n,
      on: toNoon('2025-10-10'),
      answers: DELEGATE,
      pays: 'success',
      throughGateway: true,
    }),
  )
  const [regNo, settledRegNo] = [await missingRegistration, await settledRegistration] as const
  if (regNo === undefined || settledRegNo === undefined)
    throw new Error('the delegate was not registered')
  const refundEvent = { type: 'refunded', reference: 'RF1', amount: toAmount(5_000) } as const
  await store.applyPaymentEvent(createOrderId(regNo, 1), { ...refundEvent, at: server.now() }, null)
  // Eight days later, a report covers the refund's date but does not contain the refund.
  server.setTime('2025-10-18T12:00:00+05:30')
  office = await signIn(server, 'treasurer')
  const report = [
    'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type',
    `${createOrderId(settledRegNo, 1)},REF2,7080.00,0,0,7080.00,UTR1,18-10-2025,Sale`,
  ].join('\n')
  const saveResponse = await server.app.inject({
    method: 'POST',
    url: `/admin/reconcile/keep/?event=${EVENT}`,
    headers: { authorization: `Bearer ${office.token}`, 'content-type': 'text/csv' },
    payload: report,
  })
  expect(saveResponse.statusCode, saveResponse.body).toBe(200)

  expect(await listUnsettledRegNos()).toEqual([regNo])
  const stats = (await office.json('/admin/dashboard/stats/')) as unknown as StatsResponse
  expect(JSON.stringify(stats.data)).toContain('Refunds missing from settlements')
  expect(await readActions(regNo)).toMatchObject({
    refund_unsettled: true,
    allowed: expect.arrayContaining(['handle_refund']),
  })
  const settledState = await readActions(settledRegNo)
  expect([settledState.refund_unsettled, settledState.allowed.includes('handle_refund')]).toEqual([
    false,
    false,
  ])

  expect((await office.act(regNo, { act: 'note', why: 'Called.' })).status).toBe(200)
  expect(await listUnsettledRegNos()).toEqual([regNo])
  const handleAction = { act: 'handle_refund', why: 'Credited to the card on 16 October.' }
  expect((await office.act(settledRegNo, handleAction)).body).toMatchObject({ code: 'not_now' })
  expect((await office.act(regNo, { ...handleAction, why: ' ' })).body.code).toBe('no_grounds')
  const desk = await signIn(server, 'desk')
  expect((await desk.act(regNo, handleAction)).body.code).toBe('not_your_role')
  expect(await listUnsettledRegNos()).toEqual([regNo])
  expect((await office.act(regNo, handleAction)).body).toMatchObject({
    message: 'Refund marked as handled.',
  })
  expect(await listUnsettledRegNos()).toEqual([])
  const stateAfter = await readActions(regNo)
  expect(stateAfter.refund_unsettled).toBe(false)
  expect(stateAfter.trail[0]).toMatchObject({
    text: 'Refund marked as handled',
    who: 'treasurer',
    why: handleAction.why,
  })
})

test('a refund row with a bank transfer reference is unknown, and the row with the card refund’s reference is matched', async () => {
  const { store } = server.deps
  office = await signIn(server)
  const answers = { ...DELEGATE, email: 'other@example.org', phone_number: '+919876500009' }
  const paidAt = toNoon('2025-10-10')
  const details = { n: 9, on: paidAt, answers, pays: 'success', throughGateway: true } as const
  const regNo = await register(server, EVENT, details)
  const transfer = { way: 'transfer', reference: '453001309669', amount: '1180' }
  const extraPaymentResponse = await office.act(regNo, {
    act: 'came_again',
    why: 'In the bank.',
    ...transfer,
  })
  expect(extraPaymentResponse.status, JSON.stringify(extraPaymentResponse.body)).toBe(200)
  const order = createOrderId(regNo, 1)
  const refundEvent = { type: 'refunded', reference: 'RF9', amount: toAmount(500_000) } as const
  await store.applyPaymentEvent(order, { ...refundEvent, at: server.now() }, null)
  const report = [
    'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type',
    `${order},453001309669,5000.00,0,0,5000.00,UTR9,18-10-2025,Refund`,
    `${order},RF9,5000.00,0,0,5000.00,UTR9,18-10-2025,Refund`,
  ].join('\n')
  const response = await server.app.inject({
    method: 'POST',
    url: `/admin/reconcile/?event=${EVENT}`,
    headers: { authorization: `Bearer ${office.token}`, 'content-type': 'text/csv' },
    payload: report,
  })
  const { settlement } = response.json<Extract<ReconcileResponse, { settlement: object }>>()
  expect(settlement.lines.map(({ as: outcome }) => outcome)).toEqual(['unknown', 'refunded'])
  expect(settlement.lines[0]?.why).toContain('bank transfer')
})
