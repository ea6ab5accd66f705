/**
 * A process that migrates a database in the same way as a server at startup. Arguments: data
 * folder, PostgreSQL URL.
 */
import { openStore } from '../../../server/storage/open-store.ts'

const [dataDir = '', databaseUrl = null] = process.argv.slice(2)
await (await openStore({ dataDir, databaseUrl, migrates: true })).close()
