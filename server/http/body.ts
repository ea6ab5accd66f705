/** Reads a request's body within limits: JSON, multipart or a posted form, all to one shape. */
import type { FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'

export type SentFile = { readonly name: string; readonly bytes: Buffer }
/** Read own properties only (`own`); a field called `__proto__` is one like any other. Of a name sent twice the last counts. */
export type Body = {
  readonly values: Readonly<Record<string, unknown>>
  readonly files: ReadonlyMap<string, SentFile>
}
export type BodyRefusal =
  | 'too_large'
  | 'not_json'
  | 'not_an_object'
  | 'not_multipart'
  | 'unsupported_media_type'
  | 'cut_off'

/** A body of a thousand fields is no form of ours. */
const fieldsMax = 1000

/**
 * The body of a request whose content type parser left the stream in `request.body`.
 * When it is too large the rest is read and thrown away, so that the sender, who may only look for
 * an answer once everything is sent, gets to see ours; the server's request timeout ends the patience.
 */
export async function readBody(
  request: FastifyRequest,
  limits: { readonly bytesMax: number },
): Promise<
  { readonly ok: true; readonly value: Body } | { readonly ok: false; readonly error: BodyRefusal }
> {
  const type = (request.headers['content-type'] ?? '').toLowerCase()
  const media = type.split(';')[0]?.trim() ?? ''
  const stream = request.body as Readable | null | undefined
  // No body at all says nothing wrong: no answers.
  if (media === '' && (stream === undefined || stream === null))
    return { ok: true, value: { values: record(), files: new Map() } }
  if (
    !(
      media === 'application/json' ||
      media === 'multipart/form-data' ||
      media === 'application/x-www-form-urlencoded'
    )
  ) {
    stream?.resume()
    return { ok: false, error: 'unsupported_media_type' }
  }
  const bytes =
    stream === undefined || stream === null
      ? Buffer.alloc(0)
      : await readBytes(stream, limits.bytesMax, Number(request.headers['content-length']))
  if (typeof bytes === 'string') return { ok: false, error: bytes }
  switch (media) {
    case 'application/json':
      return fromJson(bytes)
    case 'multipart/form-data':
      return fromMultipart(bytes, request.headers['content-type'] ?? '')
    default: {
      const values = record()
      for (const [name, value] of new URLSearchParams(bytes.toString('utf8')))
        put(values, name, value)
      return { ok: true, value: { values, files: new Map() } }
    }
  }
}

function readBytes(
  stream: Readable,
  bytesMax: number,
  announced: number,
): Promise<Buffer | 'too_large' | 'cut_off'> {
  if (announced > bytesMax) {
    stream.resume()
    return Promise.resolve('too_large')
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= bytesMax) chunks.push(chunk)
      else {
        chunks.length = 0
        resolve('too_large')
      }
    })
    stream.on('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    )
    stream.on('error', () => resolve('cut_off'))
    stream.on('close', () => resolve('cut_off'))
  })
}

function fromJson(
  bytes: Buffer,
): ReturnType<typeof fromMultipart> extends Promise<infer R> ? R : never {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    return { ok: false, error: 'not_json' }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { ok: false, error: 'not_an_object' }
  // JSON.parse makes own properties only, `__proto__` included.
  return { ok: true, value: { values: value as Record<string, unknown>, files: noFiles } }
}

async function fromMultipart(
  bytes: Buffer,
  type: string,
): Promise<
  { readonly ok: true; readonly value: Body } | { readonly ok: false; readonly error: BodyRefusal }
> {
  let form: FormData
  try {
    form = await new Response(new Uint8Array(bytes), {
      headers: { 'content-type': type },
    }).formData()
  } catch {
    return { ok: false, error: 'not_multipart' }
  }
  const values = record()
  const files = new Map<string, SentFile>()
  let fields = 0
  for (const [name, value] of form) {
    if (++fields > fieldsMax) return { ok: false, error: 'too_large' }
    if (typeof value === 'string') put(values, name, value)
    // A file input that was left empty is sent as a file without name and content.
    else if (value.name !== '' || value.size > 0) {
      files.set(name, { name: value.name, bytes: Buffer.from(await value.arrayBuffer()) })
    }
  }
  return { ok: true, value: { values, files } }
}

const noFiles: ReadonlyMap<string, SentFile> = new Map()

/** Without a prototype, so that no name means anything but itself. */
function record(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>
}
function put(values: Record<string, unknown>, name: string, value: unknown): void {
  values[name] = value
}
