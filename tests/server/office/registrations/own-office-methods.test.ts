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
    - {id: dd, label: DD / cheque, office_only: true, fields: [{id: dd_number, label: DD or cheque number, required: true}, {id: bank, label: Bank}, {id: kind, label: Kind, options: [draft, cheque]}]}
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
    {
      id: 'dd',
      label: 'DD / cheque',
      reference: 'DD or cheque number',
      required: true,
      fields: [
        expect.objectContaining({ id: 'bank', label: 'Bank', required: false }),
        expect.objectContaining({ id: 'kind', kind: 'select' }),
      ],
    },
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

const readTimeline = async (regNo: string): Promise<readonly string[]> => {
  const { trail } = (await desk.json(actionsUrl(regNo))) as unknown as ActionsResponse
  return trail.map(({ text, why }) => `${text} | ${why}`.replaceAll('\u00a0', ' '))
}

test('the history states the label and all fields of the office method by which a payment was recorded', async () => {
  const regNo = await register(3)
  const result = await desk.act(regNo, {
    ...payment,
    way: 'dd',
    reference: '004518',
    why: 'By post',
    paid: { bank: 'SBI Koti', kind: 'draft' },
  })
  expect(result.body.message).toContain('by DD / cheque recorded')
  expect(await readTimeline(regNo)).toContain(
    'Payment recorded: ₹ 1,180 by DD / cheque, reference 004518 | Bank: SBI Koti, Kind: Draft. By post',
  )
  const headers = { authorization: `Bearer ${desk.token}` }
  const added = await server.app.inject({
    method: 'POST',
    url: '/admin/add/',
    headers,
    payload: {
      event: 'sample2026',
      key: 'click-of-the-desk-1',
      answers: { ...fixtureDelegate, email: 'added@example.org' },
      way: 'dd',
      paid: { dd_number: '004519', bank: 'SBI Koti', kind: 'cheque' },
    },
  })
  expect(added.statusCode, added.body).toBe(201)
  expect(await readTimeline(added.json<{ reg_no: string }>().reg_no)).toContain(
    'Payment recorded: ₹ 1,180 by DD / cheque, reference 004519 | Bank: SBI Koti, Kind: Cheque',
  )
})

test('erasing a registration removes the fields of the office method from the history and keeps its payment', async () => {
  const regNo = await register(4)
  const recorded = { ...payment, way: 'dd', reference: '004520', paid: { bank: 'Payer Asha Nair' } }
  expect((await desk.act(regNo, recorded)).status).toBe(200)
  const owner = await signIn(server)
  const erased = await owner.act(regNo, { act: 'erase', why: 'Asked.' })
  expect(erased, JSON.stringify(erased.body)).toMatchObject({ status: 200 })
  const timeline = (await readTimeline(regNo)).join()
  expect(timeline).toContain('₹ 1,180 by DD / cheque, reference 004520')
  expect(timeline).not.toContain('Asha')
})
