/** Reads the event files that were served. */
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { NewEventFile } from '../registrations/registration-types.ts'

const FILE = ['hash', 'event_id as eventId', 'text', 'shared', 'gone_at as goneAt'] as const
const fileByHash = statement((builder, { hash }: { hash: string }) =>
  builder.selectFrom('event_files').select(FILE).where('hash', '=', hash),
)
const lastFile = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('event_files')
    .select(FILE)
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

export async function readLastVersions(
  sql: Sql,
  eventId: string,
  limit: number,
): Promise<readonly string[]> {
  return (await lastHashes.all(sql, { eventId, limit })).map(({ hash }) => hash)
}

export async function readServedEvents(sql: Sql): Promise<readonly string[]> {
  return (await servedEvents.all(sql)).map(({ id }) => id)
}

/** Null if no event was served. */
export async function readDatabaseSince(sql: Sql): Promise<Instant | null> {
  return (await firstServed.get(sql))?.at ?? null
}
