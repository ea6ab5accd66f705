/**
 * Lists, searches and exports: which registrations a filter names, newest first, a page or a chunk at
 * a time. It may take long at a million rows, so it runs on the reader thread.
 */
import { endOf, startOf } from '../../engine/index.ts'
import type { Instant, SoldSum } from '../../engine/index.ts'
import { countOf } from './counters.ts'
import type { Sql } from './database.ts'
import { registrationsByIds } from './rows.ts'
import { ftsQuery, searchTerms } from './search-words.ts'
import type { ListPage, ListQuery, SoldInList, StoredRegistration } from './store.ts'

/** A search, or a filter by an answer, is counted up to here. */
export const COUNT_MAX = 10_000

type Filter = { readonly where: string; readonly params: readonly unknown[] }
type Key = { readonly id: number; readonly created_at: Instant }
const tailColumns =
  "r.reg_no, coalesce(r.former_no, ''), r.full_name, r.email, r.phone, r.council_no, r.answers"

/** How many people an answer lists; to be bound: its path. */
const PEOPLE = 'coalesce(json_array_length(r.answers, ?), 0)'

/** Whether the counters know how many there are. */
function isCounted({ answers, chosen = {}, people = {}, sold }: ListQuery): boolean {
  return sold === undefined && [answers, chosen, people].every((by) => Object.keys(by).length === 0)
}

function filterOf(query: ListQuery): Filter {
  const tests: [string, ...unknown[]][] = [['r.event_id = ?', query.eventId]]
  if (query.paymentStatus !== undefined) tests.push(['r.payment_status = ?', query.paymentStatus])
  if (query.category !== undefined) tests.push(['r.category = ?', query.category])
  if (query.period !== undefined) tests.push(['r.period = ?', query.period])
  if (query.dateFrom !== undefined) tests.push(['r.created_at >= ?', startOf(query.dateFrom)])
  if (query.dateTo !== undefined) tests.push(['r.created_at < ?', endOf(query.dateTo)])
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

export function listPage(sql: Sql, query: ListQuery, page: number, pageSize: number): ListPage {
  const terms = searchTerms(query.search ?? '')
  const filter = filterOf(query)
  const offset = (page - 1) * pageSize
  if (terms.length > 0) {
    const found = searched(sql, filter, terms, null, COUNT_MAX + 1).toSorted(
      (a, b) => b.created_at - a.created_at || b.id - a.id,
    )
    const count = Math.min(found.length, COUNT_MAX)
    return {
      rows: registrationsByIds(
        sql,
        found.slice(offset, Math.min(offset + pageSize, count)).map(({ id }) => id),
      ),
      count,
      countCapped: found.length > COUNT_MAX,
    }
  }
  const keys = sql<Key>(
    `SELECT r.id, r.created_at FROM registrations r WHERE ${filter.where} ORDER BY r.created_at DESC, r.id DESC LIMIT ? OFFSET ?`,
  ).all(...filter.params, pageSize, offset)
  const counted = isCounted(query)
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

function countUpTo(sql: Sql, filter: Filter): { count: number; countCapped: boolean } {
  const row = sql<{ n: number }>(
    `SELECT count(*) AS n FROM (SELECT 1 FROM registrations r WHERE ${filter.where} LIMIT ?)`,
  ).get(...filter.params, COUNT_MAX + 1)
  const found = row?.n ?? 0
  return { count: Math.min(found, COUNT_MAX), countCapped: found > COUNT_MAX }
}

/** Of a search no more than are counted; of any other list all, in one walk over its lines. */
export function soldIn(sql: Sql, query: ListQuery, fields: readonly string[]): SoldInList {
  const terms = searchTerms(query.search ?? '')
  const filter = filterOf(query)
  const found = terms.length === 0 ? null : searched(sql, filter, terms, null, COUNT_MAX + 1)
  const of: Filter =
    found === null
      ? filter
      : {
          where: 'r.id IN (SELECT value FROM json_each(?))',
          params: [JSON.stringify(found.slice(0, COUNT_MAX).map(({ id }) => id))],
        }
  const paid = (what: string): string => `sum(iif(r.payment_status = 'success', ${what}, 0))`
  return {
    sums: sql<SoldSum>(
      `SELECT l.item, l.option, count(DISTINCT r.id) AS registrations, sum(l.quantity) AS quantity, sum(l.total) AS total,
         ${paid('l.quantity')} AS paidQuantity, ${paid('l.total')} AS paidTotal
       FROM registrations r JOIN bill_lines l ON l.registration_id = r.id AND l.bill = r.bill
       WHERE ${of.where} GROUP BY l.item, l.option`,
    ).all(...of.params),
    people: fields.map((field) => {
      const path = `$.${JSON.stringify(field)}`
      const row = sql<{ count: number | null; paid: number | null }>(
        `SELECT sum(${PEOPLE}) AS count, ${paid(PEOPLE)} AS paid FROM registrations r WHERE ${of.where}`,
      ).get(path, path, ...of.params)
      return { field, count: row?.count ?? 0, paid: row?.paid ?? 0 }
    }),
    capped: (found?.length ?? 0) > COUNT_MAX,
  }
}

/** Newest rows first, the ones not indexed yet before the indexed. `before` is a row's id. */
function searched(
  sql: Sql,
  filter: Filter,
  terms: readonly string[],
  before: number | null,
  limit: number,
): readonly Key[] {
  const below = before ?? Number.MAX_SAFE_INTEGER
  const indexed =
    sql<{ last_id: number }>('SELECT last_id FROM search_progress').get()?.last_id ?? 0
  const tail = sql<Key>(
    `SELECT r.id, r.created_at FROM registrations r NOT INDEXED
     WHERE r.id > ? AND r.id < ? AND ${filter.where} AND contains_folded(?, ${tailColumns}) ORDER BY r.id DESC LIMIT ?`,
  ).all(indexed, below, ...filter.params, JSON.stringify(terms), limit)
  if (tail.length === limit) return tail
  const older = sql<Key>(
    `SELECT r.id, r.created_at FROM search_index CROSS JOIN registrations r ON r.id = search_index.rowid
     WHERE search_index MATCH ? AND search_index.rowid <= ? AND search_index.rowid < ? AND ${filter.where} ORDER BY search_index.rowid DESC LIMIT ?`,
  ).all(ftsQuery(terms), indexed, below, ...filter.params, limit - tail.length)
  return [...tail, ...older]
}

/** Where the next chunk of an export begins. */
export type Cursor = { readonly id: number; readonly createdAt: Instant }
export type Chunk = { readonly rows: readonly StoredRegistration[]; readonly next: Cursor | null }

export function exportChunk(sql: Sql, query: ListQuery, from: Cursor | null, size: number): Chunk {
  const terms = searchTerms(query.search ?? '')
  const filter = filterOf(query)
  const keys =
    terms.length > 0
      ? searched(sql, filter, terms, from?.id ?? null, size)
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

export function inReview(sql: Sql, eventId: string): readonly StoredRegistration[] {
  const keys = sql<Key>(
    'SELECT id, created_at FROM registrations WHERE event_id = ? AND in_review ORDER BY created_at DESC, id DESC',
  ).all(eventId)
  return registrationsByIds(
    sql,
    keys.map(({ id }) => id),
  )
}

/** Registrations of several events that hold the text, or money under that reference, or that order; newest first. */
export function findIn(
  sql: Sql,
  eventIds: readonly string[],
  text: string,
  limit: number,
): readonly StoredRegistration[] {
  const terms = searchTerms(text)
  if (terms.length === 0) return []
  const events = JSON.stringify(eventIds)
  const ofEvents = 'r.event_id IN (SELECT value FROM json_each(?))'
  const reference = text.trim()
  const named = sql<Key>(
    `SELECT r.id, r.created_at FROM registrations r WHERE ${ofEvents} AND r.id IN (
       SELECT registration_id FROM captures WHERE reference = ? COLLATE NOCASE
       UNION SELECT registration_id FROM payments WHERE order_id = ?) LIMIT ?`,
  ).all(events, reference, reference.replaceAll(/[\s-]/g, ''), limit)
  const found = searched(sql, { where: ofEvents, params: [events] }, terms, null, limit)
  const keys = [...named, ...found.filter(({ id }) => !named.some((one) => one.id === id))]
  return registrationsByIds(
    sql,
    keys.slice(0, limit).map(({ id }) => id),
  )
}
