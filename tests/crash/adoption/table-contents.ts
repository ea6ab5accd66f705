/** Reads every table of a database as text, and compares two databases over the columns that both have. */
import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import pg from 'pg'

export type Contents = ReadonlyMap<string, Table>
type Table = {
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}
type Row = readonly (string | null)[]

/** Derived from other tables, or only a measure of progress. */
const DERIVED =
  /^(sqlite_|search_|counted$|counters$|revenue$|pings$|rollcall_version$|migration_lock$|row_locks$|commit_keys$|tries$|active_events$|activation$|proof_|writer_turn$)/

const textOf = (value: unknown): string | null => {
  if (value === null || value === undefined) return null
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value)
}

/** Whether the file exists as SQLite's; an address is PostgreSQL's. */
const isAddress = (database: string): boolean => database.startsWith('postgres:')

export async function readContents(database: string): Promise<Contents> {
  return isAddress(database) ? readPostgres(database) : readSqlite(database)
}

function readSqlite(file: string): Contents {
  const db = new Database(file, { readonly: true })
  try {
    const names = db
      .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
    return new Map(
      names
        .filter(({ name }) => !DERIVED.test(name))
        .map(({ name }) => {
          const statement = db.prepare(`SELECT * FROM "${name}"`)
          const columns = statement.columns().map((column) => column.name)
          const rows = (statement.raw().all() as unknown[][]).map((row) => row.map(textOf))
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
    for (const { name } of names.filter((one) => !DERIVED.test(one.name))) {
      const { rows, fields } = await client.query<unknown[]>({
        text: `SELECT * FROM "${name}"`,
        rowMode: 'array',
      })
      const columns = fields.map((field) => field.name)
      contents.set(name, { columns, rows: rows.map((row) => row.map(textOf)) })
    }
    return contents
  } finally {
    await client.end()
  }
}

const COUNTED =
  "SELECT event_id || ' ' || status || ' ' || sum(registrations) || ' registered, ' || sum(booked) || ' paid, ' || sum(ended) || ' ended' AS line FROM counters GROUP BY event_id, status HAVING sum(registrations) <> 0 ORDER BY event_id, status"
const STORED =
  "SELECT event_id || ' ' || payment_status || ' ' || count(*) || ' registered, ' || sum(booked) || ' paid, ' || sum(CASE WHEN state IN ('cancelled', 'refused') THEN 1 ELSE 0 END) || ' ended' AS line FROM registrations GROUP BY event_id, payment_status ORDER BY event_id, payment_status"

/** The totals that the office sees, and what the registrations add up to. */
export async function readTotals(
  database: string,
): Promise<{ readonly counted: string; readonly stored: string }> {
  const queries = [COUNTED, STORED]
  let lines: readonly string[]
  if (isAddress(database)) {
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    const results = []
    for (const text of queries)
      results.push((await client.query<{ line: string }>(text)).rows.map(({ line }) => line))
    await client.end()
    lines = results.map((rows) => rows.join('; '))
  } else {
    const db = new Database(database, { readonly: true })
    lines = queries.map((text) => db.prepare(text).pluck().all().join('; '))
    db.close()
  }
  const [counted = '', stored = ''] = lines
  return { counted, stored }
}

const hashOf = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)

export type Comparison = {
  readonly rows: number
  readonly tables: number
  /** By table and column: how many rows have another value, or how many rows are new or gone. */
  readonly differences: readonly string[]
  /** Of all tables and columns of the first database, as they are in the second. */
  readonly hash: string
}

/** Compares every row of the first database with the second, by their keys, over the columns of the first. */
export function compareContents(before: Contents, after: Contents): Comparison {
  const differences: string[] = []
  const hashes: string[] = []
  let count = 0
  for (const [name, { columns, rows }] of [...before].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    count += rows.length
    const other = after.get(name)
    if (other === undefined) {
      differences.push(`${name}: the table is gone`)
      continue
    }
    const shared = columns.filter((column) => other.columns.includes(column))
    const lost = columns.filter((column) => !other.columns.includes(column))
    if (lost.length > 0) differences.push(`${name}: columns ${lost.join(', ')} are gone`)
    const lines = (table: Table): string[] =>
      table.rows
        .map((row) => JSON.stringify(shared.map((column) => row[table.columns.indexOf(column)])))
        .toSorted()
    const [left, right] = [lines({ columns, rows }), lines(other)]
    hashes.push(`${name} ${hashOf(right)}`)
    if (hashOf(left) !== hashOf(right)) differences.push(...explain(name, shared, left, right))
  }
  return {
    rows: count,
    tables: before.size,
    differences,
    hash: hashOf(hashes),
  }
}

/** Says which columns differ in how many rows, where rows have an id; else how many rows are only in one. */
function explain(
  name: string,
  columns: readonly string[],
  left: readonly string[],
  right: readonly string[],
): readonly string[] {
  const only = (some: readonly string[], others: readonly string[]): string[] => {
    const known = new Set(others)
    return some.filter((line) => !known.has(line))
  }
  const [gone, come] = [only(left, right), only(right, left)]
  const key = columns.indexOf('id')
  const parsed = (line: string): Row => JSON.parse(line) as Row
  if (key === -1)
    return [`${name}: ${gone.length} rows changed or gone, ${come.length} changed or new`]
  const now = new Map(come.map((line) => [parsed(line)[key], parsed(line)]))
  const counts = new Map<string, number>()
  const add = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)
  for (const line of gone) {
    const was = parsed(line)
    const is = now.get(was[key])
    now.delete(was[key])
    if (is === undefined) add('gone')
    else columns.forEach((column, at) => was[at] !== is[at] && add(column))
  }
  now.forEach(() => add('new'))
  return [...counts].map(([what, times]) => `${name}.${what}: ${times}`)
}
