/**
 * Detects that the database was deleted, replaced or overwritten while the server runs, and rescues its data.
 * The server does not exit until the data is in a file, unless a second signal stops it.
 */
import { statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps, Environment } from '../../dependencies.ts'
import { DATABASE_FILE } from '../../storage/database/sqlite-connection.ts'
import type { RescuedRows } from '../../storage/files/upload-and-clock-types.ts'
import { explainFileError } from '../../storage/database/error-explanations.ts'
import { listSpareDirs } from '../environment.ts'
import { INCOMPLETE_REASON } from './rescued-completeness.ts'
import { buildRecoveryContext } from './start-recovery.ts'
import { readLastServed } from './detect-older-database.ts'

/** Delay before a second check: a file that is immediately renamed back is not lost. */
const RECHECK_DELAY_MS = 300
/** The interval between retries of a failed rescue. */
const RETRY_INTERVAL_MS = 30_000
/** A shorter interval after a signal to stop, because systemd does not wait long. */
const STOPPING_RETRY_INTERVAL_MS = 2_000

export type LossDeps = Pick<Deps, 'log' | 'clock'> & {
  readonly store: Pick<Deps['store'], 'findDatabaseLoss' | 'rescue'>
  readonly environment: Pick<Environment, 'dataDir'>
}
export type LossWatch = {
  /**
   * Checks that the database file is still the one that was opened. If it is not, writes the server's data into a
   * separate file and logs its location. Resolves when that is done, or has failed.
   */
  check(): Promise<void>
  /** Resolves when the process can end without losing data, however long that takes. */
  waitUntilSaved(): Promise<void>
  /** True while the server holds data that is not in any file. */
  isUnsaved(): boolean
  /** Returns the location of the rescued data. Null if there is none. */
  getRescuedLocation(): Pick<RescuedRows, 'file' | 'isComplete'> | null
  /** True if the data is in a file that the next start will not find. */
  isOutsideDataDir(): boolean
}

/**
 * Watches for the loss of the database. `fallbackDirs` are the folders to use if the data folder has no space; by
 * default, those that the environment defines.
 */
export function watchForLoss(
  { store, log, clock, environment: { dataDir } }: LossDeps,
  fallbackDirs: readonly string[] = listSpareDirs(),
): LossWatch {
  const openedIdentity = getFolderIdentity(dataDir)
  let isLost = false
  let rescuedDatabase: RescuedRows | null = null
  let failedAt: number | null = null
  const rescue = async (): Promise<void> => {
    const at = clock()
    const context = buildRecoveryContext(await readLastServed(dataDir))
    try {
      rescuedDatabase = await store.rescue({
        dataDir,
        spareDirs: fallbackDirs,
        recovery: { at, who: 'rollcall', why: INCOMPLETE_REASON, copyAt: null, ...context },
      })
      const { file, rows, isComplete } = rescuedDatabase
      log.error(
        { file, rows, isComplete },
        isComplete ? formatComplete(file) : formatIncomplete(file),
      )
    } catch (error) {
      failedAt = performance.now()
      log.error({ error: String(error) }, formatFailure([dataDir, ...fallbackDirs], error))
    }
  }
  const detectLoss = async (): Promise<void> => {
    if (isLost) return
    if ((await store.findDatabaseLoss()) === null) return
    await sleep(RECHECK_DELAY_MS)
    const loss = await store.findDatabaseLoss()
    if (loss === null) return
    isLost = true
    log.error(
      { file: DATABASE_FILE },
      `the database file ${loss} while the server was running. Writes are refused. DO NOT STOP THE SERVER: it holds data that is no longer in any file, and is saving it`,
    )
    if (getFolderIdentity(dataDir) !== openedIdentity)
      log.error({ dataDir }, MISSING_DATA_DIR_MESSAGE)
  }
  const isUnsaved = (): boolean => isLost && rescuedDatabase === null
  const checkOnce = async (retryMs: number): Promise<void> => {
    await detectLoss()
    if (!isUnsaved()) return
    if (failedAt !== null && performance.now() - failedAt < retryMs) return
    await rescue()
  }
  let currentCheck: Promise<void> | null = null
  const check = (retryMs = RETRY_INTERVAL_MS): Promise<void> => {
    currentCheck ??= checkOnce(retryMs).finally(() => {
      currentCheck = null
    })
    return currentCheck
  }
  return {
    check: () => check(),
    isUnsaved,
    getRescuedLocation: () => rescuedDatabase,
    isOutsideDataDir: () =>
      rescuedDatabase !== null && path.dirname(rescuedDatabase.file) !== dataDir,
    async waitUntilSaved() {
      // A rescue in progress may have begun before the signal and may fail, so another one follows.
      await check()
      if (isUnsaved()) await check(0)
      if (!isUnsaved()) return
      log.error({}, UNSAVED_DATA_MESSAGE)
      while (isUnsaved()) {
        await sleep(STOPPING_RETRY_INTERVAL_MS)
        await check(0)
      }
    },
  }
}

/** Returns the device and inode of a folder. Null if it does not exist. */
function getFolderIdentity(folder: string): string | null {
  const stats = statSync(folder, { throwIfNoEntry: false })
  return stats === undefined ? null : `${stats.dev} ${stats.ino}`
}

const MISSING_DATA_DIR_MESSAGE =
  'DATA_DIR itself was moved or deleted, with the uploads. If it was moved: wait until this log states where the data was saved, stop the server, put the folder back in place of the new one, and start: it contains all data. If it was deleted, the uploads are only in the last backup'

/** Logged when the process ends although its data is not in any file. */
export const LOST_DATA_MESSAGE =
  'the server ended before the data of the lost database was saved: restore the last backup (rollcall db restore). All data stored after that backup is lost'

const UNSAVED_DATA_MESSAGE = `received a signal to stop, but the data of the lost database is not saved yet. The server exits once the data is saved. It retries every ${STOPPING_RETRY_INTERVAL_MS / 1000} seconds. A second signal ends it immediately, and the data is lost`

/** Explains a failed rescue, with the next step. */
const formatFailure = (folders: readonly string[], error: unknown): string =>
  `the data of the lost database could not be saved. DO NOT STOP THE SERVER: ${adviseOnFailure(folders, error)}; it retries every ${RETRY_INTERVAL_MS / 1000} seconds`

function adviseOnFailure(folders: readonly string[], error: unknown): string {
  const [dataDir = ''] = folders
  const { code } = (error ?? {}) as { readonly code?: unknown }
  if (/^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL)/.test(String(code)))
    return `free space in DATA_DIR, at least the size of the database; ${folders.join(', ')} have too little space`
  const explanation = explainFileError(error, dataDir)
  if (explanation !== null) return explanation.replace(/\.$/, '')
  return `the cause is not a lack of space. Copy all files in DATA_DIR, and each file that "ls -l /proc/${process.pid}/fd" lists as ${DATABASE_FILE} (cp /proc/${process.pid}/fd/NUMBER), into another folder`
}

const formatNextSteps = (file: string): string =>
  `Stop the server, move rollcall.db, rollcall.db-wal and rollcall.db-shm (those that exist) into another folder, move ${file} to rollcall.db in DATA_DIR and start the server`
const formatComplete = (file: string): string =>
  `all data of the database is in ${file}, which was checked. ${formatNextSteps(file)}`
const formatIncomplete = (file: string): string =>
  `the data that could be read from the database is in ${file}: compare its rows with the last backup, because some may be missing, and keep all files in DATA_DIR. ${formatNextSteps(file)}. The installation is then in recovery`
