/** The contract of every store, on real SQLite files. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../../server/store/open.ts'
import { storeContract } from './contract.ts'

storeContract(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rollcall-store-'))
  let store = await openStore({ dataDir })
  return {
    store,
    async reopen() {
      await store.close()
      store = await openStore({ dataDir })
      return store
    },
    async end() {
      await store.close()
      rmSync(dataDir, { recursive: true })
    },
  }
})
