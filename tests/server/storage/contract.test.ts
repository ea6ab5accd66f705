/** The store contract on a real SQLite file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll } from 'vitest'
import { DATABASE_FILE } from '../../../server/storage/database/sqlite-connection.ts'
import { openStore } from '../../../server/storage/open-store.ts'
import type { Store } from '../../../server/storage/index.ts'
import { storeContract } from './contract.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'rollcall-store-'))
let store: Store
/** The database right after its first opening. */
let emptyDatabase: Database.Database

beforeAll(async () => {
  store = await openStore({ dataDir })
  const copy = join(dataDir, 'fresh.db')
  const setup = new Database(join(dataDir, DATABASE_FILE), { readonly: true })
  await setup.backup(copy)
  setup.close()
  emptyDatabase = new Database(copy, { readonly: true })
})
afterAll(async () => {
  await store.close()
  emptyDatabase.close()
  rmSync(dataDir, { recursive: true })
})

// Opening starts two threads, which takes twenty times as long as most tests. So the store stays
// open, and its rows are replaced before each test, in an ordinary transaction.
storeContract(async () => {
  // The writer may still be indexing rows of the previous test: in that case the copy is skipped.
  while ((await emptyDatabase.backup(join(dataDir, DATABASE_FILE))).totalPages === 0);
  return {
    store,
    keepsOrder: true,
    async reopen() {
      await store.close()
      store = await openStore({ dataDir })
      return store
    },
    end: async () => {},
  }
})
