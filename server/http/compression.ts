/** Compresses responses with the methods that browsers accept. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gunzipSync, gzip } from 'node:zlib'

/**
 * At this level, compressing a form takes 10 ms. At the maximum, the form's first visitor would wait 250 ms to save
 * a tenth (2 KB); the levels in between save less than two percent.
 */
const BROTLI_QUALITY = 5
const GZIP_LEVEL = 6
/** Limits the cache, because a client could otherwise fill the memory with many different headers. */
const MAX_CACHED_HEADERS = 100

export type Encoding = 'br' | 'gzip'
const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

const COMPRESSORS = {
  br: (text: string) =>
    compressBrotli(text, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
      },
    }),
  gzip: (text: string) => compressGzip(text, { level: GZIP_LEVEL }),
}

/** Compresses a string for a request with this `accept-encoding` header; without the header, it stays uncompressed. */
export async function compress(
  text: string,
  acceptEncoding: string | readonly string[] | undefined,
): Promise<{ readonly encoding: Encoding | null; readonly body: Buffer | string }> {
  const encoding = chooseEncoding(acceptEncoding)
  return { encoding, body: encoding === null ? text : await COMPRESSORS[encoding](text) }
}

/** Compresses a string that is stored and sent often. */
export async function compressOnce(text: string): Promise<Readonly<Record<Encoding, Buffer>>> {
  const [brotliBody, gzipBody] = await Promise.all([COMPRESSORS.br(text), COMPRESSORS.gzip(text)])
  return { br: brotliBody, gzip: gzipBody }
}

/** Decompresses a body for the rare client that accepts no compression. */
export const decompress = (body: Buffer): Buffer => gunzipSync(body)

const encodingCache = new Map<string, Encoding | null>()

/** Returns the best encoding that the header accepts; null if it accepts none that the server supports. */
export function chooseEncoding(
  acceptEncoding: string | readonly string[] | undefined,
): Encoding | null {
  const header = String(acceptEncoding ?? '')
  const cachedEncoding = encodingCache.get(header)
  if (cachedEncoding !== undefined) return cachedEncoding
  const acceptedEncodings = parseEncodings(header)
  const encoding =
    (['br', 'gzip'] as const).find((encodingName) => acceptedEncodings.has(encodingName)) ?? null
  if (encodingCache.size >= MAX_CACHED_HEADERS) encodingCache.clear()
  encodingCache.set(header, encoding)
  return encoding
}

/** Returns the names in the header, except those with weight zero. */
const parseEncodings = (header: string): ReadonlySet<string> =>
  new Set(
    header.split(',').flatMap((part) => {
      const [name = '', ...weights] = part.split(';').map((piece) => piece.trim().toLowerCase())
      return weights.some((weight) => /^q=0(\.0*)?$/.test(weight)) ? [] : [name]
    }),
  )
