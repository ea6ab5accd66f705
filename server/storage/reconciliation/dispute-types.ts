/** The types of disputes: payments that the delegate's bank has questioned at the gateway. */
import type { Amount, Instant, Money, OrderId, RegNo } from '../../../engine/index.ts'

/** `open` needs evidence before the deadline; `under_review` waits for the bank; the others are final. */
export type DisputeStatus = 'open' | 'under_review' | 'won' | 'lost' | 'closed'

/** A dispute as the gateway describes it. */
export type GatewayDispute = Money & {
  readonly disputeId: string
  /** The gateway's reference of the payment. */
  readonly reference: string
  /** Taken from the merchant's balance; 0 unless the dispute was lost. */
  readonly deducted: Amount
  readonly reason: string
  /** The stage of the dispute at the bank, such as chargeback or arbitration. */
  readonly phase: string
  readonly status: DisputeStatus
  readonly respondBy: Instant | null
}

/** `unknown`: a webhook named it, and the gateway has not described it yet; the amount is then 0. */
export type StoredDispute = Omit<GatewayDispute, 'status'> & {
  readonly orderId: OrderId
  readonly status: DisputeStatus | 'unknown'
  /** When its status was first seen. */
  readonly statusAt: Instant
}
export type OpenDispute = StoredDispute & { readonly eventId: string; readonly regNo: RegNo }

export type DisputeStore = {
  /** Notes that a webhook named a dispute, so that the gateway is queried. False if no payment has this order. */
  noteDispute(disputeId: string, orderId: OrderId, at: Instant): Promise<boolean>
  /**
   * Stores the gateway's description of a noted dispute. `askedAt`: when the query was sent; a response to an earlier
   * query than the stored one changes nothing.
   */
  recordDispute(dispute: GatewayDispute, askedAt: Instant): Promise<void>
  /** Queries the dispute again later, because the gateway gave no usable response. */
  postponeDispute(disputeId: string, at: Instant): Promise<void>
  /** Disputes that are due for a query, oldest first. */
  disputesToQuery(at: Instant, limit: number): Promise<readonly StoredDispute[]>
  /** The disputes of a registration, oldest first. */
  disputesOf(regNo: RegNo): Promise<readonly StoredDispute[]>
  /** Disputes that need evidence, by deadline; those without a deadline last. */
  openDisputes(eventIds: readonly string[], limit: number): Promise<readonly OpenDispute[]>
}
