/**
 * Starts a recovery automatically, after a restore or with an older database.
 * A database is older if it has made less progress than the one last served from the data folder. It may be a copy that
 * was restored manually or with pg_restore.
 */
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { assert, formatInstant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Deps, Environment } from '../../dependencies.ts'
import { createPeriodicJob } from '../clock.ts'
import type { PeriodicJob } from '../clock.ts'
import {
  deleteRestoreRecord,
  isOlder,
  readLastServed,
  recordRestore,
  saveProgress,
  readRestoreRecord,
} from './detect-older-database.ts'
import type { LastServed, RestoreRecord } from './detect-older-database.ts'
import { readDatabaseSummary } from '../../storage/recovery/copy-database.ts'
import { isLogMissing } from '../../storage/recovery/inspect-log.ts'
import { listRescuedFiles } from '../../storage/recovery/rescued-databases.ts'
import type { NewRecovery, Recovery, Store } from '../../storage/index.ts'
import { DATABASE_FILE } from '../../storage/database/sqlite-connection.ts'
import { findServingPid } from '../../storage/database/single-server-lock.ts'

/** The interval at which the database's progress is recorded if it has changed. */
const RECORD_INTERVAL_MS = 10_000

export type RecoveryDeps = Pick<Deps, 'store' | 'clock' | 'log'> & {
  readonly environment: Pick<Deps['environment'], 'dataDir'>
}
type RecoveryStart = Pick<NewRecovery, 'at' | 'who' | 'why' | 'copyAt'>

/**
 * Begins a recovery regardless of the recorded progress, for `rollcall db recovery begin` and `rollcall db restore`.
 */
export async function beginRecovery(
  { store, environment }: Pick<RecoveryDeps, 'store' | 'environment'>,
  start: RecoveryStart,
): Promise<Recovery> {
  const lastRecord = await readLastServed(environment.dataDir)
  const recovery = await store.beginRecovery(
    { ...start, ...buildRecoveryContext(lastRecord) },
    null,
  )
  assert(recovery !== null, 'the recovery did not begin')
  await deleteRestoreRecord(environment.dataDir)
  await recordProgress(environment.dataDir, store, start.at, lastRecord)
  return recovery
}

/** Returns the parts of the recorded progress that a new recovery stores. */
export const buildRecoveryContext = (
  lastRecord: LastServed | null,
): Pick<NewRecovery, 'servedAt' | 'taken'> => ({
  servedAt: lastRecord?.at ?? null,
  taken: lastRecord?.codes ?? [],
})

/**
 * Begins the recovery after `rollcall db restore`. Called by the command, or by the next start if the copy has an
 * older version.
 */
export function beginRecoveryAfterRestore(
  deps: Pick<RecoveryDeps, 'store' | 'environment'>,
  restoreRecord: RestoreRecord,
  at: Instant,
): Promise<Recovery> {
  const { copyAt, why: reason = explainRestore(restoreRecord) } = restoreRecord
  return beginRecovery(deps, { at, who: 'rollcall', why: reason, copyAt })
}

/**
 * Records that startup must begin a recovery if the database log, or its end, is missing. Call it before a server
 * opens the database, because afterwards this cannot be detected. The record remains if this startup fails.
 */
export async function scheduleRecoveryIfLogMissing({
  clock,
  log,
  environment: { dataDir },
}: Pick<RecoveryDeps, 'clock' | 'log' | 'environment'>): Promise<void> {
  if (!isLogMissing(dataDir)) return
  const reason = LOG_MISSING_REASON
  log.error(
    {},
    `${reason} The last confirmed writes are missing. If you find rollcall.db-wal, stop the server, and restore this file together with its database. A recovery begins now`,
  )
  await recordRestore(dataDir, { at: clock(), copyAt: null, why: reason })
}

/**
 * Begins a recovery if the database is older. Call it before anything is sent, queried or erased. Also logs the state
 * of the recovery.
 */
export async function recoverIfOlder(deps: RecoveryDeps): Promise<void> {
  const { store, clock, log, environment } = deps
  const restoreRecord = await readRestoreRecord(environment.dataDir)
  if (restoreRecord !== null) await beginRecoveryAfterRestore(deps, restoreRecord, clock())
  else if (!(await recoverIfOlderThanRescue(deps))) await compareProgress(deps)
  const rescuedDatabases = store.isShared ? [] : listRescuedFiles(environment.dataDir)
  if (rescuedDatabases.length > 0)
    log.warn(
      { rescued: rescuedDatabases },
      'a rescued database is not in use: rollcall doctor prints the commands to use it or move it elsewhere',
    )
  const openRecovery = await store.recovery()
  if (openRecovery !== null)
    log.warn(
      { code: openRecovery.code, since: openRecovery.begunAt },
      'the installation is in recovery: scheduled emails, refunds and erasure are held until an owner ends it (rollcall db recovery, or Recovery in the office)',
    )
}

/**
 * Explains why the next start will begin a recovery. Null if there is no reason. `readDatabaseProgress` reads the
 * progress of a PostgreSQL database.
 */
export async function explainNextRecovery(
  { dataDir, databaseUrl }: Pick<Environment, 'dataDir' | 'databaseUrl'>,
  readDatabaseProgress: () => Promise<Progress>,
): Promise<string | null> {
  const restoreRecord = await readRestoreRecord(dataDir)
  if (restoreRecord !== null) return restoreRecord.why ?? explainRestore(restoreRecord)
  if (databaseUrl !== null) return explainOlderPostgres(dataDir, readDatabaseProgress)
  if (findServingPid(dataDir) !== null) return null
  if (isLogMissing(dataDir)) return LOG_MISSING_REASON
  const progress = await readDatabaseSummary(path.join(dataDir, DATABASE_FILE))
  if (progress === null) return null
  const newerRescued = await findNewerRescued(progress, dataDir)
  if (
    newerRescued !== null &&
    (progress.recoveredAt === null || progress.recoveredAt < newerRescued.storedAt)
  )
    return explainOlderThanRescued(newerRescued.file)
  const lastRecord = await readLastServed(dataDir)
  if (lastRecord === null) return null
  if (progress.name !== null && progress.name !== lastRecord.name)
    return explainOtherDatabase(lastRecord)
  return isOlder(progress.counted, lastRecord) ? explainOlder(lastRecord) : null
}
type Progress = Awaited<ReturnType<Store['databaseProgress']>>

const explainOlder = ({ at }: LastServed): string =>
  `The database is older than the one that this server used until ${formatInstant(at)}.`

/**
 * Returns null for a PostgreSQL database with another name: the server then only logs a warning, because other servers
 * may use that database.
 */
async function explainOlderPostgres(
  dataDir: string,
  readDatabaseProgress: () => Promise<Progress>,
): Promise<string | null> {
  const lastRecord = await readLastServed(dataDir)
  if (lastRecord === null) return null
  const { name, counted: rowCounts } = await readDatabaseProgress()
  return (name === null || name === lastRecord.name) && isOlder(rowCounts, lastRecord)
    ? explainOlder(lastRecord)
    : null
}

/** Returns a rescued database of the same installation that has made more progress. Null if there is none. */
async function findNewerRescued(
  { name, counted: rowCounts }: Awaited<ReturnType<Store['databaseProgress']>>,
  dataDir: string,
): Promise<{ readonly file: string; readonly storedAt: Instant } | null> {
  for (const file of listRescuedFiles(dataDir)) {
    const rescuedProgress = await readDatabaseSummary(file)
    if (rescuedProgress === null || rescuedProgress.storedAt === null) continue
    if ((name === null || rescuedProgress.name === name) && isOlder(rowCounts, rescuedProgress))
      return { file, storedAt: rescuedProgress.storedAt }
  }
  return null
}
const explainOlderThanRescued = (file: string): string =>
  `The database is older than ${file}, which a server saved when its database was lost.`
const explainOtherDatabase = ({ at }: LastServed): string =>
  `The database is not the one that this DATA_DIR served until ${formatInstant(at)}: it was copied from elsewhere.`
const LOG_MISSING_REASON =
  'The last writes of this server are missing from the database: its log rollcall.db-wal was deleted, or an earlier copy was put back.'
const explainRestore = ({ copyAt }: RestoreRecord): string =>
  copyAt === null
    ? 'The database was restored from an older backup.'
    : `The database was restored from a backup made on ${formatInstant(copyAt)}.`

/**
 * Begins a recovery if the database is older than a rescued one. Returns false if it is not. The recorded progress may
 * be a few seconds older than the rescued database, which contains all data.
 */
async function recoverIfOlderThanRescue(deps: RecoveryDeps): Promise<boolean> {
  const { store, clock, log, environment } = deps
  const { dataDir } = environment
  if (store.isShared) return false
  const newerRescued = await findNewerRescued(await store.databaseProgress(), dataDir)
  if (newerRescued === null) return false
  const lastRecord = await readLastServed(dataDir)
  const at = clock()
  const newRecovery = await store.beginRecovery(
    {
      at,
      who: 'rollcall',
      why: explainOlderThanRescued(newerRescued.file),
      copyAt: null,
      ...buildRecoveryContext(lastRecord),
    },
    newerRescued.storedAt,
  )
  await recordProgress(dataDir, store, at, lastRecord)
  if (newRecovery !== null)
    log.error(
      { code: newRecovery.code, file: newerRescued.file, storedAt: newRecovery.storedAt },
      'the database is older than a rescued one: an older copy was put back. The installation is in recovery now. To lose no data, stop the server and use the rescued database: rollcall doctor prints the commands',
    )
  return true
}

/**
 * Records the database's progress, and begins a recovery if the progress has decreased. `run` returns 1 if it
 * began one.
 */
export function startProgressRecording(
  deps: RecoveryDeps,
  { isEnabled }: { readonly isEnabled: boolean },
): PeriodicJob {
  return createPeriodicJob(
    () => compareProgress(deps),
    isEnabled,
    RECORD_INTERVAL_MS,
    (error) =>
      deps.log.error(
        { error: String(error) },
        'the progress of the database could not be recorded',
      ),
  )
}

async function compareProgress(deps: RecoveryDeps): Promise<number> {
  const { store, clock, log, environment } = deps
  const { dataDir } = environment
  // The record may be lost with the database, or describe another database.
  if ((await store.findDatabaseLoss()) !== null) return 0
  const lastRecord = await readLastServed(dataDir)
  const at = clock()
  if (lastRecord === null) {
    if (!store.isShared && (await store.databaseProgress()).name !== null)
      log.warn(
        {},
        'this database was served from another DATA_DIR, so its progress there is unknown. If it is an older copy, stop the server, run rollcall db recovery begin --who NAME, and start it again',
      )
    await recordProgress(dataDir, store, at, null)
    return 0
  }
  const { name, counted: rowCounts } = await store.databaseProgress()
  const isSameDatabase = name === null || name === lastRecord.name
  if (!isSameDatabase && !store.isShared) return recoverFromOtherDatabase(deps, lastRecord)
  // A server may be configured for another PostgreSQL database, which other servers already use.
  if (!isSameDatabase)
    log.warn(
      { servedAt: lastRecord.at },
      'DATABASE_URL refers to a different database from the one that this DATA_DIR served before',
    )
  if (!isSameDatabase || !isOlder(rowCounts, lastRecord)) {
    if (!isSameDatabase || !hasSameProgress(rowCounts, lastRecord))
      await recordProgress(dataDir, store, at, lastRecord)
    return 0
  }
  const isEmpty = name === null && Object.values(rowCounts).every((position) => position === 0)
  const lastServedText = formatInstant(lastRecord.at)
  const reason = isEmpty
    ? `A new, empty database was created in a DATA_DIR whose previous database was served until ${lastServedText}.`
    : explainOlder(lastRecord)
  const newRecovery = await store.beginRecovery(
    { at, who: 'rollcall', why: reason, copyAt: null, ...buildRecoveryContext(lastRecord) },
    lastRecord.at,
  )
  await recordProgress(dataDir, store, at, lastRecord)
  if (newRecovery === null) return 0
  log.error(
    { code: newRecovery.code, servedAt: lastRecord.at, storedAt: newRecovery.storedAt },
    isEmpty
      ? 'a new, empty database was created in place of the previous one. The installation is in recovery, so that no invoice number is issued twice'
      : 'the database is older than the one that this server used: an older copy was put back. The installation is in recovery now',
  )
  return 1
}

/** Begins a recovery, because the progress of a database from elsewhere is unknown: it may be an older copy. */
async function recoverFromOtherDatabase(
  { store, clock, log, environment: { dataDir } }: RecoveryDeps,
  lastRecord: LastServed,
): Promise<number> {
  const at = clock()
  const reason = explainOtherDatabase(lastRecord)
  const newRecovery = await store.beginRecovery(
    { at, who: 'rollcall', why: reason, copyAt: null, ...buildRecoveryContext(lastRecord) },
    null,
  )
  await recordProgress(dataDir, store, at, lastRecord)
  log.error(
    { code: newRecovery?.code, servedAt: lastRecord.at, storedAt: newRecovery?.storedAt },
    'this is a different database from the one served from this DATA_DIR before: it may be an older copy. The installation is in recovery now. If it is the wrong database, stop the server, put the right one back (rollcall db restore) and start again; if it is the right one, end the recovery (rollcall db recovery end)',
  )
  return 1
}

/** Returns true if the record has exactly this progress. */
const hasSameProgress = (rowCounts: LastServed['counted'], lastRecord: LastServed): boolean =>
  Object.entries(rowCounts).every(([table, position]) => lastRecord.counted[table] === position)

async function recordProgress(
  dataDir: string,
  store: Pick<Store, 'identifyDatabase' | 'recovery'>,
  at: Instant,
  previous: LastServed | null,
): Promise<void> {
  const progress = await store.identifyDatabase(previous?.name ?? randomUUID())
  const recovery = await store.recovery()
  const codes = new Set([...(previous?.codes ?? []), ...(recovery === null ? [] : [recovery.code])])
  await saveProgress(dataDir, { ...progress, at, codes: [...codes] })
}
