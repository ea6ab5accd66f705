/** Reads the messages of PostgreSQL's protocol (version 3) from the bytes of a connection, for the delaying proxy. */

export type Message = {
  /** The letter of the message; empty for the first ones of a connection, which have none. */
  readonly type: string
  /** The body, or its beginning if it is long. */
  readonly body: Buffer
  /** Where the message begins in the chunk that completed it; negative if it began in an earlier one. */
  readonly start: number
}
export type MessageReader = {
  read(chunk: Buffer): readonly Message[]
  /** The next byte is the answer to a request for TLS, which is no message. */
  expectTlsAnswer(): void
}

/** Of longer messages only the beginning is kept: a statement's name and first words are there. */
const KEPT_BYTES_MAX = 2_048
const LENGTH_BYTES = 4
const TLS_REQUEST = 80_877_103
const GSS_REQUEST = 80_877_104
/** Version 3.0 and later. */
const VERSION_MIN = 3 << 16
const VERSION_MAX = 4 << 16

/** `isClient`: reads what a client sends, which begins with messages that have no letter. */
export function createMessageReader(isClient: boolean): MessageReader {
  let hasLetters = !isClient
  let head = Buffer.alloc(0)
  let skipped = 0
  let tlsAnswers = 0
  return {
    expectTlsAnswer: () => {
      tlsAnswers += 1
    },
    read(chunk) {
      const messages: Message[] = []
      let at = 0
      while (at < chunk.length) {
        if (tlsAnswers > 0) {
          if (chunk[at] !== 'N'.charCodeAt(0)) throw new Error('the proxy does not read TLS')
          tlsAnswers -= 1
          at += 1
          continue
        }
        if (skipped > 0) {
          const step = Math.min(skipped, chunk.length - at)
          skipped -= step
          at += step
          continue
        }
        const letters = hasLetters ? 1 : 0
        const wanted = countWanted(head, letters)
        const step = Math.min(wanted - head.length, chunk.length - at)
        head = Buffer.concat([head, chunk.subarray(at, at + step)])
        at += step
        if (head.length < countWanted(head, letters)) continue
        const body = head.subarray(letters + LENGTH_BYTES)
        messages.push({
          type: head.toString('latin1', 0, letters),
          body,
          start: at - head.length,
        })
        skipped = letters + head.readInt32BE(letters) - head.length
        head = Buffer.alloc(0)
        if (!hasLetters) hasLetters = isVersion(body.readInt32BE(0))
      }
      return messages
    },
  }
}

/** How much of a message is needed, as far as its beginning says. */
function countWanted(head: Buffer, letters: number): number {
  if (head.length < letters + LENGTH_BYTES) return letters + LENGTH_BYTES
  return letters + Math.min(head.readInt32BE(letters), KEPT_BYTES_MAX)
}

const isVersion = (code: number): boolean => code >= VERSION_MIN && code < VERSION_MAX

export const isTlsRequest = ({ type, body }: Message): boolean =>
  type === '' && [TLS_REQUEST, GSS_REQUEST].includes(body.readInt32BE(0))

/** The texts before each zero byte. */
const readTexts = (body: Buffer): readonly string[] => body.toString('utf8').split('\0')

export type StatementReader = {
  /** The text of the statement that a message runs; null: it runs none. */
  statementOf(message: Message): string | null
}

/** Remembers the texts of prepared statements, so that a run by name has its text. */
export function createStatementReader(): StatementReader {
  const prepared = new Map<string, string>()
  return {
    statementOf(message) {
      const [first = '', second = ''] = readTexts(message.body)
      if (message.type === 'Q') return first
      if (message.type === 'P') prepared.set(first, second)
      return message.type === 'B' ? (prepared.get(second) ?? second) : null
    },
  }
}

export const isCommit = (statement: string): boolean => /(^|;)\s*commit\b/i.test(statement)

/** The server says that a transaction is committed. */
export const isCommitted = ({ type, body }: Message): boolean =>
  type === 'C' && readTexts(body)[0] === 'COMMIT'
