/**
 * Opens what payment commands need: store, event files and gateway, with or without a running server.
 */
import type { EventConfig } from '../../engine/index.ts'
import { openEvents } from '../assemble-server.ts'
import type { Deps } from '../dependencies.ts'
import { makeClock } from '../ops/clock.ts'
import { makeLog } from '../ops/log.ts'
import { connectToServerGateway } from '../payments/gateways/select-gateway.ts'
import { openPayments } from '../payments/poll-payments.ts'
import { openUploads, uploadLocations } from '../registration/uploads/store-uploaded-files.ts'
import { openExistingStore } from './open-existing-store.ts'
import type { Status, Terminal } from './command.ts'

/** Returns a served event; null after printing which ones there are. */
export function eventAt(
  { events }: Pick<AtWork, 'events'>,
  id: string,
  terminal: Terminal,
): EventConfig | null {
  const served = events.byId(id)
  if (served !== null) return served.config
  const known = events.all().map(({ config }) => config.id)
  terminal.complain(`There is no event "${id}". There are ${known.join(', ')}.`)
  return null
}

export type AtWork = Pick<
  Deps,
  'store' | 'events' | 'payments' | 'clock' | 'gateway' | 'uploads' | 'environment'
>

/**
 * Opens, works, closes; prints why something cannot be opened. Nothing is asked of the gateway unless `work` does
 * it.
 */
export async function atWork(
  terminal: Terminal,
  work: (at: AtWork) => Promise<Status>,
): Promise<Status> {
  const environment = terminal.environment()
  if (environment === null) return 2
  const clock = makeClock(environment.clockStart)
  const log = makeLog(terminal.complain, clock)
  const store = await openExistingStore(environment)
  try {
    const opened = await openEvents(
      environment,
      { clock, log, print: terminal.complain, hasJobs: false },
      store,
    )
    if (!opened.ok) {
      terminal.complain(opened.error.text)
      return opened.error.status
    }
    const events = opened.value
    const gateway = connectToServerGateway({ environment, events })
    // The command prints what it does; the log belongs to the server.
    const quiet = { ...log, info: () => {} }
    const payments = openPayments(
      { store, events, gateway, clock, log: quiet },
      { isEnabled: false },
    )
    try {
      const uploads = openUploads({ ...uploadLocations(environment.dataDir), store, clock })
      return await work({ store, events, payments, clock, gateway, uploads, environment })
    } finally {
      await payments.close()
      await events.close()
    }
  } finally {
    await store.close()
  }
}
