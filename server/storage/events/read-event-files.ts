/** Reads stored versions of event files that have been served. */
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { StoredVersion } from './event-version-types.ts'
import type { NewEventFile } from '../registrations/registration-types.ts'

const FILE_COLUMNS = ['hash', 'event_id as eventId', 'text', 'shared', 'gone_at as goneAt'] as const
const fileByHash = statement((builder, { hash }: { hash: string }) =>
  builder.selectFrom('event_files').select(FILE_COLUMNS).where('hash', '=', hash),
)
const lastFile = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('event_files')
    .select(FILE_COLUMNS)
    .where('event_id', '=', eventId)
    .orderBy('served_at', 'desc')
    .orderBy('first_at', 'desc')
    .limit(1),
)
const lastHashes = statement(
  (builder, { eventId, limit }: { eventId: string; limit: number }, dialect) =>
    builder
      .selectFrom('event_files')
      .select('hash')
      .where('event_id', '=', eventId)
      .orderBy('served_at', 'desc')
      .orderBy('first_at', 'desc')
      .limit(dialect.limit(limit)),
)
const VERSION_COLUMNS = [
  'hash',
  'text',
  'shared',
  'first_at as firstServedAt',
  'served_at as lastServedAt',
] as const
type Position = Pick<StoredVersion, 'hash' | 'firstServedAt' | 'lastServedAt'>
const positionOfVersion = statement(
  (builder, { eventId, hash }: { eventId: string; hash: string }) =>
    builder
      .selectFrom('event_files')
      .select(['hash', 'first_at as firstServedAt', 'served_at as lastServedAt'])
      .where('event_id', '=', eventId)
      .where('hash', '=', hash),
)
const olderVersions = statement(
  (builder, position: Position & { eventId: string; limit: number }, dialect) =>
    builder
      .selectFrom('event_files')
      .select(VERSION_COLUMNS)
      .where('event_id', '=', position.eventId)
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('served_at', 'first_at', 'hash'),
          '<',
          tuple(position.lastServedAt, position.firstServedAt, position.hash),
        ),
      )
      .orderBy('served_at', 'desc')
      .orderBy('first_at', 'desc')
      .orderBy('hash', 'desc')
      .limit(dialect.limit(position.limit)),
)
/** A position before the first row, in descending order: `~` sorts after all hexadecimal digits of a hash. */
const START_POSITION: Position = {
  lastServedAt: instant(Number.MAX_SAFE_INTEGER),
  firstServedAt: instant(Number.MAX_SAFE_INTEGER),
  hash: '~',
}
const servedEvents = statement((builder) =>
  builder.selectFrom('event_files').select('event_id as id').distinct().orderBy('event_id'),
)
const firstServed = statement((builder) =>
  builder.selectFrom('event_files').select(({ fn }) => fn.min<Instant | null>('first_at').as('at')),
)

export async function readEventFile(sql: Sql, hash: string): Promise<NewEventFile | null> {
  return (await fileByHash.get(sql, { hash })) ?? null
}

export async function readLastEventFile(sql: Sql, eventId: string): Promise<NewEventFile | null> {
  return (await lastFile.get(sql, { eventId })) ?? null
}

export async function readLastHashes(
  sql: Sql,
  eventId: string,
  limit: number,
): Promise<readonly string[]> {
  return (await lastHashes.all(sql, { eventId, limit })).map(({ hash }) => hash)
}

/**
 * Returns the versions, most recently served first, starting after `before`. Empty if `before` is not a version of the
 * event.
 */
export async function readEventVersions(
  sql: Sql,
  eventId: string,
  before: string | null,
  limit: number,
): Promise<readonly StoredVersion[]> {
  const position =
    before === null ? START_POSITION : await positionOfVersion.get(sql, { eventId, hash: before })
  return position === undefined ? [] : olderVersions.all(sql, { ...position, eventId, limit })
}

export async function readServedEventIds(sql: Sql): Promise<readonly string[]> {
  return (await servedEvents.all(sql)).map(({ id }) => id)
}

/** Returns the time at which an event was first served with this database. Null if none has been served. */
export async function readFirstServedAt(sql: Sql): Promise<Instant | null> {
  return (await firstServed.get(sql))?.at ?? null
}
