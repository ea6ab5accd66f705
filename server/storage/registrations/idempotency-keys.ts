/** Stores which registration each form created, so that a form that is sent twice creates only one registration. */
import type { NotNull } from 'kysely'
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { RegistrationResult } from './registration-types.ts'

/** How long an idempotency key is stored. */
const KEY_RETENTION_MS = 24 * 60 * 60 * 1000

/** Replaces the fingerprint of a key that no longer gives access to the registration that it created. */
const EXPIRED_KEY = 'over'

type Key = { eventId: string; key: string }
const expireKeysOfRegistration = statement(
  (builder, { registrationId }: { registrationId: number }) =>
    builder
      .updateTable('idempotency_keys')
      .set({ fingerprint: EXPIRED_KEY })
      .where('registration_id', '=', registrationId),
)
/** Uses subqueries, because SQLite replans a join with a bound value on every execution. */
const registrationByKey = statement((builder, { eventId, key, after }: Key & { after: Instant }) =>
  builder
    .selectFrom('idempotency_keys as k')
    .select(({ selectFrom }) => [
      'k.fingerprint',
      'k.registration_id as id',
      selectFrom('registrations as r')
        .select('r.reg_no')
        .whereRef('r.id', '=', 'k.registration_id')
        .as('regNo'),
      selectFrom('registrations as r')
        .select('r.total')
        .whereRef('r.id', '=', 'k.registration_id')
        .as('amount'),
      selectFrom('payments as p')
        .select('p.order_id')
        .whereRef('p.registration_id', '=', 'k.registration_id')
        .orderBy('p.attempt', 'desc')
        .limit(1)
        .as('orderId'),
    ])
    .where('k.event_id', '=', eventId)
    .where('k.key', '=', key)
    .where('k.at', '>', after)
    .$narrowType<{ regNo: NotNull }>(),
)
const deleteOldKeys = statement((builder, { until }: { until: Instant }) =>
  builder.deleteFrom('idempotency_keys').where('at', '<=', until),
)
const deleteOldKey = statement((builder, { eventId, key, until }: Key & { until: Instant }) =>
  builder
    .deleteFrom('idempotency_keys')
    .where('event_id', '=', eventId)
    .where('key', '=', key)
    .where('at', '<=', until),
)

/**
 * Expires a registration's keys when its holder or email address changes, so that the browser that created the
 * registration can neither read it nor send it again.
 */
export function expireKeys(sql: Sql, registrationId: number): void {
  expireKeysOfRegistration.run(sql, { registrationId })
}

/**
 * Returns the registration created with this key. Null if there is none. Also runs outside the writer's transaction.
 */
export async function findRegistrationByKey(
  sql: Sql,
  eventId: string,
  key: string,
  at: Instant,
): Promise<{ fingerprint: string; isOver: boolean; registered: RegistrationResult } | null> {
  const row = await registrationByKey.get(sql, {
    eventId,
    key,
    after: instant(at - KEY_RETENTION_MS),
  })
  if (row === undefined) return null
  const { fingerprint, ...registered } = row
  return {
    fingerprint,
    isOver: fingerprint === EXPIRED_KEY,
    registered: { ...registered, repeated: true },
  }
}

/**
 * Deletes old keys. On PostgreSQL, deletes only this key, if it is old, because the operation would otherwise wait for
 * others that delete the same rows.
 */
export function deleteExpiredKeys(sql: Sql, eventId: string, key: string, at: Instant): void {
  const until = instant(at - KEY_RETENTION_MS)
  if (sql.batch === null) deleteOldKeys.run(sql, { until })
  else deleteOldKey.run(sql, { eventId, key, until })
}
