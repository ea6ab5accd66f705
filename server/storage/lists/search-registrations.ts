/** Finds registrations by their words, their references, or a condition of the work queue. */
import type { Expression, SqlBool } from 'kysely'
import { bankKey } from '../../../engine/index.ts'
import type { Instant, OrderId, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { queryOf, statement } from '../database/statements/statement.ts'
import type { ListQuery, StoredRegistration } from '../index.ts'
import { registrationsByIds } from '../registrations/row-mapping.ts'
import { readStatusSums } from '../reports/registration-and-revenue-counters.ts'
import { filterOf, isCounted, r } from './list-filters.ts'
import { searchTerms } from './search-terms.ts'
import { waitingIds } from './work-queue.ts'

type Condition = Expression<SqlBool>
/** A matching row: its id, and the time by which lists are sorted. */
export type RowKey = { readonly id: number; readonly created_at: Instant }

/** With more registrations that are not in the list, counting all matches takes as long as reading those of the list. */
const OTHERS_MAX = 20_000

const registrationCount = statement((builder) =>
  builder.selectFrom('counters').select(({ fn }) => fn.sum<number>('registrations').as('n')),
)
const indexedUpTo = statement((builder) => builder.selectFrom('search_progress').select('last_id'))
type ReferenceSearch = {
  events: string
  reference: string
  key: string
  order: OrderId
  limit: number
}
/** By a recorded or reported reference, or by an order. */
const registrationsNamed = statement(
  (builder, { events, reference, key, order, limit }: ReferenceSearch, dialect) =>
    builder
      .selectFrom('registrations as r')
      .select(['r.id', 'r.created_at'])
      .where(({ ref }) => dialect.isIn(ref('r.event_id'), events))
      .where(({ eb, selectFrom }) =>
        eb(
          'r.id',
          'in',
          selectFrom('captures')
            .select(({ ref }) => ref('registration_id').$notNull().as('id'))
            .where(({ ref }) => dialect.isSameIgnoringCase(ref('reference'), reference))
            .union(
              selectFrom('captures')
                .select(({ ref }) => ref('registration_id').$notNull().as('id'))
                .where('id', '=', ({ selectFrom }) =>
                  selectFrom('bank_references').select('capture_id').where('key', '=', key),
                ),
            )
            .union(selectFrom('tellings').select('registration_id as id').where('folded', '=', key))
            .union(
              selectFrom('payments').select('registration_id as id').where('order_id', '=', order),
            ),
        ),
      )
      .limit(dialect.limit(limit)),
)
const registrationsWithNumber = statement(
  (builder, { events, term, upper }: { events: string; term: RegNo; upper: RegNo }, dialect) =>
    builder
      .selectFrom('registrations as r')
      .select(['r.id', 'r.created_at'])
      .where(({ ref }) => dialect.isIn(ref('r.event_id'), events))
      .where('r.reg_no', 'in', [term, upper]),
)

/**
 * Returns the rows of a search or of a work queue condition, newest first. Null if the query has neither. `beforeId` is
 * a row's id.
 */
export async function withinOf(
  sql: Sql,
  query: ListQuery,
  beforeId: number | null,
  limit: number,
  waitingMax = limit,
): Promise<readonly RowKey[] | null> {
  const terms = searchTerms(query.search ?? '')
  if (terms.length === 0 && query.waiting === undefined) return null
  const filter = filterOf(query)
  if (query.waiting === undefined) return searched(sql, filter, terms, beforeId, limit)
  const waitingRegistrations = JSON.stringify(
    await waitingIds(sql, query.eventId, query.waiting, waitingMax),
  )
  if (terms.length > 0) {
    const condition = r.and([filter, sql.dialect.isIdIn(r.ref('r.id'), waitingRegistrations)])
    return searched(sql, condition, terms, beforeId, limit)
  }
  return queryOf(sql, (builder, dialect) =>
    builder
      .selectFrom(dialect.idTable(waitingRegistrations).as('k'))
      .crossJoin('registrations as r')
      .select(['r.id', 'r.created_at'])
      .whereRef('r.id', '=', 'k.value')
      .where('r.id', '<', beforeId ?? Number.MAX_SAFE_INTEGER)
      .where(filter)
      .orderBy('r.id', 'desc')
      .limit(dialect.limit(limit)),
  ).all()
}

/**
 * Returns the rows of a search from `skipped` on, the last stored first, if more than `max` match for certain; else null.
 * Then nothing else of the other matches is read. Only on SQLite, whose search index is read in that order.
 */
export async function rowsOfCommonWord(
  sql: Sql,
  query: ListQuery,
  {
    skipped,
    limit,
    max,
  }: { readonly skipped: number; readonly limit: number; readonly max: number },
): Promise<readonly RowKey[] | null> {
  const terms = searchTerms(query.search ?? '')
  const isPossible = sql.dialect.name === 'sqlite' && isCounted(query) && skipped + limit <= max
  if (terms.length === 0 || query.waiting !== undefined || !isPossible) return null
  const listed = (await readStatusSums(sql, query)).reduce((sum, { count }) => sum + count, 0)
  const others = ((await registrationCount.get(sql))?.n ?? 0) - listed
  if (others > OTHERS_MAX || listed <= max) return null
  const matches = await queryOf(sql, (builder, dialect) =>
    builder
      .selectFrom(
        builder
          .selectFrom('search_index')
          .select('search_index.rowid')
          .where(dialect.hasWords(terms))
          .limit(dialect.limit(max + others + 1))
          .as('matching'),
      )
      .select(({ fn }) => fn.countAll<number>().as('n')),
  ).get()
  if ((matches?.n ?? 0) <= max + others) return null
  return (await searched(sql, filterOf(query), terms, null, skipped + limit)).slice(skipped)
}

/** Newest rows first: unindexed rows before indexed ones. `beforeId` is a row's id. */
async function searched(
  sql: Sql,
  filter: Condition,
  terms: readonly string[],
  beforeId: number | null,
  limit: number,
): Promise<readonly RowKey[]> {
  const maxId = beforeId ?? Number.MAX_SAFE_INTEGER
  const indexed = (await indexedUpTo.get(sql))?.last_id ?? 0
  const unindexed = await unindexedRows(sql, filter, terms, indexed, maxId, limit)
  if (unindexed.length === limit) return unindexed
  const older = await queryOf(sql, (builder, dialect) =>
    builder
      .selectFrom('search_index')
      .crossJoin('registrations as r')
      .select(['r.id', 'r.created_at'])
      .whereRef('r.id', '=', 'search_index.rowid')
      .where(dialect.hasWords(terms))
      .where('search_index.rowid', '<=', indexed)
      .where('search_index.rowid', '<', maxId)
      .where(filter)
      .orderBy('search_index.rowid', 'desc')
      .limit(dialect.limit(limit - unindexed.length)),
  ).all()
  return [...unindexed, ...older]
}

async function unindexedRows(
  sql: Sql,
  filter: Condition,
  terms: readonly string[],
  indexed: number,
  maxId: number,
  limit: number,
): Promise<readonly RowKey[]> {
  const { unindexed } = sql.dialect
  if (unindexed === null) return []
  return queryOf(sql, (builder, dialect) =>
    builder
      .selectFrom(unindexed.registrations)
      .select(['r.id', 'r.created_at'])
      .where('r.id', '>', indexed)
      .where('r.id', '<', maxId)
      .where(filter)
      .where(unindexed.haveWords(terms))
      .orderBy('r.id', 'desc')
      .limit(dialect.limit(limit)),
  ).all()
}

/**
 * Returns registrations of several events that contain the text, a payment with that reference (recorded or
 * reported), or that order; newest first.
 */
export async function searchEvents(
  sql: Sql,
  eventIds: readonly string[],
  text: string,
  limit: number,
): Promise<readonly StoredRegistration[]> {
  const terms = searchTerms(text)
  if (terms.length === 0) return []
  const events = JSON.stringify(eventIds)
  const reference = text.trim()
  const order = reference.replaceAll(/[\s-]/g, '') as OrderId
  const key = bankKey(text)
  const byReference = await registrationsNamed.all(sql, { events, reference, key, order, limit })
  // A complete number belongs to one registration. Its first letters are in every row of the index, which would all be
  // read.
  const [term = ''] = terms
  const numbers = { term: term as RegNo, upper: term.toUpperCase() as RegNo }
  const exactMatch =
    terms.length === 1 ? await registrationsWithNumber.all(sql, { events, ...numbers }) : []
  const found =
    exactMatch.length > 0
      ? exactMatch
      : await searched(sql, sql.dialect.isIn(r.ref('r.event_id'), events), terms, null, limit)
  const keys = [
    ...byReference,
    ...found.filter(({ id }) => !byReference.some((match) => match.id === id)),
  ]
  return registrationsByIds(
    sql,
    keys.slice(0, limit).map(({ id }) => id),
  )
}
