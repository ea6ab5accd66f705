/**
 * Creates, verifies and restores backups.
 * A backup is a folder with the database, the files that it refers to, the event files, and a list of all these.
 * The database is copied first: a file that a registration refers to is on disk before the registration is, and
 * anything later belongs to the next backup. In the opposite order, files would be missing.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, realpathSync, statSync } from 'node:fs'
import { cp, mkdir, open, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { err, ok } from '../../../engine/index.ts'
import type { Instant, Result } from '../../../engine/index.ts'
import { copyDatabase, damageIn, lookInto } from '../../storage/recovery/copy-database.ts'
import { DATABASE_FILE, DATABASE_FILES } from '../../storage/database/sqlite-connection.ts'
import { versionsIn } from '../../storage/database/run-migrations.ts'
import { beginServing, databaseUser } from '../../storage/database/single-server-lock.ts'
import { databaseTrouble, placeTrouble } from '../../storage/database/error-explanations.ts'
import { recordRestored } from '../recovery/detect-older-database.ts'
import { changeToFolderOwner, keepPrivate } from '../file-permissions.ts'
import { recordNewDatabase } from '../recovery/new-database-date.ts'

const LIST_FILE_NAME = 'backup.json'
const UPLOADS_FOLDER = 'uploads'
const EVENTS_FOLDER = 'events'

type DataFolders = { readonly dataDir: string; readonly eventsDir: string }
/** The list of a backup, for the operator who restores it. */
type BackupList = {
  readonly format: 1
  readonly at: Instant
  readonly version: number
  readonly rows: Readonly<Record<string, number>>
  readonly files: readonly string[]
  /** SHA-256 of the database; absent in backups of earlier versions. */
  readonly database?: string
}
/** `aside`: the folder that now has the files of the previous database. Null if there were none. */
export type RestoreResult = BackupResult & { readonly previousDatabaseDir: string | null }
export type BackupResult = {
  readonly list: BackupList
  /** Hashes of files that are missing on disk or have changed. */
  readonly missing: readonly string[]
  /** The number of event files in the backup. */
  readonly events: number
}

/** Returns the location of a file by its hash. */
const uploadPath = (folder: string, sha256: string): string =>
  path.join(folder, UPLOADS_FOLDER, sha256.slice(0, 2), sha256)

/**
 * Writes a backup into a new folder, with or without a running server. On failure, returns a message and leaves
 * nothing behind.
 */
export async function backUp(
  { dataDir, eventsDir }: DataFolders,
  target: string,
  at: Instant,
): Promise<Result<BackupResult, string>> {
  if (existsSync(target)) return err(`${target} already exists. Name a folder that does not.`)
  const database = path.join(dataDir, DATABASE_FILE)
  if (!existsSync(database)) return err(`DATA_DIR is ${dataDir}, and there is no database in it.`)
  if (versionsIn(dataDir).found === 0)
    return err(`The database ${database} is empty. An empty database is not a backup.`)
  const misplacement = explainMisplacement({ dataDir, eventsDir }, target)
  if (misplacement !== null) return err(`${misplacement} No backup was made.`)
  const partialFolder = partialPath(target)
  try {
    await rm(partialFolder, { recursive: true, force: true })
    await mkdir(partialFolder)
    keepPrivate(partialFolder)
    const copied = await copyAll({ dataDir, eventsDir }, partialFolder, at)
    await rename(partialFolder, target)
    await syncToDisk(path.dirname(target))
    return ok(copied)
  } catch (error) {
    await rm(partialFolder, { recursive: true, force: true }).catch(() => {})
    const reason = explainCopyError(error, { dataDir, eventsDir }, target)
    if (reason === null) throw error
    return err(`${reason} No backup was made.`)
  }
}

/** The location of an incomplete backup. */
export const partialPath = (target: string): string => `${target}.part`

/**
 * Explains why a backup must not be written to a place. Missing folders are not created: a disk that is not mounted
 * would be one of them.
 */
function explainMisplacement({ dataDir, eventsDir }: DataFolders, target: string): string | null {
  const parent = path.dirname(target)
  let targetPath: string
  try {
    targetPath = path.join(realpathSync(parent), path.basename(target))
  } catch (error) {
    return (
      placeTrouble(error, target) ??
      `There is no folder ${parent}. Create it, or mount the disk that it is on.`
    )
  }
  if (isInside(dataDir, targetPath))
    return `${target} is inside DATA_DIR (${dataDir}): what destroys that folder would destroy the backup too. Name a folder outside it, best on another disk.`
  return isInside(eventsDir, targetPath)
    ? `${target} is inside EVENTS_DIR (${eventsDir}): every later backup would contain this one. Name a folder outside it.`
    : null
}

function isInside(folder: string, targetPath: string): boolean {
  const root = existsSync(folder) ? realpathSync(folder) : folder
  return targetPath === root || targetPath.startsWith(`${root}${path.sep}`)
}

/** Explains whether reading or writing failed: a full or failing disk may be on either side. */
function explainCopyError(
  error: unknown,
  { dataDir, eventsDir }: DataFolders,
  target: string,
): string | null {
  const { code: errorCode = '', path: errorPath = '' } = error as {
    readonly code?: string
    readonly path?: string
  }
  // Its parent exists: file systems such as /proc hold no folders of others.
  if (errorCode === 'ENOENT' && errorPath === partialPath(target))
    return `${target} cannot be created: ${path.dirname(target)} takes no folders. Name another place.`
  if (/^SQLITE_IOERR_(READ|SHORT_READ|SHM|LOCK)/.test(errorCode)) return databaseTrouble(error)
  const isReadError =
    /^(EACCES|EPERM|EIO)$/.test(errorCode) &&
    [dataDir, eventsDir].some((root) => errorPath.startsWith(root))
  return isReadError ? `${errorPath} cannot be read.` : placeTrouble(error, target)
}

async function copyAll(
  { dataDir, eventsDir }: DataFolders,
  partialFolder: string,
  at: Instant,
): Promise<BackupResult> {
  const copy = path.join(partialFolder, DATABASE_FILE)
  copyDatabase(dataDir, copy)
  const { version, rows, files } = lookInto(copy)
  await syncToDisk(copy)
  const missing = await copyFiles(dataDir, partialFolder, files)
  const events = path.join(partialFolder, EVENTS_FOLDER)
  if (existsSync(eventsDir))
    await cp(eventsDir, events, { recursive: true, filter: isFileOrFolder })
  const list: BackupList = {
    format: 1,
    at,
    version,
    rows,
    files,
    database: (await hashFile(copy)) ?? '',
  }
  await writeFile(path.join(partialFolder, LIST_FILE_NAME), JSON.stringify(list, null, 2), {
    flush: true,
  })
  return { list, missing, events: await eventFilesIn(events) }
}

/** Pipes and sockets cannot be copied, and the server does not read them. */
function isFileOrFolder(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats !== undefined && (stats.isFile() || stats.isDirectory())
}

async function eventFilesIn(folder: string): Promise<number> {
  if (!existsSync(folder)) return 0
  return (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).length
}

/**
 * Restores a backup into a data folder without a running server. With `movesAside`, files of an existing database
 * are moved into a folder next to it; otherwise, and if the backup is incomplete, it is refused with a message and
 * nothing changes.
 */
export async function restore(
  from: string,
  { dataDir }: Pick<DataFolders, 'dataDir'>,
  { shouldMoveAside, at }: { readonly shouldMoveAside: boolean; readonly at: Instant },
): Promise<Result<RestoreResult, string>> {
  const list = await readList(from)
  if (list === null)
    return err(`${from} is not a backup: it has no ${LIST_FILE_NAME} that can be read.`)
  keepPrivate(dataDir)
  let endServing: (() => void) | null = null
  try {
    // Held until the end: a server started meanwhile would serve delegates from a database that is then replaced.
    endServing = beginServing(dataDir)
    if (endServing === null) return err(`A server is running on ${dataDir}. Stop it first.`)
    // Deleting a folder's files also deletes the lock of a server that is still using them.
    const userPid = databaseUser(dataDir)
    if (userPid !== null)
      return err(
        `Process ${userPid} uses the database that is or was in ${dataDir}. Stop it first.`,
      )
    return await restoreIntoFolder(from, dataDir, list, { shouldMoveAside, at })
  } catch (error) {
    await rm(partialPath(path.join(dataDir, DATABASE_FILE)), { force: true }).catch(() => {})
    const reason = placeTrouble(error, dataDir)
    if (reason === null) throw error
    return err(`${reason} The backup was not restored.`)
  } finally {
    endServing?.()
    changeToFolderOwner(dataDir)
  }
}

/**
 * Removes all backups in a folder except the newest `kept`, by creation time. Anything else in the folder stays.
 * Returns the names of removed backups.
 */
export async function pruneBackups(folder: string, keepCount: number): Promise<readonly string[]> {
  const backups: { readonly name: string; readonly at: Instant }[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const list = entry.isDirectory() ? await readList(path.join(folder, entry.name)) : null
    if (list !== null) backups.push({ name: entry.name, at: list.at })
  }
  const removed = backups.toSorted((a, b) => b.at - a.at).slice(keepCount)
  for (const { name } of removed)
    await rm(path.join(folder, name), { recursive: true, force: true })
  return removed.map(({ name }) => name)
}

async function restoreIntoFolder(
  from: string,
  dataDir: string,
  list: BackupList,
  { shouldMoveAside, at }: { readonly shouldMoveAside: boolean; readonly at: Instant },
): Promise<Result<RestoreResult, string>> {
  const oldFiles = DATABASE_FILES.filter((name) => existsSync(path.join(dataDir, name)))
  if (oldFiles.length > 0 && !shouldMoveAside)
    return err(
      `${dataDir} contains ${oldFiles.join(', ')}. A backup beside files of another database would be damaged. Run restore with --move-aside to keep them in a folder of their own, or move them yourself.`,
    )
  const target = path.join(dataDir, DATABASE_FILE)
  const partialDatabase = partialPath(target)
  await cp(path.join(from, DATABASE_FILE), partialDatabase)
  await syncToDisk(partialDatabase)
  const hasChanged =
    list.database !== undefined && list.database !== (await hashFile(partialDatabase))
  const difference =
    findDifference(list, partialDatabase) ?? (hasChanged ? CHANGED_AFTER_BACKUP : null)
  if (difference !== null) {
    await rm(partialDatabase, { force: true })
    return err(difference)
  }
  const missing = await copyFiles(from, dataDir, list.files)
  let previousDatabaseDir: string | null = null
  if (oldFiles.length > 0) {
    previousDatabaseDir = path.join(dataDir, `before-restore-${at}`)
    await mkdir(previousDatabaseDir)
    // The database first: without it a server does not start, and without its log it would have lost commits.
    for (const name of oldFiles)
      await rename(path.join(dataDir, name), path.join(previousDatabaseDir, name))
    await syncToDisk(previousDatabaseDir)
  }
  // The next start then detects that the database is older than the one served before.
  await recordRestored(dataDir, { at, copyAt: list.at })
  await recordNewDatabase(dataDir, at)
  // Last, so that an interrupted restore leaves no database without its files.
  await rename(partialDatabase, target)
  await syncToDisk(dataDir)
  const mismatch = findDifference(list, target)
  if (mismatch !== null) {
    // The comparison makes the other two, which a second restore would refuse to go beside.
    for (const name of DATABASE_FILES) await rm(path.join(dataDir, name), { force: true })
    const previousLocation =
      previousDatabaseDir === null ? '' : ` The database before it is in ${previousDatabaseDir}.`
    return err(
      `What was written to ${target} is not what the backup holds. ${mismatch}${previousLocation}`,
    )
  }
  return ok({
    list,
    missing,
    previousDatabaseDir,
    events: await eventFilesIn(path.join(from, EVENTS_FOLDER)),
  })
}

const CHANGED_AFTER_BACKUP =
  'The database of the backup was changed or damaged after the backup was made. Restore another backup.'

/** Flushes a file's content, or a folder's entries, to disk. */
async function syncToDisk(filePath: string): Promise<void> {
  const handle = await open(filePath, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Returns why a copy differs from its list. Null if it does not. */
function findDifference(list: BackupList, file: string): string | null {
  try {
    return compareWithList(list, file)
  } catch (error) {
    const { code = '', message } = error as { readonly code?: string; readonly message?: string }
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test(code)) throw error
    return `The database of the backup is damaged: ${message}.`
  }
}

function compareWithList({ rows }: BackupList, file: string): string | null {
  const damage = damageIn(file)
  if (damage !== null) return `The database of the backup is damaged: ${damage}.`
  const found = lookInto(file).rows
  const table = Object.keys(rows).find((name) => rows[name] !== found[name])
  return table === undefined
    ? null
    : `The database of the backup has ${found[table] ?? 0} rows in ${table}, and its list says ${rows[table]}.`
}

async function readList(from: string): Promise<BackupList | null> {
  try {
    const list = JSON.parse(await readFile(path.join(from, LIST_FILE_NAME), 'utf8')) as BackupList
    return list.format === 1 ? list : null
  } catch {
    return null
  }
}

/** Copies complete files; returns the hashes of the others. A complete file that already exists stays. */
async function copyFiles(
  from: string,
  target: string,
  hashes: readonly string[],
): Promise<readonly string[]> {
  const missing: string[] = []
  for (const sha256 of hashes) {
    const [source, destination] = [uploadPath(from, sha256), uploadPath(target, sha256)]
    if ((await hashFile(destination)) === sha256) continue
    if (!(await copyFile(source, destination, sha256))) missing.push(sha256)
  }
  const folders = new Set(hashes.map((sha256) => path.dirname(uploadPath(target, sha256))))
  for (const folder of [...folders, path.join(target, UPLOADS_FOLDER)])
    if (existsSync(folder)) await syncToDisk(folder)
  return missing
}

/** Copies a file with this hash, completely or not at all; false: it is missing or different. */
async function copyFile(source: string, destination: string, sha256: string): Promise<boolean> {
  const partialFile = `${destination}.part`
  await mkdir(path.dirname(destination), { recursive: true })
  try {
    await pipeline(createReadStream(source), createWriteStream(partialFile, { flush: true }))
    if ((await hashFile(partialFile)) !== sha256) return false
    await rename(partialFile, destination)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  } finally {
    await rm(partialFile, { force: true })
  }
}

/** Returns null if there is no such file. */
async function hashFile(file: string): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(file), hash)
    return hash.digest('hex')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Returns hashes of files that the database refers to and that are missing on disk; does not read the files. */
export async function findMissingUploads(dataDir: string): Promise<readonly string[]> {
  const { files } = lookInto(path.join(dataDir, DATABASE_FILE))
  const existingHashes = new Set<string>()
  for (const folder of new Set(files.map((sha256) => sha256.slice(0, 2))))
    for (const name of await readdir(path.join(dataDir, UPLOADS_FOLDER, folder)).catch(() => []))
      existingHashes.add(name)
  return files.filter((sha256) => !existingHashes.has(sha256))
}
