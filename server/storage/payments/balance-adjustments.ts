/** What corrections and cancellations leave to be paid or paid back: signed lines, whose sum stands with the registration. */
import { paise } from '../../../engine/index.ts'
import type { Instant, Paise } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'

type DueWord = 'corrected' | 'cancelled' | 'paid' | 'paid back' | 'given up'

/** Above nothing it is to be paid, below it is to be paid back; nothing is no line. */
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

/** Money has gone back: as much of it as was to be paid back is done. */
export function paidBack(sql: Sql, registrationId: number, amount: Paise, at: Instant): void {
  const toPayBack = Math.max(0, -dueOf(sql, registrationId))
  addDue(sql, registrationId, { what: 'paid back', amount: Math.min(amount, toPayBack) }, at)
}

/** What is to be paid back is no more than what is there: of money that has gone back before, it is done already. */
export function wentBackBefore(sql: Sql, registrationId: number, at: Instant): void {
  const tooMuch =
    -dueOf(sql, registrationId) - keptOf(sql, registrationId) - underWayOf(sql, registrationId)
  addDue(sql, registrationId, { what: 'paid back', amount: Math.max(0, tooMuch) }, at)
}

/** Of what counts for a registration, what may be on its way back. */
export function underWayOf(sql: Sql, registrationId: number): Paise {
  const row = sql<{ amount: number | null }>(
    `SELECT sum(f.amount) AS amount FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for
     WHERE p.registration_id = ? AND c.state IN ('fits', 'accepted') AND f.state IN ('wanted', 'asked', 'unsure')`,
  ).get(registrationId)
  return paise(row?.amount ?? 0)
}

/** What counts as paid for a registration, less what has gone back or is about to. */
export function keptOf(sql: Sql, registrationId: number): Paise {
  const row = sql<{ kept: number | null }>(
    `SELECT sum(c.amount - (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state <> 'refused')) AS kept
     FROM captures c JOIN payments p ON p.id = c.counts_for WHERE p.registration_id = ? AND c.state IN ('fits', 'accepted')`,
  ).get(registrationId)
  return paise(row?.kept ?? 0)
}
