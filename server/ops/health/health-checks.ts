/**
 * Checks the server's health: problems that prevent registrations, or may soon do so.
 * The result is the same for monitoring, metrics and the office.
 */
import { readdir } from 'node:fs/promises'
import { dayOf, formatInstant, isEventOver } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import { findErasurePauseReason } from '../../office/operations/confirm-clock.ts'
import type { Deps } from '../../dependencies.ts'
import { formatRemovedMessage } from '../../events/versions/last-valid-version.ts'
import { createCompletenessDescriber } from '../recovery/rescued-completeness.ts'
import { MAX_BACKUP_AGE_MS, readLastBackup } from '../backup/last-backup.ts'
import {
  formatFailedEmails,
  formatDeliveryProblem,
  readEmailState,
} from './email-delivery-state.ts'
import type { EmailState } from './email-delivery-state.ts'
import { formatDuration } from '../clock-jumps.ts'
import { createUploadStorageCheck } from './upload-storage-check.ts'
import { checkDescriptors } from '../file-descriptors.ts'
import { getFreeBytes, getFreeFiles } from '../free-disk-space.ts'
import { listMissingWebhooks } from '../../payments/missing-webhooks.ts'
import { StoreBusy } from '../../storage/index.ts'
import { NoFurtherConnection } from '../../storage/database/store-busy-error.ts'
import { explainWriteError } from '../../storage/database/error-explanations.ts'
import { listRescuedSentences } from '../../storage/recovery/rescued-databases.ts'

/** A disk that needs longer to write one row is reported as a problem. */
const MAX_WRITE_MS = 5_000
/** Monitoring checks every few seconds. More frequent writes give no additional information. */
const WRITE_INTERVAL_MS = 5_000
/**
 * Below this, registrations may soon fail: the write-ahead log alone grows to 16 MB between checkpoints. The server
 * still counts as up, because it accepts registrations until a write fails.
 */
const MIN_FREE_DISK_BYTES = 64 * 1024 * 1024
/** Below this, uploads are rejected (`server/registration/uploads/store-uploaded-files.ts`). */
const MIN_UPLOAD_FREE_BYTES = 512 * 1024 * 1024
/** A running server creates a few files, plus one for each upload. */
const MIN_FREE_FILES = 1_000
/**
 * After a request fails for lack of space, the disk counts as full for this long, even if it reports free space: that
 * figure ignores disk quotas.
 */
const FULL_DISK_MS = 30_000

/** Advice if too many files are open. */
const RAISE_DESCRIPTOR_LIMIT_ADVICE =
  'Raise the limit (LimitNOFILE in the systemd unit), and check which clients keep connections open.'

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
  /** True if registration is not possible. */
  readonly isDown: boolean
}
export type HealthChecks = {
  /** Returns the current problems, the worst first. */
  check(): Promise<readonly HealthProblem[]>
  /** Returns the state of email delivery, and notes that are useful but not problems. */
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
  | 'gateway'
  | 'payments'
  | 'uploads'
  | 'log'
> & {
  /** Returns the time at which a request last failed because the database had no space. Null if never. */
  readonly getLastNoSpaceTime: () => Instant | null
}

export function createHealthChecks(deps: HealthCheckDeps): HealthChecks {
  const { store, clock, clockJumps, events, environment, payments } = deps
  const checkDatabase = createDatabaseCheck(deps)
  const checkUploadStorage = createUploadStorageCheck(deps)
  const collectProblems = async (at: Instant): Promise<readonly HealthProblem[]> => {
    const problems: HealthProblem[] = []
    const addProblem = (code: HealthProblem['code'], text: string, isDown = false): void =>
      void problems.push({ code, text, isDown })
    const freeSpace = await getFreeBytes(environment.dataDir)
    const lastNoSpaceTime = deps.getLastNoSpaceTime()
    const isFull =
      lastNoSpaceTime !== null && at >= lastNoSpaceTime && at - lastNoSpaceTime < FULL_DISK_MS
    if (isFull)
      addProblem('no_room', `Writes to the disk fail: ${formatMb(freeSpace)} is free.`, true)
    else if (freeSpace < MIN_FREE_DISK_BYTES)
      addProblem(
        'little_room',
        `The disk is nearly full: ${formatMb(freeSpace)} is free. Registrations are still accepted; uploads are refused. Free some space.`,
      )
    else if (freeSpace < MIN_UPLOAD_FREE_BYTES)
      addProblem(
        'little_room',
        `${formatMb(freeSpace)} is free, and uploads are refused below ${formatMb(MIN_UPLOAD_FREE_BYTES)}.`,
      )
    const freeFileCount = await getFreeFiles(environment.dataDir)
    if (freeFileCount !== null && freeFileCount < MIN_FREE_FILES)
      addProblem(
        'little_room',
        `${freeFileCount === 0 ? 'No file' : `Only ${freeFileCount} more files`} can be created on the disk of DATA_DIR (inodes), although ${formatMb(freeSpace)} is free. Remove files that are not needed.`,
      )
    const descriptors = await checkDescriptors(environment.dataDir)
    if (descriptors.is === 'none')
      addProblem(
        'descriptors',
        `No more files or connections can be opened. ${RAISE_DESCRIPTOR_LIMIT_ADVICE}`,
        true,
      )
    else if (descriptors.is === 'few')
      addProblem(
        'descriptors',
        `${descriptors.open} of ${descriptors.limit} files and connections are open. ${RAISE_DESCRIPTOR_LIMIT_ADVICE}`,
      )
    const folderEntries = await readdir(environment.eventsDir).catch((error: unknown) => error)
    // A missing folder is already reported with the refused files.
    if (
      folderEntries instanceof Error &&
      (folderEntries as NodeJS.ErrnoException).code !== 'ENOENT'
    )
      addProblem(
        'event_files',
        `EVENTS_DIR is ${environment.eventsDir}, but it cannot be read. The server still uses the event versions that it read before. Restore the folder.`,
      )
    for (const { why: reason } of events.refusedFiles()) addProblem('event_files', reason)
    // Organisers remove the files of past events on purpose.
    for (const { config, isGone } of events.all())
      if (isGone === true && !isEventOver(config, dayOf(at)))
        addProblem('event_files', formatRemovedMessage(config.id))
    const emailProblem = formatDeliveryProblem(await readEmailState(deps), at)
    if (emailProblem !== null) addProblem('mail', emailProblem)
    for (const account of payments.pausedAccounts())
      addProblem('gateway', `The gateway does not respond for the account ${account}.`)
    for (const problem of await listMissingWebhooks(deps, at)) addProblem('gateway', problem)
    const recovery = await store.recovery()
    if (recovery !== null)
      addProblem(
        'recovery',
        `In recovery since ${formatInstant(recovery.begunAt)}: scheduled emails, refunds and erasure are on hold until you end the recovery (rollcall db recovery).`,
      )
    const clockJump = clockJumps.findRecentJump()
    if (clockJump !== null)
      addProblem(
        'clock',
        `At ${formatInstant(clockJump.at)} the clock was set ${clockJump.byMs > 0 ? 'forward' : 'back'} by ${formatDuration(Math.abs(clockJump.byMs))}. Check the time service (NTP).`,
      )
    const erasurePause = await findErasurePauseReason(deps)
    if (erasurePause !== null) addProblem('erasing', erasurePause)
    for (const text of await listRescuedDatabases(environment)) addProblem('rescued', text)
    const storageProblem = await checkUploadStorage()
    if (storageProblem !== null) addProblem('files', storageProblem)
    const { problem: uploadProblem } = deps.uploads.state()
    if (uploadProblem !== null) addProblem('files', uploadProblem)
    // PostgreSQL is backed up with its own tools; a record is from before the move from SQLite.
    const lastBackup =
      environment.databaseUrl === null ? await readLastBackup(environment.dataDir) : null
    // An operator who has never used our backup command uses another method, or is warned by rollcall doctor.
    if (lastBackup !== null && at - lastBackup > MAX_BACKUP_AGE_MS)
      addProblem('backup', `The last backup is ${formatDuration(at - lastBackup)} old.`)
    return problems
  }
  /** The result, shared by all requests within a few seconds. */
  let lastChecks: {
    readonly at: Instant
    readonly problems: Promise<readonly HealthProblem[]>
  } | null = null
  return {
    async notes() {
      // If the database has only just been lost, the next check reports the loss.
      const emailState = await readEmailState(deps).catch(() => null)
      const notes = [
        deps.uploads.state().note,
        emailState === null ? null : formatFailedEmails(emailState),
      ]
      return { mail: emailState, notes: notes.filter((note) => note !== null) }
    },
    async check() {
      try {
        const lossDescription = await store.findDatabaseLoss()
        if (lossDescription !== null)
          return [
            { code: 'cannot_write', text: formatDatabaseLoss(lossDescription), isDown: true },
            ...(await listRescuedDatabases(environment)).map(
              (text) => ({ code: 'rescued', text, isDown: true }) as const,
            ),
          ]
        await checkDatabase()
        const at = clock()
        if (lastChecks === null || at - lastChecks.at >= WRITE_INTERVAL_MS || at < lastChecks.at)
          lastChecks = { at, problems: collectProblems(at) }
        return await lastChecks.problems
      } catch (error) {
        lastChecks = null
        if (error instanceof NoFurtherConnection)
          return [{ code: 'connections', text: NO_FURTHER_CONNECTION, isDown: false }]
        const message = explainWriteError(error instanceof StoreBusy ? error.code : '')
        deps.log.error({ error: String(error), why: message }, 'the health check could not write')
        return [{ code: 'cannot_write', text: message, isDown: true }]
      }
    },
  }
}

const listRescuedDatabases = async ({
  dataDir,
  databaseUrl,
}: Deps['environment']): Promise<readonly string[]> =>
  databaseUrl === null
    ? listRescuedSentences(dataDir, await createCompletenessDescriber(dataDir))
    : []
const NO_FURTHER_CONNECTION =
  'PostgreSQL has no free connection. Registrations use the existing connections of this server; uploads may be refused. End other connections, or raise max_connections or the connection limit of the role or database.'
const formatDatabaseLoss = (description: string): string =>
  `The database file ${description}. Writes are refused. The log states where the data is.`
const formatMb = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MB`

/**
 * Returns a check that rejects if the database does not work. It writes at most once every few seconds. For each
 * request it only reads, which needs no fsync.
 */
function createDatabaseCheck({ store, clock }: Pick<Deps, 'store' | 'clock'>): () => Promise<void> {
  let lastWrite: { readonly at: Instant; readonly write: Promise<void> } | null = null
  return async () => {
    const at = clock()
    if (lastWrite === null || at - lastWrite.at >= WRITE_INTERVAL_MS || at < lastWrite.at)
      lastWrite = { at, write: withTimeout(MAX_WRITE_MS, store.ping(at)) }
    await lastWrite.write
    await store.adminCount()
  }
}

async function withTimeout<T>(ms: number, task: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new Error(`no response within ${ms} ms`)), ms)
  try {
    return await Promise.race([task, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
