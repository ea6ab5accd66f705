/**
 * Reads a request body (JSON, multipart or form) within limits; files are written to disk on arrival.
 */
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
  /** By field; the caller keeps or discards them. */
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
/** Maximum bytes of each field's file. A file under any other name is read and discarded. */
export type FileLimits = ReadonlyMap<string, number>

/** Answers without files are in memory until complete; our longest form has about 20 KB. */
const ANSWERS_BYTES_MAX = 256 * 1024
/** An answer is a text, a number or a list of them. */
export const NESTING_MAX = 32
/** None of our forms has a thousand fields. */
const PARTS_MAX = 1000

/**
 * Reads the body of a request whose content type parser left the stream unread. If it is refused, the rest is
 * read and discarded, because a client may look for a response only after sending everything. A refusal leaves no
 * file behind. Throws GivenUp for a body that never ends, or for which there is no memory.
 */
export async function readBody(
  request: FastifyRequest,
  limits: FileLimits,
  uploads: Pick<Uploads, 'receive' | 'discard'>,
): Promise<Result<Body, BodyRefusal>> {
  const media = mediaOf(request.headers)
  const stream = request.raw
  // No body at all is valid: there are no answers.
  if (media === '' && (request.body === undefined || request.body === null))
    return ok({ values: record(), files: NO_FILES })
  const answers = async (judge: Judge): Promise<Result<Body, BodyRefusal>> => {
    const read = await request.server.bodies.read(stream, ANSWERS_BYTES_MAX)
    if (read.ok) return judge(read.value)
    return err({ code: read.error === 'too_large' ? 'answers_too_large' : read.error })
  }
  switch (media) {
    case 'application/json':
      return answers(fromJson)
    case 'application/x-www-form-urlencoded':
      return answers(fromForm)
    case MULTIPART: {
      const filesBytesMax = [...limits.values()].reduce((sum, bytes) => sum + bytes, 0)
      if (Number(request.headers['content-length']) > ANSWERS_BYTES_MAX + filesBytesMax) {
        stream.resume()
        return err({ code: 'too_large' })
      }
      return fromMultipart(request, limits, uploads, filesBytesMax)
    }
    default:
      stream.resume()
      return err({ code: 'unsupported_media_type' })
  }
}

/** A multipart body: its route must be in the scope that can read them. */
export const MULTIPART = 'multipart/form-data'

/** Returns the media type of the body without parameters; '' if there is none. */
export function mediaOf(headers: FastifyRequest['headers']): string {
  const type = headers['content-type'] ?? ''
  return type.split(';')[0]?.trim().toLowerCase() ?? ''
}

type Judge = (bytes: Buffer) => Result<Body, BodyRefusal>

function fromJson(bytes: Buffer): Result<Body, BodyRefusal> {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    return err({ code: 'not_json' })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return err({ code: 'not_an_object' })
  // What writes it out again would run out of stack.
  if (isDeeperThan(NESTING_MAX, value)) return err({ code: 'too_deep' })
  // JSON.parse creates own properties only, `__proto__` included.
  return ok({ values: value as Record<string, unknown>, files: NO_FILES })
}

/** Returns true if lists and objects are nested deeper than this. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner))
}

function fromForm(bytes: Buffer): Result<Body, BodyRefusal> {
  const values = record()
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) values[name] = value
  return ok({ values, files: NO_FILES })
}

/**
 * Reads fields and files in any order. Fields stay in memory until the last part has arrived; files are on disk.
 */
async function fromMultipart(
  request: FastifyRequest,
  limits: FileLimits,
  uploads: Pick<Uploads, 'receive' | 'discard'>,
  filesBytesMax: number,
): Promise<Result<Body, BodyRefusal>> {
  const { raw } = request
  // A disconnected client sends nothing more, and the parser would wait for it.
  if (raw.destroyed) return err({ code: 'cut_off' })
  const values = record()
  const files = new Map<string, SentFile>()
  const discard = async (field: string): Promise<void> => {
    const sent = files.get(field)
    files.delete(field)
    if (sent !== undefined) await uploads.discard(sent.file)
  }
  const holding = request.server.bodies.hold()
  const unlessGivenUp = <T>(work: Promise<T>): Promise<T> => Promise.race([work, holding.givenUp])
  let onDisk: Readable | null = null
  raw.on('data', (piece: Buffer) => holding.came(piece.length, onDisk === null))
  let whole = false
  try {
    const parts = request.parts(OPTIONS)
    let answersLeft = ANSWERS_BYTES_MAX
    let filesLeft = filesBytesMax
    for (;;) {
      const next = await unlessGivenUp(nextOf(parts, raw))
      if (!next.ok) return next
      const part = next.value
      if (part === null) {
        whole = true
        return ok({ values, files })
      }
      const name = sentName(part.fieldname)
      const limit = limits.get(name)
      if (part.type === 'field') {
        if (part.valueTruncated) return err({ code: 'answers_too_large' })
        if (isDeeperThan(NESTING_MAX, part.value)) return err({ code: 'too_deep' })
        answersLeft -= bytesOf(part.value)
        values[name] = part.value
      } else {
        onDisk = part.file
        if (limit === undefined) {
          const passed = await unlessGivenUp(passOver(part.file, answersLeft + filesLeft))
          if (!passed.ok) return err({ code: passed.error })
          filesLeft -= passed.value
        } else {
          const received = await unlessGivenUp(uploads.receive(part.file, limit))
          if (!received.ok)
            return received.error === 'too_large'
              ? err({ code: 'file_too_large', field: name })
              : err({ code: received.error })
          const file = received.value
          filesLeft -= file.bytes
          // An empty file input is sent as a file without name and content.
          if (part.filename === '' && file.bytes === 0) await uploads.discard(file)
          else {
            await discard(name)
            files.set(name, { name: sentName(part.filename), file })
          }
        }
        onDisk = null
      }
      if (answersLeft < 0) return err({ code: 'answers_too_large' })
      if (answersLeft + filesLeft < 0) return err({ code: 'too_large' })
    }
  } finally {
    holding.end()
    if (!whole) {
      raw.unpipe()
      raw.resume()
      // Stops the write to disk, which then removes its file.
      onDisk?.destroy(new Error('given up'))
      for (const field of files.keys()) await discard(field)
    }
  }
}

/** A part may declare itself as JSON, and is then not a string. */
function bytesOf(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Reads a file that no field expects; returns its length. */
async function passOver(
  content: Readable,
  bytesMax: number,
): Promise<Result<number, ReceiveRefusal>> {
  let bytes = 0
  try {
    for await (const piece of content as AsyncIterable<Buffer>) {
      bytes += piece.length
      if (bytes > bytesMax) return err('too_large')
    }
    return ok(bytes)
  } catch {
    return err('cut_off')
  }
}

const OPTIONS = {
  throwFileSizeLimit: false,
  // A text part may declare itself as bytes; a part without a file name is an answer.
  isPartAFile: (_field: string | undefined, _type: string | undefined, name: string | undefined) =>
    name !== undefined,
  limits: {
    // File sizes are checked while writing, each by the limit of its field.
    fileSize: Infinity,
    fieldSize: ANSWERS_BYTES_MAX,
    parts: PARTS_MAX,
  },
}

/** Returns the next field or file; null after the last one. */
async function nextOf(
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
      // Reported at the end, after everything else was read: the parser drops names like `constructor`, which are
      // never our fields.
      case 'FST_PROTO_VIOLATION':
        return raw.readableAborted ? err({ code: 'cut_off' }) : ok(null)
      default:
        return err({ code: raw.readableAborted ? 'cut_off' : 'not_multipart' })
    }
  }
}

/** Browsers escape these three characters in the names of fields and files; the parser does not decode them. */
function sentName(text: string): string {
  return text.replace(/%0A/gi, '\n').replace(/%0D/gi, '\r').replace(/%22/g, '"')
}

const NO_FILES: ReadonlyMap<string, SentFile> = new Map()

/** Without a prototype, so that every name is an ordinary key. */
function record(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>
}
