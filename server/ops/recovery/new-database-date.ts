/**
 * Records when a data folder's database was restored, or newly created next to older files.
 * Such a database does not know these files yet.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'

const NEW_DATABASE_FILE = 'new-database'

/** Call it before putting a database into a data folder. Throws the errors of writing. */
export async function recordNewDatabase(dataDir: string, at: Instant): Promise<void> {
  const file = path.join(dataDir, NEW_DATABASE_FILE)
  await writeFile(`${file}.part`, String(at), { flush: true })
  await rename(`${file}.part`, file)
}

/** Returns null if this folder records no restore. */
export async function readNewDatabaseDate(dataDir: string): Promise<Instant | null> {
  const text = await readFile(path.join(dataDir, NEW_DATABASE_FILE), 'utf8').catch(() => '')
  return /^\d{1,15}$/.test(text.trim()) ? instant(Number(text)) : null
}
