/**
 * Substring search over what an office asks for: number, name, e-mail, phone, council number. FTS5
 * trigrams need three characters, so every value is preceded by two marks: "ra" from the start is
 * then the trigram mark-r-a. The marks also keep a term from matching across two values.
 */
import type Database from 'better-sqlite3'
import type { Sql } from './database.ts'

const mark = '\u0002'
/** Rows indexed in one transaction of their own: some ten milliseconds of the writer's time; fewer would cost more each. */
const batch_rows = 500

type Words = { readonly id: number; readonly reg_no: string; readonly full_name: string; readonly email: string; readonly phone: string; readonly council_no: string }

const withoutMarks = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ')

/** What is indexed, and what the scan of the tail looks in. */
export function searchWords(...values: readonly string[]): string {
  return values.filter((value) => value !== '').map((value) => mark + mark + withoutMarks(value)).join('')
}

/** A term as it is looked for; null: nothing to look for. One or two characters match from the start of a value. */
export function searchTerm(text: string): string | null {
  const term = withoutMarks(text).trim()
  if (term === '') return null
  const length = Array.from(term).length
  return length >= 3 ? term : mark.repeat(3 - length) + term
}

/** A term as FTS5's query language has it: one phrase. */
export const ftsPhrase = (term: string): string => `"${term.replaceAll('"', '""')}"`

/** SQL function for rows that are not indexed yet. */
export function containsFolded(term: unknown, ...values: readonly unknown[]): 0 | 1 {
  return searchWords(...values.map(String)).toLowerCase().includes(String(term).toLowerCase()) ? 1 : 0
}

/** About how many rows wait to be indexed. */
export function unindexed(sql: Sql): number {
  return sql<{ n: number }>('SELECT coalesce(max(id), 0) - (SELECT last_id FROM search_progress) AS n FROM registrations').get()?.n ?? 0
}

/** Indexes the next rows in a transaction of its own; answers whether more are waiting. */
export function indexBatch(db: Database.Database, sql: Sql): boolean {
  return db.transaction(() => {
    const rows = sql<Words>(
      `SELECT id, reg_no, full_name, email, phone, council_no FROM registrations
       WHERE id > (SELECT last_id FROM search_progress) ORDER BY id LIMIT ?`,
    ).all(batch_rows)
    const last = rows.at(-1)
    if (last === undefined) return false
    const add = sql('INSERT INTO search_index (rowid, words) VALUES (?, ?)')
    for (const row of rows) add.run(row.id, searchWords(row.reg_no, row.full_name, row.email, row.phone, row.council_no))
    sql('UPDATE search_progress SET last_id = ?').run(last.id)
    return rows.length === batch_rows
  }).immediate()
}
