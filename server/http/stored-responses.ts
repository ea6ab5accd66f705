/**
 * Caches responses that are the same for every visitor. Each is compressed once, and has a strong ETag, so a browser
 * that already has the response gets 304.
 */
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Instant } from '../../engine/index.ts'
import type { EventRegistry } from '../dependencies.ts'
import { chooseEncoding, compressOnce, decompress } from './compression.ts'
import type { Encoding } from './compression.ts'

/** Enough for some five hundred forms in two encodings, of about 30 KB each. */
const MAX_CACHE_BYTES = 32 * 1024 * 1024
const ETAG_CHARS = 22

export type HeaderList = readonly (readonly [name: string, value: string])[]
type Variant = {
  readonly etag: string
  /** Alternating names and values, as `writeHead` accepts them. */
  readonly headers: readonly string[]
  readonly unchangedHeaders: readonly string[]
  readonly body: Buffer
}
export type StoredResponse = Readonly<Record<Encoding | 'identity', Variant>>

/** `isFinal` is false if the next visitor may get a better response; this one is then not cached. */
export type BuiltResponse = {
  readonly text: string
  readonly type: string
  readonly headers: HeaderList
  /** By default, browsers revalidate the response on every use. */
  readonly cacheControl?: string
  readonly isFinal?: boolean
}

export type StoredResponses = {
  /**
   * Returns the response with this key, or builds it. `validSince` is the instant from which it is valid. All
   * responses are dropped when the events or this instant change.
   */
  readonly get: (
    validSince: Instant,
    key: string,
    make: () => Promise<BuiltResponse> | BuiltResponse,
  ) => StoredResponse | Promise<StoredResponse>
}

export function openStoredResponses(
  events: Pick<EventRegistry, 'onChange'>,
  maxBytes = MAX_CACHE_BYTES,
): StoredResponses {
  let cachedSince: Instant | null = null
  let storedResponses = new Map<string, StoredResponse>()
  let pending = new Map<string, Promise<StoredResponse>>()
  let bytes = 0
  const storeResponse = (key: string, response: StoredResponse): void => {
    storedResponses.set(key, response)
    bytes += measureSize(response)
    for (const [oldestKey, oldestResponse] of storedResponses) {
      if (bytes <= maxBytes) return
      storedResponses.delete(oldestKey)
      bytes -= measureSize(oldestResponse)
    }
  }
  const startBuild = (
    key: string,
    make: () => Promise<BuiltResponse> | BuiltResponse,
  ): Promise<StoredResponse> => {
    const pendingBuilds = pending
    const cacheAtStart = storedResponses
    const runningBuild = (async () => {
      try {
        const newResponse = await make()
        const response = await prepareResponse(newResponse)
        if (newResponse.isFinal !== false && cacheAtStart === storedResponses)
          storeResponse(key, response)
        return response
      } finally {
        pendingBuilds.delete(key)
      }
    })()
    pendingBuilds.set(key, runningBuild)
    return runningBuild
  }
  const clear = (): void => {
    storedResponses = new Map()
    pending = new Map()
    bytes = 0
  }
  events.onChange(clear)
  return {
    get: (validSince, key, make) => {
      if (validSince !== cachedSince) {
        cachedSince = validSince
        clear()
      }
      const response = storedResponses.get(key)
      if (response === undefined) return pending.get(key) ?? startBuild(key, make)
      // Moves the response to the end, because the least recently requested ones are dropped first.
      if (bytes > maxBytes / 2) {
        storedResponses.delete(key)
        storedResponses.set(key, response)
      }
      return response
    },
  }
}

const measureSize = ({ br, gzip, identity }: StoredResponse): number =>
  br.body.length + gzip.body.length + 2 * identity.headers.join('').length

async function prepareResponse({
  text,
  type,
  headers,
  cacheControl = 'no-cache',
}: BuiltResponse): Promise<StoredResponse> {
  const bodies = await compressOnce(text)
  // The hash includes the headers, because a browser keeps the old headers after a 304.
  const hash = computeHash(JSON.stringify([type, cacheControl, headers]), text)
  const createVariant = (name: Encoding | 'identity', body: Buffer, length: number): Variant => {
    const etag = `"${hash}-${name}"`
    const commonHeaders = ['etag', etag, 'cache-control', cacheControl, 'vary', 'accept-encoding']
    return {
      etag,
      headers: [
        ...headers.flat(),
        ...commonHeaders,
        ...(name === 'identity' ? [] : ['content-encoding', name]),
        'content-type',
        type,
        'content-length',
        String(length),
      ],
      unchangedHeaders: [...headers.flat(), ...commonHeaders],
      body,
    }
  }
  return {
    br: createVariant('br', bodies.br, bodies.br.length),
    gzip: createVariant('gzip', bodies.gzip, bodies.gzip.length),
    identity: createVariant('identity', bodies.gzip, Buffer.byteLength(text)),
  }
}

/** Writes the response directly, because the framework would process each header again for every visitor. */
export function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  stored: StoredResponse,
): FastifyReply {
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  const { etag, headers, unchangedHeaders, body } = stored[encoding ?? 'identity']
  const { raw } = reply.hijack()
  const ifNoneMatchHeader = request.headers['if-none-match']
  if (ifNoneMatchHeader !== undefined && isInBrowserCache(ifNoneMatchHeader, etag)) {
    raw.writeHead(304, unchangedHeaders as string[])
    raw.end()
  } else {
    raw.writeHead(200, headers as string[])
    raw.end(request.method === 'HEAD' ? undefined : encoding === null ? decompress(body) : body)
  }
  return reply
}

/** Sends a small response that is not stored, with the ETag of its content. */
export function sendWithTag(
  request: FastifyRequest,
  reply: FastifyReply,
  response: object,
): FastifyReply {
  const text = JSON.stringify(response)
  const etag = `"${computeHash(text)}"`
  const ifNoneMatchHeader = request.headers['if-none-match']
  void reply.header('etag', etag)
  return ifNoneMatchHeader !== undefined && isInBrowserCache(ifNoneMatchHeader, etag)
    ? reply.code(304).send()
    : reply.type('application/json; charset=utf-8').send(text)
}

const computeHash = (...texts: readonly string[]): string =>
  createHash('sha256').update(texts.join('\n')).digest('base64url').slice(0, ETAG_CHARS)

/** Returns true if a browser has this version; a proxy may have marked its tag as weak. */
const isInBrowserCache = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch === etag ||
  ifNoneMatch
    .split(',')
    .some((etagText) => ['*', etag].includes(etagText.trim().replace(/^W\//, '')))
