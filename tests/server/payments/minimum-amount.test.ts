/** A bill below the gateway's minimum is rejected with a message and never sent to the gateway. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instant, canRetry } from '../../../engine/index.ts'
import { register as storeRegistration } from '../office/office.ts'
import { retryPayment } from '../../../server/registration/retry-payment.ts'
import { buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

const MINIMUM_MESSAGE = 'The smallest amount that you can pay online is ₹\u00a01.'
const TRANSFER_METHOD = `payment:
  methods:
    - {id: card, gateway: airpay, account: sample}
    - id: transfer
      label: Bank transfer
      until: 2026-02-10
      expires_after: 10 days
      instructions: Sample Society, account 50200012345678, IFSC SMPL0000032
      fields:
        - {id: utr, label: UTR number, format: utr, unique: true, required: true}`
const renameEvent = (file: string, id: string, prefix: string) =>
  file
    .replaceAll('sample2026', id)
    .replaceAll('SMPL:', prefix)
    .replaceAll('prefix: SMPL', `prefix: ${prefix}`)
    .replaceAll('/sample', `/${id}`)
const createEventWithPrice = (price: string, total: number) =>
  buildFixtureEvent({ total }).replace('[1000, 2000]', `[${price}, 2000]`)

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({
    clock: '2026-01-10T12:00:00+05:30',
    events: {
      'sample2026.yaml': createEventWithPrice('0.12', 0.14),
      'ways2026.yaml': renameEvent(createEventWithPrice('0.12', 0.14), 'ways2026', 'WAYS').replace(
        'payment: {gateway: airpay, account: sample}',
        TRANSFER_METHOD,
      ),
      'whole2026.yaml': renameEvent(createEventWithPrice('0.85', 1), 'whole2026', 'WHOL'),
    },
  })
})
afterAll(() => app.close())

const delegate = { full_name: 'Asha Rao', phone_number: '9876543210', is_member: 'true' }
const register = (event: string, changes: object = {}) =>
  app.post(`/api/${event}/register/`, { ...delegate, email: `${event}@example.org`, ...changes })

test('a bill of ₹ 0.14 is not sent to the gateway, which would reject it', async () => {
  const response = await register('sample2026')
  expect(response.statusCode, response.body).toBe(409)
  expect(response.json()).toMatchObject({
    message: expect.stringContaining(MINIMUM_MESSAGE),
  })
  expect(response.body).toContain('support@sample.example')
})

test('a bill of ₹ 0.14 can be paid with another payment method, if there is one', async () => {
  const cardResponse = await register('ways2026', { way: 'card' })
  expect(cardResponse.json()).toMatchObject({
    message: `${MINIMUM_MESSAGE} Please choose Bank transfer.`,
  })
  expect((await register('ways2026', { way: 'transfer' })).statusCode).toBe(201)
})

test('a bill of exactly the minimum can be paid online', async () => {
  const response = await register('whole2026')
  expect(response.statusCode, response.body).toBe(201)
  expect(response.json()).toMatchObject({ payment_data: { amount: '1.00' } })
})

test('a stored registration with a price of ₹ 0.14 cannot be paid online', async () => {
  const regNo = await storeRegistration(app, 'sample2026', {
    n: 1,
    on: instant(app.now()),
    answers: { ...delegate, email: 'stored@example.org', is_member: true },
  })
  const event = app.deps.events.findById('sample2026')
  const registration = await app.deps.store.registration(regNo)
  if (event === null || registration === null) throw new Error('the registration was not found')
  expect(await retryPayment(app.deps, event.config, regNo, app.now())).toEqual({
    ok: false,
    error: { code: 'not_payable', why: { code: 'below_minimum', minimum: 100 } },
  })
  expect(canRetry(event.config, registration, app.now())).toBe(false)
})
