import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { open as openFile } from 'node:fs/promises'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectOk, instant } from '../../../engine/index.ts'
import { detectKind } from '../../../server/registration/uploads/file-type.ts'
import { hasTopStream } from '../../../server/registration/uploads/ole-file.ts'
import { openUploads } from '../../../server/registration/uploads/store-uploaded-files.ts'
import {
  createDoc,
  createDocx,
  createExe,
  createJpg,
  createMsi,
  createPdf,
  plainZip,
  createPng,
  createXls,
  xlsWithDoc,
  createXlsx,
} from '../sample-uploads.ts'
import { hostileFiles, createEntryList } from '../hostile-uploads.ts'
import { runs } from '../../runs.ts'

const accept = ['pdf', 'doc', 'docx', 'jpg', 'jpeg', 'png']
let folder = ''
const now = instant(Date.parse('2026-01-10T10:00:00Z'))
let aside = ''
const NO_RECORDS = {
  uploadsInUse: async () => [],
  uploadsDropped: async () => [],
  databaseSince: async () => null,
  dropFilesOfUnpaid: async () => 0,
  deleteOldDraftUploads: async () => [],
}

const open = () =>
  openUploads({
    folder,
    asideFolder: aside,
    bucket: null,
    store: NO_RECORDS,
    clock: () => now,
  })
type Uploads = ReturnType<typeof open>
/** What a registration does with a file: takes it in, judges it, keeps or discards it. */
async function handIn(uploads: Uploads, name: string, bytes: Buffer) {
  const file = expectOk(await uploads.receive(Readable.from([bytes]), bytes.length))
  const type = await uploads.typeOf(file, name, accept)
  await (type === null ? uploads.discard(file) : uploads.keep(file))
  return { type, sha256: file.sha256, bytes: file.bytes }
}
const contentOf = async (uploads: Uploads, sha256: string): Promise<Buffer | null> => {
  const kept = await uploads.read(sha256)
  return kept === null ? null : buffer(kept.content)
}
const kindOf = (bytes: Buffer): Promise<string | null> => {
  const place = join(folder, 'judged')
  writeFileSync(place, bytes)
  return detectKind(place)
}
const stored = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-uploads-'))
  aside = `${folder}-aside`
})
afterEach(() => {
  for (const one of [folder, aside]) rmSync(one, { recursive: true, force: true })
})

describe('what a file is, is said by its content', () => {
  test.each([
    ['proof.pdf', createPdf(), 'application/pdf'],
    ['PROOF.PDF', createPdf(), 'application/pdf'],
    ['proof.jpg', createJpg(), 'image/jpeg'],
    ['proof.jpeg', createJpg(), 'image/jpeg'],
    ['proof.png', createPng(), 'image/png'],
    ['proof.doc', createDoc(), 'application/msword'],
    [
      'proof.docx',
      createDocx(),
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
  ])('%s is taken', async (name, bytes, type) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(await handIn(open(), name, bytes)).toEqual({ type, sha256, bytes: bytes.length })
    expect(stored()).toEqual([sha256])
    expect(await contentOf(open(), sha256)).toEqual(bytes)
  })

  test.each([
    ['a program renamed', 'proof.pdf', createExe()],
    ['an installer renamed', 'proof.doc', createMsi()],
    ['a spreadsheet renamed', 'proof.doc', createXls()],
    ['a spreadsheet with a document inside', 'proof.doc', xlsWithDoc()],
    ['a newer spreadsheet renamed', 'proof.docx', createXlsx()],
    ['a zip renamed', 'proof.docx', plainZip()],
    ['a picture called pdf', 'proof.pdf', createPng()],
    ['a PDF called png', 'proof.png', createPdf()],
    ['text', 'proof.pdf', Buffer.from('I am a post graduate, honestly.')],
    ['an ending that is not taken', 'proof.gif', Buffer.from('GIF89a')],
    ['no ending', 'proof', createPdf()],
    ['an OLE file that is cut off', 'proof.doc', createDoc().subarray(0, 600)],
    ['nothing', 'proof.pdf', Buffer.alloc(0)],
  ])('%s (%s) is refused and nothing is stored', async (_what, name, bytes) => {
    expect((await handIn(open(), name, bytes)).type).toBeNull()
    expect(stored()).toEqual([])
  })

  test('a Word document and an installer begin with the same bytes, so that looking at those is not enough', async () => {
    expect(createDoc().subarray(0, 8)).toEqual(createMsi().subarray(0, 8))
    expect([await kindOf(createDoc()), await kindOf(createMsi())]).toEqual(['doc', null])
  })
})

describe('a file made to hold up the server is refused after a bounded look', () => {
  test.each(hostileFiles)('%s (%s)', async (_what, name, bytes) => {
    expect((await handIn(open(), name, bytes)).type).toBeNull()
    expect(stored()).toEqual([])
  })

  test('a directory is read to its end, but not for as long as a hostile one makes it', async () => {
    expect(await kindOf(createEntryList(1000))).toBe('doc')
    expect(await kindOf(createEntryList(2000))).toBeNull()
  })

  test('of an OLE file no more is read than the longest directory takes, however it is tied', async () => {
    // Three reads a sector of the directory: its content, its place in the table, and the table's own place.
    const readsMax = 3 * 1024 + 10
    for (const [what, , bytes] of hostileFiles.filter(([, name]) => name === 'a.doc')) {
      const place = join(folder, 'read')
      writeFileSync(place, bytes)
      const file = await openFile(place, 'r')
      let reads = 0
      const counting = new Proxy(file, {
        get: (target, key) => {
          if (key === 'read') reads += 1
          const value: unknown = Reflect.get(target, key, target)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
      expect([what, await hasTopStream(counting, 'WordDocument')]).toEqual([what, false])
      await file.close()
      expect([what, reads < readsMax]).toEqual([what, true])
    }
  })

  test('a document with any of its bytes changed is judged or refused, and never thrown over', async () => {
    const good = createDoc()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length - 4), fc.constantFrom(0, 1, 2, 255, 0xfffffffe)), {
          minLength: 1,
          maxLength: 6,
        }),
        async (changes) => {
          const bytes = Buffer.from(good)
          // What makes a document of it lies in the header and the directory.
          for (const [at, value] of changes)
            bytes.writeUInt32LE(value, at % 4 === 0 ? at % 512 : at)
          expect([null, 'doc']).toContain(await kindOf(bytes))
        },
      ),
      { numRuns: runs(200) },
    )
  })
})

describe('a file on its way', () => {
  test('longer than its field takes is refused before its end, and leaves nothing behind', async () => {
    let read = 0
    const endless = Readable.from(
      (function* () {
        for (;;) {
          read += 1
          yield Buffer.alloc(1000)
        }
      })(),
    )
    expect(await open().receive(endless, 5000)).toEqual({ ok: false, error: 'too_large' })
    expect(read).toBeLessThan(50)
    expect(stored()).toEqual([])
  })

  test('is refused before a byte of it is written, where the disk has less free than must stay free', async () => {
    const full = openUploads({
      folder,
      asideFolder: aside,
      bucket: null,
      store: NO_RECORDS,
      clock: () => now,
      freeBytesMin: Number.MAX_SAFE_INTEGER,
    })
    expect(await full.receive(Readable.from([createPdf()]), 5000)).toEqual({
      ok: false,
      error: 'no_room',
    })
    // What a form sends for an input that was left empty.
    await full.discard(expectOk(await full.receive(Readable.from([]), 5000)))
    expect(stored()).toEqual([])
  })

  test('whose sender breaks off leaves nothing behind', async () => {
    const broken = Readable.from(
      (function* () {
        yield Buffer.from('%PDF')
        throw new Error('gone')
      })(),
    )
    expect(await open().receive(broken, 5000)).toEqual({ ok: false, error: 'cut_off' })
    expect(stored()).toEqual([])
  })

  test('of a process that died is removed at the next start; of one that lives, it stays', () => {
    const dead = spawnSync(process.execPath, ['--version']).pid
    mkdirSync(join(folder, 'incoming'))
    for (const pid of [dead, process.pid, process.ppid])
      writeFileSync(join(folder, 'incoming', `${pid}.some-name`), 'half a')
    open()
    expect(stored()).toEqual([`${process.ppid}.some-name`])
  })
})
