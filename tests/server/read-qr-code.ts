/** Reads QR codes as a scanner does. */
import jsQr from 'jsqr'
import { PNG } from 'pngjs'

/** Returns the text of the QR code in a PNG, or null if it contains no readable code. */
export function readQrCode(png: Buffer): string | null {
  const { data, width, height } = PNG.sync.read(png)
  return jsQr.default(new Uint8ClampedArray(data), width, height)?.data ?? null
}

/** Returns true if every pixel is black or white. Blurred edges make a code harder to scan. */
export function isSharp(png: Buffer): boolean {
  return PNG.sync.read(png).data.every((value) => value === 0 || value === 255)
}
