/**
 * Pictures without what cameras and programs write beside them: where and when they were taken, with which
 * telephone, by whom. What was written is overwritten in place, so that nothing in the picture moves.
 */
import { crc32 } from 'node:zlib'

/** A picture's bytes, changed where they lie, and only as many as belong to it; as they are for any other type. */
export function withoutMetadata(bytes: Buffer, mime: string): Buffer {
  switch (mime) {
    case 'image/jpeg':
      return bareJpeg(bytes)
    case 'image/png':
      return barePng(bytes)
    case 'image/webp':
      return bareWebp(bytes)
    default:
      return bytes
  }
}

// ── JPEG: segments, each a marker, a length of two bytes and what it says ────────

const START_OF_SCAN = 0xda
const END_OF_IMAGE = 0xd9
const EXIF = 0xe1
const COMMENT = 0xfe
/** Segments of programs that a viewer needs to show the right colours, by marker and beginning. */
const NEEDED: Readonly<Record<number, string>> = {
  0xe0: 'JFIF\0',
  0xe2: 'ICC_PROFILE\0',
  0xee: 'Adobe',
}

function bareJpeg(bytes: Buffer): Buffer {
  for (let at = 2; at + 4 <= bytes.length || bytes[at + 1] === END_OF_IMAGE;) {
    const marker = bytes[at + 1] ?? 0
    if (bytes[at] !== 0xff) return bytes
    // Telephones append further pictures, with metadata of their own.
    if (marker === END_OF_IMAGE) return bytes.subarray(0, at + 2)
    if (marker === 0xff) at += 1
    else if (standsAlone(marker)) at += 2
    else {
      const end = at + 2 + bytes.readUInt16BE(at + 2)
      if (end < at + 4 || end > bytes.length) return bytes
      const said = bytes.subarray(at + 4, end)
      if (isBeside(marker, said)) overwrite(marker, said)
      at = marker === START_OF_SCAN ? nextMarker(bytes, end) : end
    }
  }
  return bytes
}

/** Restarts, the beginning of the image, and the marker that says nothing. */
const standsAlone = (marker: number): boolean =>
  (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01

function isBeside(marker: number, said: Buffer): boolean {
  if (marker === COMMENT) return true
  if (marker < 0xe0 || marker > 0xef) return false
  const needed = NEEDED[marker]
  return needed === undefined || !said.toString('latin1', 0, needed.length).startsWith(needed)
}

/** Where the drawn part ends: within it, 0xff is followed by 0 or by the number of a restart. */
function nextMarker(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at
  }
  return bytes.length
}

/** Zeros; of Exif the one thing stays that a viewer needs, which side is up. */
function overwrite(marker: number, said: Buffer): void {
  const turned = marker === EXIF ? orientationOf(said) : null
  said.fill(0)
  if (turned === null) return
  said.write('Exif\0\0MM\0*', 'latin1')
  said.writeUInt32BE(8, 10)
  said.writeUInt16BE(1, 14)
  said.writeUInt16BE(ORIENTATION, 16)
  said.writeUInt16BE(3, 18)
  said.writeUInt32BE(1, 20)
  said.writeUInt16BE(turned, 24)
}
const ORIENTATION = 0x0112
/** Head, one entry, and no further directory. */
const EXIF_BYTES_MIN = 32
const ENTRY_BYTES = 12

/** 2 to 8; null where there is none, or where it says that nothing is turned. */
function orientationOf(said: Buffer): number | null {
  if (said.length < EXIF_BYTES_MIN || said.toString('latin1', 0, 6) !== 'Exif\0\0') return null
  const tiff = said.subarray(6)
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const two = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const first = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (first + 2 > tiff.length) return null
  const count = two(first)
  for (let entry = 0; entry < count; entry += 1) {
    const at = first + 2 + entry * ENTRY_BYTES
    if (at + ENTRY_BYTES > tiff.length) return null
    if (two(at) !== ORIENTATION) continue
    const turned = two(at + 8)
    return turned >= 2 && turned <= 8 ? turned : null
  }
  return null
}

// ── PNG: chunks, each a length, a name, what it says, and a checksum ─────────────

const PNG_HEAD_BYTES = 8
/** Chunks that may be left out, and that a viewer draws by. */
const DRAWN_BY = new Set(
  'tRNS cHRM gAMA iCCP sBIT sRGB bKGD hIST pHYs sPLT cICP acTL fcTL fdAT'.split(' '),
)
/** A private chunk that may be left out: every program passes it over. */
const NOTHING_CHUNK = 'vpAd'

function barePng(bytes: Buffer): Buffer {
  for (let at = PNG_HEAD_BYTES; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at)
    const end = at + 12 + length
    if (end > bytes.length) return bytes
    const name = bytes.toString('latin1', at + 4, at + 8)
    if (name === 'IEND') return bytes.subarray(0, end)
    if (/^[a-z]/.test(name) && !DRAWN_BY.has(name)) {
      bytes.fill(0, at + 8, end - 4)
      bytes.write(NOTHING_CHUNK, at + 4, 'latin1')
      bytes.writeUInt32BE(crc32(bytes.subarray(at + 4, end - 4)), end - 4)
    }
    at = end
  }
  return bytes
}

// ── WebP: chunks in a RIFF, each a name and a length ─────────────────────────────

const RIFF_HEAD_BYTES = 12
/** Bits of the extended head: there is Exif, there is XMP. */
const HAS_METADATA = 0x0c

function bareWebp(bytes: Buffer): Buffer {
  const whole = bytes.subarray(0, Math.min(bytes.length, bytes.readUInt32LE(4) + 8))
  for (let at = RIFF_HEAD_BYTES; at + 8 <= whole.length;) {
    const name = whole.toString('latin1', at, at + 4)
    const length = whole.readUInt32LE(at + 4)
    if (at + 8 + length > whole.length) return whole
    if (name === 'VP8X' && length > 0) whole[at + 8] = (whole[at + 8] ?? 0) & ~HAS_METADATA
    if (name === 'EXIF' || name === 'XMP ') {
      whole.fill(0, at + 8, at + 8 + length)
      whole.write('JUNK', at, 'latin1')
    }
    at += 8 + length + (length % 2)
  }
  return whole
}
