/** When a data folder was last backed up with rollcall backup: known to the server, which did not make the copy. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { instant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'

const BACKED_UP_FILE = 'backed-up'

/** Null: never, as far as this folder knows. */
export async function backedUpAt(dataDir: string): Promise<Instant | null> {
  const text = await readFile(path.join(dataDir, BACKED_UP_FILE), 'utf8').catch(() => '')
  return /^\d{1,15}$/.test(text.trim()) ? instant(Number(text)) : null
}

export async function noteBackup(dataDir: string, at: Instant): Promise<void> {
  await writeFile(path.join(dataDir, BACKED_UP_FILE), String(at))
}
