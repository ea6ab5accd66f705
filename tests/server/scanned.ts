/** What a scanner reads. */
import jsQr from 'jsqr'
import { PNG } from 'pngjs'

/** The text of the QR code in a PNG; null: there is none that can be read. */
export function codeIn(png: Buffer): string | null {
  const { data, width, height } = PNG.sync.read(png)
  return jsQr.default(new Uint8ClampedArray(data), width, height)?.data ?? null
}
