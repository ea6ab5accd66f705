/** Uploaded files: type detection, hostile files, and interrupted uploads. */
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
import { hasTopLevelStream } from '../../../server/registration/uploads/ole-file.ts'
import { openUploads } from '../../../server/registration/uploads/store-uploaded-files.ts'
import {
  createDoc,
  createDocx,
  createExe,
  createJpg,
  createMsi,
  createPdf,
  createPlainZip,
  createPng,
  createXls,
  createXlsWithDoc,
  createXlsx,
} from '../sample-uploads.ts'
import { hostileFiles, createEntryList } from '../hostile-uploads.ts'
import { chooseRuns } from '../../runs.ts'

const ACCEPTED_TYPES = ['pdf', 'doc', 'docx', 'jpg', 'jpeg', 'png']
let folder = ''
const now = instant(Date.parse('2026-01-10T10:00:00Z'))
let asideFolder = ''
const NO_RECORDS = {
  uploadsInUse: async () => [],
  uploadsDropped: async () => [],
  databaseSince: async () => null,
  dropFilesOfUnpaid: async () => 0,
  deleteOldDraftUploads: async () => [],
}

const openStorage = () =>
  openUploads({
    folder,
    asideFolder,
    bucket: null,
    store: NO_RECORDS,
    clock: () => now,
  })
type Uploads = ReturnType<typeof openStorage>
/** Receives and checks a file, then stores or discards it. */
async function receiveFile(uploads: Uploads, name: string, bytes: Buffer) {
  const file = expectOk(await uploads.receive(Readable.from([bytes]), bytes.length))
  const type = await uploads.detectType(file, name, ACCEPTED_TYPES)
  await (type === null ? uploads.discard(file) : uploads.storeFile(file))
  return { type, sha256: file.sha256, bytes: file.bytes }
}
const readContent = async (uploads: Uploads, sha256: string): Promise<Buffer | null> => {
  const storedFile = await uploads.read(sha256)
  return storedFile === null ? null : buffer(storedFile.content)
}
const detectFileKind = (bytes: Buffer): Promise<string | null> => {
  const filePath = join(folder, 'judged')
  writeFileSync(filePath, bytes)
  return detectKind(filePath)
}
const listStoredFiles = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-uploads-'))
  asideFolder = `${folder}-aside`
})
afterEach(() => {
  for (const entry of [folder, asideFolder]) rmSync(entry, { recursive: true, force: true })
})

describe('the file type is detected from the content', () => {
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
  ])('%s is accepted', async (name, bytes, type) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(await receiveFile(openStorage(), name, bytes)).toEqual({
      type,
      sha256,
      bytes: bytes.length,
    })
    expect(listStoredFiles()).toEqual([sha256])
    expect(await readContent(openStorage(), sha256)).toEqual(bytes)
  })

  test.each([
    ['a renamed program', 'proof.pdf', createExe()],
    ['a renamed installer', 'proof.doc', createMsi()],
    ['a renamed spreadsheet', 'proof.doc', createXls()],
    ['a spreadsheet with an embedded document', 'proof.doc', createXlsWithDoc()],
    ['a renamed .xlsx spreadsheet', 'proof.docx', createXlsx()],
    ['a renamed zip', 'proof.docx', createPlainZip()],
    ['an image with the extension pdf', 'proof.pdf', createPng()],
    ['a PDF with the extension png', 'proof.png', createPdf()],
    ['text', 'proof.pdf', Buffer.from('I am a post graduate, honestly.')],
    ['an extension that is not accepted', 'proof.gif', Buffer.from('GIF89a')],
    ['no extension', 'proof', createPdf()],
    ['a truncated OLE file', 'proof.doc', createDoc().subarray(0, 600)],
    ['nothing', 'proof.pdf', Buffer.alloc(0)],
  ])('%s (%s) is rejected and nothing is stored', async (_what, name, bytes) => {
    expect((await receiveFile(openStorage(), name, bytes)).type).toBeNull()
    expect(listStoredFiles()).toEqual([])
  })

  test('accepts a Word document and rejects an installer, although both begin with the same bytes', async () => {
    expect(createDoc().subarray(0, 8)).toEqual(createMsi().subarray(0, 8))
    expect([await detectFileKind(createDoc()), await detectFileKind(createMsi())]).toEqual([
      'doc',
      null,
    ])
  })
})

describe('a hostile file is rejected after a limited check', () => {
  test.each(hostileFiles)('%s (%s)', async (_what, name, bytes) => {
    expect((await receiveFile(openStorage(), name, bytes)).type).toBeNull()
    expect(listStoredFiles()).toEqual([])
  })

  test('a directory of ordinary size is read to its end, a larger one only up to a limit', async () => {
    expect(await detectFileKind(createEntryList(1000))).toBe('doc')
    expect(await detectFileKind(createEntryList(2000))).toBeNull()
  })

  test('the number of reads of an OLE file is limited by the longest possible directory, however its sectors are linked', async () => {
    // Three reads per directory sector: its content, its entry in a table, and the entry for that table.
    const maxReadCount = 3 * 1024 + 10
    for (const [description, , bytes] of hostileFiles.filter(([, name]) => name === 'a.doc')) {
      const filePath = join(folder, 'read')
      writeFileSync(filePath, bytes)
      const file = await openFile(filePath, 'r')
      let readCount = 0
      const countingFile = new Proxy(file, {
        get: (target, key) => {
          if (key === 'read') readCount += 1
          const value: unknown = Reflect.get(target, key, target)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
      expect([description, await hasTopLevelStream(countingFile, 'WordDocument')]).toEqual([
        description,
        false,
      ])
      await file.close()
      expect([description, readCount < maxReadCount]).toEqual([description, true])
    }
  })

  test('a document with any byte changed is accepted or rejected, and never throws', async () => {
    const validDocument = createDoc()
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.nat(validDocument.length - 4), fc.constantFrom(0, 1, 2, 255, 0xfffffffe)),
          {
            minLength: 1,
            maxLength: 6,
          },
        ),
        async (changes) => {
          const bytes = Buffer.from(validDocument)
          // The header and the directory decide whether it is a document.
          for (const [at, value] of changes)
            bytes.writeUInt32LE(value, at % 4 === 0 ? at % 512 : at)
          expect([null, 'doc']).toContain(await detectFileKind(bytes))
        },
      ),
      { numRuns: chooseRuns(200) },
    )
  })
})

describe('a file during upload', () => {
  test("that exceeds its field's limit is rejected before it is complete, and nothing is stored", async () => {
    let chunkCount = 0
    const endlessStream = Readable.from(
      (function* () {
        for (;;) {
          chunkCount += 1
          yield Buffer.alloc(1000)
        }
      })(),
    )
    expect(await openStorage().receive(endlessStream, 5000)).toEqual({
      ok: false,
      error: 'too_large',
    })
    expect(chunkCount).toBeLessThan(50)
    expect(listStoredFiles()).toEqual([])
  })

  test('is rejected before a byte is written if the disk has too little free space', async () => {
    const fullDisk = openUploads({
      folder,
      asideFolder,
      bucket: null,
      store: NO_RECORDS,
      clock: () => now,
      minFreeBytes: Number.MAX_SAFE_INTEGER,
    })
    expect(await fullDisk.receive(Readable.from([createPdf()]), 5000)).toEqual({
      ok: false,
      error: 'no_room',
    })
    // A form sends an empty file input like this.
    await fullDisk.discard(expectOk(await fullDisk.receive(Readable.from([]), 5000)))
    expect(listStoredFiles()).toEqual([])
  })

  test('is not stored if its sender disconnects', async () => {
    const failingStream = Readable.from(
      (function* () {
        yield Buffer.from('%PDF')
        throw new Error('gone')
      })(),
    )
    expect(await openStorage().receive(failingStream, 5000)).toEqual({
      ok: false,
      error: 'cut_off',
    })
    expect(listStoredFiles()).toEqual([])
  })

  test('is removed at the next startup if the process that received it has ended, but not if that process is running', () => {
    const deadPid = spawnSync(process.execPath, ['--version']).pid
    mkdirSync(join(folder, 'incoming'))
    for (const pid of [deadPid, process.pid, process.ppid])
      writeFileSync(join(folder, 'incoming', `${pid}.some-name`), 'half a')
    openStorage()
    expect(listStoredFiles()).toEqual([`${process.ppid}.some-name`])
  })
})
