/** Reads every table of a database as text, and compares the columns that two databases share. */
import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import pg from 'pg'

export type Contents = ReadonlyMap<string, Table>
type Table = {
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}
type Row = readonly (string | null)[]

/** Tables that are derived from other tables, or that only track progress. */
const DERIVED_TABLES =
  /^(sqlite_|search_|counted$|counters$|revenue$|pings$|rollcall_version$|migration_lock$|row_locks$|commit_keys$|tries$|active_events$|activation$|proof_|writer_turn$)/

const formatValue = (value: unknown): string | null => {
  if (value === null || value === undefined) return null
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value)
}

/** Returns whether `database` is a PostgreSQL URL. Otherwise it is the path of a SQLite file. */
const isPostgresUrl = (database: string): boolean => database.startsWith('postgres:')

export async function readContents(database: string): Promise<Contents> {
  return isPostgresUrl(database) ? readPostgres(database) : readSqlite(database)
}

function readSqlite(file: string): Contents {
  const db = new Database(file, { readonly: true })
  try {
    const names = db
      .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
    return new Map(
      names
        .filter(({ name }) => !DERIVED_TABLES.test(name))
        .map(({ name }) => {
          const statement = db.prepare(`SELECT * FROM "${name}"`)
          const columns = statement.columns().map((column) => column.name)
          const rows = (statement.raw().all() as unknown[][]).map((row) => row.map(formatValue))
          return [name, { columns, rows }]
        }),
    )
  } finally {
    db.close()
  }
}

async function readPostgres(url: string): Promise<Contents> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: names } = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    )
    const contents = new Map<string, Table>()
    for (const { name } of names.filter((table) => !DERIVED_TABLES.test(table.name))) {
      const { rows, fields } = await client.query<unknown[]>({
        text: `SELECT * FROM "${name}"`,
        rowMode: 'array',
      })
      const columns = fields.map((field) => field.name)
      contents.set(name, { columns, rows: rows.map((row) => row.map(formatValue)) })
    }
    return contents
  } finally {
    await client.end()
  }
}

const COUNTED_TOTALS_SQL =
  "SELECT event_id || ' ' || status || ' ' || sum(registrations) || ' registered, ' || sum(booked) || ' paid, ' || sum(ended) || ' ended' AS line FROM counters GROUP BY event_id, status HAVING sum(registrations) <> 0 ORDER BY event_id, status"
const STORED_TOTALS_SQL =
  "SELECT event_id || ' ' || payment_status || ' ' || count(*) || ' registered, ' || sum(booked) || ' paid, ' || sum(CASE WHEN state IN ('cancelled', 'refused') THEN 1 ELSE 0 END) || ' ended' AS line FROM registrations GROUP BY event_id, payment_status ORDER BY event_id, payment_status"

/** Reads the totals that the office shows, and the same totals computed from the registrations. */
export async function readTotals(
  database: string,
): Promise<{ readonly counted: string; readonly stored: string }> {
  const queries = [COUNTED_TOTALS_SQL, STORED_TOTALS_SQL]
  let totals: readonly string[]
  if (isPostgresUrl(database)) {
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    const results = []
    for (const text of queries)
      results.push((await client.query<{ line: string }>(text)).rows.map(({ line }) => line))
    await client.end()
    totals = results.map((rows) => rows.join('; '))
  } else {
    const db = new Database(database, { readonly: true })
    totals = queries.map((text) => db.prepare(text).pluck().all().join('; '))
    db.close()
  }
  const [counted = '', stored = ''] = totals
  return { counted, stored }
}

const computeHash = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)

export type Comparison = {
  readonly rows: number
  readonly tables: number
  /** For each table and column, the number of rows with a different value; also the numbers of new and missing rows. */
  readonly differences: readonly string[]
  /** The hash of the second database's data in the tables and columns of the first. */
  readonly hash: string
}

/**
 * Compares every row of the first database with the row that has the same key in the second, in their shared columns.
 */
export function compareContents(before: Contents, after: Contents): Comparison {
  const differences: string[] = []
  const hashes: string[] = []
  let rowCount = 0
  for (const [name, { columns, rows }] of [...before].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    rowCount += rows.length
    const otherTable = after.get(name)
    if (otherTable === undefined) {
      differences.push(`${name}: the table is missing`)
      continue
    }
    const sharedColumns = columns.filter((column) => otherTable.columns.includes(column))
    const missingColumns = columns.filter((column) => !otherTable.columns.includes(column))
    if (missingColumns.length > 0)
      differences.push(`${name}: columns ${missingColumns.join(', ')} are missing`)
    const formatRows = (table: Table): string[] =>
      table.rows
        .map((row) =>
          JSON.stringify(sharedColumns.map((column) => row[table.columns.indexOf(column)])),
        )
        .toSorted()
    const [linesBefore, linesAfter] = [formatRows({ columns, rows }), formatRows(otherTable)]
    hashes.push(`${name} ${computeHash(linesAfter)}`)
    if (computeHash(linesBefore) !== computeHash(linesAfter))
      differences.push(...describeDifferences(name, sharedColumns, linesBefore, linesAfter))
  }
  return {
    rows: rowCount,
    tables: before.size,
    differences,
    hash: computeHash(hashes),
  }
}

/** Lists the columns that differ, with row counts. For a table without ids, counts the rows in only one database. */
function describeDifferences(
  name: string,
  columns: readonly string[],
  linesBefore: readonly string[],
  linesAfter: readonly string[],
): readonly string[] {
  const excludeShared = (rows: readonly string[], otherRows: readonly string[]): string[] => {
    const otherSet = new Set(otherRows)
    return rows.filter((line) => !otherSet.has(line))
  }
  const [missingRows, newRows] = [
    excludeShared(linesBefore, linesAfter),
    excludeShared(linesAfter, linesBefore),
  ]
  const key = columns.indexOf('id')
  const parseRow = (line: string): Row => JSON.parse(line) as Row
  if (key === -1)
    return [
      `${name}: ${missingRows.length} rows changed or missing, ${newRows.length} changed or new`,
    ]
  const newRowsByKey = new Map(newRows.map((line) => [parseRow(line)[key], parseRow(line)]))
  const counts = new Map<string, number>()
  const countRow = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1)
  for (const line of missingRows) {
    const oldRow = parseRow(line)
    const newRow = newRowsByKey.get(oldRow[key])
    newRowsByKey.delete(oldRow[key])
    if (newRow === undefined) countRow('gone')
    else columns.forEach((column, index) => oldRow[index] !== newRow[index] && countRow(column))
  }
  newRowsByKey.forEach(() => countRow('new'))
  return [...counts].map(([key, count]) => `${name}.${key}: ${count}`)
}
