/**
 * Copies the tables that invariants read into SQLite in this process. PostgreSQL sends a table only if it has changed.
 * A history runs forty queries after each write, which would cost PostgreSQL three times as much as the operations
 * themselves. The server's own code always reads from PostgreSQL, never from the copy.
 */
import assert from 'node:assert/strict'
import Database from 'better-sqlite3'
import { createTables } from '../../server/storage/database/schema.ts'
import { toSql } from '../../server/storage/database/sqlite-connection.ts'
import type { Sql, Statement } from '../../server/storage/database/sqlite-connection.ts'

/** The copied tables. Queries of other tables fail with `no such table`. */
const TABLES = [
  'acts',
  'bill_lines',
  'captures',
  'code_uses',
  'counters',
  'decisions',
  'disputes',
  'documents',
  'event_issuers',
  'links',
  'mail_queue',
  'payment_facts',
  'payments',
  'places',
  'places_taken',
  'refunds',
  'registrations',
  'revenue',
  'tellings',
] as const
export type Table = (typeof TABLES)[number]
type Column = { readonly name: string; readonly type: string; readonly pk: number }

/**
 * Builds an expression that counts the rows that this connection has inserted, changed or deleted, including those in
 * transactions that were rolled back. PostgreSQL sometimes resets these counts, but only between transactions.
 */
const buildCountSql = (table: Table): string =>
  ['inserted', 'updated', 'deleted']
    .map((kind) => `pg_stat_get_xact_tuples_${kind}('${table}'::regclass)`)
    .join(' + ')
const WRITE_COUNTS_SQL = `SELECT array_to_json(ARRAY[${TABLES.map(buildCountSql).join(', ')}]) AS counts`

export type Mirror = {
  /** Runs read-only queries. */
  readonly sql: Sql
  /** Starts counting the writes of a transaction. Must be called with its first statement. */
  startCounting(): void
  /** Returns the tables that this transaction has written to. */
  findChanges(): Promise<ReadonlySet<Table>>
  /** Copies these tables. The statements are sent together with other statements from the same turn. */
  copy(changed: ReadonlySet<Table>): Promise<void>
  /** Throws if the copy differs from the database. */
  verify(): Promise<void>
  /** Empties all tables of the copy. */
  clear(): void
}

export function createMirror(postgres: Sql): Mirror {
  const db = new Database(':memory:')
  const tables = createMirrorTables(db, postgres)
  const countsStatement = postgres<{ counts: string }>(WRITE_COUNTS_SQL)
  const readCounts = async (): Promise<readonly number[]> => {
    const row = await countsStatement.get()
    if (row === undefined) throw new Error('PostgreSQL returned no row')
    return JSON.parse(row.counts) as number[]
  }
  let countsBefore: Promise<readonly number[]> = Promise.resolve([])
  const versions = TABLES.map(() => 0)
  return {
    sql: cacheResults(toSql(db), (index) => versions[index] ?? 0),
    startCounting: () => {
      countsBefore = readCounts()
      // If this query fails, so does the transaction, which reports the error.
      countsBefore.catch(() => {})
    },
    findChanges: async () => {
      const [before, counts] = await Promise.all([countsBefore, readCounts()])
      return new Set(TABLES.filter((_, index) => counts[index] !== before[index]))
    },
    copy: async (changed) => {
      // The copy changes in one step, so no query sees a partial change.
      const copies = await Promise.all(
        tables.map(async ({ name, read }) => (changed.has(name) ? read.get() : null)),
      )
      for (const [index, { remove, insert }] of tables.entries()) {
        const rows = copies[index]
        if (rows === null || rows === undefined) continue
        remove.run()
        // Null if the table is empty.
        for (const row of JSON.parse(rows.copied ?? '[]') as readonly (readonly unknown[])[])
          insert.run(row)
        versions[index] = (versions[index] ?? 0) + 1
      }
    },
    verify: async () => {
      for (const { name, read, readCopy } of tables) {
        const rows = JSON.parse((await read.get())?.copied ?? '[]') as readonly unknown[]
        assert.deepEqual(
          sortRows(readCopy.all()),
          sortRows(rows),
          `the copy of ${name} is out of date`,
        )
      }
    },
    clear: () => {
      for (const [index, { remove }] of tables.entries()) {
        remove.run()
        versions[index] = (versions[index] ?? 0) + 1
      }
    },
  }
}

const sortRows = (rows: readonly unknown[]): readonly string[] =>
  rows.map((row) => JSON.stringify(row)).toSorted()

/** Creates the tables with the same columns and types as in SQLite, but without constraints and triggers. */
function createMirrorTables(db: Database.Database, postgres: Sql) {
  const sourceDb = new Database(':memory:')
  createTables(sourceDb)
  const readColumns = sourceDb.prepare<[string], Column>('SELECT * FROM pragma_table_info(?)')
  const tables = TABLES.map((name) => {
    const columns = readColumns.all(name)
    const names = columns.map((column) => `"${column.name}"`)
    const definitions = columns.map(
      (column) => `"${column.name}" ${column.type}${column.name === 'id' ? ' PRIMARY KEY' : ''}`,
    )
    db.exec(`CREATE TABLE ${name} (${definitions.join(', ')})`)
    return {
      name,
      read: postgres<{ copied: string | null }>(
        `SELECT json_agg(json_build_array(${names.join(', ')})) AS copied FROM ${name}`,
      ),
      readCopy: db.prepare(`SELECT * FROM ${name}`).raw(),
      remove: db.prepare(`DELETE FROM ${name}`),
      insert: db.prepare(`INSERT INTO ${name} VALUES (${names.map(() => '?').join(', ')})`),
    }
  })
  sourceDb.close()
  return tables
}

/** Caches the result of a query until one of its tables is written to. */
function cacheResults(sql: Sql, getVersion: (index: number) => number): Sql {
  const createStatement = <Row>(text: string): Statement<Row> => {
    const statement = sql<Row>(text)
    const words = new Set(text.match(/\w+/g))
    const tableIndexes = TABLES.flatMap((name, index) => (words.has(name) ? [index] : []))
    let cachedVersions = ''
    const results = new Map<string, Promise<readonly Row[]>>()
    const all = async (...params: unknown[]): Promise<Row[]> => {
      const currentVersions = tableIndexes.map(getVersion).join(' ')
      if (currentVersions !== cachedVersions) results.clear()
      cachedVersions = currentVersions
      const key = JSON.stringify(params)
      const result = results.get(key) ?? statement.all(...params)
      results.set(key, result)
      return [...(await result)]
    }
    return {
      all,
      get: async (...params) => (await all(...params))[0],
      run: () => {
        throw new Error('invariants may only read')
      },
    }
  }
  const cache = new Map<string, Statement<unknown>>()
  const createCachedStatement = <Row>(text: string): Statement<Row> => {
    const statement = cache.get(text) ?? createStatement<unknown>(text)
    cache.set(text, statement)
    return statement as Statement<Row>
  }
  return Object.assign(createCachedStatement, { dialect: sql.dialect, lock: sql.lock, batch: null })
}
