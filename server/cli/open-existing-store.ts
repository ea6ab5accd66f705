/** Opens the store of an installation for a command that does not create a database. */
import type { Environment } from '../dependencies.ts'
import { openStore } from '../storage/open-store.ts'
import type { Store } from '../storage/index.ts'
import { explainMissingDatabase, LostDatabase } from '../storage/recovery/missing-database.ts'

/** Opens the store. If the database is missing or empty, throws an error that states the next step. */
export async function openExistingStore(environment: Environment): Promise<Store> {
  const reason =
    environment.databaseUrl === null ? explainMissingDatabase(environment.dataDir) : null
  if (reason !== null) throw new LostDatabase(reason)
  return openStore({ ...environment, isNew: false })
}
