/**
 * Sets aside uploaded files that no record refers to.
 * They are not deleted immediately, because the database may be an older copy or empty. They are set aside for a
 * while, a few at a time, and moved back when a record refers to them.
 */
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import type { Instant } from '../../../engine/index.ts'
import type { UploadsState } from '../../dependencies.ts'
import type { HeldFiles, SweepResult } from '../../storage/files/upload-storage-types.ts'
import type { Store } from '../../storage/index.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** The folder in DATA_DIR for files that are set aside. */
export const SET_ASIDE_FOLDER = 'unknown-files'
/** The number of days for which files stay set aside. */
export const SET_ASIDE_DAYS = 30
/**
 * For this many days after a restore, or after a start with an empty database, no file is moved, because another copy
 * may still be restored.
 */
export const RECENT_DATABASE_DAYS = 7
/**
 * Interrupted requests leave a few files. If there are many, the database may not belong to these files. Many means
 * more than twenty, or more than one in a hundred. Up to five files are always moved.
 */
const MAX_LEFTOVER_FILES = 20
const MAX_LEFTOVER_PERCENT = 1
const ALWAYS_MOVABLE_FILES = 5
/** The number of hashes per query. */
const MAX_BATCH_SIZE = 500

/** Returns the reason why this number of files is not moved; null if they are moved. */
export function findHoldReason(count: number, total: number, isRecent: boolean): HeldFiles | null {
  if (count === 0) return null
  if (isRecent) return { count, why: 'recent' }
  const areTooMany =
    count > MAX_LEFTOVER_FILES ||
    (count > ALWAYS_MOVABLE_FILES && count * 100 > total * MAX_LEFTOVER_PERCENT)
  return areTooMany ? { count, why: 'many' } : null
}

/** Returns the cut-off time for deletion: files that were set aside before it are deleted. */
export const getDeletionCutoff = (at: Instant): number => at - SET_ASIDE_DAYS * DAY_MS

/**
 * Returns true if the database was created or restored recently. `createdOrRestoredAt` is null if unknown. A
 * clock that was set back makes the database appear newer.
 */
export const isRecentDatabase = (createdOrRestoredAt: Instant | null, at: Instant): boolean =>
  createdOrRestoredAt !== null && at - createdOrRestoredAt < RECENT_DATABASE_DAYS * DAY_MS

/** Formats the sentence for the health report and `rollcall db unknown-files`. */
export function formatHoldReason({ count, why: reason }: HeldFiles): string {
  const files =
    count === 1
      ? '1 uploaded file does not belong to any registration in the database'
      : `${count} uploaded files do not belong to any registration in the database`
  return reason === 'recent'
    ? `${files}. No file is moved within ${RECENT_DATABASE_DAYS} days of a restore or of a start with an empty database.`
    : `${files}, more than interrupted requests would leave behind. None were moved. Check that DATA_DIR contains the right database. If it does, run rollcall db unknown-files --set-aside.`
}
export const formatSetAside = (count: number, location: string): string =>
  count === 1
    ? `1 uploaded file that does not belong to any registration is in ${location}. It is deleted after ${SET_ASIDE_DAYS} days, or moved back if a registration refers to it again.`
    : `${count} uploaded files that do not belong to any registration are in ${location}. They are deleted after ${SET_ASIDE_DAYS} days. A file is moved back if a registration refers to it again.`

/** Returns the files that are set aside, by hash, with the time at which they were moved. */
async function listSetAside(folder: string): Promise<ReadonlyMap<string, number>> {
  const filesByHash = new Map<string, number>()
  for (const name of await readdir(folder).catch(() => []))
    filesByHash.set(name, (await stat(path.join(folder, name))).mtimeMs)
  return filesByHash
}

type ReferenceStore = Pick<Store, 'uploadsInUse'>

/** Moves back files that a record refers to again, and deletes those that were set aside for long enough. */
export async function restoreOrDeleteSetAside(
  folder: string,
  getFilePath: (sha256: string) => string,
  store: ReferenceStore,
  deleteBefore: number | null,
): Promise<{ readonly asideCount: number; readonly removed: number }> {
  const files = await listSetAside(folder)
  const usedHashes = new Set(
    await queryInBatches([...files.keys()], (batch) => store.uploadsInUse(batch)),
  )
  let removed = 0
  for (const [sha256, movedAt] of files) {
    if (usedHashes.has(sha256)) await restoreFile(folder, getFilePath, sha256)
    else if (deleteBefore !== null && movedAt <= deleteBefore) {
      await rm(path.join(folder, sha256), { force: true })
      removed += 1
    }
  }
  return { asideCount: files.size - usedHashes.size - removed, removed }
}

/** Moves a file back to its folder; returns false if it is not set aside. */
export async function restoreFile(
  folder: string,
  getFilePath: (sha256: string) => string,
  sha256: string,
): Promise<boolean> {
  const filePath = getFilePath(sha256)
  try {
    await stat(path.join(folder, sha256))
    await mkdir(path.dirname(filePath), { recursive: true })
    await rename(path.join(folder, sha256), filePath)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

export async function setAside(
  folder: string,
  filePath: string,
  sha256: string,
  at: Instant,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const asidePath = path.join(folder, sha256)
  await rename(filePath, asidePath)
  await utimes(asidePath, at / 1000, at / 1000)
}

export async function queryInBatches<T>(
  hashes: readonly string[],
  query: (batch: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const results: T[] = []
  for (let from = 0; from < hashes.length; from += MAX_BATCH_SIZE)
    results.push(...(await query(hashes.slice(from, from + MAX_BATCH_SIZE))))
  return results
}

export function describeUploads(
  { held, asideCount }: Pick<SweepResult, 'held' | 'asideCount'>,
  location: string,
): UploadsState {
  const notes = [
    ...(held?.why === 'recent' ? [formatHoldReason(held)] : []),
    ...(asideCount > 0 ? [formatSetAside(asideCount, location)] : []),
  ]
  return {
    problem: held?.why === 'many' ? formatHoldReason(held) : null,
    note: notes.length === 0 ? null : notes.join(' '),
  }
}

/** Returns the hashes of files that were not submitted recently, and the total number of files. */
export async function findOldFiles(
  folder: string,
  incoming: string,
  submittedBefore: Instant,
): Promise<{ readonly old: readonly string[]; readonly fileCount: number }> {
  const oldHashes: string[] = []
  let fileCount = 0
  for (const folderName of await readdir(folder).catch(() => [])) {
    if (folderName === incoming) continue
    for (const name of await readdir(path.join(folder, folderName)).catch(() => [])) {
      const stats = await stat(path.join(folder, folderName, name)).catch(() => null)
      if (stats === null || !isHash(name)) continue
      fileCount += 1
      if (stats.mtimeMs <= submittedBefore) oldHashes.push(name)
    }
  }
  return { old: oldHashes, fileCount }
}

export const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
