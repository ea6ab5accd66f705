/**
 * Starts a recovery automatically, after a restore or with an older database.
 * A database is older if it has made less progress than the one last served from the data folder: a copy put back
 * by hand or with pg_restore.
 */
import { randomUUID } from 'node:crypto'
import { assert, formatInstant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { byItself } from '../clock.ts'
import type { ByItself } from '../clock.ts'
import {
  forgetRestored,
  isOlder,
  lastServed,
  noteRestored,
  noteServed,
  restoredIn,
} from './detect-older-database.ts'
import type { LastServed, Restored } from './detect-older-database.ts'
import { lacksLog } from '../../storage/recovery/inspect-log.ts'
import type { NewRecovery, Recovery, Store } from '../../storage/index.ts'

/** How often the progress of the database is noted, if it has changed. */
const NOTE_MS = 10_000

export type RecoveringDeps = Pick<Deps, 'store' | 'clock' | 'log'> & {
  readonly environment: Pick<Deps['environment'], 'dataDir'>
}
type Begun = Pick<NewRecovery, 'at' | 'who' | 'why' | 'copyAt'>

/** Starts a recovery whatever the notes say, as for `rollcall db recovery begin` and `rollcall db restore`. */
export async function beginNow(
  { store, environment }: Pick<RecoveringDeps, 'store' | 'environment'>,
  begun: Begun,
): Promise<Recovery> {
  const note = await lastServed(environment.dataDir)
  const recovery = await store.beginRecovery({ ...begun, ...knownFrom(note) }, null)
  assert(recovery !== null, 'a recovery that was to begin did not')
  await forgetRestored(environment.dataDir)
  await noteNow(environment.dataDir, store, begun.at, note)
  return recovery
}

/** What a new recovery takes from the note of the last progress. */
export const knownFrom = (note: LastServed | null): Pick<NewRecovery, 'servedAt' | 'taken'> => ({
  servedAt: note?.at ?? null,
  taken: note?.codes ?? [],
})

/**
 * After `rollcall db restore`: called by the command itself, or by the next start if the copy is of an older
 * version.
 */
export function beginRestored(
  deps: Pick<RecoveringDeps, 'store' | 'environment'>,
  {
    copyAt,
    why = copyAt === null
      ? 'A copy was restored.'
      : `A copy of ${formatInstant(copyAt)} was restored.`,
  }: Restored,
  at: Instant,
): Promise<Recovery> {
  return beginNow(deps, { at, who: 'rollcall', why, copyAt })
}

/**
 * Call it before a server opens a database in its folder: afterwards it is not known any more whether the log, or the end
 * of it, is missing. Has the start begin a recovery, also a later one if this one fails.
 */
export async function beginAsLogIsMissing({
  clock,
  log,
  environment: { dataDir },
}: Pick<RecoveringDeps, 'clock' | 'log' | 'environment'>): Promise<void> {
  if (!lacksLog(dataDir)) return
  const why =
    'The database lacks what this server had stored last: its log rollcall.db-wal was deleted, or an earlier copy was put back.'
  log.error(
    {},
    `${why} What was stored and answered last is missing. If rollcall.db-wal is somewhere, stop the server and put it and the database back together. The start begins a recovery`,
  )
  await noteRestored(dataDir, { at: clock(), copyAt: null, why })
}

/** Call it before anything is sent, queried or erased. Logs the state. */
export async function recoverIfOlder(deps: RecoveringDeps): Promise<void> {
  const { store, clock, log, environment } = deps
  const restored = await restoredIn(environment.dataDir)
  if (restored === null) await compare(deps)
  else {
    await beginRestored(deps, restored, clock())
  }
  const open = await store.recovery()
  if (open !== null)
    log.warn(
      { code: open.code, since: open.begunAt },
      'the installation is in recovery: scheduled emails, refunds and erasure are held until an owner ends it (rollcall db recovery, or Recovery in the office)',
    )
}

/**
 * Notes the progress of the database, and starts a recovery if it has gone back; `run` returns 1 if it started
 * one.
 */
export function openRecovering(
  deps: RecoveringDeps,
  { works }: { readonly works: boolean },
): ByItself {
  return byItself(
    () => compare(deps),
    works,
    NOTE_MS,
    (error) =>
      deps.log.error({ error: String(error) }, 'how far the database has come could not be noted'),
  )
}

async function compare({ store, clock, log, environment }: RecoveringDeps): Promise<number> {
  const { dataDir } = environment
  const note = await lastServed(dataDir)
  const at = clock()
  if (note === null) {
    if (!store.isShared && (await store.counted()).name !== null)
      log.warn(
        {},
        'this database was served from another DATA_DIR, and how far it had come there is not known here. If it is an older copy, stop the server, run rollcall db recovery begin --who NAME, and start it again',
      )
    await noteNow(dataDir, store, at, null)
    return 0
  }
  const { name, counted } = await store.counted()
  // Another database, which was never served from here: nothing is known about it.
  const isSame = name === null || name === note.name
  if (!isSame)
    log.warn(
      { servedAt: note.at },
      'this is another database than the one served from this DATA_DIR before',
    )
  if (!isSame || !isOlder(counted, note)) {
    if (!isSame || !hasCome(counted, note)) await noteNow(dataDir, store, at, note)
    return 0
  }
  const isEmpty = name === null && Object.values(counted).every((last) => last === 0)
  const until = formatInstant(note.at)
  const why = isEmpty
    ? `A new, empty database was begun in a DATA_DIR whose earlier database was served until ${until}.`
    : `The database is older than what this server had served until ${until}.`
  const begun = await store.beginRecovery(
    { at, who: 'rollcall', why, copyAt: null, ...knownFrom(note) },
    note.at,
  )
  await noteNow(dataDir, store, at, note)
  if (begun === null) return 0
  log.error(
    { code: begun.code, servedAt: note.at, storedAt: begun.storedAt },
    isEmpty
      ? 'a new, empty database was begun where another one was served. The installation is in recovery, so that no invoice number is issued a second time'
      : 'the database is older than what this server has served: an older copy was put back. The installation is in recovery now',
  )
  return 1
}

/** Returns true if the note has exactly this progress. */
const hasCome = (counted: LastServed['counted'], note: LastServed): boolean =>
  Object.entries(counted).every(([table, last]) => note.counted[table] === last)

async function noteNow(
  dataDir: string,
  store: Pick<Store, 'mark' | 'recovery'>,
  at: Instant,
  before: LastServed | null,
): Promise<void> {
  const mark = await store.mark(before?.name ?? randomUUID())
  const open = await store.recovery()
  const codes = new Set([...(before?.codes ?? []), ...(open === null ? [] : [open.code])])
  await noteServed(dataDir, { ...mark, at, codes: [...codes] })
}
