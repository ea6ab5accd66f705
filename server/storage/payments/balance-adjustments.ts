/** Records the balance adjustments of corrections and cancellations: signed lines with a stored sum. */
import { paise } from '../../../engine/index.ts'
import type { Instant, Paise } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { UNDER_WAY } from '../refunds/refund-states-and-channels.ts'

type DueWord = 'corrected' | 'cancelled' | 'paid' | 'paid back' | 'given up'

/** Positive: to be paid; negative: to be refunded; zero: no line. */
export function addDue(
  sql: Sql,
  registrationId: number,
  { what, amount, paymentId = null }: { what: DueWord; amount: number; paymentId?: number | null },
  at: Instant,
): void {
  if (amount === 0) return
  sql(
    'INSERT INTO dues (registration_id, at, what, amount, payment_id) VALUES (?, ?, ?, ?, ?)',
  ).run(registrationId, at, what, amount, paymentId)
}

export async function dueOf(sql: Sql, registrationId: number): Promise<Paise> {
  return paise(
    (await sql<{ due: number }>('SELECT due FROM registrations WHERE id = ?').get(registrationId))
      ?.due ?? 0,
  )
}

/** Money was refunded: reduces the amount to refund accordingly. */
export async function paidBack(
  sql: Sql,
  registrationId: number,
  amount: Paise,
  at: Instant,
): Promise<void> {
  const toPayBack = Math.max(0, -(await dueOf(sql, registrationId)))
  addDue(sql, registrationId, { what: 'paid back', amount: Math.min(amount, toPayBack) }, at)
}

/**
 * Corrects cancellations of older versions, which deducted a refund in progress twice: the amount that the
 * cancellation stated is to be paid back beside that refund. All refunds since count towards both, and nothing is
 * paid back by this: the rest is listed under "Money to pay back".
 */
export async function restoreOlderCancellations(sql: Sql): Promise<void> {
  type Older = {
    id: number
    due: Paise
    at: Instant
    stated: Paise
    in_progress: Paise
    gone: Paise
  }
  const refunded = (which: string): string =>
    `SELECT coalesce(sum(f.amount), 0) FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for
     WHERE p.registration_id = r.id AND c.state IN ('fits', 'accepted') AND ${which}`
  const older = await sql<Older>(
    `SELECT r.id, r.due, d.at, -d.amount AS stated,
       (${refunded(`f.at <= d.at AND (${UNDER_WAY('f')} OR f.state = 'done' AND f.done_at > d.at)`)}) AS in_progress,
       (${refunded("f.state = 'done' AND f.done_at > d.at")}) AS gone
     FROM registrations r JOIN dues d ON d.registration_id = r.id AND d.what = 'cancelled'
     WHERE r.state = 'cancelled' AND (SELECT count(*) FROM dues e WHERE e.registration_id = r.id AND e.what = 'cancelled') = 1
       AND EXISTS (SELECT 1 FROM acts a WHERE a.registration_id = r.id AND a.act = 'cancel' AND a.at = d.at
         AND CAST(a.data ->> '$.pay_back' AS INTEGER) = -d.amount)
     ORDER BY r.id`,
  ).all()
  for (const { id, due, at, stated, in_progress: inProgress, gone } of older) {
    if (inProgress === 0) continue
    const left = (await keptOf(sql, id)) + (await underWayOf(sql, id))
    const wanted = -Math.max(0, Math.min(stated + inProgress - gone, left))
    if (wanted < due) addDue(sql, id, { what: 'corrected', amount: wanted - due }, at)
  }
}

/** Returns how much of the counted payments may be on its way back. */
export async function underWayOf(sql: Sql, registrationId: number): Promise<Paise> {
  const row = await sql<{ amount: number | null }>(
    `SELECT sum(f.amount) AS amount FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for
     WHERE p.registration_id = ? AND c.state IN ('fits', 'accepted') AND ${UNDER_WAY('f')}`,
  ).get(registrationId)
  return paise(row?.amount ?? 0)
}

/** Returns the counted payments of a registration, less completed and imminent refunds. */
export async function keptOf(sql: Sql, registrationId: number): Promise<Paise> {
  const row = await sql<{ kept: number | null }>(
    `SELECT sum(c.amount - (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state <> 'refused')) AS kept
     FROM captures c JOIN payments p ON p.id = c.counts_for WHERE p.registration_id = ? AND c.state IN ('fits', 'accepted')`,
  ).get(registrationId)
  return paise(row?.kept ?? 0)
}
