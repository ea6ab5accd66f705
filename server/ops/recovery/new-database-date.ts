/**
 * Records when a data folder's database was restored, or newly created next to older files.
 * Such a database does not refer to these files yet.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'

const NEW_DATABASE_FILE = 'new-database'

/** Records the time. Call it before a database is put into a data folder. Throws if writing fails. */
export async function recordNewDatabase(dataDir: string, at: Instant): Promise<void> {
  const file = path.join(dataDir, NEW_DATABASE_FILE)
  await writeFile(`${file}.part`, String(at), { flush: true })
  await rename(`${file}.part`, file)
}

/** Returns the recorded time. Null if there is none. */
export async function readNewDatabaseDate(dataDir: string): Promise<Instant | null> {
  const text = await readFile(path.join(dataDir, NEW_DATABASE_FILE), 'utf8').catch(() => '')
  return /^\d{1,15}$/.test(text.trim()) ? instant(Number(text)) : null
}
