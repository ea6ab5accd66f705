/** Office methods of an event file, such as “DD / cheque”, when staff record a payment of an existing registration. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ActionsResponse } from '../../../../engine/api.ts'
import { buildFixtureEvent, fixtureDelegate } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { actionsUrl, hashCheaply, PASSWORD, signIn } from '../office.ts'
import type { Office } from '../office.ts'

const EVENT = buildFixtureEvent()
  .replace(
    'payment: {gateway: airpay, account: sample}',
    `payment:
  methods:
    - {id: card, gateway: airpay, account: sample}
    - {id: desk, office_only: true, fields: [{id: mode, options: [cash, card]}, {id: slip, label: Slip number}]}
    - {id: dd, label: DD / cheque, office_only: true, fields: [{id: dd_number, label: DD or cheque number, required: true}]}
    - id: swift
      label: SWIFT transfer
      currencies: USD
      instructions: Sample Society, account 000011112222, BIC SMPLINBB
      expires_after: 5 days
      fields:
        - {id: reference, label: Transfer reference, pattern: '[A-Z]{4}[0-9]{8}', invalid: Please enter four letters and eight digits, unique: true, required: true}
    - {id: machine, label: Dollar terminal, office_only: true, currencies: USD}
    - {id: dollars, label: Dollar cheque, office_only: true, currencies: USD}`,
  )
  .replace('id: non-member, label', 'id: non-member, currency: USD, label')
  .replace('\nroutes:', '\nregistration: {closes: 2026-02-20}\nroutes:')

let server: TestApp
let desk: Office
beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-10T12:00:00+05:30',
    events: { 'sample2026.yaml': EVENT },
  })
  await server.deps.store.addAdmin('deskhand', await hashCheaply(PASSWORD), server.now(), {
    role: 'desk',
    events: null,
  })
  desk = await signIn(server, 'deskhand')
})
afterAll(() => server.close())

const register = async (n: number): Promise<string> => {
  const response = await server.post('/api/sample2026/register/', {
    ...fixtureDelegate,
    email: `delegate${n}@example.org`,
    way: 'card',
  })
  expect(response.statusCode, response.body).toBe(201)
  return response.json<{ reg_no: string }>().reg_no
}
const payment = { act: 'confirm', why: '', amount: '1180', day: '' }

test('the method “DD / cheque” of the event file is offered for a payment in its currency, and recorded at the desk', async () => {
  const regNo = await register(1)
  const { office_methods: methods } = (await desk.json(
    actionsUrl(regNo),
  )) as unknown as ActionsResponse
  // “Desk” adds nothing to cash and card machine, and the dollar cheque cannot pay a bill in rupees.
  expect(methods).toEqual([
    { id: 'dd', label: 'DD / cheque', reference: 'DD or cheque number', required: true },
  ])
  const result = await desk.act(regNo, { ...payment, way: 'dd', reference: '004517 SBI' })
  expect(result, JSON.stringify(result.body)).toMatchObject({
    status: 200,
    body: { state: 'complete' },
  })
  const registration = await server.deps.store.registration(regNo as never)
  const captures = await server.deps.store.captures(regNo as never)
  expect(registration?.paymentStatus).toBe('success')
  expect(captures).toMatchObject([{ source: 'desk', reference: '004517 SBI', amount: 118_000 }])
})

test('an office method that the event file does not offer for the currency is refused', async () => {
  const regNo = await register(2)
  for (const way of ['dollars', 'machine', 'draft'])
    expect(await desk.act(regNo, { ...payment, way, reference: 'X 1' })).toMatchObject({
      status: 422,
      body: { message: 'Choose a payment method.' },
    })
})
