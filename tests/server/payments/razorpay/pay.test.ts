/** A delegate pays through Razorpay: a real server, the simulator on another port, and real connections. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRazorpayServer } from './razorpay-server.ts'
import type { RazorpayServer } from './razorpay-server.ts'

let server: RazorpayServer
beforeAll(async () => {
  server = await openRazorpayServer()
})
afterAll(() => server.close())

const readRegistration = (orderId: string) => server.parts().deps.store.registrationByOrder(orderId)

describe('a payment through Razorpay', () => {
  test('is recorded after the browser returns, in rupees', async () => {
    const { orderId, page, data } = await server.pay('silent')
    expect([data.amount, data['minor_units'], data['currency']]).toEqual(['177.00', '17700', 'INR'])
    expect(data['checkout_id']).toMatch(/^order_/)
    expect(page?.pathname).toBe('/razorinr/success')
    expect(server.readOrderState(orderId)).toMatchObject({
      status: 'success',
      registration: 'success',
      events: ['confirmed'],
      returns: 1,
      emails: 1,
    })
    expect((await readRegistration(orderId))?.paymentId).toMatch(/^pay_/)
  })

  test('a foreign delegate pays USD 177, and the receipt is in dollars', async () => {
    const { orderId, data } = await server.pay('silent', 'razorusd')
    expect([data['minor_units'], data['currency']]).toEqual(['17700', 'USD'])
    expect(server.readOrderState(orderId)).toMatchObject({ status: 'success', review: null })
    expect(await readRegistration(orderId)).toMatchObject({ currency: 'USD', total: 17700 })
    const [mail] = server.rows(
      'SELECT q.* FROM mail_queue q JOIN payments p ON p.registration_id = q.registration_id WHERE p.order_id = ?',
      orderId,
    )
    expect(Object.values(mail ?? {}).join(' ')).toContain('US$')
  })

  test('never puts the secret or a signature into the page', async () => {
    const { data } = await server.registerFor('razorinr')
    expect(JSON.stringify(data)).not.toMatch(/sandbox-secret|webhook/)
    const response = await fetch(`${server.url}/razorinr`)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain(new URL(data.payment_url).origin)
    expect(policy.match(/script-src[^;]*/)?.[0]).not.toContain('razorpay')
  })

  test('a signed return for an unpaid order proves nothing', async () => {
    const paidOrder = await server.pay('silent')
    const unpaidOrder = await server.registerFor('razorinr')
    const checkoutId = await server.openCheckout(unpaidOrder.data)
    const [payment] = server.simulator().order(paidOrder.orderId)?.payments ?? []
    await server.returnTo(unpaidOrder.orderId, {
      razorpay_payment_id: payment?.id ?? '',
      razorpay_order_id: checkoutId,
      razorpay_signature: 'f'.repeat(64),
    })
    expect(server.readOrderState(unpaidOrder.orderId)).toMatchObject({
      status: 'pending',
      events: [],
    })
  })
})
