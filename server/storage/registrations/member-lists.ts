/** Stores the office's member lists: replaced as a whole, looked up by row. */
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { MemberListCount, MemberListReplaced, MemberListRow } from './pricing-context-types.ts'

/** Named where a roll has changed; the rest is counted. */
const NAMED_MAX = 10

export async function rollRow(
  sql: Sql,
  eventId: string,
  roll: string,
  key: string,
): Promise<Readonly<Record<string, string>> | null> {
  const row = await sql<{ cells: string }>(
    'SELECT cells FROM roll_rows WHERE event_id = ? AND roll = ? AND key = ?',
  ).get(eventId, roll, key)
  return row === undefined ? null : (JSON.parse(row.cells) as Record<string, string>)
}

/** Replaces all rows at once; rows that are not given are deleted. */
export async function replaceRoll(
  sql: Sql,
  eventId: string,
  roll: string,
  rows: readonly MemberListRow[],
  who: string,
  at: Instant,
): Promise<MemberListReplaced> {
  const before = new Map(
    (
      await sql<{ key: string; cells: string }>(
        'SELECT key, cells FROM roll_rows WHERE event_id = ? AND roll = ?',
      ).all(eventId, roll)
    ).map(({ key, cells }) => [key, cells]),
  )
  const added: string[] = []
  let changed = 0
  for (const { key, cells } of rows) {
    const text = JSON.stringify(cells)
    const was = before.get(key)
    before.delete(key)
    if (was === text) continue
    if (was === undefined) added.push(key)
    else changed += 1
    sql(
      'INSERT INTO roll_rows (event_id, roll, key, cells) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET cells = excluded.cells',
    ).run(eventId, roll, key, text)
  }
  const gone = [...before.keys()]
  for (const key of gone)
    sql('DELETE FROM roll_rows WHERE event_id = ? AND roll = ? AND key = ?').run(eventId, roll, key)
  sql('INSERT INTO audit_log (at, who, what, event_id) VALUES (?, ?, ?, ?)').run(
    at,
    who,
    `replaced the roll ${roll}: ${rows.length} rows, ${added.length} new, ${changed} changed, ${gone.length} gone`,
    eventId,
  )
  const named = (keys: readonly string[]) => ({
    count: keys.length,
    first: keys.slice(0, NAMED_MAX),
  })
  return { rows: rows.length, changed, added: named(added), gone: named(gone) }
}

export function rollCounts(sql: Sql, eventId: string): Promise<readonly MemberListCount[]> {
  return sql<MemberListCount>(
    'SELECT roll, count(*) AS rows FROM roll_rows WHERE event_id = ? GROUP BY roll ORDER BY roll',
  ).all(eventId)
}
