/** Stores the audit log: user, action, time, registration and event. Append-only. */
import { sql as raw } from 'kysely'
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { endOfDay, startOfDay } from '../../../engine/index.ts'
import type { Instant, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { buildQuery, statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import type { AuditLogQuery, AuditLogRow, AuditEntryKind, AuditEntry } from './staff-types.ts'

type Entry = ExpressionBuilder<Tables, 'audit_log'>
type Condition = Expression<SqlBool>
const addEntry = statement((builder, entry: Omit<AuditEntry, 'look'> & { look: string | null }) =>
  builder
    .insertInto('audit_log')
    .values(({ selectFrom }) => ({
      at: entry.at,
      who: entry.who,
      what: entry.what,
      event_id: entry.eventId,
      reg_no: entry.regNo,
      registration_id: selectFrom('registrations').select('id').where('reg_no', '=', entry.regNo),
      look: entry.look,
    }))
    .onConflict((conflict) => conflict.column('look').where('look', 'is not', null).doNothing()),
)
const addEntryOfNewRegistration = statement(
  (builder, entry: Omit<AuditEntry, 'look'> & { registrationId: number }) =>
    builder.insertInto('audit_log').values({
      at: entry.at,
      who: entry.who,
      what: entry.what,
      event_id: entry.eventId,
      reg_no: entry.regNo,
      registration_id: entry.registrationId,
    }),
)
const entriesOfRegistration = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('audit_log')
    .select(['at', 'who', 'what'])
    .where('registration_id', '=', ({ selectFrom }) =>
      selectFrom('registrations').select('id').where('reg_no', '=', regNo),
    )
    .orderBy('id'),
)

/** Repeated views within the same clock hour are logged as one entry. */
const VIEW_INTERVAL_MS = 60 * 60_000

/** Returns the key that repeated views within the same clock hour share. Null if the entry is not a view. */
const getViewKey = ({ at, who: user, eventId, regNo, look }: AuditEntry): string | null =>
  look === undefined
    ? null
    : JSON.stringify([Math.floor(at / VIEW_INTERVAL_MS), user, look, eventId, regNo])

/** The maximum number of remembered views. An entire office views fewer pages in an hour. */
const MAX_REMEMBERED_VIEWS = 10_000

/**
 * Skips views that this server has already logged, so that paging through a list does not wait for the writer.
 * Remembers only written entries: if writing fails, the next view is logged.
 */
export function skipRepeatedViews(
  write: (entry: AuditEntry) => Promise<void>,
): (entry: AuditEntry) => Promise<void> {
  const writtenViews = new Set<string>()
  return async (entry) => {
    const viewKey = getViewKey(entry)
    if (viewKey !== null && writtenViews.has(viewKey)) return
    await write(entry)
    if (viewKey === null) return
    if (writtenViews.size >= MAX_REMEMBERED_VIEWS) writtenViews.clear()
    writtenViews.add(viewKey)
  }
}

/** Adds an entry. A view that was already logged in this hour adds no row. */
export function addAuditEntry(sql: Sql, entry: AuditEntry): void {
  const { at, who: user, what, eventId, regNo } = entry
  addEntry.run(sql, { at, who: user, what, eventId, regNo, look: getViewKey(entry) })
}

/** Adds an entry about a new registration, whose id is known, so that its number is not looked up. */
export function addAuditEntryOfNewRegistration(
  sql: Sql,
  registrationId: number,
  entry: Omit<AuditEntry, 'look'>,
): void {
  addEntryOfNewRegistration.run(sql, { ...entry, registrationId })
}

/** Returns the entries of a registration, oldest first. */
export function readAuditEntries(
  sql: Sql,
  regNo: RegNo,
): Promise<readonly { readonly at: Instant; readonly who: string; readonly what: string }[]> {
  return entriesOfRegistration.all(sql, { regNo })
}

/** Matches views. Entries that are older than the `look` column are recognised by their text. */
const isViewEntry = (eb: Entry): Condition =>
  eb.or([
    eb('look', 'is not', null),
    eb('what', 'like', 'saw %'),
    eb('what', 'like', 'opened the %'),
  ])
const isExport = (eb: Entry): Condition => eb('what', 'like', 'exported %')
const isSignIn = (eb: Entry): Condition =>
  eb.or([eb('what', 'like', 'signed %'), eb('what', 'like', 'failed to sign in%')])
const KIND_CONDITIONS: Readonly<Record<AuditEntryKind, (eb: Entry) => Condition>> = {
  looks: isViewEntry,
  exports: isExport,
  'signing-in': isSignIn,
  changes: (eb) => eb.not(eb.or([isViewEntry(eb), isExport(eb), isSignIn(eb)])),
}
/** Uses constants instead of bound values, for which the databases would not use the index of these entries. */
const isByUser = (eb: Entry): Condition =>
  eb('who', 'not in', [raw.lit('delegate'), raw.lit('import')])

export function readAuditLog(
  sql: Sql,
  { who: user, events, kinds, words, from, to }: AuditLogQuery,
  beforeId: number | null,
  limit: number,
): Promise<readonly AuditLogRow[]> {
  return buildQuery(sql, (builder, dialect) => {
    let query = builder
      .selectFrom('audit_log')
      .select(['id', 'at', 'who', 'what', 'event_id as eventId', 'reg_no as regNo'])
      .where(isByUser)
    if (beforeId !== null) query = query.where('id', '<', beforeId)
    if (user !== null) query = query.where('who', '=', user)
    if (events !== null)
      query = query.where((eb) => dialect.isIn(eb.ref('event_id'), JSON.stringify(events)))
    if (kinds !== null)
      query = query.where((eb) => eb.or(kinds.map((kind) => KIND_CONDITIONS[kind](eb))))
    for (const term of words.split(/\s+/).filter((text) => text !== ''))
      query = query.where(({ eb, ref }) =>
        eb(
          dialect.position(
            raw<string>`lower(${ref('what')} || ' ' || coalesce(${ref('reg_no')}, ''))`,
            term.toLowerCase(),
          ),
          '>',
          0,
        ),
      )
    if (from !== null) query = query.where('at', '>=', startOfDay(from))
    if (to !== null) query = query.where('at', '<', endOfDay(to))
    return query.orderBy('id', 'desc').limit(dialect.limit(limit))
  }).all()
}

/**
 * Returns the users with entries in these events, sorted by name. `events`: null for all entries, including those
 * without an event.
 */
export async function listAuditLogUsers(
  sql: Sql,
  events: readonly string[] | null,
): Promise<readonly string[]> {
  const entries = await buildQuery(sql, (builder, dialect) => {
    const entriesOfUsers = builder.selectFrom('audit_log').select('who').where(isByUser)
    const entriesInEvents =
      events === null
        ? entriesOfUsers
        : entriesOfUsers.where((eb) => dialect.isIn(eb.ref('event_id'), JSON.stringify(events)))
    return entriesInEvents.groupBy('who').orderBy(({ ref }) => dialect.ignoreCase(ref('who')))
  }).all()
  return entries.map(({ who: user }) => user)
}
