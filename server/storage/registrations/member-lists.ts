/** Stores the office's member lists. A list is replaced as a whole, and its rows are looked up by key. */
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
import type { MemberListCount, MemberListReplaced, MemberListRow } from './pricing-context-types.ts'

/** The maximum number of keys listed after a member list was replaced. Further keys are only counted. */
const MAX_SAMPLE = 10

type List = { eventId: string; roll: string }
type ListKey = List & { key: string }
const cellsOfRow = statement((builder, { eventId, roll: memberList, key }: ListKey) =>
  builder
    .selectFrom('roll_rows')
    .select('cells')
    .where('event_id', '=', eventId)
    .where('roll', '=', memberList)
    .where('key', '=', key),
)
const rowsOfList = statement((builder, { eventId, roll: memberList }: List) =>
  builder
    .selectFrom('roll_rows')
    .select(['key', 'cells'])
    .where('event_id', '=', eventId)
    .where('roll', '=', memberList),
)
const saveRow = statement(
  (builder, { eventId, roll: memberList, key, cells }: ListKey & { cells: string }) =>
    builder
      .insertInto('roll_rows')
      .values({ event_id: eventId, roll: memberList, key, cells })
      .onConflict((conflict) =>
        conflict
          .columns(['event_id', 'roll', 'key'])
          .doUpdateSet(({ ref }) => ({ cells: ref('excluded.cells') })),
      ),
)
const deleteRow = statement((builder, { eventId, roll: memberList, key }: ListKey) =>
  builder
    .deleteFrom('roll_rows')
    .where('event_id', '=', eventId)
    .where('roll', '=', memberList)
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

export async function readMemberListRow(
  sql: Sql,
  eventId: string,
  memberList: string,
  key: string,
): Promise<Readonly<Record<string, string>> | null> {
  const row = await cellsOfRow.get(sql, { eventId, roll: memberList, key })
  return row === undefined ? null : (JSON.parse(row.cells) as Record<string, string>)
}

/** Replaces a member list. Rows that are not in the new list are deleted. */
export async function replaceMemberList(
  sql: Sql,
  eventId: string,
  memberList: string,
  rows: readonly MemberListRow[],
  user: string,
  at: Instant,
): Promise<MemberListReplaced> {
  const storedRowList = await rowsOfList.all(sql, { eventId, roll: memberList })
  const storedRows = new Map(storedRowList.map(({ key, cells }) => [key, cells]))
  const addedKeys: string[] = []
  let changedCount = 0
  for (const { key, cells } of rows) {
    const text = JSON.stringify(cells)
    const storedCells = storedRows.get(key)
    storedRows.delete(key)
    if (storedCells === text) continue
    if (storedCells === undefined) addedKeys.push(key)
    else changedCount += 1
    saveRow.run(sql, { eventId, roll: memberList, key, cells: text })
  }
  const removedKeys = [...storedRows.keys()]
  for (const key of removedKeys) deleteRow.run(sql, { eventId, roll: memberList, key })
  addAuditEntry(sql, {
    at,
    who: user,
    what: `replaced the member list ${memberList}: ${rows.length} rows, ${addedKeys.length} new, ${changedCount} changed, ${removedKeys.length} removed`,
    eventId,
    regNo: null,
  })
  const summarizeKeys = (keys: readonly string[]) => ({
    count: keys.length,
    first: keys.slice(0, MAX_SAMPLE),
  })
  return {
    rows: rows.length,
    changed: changedCount,
    added: summarizeKeys(addedKeys),
    gone: summarizeKeys(removedKeys),
  }
}

export function countMemberLists(sql: Sql, eventId: string): Promise<readonly MemberListCount[]> {
  return rowCounts.all(sql, { eventId })
}
