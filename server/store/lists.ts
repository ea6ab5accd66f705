/** Lists, exports and figures. Everything here may take long at a million rows, so it runs on the reader thread. */
import { addDays, startOf } from '../../engine/index.ts'
import type { Day, Instant, Paise, PaymentStatus } from '../../engine/index.ts'
import type { Sql } from './database.ts'
import { registrationsByIds } from './rows.ts'
import { ftsPhrase, searchTerm } from './search-words.ts'
import type { EventFigures, ListPage, ListQuery, Store, StoredRegistration } from './store.ts'

/** A search, or a filter by an answer, is counted up to here. */
export const count_max = 10_000
const recent_rows = 5
/** A field with more different answers than this is free text, not a choice. */
const options_max = 500
const option_length_max = 100

type Filter = { readonly where: string; readonly params: readonly unknown[] }
type Key = { readonly id: number; readonly created_at: Instant }
const tail_columns = 'r.reg_no, r.full_name, r.email, r.phone, r.council_no'

function filterOf(query: ListQuery): Filter {
  const tests: [string, ...unknown[]][] = [['r.event_id = ?', query.eventId]]
  if (query.paymentStatus !== undefined) tests.push(['r.payment_status = ?', query.paymentStatus])
  if (query.category !== undefined) tests.push(['r.category = ?', query.category])
  if (query.period !== undefined) tests.push(['r.period = ?', query.period])
  if (query.dateFrom !== undefined) tests.push(['r.created_at >= ?', startOf(query.dateFrom)])
  if (query.dateTo !== undefined)
    tests.push(['r.created_at < ?', startOf(addDays(query.dateTo, 1))])
  for (const [field, value] of Object.entries(query.answers))
    tests.push([
      'json_extract(r.answers, ?) = ?',
      `$.${JSON.stringify(field)}`,
      typeof value === 'boolean' ? Number(value) : value,
    ])
  return {
    where: tests.map(([test]) => test).join(' AND '),
    params: tests.flatMap(([, ...params]) => params),
  }
}

export function listPage(sql: Sql, query: ListQuery, page: number, pageSize: number): ListPage {
  const term = searchTerm(query.search ?? '')
  const filter = filterOf(query)
  const offset = (page - 1) * pageSize
  if (term !== null) {
    const found = searched(sql, filter, term, null, count_max + 1).toSorted(
      (a, b) => b.created_at - a.created_at || b.id - a.id,
    )
    const count = Math.min(found.length, count_max)
    return {
      rows: registrationsByIds(
        sql,
        found.slice(offset, Math.min(offset + pageSize, count)).map(({ id }) => id),
      ),
      count,
      countCapped: found.length > count_max,
    }
  }
  const keys = sql<Key>(
    `SELECT r.id, r.created_at FROM registrations r WHERE ${filter.where} ORDER BY r.created_at DESC, r.id DESC LIMIT ? OFFSET ?`,
  ).all(...filter.params, pageSize, offset)
  const counted =
    Object.keys(query.answers).length === 0
      ? { count: countOf(sql, query), countCapped: false }
      : countUpTo(sql, filter)
  return {
    rows: registrationsByIds(
      sql,
      keys.map(({ id }) => id),
    ),
    ...counted,
  }
}

/** Exact and from the counters alone: what they are kept by is all that is asked. */
function countOf(sql: Sql, query: ListQuery): number {
  const tests: [string, string][] = [['event_id = ?', query.eventId]]
  if (query.dateFrom !== undefined) tests.push(['day >= ?', query.dateFrom])
  if (query.dateTo !== undefined) tests.push(['day <= ?', query.dateTo])
  if (query.paymentStatus !== undefined) tests.push(['status = ?', query.paymentStatus])
  if (query.category !== undefined) tests.push(['category = ?', query.category])
  if (query.period !== undefined) tests.push(['period = ?', query.period])
  const row = sql<{ n: number }>(
    `SELECT coalesce(sum(registrations), 0) AS n FROM counters WHERE ${tests.map(([test]) => test).join(' AND ')}`,
  ).get(...tests.map(([, value]) => value))
  return row?.n ?? 0
}

function countUpTo(sql: Sql, filter: Filter): { count: number; countCapped: boolean } {
  const row = sql<{ n: number }>(
    `SELECT count(*) AS n FROM (SELECT 1 FROM registrations r WHERE ${filter.where} LIMIT ?)`,
  ).get(...filter.params, count_max + 1)
  const found = row?.n ?? 0
  return { count: Math.min(found, count_max), countCapped: found > count_max }
}

/** Newest rows first, the ones not indexed yet before the indexed. `before` is a row's id. */
function searched(
  sql: Sql,
  filter: Filter,
  term: string,
  before: number | null,
  limit: number,
): readonly Key[] {
  const below = before ?? Number.MAX_SAFE_INTEGER
  const indexed =
    sql<{ last_id: number }>('SELECT last_id FROM search_progress').get()?.last_id ?? 0
  const tail = sql<Key>(
    `SELECT r.id, r.created_at FROM registrations r NOT INDEXED
     WHERE r.id > ? AND r.id < ? AND ${filter.where} AND contains_folded(?, ${tail_columns}) ORDER BY r.id DESC LIMIT ?`,
  ).all(indexed, below, ...filter.params, term, limit)
  if (tail.length === limit) return tail
  const older = sql<Key>(
    `SELECT r.id, r.created_at FROM search_index CROSS JOIN registrations r ON r.id = search_index.rowid
     WHERE search_index MATCH ? AND search_index.rowid <= ? AND search_index.rowid < ? AND ${filter.where} ORDER BY search_index.rowid DESC LIMIT ?`,
  ).all(ftsPhrase(term), indexed, below, ...filter.params, limit - tail.length)
  return [...tail, ...older]
}

/** Where the next chunk of an export begins. */
export type Cursor = { readonly id: number; readonly createdAt: Instant }
export type Chunk = { readonly rows: readonly StoredRegistration[]; readonly next: Cursor | null }

export function exportChunk(sql: Sql, query: ListQuery, from: Cursor | null, size: number): Chunk {
  const term = searchTerm(query.search ?? '')
  const filter = filterOf(query)
  const keys =
    term !== null
      ? searched(sql, filter, term, from?.id ?? null, size)
      : sql<Key>(
          `SELECT r.id, r.created_at FROM registrations r WHERE ${filter.where} AND (r.created_at, r.id) < (?, ?) ORDER BY r.created_at DESC, r.id DESC LIMIT ?`,
        ).all(...filter.params, from?.createdAt ?? Number.MAX_SAFE_INTEGER, from?.id ?? 0, size)
  const last = keys.at(-1)
  return {
    rows: registrationsByIds(
      sql,
      keys.map(({ id }) => id),
    ),
    next:
      last === undefined || keys.length < size ? null : { id: last.id, createdAt: last.created_at },
  }
}

export function figures(sql: Sql, eventId: string, today: Day): EventFigures {
  const statuses = sql<{ status: PaymentStatus; n: number; today: number }>(
    'SELECT status, sum(registrations) AS n, sum(iif(day = ?, registrations, 0)) AS today FROM counters WHERE event_id = ? GROUP BY status',
  ).all(today, eventId)
  const of = (status: PaymentStatus): number =>
    statuses.find((row) => row.status === status)?.n ?? 0
  const byDay = sql<{ day: Day; registrations: number; revenue: Paise }>(
    `SELECT day, sum(registrations) AS registrations, sum(amount) AS revenue FROM (
       SELECT day, registrations, 0 AS amount FROM counters WHERE event_id = ?
       UNION ALL SELECT day, 0, amount FROM revenue WHERE event_id = ?
     ) GROUP BY day HAVING sum(registrations) <> 0 OR sum(amount) <> 0 ORDER BY day`,
  ).all(eventId, eventId)
  const recent = sql<Key>(
    'SELECT id, created_at FROM registrations WHERE event_id = ? ORDER BY created_at DESC, id DESC LIMIT ?',
  ).all(eventId, recent_rows)
  return {
    total: statuses.reduce((sum, { n }) => sum + n, 0),
    paid: of('success'),
    pending: of('pending'),
    failed: of('failed'),
    today: statuses.reduce((sum, row) => sum + row.today, 0),
    revenue: byDay.reduce((sum, { revenue }) => sum + revenue, 0) as Paise,
    byDay,
    recent: registrationsByIds(
      sql,
      recent.map(({ id }) => id),
    ),
  }
}

export function inReview(sql: Sql, eventId: string): readonly StoredRegistration[] {
  const keys = sql<Key>(
    'SELECT id, created_at FROM registrations WHERE event_id = ? AND in_review ORDER BY created_at DESC, id DESC',
  ).all(eventId)
  return registrationsByIds(
    sql,
    keys.map(({ id }) => id),
  )
}

export function inUse(sql: Sql, eventId: string): Awaited<ReturnType<Store['inUse']>> {
  const counted = sql<{ category: string; registrations: number; pending: number }>(
    `SELECT category, sum(registrations) AS registrations, sum(iif(status = 'pending', registrations, 0)) AS pending
     FROM counters WHERE event_id = ? GROUP BY category`,
  ).all(eventId)
  const answers = sql<{ field: string; value: string; type: string; n: number }>(
    `SELECT a.key AS field, CAST(a.value AS TEXT) AS value, a.type AS type, count(*) AS n
     FROM registrations r, json_each(r.answers) a WHERE r.event_id = ? GROUP BY a.key, a.type, a.value`,
  ).all(eventId)
  const byField = Map.groupBy(answers, ({ field }) => field)
  const choice = (rows: typeof answers): boolean =>
    rows.length <= options_max && rows.every(({ value }) => value.length <= option_length_max)
  const named = (row: (typeof answers)[number]): string =>
    row.type === 'true' || row.type === 'false' ? row.type : row.value
  return {
    registrations: counted.reduce((sum, { registrations }) => sum + registrations, 0),
    pending: counted.reduce((sum, { pending }) => sum + pending, 0),
    fields: Object.fromEntries(
      [...byField].map(([field, rows]) => [field, rows.reduce((sum, { n }) => sum + n, 0)]),
    ),
    options: Object.fromEntries(
      [...byField]
        .filter(([, rows]) => choice(rows))
        .map(([field, rows]) => [
          field,
          Object.fromEntries(rows.map((row) => [named(row), row.n])),
        ]),
    ),
    categories: Object.fromEntries(
      counted
        .filter(({ category, registrations }) => category !== '' && registrations !== 0)
        .map(({ category, registrations }) => [category, registrations]),
    ),
  }
}

export const listings = { listPage, exportChunk, figures, inReview, inUse }
