/** Records which event versions all servers of a database serve, and from which moment on. */
import { keepEventFile } from './stored-event-files.ts'
import type { Activation, Active, ActiveEvent } from './event-version-types.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { lockVersion } from '../database/row-locks.ts'
import { once, readAgain } from '../database/batch-cache.ts'

/**
 * Changes versions, quotas and document issuers at one moment. Returns the new number; null: another server was
 * first.
 */
export async function activate(
  sql: Sql,
  { after, events, site, files }: Activation,
): Promise<number | null> {
  const before = await activeEvents(sql, -1)
  if (before === null || before.number !== after) return null
  for (const file of files) await keepEventFile(sql, file)
  const isSame =
    before.site === site && JSON.stringify(before.events) === JSON.stringify(events.map(plain))
  if (after > 0 && isSame) return after
  sql('DELETE FROM active_events').run()
  for (const [place, { eventId, hash, isGone }] of events.entries())
    sql('INSERT INTO active_events (event_id, hash, is_gone, place) VALUES (?, ?, ?, ?)').run(
      eventId,
      hash,
      isGone ? 1 : 0,
      place,
    )
  sql(
    `INSERT INTO activation (only, number, site) VALUES (1, ?, ?)
     ON CONFLICT DO UPDATE SET number = excluded.number, site = excluded.site`,
  ).run(after + 1, site)
  readAgain(sql)
  return after + 1
}

const plain = ({ eventId, hash, isGone }: ActiveEvent): ActiveEvent => ({ eventId, hash, isGone })

/** Reads only; null: `known` is still the active number. */
export async function activeEvents(sql: Sql, known: number): Promise<Active | null> {
  const row = (await sql<{ number: number; site: string | null }>(
    'SELECT number, site FROM activation',
  ).get()) ?? { number: 0, site: null }
  if (row.number === known) return null
  const events = (
    await sql<{ eventId: string; hash: string; isGone: number }>(
      'SELECT event_id AS eventId, hash, is_gone AS isGone FROM active_events ORDER BY place',
    ).all()
  ).map(({ eventId, hash, isGone }) => ({ eventId, hash, isGone: isGone === 1 }))
  return { ...row, events }
}

/**
 * Returns true if registrations are checked with that version: it is active, or none is. `takesNew`: and
 * registration is open.
 */
export async function isActive(
  sql: Sql,
  { eventId, hash, takesNew }: { eventId: string; hash: string; takesNew: boolean },
): Promise<boolean> {
  lockVersion(sql, eventId)
  const active = await once(
    sql,
    `active ${eventId}`,
    async () =>
      (await sql<{ hash: string; isGone: number }>(
        'SELECT hash, is_gone AS isGone FROM active_events WHERE event_id = ?',
      ).get(eventId)) ?? null,
  )
  return active === null || (active.hash === hash && !(takesNew && active.isGone === 1))
}
