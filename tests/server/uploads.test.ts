import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { instant } from '../../engine/index.ts'
import { contentOf, openUploads } from '../../server/registering/uploads.ts'
import { doc, docx, exe, jpg, msi, pdf, plainZip, png, xls, xlsx } from './files.ts'

const accept = ['pdf', 'doc', 'docx', 'jpg', 'jpeg', 'png']
const day = 24 * 60 * 60 * 1000
let folder = ''
let now = instant(Date.parse('2026-01-10T10:00:00Z'))
let inUse: string[] = []

const open = () =>
  openUploads({
    folder,
    store: { uploadsInUse: async (hashes) => hashes.filter((hash) => inUse.includes(hash)) },
    clock: () => now,
  })
const stored = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-uploads-'))
  now = instant(Date.parse('2026-01-10T10:00:00Z'))
  inUse = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

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
    expect(await open().keep({ name, bytes, accept })).toEqual({
      ok: true,
      sha256,
      type,
      bytes: bytes.length,
    })
    expect(stored()).toEqual([sha256])
    expect(await open().read(sha256)).toEqual(bytes)
  })

  test.each([
    ['a program renamed', 'proof.pdf', exe()],
    ['an installer renamed', 'proof.doc', msi()],
    ['a spreadsheet renamed', 'proof.doc', xls()],
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
    expect(await open().fits({ name, bytes, accept })).toBe(false)
    expect(await open().keep({ name, bytes, accept })).toEqual({ ok: false, code: 'wrong_type' })
    expect(stored()).toEqual([])
  })

  test('a Word document and an installer begin with the same bytes, so that looking at those is not enough', async () => {
    expect(doc().subarray(0, 8)).toEqual(msi().subarray(0, 8))
    expect([await contentOf(doc()), await contentOf(msi())]).toEqual(['doc', null])
  })
})

describe('the shelf', () => {
  test('the same file twice is stored once', async () => {
    const uploads = open()
    await Promise.all([
      uploads.keep({ name: 'a.pdf', bytes: pdf(), accept }),
      uploads.keep({ name: 'b.pdf', bytes: pdf(), accept }),
    ])
    expect(stored()).toHaveLength(1)
  })

  test('only hashes are read, no paths', async () => {
    expect(await open().read('../../etc/passwd')).toBeNull()
    expect(await open().read('0'.repeat(64))).toBeNull()
  })

  test('the sweep takes what no registration refers to, a day later', async () => {
    const uploads = open()
    const used = await uploads.keep({ name: 'a.pdf', bytes: pdf('used'), accept })
    await uploads.keep({ name: 'b.pdf', bytes: pdf('unused'), accept })
    inUse = used.ok ? [used.sha256] : []
    expect(await uploads.sweep()).toBe(0)
    now = instant(now + day - 1)
    expect(await uploads.sweep()).toBe(0)
    now = instant(now + 1)
    expect(await uploads.sweep()).toBe(1)
    expect(stored()).toEqual(inUse)
  })

  test('a file handed in again is young again, also for a server that was started in between', async () => {
    await open().keep({ name: 'a.pdf', bytes: pdf(), accept })
    now = instant(now + day)
    await open().keep({ name: 'a.pdf', bytes: pdf(), accept })
    expect(await open().sweep()).toBe(0)
    now = instant(now + day)
    expect(await open().sweep()).toBe(1)
  })
})
