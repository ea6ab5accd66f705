/** Erases personal data: from each registration, then from files and emails outside the database. */
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Deps } from '../../dependencies.ts'
import type { ActionResult, NewAction, StoredRegistration } from '../../storage/index.ts'

export type ErasureDeps = Pick<Deps, 'store' | 'uploads' | 'environment'>

/** Erases the personal data from every table and from the upload and mail folders. */
export async function eraseRegistration(
  { store, uploads, environment }: ErasureDeps,
  { regNo, uploads: files }: StoredRegistration,
  action: NewAction,
): Promise<ActionResult> {
  const result = await store.erasePersonalData(action)
  if (!result.ok) return result
  await uploads.removeFiles(files.map(({ sha256 }) => sha256))
  await deleteEmailFiles(path.join(environment.dataDir, 'mail'), regNo)
  return result
}

/** Without a mail server, emails are files whose names end with the registration number. */
async function deleteEmailFiles(folder: string, regNo: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    if (name.endsWith(`-${regNo}.eml`)) await rm(path.join(folder, name), { force: true })
}
