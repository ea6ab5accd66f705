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
import type { Instant } from '../../../engine/index.ts'
import { detectKind } from '../../../server/registration/uploads/file-type.ts'
import { hasTopStream } from '../../../server/registration/uploads/ole-file.ts'
import { openUploads } from '../../../server/registration/uploads/store-uploaded-files.ts'
import {
  doc,
  docx,
  exe,
  jpg,
  msi,
  pdf,
  plainZip,
  png,
  xls,
  xlsWithDoc,
  xlsx,
} from '../sample-uploads.ts'
import { hostileFiles, listed } from '../hostile-uploads.ts'
import { runs } from '../../runs.ts'

const accept = ['pdf', 'doc', 'docx', 'jpg', 'jpeg', 'png']
const day = 24 * 60 * 60 * 1000
let folder = ''
let now: Instant = instant(Date.parse('2026-01-10T10:00:00Z'))
let inUse: string[] = []
/** What registrations have dropped; whose forms were never sent. */
let dropped: string[] = []
let forgotten: string[] = []
let aside = ''
let since: Instant | null = null

const open = () =>
  openUploads({
    folder,
    asideFolder: aside,
    store: {
      uploadsInUse: async (hashes) => hashes.filter((hash) => inUse.includes(hash)),
      uploadsDropped: async (hashes) => hashes.filter((hash) => dropped.includes(hash)),
      databaseSince: async () => since,
      dropProofs: async () => 0,
      forgetOldDrafts: async () => forgotten.splice(0),
    },
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
  now = instant(Date.parse('2026-01-10T10:00:00Z'))
  inUse = []
  dropped = []
  forgotten = []
  since = null
  aside = `${folder}-aside`
})
afterEach(() => {
  for (const one of [folder, aside]) rmSync(one, { recursive: true, force: true })
})

describe('what a file is, is said by its content', () => {
  test.each([
    ['proof.pdf', pdf(), 'application/pdf'],
    ['PROOF.PDF', pdf(), 'application/pdf'],
    ['proof.jpg', jpg(), 'image/jpeg'],
    ['proof.jpeg', jpg(), 'image/jpeg'],
    ['proof.png', png(), 'image/png'],
    ['proof.doc', doc(), 'application/msword'],
    [
      'proof.docx',
      docx(),
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
  ])('%s is taken', async (name, bytes, type) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(await handIn(open(), name, bytes)).toEqual({ type, sha256, bytes: bytes.length })
    expect(stored()).toEqual([sha256])
    expect(await contentOf(open(), sha256)).toEqual(bytes)
  })

  test.each([
    ['a program renamed', 'proof.pdf', exe()],
    ['an installer renamed', 'proof.doc', msi()],
    ['a spreadsheet renamed', 'proof.doc', xls()],
    ['a spreadsheet with a document inside', 'proof.doc', xlsWithDoc()],
    ['a newer spreadsheet renamed', 'proof.docx', xlsx()],
    ['a zip renamed', 'proof.docx', plainZip()],
    ['a picture called pdf', 'proof.pdf', png()],
    ['a PDF called png', 'proof.png', pdf()],
    ['text', 'proof.pdf', Buffer.from('I am a post graduate, honestly.')],
    ['an ending that is not taken', 'proof.gif', Buffer.from('GIF89a')],
    ['no ending', 'proof', pdf()],
    ['an OLE file that is cut off', 'proof.doc', doc().subarray(0, 600)],
    ['nothing', 'proof.pdf', Buffer.alloc(0)],
  ])('%s (%s) is refused and nothing is stored', async (_what, name, bytes) => {
    expect((await handIn(open(), name, bytes)).type).toBeNull()
    expect(stored()).toEqual([])
  })

  test('a Word document and an installer begin with the same bytes, so that looking at those is not enough', async () => {
    expect(doc().subarray(0, 8)).toEqual(msi().subarray(0, 8))
    expect([await kindOf(doc()), await kindOf(msi())]).toEqual(['doc', null])
  })
})

describe('a file made to hold up the server is refused after a bounded look', () => {
  test.each(hostileFiles)('%s (%s)', async (_what, name, bytes) => {
    expect((await handIn(open(), name, bytes)).type).toBeNull()
    expect(stored()).toEqual([])
  })

  test('a directory is read to its end, but not for as long as a hostile one makes it', async () => {
    expect(await kindOf(listed(1000))).toBe('doc')
    expect(await kindOf(listed(2000))).toBeNull()
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
    const good = doc()
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
      store: {
        uploadsInUse: async () => [],
        uploadsDropped: async () => [],
        databaseSince: async () => null,
        dropProofs: async () => 0,
        forgetOldDrafts: async () => [],
      },
      clock: () => now,
      freeBytesMin: Number.MAX_SAFE_INTEGER,
    })
    expect(await full.receive(Readable.from([pdf()]), 5000)).toEqual({
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

describe('the shelf', () => {
  test('the same file twice is stored once', async () => {
    const uploads = open()
    await Promise.all([handIn(uploads, 'a.pdf', pdf()), handIn(uploads, 'b.pdf', pdf())])
    expect(stored()).toHaveLength(1)
  })

  test('only hashes are read, no paths', async () => {
    expect(await open().read('../../etc/passwd')).toBeNull()
    expect(await open().read('0'.repeat(64))).toBeNull()
  })

  test('what no record refers to is set aside a day later, comes back when something refers to it, and goes after thirty days', async () => {
    const uploads = open()
    const used = await handIn(uploads, 'a.pdf', pdf('used'))
    const unused = await handIn(uploads, 'b.pdf', pdf('unused'))
    inUse = [used.sha256]
    const swept = async () => {
      const { setAside, removed } = await uploads.sweep()
      return [setAside, removed]
    }
    expect(await swept()).toEqual([0, 0])
    now = instant(now + day - 1)
    expect(await swept()).toEqual([0, 0])
    now = instant(now + 1)
    expect(await swept()).toEqual([1, 0])
    expect([stored(), readdirSync(aside)]).toEqual([inUse, [unused.sha256]])
    expect(uploads.state()).toEqual({
      trouble: null,
      note: expect.stringContaining(
        `1 uploaded files that belong to no registration are in ${aside}`,
      ),
    })
    // The right copy of the database is put back.
    expect(await contentOf(uploads, unused.sha256)).toEqual(pdf('unused'))
    now = instant(now + day)
    expect(await swept()).toEqual([1, 0])
    inUse = [used.sha256, unused.sha256]
    expect(await swept()).toEqual([0, 0])
    expect(stored().toSorted()).toEqual(inUse.toSorted())
    inUse = [used.sha256]
    now = instant(now + day)
    expect(await swept()).toEqual([1, 0])
    now = instant(now + 30 * day - 1)
    expect(await swept()).toEqual([0, 0])
    now = instant(now + 1)
    expect(await swept()).toEqual([0, 1])
    expect([stored(), readdirSync(aside)]).toEqual([inUse, []])
  })

  test('what registrations have dropped, and forms that were never sent, is removed', async () => {
    const uploads = open()
    const [a, b, c] = [
      await handIn(uploads, 'a.pdf', pdf('dropped')),
      await handIn(uploads, 'b.pdf', pdf('draft')),
      await handIn(uploads, 'c.pdf', pdf('draft that was sent')),
    ]
    dropped = [a.sha256]
    forgotten = [b.sha256, c.sha256]
    inUse = [c.sha256]
    now = instant(now + day)
    expect(await uploads.sweep()).toMatchObject({ removed: 2, setAside: 0, aside: 0, held: null })
    expect(stored()).toEqual([c.sha256])
  })

  test('a database that is not the one of the files: of more than twenty unknown ones none is moved, and health says so; staff may move them', async () => {
    for (let n = 0; n < 21; n += 1) await handIn(open(), 'a.pdf', pdf(`unknown ${n}`))
    now = instant(now + day)
    const uploads = open()
    expect(await uploads.sweep()).toMatchObject({
      setAside: 0,
      removed: 0,
      held: { count: 21, why: 'many' },
    })
    expect(stored()).toHaveLength(21)
    expect(uploads.state().trouble).toContain('21 uploaded files belong to no registration')
    expect(uploads.state().trouble).toContain('rollcall db unknown-files --set-aside')
    expect(await uploads.sweep(true)).toMatchObject({ setAside: 21, held: null })
    expect([stored(), uploads.state().trouble]).toEqual([[], null])
  })

  test('forms that this server refused may be as many as they like: they say nothing of the database', async () => {
    const uploads = open()
    for (let n = 0; n < 25; n += 1) await handIn(uploads, 'a.pdf', pdf(`refused ${n}`))
    now = instant(now + day)
    expect(await uploads.sweep()).toMatchObject({ setAside: 25, held: null })
  })

  test('for seven days after a restore or a start with an empty database nothing is moved, and nothing aside is deleted', async () => {
    await handIn(open(), 'a.pdf', pdf('aside'))
    now = instant(now + day)
    expect(await open().sweep()).toMatchObject({ setAside: 1 })
    now = instant(now + 40 * day)
    since = now
    const other = await handIn(open(), 'b.pdf', pdf('unknown'))
    now = instant(now + 7 * day - 1)
    const uploads = open()
    expect(await uploads.sweep()).toMatchObject({
      setAside: 0,
      removed: 0,
      aside: 1,
      held: { count: 1, why: 'young' },
    })
    expect(stored()).toEqual([other.sha256])
    expect(uploads.state()).toMatchObject({
      trouble: null,
      note: expect.stringContaining('7 days'),
    })
    now = instant(now + 1)
    expect(await uploads.sweep()).toMatchObject({ setAside: 1, removed: 1, held: null })
  })

  test('of an erased person nothing lies aside either', async () => {
    const uploads = open()
    const { sha256 } = await handIn(uploads, 'a.pdf', pdf('theirs'))
    now = instant(now + day)
    await uploads.sweep()
    expect(readdirSync(aside)).toEqual([sha256])
    await uploads.forget([sha256])
    expect([stored(), readdirSync(aside)]).toEqual([[], []])
  })

  test('a file handed in again is young again, also for a server that was started in between', async () => {
    await handIn(open(), 'a.pdf', pdf())
    now = instant(now + day)
    await handIn(open(), 'a.pdf', pdf())
    expect(await open().sweep()).toMatchObject({ setAside: 0 })
    now = instant(now + day)
    expect(await open().sweep()).toMatchObject({ setAside: 1 })
  })
})
