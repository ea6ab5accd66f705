/**
 * The same on PostgreSQL: the store's real verbs on one connection, which sleeps until each statement is answered. A history
 * is one transaction that is rolled back; what a verb begins for itself is a savepoint in it.
 */
import { openConnection } from '../../server/storage/postgres/connection.ts'
import type { PostgresConnection } from '../../server/storage/postgres/connection.ts'
import { inPostgres } from '../../server/storage/postgres/sql-translation.ts'
import { prepare } from '../../server/storage/postgres/prepare-database.ts'
import { indexNew } from '../../server/storage/lists/search-index.ts'
import type { Sql, Statement } from '../../server/storage/database/sqlite-connection.ts'
import { storeOn } from './disk.ts'
import type { Disks } from './disk.ts'

/** What histories leave behind although they are rolled back: rows that nobody sees, which every scan reads. */
const HISTORIES_BETWEEN_VACUUMS = 25
/** Numbers are given from one on, as on SQLite: a transaction that is rolled back does not give them back. */
const FROM_ONE = 'SELECT setval(seqrelid::regclass, 1, false) FROM pg_sequence'

export type PostgresDisks = { readonly disks: Disks; close(): void }

/** On an empty database, which nobody else uses. */
export function openPostgresDisks(url: string): PostgresDisks {
  prepare(url, false)
  const connection = openConnection(url, { begins: ['BEGIN'], isWaitedFor: true })
  const { sql } = connection
  const reading = readingAtOnce(connection)
  const store = storeOn({
    sql,
    connection,
    isShared: true,
    wrote: () => {
      // As the writer does before it commits.
      if (connection.inTransaction) indexNew(sql)
      reading.forget()
    },
  })
  let histories = 0
  const disks: Disks = () => {
    histories += 1
    sql('BEGIN').run()
    sql(FROM_ONE).all()
    reading.forget()
    return {
      store: () => store,
      sql: () => reading.sql,
      // Nothing of it stands in this process.
      reopen: () => reading.forget(),
      leave: () => {
        sql('ROLLBACK').run()
        if (histories % HISTORIES_BETWEEN_VACUUMS === 0) connection.plain('VACUUM')
      },
    }
  }
  return { disks, close: () => connection.close() }
}

/**
 * Promises ask the same forty questions after every write. What was asked before without values is asked again in one
 * statement as soon as one of them is wanted, and an answer is kept until the next write.
 */
function readingAtOnce({ sql }: PostgresConnection): { readonly sql: Sql; forget(): void } {
  const usual: string[] = []
  let answers = new Map<string, readonly unknown[]>()
  const readUsual = (): void => {
    const columns = usual.map(
      (text, at) =>
        `(SELECT json_agg(whole_row) FROM (${inPostgres(text).text}) whole_row) AS q${at}`,
    )
    const row = sql<Record<string, string | null>>(`SELECT ${columns.join(', ')}`).get() ?? {}
    for (const [at, text] of usual.entries())
      answers.set(keyOf(text, []), rowsIn(row[`q${at}`] ?? '[]'))
  }
  const read = <Row>(text: string, params: readonly unknown[]): Row[] => {
    const key = keyOf(text, params)
    if (!answers.has(key) && usual.includes(text)) readUsual()
    if (!answers.has(key)) {
      answers.set(key, sql<Row>(text).all(...params))
      if (params.length === 0) usual.push(text)
    }
    return [...(answers.get(key) ?? [])] as Row[]
  }
  const asked = <Row>(text: string): Statement<Row> => ({
    all: (...params) => read<Row>(text, params),
    get: (...params) => read<Row>(text, params)[0],
    run: () => {
      throw new Error('promises change nothing')
    },
  })
  return {
    sql: Object.assign(asked, { searching: sql.searching }),
    forget: () => {
      answers = new Map()
    },
  }
}

const keyOf = (text: string, params: readonly unknown[]): string =>
  `${text} ${JSON.stringify(params)}`

/** Yes and no are 1 and 0, as in answers of single statements. */
const rowsIn = (json: string): readonly unknown[] =>
  JSON.parse(json, (_, value: unknown) =>
    typeof value === 'boolean' ? Number(value) : value,
  ) as readonly unknown[]
