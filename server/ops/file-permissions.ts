/** What the server stores is for the user it runs as: other users of the machine read none of it. */
import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** What a data folder holds of ours. Somebody may have chosen a folder that also holds other things. */
const OURS =
  /^(rollcall\.db(-wal|-shm|-journal)?|rollcall\.before-v\d+\.db|rollcall\.rescued(-\d+)?\.db|rollcall\.lost|before-(restore|new)-.+|backed-up|last-served\.json|new-database|serving\.(lock|pid)|sandbox\.jsonl|uploads|unknown-files|mail|cache)$|\.log$/
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
const OTHERS = 0o077
/** Folders like /tmp, which belong to everybody and must stay so. */
const SHARED_BY_ALL = 0o1002

/** How many entries others could read, and no longer can; and those that belong to somebody else. */
export type Tightened = { readonly tightened: number; readonly notOurs: readonly string[] }

/**
 * Makes the folder where it is missing, and it and what is ours in it readable for this user alone; from
 * now on so is every file that this process makes. Throws what making a folder throws.
 */
export function keepPrivate(folder: string): Tightened {
  if (isMainThread) process.umask(OTHERS)
  mkdirSync(folder, { recursive: true })
  const notOurs: string[] = []
  let tightened = 0
  const tighten = (entry: string): void => {
    // A server beside us may be at work there: what is gone needs nothing.
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

/** Gives what root has put into a folder to the owner of the folder: the server, which is another user, could not read it. */
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
