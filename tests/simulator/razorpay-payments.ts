/**
 * Simulates the life of a payment at Razorpay. The bank may respond late, even after the payment was reported as
 * failed. Rollcall or the gateway captures an authorised payment. If neither does, the gateway refunds it.
 */
import { isCapture } from './gateway.ts'
import type { Order, Transaction } from './gateway.ts'
import type { Random } from './random.ts'
import { capture } from './razorpay-gateway.ts'
import type { PaymentWebhook } from './razorpay-gateway.ts'
import type { Timeline } from './virtual-time.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** How long the gateway takes to refund a payment that was authorised too late. */
const RETURN_MS = 6 * HOUR_MS

/** How a payment that is not captured immediately is authorised and captured. */
export type LateAuthorization = {
  /** The code that is reported until the bank responds. */
  readonly reportedAs: 'created' | 'no answer' | 'declined'
  /** How long after the start of the payment the bank responds. 0 if it responds immediately. */
  readonly answersMs: number
  /** How long after the bank's response the gateway captures the payment itself. Null if it never does. */
  readonly capturesMs: number | null
}

export function drawLateAuthorization(random: Random): LateAuthorization {
  const isImmediate = random.chance(0.4)
  return {
    reportedAs: random.pick(['created', 'no answer', 'declined'] as const),
    answersMs: isImmediate ? 0 : random.skewed(10 * SECOND_MS, 4 * DAY_MS),
    capturesMs: random.chance(0.6) ? random.skewed(10 * SECOND_MS, 3 * DAY_MS) : null,
  }
}

/** Returns the code that a new payment starts with. */
export const getFirstCode = ({ answersMs, reportedAs }: LateAuthorization): string =>
  answersMs === 0 ? 'authorized' : reportedAs

/** Schedules the changes to a new payment. `announce` sends the webhooks about each change. */
export function followPayment(
  { order, transaction }: { readonly order: Order; readonly transaction: Transaction },
  { answersMs, capturesMs }: LateAuthorization,
  timeline: Timeline,
  announce: (event: PaymentWebhook) => void,
): void {
  const captureMs = order.checkouts.find(({ id }) => id === transaction.checkoutId)?.captureMs ?? 0
  const expiresAt = transaction.at + captureMs
  const isUndecidedAtStart = transaction.code === 'created' || transaction.code === 'authorized'
  const returnPayment = (): void => {
    if (transaction.code !== 'authorized') return
    transaction.code = 'returned'
    announce('refund.processed')
  }
  const authorize = (): void => {
    transaction.code = 'authorized'
    if (isUndecidedAtStart) transaction.authorizedAt = timeline.now()
    announce('payment.authorized')
    const isPaidAlready = order.transactions.some(
      (other) => other.checkoutId === transaction.checkoutId && isCapture(other),
    )
    // Of several payments for an order, the gateway captures one and returns the others.
    const isCapturedByGateway =
      capturesMs !== null && !isPaidAlready && timeline.now() + capturesMs < expiresAt
    if (isCapturedByGateway)
      timeline.schedule(capturesMs, () => {
        if (transaction.code !== 'authorized') return
        capture(transaction, timeline.now())
        announce('payment.captured')
        announce('order.paid')
      })
    timeline.schedule(Math.max(expiresAt - timeline.now(), RETURN_MS), returnPayment)
  }
  if (answersMs === 0) authorize()
  else {
    if (transaction.code !== 'created') announce('payment.failed')
    timeline.schedule(answersMs, authorize)
  }
}

/** Returns how long after its start the payment can still change. */
export const getLateAuthorizationMs = ({ answersMs, capturesMs }: LateAuthorization): number =>
  answersMs + (capturesMs ?? 3 * DAY_MS)
