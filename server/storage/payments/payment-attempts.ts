/** Stores payment attempts, each under its own order id, including those for the balance after a correction. */
import { assert, MAX_ATTEMPTS, closePayment, createOrderId } from '../../../engine/index.ts'
import type { Instant, LastResponse, OrderId, Amount, RegNo } from '../../../engine/index.ts'
import type { Kysely } from 'kysely'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import type { MerchantAccount, PaymentChannel, AttemptQuote } from './payment-types.ts'
import { paymentOfOrder, getQuote, toPayment } from '../registrations/row-mapping.ts'
import type { JoinedPaymentRow } from '../registrations/row-mapping.ts'
import { getStoredBalance } from './balance-adjustments.ts'
import { readPayment, savePaymentState } from './payment-state.ts'
import { settleRegistration } from './settle-registration.ts'
import { hasUnmatchedPayment } from './unknown-orders.ts'

/** The gateway stored for an attempt if the caller names no gateway. References are unique per gateway. */
export const UNKNOWN_GATEWAY = ''

type NewPayment = {
  /** `whole` (the registration's price) if omitted. */
  requestedPart?: 'whole' | 'difference'
  registrationId: number
  orderId: OrderId
  attempt: number
  /** Null if no gateway can be queried about it. */
  gateway: string | null
  /** The payment method's id in the event file. If omitted, the attempt is paid through the gateway. */
  method?: string | null
  merchantAccount: MerchantAccount | null
  amount: Amount
  quote: AttemptQuote | null
  holdUntil: Instant | null
  /** The id of the stored bill whose lines it pays. Null if it has none. */
  bill: number | null
  /** The registration's price, if the attempt requests only the difference. Otherwise the amount of the attempt. */
  billTotal?: Amount | null
  /** False until the delegate is sent to the gateway. The gateway is not queried before that. Default: true. */
  isHandedOff?: boolean
  at: Instant
}
type PaymentColumns = {
  registrationId: number
  orderId: OrderId
  attempt: number
  gateway: string | null
  account: string | null
  merchantId: string | null
  amount: Amount
  period: string | null
  base: Amount | null
  gst: Amount | null
  holdUntil: Instant | null
  bill: number | null
  at: Instant
  nextAskAt: Instant | null
  handedOffAt: Instant | null
  requestedPart: 'whole' | 'difference'
  method: string | null
  billTotal: Amount | null
}
const insertPaymentRow = (builder: Kysely<Tables>, payment: PaymentColumns) =>
  builder.insertInto('payments').values({
    registration_id: payment.registrationId,
    order_id: payment.orderId,
    attempt: payment.attempt,
    gateway: payment.gateway,
    account: payment.account,
    merchant_id: payment.merchantId,
    amount: payment.amount,
    status: 'pending',
    period: payment.period,
    base: payment.base,
    gst: payment.gst,
    hold_until: payment.holdUntil,
    bill: payment.bill,
    created_at: payment.at,
    status_at: payment.at,
    next_ask_at: payment.nextAskAt,
    handed_off_at: payment.handedOffAt,
    asks_for: payment.requestedPart,
    way: payment.method,
    bill_total: payment.billTotal,
  })
const addPayment = statement(insertPaymentRow)
const addPaymentIfOrderIsUnused = statement((builder, payment: PaymentColumns) =>
  insertPaymentRow(builder, payment).onConflict((conflict) =>
    conflict.column('order_id').doNothing(),
  ),
)
type RegistrationParams = { registrationId: number }
const openPayments = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('payments')
    .select('id')
    .where('registration_id', '=', registrationId)
    .where('status', '=', 'pending'),
)
const openBalanceOrders = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('payments')
    .select(['id', 'order_id', 'amount', 'gateway', 'merchant_id', 'way'])
    .where('registration_id', '=', registrationId)
    .where('asks_for', '=', 'difference')
    .where('status', '=', 'pending'),
)
const priceOfRegistration = statement((builder, { registrationId }: RegistrationParams) =>
  builder.selectFrom('registrations').select('total').where('id', '=', registrationId),
)
const setRequestedPrice = statement(
  (builder, { orderId, billTotal }: { orderId: OrderId; billTotal: Amount | null }) =>
    builder.updateTable('payments').set({ bill_total: billTotal }).where('order_id', '=', orderId),
)
const lastAttempt = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('registrations')
    .select('reg_no')
    .select(({ selectFrom }) =>
      selectFrom('payments')
        .select(({ fn }) => fn.max('attempt').as('attempt'))
        .whereRef('registration_id', '=', 'registrations.id')
        .as('last'),
    )
    .where('id', '=', registrationId),
)
const newestPayment = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('payments')
    .selectAll()
    .where('registration_id', '=', registrationId)
    .where('asks_for', '=', 'whole')
    .orderBy(({ eb }) => eb('status', '=', 'success'), 'desc')
    .orderBy('attempt', 'desc')
    .limit(1),
)

/** Stores an attempt. Returns false if the order id is already used. */
export async function insertPayment(
  sql: Sql,
  {
    registrationId,
    orderId,
    attempt,
    gateway,
    merchantAccount,
    amount,
    quote,
    holdUntil,
    bill,
    billTotal = null,
    at,
    requestedPart = 'whole',
    isHandedOff = true,
    method = null,
  }: NewPayment,
): Promise<boolean> {
  // A new registration's order id can be taken only if its number is taken, and that makes the whole operation fail.
  const isBatched = sql.batch !== null && attempt === 1
  const insertResult = (isBatched ? addPayment : addPaymentIfOrderIsUnused).run(sql, {
    registrationId,
    orderId,
    attempt,
    gateway,
    account: merchantAccount?.account ?? null,
    merchantId: merchantAccount?.merchantId ?? null,
    amount,
    period: quote?.period ?? null,
    base: quote?.base ?? null,
    gst: quote?.gst ?? null,
    holdUntil,
    bill,
    at,
    nextAskAt: isHandedOff && method === null ? at : null,
    handedOffAt: isHandedOff ? at : null,
    requestedPart,
    method,
    billTotal,
  })
  return isBatched || (await insertResult.changes) === 1
}

/** Returns the columns that store the gateway or payment method of an attempt. */
export function toChannelColumns(
  channel: NonNullable<PaymentChannel>,
): Pick<NewPayment, 'gateway' | 'merchantAccount' | 'method'> {
  return 'method' in channel
    ? { gateway: null, merchantAccount: null, method: channel.method }
    : channel
}

/** Closes open attempts. A payment that still arrives for one of them is confirmed or needs review. */
export async function closeOpenPayments(
  sql: Sql,
  registrationId: number,
  reason: 'cancelled' | 'corrected' | 'expired',
  at: Instant,
  scope: 'all' | 'difference' = 'all',
): Promise<void> {
  const openAttempts = await (scope === 'all' ? openPayments : openBalanceOrders).all(sql, {
    registrationId,
  })
  for (const { id } of openAttempts) {
    const row = await readPayment(sql, id)
    await savePaymentState(sql, row, closePayment(toPayment(row), reason, at), at)
  }
}

/**
 * Replaces a gateway order with an order that is paid outside the gateway, at the same price. The gateway order keeps
 * its `review`. Returns null if the maximum number of attempts is reached.
 */
export async function replaceByManualOrder(
  sql: Sql,
  row: JoinedPaymentRow,
  { method, review }: { readonly method: string; readonly review: string | null },
  at: Instant,
): Promise<JoinedPaymentRow | null> {
  const attempt = await findNextAttempt(sql, row.registration_id)
  if (attempt > MAX_ATTEMPTS) return null
  // The gateway order is still polled, because a delegate who is still on the gateway's page may still pay there.
  await savePaymentState(
    sql,
    row,
    { ...closePayment(toPayment(row), 'paid by another method', at), review },
    at,
  )
  const orderId = createOrderId(row.reg_no, attempt)
  const isInserted = await insertPayment(sql, {
    requestedPart: row.asks_for,
    registrationId: row.registration_id,
    orderId,
    attempt,
    gateway: null,
    method,
    merchantAccount: null,
    amount: row.amount,
    quote: getQuote(row),
    holdUntil: row.hold_until,
    bill: row.bill,
    billTotal: row.bill_total,
    at,
  })
  assert(isInserted, `order id ${attempt} of a registration is already used`)
  return (await paymentOfOrder.get(sql, { orderId })) ?? null
}

/**
 * Creates a separate order, without a bill, for the balance, and replaces an open order for another amount. Returns the
 * order id. Null if there is no balance or payment method, or the maximum number of attempts is reached.
 */
export async function placeBalanceOrder(
  sql: Sql,
  { id, reg_no: regNo, due }: { readonly id: number; readonly reg_no: RegNo; readonly due: Amount },
  channel: PaymentChannel,
  at: Instant,
): Promise<OrderId | null> {
  const [openOrder, price] = await Promise.all([
    openBalanceOrders.get(sql, { registrationId: id }),
    priceOfRegistration.get(sql, { registrationId: id }),
  ])
  const billTotal = price?.total ?? null
  // The gateway cannot be queried about an order that is paid outside it.
  const channelColumns = channel === null ? undefined : toChannelColumns(channel)
  const isSameChannel =
    channelColumns === undefined ||
    (openOrder?.gateway === channelColumns.gateway &&
      openOrder.way === (channelColumns.method ?? null) &&
      openOrder.merchant_id === (channelColumns.merchantAccount?.merchantId ?? null))
  if (openOrder !== undefined && openOrder.amount === due && isSameChannel) {
    setRequestedPrice.run(sql, { orderId: openOrder.order_id, billTotal })
    return openOrder.order_id
  }
  await closeOpenPayments(sql, id, 'corrected', at, 'difference')
  const attempt = await findNextAttempt(sql, id)
  if (due <= 0 || channel === null || attempt > MAX_ATTEMPTS) return null
  const orderId = createOrderId(regNo, attempt)
  const isInserted = await insertPayment(sql, {
    registrationId: id,
    orderId,
    attempt,
    ...toChannelColumns(channel),
    amount: due,
    quote: null,
    holdUntil: null,
    bill: null,
    billTotal,
    at,
    requestedPart: 'difference',
  })
  assert(isInserted, `order id ${attempt} of a registration is already used`)
  return orderId
}

/** Requests the current balance through the channel of this payment, and closes an open order for another amount. */
export async function requestBalance(sql: Sql, row: JoinedPaymentRow, at: Instant): Promise<void> {
  const {
    registration_id: id,
    reg_no,
    gateway,
    account,
    merchant_id: merchantId,
    way: method,
  } = row
  const merchant = { account: account ?? '', merchantId }
  const channel =
    method === null ? { gateway: gateway ?? '', merchantAccount: merchant } : { method }
  await placeBalanceOrder(sql, { id, reg_no, due: await getStoredBalance(sql, id) }, channel, at)
  await settleRegistration(sql, id)
}

export async function findNextAttempt(sql: Sql, registrationId: number): Promise<number> {
  const row = await lastAttempt.get(sql, { registrationId })
  return row === undefined ? 1 : await findUnusedAttempt(sql, row.reg_no, (row.last ?? 0) + 1)
}

/**
 * Returns the first attempt number, starting from `firstAttempt`, whose order is not known to be paid. The attempt
 * itself may be missing from a restored database.
 */
export async function findUnusedAttempt(
  sql: Sql,
  regNo: RegNo,
  firstAttempt: number,
): Promise<number> {
  let attempt = firstAttempt
  while (attempt <= MAX_ATTEMPTS && (await hasUnmatchedPayment(sql, createOrderId(regNo, attempt))))
    attempt += 1
  return attempt
}

/**
 * Gateway responses after which a payment may still succeed: the bank is processing it, or the gateway is unreachable.
 * Within days, such a payment is resolved or goes to review.
 */
export const RESPONSES_WITH_PENDING_PAYMENT: readonly LastResponse[] = ['in-process', 'unreachable']

/**
 * Replaces the newest attempt with one outside the gateway, at the original price. Keeps a payment that the bank is
 * processing, or that the gateway cannot be queried about, until it is resolved or needs review.
 */
export async function requestManualPayment(
  sql: Sql,
  { id, regNo }: { readonly id: number; readonly regNo: RegNo },
  method: string,
  at: Instant,
): Promise<void> {
  const newestAttempt = await newestPayment.get(sql, { registrationId: id })
  // After an attempt was paid, an order for the difference requests the balance. The full price is not requested again.
  if (
    newestAttempt === undefined ||
    newestAttempt.status === 'success' ||
    newestAttempt.status === 'refunded'
  )
    return
  const { last_answer: lastResponse } = newestAttempt
  const mayStillSucceed =
    lastResponse !== null && RESPONSES_WITH_PENDING_PAYMENT.includes(lastResponse)
  if (newestAttempt.status === 'pending' && (newestAttempt.way !== null || mayStillSucceed)) return
  const attempt = await findNextAttempt(sql, id)
  if (attempt > MAX_ATTEMPTS) return
  await closeOpenPayments(sql, id, 'expired', at)
  await insertPayment(sql, {
    registrationId: id,
    orderId: createOrderId(regNo, attempt),
    attempt,
    gateway: null,
    method,
    merchantAccount: null,
    amount: newestAttempt.amount,
    quote: getQuote(newestAttempt),
    holdUntil: newestAttempt.hold_until,
    bill: newestAttempt.bill,
    at,
  })
}
