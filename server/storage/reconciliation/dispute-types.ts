/** Defines disputes: payments that the delegate's bank disputes with the gateway. */
import type { Amount, Instant, Money, OrderId, RegNo } from '../../../engine/index.ts'

/** `open`: needs evidence before the deadline. `under_review`: the bank has not decided yet. The others are final. */
export type DisputeStatus = 'open' | 'under_review' | 'won' | 'lost' | 'closed'

/** A dispute as the gateway describes it. */
export type GatewayDispute = Money & {
  readonly disputeId: string
  /** The gateway's reference for the payment. */
  readonly reference: string
  /** The amount deducted from the merchant's balance. 0 unless the dispute was lost. */
  readonly deducted: Amount
  readonly reason: string
  /** The stage of the dispute at the bank, such as chargeback or arbitration. */
  readonly phase: string
  readonly status: DisputeStatus
  readonly respondBy: Instant | null
}

/** `unknown`: reported by a webhook but not described by the gateway yet; the amount is then 0. */
export type StoredDispute = Omit<GatewayDispute, 'status'> & {
  readonly orderId: OrderId
  readonly status: DisputeStatus | 'unknown'
  /** When this status was first received. */
  readonly statusAt: Instant
}
export type OpenDispute = StoredDispute & { readonly eventId: string; readonly regNo: RegNo }

export type DisputeStore = {
  /** Records a dispute that a webhook reported, and schedules a query. Returns false if no payment has this order. */
  addDispute(disputeId: string, orderId: OrderId, at: Instant): Promise<boolean>
  /**
   * Stores the gateway's description of a recorded dispute. `queriedAt`: when the query was sent. If the response to a
   * later query is already stored, nothing changes.
   */
  recordDispute(dispute: GatewayDispute, queriedAt: Instant): Promise<void>
  /** Schedules another query, because the gateway gave no usable response. */
  postponeDisputeQuery(disputeId: string, at: Instant): Promise<void>
  /** Returns the disputes due for a query, oldest first. */
  disputesToQuery(at: Instant, limit: number): Promise<readonly StoredDispute[]>
  /** Returns the disputes of a registration, oldest first. */
  disputesOf(regNo: RegNo): Promise<readonly StoredDispute[]>
  /** Returns the disputes that need evidence, earliest deadline first. Disputes without a deadline are last. */
  openDisputes(eventIds: readonly string[], limit: number): Promise<readonly OpenDispute[]>
}
