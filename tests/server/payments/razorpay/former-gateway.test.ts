/** After an event changes its gateway, earlier payments still belong to the former gateway. */
import { describe, expect, test } from 'vitest'
import type { EventConfig, OrderId } from '../../../../engine/index.ts'
import { combineGateways } from '../../../../server/payments/gateways/combine-gateways.ts'
import { findRequestEvent } from '../../../../server/payments/verify-payment.ts'
import { event as airpayEvent } from '../airpay/fake-airpay.ts'
import { createRazorpayEvent } from './fake-razorpay.ts'

const findGatewayName = async (
  gateway: string | null,
  storedConfig: EventConfig,
  currentConfig: EventConfig,
) => {
  const servedEvent = { config: currentConfig, hash: 'now', text: '', shared: '' }
  const requestEvent = await findRequestEvent(
    { events: { findById: () => servedEvent } as never },
    async () => storedConfig,
    { eventHash: 'before' },
    { eventId: currentConfig.id, account: 'demo', gateway },
  )
  return requestEvent?.payment?.gateway.name
}

describe('the gateway that requested a payment', () => {
  test('is queried about the payment even though the event now has a different gateway', async () => {
    expect(await findGatewayName('airpay', airpayEvent, createRazorpayEvent())).toBe('airpay')
    // A later attempt for the same registration, made after the change.
    expect(await findGatewayName('razorpay', airpayEvent, createRazorpayEvent())).toBe('razorpay')
    expect(await findGatewayName('razorpay', createRazorpayEvent(), airpayEvent)).toBe('razorpay')
  })
  test("defaults to the registration's gateway, for attempts stored by an older version", async () => {
    expect(await findGatewayName(null, airpayEvent, createRazorpayEvent())).toBe('airpay')
    expect(await findGatewayName('', airpayEvent, createRazorpayEvent())).toBe('airpay')
  })
})

test("a return for an order at the event's former gateway claims a payment if it has fields", async () => {
  const gateways = combineGateways({})
  const readReturn = (fields: Readonly<Record<string, string>>) =>
    gateways.readReturn(airpayEvent, 'SAMP2026112100015' as OrderId, fields)
  const buildResult = (claimsPayment: boolean) => ({
    sender: null,
    parsed: { ok: true, value: { hash: 'unknown', claimsPayment } },
  })
  expect(await readReturn({ razorpay_payment_id: 'pay_1' })).toMatchObject(buildResult(true))
  expect(await readReturn({})).toMatchObject(buildResult(false))
})
