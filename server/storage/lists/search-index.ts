/** Fills the search index in separate batches, outside the registering transaction. */
import type Database from 'better-sqlite3'
import type { Sql } from '../database/sqlite-connection.ts'
import { wordsOf, type Words } from './search-terms.ts'

/** Rows indexed in one transaction of their own: some ten milliseconds of the writer's time; fewer would cost more each. */
const BATCH_ROWS = 1_000

type Row = Words & { readonly id: number }
const COLUMNS = 'id, reg_no, former_no, full_name, email, phone, council_no, answers'

/** Returns about how many rows wait to be indexed. */
export function unindexed(sql: Sql): number {
  return (
    sql<{ n: number }>(
      'SELECT coalesce(max(id), 0) - (SELECT last_id FROM search_progress) AS n FROM registrations',
    ).get()?.n ?? 0
  )
}

/** Updates the searched words of a registration; one that is not indexed yet will be indexed with these. */
export function reindex(sql: Sql, registrationId: number): void {
  const row = sql<Row>(
    `SELECT ${COLUMNS} FROM registrations
     WHERE id = ? AND id <= (SELECT last_id FROM search_progress)`,
  ).get(registrationId)
  if (row === undefined) return
  sql('DELETE FROM search_index WHERE rowid = ?').run(row.id)
  addWords(sql, row)
}

function addWords(sql: Sql, row: Row): void {
  sql('INSERT INTO search_index (rowid, words) VALUES (?, ?)').run(row.id, wordsOf(row))
}

/** Indexes all rows that are not yet indexed, in the transaction that added them. */
export function indexNew(sql: Sql): void {
  let count = BATCH_ROWS
  while (count === BATCH_ROWS) count = indexSome(sql)
}

/** Answers how many. */
function indexSome(sql: Sql): number {
  const rows = sql<Row>(
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
export function indexBatch(db: Database.Database, sql: Sql): boolean {
  return db.transaction(() => indexSome(sql) === BATCH_ROWS).immediate()
}
