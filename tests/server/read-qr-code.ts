/** What a scanner reads. */
import jsQr from 'jsqr'
import { PNG } from 'pngjs'

/** The text of the QR code in a PNG; null: there is none that can be read. */
export function codeIn(png: Buffer): string | null {
  const { data, width, height } = PNG.sync.read(png)
  return jsQr.default(new Uint8ClampedArray(data), width, height)?.data ?? null
}

/** Whether every pixel is black or white: an edge between two squares that is neither costs a camera light. */
export function isSharp(png: Buffer): boolean {
  return PNG.sync.read(png).data.every((value) => value === 0 || value === 255)
}
