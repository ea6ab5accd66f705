/** What a command that touches money works with: the store, the event files, the gateway, beside a running server or without one. */
import type { EventConfig } from '../../engine/index.ts'
import { openEvents } from '../assemble-server.ts'
import type { Deps } from '../dependencies.ts'
import { makeClock } from '../ops/clock.ts'
import { makeLog } from '../ops/log.ts'
import { gatewayOfRunning } from '../payments/gateways/select-gateway.ts'
import { openPayments } from '../payments/poll-payments.ts'
import { openUploads, placesIn } from '../registration/uploads/store-uploaded-files.ts'
import { openStore } from '../storage/open-store.ts'
import type { Status, Terminal } from './command.ts'

/** An event that is served; null after saying which there are. */
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

/** Opens, works, closes; whatever cannot be opened has said why. Nothing is asked of the gateway unless `work` does. */
export async function atWork(
  terminal: Terminal,
  work: (at: AtWork) => Promise<Status>,
): Promise<Status> {
  const environment = terminal.environment()
  if (environment === null) return 2
  const clock = makeClock(environment.clockStart)
  const log = makeLog(terminal.complain, clock)
  const store = await openStore(environment)
  try {
    const opened = await openEvents(
      environment,
      { clock, log, print: terminal.complain, works: false },
      store,
    )
    if (!opened.ok) {
      terminal.complain(opened.error.text)
      return opened.error.status
    }
    const events = opened.value
    const gateway = gatewayOfRunning({ environment, events })
    // What it does is printed; the log of the server is the server's.
    const quiet = { ...log, info: () => {} }
    const payments = openPayments(
      { store, events, gateway, clock, log: quiet },
      { reconciles: false },
    )
    try {
      const uploads = openUploads({ ...placesIn(environment.dataDir), store, clock })
      return await work({ store, events, payments, clock, gateway, uploads, environment })
    } finally {
      await payments.close()
      await events.close()
    }
  } finally {
    await store.close()
  }
}
