/**
 * A server's store on PostgreSQL in a process of its own, which keeps one file and says how that ended. Arguments: the
 * database's address, and where the file is; it may be a pipe that gives nothing for a while.
 */
import { instant } from '../../engine/index.ts'
import { openInsidePostgres } from '../../server/storage/postgres/open-postgres-store.ts'
import { StoreBusy } from '../../server/storage/index.ts'

const [, , url = '', path = ''] = process.argv
const { store } = await openInsidePostgres({ url })
try {
  await store.proofs?.keep({ path, sha256: 'f'.repeat(64), bytes: 1 }, instant(0))
  console.log('kept')
} catch (error) {
  console.log(error instanceof StoreBusy ? 'to be tried again' : String(error))
}
await store.close()
