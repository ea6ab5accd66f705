/** Records the balance adjustments of corrections and cancellations: signed lines with a stored sum. */
import { paise } from '../../../engine/index.ts'
import type { Instant, Paise } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'

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

export function dueOf(sql: Sql, registrationId: number): Paise {
  return paise(
    sql<{ due: number }>('SELECT due FROM registrations WHERE id = ?').get(registrationId)?.due ??
      0,
  )
}

/** Money was refunded: reduces the amount to refund accordingly. */
export function paidBack(sql: Sql, registrationId: number, amount: Paise, at: Instant): void {
  const toPayBack = Math.max(0, -dueOf(sql, registrationId))
  addDue(sql, registrationId, { what: 'paid back', amount: Math.min(amount, toPayBack) }, at)
}

/** Limits the amount to refund to the money that is left: earlier refunds count towards it. */
export function wentBackBefore(sql: Sql, registrationId: number, at: Instant): void {
  const tooMuch =
    -dueOf(sql, registrationId) - keptOf(sql, registrationId) - underWayOf(sql, registrationId)
  addDue(sql, registrationId, { what: 'paid back', amount: Math.max(0, tooMuch) }, at)
}

/** Returns how much of the counted payments may be on its way back. */
export function underWayOf(sql: Sql, registrationId: number): Paise {
  const row = sql<{ amount: number | null }>(
    `SELECT sum(f.amount) AS amount FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for
     WHERE p.registration_id = ? AND c.state IN ('fits', 'accepted') AND f.state IN ('wanted', 'asked', 'unsure')`,
  ).get(registrationId)
  return paise(row?.amount ?? 0)
}

/** Returns the counted payments of a registration, less completed and imminent refunds. */
export function keptOf(sql: Sql, registrationId: number): Paise {
  const row = sql<{ kept: number | null }>(
    `SELECT sum(c.amount - (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state <> 'refused')) AS kept
     FROM captures c JOIN payments p ON p.id = c.counts_for WHERE p.registration_id = ? AND c.state IN ('fits', 'accepted')`,
  ).get(registrationId)
  return paise(row?.kept ?? 0)
}
