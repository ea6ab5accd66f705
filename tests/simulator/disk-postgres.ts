/**
 * The same store on PostgreSQL: the real operations on one connection, in one transaction. A history is one transaction that is rolled
 * back; a transaction of an operation is a savepoint in it.
 */
import { connect } from '../../server/storage/postgres/hosts.ts'
import type { PostgresConnection } from '../../server/storage/postgres/connection.ts'
import { inPostgres, sqliteFunctions } from './postgres-sql.ts'
import { prepare } from '../../server/storage/postgres/prepare-database.ts'
import { indexNew } from '../../server/storage/lists/search-index.ts'
import type { Sql, Statement } from '../../server/storage/database/sqlite-connection.ts'
import { createStore } from './disk.ts'
import type { OpenDisk } from './disk.ts'

/** Saved before a history replaces it with a virtual timer. */
const waitForTurn = setImmediate
/** Rolled-back histories leave dead rows, which slow every scan down. */
const HISTORIES_BETWEEN_VACUUMS = 25
/** Numbers start at one, as on SQLite: a rollback does not reset them. */
const RESTART_SEQUENCES_SQL = 'SELECT setval(seqrelid::regclass, 1, false) FROM pg_sequence'

export type PostgresDisks = { readonly disks: OpenDisk; close(): Promise<void> }

/** On an empty database without other users. */
export async function openPostgresDisks(url: string): Promise<PostgresDisks> {
  await prepare(url)
  const connection = await connect(url)
  for (const text of sqliteFunctions) connection.queue(text)
  // A history has one connection, on which operations run one after the other.
  const sql: Sql = Object.assign(<Row>(text: string) => connection.sql<Row>(text), {
    dialect: connection.sql.dialect,
    lock: () => {},
    batch: null,
  })
  let runningCount = 0
  let idle: PromiseWithResolvers<void> | null = null
  const work = (): Promise<void> | null => {
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
  const batchedReads = createBatchedReads(connection, runTracked)
  const store = createStore({
    sql,
    // A history is one transaction.
    connection: { inTransaction: true },
    isShared: true,
    tracked: runTracked,
    onWrite: async () => {
      // As the writer does before it commits.
      await indexNew(sql)
      batchedReads.forget()
    },
  })
  let histories = 0
  const openDisk: OpenDisk = async () => {
    histories += 1
    connection.queue('BEGIN')
    await sql(RESTART_SEQUENCES_SQL).all()
    batchedReads.forget()
    return {
      store: () => store,
      sql: () => batchedReads.sql,
      // Keeps no state in this process.
      reopen: () => batchedReads.forget(),
      work,
      leave: async () => {
        // Operations that the history did not wait for.
        for (let running = work(); running !== null; running = work()) {
          await running
          await new Promise((resolve) => waitForTurn(resolve))
        }
        await connection.rollBack()
        if (histories % HISTORIES_BETWEEN_VACUUMS === 0) await connection.plain('VACUUM')
      },
    }
  }
  return { disks: openDisk, close: () => connection.end() }
}

/**
 * Invariants run the same forty queries after every write. When one of them is needed, earlier queries without
 * parameters are sent with it, and their results are kept until the next write.
 */
function createBatchedReads(
  { sql }: PostgresConnection,
  tracked: <T>(run: () => Promise<T>) => Promise<T>,
): { readonly sql: Sql; forget(): void } {
  const repeatedQueries: string[] = []
  let answers = new Map<string, Promise<readonly unknown[]>>()
  const send = (text: string, params: readonly unknown[]): Promise<readonly unknown[]> => {
    const answer = sql<unknown>(inPostgres(text)).all(...params)
    answers.set(createKey(text, params), answer)
    return answer
  }
  const read = async <Row>(text: string, params: readonly unknown[]): Promise<Row[]> => {
    const key = createKey(text, params)
    if (!answers.has(key) && repeatedQueries.includes(text)) {
      await Promise.all(repeatedQueries.map((repeatedQuery) => send(repeatedQuery, [])))
    } else if (!answers.has(key) && params.length === 0) repeatedQueries.push(text)
    return [...(await (answers.get(key) ?? send(text, params)))] as Row[]
  }
  const createStatement = <Row>(text: string): Statement<Row> => ({
    all: (...params) => tracked(() => read<Row>(text, params)),
    get: async (...params) => (await tracked(() => read<Row>(text, params)))[0],
    run: () => {
      throw new Error('invariants only read')
    },
  })
  return {
    sql: Object.assign(createStatement, {
      dialect: sql.dialect,
      lock: sql.lock,
      batch: null,
    }),
    forget: () => {
      answers = new Map()
    },
  }
}

const createKey = (text: string, params: readonly unknown[]): string =>
  `${text} ${JSON.stringify(params)}`
