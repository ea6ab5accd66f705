/** Stores served event files, and performs the health check of the database. */
import { assert } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { ServedFile } from './event-version-types.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { setIssuer } from '../documents/store-documents.ts'
import { saveRules } from '../registrations/fill-unique-answers.ts'
import { saveSeatNames, setQuotas } from '../seats/recompute-seats.ts'

type StoredFile = { hash: string; eventId: string; text: string; shared: string; at: Instant }
const insertEventFile = statement((builder, file: StoredFile) =>
  builder
    .insertInto('event_files')
    .values({
      hash: file.hash,
      event_id: file.eventId,
      text: file.text,
      shared: file.shared,
      first_at: file.at,
      served_at: file.at,
    })
    .onConflict((conflict) =>
      conflict.column('hash').doUpdateSet((eb) => ({
        served_at: eb
          .case()
          .when('event_files.served_at', '<', eb.ref('excluded.served_at'))
          .then(eb.ref('excluded.served_at'))
          .else(eb.ref('event_files.served_at'))
          .end(),
      })),
    ),
)
const markRemoved = statement((builder, { eventId, at }: { eventId: string; at: Instant }) =>
  builder
    .updateTable('event_files')
    .set({ gone_at: at })
    .where('event_id', '=', eventId)
    .where('gone_at', 'is', null),
)
const markServed = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .updateTable('event_files')
    .set({ gone_at: null })
    .where('event_id', '=', eventId)
    .where('gone_at', 'is not', null),
)
const savePing = statement((builder, { at }: { at: Instant }) =>
  builder
    .insertInto('pings')
    .values({ only: 1, at })
    .onConflict((conflict) => conflict.column('only').doUpdateSet({ at })),
)
const lastPing = statement((builder) => builder.selectFrom('pings').select('at'))
/** SQLite's table-valued functions that return one row each. */
type Pragmas = {
  pragma_journal_mode: { journal_mode: string }
  pragma_synchronous: { synchronous: number }
  pragma_foreign_keys: { foreign_keys: number }
}
const sqliteSettings = statement((builder) =>
  builder
    .withTables<Pragmas>()
    .selectFrom(['pragma_journal_mode', 'pragma_synchronous', 'pragma_foreign_keys'])
    .select(['journal_mode as journalMode', 'synchronous', 'foreign_keys as foreignKeys']),
)

export async function saveEventFile(
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
    unique = [],
    issuer,
    isGone = false,
  }: ServedFile,
): Promise<void> {
  await saveRules(sql, eventId, unique)
  await setQuotas(sql, eventId, limits, holdPlaceMs)
  saveSeatNames(sql, eventId, placeNames)
  if (issuer !== undefined) setIssuer(sql, eventId, issuer)
  insertEventFile.run(sql, { hash, eventId, text, shared, at })
  if (isGone) markRemoved.run(sql, { eventId, at })
  else markServed.run(sql, { eventId })
}

/** Writes a row and reads it back. Throws if the disk accepts no writes. */
export async function ping(sql: Sql, at: Instant): Promise<void> {
  savePing.run(sql, { at })
  const row = await lastPing.get(sql)
  assert(row?.at === at, 'the database did not return the written value')
}

/** Returns the settings of SQLite's write connection; `synchronous` 2 is FULL. */
export async function readPragmas(sql: Sql): Promise<{
  readonly journalMode: string
  readonly synchronous: number
  readonly foreignKeys: number
}> {
  const settings = await sqliteSettings.get(sql)
  assert(settings !== undefined, 'SQLite did not return its settings')
  return settings
}
