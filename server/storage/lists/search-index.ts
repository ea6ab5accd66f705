/** Fills the search index after registrations are stored, in separate transactions. */
import type Database from 'better-sqlite3'
import { runInTransaction } from '../database/sqlite-connection.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { buildQuery, statement } from '../database/statements/statement.ts'
import { joinSearchWords, type SearchableFields } from './search-terms.ts'

/**
 * The number of rows indexed per transaction, which takes the writer about ten milliseconds. With fewer rows per
 * transaction, each row would take longer.
 */
const BATCH_ROWS = 1_000

const WORD_COLUMNS = [
  'id',
  'reg_no',
  'former_no',
  'full_name',
  'email',
  'phone',
  'council_no',
  'answers',
] as const
const unindexedCount = statement((builder) =>
  builder
    .selectFrom('registrations')
    .select(({ eb, fn, selectFrom }) =>
      eb(
        fn.coalesce(fn.max('id'), eb.lit(0)),
        '-',
        selectFrom('search_progress').select('last_id'),
      ).as('n'),
    ),
)
/** Selects no row if the registration will be indexed later anyway. */
const indexedRegistration = statement((builder, { id }: { id: number }, { unindexed }) => {
  const registration = builder.selectFrom('registrations').select(WORD_COLUMNS).where('id', '=', id)
  return unindexed === null
    ? registration
    : registration.where('id', '<=', ({ selectFrom }) =>
        selectFrom('search_progress').select('last_id'),
      )
})
const nextRegistrations = statement((builder) =>
  builder
    .selectFrom('registrations')
    .select(WORD_COLUMNS)
    .where('id', '>', ({ selectFrom }) => selectFrom('search_progress').select('last_id'))
    .orderBy('id')
    .limit(BATCH_ROWS),
)
const deleteWords = statement((builder, { id }: { id: number }) =>
  builder.deleteFrom('search_index').where('rowid', '=', id),
)
const insertWords = statement((builder, { id, words }: { id: number; words: string }, dialect) =>
  builder.insertInto('search_index').values({ rowid: id, words: dialect.indexedWords(words) }),
)
const saveProgress = statement((builder, { id }: { id: number }) =>
  builder.updateTable('search_progress').set({ last_id: id }),
)

/** Returns the approximate number of rows that are not indexed yet. */
export async function countUnindexed(sql: Sql): Promise<number> {
  return (await unindexedCount.get(sql))?.n ?? 0
}

/**
 * Updates the searchable words of a registration. Skips an unindexed registration, which will be indexed with the new
 * words anyway.
 */
export async function reindexRegistration(sql: Sql, registrationId: number): Promise<void> {
  const row = await indexedRegistration.get(sql, { id: registrationId })
  if (row === undefined) return
  deleteWords.run(sql, { id: row.id })
  addWords(sql, row.id, row)
}

type Row = SearchableFields & { readonly id: number }

/** Adds the words of a new registration, on databases that index immediately. */
export function indexImmediately(sql: Sql, id: number, fields: SearchableFields): void {
  if (sql.dialect.unindexed === null) addWords(sql, id, fields)
}

function addWords(sql: Sql, id: number, fields: SearchableFields): void {
  insertWords.run(sql, { id, words: joinSearchWords(fields) })
}

/** Adds the words of all rows with one statement, because each statement takes time on PostgreSQL. */
function addAllWords(sql: Sql, rows: readonly Row[]): void {
  buildQuery(sql, (builder, dialect) =>
    builder
      .insertInto('search_index')
      .values(
        rows.map((row) => ({ rowid: row.id, words: dialect.indexedWords(joinSearchWords(row)) })),
      ),
  ).run()
}

/** Indexes all unindexed rows, in the transaction that added them. */
export async function indexNewRows(sql: Sql): Promise<void> {
  let count = BATCH_ROWS
  while (count === BATCH_ROWS) count = await indexNextRows(sql)
}

/** Returns the number of indexed rows. */
async function indexNextRows(sql: Sql): Promise<number> {
  const rows = await nextRegistrations.all(sql)
  const lastRow = rows.at(-1)
  if (lastRow === undefined) return 0
  if (sql.dialect.unindexed === null) addAllWords(sql, rows)
  else for (const row of rows) addWords(sql, row.id, row)
  saveProgress.run(sql, { id: lastRow.id })
  return rows.length
}

/** Indexes the next rows in a separate transaction. Returns true if more rows may remain. */
export function indexBatch(db: Database.Database, sql: Sql): Promise<boolean> {
  return runInTransaction(db, async () => (await indexNextRows(sql)) === BATCH_ROWS)
}
