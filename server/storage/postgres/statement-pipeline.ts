/**
 * Sends several statements to PostgreSQL as one pipeline.
 * The server answers all of them before anybody waits, and executes none after a failure. `pg` passes its
 * connection, and the server's answers, to the submitted object.
 */
import type pg from 'pg'
import type { BridgeRequest, BridgeResponse } from './synchronous-bridge.ts'

/** What is used of a connection of `pg`, whose types leave most of it out. */
type Wire = {
  readonly stream: { cork(): void; uncork(): void }
  parse(statement: { name: string; text: string; types: readonly number[] }): void
  bind(bound: { statement: string; values: readonly (string | Buffer | null)[] }): void
  describe(what: { type: 'P'; name: string }): void
  execute(what: { portal: string; rows: number }): void
  sync(): void
  on(is: 'parseComplete', call: () => void): void
  off(is: 'parseComplete', call: () => void): void
}
type Parser = (text: string) => unknown
type Shape = { readonly columns: readonly string[]; readonly parsers: readonly (Parser | null)[] }
/**
 * The statements that a connection has prepared, by name, with their row descriptions; null: it failed before
 * describing them.
 */
export type Prepared = Map<string, Shape | null>

const whole = (text: string): number => {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is no number to count with`)
  return number
}
/** Whole numbers are numbers, whatever PostgreSQL calls them; yes and no are 1 and 0, as in SQLite; anything else is text. */
const PARSERS: Readonly<Record<number, Parser>> = {
  16: (text) => (text === 't' ? 1 : 0),
  17: (text) => Buffer.from(text.slice(2), 'hex').toString(),
  20: whole,
  21: whole,
  23: whole,
  26: whole,
  1700: whole,
}
const NO_ROWS: Shape = { columns: [], parsers: [] }
/** It was not done, because one before it was not. */
const NOT_DONE: BridgeResponse = {
  ok: false,
  code: '25P02',
  message: 'it was not done',
  lost: false,
}

export class Asking implements pg.Submittable {
  readonly #asked: readonly BridgeRequest[]
  readonly #prepared: Prepared
  readonly #done: (said: readonly BridgeResponse[]) => void
  readonly #said: BridgeResponse[] = []
  /** Names of what is being prepared, in their order; '' is prepared anew each time. */
  readonly #parsing: string[] = []
  #rows: unknown[][] = []
  #shape: Shape = NO_ROWS
  #leave = (): void => {}

  constructor(
    asked: readonly BridgeRequest[],
    prepared: Prepared,
    done: (said: readonly BridgeResponse[]) => void,
  ) {
    this.#asked = asked
    this.#prepared = prepared
    this.#done = done
  }

  submit(connection: unknown): void {
    const wire = connection as Wire
    const parsed = (): void => {
      const name = this.#parsing.shift()
      if (name !== undefined && name !== '') this.#prepared.set(name, null)
      this.#shape = NO_ROWS
    }
    wire.on('parseComplete', parsed)
    this.#leave = () => wire.off('parseComplete', parsed)
    wire.stream.cork()
    for (const { text, name, params } of this.#asked) {
      const isParsed = name !== '' && (this.#prepared.has(name) || this.#parsing.includes(name))
      const isDescribed = isParsed && this.#prepared.get(name) !== null
      if (!isParsed) {
        this.#parsing.push(name)
        wire.parse({ name, text, types: [] })
      }
      wire.bind({ statement: name, values: params.map(valueOf) })
      if (!isDescribed) wire.describe({ type: 'P', name: '' })
      wire.execute({ portal: '', rows: 0 })
    }
    wire.sync()
    wire.stream.uncork()
    this.#next()
  }

  /** What the rows of the statement look like that is answered now. */
  #next(): void {
    this.#rows = []
    this.#shape = this.#prepared.get(this.#asked[this.#said.length]?.name ?? '') ?? NO_ROWS
  }

  handleRowDescription({
    fields,
  }: {
    readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
  }): void {
    this.#shape = {
      columns: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => PARSERS[dataTypeID] ?? null),
    }
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { parsers } = this.#shape
    this.#rows.push(
      fields.map((text, at) => {
        const parse = parsers[at] ?? null
        return text === null || parse === null ? text : parse(text)
      }),
    )
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const asked = this.#asked[this.#said.length]
    if (asked !== undefined && asked.name !== '') this.#prepared.set(asked.name, this.#shape)
    // A transaction of which a part has failed is undone when it is to be committed, and that is called no error.
    this.#said.push(
      asked?.text === 'COMMIT' && text !== 'COMMIT'
        ? { ok: false, code: '25P02', message: 'the transaction was undone', lost: false }
        : {
            ok: true,
            columns: this.#shape.columns,
            rows: this.#rows,
            changes: Number(/\d+$/.exec(text)?.[0] ?? 0),
          },
    )
    this.#next()
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  handlePortalSuspended(): void {
    // Never: all rows are asked for.
  }

  handleReadyForQuery(): void {
    this.#end(NOT_DONE)
  }

  handleError(error: Error): void {
    const no = notSaid(error)
    this.#said.push(no)
    this.#end(no.lost ? no : NOT_DONE)
  }

  #end(rest: BridgeResponse): void {
    this.#leave()
    while (this.#said.length < this.#asked.length) this.#said.push(rest)
    this.#done(this.#said)
  }
}

function valueOf(param: unknown): string | Buffer | null {
  if (param === null || param === undefined) return null
  return param instanceof Uint8Array ? Buffer.from(param) : String(param)
}

/** Returns the server's error code, which every other error lacks: then the connection is lost. */
export function notSaid(error: unknown): BridgeResponse & { readonly ok: false } {
  const message = error instanceof Error ? error.message : String(error)
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown }
  return typeof severity === 'string' && typeof code === 'string'
    ? { ok: false, code, message, lost: severity === 'FATAL' || severity === 'PANIC' }
    : { ok: false, code: '', message, lost: true }
}
