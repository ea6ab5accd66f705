/** The declared tables match those in both databases. */
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { createTables } from '../../../server/storage/database/schema.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import { preparePostgresDatabase } from '../../../server/storage/postgres/prepare-database.ts'

/**
 * Lists column names by table, with `?` for nullable columns. Omits the search index, which is not a table on SQLite.
 */
function listDeclaredTables(): Readonly<Record<string, readonly string[]>> {
  const text = ['tables', 'money-tables']
    .map((name) => readFileSync(`server/storage/database/statements/${name}.ts`, 'utf8'))
    .join('\n')
  const tables = text.matchAll(/^ {2}(\w+): \{\n((?: {4}.*\n)+?) {2}\}/gm)
  return Object.fromEntries(
    [...tables].flatMap(([, table = '', columns = '']) =>
      table === 'search_index'
        ? []
        : [
            [
              table,
              [...columns.matchAll(/^ {4}(\w+): (.*)$/gm)]
                .map(([, name = '', type = '']) => name + (/\| null/.test(type) ? '?' : ''))
                .toSorted(),
            ],
          ],
    ),
  )
}

test('the declared tables and columns match SQLite', () => {
  const db = new Database(':memory:')
  createTables(db)
  const names = db
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_index%'",
    )
    .all()
  const listColumns = (table: string): readonly string[] =>
    (db.pragma(`table_info(${table})`) as { name: string; notnull: number; pk: number }[])
      .map(({ name, notnull, pk }) => name + (notnull || pk ? '' : '?'))
      .toSorted()
  expect(Object.fromEntries(names.map(({ name }) => [name, listColumns(name)]))).toEqual(
    listDeclaredTables(),
  )
  db.close()
})

test.runIf(hasPostgres)('the declared tables and columns match PostgreSQL', async () => {
  const server = await startPostgres()
  const url = await server.database('tables')
  await preparePostgresDatabase(url)
  const shell = await server.shell(url)
  const { rows } = await shell.query<{ table: string; columns: string[] }>(
    `SELECT table_name AS "table", array_agg(column_name || CASE is_nullable WHEN 'YES' THEN '?' ELSE '' END) AS columns
     FROM information_schema.columns WHERE table_schema = 'public' GROUP BY table_name`,
  )
  const columnsByTable = new Map(rows.map(({ table, columns }) => [table, columns.toSorted()]))
  for (const [table, columns] of Object.entries(listDeclaredTables()))
    expect([table, columnsByTable.get(table)]).toEqual([table, columns])
  await shell.end()
  await server.stop()
})
