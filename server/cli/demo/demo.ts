/** `rollcall demo`: serves a temporary database of fictitious registrations. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { formatCount } from '../../../engine/index.ts'
import type { Command, Terminal } from '../command.ts'
import { createClock } from '../../ops/clock.ts'
import { chooseDemoTime, createDemoRegistrations } from './demo-registrations.ts'
import type { Environment } from '../../dependencies.ts'
import { getCacheFolder } from '../../events/files/compiled-event-cache.ts'
import { openRegistry } from '../../events/event-registry.ts'
import { openStore } from '../../storage/open-store.ts'
import { openUploads, getUploadLocations } from '../../registration/uploads/store-uploaded-files.ts'
import { serveUntilStopped } from '../start.ts'

export const demoCommand: Command = {
  help: `Usage: rollcall demo

Fills a new database in a temporary folder with a few thousand invented registrations for all events, and serves
it like rollcall start, with the sandbox gateway. The database is removed when the demo stops.

The demo's clock begins a few weeks before the last conference that is still open, or at CLOCK. PORT, HOST, PUBLIC_URL,
EVENTS_DIR, ADMIN_USERNAME and ADMIN_PASSWORD work as for start.

Exit status: 0 stopped; 1 an event file has errors; 2 a variable is invalid; 3 internal error.`,
  run: async (args, terminal) => {
    if (args.length > 0) {
      terminal.printError(
        'rollcall demo takes no arguments. Use environment variables to configure it.',
      )
      return 2
    }
    const baseEnvironment = terminal.environment()
    if (baseEnvironment === null) return 2
    if (baseEnvironment.production) {
      terminal.printError('The demo cannot run with NODE_ENV=production.')
      return 2
    }
    const dataDir = await mkdtemp(path.join(tmpdir(), 'rollcall-demo-'))
    try {
      const environment = await createDemoEnvironment(
        { ...baseEnvironment, dataDir, databaseUrl: null, gatewayMode: 'sandbox', smtpUrl: null },
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
 * Fills the database and returns the environment with the demo's clock. If an event file has errors, prints them and
 * returns null.
 */
async function createDemoEnvironment(
  environment: Environment,
  terminal: Terminal,
): Promise<Environment | null> {
  const store = await openStore({ dataDir: environment.dataDir, migrates: true })
  const clockStart = environment.clockStart
  const quietLog = {
    info: () => {},
    warn: () => {},
    error: (_: object, message?: string) => terminal.printError(message ?? 'Something went wrong.'),
  }
  const openResult = await openRegistry({
    folder: environment.eventsDir,
    cacheFolder: getCacheFolder(environment.dataDir),
    store,
    log: quietLog,
    print: terminal.printError,
    production: false,
    isWatching: false,
    clock: createClock(clockStart),
  })
  try {
    if (!openResult.ok) {
      terminal.printError(openResult.error)
      return null
    }
    const servedEvents = openResult.value
      .all()
      .toSorted((a, b) => (a.config.from < b.config.from ? -1 : 1))
    const now = clockStart ?? chooseDemoTime(servedEvents.map(({ config }) => config))
    if (now === null) {
      terminal.printError(
        'No event is open for registration, so the demo has no date to use. Set CLOCK.',
      )
      return null
    }
    const uploads = openUploads({
      ...getUploadLocations(environment),
      store,
      clock: () => now,
    })
    const count = await createDemoRegistrations({ store, uploads, events: servedEvents, now })
    terminal.print(
      `${formatCount(count)} invented registrations for ${servedEvents.length} events, stored in ${environment.dataDir} until you stop the demo`,
    )
    return { ...environment, clockStart: now }
  } finally {
    if (openResult.ok) await openResult.value.close()
    await store.close()
  }
}
