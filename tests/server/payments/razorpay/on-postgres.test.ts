/** Razorpay with two servers on one PostgreSQL database: each server finds the other's orders. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OrderId } from '../../../../engine/index.ts'
import type { RegisterResponse } from '../../../../engine/api.ts'
import { computeSignature } from '../../../../server/payments/gateways/razorpay/signatures.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { hasPostgres, startPostgres } from '../../storage/postgres-server.ts'
import type { PostgresServer } from '../../storage/postgres-server.ts'
import { createFormFields } from '../server-with-gateway.ts'

const FILE = 'razorusd.yaml'

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let postgres: PostgresServer
  let first: TestApp
  let second: TestApp
  beforeAll(async () => {
    postgres = await startPostgres()
    const url = await postgres.database('razorpay')
    const start = (): Promise<TestApp> =>
      startTestApp({
        clock: '2026-01-20',
        events: { [FILE]: readFileSync(join(import.meta.dirname, 'events', FILE), 'utf8') },
        variables: { DATABASE_URL: url },
      })
    first = await start()
    second = await start()
  })
  afterAll(async () => {
    await first.close()
    await second.close()
    await postgres.stop()
  })

  test('a delegate registers, pays USD 177 and returns, and both servers show the payment', async () => {
    const response = await first.post('/api/razorusd/register/', {
      full_name: 'Asha Nair',
      email: 'asha@example.org',
      phone_number: '9847012345',
    })
    const { payment_data: data, reg_no: regNo } = response.json<RegisterResponse>()
    if (data === undefined) throw new Error(response.body)
    const orderId = data.orderid as OrderId
    const checkoutId = data['checkout_id'] ?? ''
    expect(await second.deps.store.checkoutsOf(orderId)).toEqual([
      { checkoutId, orderId, amount: 17_700, currency: 'USD' },
    ])
    await fetch(data.payment_url, {
      method: 'POST',
      body: new URLSearchParams(createFormFields(first.deps, data)),
      redirect: 'manual',
    })
    const page = new URL(`/razorpay/page/${checkoutId}`, data.payment_url)
    const paymentResponse = await fetch(page, {
      method: 'POST',
      body: new URLSearchParams({ do: 'silent' }),
    })
    const fields = new URLSearchParams(
      [...(await paymentResponse.text()).matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [name, value],
      ),
    )
    const returnResponse = await first.app.inject({
      method: 'POST',
      url: `/api/payment/return-of/${orderId}/`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: fields.toString(),
    })
    expect([returnResponse.statusCode, returnResponse.headers.location]).toEqual([
      303,
      // Without the currency, the page would show the amount in rupees until it has found the registration.
      expect.stringMatching(/^\/razorusd\/success\?.*amount=177.00&currency=USD/),
    ])
    const registrationResponse = await second.app.inject({
      url: `/api/razorusd/registrations/${regNo}/`,
    })
    expect(registrationResponse.json()).toMatchObject({
      registration: { payment_status: 'success' },
    })
  })

  test('a webhook that one server has processed is not processed by the other', async () => {
    const body = JSON.stringify({ event: 'settlement.processed', payload: {} })
    const send = (server: TestApp) =>
      server.app.inject({
        method: 'POST',
        url: '/api/payment/webhook/razorpay/',
        headers: {
          'content-type': 'application/json',
          'x-razorpay-signature': computeSignature(body, 'sandbox-webhook-of-society'),
          'x-razorpay-event-id': 'evt_on_both',
        },
        payload: body,
      })
    expect((await send(first)).statusCode).toBe(200)
    expect(await second.deps.store.isWebhookProcessed('razorpay:evt_on_both')).toBe(true)
    expect((await send(second)).statusCode).toBe(200)
  })
}
