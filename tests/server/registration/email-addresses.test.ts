/** Email addresses: the formats that the server checks in addition to the form, and resent confirmations. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OrderId, Amount } from '../../../engine/index.ts'
import type { RegisterResponse } from '../../../engine/api.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { buildSale } from '../sample-registrations.ts'

const REGISTER_PATH = '/api/afpicon/register/'
const NOON = '2025-10-10T12:00:00+05:30'
const delegate = {
  full_name: 'Asha Nair',
  email: 'asha@example.org',
  phone_number: '9876543210',
  ticket_type: 'afpi-gp-specialist',
}
const TOO_LONG_ERROR =
  'This address has 60 characters. The payment gateway accepts 6 to 50 characters. Please use another address.'

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: NOON, variables: { RATE_LIMITS: 'on' } })
})
afterAll(() => server.close())

test.each([
  ['/api/midzone/register/', 'foobar', 'Please enter a valid email address'],
  ['/api/chirurgia/register/', 'foobar', 'Please enter a valid email address'],
  [REGISTER_PATH, 'asha@hospital', 'Please enter a valid email address'],
  [REGISTER_PATH, `${'a'.repeat(48)}@example.org`, TOO_LONG_ERROR],
  ['/api/midzone/register/', `${'a'.repeat(48)}@example.org`, TOO_LONG_ERROR],
])('%s: %s is rejected at its field', async (url, email, message) => {
  const rejection = await server.post(url, { ...delegate, email })
  expect([rejection.statusCode, rejection.json()]).toEqual([
    422,
    {
      status: 'error',
      code: 'invalid_answers',
      message,
      errors: expect.objectContaining({ email: message }),
    },
  ])
})

const requestResend = (order_id: string, remoteAddress: string) =>
  server.app.inject({
    method: 'POST',
    url: '/api/payment/confirmation/',
    remoteAddress,
    payload: { order_id },
  })
const listEmails = (regNo: string) =>
  server.rows(
    `SELECT kind, recipient, copy_to FROM mail_queue
     WHERE registration_id = (SELECT id FROM registrations WHERE reg_no = ?) ORDER BY id`,
    regNo,
  )

test('a confirmation can be resent to the stored address every few minutes, and only a limited number of times', async () => {
  const { reg_no } = (await server.post(REGISTER_PATH, delegate)).json<RegisterResponse>()
  expect((await requestResend(reg_no, '10.1.1.1')).json()).toMatchObject({ code: 'no_mail' })
  const { total } = (await server.deps.store.registration(reg_no)) ?? {}
  await server.deps.store.applyPaymentEvent(
    reg_no as OrderId,
    buildSale('AP1', total as Amount),
    null,
  )
  const responses: [number, string][] = []
  for (let minute = 0; minute <= 14; minute += 1) {
    server.setTime(`2025-10-10T12:${String(minute).padStart(2, '0')}:00+05:30`)
    const response = await requestResend(reg_no, `10.1.1.${minute + 2}`)
    responses.push([response.statusCode, response.json<{ code?: string }>().code ?? 'sent'])
    expect(response.body).not.toContain('asha')
  }
  server.setTime(NOON)
  const [sentResult, refusedResult] = [
    [200, 'sent'],
    [409, 'sent_already'],
  ]
  expect(responses).toEqual([
    sentResult,
    refusedResult,
    sentResult,
    refusedResult,
    sentResult,
    refusedResult,
    sentResult,
    refusedResult,
    sentResult,
    refusedResult,
    refusedResult,
    refusedResult,
    refusedResult,
    refusedResult,
    refusedResult,
  ])
  expect(listEmails(reg_no)).toEqual(
    Array.from({ length: 5 }, () => ({
      kind: 'asked',
      recipient: 'asha@example.org',
      copy_to: null,
    })),
  )
})

test('IP addresses that request many emails or guess numbers are limited', async () => {
  const codes: number[] = []
  for (let attempts = 0; attempts < 12; attempts += 1)
    codes.push((await requestResend('AFPI0000000000000', '10.9.9.9')).statusCode)
  expect(codes).toEqual([...Array.from({ length: 10 }, () => 404), 429, 429])
})
