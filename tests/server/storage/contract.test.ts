/** The contract of every store, on a real SQLite file. */
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
/** The database as it is when a store has just been opened for the first time. */
let fresh: Database.Database

beforeAll(async () => {
  store = await openStore({ dataDir })
  const copy = join(dataDir, 'fresh.db')
  const opened = new Database(join(dataDir, DATABASE_FILE), { readonly: true })
  await opened.backup(copy)
  opened.close()
  fresh = new Database(copy, { readonly: true })
})
afterAll(async () => {
  await store.close()
  fresh.close()
  rmSync(dataDir, { recursive: true })
})

// Opening starts two threads, which takes twenty times as long as most of these tests: the store stays open, and
// before each test what it holds is replaced, to its threads a transaction like any other.
storeContract(async () => {
  // The writer may be indexing what the test before has left; nothing is copied then, and nothing said.
  while ((await fresh.backup(join(dataDir, DATABASE_FILE))).totalPages === 0);
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
