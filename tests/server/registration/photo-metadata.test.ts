/** Photo metadata (location, device, author) is removed from uploads. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { openWindow } from '../../../server/registration/uploads/file-window.ts'
import { removeMetadata } from '../../../server/registration/uploads/remove-photo-metadata.ts'
import { createPdf, createPng } from '../sample-uploads.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import { chooseRuns } from '../../runs.ts'

const SECRET = '10.0271N 76.3080E, Asha’s telephone'
const createSegment = (marker: number, content: Buffer): Buffer => {
  const segmentHeader = Buffer.from([0xff, marker, 0, 0])
  segmentHeader.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([segmentHeader, content])
}
/** Creates the Exif data of a phone photo, with its orientation and location. */
const createExif = (orientation: number): Buffer => {
  const tiff = Buffer.alloc(26)
  tiff.write('II*\0', 'latin1')
  tiff.writeUInt32LE(8, 4)
  tiff.writeUInt16LE(1, 8)
  tiff.writeUInt16LE(0x0112, 10)
  tiff.writeUInt16LE(3, 12)
  tiff.writeUInt32LE(1, 14)
  tiff.writeUInt16LE(orientation, 18)
  return Buffer.concat([Buffer.from('Exif\0\0'), tiff, Buffer.from(SECRET)])
}
const JFIF = createSegment(0xe0, Buffer.concat([Buffer.from('JFIF\0'), Buffer.alloc(9)]))
const ICC = createSegment(0xe2, Buffer.from('ICC_PROFILE\0the colours'))
const ADOBE = createSegment(0xee, Buffer.from('Adobe\0d'))
/** Image data with a restart marker and an escaped 0xff, in two scans, as in a progressive image. */
const IMAGE_DATA = Buffer.concat([
  createSegment(0xda, Buffer.from([1, 2, 3])),
  Buffer.from([5, 0xff, 0, 6, 0xff, 0xd0, 7]),
  createSegment(0xda, Buffer.from([1, 2, 3])),
  Buffer.from([8, 9]),
])
const createJpeg = (...segments: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    JFIF,
    ...segments,
    ICC,
    ADOBE,
    IMAGE_DATA,
    Buffer.from([0xff, 0xd9]),
  ])
const createPngChunk = (name: string, content: Buffer): Buffer => {
  const chunkData = Buffer.concat([Buffer.alloc(4), Buffer.from(name), content, Buffer.alloc(4)])
  chunkData.writeUInt32BE(content.length)
  chunkData.writeUInt32BE(crc32(chunkData.subarray(4, -4)), chunkData.length - 4)
  return chunkData
}
const createPngWith = (...segments: readonly Buffer[]): Buffer =>
  Buffer.concat([createPng().subarray(0, 33), ...segments, createPng().subarray(33)])
const createWebp = (): Buffer => {
  const createChunk = (name: string, content: Buffer): Buffer => {
    const chunkHeader = Buffer.alloc(8)
    chunkHeader.write(name)
    chunkHeader.writeUInt32LE(content.length, 4)
    return Buffer.concat([chunkHeader, content, Buffer.alloc(content.length % 2)])
  }
  const riffContent = Buffer.concat([
    Buffer.from('WEBP'),
    createChunk('VP8X', Buffer.from([0x1c, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    createChunk('VP8L', Buffer.from([0x2f, 0, 0, 0, 0])),
    createChunk('EXIF', Buffer.from(SECRET)),
    createChunk('XMP ', Buffer.from(SECRET)),
  ])
  const riffHeader = Buffer.alloc(8)
  riffHeader.write('RIFF')
  riffHeader.writeUInt32LE(riffContent.length, 4)
  return Buffer.concat([riffHeader, riffContent])
}

const folder = mkdtempSync(join(tmpdir(), 'rollcall-pictures-'))
afterAll(() => rmSync(folder, { recursive: true }))
/** Removes the metadata of a file. Returns the remaining bytes, after checking their reported hash and size. */
async function stripMetadata(
  bytes: Buffer,
  mime: string,
  ...windowBytes: readonly number[]
): Promise<Buffer> {
  const filePath = join(folder, 'picture')
  writeFileSync(filePath, bytes)
  const file = await open(filePath, 'r+')
  const content = await removeMetadata(file, bytes.length, mime, ...windowBytes)
  await file.close()
  const strippedBytes = readFileSync(filePath)
  if (content === null) expect(strippedBytes.equals(bytes)).toBe(true)
  else
    expect(content).toEqual({
      sha256: createHash('sha256').update(strippedBytes).digest('hex'),
      bytes: strippedBytes.length,
    })
  return strippedBytes
}

test('a JPEG keeps image, colours and orientation; location, device, comment and appended data are removed', async () => {
  const original = createJpeg(
    createSegment(0xe1, createExif(6)),
    createSegment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${SECRET}`)),
    createSegment(0xed, Buffer.from(`Photoshop 3.0\0${SECRET}`)),
    createSegment(0xfe, Buffer.from(SECRET)),
    createSegment(0xe2, Buffer.from(`MPF\0${SECRET}`)),
  )
  const result = await stripMetadata(
    Buffer.concat([original, createJpeg(createSegment(0xe1, createExif(1)))]),
    'image/jpeg',
  )
  expect(result).toHaveLength(original.length)
  expect(result.includes('Asha')).toBe(false)
  for (const keptSegment of [JFIF, ICC, ADOBE, IMAGE_DATA])
    expect(result.includes(keptSegment)).toBe(true)
  const orientation = result.indexOf('Exif\0\0MM\0*')
  expect(result.subarray(orientation + 16, orientation + 26).toString('hex')).toBe(
    '01120003000000010006',
  )
  expect((await stripMetadata(result, 'image/jpeg')).equals(result)).toBe(true)
})

test('a PNG keeps only its image, with correct checksums', async () => {
  const original = createPngWith(
    createPngChunk('tEXt', Buffer.from(SECRET)),
    createPngChunk('pHYs', Buffer.from('123456789')),
    createPngChunk('eXIf', Buffer.from(SECRET)),
  )
  const result = await stripMetadata(Buffer.concat([original, Buffer.from(SECRET)]), 'image/png')
  expect(result).toEqual(
    createPngWith(
      createPngChunk('vpAd', Buffer.alloc(Buffer.byteLength(SECRET))),
      createPngChunk('pHYs', Buffer.from('123456789')),
      createPngChunk('vpAd', Buffer.alloc(Buffer.byteLength(SECRET))),
    ),
  )
})

test('a WebP keeps only its image', async () => {
  const result = await stripMetadata(
    Buffer.concat([createWebp(), Buffer.from(SECRET)]),
    'image/webp',
  )
  expect(result).toHaveLength(createWebp().length)
  expect(result.includes('Asha')).toBe(false)
  expect(result[20]).toBe(0x10)
  expect(result.includes('VP8L')).toBe(true)
})

/** Large enough for every image in these tests. */
const WIDE_WINDOW_BYTES = 1024 * 1024

test.each([
  [
    'image/jpeg',
    createJpeg(createSegment(0xe1, createExif(6)), createSegment(0xfe, Buffer.from(SECRET))),
  ],
  [
    'image/png',
    createPngWith(
      createPngChunk('tEXt', Buffer.from(SECRET)),
      createPngChunk('pHYs', Buffer.from('123456789')),
    ),
  ],
  ['image/webp', createWebp()],
])(
  'a damaged %s never causes an exception, never grows, and gives the same result with any window size',
  async (mime, image) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(image.length - 1), fc.nat(255)), { maxLength: 6 }),
        fc.integer({ min: 12, max: image.length }),
        fc.constantFrom(2, 3, 7, 13, 33, 101),
        async (changes, length, windowBytes) => {
          const damagedImage = Buffer.from(image.subarray(0, length))
          for (const [at, value] of changes) if (at < length) damagedImage[at] = value
          const strippedImage = await stripMetadata(damagedImage, mime, WIDE_WINDOW_BYTES)
          expect(strippedImage.length).toBeLessThanOrEqual(length)
          expect((await stripMetadata(damagedImage, mime, windowBytes)).equals(strippedImage)).toBe(
            true,
          )
        },
      ),
      { seed: 20261121, numRuns: chooseRuns(200) },
    )
  },
)

test.each([
  [
    'a marker after long image data, with its two bytes straddling the edge of the window',
    'image/jpeg',
    null,
    (padding: number) => {
      const imageData = Buffer.alloc(3 * 65536 - padding, 0xff).fill('\xff\0drawn', 'latin1')
      return createJpeg(
        createSegment(0xda, Buffer.from([1])),
        imageData,
        createSegment(0xfe, Buffer.from(SECRET)),
      )
    },
  ],
  [
    'padding before a marker, longer than the window',
    'image/jpeg',
    3,
    (padding: number) =>
      createJpeg(
        Buffer.alloc(3 * 65536 - padding, 0xff),
        createSegment(0xe1, createExif(3)),
        createSegment(0xfe, createExif(3)),
      ),
  ],
  [
    'a comment of maximum length, and Exif whose last entry is the orientation',
    'image/jpeg',
    8,
    (padding: number) => {
      const content = Buffer.alloc(65533 - padding)
      createExif(8).copy(content, 0, 0, 14)
      content.writeUInt16LE(5000, 14)
      createExif(8).copy(content, 16 + 12 * 4999, 16, 28)
      return createJpeg(
        createSegment(0xfe, Buffer.alloc(65533 - padding, SECRET)),
        createSegment(0xe1, content),
      )
    },
  ],
  [
    'a text of 200 KB',
    'image/png',
    null,
    (padding: number) =>
      createPngWith(createPngChunk('zTXt', Buffer.alloc(200_000 - padding, SECRET))),
  ],
])('%s, at every position near the edges', async (_, mime, orientation, createImage) => {
  for (let padding = 0; padding < 40; padding += 1) {
    const original = createImage(padding)
    const stripped = await stripMetadata(original, mime)
    expect(stripped.equals(await stripMetadata(original, mime, WIDE_WINDOW_BYTES))).toBe(true)
    expect(stripped).toHaveLength(original.length)
    expect(stripped.includes('Asha')).toBe(false)
    expect(stripped.equals(original)).toBe(false)
    const orientationOffset = stripped.indexOf('Exif\0\0MM\0*')
    expect(orientationOffset === -1 ? null : stripped[orientationOffset + 25]).toBe(orientation)
  }
})

test('Exif that declares more entries than it has is not read past its end', async () => {
  const content = createExif(6)
  content.writeUInt16LE(0xffff, 14)
  content.writeUInt16LE(0x0113, 16)
  const stripped = await stripMetadata(createJpeg(createSegment(0xe1, content)), 'image/jpeg')
  expect(stripped).toEqual(createJpeg(createSegment(0xe1, Buffer.alloc(content.length))))
})

test('an image without metadata is not rewritten', async () => {
  const imagesWithoutMetadata: readonly [string, Buffer][] = [
    ['image/jpeg', createJpeg()],
    ['image/png', createPngWith(createPngChunk('pHYs', Buffer.from('123456789')))],
    ['image/webp', await stripMetadata(createWebp(), 'image/webp')],
    ['image/gif', Buffer.from('GIF89a')],
  ]
  for (const [mime, bytes] of imagesWithoutMetadata) {
    const filePath = join(folder, 'bare')
    writeFileSync(filePath, bytes)
    const file = await open(filePath, 'r+')
    expect([
      mime,
      await removeMetadata(file, bytes.length, mime).finally(() => file.close()),
    ]).toEqual([mime, null])
  }
})

test('reads and writes through a window of any size have the same effect as on the whole file', async () => {
  const filePath = join(folder, 'seen')
  const offset = fc.nat(60)
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 60 }),
      fc.integer({ min: 2, max: 70 }),
      fc.array(fc.tuple(fc.constantFrom('read', 'seen', 'find', 'write', 'zero'), offset, offset)),
      async (content, windowBytes, steps) => {
        const model = Buffer.from(content)
        writeFileSync(filePath, model)
        const file = await open(filePath, 'r+')
        const window = openWindow(file, model.length, windowBytes)
        let wasChanged = false
        for (const [step, from, argument] of steps) {
          const end = Math.min(from + argument, model.length)
          if (step === 'read')
            expect(await window.read(from, argument)).toEqual(model.subarray(from, end))
          else if (step === 'seen') {
            const peeked = window.peek(from, argument)
            if (peeked !== null) expect(peeked).toEqual(model.subarray(from, from + argument))
          } else if (step === 'find') {
            const index = model.findIndex(
              (byte, index) =>
                index >= from &&
                byte === 0 &&
                index + 1 < model.length &&
                model[index + 1] !== argument,
            )
            expect(await window.findPair(from, 0, (second) => second !== argument)).toBe(
              index === -1 ? model.length : index,
            )
          } else if (from < end) {
            wasChanged = true
            const replacement = Buffer.alloc(end - from, step === 'zero' ? 0 : argument)
            replacement.copy(model, from)
            if (step === 'write') await window.write(from, replacement)
            else await window.changeChunks(from, end, (chunk) => void chunk.fill(0))
          }
        }
        expect(await window.flush()).toBe(wasChanged)
        await file.close()
        expect(readFileSync(filePath)).toEqual(model)
      },
    ),
    { seed: 20261121, numRuns: chooseRuns(300) },
  )
})

test('stores an image under the hash and size of the cleaned file, and a PDF unchanged', async () => {
  const event = buildFixtureEvent().replace(/accept: \[[^\]]*\]/, 'accept: [pdf, jpg, png]')
  const server = await startTestApp({ clock: '2026-01-10', events: { 'sample2026.yaml': event } })
  const photo = createJpeg(createSegment(0xe1, createExif(6)))
  for (const [name, bytes] of [
    ['letter.jpg', photo],
    ['letter.pdf', createPdf(SECRET)],
  ] as const)
    expect(
      (await server.post('/api/sample2026/register/', fixtureDelegate, { letter: { name, bytes } }))
        .statusCode,
    ).toBe(201)
  const rows = server.rows('SELECT name, sha256, bytes FROM uploads ORDER BY name')
  const storedFiles = rows.map(({ sha256 }) =>
    readFileSync(join(server.dir, 'uploads', String(sha256).slice(0, 2), String(sha256))),
  )
  expect(rows.map(({ bytes }) => bytes)).toEqual(storedFiles.map(({ length }) => length))
  expect(rows.map(({ sha256 }) => sha256)).toEqual(
    storedFiles.map((bytes) => createHash('sha256').update(bytes).digest('hex')),
  )
  expect(storedFiles.map((bytes) => bytes.includes('Asha'))).toEqual([false, true])
  await server.close()
})
