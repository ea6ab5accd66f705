/** Opens the store of an installation for a command that does not create a database. */
import type { Environment } from '../dependencies.ts'
import { requireParentFolder } from '../ops/file-permissions.ts'
import { openStore } from '../storage/open-store.ts'
import type { Store } from '../storage/index.ts'
import { explainMissingDatabase, LostDatabase } from '../storage/recovery/missing-database.ts'

/** Throws an error that states the next step if the database is missing or empty, or the parent of DATA_DIR missing. */
export function requireDatabase({ dataDir, databaseUrl }: Environment): void {
  requireParentFolder(dataDir)
  const reason = databaseUrl === null ? explainMissingDatabase(dataDir) : null
  if (reason !== null) throw new LostDatabase(reason)
}

/** Opens the store. If the database is missing or empty, throws an error that states the next step. */
export async function openExistingStore(environment: Environment): Promise<Store> {
  requireDatabase(environment)
  return openStore({ ...environment, isNew: false })
}
