/** Defines the operating metrics as gauges, which are updated on request. */
import path from 'node:path'
import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Instant } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { readLastBackup } from '../backup/last-backup.ts'
import { getFileSize, getFreeBytes } from '../free-disk-space.ts'
import { DATABASE_FILE } from '../../storage/database/sqlite-connection.ts'

export type MetricsDeps = Pick<Deps, 'store' | 'events' | 'payments' | 'environment' | 'clock'>

/** Returns a function that updates the gauges. */
export function createMetricsUpdater(registry: Registry, deps: MetricsDeps): () => Promise<void> {
  const createGauge = <L extends string>(
    name: string,
    help: string,
    ...labelNames: L[]
  ): Gauge<L> => new Gauge({ name: `rollcall_${name}`, help, labelNames, registers: [registry] })
  const events = createGauge('events', 'Event files served')
  const refusedFiles = createGauge(
    'event_files_refused',
    'Event files whose current version is not served',
  )
  const reviews = createGauge(
    'reviews',
    'Open payment reviews: all, undecided payments, unconfirmed refunds',
    'is',
  )
  const emails = createGauge('mails', 'Emails that are queued, or could not be sent', 'is')
  const emailAge = createGauge(
    'mail_oldest_seconds',
    'Age of the oldest queued email; 0 if none is queued',
  )
  const pendingPayments = createGauge('payments_pending', 'Payments whose result is not known yet')
  const pendingAge = createGauge('payment_oldest_seconds', 'Age of the oldest pending payment')
  const pausedAccounts = createGauge(
    'gateway_silent',
    'Merchant accounts for which the gateway does not respond',
  )
  const registrations = createGauge('registrations', 'Registrations', 'event', 'status')
  const diskFree = createGauge('disk_free_bytes', 'Free space on the disk of DATA_DIR')
  const databaseBytes = createGauge('database_bytes', 'Size of the database and its log', 'file')
  const waitingCalls = createGauge(
    'store_waiting',
    'Calls waiting for the database; requests are refused at 2000 or more',
  )
  const recovery = createGauge(
    'recovery',
    'Whether the installation is in recovery after a restore',
  )
  const backupAge = createGauge(
    'backup_age_seconds',
    'Time since the last rollcall db backup; -1 if there is none',
  )

  return async () => {
    const { store, environment } = deps
    const { dataDir } = environment
    const at = deps.clock()
    const getAgeInSeconds = (since: Instant | null): number =>
      since === null ? 0 : (at - since) / 1000
    const [reviewCounts, figures, freeSpace, lastBackup] = await Promise.all([
      store.reviewCounts(),
      store.operatingFigures(),
      getFreeBytes(dataDir),
      readLastBackup(dataDir),
    ])
    events.set(deps.events.all().length)
    refusedFiles.set(deps.events.refusedFiles().length)
    reviews.set({ is: 'all' }, reviewCounts.reviews)
    reviews.set({ is: 'undecided' }, reviewCounts.undecided)
    reviews.set({ is: 'unsure' }, reviewCounts.unsure)
    emails.set({ is: 'queued' }, figures.mailsQueued.count)
    emails.set({ is: 'failed' }, figures.mailsFailed.count)
    emailAge.set(getAgeInSeconds(figures.mailsQueued.since))
    pendingPayments.set(figures.paymentsPending.count)
    pendingAge.set(getAgeInSeconds(figures.paymentsPending.since))
    pausedAccounts.set(deps.payments.pausedAccounts().length)
    registrations.reset()
    for (const { event, status, count } of figures.registrations)
      registrations.set({ event, status }, count)
    diskFree.set(freeSpace)
    waitingCalls.set(figures.callsWaiting)
    for (const [file, name] of [
      ['database', DATABASE_FILE],
      ['log', `${DATABASE_FILE}-wal`],
    ] as const)
      databaseBytes.set({ file }, await getFileSize(path.join(dataDir, name)))
    recovery.set((await store.recovery()) === null ? 0 : 1)
    backupAge.set(lastBackup === null ? -1 : getAgeInSeconds(lastBackup))
  }
}
