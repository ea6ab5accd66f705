/**
 * Runs the same store on PostgreSQL: the real operations on one connection, each in its own transaction.
 * When a history ends, every table gets its first rows back. Nothing is flushed to the disk: a history crashes the
 * server, never PostgreSQL.
 */
import type { PostgresConnection } from '../../server/storage/postgres/connection.ts'
import { connect } from '../../server/storage/postgres/hosts.ts'
import { preparePostgresDatabase } from '../../server/storage/postgres/prepare-database.ts'
import { indexNew } from '../../server/storage/lists/search-index.ts'
import type { Sql, Statement } from '../../server/storage/database/sqlite-connection.ts'
import { createStore } from './disk.ts'
import type { OpenDisk } from './disk.ts'
import { createMirror } from './mirror-postgres.ts'
import type { Table } from './mirror-postgres.ts'

/** Saved before a history replaces it with a virtual timer. */
const waitForTurn = setImmediate
/** Deleted rows of earlier histories slow down every scan, so they are vacuumed after this many histories. */
const HISTORIES_BETWEEN_VACUUMS = 10

export type PostgresDisks = { readonly disks: OpenDisk; close(): Promise<void> }

/** On an empty database without other users. */
export async function openPostgresDisks(url: string): Promise<PostgresDisks> {
  await preparePostgresDatabase(url)
  const connection = await connect(url)
  connection.queue('SET synchronous_commit = off')
  const restore = await buildRestoration(connection)
  await connection.plain(restore)
  const sql: Sql = Object.assign(
    <Row>(text: string): Statement<Row> =>
      runInstead<Row>(transaction[text]) ?? connection.sql<Row>(text),
    // A history has one connection, on which operations run one after the other.
    { dialect: connection.sql.dialect, lock: () => {}, batch: null },
  )
  let runningCount = 0
  let idle: PromiseWithResolvers<void> | null = null
  const getRunningWork = (): Promise<void> | null => {
    if (runningCount === 0) return null
    idle ??= Promise.withResolvers()
    return idle.promise
  }
  const runTracked = async <T>(run: () => Promise<T>): Promise<T> => {
    runningCount += 1
    try {
      return await run()
    } finally {
      runningCount -= 1
      if (runningCount === 0) {
        idle?.resolve()
        idle = null
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
  /** The tables that the operation has written. Null if it was rolled back. */
  let changed: ReadonlySet<Table> | null = null
  let isOpen = false
  /** The savepoint of an operation, which is the only one of its transaction. */
  const transaction: Readonly<Record<string, () => void | Promise<void>>> = {
    'SAVEPOINT request': () => {
      isOpen = true
      connection.begin(['BEGIN'], false)
      mirror.startCounting()
    },
    'RELEASE request': async () => {
      // Fails if an earlier statement has failed, like the statement that it replaces.
      if (isOpen) changed = await mirror.findChanges()
    },
    'ROLLBACK TO request': () => {
      isOpen = false
      changed = null
      connection.queue('ROLLBACK')
    },
  }
  const store = createStore({
    sql,
    connection: { inTransaction: true },
    isShared: true,
    tracked: runTracked,
    onWrite: async () => {
      if (changed === null) return
      // The writer does the same before it commits.
      if (changed.has('registrations')) await indexNew(sql)
      await Promise.all([mirror.copy(changed), connection.commit()])
      changed = null
    },
  })
  let histories = 0
  const openDisk: OpenDisk = () => {
    histories += 1
    mirror.clear()
    return {
      store: () => store,
      sql: () => mirror.sql,
      serverSql: () => trackedSql,
      // Keeps no state in this process.
      reopen: () => {},
      work: getRunningWork,
      leave: async () => {
        // Operations whose results the history did not wait for.
        for (let running = getRunningWork(); running !== null; running = getRunningWork()) {
          await running
          await new Promise((resolve) => waitForTurn(resolve))
        }
        await mirror.verify()
        await connection.plain(restore)
        if (histories % HISTORIES_BETWEEN_VACUUMS === 0) await connection.plain('VACUUM')
      },
    }
  }
  return { disks: openDisk, close: () => connection.end() }
}

/** Returns statements that give every table its present rows, except the rows that are only locked, and let numbers start at one, as on SQLite. */
async function buildRestoration({ plain }: PostgresConnection): Promise<string> {
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

/** Null for other statements. */
function runInstead<Row>(run: (() => void | Promise<void>) | undefined): Statement<Row> | null {
  if (run === undefined) return null
  const rejectRows = (): Promise<never> => Promise.reject(new Error('it has no rows'))
  return {
    all: rejectRows,
    get: rejectRows,
    run: () => {
      const result = Promise.resolve(run()).then(() => 0)
      // The caller may not read it.
      result.catch(() => {})
      return { changes: result }
    },
  }
}
