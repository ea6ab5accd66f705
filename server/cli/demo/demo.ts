/** `rollcall demo`: serves a temporary database of fictitious registrations. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { formatCount } from '../../../engine/index.ts'
import type { Command, Terminal } from '../command.ts'
import { makeClock } from '../../ops/clock.ts'
import { demoDay, fillDemo } from './demo-registrations.ts'
import type { Environment } from '../../dependencies.ts'
import { getCacheFolder } from '../../events/files/compiled-event-cache.ts'
import { openRegistry } from '../../events/event-registry.ts'
import { openStore } from '../../storage/open-store.ts'
import { openUploads, uploadLocations } from '../../registration/uploads/store-uploaded-files.ts'
import { serveUntilStopped } from '../start.ts'

export const demo: Command = {
  help: `Usage: rollcall demo

Fills a new database in a temporary folder with a few thousand invented registrations for all events, and serves
it like start, with the sandbox gateway. When it stops, it removes the database.

The clock begins some weeks before the last conference that is still open, or at CLOCK. PORT, HOST, PUBLIC_URL,
EVENTS_DIR, ADMIN_USERNAME and ADMIN_PASSWORD work as for start.

Exit status: 0 stopped; 1 an event file has errors; 2 a variable is invalid; 3 internal error.`,
  run: async (args, terminal) => {
    if (args.length > 0) {
      terminal.complain(
        'rollcall demo takes no arguments; it is told everything by environment variables.',
      )
      return 2
    }
    const given = terminal.environment()
    if (given === null) return 2
    if (given.production) {
      terminal.complain('The demo is not for NODE_ENV=production.')
      return 2
    }
    const dataDir = await mkdtemp(path.join(tmpdir(), 'rollcall-demo-'))
    try {
      const environment = await fill(
        { ...given, dataDir, databaseUrl: null, gatewayMode: 'sandbox', smtpUrl: null },
        terminal,
      )
      if (environment === null) return 1
      return await serveUntilStopped(environment, terminal)
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  },
}

/**
 * Returns the environment with the clock that the rows were made for; null after printing what is wrong with an
 * event file.
 */
async function fill(environment: Environment, terminal: Terminal): Promise<Environment | null> {
  const store = await openStore({ dataDir: environment.dataDir, migrates: true })
  const started = environment.clockStart
  const quiet = {
    info: () => {},
    warn: () => {},
    error: (_: object, message?: string) => terminal.complain(message ?? 'Something went wrong.'),
  }
  const opened = await openRegistry({
    folder: environment.eventsDir,
    cacheFolder: getCacheFolder(environment.dataDir),
    store,
    log: quiet,
    print: terminal.complain,
    production: false,
    isWatching: false,
    clock: makeClock(started),
  })
  try {
    if (!opened.ok) {
      terminal.complain(opened.error)
      return null
    }
    const served = opened.value.all().toSorted((a, b) => (a.config.from < b.config.from ? -1 : 1))
    const now = started ?? demoDay(served.map(({ config }) => config))
    if (now === null) {
      terminal.complain('No event takes registrations, so there is no day for a demo. Set CLOCK.')
      return null
    }
    const uploads = openUploads({
      ...uploadLocations(environment.dataDir),
      store,
      clock: () => now,
    })
    const made = await fillDemo({ store, uploads, events: served, now })
    terminal.print(
      `${formatCount(made)} made-up registrations over ${served.length} events, for as long as this runs in ${environment.dataDir}`,
    )
    return { ...environment, clockStart: now }
  } finally {
    if (opened.ok) await opened.value.close()
    await store.close()
  }
}
