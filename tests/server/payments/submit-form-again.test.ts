/** A form that is sent again from the gateway's page leads to the same registration, which can be paid once. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegisterResponse } from '../../../engine/api.ts'
import { delegate, openTestServer } from './server-with-gateway.ts'
import type { TestServer } from './server-with-gateway.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await openTestServer()
})
afterAll(() => testServer.close())

const postForm = (key: string): Promise<Response> =>
  fetch(`${testServer.url}/api/afpicon/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(delegate),
  })
async function submitForm(key: string): Promise<RegisterResponse> {
  const response = await postForm(key)
  expect(response.status).toBe(201)
  return (await response.json()) as RegisterResponse
}

/** Sends the form, opens the gateway's page, and returns the form's response. */
async function openGatewayPage(
  key: string,
): Promise<RegisterResponse & { readonly orderId: string }> {
  const response = await submitForm(key)
  if (response.payment_data === undefined) throw new Error('no payment is due')
  await testServer.handOff(response.payment_data)
  const { orderid } = response.payment_data
  expect(testServer.sandbox().order(orderid)?.stage).toBe('open')
  return { ...response, orderId: orderid }
}

test('if the delegate leaves the payment page without paying, the form leads to a page that accepts the payment', async () => {
  const first = await openGatewayPage('left')
  await testServer.sandbox().runAction(first.orderId, 'leave')
  testServer.advance(1000)
  // The first order was not declined, so it may still be paid. A second order could lead to a second payment.
  expect(await openGatewayPage('left')).toMatchObject({
    reg_no: first.reg_no,
    orderId: first.orderId,
  })
  await testServer.sandbox().runAction(first.orderId, 'pay')
  await testServer.waitUntilIdle()
  expect(testServer.readOrderState(first.orderId)).toMatchObject({ status: 'success', emails: 1 })
})

test('after a decline, the form leads to a page that accepts the payment with a new order', async () => {
  const first = await openGatewayPage('declined')
  await testServer.sandbox().runAction(first.orderId, 'decline')
  await testServer.waitUntilIdle()
  const second = await openGatewayPage('declined')
  expect(second.reg_no).toBe(first.reg_no)
  expect(second.orderId).not.toBe(first.orderId)
  expect(testServer.readOrderState(first.orderId).status).toBe('failed')
})

test('if the delegate goes back from a payment page that is still open, the form leads to the same order', async () => {
  const first = await openGatewayPage('back')
  testServer.advance(1000)
  expect(await openGatewayPage('back')).toMatchObject({
    reg_no: first.reg_no,
    orderId: first.orderId,
  })
})

test('if the delegate paid in a window that was closed before it returned, the form requests no second payment', async () => {
  const first = await openGatewayPage('paid')
  await testServer.sandbox().runAction(first.orderId, 'stay')
  testServer.advance(1000)
  const repeatedResponse = await submitForm('paid')
  expect(repeatedResponse).toMatchObject({ status: 'success', reg_no: first.reg_no })
  expect(repeatedResponse.payment_data).toBeUndefined()
})

test('if the form is sent twice concurrently after a failure, it leads to one new order', async () => {
  const first = await openGatewayPage('twice')
  await testServer.sandbox().runAction(first.orderId, 'decline')
  await testServer.waitUntilIdle()
  testServer.advance(1000)
  const bothResponses = await Promise.all([submitForm('twice'), submitForm('twice')])
  const orders = new Set(bothResponses.map(({ payment_data }) => payment_data?.orderid))
  expect([...orders]).toEqual([`${first.reg_no}02`])
})

test('once registration is closed, the form and the failed page show the same error, and no order is created', async () => {
  const first = await openGatewayPage('closed')
  await testServer.sandbox().runAction(first.orderId, 'decline')
  await testServer.waitUntilIdle()
  testServer.advance(1000)
  const file = join(testServer.environment.eventsDir, 'afpicon2026.yaml')
  const text = readFileSync(file, 'utf8')
  const serveEventFile = async (eventText: string): Promise<void> => {
    writeFileSync(file, eventText)
    await testServer.parts().deps.events.reload()
  }
  const CLOSED_TEXT = 'closed: {heading: Registration Closed, text: Registration is closed.}'
  await serveEventFile(`${text.replace('status: open', 'status: closed')}\n${CLOSED_TEXT}\n`)
  const retry = await fetch(`${testServer.url}/api/payment/retry/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order_id: first.orderId }),
  })
  const [page, form] = [await retry.json(), await (await postForm('closed')).json()]
  await serveEventFile(text)
  expect(page).toMatchObject({ status: 'error', code: 'registration_closed' })
  expect(form).toEqual(page)
  expect(
    testServer.rows('SELECT 1 FROM payments WHERE order_id LIKE ?', `${first.reg_no}%`),
  ).toHaveLength(1)
})
