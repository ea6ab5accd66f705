/** Makes stored files readable only by the user that the server runs as. */
import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** Rollcall's entries in a data folder. The operator may have chosen a folder that also contains other files. */
const ENTRY_NAMES =
  /^(rollcall\.db(-wal|-shm|-journal)?|rollcall\.before-v\d+\.db|rollcall\.rescued(-\d+)?\.db|rollcall\.lost|before-(restore|new)-.+|before-rescue(-\d+)?|backed-up|last-served\.json|new-database|second-factor\.key|serving\.(lock|pid|mark)|sandbox(-[a-z]+)?\.jsonl|uploads|unknown-files|mail|cache)$|\.log$/
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
const OTHERS_MASK = 0o077
/** Mode of shared folders such as /tmp, whose permissions must not change. */
const SHARED_FOLDER_MODE = 0o1002

/**
 * Explains why a server cannot use a data folder, and gives the next step. `error` was thrown when creating or reading
 * the folder.
 */
export function explainDataDir(folder: string, error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return `DATA_DIR is ${folder}, which is a file or is inside one. Set DATA_DIR to a folder.`
  if (code === 'EROFS')
    return `DATA_DIR is ${folder}, on a disk that is mounted read-only. Mount the disk read-write.`
  return `DATA_DIR is ${folder}, which the user who runs Rollcall cannot write to. Give that user permission to write there, or set DATA_DIR to another folder.`
}

/** Thrown instead of creating a data folder whose parent is missing. The message includes the next step. */
export class MissingParentFolder extends Error {}

/**
 * Explains why a data folder is not created; null if it may be. Missing parent folders are not created, because the
 * path may be misspelt or its disk not mounted: a server would start with an empty database, and a restored backup
 * would be on the wrong disk.
 */
export function explainMissingParent(folder: string): string | null {
  const parent = path.dirname(folder)
  return existsSync(folder) || existsSync(parent)
    ? null
    : `DATA_DIR is ${folder}, but there is no folder ${parent}. Create it, or mount its disk.`
}

/** Throws the explanation if the parent of a data folder is missing. */
export function requireParentFolder(folder: string): void {
  const reason = explainMissingParent(folder)
  if (reason !== null) throw new MissingParentFolder(reason)
}

/** The number of entries that others can no longer read, and the entries that belong to another user. */
export type PermissionResult = {
  readonly restrictedCount: number
  readonly notOwned: readonly string[]
}

/** Creates a folder, but not its parents. */
function makeFolder(folder: string): void {
  requireParentFolder(folder)
  if (existsSync(folder) && statSync(folder).isDirectory()) return
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

/**
 * Creates the folder if it is missing. Makes the folder, our entries in it, and files that this process creates later
 * readable only by this user. Throws if the folder cannot be created, or if its parent folder is missing.
 */
export function makePrivate(folder: string): PermissionResult {
  if (isMainThread) process.umask(OTHERS_MASK)
  makeFolder(folder)
  const notOwned: string[] = []
  let restrictedCount = 0
  const restrict = (entry: string): void => {
    // Another server may have deleted the entry in the meantime.
    const stats = lstatSync(entry, { throwIfNoEntry: false })
    if (stats === undefined) return
    const { mode } = stats
    const isFolder = (mode & 0o170000) === 0o040000
    const isFile = (mode & 0o170000) === 0o100000
    if (!isFolder && !isFile) return
    if ((mode & OTHERS_MASK) !== 0) {
      try {
        chmodSync(entry, isFolder ? FOLDER_MODE : FILE_MODE)
        restrictedCount += 1
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') notOwned.push(entry)
      }
    }
    if (isFolder) for (const name of readdirSync(entry)) restrict(path.join(entry, name))
  }
  for (const name of readdirSync(folder))
    if (ENTRY_NAMES.test(name)) restrict(path.join(folder, name))
  const { mode } = lstatSync(folder)
  const hasOtherFiles = readdirSync(folder).some((name) => !ENTRY_NAMES.test(name))
  if ((mode & OTHERS_MASK) !== 0 && (mode & SHARED_FOLDER_MODE) === 0 && !hasOtherFiles) {
    try {
      chmodSync(folder, FOLDER_MODE)
      restrictedCount += 1
    } catch {
      notOwned.push(folder)
    }
  }
  return { restrictedCount, notOwned }
}

/**
 * Changes the owner of entries created by root to the folder's owner. Otherwise the server, which runs as
 * another user, could not read them.
 */
export function changeToFolderOwner(folder: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = lstatSync(folder)
  const changeOwner = (entry: string): void => {
    const stats = lstatSync(entry, { throwIfNoEntry: false })
    if (stats === undefined) return
    if (stats.uid === 0 && uid !== 0) lchownSync(entry, uid, gid)
    if (stats.isDirectory())
      for (const name of readdirSync(entry)) changeOwner(path.join(entry, name))
  }
  for (const name of readdirSync(folder))
    if (ENTRY_NAMES.test(name)) changeOwner(path.join(folder, name))
}
