/** Copies compiled event files and an empty database to test servers, because creating them is slow. */
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { getCacheFolder } from '../../server/events/files/compiled-event-cache.ts'
import {
  closeAfterCheckpoint,
  DATABASE_FILE,
  openToWrite,
} from '../../server/storage/database/sqlite-connection.ts'
import { migrate, migrations } from '../../server/storage/database/schema.ts'

// Creating both takes half of a server's startup time. Their creation is tested in event-folder.test.ts,
// migrations.test.ts, server-process.test.ts and the checker's tests.

/** A folder in Node's compile cache, where tests/run.js removes files older than a day. */
const CACHE_DIR = join(import.meta.dirname, '..', '.cache', 'compiled', 'events')

/**
 * Links to the cache of compiled events. Call this before the first server starts on a data folder; after that, the
 * server has its own cache.
 */
export function useCompiledEvents(dataDir: string): void {
  const cacheLink = getCacheFolder(dataDir)
  if (existsSync(cacheLink)) return
  mkdirSync(CACHE_DIR, { recursive: true })
  mkdirSync(dirname(cacheLink), { recursive: true, mode: 0o700 })
  symlinkSync(CACHE_DIR, cacheLink)
}

/** Copies the empty database. Call this before the first server starts on a data folder without a database. */
export async function useEmptyDatabase(dataDir: string): Promise<void> {
  const file = join(dataDir, DATABASE_FILE)
  if (existsSync(file)) return
  const migrationsHash = createHash('sha256').update(migrations.join('\0')).digest('hex')
  const preparedFile = join(CACHE_DIR, '..', `tables-${migrationsHash.slice(0, 16)}.db`)
  if (!existsSync(preparedFile)) {
    mkdirSync(dirname(preparedFile), { recursive: true })
    // Several processes may do this at the same time, but they create identical files.
    const temporaryFile = `${preparedFile}-${process.pid}`
    const db = openToWrite(temporaryFile)
    await migrate(db)
    closeAfterCheckpoint(db)
    renameSync(temporaryFile, preparedFile)
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  copyFileSync(preparedFile, file)
  // The permissions that a server sets.
  chmodSync(file, 0o600)
}
