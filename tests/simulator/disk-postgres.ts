/**
 * Runs the same store on PostgreSQL: the real operations on one connection, each in its own transaction.
 * When a history ends, every table gets its original rows back. Nothing is flushed to the disk, because a history
 * crashes the server but never PostgreSQL.
 */
import type { PostgresConnection } from '../../server/storage/postgres/connection.ts'
import { connect } from '../../server/storage/postgres/hosts.ts'
import { preparePostgresDatabase } from '../../server/storage/postgres/prepare-database.ts'
import { indexNewRows } from '../../server/storage/lists/search-index.ts'
import type { Sql, Statement } from '../../server/storage/database/sqlite-connection.ts'
import { createStore } from './disk.ts'
import type { OpenDisk } from './disk.ts'
import { createMirror } from './mirror-postgres.ts'
import type { Table } from './mirror-postgres.ts'

/** The real timer function, saved before a history replaces it with a virtual one. */
const waitForTurn = setImmediate
/** Deleted rows of earlier histories slow down every scan, so the tables are vacuumed after this many histories. */
const HISTORIES_BETWEEN_VACUUMS = 10

export type PostgresDisks = { readonly disks: OpenDisk; close(): Promise<void> }

/** Opens an empty database. No other process may use it. */
export async function openPostgresDisks(url: string): Promise<PostgresDisks> {
  await preparePostgresDatabase(url)
  const connection = await connect(url)
  connection.queue('SET synchronous_commit = off')
  const restoreSql = await buildRestoreSql(connection)
  await connection.plain(restoreSql)
  const sql: Sql = Object.assign(
    <Row>(text: string): Statement<Row> =>
      createReplacement<Row>(transactionSteps[text]) ?? connection.sql<Row>(text),
    // A history has one connection, which runs operations one after the other.
    { dialect: connection.sql.dialect, lock: () => {}, batch: null },
  )
  let runningCount = 0
  let idleSignal: PromiseWithResolvers<void> | null = null
  const getRunningWork = (): Promise<void> | null => {
    if (runningCount === 0) return null
    idleSignal ??= Promise.withResolvers()
    return idleSignal.promise
  }
  const runTracked = async <T>(run: () => Promise<T>): Promise<T> => {
    runningCount += 1
    try {
      return await run()
    } finally {
      runningCount -= 1
      if (runningCount === 0) {
        idleSignal?.resolve()
        idleSignal = null
      }
    }
  }
  const trackedSql: Sql = Object.assign(
    <Row>(text: string): Statement<Row> => {
      const statement = sql<Row>(text)
      return {
        all: (...params) => runTracked(() => statement.all(...params)),
        get: (...params) => runTracked(() => statement.get(...params)),
        run: (...params) => statement.run(...params),
      }
    },
    { dialect: sql.dialect, lock: sql.lock, batch: null },
  )
  const mirror = createMirror(connection.sql)
  /** The tables that the current operation has written to. Null if it was rolled back. */
  let changedTables: ReadonlySet<Table> | null = null
  let isOpen = false
  /** Replaces an operation's savepoint with a transaction, because each transaction has only one operation. */
  const transactionSteps: Readonly<Record<string, () => void | Promise<void>>> = {
    'SAVEPOINT request': () => {
      isOpen = true
      connection.begin(['BEGIN'], false)
      mirror.startCounting()
    },
    'RELEASE request': async () => {
      // Like the statement that it replaces, this fails if an earlier statement has failed.
      if (isOpen) changedTables = await mirror.findChanges()
    },
    'ROLLBACK TO request': () => {
      isOpen = false
      changedTables = null
      connection.queue('ROLLBACK')
    },
  }
  const store = createStore({
    sql,
    connection: { inTransaction: true },
    isShared: true,
    runTracked,
    onWrite: async () => {
      if (changedTables === null) return
      // The writer thread does the same before it commits.
      if (changedTables.has('registrations')) await indexNewRows(sql)
      await Promise.all([mirror.copy(changedTables), connection.commit()])
      changedTables = null
    },
  })
  let historyCount = 0
  const openDisk: OpenDisk = () => {
    historyCount += 1
    mirror.clear()
    return {
      store: () => store,
      sql: () => mirror.sql,
      serverSql: () => trackedSql,
      // There is no state in this process that could be lost.
      reopen: () => {},
      getRunningWork,
      discard: async () => {
        // Some operations may still be running, because the history does not wait for all results.
        for (let running = getRunningWork(); running !== null; running = getRunningWork()) {
          await running
          await new Promise((resolve) => waitForTurn(resolve))
        }
        await mirror.verify()
        await connection.plain(restoreSql)
        if (historyCount % HISTORIES_BETWEEN_VACUUMS === 0) await connection.plain('VACUUM')
      },
    }
  }
  return { disks: openDisk, close: () => connection.end() }
}

/**
 * Builds the statements that reset every table except `row_locks` to its current rows, and restart ids at one, as on
 * SQLite.
 */
async function buildRestoreSql({ plain }: PostgresConnection): Promise<string> {
  const tables = await plain(
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'row_locks'",
  )
  const names = tables.map(({ name }) => String(name))
  const fills: string[] = []
  for (const name of names) {
    const [row] = await plain(`SELECT json_agg(${name}) AS rows FROM ${name}`)
    if (typeof row?.['rows'] === 'string')
      fills.push(
        `INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, '${row['rows'].replaceAll("'", "''")}')`,
      )
  }
  return [
    'BEGIN',
    // Without triggers, and in any order.
    'SET LOCAL session_replication_role = replica',
    ...names.map((name) => `DELETE FROM ${name}`),
    ...fills,
    'SELECT setval(seqrelid::regclass, 1, false) FROM pg_sequence',
    'COMMIT',
  ].join(';\n')
}

/** Returns a statement that calls `run`. Null if `run` is undefined, because most statements are not replaced. */
function createReplacement<Row>(
  run: (() => void | Promise<void>) | undefined,
): Statement<Row> | null {
  if (run === undefined) return null
  const rejectRows = (): Promise<never> => Promise.reject(new Error('it has no rows'))
  return {
    all: rejectRows,
    get: rejectRows,
    run: () => {
      const result = Promise.resolve(run()).then(() => 0)
      // The caller may ignore the result.
      result.catch(() => {})
      return { changes: result }
    },
  }
}
