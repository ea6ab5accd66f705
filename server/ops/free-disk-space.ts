/** Measures free disk space and file sizes. */
import { existsSync, statfsSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import path from 'node:path'

/** Bytes that this process can still write to the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** 0 if there is no such file. */
export async function fileSize(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.size ?? 0
}

/** Returns how many files can still be created on a folder's disk. Null if its file system has no limit. */
export async function freeFiles(folder: string): Promise<number | null> {
  const { files, ffree } = await statfs(folder)
  return files > 0 ? ffree : null
}

/** The same at once, also for a folder that is still to be created. */
export function freeFilesSync(folder: string): number | null {
  if (!existsSync(folder) && path.dirname(folder) !== folder)
    return freeFilesSync(path.dirname(folder))
  const { files, ffree } = statfsSync(folder)
  return files > 0 ? ffree : null
}
