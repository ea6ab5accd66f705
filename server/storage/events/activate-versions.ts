/** Records the event versions that all servers of a database serve, and since when. */
import { saveEventFile } from './stored-event-files.ts'
import type { Activation, ActiveVersions, ActiveEvent } from './event-version-types.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { lockVersion } from '../database/row-locks.ts'
import { readOncePerBatch, clearCachedReads } from '../database/batch-cache.ts'
import { statement } from '../database/statements/statement.ts'

const activeNumber = statement((builder) =>
  builder.selectFrom('activation').select(['number', 'site']),
)
const saveActiveNumber = statement(
  (builder, { number, site }: { number: number; site: string | null }) =>
    builder
      .insertInto('activation')
      .values({ only: 1, number, site })
      .onConflict((conflict) => conflict.column('only').doUpdateSet({ number, site })),
)
const activeVersions = statement((builder) =>
  builder
    .selectFrom('active_events')
    .select(['event_id as eventId', 'hash', 'is_gone as isGone'])
    .orderBy('place'),
)
const activeVersionOfEvent = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('active_events')
    .select(['hash', 'is_gone as isGone'])
    .where('event_id', '=', eventId),
)
const deleteOtherVersions = statement((builder, { eventIds }: { eventIds: string }, dialect) =>
  builder
    .deleteFrom('active_events')
    .where(({ not, ref }) => not(dialect.isIn(ref('event_id'), eventIds))),
)
const saveActiveVersion = statement(
  (builder, version: { eventId: string; hash: string; isGone: 0 | 1; place: number }) =>
    builder
      .insertInto('active_events')
      .values({
        event_id: version.eventId,
        hash: version.hash,
        is_gone: version.isGone,
        place: version.place,
      })
      .onConflict((conflict) =>
        conflict.column('event_id').doUpdateSet((eb) => ({
          hash: eb.ref('excluded.hash'),
          is_gone: eb.ref('excluded.is_gone'),
          place: eb.ref('excluded.place'),
        })),
      ),
)

/**
 * Changes versions, quotas and document issuers in one transaction. Returns the new activation number. Null if another
 * server activated versions first.
 */
export async function activate(
  sql: Sql,
  { after, events, site, files }: Activation,
): Promise<number | null> {
  const previous = await readActiveEvents(sql, -1)
  if (previous === null || previous.number !== after) return null
  for (const file of files) await saveEventFile(sql, file)
  const isUnchanged =
    previous.site === site &&
    JSON.stringify(previous.events) === JSON.stringify(events.map(pickKeys))
  if (after > 0 && isUnchanged) return after
  deleteOtherVersions.run(sql, {
    eventIds: JSON.stringify(events.map(({ eventId }) => eventId)),
  })
  for (const [index, event] of events.entries()) {
    const { eventId, hash, isGone } = event
    // An unchanged row is not written, because the write would have to wait for registrations in progress.
    if (JSON.stringify(previous.events[index]) === JSON.stringify(pickKeys(event))) continue
    saveActiveVersion.run(sql, { eventId, hash, isGone: isGone ? 1 : 0, place: index })
  }
  saveActiveNumber.run(sql, { number: after + 1, site })
  clearCachedReads(sql)
  return after + 1
}

const pickKeys = ({ eventId, hash, isGone }: ActiveEvent): ActiveEvent => ({
  eventId,
  hash,
  isGone,
})

/** Returns the active versions without locking. Null if `knownNumber` is still the active number. */
export async function readActiveEvents(
  sql: Sql,
  knownNumber: number,
): Promise<ActiveVersions | null> {
  const row = (await activeNumber.get(sql)) ?? { number: 0, site: null }
  if (row.number === knownNumber) return null
  const events = (await activeVersions.all(sql)).map(({ eventId, hash, isGone }) => ({
    eventId,
    hash,
    isGone: isGone === 1,
  }))
  return { ...row, events }
}

/**
 * Returns true if registrations may be checked against this version: it is active, or the event has no active version.
 * With `takesNew`, registration must also be open.
 */
export async function isActive(
  sql: Sql,
  { eventId, hash, takesNew }: { eventId: string; hash: string; takesNew: boolean },
): Promise<boolean> {
  lockVersion(sql, eventId)
  const active = await readOncePerBatch(sql, `active ${eventId}`, () =>
    activeVersionOfEvent.get(sql, { eventId }),
  )
  return active === undefined || (active.hash === hash && !(takesNew && active.isGone === 1))
}
