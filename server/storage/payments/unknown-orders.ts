/**
 * Tracks orders that are not in the database and may have been paid.
 * They are named by gateway messages; after a restore, they are also those under which registrations of the copy
 * may have been paid meanwhile.
 */
import { ATTEMPTS_MAX, formatInstant, formatMoney, createOrderId } from '../../../engine/index.ts'
import type { Instant, OrderId, Paise, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { UnknownOrder, UnknownPayment } from '../recovery/recovery-types.ts'

/** Anybody can name orders that do not exist. */
const NOTED_MAX = 500
/** After the first question without an answer; then twice as long each time. */
const AGAIN_MS_MIN = 60_000
const AGAIN_MS_MAX = 6 * 60 * 60_000
/** An order of which the gateway cannot say anything for so long is asked about no more. */
const GIVEN_UP_MS = 10 * 24 * 60 * 60_000

const paymentOfOrder = statement((builder, { orderId }: { orderId: OrderId }) =>
  builder.selectFrom('payments').select('id').where('order_id', '=', orderId),
)
const captureOfUnknownOrder = statement((builder, { orderId }: { orderId: string }) =>
  builder.selectFrom('captures').select('id').where('unknown_order', '=', orderId),
)
const captureOfReference = statement(
  (builder, given: { source: string; account: string; reference: string; orderId: string }) =>
    builder
      .selectFrom('captures')
      .select(['id', 'why'])
      .where('source', '=', given.source)
      .where('account', 'in', [given.account, ''])
      .where(({ and, eb, or }) =>
        or([
          eb('reference', '=', given.reference),
          and([eb('reference', '=', given.orderId), eb('unknown_order', '=', given.orderId)]),
        ]),
      ),
)
const updateUnmatched = statement(
  (builder, { id, payer, why }: { id: number; payer: string | null; why: string }) =>
    builder
      .updateTable('captures')
      .set(({ fn, val }) => ({ payer: fn.coalesce('payer', val(payer)), why }))
      .where('id', '=', id)
      .where('state', '=', 'unmatched'),
)
type UnmatchedPayment = {
  source: string
  account: string
  reference: string
  amount: Paise
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
const claimedOrders = statement((builder) =>
  builder
    .selectFrom('unknown_orders')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('is_claimed', '=', 1),
)
const addOrder = statement(
  (
    builder,
    order: { orderId: OrderId; eventId: string; at: Instant; askAt: Instant; isClaimed: 0 | 1 },
  ) =>
    builder
      .insertInto('unknown_orders')
      .values({
        order_id: order.orderId,
        event_id: order.eventId,
        at: order.at,
        next_ask_at: order.askAt,
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
const askAgainAt = statement((builder, { orderId, askAt }: { orderId: OrderId; askAt: Instant }) =>
  builder
    .updateTable('unknown_orders')
    .set(({ eb }) => ({ asks: eb('asks', '+', 1), next_ask_at: askAt }))
    .where('order_id', '=', orderId),
)
const deleteOrder = statement((builder, { orderId }: { orderId: OrderId }) =>
  builder.deleteFrom('unknown_orders').where('order_id', '=', orderId),
)
const registrationByNumber = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder.selectFrom('registrations').select('reg_no as regNo').where('reg_no', '=', regNo),
)

const isHere = async (sql: Sql, orderId: string): Promise<boolean> =>
  (await paymentOfOrder.get(sql, { orderId: orderId as OrderId })) !== undefined

/** Returns true if a payment for this order was found, so that no further attempt may use its id. */
export const isPaidElsewhere = async (sql: Sql, orderId: string): Promise<boolean> =>
  (await captureOfUnknownOrder.get(sql, { orderId })) !== undefined

/** Stores each reference once, whatever a settlement or an earlier message has reported about it. */
export async function reviewUnknownPayment(sql: Sql, payment: UnknownPayment): Promise<number> {
  const { orderId, eventId, source, account, refunded, at } = payment
  const payer = payment.payer === null ? null : JSON.stringify(payment.payer)
  const back = refunded === 0 ? '' : ` ${formatMoney(refunded)} of it was refunded at the gateway.`
  const came = payment.money.reduce((sum, { amount }) => sum + amount, 0)
  if (await isHere(sql, orderId)) return 0
  let added = 0
  for (const { reference, amount, currency, kind, paidAt } of payment.money) {
    const known = await captureOfReference.get(sql, { source, account, reference, orderId })
    if (known !== undefined) {
      const why = known.why?.includes(back) === true ? known.why : `${known.why ?? ''}${back}`
      updateUnmatched.run(sql, { id: known.id, payer, why })
      continue
    }
    // Nothing is left to decide.
    if (refunded >= came) continue
    const when = paidAt === null ? '' : ` on ${formatInstant(paidAt)}`
    const why = `The gateway confirms ${formatMoney(amount)}${when} for the order ${orderId}, which is not in this database.${back}`
    addUnmatched.run(sql, {
      source,
      account,
      reference,
      amount,
      currency,
      kind,
      paidAt: paidAt ?? at,
      at,
      why,
      eventId,
      orderId,
      payer,
    })
    added += 1
  }
  return added
}

/** A settlement lists it: the gateway may name the payer, and report refunds. */
export async function noteSettledOrder(sql: Sql, order: UnknownOrder, at: Instant): Promise<void> {
  if (ORDER_ID.test(order.orderId)) await note(sql, order, at, atOnce(at))
}
/** As gateways take it. */
const ORDER_ID = /^[A-Za-z0-9]{1,20}$/

export async function addUnknownOrder(
  sql: Sql,
  { orderId, eventId }: UnknownOrder,
  at: Instant,
): Promise<boolean> {
  const claimed = await claimedOrders.get(sql)
  if ((claimed?.count ?? 0) >= NOTED_MAX) return false
  await note(sql, { orderId, eventId }, at, {
    askAt: (at + AGAIN_MS_MIN) as Instant,
    isClaimed: true,
  })
  return true
}

async function note(
  sql: Sql,
  { orderId, eventId }: UnknownOrder,
  at: Instant,
  { askAt, isClaimed }: { readonly askAt: Instant; readonly isClaimed: boolean },
): Promise<void> {
  if (await isHere(sql, orderId)) return
  addOrder.run(sql, {
    orderId,
    eventId,
    at,
    askAt,
    isClaimed: isClaimed ? 1 : 0,
  })
}

const atOnce = (at: Instant) => ({ askAt: at, isClaimed: false })

/**
 * After a restore: the next attempt of every registration unpaid in the copy may have been made and paid
 * meanwhile.
 */
export async function noteNextAttempts(sql: Sql, at: Instant): Promise<void> {
  for (const { regNo, eventId, last } of await unpaidRegistrations.all(sql))
    if (last < ATTEMPTS_MAX)
      await note(sql, { orderId: createOrderId(regNo, last + 1), eventId }, at, atOnce(at))
}

/** Reads only; also runs outside the writer's transaction. */
export function unknownOrders(
  sql: Sql,
  at: Instant,
  limit: number,
): Promise<readonly UnknownOrder[]> {
  return dueOrders.all(sql, { at, limit })
}

export async function postponeUnknownOrder(sql: Sql, orderId: string, at: Instant): Promise<void> {
  const row = await unknownOrder.get(sql, { orderId: orderId as OrderId })
  if (row === undefined) return
  if (at - row.at >= GIVEN_UP_MS) return forget(sql, orderId)
  const wait = Math.min(AGAIN_MS_MAX, AGAIN_MS_MIN * 2 ** row.asks)
  askAgainAt.run(sql, { orderId: orderId as OrderId, askAt: (at + wait) as Instant })
}

export async function closeUnknownOrder(
  sql: Sql,
  orderId: string,
  isUsed: boolean,
  at: Instant,
): Promise<void> {
  const row = await unknownOrder.get(sql, { orderId: orderId as OrderId })
  if (row === undefined) return
  forget(sql, orderId)
  const owner = isUsed ? await ownerOf(sql, orderId) : null
  // Only of a registration that is here: orders that anybody can name lead to no further questions.
  if (owner !== null && owner.attempt < ATTEMPTS_MAX)
    await note(
      sql,
      { orderId: createOrderId(owner.regNo, owner.attempt + 1), eventId: row.eventId },
      at,
      atOnce(at),
    )
}

const forget = (sql: Sql, orderId: string): void =>
  void deleteOrder.run(sql, { orderId: orderId as OrderId })

/** Returns the registration to which an unknown order would belong as an attempt; null: none. Reads only. */
export async function ownerOf(
  sql: Sql,
  orderId: string,
): Promise<{ readonly regNo: RegNo; readonly attempt: number } | null> {
  const [, number = '', attempt = ''] = /^(.+)(\d\d)$/.exec(orderId) ?? []
  const row = await registrationByNumber.get(sql, { regNo: number as RegNo })
  return row === undefined ? null : { regNo: row.regNo, attempt: Number(attempt) }
}
