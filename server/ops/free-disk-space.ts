/** Measures free disk space and file sizes, and explains a lack of inodes. */
import { existsSync, statfsSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import path from 'node:path'

/** Free inodes needed for the files that startup creates: the database's log, locks and records. */
const MIN_FREE_INODES = 16

/** Returns the number of bytes that this process can still write to a folder's disk. */
export async function getFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Returns the size of a file in bytes. 0 if the file does not exist. */
export async function getFileSize(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.size ?? 0
}

/** Returns the number of files that can still be created on a folder's disk. Null if its file system has no limit. */
export async function getFreeFiles(folder: string): Promise<number | null> {
  const { files, ffree } = await statfs(folder)
  return files > 0 ? ffree : null
}

/** Synchronous version of `getFreeFiles`, which also accepts a folder that does not exist yet. */
function getFreeFilesSync(folder: string): number | null {
  if (!existsSync(folder) && path.dirname(folder) !== folder)
    return getFreeFilesSync(path.dirname(folder))
  const { files, ffree } = statfsSync(folder)
  return files > 0 ? ffree : null
}

/** Explains a lack of free inodes; null if there are enough. SQLite would report it only halfway through startup. */
export function explainFewInodes(dataDir: string): string | null {
  const files = getFreeFilesSync(dataDir)
  return files === null || files >= MIN_FREE_INODES
    ? null
    : `The disk of DATA_DIR (${dataDir}) can hold only ${files} more files (free inodes); the server needs ${MIN_FREE_INODES}. Remove files that are not needed: "df -i" shows the disks, and "du --inodes" shows where the files are. Then start again; a systemd unit does so automatically.`
}
