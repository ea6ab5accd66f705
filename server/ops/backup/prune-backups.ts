/** Removes old backups from a folder. */
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Instant } from '../../../engine/index.ts'
import { readBackupList } from './create-and-restore-backup.ts'

/**
 * Removes each backup that was made before `madeBefore` or is not among the newest `keepCount`. Removes nothing else.
 * Returns the names of the removed backups.
 */
export async function pruneBackups(
  folder: string,
  { keepCount, madeBefore }: { readonly keepCount: number; readonly madeBefore: Instant | null },
): Promise<readonly string[]> {
  const backups: { readonly name: string; readonly at: Instant }[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const list = entry.isDirectory() ? await readBackupList(path.join(folder, entry.name)) : null
    if (list !== null) backups.push({ name: entry.name, at: list.at })
  }
  const oldBackups = backups
    .toSorted((a, b) => b.at - a.at)
    .filter(({ at }, index) => index >= keepCount || (madeBefore !== null && at < madeBefore))
  for (const { name } of oldBackups)
    await rm(path.join(folder, name), { recursive: true, force: true })
  return oldBackups.map(({ name }) => name)
}
