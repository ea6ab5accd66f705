/** Combines the adapters of all gateways into one, which chooses by the gateway of the event. */
import { err, ok } from '../../../engine/index.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { GatewayAdapter } from '../../dependencies.ts'
import { isRazorpay } from './razorpay/razorpay.ts'

/** Messages without a signature or an address of their own are Airpay's. */
export function combineGateways({
  airpay,
  razorpay,
}: {
  readonly airpay: GatewayAdapter
  readonly razorpay: GatewayAdapter
}): GatewayAdapter {
  const adapterOf = (event: EventConfig): GatewayAdapter => (isRazorpay(event) ? razorpay : airpay)
  return {
    handOff: (event, ...rest) => adapterOf(event).handOff(event, ...rest),
    createCheckout: async (event, order, form, ...rest) =>
      (await adapterOf(event).createCheckout?.(event, order, form, ...rest)) ?? ok(form),
    readNotice: airpay.readNotice,
    ...(razorpay.readReturn === undefined ? {} : { readReturn: razorpay.readReturn }),
    ...(razorpay.readWebhook === undefined ? {} : { readWebhook: razorpay.readWebhook }),
    ...(razorpay.confirmedWithoutWebhook === undefined
      ? {}
      : { confirmedWithoutWebhook: razorpay.confirmedWithoutWebhook }),
    merchantOf: (event) => adapterOf(event).merchantOf(event),
    status: (event, ...rest) => adapterOf(event).status(event, ...rest),
    refund: (event, ...rest) => adapterOf(event).refund(event, ...rest),
    dispute: async (event, ...rest) =>
      (await adapterOf(event).dispute?.(event, ...rest)) ?? err('the gateway has no disputes'),
    origins: () => [...new Set([airpay, razorpay].flatMap((adapter) => adapter.origins()))],
  }
}
