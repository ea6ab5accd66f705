/** Sends signed requests to S3-compatible object storage. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import http from 'node:http'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import type * as Xml from 'fast-xml-parser'
import { importLazily } from '../../ops/lazy-import.ts'
import { UploadsUnavailable } from '../database/store-busy-error.ts'
import { describeBucket } from './s3-bucket.ts'
import type { S3Bucket } from './s3-bucket.ts'
import type { StagedFile } from './upload-storage-types.ts'

/** Enough for ten megabytes over a slow connection. */
const MAX_PUT_MS = 60_000
const MAX_REQUEST_MS = 10_000
/** The number of attempts per request: storage under load rejects some requests, and closes idle connections. */
const MAX_ATTEMPTS = 3
const RETRY_MS = 200

const loadXmlParser = importLazily<typeof Xml>('fast-xml-parser')

export type S3Requests = {
  /** Streams the file. The storage verifies it against its hash. */
  putFile(key: string, file: StagedFile): Promise<void>
  putText(key: string, text: string): Promise<void>
  /** Returns null if there is no such object. */
  get(key: string): Promise<{ readonly bytes: number; readonly content: Readable } | null>
  /** Returns false if there is no such object. */
  copy(from: string, to: string): Promise<boolean>
  delete(key: string): Promise<void>
  /** Returns the keys with this prefix. Neither the prefix nor the keys include the prefix of UPLOADS_URL. */
  list(prefix: string): AsyncGenerator<string>
}

type Body = { readonly bytes: number; readonly sha256: string; open(): Readable }
type S3Request = {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Body
  readonly timeoutMs?: number
  /** A status other than 2xx that the caller handles. */
  readonly accepts?: number
}

const computeHash = (content: string): string => createHash('sha256').update(content).digest('hex')
const EMPTY_SHA256 = computeHash('')
const NO_RESPONSE = 'no response in time'
const HTTP_AGENT = new http.Agent({ keepAlive: true })
const SECURE_AGENT = new https.Agent({ keepAlive: true })

export function openS3Requests(bucket: S3Bucket): S3Requests {
  const send = (request: S3Request): Promise<IncomingMessage> => sendWithRetries(bucket, request)
  return {
    async putFile(key, { path, sha256, bytes }) {
      const body = { bytes, sha256, open: () => createReadStream(path) }
      await text(await send({ method: 'PUT', key, body, timeoutMs: MAX_PUT_MS }))
    },
    async putText(key, content) {
      const bytes = Buffer.from(content)
      const body = {
        bytes: bytes.length,
        sha256: computeHash(content),
        open: () => Readable.from([bytes]),
      }
      await text(await send({ method: 'PUT', key, body }))
    },
    async get(key) {
      const response = await send({ method: 'GET', key, accepts: 404 })
      if (response.statusCode === 404) {
        await throwUnlessMissingKey(bucket, response)
        return null
      }
      return { bytes: Number(response.headers['content-length']), content: response }
    },
    async copy(from, to) {
      const source = `/${bucket.name}/${bucket.prefix}${from}`
      const headers = { 'x-amz-copy-source': source }
      const response = await send({ method: 'PUT', key: to, headers, accepts: 404 })
      if (response.statusCode === 404) {
        await throwUnlessMissingKey(bucket, response)
        return false
      }
      // A long copy can fail after the response has started with status 200.
      const errorText = await text(response)
      if (errorText.includes('<Error>')) throw createFailure(bucket, readErrorCode(errorText))
      return true
    },
    async delete(key) {
      await text(await send({ method: 'DELETE', key }))
    },
    async *list(prefix) {
      for (let next: string | null = ''; next !== null;) {
        const query: Readonly<Record<string, string>> = {
          'list-type': '2',
          prefix: bucket.prefix + prefix,
          ...(next === '' ? {} : { 'continuation-token': next }),
        }
        const page = parsePage(await text(await send({ method: 'GET', query })))
        for (const key of page.keys) yield key.slice(bucket.prefix.length)
        next = page.next
      }
    },
  }
}

type Page = { readonly keys: readonly string[]; readonly next: string | null }
function parsePage(content: string): Page {
  const parser = new (loadXmlParser().XMLParser)({
    parseTagValue: false,
    isArray: (name) => name === 'Contents',
  })
  const { ListBucketResult: result } = parser.parse(content) as {
    readonly ListBucketResult?: {
      readonly Contents?: readonly { readonly Key: string }[]
      readonly NextContinuationToken?: string
    }
  }
  return {
    keys: (result?.Contents ?? []).map(({ Key }) => Key),
    next: result?.NextContinuationToken ?? null,
  }
}

async function sendWithRetries(bucket: S3Bucket, request: S3Request): Promise<IncomingMessage> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await sendOnce(bucket, request)
    if (typeof response !== 'string') {
      const { statusCode: status = 0 } = response
      if ((status >= 200 && status < 300) || status === request.accepts) return response
      const code = readErrorCode(await text(response)) || `status ${status}`
      const isTemporary = status >= 500
      if (!isTemporary || attempt === MAX_ATTEMPTS) throw createFailure(bucket, code)
    } else if (response === NO_RESPONSE || attempt === MAX_ATTEMPTS)
      throw createFailure(bucket, response)
    await pause(RETRY_MS * attempt)
  }
}

type SignedRequest = { readonly url: URL; readonly headers: Readonly<Record<string, string>> }
/** Signs a request. `datetime`: the time of the signature in Amazon's format; now if omitted. */
export async function signRequest(
  bucket: S3Bucket,
  { method, key, query = {}, headers = {}, body }: S3Request,
  datetime?: string,
): Promise<SignedRequest> {
  const path = key === undefined ? '/' : `/${bucket.prefix}${key}`
  const signer = new AwsV4Signer({
    method,
    url: `${bucket.url}${path}?${new URLSearchParams(query)}`,
    headers: { 'x-amz-content-sha256': body?.sha256 ?? EMPTY_SHA256, ...headers },
    accessKeyId: bucket.accessKeyId,
    secretAccessKey: bucket.secretAccessKey,
    ...(bucket.sessionToken === null ? {} : { sessionToken: bucket.sessionToken }),
    ...(datetime === undefined ? {} : { datetime }),
    service: 's3',
    region: bucket.region,
  })
  const signed = await signer.sign()
  return { url: signed.url, headers: Object.fromEntries(signed.headers) }
}

/**
 * Returns the response, or the reason why the storage did not respond. Does not use `fetch`, which reads the whole file
 * into memory before sending it.
 */
async function sendOnce(bucket: S3Bucket, request: S3Request): Promise<IncomingMessage | string> {
  const { method, body, timeoutMs = MAX_REQUEST_MS } = request
  const { url, headers } = await signRequest(bucket, request)
  const isEncrypted = url.protocol === 'https:'
  const { promise, resolve } = Promise.withResolvers<IncomingMessage | string>()
  const httpRequest = (isEncrypted ? https : http).request(url, {
    method,
    agent: isEncrypted ? SECURE_AGENT : HTTP_AGENT,
    headers: { ...headers, 'content-length': body?.bytes ?? 0 },
  })
  // The time limit applies only until the response begins, because a large file may take longer to read.
  const timer = setTimeout(() => httpRequest.destroy(new Error(NO_RESPONSE)), timeoutMs)
  httpRequest.on('response', resolve)
  httpRequest.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  if (body === undefined) httpRequest.end()
  else pipeline(body.open(), httpRequest).catch((error: unknown) => resolve(getReason(error)))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
  }
}

const getReason = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}

const createFailure = (bucket: S3Bucket, reason: string): UploadsUnavailable =>
  new UploadsUnavailable(`${describeBucket(bucket)}: ${reason}`)

const readErrorCode = (content: string): string => /<Code>(\w+)<\/Code>/.exec(content)?.[1] ?? ''

/** Throws if the bucket itself is missing, for which the storage also returns 404. */
async function throwUnlessMissingKey(bucket: S3Bucket, response: IncomingMessage): Promise<void> {
  const code = readErrorCode(await text(response))
  if (code === 'NoSuchBucket') throw createFailure(bucket, code)
}
