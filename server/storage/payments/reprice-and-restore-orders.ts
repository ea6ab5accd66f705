/** Reprices orders by the date and method of a manual payment. Restores the orders if the payment is not counted. */
import type { Selectable } from 'kysely'
import { filterInOrder } from '../database/in-order.ts'
import {
  assert,
  MAX_ATTEMPTS,
  closePayment,
  createOrderId,
  isDeskPayment,
  isManualMethod,
} from '../../../engine/index.ts'
import type { Instant, OrderId, Payment, Quote, RegNo } from '../../../engine/index.ts'
import type { CaptureRow } from '../database/statements/money-tables.ts'
import { paymentOfOrder, getQuote, toPayment } from '../registrations/row-mapping.ts'
import type { JoinedPaymentRow } from '../registrations/row-mapping.ts'
import { closeOpenPayments, insertPayment, findNextAttempt } from './payment-attempts.ts'
import { removeReason, savePaymentState } from './payment-state.ts'
import { saveLines } from './stored-bill-lines.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { settleRegistration } from './settle-registration.ts'

/** Selects a registration if it is unpaid, is not under review, and uses one of these methods. */
const unpaidRegistration = statement(
  (builder, { regNo, methods }: { regNo: RegNo; methods: string }, dialect) =>
    builder
      .selectFrom('registrations as r')
      .innerJoin('payments as p', (join) =>
        join.on('p.id', '=', ({ selectFrom }) =>
          selectFrom('payments')
            .select('id')
            .whereRef('registration_id', '=', 'r.id')
            .orderBy('attempt', 'desc')
            .limit(1),
        ),
      )
      .select('r.id')
      .where('r.reg_no', '=', regNo)
      .where('r.state', 'in', ['to_pay', 'told', 'lapsed'])
      .where('r.payment_status', 'not in', ['success', 'refunded'])
      .where('r.in_review', '=', 0)
      .where(({ ref }) => dialect.isIn(ref('p.way'), methods)),
)
const newestPayment = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('payments')
    .select(['status', 'amount', 'way', 'hold_until'])
    .where('registration_id', '=', registrationId)
    .where('asks_for', '=', 'whole')
    .orderBy('attempt', 'desc')
    .limit(1),
)
/** Selects attempts for the full price, newest first. */
const wholePayments = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('payments as p')
    .innerJoin('registrations as r', 'r.id', 'p.registration_id')
    .selectAll('p')
    .select('r.state')
    .where('p.registration_id', '=', registrationId)
    .where('p.asks_for', '=', 'whole')
    .orderBy('p.attempt', 'desc'),
)
const payableRegistration = statement(
  (builder, { registrationId, at }: { registrationId: number; at: Instant }) =>
    builder
      .selectFrom('registrations')
      .select('id')
      .where('id', '=', registrationId)
      .where('state', 'in', ['to_pay', 'told'])
      .where('in_review', '=', 0)
      .where('freed_at_attempt', 'is', null)
      .where(({ eb, or }) => or([eb('pay_until', 'is', null), eb('pay_until', '>', at)])),
)
/**
 * Selects the payment that the gateway received for an order, if staff refused or moved it. If there is none, the order
 * can still be paid.
 */
const decidedCapture = statement(
  (builder, { id, gateway }: { id: number; gateway: string | null }) =>
    builder
      .selectFrom('captures')
      .select('id')
      .where('payment_id', '=', id)
      .where('source', '=', gateway)
      .where(({ eb, or }) => or([eb('state', '=', 'refused'), eb('counts_for', '<>', id)]))
      .limit(1),
)
const moveOfPayment = statement((builder, { captureId, at }: { captureId: number; at: Instant }) =>
  builder
    .selectFrom('decisions')
    .select('id')
    .where('capture_id', '=', captureId)
    .where('what', '=', 'move')
    .where('at', '=', at)
    .limit(1),
)
const setUncorrected = statement((builder, { id }: { id: number }) =>
  builder.updateTable('registrations').set({ is_corrected: 0 }).where('id', '=', id),
)

/**
 * Changes unpaid registrations to the price on a date, so that every list and page shows the balance for a payment on
 * that date. Skips registrations that were paid, changed their payment method or went to review in the meantime.
 * Returns the number of changed registrations.
 */
export async function repriceByCreditDate(
  sql: Sql,
  prices: readonly {
    readonly regNo: RegNo
    readonly methods: readonly string[]
    readonly quote: Quote
  }[],
  at: Instant,
): Promise<number> {
  const changedRegistrations = await filterInOrder(prices, async ({ regNo, methods, quote }) => {
    const row = await unpaidRegistration.get(sql, { regNo, methods: JSON.stringify(methods) })
    return row !== undefined && (await reprice(sql, { id: row.id, regNo }, quote, at))
  })
  return changedRegistrations.length
}

/**
 * Places another attempt for an unpaid registration, at the price on its payment date. Returns false if no order was
 * placed.
 */
export async function reprice(
  sql: Sql,
  { id, regNo }: { readonly id: number; readonly regNo: RegNo },
  quote: Quote,
  at: Instant,
  /**
   * The manual method, or the event file's own office method, that the delegate used instead of paying a gateway order.
   * The gateway order is closed.
   */
  manualMethod: string | null = null,
): Promise<boolean> {
  const [newest, attempt] = await Promise.all([
    newestPayment.get(sql, { registrationId: id }),
    findNextAttempt(sql, id),
  ])
  const isOpen = newest?.status === 'pending' || newest?.status === 'failed'
  if (newest === undefined || !isOpen || newest.amount === quote.total || attempt > MAX_ATTEMPTS)
    return false
  await closeOpenPayments(sql, id, 'corrected', at)
  setUncorrected.run(sql, { id })
  await insertPayment(sql, {
    registrationId: id,
    orderId: createOrderId(regNo, attempt),
    attempt,
    gateway: null,
    method: newest.way ?? manualMethod,
    merchantAccount: null,
    amount: quote.total,
    quote,
    holdUntil: newest.hold_until,
    bill: saveLines(sql, id, attempt, quote.lines),
    at,
  })
  await settleRegistration(sql, id)
  return true
}

/**
 * Closes the order of a manual payment that is not counted, because it was dismissed, returned or moved. A front-desk
 * payment does not close a transfer order. A manual payment closes a gateway order only if staff have already refused
 * or moved the gateway's own payment for that order.
 */
export async function closeManualPayment(
  sql: Sql,
  capture: CaptureRow,
  row: JoinedPaymentRow,
  reason: 'dismissed' | 'given back' | 'moved',
  at: Instant,
): Promise<void> {
  const isDesk = isManualMethod(capture.source) && isDeskPayment(capture.source)
  const review = removeReason(row.review, capture.why)
  const payment = { ...toPayment(row), review }
  const isUnrelatedOrder =
    !(await wasPlacedFor(sql, row, capture)) &&
    (row.gateway === null ? isDesk : (await decidedCapture.get(sql, row)) === undefined)
  const next = review !== null || isUnrelatedOrder ? payment : closePayment(payment, reason, at)
  // If another capture paid the order, only this capture kept the registration in review.
  if (!(await savePaymentState(sql, row, next, at)))
    await settleRegistration(sql, row.registration_id)
  await restoreOrder(sql, row, capture, at)
}

/** Returns true if recording the payment, or moving it here, made `reprice` place this order. */
const wasPlacedFor = async (
  sql: Sql,
  row: JoinedPaymentRow,
  { id, seen_at: recordedAt }: CaptureRow,
): Promise<boolean> =>
  row.asks_for === 'whole' &&
  row.attempt > 1 &&
  (row.created_at === recordedAt ||
    (await moveOfPayment.get(sql, { captureId: id, at: row.created_at })) !== undefined)

/**
 * Restores the previous order if the current one was placed for a payment that is not counted. Restores the method, the
 * price, and the time until which the price is guaranteed.
 */
export async function restoreOrder(
  sql: Sql,
  row: JoinedPaymentRow,
  capture: CaptureRow,
  at: Instant,
): Promise<void> {
  if (!(await wasPlacedFor(sql, row, capture))) return
  const { id, registration_id: registrationId, reg_no: regNo } = row
  const [[placedOrder, previousOrder], attempt] = await Promise.all([
    wholePayments.all(sql, { registrationId }),
    findNextAttempt(sql, registrationId),
  ])
  if (
    placedOrder?.id !== id ||
    placedOrder.status !== 'failed' ||
    previousOrder?.status !== 'failed'
  )
    return
  const isUnpaid =
    placedOrder.state === 'to_pay' || placedOrder.state === 'told' || placedOrder.state === 'lapsed'
  if (!isUnpaid || placedOrder.amount === previousOrder.amount || attempt > MAX_ATTEMPTS) return
  const orderId = await replaceOrder(sql, { registrationId, regNo, attempt, at }, previousOrder)
  const { reason } = previousOrder
  if (reason === null || reason === 'corrected') return settleRegistration(sql, registrationId)
  // The order had expired or been declined before the payment was recorded.
  const restoredOrder = await paymentOfOrder.get(sql, { orderId })
  assert(restoredOrder !== undefined, 'a placed order was not found')
  await savePaymentState(sql, restoredOrder, closePayment(toPayment(restoredOrder), reason, at), at)
}

/**
 * Restores the request for a manual payment when the card payment that replaced it is closed unpaid. If the
 * registration still holds its seats, the method and price of the request apply again. If the card payment arrives
 * late, it is handled as for any closed order. Call this before storing that the card payment is closed, so that the
 * registration always has an open request.
 */
export async function restoreManualRequest(
  sql: Sql,
  row: JoinedPaymentRow,
  next: Payment,
  at: Instant,
): Promise<void> {
  if (row.status !== 'pending' || row.gateway === null || next.review !== null) return
  const { registration_id: registrationId, reg_no: regNo } = row
  const payments = await wholePayments.all(sql, { registrationId })
  const request = payments.find(({ way }) => way !== null)
  const isReplaced = request?.status === 'failed' && request.reason === 'expired'
  if (payments[0]?.id !== row.id || request === undefined || !isReplaced) return
  // An order without a price cannot be restored.
  if (getQuote(request) === null && request.amount !== row.amount) return
  if (payments.some(({ status }) => status === 'success' || status === 'refunded')) return
  const [payable, attempt] = await Promise.all([
    payableRegistration.get(sql, { registrationId, at }),
    findNextAttempt(sql, registrationId),
  ])
  if (payable === undefined || attempt > MAX_ATTEMPTS) return
  await replaceOrder(sql, { registrationId, regNo, attempt, at }, request)
}

/** Places another order with the method, account, price and price guarantee of an earlier order. */
async function replaceOrder(
  sql: Sql,
  {
    registrationId,
    regNo,
    attempt,
    at,
  }: {
    readonly registrationId: number
    readonly regNo: RegNo
    readonly attempt: number
    readonly at: Instant
  },
  earlier: Selectable<Tables['payments']>,
): Promise<OrderId> {
  const { gateway, account, merchant_id: merchantId, way: method, amount, bill } = earlier
  const orderId = createOrderId(regNo, attempt)
  const isInserted = await insertPayment(sql, {
    registrationId,
    orderId,
    attempt,
    gateway,
    method,
    merchantAccount: account === null ? null : { account, merchantId },
    amount,
    quote: getQuote(earlier),
    holdUntil: earlier.hold_until,
    bill,
    at,
  })
  assert(isInserted, `order id ${attempt} of a registration is already used`)
  return orderId
}
