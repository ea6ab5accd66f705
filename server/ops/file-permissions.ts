/** Makes stored files readable only for the user that the server runs as. */
import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** Our entries in a data folder. The operator may have chosen a folder that also contains other files. */
const ENTRY_NAMES =
  /^(rollcall\.db(-wal|-shm|-journal)?|rollcall\.before-v\d+\.db|rollcall\.rescued(-\d+)?\.db|rollcall\.lost|before-(restore|new)-.+|before-rescue(-\d+)?|backed-up|last-served\.json|new-database|serving\.(lock|pid|mark)|sandbox\.jsonl|uploads|unknown-files|mail|cache)$|\.log$/
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
const OTHERS_MASK = 0o077
/** Folders like /tmp, which everybody uses and whose permissions must stay. */
const SHARED_FOLDER_MODE = 0o1002

/** The number of entries that others could read and no longer can; and those that belong to another user. */
export type PermissionResult = {
  readonly restrictedCount: number
  readonly notOwned: readonly string[]
}

/**
 * Creates the folder if it is missing, and makes it and our entries in it readable for this user only; from now
 * on also every file that this process creates. Throws the errors of creating a folder.
 */
export function keepPrivate(folder: string): PermissionResult {
  if (isMainThread) process.umask(OTHERS_MASK)
  mkdirSync(folder, { recursive: true })
  const notOwned: string[] = []
  let restrictedCount = 0
  const restrict = (entry: string): void => {
    // Another server may be running on this folder: an entry that has gone needs nothing.
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
 * Gives what root has put into a folder to the owner of the folder: the server runs as another user and could not
 * read it.
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
