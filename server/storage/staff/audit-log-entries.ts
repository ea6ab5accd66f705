/** Stores the audit log: user, action, time, registration and event. Append-only. */
import { endOfDay, startOfDay } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { ActivityQuery, ActivityRow, ActKind, AuditEntry } from './staff-types.ts'

/** Looks within one hour of the clock are one. */
const LOOK_MS = 60 * 60_000

/** By which a look is one with those before it in the same hour; null: it is no look. */
const lookedAt = ({ at, who, eventId, regNo, look }: AuditEntry): string | null =>
  look === undefined ? null : JSON.stringify([Math.floor(at / LOOK_MS), who, look, eventId, regNo])

/** More than a whole office looks at in an hour. */
const LOOKS_MAX = 10_000

/**
 * Leaves out views that this server has logged already, so that paging through a list does not wait for the
 * writer. Only written entries are remembered: if writing fails, the next view is logged.
 */
export function withoutRepeated(
  write: (entry: AuditEntry) => Promise<void>,
): (entry: AuditEntry) => Promise<void> {
  const written = new Set<string>()
  return async (entry) => {
    const looked = lookedAt(entry)
    if (looked !== null && written.has(looked)) return
    await write(entry)
    if (looked === null) return
    if (written.size >= LOOKS_MAX) written.clear()
    written.add(looked)
  }
}

/** A view already logged in this hour adds no row. */
export function audit(sql: Sql, entry: AuditEntry): void {
  const { at, who, what, eventId, regNo } = entry
  sql(
    `INSERT INTO audit_log (at, who, what, event_id, reg_no, registration_id, look)
     VALUES (?, ?, ?, ?, ?, (SELECT id FROM registrations WHERE reg_no = ?), ?) ON CONFLICT (look) WHERE look IS NOT NULL DO NOTHING`,
  ).run(at, who, what, eventId, regNo, regNo, lookedAt(entry))
}

/** Rows of before looks were told apart are known by their words. */
const IS_LOOK = "(look IS NOT NULL OR what LIKE 'saw %' OR what LIKE 'opened the %')"
const IS_EXPORT = "what LIKE 'exported %'"
const IS_SIGNING_IN = "(what LIKE 'signed %' OR what LIKE 'failed to sign in%')"
const KINDS: Readonly<Record<ActKind, string>> = {
  looks: IS_LOOK,
  exports: IS_EXPORT,
  'signing-in': IS_SIGNING_IN,
  changes: `NOT (${IS_LOOK} OR ${IS_EXPORT} OR ${IS_SIGNING_IN})`,
}
const IS_PERSON = "who NOT IN ('delegate', 'import')"

export function activity(
  sql: Sql,
  { who, events, kinds, words, from, to }: ActivityQuery,
  before: number | null,
  limit: number,
): Promise<readonly ActivityRow[]> {
  const wheres = [IS_PERSON]
  const args: unknown[] = []
  const where = (text: string, ...values: unknown[]): void => {
    wheres.push(text)
    args.push(...values)
  }
  if (before !== null) where('id < ?', before)
  if (who !== null) where('who = ?', who)
  if (events !== null) where('event_id IN (SELECT value FROM json_each(?))', JSON.stringify(events))
  if (kinds !== null) where(`(${kinds.map((kind) => KINDS[kind]).join(' OR ') || 'FALSE'})`)
  for (const word of words.split(/\s+/).filter((each) => each !== ''))
    where("instr(lower(what || ' ' || coalesce(reg_no, '')), ?) > 0", word.toLowerCase())
  if (from !== null) where('at >= ?', startOfDay(from))
  if (to !== null) where('at < ?', endOfDay(to))
  return sql<ActivityRow>(
    `SELECT id, at, who, what, event_id AS eventId, reg_no AS regNo FROM audit_log
     WHERE ${wheres.join(' AND ')} ORDER BY id DESC LIMIT abs(?)`,
  ).all(...args, limit)
}

/** `events` null: entries of all events, and of none. */
export async function actors(
  sql: Sql,
  events: readonly string[] | null,
): Promise<readonly string[]> {
  const ofThese = events === null ? '' : 'AND event_id IN (SELECT value FROM json_each(?))'
  return (
    await sql<{ who: string }>(
      `SELECT who FROM audit_log WHERE ${IS_PERSON} ${ofThese} GROUP BY who ORDER BY who COLLATE NOCASE`,
    ).all(...(events === null ? [] : [JSON.stringify(events)]))
  ).map(({ who }) => who)
}
