/** Stores uploads under their hashes in DATA_DIR: the disk of a single server. */
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import type { Instant } from '../../../engine/index.ts'
import type {
  StagedFile,
  SweepOptions,
  SweptFiles,
  UploadStorage,
} from '../../storage/files/upload-storage-types.ts'
import type { Store } from '../../storage/index.ts'
import { createFolderFlusher } from './flush-folders.ts'
import type { FolderFlusher } from './flush-folders.ts'
import {
  queryInBatches,
  isHash,
  restoreOrDeleteSetAside,
  findOldFiles,
  restoreFile,
  setAside,
} from './unreferenced-files.ts'

/** The folder for unchecked files, in the same file system, so that a rename stores them. */
export const INCOMING_FOLDER = 'incoming'

type References = Pick<Store, 'uploadsInUse' | 'uploadsDropped'>
type Disk = {
  readonly folder: string
  /** The folder for files that no record refers to, which are kept for a while. */
  readonly asideFolder: string
  /** The files that are being removed at the moment. */
  readonly removals: Map<string, Promise<void>>
  readonly flushes: FolderFlusher
}

export function openDiskUploads(
  folders: Pick<Disk, 'folder' | 'asideFolder'>,
  references: References,
): UploadStorage {
  const disk: Disk = { ...folders, removals: new Map(), flushes: createFolderFlusher() }
  const getFilePath = (sha256: string): string => getPath(disk, sha256)
  return {
    location: disk.asideFolder,
    storeFile: async (file, at) => {
      await disk.removals.get(file.sha256)
      await storeDurably(disk.flushes, getFilePath(file.sha256), file, at)
    },
    protectFile: async (sha256) => {
      await disk.removals.get(sha256)
      return (
        (await stat(getFilePath(sha256)).catch(() => null)) !== null ||
        restoreFile(disk.asideFolder, getFilePath, sha256)
      )
    },
    read: (sha256) => read(disk, sha256),
    listHashes: () => listHashes(disk.folder),
    removeFiles: async (sha256s, isSubmitted = () => false) => {
      const usedHashes = new Set(await queryInBatches(sha256s, references.uploadsInUse))
      let removedCount = 0
      for (const sha256 of sha256s) {
        // The file may have been submitted again since the query.
        if (usedHashes.has(sha256) || isSubmitted(sha256)) continue
        await remove(disk, sha256)
        removedCount += 1
      }
      return removedCount
    },
    sweep: (options) => sweepUploads(disk, references, options),
    reclaim: async () =>
      (await restoreOrDeleteSetAside(disk.asideFolder, getFilePath, references, null)).asideCount,
    // The free space of the disk is checked separately.
    check: async () => null,
  }
}

const getPath = ({ folder }: Pick<Disk, 'folder'>, sha256: string): string =>
  path.join(folder, sha256.slice(0, 2), sha256)

async function listHashes(folder: string): Promise<readonly string[]> {
  const hashes: string[] = []
  for (const prefix of await readdir(folder).catch(() => []))
    if (prefix !== INCOMING_FOLDER)
      hashes.push(...(await readdir(path.join(folder, prefix)).catch(() => [])).filter(isHash))
  return hashes
}

/** Flushes, then renames: the file under its hash is either complete or absent. */
async function storeDurably(
  flushes: FolderFlusher,
  filePath: string,
  receivedFile: StagedFile,
  at: Instant,
): Promise<void> {
  const existing = await stat(filePath).catch(() => null)
  const parent = path.dirname(filePath)
  if (existing?.size === receivedFile.bytes) {
    // Resets the age, for the sweep after a restart.
    await utimes(filePath, at / 1000, at / 1000)
    await rm(receivedFile.path, { force: true })
  } else {
    await mkdir(parent, { recursive: true })
    const file = await open(receivedFile.path, 'r+')
    try {
      await file.utimes(at / 1000, at / 1000)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(receivedFile.path, filePath)
  }
  // The folder is flushed even if the file existed, because the process that wrote it may have crashed before this
  // line.
  await flushes.flush(parent)
  await flushes.flushOnce(path.dirname(parent), path.basename(parent))
}

/** Opens a stored file. Null if there is no such file. Accepts only hashes, never paths. */
async function read(
  disk: Disk,
  sha256: string,
): Promise<{ readonly bytes: number; readonly content: Readable } | null> {
  if (!isHash(sha256)) return null
  const getPathOf = (hash: string): string => getPath(disk, hash)
  const openFile = () =>
    open(getPathOf(sha256), 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
  const file =
    (await openFile()) ??
    ((await restoreFile(disk.asideFolder, getPathOf, sha256)) ? await openFile() : null)
  return file === null
    ? null
    : { bytes: (await file.stat()).size, content: file.createReadStream() }
}

/**
 * Removes files that registrations no longer refer to, and sets aside files that no record refers to and that were
 * not submitted recently.
 */
async function sweepUploads(
  disk: Disk,
  references: References,
  { at, keptBefore, deleteBefore, isSubmitted, expected, findHoldReason }: SweepOptions,
): Promise<SweptFiles> {
  const { old, fileCount } = await findOldFiles(disk.folder, INCOMING_FOLDER, keptBefore)
  const usedHashes = new Set(await queryInBatches(old, references.uploadsInUse))
  const unusedHashes = old.filter((sha256) => !usedHashes.has(sha256) && !isSubmitted(sha256))
  const droppedHashes = new Set(await queryInBatches(unusedHashes, references.uploadsDropped))
  // The file may have been submitted again since the query.
  for (const sha256 of droppedHashes) if (!isSubmitted(sha256)) await remove(disk, sha256)

  const unknownHashes = unusedHashes.filter((sha256) => !droppedHashes.has(sha256))
  const unexpectedHashes = unknownHashes.filter((sha256) => !expected.has(sha256))
  const heldReason = findHoldReason(unknownHashes.length, unexpectedHashes.length, fileCount)
  const movedFiles = heldReason === null ? unknownHashes : []
  for (const sha256 of movedFiles) if (!isSubmitted(sha256)) await moveAside(disk, sha256, at)
  const { asideCount, removed: removedCount } = await restoreOrDeleteSetAside(
    disk.asideFolder,
    (sha256) => getPath(disk, sha256),
    references,
    deleteBefore,
  )
  return {
    removed: droppedHashes.size + removedCount,
    setAside: movedFiles.length,
    held: heldReason,
    asideCount,
  }
}

/** Removes a file. A request that submits the same bytes in the meantime waits for the removal. */
async function remove(disk: Disk, sha256: string): Promise<void> {
  await trackRemoval(disk, sha256, async () => {
    await rm(getPath(disk, sha256), { force: true })
    await rm(path.join(disk.asideFolder, sha256), { force: true })
  })
}

async function moveAside(disk: Disk, sha256: string, at: Instant): Promise<void> {
  await trackRemoval(disk, sha256, () =>
    setAside(disk.asideFolder, getPath(disk, sha256), sha256, at),
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
