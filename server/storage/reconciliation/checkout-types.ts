/** Defines gateway checkouts and webhook events, and their store functions. */
import type { Instant, Money, OrderId } from '../../../engine/index.ts'

/** A checkout that the server created at the gateway. `checkoutId` is the gateway's id. */
export type StoredCheckout = Money & {
  readonly checkoutId: string
  readonly orderId: OrderId
}

export type CheckoutStore = {
  recordCheckout(checkout: StoredCheckout, at: Instant): Promise<void>
  /** Returns the checkouts of an order, oldest first. There are several if a request without a response created one. */
  checkoutsOf(orderId: OrderId): Promise<readonly StoredCheckout[]>
  checkoutById(checkoutId: string): Promise<StoredCheckout | null>
  /** Refuses refunds in progress that the gateway could not complete, by their references. */
  recordFailedRefunds(orderId: OrderId, references: readonly string[]): Promise<void>
  /** Records a webhook event, so that its repetitions are not processed again. */
  recordWebhookEvent(eventId: string, at: Instant): Promise<void>
  isWebhookProcessed(eventId: string): Promise<boolean>
  /** Returns when a webhook event with this id prefix was last processed. Null if none was in the last month. */
  lastWebhookAt(prefix: string): Promise<Instant | null>
}
