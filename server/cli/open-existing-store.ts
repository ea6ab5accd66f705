/** Opens the store of an installation for a command that creates no database. */
import type { Environment } from '../dependencies.ts'
import { openStore } from '../storage/open-store.ts'
import type { Store } from '../storage/index.ts'
import { absentDatabase, LostDatabase } from '../storage/recovery/missing-database.ts'

/** Throws a sentence with the next step where there is no database, or an empty one. */
export async function openExistingStore(environment: Environment): Promise<Store> {
  const absent = environment.databaseUrl === null ? absentDatabase(environment.dataDir) : null
  if (absent !== null) throw new LostDatabase(absent)
  return openStore({ ...environment, isNew: false })
}
