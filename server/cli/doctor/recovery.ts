/** Describes the open recovery, or the one that the next start or a restore would begin. */
import { dayOf, formatCount, formatDay, formatInstant } from '../../../engine/index.ts'
import type { EventConfig, Instant } from '../../../engine/index.ts'
import type { Environment } from '../../dependencies.ts'
import { readLastBackup } from '../../ops/backup/last-backup.ts'
import { createClock } from '../../ops/clock.ts'
import {
  listEventsDueForErasure,
  describeRecovery,
  readRecoveryStatus,
} from '../../ops/recovery/recovery-status.ts'
import { explainNextRecovery } from '../../ops/recovery/start-recovery.ts'
import {
  openUploadStorage,
  getUploadLocations,
} from '../../registration/uploads/store-uploaded-files.ts'
import type { RecoveryFigures, Store } from '../../storage/index.ts'
import { openStore } from '../../storage/open-store.ts'
import { inspectPostgres } from '../../storage/postgres/inspect-database.ts'
import {
  readRecoveryFigures,
  isInRecovery,
  countStoredSince,
} from '../../storage/recovery/copy-database.ts'
import { reportCheck, reportGood } from './finding.ts'
import type { Finding } from './finding.ts'

/** Describes the recovery. Empty if the database cannot be read, which another check reports. */
export async function findRecoveryFindings(
  environment: Environment,
  events: readonly EventConfig[],
): Promise<readonly Finding[]> {
  try {
    return (await isRecoveryOpen(environment))
      ? (await describeOpenRecovery(environment, events)).map(reportCheck)
      : await describeNextRecovery(environment, events)
  } catch {
    return []
  }
}

async function isRecoveryOpen({ dataDir, databaseUrl }: Environment): Promise<boolean> {
  if (databaseUrl !== null) return (await inspectPostgres(databaseUrl)).isInRecovery
  try {
    return await isInRecovery(dataDir)
  } catch {
    // The database is from an older version, which had no recoveries.
    return false
  }
}

async function describeOpenRecovery(
  environment: Environment,
  events: readonly EventConfig[],
): Promise<readonly string[]> {
  const store = await openStore(environment)
  try {
    const clock = createClock(environment.clockStart)
    const uploads = openUploadStorage({ ...getUploadLocations(environment), store })
    const status = await readRecoveryStatus({ store, uploads, clock }, events)
    return status.recovery === null
      ? []
      : [...describeRecovery(status), explainHowToEnd(status.recovery.copyAt)]
  } finally {
    await store.close()
  }
}

/** Describes the recovery that the next start or a restore would begin. */
async function describeNextRecovery(
  environment: Environment,
  events: readonly EventConfig[],
): Promise<readonly Finding[]> {
  const reason = await explainNextRecovery(environment, () =>
    withStore(environment, (store) => store.databaseProgress()),
  )
  const figures = await loadFigures(environment, events).catch(() => null)
  if (reason !== null)
    return [
      reportCheck(
        `The next start begins a recovery. ${reason}${figures === null ? '' : ` ${describeHeld(figures)}`}`,
      ),
      reportCheck(explainHowToEnd(null)),
    ]
  if (figures === null) return []
  const missing = describeBackupGap(environment, await readLastBackup(environment.dataDir))
  const trigger = environment.databaseUrl === null ? 'rollcall db restore' : 'Restoring a copy'
  const text = `The installation is not in recovery. ${trigger} begins one, which continues until you end it. ${describeHeld(figures)}${missing}`
  return [reportGood(text)]
}

/** Loads the recovery figures. Does not open an SQLite store, because opening it changes file permissions. */
async function loadFigures(
  environment: Environment,
  events: readonly EventConfig[],
): Promise<RecoveryFigures> {
  const dueEvents = listEventsDueForErasure(events, createClock(environment.clockStart)())
  if (environment.databaseUrl === null) return readRecoveryFigures(environment.dataDir, dueEvents)
  return withStore(environment, (store) => store.recoveryFigures(dueEvents))
}

async function withStore<T>(
  environment: Environment,
  task: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore({ ...environment, isNew: false })
  try {
    return await task(store)
  } finally {
    await store.close()
  }
}

const describeHeld = ({
  ahead: { mails, pending },
  held: { refunds, erasures },
}: RecoveryFigures): string =>
  `A recovery holds ${formatCount(mails)} emails, ${formatCount(refunds)} refunds, and ${formatCount(erasures)} erasures. Pending payments to query at the gateway: ${formatCount(pending)}. New invoices and credit notes use another series.`

/** Describes the data that restoring the last backup would lose. Empty if unknown. */
function describeBackupGap({ dataDir, databaseUrl }: Environment, at: Instant | null): string {
  if (at === null || databaseUrl !== null) return ''
  const { registrations, payments, documents } = countStoredSince(dataDir, at)
  return ` The last backup (${formatInstant(at)}) does not include later data: ${formatCount(registrations)} registrations, ${formatCount(payments)} payments, ${formatCount(documents)} invoices and credit notes.`
}

const explainHowToEnd = (copyAt: Instant | null): string =>
  `To end the recovery: load each event's settlement reports${copyAt === null ? '' : ` from ${formatDay(dayOf(copyAt))} on`} (rollcall payment reconcile EVENT FILE --keep --who NAME), decide on the payments under review (rollcall payment reviews), then run rollcall db recovery end --who NAME --mails copy. This sends the emails that were queued in the copy; --mails send sends all held emails, --mails discard none.`
