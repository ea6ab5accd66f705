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
 * The channel through which an amount is requested: a gateway and account, or a payment method of the event file. Null
 * if the event offers no such channel.
 */
export type PaymentChannel =
  | { readonly gateway: string; readonly merchantAccount: MerchantAccount }
  | { readonly method: string }
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
  /** The reason for the failure. Null if the payment has not failed. */
  readonly failure: Failure | null
  readonly createdAt: Instant
  readonly paidAt: Instant | null
  /**
   * The merchant account that requested the payment, and the gateway's id for it. Null for attempts of older versions
   * and for imported rows.
   */
  readonly account: string | null
  readonly merchantId: string | null
  /** The gateway that requested the payment, as named in the event file. Absent if unknown. */
  readonly gateway?: string | null
  /** A closed payment is polled until this time. Null if it is open, or not polled. */
  readonly watchUntil: Instant | null
  /** The time of the next query. Null if no query is scheduled. */
  readonly nextAskAt: Instant | null
  /** The price of this attempt, whose total is the amount. Null for imported rows, whose price is unknown. */
  readonly quote: AttemptQuote | null
  /**
   * The time until which that price is guaranteed. Null if there is no limit, or for an attempt of an older version.
   */
  readonly holdUntil: Instant | null
  /** When the delegate was last sent to the gateway with this order. Null for imported rows. */
  readonly handedOffAt: Instant | null
  /** The gateway's last inconclusive response. */
  readonly lastResponse: LastResponse | null
  /** When a message last reported a payment that the gateway did not confirm. */
  readonly claimedAt: Instant | null
  /** The time since which the payment has needed a staff decision. Null if it needs none. */
  readonly reviewSince: Instant | null
  /** True if money received for it needs review. */
  readonly hasMoneyInReview: boolean
  /** The amount refunded so far. */
  readonly refunded: Amount
  /** Its payment method in the event file. Null if paid through the gateway, or imported. */
  readonly way: string | null
  /** True if it requests the balance after a correction instead of the registration's price. */
  readonly isDifference: boolean
}

/**
 * The parts of a payment that never change. Passing them saves a round trip on PostgreSQL, because all rows can be read
 * at once.
 */
export type PaymentKeys = {
  readonly paymentId: number
  readonly registrationId: number
  readonly eventId: string
  readonly gateway: string | null
  readonly account: string | null
}

/** The parts of a price, without its total. */
export type AttemptQuote = {
  readonly period: string | null
  readonly base: Amount
  readonly gst: Amount
}

/** A further attempt, as permitted by the payment rules. */
export type NextAttempt = {
  /** The newest attempt that the rules considered. If a newer attempt exists, another request was faster. */
  readonly after?: OrderId
  /** True if that attempt is still open and the new one replaces it. */
  readonly replaces?: boolean
  /** The event version used for the check. Any if omitted. */
  readonly eventHash?: string
  /** The merchant account. Taken from the newest attempt if omitted. */
  readonly merchantAccount?: MerchantAccount
  readonly gateway?: string
  /** The price and the time until which it is guaranteed. Taken from the newest attempt if omitted. */
  readonly price?: { readonly quote: Quote; readonly holdUntil: Instant | null }
  /** The rules for seats, codes and answers, which other delegates may have used since. No check if omitted. */
  readonly externalContext?: Pick<ExternalContext, 'unique' | 'holdMs'>
}
export type RetryRefusal =
  | { readonly code: 'not_found' }
  | { readonly code: 'not_failed' }
  | { readonly code: 'too_many_attempts' }
  | ContextRefusal

/** A received payment, stored under the reference from its source. */
export type StoredCapture = {
  readonly id: number
  /** Null if the payment is not matched yet. */
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
  /** Why the payment needs, or needed, a staff decision. */
  readonly why: string | null
  /** The order for which it is counted. Null if it is not counted yet. */
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

/** A message that the gateway sends without a query: browser return or webhook. */
export type NewGatewayMessage = RawResponse & {
  readonly kind: 'return' | 'notice'
  /** Null if the message contains no readable order. */
  readonly orderId: string | null
}

export type StoredGatewayMessage = RawResponse & {
  readonly id: number
  readonly kind: NewGatewayMessage['kind'] | 'status' | 'refund'
}

/** A refund. `said` is the gateway's last response. Null before the first response. */
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
/** A completed refund to the delegate. `reference`: the delegate's bank may show it. */
export type CompletedRefund = {
  readonly id: number
  readonly regNo: RegNo
  readonly amount: Amount
  readonly reference: string | null
  readonly at: Instant
}
/** `reference`: the gateway's reference of the payment. */
export type RefundToSend = {
  readonly id: number
  readonly amount: Amount
  readonly reference: string
  readonly orderId: OrderId
}
/** A stored payment event. */
export type RecordedPaymentEvent = {
  readonly at: Instant
  readonly type: string
  readonly body: PaymentEvent
}
/** The gateway's response to a refund request. `raw` is stored with the messages. */
export type RefundResponse = {
  readonly message: string
  readonly raw: string
  readonly gateway: string
} & (
  | { readonly is: 'begun'; readonly reference: string }
  | { readonly is: 'refused' | 'not-sent' | 'unsure' }
)
/** A staff decision, with the state on which it was based. `about`: the id of the review. */
export type StoredDecision = {
  readonly what: string
  readonly about: string | null
  readonly amount: Amount | null
  readonly why: string
  readonly who: string
  readonly at: Instant
}
/** The result of a decision, displayed to the user who made it. */
export type DecisionOutcome = {
  readonly regNo: RegNo | null
  readonly message: string
  /** The refunds to send to the gateway now: one for each payment that covers a part of the amount. */
  readonly refundIds: readonly number[]
}
/**
 * The recipient and amount of a refund of counted payments. `of`: a registration number or an order id. `amount`: null
 * for everything.
 */
export type WantedRefund = DecisionGrounds & {
  readonly of: string
  readonly amount: Amount | null
  readonly at: Instant
  /** The reference of a refund that was made outside the gateway. If omitted, the refund is sent to the gateway. */
  readonly manualReference?: string
  /** The kind of each gateway, which limits the age of payments that it can refund. */
  readonly gatewayKinds?: GatewayKinds
  /** The amount paid and not refunded that the user saw. Null or omitted if the request does not state it. */
  readonly shownPaidAmount?: Amount | null
}
/** The number of payment reviews, across all events. */
export type ReviewCounts = {
  readonly reviews: number
  readonly undecided: number
  readonly unsure: number
}

/** An access link to a registration. `tokenHash` is hex SHA-256. */
export type NewLink = {
  readonly tokenHash: string
  readonly regNo: RegNo
  /**
   * `mail`: known only to readers of the delegate's mailbox. `my`: also known to the person who submitted the form.
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
