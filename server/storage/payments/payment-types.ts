/** Money as the store gives it: the attempts to pay, what came for them, and what the gateway said. */
import type {
  Failure,
  Grounds,
  Instant,
  LastAnswer,
  OrderId,
  Paise,
  PaymentStatus,
  Quote,
  RegNo,
} from '../../../engine/index.ts'
import type { Outside, OutsideRefusal } from '../registrations/pricing-context-types.ts'

/** Whom an attempt asks for the money. */
export type AskedOf = { readonly account: string; readonly merchantId: string | null }

/** Through which gateway an amount is asked for, and of whom, or by which way of the file; null: by none of ours. */
export type AskedThrough =
  | { readonly gateway: string; readonly askedOf: AskedOf }
  | { readonly way: string }
  | null

export type StoredPayment = {
  readonly id: number
  readonly orderId: OrderId
  readonly regNo: RegNo
  readonly eventId: string
  readonly amount: Paise
  readonly status: PaymentStatus
  readonly reference: string | null
  readonly review: string | null
  /** How it failed; null: it has not. */
  readonly failure: Failure | null
  readonly createdAt: Instant
  readonly paidAt: Instant | null
  /** Whose credentials asked for the money, and the gateway's name for them; null: attempts of older versions, and rows brought in. */
  readonly account: string | null
  readonly merchantId: string | null
  /** What has ended is still asked about until then; null: it has not ended, or is not watched. */
  readonly watchUntil: Instant | null
  /** When it is asked about next; null: it is not. */
  readonly nextAskAt: Instant | null
  /** Its own price, whose total is the amount; null: not known of rows brought in. */
  readonly quote: AttemptQuote | null
  /** Until when that price is held; null: without an end, or an attempt of an older version. */
  readonly holdUntil: Instant | null
  /** When the delegate was last sent to the gateway with it; null: rows brought in. */
  readonly handedOffAt: Instant | null
  /** What the gateway said last, where that ended nothing. */
  readonly lastAnswer: LastAnswer | null
  /** When a message last claimed money that the gateway did not know of. */
  readonly claimedAt: Instant | null
  /** Since when a person has to decide; null: nobody has to. */
  readonly reviewSince: Instant | null
  /** Money that came for it waits for a person. */
  readonly hasMoneyInReview: boolean
  /** How much of what was paid with it has gone back. */
  readonly refunded: Paise
  /** Whether it asks for what a correction left, and not for the registration's price. */
  /** By which way of the file it is paid; null: through a gateway, or brought in. */
  readonly way: string | null
  readonly isDifference: boolean
}

/** A price taken apart, without its total. */
export type AttemptQuote = {
  readonly period: string | null
  readonly base: Paise
  readonly gst: Paise
}

/** A further attempt, as the rule for paying has it. */
export type NextAttempt = {
  /** The newest attempt that the rule has seen: where there is a newer one, somebody was quicker. */
  readonly after?: OrderId
  /** Whether that one is still open, and ends by this. */
  readonly replaces?: boolean
  /** The version by which it was judged; left out: any. */
  readonly eventHash?: string
  /** Left out: as the newest attempt. */
  readonly askedOf?: AskedOf
  readonly gateway?: string
  /** Its price and until when that is held; left out: those of the newest attempt. */
  readonly price?: { readonly quote: Quote; readonly holdUntil: Instant | null }
  /** What others may have taken meanwhile is decided by these rules; left out: nothing is. */
  readonly outside?: Pick<Outside, 'unique' | 'holdMs'>
}
export type RetryRefusal =
  | { readonly code: 'not_found' }
  | { readonly code: 'not_failed' }
  | { readonly code: 'too_many_attempts' }
  | OutsideRefusal

/** Money that came, under the name that its source gave it. */
export type StoredCapture = {
  readonly id: number
  /** Null: nobody knows yet what it is for. */
  readonly regNo: RegNo | null
  readonly eventId: string | null
  readonly orderId: OrderId | null
  readonly source: string
  /** Empty: not known. */
  readonly account: string
  readonly reference: string
  readonly amount: Paise
  readonly currency: string
  readonly kind: 'sale' | 'other' | 'test'
  readonly paidAt: Instant
  readonly seenAt: Instant
  readonly state: 'fits' | 'review' | 'accepted' | 'refused' | 'unmatched'
  /** Why a person has to decide, or had to. */
  readonly why: string | null
  /** The order that it pays; null: none yet. */
  readonly countsFor: OrderId | null
  /** Of what counts, what the gateway can still give back. */
  readonly backByGateway: Paise
}

/** What the gateway answered when asked about an order, as it came. */
export type RawAnswer = {
  readonly gateway: string
  readonly body: string
  readonly contentType: string
  readonly at: Instant
}

/** What came from the gateway by itself: the browser's return, the server's notice. */
export type NewNotice = RawAnswer & {
  readonly kind: 'return' | 'notice'
  /** Null: it names no order that we could read. */
  readonly orderId: string | null
}

export type StoredNotice = RawAnswer & {
  readonly id: number
  readonly kind: NewNotice['kind'] | 'status' | 'refund'
}

/** Money that goes back. `said` is what the gateway answered last; null: nothing yet. */
export type StoredRefund = {
  readonly id: number
  readonly captureId: number
  readonly amount: Paise
  readonly state: 'wanted' | 'asked' | 'done' | 'refused' | 'unsure'
  readonly reference: string | null
  readonly why: string
  readonly who: string
  readonly at: Instant
  readonly said: string | null
}
/** `reference` is the gateway's, of the payment. */
/** Money that has gone back to whoever registered; `reference`: under which their bank may show it. */
export type GivenBack = {
  readonly id: number
  readonly regNo: RegNo
  readonly amount: Paise
  readonly reference: string | null
  readonly at: Instant
}
export type RefundToSend = {
  readonly id: number
  readonly amount: Paise
  readonly reference: string
  readonly orderId: OrderId
}
/** What the gateway said when told to give back; `raw` is kept among the notices. */
export type RefundTold = {
  readonly said: string
  readonly raw: string
  readonly gateway: string
} & (
  | { readonly is: 'begun'; readonly reference: string }
  | { readonly is: 'refused' | 'not-sent' | 'unsure' }
)
/** What a person decided, and what was before them; `about` as reviews are named, or a number's refund. */
export type StoredDecision = {
  readonly what: string
  readonly about: string | null
  readonly amount: Paise | null
  readonly why: string
  readonly who: string
  readonly at: Instant
}
/** What follows from a decision, told to whoever took it. */
export type Decided = {
  readonly regNo: RegNo | null
  readonly message: string
  /** To be sent to the gateway now. */
  readonly refundId: number | null
}
/** Whom to give how much back, of what counts. `of`: a registration's number or an order id; `amount` null: all. */
export type WantedRefund = Grounds & {
  readonly of: string
  readonly amount: Paise | null
  readonly at: Instant
  /** It was given back without the gateway, under this reference; left out: the gateway is asked. */
  readonly byHand?: string
}
/** How much waits for a person, over all events. */
export type ReviewCounts = {
  readonly reviews: number
  readonly undecided: number
  readonly unsure: number
}

/** A link that leads back to a registration; `tokenHash` is hex SHA-256. */
export type NewLink = {
  readonly tokenHash: string
  readonly regNo: RegNo
  /** `mail`: only who reads the delegate's email has it. `my`: perhaps also who filled in the form. `pay`: of a mail of an older version. */
  readonly purpose: 'my' | 'mail' | 'pay'
  readonly at: Instant
  readonly expiresAt: Instant
}
export type StoredLink = {
  readonly regNo: RegNo
  readonly purpose: NewLink['purpose']
  readonly expiresAt: Instant
  /** When somebody last paid by it; null: nobody has. */
  readonly usedAt: Instant | null
}
