/** Defines stored payments: attempts, captures, gateway responses, refunds and decisions. */
import type {
  Actor,
  Failure,
  GatewayKinds,
  DecisionGrounds,
  Instant,
  LastResponse,
  ManualMethod,
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
 * The channel through which an amount is requested: a gateway and account, or a payment method in the event file. Null
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
   * The merchant account that the payment was requested through, and the gateway's id for that account. Null for
   * imported rows and for attempts by older versions.
   */
  readonly account: string | null
  readonly merchantId: string | null
  /** The gateway that requested the payment, under its name in the event file. Absent if unknown. */
  readonly gateway?: string | null
  /** The time until which a closed payment is polled. Null if the payment is open or is not polled. */
  readonly watchUntil: Instant | null
  /** The time of the next query. Null if no query is scheduled. */
  readonly nextAskAt: Instant | null
  /** The price of this attempt. Its total is the amount. Null for imported rows, because their price is unknown. */
  readonly quote: AttemptQuote | null
  /**
   * The time until which this price is guaranteed. Null if there is no limit, or for an attempt by an older version.
   */
  readonly holdUntil: Instant | null
  /** When the delegate was last sent to the gateway with this order. Null for imported rows. */
  readonly handedOffAt: Instant | null
  /** The gateway's latest response, if it was inconclusive. */
  readonly lastResponse: LastResponse | null
  /** When a message last reported a payment that the gateway did not confirm. */
  readonly claimedAt: Instant | null
  /** Since when the payment has needed a decision by staff. Null if it needs none. */
  readonly reviewSince: Instant | null
  /** True if money received for the payment needs review. */
  readonly hasMoneyInReview: boolean
  /** The amount refunded so far. */
  readonly refunded: Amount
  /** The payment method in the event file. Null if the payment is through a gateway, or imported. */
  readonly way: string | null
  /** True if the payment is for the balance after a correction, not for the registration's price. */
  readonly isDifference: boolean
}

/**
 * The parts of a payment that never change. Passing them to an operation saves a round trip on PostgreSQL, because all
 * rows can be read at once.
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

/** A further attempt that the payment rules permit. */
export type NextAttempt = {
  /** The newest attempt known when the rules were checked. If a newer one exists, another request was faster. */
  readonly expectedOrderId?: OrderId
  /** True if that attempt is still open and the new attempt replaces it. */
  readonly replacesOpenOrder?: boolean
  /** The event version used for the check. If omitted, any version is accepted. */
  readonly eventHash?: string
  /** The merchant account. If omitted, that of the newest attempt. */
  readonly merchantAccount?: MerchantAccount
  readonly gateway?: string
  /** The price and the time until which it is guaranteed. If omitted, those of the newest attempt. */
  readonly price?: { readonly quote: Quote; readonly holdUntil: Instant | null }
  /**
   * The rules for seats, codes and answers that other delegates may have used since. If omitted, they are not checked.
   */
  readonly externalContext?: Pick<ExternalContext, 'unique' | 'holdMs'>
}
export type RetryRefusal =
  | { readonly code: 'not_found' }
  | { readonly code: 'not_failed' }
  | { readonly code: 'too_many_attempts' }
  | ContextRefusal

/** A received payment, stored under the reference that its source gave it. */
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
  /** Why the payment needs, or needed, a decision by staff. */
  readonly why: string | null
  /** The order for which the payment counts. Null if it does not count yet. */
  readonly countsFor: OrderId | null
  /** The part of the counted amount that the gateway can still refund. */
  readonly refundableByGateway: Amount
}

/** The event file's own office method, by which a payment that is stored as `desk` was made. */
export type RecordedOfficeMethod = {
  readonly id: string
  readonly label: string
  /** The answers to the method's fields other than the reference. Empty if there are none. */
  readonly details: string
}

/** A payment taken at the front desk. */
export type DeskReceipt = {
  readonly actor: Actor
  readonly way: ManualMethod
  readonly officeMethod?: RecordedOfficeMethod | undefined
  readonly reference: string
}

/** The gateway's response about an order, verbatim. */
export type RawResponse = {
  readonly gateway: string
  readonly body: string
  readonly contentType: string
  readonly at: Instant
}

/** A message that the gateway sends without being queried: a browser return or a webhook. */
export type NewGatewayMessage = RawResponse & {
  readonly kind: 'return' | 'notice'
  /** Null if no order id can be read from the message. */
  readonly orderId: string | null
}

export type StoredGatewayMessage = RawResponse & {
  readonly id: number
  readonly kind: NewGatewayMessage['kind'] | 'status' | 'refund'
}

/** A refund. `said` is the gateway's latest response. Null before the first response. */
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
/** A completed refund. `reference`: the reference that the delegate's bank may show. */
export type CompletedRefund = {
  readonly id: number
  readonly regNo: RegNo
  /** When the refunded payment was requested. Null if it has no attempt. */
  readonly attemptedAt: Instant | null
  readonly amount: Amount
  readonly reference: string | null
  readonly at: Instant
  /** True if the delegate's bank reversed the payment in a dispute. We sent no refund then. */
  readonly isDispute: boolean
}
/** `reference`: the gateway's reference for the payment. */
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
/** A decision by staff, with the state on which it was based. `about`: the id of the review. */
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
  /** The refunds to send to the gateway now: one for each payment from which a part of the amount is refunded. */
  readonly refundIds: readonly number[]
}
/**
 * A requested refund of counted payments. `of`: a registration number or an order id. `amount`: null to refund
 * everything.
 */
export type WantedRefund = DecisionGrounds & {
  readonly of: string
  readonly amount: Amount | null
  readonly at: Instant
  /** The reference of a refund that was made outside the gateway. If omitted, the refund is sent to the gateway. */
  readonly manualReference?: string
  /** The kind of each gateway. Each kind can refund payments only up to a certain age. */
  readonly gatewayKinds?: GatewayKinds
  /** The paid amount less refunds, as shown to the user. Null or omitted if the request does not state it. */
  readonly shownPaidAmount?: Amount | null
}
/** The number of payment reviews, across all events. */
export type ReviewCounts = {
  readonly reviews: number
  readonly undecided: number
  readonly unsure: number
}

/** An access link to a registration. `tokenHash` is the SHA-256 hash of its token, in hex. */
export type NewLink = {
  readonly tokenHash: string
  readonly regNo: RegNo
  /**
   * `mail`: known only to those who can read the delegate's mailbox. `my`: also known to the person who submitted the
   * form. `pay`: from an email sent by an older version.
   */
  readonly purpose: 'my' | 'mail' | 'pay'
  readonly at: Instant
  readonly expiresAt: Instant
}
/** The link that a request was sent with. A transaction that waits for other requests checks it again. */
export type LinkSender = { readonly linkHash: string; readonly expiresAt: Instant }
export type StoredLink = {
  readonly regNo: RegNo
  readonly purpose: NewLink['purpose']
  readonly expiresAt: Instant
  /** When the link was last used to pay. Null if it was never used. */
  readonly usedAt: Instant | null
}
