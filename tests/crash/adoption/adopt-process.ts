/** A process that migrates a database as a server does at its start. Arguments: data folder, address of PostgreSQL. */
import { openStore } from '../../../server/storage/open-store.ts'

const [dataDir = '', databaseUrl = null] = process.argv.slice(2)
await (await openStore({ dataDir, databaseUrl, migrates: true })).close()
