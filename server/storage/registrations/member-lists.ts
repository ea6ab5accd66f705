/** Stores the office's member lists: replaced as a whole, looked up by row. */
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
import type { MemberListCount, MemberListReplaced, MemberListRow } from './pricing-context-types.ts'

/** Named where a roll has changed; the rest is counted. */
const NAMED_MAX = 10

type List = { eventId: string; roll: string }
type ListKey = List & { key: string }
const cellsOfRow = statement((builder, { eventId, roll, key }: ListKey) =>
  builder
    .selectFrom('roll_rows')
    .select('cells')
    .where('event_id', '=', eventId)
    .where('roll', '=', roll)
    .where('key', '=', key),
)
const rowsOfList = statement((builder, { eventId, roll }: List) =>
  builder
    .selectFrom('roll_rows')
    .select(['key', 'cells'])
    .where('event_id', '=', eventId)
    .where('roll', '=', roll),
)
const saveRow = statement((builder, { eventId, roll, key, cells }: ListKey & { cells: string }) =>
  builder
    .insertInto('roll_rows')
    .values({ event_id: eventId, roll, key, cells })
    .onConflict((conflict) =>
      conflict
        .columns(['event_id', 'roll', 'key'])
        .doUpdateSet(({ ref }) => ({ cells: ref('excluded.cells') })),
    ),
)
const deleteRow = statement((builder, { eventId, roll, key }: ListKey) =>
  builder
    .deleteFrom('roll_rows')
    .where('event_id', '=', eventId)
    .where('roll', '=', roll)
    .where('key', '=', key),
)
const rowCounts = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('roll_rows')
    .select(({ fn }) => ['roll', fn.countAll<number>().as('rows')])
    .where('event_id', '=', eventId)
    .groupBy('roll')
    .orderBy('roll'),
)

export async function memberListRow(
  sql: Sql,
  eventId: string,
  roll: string,
  key: string,
): Promise<Readonly<Record<string, string>> | null> {
  const row = await cellsOfRow.get(sql, { eventId, roll, key })
  return row === undefined ? null : (JSON.parse(row.cells) as Record<string, string>)
}

/** Replaces all rows at once; rows that are not given are deleted. */
export async function replaceMemberList(
  sql: Sql,
  eventId: string,
  roll: string,
  rows: readonly MemberListRow[],
  who: string,
  at: Instant,
): Promise<MemberListReplaced> {
  const stored = await rowsOfList.all(sql, { eventId, roll })
  const before = new Map(stored.map(({ key, cells }) => [key, cells]))
  const added: string[] = []
  let changed = 0
  for (const { key, cells } of rows) {
    const text = JSON.stringify(cells)
    const was = before.get(key)
    before.delete(key)
    if (was === text) continue
    if (was === undefined) added.push(key)
    else changed += 1
    saveRow.run(sql, { eventId, roll, key, cells: text })
  }
  const gone = [...before.keys()]
  for (const key of gone) deleteRow.run(sql, { eventId, roll, key })
  addAuditEntry(sql, {
    at,
    who,
    what: `replaced the roll ${roll}: ${rows.length} rows, ${added.length} new, ${changed} changed, ${gone.length} gone`,
    eventId,
    regNo: null,
  })
  const named = (keys: readonly string[]) => ({
    count: keys.length,
    first: keys.slice(0, NAMED_MAX),
  })
  return { rows: rows.length, changed, added: named(added), gone: named(gone) }
}

export function memberListCounts(sql: Sql, eventId: string): Promise<readonly MemberListCount[]> {
  return rowCounts.all(sql, { eventId })
}
