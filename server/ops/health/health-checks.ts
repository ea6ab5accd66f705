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
import { completenessIn } from '../recovery/rescued-completeness.ts'
import { backedUpAt } from '../backup/last-backup.ts'
import { givenUpSentence, mailSentence, mailState } from './email-delivery-state.ts'
import type { MailState } from './email-delivery-state.ts'
import { lengthOf } from '../clock-jumps.ts'
import { lookAtDescriptors } from '../file-descriptors.ts'
import { freeBytes, freeFiles } from '../free-disk-space.ts'
import { StoreBusy } from '../../storage/index.ts'
import { NoFurtherConnection } from '../../storage/database/store-busy-error.ts'
import { writeTrouble } from '../../storage/database/error-explanations.ts'
import { rescuedSentences } from '../../storage/recovery/rescued-databases.ts'

/** A disk that takes longer to write one row is not healthy. */
const WRITE_MS_MAX = 5_000
/** Monitoring asks every few seconds; more frequent writes give no more information. */
const WRITE_EVERY_MS = 5_000
/**
 * Below it registrations may soon fail: the database's log alone grows to 16 MB between checkpoints. They are taken
 * until the disk refuses one, so this is not down.
 */
const ROOM_BYTES_MIN = 64 * 1024 * 1024
/** Below it uploads are refused already (`server/registration/uploads/store-uploaded-files.ts`). */
const FILES_BYTES_MIN = 512 * 1024 * 1024
/** A server creates some while it runs, and one for each file of a delegate. */
const FILES_MIN = 1_000
/**
 * How long the disk counts as full after a request was refused for lack of space, whatever it reports: quotas are
 * not in its figures.
 */
const REFUSED_MS = 30_000
/** A nightly backup, with some hours of tolerance. */
const BACKUP_MS_MAX = 36 * 60 * 60_000

/** Advice for too many open files. */
const RAISE = 'Raise the limit (LimitNOFILE of the unit), and look who holds connections open.'

export type Trouble = {
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
export type Condition = {
  /** Returns the current problems, the worst first. */
  look(): Promise<readonly Trouble[]>
  /** Returns the state of the emails, and what the operator may want to know when there is no problem. */
  notes(): Promise<{ readonly mail: MailState | null; readonly notes: readonly string[] }>
}

export type ConditionDeps = Pick<
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

export function openCondition(deps: ConditionDeps): Condition {
  const { store, clock, clockJumps, events, environment, payments } = deps
  const check = openCheck(deps)
  const lookAround = async (at: Instant): Promise<readonly Trouble[]> => {
    const troubles: Trouble[] = []
    const say = (code: Trouble['code'], text: string, isDown = false): void =>
      void troubles.push({ code, text, isDown })
    const free = await freeBytes(environment.dataDir)
    const noRoomAt = deps.noRoomAt()
    const isRefusing = noRoomAt !== null && at >= noRoomAt && at - noRoomAt < REFUSED_MS
    if (isRefusing) say('no_room', `The disk takes no more: ${inMb(free)} are free.`, true)
    else if (free < ROOM_BYTES_MIN)
      say(
        'little_room',
        `The disk is nearly full: ${inMb(free)} are free. Registrations are still taken; files of delegates are refused. Free some space.`,
      )
    else if (free < FILES_BYTES_MIN)
      say(
        'little_room',
        `${inMb(free)} are free, and files of delegates are refused below ${inMb(FILES_BYTES_MIN)}.`,
      )
    const files = await freeFiles(environment.dataDir)
    if (files !== null && files < FILES_MIN)
      say(
        'little_room',
        `${files === 0 ? 'No file' : `Only ${files} more files`} can be created on the disk of DATA_DIR (inodes), although ${inMb(free)} are free. Remove files that are not needed.`,
      )
    const descriptors = await lookAtDescriptors(environment.dataDir)
    if (descriptors.is === 'none')
      say('descriptors', `No file and no connection can be opened. ${RAISE}`, true)
    else if (descriptors.is === 'few')
      say(
        'descriptors',
        `${descriptors.open} of ${descriptors.most} files and connections are open. ${RAISE}`,
      )
    const folder = await readdir(environment.eventsDir).catch((error: unknown) => error)
    // A missing folder is already reported among the refused files.
    if (folder instanceof Error && (folder as NodeJS.ErrnoException).code !== 'ENOENT')
      say(
        'event_files',
        `EVENTS_DIR is ${environment.eventsDir}, and it cannot be read. The events are served as they were. Put the folder back.`,
      )
    for (const { why } of events.refusedFiles()) say('event_files', why)
    // The file of a past event is removed on purpose.
    for (const { config, isGone } of events.all())
      if (isGone === true && !isEventOver(config, dayOf(at)))
        say('event_files', formatRemoved(config.id))
    const mail = mailSentence(await mailState(deps), at)
    if (mail !== null) say('mail', mail)
    for (const account of payments.pausedAccounts())
      say('gateway', `The gateway does not answer the account ${account}.`)
    const recovery = await store.recovery()
    if (recovery !== null)
      say(
        'recovery',
        `In recovery since ${formatInstant(recovery.begunAt)}: scheduled emails, refunds and erasure are held until it is ended (rollcall db recovery).`,
      )
    const jump = clockJumps.look()
    if (jump !== null)
      say(
        'clock',
        `At ${formatInstant(jump.at)} the clock was set ${jump.byMs > 0 ? 'forward' : 'back'} by ${lengthOf(Math.abs(jump.byMs))}. Check its time service (NTP).`,
      )
    const waits = await findErasurePauseReason(deps)
    if (waits !== null) say('erasing', waits)
    for (const text of await rescuedOf(environment)) say('rescued', text)
    const { trouble } = deps.uploads.state()
    if (trouble !== null) say('files', trouble)
    const last = await backedUpAt(environment.dataDir)
    // An operator who never made one with our command has another method, or learns of it from rollcall doctor.
    if (last !== null && at - last > BACKUP_MS_MAX)
      say('backup', `The last backup is ${lengthOf(at - last)} old.`)
    return troubles
  }
  /** Shared by all requests within some seconds. */
  let seen: { readonly at: Instant; readonly troubles: Promise<readonly Trouble[]> } | null = null
  return {
    async notes() {
      // A database that was lost in this moment is reported at the next look.
      const mail = await mailState(deps).catch(() => null)
      const notes = [deps.uploads.state().note, mail === null ? null : givenUpSentence(mail)]
      return { mail, notes: notes.filter((note) => note !== null) }
    },
    async look() {
      try {
        const lost = await store.lost()
        if (lost !== null)
          return [
            { code: 'cannot_write', text: LOST(lost), isDown: true },
            ...(await rescuedOf(environment)).map(
              (text) => ({ code: 'rescued', text, isDown: true }) as const,
            ),
          ]
        await check()
        const at = clock()
        if (seen === null || at - seen.at >= WRITE_EVERY_MS || at < seen.at)
          seen = { at, troubles: lookAround(at) }
        return await seen.troubles
      } catch (error) {
        seen = null
        if (error instanceof NoFurtherConnection)
          return [{ code: 'connections', text: NO_FURTHER_CONNECTION, isDown: false }]
        const text = writeTrouble(error instanceof StoreBusy ? error.code : '')
        deps.log.error({ error: String(error), why: text }, 'the health check could not write')
        return [{ code: 'cannot_write', text, isDown: true }]
      }
    },
  }
}

const rescuedOf = async ({
  dataDir,
  databaseUrl,
}: Deps['environment']): Promise<readonly string[]> =>
  databaseUrl === null ? rescuedSentences(dataDir, await completenessIn(dataDir)) : []
const NO_FURTHER_CONNECTION =
  'PostgreSQL has no free connection. Registrations are taken over the connections that this server has; files of delegates may be refused. End other connections, or raise its max_connections or the limit of the role or the database.'
const LOST = (what: string): string =>
  `The database file ${what}. Writes are refused. The log says where the data is.`
const inMb = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MB`

/**
 * Rejects when the database does not work. Tests it with a write, which all requests within some seconds share,
 * and with a read per request, which needs no fsync.
 */
function openCheck({ store, clock }: Pick<Deps, 'store' | 'clock'>): () => Promise<void> {
  let last: { readonly at: Instant; readonly written: Promise<void> } | null = null
  return async () => {
    const at = clock()
    if (last === null || at - last.at >= WRITE_EVERY_MS || at < last.at)
      last = { at, written: within(WRITE_MS_MAX, store.ping(at)) }
    await last.written
    await store.adminCount()
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new Error(`no answer in ${ms} ms`)), ms)
  try {
    return await Promise.race([work, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
