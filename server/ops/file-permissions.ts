/** Makes stored files readable only for the user that the server runs as. */
import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** Our entries in a data folder. The operator may have chosen a folder that also contains other files. */
const OURS =
  /^(rollcall\.db(-wal|-shm|-journal)?|rollcall\.before-v\d+\.db|rollcall\.rescued(-\d+)?\.db|rollcall\.lost|before-(restore|new)-.+|before-rescue(-\d+)?|backed-up|last-served\.json|new-database|serving\.(lock|pid|mark)|sandbox\.jsonl|uploads|unknown-files|mail|cache)$|\.log$/
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
const OTHERS = 0o077
/** Folders like /tmp, which everybody uses and whose permissions must stay. */
const SHARED_BY_ALL = 0o1002

/** The number of entries that others could read and no longer can; and those that belong to another user. */
export type Tightened = { readonly tightened: number; readonly notOurs: readonly string[] }

/**
 * Creates the folder if it is missing, and makes it and our entries in it readable for this user only; from now
 * on also every file that this process creates. Throws the errors of creating a folder.
 */
export function keepPrivate(folder: string): Tightened {
  if (isMainThread) process.umask(OTHERS)
  mkdirSync(folder, { recursive: true })
  const notOurs: string[] = []
  let tightened = 0
  const tighten = (entry: string): void => {
    // Another server may be running on this folder: an entry that has gone needs nothing.
    const there = lstatSync(entry, { throwIfNoEntry: false })
    if (there === undefined) return
    const { mode } = there
    const isFolder = (mode & 0o170000) === 0o040000
    const isFile = (mode & 0o170000) === 0o100000
    if (!isFolder && !isFile) return
    if ((mode & OTHERS) !== 0) {
      try {
        chmodSync(entry, isFolder ? FOLDER_MODE : FILE_MODE)
        tightened += 1
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') notOurs.push(entry)
      }
    }
    if (isFolder) for (const name of readdirSync(entry)) tighten(path.join(entry, name))
  }
  for (const name of readdirSync(folder)) if (OURS.test(name)) tighten(path.join(folder, name))
  const { mode } = lstatSync(folder)
  const holdsMore = readdirSync(folder).some((name) => !OURS.test(name))
  if ((mode & OTHERS) !== 0 && (mode & SHARED_BY_ALL) === 0 && !holdsMore) {
    try {
      chmodSync(folder, FOLDER_MODE)
      tightened += 1
    } catch {
      notOurs.push(folder)
    }
  }
  return { tightened, notOurs }
}

/**
 * Gives what root has put into a folder to the owner of the folder: the server runs as another user and could not
 * read it.
 */
export function giveToOwner(folder: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = lstatSync(folder)
  const give = (entry: string): void => {
    const there = lstatSync(entry, { throwIfNoEntry: false })
    if (there === undefined) return
    if (there.uid === 0 && uid !== 0) lchownSync(entry, uid, gid)
    if (there.isDirectory()) for (const name of readdirSync(entry)) give(path.join(entry, name))
  }
  for (const name of readdirSync(folder)) if (OURS.test(name)) give(path.join(folder, name))
}
