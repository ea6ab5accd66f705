/**
 * Tracks orders that are not in the database and may have been paid.
 * They are named by gateway messages; after a restore, they are also those under which registrations of the copy
 * may have been paid meanwhile.
 */
import { ATTEMPTS_MAX, formatInstant, formatMoney, createOrderId } from '../../../engine/index.ts'
import type { Instant, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { UnknownOrder, UnknownPayment } from '../recovery/recovery-types.ts'
import { LIMIT } from '../registrations/row-mapping.ts'

/** Anybody can name orders that do not exist. */
const NOTED_MAX = 500
/** After the first question without an answer; then twice as long each time. */
const AGAIN_MS_MIN = 60_000
const AGAIN_MS_MAX = 6 * 60 * 60_000
/** An order of which the gateway cannot say anything for so long is asked about no more. */
const GIVEN_UP_MS = 10 * 24 * 60 * 60_000

const isHere = async (sql: Sql, orderId: string): Promise<boolean> =>
  (await sql('SELECT 1 FROM payments WHERE order_id = ?').get(orderId)) !== undefined

/** Returns true if a payment for this order was found, so that no further attempt may use its id. */
export const isPaidElsewhere = async (sql: Sql, orderId: string): Promise<boolean> =>
  (await sql('SELECT 1 FROM captures WHERE unknown_order = ?').get(orderId)) !== undefined

/** Stores each reference once, whatever a settlement or an earlier message has reported about it. */
export async function keepUnknownPayment(sql: Sql, payment: UnknownPayment): Promise<number> {
  const { orderId, eventId, source, account, refunded, at } = payment
  const payer = payment.payer === null ? null : JSON.stringify(payment.payer)
  const back = refunded === 0 ? '' : ` ${formatMoney(refunded)} of it was refunded at the gateway.`
  const came = payment.money.reduce((sum, { amount }) => sum + amount, 0)
  if (await isHere(sql, orderId)) return 0
  let added = 0
  for (const { reference, amount, currency, kind, paidAt } of payment.money) {
    const known = await sql<{ id: number; why: string | null }>(
      `SELECT id, why FROM captures WHERE source = ? AND account IN (?, '') AND (reference = ? OR (reference = ? AND unknown_order = ?))`,
    ).get(source, account, reference, orderId, orderId)
    if (known !== undefined) {
      const why = known.why?.includes(back) === true ? known.why : `${known.why ?? ''}${back}`
      sql(
        "UPDATE captures SET payer = coalesce(payer, ?), why = ? WHERE id = ? AND state = 'unmatched'",
      ).run(payer, why, known.id)
      continue
    }
    // Nothing is left to decide.
    if (refunded >= came) continue
    const when = paidAt === null ? '' : ` on ${formatInstant(paidAt)}`
    const why = `The gateway confirms ${formatMoney(amount)}${when} for the order ${orderId}, which is not in this database.${back}`
    sql(
      `INSERT INTO captures (source, account, reference, amount, currency, kind, paid_at, seen_at, state, why, found_for, unknown_order, payer)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'unmatched', ?, ?, ?, ?)`,
    ).run(
      source,
      account,
      reference,
      amount,
      currency,
      kind,
      paidAt ?? at,
      at,
      why,
      eventId,
      orderId,
      payer,
    )
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

export async function noteUnknownOrder(
  sql: Sql,
  { orderId, eventId }: UnknownOrder,
  at: Instant,
): Promise<boolean> {
  const { n } = (await sql<{ n: number }>(
    'SELECT count(*) AS n FROM unknown_orders WHERE is_claimed = 1',
  ).get()) ?? { n: 0 }
  if (n >= NOTED_MAX) return false
  await note(sql, { orderId, eventId }, at, { askAt: at + AGAIN_MS_MIN, isClaimed: true })
  return true
}

async function note(
  sql: Sql,
  { orderId, eventId }: UnknownOrder,
  at: Instant,
  { askAt, isClaimed }: { readonly askAt: number; readonly isClaimed: boolean },
): Promise<void> {
  if (await isHere(sql, orderId)) return
  sql(
    `INSERT INTO unknown_orders (order_id, event_id, at, next_ask_at, asks, is_claimed) VALUES (?, ?, ?, ?, 0, ?)
     ON CONFLICT (order_id) DO NOTHING`,
  ).run(orderId, eventId, at, askAt, isClaimed ? 1 : 0)
}

const atOnce = (at: Instant) => ({ askAt: at, isClaimed: false })

/**
 * After a restore: the next attempt of every registration unpaid in the copy may have been made and paid
 * meanwhile.
 */
export async function noteNextAttempts(sql: Sql, at: Instant): Promise<void> {
  const unpaid = await sql<{ regNo: RegNo; eventId: string; last: number }>(
    `SELECT r.reg_no AS regNo, r.event_id AS eventId, max(p.attempt) AS last FROM registrations r JOIN payments p ON p.registration_id = r.id
     WHERE r.payment_status IN ('pending', 'failed') AND p.gateway IS NOT NULL GROUP BY r.id, r.reg_no, r.event_id ORDER BY r.id`,
  ).all()
  for (const { regNo, eventId, last } of unpaid)
    if (last < ATTEMPTS_MAX)
      await note(sql, { orderId: createOrderId(regNo, last + 1), eventId }, at, atOnce(at))
}

/** Reads only; also runs outside the writer's transaction. */
export function unknownOrders(
  sql: Sql,
  at: Instant,
  limit: number,
): Promise<readonly UnknownOrder[]> {
  return sql<UnknownOrder>(
    `SELECT order_id AS orderId, event_id AS eventId FROM unknown_orders WHERE next_ask_at <= ? ORDER BY next_ask_at, order_id ${LIMIT}`,
  ).all(at, limit)
}

export async function unknownUndecided(sql: Sql, orderId: string, at: Instant): Promise<void> {
  const row = await sql<{ at: Instant; asks: number }>(
    'SELECT at, asks FROM unknown_orders WHERE order_id = ?',
  ).get(orderId)
  if (row === undefined) return
  if (at - row.at >= GIVEN_UP_MS) return forget(sql, orderId)
  const wait = Math.min(AGAIN_MS_MAX, AGAIN_MS_MIN * 2 ** row.asks)
  sql('UPDATE unknown_orders SET asks = asks + 1, next_ask_at = ? WHERE order_id = ?').run(
    at + wait,
    orderId,
  )
}

export async function unknownDecided(
  sql: Sql,
  orderId: string,
  isUsed: boolean,
  at: Instant,
): Promise<void> {
  const row = await sql<{ eventId: string }>(
    'SELECT event_id AS eventId FROM unknown_orders WHERE order_id = ?',
  ).get(orderId)
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
  void sql('DELETE FROM unknown_orders WHERE order_id = ?').run(orderId)

/** Returns the registration to which an unknown order would belong as an attempt; null: none. Reads only. */
export async function ownerOf(
  sql: Sql,
  orderId: string,
): Promise<{ readonly regNo: RegNo; readonly attempt: number } | null> {
  const [, number = '', attempt = ''] = /^(.+)(\d\d)$/.exec(orderId) ?? []
  const row = await sql<{ regNo: RegNo }>(
    'SELECT reg_no AS regNo FROM registrations WHERE reg_no = ?',
  ).get(number)
  return row === undefined ? null : { regNo: row.regNo, attempt: Number(attempt) }
}
