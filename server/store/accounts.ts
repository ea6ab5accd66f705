/** The writes around the office: admins, sessions, audit log, event files; and the health check. */
import { assert, err, ok } from '../../engine/index.ts'
import type { Instant, Limit, RegNo, Result } from '../../engine/index.ts'
import type { Sql } from './database.ts'
import { setLimits } from './places.ts'

export function addAdmin(
  sql: Sql,
  username: string,
  passwordHash: string,
  at: Instant,
): Result<number, { readonly code: 'username_taken' }> {
  const written = sql(
    'INSERT INTO admins (username, password_hash, created_at, changed_at) VALUES (?, ?, ?, ?) ON CONFLICT (username) DO NOTHING',
  ).run(username, passwordHash, at, at)
  return written.changes === 1
    ? ok(Number(written.lastInsertRowid))
    : err({ code: 'username_taken' })
}

export function setPassword(
  sql: Sql,
  username: string,
  passwordHash: string,
  at: Instant,
): boolean {
  const changed =
    sql('UPDATE admins SET password_hash = ?, changed_at = ? WHERE username = ?').run(
      passwordHash,
      at,
      username,
    ).changes === 1
  if (changed)
    sql('DELETE FROM sessions WHERE admin_id = (SELECT id FROM admins WHERE username = ?)').run(
      username,
    )
  return changed
}

/** Takes an admin away with all sessions; the last one stays, because nobody could sign in any more. */
export function removeAdmin(sql: Sql, username: string): 'removed' | 'unknown' | 'last' {
  const count = Number(sql('SELECT count(*) FROM admins').pluck().get())
  const known = sql('SELECT 1 FROM admins WHERE username = ?').get(username) !== undefined
  if (!known) return 'unknown'
  if (count === 1) return 'last'
  sql('DELETE FROM sessions WHERE admin_id = (SELECT id FROM admins WHERE username = ?)').run(
    username,
  )
  sql('DELETE FROM admins WHERE username = ?').run(username)
  return 'removed'
}

export type NewSession = {
  readonly tokenHash: string
  readonly adminId: number
  readonly at: Instant
  readonly expiresAt: Instant
}
export function openSession(sql: Sql, session: NewSession): void {
  sql('DELETE FROM sessions WHERE expires_at <= ?').run(session.at)
  sql(
    'INSERT INTO sessions (token_hash, admin_id, created_at, expires_at, seen_at) VALUES (?, ?, ?, ?, ?)',
  ).run(session.tokenHash, session.adminId, session.at, session.expiresAt, session.at)
}

export function touchSession(sql: Sql, tokenHash: string, at: Instant): void {
  sql('UPDATE sessions SET seen_at = max(seen_at, ?) WHERE token_hash = ?').run(at, tokenHash)
}

export function closeSession(sql: Sql, tokenHash: string): void {
  sql('DELETE FROM sessions WHERE token_hash = ?').run(tokenHash)
}

export type AuditEntry = {
  readonly at: Instant
  readonly who: string
  readonly what: string
  readonly eventId: string | null
  readonly regNo: RegNo | null
}
export function audit(sql: Sql, { at, who, what, eventId, regNo }: AuditEntry): void {
  sql(
    'INSERT INTO audit_log (at, who, what, event_id, reg_no, registration_id) VALUES (?, ?, ?, ?, ?, (SELECT id FROM registrations WHERE reg_no = ?))',
  ).run(at, who, what, eventId, regNo, regNo)
}

export type ServedFile = {
  readonly hash: string
  readonly eventId: string
  readonly text: string
  readonly shared: string
  readonly at: Instant
  readonly limits?: readonly Limit[]
  readonly holdPlaceMs?: number
}
export function keepEventFile(
  sql: Sql,
  { hash, eventId, text, shared, at, limits = [], holdPlaceMs = 0 }: ServedFile,
): void {
  setLimits(sql, eventId, limits, holdPlaceMs)
  sql(
    `INSERT INTO event_files (hash, event_id, text, shared, first_at, served_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET served_at = max(served_at, excluded.served_at)`,
  ).run(hash, eventId, text, shared, at, at)
}

/** Writes and reads back; a disk that takes nothing any more throws. */
export function ping(sql: Sql, at: Instant): void {
  sql('INSERT INTO pings (only, at) VALUES (1, ?) ON CONFLICT DO UPDATE SET at = excluded.at').run(
    at,
  )
  const row = sql<{ at: Instant }>('SELECT at FROM pings').get()
  assert(row?.at === at, 'the database did not give back what was written')
}

/** How the writing connection is set; `synchronous` 2 is FULL. */
export function pragmas(sql: Sql): {
  readonly journalMode: string
  readonly synchronous: number
  readonly foreignKeys: number
} {
  const value = (name: string): unknown => sql(`PRAGMA ${name}`).pluck().get()
  return {
    journalMode: String(value('journal_mode')),
    synchronous: Number(value('synchronous')),
    foreignKeys: Number(value('foreign_keys')),
  }
}
