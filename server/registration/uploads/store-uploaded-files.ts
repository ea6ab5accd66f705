/** Stores uploaded files under the hash of their content, outside every served folder. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { mkdir, open, rename, rm, stat, statfs, utimes } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { err, instant, ok } from '../../../engine/index.ts'
import type { Instant, Result } from '../../../engine/index.ts'
import type { ReceivedFile, ReceiveRefusal, Uploads } from '../../dependencies.ts'
import { readNewDatabaseDate } from '../../ops/recovery/new-database-date.ts'
import type { ProofShelf, Swept } from '../../storage/files/upload-storage-types.ts'
import type { Store } from '../../storage/index.ts'
import { detectMediaType } from './file-type.ts'
import { createFlushes } from './flush-folders.ts'
import type { Flushes } from './flush-folders.ts'
import { removeMetadata } from './remove-photo-metadata.ts'
import {
  SET_ASIDE_FOLDER,
  inBatches,
  isHash,
  isYoung,
  deletionLimit,
  checkSetAside,
  findOldFiles,
  restoreFile,
  setAside,
  uploadsState,
  findHoldReason,
} from './unreferenced-files.ts'

/** How long a file without a registration is kept: its registration may still be in progress. */
const UNUSED_MS_MAX = 24 * 60 * 60 * 1000
/** Disk space reserved for the database, its log, emails, and registrations without a proof. */
const FREE_BYTES_MIN = 512 * 1024 * 1024
/** After this time, an unpaid registration is neither retried nor paid late. */
const UNPAID_DAYS_MAX = 30
/** A delegate who has to fetch another document or card before registering returns within days. */
export const DRAFT_MS = 3 * 24 * 60 * 60 * 1000
/** Folder for unchecked files; in the same file system, so that a rename stores them. */
const INCOMING = 'incoming'

type Records = Pick<
  Store,
  'uploadsInUse' | 'uploadsDropped' | 'dropProofs' | 'forgetOldDrafts' | 'databaseSince'
> &
  Partial<Pick<Store, 'proofs'>>
type Disk = {
  readonly folder: string
  /** Folder for files that no record refers to, kept for a while. */
  readonly asideFolder: string
  readonly freeBytesMin: number
  /** When each hash was last submitted since the server started. */
  readonly submitted: Map<string, Instant>
  /** Files that are being removed now. */
  readonly removals: Map<string, Promise<void>>
  readonly flushes: Flushes
}

/** Returns the locations of uploads in a data folder, and when its database was restored. */
export const uploadLocations = (dataDir: string) => ({
  folder: path.join(dataDir, 'uploads'),
  asideFolder: path.join(dataDir, SET_ASIDE_FOLDER),
  restoredAt: () => readNewDatabaseDate(dataDir),
})

/** Opens the upload folder and removes incomplete files of crashed processes. */
export function openUploads(options: {
  readonly folder: string
  readonly asideFolder: string
  readonly store: Records
  readonly clock: () => Instant
  /** Returns when the database was restored; null if never. Defaults to never. */
  readonly restoredAt?: () => Promise<Instant | null>
  /** Bytes of disk space that uploads must leave free. */
  readonly freeBytesMin?: number
}): Uploads {
  const { store, clock } = options
  const { proofs = null } = store
  const { restoredAt = async () => null } = options
  const databaseSince: Since = async () => {
    const [restored, created] = await Promise.all([restoredAt(), store.databaseSince()])
    return restored === null || created === null
      ? (restored ?? created)
      : instant(Math.max(restored, created))
  }
  const { freeBytesMin = FREE_BYTES_MIN } = options
  const disk: Disk = {
    folder: options.folder,
    asideFolder: options.asideFolder,
    freeBytesMin,
    submitted: new Map(),
    removals: new Map(),
    flushes: createFlushes(),
  }
  mkdirSync(path.join(disk.folder, INCOMING), { recursive: true })
  removeLeftovers(path.join(disk.folder, INCOMING))
  return {
    receive: (content, bytesMax) => receive(disk, content, bytesMax),
    typeOf: (file, name, accept) => detectMediaType(file.path, name, accept),
    removePhotoMetadata,
    discard: (file) => rm(file.path, { force: true }),
    ...(proofs === null
      ? storeOnDisk(disk, store, clock, databaseSince)
      : storeInDatabase(proofs, store, clock, databaseSince)),
  }
}

type FileApi = Pick<Uploads, 'keep' | 'hold' | 'read' | 'forget' | 'sweep' | 'reclaim' | 'state'>
/** Returns when this database was restored or created. */
type Since = () => Promise<Instant | null>

function storeOnDisk(disk: Disk, store: Records, clock: () => Instant, since: Since): FileApi {
  const filePath = (sha256: string): string => pathOf(disk, sha256)
  let lastSweep: Pick<Swept, 'held' | 'aside'> = { held: null, aside: 0 }
  return {
    keep: async (file) => {
      disk.submitted.set(file.sha256, clock())
      await disk.removals.get(file.sha256)
      await storeDurably(disk.flushes, pathOf(disk, file.sha256), file, clock())
    },
    hold: async (sha256) => {
      disk.submitted.set(sha256, clock())
      await disk.removals.get(sha256)
      return (
        (await stat(filePath(sha256)).catch(() => null)) !== null ||
        restoreFile(disk.asideFolder, filePath, sha256)
      )
    },
    read: (sha256) => read(disk, sha256),
    forget: async (sha256s) => {
      const used = new Set(await store.uploadsInUse(sha256s))
      for (const sha256 of sha256s) if (!used.has(sha256)) await remove(disk, sha256)
    },
    sweep: async (moveAll = false) => {
      const at = clock()
      const result = await sweep(disk, store, at, !moveAll && isYoung(await since(), at), moveAll)
      lastSweep = result
      return result
    },
    reclaim: async () => {
      const { aside } = await checkSetAside(disk.asideFolder, filePath, store, null)
      lastSweep = { ...lastSweep, aside }
    },
    state: () => uploadsState(lastSweep, disk.asideFolder),
  }
}

/** Stores files in the database, where every server can read them; nothing stays on this disk. */
function storeInDatabase(
  proofs: ProofShelf,
  store: Records,
  clock: () => Instant,
  since: Since,
): FileApi {
  let lastSweep: Pick<Swept, 'held' | 'aside'> = { held: null, aside: 0 }
  return {
    keep: (file) => proofs.keep(file, clock()),
    hold: (sha256) => proofs.hold(sha256, clock()),
    read: async (sha256) => (isHash(sha256) ? proofs.read(sha256) : null),
    forget: (sha256s) => proofs.forget(sha256s),
    sweep: async (moveAll = false) => {
      const at = clock()
      const { dropped, forgotten } = await dropOldReferences(store, at)
      await proofs.forget(forgotten)
      const isRecent = !moveAll && isYoung(await since(), at)
      const result = await proofs.sweep({
        at,
        keptBefore: instant(at - UNUSED_MS_MAX),
        deleteBefore: isRecent ? null : instant(deletionLimit(at)),
        mayMove: (unknown, files) => (moveAll ? null : findHoldReason(unknown, files, isRecent)),
      })
      lastSweep = result
      return { ...result, dropped }
    },
    // A file that was set aside can still be read and protected, so nothing needs to be moved back.
    reclaim: async () => {},
    state: () => uploadsState(lastSweep, 'the database (proof_files.aside_at)'),
  }
}

function pathOf(disk: Disk, sha256: string): string {
  return path.join(disk.folder, sha256.slice(0, 2), sha256)
}

/** Writes each chunk to disk before reading the next, so that a file is never completely in memory. */
async function receive(
  disk: Disk,
  content: Readable,
  bytesMax: number,
): Promise<Result<ReceivedFile, ReceiveRefusal>> {
  const filePath = path.join(disk.folder, INCOMING, `${process.pid}.${randomUUID()}`)
  const hash = createHash('sha256')
  let bytes = 0
  let isComplete = false
  let isWriting = false
  const file = await open(filePath, 'wx')
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      // An empty file input needs no disk space.
      if (bytes === 0 && (await isNearlyFull(disk))) return err('no_room')
      bytes += chunk.length
      if (bytes > bytesMax) return err('too_large')
      hash.update(chunk)
      isWriting = true
      await file.writeFile(chunk)
      isWriting = false
    }
    isComplete = true
    return ok({ path: filePath, sha256: hash.digest('hex'), bytes })
  } catch (error) {
    // The sender's connection failed. A full disk is our own error, and is thrown.
    if (content.errored !== null && !isWriting) return err('cut_off')
    throw error
  } finally {
    await file.close()
    if (!isComplete) await rm(filePath, { force: true })
  }
}

async function isNearlyFull({ folder, freeBytesMin }: Disk): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize < freeBytesMin
}

async function removePhotoMetadata(file: ReceivedFile, mime: string): Promise<ReceivedFile> {
  if (!mime.startsWith('image/')) return file
  const image = await open(file.path, 'r+')
  try {
    const stripped = await removeMetadata(image, file.bytes, mime)
    return stripped === null ? file : { path: file.path, ...stripped }
  } finally {
    await image.close()
  }
}

/** Flushes, then renames: the file under its hash is either complete or absent. */
async function storeDurably(
  flushes: Flushes,
  filePath: string,
  received: ReceivedFile,
  at: Instant,
): Promise<void> {
  const existing = await stat(filePath).catch(() => null)
  const parent = path.dirname(filePath)
  if (existing?.size === received.bytes) {
    // Resets the age, for the sweep after a restart.
    await utimes(filePath, at / 1000, at / 1000)
    await rm(received.path, { force: true })
  } else {
    await mkdir(parent, { recursive: true })
    const file = await open(received.path, 'r+')
    try {
      await file.utimes(at / 1000, at / 1000)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(received.path, filePath)
  }
  // Also if the file existed: the process that wrote it may have died before this line.
  await flushes.flush(parent)
  await flushes.flushOnce(path.dirname(parent), path.basename(parent))
}

/** Null if there is no such file. Accepts only hashes, never paths. */
async function read(
  disk: Disk,
  sha256: string,
): Promise<{ readonly bytes: number; readonly content: Readable } | null> {
  if (!isHash(sha256)) return null
  const pathTo = (one: string): string => pathOf(disk, one)
  const openFile = () =>
    open(pathTo(sha256), 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
  const file =
    (await openFile()) ??
    ((await restoreFile(disk.asideFolder, pathTo, sha256)) ? await openFile() : null)
  return file === null
    ? null
    : { bytes: (await file.stat()).size, content: file.createReadStream() }
}

/**
 * A file in the incoming folder belongs to a request of one process. Files with our own process id are leftovers as
 * well, because a container gives every process the same id.
 */
function removeLeftovers(incoming: string): void {
  for (const name of readdirSync(incoming)) {
    const pid = Number(name.split('.')[0])
    if (pid === process.pid || !isAlive(pid)) unlinkSync(path.join(incoming, name))
  }
}

function isAlive(pid: number): boolean {
  try {
    // Signal 0 sends nothing: it only checks that the process exists. EPERM: it exists and belongs to another
    // user.
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Drops old references to files. Returns the number of registrations, and the files of unsubmitted forms. */
async function dropOldReferences(
  store: Records,
  at: Instant,
): Promise<{ readonly dropped: number; readonly forgotten: readonly string[] }> {
  const failedBefore = instant(at - UNPAID_DAYS_MAX * 24 * 60 * 60 * 1000)
  const forgotten = await store.forgetOldDrafts(instant(at - DRAFT_MS))
  const dropped = await store.dropProofs(failedBefore, at, `not paid for ${UNPAID_DAYS_MAX} days`)
  return { dropped, forgotten }
}

/**
 * Removes files that registrations have dropped or drafts no longer need, and sets aside files that no record refers
 * to and that were not submitted recently. `isRecent` and `moveAll` decide whether few, none or all of the
 * unknown files are set aside.
 */
async function sweep(
  disk: Disk,
  store: Records,
  at: Instant,
  isRecent: boolean,
  moveAll: boolean,
): Promise<Swept> {
  const pathTo = (sha256: string): string => pathOf(disk, sha256)
  const { dropped, forgotten } = await dropOldReferences(store, at)
  /** Files that this process received for no registration: they do not indicate a wrong database. */
  const rejectedHere = new Set<string>()
  for (const [sha256, submittedAt] of disk.submitted) {
    if (at - submittedAt < UNUSED_MS_MAX) continue
    rejectedHere.add(sha256)
    disk.submitted.delete(sha256)
  }
  const { old, files } = await findOldFiles(disk.folder, INCOMING, instant(at - UNUSED_MS_MAX))
  const candidates = [...new Set([...old, ...forgotten])]
  const used = new Set(await inBatches(candidates, (some) => store.uploadsInUse(some)))
  const unused = candidates.filter((sha256) => !used.has(sha256) && !disk.submitted.has(sha256))
  const known = new Set([
    ...forgotten,
    ...(await inBatches(unused, (some) => store.uploadsDropped(some))),
  ])
  const unneeded = unused.filter((sha256) => known.has(sha256))
  // The file may have been submitted again since the query.
  const isNotSubmittedAgain = (sha256: string): boolean => !disk.submitted.has(sha256)
  for (const sha256 of unneeded) if (isNotSubmittedAgain(sha256)) await remove(disk, sha256)

  const unknown = unused.filter((sha256) => !known.has(sha256))
  const unexpected = unknown.filter((sha256) => !rejectedHere.has(sha256))
  const holdReason = moveAll
    ? null
    : findHoldReason(isRecent ? unknown.length : unexpected.length, files, isRecent)
  const movedFiles = holdReason === null ? unknown : []
  for (const sha256 of movedFiles)
    if (isNotSubmittedAgain(sha256)) await moveAside(disk, sha256, at)
  const { aside, removed } = await checkSetAside(
    disk.asideFolder,
    pathTo,
    store,
    isRecent ? null : deletionLimit(at),
  )
  return {
    dropped,
    removed: unneeded.length + removed,
    setAside: movedFiles.length,
    held: holdReason,
    aside,
  }
}

/** A request that submits the same bytes in the meantime waits for the removal. */
async function remove(disk: Disk, sha256: string): Promise<void> {
  await trackRemoval(disk, sha256, async () => {
    await rm(pathOf(disk, sha256), { force: true })
    await rm(path.join(disk.asideFolder, sha256), { force: true })
  })
}

async function moveAside(disk: Disk, sha256: string, at: Instant): Promise<void> {
  await trackRemoval(disk, sha256, () =>
    setAside(disk.asideFolder, pathOf(disk, sha256), sha256, at),
  )
}

async function trackRemoval(
  disk: Disk,
  sha256: string,
  removeFile: () => Promise<void>,
): Promise<void> {
  const removal = removeFile().finally(() => disk.removals.delete(sha256))
  disk.removals.set(sha256, removal)
  await removal
}
