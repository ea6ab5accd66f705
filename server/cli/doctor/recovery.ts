/** Tells what a recovery means for an installation: the one that is open, the next start's, or one after a restore. */
import { dayOf, formatCount, formatDay, formatInstant } from '../../../engine/index.ts'
import type { EventConfig, Instant } from '../../../engine/index.ts'
import type { Environment } from '../../dependencies.ts'
import { backedUpAt } from '../../ops/backup/last-backup.ts'
import { makeClock } from '../../ops/clock.ts'
import { dueToErase, sentencesOf, recoveryStatusOf } from '../../ops/recovery/recovery-status.ts'
import { whyNextStartRecovers } from '../../ops/recovery/start-recovery.ts'
import type { RecoveryFigures } from '../../storage/index.ts'
import { openStore } from '../../storage/open-store.ts'
import { lookAtPostgres } from '../../storage/postgres/inspect-database.ts'
import { figuresIn, isInRecovery, storedSince } from '../../storage/recovery/copy-database.ts'

type Finding = { readonly isGood: boolean; readonly text: string }
const look = (text: string): Finding => ({ isGood: false, text })

/** Nothing where the database cannot be read: what prevents it is reported elsewhere. */
export async function recoveryFindings(
  environment: Environment,
  events: readonly EventConfig[],
): Promise<readonly Finding[]> {
  try {
    return (await isOpen(environment))
      ? (await openRecovery(environment, events)).map(look)
      : await ahead(environment, events)
  } catch {
    return []
  }
}

async function isOpen({ dataDir, databaseUrl }: Environment): Promise<boolean> {
  if (databaseUrl !== null) return (await lookAtPostgres(databaseUrl)).isInRecovery
  try {
    return isInRecovery(dataDir)
  } catch {
    // Of an older version, which had no recoveries.
    return false
  }
}

async function openRecovery(
  environment: Environment,
  events: readonly EventConfig[],
): Promise<readonly string[]> {
  const store = await openStore(environment)
  try {
    const clock = makeClock(environment.clockStart)
    const standing = await recoveryStatusOf({ store, environment, clock }, events)
    return standing.recovery === null
      ? []
      : [...sentencesOf(standing), HOW_TO_END(standing.recovery.copyAt)]
  } finally {
    await store.close()
  }
}

/** What begins with the next start, or would begin with a restore. */
async function ahead(
  environment: Environment,
  events: readonly EventConfig[],
): Promise<readonly Finding[]> {
  const next = await whyNextStartRecovers(environment)
  const figures = await figuresOf(environment, events).catch(() => null)
  if (next !== null)
    return [
      look(
        `The next start begins a recovery. ${next}${figures === null ? '' : ` ${held(figures)}`}`,
      ),
      look(HOW_TO_END(null)),
    ]
  if (figures === null) return []
  const missing = lostWithBackup(environment, await backedUpAt(environment.dataDir))
  const begins = environment.databaseUrl === null ? 'rollcall db restore' : 'Putting a copy back'
  const text = `The installation is not in recovery. ${begins} begins one, until it is ended by hand. With the data of now: ${held(figures)}${missing}`
  return [{ isGood: true, text }]
}

/** Does not open a store of SQLite: that changes the rights of files. */
async function figuresOf(
  environment: Environment,
  events: readonly EventConfig[],
): Promise<RecoveryFigures> {
  const due = dueToErase(events, makeClock(environment.clockStart)())
  if (environment.databaseUrl === null) return figuresIn(environment.dataDir, due)
  const store = await openStore({ ...environment, isNew: false })
  try {
    return await store.recoveryFigures(due)
  } finally {
    await store.close()
  }
}

const held = ({
  ahead: { mails, pending },
  held: { refunds, erasures },
}: RecoveryFigures): string =>
  `${formatCount(mails)} emails, ${formatCount(refunds)} refunds and the erasure of ${formatCount(erasures)} registrations are held, the gateway is asked about ${formatCount(pending)} pending payments, and new invoices and credit notes have another series.`

/** What a restore of the last backup loses; empty: that is not known. */
function lostWithBackup({ dataDir, databaseUrl }: Environment, at: Instant | null): string {
  if (at === null || databaseUrl !== null) return ''
  const { registrations, payments, documents } = storedSince(dataDir, at)
  return ` The last backup (${formatInstant(at)}) lacks what was stored since: ${formatCount(registrations)} registrations, ${formatCount(payments)} payments, ${formatCount(documents)} invoices and credit notes.`
}

const HOW_TO_END = (copyAt: Instant | null): string =>
  `To end the recovery: load the settlement reports${copyAt === null ? '' : ` from ${formatDay(dayOf(copyAt))} on`} of each event (rollcall payment reconcile EVENT FILE --keep --who NAME), decide the payments that wait (rollcall payment reviews), then run rollcall db recovery end --who NAME --mails copy. That sends the emails that the copy held queued; --mails send sends all that are held, --mails discard none.`
