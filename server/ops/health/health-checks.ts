/**
 * Checks the server's health: what prevents registrations, and what needs attention before it does.
 * The result is the same for monitoring, metrics and the office.
 */
import { readdir } from 'node:fs/promises'
import { dayOf, formatInstant, isEventOver } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import { findErasurePauseReason } from '../../office/operations/confirm-clock.ts'
import type { Deps } from '../../dependencies.ts'
import { formatRemoved } from '../../events/versions/last-valid-version.ts'
import { createCompletenessNote } from '../recovery/rescued-completeness.ts'
import { readLastBackup } from '../backup/last-backup.ts'
import {
  formatFailedEmails,
  formatDeliveryProblem,
  readEmailState,
} from './email-delivery-state.ts'
import type { EmailState } from './email-delivery-state.ts'
import { formatDuration } from '../clock-jumps.ts'
import { checkDescriptors } from '../file-descriptors.ts'
import { freeBytes, freeFiles } from '../free-disk-space.ts'
import { StoreBusy } from '../../storage/index.ts'
import { NoFurtherConnection } from '../../storage/database/store-busy-error.ts'
import { writeTrouble } from '../../storage/database/error-explanations.ts'
import { rescuedSentences } from '../../storage/recovery/rescued-databases.ts'

/** A disk that takes longer to write one row is not healthy. */
const MAX_WRITE_MS = 5_000
/** Monitoring asks every few seconds; more frequent writes give no more information. */
const WRITE_EVERY_MS = 5_000
/**
 * Below it registrations may soon fail: the database's log alone grows to 16 MB between checkpoints. They are taken
 * until the disk refuses one, so this is not down.
 */
const MIN_FREE_BYTES = 64 * 1024 * 1024
/** Below it uploads are refused already (`server/registration/uploads/store-uploaded-files.ts`). */
const MIN_UPLOAD_BYTES = 512 * 1024 * 1024
/** A server creates some while it runs, and one for each file of a delegate. */
const MIN_FREE_FILES = 1_000
/**
 * How long the disk counts as full after a request was refused for lack of space, whatever it reports: quotas are
 * not in its figures.
 */
const FULL_DISK_MS = 30_000
/** A nightly backup, with some hours of tolerance. */
const MAX_BACKUP_AGE_MS = 36 * 60 * 60_000

/** Advice for too many open files. */
const RAISE_DESCRIPTOR_LIMIT =
  'Raise the limit (LimitNOFILE of the unit), and look who holds connections open.'

export type HealthProblem = {
  readonly code:
    | 'cannot_write'
    | 'no_room'
    | 'little_room'
    | 'event_files'
    | 'mail'
    | 'gateway'
    | 'backup'
    | 'clock'
    | 'descriptors'
    | 'connections'
    | 'recovery'
    | 'erasing'
    | 'files'
    | 'rescued'
  /** A sentence for the operator. */
  readonly text: string
  /** True if no one can register. */
  readonly isDown: boolean
}
export type HealthChecks = {
  /** Returns the current problems, the worst first. */
  check(): Promise<readonly HealthProblem[]>
  /** Returns the state of the emails, and what the operator may want to know when there is no problem. */
  notes(): Promise<{ readonly mail: EmailState | null; readonly notes: readonly string[] }>
}

export type HealthCheckDeps = Pick<
  Deps,
  | 'store'
  | 'clock'
  | 'clockJumps'
  | 'mailUnreachableSince'
  | 'events'
  | 'environment'
  | 'payments'
  | 'uploads'
  | 'log'
> & {
  /** Returns when the database last had no space for a request. Null if never. */
  readonly noRoomAt: () => Instant | null
}

export function createHealthChecks(deps: HealthCheckDeps): HealthChecks {
  const { store, clock, clockJumps, events, environment, payments } = deps
  const checkDatabase = createDatabaseCheck(deps)
  const collectProblems = async (at: Instant): Promise<readonly HealthProblem[]> => {
    const problems: HealthProblem[] = []
    const addProblem = (code: HealthProblem['code'], text: string, isDown = false): void =>
      void problems.push({ code, text, isDown })
    const freeSpace = await freeBytes(environment.dataDir)
    const noRoomAt = deps.noRoomAt()
    const isFull = noRoomAt !== null && at >= noRoomAt && at - noRoomAt < FULL_DISK_MS
    if (isFull)
      addProblem('no_room', `The disk takes no more: ${formatMb(freeSpace)} are free.`, true)
    else if (freeSpace < MIN_FREE_BYTES)
      addProblem(
        'little_room',
        `The disk is nearly full: ${formatMb(freeSpace)} are free. Registrations are still taken; files of delegates are refused. Free some space.`,
      )
    else if (freeSpace < MIN_UPLOAD_BYTES)
      addProblem(
        'little_room',
        `${formatMb(freeSpace)} are free, and files of delegates are refused below ${formatMb(MIN_UPLOAD_BYTES)}.`,
      )
    const files = await freeFiles(environment.dataDir)
    if (files !== null && files < MIN_FREE_FILES)
      addProblem(
        'little_room',
        `${files === 0 ? 'No file' : `Only ${files} more files`} can be created on the disk of DATA_DIR (inodes), although ${formatMb(freeSpace)} are free. Remove files that are not needed.`,
      )
    const descriptors = await checkDescriptors(environment.dataDir)
    if (descriptors.is === 'none')
      addProblem(
        'descriptors',
        `No file and no connection can be opened. ${RAISE_DESCRIPTOR_LIMIT}`,
        true,
      )
    else if (descriptors.is === 'few')
      addProblem(
        'descriptors',
        `${descriptors.open} of ${descriptors.limit} files and connections are open. ${RAISE_DESCRIPTOR_LIMIT}`,
      )
    const folder = await readdir(environment.eventsDir).catch((error: unknown) => error)
    // A missing folder is already reported among the refused files.
    if (folder instanceof Error && (folder as NodeJS.ErrnoException).code !== 'ENOENT')
      addProblem(
        'event_files',
        `EVENTS_DIR is ${environment.eventsDir}, and it cannot be read. The events are served as they were. Put the folder back.`,
      )
    for (const { why: reason } of events.refusedFiles()) addProblem('event_files', reason)
    // The file of a past event is removed on purpose.
    for (const { config, isGone } of events.all())
      if (isGone === true && !isEventOver(config, dayOf(at)))
        addProblem('event_files', formatRemoved(config.id))
    const emailProblem = formatDeliveryProblem(await readEmailState(deps), at)
    if (emailProblem !== null) addProblem('mail', emailProblem)
    for (const account of payments.pausedAccounts())
      addProblem('gateway', `The gateway does not answer the account ${account}.`)
    const recovery = await store.recovery()
    if (recovery !== null)
      addProblem(
        'recovery',
        `In recovery since ${formatInstant(recovery.begunAt)}: scheduled emails, refunds and erasure are held until it is ended (rollcall db recovery).`,
      )
    const clockJump = clockJumps.look()
    if (clockJump !== null)
      addProblem(
        'clock',
        `At ${formatInstant(clockJump.at)} the clock was set ${clockJump.byMs > 0 ? 'forward' : 'back'} by ${formatDuration(Math.abs(clockJump.byMs))}. Check its time service (NTP).`,
      )
    const erasurePause = await findErasurePauseReason(deps)
    if (erasurePause !== null) addProblem('erasing', erasurePause)
    for (const text of await listRescued(environment)) addProblem('rescued', text)
    const { trouble: uploadProblem } = deps.uploads.state()
    if (uploadProblem !== null) addProblem('files', uploadProblem)
    const lastBackup = await readLastBackup(environment.dataDir)
    // An operator who never made one with our command has another method, or learns of it from rollcall doctor.
    if (lastBackup !== null && at - lastBackup > MAX_BACKUP_AGE_MS)
      addProblem('backup', `The last backup is ${formatDuration(at - lastBackup)} old.`)
    return problems
  }
  /** Shared by all requests within some seconds. */
  let lastChecks: {
    readonly at: Instant
    readonly problems: Promise<readonly HealthProblem[]>
  } | null = null
  return {
    async notes() {
      // A database that was lost in this moment is reported at the next look.
      const emailState = await readEmailState(deps).catch(() => null)
      const notes = [
        deps.uploads.state().note,
        emailState === null ? null : formatFailedEmails(emailState),
      ]
      return { mail: emailState, notes: notes.filter((note) => note !== null) }
    },
    async check() {
      try {
        const lost = await store.lost()
        if (lost !== null)
          return [
            { code: 'cannot_write', text: formatLost(lost), isDown: true },
            ...(await listRescued(environment)).map(
              (text) => ({ code: 'rescued', text, isDown: true }) as const,
            ),
          ]
        await checkDatabase()
        const at = clock()
        if (lastChecks === null || at - lastChecks.at >= WRITE_EVERY_MS || at < lastChecks.at)
          lastChecks = { at, problems: collectProblems(at) }
        return await lastChecks.problems
      } catch (error) {
        lastChecks = null
        if (error instanceof NoFurtherConnection)
          return [{ code: 'connections', text: NO_FURTHER_CONNECTION, isDown: false }]
        const message = writeTrouble(error instanceof StoreBusy ? error.code : '')
        deps.log.error({ error: String(error), why: message }, 'the health check could not write')
        return [{ code: 'cannot_write', text: message, isDown: true }]
      }
    },
  }
}

const listRescued = async ({
  dataDir,
  databaseUrl,
}: Deps['environment']): Promise<readonly string[]> =>
  databaseUrl === null ? rescuedSentences(dataDir, await createCompletenessNote(dataDir)) : []
const NO_FURTHER_CONNECTION =
  'PostgreSQL has no free connection. Registrations are taken over the connections that this server has; files of delegates may be refused. End other connections, or raise its max_connections or the limit of the role or the database.'
const formatLost = (what: string): string =>
  `The database file ${what}. Writes are refused. The log says where the data is.`
const formatMb = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MB`

/**
 * Rejects when the database does not work. Tests it with a write, which all requests within some seconds share,
 * and with a read per request, which needs no fsync.
 */
function createDatabaseCheck({ store, clock }: Pick<Deps, 'store' | 'clock'>): () => Promise<void> {
  let lastWrite: { readonly at: Instant; readonly write: Promise<void> } | null = null
  return async () => {
    const at = clock()
    if (lastWrite === null || at - lastWrite.at >= WRITE_EVERY_MS || at < lastWrite.at)
      lastWrite = { at, write: withTimeout(MAX_WRITE_MS, store.ping(at)) }
    await lastWrite.write
    await store.adminCount()
  }
}

async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new Error(`no answer in ${ms} ms`)), ms)
  try {
    return await Promise.race([work, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
