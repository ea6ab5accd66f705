/** Delegates who register and pay by card, for tests of settlements. */
import { expect } from 'vitest'
import type { OrderId, Amount } from '../../../engine/index.ts'
import type { TestApp } from '../harness.ts'

let delegateCount = 0
/**
 * Registers through the public form. Returns the registration number, the order id and the amount.
 */
export async function registerDelegate(
  server: TestApp,
  event: string,
): Promise<{ regNo: string; order: OrderId; amount: Amount }> {
  delegateCount += 1
  const response = await server.post(`/api/${event}/register/`, {
    full_name: `Delegate ${delegateCount}`,
    email: `delegate${delegateCount}@example.org`,
    phone_number: `98765000${10 + delegateCount}`,
    is_member: 'true',
  })
  expect(response.statusCode, response.body).toBe(201)
  const { reg_no: regNo, payment_data: data } = response.json<{
    reg_no: string
    payment_data: { orderid: OrderId }
  }>()
  const payment = await server.deps.store.payment(data.orderid)
  if (payment === null) throw new Error('the registration has no payment')
  return { regNo, order: data.orderid, amount: payment.amount }
}
/** Registers a delegate, and records a payment as the gateway would report it. */
export async function registerPaid(server: TestApp, event: string, reference: string) {
  const registration = await registerDelegate(server, event)
  await server.deps.store.applyPaymentEvent(
    registration.order,
    {
      type: 'confirmed',
      reference,
      amount: registration.amount,
      currency: '356',
      kind: 'sale',
      at: server.now(),
    },
    null,
  )
  return registration
}
