/** Stores users: permissions, passwords, second factors and sessions. */
import { err, ok } from '../../../engine/index.ts'
import type { Instant, Result } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { myLists } from '../lists/saved-views.ts'
import type {
  AdminRow,
  MayWhat,
  NewSession,
  OpenSession,
  UserChange,
  SessionSeen,
  StoredAccount,
  StoredUser,
} from './staff-types.ts'

const ALL: MayWhat = { role: 'owner', events: null }
const jsonOf = (events: readonly string[] | null): string | null =>
  events === null ? null : JSON.stringify(events)
const eventsIn = (json: string | null): readonly string[] | null =>
  json === null ? null : (JSON.parse(json) as string[])

export async function addAdmin(
  sql: Sql,
  username: string,
  passwordHash: string,
  at: Instant,
  may: MayWhat | null = null,
): Promise<Result<number, { readonly code: 'username_taken' }>> {
  const { role, events } = may ?? ALL
  const written = sql(
    'INSERT INTO admins (username, password_hash, created_at, changed_at, role, events) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (username) DO NOTHING',
  ).run(username, passwordHash, at, at, role, jsonOf(events))
  return (await written.changes) === 1
    ? ok(await written.lastInsertRowid)
    : err({ code: 'username_taken' })
}

const idOf = async (sql: Sql, username: string): Promise<number | null> =>
  (await sql<{ id: number }>('SELECT id FROM admins WHERE username = ?').get(username))?.id ?? null

/** Whoever has a link for a password, used or expired, has no password yet: `setPassword` takes it away. */
const HAS_PASSWORD = 'NOT EXISTS (SELECT 1 FROM password_links l WHERE l.admin_id = other.id)'

/** Whether no other owner of all events can sign in: then no one could manage the users. */
const isLastOwner = async (sql: Sql, id: number): Promise<boolean> =>
  (await sql(
    `SELECT 1 FROM admins WHERE id = ? AND role = 'owner' AND events IS NULL
     AND NOT EXISTS (SELECT 1 FROM admins other WHERE other.id <> admins.id AND other.role = 'owner' AND other.events IS NULL AND ${HAS_PASSWORD})`,
  ).get(id)) !== undefined

export async function setMay(
  sql: Sql,
  username: string,
  { role, events }: MayWhat,
): Promise<UserChange> {
  const id = await idOf(sql, username)
  if (id === null) return 'unknown'
  if ((role !== 'owner' || events !== null) && (await isLastOwner(sql, id))) return 'last'
  sql('UPDATE admins SET role = ?, events = ? WHERE id = ?').run(role, jsonOf(events), id)
  return 'done'
}

/** Removes a user with all sessions and links; the last owner of all events stays. */
export async function removeAdmin(
  sql: Sql,
  username: string,
): Promise<'removed' | 'unknown' | 'last'> {
  const id = await idOf(sql, username)
  if (id === null) return 'unknown'
  if (await isLastOwner(sql, id)) return 'last'
  closeAll(sql, id)
  sql('DELETE FROM admins WHERE id = ?').run(id)
  return 'removed'
}

function closeAll(sql: Sql, id: number): void {
  sql('DELETE FROM sessions WHERE admin_id = ?').run(id)
  sql('DELETE FROM password_links WHERE admin_id = ?').run(id)
}

export async function setPassword(
  sql: Sql,
  username: string,
  passwordHash: string,
  at: Instant,
): Promise<boolean> {
  const id = await idOf(sql, username)
  if (id === null) return false
  sql('UPDATE admins SET password_hash = ?, changed_at = ? WHERE id = ?').run(passwordHash, at, id)
  closeAll(sql, id)
  return true
}

export async function addPasswordLink(
  sql: Sql,
  username: string,
  tokenHash: string,
  expiresAt: Instant,
): Promise<boolean> {
  const id = await idOf(sql, username)
  if (id === null) return false
  sql('DELETE FROM password_links WHERE admin_id = ?').run(id)
  sql('INSERT INTO password_links (token_hash, admin_id, expires_at) VALUES (?, ?, ?)').run(
    tokenHash,
    id,
    expiresAt,
  )
  return true
}

const linkOwner = async (
  sql: Sql,
  tokenHash: string,
  at: Instant,
): Promise<{ username: string } | null> =>
  (await sql<{ username: string }>(
    'SELECT a.username FROM password_links l JOIN admins a ON a.id = l.admin_id WHERE l.token_hash = ? AND l.expires_at > ?',
  ).get(tokenHash, at)) ?? null

export async function usePasswordLink(
  sql: Sql,
  tokenHash: string,
  passwordHash: string,
  at: Instant,
): Promise<{ readonly username: string } | null> {
  const owner = await linkOwner(sql, tokenHash, at)
  if (owner !== null) await setPassword(sql, owner.username, passwordHash, at)
  return owner
}

export function wantSecondFactor(sql: Sql, adminId: number, secret: string): void {
  sql('UPDATE admins SET totp_wanted = ? WHERE id = ?').run(secret, adminId)
}

export async function confirmSecondFactor(
  sql: Sql,
  adminId: number,
  secret: string,
  step: number,
  codeHashes: readonly string[],
): Promise<boolean> {
  const confirmed =
    (await sql(
      'UPDATE admins SET totp_secret = totp_wanted, totp_wanted = NULL, totp_step = ? WHERE id = ? AND totp_wanted = ?',
    ).run(step, adminId, secret).changes) === 1
  if (confirmed) renewRecoveryCodes(sql, adminId, codeHashes)
  return confirmed
}

/** One guarded statement, so that of two requests with the same code only one is accepted. */
export async function takeStep(sql: Sql, adminId: number, step: number): Promise<boolean> {
  return (
    (await sql('UPDATE admins SET totp_step = ? WHERE id = ? AND totp_step < ?').run(
      step,
      adminId,
      step,
    ).changes) === 1
  )
}

export async function takeRecoveryCode(
  sql: Sql,
  adminId: number,
  codeHash: string,
  at: Instant,
): Promise<boolean> {
  return (
    (await sql(
      'UPDATE recovery_codes SET used_at = ? WHERE admin_id = ? AND code_hash = ? AND used_at IS NULL',
    ).run(at, adminId, codeHash).changes) === 1
  )
}

export function renewRecoveryCodes(sql: Sql, adminId: number, codeHashes: readonly string[]): void {
  sql('DELETE FROM recovery_codes WHERE admin_id = ?').run(adminId)
  for (const hash of codeHashes)
    sql('INSERT INTO recovery_codes (admin_id, code_hash) VALUES (?, ?)').run(adminId, hash)
}

export async function dropSecondFactor(sql: Sql, username: string): Promise<boolean> {
  const id = await idOf(sql, username)
  if (id === null) return false
  sql('DELETE FROM recovery_codes WHERE admin_id = ?').run(id)
  return (
    (await sql(
      'UPDATE admins SET totp_secret = NULL, totp_wanted = NULL WHERE id = ? AND totp_secret IS NOT NULL',
    ).run(id).changes) === 1
  )
}

export function requireSecondFactor(sql: Sql, required: boolean): void {
  sql('UPDATE office_settings SET second_factor_required = ?').run(required ? 1 : 0)
}

export function openSession(
  sql: Sql,
  { tokenHash, adminId, at, expiresAt, network = '', browser = '' }: NewSession,
): void {
  sql('DELETE FROM sessions WHERE expires_at <= ?').run(at)
  sql(
    'INSERT INTO sessions (token_hash, admin_id, created_at, expires_at, seen_at, network, browser) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ).run(tokenHash, adminId, at, expiresAt, at, network, browser)
  sql('UPDATE admins SET signed_in_at = ? WHERE id = ?').run(at, adminId)
}

export function touchSession(sql: Sql, tokenHash: string, at: Instant): void {
  sql('UPDATE sessions SET seen_at = max(seen_at, ?) WHERE token_hash = ?').run(at, tokenHash)
}

export function closeSession(sql: Sql, tokenHash: string): void {
  sql('DELETE FROM sessions WHERE token_hash = ?').run(tokenHash)
}

export function closeOtherSessions(sql: Sql, adminId: number, tokenHash: string): Promise<number> {
  return sql('DELETE FROM sessions WHERE admin_id = ? AND token_hash <> ?').run(adminId, tokenHash)
    .changes
}

type Json = { readonly events: string | null }
type Row<T> = Omit<T, 'events'> & Json
const withEvents = <T extends Json>(row: T) => ({ ...row, events: eventsIn(row.events) })

/** Look-ups by key, on the main thread. */
export function peopleReads(sql: Sql) {
  return {
    async admin(username: string): Promise<AdminRow | null> {
      const row = await sql<Row<AdminRow>>(
        'SELECT id, username, password_hash AS passwordHash, role, events, totp_secret AS totpSecret FROM admins WHERE username = ?',
      ).get(username)
      return row === undefined ? null : withEvents(row)
    },
    async adminCount(): Promise<number> {
      return (await sql<{ n: number }>('SELECT count(*) AS n FROM admins').get())?.n ?? 0
    },
    async people(at: Instant): Promise<readonly StoredUser[]> {
      return (
        await sql<Row<Omit<StoredUser, 'hasSecondFactor'>> & { readonly factor: number }>(
          `SELECT a.username, a.role, a.events, a.totp_secret IS NOT NULL AS factor, a.created_at AS createdAt,
           a.signed_in_at AS signedInAt,
           (SELECT max(l.expires_at) FROM password_links l WHERE l.admin_id = a.id AND l.expires_at > ?) AS invitedUntil
         FROM admins a ORDER BY a.username`,
        ).all(at)
      ).map(({ factor, ...row }) => ({ ...withEvents(row), hasSecondFactor: factor === 1 }))
    },
    passwordLink(tokenHash: string, at: Instant): Promise<{ readonly username: string } | null> {
      return linkOwner(sql, tokenHash, at)
    },
    async account(adminId: number): Promise<StoredAccount | null> {
      return (
        (await sql<StoredAccount>(
          `SELECT password_hash AS passwordHash, totp_secret AS totpSecret, totp_wanted AS totpWanted,
             (SELECT count(*) FROM recovery_codes c WHERE c.admin_id = admins.id AND c.used_at IS NULL) AS recoveryCodesLeft
           FROM admins WHERE id = ?`,
        ).get(adminId)) ?? null
      )
    },
    myLists: (adminId: number) => myLists(sql, adminId),
    async secondFactorRequired(): Promise<boolean> {
      return (
        (
          await sql<{ required: number }>(
            'SELECT second_factor_required AS required FROM office_settings',
          ).get()
        )?.required === 1
      )
    },
    async session(
      tokenHash: string,
    ): Promise<(OpenSession & { readonly expiresAt: Instant; readonly seenAt: Instant }) | null> {
      // By a subquery, so that it is not planned anew for every call of the office; see `paymentOfOrder`.
      const row = await sql<
        Row<Omit<OpenSession, 'hasSecondFactor' | 'secondFactorRequired'>> & {
          readonly factor: number
          readonly required: number
          readonly expiresAt: Instant
          readonly seenAt: Instant
        }
      >(
        `SELECT s.admin_id AS adminId, a.username, a.role, a.events, a.totp_secret IS NOT NULL AS factor,
           (SELECT second_factor_required FROM office_settings) AS required, s.expires_at AS expiresAt, s.seen_at AS seenAt
         FROM sessions s JOIN admins a ON a.id = s.admin_id
         WHERE s.token_hash = (SELECT token_hash FROM sessions WHERE token_hash = ?)`,
      ).get(tokenHash)
      if (row === undefined) return null
      const { factor, required, ...rest } = row
      return {
        ...withEvents(rest),
        hasSecondFactor: factor === 1,
        secondFactorRequired: required === 1,
      }
    },
    sessionsOf(adminId: number, at: Instant, seenAfter: Instant): Promise<readonly SessionSeen[]> {
      return sql<SessionSeen>(
        `SELECT token_hash AS tokenHash, created_at AS at, seen_at AS seenAt, expires_at AS expiresAt, network, browser
         FROM sessions WHERE admin_id = ? AND expires_at > ? AND seen_at >= ? ORDER BY seen_at DESC, created_at DESC`,
      ).all(adminId, at, seenAfter)
    },
  }
}
