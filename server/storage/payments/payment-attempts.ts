/** Stores payment attempts: new ones under separate order ids, and those for a correction's balance. */
import { assert, ATTEMPTS_MAX, closePayment, createOrderId } from '../../../engine/index.ts'
import type { Instant, LastResponse, OrderId, Paise, RegNo } from '../../../engine/index.ts'
import type { Kysely } from 'kysely'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import type { MerchantAccount, PaymentChannel, AttemptQuote } from './payment-types.ts'
import { paymentOfOrder, quoteOf, toPayment } from '../registrations/row-mapping.ts'
import type { OwnedPaymentRow } from '../registrations/row-mapping.ts'
import { paymentById, stand } from './payment-state.ts'
import { isPaidElsewhere } from './unknown-orders.ts'

/** The gateway if the caller names none; references are unique per gateway. */
export const UNNAMED_GATEWAY = ''

type NewPayment = {
  /** Left out: the registration's price. */
  asksFor?: 'whole' | 'difference'
  registrationId: number
  orderId: OrderId
  attempt: number
  /** Null: no gateway is asked about it. */
  gateway: string | null
  /** By which way of the file it is paid; left out: through the gateway. */
  way?: string | null
  askedOf: MerchantAccount | null
  amount: Paise
  quote: AttemptQuote | null
  holdUntil: Instant | null
  /** Under which its lines are kept; null: it has none. */
  bill: number | null
  /** Of a difference, what the registration costs; left out: the amount. */
  billTotal?: Paise | null
  /** False: nobody was sent to pay yet, and the gateway is not asked about it before somebody is. Left out: true. */
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
  amount: Paise
  period: string | null
  base: Paise | null
  gst: Paise | null
  holdUntil: Instant | null
  bill: number | null
  at: Instant
  nextAskAt: Instant | null
  handedOffAt: Instant | null
  asksFor: 'whole' | 'difference'
  way: string | null
  billTotal: Paise | null
}
const newPayment = (builder: Kysely<Tables>, payment: PaymentColumns) =>
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
    asks_for: payment.asksFor,
    way: payment.way,
    bill_total: payment.billTotal,
  })
const addPayment = statement(newPayment)
const addPaymentOfFreeOrder = statement((builder, payment: PaymentColumns) =>
  newPayment(builder, payment).onConflict((conflict) => conflict.column('order_id').doNothing()),
)
type OfRegistration = { registrationId: number }
const openPayments = statement((builder, { registrationId }: OfRegistration) =>
  builder
    .selectFrom('payments')
    .select('id')
    .where('registration_id', '=', registrationId)
    .where('status', '=', 'pending'),
)
const openDifferences = statement((builder, { registrationId }: OfRegistration) =>
  builder
    .selectFrom('payments')
    .select(['id', 'order_id', 'amount', 'gateway', 'merchant_id', 'way'])
    .where('registration_id', '=', registrationId)
    .where('asks_for', '=', 'difference')
    .where('status', '=', 'pending'),
)
const priceOfRegistration = statement((builder, { registrationId }: OfRegistration) =>
  builder.selectFrom('registrations').select('total').where('id', '=', registrationId),
)
const setPriceAsked = statement(
  (builder, { orderId, billTotal }: { orderId: OrderId; billTotal: Paise | null }) =>
    builder.updateTable('payments').set({ bill_total: billTotal }).where('order_id', '=', orderId),
)
const lastAttempt = statement((builder, { registrationId }: OfRegistration) =>
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
const newestPayment = statement((builder, { registrationId }: OfRegistration) =>
  builder
    .selectFrom('payments')
    .selectAll()
    .where('registration_id', '=', registrationId)
    .where('asks_for', '=', 'whole')
    .orderBy(({ eb }) => eb('status', '=', 'success'), 'desc')
    .orderBy('attempt', 'desc')
    .limit(1),
)

/** False: the order id is taken. */
export async function insertPayment(
  sql: Sql,
  {
    registrationId,
    orderId,
    attempt,
    gateway,
    askedOf,
    amount,
    quote,
    holdUntil,
    bill,
    billTotal = null,
    at,
    asksFor = 'whole',
    isHandedOff = true,
    way = null,
  }: NewPayment,
): Promise<boolean> {
  // A new registration's order id is taken only if its number is, which fails the whole operation.
  const isBatched = sql.batch !== null && attempt === 1
  const written = (isBatched ? addPayment : addPaymentOfFreeOrder).run(sql, {
    registrationId,
    orderId,
    attempt,
    gateway,
    account: askedOf?.account ?? null,
    merchantId: askedOf?.merchantId ?? null,
    amount,
    period: quote?.period ?? null,
    base: quote?.base ?? null,
    gst: quote?.gst ?? null,
    holdUntil,
    bill,
    at,
    nextAskAt: isHandedOff && way === null ? at : null,
    handedOffAt: isHandedOff ? at : null,
    asksFor,
    way,
    billTotal,
  })
  return isBatched || (await written.changes) === 1
}

/** Returns the gateway or payment method of an attempt, as stored in its columns. */
export function askedThrough(
  through: NonNullable<PaymentChannel>,
): Pick<NewPayment, 'gateway' | 'askedOf' | 'way'> {
  return 'way' in through ? { gateway: null, askedOf: null, way: through.way } : through
}

/** Ends open attempts; money that arrives for them all the same is a success, or needs review. */
export async function endOpenPayments(
  sql: Sql,
  registrationId: number,
  why: 'cancelled' | 'corrected' | 'expired',
  at: Instant,
  of: 'all' | 'difference' = 'all',
): Promise<void> {
  const open = await (of === 'all' ? openPayments : openDifferences).all(sql, { registrationId })
  for (const { id } of open) {
    const row = await paymentById(sql, id)
    await stand(sql, row, closePayment(toPayment(row), why, at), at)
  }
}

/**
 * Replaces a gateway's order by one paid outside, at the same price; `review` stays with the previous one. Null:
 * the maximum number of attempts is reached.
 */
export async function byHandInstead(
  sql: Sql,
  row: OwnedPaymentRow,
  { way, review }: { readonly way: string; readonly review: string | null },
  at: Instant,
): Promise<OwnedPaymentRow | null> {
  const attempt = await nextAttempt(sql, row.registration_id)
  if (attempt > ATTEMPTS_MAX) return null
  // Whoever is still in front of the gateway's page pays there, and is looked for there.
  await stand(sql, row, { ...closePayment(toPayment(row), 'paid otherwise', at), review }, at)
  const orderId = createOrderId(row.reg_no, attempt)
  const added = await insertPayment(sql, {
    asksFor: row.asks_for,
    registrationId: row.registration_id,
    orderId,
    attempt,
    gateway: null,
    way,
    askedOf: null,
    amount: row.amount,
    quote: quoteOf(row),
    holdUntil: row.hold_until,
    bill: row.bill,
    billTotal: row.bill_total,
    at,
  })
  assert(added, `order id ${attempt} of a registration is taken`)
  return (await paymentOfOrder.get(sql, { orderId })) ?? null
}

/**
 * Places an order for the balance beside the bill, replacing an open one for another amount. Returns its id;
 * null: no balance, no payment method, or the maximum number of attempts is reached.
 */
export async function askDifference(
  sql: Sql,
  { id, reg_no: regNo, due }: { readonly id: number; readonly reg_no: RegNo; readonly due: Paise },
  through: PaymentChannel,
  at: Instant,
): Promise<OrderId | null> {
  const [open, price] = await Promise.all([
    openDifferences.get(sql, { registrationId: id }),
    priceOfRegistration.get(sql, { registrationId: id }),
  ])
  const billTotal = price?.total ?? null
  // One that is paid elsewhere is no order for a gateway, which would not be asked about it.
  const asks = through === null ? undefined : askedThrough(through)
  const isSame =
    asks === undefined ||
    (open?.gateway === asks.gateway &&
      open.way === (asks.way ?? null) &&
      open.merchant_id === (asks.askedOf?.merchantId ?? null))
  if (open !== undefined && open.amount === due && isSame) {
    setPriceAsked.run(sql, { orderId: open.order_id, billTotal })
    return open.order_id
  }
  await endOpenPayments(sql, id, 'corrected', at, 'difference')
  const attempt = await nextAttempt(sql, id)
  if (due <= 0 || through === null || attempt > ATTEMPTS_MAX) return null
  const orderId = createOrderId(regNo, attempt)
  const added = await insertPayment(sql, {
    registrationId: id,
    orderId,
    attempt,
    ...askedThrough(through),
    amount: due,
    quote: null,
    holdUntil: null,
    bill: null,
    billTotal,
    at,
    asksFor: 'difference',
  })
  assert(added, `order id ${attempt} of a registration is taken`)
  return orderId
}

export async function nextAttempt(sql: Sql, registrationId: number): Promise<number> {
  const row = await lastAttempt.get(sql, { registrationId })
  return row === undefined ? 1 : await unusedAttempt(sql, row.reg_no, (row.last ?? 0) + 1)
}

/**
 * Starts at that attempt and returns the first whose order is not known to be paid: a restored database may lack
 * the attempt itself.
 */
export async function unusedAttempt(sql: Sql, regNo: RegNo, from: number): Promise<number> {
  let attempt = from
  while (attempt <= ATTEMPTS_MAX && (await isPaidElsewhere(sql, createOrderId(regNo, attempt))))
    attempt += 1
  return attempt
}

/**
 * Gateway responses after which a payment may still succeed: the bank is processing it, or the gateway is unreachable.
 * Such a payment is settled or under review within days.
 */
export const MAY_COME_AFTER: readonly LastResponse[] = ['in-process', 'unreachable']

/**
 * Makes the newest attempt one without a gateway, at the original price. A payment that the bank is processing,
 * or that the gateway cannot be queried about, stays: it ends by itself, or needs review.
 */
export async function payByHand(
  sql: Sql,
  { id, regNo }: { readonly id: number; readonly regNo: RegNo },
  way: string,
  at: Instant,
): Promise<void> {
  const newest = await newestPayment.get(sql, { registrationId: id })
  // Once any attempt has paid, an order for the difference asks for what is due: the whole is asked for no more.
  if (newest === undefined || newest.status === 'success' || newest.status === 'refunded') return
  const { last_answer: answer } = newest
  const mayCome = answer !== null && MAY_COME_AFTER.includes(answer)
  if (newest.status === 'pending' && (newest.way !== null || mayCome)) return
  const attempt = await nextAttempt(sql, id)
  if (attempt > ATTEMPTS_MAX) return
  await endOpenPayments(sql, id, 'expired', at)
  await insertPayment(sql, {
    registrationId: id,
    orderId: createOrderId(regNo, attempt),
    attempt,
    gateway: null,
    way,
    askedOf: null,
    amount: newest.amount,
    quote: quoteOf(newest),
    holdUntil: newest.hold_until,
    bill: newest.bill,
    at,
  })
}
