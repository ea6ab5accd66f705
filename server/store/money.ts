/** Money as the store gives it: the attempts to pay, what came for them, and what the gateway said. */
import type { Failure, Instant, OrderId, Paise, PaymentStatus, RegNo } from '../../engine/index.ts'

/** Whom an attempt asks for the money. */
export type AskedOf = { readonly account: string; readonly merchantId: string | null }

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
}

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
  readonly kind: NewNotice['kind'] | 'status'
}
