/** The contract of every upload storage: disk, PostgreSQL and object storage. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectOk, instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import { openUploads } from '../../../server/registration/uploads/store-uploaded-files.ts'
import { createPdf } from '../sample-uploads.ts'

type Options = Parameters<typeof openUploads>[0]
/** The hashes of files that records refer to. */
export type References = {
  readonly inUse: readonly string[]
  /** The hashes of files that registrations no longer use. */
  readonly dropped: readonly string[]
}
export type UploadStorageFixture = {
  /** Prepares an empty storage with this data folder. */
  prepare(dataDir: string): Promise<{
    readonly bucket: Options['bucket']
    readonly proofs: NonNullable<Options['store']['proofs']> | null
    /** Stores the references, for storages that look them up themselves. */
    readonly setReferences: (references: References) => Promise<void>
    /** The location of set-aside files, as shown to the operator. */
    readonly location: string
  }>
}

const DAY_MS = 24 * 60 * 60 * 1000

export function testUploadStorage(fixture: UploadStorageFixture): void {
  let dataDir = ''
  let now: Instant
  let restoredAt: Instant | null
  let references: References
  let forgottenFiles: string[]
  let preparation: Awaited<ReturnType<UploadStorageFixture['prepare']>>

  const openStorage = () =>
    openUploads({
      folder: join(dataDir, 'uploads'),
      asideFolder: join(dataDir, 'unknown-files'),
      bucket: preparation.bucket,
      store: {
        proofs: preparation.proofs,
        uploadsInUse: async (hashes) => hashes.filter((hash) => references.inUse.includes(hash)),
        uploadsDropped: async (hashes) =>
          hashes.filter((hash) => references.dropped.includes(hash)),
        databaseSince: async () => restoredAt,
        dropFilesOfUnpaid: async () => 0,
        deleteOldDraftUploads: async () => forgottenFiles.splice(0),
      },
      clock: () => now,
    })
  type Uploads = ReturnType<typeof openStorage>
  const setReferences = async (changes: Partial<References>): Promise<void> => {
    references = { ...references, ...changes }
    await preparation.setReferences(references)
  }
  const advance = (ms: number): void => {
    now = instant(now + ms)
  }
  const uploadAndSubmit = async (uploads: Uploads, content: string | Buffer): Promise<string> => {
    const bytes = typeof content === 'string' ? createPdf(content) : content
    const file = expectOk(await uploads.receive(Readable.from([bytes]), bytes.length))
    await uploads.storeFile(file)
    return file.sha256
  }
  const readContent = async (uploads: Uploads, sha256: string): Promise<Buffer | null> => {
    const storedFile = await uploads.read(sha256)
    if (storedFile === null) return null
    const content = await buffer(storedFile.content)
    expect(content.length).toBe(storedFile.bytes)
    return content
  }
  const listStoredHashes = async (): Promise<readonly string[]> =>
    (await openStorage().listHashes()).toSorted()

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'rollcall-upload-storage-'))
    now = instant(Date.parse('2026-01-10T10:00:00Z'))
    restoredAt = null
    references = { inUse: [], dropped: [] }
    forgottenFiles = []
    preparation = await fixture.prepare(dataDir)
    await setReferences({})
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  test('returns a stored file byte for byte', async () => {
    const bytes = Buffer.alloc(3_000_001, Buffer.from('0123456789abcdefg'))
    const sha256 = await uploadAndSubmit(openStorage(), bytes)
    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect((await readContent(openStorage(), sha256))?.equals(bytes)).toBe(true)
  })

  test('stores the same content once, even if it is uploaded twice at the same time', async () => {
    const uploads = openStorage()
    const [first, second] = await Promise.all([
      uploadAndSubmit(uploads, 'same'),
      uploadAndSubmit(uploads, 'same'),
    ])
    expect(second).toBe(first)
    expect(await listStoredHashes()).toEqual([first])
    expect(await readContent(uploads, first)).toEqual(createPdf('same'))
  })

  test('reads files only by hash, not by path', async () => {
    expect(await openStorage().read('../../etc/passwd')).toBeNull()
    expect(await openStorage().read('0'.repeat(64))).toBeNull()
  })

  test('reports only stored files as present', async () => {
    const uploads = openStorage()
    const sha256 = await uploadAndSubmit(uploads, 'draft')
    expect(await uploads.protectFile(sha256)).toBe(true)
    expect(await uploads.protectFile('0'.repeat(64))).toBe(false)
  })

  test('sets aside an unreferenced file after a day, restores it once a record refers to it, and otherwise deletes it after 30 days', async () => {
    const uploads = openStorage()
    const used = await uploadAndSubmit(uploads, 'used')
    const unused = await uploadAndSubmit(uploads, 'unused')
    await setReferences({ inUse: [used] })
    const runSweep = async (): Promise<readonly number[]> => {
      const { setAside, removed, asideCount } = await uploads.sweep()
      return [setAside, removed, asideCount]
    }
    advance(DAY_MS - 1)
    expect(await runSweep()).toEqual([0, 0, 0])
    advance(1)
    expect(await runSweep()).toEqual([1, 0, 1])
    expect(uploads.state()).toEqual({
      problem: null,
      note: expect.stringContaining(
        `1 uploaded file that does not belong to any registration is in ${preparation.location}`,
      ),
    })
    // Simulates the restore of a database that contains the reference.
    await setReferences({ inUse: [used, unused] })
    expect(await readContent(uploads, unused)).toEqual(createPdf('unused'))
    expect(await runSweep()).toEqual([0, 0, 0])
    expect(await listStoredHashes()).toEqual([used, unused].toSorted())
    await setReferences({ inUse: [used] })
    advance(DAY_MS)
    expect(await runSweep()).toEqual([1, 0, 1])
    advance(30 * DAY_MS - 1)
    expect(await runSweep()).toEqual([0, 0, 1])
    advance(1)
    expect(await runSweep()).toEqual([0, 1, 0])
    expect(await readContent(openStorage(), unused)).toBeNull()
    expect(await listStoredHashes()).toEqual([used])
  })

  test('a file that was set aside can be used by a registration again', async () => {
    const uploads = openStorage()
    const sha256 = await uploadAndSubmit(uploads, 'aside')
    advance(DAY_MS)
    expect(await uploads.sweep()).toMatchObject({ setAside: 1 })
    expect(await uploads.protectFile(sha256)).toBe(true)
    advance(DAY_MS - 1)
    expect(await openStorage().sweep()).toMatchObject({ setAside: 0, asideCount: 0 })
    expect(await readContent(uploads, sha256)).toEqual(createPdf('aside'))
  })

  test('removes dropped files and files of unsubmitted forms', async () => {
    const uploads = openStorage()
    const [dropped, draft, submitted] = [
      await uploadAndSubmit(uploads, 'dropped'),
      await uploadAndSubmit(uploads, 'draft'),
      await uploadAndSubmit(uploads, 'submitted draft'),
    ]
    await setReferences({ inUse: [submitted], dropped: [dropped] })
    forgottenFiles = [draft, submitted]
    advance(DAY_MS)
    expect(await uploads.sweep()).toMatchObject({
      removed: 2,
      setAside: 0,
      asideCount: 0,
      held: null,
    })
    expect(await listStoredHashes()).toEqual([submitted])
  })

  test('sets aside up to twenty unknown files; if there are more, reports them and waits for confirmation', async () => {
    for (let n = 0; n < 21; n += 1) await uploadAndSubmit(openStorage(), `unknown ${n}`)
    advance(DAY_MS)
    const uploads = openStorage()
    expect(await uploads.sweep()).toMatchObject({
      setAside: 0,
      removed: 0,
      held: { count: 21, why: 'many' },
    })
    expect(uploads.state().problem).toContain('21 uploaded files do not belong to any registration')
    expect(uploads.state().problem).toContain('rollcall db unknown-files --set-aside')
    expect(await uploads.sweep(true)).toMatchObject({ setAside: 21, held: null, asideCount: 21 })
    expect(uploads.state().problem).toBeNull()
  })

  test('sets aside any number of files if this server refused their registrations', async () => {
    const uploads = openStorage()
    for (let n = 0; n < 25; n += 1) await uploadAndSubmit(uploads, `refused ${n}`)
    advance(DAY_MS)
    expect(await uploads.sweep()).toMatchObject({ setAside: 25, held: null })
  })

  test('sets aside and deletes nothing for seven days after a restore', async () => {
    await uploadAndSubmit(openStorage(), 'aside')
    advance(DAY_MS)
    expect(await openStorage().sweep()).toMatchObject({ setAside: 1 })
    advance(40 * DAY_MS)
    restoredAt = now
    await uploadAndSubmit(openStorage(), 'unknown')
    advance(7 * DAY_MS - 1)
    const uploads = openStorage()
    expect(await uploads.sweep()).toMatchObject({
      setAside: 0,
      removed: 0,
      asideCount: 1,
      held: { count: 1, why: 'recent' },
    })
    expect(await listStoredHashes()).not.toEqual([])
    expect(uploads.state()).toMatchObject({
      problem: null,
      note: expect.stringContaining('7 days'),
    })
    advance(1)
    expect(await uploads.sweep()).toMatchObject({ setAside: 1, removed: 1, held: null })
  })

  test('erasure deletes every copy of a file, but keeps files that another registration uses', async () => {
    const uploads = openStorage()
    const [erased, shared] = [
      await uploadAndSubmit(uploads, 'erased'),
      await uploadAndSubmit(uploads, 'shared'),
    ]
    advance(DAY_MS)
    expect(await uploads.sweep()).toMatchObject({ setAside: 2 })
    await uploadAndSubmit(uploads, 'erased')
    await setReferences({ inUse: [shared], dropped: [erased] })
    await uploads.removeFiles([erased, shared])
    expect(await readContent(uploads, erased)).toBeNull()
    expect(await readContent(uploads, shared)).toEqual(createPdf('shared'))
    expect(await uploads.sweep()).toMatchObject({ setAside: 0, removed: 0, asideCount: 0 })
    expect(await listStoredHashes()).toEqual([shared])
  })

  test('a file that is uploaded again counts as new, even on a server that started after the second upload', async () => {
    const sha256 = await uploadAndSubmit(openStorage(), 'again')
    advance(DAY_MS)
    await uploadAndSubmit(openStorage(), 'again')
    expect(await openStorage().sweep()).toMatchObject({ setAside: 0 })
    expect(await readContent(openStorage(), sha256)).toEqual(createPdf('again'))
    advance(DAY_MS)
    expect(await openStorage().sweep()).toMatchObject({ setAside: 1 })
  })

  test('nothing is stored for an interrupted upload', async () => {
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
    expect(await listStoredHashes()).toEqual([])
  })
}
