/** Stores sessions of users. */
import { canSee, isAtLeast } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import { lockSession, lockUser } from '../database/row-locks.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type {
  LostPermission,
  NewSession,
  OpenSession,
  SessionUse,
  StaffSender,
} from './staff-types.ts'
import { parseEvents } from './users.ts'

const sessionByToken = statement((builder, { tokenHash }: { tokenHash: string }) =>
  builder
    .selectFrom('sessions as s')
    .innerJoin('admins as a', 'a.id', 's.admin_id')
    .select((eb) => [
      's.admin_id as adminId',
      'a.username',
      'a.role',
      'a.events',
      eb('a.totp_secret', 'is not', null).as('factor'),
      eb.selectFrom('office_settings').select('second_factor_required').as('required'),
      's.expires_at as expiresAt',
      's.seen_at as seenAt',
    ])
    // Uses a subquery, so that SQLite does not plan the query again for every office request. See `paymentOfOrder`.
    .where('s.token_hash', '=', ({ selectFrom }) =>
      selectFrom('sessions').select('token_hash').where('token_hash', '=', tokenHash),
    ),
)
const sessionsOfUser = statement(
  (builder, { adminId, at, seenAfter }: { adminId: number; at: Instant; seenAfter: Instant }) =>
    builder
      .selectFrom('sessions')
      .select([
        'token_hash as tokenHash',
        'created_at as at',
        'seen_at as seenAt',
        'expires_at as expiresAt',
        'network',
        'browser',
      ])
      .where('admin_id', '=', adminId)
      .where('expires_at', '>', at)
      .where('seen_at', '>=', seenAfter)
      .orderBy('seen_at', 'desc')
      .orderBy('created_at', 'desc'),
)
const deleteExpiredSessions = statement((builder, { at }: { at: Instant }) =>
  builder.deleteFrom('sessions').where('expires_at', '<=', at),
)
const credentials = statement((builder, { adminId }: { adminId: number }) =>
  builder
    .selectFrom('admins')
    .select((eb) => [
      'password_hash as passwordHash',
      eb('totp_secret', 'is not', null).as('factor'),
    ])
    .where('id', '=', adminId),
)
type SessionRow = Required<Omit<NewSession, 'verified'>>
const addSession = statement((builder, session: SessionRow) =>
  builder.insertInto('sessions').values({
    token_hash: session.tokenHash,
    admin_id: session.adminId,
    created_at: session.at,
    expires_at: session.expiresAt,
    seen_at: session.at,
    network: session.network,
    browser: session.browser,
  }),
)
const saveSignInTime = statement((builder, { adminId, at }: { adminId: number; at: Instant }) =>
  builder.updateTable('admins').set({ signed_in_at: at }).where('id', '=', adminId),
)
const saveLastUse = statement((builder, { tokenHash, at }: { tokenHash: string; at: Instant }) =>
  builder
    .updateTable('sessions')
    .set({ seen_at: at })
    .where('token_hash', '=', tokenHash)
    .where('seen_at', '<', at),
)
const deleteSession = statement((builder, { tokenHash }: { tokenHash: string }) =>
  builder.deleteFrom('sessions').where('token_hash', '=', tokenHash),
)
const deleteOtherSessions = statement(
  (builder, { adminId, tokenHash }: { adminId: number; tokenHash: string }) =>
    builder
      .deleteFrom('sessions')
      .where('admin_id', '=', adminId)
      .where('token_hash', '<>', tokenHash),
)

/**
 * Opens a session, unless the user was removed or has new credentials since the sign-in verified them. Otherwise a
 * sign-in with the old password could continue after the password was reset.
 */
export async function openSession(
  sql: Sql,
  { tokenHash, adminId, at, expiresAt, verified, network = '', browser = '' }: NewSession,
): Promise<boolean> {
  lockUser(sql, adminId)
  const stored = await credentials.get(sql, { adminId })
  if (stored === undefined || stored.passwordHash !== verified.passwordHash) return false
  if (stored.factor === 1 && !verified.hasSecondFactor) return false
  deleteExpiredSessions.run(sql, { at })
  addSession.run(sql, { tokenHash, adminId, at, expiresAt, network, browser })
  saveSignInTime.run(sql, { adminId, at })
  return true
}

export function touchSession(sql: Sql, tokenHash: string, at: Instant): void {
  saveLastUse.run(sql, { tokenHash, at })
}

export function closeSession(sql: Sql, tokenHash: string): void {
  deleteSession.run(sql, { tokenHash })
}

export function closeOtherSessions(sql: Sql, adminId: number, tokenHash: string): Promise<number> {
  return deleteOtherSessions.run(sql, { adminId, tokenHash }).changes
}

/** Returns true if the sender was signed out or removed, or has lost a permission, since the request was checked. */
export const hasLostPermission = async (sql: Sql, sender: StaffSender): Promise<boolean> =>
  (await findLostPermission(sql, sender)) !== null

/**
 * Returns what the sender has lost since the request was checked. Null if nothing. Reads the session in the
 * transaction, because the request may have waited for other requests in the meantime, and keeps it until the end.
 */
export async function findLostPermission(
  sql: Sql,
  { sessionHash, role, events }: StaffSender,
): Promise<LostPermission['lostPermission'] | null> {
  lockSession(sql, sessionHash)
  const session = await readSession(sql, sessionHash)
  if (session === null) return 'session'
  const hasEvents =
    events === null ? session.events === null : events.every((id) => canSee(session, id))
  return hasEvents && isAtLeast(session.role, role) ? null : 'role'
}

async function readSession(
  sql: Sql,
  tokenHash: string,
): Promise<(OpenSession & { readonly expiresAt: Instant; readonly seenAt: Instant }) | null> {
  const row = await sessionByToken.get(sql, { tokenHash })
  if (row === undefined) return null
  const { factor, required, ...rest } = row
  return {
    ...rest,
    events: parseEvents(rest.events),
    hasSecondFactor: factor === 1,
    secondFactorRequired: required === 1,
  }
}

/** Creates the look-ups by key, which run on the main thread. */
export function createSessionReads(sql: Sql) {
  return {
    session: (tokenHash: string) => readSession(sql, tokenHash),
    sessionsOf(adminId: number, at: Instant, seenAfter: Instant): Promise<readonly SessionUse[]> {
      return sessionsOfUser.all(sql, { adminId, at, seenAfter })
    },
  }
}
