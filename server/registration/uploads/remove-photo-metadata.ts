/**
 * Removes metadata from photos: time, location, device and author.
 * The metadata is overwritten in place, so that no part of the image moves.
 */
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { openWindow } from './file-window.ts'
import type { FileWindow } from './file-window.ts'

/**
 * The number of bytes of an image that are in memory at a time: enough for efficient disk access, yet 64 concurrent
 * images need only 4 MB.
 */
const WINDOW_BYTES = 64 * 1024

/**
 * Removes the metadata from an image of `bytes` bytes that is open for reading and writing, and truncates data after
 * the image's end. Returns the hash (hex) and size of the result. Null if the file is unchanged; only JPEG, PNG and
 * WebP files are changed. Data after a corrupted part is left unchanged; this is not an error.
 */
export async function removeMetadata(
  file: FileHandle,
  bytes: number,
  mime: string,
  windowBytes: number = WINDOW_BYTES,
): Promise<{ readonly sha256: string; readonly bytes: number } | null> {
  const strip = FORMATS.get(mime)
  if (strip === undefined) return null
  const window = openWindow(file, bytes, windowBytes)
  const imageBytes = await strip(window)
  const wasWritten = await window.flush()
  if (imageBytes === bytes && !wasWritten) return null
  const hash = createHash('sha256')
  await window.forEachChunk(0, imageBytes, (chunk) => hash.update(chunk))
  if (imageBytes < bytes) await file.truncate(imageBytes)
  return { sha256: hash.digest('hex'), bytes: imageBytes }
}

/** The stripping functions by media type; each returns the number of bytes that belong to the image. */
const FORMATS: ReadonlyMap<string, (window: FileWindow) => Promise<number>> = new Map([
  ['image/jpeg', stripJpeg],
  ['image/png', stripPng],
  ['image/webp', stripWebp],
])

const overwriteChunk = (chunk: Buffer): void => {
  chunk.fill(0)
}

// ── JPEG: segments, each with a marker, a two-byte length and data ───────────────

const START_OF_SCAN = 0xda
const END_OF_IMAGE = 0xd9
const EXIF = 0xe1
const COMMENT = 0xfe
/** Application segments that a viewer needs for correct colours, by marker and prefix. */
const REQUIRED_SEGMENTS: Readonly<Record<number, string>> = {
  0xe0: 'JFIF\0',
  0xe2: 'ICC_PROFILE\0',
  0xee: 'Adobe',
}

async function stripJpeg(window: FileWindow): Promise<number> {
  for (let at = 2; ;) {
    const head = window.peek(at, 4) ?? (await window.read(at, 4))
    const marker = head[1] ?? 0
    if (head.length < 4 && marker !== END_OF_IMAGE) return window.bytes
    if (head[0] !== 0xff) return window.bytes
    // Phones append further images with separate metadata.
    if (marker === END_OF_IMAGE) return at + 2
    if (marker === 0xff) at = await window.findPair(at, 0xff, (next) => next !== 0xff)
    else if (hasNoData(marker)) at += 2
    else {
      const dataStart = at + 4
      const end = at + 2 + head.readUInt16BE(2)
      if (end < dataStart || end > window.bytes) return window.bytes
      if (await isMetadata(window, marker, dataStart, end))
        await overwrite(window, marker, dataStart, end)
      // End of the image data: within it, 0xff is followed by 0 or by a restart marker.
      at = marker === START_OF_SCAN ? await window.findPair(end, 0xff, isMarker) : end
    }
  }
}

/** Returns true for restart markers, the start of the image, and the temporary marker (TEM). */
const hasNoData = (marker: number): boolean => (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01

const isMarker = (second: number): boolean =>
  second !== 0 && second !== 0xff && !(second >= 0xd0 && second <= 0xd7)

async function isMetadata(
  window: FileWindow,
  marker: number,
  dataStart: number,
  end: number,
): Promise<boolean> {
  if (marker === COMMENT) return true
  if (marker < 0xe0 || marker > 0xef) return false
  const prefix = REQUIRED_SEGMENTS[marker]
  if (prefix === undefined) return true
  const actual = await window.read(dataStart, Math.min(prefix.length, end - dataStart))
  return actual.toString('latin1') !== prefix
}

/** Overwrites with zeros. Only the orientation of Exif data is kept, because viewers need it. */
async function overwrite(
  window: FileWindow,
  marker: number,
  dataStart: number,
  end: number,
): Promise<void> {
  const orientation = marker === EXIF ? await readOrientation(window, dataStart, end) : null
  await window.changeChunks(dataStart, end, overwriteChunk)
  if (orientation === null) return
  const exif = Buffer.alloc(MIN_EXIF_BYTES)
  exif.write('Exif\0\0MM\0*', 'latin1')
  exif.writeUInt32BE(8, 10)
  exif.writeUInt16BE(1, 14)
  exif.writeUInt16BE(ORIENTATION_TAG, 16)
  exif.writeUInt16BE(3, 18)
  exif.writeUInt32BE(1, 20)
  exif.writeUInt16BE(orientation, 24)
  await window.write(dataStart, exif)
}
const ORIENTATION_TAG = 0x0112
/** The header, one entry, and no further directory. */
const MIN_EXIF_BYTES = 32
const TIFF_HEAD_BYTES = 8
const ENTRY_BYTES = 12

/** Returns 2 to 8; null if there is no orientation, or if it means no rotation. */
async function readOrientation(
  window: FileWindow,
  dataStart: number,
  end: number,
): Promise<number | null> {
  if (end - dataStart < MIN_EXIF_BYTES) return null
  const tiff = dataStart + 6
  const head = await window.read(dataStart, 6 + TIFF_HEAD_BYTES)
  if (head.toString('latin1', 0, 6) !== 'Exif\0\0') return null
  const isLittle = head.toString('latin1', 6, 8) === 'II'
  const readUint16 = (bytes: Buffer, at: number): number =>
    isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)
  const directoryStart = tiff + (isLittle ? head.readUInt32LE(10) : head.readUInt32BE(10))
  if (directoryStart + 2 > end) return null
  const count = readUint16(await window.read(directoryStart, 2), 0)
  for (let index = 0; index < count; index += 1) {
    const at = directoryStart + 2 + index * ENTRY_BYTES
    if (at + ENTRY_BYTES > end) return null
    const entry = window.peek(at, ENTRY_BYTES) ?? (await window.read(at, ENTRY_BYTES))
    if (readUint16(entry, 0) !== ORIENTATION_TAG) continue
    const orientation = readUint16(entry, 8)
    return orientation >= 2 && orientation <= 8 ? orientation : null
  }
  return null
}

// ── PNG: chunks, each with a length, a name, data and a checksum ─────────────────

const PNG_HEAD_BYTES = 8
/** Ancillary chunks that affect rendering. */
const RENDERING_CHUNKS = new Set(
  'tRNS cHRM gAMA iCCP sBIT sRGB bKGD hIST pHYs sPLT cICP acTL fcTL fdAT'.split(' '),
)
/** A private ancillary chunk that every program skips. */
const IGNORED_CHUNK = 'vpAd'

async function stripPng(window: FileWindow): Promise<number> {
  for (let at = PNG_HEAD_BYTES; at + 12 <= window.bytes;) {
    const head = window.peek(at, 8) ?? (await window.read(at, 8))
    const dataStart = at + 8
    const checksum = dataStart + head.readUInt32BE()
    const end = checksum + 4
    if (end > window.bytes) return window.bytes
    const name = head.toString('latin1', 4)
    if (name === 'IEND') return end
    if (/^[a-z]/.test(name) && !RENDERING_CHUNKS.has(name)) {
      const chunkName = Buffer.from(IGNORED_CHUNK, 'latin1')
      let sum = crc32(chunkName)
      await window.write(at + 4, chunkName)
      await window.changeChunks(dataStart, checksum, (chunk) => {
        sum = crc32(chunk.fill(0), sum)
      })
      chunkName.writeUInt32BE(sum)
      await window.write(checksum, chunkName)
    }
    at = end
  }
  return window.bytes
}

// ── WebP: chunks in a RIFF container, each with a name and a length ──────────────

const RIFF_HEAD_BYTES = 12
/** Bits of the extended header: has Exif, has XMP. */
const HAS_METADATA = 0x0c

async function stripWebp(window: FileWindow): Promise<number> {
  const riff = await window.read(4, 4)
  const containerEnd = Math.min(window.bytes, riff.readUInt32LE() + 8)
  for (let at = RIFF_HEAD_BYTES; at + 8 <= containerEnd;) {
    const head = window.peek(at, 8) ?? (await window.read(at, 8))
    const name = head.toString('latin1', 0, 4)
    const dataStart = at + 8
    const length = head.readUInt32LE(4)
    if (dataStart + length > containerEnd) return containerEnd
    if (name === 'VP8X' && length > 0) {
      const flags = (await window.read(dataStart, 1)).readUInt8()
      if ((flags & HAS_METADATA) !== 0)
        await window.write(dataStart, Buffer.from([flags & ~HAS_METADATA]))
    }
    if (name === 'EXIF' || name === 'XMP ') {
      await window.write(at, Buffer.from('JUNK', 'latin1'))
      await window.changeChunks(dataStart, dataStart + length, overwriteChunk)
    }
    at = dataStart + length + (length % 2)
  }
  return containerEnd
}
