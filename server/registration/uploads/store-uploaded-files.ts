/** Receives uploaded files and stores them under the hash of their content, outside every served folder. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { err, instant, ok } from '../../../engine/index.ts'
import type { Instant, Result } from '../../../engine/index.ts'
import type { Environment, ReceivedFile, ReceiveRefusal, Uploads } from '../../dependencies.ts'
import { readNewDatabaseDate } from '../../ops/recovery/new-database-date.ts'
import type { S3Bucket } from '../../storage/files/s3-bucket.ts'
import type { SweepResult, UploadStorage } from '../../storage/files/upload-storage-types.ts'
import { openS3Uploads } from '../../storage/files/uploads-in-s3.ts'
import type { Store } from '../../storage/index.ts'
import { detectMediaType } from './file-type.ts'
import { removeMetadata } from './remove-photo-metadata.ts'
import {
  SET_ASIDE_FOLDER,
  isHash,
  isRecentDatabase,
  getDeletionCutoff,
  describeUploads,
  findHoldReason,
} from './unreferenced-files.ts'
import { INCOMING_FOLDER, openDiskUploads } from './uploads-on-disk.ts'

/** A file without a registration is kept for this long, because its registration may still be in progress. */
const UNUSED_FILE_RETENTION_MS = 24 * 60 * 60 * 1000
/** Disk space reserved for the database, its log, emails, and registrations without an upload. */
const MIN_FREE_BYTES = 512 * 1024 * 1024
/** After this many days, an unpaid registration is considered abandoned: it will not be retried or paid late. */
const MAX_UNPAID_DAYS = 30
/** A delegate who has to fetch another document or card before registering returns within this time. */
export const DRAFT_LIFETIME_MS = 3 * 24 * 60 * 60 * 1000
type References = Pick<Store, 'uploadsInUse' | 'uploadsDropped'> & Partial<Pick<Store, 'proofs'>>
type UploadRecords = References &
  Pick<Store, 'dropFilesOfUnpaid' | 'deleteOldDraftUploads' | 'databaseSince'>
/** The disk that receives files before they are stored. */
type Disk = { readonly folder: string; readonly minFreeBytes: number }

/** Returns the locations of uploads, and a function that returns the time at which the database was restored. */
export const getUploadLocations = ({
  dataDir,
  uploadsBucket = null,
}: Pick<Environment, 'dataDir' | 'uploadsBucket'>) => ({
  bucket: uploadsBucket,
  folder: path.join(dataDir, 'uploads'),
  asideFolder: path.join(dataDir, SET_ASIDE_FOLDER),
  getRestoreTime: () => readNewDatabaseDate(dataDir),
})

type StorageOptions = {
  readonly folder: string
  readonly asideFolder: string
  /** The bucket that stores files; null to store them in the database or, if the database is a file, on disk. */
  readonly bucket: S3Bucket | null
  readonly store: References
}

/** Opens the storage for received files, without changing anything. */
export function openUploadStorage(options: StorageOptions): UploadStorage {
  const { bucket, store } = options
  return bucket !== null
    ? openS3Uploads(bucket, store)
    : (store.proofs ?? openDiskUploads(options, store))
}

/** Opens the upload folder and removes incomplete files of crashed processes. */
export function openUploads(
  options: StorageOptions & {
    readonly store: UploadRecords
    readonly clock: () => Instant
    /** Returns the time at which the database was restored; null (the default) if never. */
    readonly getRestoreTime?: () => Promise<Instant | null>
    /** Bytes of disk space that uploads must leave free. */
    readonly minFreeBytes?: number
  },
): Uploads {
  const { store, clock } = options
  const { getRestoreTime = async () => null } = options
  const getDatabaseTime: ReadDatabaseTime = async () => {
    const [restoredTime, createdTime] = await Promise.all([getRestoreTime(), store.databaseSince()])
    return restoredTime === null || createdTime === null
      ? (restoredTime ?? createdTime)
      : instant(Math.max(restoredTime, createdTime))
  }
  const { minFreeBytes = MIN_FREE_BYTES } = options
  const disk: Disk = { folder: options.folder, minFreeBytes }
  const storage = openUploadStorage(options)
  mkdirSync(path.join(disk.folder, INCOMING_FOLDER), { recursive: true })
  removeLeftovers(path.join(disk.folder, INCOMING_FOLDER))
  return {
    receive: (content, maxBytes) => receive(disk, content, maxBytes),
    detectType: (file, name, accept) => detectMediaType(file.path, name, accept),
    removePhotoMetadata,
    discard: (file) => rm(file.path, { force: true }),
    ...createFileApi(storage, store, clock, getDatabaseTime),
  }
}

type FileApi = Pick<
  Uploads,
  | 'storeFile'
  | 'protectFile'
  | 'read'
  | 'listHashes'
  | 'removeFiles'
  | 'sweep'
  | 'reclaim'
  | 'state'
  | 'check'
>
/** Returns the time at which this database was restored or created. */
type ReadDatabaseTime = () => Promise<Instant | null>

function createFileApi(
  storage: UploadStorage,
  store: UploadRecords,
  clock: () => Instant,
  readDatabaseTime: ReadDatabaseTime,
): FileApi {
  let lastSweep: Pick<SweepResult, 'held' | 'asideCount'> = { held: null, asideCount: 0 }
  /** The time at which each hash was last submitted since the server started. */
  const submissionTimes = new Map<string, Instant>()
  const isSubmitted = (sha256: string): boolean => submissionTimes.has(sha256)
  return {
    storeFile: async (file) => {
      const at = clock()
      submissionTimes.set(file.sha256, at)
      await storage.storeFile(file, at)
    },
    protectFile: async (sha256) => {
      const at = clock()
      submissionTimes.set(sha256, at)
      return storage.protectFile(sha256, at)
    },
    read: async (sha256) => (isHash(sha256) ? storage.read(sha256) : null),
    listHashes: () => storage.listHashes(),
    removeFiles: async (sha256s) => void (await storage.removeFiles(sha256s)),
    sweep: async (moveAll = false) => {
      const at = clock()
      const { droppedCount, forgottenHashes } = await dropOldReferences(store, at)
      const expectedHashes = new Set<string>()
      for (const [sha256, submittedAt] of submissionTimes) {
        if (at - submittedAt < UNUSED_FILE_RETENTION_MS) continue
        expectedHashes.add(sha256)
        submissionTimes.delete(sha256)
      }
      const forgottenFiles = await storage.removeFiles(forgottenHashes, isSubmitted)
      const isRecent = !moveAll && isRecentDatabase(await readDatabaseTime(), at)
      const sweepResult = await storage.sweep({
        at,
        keptBefore: instant(at - UNUSED_FILE_RETENTION_MS),
        deleteBefore: isRecent ? null : instant(getDeletionCutoff(at)),
        isSubmitted,
        expected: expectedHashes,
        findHoldReason: (unknown, unexpected, files) =>
          moveAll ? null : findHoldReason(isRecent ? unknown : unexpected, files, isRecent),
      })
      lastSweep = sweepResult
      return {
        ...sweepResult,
        removed: sweepResult.removed + forgottenFiles,
        dropped: droppedCount,
      }
    },
    reclaim: async () => {
      const asideCount = await storage.reclaim()
      if (asideCount !== null) lastSweep = { ...lastSweep, asideCount }
    },
    state: () => describeUploads(lastSweep, storage.location),
    check: () => storage.check(),
  }
}

/** Writes each chunk to disk before reading the next, so that a file is never completely in memory. */
async function receive(
  disk: Disk,
  content: Readable,
  maxBytes: number,
): Promise<Result<ReceivedFile, ReceiveRefusal>> {
  const filePath = path.join(disk.folder, INCOMING_FOLDER, `${process.pid}.${randomUUID()}`)
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
      if (bytes > maxBytes) return err('too_large')
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

async function isNearlyFull({ folder, minFreeBytes }: Disk): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize < minFreeBytes
}

async function removePhotoMetadata(file: ReceivedFile, mime: string): Promise<ReceivedFile> {
  if (!mime.startsWith('image/')) return file
  const image = await open(file.path, 'r+')
  try {
    const strippedFile = await removeMetadata(image, file.bytes, mime)
    return strippedFile === null ? file : { path: file.path, ...strippedFile }
  } finally {
    await image.close()
  }
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

/** Removes old references to files. Returns the number of registrations, and the file hashes of unsubmitted forms. */
async function dropOldReferences(
  store: UploadRecords,
  at: Instant,
): Promise<{ readonly droppedCount: number; readonly forgottenHashes: readonly string[] }> {
  const failedBefore = instant(at - MAX_UNPAID_DAYS * 24 * 60 * 60 * 1000)
  const forgottenHashes = await store.deleteOldDraftUploads(instant(at - DRAFT_LIFETIME_MS))
  const droppedCount = await store.dropFilesOfUnpaid(
    failedBefore,
    at,
    `unpaid for ${MAX_UNPAID_DAYS} days`,
  )
  return { droppedCount, forgottenHashes }
}
