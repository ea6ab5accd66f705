/** Measures free disk space and file sizes. */
import { stat, statfs } from 'node:fs/promises'

/** Bytes that this process can still write to the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** 0 if there is no such file. */
export async function bytesOf(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.size ?? 0
}
