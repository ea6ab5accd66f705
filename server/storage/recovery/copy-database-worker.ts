/** Worker thread that copies a database: SQLite copies all of it in one call, during which a thread can do nothing else. */
import { workerData } from 'node:worker_threads'
import { copyDatabase } from './copy-database.ts'
import type { CopyOrder } from './copy-database-reporting.ts'

const { dataDir, target } = workerData as CopyOrder
copyDatabase(dataDir, target)
