/** Defines the operating metrics, as gauges that are set on request. */
import path from 'node:path'
import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Instant } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { backedUpAt } from '../backup/last-backup.ts'
import { bytesOf, freeBytes } from '../free-disk-space.ts'
import { DATABASE_FILE } from '../../storage/database/sqlite-connection.ts'

export type FiguresDeps = Pick<Deps, 'store' | 'events' | 'payments' | 'environment' | 'clock'>

/** Returns a function that sets them. */
export function operatingFigures(registry: Registry, deps: FiguresDeps): () => Promise<void> {
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]): Gauge<L> =>
    new Gauge({ name: `rollcall_${name}`, help, labelNames, registers: [registry] })
  const events = gauge('events', 'Event files served')
  const refused = gauge('event_files_refused', 'Event files that are not served as they are')
  const reviews = gauge(
    'reviews',
    'What waits for a person about money: all of it, undecided payments, refunds in doubt',
    'is',
  )
  const mails = gauge('mails', 'Mails that wait to be sent, or were given up', 'is')
  const mailAge = gauge('mail_oldest_seconds', 'How long the oldest mail has waited; 0: none waits')
  const pending = gauge('payments_pending', 'Payments of which nobody knows yet how they ended')
  const pendingAge = gauge('payment_oldest_seconds', 'How long the oldest of them has been pending')
  const resting = gauge('gateway_silent', 'Merchant accounts that the gateway does not answer')
  const registrations = gauge('registrations', 'Registrations', 'event', 'status')
  const free = gauge('disk_free_bytes', 'Room on the disk of DATA_DIR')
  const database = gauge('database_bytes', 'The database and its log', 'file')
  const queue = gauge(
    'store_waiting',
    'Calls that wait for the database; at 2000 requests are refused',
  )
  const recovery = gauge('recovery', 'Whether the installation is in recovery after a restore')
  const backup = gauge(
    'backup_age_seconds',
    'Since the last rollcall db backup; -1: there was none',
  )

  return async () => {
    const { store, environment } = deps
    const { dataDir } = environment
    const at = deps.clock()
    const age = (since: Instant | null): number => (since === null ? 0 : (at - since) / 1000)
    const [waiting, now, room, backedUp] = await Promise.all([
      store.reviewCounts(),
      store.operating(),
      freeBytes(dataDir),
      backedUpAt(dataDir),
    ])
    events.set(deps.events.all().length)
    refused.set(deps.events.refusedFiles().length)
    reviews.set({ is: 'all' }, waiting.reviews)
    reviews.set({ is: 'undecided' }, waiting.undecided)
    reviews.set({ is: 'unsure' }, waiting.unsure)
    mails.set({ is: 'queued' }, now.mailsQueued.count)
    mails.set({ is: 'failed' }, now.mailsFailed.count)
    mailAge.set(age(now.mailsQueued.since))
    pending.set(now.paymentsPending.count)
    pendingAge.set(age(now.paymentsPending.since))
    resting.set(deps.payments.pausedAccounts().length)
    registrations.reset()
    for (const { event, status, count } of now.registrations)
      registrations.set({ event, status }, count)
    free.set(room)
    queue.set(now.callsWaiting)
    for (const [file, name] of [
      ['database', DATABASE_FILE],
      ['log', `${DATABASE_FILE}-wal`],
    ] as const)
      database.set({ file }, await bytesOf(path.join(dataDir, name)))
    recovery.set((await store.recovery()) === null ? 0 : 1)
    backup.set(backedUp === null ? -1 : age(backedUp))
  }
}
