/** Payment life cycle: pending → success or failed; failed → success; success → refunded, never failed. */
import {
  formatCurrency,
  INR,
  formatMoney,
  toAmount,
  readCurrency,
  type Currency,
  type Amount,
} from '../lib/money.ts'
import type { OrderId } from '../event/registration-number.ts'
import { assert, assertNever, err, getOwn, ok, type Result } from '../lib/result.ts'
import type { Instant } from '../lib/time.ts'
import { FINAL_FAILURES } from './gateways/capabilities.ts'

export type Payment = {
  readonly orderId: OrderId
  readonly amount: Amount
  readonly currency: Currency
  readonly status:
    | { readonly is: 'pending' }
    /** `at`: when the success was recorded. */
    | {
        readonly is: 'success'
        readonly reference: string
        readonly at: Instant
        readonly paidAt: Instant
      }
    | { readonly is: 'failed'; readonly reason: string; readonly at: Instant }
    /**
     * `reference` remains the sale's reference, so that a repeated confirmation is recognised. The refund's reference
     * is in its payment event.
     */
    | { readonly is: 'refunded'; readonly reference: string; readonly at: Instant }
  /** Set if a payment was received that does not match. Staff decide. */
  readonly review: string | null
  /**
   * The amount received and the part that was refunded. Absent if the requested amount was received and nothing was
   * refunded.
   */
  readonly money?: { readonly came: Amount; readonly back: Amount }
}
/** One capture reported by the gateway. */
type ReportedCapture = {
  readonly reference: string
  readonly amount: Amount
  /** `test`: from the gateway's test mode, which moves no money. */
  readonly kind: 'sale' | 'other' | 'test'
  /** The time of the payment according to the gateway. Absent if not reported or impossible. */
  readonly paidAt?: Instant
  /** Paid after registration had closed, for an order created on an earlier date. */
  readonly afterClosing?: true
  /** Paid after the order's price hold had ended, when the current price was different. */
  readonly afterHold?: true
}
/** Payment events: gateway responses that polling confirmed. They are appended and never edited. */
export type PaymentEvent =
  | (ReportedCapture & {
      readonly type: 'confirmed'
      readonly currency: string
      /** When the response was received. */
      readonly at: Instant
      /**
       * Further captures of the same order, which were not requested. `currency` defaults to the currency of the
       * first.
       */
      readonly further?: readonly (ReportedCapture & { readonly currency?: string })[]
      /** The refunds of the payment, each with its own reference. */
      readonly refunds?: readonly ReportedRefund[]
    })
  | {
      readonly type: 'declined'
      readonly code: string
      readonly message: string
      readonly at: Instant
    }
  | { readonly type: 'expired'; readonly at: Instant }
  /** The gateway gave no final response for days. */
  | { readonly type: 'undecided'; readonly at: Instant }
  /** `further`: other refunds, if the gateway reports refunds separately from the payment. */
  | ({
      readonly type: 'refunded'
      readonly at: Instant
      readonly further?: readonly ReportedRefund[]
    } & ReportedRefund)
export type ReportedRefund = { readonly reference: string; readonly amount: Amount }
export type PaymentRefusal =
  | { readonly code: 'paid_twice'; readonly first: string; readonly second: string }
  | {
      readonly code: 'amount_differs'
      readonly expected: Amount
      readonly got: Amount
      readonly currency: Currency
    }
  | { readonly code: 'currency_differs'; readonly expected: Currency; readonly got: string }
  | { readonly code: 'not_a_sale' }
  | { readonly code: 'test_transaction' }
  | { readonly code: 'after_closing' }
  | { readonly code: 'after_hold' }
  /** `place`: the display name of the seat. */
  | { readonly code: 'place_gone'; readonly place: string }
  /** Its registration was cancelled or refused. */
  | { readonly code: 'ended'; readonly state: 'cancelled' | 'refused' }
  | { readonly code: 'already_success' }
  | { readonly code: 'undecided' }
  | { readonly code: 'not_paid' }
  | {
      readonly code: 'more_back_than_came'
      readonly came: Amount
      readonly got: Amount
      readonly currency: Currency
    }

/** Removed automatically when a final response is received. */
export const UNDECIDED_REASON = 'The gateway has given no final answer for five days.'

/** The three-digit codes of ISO 4217, which some gateways send instead of the letters. */
const NUMERIC_CODES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...`036 AUD 048 BHD 050 BDT 064 BTN 104 MMK 124 CAD 144 LKR 156 CNY 203 CZK 208 DKK 230 ETB 344 HKD 348 HUF 356 INR
   360 IDR 376 ILS 392 JPY 404 KES 410 KRW 414 KWD 458 MYR 462 MVR 480 MUR 484 MXN 512 OMR 524 NPR 554 NZD 566 NGN
   578 NOK 586 PKR 608 PHP 634 QAR 643 RUB 682 SAR 702 SGD 704 VND 710 ZAR 752 SEK 756 CHF 764 THB 784 AED 800 UGX
   818 EGP 826 GBP 834 TZS 840 USD 936 GHS 949 TRY 978 EUR 985 PLN 986 BRL`.matchAll(
      /(\d{3}) ([A-Z]{3})/g,
    ),
  ].map(([, digits, letters]) => [digits, letters]),
)

/**
 * Returns the currency of a code that a gateway or a bank reports, in letters or digits; null if it
 * is missing or unknown.
 */
export const readReportedCurrency = (code: string): Currency | null =>
  readCurrency(getOwn(NUMERIC_CODES, code) ?? code.toUpperCase())

/** Returns the currency of a received payment. Gateways may send a currency's number, or no currency for rupees. */
export const getReceivedCurrency = ({ currency }: { readonly currency: string }): Currency =>
  readReportedCurrency(currency) ?? INR

/** Returns true if a code that a gateway reports means this currency. */
export const isCurrency = (code: string, currency: Currency): boolean =>
  readReportedCurrency(code) === currency

/**
 * Applies a payment event. Pure; the store writes the event and the result in one transaction. A
 * repeated confirmation with the same reference returns the payment unchanged, because gateways
 * send messages twice. Late payments count: a failed payment may become a success, but a success
 * never fails.
 */
export function applyPaymentEvent(
  payment: Payment,
  event: PaymentEvent,
): Result<Payment, PaymentRefusal> {
  const { status } = payment
  const isPaid = status.is === 'success' || status.is === 'refunded'
  switch (event.type) {
    case 'confirmed': {
      if (isPaid) {
        if (status.reference !== event.reference)
          return err({ code: 'paid_twice', first: status.reference, second: event.reference })
        // The bank may reverse a payment: a chargeback or a void.
        if (event.kind === 'other') return err({ code: 'not_a_sale' })
        return ok(addFurtherPaymentsToReview(payment, event.reference, event.further ?? []))
      }
      if (event.kind === 'test') return err({ code: 'test_transaction' })
      if (event.kind !== 'sale') return err({ code: 'not_a_sale' })
      const { amount, currency } = payment
      if (!isCurrency(event.currency, currency))
        return err({ code: 'currency_differs', expected: currency, got: event.currency })
      if (event.amount !== amount)
        return err({ code: 'amount_differs', expected: amount, got: event.amount, currency })
      if (event.afterClosing === true) return err({ code: 'after_closing' })
      if (event.afterHold === true) return err({ code: 'after_hold' })
      const { reference, at, paidAt = at, further = [] } = event
      const success: Payment = {
        ...removeUndecidedReason(payment),
        status: { is: 'success', reference, at, paidAt },
      }
      return ok(addFurtherPaymentsToReview(success, reference, further))
    }
    case 'declined':
    case 'expired': {
      if (isPaid) return err({ code: 'already_success' })
      if (status.is === 'failed') return ok(payment)
      const reason =
        event.type === 'expired' ? 'expired' : event.message === '' ? event.code : event.message
      return ok({
        ...removeUndecidedReason(payment),
        status: { is: 'failed', reason, at: event.at },
      })
    }
    case 'undecided':
      return status.is === 'pending' ? err({ code: 'undecided' }) : ok(payment)
    case 'refunded': {
      if (status.is !== 'success' && status.is !== 'refunded') return err({ code: 'not_paid' })
      const isAll = status.is === 'refunded'
      const { came = payment.amount, back = isAll ? came : toAmount(0) } = payment.money ?? {}
      const totalRefunded = toAmount(back + event.amount)
      if (totalRefunded > came)
        return err({
          code: 'more_back_than_came',
          came,
          got: totalRefunded,
          currency: payment.currency,
        })
      const { reference } = status
      return ok({
        ...payment,
        money: { came, back: totalRefunded },
        status: totalRefunded === came ? { is: 'refunded', reference, at: event.at } : status,
      })
    }
    default:
      return assertNever(event)
  }
}

function addFurtherPaymentsToReview(
  payment: Payment,
  firstReference: string,
  further: readonly { readonly reference: string }[],
): Payment {
  if (further.length === 0) return payment
  const reasons = further.map(({ reference: second }) =>
    describeSecondPayment(firstReference, second),
  )
  const earlierReasons = payment.review === null ? [] : [payment.review]
  return { ...payment, review: [...earlierReasons, ...reasons].join(' ') }
}

function describeSecondPayment(first: string, second: string): string {
  return `Payment received a second time, as ${second}. The first payment is ${first}.`
}

const describeDifferentAmount = (got: string, expected: string): string =>
  `The payment is ${got} instead of ${expected}.`
const describeSoldSeat = (place: string): string =>
  `Payment received after the seat was released: ${place} is full.`
const AFTER_CLOSING_REASON = 'Payment received after registration closed.'
const AFTER_HOLD_REASON =
  'Payment received after the price hold had ended. The price on that day was different.'
const describeMovedAmounts = (received: string, due: string): string =>
  ` moved here: ${received} received, ${due} due.`
const MOVED_TO_PAID_TEXT = ' moved here, but this registration is already paid.'

/** Returns a pattern for a text with any value in place of each `*`. A full stop before a digit is part of a value. */
const toPattern = (text: string): RegExp =>
  new RegExp(text.replaceAll('.', String.raw`\.(?!\d)`).replaceAll('*', '.+?'), 'g')
/** The results of comparing a payment with an unpaid registration. */
const listUnpaidReasons = (): readonly string[] => [
  describeDifferentAmount('*', '*'),
  describeSoldSeat('*'),
  AFTER_CLOSING_REASON,
  AFTER_HOLD_REASON,
]

/** Returns the reason for a review of a moved payment. `due` is null if the registration is already paid. */
export const describeMovedPayment = (
  source: string,
  received: string,
  due: string | null,
): string => `${source}${due === null ? MOVED_TO_PAID_TEXT : describeMovedAmounts(received, due)}`

/**
 * Returns the reason for the review of a payment whose registration another payment has paid since. Reasons that compared
 * it with the unpaid registration no longer apply; others remain, such as a bank reference recorded twice.
 */
export function updateReasonOfSecondPayment(reason: string, first: string, second: string): string {
  const moved = reason.replace(toPattern(describeMovedAmounts('*', '*')), MOVED_TO_PAID_TEXT)
  const remaining = listUnpaidReasons().reduce(
    (text, unpaidReason) => text.replace(toPattern(unpaidReason), ''),
    moved,
  )
  if (remaining === moved) return moved
  return `${describeSecondPayment(first, second)} ${remaining.replaceAll(/ {2,}/g, ' ').trim()}`.trim()
}

/** Why a payment failed: declined by the bank, expired, refunded, or unknown. */
export type Failure = 'declined' | 'expired' | 'given-back' | 'unclear'

/**
 * The payment state of a registration: paid, or nothing to pay; no payment known, so one can be started; payment
 * possibly in progress, in review, failed or refunded. Or the registration was ended by staff or the delegate,
 * regardless of its payments.
 */
export type PaymentState =
  | 'complete'
  | 'not-paid'
  | 'at-bank'
  | 'organisers'
  | 'failed'
  | 'refunded'
  | 'cancelled'
  /** Manual payment: not reported yet, reported, or expired. */
  | 'by-hand'
  | 'told'
  | 'lapsed'
  /** Awaiting approval, or refused. */
  | 'to-approve'
  | 'refused'

/** The gateway refunded the payment itself, because it was authorised too late for a capture. */
const NOT_CAPTURED_CODE = 'NOT_CAPTURED'

/**
 * Returns how an attempt failed, from the gateway's decline code (null if it was not declined) and the stored reason.
 * `isRefunded`: a payment was nevertheless received for the attempt, and was refunded.
 */
export function findFailure(
  code: string | null,
  reason: string | null,
  isRefunded: boolean = false,
): Failure {
  if (isRefunded || code === NOT_CAPTURED_CODE) return 'given-back'
  if (code !== null) return FINAL_FAILURES.has(code) ? 'declined' : 'unclear'
  return reason === 'expired' ? 'expired' : 'unclear'
}

/** Applies staff's decision to accept a payment. A repeated confirmation is recognised by its reference. */
export function acceptPayment(
  payment: Payment,
  money: { readonly reference: string; readonly amount: Amount; readonly paidAt: Instant },
  at: Instant,
): Payment {
  const { reference, amount, paidAt } = money
  assert(payment.status.is !== 'success', 'the order is already paid')
  assert(payment.status.is !== 'refunded', 'the order was refunded')
  return {
    ...payment,
    status: { is: 'success', reference, at, paidAt },
    money: { came: amount, back: toAmount(0) },
  }
}

/** Applies staff's decision that no payment counts for this order. A payment that has ended is not changed. */
export function closePayment(payment: Payment, reason: string, at: Instant): Payment {
  return payment.status.is === 'pending'
    ? { ...payment, status: { is: 'failed', reason, at } }
    : payment
}

function removeUndecidedReason(payment: Payment): Payment {
  const remainingReview = payment.review?.replace(UNDECIDED_REASON, '').trim() ?? ''
  return { ...payment, review: remainingReview === '' ? null : remainingReview }
}

/**
 * Returns the reason for a payment review after a refused event; null if none is needed. A late
 * failure of a paid payment changes nothing.
 */
export function findReviewReason(refusal: PaymentRefusal): string | null {
  switch (refusal.code) {
    case 'paid_twice':
      return describeSecondPayment(refusal.first, refusal.second)
    case 'amount_differs':
      return describeDifferentAmount(
        formatMoney(refusal.got, refusal.currency),
        formatMoney(refusal.expected, refusal.currency),
      )
    case 'currency_differs':
      return `The payment is in ${refusal.got === '' ? 'an unspecified currency' : refusal.got}, not in ${formatCurrency(refusal.expected)}.`
    case 'not_a_sale':
      return 'The gateway reports a transaction that is not a sale.'
    case 'test_transaction':
      return 'The gateway reports a test transaction, which moves no money.'
    case 'after_closing':
      return AFTER_CLOSING_REASON
    case 'after_hold':
      return AFTER_HOLD_REASON
    case 'place_gone':
      return describeSoldSeat(refusal.place)
    case 'ended':
      return `Payment received after the registration was ${refusal.state === 'refused' ? 'rejected' : refusal.state}.`
    case 'not_paid':
      return 'The gateway reports a refund of a payment that is not recorded as paid.'
    case 'undecided':
      return UNDECIDED_REASON
    case 'more_back_than_came':
      return `With the refund that the gateway reports, ${formatMoney(refusal.got, refusal.currency)} was refunded for a payment of ${formatMoney(refusal.came, refusal.currency)}.`
    case 'already_success':
      return null
    default:
      return assertNever(refusal)
  }
}
