/**
 * Moves all rows and files from SQLite to PostgreSQL or back.
 * One transaction, committed only if both have the same number of rows in each table and the same sums of numbers
 * in each column. The source is not changed.
 */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { err, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'
import { keepPrivate } from '../../ops/file-permissions.ts'
import { closeWhole, DATABASE_FILE, openToWrite, refuseEmpty } from './sqlite-connection.ts'
import { filesIntoPostgres, filesOutOfPostgres, findFilesInBucket } from '../files/move-files.ts'
import type { MovedFiles } from '../files/move-files.ts'
import type { S3Bucket } from '../files/s3-bucket.ts'
import { connect } from '../postgres/hosts.ts'
import type { PostgresConnection } from '../postgres/connection.ts'
import { cannotBeUsed, prepare } from '../postgres/prepare-database.ts'
import { isOfPostgres } from '../postgres/errors.ts'
import { createTables, migrations, reportedVersion } from './schema.ts'
import { findInOrder } from './in-order.ts'
import { rollUp } from '../postgres/appended-counters.ts'
import { indexNew } from '../lists/search-index.ts'

export type Moved = {
  readonly registrations: number
  readonly rows: number
  readonly tables: number
} & MovedFiles

type Table = { readonly name: string; readonly columns: readonly Column[] }
type Column = { readonly name: string; readonly isNumber: boolean }
type Row = readonly unknown[]
/** What both sides are asked for, table by table. */
type Side = {
  rows(table: Table): AsyncIterable<Row> | Iterable<Row>
  /** How many rows there are, and the sum of each column of numbers, as text. */
  sums(table: Table): Promise<string>
}

/** Rows that are read from PostgreSQL at a time. */
const CHUNK_ROWS = 2_000
/** Searching is indexed anew where the rows come to; what is served is read anew from the event files. */
const NOT_MOVED: readonly string[] = ['search_progress', 'active_events', 'activation', 'counted']

/** Moves into an empty PostgreSQL database. */
export async function moveToPostgres(
  dataDir: string,
  url: string,
  bucket: S3Bucket | null = null,
): Promise<Result<Moved, string>> {
  const file = join(dataDir, DATABASE_FILE)
  if (!existsSync(file)) return err(`DATA_DIR is ${dataDir}, and there is no database in it.`)
  refuseEmpty(file)
  const db = new Database(file, { readonly: true })
  try {
    const version = Number(db.pragma('user_version', { simple: true }))
    if (version !== migrations.length)
      return err(
        `The database in ${dataDir} is of version ${reportedVersion(version, migrations.length)}, and this Rollcall writes ${migrations.length}: run rollcall db migrate first.`,
      )
    await prepare(url)
    return await inPostgres(url, async (connection) => {
      db.exec('BEGIN')
      const tables = tablesOf(db)
      const { sql } = connection
      const full = await findInOrder(
        tables,
        async ({ name }) =>
          !SEEDED.includes(name) &&
          (await sql(`SELECT 1 FROM ${name} LIMIT 1`).get()) !== undefined,
      )
      if (full !== undefined)
        return err(`The database in PostgreSQL is not empty: there are rows in ${full.name}.`)
      for (const { name } of tables) connection.queue(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
      const moved = await copy(tables, sqliteSide(db), postgresSide(connection), (table) => {
        sql(`DELETE FROM ${table.name}`).run()
        const add = sql(insertion(table, (at) => `$${at + 1}`))
        const bytes = table.name === 'gateway_notices' ? columnOf(table, 'body') : -1
        let added = 0
        return async (row) => {
          const { changes } = add.run(
            ...row.map((value, at) =>
              at === bytes ? sql.dialect.storedBytes(String(value)) : value,
            ),
          )
          added += 1
          // So that no more than these are on their way.
          if (added % CHUNK_ROWS === 0) await changes
        }
      })
      for (const { name } of tables) connection.queue(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
      countOn(connection, tables, lastGiven(db))
      connection.queue('UPDATE search_progress SET last_id = 0')
      await indexNew(sql)
      connection.queue('UPDATE search_progress SET last_id = 9007199254740991')
      return withFiles(moved, () =>
        bucket === null
          ? filesIntoPostgres(connection, dataDir)
          : findFilesInBucket(connection, bucket),
      )
    })
  } finally {
    db.close()
  }
}

/** Moves into a data folder without a database. */
export async function moveToSqlite(
  dataDir: string,
  url: string,
  bucket: S3Bucket | null = null,
): Promise<Result<Moved, string>> {
  const file = join(dataDir, DATABASE_FILE)
  if (existsSync(file))
    return err(
      `There is a database in ${dataDir} already. Move it away first, or give another DATA_DIR.`,
    )
  await prepare(url)
  keepPrivate(dataDir)
  const part = `${file}.part`
  rmSync(part, { force: true })
  const db = openToWrite(part)
  try {
    createTables(db)
    db.pragma('foreign_keys = OFF')
    const moved = await inPostgres(url, async (connection) => {
      const tables = tablesOf(db)
      // There is one row for each key where it goes.
      for (const text of rollUp(0)) await connection.plain(text)
      db.exec('BEGIN')
      const triggers = db
        .prepare<[], { name: string; sql: string }>(
          "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
        )
        .all()
      for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
      const done = await copy(tables, postgresSide(connection), sqliteSide(db), (table) => {
        db.exec(`DELETE FROM ${table.name}`)
        const add = db.prepare(insertion(table, () => '?'))
        return async (row) => void add.run(...row)
      })
      db.exec('UPDATE counted SET last_id = (SELECT coalesce(max(id), 0) FROM registrations)')
      for (const { sql } of triggers) db.exec(sql)
      db.exec(done.ok ? 'COMMIT' : 'ROLLBACK')
      return withFiles(done, () =>
        bucket === null
          ? filesOutOfPostgres(connection, dataDir)
          : findFilesInBucket(connection, bucket),
      )
    })
    closeWhole(db)
    if (moved.ok) renameSync(part, file)
    return moved
  } finally {
    if (db.open) db.close()
    rmSync(part, { force: true })
  }
}

/** After the rows, which say which files there are. */
async function withFiles(
  rows: Result<Omit<Moved, keyof MovedFiles>, string>,
  move: () => Promise<MovedFiles>,
): Promise<Result<Moved, string>> {
  return rows.ok ? ok({ ...rows.value, ...(await move()) }) : rows
}

/** Has a row before anything is stored. */
const SEEDED: readonly string[] = ['office_settings', 'pings']

/** In one transaction, in which no server writes; committed where the answer is good. */
async function inPostgres<T>(
  url: string,
  work: (connection: PostgresConnection) => Promise<Result<T, string>>,
): Promise<Result<T, string>> {
  const connection = await connect(url).catch((error: unknown) => {
    throw cannotBeUsed(error)
  })
  try {
    connection.queue('BEGIN ISOLATION LEVEL REPEATABLE READ')
    const done = await work(connection)
    if (done.ok) await connection.commit()
    else await connection.rollBack()
    return done
  } catch (error) {
    await connection.rollBack()
    // Of the file and of what delegates sent, others say what is wrong.
    throw isOfPostgres(error) ? cannotBeUsed(error) : error
  } finally {
    await connection.end()
  }
}

async function copy(
  tables: readonly Table[],
  from: Side,
  into: Side,
  adderOf: (table: Table) => (row: Row) => Promise<void>,
): Promise<Result<Omit<Moved, keyof MovedFiles>, string>> {
  let rows = 0
  let registrations = 0
  for (const table of tables) {
    const add = adderOf(table)
    for await (const row of from.rows(table)) {
      await add(row)
      rows += 1
      if (table.name === 'registrations') registrations += 1
    }
  }
  for (const table of tables) {
    const [there, here] = [await from.sums(table), await into.sums(table)]
    if (there !== here)
      return err(
        `Rows or sums of ${table.name} differ: ${there} became ${here}. Nothing was moved.`,
      )
  }
  return ok({ registrations, rows, tables: tables.length })
}

/** Every table after those that its rows refer to. */
function tablesOf(db: Database.Database): readonly Table[] {
  const names = db
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_index%' ORDER BY name",
    )
    .all()
    .map(({ name }) => name)
    .filter((name) => !NOT_MOVED.includes(name))
  const sorted: string[] = []
  const take = (name: string): void => {
    if (sorted.includes(name)) return
    const refers = db.pragma(`foreign_key_list(${name})`) as { table: string }[]
    for (const { table } of refers) if (table !== name) take(table)
    sorted.push(name)
  }
  names.forEach(take)
  return sorted.map((name) => ({
    name,
    columns: (db.pragma(`table_info(${name})`) as { name: string; type: string }[]).map(
      (column) => ({ name: column.name, isNumber: column.type === 'INTEGER' }),
    ),
  }))
}

const columnOf = ({ columns }: Table, name: string): number =>
  columns.findIndex((column) => column.name === name)
const named = ({ columns }: Table): string => columns.map(({ name }) => `"${name}"`).join(', ')
const insertion = (table: Table, placeholder: (at: number) => string): string =>
  `INSERT INTO ${table.name} (${named(table)}) VALUES (${table.columns.map((_, at) => placeholder(at)).join(', ')})`
const summing = ({ name, columns }: Table): string => {
  const numbers = columns.filter(({ isNumber }) => isNumber)
  const sums = numbers.map((column) => `coalesce(CAST(sum("${column.name}") AS text), '')`)
  return `SELECT ${["count(*) || ' rows'", ...sums].join(" || ', ' || ")} AS said FROM ${name}`
}

const sqliteSide = (db: Database.Database): Side => ({
  rows: (table) =>
    db
      .prepare<[], Row>(`SELECT ${named(table)} FROM ${table.name}`)
      .raw()
      .iterate(),
  sums: async (table) => db.prepare<[], { said: string }>(summing(table)).get()?.said ?? '',
})

const postgresSide = ({ sql, plain }: PostgresConnection): Side => ({
  async *rows(table) {
    // A cursor for each table: what a statement answers always has the same columns.
    const cursor = `moving_${table.name}`
    await plain(`DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${named(table)} FROM ${table.name}`)
    const next = sql<Readonly<Record<string, unknown>>>(`FETCH ${CHUNK_ROWS} FROM ${cursor}`)
    for (let rows = await next.all(); rows.length > 0; rows = await next.all())
      for (const row of rows) yield table.columns.map(({ name }) => row[name])
    await plain(`CLOSE ${cursor}`)
  },
  sums: async (table) => (await sql<{ said: string }>(summing(table)).get())?.said ?? '',
})

/** The last id that was ever given to a registration, also to one that is gone. */
const lastGiven = (db: Database.Database): number =>
  db
    .prepare<[], { seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'registrations'")
    .get()?.seq ?? 0

/** Numbers that are given from now on follow those that are there. */
function countOn({ queue }: PostgresConnection, tables: readonly Table[], given: number): void {
  for (const { name, columns } of tables)
    if (columns.some((column) => column.name === 'id'))
      queue(
        `SELECT setval(pg_get_serial_sequence('${name}', 'id'), greatest(1, ${name === 'registrations' ? given : 0}, max(id)),
           max(id) IS NOT NULL OR ${name === 'registrations' ? given : 0} > 0) FROM ${name}`,
      )
}
