/**
 * Runs lists, searches and exports: matching registrations, newest first, by page or chunk.
 * Runs on the reader thread, because it can take a long time with a million rows.
 */
import { sql as raw } from 'kysely'
import type { Expression, Kysely, SelectQueryBuilder, SqlBool } from 'kysely'
import { endOfDay, instant, startOfDay } from '../../../engine/index.ts'
import type { Instant, Amount, PaymentStatus } from '../../../engine/index.ts'
import { amountOwed, isEnded } from '../reports/balance-expressions.ts'
import { countByDay, readStatusSums } from '../reports/registration-and-revenue-counters.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { Dialect } from '../database/statements/dialect.ts'
import { buildQuery, statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import {
  serialiseRows,
  readRowsByIds,
  selectListedRows,
  toListedRegistrations,
  toListedRows,
} from './listed-registrations.ts'
import type { ListedRows, SerialisedRows } from './listed-registrations.ts'
import { isIdInList } from '../database/select-by-ids.ts'
import { selectLines } from '../payments/stored-bill-lines.ts'
import { readRegistrationsByIds } from '../registrations/row-mapping.ts'
import type { ListPage, ListQuery, ListSort, StatusSum, StoredRegistration } from '../index.ts'
import { buildFilter, isCounted, r } from './list-filters.ts'
import { findRowsOfCommonWord, findMatchingRows } from './search-registrations.ts'
import type { RowKey } from './search-registrations.ts'

/** The results of a search, or of a filter by an answer, are counted up to this number. */
export const MAX_COUNTED = 10_000

const idsInReview = statement((builder, { eventId }: { eventId: string }, dialect) =>
  builder
    .selectFrom('registrations')
    .select('id')
    .where('event_id', '=', eventId)
    .where(({ ref }) => dialect.isSet(ref('in_review')))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc'),
)

type ListParams = { readonly eventId: string; readonly rows: number; readonly skipped: number }
type StatusListParams = ListParams & { readonly status: PaymentStatus }
const selectOnPage = <O>(
  rows: SelectQueryBuilder<Tables & { r: Tables['registrations'] }, 'r', O>,
  { eventId, rows: count, skipped: skippedRows }: ListParams,
  direction: 'asc' | 'desc',
  dialect: Dialect,
) =>
  rows
    .where('r.event_id', '=', r.fn.coalesce(r.val(eventId), r.val('')))
    .orderBy('r.created_at', direction)
    .orderBy('r.id', direction)
    .limit(dialect.limit(count))
    .offset(dialect.limit(skippedRows))
const selectIds = (builder: Kysely<Tables>) =>
  builder.selectFrom('registrations as r').select('r.id')
/** Defines the statements for the rows of a page and for their bill lines, which are read in one round trip. */
const definePageStatements = (direction: 'asc' | 'desc') => ({
  rows: statement((builder, params: ListParams, dialect) =>
    selectOnPage(selectListedRows(builder, dialect), params, direction, dialect),
  ),
  rowsOfStatus: statement((builder, params: StatusListParams, dialect) =>
    selectOnPage(selectListedRows(builder, dialect), params, direction, dialect).where(
      'r.payment_status',
      '=',
      params.status,
    ),
  ),
  lines: selectLines<ListParams>((id, params, dialect) =>
    isIdInList(id, selectOnPage(selectIds(dialect.builder), params, direction, dialect)),
  ),
  linesOfStatus: selectLines<StatusListParams>((id, params, dialect) =>
    isIdInList(
      id,
      selectOnPage(selectIds(dialect.builder), params, direction, dialect).where(
        'r.payment_status',
        '=',
        params.status,
      ),
    ),
  ),
})
const NEWEST_FIRST = definePageStatements('desc')
const OLDEST_FIRST = definePageStatements('asc')

type PageOf<Rows> = Omit<ListPage, 'rows'> & { readonly rows: Rows }

export async function listPage(
  sql: Sql,
  query: ListQuery,
  page: number,
  pageSize: number,
): Promise<PageOf<SerialisedRows>> {
  const { rows, ...rest } = await readPage(sql, query, page, pageSize)
  return { rows: serialiseRows(rows), ...rest }
}

/**
 * Returns true for the pages that the office requests most often: the first pages, by date, of a whole list or of one
 * status. With counters and an index in this order, reading a page takes a fifth of a millisecond for any list size.
 * The main thread reads such a page, because waking another thread would take as long.
 */
export function hasFastPath(query: ListQuery, page: number, pageSize: number): boolean {
  const { eventId: _event, paymentStatus: _status, answers, sort, ...filters } = query
  return (
    page * pageSize <= MAX_READ_ROWS &&
    (sort === undefined || sort.by === 'date') &&
    Object.keys(answers).length === 0 &&
    Object.values(filters).every((filter) => filter === undefined || isEmpty(filter))
  )
}
const isEmpty = (filter: unknown): boolean =>
  typeof filter === 'object' && filter !== null && Object.keys(filter).length === 0

/**
 * Reads a page for which `hasFastPath` is true. Its statements are compiled once, because compiling a query takes
 * longer than running it.
 */
export async function readFastPage(
  sql: Sql,
  query: ListQuery,
  page: number,
  pageSize: number,
): Promise<ListPage> {
  const { eventId, paymentStatus: status, sort } = query
  const orderedQuery = sort?.isDescending === false ? OLDEST_FIRST : NEWEST_FIRST
  const params = { eventId, rows: pageSize, skipped: (page - 1) * pageSize }
  const [statusSums, rows, lines] = await Promise.all([
    readStatusSums(sql, query),
    status === undefined
      ? orderedQuery.rows.all(sql, params)
      : orderedQuery.rowsOfStatus.all(sql, { ...params, status }),
    status === undefined
      ? orderedQuery.lines(sql, params)
      : orderedQuery.linesOfStatus(sql, { ...params, status }),
  ])
  return {
    rows: toListedRegistrations(toListedRows(rows, lines)),
    count: sumTotals(statusSums),
    isCountCapped: false,
    sums: statusSums,
    isSorted: true,
  }
}

async function readPage(
  sql: Sql,
  query: ListQuery,
  page: number,
  pageSize: number,
): Promise<PageOf<ListedRows>> {
  const { by, isDescending } = query.sort ?? { by: 'date', isDescending: true }
  if (by === 'date' && isDescending) {
    const limits = { skipped: (page - 1) * pageSize, limit: pageSize, max: MAX_COUNTED }
    const keys = await findRowsOfCommonWord(sql, query, limits)
    if (keys !== null)
      return { rows: await readRowsByIds(sql, listIds(keys)), ...CAPPED_TOTALS, isSorted: true }
  }
  const filter = buildFilter(query)
  const matches = await findMatchingRows(sql, query, null, MAX_COUNTED + 1)
  const totals =
    matches === null ? await readCounts(sql, query, filter) : await countWithin(sql, matches)
  const isSorted =
    query.sort === undefined ||
    query.sort.by === 'date' ||
    (totals.count <= MAX_COUNTED && !totals.isCountCapped)
  const sort = isSorted ? query.sort : undefined
  const skippedRows = (page - 1) * pageSize
  const isByDate = (sort?.by ?? 'date') === 'date'
  if (matches !== null && isByDate) {
    const sortedKeys = sortByDate(matches.slice(0, MAX_COUNTED), sort?.isDescending ?? true)
    const keys = sortedKeys.slice(skippedRows, skippedRows + pageSize)
    return { rows: await readRowsByIds(sql, listIds(keys)), ...totals, isSorted }
  }
  const condition =
    matches === null ? filter : hasId(sql.dialect, listIds(matches).slice(0, MAX_COUNTED))
  const dayWindow =
    matches === null && isByDate
      ? await skipWholeDays(sql, query, sort?.isDescending ?? true, skippedRows)
      : { where: null, left: skippedRows }
  const keys = await buildQuery(sql, (builder, dialect) => {
    const rows = builder
      .selectFrom('registrations as r')
      .select('r.id')
      .where(dayWindow.where === null ? condition : r.and([condition, dayWindow.where]))
    return orderRows(rows, sort, dialect)
      .limit(dialect.limit(pageSize))
      .offset(dialect.limit(dayWindow.left))
  }).all()
  return {
    rows: await readRowsByIds(sql, listIds(keys)),
    ...totals,
    isSorted,
  }
}

const listIds = (keys: readonly { readonly id: number }[]): readonly number[] =>
  keys.map(({ id }) => id)
const sortByDate = (keys: readonly RowKey[], isDescending: boolean): readonly RowKey[] =>
  keys.toSorted((a, b) => {
    const [first, second] = isDescending ? [b, a] : [a, b]
    return first.created_at - second.created_at || first.id - second.id
  })
const hasId = (dialect: Dialect, ids: readonly number[]): Expression<SqlBool> =>
  dialect.isIdIn(r.ref('r.id'), JSON.stringify(ids))

/** Up to this number, reading the rows is faster than adding up the counts of their dates. */
const MAX_READ_ROWS = 1_000

/** Finds the start of the page after this many rows. Uses the daily counts to skip whole days. */
async function skipWholeDays(
  sql: Sql,
  query: ListQuery,
  isDescending: boolean,
  rows: number,
): Promise<{ readonly where: Expression<SqlBool> | null; readonly left: number }> {
  if (rows <= MAX_READ_ROWS || !isCounted(query)) return { where: null, left: rows }
  let rowsLeft = rows
  for (const { day, n } of await countByDay(sql, query, isDescending)) {
    if (n > rowsLeft)
      return isDescending
        ? { where: r('r.created_at', '<', endOfDay(day)), left: rowsLeft }
        : { where: r('r.created_at', '>=', startOfDay(day)), left: rowsLeft }
    rowsLeft -= n
  }
  return { where: r.lit(false), left: 0 }
}

type ListTotals = Pick<ListPage, 'count' | 'isCountCapped' | 'sums'>

const CAPPED_TOTALS: ListTotals = { count: MAX_COUNTED, isCountCapped: true, sums: null }

/** Returns the totals of the rows that match the filter. Counts them up to a limit if no counters exist. */
async function readCounts(
  sql: Sql,
  query: ListQuery,
  filter: Expression<SqlBool>,
): Promise<ListTotals> {
  if (!isCounted(query)) return addUpStatuses(await readSumsOfRows(sql, filter, MAX_COUNTED + 1))
  const statusSums = await readStatusSums(sql, query)
  return { count: sumTotals(statusSums), isCountCapped: false, sums: statusSums }
}

/** Counts the rows. Sums are not computed above the limit, because they are not shown. */
async function countWithin(sql: Sql, keys: readonly RowKey[]): Promise<ListTotals> {
  return keys.length > MAX_COUNTED
    ? CAPPED_TOTALS
    : addUpStatuses(await readSumsOfRows(sql, hasId(sql.dialect, listIds(keys)), null))
}

/** Reads the sums of matching rows by status and category. If `limit` is null, reads all rows. */
const readSumsOfRows = (
  sql: Sql,
  filter: Expression<SqlBool>,
  limit: number | null,
): Promise<readonly StatusSum[]> =>
  buildQuery(sql, (builder, dialect) => {
    const rows = builder
      .selectFrom('registrations as r')
      .select(['r.payment_status', 'r.category', 'r.state', 'r.total', 'r.due', 'r.booked'])
      .where(filter)
    return builder
      .selectFrom((limit === null ? rows : rows.limit(dialect.limit(limit))).as('r'))
      .select(({ case: when, fn, lit }) => [
        'r.payment_status as status',
        fn.coalesce('r.category', raw.lit('')).as('category'),
        fn.countAll<number>().as('count'),
        fn.sum<Amount>('r.booked').as('booked'),
        fn.sum<Amount>(amountOwed).as('owed'),
        fn.sum<number>(when().when(isEnded).then(lit(1)).else(lit(0)).end()).as('ended'),
      ])
      .groupBy(['r.payment_status', 'r.category'])
      .orderBy('r.payment_status')
      .orderBy('r.category')
  }).all()

function addUpStatuses(statusSums: readonly StatusSum[]): ListTotals {
  const count = sumTotals(statusSums)
  return count > MAX_COUNTED ? CAPPED_TOTALS : { count, isCountCapped: false, sums: statusSums }
}

const sumTotals = (statusSums: readonly StatusSum[]): number =>
  statusSums.reduce((total, { count }) => total + count, 0)

type Rows = SelectQueryBuilder<Tables & { r: Tables['registrations'] }, 'r', { id: number }>
/** Sorts the rows. Without an index in this order, sorting reads all rows, so longer lists are not sorted. */
function orderRows(rows: Rows, sort: ListSort | undefined, dialect: Dialect): Rows {
  const { by = 'date', isDescending = true, order: categories = [] } = sort ?? {}
  const direction = isDescending ? 'desc' : 'asc'
  if (by === 'date') return rows.orderBy('r.created_at', direction).orderBy('r.id', direction)
  return rows
    .orderBy(SORT_EXPRESSIONS[by](dialect, categories), (column) =>
      isDescending ? column.desc().nullsLast() : column.asc().nullsFirst(),
    )
    .orderBy('r.created_at', 'desc')
    .orderBy('r.id', 'desc')
}

type SortExpression = (dialect: Dialect, categories: readonly string[]) => Expression<unknown>
const SORT_EXPRESSIONS: Readonly<Record<Exclude<ListSort['by'], 'date'>, SortExpression>> = {
  number: () => r.ref('r.reg_no'),
  name: (dialect) => dialect.ignoreCase(r.ref('r.full_name')),
  // Sorted as in the event file.
  category: (_, categories) =>
    r
      .selectFrom(
        raw<{ key: string; value: string }>`json_each(${JSON.stringify(categories)})`.as('o'),
      )
      .select(({ cast }) => cast<number>('o.key', 'bigint').as('place'))
      .whereRef('o.value', '=', 'r.category'),
  total: () => r.ref('r.total'),
  // Groups the registrations that need a staff decision at one end.
  status: (dialect) =>
    r
      .case()
      .when(dialect.isSet(r.ref('r.in_review')))
      .then(r.lit(0))
      .when(isEnded)
      .then(r.lit(5))
      .when('r.payment_status', '=', raw.lit('pending' as const))
      .then(r.lit(1))
      .when('r.payment_status', '=', raw.lit('failed' as const))
      .then(r.lit(2))
      .when('r.payment_status', '=', raw.lit('success' as const))
      .then(r.lit(3))
      .else(r.lit(4))
      .end(),
}

/** The start of an export's next chunk. */
export type Cursor = { readonly id: number; readonly createdAt: Instant }
export type Chunk = { readonly rows: SerialisedRows; readonly next: Cursor | null }

export async function exportChunk(
  sql: Sql,
  query: ListQuery,
  from: Cursor | null,
  size: number,
): Promise<Chunk> {
  const matches = await findMatchingRows(
    sql,
    query,
    from?.id ?? null,
    size,
    Number.MAX_SAFE_INTEGER,
  )
  const keys =
    matches === null
      ? await readKeysAfter(sql, query, from, size)
      : matches.map(({ id }) => ({ id, created_at: from?.createdAt ?? instant(0) }))
  const last = keys.at(-1)
  return {
    rows: serialiseRows(
      await readRowsByIds(
        sql,
        keys.map(({ id }) => id),
      ),
    ),
    next:
      last === undefined || keys.length < size ? null : { id: last.id, createdAt: last.created_at },
  }
}

const readKeysAfter = (
  sql: Sql,
  query: ListQuery,
  from: Cursor | null,
  size: number,
): Promise<readonly { readonly id: number; readonly created_at: Instant }[]> =>
  buildQuery(sql, (builder, dialect) =>
    builder
      .selectFrom('registrations as r')
      .select(['r.id', 'r.created_at'])
      .where(buildFilter(query))
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('r.created_at', 'r.id'),
          '<',
          tuple(from?.createdAt ?? instant(Number.MAX_SAFE_INTEGER), from?.id ?? 0),
        ),
      )
      .orderBy('r.created_at', 'desc')
      .orderBy('r.id', 'desc')
      .limit(dialect.limit(size)),
  ).all()

export async function listRegistrationsInReview(
  sql: Sql,
  eventId: string,
): Promise<readonly StoredRegistration[]> {
  const keys = await idsInReview.all(sql, { eventId })
  return readRegistrationsByIds(
    sql,
    keys.map(({ id }) => id),
  )
}
