/** Records when a data folder was last backed up, so that the server can report it. */
import { chown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'

const BACKED_UP_FILE = 'backed-up'

/** Returns null if this folder records no backup. */
export async function backedUpAt(dataDir: string): Promise<Instant | null> {
  const text = await readFile(path.join(dataDir, BACKED_UP_FILE), 'utf8').catch(() => '')
  return /^\d{1,15}$/.test(text.trim()) ? instant(Number(text)) : null
}

/**
 * The note belongs to the owner of the folder, even if root makes the backup. Throws the errors of writing; then
 * the previous note stays.
 */
export async function noteBackup(dataDir: string, at: Instant): Promise<void> {
  const file = path.join(dataDir, BACKED_UP_FILE)
  const part = `${file}.part`
  try {
    await writeFile(part, String(at), { flush: true })
    const { uid, gid } = await stat(dataDir)
    await chown(part, uid, gid)
    await rename(part, file)
  } finally {
    await rm(part, { force: true })
  }
}
