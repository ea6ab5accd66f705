/** Opens the store, the event files and the gateway for payment commands, with or without a running server. */
import type { EventConfig } from '../../engine/index.ts'
import { openEvents } from '../assemble-server.ts'
import type { Deps, Log } from '../dependencies.ts'
import { createClock } from '../ops/clock.ts'
import { makeLog } from '../ops/log.ts'
import { connectToServerGateway } from '../payments/gateways/select-gateway.ts'
import { openPayments } from '../payments/poll-payments.ts'
import { openUploads, getUploadLocations } from '../registration/uploads/store-uploaded-files.ts'
import { openExistingStore } from './open-existing-store.ts'
import type { Status, Terminal } from './command.ts'

/** Returns the served event with this id. If there is none, prints the ids of the served events and returns null. */
export function findEvent(
  { events }: Pick<CommandContext, 'events'>,
  id: string,
  terminal: Terminal,
): EventConfig | null {
  const servedEvent = events.findById(id)
  if (servedEvent !== null) return servedEvent.config
  const ids = events.all().map(({ config }) => config.id)
  terminal.printError(`No event "${id}". Events: ${ids.join(', ')}.`)
  return null
}

/**
 * The log of the event files for commands. It writes nothing, because every problem with them is also printed as a
 * sentence.
 */
export const EVENT_FILES_LOG: Log = { info: () => {}, warn: () => {}, error: () => {} }

export type CommandContext = Pick<
  Deps,
  'store' | 'events' | 'payments' | 'clock' | 'gateway' | 'uploads' | 'environment'
>

/**
 * Opens the store, the event files and the gateway, runs `task`, and closes them. If one of them cannot be opened,
 * prints the reason. Only `task` queries the gateway.
 */
export async function withContext(
  terminal: Terminal,
  task: (context: CommandContext) => Promise<Status>,
): Promise<Status> {
  const environment = terminal.environment()
  if (environment === null) return 2
  const clock = createClock(environment.clockStart)
  const store = await openExistingStore(environment)
  try {
    const openResult = await openEvents(
      environment,
      { clock, log: EVENT_FILES_LOG, print: terminal.printError, hasJobs: false },
      store,
    )
    if (!openResult.ok) {
      terminal.printError(openResult.error.text)
      return openResult.error.status
    }
    const events = openResult.value
    const gateway = connectToServerGateway({ environment, events, store })
    // The command prints its own results, so it logs only warnings and errors.
    const quietLog = { ...makeLog(terminal.printError, clock), info: () => {} }
    const payments = openPayments(
      { store, events, gateway, clock, log: quietLog },
      { isEnabled: false },
    )
    try {
      const uploads = openUploads({ ...getUploadLocations(environment), store, clock })
      return await task({ store, events, payments, clock, gateway, uploads, environment })
    } finally {
      await payments.close()
      await events.close()
    }
  } finally {
    await store.close()
  }
}
