/** What a picture tells besides what is seen on it: where it was taken, with which telephone, by whom. None of it is kept. */
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
import { fixtureDelegate, fixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import { runs } from '../../runs.ts'

const SECRET = '10.0271N 76.3080E, Asha’s telephone'
const segment = (marker: number, said: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(said.length + 2, 2)
  return Buffer.concat([head, said])
}
/** Exif of a telephone held on its side: which way is up, and where it was. */
const exif = (turned: number): Buffer => {
  const tiff = Buffer.alloc(26)
  tiff.write('II*\0', 'latin1')
  tiff.writeUInt32LE(8, 4)
  tiff.writeUInt16LE(1, 8)
  tiff.writeUInt16LE(0x0112, 10)
  tiff.writeUInt16LE(3, 12)
  tiff.writeUInt32LE(1, 14)
  tiff.writeUInt16LE(turned, 18)
  return Buffer.concat([Buffer.from('Exif\0\0'), tiff, Buffer.from(SECRET)])
}
const JFIF = segment(0xe0, Buffer.concat([Buffer.from('JFIF\0'), Buffer.alloc(9)]))
const ICC = segment(0xe2, Buffer.from('ICC_PROFILE\0the colours'))
const ADOBE = segment(0xee, Buffer.from('Adobe\0d'))
/** The drawn part, with a restart and a 0xff of its own in it, in two scans as a progressive picture has. */
const DRAWN = Buffer.concat([
  segment(0xda, Buffer.from([1, 2, 3])),
  Buffer.from([5, 0xff, 0, 6, 0xff, 0xd0, 7]),
  segment(0xda, Buffer.from([1, 2, 3])),
  Buffer.from([8, 9]),
])
const jpeg = (...beside: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    JFIF,
    ...beside,
    ICC,
    ADOBE,
    DRAWN,
    Buffer.from([0xff, 0xd9]),
  ])
const chunk = (name: string, said: Buffer): Buffer => {
  const whole = Buffer.concat([Buffer.alloc(4), Buffer.from(name), said, Buffer.alloc(4)])
  whole.writeUInt32BE(said.length)
  whole.writeUInt32BE(crc32(whole.subarray(4, -4)), whole.length - 4)
  return whole
}
const pngWith = (...beside: readonly Buffer[]): Buffer =>
  Buffer.concat([createPng().subarray(0, 33), ...beside, createPng().subarray(33)])
const webp = (): Buffer => {
  const part = (name: string, said: Buffer): Buffer => {
    const head = Buffer.alloc(8)
    head.write(name)
    head.writeUInt32LE(said.length, 4)
    return Buffer.concat([head, said, Buffer.alloc(said.length % 2)])
  }
  const inside = Buffer.concat([
    Buffer.from('WEBP'),
    part('VP8X', Buffer.from([0x1c, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    part('VP8L', Buffer.from([0x2f, 0, 0, 0, 0])),
    part('EXIF', Buffer.from(SECRET)),
    part('XMP ', Buffer.from(SECRET)),
  ])
  const head = Buffer.alloc(8)
  head.write('RIFF')
  head.writeUInt32LE(inside.length, 4)
  return Buffer.concat([head, inside])
}

const folder = mkdtempSync(join(tmpdir(), 'rollcall-pictures-'))
afterAll(() => rmSync(folder, { recursive: true }))
/** What is left of a picture on the disk; what was said of it is held against that. */
async function withoutMetadata(
  bytes: Buffer,
  mime: string,
  ...windowBytes: readonly number[]
): Promise<Buffer> {
  const place = join(folder, 'picture')
  writeFileSync(place, bytes)
  const file = await open(place, 'r+')
  const said = await removeMetadata(file, bytes.length, mime, ...windowBytes)
  await file.close()
  const left = readFileSync(place)
  if (said === null) expect(left.equals(bytes)).toBe(true)
  else
    expect(said).toEqual({
      sha256: createHash('sha256').update(left).digest('hex'),
      bytes: left.length,
    })
  return left
}

test('a JPEG keeps image, colours and orientation; location, device, comment and appended data are removed', async () => {
  const sent = jpeg(
    segment(0xe1, exif(6)),
    segment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${SECRET}`)),
    segment(0xed, Buffer.from(`Photoshop 3.0\0${SECRET}`)),
    segment(0xfe, Buffer.from(SECRET)),
    segment(0xe2, Buffer.from(`MPF\0${SECRET}`)),
  )
  const kept = await withoutMetadata(
    Buffer.concat([sent, jpeg(segment(0xe1, exif(1)))]),
    'image/jpeg',
  )
  expect(kept).toHaveLength(sent.length)
  expect(kept.includes('Asha')).toBe(false)
  for (const part of [JFIF, ICC, ADOBE, DRAWN]) expect(kept.includes(part)).toBe(true)
  const turned = kept.indexOf('Exif\0\0MM\0*')
  expect(kept.subarray(turned + 16, turned + 26).toString('hex')).toBe('01120003000000010006')
  expect((await withoutMetadata(kept, 'image/jpeg')).equals(kept)).toBe(true)
})

test('a PNG keeps only its image, with correct checksums', async () => {
  const sent = pngWith(
    chunk('tEXt', Buffer.from(SECRET)),
    chunk('pHYs', Buffer.from('123456789')),
    chunk('eXIf', Buffer.from(SECRET)),
  )
  const kept = await withoutMetadata(Buffer.concat([sent, Buffer.from(SECRET)]), 'image/png')
  expect(kept).toEqual(
    pngWith(
      chunk('vpAd', Buffer.alloc(Buffer.byteLength(SECRET))),
      chunk('pHYs', Buffer.from('123456789')),
      chunk('vpAd', Buffer.alloc(Buffer.byteLength(SECRET))),
    ),
  )
})

test('a WebP keeps only its image', async () => {
  const kept = await withoutMetadata(Buffer.concat([webp(), Buffer.from(SECRET)]), 'image/webp')
  expect(kept).toHaveLength(webp().length)
  expect(kept.includes('Asha')).toBe(false)
  expect(kept[20]).toBe(0x10)
  expect(kept.includes('VP8L')).toBe(true)
})

/** Wide enough for every picture here to lie in it as a whole. */
const WIDE = 1024 * 1024

test.each([
  ['image/jpeg', jpeg(segment(0xe1, exif(6)), segment(0xfe, Buffer.from(SECRET)))],
  [
    'image/png',
    pngWith(chunk('tEXt', Buffer.from(SECRET)), chunk('pHYs', Buffer.from('123456789'))),
  ],
  ['image/webp', webp()],
])(
  'a %s that is broken anywhere is never thrown over, never grows, and comes out the same however little of it is in memory',
  async (mime, whole) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 6 }),
        fc.integer({ min: 12, max: whole.length }),
        fc.constantFrom(2, 3, 7, 13, 33, 101),
        async (changes, length, windowBytes) => {
          const broken = Buffer.from(whole.subarray(0, length))
          for (const [at, value] of changes) if (at < length) broken[at] = value
          const left = await withoutMetadata(broken, mime, WIDE)
          expect(left.length).toBeLessThanOrEqual(length)
          expect((await withoutMetadata(broken, mime, windowBytes)).equals(left)).toBe(true)
        },
      ),
      { seed: 20261121, numRuns: runs(200) },
    )
  },
)

test.each([
  [
    'a marker after a long drawn part, its two bytes on either side of the window',
    'image/jpeg',
    null,
    (shift: number) => {
      const drawn = Buffer.alloc(3 * 65536 - shift, 0xff).fill('\xff\0drawn', 'latin1')
      return jpeg(segment(0xda, Buffer.from([1])), drawn, segment(0xfe, Buffer.from(SECRET)))
    },
  ],
  [
    'padding before a marker, longer than the window',
    'image/jpeg',
    3,
    (shift: number) =>
      jpeg(Buffer.alloc(3 * 65536 - shift, 0xff), segment(0xe1, exif(3)), segment(0xfe, exif(3))),
  ],
  [
    'a comment as long as it may be, and Exif whose last entry says which side is up',
    'image/jpeg',
    8,
    (shift: number) => {
      const said = Buffer.alloc(65533 - shift)
      exif(8).copy(said, 0, 0, 14)
      said.writeUInt16LE(5000, 14)
      exif(8).copy(said, 16 + 12 * 4999, 16, 28)
      return jpeg(segment(0xfe, Buffer.alloc(65533 - shift, SECRET)), segment(0xe1, said))
    },
  ],
  [
    'a text of 200 KB',
    'image/png',
    null,
    (shift: number) => pngWith(chunk('zTXt', Buffer.alloc(200_000 - shift, SECRET))),
  ],
])('%s, at every place near the edges', async (_, mime, turned, made) => {
  for (let shift = 0; shift < 40; shift += 1) {
    const sent = made(shift)
    const left = await withoutMetadata(sent, mime)
    expect(left.equals(await withoutMetadata(sent, mime, WIDE))).toBe(true)
    expect(left).toHaveLength(sent.length)
    expect(left.includes('Asha')).toBe(false)
    expect(left.equals(sent)).toBe(false)
    const upright = left.indexOf('Exif\0\0MM\0*')
    expect(upright === -1 ? null : left[upright + 25]).toBe(turned)
  }
})

test('Exif that declares more entries than it has is not read past its end', async () => {
  const said = exif(6)
  said.writeUInt16LE(0xffff, 14)
  said.writeUInt16LE(0x0113, 16)
  const left = await withoutMetadata(jpeg(segment(0xe1, said)), 'image/jpeg')
  expect(left).toEqual(jpeg(segment(0xe1, Buffer.alloc(said.length))))
})

test('an image without metadata is not rewritten', async () => {
  const bare: readonly [string, Buffer][] = [
    ['image/jpeg', jpeg()],
    ['image/png', pngWith(chunk('pHYs', Buffer.from('123456789')))],
    ['image/webp', await withoutMetadata(webp(), 'image/webp')],
    ['image/gif', Buffer.from('GIF89a')],
  ]
  for (const [mime, bytes] of bare) {
    const place = join(folder, 'bare')
    writeFileSync(place, bytes)
    const file = await open(place, 'r+')
    expect([
      mime,
      await removeMetadata(file, bytes.length, mime).finally(() => file.close()),
    ]).toEqual([mime, null])
  }
})

test('reading through a window of any size returns the same file with its changes', async () => {
  const place = join(folder, 'seen')
  const at = fc.nat(60)
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 60 }),
      fc.integer({ min: 2, max: 70 }),
      fc.array(fc.tuple(fc.constantFrom('read', 'seen', 'find', 'write', 'zero'), at, at)),
      async (content, windowBytes, steps) => {
        const model = Buffer.from(content)
        writeFileSync(place, model)
        const file = await open(place, 'r+')
        const window = openWindow(file, model.length, windowBytes)
        let wasChanged = false
        for (const [step, from, other] of steps) {
          const end = Math.min(from + other, model.length)
          if (step === 'read')
            expect(await window.read(from, other)).toEqual(model.subarray(from, end))
          else if (step === 'seen') {
            const seen = window.peek(from, other)
            if (seen !== null) expect(seen).toEqual(model.subarray(from, from + other))
          } else if (step === 'find') {
            const found = model.findIndex(
              (byte, index) =>
                index >= from &&
                byte === 0 &&
                index + 1 < model.length &&
                model[index + 1] !== other,
            )
            expect(await window.findPair(from, 0, (second) => second !== other)).toBe(
              found === -1 ? model.length : found,
            )
          } else if (from < end) {
            wasChanged = true
            const put = Buffer.alloc(end - from, step === 'zero' ? 0 : other)
            put.copy(model, from)
            if (step === 'write') await window.write(from, put)
            else await window.change(from, end, (piece) => void piece.fill(0))
          }
        }
        expect(await window.flush()).toBe(wasChanged)
        await file.close()
        expect(readFileSync(place)).toEqual(model)
      },
    ),
    { seed: 20261121, numRuns: runs(300) },
  )
})

test('stores an image under the hash and size of the cleaned file, and a PDF unchanged', async () => {
  const event = fixtureEvent().replace(/accept: \[[^\]]*\]/, 'accept: [pdf, jpg, png]')
  const server = await startTestApp({ clock: '2026-01-10', events: { 'sample2026.yaml': event } })
  const photo = jpeg(segment(0xe1, exif(6)))
  for (const [name, bytes] of [
    ['letter.jpg', photo],
    ['letter.pdf', createPdf(SECRET)],
  ] as const)
    expect(
      (await server.post('/api/sample2026/register/', fixtureDelegate, { letter: { name, bytes } }))
        .statusCode,
    ).toBe(201)
  const rows = server.rows('SELECT name, sha256, bytes FROM uploads ORDER BY name')
  const stored = rows.map(({ sha256 }) =>
    readFileSync(join(server.dir, 'uploads', String(sha256).slice(0, 2), String(sha256))),
  )
  expect(rows.map(({ bytes }) => bytes)).toEqual(stored.map(({ length }) => length))
  expect(rows.map(({ sha256 }) => sha256)).toEqual(
    stored.map((bytes) => createHash('sha256').update(bytes).digest('hex')),
  )
  expect(stored.map((bytes) => bytes.includes('Asha'))).toEqual([false, true])
  await server.close()
})
