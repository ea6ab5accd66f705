/**
 * What is lent to every server of the tests: what event files were compiled to, because most serve the same four, and a
 * database without a row. To make these afresh is half of what it takes to start one, and is tested by itself
 * (folder.test.ts, the checker; migrations.test.ts, process.test.ts).
 */
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { getCacheFolder } from '../../server/events/files/compiled-event-cache.ts'
import {
  closeWhole,
  DATABASE_FILE,
  openToWrite,
} from '../../server/storage/database/sqlite-connection.ts'
import { migrate, migrations } from '../../server/storage/database/schema.ts'

/** Beside what Node compiles: what is a day old there is removed (tests/run.js). */
const KEPT = join(import.meta.dirname, '..', '.cache', 'compiled', 'events')

/** To be called before a server is started on a data folder; one that has been started keeps what it has. */
export function lendCompiled(dataDir: string): void {
  const lent = getCacheFolder(dataDir)
  if (existsSync(lent)) return
  mkdirSync(KEPT, { recursive: true })
  mkdirSync(dirname(lent), { recursive: true, mode: 0o700 })
  symlinkSync(KEPT, lent)
}

/** To be called before a server is started on a data folder that has no database yet. */
export async function lendTables(dataDir: string): Promise<void> {
  const file = join(dataDir, DATABASE_FILE)
  if (existsSync(file)) return
  const steps = createHash('sha256').update(migrations.join('\0')).digest('hex')
  const lent = join(KEPT, '..', `tables-${steps.slice(0, 16)}.db`)
  if (!existsSync(lent)) {
    mkdirSync(dirname(lent), { recursive: true })
    // Whoever makes it at the same time makes the same.
    const made = `${lent}-${process.pid}`
    const db = openToWrite(made)
    await migrate(db)
    closeWhole(db)
    renameSync(made, lent)
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  copyFileSync(lent, file)
  // As a server leaves what it makes.
  chmodSync(file, 0o600)
}
