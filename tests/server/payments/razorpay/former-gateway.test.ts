/** An event that changes its gateway: payments requested through the former one still belong to it. */
import { describe, expect, test } from 'vitest'
import type { EventConfig, OrderId } from '../../../../engine/index.ts'
import { combineGateways } from '../../../../server/payments/gateways/combine-gateways.ts'
import { findRequestEvent } from '../../../../server/payments/verify-payment.ts'
import { event as airpayEvent } from '../airpay/fake-airpay.ts'
import { createRazorpayEvent } from './fake-razorpay.ts'

const find = async (gateway: string | null, version: EventConfig, now: EventConfig) => {
  const served = { config: now, hash: 'now', text: '', shared: '' }
  const found = await findRequestEvent(
    { events: { byId: () => served } as never },
    async () => version,
    { eventHash: 'before' },
    { eventId: now.id, account: 'demo', gateway },
  )
  return found?.payment?.gateway.name
}

describe('the gateway that requested a payment', () => {
  test('is asked about a payment that it requested, although the event has another gateway now', async () => {
    expect(await find('airpay', airpayEvent, createRazorpayEvent())).toBe('airpay')
    // A later attempt of the same registration, after the change.
    expect(await find('razorpay', airpayEvent, createRazorpayEvent())).toBe('razorpay')
    expect(await find('razorpay', createRazorpayEvent(), airpayEvent)).toBe('razorpay')
  })
  test('is that of the registration if it is unknown, as for attempts from an older version', async () => {
    expect(await find(null, airpayEvent, createRazorpayEvent())).toBe('airpay')
    expect(await find('', airpayEvent, createRazorpayEvent())).toBe('airpay')
  })
})

test('a return for an order of a gateway that the event no longer uses is a payment claim if it has fields', async () => {
  const gateways = combineGateways({})
  const readReturn = (fields: Readonly<Record<string, string>>) =>
    gateways.readReturn(airpayEvent, 'SAMP2026112100015' as OrderId, fields)
  const parsed = (claimsMoney: boolean) => ({
    sender: null,
    parsed: { ok: true, value: { hash: 'unknown', claimsMoney } },
  })
  expect(await readReturn({ razorpay_payment_id: 'pay_1' })).toMatchObject(parsed(true))
  expect(await readReturn({})).toMatchObject(parsed(false))
})
