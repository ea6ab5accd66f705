/**
 * Moves all rows and files from SQLite to PostgreSQL or back, in one transaction.
 * It commits only if every table has the same number of rows and the same column sums on both sides. The source is
 * not changed.
 */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { err, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'
import { makePrivate } from '../../ops/file-permissions.ts'
import { reportProgress } from '../../ops/progress.ts'
import {
  closeAfterCheckpoint,
  DATABASE_FILE,
  openToWrite,
  refuseEmpty,
} from './sqlite-connection.ts'
import {
  moveFilesIntoPostgres,
  moveFilesOutOfPostgres,
  findFilesInBucket,
} from '../files/move-files.ts'
import type { MovedFiles } from '../files/move-files.ts'
import type { S3Bucket } from '../files/s3-bucket.ts'
import { connect } from '../postgres/hosts.ts'
import type { PostgresConnection } from '../postgres/connection.ts'
import { createUnusableError, preparePostgresDatabase } from '../postgres/prepare-database.ts'
import { isPostgresError } from '../postgres/errors.ts'
import { createTables, migrations, getReportedVersion } from './schema.ts'
import { findInOrder } from './in-order.ts'
import { loadInBulk } from '../postgres/bulk-load.ts'
import { buildCleanupStatements } from '../postgres/appended-counters.ts'
import { indexNewRows } from '../lists/search-index.ts'

export type MoveResult = {
  readonly registrations: number
  readonly rows: number
  readonly tables: number
} & MovedFiles

type Table = { readonly name: string; readonly columns: readonly Column[] }
type Column = { readonly name: string; readonly isNumber: boolean }
type Row = readonly unknown[]
/** The operations that both databases provide, table by table. */
type DatabaseSide = {
  rows(table: Table): AsyncIterable<Row> | Iterable<Row>
  count(table: Table): Promise<number>
  /** The number of rows, and the sum of each numeric column, as text. */
  sums(table: Table): Promise<string>
}

/** The number of rows that one PostgreSQL statement reads or writes. */
const CHUNK_ROWS = 2_000
/** Keeps chunks with emails and event files small, because their rows are longer than others. */
const MAX_CHUNK_CHARACTERS = 4_000_000
/**
 * Tables that are not copied: the target rebuilds its search index, and activates versions from the event files again.
 */
const SKIPPED_TABLES: readonly string[] = [
  'search_progress',
  'active_events',
  'activation',
  'counted',
]

/** Moves the database in a data folder into an empty PostgreSQL database. The error is a message for the operator. */
export async function moveToPostgres(
  dataDir: string,
  url: string,
  bucket: S3Bucket | null = null,
): Promise<Result<MoveResult, string>> {
  const file = join(dataDir, DATABASE_FILE)
  if (!existsSync(file)) return err(`There is no database in DATA_DIR (${dataDir}).`)
  refuseEmpty(file)
  const db = new Database(file, { readonly: true })
  try {
    const version = Number(db.pragma('user_version', { simple: true }))
    if (version !== migrations.length)
      return err(
        `The database in ${dataDir} has version ${getReportedVersion(version, migrations.length)}, and this version of Rollcall needs ${migrations.length}: run rollcall db migrate first.`,
      )
    await preparePostgresDatabase(url)
    return await runInPostgres(url, async (connection) => {
      db.exec('BEGIN')
      const tables = listTables(db)
      const { sql } = connection
      const nonEmptyTable = await findInOrder(
        tables,
        async ({ name }) =>
          !SEEDED_TABLES.includes(name) &&
          (await sql(`SELECT 1 FROM ${name} LIMIT 1`).get()) !== undefined,
      )
      if (nonEmptyTable !== undefined)
        return err(`The PostgreSQL database is not empty: ${nonEmptyTable.name} has rows.`)
      const moveResult = await loadInBulk(connection, async () => {
        for (const { name } of tables) connection.queue(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
        const copyResult = await copy(
          tables,
          openSqliteSide(db),
          openPostgresSide(connection),
          (table) => openInsertion(connection, table),
        )
        for (const { name } of tables) connection.queue(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
        continueIds(connection, tables, readLastAssignedId(db))
        connection.queue('UPDATE search_progress SET last_id = 0')
        await indexNewRows(sql)
        connection.queue('UPDATE search_progress SET last_id = 9007199254740991')
        return copyResult
      })
      return moveWithFiles(moveResult, () =>
        bucket === null
          ? moveFilesIntoPostgres(connection, dataDir)
          : findFilesInBucket(connection, bucket),
      )
    })
  } finally {
    db.close()
  }
}

/** Moves a PostgreSQL database into a data folder that has no database. The error is a message for the operator. */
export async function moveToSqlite(
  dataDir: string,
  url: string,
  bucket: S3Bucket | null = null,
): Promise<Result<MoveResult, string>> {
  const file = join(dataDir, DATABASE_FILE)
  if (existsSync(file))
    return err(
      `${dataDir} already contains a database. Move it elsewhere first, or use another DATA_DIR.`,
    )
  await preparePostgresDatabase(url)
  makePrivate(dataDir)
  const partialFile = `${file}.part`
  rmSync(partialFile, { force: true })
  const db = openToWrite(partialFile)
  try {
    createTables(db)
    db.pragma('foreign_keys = OFF')
    const moveResult = await runInPostgres(url, async (connection) => {
      const tables = listTables(db)
      // Reduces counters to one row per key, which the target requires.
      for (const text of buildCleanupStatements(0)) await connection.plain(text)
      db.exec('BEGIN')
      const triggers = db
        .prepare<[], { name: string; sql: string }>(
          "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
        )
        .all()
      for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
      const copyResult = await copy(
        tables,
        openPostgresSide(connection),
        openSqliteSide(db),
        async (table) => {
          db.exec(`DELETE FROM ${table.name}`)
          const placeholders = table.columns.map(() => '?').join(', ')
          const insertRow = db.prepare(
            `INSERT INTO ${table.name} (${listColumns(table)}) VALUES (${placeholders})`,
          )
          return async (rows) => {
            for (const row of rows) insertRow.run(...row)
          }
        },
      )
      db.exec('UPDATE counted SET last_id = (SELECT coalesce(max(id), 0) FROM registrations)')
      for (const { sql } of triggers) db.exec(sql)
      db.exec(copyResult.ok ? 'COMMIT' : 'ROLLBACK')
      return moveWithFiles(copyResult, () =>
        bucket === null
          ? moveFilesOutOfPostgres(connection, dataDir)
          : findFilesInBucket(connection, bucket),
      )
    })
    closeAfterCheckpoint(db)
    if (moveResult.ok) renameSync(partialFile, file)
    return moveResult
  } finally {
    if (db.open) db.close()
    rmSync(partialFile, { force: true })
  }
}

/** Moves the files if the rows that list them were copied. */
async function moveWithFiles(
  rows: Result<Omit<MoveResult, keyof MovedFiles>, string>,
  move: () => Promise<MovedFiles>,
): Promise<Result<MoveResult, string>> {
  return rows.ok ? ok({ ...rows.value, ...(await move()) }) : rows
}

/** Tables that contain a row even in an empty database. */
const SEEDED_TABLES: readonly string[] = ['office_settings', 'pings']

/** Runs `task` in one transaction while no server writes. Commits if its result is ok. */
async function runInPostgres<T>(
  url: string,
  task: (connection: PostgresConnection) => Promise<Result<T, string>>,
): Promise<Result<T, string>> {
  const connection = await connect(url).catch((error: unknown) => {
    throw createUnusableError(error)
  })
  try {
    connection.queue('BEGIN ISOLATION LEVEL REPEATABLE READ')
    const result = await task(connection)
    if (result.ok) await connection.commit()
    else await connection.rollBack()
    return result
  } catch (error) {
    await connection.rollBack()
    // Errors in the file and in the uploads are explained elsewhere.
    throw isPostgresError(error) ? createUnusableError(error) : error
  } finally {
    await connection.end()
  }
}

async function copy(
  tables: readonly Table[],
  source: DatabaseSide,
  target: DatabaseSide,
  openTable: (table: Table) => Promise<(rows: readonly Row[]) => Promise<void>>,
): Promise<Result<Omit<MoveResult, keyof MovedFiles>, string>> {
  let rows = 0
  let registrations = 0
  let total = 0
  for (const table of tables) total += await source.count(table)
  const report = (): void => reportProgress({ step: 'Copying rows', done: rows, total })
  report()
  for (const table of tables) {
    const insertRow = await openTable(table)
    for await (const chunk of splitIntoChunks(source.rows(table))) {
      await insertRow(chunk)
      rows += chunk.length
      if (table.name === 'registrations') registrations += chunk.length
      report()
    }
  }
  for (const [done, table] of tables.entries()) {
    reportProgress({ step: 'Comparing tables', done, total: tables.length })
    const [sourceSums, targetSums] = [await source.sums(table), await target.sums(table)]
    if (sourceSums !== targetSums)
      return err(
        `Rows or sums of ${table.name} differ: ${sourceSums} became ${targetSums}. Nothing was moved.`,
      )
  }
  return ok({ registrations, rows, tables: tables.length })
}

/** Yields chunks of `CHUNK_ROWS` rows, or of fewer rows if they are large. */
async function* splitIntoChunks(
  rows: ReturnType<DatabaseSide['rows']>,
): AsyncGenerator<readonly Row[]> {
  let chunk: Row[] = []
  let characters = 0
  for await (const row of rows) {
    chunk.push(row)
    for (const value of row) if (typeof value === 'string') characters += value.length
    if (chunk.length < CHUNK_ROWS && characters < MAX_CHUNK_CHARACTERS) continue
    yield chunk
    chunk = []
    characters = 0
  }
  if (chunk.length > 0) yield chunk
}

/** Returns a function that inserts many rows with one statement. */
async function openInsertion(
  connection: PostgresConnection,
  table: Table,
): Promise<(rows: readonly Row[]) => Promise<void>> {
  const { sql } = connection
  sql(`DELETE FROM ${table.name}`).run()
  const types = await readColumnTypes(connection, table)
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')
  const insertRow = sql(
    `INSERT INTO ${table.name} (${listColumns(table)}) SELECT * FROM unnest(${arrays})`,
  )
  const converters = types.map(
    (type) =>
      (value: unknown): unknown =>
        type === 'bytea' ? sql.dialect.storedBytes(String(value)) : value,
  )
  return async (rows) =>
    void (await insertRow.run(
      ...converters.map((convert, index) => rows.map((row) => convert(row[index]))),
    ).changes)
}

/** Returns the PostgreSQL types in the order of the columns. */
async function readColumnTypes(
  { sql }: PostgresConnection,
  { name, columns }: Table,
): Promise<readonly string[]> {
  const rows = await sql<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute WHERE attrelid = '${name}'::regclass AND attnum > 0`,
  ).all()
  const types = new Map(rows.map((row) => [row.name, row.type]))
  return columns.map((column) => types.get(column.name) ?? 'text')
}

/** Orders the tables so that each table follows the tables that its rows reference. */
function listTables(db: Database.Database): readonly Table[] {
  const names = db
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_index%' ORDER BY name",
    )
    .all()
    .map(({ name }) => name)
    .filter((name) => !SKIPPED_TABLES.includes(name))
  const orderedTables: string[] = []
  const visitTable = (name: string): void => {
    if (orderedTables.includes(name)) return
    const references = db.pragma(`foreign_key_list(${name})`) as { table: string }[]
    for (const { table } of references) if (table !== name) visitTable(table)
    orderedTables.push(name)
  }
  names.forEach(visitTable)
  return orderedTables.map((name) => ({
    name,
    columns: (db.pragma(`table_info(${name})`) as { name: string; type: string }[]).map(
      (column) => ({ name: column.name, isNumber: column.type === 'INTEGER' }),
    ),
  }))
}

const listColumns = ({ columns }: Table): string =>
  columns.map(({ name }) => `"${name}"`).join(', ')
const buildSumQuery = ({ name, columns }: Table): string => {
  const numbers = columns.filter(({ isNumber }) => isNumber)
  const sumColumns = numbers.map((column) => `coalesce(CAST(sum("${column.name}") AS text), '')`)
  return `SELECT ${["count(*) || ' rows'", ...sumColumns].join(" || ', ' || ")} AS sums FROM ${name}`
}

const openSqliteSide = (db: Database.Database): DatabaseSide => ({
  rows: (table) =>
    db
      .prepare<[], Row>(`SELECT ${listColumns(table)} FROM ${table.name}`)
      .raw()
      .iterate(),
  count: async (table) => Number(db.prepare(`SELECT count(*) FROM ${table.name}`).pluck().get()),
  sums: async (table) => db.prepare<[], { sums: string }>(buildSumQuery(table)).get()?.sums ?? '',
})

const openPostgresSide = ({ sql, plain }: PostgresConnection): DatabaseSide => ({
  async *rows(table) {
    // Uses one cursor per table, because all results of a statement must have the same columns.
    const cursor = `moving_${table.name}`
    await plain(
      `DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${listColumns(table)} FROM ${table.name}`,
    )
    const next = sql<Readonly<Record<string, unknown>>>(`FETCH ${CHUNK_ROWS} FROM ${cursor}`)
    for (let rows = await next.all(); rows.length > 0; rows = await next.all())
      for (const row of rows) yield table.columns.map(({ name }) => row[name])
    await plain(`CLOSE ${cursor}`)
  },
  count: async (table) =>
    (await sql<{ count: number }>(`SELECT count(*)::integer AS count FROM ${table.name}`).get())
      ?.count ?? 0,
  sums: async (table) => (await sql<{ sums: string }>(buildSumQuery(table)).get())?.sums ?? '',
})

/** Returns the last assigned registration id, even if the registration was deleted. 0 if no id was assigned. */
const readLastAssignedId = (db: Database.Database): number =>
  db
    .prepare<[], { seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'registrations'")
    .get()?.seq ?? 0

/** Makes PostgreSQL assign ids above the existing ones. */
function continueIds(
  { queue }: PostgresConnection,
  tables: readonly Table[],
  startId: number,
): void {
  for (const { name, columns } of tables)
    if (columns.some((column) => column.name === 'id'))
      queue(
        `SELECT setval(pg_get_serial_sequence('${name}', 'id'), greatest(1, ${name === 'registrations' ? startId : 0}, max(id)),
           max(id) IS NOT NULL OR ${name === 'registrations' ? startId : 0} > 0) FROM ${name}`,
      )
}
