/** `rollcall db backup` and `rollcall db restore`: save all stored data as a folder, and restore it. */
import { rmSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { formatInstant, instant } from '../../../engine/index.ts'
import type { Environment } from '../../dependencies.ts'
import { recordBackup } from '../../ops/backup/last-backup.ts'
import { backUp, getPartialPath, restore } from '../../ops/backup/create-and-restore-backup.ts'
import type { BackupResult } from '../../ops/backup/create-and-restore-backup.ts'
import { pruneBackups } from '../../ops/backup/prune-backups.ts'
import { createClock } from '../../ops/clock.ts'
import type { RestoreRecord } from '../../ops/recovery/detect-older-database.ts'
import { changeToFolderOwner, requireParentFolder } from '../../ops/file-permissions.ts'
import { beginRecoveryAfterRestore } from '../../ops/recovery/start-recovery.ts'
import { readVersions } from '../../storage/database/migrate-with-safety-copy.ts'
import { openStore } from '../../storage/open-store.ts'
import { explainFileError } from '../../storage/database/error-explanations.ts'
import { parseArguments } from '../options.ts'
import { showProgress } from '../progress-line.ts'
import { formatNumberOf, type Command, type Status, type Terminal } from '../command.ts'

const DAY_MS = 24 * 60 * 60 * 1000

const backupHelp = `Usage: rollcall db backup DIR [--prune N] [--prune-older-than DAYS]

Copies all stored data into DIR, which must not exist: a consistent copy of the database, the uploaded files, the event
files, and a list of the contents. For SQLite only: PostgreSQL is backed up with its own tools
(docs/operation/postgresql.md). You can run this command while the server is running. Uploads in a
bucket (UPLOADS_URL) are not copied: turn on versioning or replication for the bucket.

  rollcall db backup /backups/$(date +%F)

  --prune N                 after a complete backup, removes all but the newest N backups in the folder that
                            contains DIR
  --prune-older-than DAYS   also removes backups older than DAYS days, so that no backup contains an erased person
                            after that time

Credentials are not part of a backup: keep a copy of the server's environment too.

Exit status: 0 done; 1 done, but the listed files were missing or damaged, or there are no event files; 2 failed;
nothing was written.`

const restoreHelp = `Usage: rollcall db restore DIR [--move-aside]

Restores a backup into DATA_DIR, for SQLite only (for PostgreSQL see docs/operation/postgresql.md). Stop the server that
uses DATA_DIR first. All contents are compared with the list in the backup, before and after they are copied. The
event files stay in DIR/events: copy them to EVENTS_DIR, or set EVENTS_DIR to that folder. Data stored after the
backup is lost. The next start migrates a database from an older version. The installation is then in recovery: see
rollcall db recovery --help.

  --move-aside   moves an existing database and its log into a separate folder; without this option, the
                 command fails if DATA_DIR contains a database

Exit status: 0 done; 1 done, but the listed files were missing in the backup; 2 failed.`

export const backupCommand: Command = {
  help: backupHelp,
  run: async (args, terminal) => {
    const options = {
      prune: { type: 'string' },
      'prune-older-than': { type: 'string' },
    } as const
    const parsed = parseArguments(args, options, [1, 1], backupHelp, terminal)
    if (parsed === null) return 2
    const { prune, 'prune-older-than': days } = parsed.values
    const units = [
      ['--prune', prune, 'the number of backups to keep'],
      ['--prune-older-than', days, 'the number of days to keep backups'],
    ] as const
    for (const [option, value, unit] of units) {
      if (value === undefined || /^[1-9]\d{0,5}$/.test(value)) continue
      terminal.printError(`${option} must be ${unit}, at least 1, not "${value}".`)
      return 2
    }
    const environment = readFileEnvironment(terminal)
    if (environment === null) return 2
    const at = createClock(environment.clockStart)()
    const target = path.resolve(parsed.positionals[0] ?? '')
    const result = await removeOnSignal(getPartialPath(target), () =>
      showProgress(terminal, () => backUp(environment, target, at)),
    )
    if (!result.ok) return printFailure(terminal, result.error)
    const status = printResult(terminal, result.value, `are in ${target}`)
    if ((result.value.list.rows['registrations'] ?? 0) === 0) {
      terminal.printError(
        'The database has no registrations, so this copy does not count as a backup. Its time was not recorded, and no older backup was removed.',
      )
      return status
    }
    await recordBackup(environment.dataDir, at).catch((error: unknown) => {
      const reason = explainFileError(error, environment.dataDir) ?? `${getMessage(error)}.`
      terminal.printError(
        `The backup is complete, but its time could not be recorded: ${reason} Until the next backup, the server will report the previous one as the last.`,
      )
    })
    const isComplete = result.value.events > 0 && status === 0
    if (result.value.events === 0)
      terminal.printError(
        `The backup has no event files, because there are none in ${environment.eventsDir}. Check EVENTS_DIR.`,
      )
    const shouldPrune = prune !== undefined || days !== undefined
    if (shouldPrune && !isComplete)
      terminal.printError('No older backup was removed, because this one is not complete.')
    else if (shouldPrune)
      await pruneOlderBackups(terminal, path.dirname(target), {
        keepCount: Number(prune ?? Infinity),
        madeBefore: days === undefined ? null : instant(at - Number(days) * DAY_MS),
      })
    return isComplete ? 0 : 1
  },
}

export const restoreCommand: Command = {
  help: restoreHelp,
  run: async (args, terminal) => {
    const options = { 'move-aside': { type: 'boolean' } } as const
    const parsed = parseArguments(args, options, [1, 1], restoreHelp, terminal)
    if (parsed === null) return 2
    const environment = readFileEnvironment(terminal)
    if (environment === null) return 2
    const { dataDir } = environment
    const source = path.resolve(parsed.positionals[0] ?? '')
    const at = createClock(environment.clockStart)()
    const moveAside = parsed.values['move-aside'] === true
    const result = await showProgress(terminal, () =>
      restore(source, environment, { shouldMoveAside: moveAside, at }),
    )
    if (!result.ok) return printFailure(terminal, result.error)
    const { previousDatabaseDir: movedDatabaseDir, list } = result.value
    if (movedDatabaseDir !== null)
      terminal.print(`The database that was in ${dataDir} is now in ${movedDatabaseDir}.`)
    const status = printResult(
      terminal,
      result.value,
      `of ${formatInstant(list.at)} are in ${dataDir}`,
    )
    await startRecovery(environment, { at, copyAt: list.at }, terminal)
    return status
  },
}

const getMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

async function pruneOlderBackups(
  terminal: Terminal,
  folder: string,
  limits: Parameters<typeof pruneBackups>[1],
): Promise<void> {
  try {
    for (const name of await pruneBackups(folder, limits))
      terminal.print(`Removed the older backup ${path.join(folder, name)}.`)
  } catch (error) {
    terminal.printError(
      `The backup is complete. Older backups could not be removed from ${folder}: ${getMessage(error)}. Remove them manually.`,
    )
  }
}

/** Runs a task, and removes the incomplete folder if a signal interrupts it. */
async function removeOnSignal<T>(partialFolder: string, task: () => Promise<T>): Promise<T> {
  const removeAndExit = (signal: NodeJS.Signals): void => {
    rmSync(partialFolder, { recursive: true, force: true })
    process.exit(128 + constants.signals[signal])
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.once(signal, removeAndExit)
  try {
    return await task()
  } finally {
    for (const signal of signals) process.removeListener(signal, removeAndExit)
  }
}

/** Starts a recovery. If the database is from an older version, the recovery begins at the next start of the server. */
async function startRecovery(
  environment: Environment,
  restored: RestoreRecord,
  terminal: Terminal,
): Promise<void> {
  const { found, known } = readVersions(environment.dataDir)
  let code = ''
  if (found === known) {
    const store = await openStore(environment)
    try {
      code = ` ${(await beginRecoveryAfterRestore({ store, environment }, restored, restored.at)).code}`
    } finally {
      await store.close()
    }
  }
  changeToFolderOwner(environment.dataDir)
  terminal.print(
    `The installation is in recovery${code}: new invoices use another number series; scheduled emails, refunds and erasure are held. See "rollcall db recovery" and docs/operation/recovery.md.`,
  )
}

/**
 * Returns the environment if it uses SQLite. Otherwise prints the reason and returns null. Throws if the parent folder
 * of DATA_DIR is missing.
 */
function readFileEnvironment(terminal: Terminal): Environment | null {
  const environment = terminal.environment()
  if (environment === null) return null
  if (environment.databaseUrl === null) {
    requireParentFolder(environment.dataDir)
    return environment
  }
  terminal.printError(
    `DATABASE_URL is set: use pg_dump to back up a PostgreSQL database and pg_restore to restore it. ${
      (environment.uploadsBucket ?? null) === null
        ? 'The dump includes the uploaded files.'
        : 'The uploaded files are in the bucket of UPLOADS_URL.'
    }`,
  )
  return null
}

function printFailure(terminal: Terminal, sentence: string): Status {
  terminal.printError(sentence)
  return 2
}

function printResult(terminal: Terminal, { list, missing }: BackupResult, folder: string): Status {
  const files = list.files.length - missing.length
  terminal.print(
    `${[
      formatNumberOf(list.rows['registrations'] ?? 0, 'registration'),
      formatNumberOf(list.rows['payments'] ?? 0, 'payment'),
    ].join(', ')} and ${formatNumberOf(files, 'file')} ${folder}.`,
  )
  if (list.bucket !== undefined)
    terminal.print(`The uploaded files are not part of the backup. They are in ${list.bucket}.`)
  for (const sha256 of missing)
    terminal.printError(`The file ${sha256} is missing or damaged, so it was not copied.`)
  return missing.length === 0 ? 0 : 1
}
