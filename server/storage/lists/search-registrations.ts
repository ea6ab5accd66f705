/** Finds registrations by words, by reference, or by a condition of the work queue. */
import type { Expression, SqlBool } from 'kysely'
import { listTermsWithTypos, matchesWithOneTypo, rankName } from '../../../engine/index.ts'
import { toBankKey, type Instant, type OrderId, type RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { Dialect } from '../database/statements/dialect.ts'
import { buildQuery, statement } from '../database/statements/statement.ts'
import type { ListQuery, StoredRegistration } from '../index.ts'
import { readRegistrationsByIds } from '../registrations/row-mapping.ts'
import { readStatusSums } from '../reports/registration-and-revenue-counters.ts'
import { buildFilter, isCounted, r } from './list-filters.ts'
import { matchEndOfValue, parseSearch, type Search } from './search-terms.ts'
import { readWaitingIds } from './work-queue.ts'

type Condition = Expression<SqlBool>
/** The number of newest matches that are ranked by how well their names match. */
const MAX_RANKED = 200
/** The number of registrations that are read to find a name with initials. */
const MAX_CANDIDATES = 10_000
/** A matching row, with the time that lists are sorted by. */
export type RowKey = { readonly id: number; readonly created_at: Instant }

/**
 * If more registrations than this are outside the list, counting all matches takes as long as reading the matches in
 * the list.
 */
const MAX_UNLISTED = 20_000

const registrationCount = statement((builder) =>
  builder.selectFrom('counters').select(({ fn }) => fn.sum<number>('registrations').as('n')),
)
const lastIndexedId = statement((builder) =>
  builder.selectFrom('search_progress').select('last_id'),
)
type ReferenceSearch = {
  events: string
  reference: string
  key: string
  order: OrderId
  limit: number
}
/** Selects registrations by a recorded or reported reference, or by an order. */
const registrationsWithReference = statement(
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
 * Returns the rows of a search or of a work queue condition, newest first. Null if the query has neither. Starts before
 * the row `beforeId`.
 */
export async function findMatchingRows(
  sql: Sql,
  query: ListQuery,
  beforeId: number | null,
  limit: number,
  waitingMax = limit,
): Promise<readonly RowKey[] | null> {
  const text = query.search ?? ''
  const search = parseSearch(text)
  const { terms } = search
  if (terms.length === 0 && query.waiting === undefined) return null
  const filter = r.and([buildFilter(query), ...buildNameConditions(sql.dialect, search, text)])
  if (query.waiting === undefined) return searchRows(sql, filter, terms, beforeId, limit)
  const waitingRegistrations = JSON.stringify(
    await readWaitingIds(sql, query.eventId, query.waiting, waitingMax),
  )
  if (terms.length > 0) {
    const condition = r.and([filter, sql.dialect.isIdIn(r.ref('r.id'), waitingRegistrations)])
    return searchRows(sql, condition, terms, beforeId, limit)
  }
  return buildQuery(sql, (builder, dialect) =>
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
 * Returns the rows of a search from `skipped` on, newest first, if there are certainly more than `max` matches, so that
 * the remaining matches need not be read. Null otherwise. Only on SQLite, whose search index is read in that order.
 */
export async function findRowsOfCommonWord(
  sql: Sql,
  query: ListQuery,
  {
    skipped,
    limit,
    max,
  }: { readonly skipped: number; readonly limit: number; readonly max: number },
): Promise<readonly RowKey[] | null> {
  const { terms, nameStarts } = parseSearch(query.search ?? '')
  const isPossible =
    sql.dialect.name === 'sqlite' &&
    nameStarts.length === 0 &&
    isCounted(query) &&
    skipped + limit <= max
  if (terms.length === 0 || query.waiting !== undefined || !isPossible) return null
  const listedCount = (await readStatusSums(sql, query)).reduce((sum, { count }) => sum + count, 0)
  const unlistedCount = ((await registrationCount.get(sql))?.n ?? 0) - listedCount
  if (unlistedCount > MAX_UNLISTED || listedCount <= max) return null
  const matches = await buildQuery(sql, (builder, dialect) =>
    builder
      .selectFrom(
        builder
          .selectFrom('search_index')
          .select('search_index.rowid')
          .where(dialect.hasWords(terms))
          .limit(dialect.limit(max + unlistedCount + 1))
          .as('matching'),
      )
      .select(({ fn }) => fn.countAll<number>().as('n')),
  ).get()
  if ((matches?.n ?? 0) <= max + unlistedCount) return null
  return (await searchRows(sql, buildFilter(query), terms, null, skipped + limit)).slice(skipped)
}

/**
 * Requires that words of the name begin with the short words of a search, which the index does not contain, or that an
 * answer contains the whole text, such as "K.E.M. Hospital".
 */
function buildNameConditions(
  dialect: Dialect,
  { nameStarts }: Search,
  text: string,
): readonly Condition[] {
  if (nameStarts.length === 0) return []
  const name = r.fn<string>('lower', [r.ref('r.full_name')])
  const buildStartCondition = (start: string): Condition =>
    r.or(
      listSpellings(start).map((part) => {
        const isInName = r.or(
          ['', '% ', '%.', '%-'].map((before) =>
            r(name, 'like', `${before}${removeLikeCharacters(part)}%`),
          ),
        )
        const isIndexed = dialect.hasWordFrom(part)
        return isIndexed === null ? isInName : r.and([isIndexed, isInName])
      }),
    )
  const answers = r.fn<string>('lower', [r.ref('r.answers')])
  return [
    r.or([
      r.and(nameStarts.map((start) => buildStartCondition(start.toLowerCase()))),
      r(answers, 'like', `%${removeLikeCharacters(text.trim().toLowerCase())}%`),
    ]),
  ]
}

/** Lists the spellings of two letters as initials: "kp", "k p", "k.p", "k. p". */
const listSpellings = (start: string): readonly string[] => {
  const [first, second] = [...start]
  return second === undefined
    ? [start]
    : [start, ...[' ', '.', '. '].map((between) => `${first}${between}${second}`)]
}

/** Removes `%` and backslashes, which are special in `like`. The pattern may then match more rows, but never fewer. */
const removeLikeCharacters = (text: string): string => text.replaceAll(/[\\%]/g, '')

/** Returns the newest rows first: unindexed rows before indexed ones. Starts before the row `beforeId`. */
async function searchRows(
  sql: Sql,
  filter: Condition,
  terms: readonly string[],
  beforeId: number | null,
  limit: number,
): Promise<readonly RowKey[]> {
  const maxId = beforeId ?? Number.MAX_SAFE_INTEGER
  const lastId = (await lastIndexedId.get(sql))?.last_id ?? 0
  const unindexedRows = await searchUnindexedRows(sql, filter, terms, lastId, maxId, limit)
  if (unindexedRows.length === limit) return unindexedRows
  const indexedRows = await buildQuery(sql, (builder, dialect) =>
    builder
      .selectFrom('search_index')
      .crossJoin('registrations as r')
      .select(['r.id', 'r.created_at'])
      .whereRef('r.id', '=', 'search_index.rowid')
      .where(dialect.hasWords(terms))
      .where('search_index.rowid', '<=', lastId)
      .where('search_index.rowid', '<', maxId)
      .where(filter)
      .orderBy('search_index.rowid', 'desc')
      .limit(dialect.limit(limit - unindexedRows.length)),
  ).all()
  return [...unindexedRows, ...indexedRows]
}

async function searchUnindexedRows(
  sql: Sql,
  filter: Condition,
  terms: readonly string[],
  lastId: number,
  maxId: number,
  limit: number,
): Promise<readonly RowKey[]> {
  const { unindexed } = sql.dialect
  if (unindexed === null) return []
  return buildQuery(sql, (builder, dialect) =>
    builder
      .selectFrom(unindexed.registrations)
      .select(['r.id', 'r.created_at'])
      .where('r.id', '>', lastId)
      .where('r.id', '<', maxId)
      .where(filter)
      .where(unindexed.haveWords(terms))
      .orderBy('r.id', 'desc')
      .limit(dialect.limit(limit)),
  ).all()
}

/**
 * Returns registrations of several events that match the text, that have a payment with that reference (recorded or
 * reported), or that have that order. Sorts registrations with the reference first, then registrations with that
 * name, then the others; newest first within each group.
 */
export async function searchEvents(
  sql: Sql,
  eventIds: readonly string[],
  text: string,
  limit: number,
): Promise<readonly StoredRegistration[]> {
  const search = parseSearch(text)
  const { terms } = search
  if (terms.length === 0) return []
  const events = JSON.stringify(eventIds)
  const reference = text.trim()
  const order = reference.replaceAll(/[\s-]/g, '') as OrderId
  const key = toBankKey(text)
  const rowsWithReference = await registrationsWithReference.all(sql, {
    events,
    reference,
    key,
    order,
    limit,
  })
  // A complete number belongs to one registration. The index is not used, because the first letters of the number are
  // in every row.
  const [term = ''] = terms
  const numbers = { term: term as RegNo, upper: term.toUpperCase() as RegNo }
  const exactMatch =
    terms.length === 1 ? await registrationsWithNumber.all(sql, { events, ...numbers }) : []
  const filter = r.and([
    sql.dialect.isIn(r.ref('r.event_id'), events),
    ...buildNameConditions(sql.dialect, search, text),
  ])
  const matchingRows =
    exactMatch.length > 0
      ? exactMatch
      : ((await findNamesWithInitials(sql, search, filter, limit)) ??
        (await searchRows(sql, filter, terms, null, Math.max(limit, MAX_RANKED))))
  const exactNames =
    matchingRows.length < MAX_RANKED ? [] : await findWholeName(sql, filter, terms, limit)
  const matches = [...exactNames, ...matchingRows]
  const names = await readNames(sql, matches)
  const computeRank = ({ id }: RowKey): number => rankName(names.get(id) ?? '', text)
  const ranked = matches
    .map((key) => ({ key, rank: computeRank(key) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ key }) => key)
  return readFirstRegistrations(sql, [...rowsWithReference, ...ranked], limit)
}

/**
 * Finds names with initials among the newest registrations with an indexed word that begins with these initials, on
 * databases that would otherwise read all registrations. Null if it finds fewer than `limit`, because other
 * registrations may contain the text in an answer.
 */
async function findNamesWithInitials(
  sql: Sql,
  { terms, nameStarts }: Search,
  filter: Condition,
  limit: number,
): Promise<readonly RowKey[] | null> {
  const startConditions = nameStarts.flatMap((start) => {
    const spellings = listSpellings(start.toLowerCase()).flatMap(
      (spelling) => sql.dialect.hasWordFrom(spelling) ?? [],
    )
    return spellings.length === 0 ? [] : [r.or(spellings)]
  })
  if (startConditions.length === 0) return null
  const matchingRows = await buildQuery(sql, (builder, dialect) =>
    builder
      .with('candidates', (candidates) =>
        candidates
          .selectFrom('search_index')
          .select(['search_index.rowid', 'search_index.words'])
          .where(dialect.hasWords(terms))
          .where(({ and }) => and(startConditions))
          .orderBy('search_index.rowid', 'desc')
          .limit(dialect.limit(MAX_CANDIDATES)),
      )
      .selectFrom('candidates as search_index')
      .crossJoin('registrations as r')
      .select(['r.id', 'r.created_at'])
      .whereRef('r.id', '=', 'search_index.rowid')
      .where(filter)
      .orderBy('search_index.rowid', 'desc')
      .limit(dialect.limit(MAX_RANKED)),
  ).all()
  return matchingRows.length < limit ? null : matchingRows
}

/**
 * Finds names that consist of exactly the searched words in any order, even if many newer registrations contain these
 * words.
 */
async function findWholeName(
  sql: Sql,
  filter: Condition,
  terms: readonly string[],
  limit: number,
): Promise<readonly RowKey[]> {
  const wordOrders = terms.length === 2 ? [terms, terms.toReversed()] : [terms]
  const matchingRows: RowKey[] = []
  for (const words of wordOrders)
    matchingRows.push(
      ...(await searchRows(sql, filter, [matchEndOfValue(words.join(' '))], null, limit)),
    )
  return matchingRows
}

/**
 * Returns registrations of several events whose name is one typo away from the searched one, newest first. Used when a
 * search has no results.
 */
export async function searchSimilarNames(
  sql: Sql,
  eventIds: readonly string[],
  text: string,
  limit: number,
): Promise<readonly StoredRegistration[]> {
  const filter = sql.dialect.isIn(r.ref('r.event_id'), JSON.stringify(eventIds))
  const similarRows: RowKey[] = []
  for (const terms of listTermsWithTypos(text)) {
    const keys = await searchRows(sql, filter, terms, null, MAX_RANKED)
    const names = await readNames(sql, keys)
    similarRows.push(...keys.filter(({ id }) => matchesWithOneTypo(names.get(id) ?? '', text)))
  }
  return readFirstRegistrations(sql, similarRows, limit)
}

async function readNames(sql: Sql, keys: readonly RowKey[]): Promise<ReadonlyMap<number, string>> {
  const ids = JSON.stringify(keys.map(({ id }) => id))
  const rows = await buildQuery(sql, (builder, dialect) =>
    builder
      .selectFrom('registrations as r')
      .select(['r.id', 'r.full_name as name'])
      .where(dialect.isIdIn(r.ref('r.id'), ids)),
  ).all()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Reads the first `limit` registrations, each once. */
const readFirstRegistrations = (
  sql: Sql,
  keys: readonly RowKey[],
  limit: number,
): Promise<readonly StoredRegistration[]> =>
  readRegistrationsByIds(sql, [...new Set(keys.map(({ id }) => id))].slice(0, limit))
