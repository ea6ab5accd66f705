/** Fills the search index in separate batches, outside the registering transaction. */
import type Database from 'better-sqlite3'
import { inTransaction } from '../database/sqlite-connection.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { wordsOf, type Words } from './search-terms.ts'

/** Rows indexed in one transaction of their own: some ten milliseconds of the writer's time; fewer would cost more each. */
const BATCH_ROWS = 1_000

type Row = Words & { readonly id: number }
const COLUMNS = 'id, reg_no, former_no, full_name, email, phone, council_no, answers'

/** Returns about how many rows wait to be indexed. */
export async function unindexed(sql: Sql): Promise<number> {
  return (
    (
      await sql<{ n: number }>(
        'SELECT coalesce(max(id), 0) - (SELECT last_id FROM search_progress) AS n FROM registrations',
      ).get()
    )?.n ?? 0
  )
}

/** Updates the searched words of a registration; one that is not indexed yet will be indexed with these. */
export async function reindex(sql: Sql, registrationId: number): Promise<void> {
  const row = await sql<Row>(
    `SELECT ${COLUMNS} FROM registrations
     WHERE id = ?${sql.searching.isBehind ? ' AND id <= (SELECT last_id FROM search_progress)' : ''}`,
  ).get(registrationId)
  if (row === undefined) return
  sql('DELETE FROM search_index WHERE rowid = ?').run(row.id)
  addWords(sql, row)
}

/** Where the index is not filled later: adds the words of a new registration. */
export function indexAtOnce(sql: Sql, row: Row): void {
  if (!sql.searching.isBehind) addWords(sql, row)
}

function addWords(sql: Sql, row: Row): void {
  sql('INSERT INTO search_index (rowid, words) VALUES (?, ?)').run(row.id, wordsOf(row))
}

/** Indexes all rows that are not yet indexed, in the transaction that added them. */
export async function indexNew(sql: Sql): Promise<void> {
  let count = BATCH_ROWS
  while (count === BATCH_ROWS) count = await indexSome(sql)
}

/** Answers how many. */
async function indexSome(sql: Sql): Promise<number> {
  const rows = await sql<Row>(
    `SELECT ${COLUMNS} FROM registrations
       WHERE id > (SELECT last_id FROM search_progress) ORDER BY id LIMIT ?`,
  ).all(BATCH_ROWS)
  const last = rows.at(-1)
  if (last === undefined) return 0
  for (const row of rows) addWords(sql, row)
  sql('UPDATE search_progress SET last_id = ?').run(last.id)
  return rows.length
}

/** Indexes the next rows in a separate transaction; returns whether more are waiting. */
export function indexBatch(db: Database.Database, sql: Sql): Promise<boolean> {
  return inTransaction(db, async () => (await indexSome(sql)) === BATCH_ROWS)
}
