/**
 * Payment invariants, checked after every write and again when the simulated system is idle. The gateway's records are
 * the source of truth, and the database must agree with them.
 */
import { findInOrder } from '../../server/storage/database/in-order.ts'
import type { Amount, PaymentStatus, RegistrationState } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { normaliseReference, findAccountType } from './bank.ts'
import type { Bank } from './bank.ts'
import { createCreditedInvariants } from './check-credit-date-prices.ts'
import { createCurrencyInvariants } from './check-currencies.ts'
import { createBalanceInvariants } from './check-due.ts'
import { createEventFigureInvariants } from './check-event-figures.ts'
import { CLOSES_AT, EARLY_ENDS_AT, SEATS, APPROVAL_EVENT } from './events.ts'
import { getCaptureTime, isCapture, isAsOrdered, listCaptures } from './gateway.ts'
import type { Gateway, Order, Transaction } from './gateway.ts'
import { createDocumentInvariants } from './check-documents.ts'
import { DAY_MS } from './plan.ts'
import { createTaxInvariants } from './check-tax.ts'
import { createTaxHalfInvariants } from './check-tax-halves.ts'
import { createGatewayInvariants } from './check-gateways.ts'
import { createSeatInvariants } from './check-seats.ts'
import type { HistoryInvariants } from './check-history.ts'

/** A violated invariant, and the data that violates it. */
export type Violation = { readonly invariant: string; readonly cause: string }

/** The context that the invariants of a history are checked against. */
export type CheckContext = {
  readonly sql: () => Sql
  /** For queries through the server's own code. */
  readonly serverSql: () => Sql
  readonly gateway: Gateway
  readonly bank: Bank
  readonly actionHistory: HistoryInvariants
  /** Returns how long before `CLOSES_AT` a payment may already count as late. 0 if the payment time is exact. */
  readonly getClosingMarginMs: (order: Order) => number
  /** True if the server's clock is never wrong. */
  readonly isClockAccurate: boolean
  /** True if neither the server nor the gateway is ever down. */
  readonly hasNoOutages: boolean
  /** Returns true if the server has the credentials of the order's merchant, so that it can query the order. */
  readonly canQuery: (order: Order) => boolean
}

/** A paid order is polled for a second capture for about five days, at growing intervals. The check allows for gaps. */
const SECOND_CAPTURE_POLLING_MS = 3 * DAY_MS
/** Unpaid orders are polled for ten days, about twice a day. The check covers the first nine. */
const FIRST_CAPTURE_POLLING_MS = 9 * DAY_MS
/** An open payment counts as unresolved after five days. The query that detects this runs within six hours. */
export const MAX_OPEN_MS = 6 * DAY_MS

type PaymentRow = {
  order_id: string
  registration_id: number
  status: PaymentStatus
  reference: string | null
  amount: Amount
  review: string | null
  created_at: number
  /** The payment deadline, if it was extended. Null otherwise. */
  pay_until: number | null
  /** When the delegate was redirected to the gateway with this order. Null if they never were. */
  handed_off_at: number | null
  gateway: string | null
}
type CaptureRow = {
  order_id: string | null
  handed_off_at: number | null
  /** A registration that needed approval has its own payment deadline, which may be after closing. */
  hold_until: number | null
  asks_for: 'whole' | 'difference' | null
  event_id: string | null
  source: string
  reference: string
  amount: Amount
  currency: string
  state: string
  in_review: 0 | 1
  id: number
  registration_id: number | null
  is_cancelled: 0 | 1 | null
  status: PaymentStatus | null
  refunded: Amount
}

const PAYMENTS_SQL = `SELECT order_id, registration_id, status, reference, amount, review, created_at, handed_off_at, gateway,
  (SELECT pay_until FROM registrations r WHERE r.id = registration_id) AS pay_until FROM payments`
const CAPTURES_SQL = `SELECT c.id, c.registration_id, p.order_id, p.handed_off_at, p.hold_until, p.asks_for, r.event_id, c.source, c.reference, c.amount, c.currency, c.state, p.status, r.in_review,
  (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state = 'done') AS refunded,
  r.state = 'cancelled' AS is_cancelled FROM captures c
  LEFT JOIN payments p ON p.id = c.payment_id LEFT JOIN registrations r ON r.id = c.registration_id`
const CANCELLED_SQL = "SELECT id FROM registrations WHERE state = 'cancelled'"
const COUNTS_SQL = `SELECT (SELECT coalesce(sum(registrations), 0) FROM counters WHERE status = 'success') AS counted,
  (SELECT count(*) FROM registrations WHERE payment_status = 'success') AS paid,
  (SELECT coalesce(sum(registrations), 0) FROM counters) AS counted_all,
  (SELECT count(*) FROM registrations) AS registered`
const CONFIRMATIONS_SQL = `SELECT r.reg_no, r.payment_status AS status, r.in_review,
  (SELECT count(*) FROM mail_queue m WHERE m.registration_id = r.id AND m.kind = 'confirmation') AS emails,
  (r.payment_status <> 'success' OR r.due > 0) AND EXISTS (SELECT 1 FROM captures c JOIN decisions d ON d.capture_id = c.id WHERE c.registration_id = r.id AND d.what = 'ask') AS awaits_balance,
  (SELECT count(*) FROM payments p WHERE p.registration_id = r.id AND p.asks_for = 'whole'
    AND (p.status = 'success' OR (p.status = 'refunded' AND r.booked > 0))) AS successes,
  (SELECT count(*) FROM payments p WHERE p.registration_id = r.id AND p.asks_for = 'whole') AS attempts,
  r.is_corrected = 1 AND (r.total = 0 OR r.freed_at_attempt IS NOT NULL) AS was_free FROM registrations r`

const REFUNDS_SQL = `SELECT r.id, c.source, r.state, r.reference, r.amount, p.order_id FROM refunds r
  JOIN captures c ON c.id = r.capture_id JOIN payments p ON p.id = c.payment_id`
/** A refund may remain unsent for one day and then be in progress for five. The limit adds a day. */
const MAX_REFUND_MS = 7 * DAY_MS

const OVERDUE_SQL = `SELECT reg_no, pay_until FROM registrations
  WHERE state = 'to_pay' AND payment_status <> 'success' AND in_review = 0 AND pay_until < ?
    AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.registration_id = registrations.id
      AND p.status = 'pending' AND p.last_answer IN ('in-process', 'unreachable'))`
/** The newest attempts whose recorded expiry time is in the future, and queries that stay claimed too long. */
const EXPIRED_IN_FUTURE_SQL = `SELECT p.order_id, p.status_at, p.asking_until FROM payments p JOIN registrations r ON r.id = p.registration_id
  WHERE p.asking_until - 60000 > ? OR (p.status = 'failed' AND p.reason = 'expired' AND p.status_at > ? AND p.review IS NULL
    AND coalesce(p.handed_off_at, p.created_at) > ? AND r.state IN ('to_pay', 'lapsed') AND r.pay_until IS NULL
    AND p.gateway IS NOT NULL AND NOT EXISTS (SELECT 1 FROM payments n WHERE n.registration_id = r.id AND n.attempt > p.attempt))`
const GATEWAYS: readonly string[] = ['airpay', 'razorpay']

const isPaid = (status: PaymentStatus): boolean => status === 'success' || status === 'refunded'

export type Invariants = {
  afterWrite(now: number): Promise<Violation | null>
  whenIdle(now: number): Promise<Violation | null>
  /** Called when the server has detected that its clock was set back. */
  afterClockWentBack(now: number): Promise<Violation | null>
  /** Returns the part of a registration's refunds that was already due when they were made. */
  getOwedPartOfRefunds(id: number): number
  /** Called when a page shows this registration as paid. */
  checkDisplayedAsPaid(regNo: string): Promise<Violation | null>
}

export function createInvariants(context: CheckContext): Invariants {
  const { sql, serverSql, gateway, bank, actionHistory, getClosingMarginMs, canQuery } = context
  const statusByOrder = new Map<string, PaymentStatus>()
  const findTransaction = (orderId: string, reference: string | null): Transaction | undefined =>
    gateway.orders
      .get(orderId)
      ?.transactions.find((transaction) => transaction.reference === reference)

  const checkPayments = async (): Promise<Violation | null> => {
    for (const row of await sql()<PaymentRow>(PAYMENTS_SQL).all()) {
      const statusBefore = statusByOrder.get(row.order_id)
      if (statusBefore !== undefined && isPaid(statusBefore) && !isPaid(row.status))
        return {
          invariant: 'a successful payment never changes',
          cause: `${row.order_id} was ${statusBefore} and is ${row.status}`,
        }
      if (statusBefore === 'refunded' && row.status === 'success')
        return { invariant: 'a refund is final', cause: row.order_id }
      statusByOrder.set(row.order_id, row.status)
      if (!isPaid(row.status) || row.gateway === null) continue
      // A payment that staff moved keeps its original order.
      const transaction = gateway.find(row.reference)?.transaction
      if (bank.hasReference(row.reference)) continue
      if (transaction === undefined || !isCapture(transaction))
        return {
          invariant: 'a successful payment exists at the gateway',
          cause: `${row.order_id} as ${row.reference}: ${JSON.stringify(transaction ?? null)}`,
        }
    }
    return null
  }
  /** True if the stated payment time is well after the redirect and `CLOSES_AT`. Balance payments have no deadline. */
  const isTooLate = (
    order: Order,
    transaction: Transaction,
    {
      handed_off_at: handedOffAt,
      hold_until: holdUntil,
      event_id: event,
      asks_for: purpose,
    }: CaptureRow,
  ): boolean =>
    purpose === 'whole' &&
    !(event === APPROVAL_EVENT && holdUntil !== null && transaction.at < holdUntil) &&
    order.isTimeStated &&
    getClosingMarginMs(order) === 0 &&
    handedOffAt !== null &&
    transaction.at >= CLOSES_AT + DAY_MS &&
    transaction.at - handedOffAt > 2 * DAY_MS
  // Recorded in the order of writes, because the server's timestamps are unreliable while its clock is wrong.
  const idsReceivedBeforeCancellation = new Set<number>()
  let cancelledIdsBefore = new Set<number>()
  /** Returns true if one status response reported the payment and the refund that cancelled the registration. */
  const isPaidAndRefundedTogether = ({
    registration_id: id,
    status,
    amount,
    refunded,
  }: CaptureRow): boolean =>
    id !== null && !cancelledIdsBefore.has(id) && status === 'refunded' && refunded === amount
  const checkCaptures = async (): Promise<Violation | null> => {
    const countedReferences = new Set<string>()
    for (const row of await sql()<CaptureRow>(CAPTURES_SQL).all()) {
      const cause = JSON.stringify(row)
      if (row.is_cancelled !== 1 || isPaidAndRefundedTogether(row))
        idsReceivedBeforeCancellation.add(row.id)
      if (row.order_id === null && GATEWAYS.includes(row.source)) continue
      if (row.state === 'review' && row.in_review !== 1)
        return { invariant: 'a payment under review puts its registration under review', cause }
      if (row.state === 'fits' && !idsReceivedBeforeCancellation.has(row.id))
        return { invariant: 'a payment for a cancelled registration goes to review', cause }
      if (!GATEWAYS.includes(row.source)) {
        // Each event numbers its own cash payments.
        const accountType = findAccountType(row.source)
        const captureKey = `${accountType === 'bank' ? accountType : `${row.source} of ${row.event_id}`} ${normaliseReference(row.reference)}`
        const bankPayment = bank.find(row.source, row.reference)
        if (
          bankPayment?.amount !== row.amount ||
          bankPayment.currency !== row.currency ||
          countedReferences.has(captureKey)
        )
          return { invariant: 'each payment at the bank is counted once', cause }
        countedReferences.add(captureKey)
        continue
      }
      if (row.order_id === null) continue
      const transaction = findTransaction(row.order_id, row.reference)
      if (transaction === undefined || !isCapture(transaction) || transaction.amount !== row.amount)
        return { invariant: 'every capture exists at the gateway', cause }
      const order = gateway.orders.get(row.order_id)
      if (row.state === 'fits' && (order === undefined || !isAsOrdered(order, transaction)))
        return {
          invariant: 'a payment that differs from its order goes to review',
          cause,
        }
      if (row.state === 'fits' && order !== undefined && isTooLate(order, transaction, row))
        return { invariant: 'a late payment goes to review', cause }
      if (row.state === 'fits' && (row.status === null || !isPaid(row.status)))
        return { invariant: 'a matching payment is marked as successful', cause }
    }
    cancelledIdsBefore = new Set(
      (await sql()<{ id: number }>(CANCELLED_SQL).all()).map(({ id }) => id),
    )
    return null
  }
  const checkCounts = async (): Promise<Violation | null> => {
    const row = (await sql()<Record<string, number>>(COUNTS_SQL).get()) ?? {}
    const { counted, paid, counted_all: countedAll, registered } = row
    return counted !== paid || countedAll !== registered
      ? { invariant: 'the counters equal the number of rows', cause: JSON.stringify(row) }
      : null
  }
  /** The numbers of registrations that have been paid at some time. */
  const everPaidRegNos = new Set<string>()
  const checkConfirmations = async (): Promise<Violation | null> => {
    type Row = {
      reg_no: string
      status: PaymentStatus
      emails: number
      awaits_balance: 0 | 1
      successes: number
      attempts: number
      was_free: 0 | 1
    }
    for (const row of await sql()<Row>(CONFIRMATIONS_SQL).all()) {
      const cause = JSON.stringify(row)
      // There is no email if one status response reported both payment and refund, or if a requested balance is unpaid.
      if (row.status === 'success') everPaidRegNos.add(row.reg_no)
      const isUnconfirmed = row.status === 'refunded' && !everPaidRegNos.has(row.reg_no)
      const mayBeUnconfirmed = (isUnconfirmed || row.awaits_balance === 1) && row.emails === 0
      if (!mayBeUnconfirmed && row.emails !== (isPaid(row.status) ? 1 : 0))
        return { invariant: 'only successful payments are confirmed, once each', cause }
      if (row.successes > 1)
        return { invariant: 'at most one attempt succeeds for each registration', cause }
      // A registration that a correction made free stays paid, even if payments are refunded or it has a price again.
      const isFullyPaid = row.successes === 1 || (row.was_free === 1 && row.status === 'success')
      if (row.attempts > 0 && (row.status === 'success') !== isFullyPaid)
        return { invariant: 'a registration is paid if a payment attempt succeeded', cause }
    }
    return null
  }

  const checkRecordedCaptures = async (): Promise<Violation | null> => {
    type Row = { reference: string; state: string }
    const stateByReference = new Map(
      (await sql()<Row>('SELECT reference, state FROM captures').all()).map((row) => [
        row.reference,
        row.state,
      ]),
    )
    for (const order of gateway.orders.values()) {
      const captures = listCaptures(order)
      const [firstCapture] = captures
      for (const transaction of captures) {
        const isWithinPollingPeriod =
          transaction === firstCapture
            ? getCaptureTime(transaction) - order.at <= FIRST_CAPTURE_POLLING_MS
            : firstCapture !== undefined &&
              getCaptureTime(transaction) - getCaptureTime(firstCapture) <=
                SECOND_CAPTURE_POLLING_MS
        // Payments that status responses omit appear only in the settlement file.
        const isPolled =
          order.reportedCaptures === 'all' && isWithinPollingPeriod && canQuery(order)
        const isRecordRequired =
          transaction.isReported ||
          (transaction.isAnnounced && order.reportedCaptures === 'all' && canQuery(order))
        if ((isRecordRequired || isPolled) && !stateByReference.has(transaction.reference))
          return {
            invariant: 'every capture is successful, accepted or in review',
            cause: `${order.orderId}: ${JSON.stringify(transaction)}`,
          }
      }
    }
    return null
  }
  const checkExpiry = async (now: number): Promise<Violation | null> => {
    for (const row of await sql()<PaymentRow>(PAYMENTS_SQL).all()) {
      const pendingUntil = Math.max(row.created_at + MAX_OPEN_MS, (row.pay_until ?? 0) + DAY_MS)
      // A payment without a redirect or a gateway expires on its due date, or is closed by staff.
      if (row.handed_off_at === null || row.gateway === null) continue
      if (row.status === 'pending' && row.review === null && now > pendingUntil)
        return { invariant: 'no payment is pending forever', cause: JSON.stringify(row) }
    }
    const overdueRegistration = await sql()(OVERDUE_SQL).get(now - DAY_MS)
    if (overdueRegistration !== undefined)
      return {
        invariant: 'an unpaid registration expires on its due date',
        cause: JSON.stringify(overdueRegistration),
      }
    return null
  }
  const requestedAtById = new Map<number, number>()
  const checkRefunds = async (now: number): Promise<Violation | null> => {
    type Row = {
      id: number
      source: string
      state: string
      reference: string | null
      amount: Amount
      order_id: string
    }
    const refundedOrders = [...gateway.orders.values()].filter(
      ({ gatewayRefunds }) => gatewayRefunds.length > 0,
    )
    const rows = await sql()<Row>(REFUNDS_SQL).all()
    /** Returns true for a chargeback, which is checked with its dispute. */
    const isChargeback = ({ reference }: Row): boolean => gateways.recordsLostDispute(reference)
    const isManualRefund = (row: Row): boolean =>
      bank.findRefund(row.reference) !== null || isChargeback(row)
    /** Adds up the rows with this reference: a refund of two payments has one for each. */
    const sumParts = (reference: string | null): number =>
      rows.filter((row) => row.reference === reference).reduce((sum, { amount }) => sum + amount, 0)
    for (const row of rows) {
      const cause = JSON.stringify(row)
      if (isChargeback(row)) continue
      if (isManualRefund(row)) {
        if (row.state !== 'done' || bank.findRefund(row.reference) !== sumParts(row.reference))
          return { invariant: 'manual refunds match the bank', cause }
        continue
      }
      const gatewayRefund = gateway.orders
        .get(row.order_id)
        ?.gatewayRefunds.find(({ reference }) => reference === row.reference)
      if (
        row.state === 'done' &&
        (gatewayRefund === undefined ||
          gatewayRefund.doneAt > now ||
          gatewayRefund.amount < row.amount)
      )
        return { invariant: 'a completed refund exists at the gateway', cause }
      const startedAt = requestedAtById.get(row.id) ?? now
      requestedAtById.set(row.id, startedAt)
      if ((row.state === 'wanted' || row.state === 'asked') && now - startedAt > MAX_REFUND_MS)
        return { invariant: 'no refund is in progress forever', cause }
    }
    for (const { orderId, gatewayRefunds } of refundedOrders) {
      const sentRefunds = rows.filter(
        (row) => row.order_id === orderId && row.state !== 'wanted' && !isManualRefund(row),
      )
      const paidRefunds = gatewayRefunds.filter(({ by }) => by === 'call')
      if (paidRefunds.length > sentRefunds.length)
        return {
          invariant: 'a refund is paid out once',
          cause: `${orderId}: ${JSON.stringify(gatewayRefunds)}`,
        }
    }
    return null
  }
  const isInReview = async (orderId: string): Promise<boolean> =>
    (await sql()('SELECT 1 FROM payments WHERE order_id = ? AND review IS NOT NULL').get(
      orderId,
    )) !== undefined
  const findReviewReason = async (orderId: string): Promise<string> =>
    (
      await sql()<{ review: string }>(
        'SELECT review FROM payments WHERE order_id = ? AND review IS NOT NULL',
      ).get(orderId)
    )?.review ?? 'another order'
  /** Checks that refunds reported by the gateway are recorded or, if they match no payment, in review. */
  const checkReportedRefunds = async (): Promise<Violation | null> => {
    const rows = await sql()<{ reference: string | null; state: string }>(REFUNDS_SQL).all()
    const isDone = (reference: string): boolean =>
      rows.some((row) => row.reference === reference && row.state === 'done')
    for (const { orderId, gatewayRefunds } of gateway.orders.values())
      for (const refund of gatewayRefunds)
        if (refund.isReported && !isDone(refund.reference) && !(await isHandledByStaff(orderId)))
          return {
            invariant: 'every reported refund is recorded',
            cause: `${orderId}: ${JSON.stringify(refund)}`,
          }
    return null
  }
  // While the result of one of Rollcall's refunds is unknown, a refund in the merchant panel may exceed the remaining
  // amount. It is matched after staff have decided.
  const isHandledByStaff = async (orderId: string): Promise<boolean> =>
    (await isInReview(orderId)) ||
    // A manual refund made the refunds exceed the payments. Staff were notified and have resolved the difference.
    (await sql()(
      "SELECT 1 FROM payments p JOIN decisions d ON d.about = 'P' || p.id WHERE p.order_id = ?",
    ).get(orderId)) !== undefined ||
    (await sql()<{ order_id: string; state: string }>(REFUNDS_SQL).all()).some(
      (row) => row.order_id === orderId && row.state !== 'done' && row.state !== 'refused',
    )
  const isKnown = async (reference: string): Promise<boolean> =>
    (await sql()('SELECT 1 FROM captures WHERE reference = ?').get(reference)) !== undefined
  /** Checks that no payment fails because of a "no record" response from another merchant's account. */
  const checkUnqueriedPayments = async (): Promise<Violation | null> => {
    type Row = { order_id: string; status_at: number }
    for (const row of await sql()<Row>(
      "SELECT order_id, status_at FROM payments WHERE status = 'failed' AND reason = 'expired'",
    ).all()) {
      const order = gateway.orders.get(row.order_id)
      if (order === undefined || canQuery(order) || order.isDenied) continue
      const missedPayment = await findInOrder(
        order.transactions,
        async (transaction) =>
          isCapture(transaction) &&
          transaction.at < row.status_at &&
          !(await isKnown(transaction.reference)),
      )
      if (missedPayment !== undefined)
        return {
          invariant: 'a payment that cannot be queried is never marked as failed',
          cause: `${row.order_id}: ${JSON.stringify(missedPayment)}`,
        }
    }
    return null
  }
  const hasMovedPayment = async (id: number): Promise<boolean> =>
    (await sql()(
      'SELECT 1 FROM captures c JOIN payments p ON p.id = c.payment_id WHERE c.registration_id = ? AND p.registration_id <> ?',
    ).get(id, id)) !== undefined
  const hasPaymentElsewhere = async (id: number): Promise<boolean> =>
    (await sql()('SELECT 1 FROM captures WHERE registration_id = ? AND source NOT IN (?, ?)').get(
      id,
      ...GATEWAYS,
    )) !== undefined
  const findHoldDeadline = async (orderId: string): Promise<number | null> =>
    (
      await sql()<{ hold_until: number | null }>(
        'SELECT hold_until FROM payments WHERE order_id = ?',
      ).get(orderId)
    )?.hold_until ?? null
  /** Returns when the registration's first order for this amount was created. */
  const findFirstOrderTime = async (orderId: string): Promise<number> =>
    (
      await sql()<{ at: number }>(
        `SELECT min(p.created_at) AS at FROM payments p JOIN payments o
         ON o.registration_id = p.registration_id AND o.amount = p.amount WHERE o.order_id = ?`,
      ).get(orderId)
    )?.at ?? 0
  const hasPaymentClaim = async (id: number): Promise<boolean> =>
    (await sql()('SELECT 1 FROM tellings WHERE registration_id = ?').get(id)) !== undefined
  const hasDecision = async (id: number): Promise<boolean> =>
    (await sql()('SELECT 1 FROM decisions WHERE registration_id = ?').get(id)) !== undefined
  const checkTimelyPayments = async (): Promise<Violation | null> => {
    type Row = {
      id: number
      event_id: string
      status: PaymentStatus
      in_review: 0 | 1
      state: RegistrationState
      pay_until: number | null
      total: number | null
    }
    for (const { id, event_id, status, in_review, state, pay_until, total } of await sql()<Row>(
      'SELECT id, event_id, payment_status AS status, in_review, state, pay_until, total FROM registrations',
    ).all()) {
      const orders = (
        await sql()<{ order_id: string }>(
          'SELECT order_id FROM payments WHERE registration_id = ?',
        ).all(id)
      ).flatMap(({ order_id }) => gateway.orders.get(order_id) ?? [])
      const captures = orders.flatMap((order) =>
        order.transactions.filter(isCapture).map((capture) => ({ order, transaction: capture })),
      )
      const [onlyPayment] = captures
      if (onlyPayment === undefined || captures.length > 1) continue
      const { order, transaction } = onlyPayment
      if (!canQuery(order)) continue
      // The price is held until a day after its period, even if the delegate starts to pay later. A delegate on the
      // gateway's page always has one day.
      const priceGuaranteedUntil =
        ((await findFirstOrderTime(order.orderId)) < EARLY_ENDS_AT ? EARLY_ENDS_AT : CLOSES_AT) +
        DAY_MS
      // An order at the pre-correction price keeps its own hold, regardless of the registration's deadline.
      // A deadline that staff extended for a payment claim does not apply to an earlier card order, whose payment
      // goes to review.
      const deadline =
        order.requestedAmount === total && !(await hasPaymentClaim(id))
          ? pay_until
          : await findHoldDeadline(order.orderId)
      const isInTime =
        getCaptureTime(transaction) - order.at <= FIRST_CAPTURE_POLLING_MS &&
        transaction.at + getClosingMarginMs(order) <
          Math.min(priceGuaranteedUntil, deadline ?? priceGuaranteedUntil)
      const isCorrect = isAsOrdered(order, transaction) && isInTime
      // This invariant does not apply to payments that staff refunded or moved.
      if (order.gatewayRefunds.length > 0 || (await hasMovedPayment(id))) continue
      // If the registration was already paid outside the gateway, this is a second payment.
      if (await hasPaymentElsewhere(id)) continue
      const isEnded = state === 'cancelled' || state === 'refused'
      if ((event_id === SEATS.event || isEnded) && status !== 'success') {
        // If the seat was sold, or staff cancelled or refused the registration, a payment review is open or decided.
        if (isCorrect && in_review === 0 && !(await hasDecision(id)))
          return {
            invariant:
              'a payment for a seat sold to someone else, or for a cancelled or refused registration, is in review',
            cause: `${order.orderId} is ${status}: ${JSON.stringify(transaction)}`,
          }
        continue
      }
      // A balance due after a correction may also be in review.
      const isOpen = status !== 'success' || (in_review === 1 && (await isInReview(order.orderId)))
      if (isCorrect && isOpen)
        return {
          invariant: 'a single payment that is correct and in time succeeds',
          cause: `${order.orderId} is ${status}${in_review === 1 ? ` and in review (${await findReviewReason(order.orderId)})` : ''}: ${JSON.stringify(transaction)}`,
        }
    }
    return null
  }
  const currencies = createCurrencyInvariants(sql)
  const gateways = createGatewayInvariants(context)
  const seats = createSeatInvariants(sql)
  const documents = createDocumentInvariants(sql)
  const taxes = createTaxInvariants(sql)
  const taxHalves = createTaxHalfInvariants(sql)
  const figures = createEventFigureInvariants(sql, serverSql)
  const balances = createBalanceInvariants(sql, serverSql)
  const creditedPrices = createCreditedInvariants(sql)
  const afterWrite = async (now: number): Promise<Violation | null> =>
    (await checkPayments()) ??
    (await checkCaptures()) ??
    (await checkRefunds(now)) ??
    (await currencies.afterWrite()) ??
    (await gateways.afterWrite()) ??
    (await checkCounts()) ??
    (await checkConfirmations()) ??
    (await seats.afterWrite()) ??
    (await documents.afterWrite()) ??
    (await taxes.afterWrite()) ??
    (await taxHalves.afterWrite()) ??
    (await figures.afterWrite()) ??
    (await actionHistory.afterWrite()) ??
    (await balances.afterWrite()) ??
    (await creditedPrices.afterWrite())
  return {
    afterWrite,
    getOwedPartOfRefunds: balances.getOwedPartOfRefunds,
    afterClockWentBack: async (now) => {
      const row = await sql()(EXPIRED_IN_FUTURE_SQL).get(now, now, now - DAY_MS)
      return row === undefined
        ? null
        : {
            invariant: 'orders that expired because the clock was wrong are reopened',
            cause: JSON.stringify(row),
          }
    },
    whenIdle: async (now) =>
      (await afterWrite(now)) ??
      (await checkExpiry(now)) ??
      (await checkRecordedCaptures()) ??
      (await checkReportedRefunds()) ??
      (await gateways.whenIdle(now)) ??
      (await checkUnqueriedPayments()) ??
      (await checkTimelyPayments()),
    checkDisplayedAsPaid: async (regNo) => {
      // A registration that was free before a correction is shown as paid, although it has no capture.
      const freeRegistration = await sql()(
        `SELECT 1 FROM registrations WHERE reg_no = ? AND is_corrected = 1
           AND (total = max(due, 0) OR (state = 'cancelled' AND freed_at_attempt IS NOT NULL))`,
      ).get(regNo)
      if (freeRegistration !== undefined) return null
      const countedPayments = await sql()<{ reference: string }>(
        "SELECT c.reference FROM captures c JOIN registrations r ON r.id = c.registration_id WHERE r.reg_no = ? AND c.state IN ('fits', 'accepted')",
      ).all(regNo)
      return countedPayments.some(
        ({ reference }) => gateway.find(reference) !== null || bank.hasReference(reference),
      )
        ? null
        : { invariant: 'every payment shown as paid was captured', cause: regNo }
    },
  }
}
