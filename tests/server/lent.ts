/**
 * What event files were compiled to, lent to every server of the tests: most of them serve the same four, and compiling
 * these is a third of what it takes to start one. What compiles afresh is tested by itself (folder.test.ts, the checker).
 */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheFolderIn } from '../../server/events/cache.ts'

/** Beside what Node compiles: what is a day old there is removed (tests/run.js). */
const KEPT = join(import.meta.dirname, '..', '.cache', 'compiled', 'events')

/** To be called before a server is started on a data folder; one that has been started keeps what it has. */
export function lendCompiled(dataDir: string): void {
  const lent = cacheFolderIn(dataDir)
  if (existsSync(lent)) return
  mkdirSync(KEPT, { recursive: true })
  mkdirSync(dirname(lent), { recursive: true, mode: 0o700 })
  symlinkSync(KEPT, lent)
}
