/** Migrates a database as a server does at startup: `node migrate-process.ts DATA_DIR [DATABASE_URL]`. */
import { openStore } from '../../../server/storage/open-store.ts'

const [dataDir = '', databaseUrl = null] = process.argv.slice(2)
await (await openStore({ dataDir, databaseUrl, migrates: true })).close()
