/** Reads the payment status of an imported row, and refuses a row whose payments an import cannot store. */
import { err, formatMoney, isEnded, ok, toAmount } from '../../../engine/index.ts'
import type { Amount, Currency, PaymentStatus, Result } from '../../../engine/index.ts'

const STATUSES: Readonly<Record<string, PaymentStatus>> = {
  success: 'success',
  paid: 'success',
  pending: 'pending',
  failed: 'failed',
  refunded: 'refunded',
}

/** Other statuses in our exports, which need data that a CSV file lacks. Older exports contain “Review”. */
const UNSUPPORTED_STATUSES: Readonly<Record<string, string>> = {
  review:
    'means that a payment is under review, and the file does not contain that payment. Decide on it in the other system and export again. Or write pending here, and record the payment after the import.',
  registered:
    'means that the delegate was not asked to pay the price. Write success and leave the amounts empty, or write pending if payment is still due.',
  due: 'means that an amount is due. Write pending, and record the payments after the import.',
}

/** Reads a status, such as “success”, or “Paid” in one of our exports. The error is the end of a sentence about it. */
export function parsePaymentStatus(text: string): Result<PaymentStatus, string> {
  const statusText = text.toLowerCase()
  const status = STATUSES[statusText]
  if (status !== undefined) return ok(status)
  // An export adds the payment status: "Cancelled (paid)".
  const [firstWord = ''] = statusText.split(/[ ,]/)
  if (isEnded(firstWord))
    return err(
      `means that the registration was ${firstWord}. Only active registrations can be imported. Remove the row.`,
    )
  const isDue = /^(?:partly )?paid, .+ due\b/.test(statusText)
  const isInReview = /^paid, in review$|^(?:needs )?review$/.test(statusText)
  return err(
    UNSUPPORTED_STATUSES[isDue ? 'due' : isInReview ? 'review' : statusText] ??
      'must be pending, success, failed or refunded.',
  )
}

/**
 * Returns why the amounts of a row in one of our exports cannot be imported; null if they can, or if the row does not
 * state them. An import stores the total as one payment, and the total as refunded if the status is “refunded”.
 */
export function explainUnsupportedAmounts({
  status,
  total,
  paid,
  refunded,
  currency,
}: {
  readonly status: PaymentStatus
  readonly total: Amount | null
  readonly paid: Amount | null
  readonly refunded: Amount | null
  readonly currency: Currency
}): string | null {
  if (paid === null || total === null || (status !== 'success' && status !== 'refunded'))
    return null
  const [received, expected] = [
    toAmount(paid - (refunded ?? 0)),
    status === 'success' ? total : toAmount(0),
  ]
  if (received === expected) return null
  const format = (amount: Amount): string => formatMoney(amount, currency)
  return `The amount paid less the amount refunded is ${format(received)}, but ${
    status === 'success'
      ? `the price is ${format(expected)}`
      : 'the status means that it was all refunded'
  }. Write pending in payment_status, and record the payments and refunds after the import.`
}
