/** Runs the store contract on a SQLite file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll } from 'vitest'
import { DATABASE_FILE } from '../../../server/storage/database/sqlite-connection.ts'
import { openStore } from '../../../server/storage/open-store.ts'
import type { Store } from '../../../server/storage/index.ts'
import { defineStoreContract } from './contract.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'rollcall-store-'))
const copyDatabase = async (copy: string): Promise<void> => {
  const source = new Database(join(dataDir, DATABASE_FILE), { readonly: true })
  await source.backup(copy)
  source.close()
}
/**
 * Replaces the rows of the database. Nothing can be copied while the writer is still indexing the previous test's
 * rows, so the copy is repeated until it succeeds.
 */
const replaceRows = async (rows: Database.Database): Promise<void> => {
  while ((await rows.backup(join(dataDir, DATABASE_FILE))).totalPages === 0);
}
let store: Store
/** A copy of the database from when it was first opened, without rows. */
let emptyDatabase: Database.Database

beforeAll(async () => {
  store = await openStore({ dataDir })
  const copy = join(dataDir, 'fresh.db')
  await copyDatabase(copy)
  emptyDatabase = new Database(copy, { readonly: true })
})
afterAll(async () => {
  await store.close()
  emptyDatabase.close()
  rmSync(dataDir, { recursive: true })
})

// Opening starts two threads, which takes twenty times as long as most tests. So the store stays
// open, and its rows are replaced before each test, in an ordinary transaction.
defineStoreContract(async () => {
  await replaceRows(emptyDatabase)
  return {
    store,
    keepsOrder: true,
    async reopen() {
      await store.close()
      store = await openStore({ dataDir })
      return store
    },
    async saveRows() {
      const copy = join(dataDir, 'saved.db')
      await copyDatabase(copy)
      return async () => {
        const saved = new Database(copy, { readonly: true })
        await replaceRows(saved)
        saved.close()
      }
    },
    end: async () => {},
  }
})
