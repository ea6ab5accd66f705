/** When a data folder was last backed up with rollcall backup: known to the server, which did not make the copy. */
import { chown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'

const BACKED_UP_FILE = 'backed-up'

/** Null: never, as far as this folder knows. */
export async function backedUpAt(dataDir: string): Promise<Instant | null> {
  const text = await readFile(path.join(dataDir, BACKED_UP_FILE), 'utf8').catch(() => '')
  return /^\d{1,15}$/.test(text.trim()) ? instant(Number(text)) : null
}

/** The note belongs to the owner of the folder, also where root makes the backup. Throws what writing throws; then the note before it stays. */
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
