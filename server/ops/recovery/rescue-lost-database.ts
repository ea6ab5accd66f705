/**
 * Notices that the database was deleted, replaced or overwritten under the server, and writes out what the server holds.
 * The server does not end on its own while that is in no file.
 */
import { statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps, Environment } from '../../dependencies.ts'
import { DATABASE_FILE } from '../../storage/database/sqlite-connection.ts'
import type { Rescued } from '../../storage/files/upload-and-clock-types.ts'
import { placeTrouble } from '../../storage/database/error-explanations.ts'
import { spareDirs } from '../environment.ts'
import { INCOMPLETE_REASON } from './rescued-completeness.ts'
import { recoveryContext } from './start-recovery.ts'
import { readLastServed } from './detect-older-database.ts'

/** Delay before a second check: a file that is renamed back at once is not lost. */
const RECHECK_DELAY_MS = 300
/** A rescue that failed is retried this often. */
const RETRY_MS = 30_000
/** The same once the server was told to stop: systemd does not wait long. */
const STOPPING_RETRY_MS = 2_000

export type LossDeps = Pick<Deps, 'log' | 'clock'> & {
  readonly store: Pick<Deps['store'], 'lost' | 'rescue'>
  readonly environment: Pick<Environment, 'dataDir'>
}
export type LossWatch = {
  /**
   * Checks that the database file is still the opened one. If it is not, writes the server's data into a separate
   * file and logs its location. Resolves when that is done, or has failed.
   */
  check(): Promise<void>
  /** Resolves when nothing would be lost with the process, however long that takes. */
  beforeStop(): Promise<void>
  /** True while the server holds data that is in no file. */
  isUnsaved(): boolean
  /** Returns where the data is. Null if it was not written. */
  rescued(): Pick<Rescued, 'file' | 'isWhole'> | null
  /** True if the data is in a file that the next start does not find. */
  isOutsideDataDir(): boolean
}

/** `spare`: the folders to write to if the data folder does not take the data; left out: those of the environment. */
export function watchForLoss(
  { store, log, clock, environment: { dataDir } }: LossDeps,
  fallbackDirs: readonly string[] = spareDirs(),
): LossWatch {
  const openedIdentity = folderIdentity(dataDir)
  let isLost = false
  let rescuedDatabase: Rescued | null = null
  let failedAt: number | null = null
  const rescue = async (): Promise<void> => {
    const at = clock()
    const context = recoveryContext(await readLastServed(dataDir))
    try {
      rescuedDatabase = await store.rescue({
        dataDir,
        spareDirs: fallbackDirs,
        recovery: { at, who: 'rollcall', why: INCOMPLETE_REASON, copyAt: null, ...context },
      })
      const { file, rows, isWhole } = rescuedDatabase
      log.error({ file, rows, isWhole }, isWhole ? formatComplete(file) : formatIncomplete(file))
    } catch (error) {
      failedAt = performance.now()
      log.error({ error: String(error) }, formatFailure([dataDir, ...fallbackDirs], error))
    }
  }
  const detectLoss = async (): Promise<void> => {
    if (isLost) return
    if ((await store.lost()) === null) return
    await sleep(RECHECK_DELAY_MS)
    const loss = await store.lost()
    if (loss === null) return
    isLost = true
    log.error(
      { file: DATABASE_FILE },
      `the database file ${loss} while the server runs: writes are refused. DO NOT STOP THE SERVER: it holds data that is in no file any more, and is writing it out`,
    )
    if (folderIdentity(dataDir) !== openedIdentity) log.error({ dataDir }, DATA_DIR_GONE)
  }
  const isUnsaved = (): boolean => isLost && rescuedDatabase === null
  const checkOnce = async (retryMs: number): Promise<void> => {
    await detectLoss()
    if (!isUnsaved()) return
    if (failedAt !== null && performance.now() - failedAt < retryMs) return
    await rescue()
  }
  let currentCheck: Promise<void> | null = null
  const check = (retryMs = RETRY_MS): Promise<void> => {
    currentCheck ??= checkOnce(retryMs).finally(() => {
      currentCheck = null
    })
    return currentCheck
  }
  return {
    check: () => check(),
    isUnsaved,
    rescued: () => rescuedDatabase,
    isOutsideDataDir: () =>
      rescuedDatabase !== null && path.dirname(rescuedDatabase.file) !== dataDir,
    async beforeStop() {
      // One that is under way may have failed; the last try comes after the signal.
      await check()
      if (isUnsaved()) await check(0)
      if (!isUnsaved()) return
      log.error({}, STILL_UNSAVED)
      while (isUnsaved()) {
        await sleep(STOPPING_RETRY_MS)
        await check(0)
      }
    },
  }
}

/** Returns null if there is no such folder. */
function folderIdentity(folder: string): string | null {
  const stats = statSync(folder, { throwIfNoEntry: false })
  return stats === undefined ? null : `${stats.dev} ${stats.ino}`
}

const DATA_DIR_GONE =
  'DATA_DIR itself was moved or deleted, with the uploads. If it was moved: wait until this log says where the data was written, stop the server, put the folder back in the place of the new one, and start: it has everything. If it was deleted, the uploads are only in the last backup'

/** Logged when the process ends although its data is in no file. */
export const DATA_LOST =
  'the server ended, and what it held of the lost database is in no file: restore the last backup (rollcall db restore). Everything that was stored after it is lost'

const STILL_UNSAVED = `told to stop, and the data of the lost database is in no file yet: the server does not end before it is. It tries every ${STOPPING_RETRY_MS / 1000} seconds. Told once more, or killed, it ends, and that data is lost`

/** The cause of a failed rescue, and what helps against it. */
const formatFailure = (folders: readonly string[], error: unknown): string =>
  `what the server holds of the database could not be written out. DO NOT STOP THE SERVER: ${adviseOnFailure(folders, error)}; it tries again every ${RETRY_MS / 1000} seconds`

function adviseOnFailure(folders: readonly string[], error: unknown): string {
  const [dataDir = ''] = folders
  const { code } = (error ?? {}) as { readonly code?: unknown }
  if (/^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL)/.test(String(code)))
    return `make room in DATA_DIR, as much as the database has; ${folders.join(', ')} have too little`
  const explanation = placeTrouble(error, dataDir)
  if (explanation !== null) return explanation.replace(/\.$/, '')
  return `this is no lack of room. Copy all files of DATA_DIR, and what "ls -l /proc/${process.pid}/fd" shows as ${DATABASE_FILE} (cp /proc/${process.pid}/fd/NUMBER), into another folder`
}

const nextSteps = (file: string): string =>
  `Stop the server, move rollcall.db, rollcall.db-wal and rollcall.db-shm (what is there of them) into another folder, move ${file} to rollcall.db in DATA_DIR and start the server`
const formatComplete = (file: string): string =>
  `everything that was in the database is in ${file}, which was checked. ${nextSteps(file)}`
const formatIncomplete = (file: string): string =>
  `what could be read of the database is in ${file}: compare its rows with the last backup, because some may be missing, and keep all files of DATA_DIR. ${nextSteps(file)}. It is in recovery, wherever the file is put`
