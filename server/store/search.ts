/** The search index is filled outside the registering transaction, in batches of its own. */
import type Database from 'better-sqlite3'
import type { Sql } from './database.ts'
import { searchWords } from './search-words.ts'

/** Rows indexed in one transaction of their own: some ten milliseconds of the writer's time; fewer would cost more each. */
const BATCH_ROWS = 500

type Words = {
  readonly id: number
  readonly reg_no: string
  readonly former_no: string | null
  readonly full_name: string
  readonly email: string
  readonly phone: string
  readonly council_no: string
}

/** About how many rows wait to be indexed. */
export function unindexed(sql: Sql): number {
  return (
    sql<{ n: number }>(
      'SELECT coalesce(max(id), 0) - (SELECT last_id FROM search_progress) AS n FROM registrations',
    ).get()?.n ?? 0
  )
}

/** What is searched of a registration is other words now; one that is not indexed yet will be with these. */
export function reindex(sql: Sql, registrationId: number): void {
  const row = sql<Words>(
    `SELECT id, reg_no, former_no, full_name, email, phone, council_no FROM registrations
     WHERE id = ? AND id <= (SELECT last_id FROM search_progress)`,
  ).get(registrationId)
  if (row === undefined) return
  sql('DELETE FROM search_index WHERE rowid = ?').run(row.id)
  addWords(sql, row)
}

function addWords(sql: Sql, row: Words): void {
  sql('INSERT INTO search_index (rowid, words) VALUES (?, ?)').run(
    row.id,
    searchWords(
      row.reg_no,
      row.former_no ?? '',
      row.full_name,
      row.email,
      row.phone,
      row.council_no,
    ),
  )
}

/** Indexes the next rows in a transaction of its own; answers whether more are waiting. */
export function indexBatch(db: Database.Database, sql: Sql): boolean {
  return db
    .transaction(() => {
      const rows = sql<Words>(
        `SELECT id, reg_no, former_no, full_name, email, phone, council_no FROM registrations
       WHERE id > (SELECT last_id FROM search_progress) ORDER BY id LIMIT ?`,
      ).all(BATCH_ROWS)
      const last = rows.at(-1)
      if (last === undefined) return false
      for (const row of rows) addWords(sql, row)
      sql('UPDATE search_progress SET last_id = ?').run(last.id)
      return rows.length === BATCH_ROWS
    })
    .immediate()
}
