/**
 * Runs lists, searches and exports: matching registrations, newest first, by page or chunk.
 * May take long with a million rows, so it runs on the reader thread.
 */
import { bankKey, ENDED_STATES, endOfDay, instant, startOfDay } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import { countByDay, IS_ENDED, OWED, sumsOf } from '../reports/registration-and-revenue-counters.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { asTexts, listedByIds, toListed } from './listed-registrations.ts'
import type { ListedRows, ListedTexts } from './listed-registrations.ts'
import { LIMIT, registrationsByIds } from '../registrations/row-mapping.ts'
import { searchTerms } from './search-terms.ts'
import type { ListPage, ListQuery, ListSort, StatusSum, StoredRegistration } from '../index.ts'
import { waitingIds } from './work-queue.ts'

/** A search, or a filter by an answer, is counted up to this number. */
export const COUNT_MAX = 10_000

export type Filter = { readonly where: string; readonly params: readonly unknown[] }
type Key = { readonly id: number; readonly created_at: Instant }
const tailColumns =
  "r.reg_no, coalesce(r.former_no, ''), r.full_name, r.email, r.phone, r.council_no, r.answers"

/** The number of persons in an answer; its path must be bound. */
export const PEOPLE = 'coalesce(json_array_length(r.answers, ?), 0)'

/** Whether the counters know how many there are. */
function isCounted({ answers, chosen = {}, people = {}, sold, state }: ListQuery): boolean {
  return (
    sold === undefined &&
    state === undefined &&
    [answers, chosen, people].every((by) => Object.keys(by).length === 0)
  )
}

/** The states that few are in have an index of their own, which must be named as it was made. */
const STATE_TESTS: Readonly<Record<string, string>> = {
  told: "r.state = ? AND r.state IN ('to_approve', 'told')",
  to_approve: "r.state = ? AND r.state IN ('to_approve', 'told')",
  ...Object.fromEntries(ENDED_STATES.map((state) => [state, `r.state = ? AND ${IS_ENDED}`])),
}

export function filterOf(query: ListQuery): Filter {
  // Through a function, so that the commonest are not planned anew at every run; see `LIMIT`.
  const tests: [string, ...unknown[]][] = [["r.event_id = coalesce(?, '')", query.eventId]]
  if (query.paymentStatus !== undefined) tests.push(['r.payment_status = ?', query.paymentStatus])
  if (query.category !== undefined) tests.push(['r.category = ?', query.category])
  if (query.period !== undefined) tests.push(['r.period = ?', query.period])
  if (query.dateFrom !== undefined) tests.push(['r.created_at >= ?', startOfDay(query.dateFrom)])
  if (query.dateTo !== undefined) tests.push(['r.created_at < ?', endOfDay(query.dateTo)])
  for (const [field, value] of Object.entries(query.answers))
    tests.push([
      'json_extract(r.answers, ?) = ?',
      `$.${JSON.stringify(field)}`,
      typeof value === 'boolean' ? Number(value) : value,
    ])
  for (const [field, option] of Object.entries(query.chosen ?? {}))
    tests.push([
      'EXISTS (SELECT 1 FROM json_each(r.answers, ?) WHERE value = ?)',
      `$.${JSON.stringify(field)}`,
      option,
    ])
  for (const [field, isAny] of Object.entries(query.people ?? {}))
    tests.push([`(${PEOPLE} > 0) = ?`, `$.${JSON.stringify(field)}`, Number(isAny)])
  if (query.state !== undefined)
    tests.push([STATE_TESTS[query.state] ?? 'r.state = ?', query.state])
  if (query.sold !== undefined) {
    const { item, option } = query.sold
    const by = option === null ? '' : ' AND l.option = ?'
    tests.push([
      `EXISTS (SELECT 1 FROM bill_lines l WHERE l.registration_id = r.id AND l.bill = r.bill AND l.item = ?${by})`,
      item,
      ...(option === null ? [] : [option]),
    ])
  }
  return {
    where: tests.map(([test]) => test).join(' AND '),
    params: tests.flatMap(([, ...params]) => params),
  }
}

type PageOf<Rows> = Omit<ListPage, 'rows'> & { readonly rows: Rows }

export async function listPage(
  sql: Sql,
  query: ListQuery,
  page: number,
  pageSize: number,
): Promise<PageOf<ListedTexts>> {
  const { rows, ...rest } = await pageOf(sql, query, page, pageSize)
  return { rows: asTexts(rows), ...rest }
}

/**
 * Returns true for the most frequent pages of the office: a whole list by date, or those of one status, near the
 * start. An index has the rows in that order and counters have their number, so it takes a fifth of a millisecond
 * for any size, and the main thread reads it itself: waking another thread takes as long.
 */
export function isNear(query: ListQuery, page: number, pageSize: number): boolean {
  const { eventId: _event, paymentStatus: _status, answers, sort, ...filters } = query
  return (
    page * pageSize <= WALKED_ROWS_MAX &&
    (sort === undefined || sort.by === 'date') &&
    Object.keys(answers).length === 0 &&
    Object.values(filters).every((filter) => filter === undefined || isEmpty(filter))
  )
}
const isEmpty = (filter: unknown): boolean =>
  typeof filter === 'object' && filter !== null && Object.keys(filter).length === 0

/** For a page for which `isNear` is true. */
export async function nearPage(
  sql: Sql,
  query: ListQuery,
  page: number,
  pageSize: number,
): Promise<ListPage> {
  const { rows, ...rest } = await pageOf(sql, query, page, pageSize)
  return { rows: toListed(rows), ...rest }
}

async function pageOf(
  sql: Sql,
  query: ListQuery,
  page: number,
  pageSize: number,
): Promise<PageOf<ListedRows>> {
  const filter = filterOf(query)
  const within = await withinOf(sql, query, null, COUNT_MAX + 1)
  const counted =
    within === null ? await countedOf(sql, query, filter) : await countWithin(sql, within)
  const isSorted =
    query.sort === undefined ||
    query.sort.by === 'date' ||
    (counted.count <= COUNT_MAX && !counted.countCapped)
  const by = orderOf(isSorted ? query.sort : undefined)
  const [from, where] =
    within === null
      ? [FROM_ALL, filter]
      : [FROM_IDS, { where: 'TRUE', params: [JSON.stringify(within.slice(0, COUNT_MAX))] }]
  const begin =
    within === null && by.isByDate
      ? await daysBefore(sql, query, by.isDescending, (page - 1) * pageSize)
      : { where: 'TRUE', params: [], left: (page - 1) * pageSize }
  const keys = await sql<{ id: number }>(
    `SELECT r.id FROM ${from} WHERE ${where.where} AND ${begin.where} ORDER BY ${by.order} ${LIMIT} OFFSET abs(?)`,
  ).all(...where.params, ...begin.params, ...by.params, pageSize, begin.left)
  return {
    rows: await listedByIds(
      sql,
      keys.map(({ id }) => id),
    ),
    ...counted,
    isSorted,
  }
}

/** Fewer rows are walked over in less time than their days are added up. */
const WALKED_ROWS_MAX = 1_000

/** Where a page so many rows further on begins: whole days are passed over by what was counted of them. */
async function daysBefore(
  sql: Sql,
  query: ListQuery,
  isDescending: boolean,
  rows: number,
): Promise<Filter & { readonly left: number }> {
  if (rows <= WALKED_ROWS_MAX || !isCounted(query)) return { where: 'TRUE', params: [], left: rows }
  let left = rows
  for (const { day, n } of await countByDay(sql, query, isDescending)) {
    if (n > left)
      return isDescending
        ? { where: 'r.created_at < ?', params: [endOfDay(day)], left }
        : { where: 'r.created_at >= ?', params: [startOfDay(day)], left }
    left -= n
  }
  return { where: 'FALSE', params: [], left: 0 }
}

const FROM_ALL = 'registrations r'
/** To be bound: ids as JSON. */
const FROM_IDS = 'json_each(?) k CROSS JOIN registrations r ON r.id = k.value'

/**
 * Returns the ids of a search or of a work queue condition, newest first; null: the query has neither. `before`
 * is a row's id.
 */
export async function withinOf(
  sql: Sql,
  query: ListQuery,
  before: number | null,
  limit: number,
  waitingMax = limit,
): Promise<readonly number[] | null> {
  const terms = searchTerms(query.search ?? '')
  if (terms.length === 0 && query.waiting === undefined) return null
  const { where, params } = filterOf(query)
  if (query.waiting === undefined)
    return (await searched(sql, { where, params }, terms, before, limit)).map(({ id }) => id)
  const waiting = JSON.stringify(await waitingIds(sql, query.eventId, query.waiting, waitingMax))
  if (terms.length > 0) {
    const both = `${where} AND r.id IN (SELECT value FROM json_each(?))`
    const filter = { where: both, params: [...params, waiting] }
    return (await searched(sql, filter, terms, before, limit)).map(({ id }) => id)
  }
  return (
    await sql<{ id: number }>(
      `SELECT r.id FROM ${FROM_IDS} WHERE r.id < ? AND ${where} ORDER BY r.id DESC LIMIT ?`,
    ).all(waiting, before ?? Number.MAX_SAFE_INTEGER, ...params, limit)
  ).map(({ id }) => id)
}

type Counted = Pick<ListPage, 'count' | 'countCapped' | 'sums'>

/** Of all that a filter names: exact where the counters know it, else counted up to a limit. */
async function countedOf(sql: Sql, query: ListQuery, { where, params }: Filter): Promise<Counted> {
  if (!isCounted(query))
    return summed(
      await sql<StatusSum>(
        sumsUpTo(`SELECT ${SUMMED} FROM registrations r WHERE ${where} LIMIT ?`),
      ).all(...params, COUNT_MAX + 1),
    )
  const sums = await sumsOf(sql, query)
  return { count: totalOf(sums), countCapped: false, sums }
}

async function countWithin(sql: Sql, ids: readonly number[]): Promise<Counted> {
  return summed(
    await sql<StatusSum>(sumsUpTo(`SELECT ${SUMMED} FROM ${FROM_IDS}`)).all(JSON.stringify(ids)),
  )
}

const SUMMED = 'r.payment_status, r.state, r.total, r.due, r.booked'
const sumsUpTo = (rows: string): string =>
  `SELECT r.payment_status AS status, count(*) AS count, sum(r.booked) AS booked, sum(${OWED}) AS owed,
     sum(iif(${IS_ENDED}, 1, 0)) AS ended
   FROM (${rows}) r GROUP BY r.payment_status`

function summed(sums: readonly StatusSum[]): Counted {
  const count = totalOf(sums)
  return count > COUNT_MAX
    ? { count: COUNT_MAX, countCapped: true, sums: null }
    : { count, countCapped: false, sums }
}

const totalOf = (sums: readonly StatusSum[]): number =>
  sums.reduce((total, { count }) => total + count, 0)

/** What is sorted by nothing that an index is of is read whole, so only as many as are counted. */
function orderOf(sort: ListSort | undefined): {
  order: string
  params: readonly unknown[]
  isByDate: boolean
  isDescending: boolean
} {
  const { by = 'date', isDescending = true, order: categories = [] } = sort ?? {}
  const way = isDescending ? 'DESC' : 'ASC'
  if (by === 'date')
    return { order: `r.created_at ${way}, r.id ${way}`, params: [], isByDate: true, isDescending }
  const params = by === 'category' ? [JSON.stringify(categories)] : []
  const order = `${SORTED[by]} ${way}, r.created_at DESC, r.id DESC`
  return { order, params, isByDate: false, isDescending }
}

const SORTED: Readonly<Record<Exclude<ListSort['by'], 'date'>, string>> = {
  number: 'r.reg_no',
  name: 'r.full_name COLLATE NOCASE',
  // As the event file lists them.
  category: '(SELECT o.key FROM json_each(?) o WHERE o.value = r.category)',
  total: 'r.total',
  // What a person has to decide stands at one end.
  status: `CASE WHEN r.in_review THEN 0 WHEN ${IS_ENDED} THEN 5 WHEN r.payment_status = 'pending' THEN 1
    WHEN r.payment_status = 'failed' THEN 2 WHEN r.payment_status = 'success' THEN 3 ELSE 4 END`,
}

/** Newest rows first, the ones not indexed yet before the indexed. `before` is a row's id. */
async function searched(
  sql: Sql,
  filter: Filter,
  terms: readonly string[],
  before: number | null,
  limit: number,
): Promise<readonly Key[]> {
  const below = before ?? Number.MAX_SAFE_INTEGER
  const indexed =
    (await sql<{ last_id: number }>('SELECT last_id FROM search_progress').get())?.last_id ?? 0
  const tail = sql.searching.isBehind
    ? await sql<Key>(
        `SELECT r.id, r.created_at FROM registrations r NOT INDEXED
     WHERE r.id > ? AND r.id < ? AND ${filter.where} AND contains_folded(?, ${tailColumns}) ORDER BY r.id DESC LIMIT ?`,
      ).all(indexed, below, ...filter.params, JSON.stringify(terms), limit)
    : []
  if (tail.length === limit) return tail
  const { where, params } = sql.searching.matching(terms)
  const older = await sql<Key>(
    `SELECT r.id, r.created_at FROM search_index CROSS JOIN registrations r ON r.id = search_index.rowid
     WHERE ${where} AND search_index.rowid <= ? AND search_index.rowid < ? AND ${filter.where} ORDER BY search_index.rowid DESC LIMIT ?`,
  ).all(...params, indexed, below, ...filter.params, limit - tail.length)
  return [...tail, ...older]
}

/** The position where the next chunk of an export begins. */
export type Cursor = { readonly id: number; readonly createdAt: Instant }
export type Chunk = { readonly rows: ListedTexts; readonly next: Cursor | null }

export async function exportChunk(
  sql: Sql,
  query: ListQuery,
  from: Cursor | null,
  size: number,
): Promise<Chunk> {
  const filter = filterOf(query)
  const within = await withinOf(sql, query, from?.id ?? null, size, Number.MAX_SAFE_INTEGER)
  const keys =
    within === null
      ? await sql<Key>(
          `SELECT r.id, r.created_at FROM registrations r WHERE ${filter.where} AND (r.created_at, r.id) < (?, ?) ORDER BY r.created_at DESC, r.id DESC LIMIT ?`,
        ).all(...filter.params, from?.createdAt ?? Number.MAX_SAFE_INTEGER, from?.id ?? 0, size)
      : within.map((id) => ({ id, created_at: from?.createdAt ?? instant(0) }))
  const last = keys.at(-1)
  return {
    rows: asTexts(
      await listedByIds(
        sql,
        keys.map(({ id }) => id),
      ),
    ),
    next:
      last === undefined || keys.length < size ? null : { id: last.id, createdAt: last.created_at },
  }
}

export async function inReview(sql: Sql, eventId: string): Promise<readonly StoredRegistration[]> {
  const keys = await sql<Key>(
    'SELECT id, created_at FROM registrations WHERE event_id = ? AND in_review ORDER BY created_at DESC, id DESC',
  ).all(eventId)
  return registrationsByIds(
    sql,
    keys.map(({ id }) => id),
  )
}

/**
 * Returns registrations of several events that contain the text, a payment with that reference (recorded or
 * reported), or that order; newest first.
 */
export async function findIn(
  sql: Sql,
  eventIds: readonly string[],
  text: string,
  limit: number,
): Promise<readonly StoredRegistration[]> {
  const terms = searchTerms(text)
  if (terms.length === 0) return []
  const events = JSON.stringify(eventIds)
  const ofEvents = 'r.event_id IN (SELECT value FROM json_each(?))'
  const reference = text.trim()
  const named = await sql<Key>(
    `SELECT r.id, r.created_at FROM registrations r WHERE ${ofEvents} AND r.id IN (
       SELECT registration_id FROM captures WHERE reference = ? COLLATE NOCASE OR id = (SELECT capture_id FROM bank_references WHERE key = ?)
       UNION SELECT registration_id FROM tellings WHERE folded = ?
       UNION SELECT registration_id FROM payments WHERE order_id = ?) LIMIT ?`,
  ).all(events, reference, bankKey(text), bankKey(text), reference.replaceAll(/[\s-]/g, ''), limit)
  // A whole number is somebody's: its beginning stands in every row of the index, which would be read for it.
  const [term = ''] = terms
  const whole =
    terms.length === 1
      ? await sql<Key>(
          `SELECT r.id, r.created_at FROM registrations r WHERE ${ofEvents} AND r.reg_no IN (?, ?)`,
        ).all(events, term, term.toUpperCase())
      : []
  const found =
    whole.length > 0
      ? whole
      : await searched(sql, { where: ofEvents, params: [events] }, terms, null, limit)
  const keys = [...named, ...found.filter(({ id }) => !named.some((one) => one.id === id))]
  return registrationsByIds(
    sql,
    keys.slice(0, limit).map(({ id }) => id),
  )
}
