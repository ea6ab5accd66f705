/** When the database of a data folder was restored, or made anew beside files that were there before: it does not know them yet. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'

const NEW_DATABASE_FILE = 'new-database'

/** To be called before a database is put into a data folder, by whoever puts it there. Throws what writing throws. */
export async function noteNewDatabase(dataDir: string, at: Instant): Promise<void> {
  const file = path.join(dataDir, NEW_DATABASE_FILE)
  await writeFile(`${file}.part`, String(at), { flush: true })
  await rename(`${file}.part`, file)
}

/** Null: it was never restored, as far as this folder knows. */
export async function newDatabaseAt(dataDir: string): Promise<Instant | null> {
  const text = await readFile(path.join(dataDir, NEW_DATABASE_FILE), 'utf8').catch(() => '')
  return /^\d{1,15}$/.test(text.trim()) ? instant(Number(text)) : null
}
