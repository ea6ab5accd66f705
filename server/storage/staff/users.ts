/** Stores users: permissions, passwords and links to set a password. */
import { err, ok } from '../../../engine/index.ts'
import type { Instant, Result, Role } from '../../../engine/index.ts'
import { lockUser } from '../database/row-locks.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { readMyLists } from '../lists/saved-views.ts'
import type {
  AdminRow,
  NewPasswordLink,
  Permissions,
  StoredUser,
  UserChange,
} from './staff-types.ts'

const addUser = statement(
  (
    builder,
    user: {
      username: string
      passwordHash: string
      at: Instant
      role: Role
      events: string | null
    },
  ) =>
    builder
      .insertInto('admins')
      .values({
        username: user.username,
        password_hash: user.passwordHash,
        created_at: user.at,
        changed_at: user.at,
        role: user.role,
        events: user.events,
      })
      .onConflict((conflict) => conflict.column('username').doNothing())
      .returning('id'),
)
const userByName = statement((builder, { username }: { username: string }) =>
  builder
    .selectFrom('admins')
    .select([
      'id',
      'username',
      'password_hash as passwordHash',
      'role',
      'events',
      'totp_secret as totpSecret',
    ])
    .where('username', '=', username),
)
const userCount = statement((builder) =>
  builder.selectFrom('admins').select(({ fn }) => fn.countAll<number>().as('n')),
)
const usersByName = statement((builder, { at }: { at: Instant }) =>
  builder
    .selectFrom('admins as a')
    .select((eb) => [
      'a.username',
      'a.role',
      'a.events',
      eb('a.totp_secret', 'is not', null).as('factor'),
      'a.created_at as createdAt',
      'a.signed_in_at as signedInAt',
      eb
        .selectFrom('password_links as l')
        .select(({ fn }) => fn.max('l.expires_at').as('until'))
        .whereRef('l.admin_id', '=', 'a.id')
        .where('l.expires_at', '>', at)
        .as('invitedUntil'),
    ])
    .orderBy('a.username'),
)
/**
 * Selects the user if no other owner of all events has a password. A user with a password link has not set a password
 * yet: `setPassword` deletes the link.
 */
const onlyOwner = statement((builder, { id }: { id: number }) =>
  builder
    .selectFrom('admins')
    .select('admins.id')
    .where('admins.id', '=', id)
    .where('admins.role', '=', 'owner')
    .where('admins.events', 'is', null)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('admins as other')
            .select('other.id')
            .whereRef('other.id', '<>', 'admins.id')
            .where('other.role', '=', 'owner')
            .where('other.events', 'is', null)
            .where((otherUser) =>
              otherUser.not(
                otherUser.exists(
                  otherUser
                    .selectFrom('password_links as l')
                    .select('l.admin_id')
                    .whereRef('l.admin_id', '=', 'other.id'),
                ),
              ),
            ),
        ),
      ),
    ),
)
const changePermissions = statement(
  (builder, { id, role, events }: { id: number; role: Role; events: string | null }) =>
    builder.updateTable('admins').set({ role, events }).where('id', '=', id),
)
const deleteUser = statement((builder, { id }: { id: number }) =>
  builder.deleteFrom('admins').where('id', '=', id),
)
const deleteSessionsOfUser = statement((builder, { id }: { id: number }) =>
  builder.deleteFrom('sessions').where('admin_id', '=', id),
)
const deletePasswordLinks = statement((builder, { id }: { id: number }) =>
  builder.deleteFrom('password_links').where('admin_id', '=', id),
)
const changePassword = statement(
  (builder, { id, passwordHash, at }: { id: number; passwordHash: string; at: Instant }) =>
    builder
      .updateTable('admins')
      .set({ password_hash: passwordHash, changed_at: at })
      .where('id', '=', id),
)
const addLink = statement(
  (builder, { id, tokenHash, expiresAt }: NewPasswordLink & { id: number }) =>
    builder
      .insertInto('password_links')
      .values({ token_hash: tokenHash, admin_id: id, expires_at: expiresAt }),
)
const ownerOfLink = statement((builder, { tokenHash, at }: { tokenHash: string; at: Instant }) =>
  builder
    .selectFrom('password_links as l')
    .innerJoin('admins as a', 'a.id', 'l.admin_id')
    .select('a.username')
    .where('l.token_hash', '=', tokenHash)
    .where('l.expires_at', '>', at),
)

const ALL_PERMISSIONS: Permissions = { role: 'owner', events: null }
const formatEvents = (events: readonly string[] | null): string | null =>
  events === null ? null : JSON.stringify(events)
export const parseEvents = (json: string | null): readonly string[] | null =>
  json === null ? null : (JSON.parse(json) as string[])

export async function addAdmin(
  sql: Sql,
  username: string,
  passwordHash: string,
  at: Instant,
  permissions: Permissions | null = null,
  link: NewPasswordLink | null = null,
): Promise<Result<number, { readonly code: 'username_taken' }>> {
  const { role, events } = permissions ?? ALL_PERMISSIONS
  const user = { username, passwordHash, at, role, events: formatEvents(events) }
  const newRow = await addUser.get(sql, user)
  if (newRow === undefined) return err({ code: 'username_taken' })
  if (link !== null) addLink.run(sql, { id: newRow.id, ...link })
  return ok(newRow.id)
}

export const findUserId = async (sql: Sql, username: string): Promise<number | null> =>
  (await userByName.get(sql, { username }))?.id ?? null

/**
 * Returns true if no other owner of all events can sign in, so that without this user the office could not manage its
 * users.
 */
const isLastOwner = async (sql: Sql, id: number): Promise<boolean> =>
  (await onlyOwner.get(sql, { id })) !== undefined

export async function setPermissions(
  sql: Sql,
  username: string,
  { role, events }: Permissions,
): Promise<UserChange> {
  const id = await findUserId(sql, username)
  if (id === null) return 'unknown'
  lockUser(sql, id)
  if ((role !== 'owner' || events !== null) && (await isLastOwner(sql, id))) return 'last'
  changePermissions.run(sql, { id, role, events: formatEvents(events) })
  return 'done'
}

/** Removes a user with all sessions and links, but never the last owner of all events. */
export async function removeAdmin(
  sql: Sql,
  username: string,
): Promise<'removed' | 'unknown' | 'last'> {
  const id = await findUserId(sql, username)
  if (id === null) return 'unknown'
  lockUser(sql, id)
  if (await isLastOwner(sql, id)) return 'last'
  closeSessionsAndLinks(sql, id)
  deleteUser.run(sql, { id })
  return 'removed'
}

function closeSessionsAndLinks(sql: Sql, id: number): void {
  deleteSessionsOfUser.run(sql, { id })
  deletePasswordLinks.run(sql, { id })
}

export async function setPassword(
  sql: Sql,
  username: string,
  passwordHash: string,
  at: Instant,
  link: NewPasswordLink | null = null,
): Promise<boolean> {
  const id = await findUserId(sql, username)
  if (id === null) return false
  lockUser(sql, id)
  changePassword.run(sql, { id, passwordHash, at })
  closeSessionsAndLinks(sql, id)
  if (link !== null) addLink.run(sql, { id, ...link })
  return true
}

export async function usePasswordLink(
  sql: Sql,
  tokenHash: string,
  passwordHash: string,
  at: Instant,
): Promise<{ readonly username: string } | null> {
  const owner = await ownerOfLink.get(sql, { tokenHash, at })
  if (owner === undefined) return null
  await setPassword(sql, owner.username, passwordHash, at)
  return owner
}

/** Creates the look-ups by key, which run on the main thread. */
export function createUserReads(sql: Sql) {
  return {
    async admin(username: string): Promise<AdminRow | null> {
      const row = await userByName.get(sql, { username })
      return row === undefined ? null : { ...row, events: parseEvents(row.events) }
    },
    async adminCount(): Promise<number> {
      return (await userCount.get(sql))?.n ?? 0
    },
    async users(at: Instant): Promise<readonly StoredUser[]> {
      return (await usersByName.all(sql, { at })).map(({ factor, ...row }) => ({
        ...row,
        events: parseEvents(row.events),
        hasSecondFactor: factor === 1,
      }))
    },
    async passwordLink(
      tokenHash: string,
      at: Instant,
    ): Promise<{ readonly username: string } | null> {
      return (await ownerOfLink.get(sql, { tokenHash, at })) ?? null
    },
    myLists: (adminId: number) => readMyLists(sql, adminId),
  }
}
