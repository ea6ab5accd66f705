/** On its own, a registration number reveals no personal data; it is printed on badges and used in email subjects. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toAmount } from '../../../engine/index.ts'
import type { OrderId, RegNo } from '../../../engine/index.ts'
import type { RegisterResponse } from '../../../engine/api.ts'
import { signIn } from '../office/office.ts'
import type { Office } from '../office/office.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { issueLink } from '../../../server/registration/access-link.ts'
import { startTestApp } from '../harness.ts'
import { buildSale } from '../sample-registrations.ts'
import type { TestApp } from '../harness.ts'

const EVENT = 'sample2026'
const KEY = { 'idempotency-key': 'the-key-of-this-browser' }
let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': buildFixtureEvent() },
  })
  office = await signIn(server)
})
afterAll(() => server.close())

const register = async (headers = {}) =>
  (
    await server.post(`/api/${EVENT}/register/`, fixtureDelegate, {}, headers)
  ).json<RegisterResponse>()
const retryPayment = async (payload: object, headers = {}) => {
  const url = '/api/payment/retry/'
  const response = await server.app.inject({ method: 'POST', url, payload, headers })
  return { ...response.json<Omit<RegisterResponse, 'status'>>(), status: response.statusCode }
}

test('the number of an unpaid registration is enough to pay, but reveals no name or email address', async () => {
  const { reg_no: number } = await register(KEY)
  const retryText = JSON.stringify(await retryPayment({ order_id: number }))
  for (const personalText of [fixtureDelegate.email, ...fixtureDelegate.full_name.split(' ')])
    expect(retryText).not.toContain(personalText)
  expect(await retryPayment({ order_id: number, email: 'wrong@sample.example' })).not.toMatchObject(
    {
      payment_data: { email: fixtureDelegate.email },
    },
  )
  for (const [proof, headers] of [
    [{ email: fixtureDelegate.email }, {}],
    [{}, KEY],
  ])
    expect(await retryPayment({ order_id: number, ...proof }, headers)).toMatchObject({
      status: 201,
      payment_data: { email: fixtureDelegate.email },
    })
})

test('the browser that registered cannot read the details of the person to whom the registration was transferred', async () => {
  const key = { 'idempotency-key': 'the-key-of-the-first-person' }
  const { reg_no: number } = await register(key)
  const readRegistration = async () =>
    (
      await server.app.inject({ url: `/api/${EVENT}/registrations/${number}/`, headers: key })
    ).json()
  expect(await readRegistration()).not.toHaveProperty('partial')
  const { payment_data: data } = await register(key)
  await server.deps.store.applyPaymentEvent(
    data?.orderid as OrderId,
    buildSale('AP1', toAmount(118_000), server.now()),
    null,
  )
  const answers = { full_name: 'Zulekha Second', email: 'z@second.example', phone_number: '98765' }
  const transferResponse = await office.act(number ?? '', {
    act: 'transfer',
    why: 'They asked.',
    answers,
  })
  expect(transferResponse.status).toBe(200)
  expect(await readRegistration()).toHaveProperty('partial', true)
  const resubmitResponse = await server.post(`/api/${EVENT}/register/`, fixtureDelegate, {}, key)
  expect(resubmitResponse.statusCode).toBe(422)
  expect(resubmitResponse.body).not.toContain('second.example')
})

test('the former holder cannot use the number to read the name of the person to whom the registration was transferred', async () => {
  const email = 'first@sample.example'
  const registration = await server.post(`/api/${EVENT}/register/`, { ...fixtureDelegate, email })
  const { reg_no: number = '', payment_data: data } = registration.json<RegisterResponse>()
  await server.deps.store.applyPaymentEvent(
    data?.orderid as OrderId,
    buildSale('AP2', toAmount(118_000), server.now()),
    null,
  )
  const link = new URL(await issueLink(server.deps, { regNo: number as RegNo, eventId: EVENT }))
  const token = link.pathname.split('/').at(-1) ?? ''
  const answers = { full_name: 'Zulekha Second', email: 'z2@second.example', phone_number: '98765' }
  expect((await office.act(number, { act: 'transfer', why: 'They asked.', answers })).status).toBe(
    200,
  )
  const path = `/api/${EVENT}/registrations/${number}/`
  const formerHolderRequests = [
    { url: path },
    { url: path, method: 'POST', payload: { email } },
    { url: `/api/${EVENT}/registrations/${data?.orderid}/` },
    { url: `/my/${token}` },
    { url: `/api/my/${token}/` },
    { url: `/api/my/${token}/documents/1/` },
    { url: `/api/my/${token}/acts/`, method: 'POST', payload: { act: 'ask_cancel' } },
    { url: '/api/payment/resume/', method: 'POST', payload: { token } },
    { url: '/api/payment/retry/', method: 'POST', payload: { order_id: number, email } },
  ] as const
  for (const request of formerHolderRequests) {
    const { body } = await server.app.inject(request)
    for (const personalText of ['Zulekha', 'Second', 'z2@', '98765'])
      expect([request.url, body]).not.toEqual([request.url, expect.stringContaining(personalText)])
  }
  const publicView = (await server.app.inject({ url: path })).json()
  expect(publicView).toMatchObject({ partial: true, registration: { reg_no: number } })
  // The new holder proves their identity with their email address.
  const payload = { email: 'z2@second.example' }
  const newHolderResponse = (await server.app.inject({ method: 'POST', url: path, payload })).json()
  expect(newHolderResponse).toMatchObject({ registration: { full_name: 'Zulekha Second' } })
})

test.each(['transfer', 'card'])(
  'after the office corrects the email address of an unpaid registration, the browser that registered gets neither a new link nor the new address (%s)',
  async (method) => {
    const eventId = 'lekhacon2027'
    const file = `${eventId}.yaml`
    const text = readFileSync(join(import.meta.dirname, '..', '..', 'events', file), 'utf8')
    const server = await startTestApp({ clock: '2027-01-10', events: { [file]: text } })
    try {
      const officeSession = await signIn(server)
      const key = { 'idempotency-key': 'the-key-of-the-old-browser' }
      const answers = {
        full_name: 'Wrong Person',
        email: 'wrong@delegate.example',
        phone_number: '9847000000',
        registered_as: 'member',
        way: method,
      }
      const submitForm = () => server.post(`/api/${eventId}/register/`, answers, {}, key)
      const retryOrder = (order: string) =>
        server.app.inject({
          method: 'POST',
          url: '/api/payment/retry/',
          payload: { order_id: order },
          headers: key,
        })
      const { reg_no: number = '' } = (await submitForm()).json<RegisterResponse>()
      expect((await submitForm()).statusCode).toBe(201)
      const correctedAnswers = { full_name: 'Right Person', email: 'right@delegate.example' }
      const correctionResponse = await officeSession.act(number, {
        act: 'correct',
        why: 'Mistyped.',
        answers: correctedAnswers,
      })
      expect(correctionResponse.status, JSON.stringify(correctionResponse)).toBe(200)
      const resubmitResponse = await submitForm()
      expect(resubmitResponse.statusCode).toBe(422)
      const response = await server.app.inject({
        url: `/api/${eventId}/registrations/${number}/`,
        headers: key,
      })
      // The response contains only the data available with the number alone.
      expect(response.json()).toHaveProperty('partial', true)
      for (const { body } of [resubmitResponse, await retryOrder(number)])
        for (const personalText of ['right@delegate.example', 'Right Person', '/my/'])
          expect(body).not.toContain(personalText)
      expect(response.body).not.toContain('right@delegate.example')
    } finally {
      await server.close()
    }
  },
)

test('after a correction that does not change the email address, the browser that registered still has access', async () => {
  const key = { 'idempotency-key': 'the-key-of-a-corrected-name' }
  const { reg_no: number = '' } = await register(key)
  const answers = { full_name: 'Corrected Delegate', email: fixtureDelegate.email.toUpperCase() }
  const correctionResponse = await office.act(number, { act: 'correct', why: 'Mistyped.', answers })
  expect(correctionResponse.status).toBe(200)
  expect(await register(key)).toMatchObject({ reg_no: number })
})
