/** Compresses pages with the method that the browser accepts. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Half of brotli's maximum takes a few milliseconds, the maximum a hundred. */
const BROTLI_QUALITY = 5
const GZIP_LEVEL = 6

const COMPRESSORS = {
  br: (text: string) =>
    promisify(brotliCompress)(text, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
      },
    }),
  gzip: (text: string) => promisify(gzip)(text, { level: GZIP_LEVEL }),
}
type Encoding = keyof typeof COMPRESSORS

/** @param accepted the request's `accept-encoding`; without it the text stays uncompressed. */
export async function compress(
  text: string,
  accepted: string | readonly string[] | undefined,
): Promise<{ readonly encoding: Encoding | null; readonly body: Buffer | string }> {
  const acceptedEncodings = parseEncodings(String(accepted ?? ''))
  const encoding = (['br', 'gzip'] as const).find((each) => acceptedEncodings.has(each)) ?? null
  return { encoding, body: encoding === null ? text : await COMPRESSORS[encoding](text) }
}

/** Returns the names in the header, except those with weight zero. */
const parseEncodings = (header: string): ReadonlySet<string> =>
  new Set(
    header.split(',').flatMap((part) => {
      const [name = '', ...weights] = part.split(';').map((word) => word.trim().toLowerCase())
      return weights.some((weight) => /^q=0(\.0*)?$/.test(weight)) ? [] : [name]
    }),
  )
