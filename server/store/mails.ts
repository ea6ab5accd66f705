/** The writes of the mail queue. */
import { assert } from '../../engine/index.ts'
import type { Instant, RegNo } from '../../engine/index.ts'
import type { Sql } from './database.ts'
import type { NewMail } from './store.ts'

export function enqueue(
  sql: Sql,
  registrationId: number,
  kind: 'confirmation' | 'again',
  mail: NewMail,
  at: Instant,
): number {
  const written = sql(
    'INSERT INTO mail_queue (registration_id, kind, recipient, copy_to, subject, body, next_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  ).run(registrationId, kind, mail.to, mail.copyTo, mail.subject, mail.text, at, at)
  return Number(written.lastInsertRowid)
}

export function queueMail(sql: Sql, regNo: RegNo, mail: NewMail, at: Instant): number {
  const registration = sql<{ id: number }>('SELECT id FROM registrations WHERE reg_no = ?').get(
    regNo,
  )
  assert(registration !== undefined, 'a mail for a registration that is not there')
  return enqueue(sql, registration.id, 'again', mail, at)
}

export function mailSent(sql: Sql, id: number, at: Instant): void {
  sql(
    "UPDATE mail_queue SET status = 'sent', sent_at = ?, attempts = attempts + 1, next_at = NULL, error = NULL WHERE id = ? AND status = 'queued'",
  ).run(at, id)
}

export function mailFailed(sql: Sql, id: number, error: string, nextAt: Instant | null): void {
  sql(
    "UPDATE mail_queue SET status = ?, next_at = ?, attempts = attempts + 1, error = ? WHERE id = ? AND status = 'queued'",
  ).run(nextAt === null ? 'failed' : 'queued', nextAt, error, id)
}
