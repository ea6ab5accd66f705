/**
 * Stores one file through a server's store on PostgreSQL, in a child process, and prints the result. Arguments: the
 * database URL and the file's path, which may be a pipe that blocks.
 */
import { instant } from '../../engine/index.ts'
import { openPostgresStore } from '../../server/storage/postgres/open-postgres-store.ts'
import { StoreBusy } from '../../server/storage/index.ts'

const [, , url = '', path = ''] = process.argv
const { store } = await openPostgresStore({ url })
try {
  await store.proofs?.keep({ path, sha256: 'f'.repeat(64), bytes: 1 }, instant(0))
  console.log('kept')
} catch (error) {
  console.log(error instanceof StoreBusy ? 'to be tried again' : String(error))
}
await store.close()
