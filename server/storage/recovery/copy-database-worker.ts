/** Worker thread that copies a database. SQLite copies a database in one call, which blocks the thread. */
import { workerData } from 'node:worker_threads'
import { copyDatabase } from './copy-database.ts'
import type { CopyRequest } from './copy-database-with-progress.ts'

const { dataDir, target } = workerData as CopyRequest
copyDatabase(dataDir, target)
