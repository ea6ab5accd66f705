/** Runs in a child process: stores one file in PostgreSQL, and prints the result. */
import { instant } from '../../engine/index.ts'
import { openPostgresStore } from '../../server/storage/postgres/open-postgres-store.ts'
import { StoreBusy } from '../../server/storage/index.ts'

// Arguments: the database URL, and the path of the file, which may be a pipe that blocks.
const [, , url = '', path = ''] = process.argv
const { store } = await openPostgresStore({ url })
try {
  await store.proofs?.storeFile({ path, sha256: 'f'.repeat(64), bytes: 1 }, instant(0))
  console.log('stored')
} catch (error) {
  console.log(error instanceof StoreBusy ? 'retry later' : String(error))
}
await store.close()
