/** Runs the store's statements on PostgreSQL, one after the other, each answered when needed. */
import type { Connection, Ran, Searching, Sql, Statement } from '../database/sqlite-connection.ts'
import { openBridge } from './synchronous-bridge.ts'
import type { BridgeRequest, BridgeResponse } from './synchronous-bridge.ts'
import { inPostgres, withoutNul } from './sql-translation.ts'
import type { Written } from './sql-translation.ts'
import { ConnectionLost, PostgresRefused } from './errors.ts'

/** What only adds or changes rows is sent with the next that is waited for, but no more than so many at once. */
const UNSENT_MAX = 500

/** So much of a statement is told beside what is wrong with it. */
const TOLD_CHARACTERS = 200

type Unsent = { readonly asked: BridgeRequest; said: BridgeResponse | null }
export type PostgresConnection = Connection & {
  /** Runs a PostgreSQL statement that is not repeated. */
  plain(text: string): void
  close(): void
}
export type Beginning = {
  /** Statements that replace the store's own start of a transaction. */
  readonly begins: readonly string[]
  /** Whether their answer is awaited before anything else is sent. */
  readonly isWaitedFor: boolean
}

export function openConnection(
  url: string,
  { begins, isWaitedFor }: Beginning,
): PostgresConnection {
  const bridge = openBridge(url)
  const statements = new Map<string, Statement<unknown>>()
  const names = new Map<string, string>()
  let unsent: Unsent[] = []
  let inTransaction = false

  const nameOf = (text: string): string => {
    const known = names.get(text)
    if (known !== undefined) return known
    const name = `rollcall_${names.size + 1}`
    names.set(text, name)
    return name
  }
  const add = (text: string, params: readonly unknown[]): Unsent => {
    const one: Unsent = { asked: { text, name: nameOf(text), params }, said: null }
    unsent.push(one)
    return one
  }
  /** Sends what was put off. Throws the first no. */
  const send = (): void => {
    const sent = unsent
    unsent = []
    if (sent.length === 0) return
    const said = bridge.ask(sent.map(({ asked }) => asked))
    for (const [at, one] of sent.entries()) one.said = said[at] ?? null
    const no = said.find((one) => !one.ok)
    if (no === undefined || no.ok) return
    if (said.some((one) => !one.ok && one.lost)) {
      inTransaction = false
      throw new ConnectionLost(no.code, no.message)
    }
    const of = sent[said.indexOf(no)]?.asked.text.slice(0, TOLD_CHARACTERS) ?? ''
    throw new PostgresRefused(no.code, `${no.message} (${of})`)
  }
  const answerOf = (one: Unsent): BridgeResponse & { readonly ok: true } => {
    if (one.said === null) send()
    if (one.said?.ok === true) return one.said
    throw new PostgresRefused(one.said?.code ?? '', one.said?.message ?? 'it was not sent')
  }

  const begin = (isAgain = false): void => {
    inTransaction = true
    for (const text of begins) add(text, [])
    if (!isWaitedFor) return
    try {
      // Whoever cannot begin is told so here, where nothing was done yet.
      send()
    } catch (error) {
      if (isAgain || !(error instanceof ConnectionLost)) throw error
      begin(true)
    }
  }
  const commit = (): void => {
    add('COMMIT', [])
    send()
    inTransaction = false
  }
  /** A transaction whose connection is lost is undone too. */
  const rollBack = (): void => {
    abandon()
    if (inTransaction) {
      add('ROLLBACK', [])
      abandon()
    }
    inTransaction = false
  }
  /** What was put off is undone anyway; what was sent may have failed. */
  const abandon = (): void => {
    try {
      send()
    } catch {
      // It is what is given up.
    }
  }

  const control = (text: string): (() => void) | null => {
    if (text.startsWith('BEGIN')) return () => begin()
    if (text === 'COMMIT') return commit
    if (text === 'ROLLBACK') return rollBack
    if (text.startsWith('ROLLBACK TO'))
      return () => {
        abandon()
        add(text, [])
      }
    if (text.startsWith('RELEASE'))
      return () => {
        add(text, [])
        send()
      }
    return text.startsWith('PRAGMA') ? () => {} : null
  }

  const cached = <Row>(text: string): Statement<Row> => {
    const known = statements.get(text)
    if (known !== undefined) return known as Statement<Row>
    const made = statementOf<Row>(text)
    statements.set(text, made as Statement<unknown>)
    return made
  }
  const sql: Sql = Object.assign(cached, { searching: SEARCHING })
  return {
    sql,
    get inTransaction() {
      return inTransaction
    },
    plain(text) {
      unsent.push({ asked: { text, name: '', params: [] }, said: null })
      send()
    },
    close: () => bridge.close(),
  }

  function statementOf<Row>(text: string): Statement<Row> {
    const does = control(text)
    if (does !== null) return controlling(does)
    const written = inPostgres(text)
    const all = (...params: unknown[]): Row[] => {
      const one = add(written.text, bound(written, params))
      send()
      return rowsOf<Row>(answerOf(one))
    }
    return {
      all,
      get: (...params) => all(...params)[0],
      run: (...params) => {
        const one = add(written.text, bound(written, params))
        if (unsent.length >= UNSENT_MAX) send()
        return ranOf(() => answerOf(one))
      },
    }
  }
}

/** Words are indexed with the rows that they are of. */
const SEARCHING: Searching = {
  isBehind: false,
  matching: (terms) => ({
    where: terms.map(() => 'search_index.words LIKE lower(?)').join(' AND '),
    params: terms.map((term) => `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`),
  }),
}

function ranOf(answer: () => BridgeResponse & { readonly ok: true }): Ran {
  return {
    get changes() {
      return answer().changes
    },
    get lastInsertRowid() {
      return Number(answer().rows.at(-1)?.[0])
    },
  }
}

function controlling<Row>(does: () => void): Statement<Row> {
  return {
    all: () => {
      does()
      return []
    },
    get: () => {
      does()
      return undefined
    },
    run: () => {
      does()
      return { changes: 0, lastInsertRowid: 0 }
    },
  }
}

function bound({ names, bytes }: Written, params: readonly unknown[]): readonly unknown[] {
  const inOrder =
    names === null
      ? params
      : names.map((name) => (params[0] as Readonly<Record<string, unknown>>)[name])
  return inOrder.map((param, at) =>
    typeof param !== 'string' ? param : at === bytes ? Buffer.from(param) : withoutNul(param),
  )
}

function rowsOf<Row>({ columns, rows }: BridgeResponse & { readonly ok: true }): Row[] {
  return rows.map(
    (row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])) as Row,
  )
}
