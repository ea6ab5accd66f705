/** Tracks orders that are not in the database and may have been paid. */
import {
  getReceivedCurrency,
  INR,
  MAX_ATTEMPTS,
  formatInstant,
  formatMoney,
  createOrderId,
} from '../../../engine/index.ts'
import type { Instant, OrderId, Amount, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { UnknownOrder, UnknownPayment } from '../recovery/recovery-types.ts'

// Gateway messages may refer to such orders. After a restore, the next order of each unpaid registration is also
// tracked, because it may have been placed and paid after the backup.

/** The maximum number of orders tracked because of messages. Anyone can send a message with an invented order id. */
const MAX_UNKNOWN_ORDERS = 500
/** The delay after the first query without a response. It doubles after each further one. */
const MIN_RETRY_MS = 60_000
const MAX_RETRY_MS = 6 * 60 * 60_000
/** Queries about an order end after this time without a response. */
const GIVE_UP_AFTER_MS = 10 * 24 * 60 * 60_000

const paymentOfOrder = statement((builder, { orderId }: { orderId: OrderId }) =>
  builder.selectFrom('payments').select('id').where('order_id', '=', orderId),
)
const captureOfUnknownOrder = statement((builder, { orderId }: { orderId: string }) =>
  builder.selectFrom('captures').select('id').where('unknown_order', '=', orderId),
)
const captureByReference = statement(
  (builder, params: { source: string; account: string; reference: string; orderId: string }) =>
    builder
      .selectFrom('captures')
      .select(['id', 'why'])
      .where('source', '=', params.source)
      .where('account', 'in', [params.account, ''])
      .where(({ and, eb, or }) =>
        or([
          eb('reference', '=', params.reference),
          and([eb('reference', '=', params.orderId), eb('unknown_order', '=', params.orderId)]),
        ]),
      ),
)
const updateUnmatched = statement(
  (builder, { id, payer, why: reason }: { id: number; payer: string | null; why: string }) =>
    builder
      .updateTable('captures')
      .set(({ fn, val }) => ({ payer: fn.coalesce('payer', val(payer)), why: reason }))
      .where('id', '=', id)
      .where('state', '=', 'unmatched'),
)
type UnmatchedPayment = {
  source: string
  account: string
  reference: string
  amount: Amount
  currency: string
  kind: 'sale' | 'other' | 'test'
  paidAt: Instant
  at: Instant
  why: string
  eventId: string
  orderId: string
  payer: string | null
}
const addUnmatched = statement((builder, payment: UnmatchedPayment) =>
  builder.insertInto('captures').values({
    source: payment.source,
    account: payment.account,
    reference: payment.reference,
    amount: payment.amount,
    currency: payment.currency,
    kind: payment.kind,
    paid_at: payment.paidAt,
    seen_at: payment.at,
    state: 'unmatched',
    why: payment.why,
    found_for: payment.eventId,
    unknown_order: payment.orderId,
    payer: payment.payer,
  }),
)
const ordersFromMessages = statement((builder) =>
  builder
    .selectFrom('unknown_orders')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('is_claimed', '=', 1),
)
const addOrder = statement(
  (
    builder,
    order: {
      orderId: OrderId
      eventId: string
      at: Instant
      nextPollAt: Instant
      isClaimed: 0 | 1
    },
  ) =>
    builder
      .insertInto('unknown_orders')
      .values({
        order_id: order.orderId,
        event_id: order.eventId,
        at: order.at,
        next_ask_at: order.nextPollAt,
        asks: 0,
        is_claimed: order.isClaimed,
      })
      .onConflict((conflict) => conflict.column('order_id').doNothing()),
)
const unpaidRegistrations = statement((builder) =>
  builder
    .selectFrom('registrations as r')
    .innerJoin('payments as p', 'p.registration_id', 'r.id')
    .select(['r.reg_no as regNo', 'r.event_id as eventId'])
    .select(({ fn }) => fn.max('p.attempt').as('last'))
    .where('r.payment_status', 'in', ['pending', 'failed'])
    .where('p.gateway', 'is not', null)
    .groupBy(['r.id', 'r.reg_no', 'r.event_id'])
    .orderBy('r.id'),
)
const dueOrders = statement((builder, { at, limit }: { at: Instant; limit: number }, dialect) =>
  builder
    .selectFrom('unknown_orders')
    .select(['order_id as orderId', 'event_id as eventId'])
    .where('next_ask_at', '<=', at)
    .orderBy('next_ask_at')
    .orderBy('order_id')
    .limit(dialect.limit(limit)),
)
const unknownOrder = statement((builder, { orderId }: { orderId: OrderId }) =>
  builder
    .selectFrom('unknown_orders')
    .select(['at', 'asks', 'event_id as eventId'])
    .where('order_id', '=', orderId),
)
const postponeQuery = statement(
  (builder, { orderId, nextPollAt }: { orderId: OrderId; nextPollAt: Instant }) =>
    builder
      .updateTable('unknown_orders')
      .set(({ eb }) => ({ asks: eb('asks', '+', 1), next_ask_at: nextPollAt }))
      .where('order_id', '=', orderId),
)
const deleteOrder = statement((builder, { orderId }: { orderId: OrderId }) =>
  builder.deleteFrom('unknown_orders').where('order_id', '=', orderId),
)
const registrationByNumber = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder.selectFrom('registrations').select('reg_no as regNo').where('reg_no', '=', regNo),
)

const isKnownOrder = async (sql: Sql, orderId: string): Promise<boolean> =>
  (await paymentOfOrder.get(sql, { orderId: orderId as OrderId })) !== undefined

/** Returns true if a payment for this order was found. No attempt may then use the order id. */
export const hasUnmatchedPayment = async (sql: Sql, orderId: string): Promise<boolean> =>
  (await captureOfUnknownOrder.get(sql, { orderId })) !== undefined

/**
 * Adds the payments for an unknown order. A reference that a settlement or an earlier message reported is not added
 * again. Returns the number of payments added.
 */
export async function reviewUnknownPayment(sql: Sql, payment: UnknownPayment): Promise<number> {
  const { orderId, eventId, source, account, refunded, at } = payment
  const payer = payment.payer === null ? null : JSON.stringify(payment.payer)
  const refundSentence =
    refunded === 0 ? '' : ` ${formatMoney(refunded, INR)} of it was refunded at the gateway.`
  const receivedAmount = payment.money.reduce((sum, { amount }) => sum + amount, 0)
  if (await isKnownOrder(sql, orderId)) return 0
  let addedCount = 0
  for (const { reference, amount, currency, kind, paidAt } of payment.money) {
    const existingCapture = await captureByReference.get(sql, {
      source,
      account,
      reference,
      orderId,
    })
    if (existingCapture !== undefined) {
      const reason =
        existingCapture.why?.includes(refundSentence) === true
          ? existingCapture.why
          : `${existingCapture.why ?? ''}${refundSentence}`
      updateUnmatched.run(sql, { id: existingCapture.id, payer, why: reason })
      continue
    }
    // No decision is needed after a full refund.
    if (refunded >= receivedAmount) continue
    const dateText = paidAt === null ? '' : ` on ${formatInstant(paidAt)}`
    const reason = `The gateway confirmed a payment of ${formatMoney(amount, getReceivedCurrency({ currency }))}${dateText} for order ${orderId}, which is not in this database.${refundSentence}`
    addUnmatched.run(sql, {
      source,
      account,
      reference,
      amount,
      currency,
      kind,
      paidAt: paidAt ?? at,
      at,
      why: reason,
      eventId,
      orderId,
      payer,
    })
    addedCount += 1
  }
  return addedCount
}

/** Tracks an order that a settlement lists, because a query may return its payer and refunds. */
export async function saveSettledOrder(sql: Sql, order: UnknownOrder, at: Instant): Promise<void> {
  if (ORDER_ID.test(order.orderId)) await saveUnknownOrder(sql, order, at, immediateQuery(at))
}
/** The format that gateways accept for order ids. */
const ORDER_ID = /^[A-Za-z0-9]{1,20}$/

export async function addUnknownOrder(
  sql: Sql,
  { orderId, eventId }: UnknownOrder,
  at: Instant,
): Promise<boolean> {
  const orderCount = await ordersFromMessages.get(sql)
  if ((orderCount?.count ?? 0) >= MAX_UNKNOWN_ORDERS) return false
  await saveUnknownOrder(sql, { orderId, eventId }, at, {
    nextPollAt: (at + MIN_RETRY_MS) as Instant,
    isClaimed: true,
  })
  return true
}

async function saveUnknownOrder(
  sql: Sql,
  { orderId, eventId }: UnknownOrder,
  at: Instant,
  { nextPollAt, isClaimed }: { readonly nextPollAt: Instant; readonly isClaimed: boolean },
): Promise<void> {
  if (await isKnownOrder(sql, orderId)) return
  addOrder.run(sql, {
    orderId,
    eventId,
    at,
    nextPollAt,
    isClaimed: isClaimed ? 1 : 0,
  })
}

const immediateQuery = (at: Instant) => ({ nextPollAt: at, isClaimed: false })

/**
 * Tracks the next attempt of every registration that is unpaid in the restored copy. It may have been placed and paid
 * after the copy was made.
 */
export async function saveNextAttempts(sql: Sql, at: Instant): Promise<void> {
  for (const { regNo, eventId, last } of await unpaidRegistrations.all(sql))
    if (last < MAX_ATTEMPTS)
      await saveUnknownOrder(
        sql,
        { orderId: createOrderId(regNo, last + 1), eventId },
        at,
        immediateQuery(at),
      )
}

/** Returns the unknown orders for which a query is due. Also runs outside the writer's transaction. */
export function readUnknownOrders(
  sql: Sql,
  at: Instant,
  limit: number,
): Promise<readonly UnknownOrder[]> {
  return dueOrders.all(sql, { at, limit })
}

export async function postponeUnknownOrder(sql: Sql, orderId: string, at: Instant): Promise<void> {
  const row = await unknownOrder.get(sql, { orderId: orderId as OrderId })
  if (row === undefined) return
  if (at - row.at >= GIVE_UP_AFTER_MS) return removeOrder(sql, orderId)
  const delay = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** row.asks)
  postponeQuery.run(sql, { orderId: orderId as OrderId, nextPollAt: (at + delay) as Instant })
}

export async function closeUnknownOrder(
  sql: Sql,
  orderId: string,
  isUsed: boolean,
  at: Instant,
): Promise<void> {
  const row = await unknownOrder.get(sql, { orderId: orderId as OrderId })
  if (row === undefined) return
  removeOrder(sql, orderId)
  const owner = isUsed ? await findOwner(sql, orderId) : null
  // The next order is tracked only for a known registration, so that invented order ids cause no further queries.
  if (owner !== null && owner.attempt < MAX_ATTEMPTS)
    await saveUnknownOrder(
      sql,
      { orderId: createOrderId(owner.regNo, owner.attempt + 1), eventId: row.eventId },
      at,
      immediateQuery(at),
    )
}

const removeOrder = (sql: Sql, orderId: string): void =>
  void deleteOrder.run(sql, { orderId: orderId as OrderId })

/** Reads the registration and attempt number from an unknown order's id. Null if the registration does not exist. */
export async function findOwner(
  sql: Sql,
  orderId: string,
): Promise<{ readonly regNo: RegNo; readonly attempt: number } | null> {
  const [, number = '', attempt = ''] = /^(.+)(\d\d)$/.exec(orderId) ?? []
  const row = await registrationByNumber.get(sql, { regNo: number as RegNo })
  return row === undefined ? null : { regNo: row.regNo, attempt: Number(attempt) }
}
