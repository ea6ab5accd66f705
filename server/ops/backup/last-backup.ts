/** Records the time of a data folder's last backup, so that the server can report it. */
import { chown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'

const LAST_BACKUP_FILE = 'backed-up'
/** The health check reports an older backup. Backups run nightly; this allows for a delay of a few hours. */
export const MAX_BACKUP_AGE_MS = 36 * 60 * 60_000

/** Returns the time of the last backup. Null if none is recorded. */
export async function readLastBackup(dataDir: string): Promise<Instant | null> {
  const text = await readFile(path.join(dataDir, LAST_BACKUP_FILE), 'utf8').catch(() => '')
  return /^\d{1,15}$/.test(text.trim()) ? instant(Number(text)) : null
}

/**
 * Records a backup. The file belongs to the folder's owner, even if root makes the backup. If writing fails,
 * throws and keeps the previous record.
 */
export async function recordBackup(dataDir: string, at: Instant): Promise<void> {
  const file = path.join(dataDir, LAST_BACKUP_FILE)
  const partialFile = `${file}.part`
  try {
    await writeFile(partialFile, String(at), { flush: true })
    const { uid, gid } = await stat(dataDir)
    await chown(partialFile, uid, gid)
    await rename(partialFile, file)
  } finally {
    await rm(partialFile, { force: true })
  }
}
