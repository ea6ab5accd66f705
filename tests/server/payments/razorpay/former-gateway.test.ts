/** An event that changes its gateway: payments requested through the former one still belong to it. */
import { describe, expect, test } from 'vitest'
import type { EventConfig } from '../../../../engine/index.ts'
import { findRequestEvent } from '../../../../server/payments/verify-payment.ts'
import { event as airpayEvent } from '../airpay/fake-airpay.ts'
import { razorpayEvent } from './fake-razorpay.ts'

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
    expect(await find('airpay', airpayEvent, razorpayEvent())).toBe('airpay')
    // A later attempt of the same registration, after the change.
    expect(await find('razorpay', airpayEvent, razorpayEvent())).toBe('razorpay')
    expect(await find('razorpay', razorpayEvent(), airpayEvent)).toBe('razorpay')
  })
  test('is that of the registration if it is not known, as for attempts of an older version', async () => {
    expect(await find(null, airpayEvent, razorpayEvent())).toBe('airpay')
    expect(await find('', airpayEvent, razorpayEvent())).toBe('airpay')
  })
})
