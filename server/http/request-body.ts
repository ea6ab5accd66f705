/** Reads a request body (JSON, multipart or form) within limits; files are written to disk on arrival. */
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Multipart } from '@fastify/multipart'
import { err, ok } from '../../engine/index.ts'
import type { Result } from '../../engine/index.ts'
import type { ReceivedFile, ReceiveRefusal, Uploads } from '../dependencies.ts'

export type SentFile = { readonly name: string; readonly file: ReceivedFile }
/**
 * Read own properties only (`getOwn`); a field called `__proto__` is an ordinary field. If a name is sent twice, the
 * last value counts.
 */
export type Body = {
  readonly values: Readonly<Record<string, unknown>>
  /** Received files by field; the caller stores or discards them. */
  readonly files: ReadonlyMap<string, SentFile>
}
export type BodyRefusal =
  | {
      readonly code:
        | 'too_large'
        | 'answers_too_large'
        | 'not_json'
        | 'too_deep'
        | 'not_an_object'
        | 'not_multipart'
        | 'unsupported_media_type'
        | 'cut_off'
        | 'no_room'
    }
  | { readonly code: 'file_too_large'; readonly field: string }
/** The maximum size of each field's file, in bytes. A file under any other name is read and discarded. */
export type FileLimits = ReadonlyMap<string, number>

/** Answers without files stay in memory until complete; our longest form has about 20 KB. */
const MAX_ANSWERS_BYTES = 256 * 1024
/** An answer is a string, a number or a list of these. */
export const MAX_NESTING = 32
/** Enough, because none of our forms has a thousand fields. */
const MAX_PARTS = 1000

/**
 * Reads the body of a request whose content type parser left the stream unread. If it is rejected, its files are
 * removed, and the rest is read and discarded, because a client may read the response only after sending everything.
 * Throws BodyAborted if the body is too slow or memory runs out.
 */
export async function readBody(
  request: FastifyRequest,
  limits: FileLimits,
  uploads: Pick<Uploads, 'receive' | 'discard'>,
): Promise<Result<Body, BodyRefusal>> {
  const media = getMediaType(request.headers)
  const stream = request.raw
  // An absent body is valid: the request has no answers.
  if (media === '' && (request.body === undefined || request.body === null))
    return ok({ values: createRecord(), files: NO_FILES })
  const readAnswers = async (parse: BodyParser): Promise<Result<Body, BodyRefusal>> => {
    const body = await request.server.bodies.read(stream, MAX_ANSWERS_BYTES)
    if (body.ok) return parse(body.value)
    return err({ code: body.error === 'too_large' ? 'answers_too_large' : body.error })
  }
  switch (media) {
    case 'application/json':
      return readAnswers(parseJson)
    case 'application/x-www-form-urlencoded':
      return readAnswers(parseForm)
    case MULTIPART_TYPE: {
      const maxFileBytes = [...limits.values()].reduce((sum, bytes) => sum + bytes, 0)
      if (Number(request.headers['content-length']) > MAX_ANSWERS_BYTES + maxFileBytes) {
        stream.resume()
        return err({ code: 'too_large' })
      }
      return parseMultipart(request, limits, uploads, maxFileBytes)
    }
    default:
      stream.resume()
      return err({ code: 'unsupported_media_type' })
  }
}

/** Media type of a multipart body, which only routes in the multipart scope can read. */
export const MULTIPART_TYPE = 'multipart/form-data'

/** Returns the media type of the body without parameters; '' if there is none. */
export function getMediaType(headers: FastifyRequest['headers']): string {
  const type = headers['content-type'] ?? ''
  return type.split(';')[0]?.trim().toLowerCase() ?? ''
}

type BodyParser = (bytes: Buffer) => Result<Body, BodyRefusal>

function parseJson(bytes: Buffer): Result<Body, BodyRefusal> {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    return err({ code: 'not_json' })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return err({ code: 'not_an_object' })
  // Serialising deeper values would overflow the stack.
  if (isDeeperThan(MAX_NESTING, value)) return err({ code: 'too_deep' })
  // JSON.parse creates own properties only, `__proto__` included.
  return ok({ values: value as Record<string, unknown>, files: NO_FILES })
}

/** Returns true if lists and objects are nested deeper than this. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner))
}

function parseForm(bytes: Buffer): Result<Body, BodyRefusal> {
  const values = createRecord()
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) values[name] = value
  return ok({ values, files: NO_FILES })
}

/** Reads fields and files in any order. Fields stay in memory until the last part has arrived; files go to disk. */
async function parseMultipart(
  request: FastifyRequest,
  limits: FileLimits,
  uploads: Pick<Uploads, 'receive' | 'discard'>,
  maxFileBytes: number,
): Promise<Result<Body, BodyRefusal>> {
  const { raw } = request
  // A disconnected client sends nothing more, and the parser would wait for it.
  if (raw.destroyed) return err({ code: 'cut_off' })
  const values = createRecord()
  const files = new Map<string, SentFile>()
  const discard = async (field: string): Promise<void> => {
    const sentFile = files.get(field)
    files.delete(field)
    if (sentFile !== undefined) await uploads.discard(sentFile.file)
  }
  const reservation = request.server.bodies.reserve()
  const rejectOnAbort = <T>(operation: Promise<T>): Promise<T> =>
    Promise.race([operation, reservation.aborted])
  let fileStream: Readable | null = null
  raw.on('data', (chunk: Buffer) => reservation.countReceived(chunk.length, fileStream === null))
  let isComplete = false
  try {
    const parts = request.parts(MULTIPART_OPTIONS)
    let answerBytesLeft = MAX_ANSWERS_BYTES
    let fileBytesLeft = maxFileBytes
    for (;;) {
      const partResult = await rejectOnAbort(readNextPart(parts, raw))
      if (!partResult.ok) return partResult
      const part = partResult.value
      if (part === null) {
        isComplete = true
        return ok({ values, files })
      }
      const name = decodeName(part.fieldname)
      const limit = limits.get(name)
      if (part.type === 'field') {
        if (part.valueTruncated) return err({ code: 'answers_too_large' })
        if (isDeeperThan(MAX_NESTING, part.value)) return err({ code: 'too_deep' })
        answerBytesLeft -= countBytes(part.value)
        values[name] = part.value
      } else {
        fileStream = part.file
        if (limit === undefined) {
          const discardResult = await rejectOnAbort(
            discardFile(part.file, answerBytesLeft + fileBytesLeft),
          )
          if (!discardResult.ok) return err({ code: discardResult.error })
          fileBytesLeft -= discardResult.value
        } else {
          const receivedFile = await rejectOnAbort(uploads.receive(part.file, limit))
          if (!receivedFile.ok)
            return receivedFile.error === 'too_large'
              ? err({ code: 'file_too_large', field: name })
              : err({ code: receivedFile.error })
          const file = receivedFile.value
          fileBytesLeft -= file.bytes
          // An empty file input is sent as a file without a name or content.
          if (part.filename === '' && file.bytes === 0) await uploads.discard(file)
          else {
            await discard(name)
            files.set(name, { name: decodeName(part.filename), file })
          }
        }
        fileStream = null
      }
      if (answerBytesLeft < 0) return err({ code: 'answers_too_large' })
      if (answerBytesLeft + fileBytesLeft < 0) return err({ code: 'too_large' })
    }
  } finally {
    reservation.end()
    if (!isComplete) {
      raw.unpipe()
      raw.resume()
      // Stops the write to disk, which then removes its file.
      fileStream?.destroy(new Error('aborted'))
      for (const field of files.keys()) await discard(field)
    }
  }
}

/** Returns the size of a part in bytes; a part that is declared as JSON is not a string. */
function countBytes(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Reads a file that no field expects; returns its length. */
async function discardFile(
  content: Readable,
  maxBytes: number,
): Promise<Result<number, ReceiveRefusal>> {
  let bytes = 0
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) return err('too_large')
    }
    return ok(bytes)
  } catch {
    return err('cut_off')
  }
}

const MULTIPART_OPTIONS = {
  throwFileSizeLimit: false,
  // A text part may be declared as bytes; a part without a file name is an answer.
  isPartAFile: (_field: string | undefined, _type: string | undefined, name: string | undefined) =>
    name !== undefined,
  limits: {
    // File sizes are checked while writing, each against the limit of its field.
    fileSize: Infinity,
    fieldSize: MAX_ANSWERS_BYTES,
    parts: MAX_PARTS,
  },
}

/** Returns the next field or file; null after the last one. */
async function readNextPart(
  parts: AsyncIterator<Multipart>,
  raw: Readable,
): Promise<Result<Multipart | null, BodyRefusal>> {
  try {
    const { value, done } = await parts.next()
    return ok(done === true ? null : value)
  } catch (error) {
    const { code } = error as { readonly code?: string }
    switch (code) {
      case 'FST_PARTS_LIMIT':
        return err({ code: 'too_large' })
      case 'FST_MP_PREMATURE_CLOSE':
        return err({ code: 'cut_off' })
      // Reported only after everything else was read, because the parser drops names like `constructor`, which our
      // fields never have.
      case 'FST_PROTO_VIOLATION':
        return raw.readableAborted ? err({ code: 'cut_off' }) : ok(null)
      default:
        return err({ code: raw.readableAborted ? 'cut_off' : 'not_multipart' })
    }
  }
}

/** Browsers escape these three characters in the names of fields and files; the parser does not decode them. */
function decodeName(text: string): string {
  return text.replace(/%0A/gi, '\n').replace(/%0D/gi, '\r').replace(/%22/g, '"')
}

const NO_FILES: ReadonlyMap<string, SentFile> = new Map()

/** Creates an object without a prototype, so that every name is an ordinary key. */
function createRecord(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>
}
