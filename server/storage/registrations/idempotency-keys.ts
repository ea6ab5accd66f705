/** Stores which form made which registration, so that a form that is sent twice registers once. */
import type { Instant, OrderId, Paise, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { Registered } from './registration-types.ts'

/** How long an idempotency key is kept. */
const KEY_KEPT_MS = 24 * 60 * 60 * 1000

type KeyRow = {
  fingerprint: string
  id: number
  reg_no: RegNo
  total: Paise | null
  order_id: OrderId | null
}

/** In place of a fingerprint: the key made this registration, and opens it no more. */
const KEY_OVER = 'over'

/**
 * The holder or the email address has changed: the browser that made the registration can neither read nor resend
 * it.
 */
export function endKeys(sql: Sql, registrationId: number): void {
  sql('UPDATE idempotency_keys SET fingerprint = ? WHERE registration_id = ?').run(
    KEY_OVER,
    registrationId,
  )
}

/** Reads only; also runs outside the writer's transaction. */
export async function registeredUnder(
  sql: Sql,
  eventId: string,
  key: string,
  at: Instant,
): Promise<{ fingerprint: string; isOver: boolean; registered: Registered } | null> {
  // Subqueries, not a join: one that compares with bound values is planned anew at every run.
  const row = await sql<KeyRow>(
    `SELECT fingerprint, registration_id AS id,
      (SELECT reg_no FROM registrations WHERE id = registration_id) AS reg_no,
      (SELECT total FROM registrations WHERE id = registration_id) AS total,
      (SELECT order_id FROM payments p WHERE p.registration_id = k.registration_id ORDER BY attempt DESC LIMIT 1) AS order_id
     FROM idempotency_keys k WHERE event_id = ? AND key = ? AND at > ?`,
  ).get(eventId, key, at - KEY_KEPT_MS)
  return row === undefined
    ? null
    : {
        fingerprint: row.fingerprint,
        isOver: row.fingerprint === KEY_OVER,
        registered: {
          id: row.id,
          regNo: row.reg_no,
          orderId: row.order_id,
          amount: row.total,
          repeated: true,
        },
      }
}

/** On PostgreSQL others may delete the same rows, and would be waited for: there only this key is forgotten at once. */
export function forgetKeys(sql: Sql, eventId: string, key: string, at: Instant): void {
  if (sql.batch === null) sql('DELETE FROM idempotency_keys WHERE at <= ?').run(at - KEY_KEPT_MS)
  else
    sql('DELETE FROM idempotency_keys WHERE event_id = ? AND key = ? AND at <= ?').run(
      eventId,
      key,
      at - KEY_KEPT_MS,
    )
}
