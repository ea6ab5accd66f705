/** Draws a QR code as a PNG image with one bit per pixel, a few hundred bytes long. */
import { crc32, deflateSync } from 'node:zlib'
import { encode } from 'uqr'
import { QR_CODE_OPTIONS } from '../../engine/messages.ts'

/** Any other width would blur the edges of the modules on a screen. */
const PIXELS_PER_MODULE = 10
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/**
 * The part of the header after width and height: one bit per pixel, greyscale, the standard methods, no interlacing.
 */
const FORMAT = [1, 0, 0, 0, 0]
const ALL_WHITE = 0xff
const FIRST_PIXEL = 0x80

export function drawQrCode(text: string): Buffer {
  const { data: modules, size } = encode(text, QR_CODE_OPTIONS)
  const width = size * PIXELS_PER_MODULE
  const header = Buffer.alloc(8 + FORMAT.length)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(width, 4)
  header.set(FORMAT, 8)
  const lines = modules.flatMap((row) => {
    const line = drawLine(row, width)
    return Array.from({ length: PIXELS_PER_MODULE }, () => line)
  })
  return Buffer.concat([
    SIGNATURE,
    buildChunk('IHDR', header),
    buildChunk('IDAT', deflateSync(Buffer.concat(lines))),
    buildChunk('IEND', Buffer.alloc(0)),
  ])
}

/** Draws a line of pixels, preceded by the byte that states its filter (none). */
function drawLine(row: readonly boolean[], width: number): Buffer {
  const line = Buffer.alloc(1 + Math.ceil(width / 8), ALL_WHITE)
  line[0] = 0
  for (let pixel = 0; pixel < width; pixel += 1) {
    const at = 1 + (pixel >> 3)
    if (row[Math.floor(pixel / PIXELS_PER_MODULE)] === true)
      line[at] = (line[at] ?? 0) & ~(FIRST_PIXEL >> (pixel & 7))
  }
  return line
}

function buildChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(content.length, 0)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), 4 + body.length)
  return chunk
}
