/** Invariants for Razorpay: which payments Rollcall may capture, and the effects of a failed refund. */
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { readReviews } from '../../server/storage/reviews/open-reviews.ts'
import type { CheckContext, Violation } from './check-payments.ts'
import { getCaptureTime, isCapture } from './gateway.ts'
import type { Gateway, Order, Transaction } from './gateway.ts'
import { RAZORPAY_MERCHANT } from './razorpay-gateway.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** An order without any payment expires after a day. */
const OPEN_MS = 20 * HOUR_MS
/** The maximum duration of a status query that captures a payment. */
const MAX_QUERY_MS = 120_000

type OrderRow = {
  readonly order_id: string
  readonly registration_id: number
  readonly asks_for: 'whole' | 'difference'
}

/** The orders of unpaid registrations that have only one order. */
const UNPAID_SQL = `SELECT p.order_id FROM payments p JOIN registrations r ON r.id = p.registration_id WHERE r.payment_status NOT IN ('success', 'refunded')
  AND r.state NOT IN ('cancelled', 'refused') AND NOT EXISTS (SELECT 1 FROM payments o WHERE o.registration_id = r.id AND o.id <> p.id)`

type RefundRow = { readonly id: number; readonly state: string }
const FAILED_REFUND_SQL = 'SELECT id, state FROM refunds WHERE reference = ?'

export function createRazorpayInvariants(
  sql: () => Sql,
  serverSql: () => Sql,
  gateway: Gateway,
  { isClockAccurate, hasNoOutages }: Pick<CheckContext, 'isClockAccurate' | 'hasNoOutages'>,
): { afterWrite(): Promise<Violation | null>; whenIdle(): Promise<Violation | null> } {
  const checkedReferences = new Set<string>()
  const listOrders = (): readonly Order[] =>
    [...gateway.orders.values()].filter(({ merchantId }) => merchantId === RAZORPAY_MERCHANT)

  /**
   * Returns true if Rollcall captured the payment after its seat was released. The gateway must return such a payment.
   */
  const isCapturedTooLate = (order: Order, transaction: Transaction): boolean => {
    const checkout = order.checkouts.find(({ id }) => id === transaction.checkoutId)
    const elapsedMs = getCaptureTime(transaction) - transaction.at
    return isClockAccurate && elapsedMs > (checkout?.captureMs ?? 0) + MAX_QUERY_MS
  }
  /** Finds a payment for the same registration that the gateway had reported well before this one was captured. */
  const findKnownPayment = async (
    order: Order,
    captured: Transaction,
  ): Promise<Transaction | undefined> => {
    const rows = await sql()<OrderRow>(
      'SELECT order_id, registration_id, asks_for FROM payments',
    ).all()
    const ownRow = rows.find(({ order_id }) => order_id === order.orderId)
    if (ownRow?.asks_for !== 'whole') return undefined
    return rows
      .filter(({ registration_id }) => registration_id === ownRow.registration_id)
      .flatMap(({ order_id }) => gateway.orders.get(order_id)?.transactions ?? [])
      .find(
        (other) =>
          other !== captured &&
          isCapture(other) &&
          other.reportedAt !== null &&
          other.reportedAt < getCaptureTime(captured) - MAX_QUERY_MS,
      )
  }
  /**
   * Returns true if polling must have captured the payment. The time to the next query of an open order is at most half
   * of its age, so polling has found the payment at least twice.
   */
  const shouldBeCaptured = (order: Order, { at, authorizedAt, checkoutId, code }: Transaction) => {
    const checkout = order.checkouts.find(({ id }) => id === checkoutId)
    if (code !== 'returned' || authorizedAt === null || checkout === undefined) return false
    const isOnlyPayment = order.transactions.length === 1
    const ageMs = authorizedAt - order.at
    const expiryAgeMs = at + checkout.captureMs - order.at
    return isOnlyPayment && ageMs < OPEN_MS && expiryAgeMs > 2.25 * ageMs + HOUR_MS
  }
  const checkUncaptured = async (): Promise<Violation | null> => {
    if (!hasNoOutages) return null
    const unpaidOrders = await sql()<{ order_id: string }>(UNPAID_SQL).all()
    for (const order of listOrders()) {
      const missedPayment = order.transactions.find((transaction) =>
        shouldBeCaptured(order, transaction),
      )
      if (
        missedPayment !== undefined &&
        unpaidOrders.some(({ order_id: id }) => id === order.orderId)
      )
        return {
          invariant: 'an authorised payment for an open order is captured',
          cause: `${order.orderId}: ${JSON.stringify(missedPayment)}`,
        }
    }
    return null
  }
  /** Returns true if the refund is in review, or staff have decided on it. */
  const isReopened = async (id: number): Promise<boolean> =>
    (await readReviews(serverSql(), null)).some((review) => review.id === `R${id}`) ||
    (await sql()('SELECT 1 FROM decisions WHERE about = ?').get(`R${id}`)) !== undefined
  return {
    afterWrite: async () => {
      for (const order of listOrders())
        for (const transaction of order.transactions) {
          const { reference, isCapturedByUs } = transaction
          if (!isCapturedByUs || checkedReferences.has(reference)) continue
          checkedReferences.add(reference)
          const cause = `${order.orderId}: ${JSON.stringify(transaction)}`
          if (isCapturedTooLate(order, transaction))
            return { invariant: 'a payment authorised too late is not captured', cause }
          const knownPayment = await findKnownPayment(order, transaction)
          if (knownPayment !== undefined)
            return {
              invariant: 'Rollcall does not capture a second payment for a registration',
              cause: `${cause} after ${JSON.stringify(knownPayment)}`,
            }
        }
      return null
    },
    whenIdle: async () => {
      for (const { orderId, gatewayRefunds } of listOrders())
        for (const refund of gatewayRefunds) {
          if (!refund.isFailureReported) continue
          const row = await sql()<RefundRow>(FAILED_REFUND_SQL).get(refund.reference)
          if (row !== undefined && (row.state !== 'refused' || !(await isReopened(row.id))))
            return {
              invariant: 'staff are asked to decide on a failed refund',
              cause: `${orderId}: ${JSON.stringify({ ...refund, ...row })}`,
            }
        }
      return checkUncaptured()
    },
  }
}
