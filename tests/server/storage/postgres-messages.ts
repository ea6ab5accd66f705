/** Reads PostgreSQL protocol messages (version 3) from a connection, for the delaying proxy. */

export type Message = {
  /**
   * The message's type byte. Empty for a connection's first messages, which have none.
   */
  readonly type: string
  /** The body, or its beginning if it is long. */
  readonly body: Buffer
  /**
   * The message's offset in the chunk that completed it. Negative if it began in an earlier one.
   */
  readonly start: number
}
export type MessageReader = {
  read(chunk: Buffer): readonly Message[]
  /** Announces that the next byte is the response to a TLS request, which is not a message. */
  expectTlsAnswer(): void
}

/** Of longer messages, only the beginning is stored. It contains the statement's name and first words. */
const MAX_STORED_BYTES = 2_048
const LENGTH_BYTES = 4
const TLS_REQUEST = 80_877_103
const GSS_REQUEST = 80_877_104
/** Protocol versions from 3.0, and below `MAX_VERSION`. */
const MIN_VERSION = 3 << 16
const MAX_VERSION = 4 << 16

/**
 * Creates a message reader. With `isClient`, it reads the messages from a client, whose first ones have no type byte.
 */
export function createMessageReader(isClient: boolean): MessageReader {
  let hasTypeByte = !isClient
  let storedBytes = Buffer.alloc(0)
  let bytesToSkip = 0
  let tlsAnswerCount = 0
  return {
    expectTlsAnswer: () => {
      tlsAnswerCount += 1
    },
    read(chunk) {
      const messages: Message[] = []
      let offset = 0
      while (offset < chunk.length) {
        if (tlsAnswerCount > 0) {
          if (chunk[offset] !== 'N'.charCodeAt(0)) throw new Error('the proxy does not read TLS')
          tlsAnswerCount -= 1
          offset += 1
          continue
        }
        if (bytesToSkip > 0) {
          const step = Math.min(bytesToSkip, chunk.length - offset)
          bytesToSkip -= step
          offset += step
          continue
        }
        const typeBytes = hasTypeByte ? 1 : 0
        const neededBytes = countNeededBytes(storedBytes, typeBytes)
        const step = Math.min(neededBytes - storedBytes.length, chunk.length - offset)
        storedBytes = Buffer.concat([storedBytes, chunk.subarray(offset, offset + step)])
        offset += step
        if (storedBytes.length < countNeededBytes(storedBytes, typeBytes)) continue
        const body = storedBytes.subarray(typeBytes + LENGTH_BYTES)
        messages.push({
          type: storedBytes.toString('latin1', 0, typeBytes),
          body,
          start: offset - storedBytes.length,
        })
        bytesToSkip = typeBytes + storedBytes.readInt32BE(typeBytes) - storedBytes.length
        storedBytes = Buffer.alloc(0)
        if (!hasTypeByte) hasTypeByte = isVersion(body.readInt32BE(0))
      }
      return messages
    },
  }
}

/** Returns how many bytes of a message must be read, judging by the bytes stored so far. */
function countNeededBytes(stored: Buffer, typeBytes: number): number {
  if (stored.length < typeBytes + LENGTH_BYTES) return typeBytes + LENGTH_BYTES
  return typeBytes + Math.min(stored.readInt32BE(typeBytes), MAX_STORED_BYTES)
}

const isVersion = (code: number): boolean => code >= MIN_VERSION && code < MAX_VERSION

export const isTlsRequest = ({ type, body }: Message): boolean =>
  type === '' && [TLS_REQUEST, GSS_REQUEST].includes(body.readInt32BE(0))

/** Splits a message body into its zero-terminated strings. */
const readTexts = (body: Buffer): readonly string[] => body.toString('utf8').split('\0')

export type StatementReader = {
  /** Returns the statement that a message runs. Null if it runs none. */
  readStatement(message: Message): string | null
}

/** Creates a reader that stores the text of prepared statements, and finds it when one is executed by name. */
export function createStatementReader(): StatementReader {
  const preparedTexts = new Map<string, string>()
  return {
    readStatement(message) {
      const [firstText = '', secondText = ''] = readTexts(message.body)
      if (message.type === 'Q') return firstText
      if (message.type === 'P') preparedTexts.set(firstText, secondText)
      return message.type === 'B' ? (preparedTexts.get(secondText) ?? secondText) : null
    },
  }
}

export const isCommit = (statement: string): boolean => /(^|;)\s*commit\b/i.test(statement)

/** Returns whether the server reports in this message that a transaction was committed. */
export const isCommitted = ({ type, body }: Message): boolean =>
  type === 'C' && readTexts(body)[0] === 'COMMIT'
