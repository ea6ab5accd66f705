/** Defines gateway checkouts and webhook events, and their store functions. */
import type { Instant, Money, OrderId } from '../../../engine/index.ts'

/** A checkout that the server created at the gateway. `checkoutId` is the gateway's id. */
export type StoredCheckout = Money & {
  readonly checkoutId: string
  readonly orderId: OrderId
}

export type CheckoutStore = {
  recordCheckout(checkout: StoredCheckout, at: Instant): Promise<void>
  /**
   * Returns the checkouts of an order, oldest first. An order has several if a request that got no response created a
   * checkout after all.
   */
  checkoutsOf(orderId: OrderId): Promise<readonly StoredCheckout[]>
  checkoutById(checkoutId: string): Promise<StoredCheckout | null>
  /** Marks refunds in progress as refused, by their references, because the gateway could not complete them. */
  recordFailedRefunds(orderId: OrderId, references: readonly string[]): Promise<void>
  /** Records a webhook event, so that repetitions of it are ignored. */
  recordWebhookEvent(eventId: string, at: Instant): Promise<void>
  isWebhookProcessed(eventId: string): Promise<boolean>
  /**
   * Returns the time of the last processed webhook event with this id prefix. Null if no such event was processed in
   * the last month.
   */
  lastWebhookAt(prefix: string): Promise<Instant | null>
}
