/** Defines stored payments: attempts, captures, gateway responses, refunds and decisions. */
import type {
  Failure,
  GatewayKinds,
  DecisionGrounds,
  Instant,
  LastResponse,
  OrderId,
  Currency,
  Amount,
  PaymentEvent,
  PaymentStatus,
  Quote,
  RegNo,
} from '../../../engine/index.ts'
import type { ExternalContext, ContextRefusal } from '../registrations/pricing-context-types.ts'

/** The merchant account that an attempt uses. */
export type MerchantAccount = { readonly account: string; readonly merchantId: string | null }

/**
 * The gateway and account, or the payment method of the event file, through which an amount is requested. Null if the
 * event has none for it.
 */
export type PaymentChannel =
  | { readonly gateway: string; readonly askedOf: MerchantAccount }
  | { readonly way: string }
  | null

export type StoredPayment = {
  readonly id: number
  readonly orderId: OrderId
  readonly regNo: RegNo
  readonly eventId: string
  readonly amount: Amount
  readonly currency: Currency
  readonly status: PaymentStatus
  readonly reference: string | null
  readonly review: string | null
  /** The failure. Null if it has not failed. */
  readonly failure: Failure | null
  readonly createdAt: Instant
  readonly paidAt: Instant | null
  /**
   * The account that requested the payment, and the gateway's name for it. Null for attempts of older versions, and
   * imported rows.
   */
  readonly account: string | null
  readonly merchantId: string | null
  /** The gateway that requested it, as its event file named it. Absent if unknown. */
  readonly gateway?: string | null
  /** An ended payment is polled until this time. Null if it has not ended, or is not polled. */
  readonly watchUntil: Instant | null
  /** When it is queried next. Null if never. */
  readonly nextAskAt: Instant | null
  /** Its own price, whose total is the amount. Null if unknown, for imported rows. */
  readonly quote: AttemptQuote | null
  /** The end of the hold of that price. Null if it has no end, or for an attempt of an older version. */
  readonly holdUntil: Instant | null
  /** When the delegate was last sent to the gateway with it. Null for imported rows. */
  readonly handedOffAt: Instant | null
  /** The gateway's last inconclusive response. */
  readonly lastAnswer: LastResponse | null
  /** When a message last reported a payment that the gateway did not know. */
  readonly claimedAt: Instant | null
  /** The time since which it needs a staff decision. Null if it needs none. */
  readonly reviewSince: Instant | null
  /** A payment for it needs review. */
  readonly hasMoneyInReview: boolean
  /** The refunded amount of its payment. */
  readonly refunded: Amount
  /** True if it requests the balance of a correction instead of the registration's price. */
  /** Its payment method in the event file. Null if through a gateway, or imported. */
  readonly way: string | null
  readonly isDifference: boolean
}

/**
 * The parts of a payment that never change. On PostgreSQL they save a round trip, because all rows can be read
 * together.
 */
export type PaymentKeys = {
  readonly paymentId: number
  readonly registrationId: number
  readonly eventId: string
  readonly gateway: string | null
  readonly account: string | null
}

/** A price by parts, without its total. */
export type AttemptQuote = {
  readonly period: string | null
  readonly base: Amount
  readonly gst: Amount
}

/** A further attempt, as the payment rule returns it. */
export type NextAttempt = {
  /** The newest attempt that the rule has seen. If there is a newer one, another request came first. */
  readonly after?: OrderId
  /** True if that attempt is still open, and is ended by the new one. */
  readonly replaces?: boolean
  /** The version used for the check; any if omitted. */
  readonly eventHash?: string
  /** The same as the newest attempt if omitted. */
  readonly askedOf?: MerchantAccount
  readonly gateway?: string
  /** Its price, and the end of its price hold; those of the newest attempt if omitted. */
  readonly price?: { readonly quote: Quote; readonly holdUntil: Instant | null }
  /** Rules for seats, codes and answers that others may have taken meanwhile; no check if omitted. */
  readonly outside?: Pick<ExternalContext, 'unique' | 'holdMs'>
}
export type RetryRefusal =
  | { readonly code: 'not_found' }
  | { readonly code: 'not_failed' }
  | { readonly code: 'too_many_attempts' }
  | ContextRefusal

/** A received payment, under the reference from its source. */
export type StoredCapture = {
  readonly id: number
  /** Null if its purpose is not known yet. */
  readonly regNo: RegNo | null
  readonly eventId: string | null
  readonly orderId: OrderId | null
  readonly source: string
  /** Empty if unknown. */
  readonly account: string
  readonly reference: string
  readonly amount: Amount
  readonly currency: string
  readonly kind: 'sale' | 'other' | 'test'
  readonly paidAt: Instant
  readonly seenAt: Instant
  readonly state: 'fits' | 'review' | 'accepted' | 'refused' | 'unmatched'
  /** The reason why it needs a staff decision, or needed one. */
  readonly why: string | null
  /** The order that it pays. Null if none yet. */
  readonly countsFor: OrderId | null
  /** The part of the counted amount that the gateway can still refund. */
  readonly backByGateway: Amount
}

/** The gateway's response about an order, verbatim. */
export type RawResponse = {
  readonly gateway: string
  readonly body: string
  readonly contentType: string
  readonly at: Instant
}

/** An unrequested message from the gateway: browser return or webhook. */
export type NewGatewayMessage = RawResponse & {
  readonly kind: 'return' | 'notice'
  /** Null if it contains no readable order. */
  readonly orderId: string | null
}

export type StoredGatewayMessage = RawResponse & {
  readonly id: number
  readonly kind: NewGatewayMessage['kind'] | 'status' | 'refund'
}

/** A refund. `said` is the gateway's last response. Null if none yet. */
export type StoredRefund = {
  readonly id: number
  readonly captureId: number
  readonly amount: Amount
  readonly state: 'wanted' | 'asked' | 'done' | 'refused' | 'unsure'
  readonly reference: string | null
  readonly why: string
  readonly who: string
  readonly at: Instant
  readonly said: string | null
}
/** `reference` is the gateway's reference of the payment. */
/** A completed refund to the delegate. `reference`: the delegate's bank may show it. */
export type CompletedRefund = {
  readonly id: number
  readonly regNo: RegNo
  readonly amount: Amount
  readonly reference: string | null
  readonly at: Instant
}
export type RefundToSend = {
  readonly id: number
  readonly amount: Amount
  readonly reference: string
  readonly orderId: OrderId
}
/** A payment event as stored. */
export type RecordedPaymentEvent = {
  readonly at: Instant
  readonly type: string
  readonly body: PaymentEvent
}
/** The gateway's response to a refund request; `raw` is stored among the messages. */
export type RefundResponse = {
  readonly message: string
  readonly raw: string
  readonly gateway: string
} & (
  | { readonly is: 'begun'; readonly reference: string }
  | { readonly is: 'refused' | 'not-sent' | 'unsure' }
)
/** A staff decision, with the state it was based on; `about`: the id of the review. */
export type StoredDecision = {
  readonly what: string
  readonly about: string | null
  readonly amount: Amount | null
  readonly why: string
  readonly who: string
  readonly at: Instant
}
/** The result of a decision, shown to the user who made it. */
export type DecisionOutcome = {
  readonly regNo: RegNo | null
  readonly message: string
  /** A refund to send to the gateway now. */
  readonly refundId: number | null
}
/**
 * The recipient and amount of a refund of counted payments. `of`: a registration number or an order id. `amount` null
 * for all.
 */
export type WantedRefund = DecisionGrounds & {
  readonly of: string
  readonly amount: Amount | null
  readonly at: Instant
  /** The reference of a refund already made outside the gateway. If omitted, the refund is sent to the gateway. */
  readonly byHand?: string
  /** To reject a refund of a payment that is too old for its gateway. */
  readonly gatewayKinds?: GatewayKinds
}
/** The number of payment reviews, across all events. */
export type ReviewCounts = {
  readonly reviews: number
  readonly undecided: number
  readonly unsure: number
}

/** An access link to a registration; `tokenHash` is hex SHA-256. */
export type NewLink = {
  readonly tokenHash: string
  readonly regNo: RegNo
  /**
   * `mail`: only readers of the delegate's mailbox have it. `my`: the person who filled in the form may also have it.
   * `pay`: from an email of an older version.
   */
  readonly purpose: 'my' | 'mail' | 'pay'
  readonly at: Instant
  readonly expiresAt: Instant
}
export type StoredLink = {
  readonly regNo: RegNo
  readonly purpose: NewLink['purpose']
  readonly expiresAt: Instant
  /** When it was last used to pay. Null if never. */
  readonly usedAt: Instant | null
}
