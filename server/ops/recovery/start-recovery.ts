/**
 * Starts a recovery automatically, after a restore or with an older database.
 * A database is older if it has made less progress than the one last served from the data folder: a copy put back
 * by hand or with pg_restore.
 */
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { assert, formatInstant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Deps, Environment } from '../../dependencies.ts'
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
import { progressIn } from '../../storage/recovery/copy-database.ts'
import { lacksLog } from '../../storage/recovery/inspect-log.ts'
import { rescuedFiles } from '../../storage/recovery/rescued-databases.ts'
import type { NewRecovery, Recovery, Store } from '../../storage/index.ts'
import { DATABASE_FILE } from '../../storage/database/sqlite-connection.ts'
import { servingPid } from '../../storage/database/single-server-lock.ts'

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
  restored: Restored,
  at: Instant,
): Promise<Recovery> {
  const { copyAt, why = whyRestored(restored) } = restored
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
  const why = LACKS_LOG
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
  if (restored !== null) await beginRestored(deps, restored, clock())
  else if (!(await recoverIfOlderThanRescued(deps))) await compare(deps)
  const rescued = store.isShared ? [] : rescuedFiles(environment.dataDir)
  if (rescued.length > 0)
    log.warn(
      { rescued },
      'a rescued database is not in use: rollcall doctor prints the commands that put it in place, or away',
    )
  const open = await store.recovery()
  if (open !== null)
    log.warn(
      { code: open.code, since: open.begunAt },
      'the installation is in recovery: scheduled emails, refunds and erasure are held until an owner ends it (rollcall db recovery, or Recovery in the office)',
    )
}

/** Why the next start begins a recovery, in a sentence. Null if the files show no reason. */
export async function whyNextStartRecovers({
  dataDir,
  databaseUrl,
}: Pick<Environment, 'dataDir' | 'databaseUrl'>): Promise<string | null> {
  const restored = await restoredIn(dataDir)
  if (restored !== null) return restored.why ?? whyRestored(restored)
  if (databaseUrl !== null || servingPid(dataDir) !== null) return null
  if (lacksLog(dataDir)) return LACKS_LOG
  const now = progressIn(path.join(dataDir, DATABASE_FILE))
  if (now === null) return null
  const newer = newerThan(now, dataDir)
  if (newer !== null && (now.recoveredAt === null || now.recoveredAt < newer.storedAt))
    return OLDER_THAN(newer.file)
  const note = await lastServed(dataDir)
  if (note === null) return null
  if (now.name !== null && now.name !== note.name) return OTHER(note)
  return isOlder(now.counted, note)
    ? `The database is older than what this server had served until ${formatInstant(note.at)}.`
    : null
}

/** A rescued database of the same installation that has made more progress. */
function newerThan(
  { name, counted }: Awaited<ReturnType<Store['counted']>>,
  dataDir: string,
): { readonly file: string; readonly storedAt: Instant } | null {
  for (const file of rescuedFiles(dataDir)) {
    const rescued = progressIn(file)
    if (rescued === null || rescued.storedAt === null) continue
    if ((name === null || rescued.name === name) && isOlder(counted, rescued))
      return { file, storedAt: rescued.storedAt }
  }
  return null
}
const OLDER_THAN = (file: string): string =>
  `The database is older than ${file}, which a server wrote out when its database was lost.`
const OTHER = ({ at }: LastServed): string =>
  `The database is not the one that this DATA_DIR served until ${formatInstant(at)}: a copy from elsewhere was put there.`
const LACKS_LOG =
  'The database lacks what this server had stored last: its log rollcall.db-wal was deleted, or an earlier copy was put back.'
const whyRestored = ({ copyAt }: Restored): string =>
  copyAt === null ? 'A copy was restored.' : `A copy of ${formatInstant(copyAt)} was restored.`

/** The last note may be some seconds older than the rescued database, which has all of the lost one. */
async function recoverIfOlderThanRescued(deps: RecoveringDeps): Promise<boolean> {
  const { store, clock, log, environment } = deps
  const { dataDir } = environment
  if (store.isShared) return false
  const newer = newerThan(await store.counted(), dataDir)
  if (newer === null) return false
  const note = await lastServed(dataDir)
  const at = clock()
  const begun = await store.beginRecovery(
    { at, who: 'rollcall', why: OLDER_THAN(newer.file), copyAt: null, ...knownFrom(note) },
    newer.storedAt,
  )
  await noteNow(dataDir, store, at, note)
  if (begun !== null)
    log.error(
      { code: begun.code, file: newer.file, storedAt: begun.storedAt },
      'the database is older than a rescued one: an older copy was put back. The installation is in recovery now. To lose nothing, stop the server and put the rescued database in place: rollcall doctor prints the commands',
    )
  return true
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

async function compare(deps: RecoveringDeps): Promise<number> {
  const { store, clock, log, environment } = deps
  const { dataDir } = environment
  // The note may be lost with it, or be of another database.
  if ((await store.lost()) !== null) return 0
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
  const isSame = name === null || name === note.name
  if (!isSame && !store.isShared) return recoverAsOther(deps, note)
  // A server may be given another database of PostgreSQL, which others serve already.
  if (!isSame)
    log.warn(
      { servedAt: note.at },
      'DATABASE_URL names another database than the one that this DATA_DIR served before',
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

/** How far a database from elsewhere had come is not known: it may be an older copy. */
async function recoverAsOther(
  { store, clock, log, environment: { dataDir } }: RecoveringDeps,
  note: LastServed,
): Promise<number> {
  const at = clock()
  const why = OTHER(note)
  const begun = await store.beginRecovery(
    { at, who: 'rollcall', why, copyAt: null, ...knownFrom(note) },
    null,
  )
  await noteNow(dataDir, store, at, note)
  log.error(
    { code: begun?.code, servedAt: note.at, storedAt: begun?.storedAt },
    'this is another database than the one served from this DATA_DIR before: it may be an older copy. The installation is in recovery now. If it is the wrong database, stop the server, put the right one back (rollcall db restore) and start again; if it is the right one, end the recovery (rollcall db recovery end)',
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
