/** Stores served event files, and performs the health check of the database. */
import { assert } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { ServedFile } from './event-version-types.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { setIssuer } from '../documents/issue-documents.ts'
import { namePlaces, setLimits } from '../seats/recompute-seats.ts'

export async function keepEventFile(
  sql: Sql,
  {
    hash,
    eventId,
    text,
    shared,
    at,
    limits = [],
    holdPlaceMs = 0,
    placeNames = {},
    issuer,
    isGone = false,
  }: ServedFile,
): Promise<void> {
  await setLimits(sql, eventId, limits, holdPlaceMs)
  namePlaces(sql, eventId, placeNames)
  if (issuer !== undefined) setIssuer(sql, eventId, issuer)
  sql(
    `INSERT INTO event_files (hash, event_id, text, shared, first_at, served_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET served_at = max(served_at, excluded.served_at)`,
  ).run(hash, eventId, text, shared, at, at)
  if (isGone)
    sql('UPDATE event_files SET gone_at = ? WHERE event_id = ? AND gone_at IS NULL').run(
      at,
      eventId,
    )
  else
    sql('UPDATE event_files SET gone_at = NULL WHERE event_id = ? AND gone_at IS NOT NULL').run(
      eventId,
    )
}

/** Writes and reads back; throws if the disk accepts no writes. */
export async function ping(sql: Sql, at: Instant): Promise<void> {
  sql('INSERT INTO pings (only, at) VALUES (1, ?) ON CONFLICT DO UPDATE SET at = excluded.at').run(
    at,
  )
  const row = await sql<{ at: Instant }>('SELECT at FROM pings').get()
  assert(row?.at === at, 'the database did not give back what was written')
}

/** Returns the settings of the writing connection; `synchronous` 2 is FULL. */
export async function pragmas(sql: Sql): Promise<{
  readonly journalMode: string
  readonly synchronous: number
  readonly foreignKeys: number
}> {
  const value = async (name: string): Promise<unknown> =>
    Object.values((await sql<Record<string, unknown>>(`PRAGMA ${name}`).get()) ?? {})[0]
  return {
    journalMode: String(await value('journal_mode')),
    synchronous: Number(await value('synchronous')),
    foreignKeys: Number(await value('foreign_keys')),
  }
}
