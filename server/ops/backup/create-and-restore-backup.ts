/**
 * Creates, verifies and restores backups.
 * A backup is a folder that contains the database, the uploads it refers to, the event files, and a list of all of
 * them. The database is copied first, because an upload is always on disk before the registration that refers to it. In
 * the opposite order, uploads could be missing.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, realpathSync, statSync } from 'node:fs'
import { cp, mkdir, open, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { err, ok } from '../../../engine/index.ts'
import type { Instant, Result } from '../../../engine/index.ts'
import { findDamage, checkCopy } from '../../storage/recovery/copy-database.ts'
import { copyDatabaseWithProgress } from '../../storage/recovery/copy-database-with-progress.ts'
import { describeBucket } from '../../storage/files/s3-bucket.ts'
import type { S3Bucket } from '../../storage/files/s3-bucket.ts'
import { DATABASE_FILE, DATABASE_FILES } from '../../storage/database/sqlite-connection.ts'
import { readVersions } from '../../storage/database/migrate-with-safety-copy.ts'
import { lockDataFolder, findDatabaseUser } from '../../storage/database/single-server-lock.ts'
import { explainStoreError, explainFileError } from '../../storage/database/error-explanations.ts'
import { readWithProgress, reportEach, reportProgress } from '../progress.ts'
import { recordRestore } from '../recovery/detect-older-database.ts'
import { changeToFolderOwner, makePrivate } from '../file-permissions.ts'
import { recordNewDatabase } from '../recovery/new-database-date.ts'

const LIST_FILE_NAME = 'backup.json'
const UPLOADS_FOLDER = 'uploads'
const EVENTS_FOLDER = 'events'

/** Steps whose progress SQLite does not report. */
const COUNTING_STEP = 'Counting the rows'
const CHECKING_STEP = 'Checking the database'

type DataFolders = {
  readonly dataDir: string
  readonly eventsDir: string
  /** The bucket with the uploads, which are then not part of the backup. */
  readonly uploadsBucket?: S3Bucket | null
}
/** The list of a backup's contents. */
type BackupList = {
  readonly format: 1
  readonly at: Instant
  readonly version: number
  readonly rows: Readonly<Record<string, number>>
  readonly files: readonly string[]
  /** SHA-256 of the database. Backups from earlier versions have none. */
  readonly database?: string
  /** The bucket with the uploads; `files` is then empty. */
  readonly bucket?: string
}
/** `previousDatabaseDir` is the folder that now contains the previous database. Null if there was none. */
export type RestoreResult = BackupResult & { readonly previousDatabaseDir: string | null }
export type BackupResult = {
  readonly list: BackupList
  /** Hashes of uploads that are missing on disk or have changed. */
  readonly missing: readonly string[]
  /** The number of event files in the backup. */
  readonly events: number
}

/** Returns the path of an upload by its hash. */
const getUploadPath = (folder: string, sha256: string): string =>
  path.join(folder, UPLOADS_FOLDER, sha256.slice(0, 2), sha256)

/**
 * Writes a backup into a new folder, with or without a running server. On failure, returns a message and removes
 * everything it wrote.
 */
export async function backUp(
  folders: DataFolders,
  target: string,
  at: Instant,
): Promise<Result<BackupResult, string>> {
  const { dataDir, eventsDir } = folders
  if (existsSync(target)) return err(`${target} already exists. Specify a new folder.`)
  const database = path.join(dataDir, DATABASE_FILE)
  if (!existsSync(database)) return err(`There is no database in DATA_DIR (${dataDir}).`)
  if (readVersions(dataDir).found === 0)
    return err(`The database ${database} is empty. An empty database is not a backup.`)
  const misplacement = explainMisplacement({ dataDir, eventsDir }, target)
  if (misplacement !== null) return err(`${misplacement} No backup was made.`)
  const partialFolder = getPartialPath(target)
  try {
    await rm(partialFolder, { recursive: true, force: true })
    await mkdir(partialFolder)
    makePrivate(partialFolder)
    const result = await copyAll(folders, partialFolder, at)
    await rename(partialFolder, target)
    await syncToDisk(path.dirname(target))
    return ok(result)
  } catch (error) {
    await rm(partialFolder, { recursive: true, force: true }).catch(() => {})
    const reason = explainCopyError(error, { dataDir, eventsDir }, target)
    if (reason === null) throw error
    return err(`${reason} No backup was made.`)
  }
}

/** Returns the temporary path of an incomplete backup or database. */
export const getPartialPath = (target: string): string => `${target}.part`

/**
 * Explains why a backup must not be written to a path. Missing parent folders are not created, because a missing
 * folder may be a disk that is not mounted.
 */
function explainMisplacement({ dataDir, eventsDir }: DataFolders, target: string): string | null {
  const parent = path.dirname(target)
  let targetPath: string
  try {
    targetPath = path.join(realpathSync(parent), path.basename(target))
  } catch (error) {
    return (
      explainFileError(error, target) ??
      `There is no folder ${parent}. Create it, or mount its disk.`
    )
  }
  if (isInside(dataDir, targetPath))
    return `${target} is inside DATA_DIR (${dataDir}): a failure that destroys that folder would destroy the backup too. Specify a folder outside it, preferably on another disk.`
  return isInside(eventsDir, targetPath)
    ? `${target} is inside EVENTS_DIR (${eventsDir}): every later backup would contain this one. Specify a folder outside it.`
    : null
}

function isInside(folder: string, targetPath: string): boolean {
  const root = existsSync(folder) ? realpathSync(folder) : folder
  return targetPath === root || targetPath.startsWith(`${root}${path.sep}`)
}

/** Explains a failed copy: the source or the target disk may be full or failing. */
function explainCopyError(
  error: unknown,
  { dataDir, eventsDir }: DataFolders,
  target: string,
): string | null {
  const { code: errorCode = '', path: errorPath = '' } = error as {
    readonly code?: string
    readonly path?: string
  }
  // The parent folder exists, but file systems such as /proc do not allow new folders.
  if (errorCode === 'ENOENT' && errorPath === getPartialPath(target))
    return `${target} cannot be created: ${path.dirname(target)} does not allow new folders. Specify another folder.`
  if (/^SQLITE_IOERR_(READ|SHORT_READ|SHM|LOCK)/.test(errorCode)) return explainStoreError(error)
  const isReadError =
    /^(EACCES|EPERM|EIO)$/.test(errorCode) &&
    [dataDir, eventsDir].some((root) => errorPath.startsWith(root))
  return isReadError ? `${errorPath} cannot be read.` : explainFileError(error, target)
}

async function copyAll(
  { dataDir, eventsDir, uploadsBucket = null }: DataFolders,
  partialFolder: string,
  at: Instant,
): Promise<BackupResult> {
  const databaseCopy = path.join(partialFolder, DATABASE_FILE)
  await copyDatabaseWithProgress({ dataDir, target: databaseCopy })
  reportProgress({ step: COUNTING_STEP, done: 0, total: 1 })
  const { version, rows, files: referencedFiles } = checkCopy(databaseCopy)
  const files = uploadsBucket === null ? referencedFiles : []
  await syncToDisk(databaseCopy)
  const missingHashes = await copyFiles(dataDir, partialFolder, files)
  const eventsCopy = path.join(partialFolder, EVENTS_FOLDER)
  if (existsSync(eventsDir))
    await cp(eventsDir, eventsCopy, { recursive: true, filter: isFileOrFolder })
  const list: BackupList = {
    format: 1,
    at,
    version,
    rows,
    files,
    database: (await hashFile(databaseCopy, 'Reading the copy')) ?? '',
    ...(uploadsBucket === null ? {} : { bucket: describeBucket(uploadsBucket) }),
  }
  await writeFile(path.join(partialFolder, LIST_FILE_NAME), JSON.stringify(list, null, 2), {
    flush: true,
  })
  return { list, missing: missingHashes, events: await countEventFiles(eventsCopy) }
}

/** Excludes pipes and sockets, which cannot be copied and which the server does not read. */
function isFileOrFolder(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats !== undefined && (stats.isFile() || stats.isDirectory())
}

async function countEventFiles(folder: string): Promise<number> {
  if (!existsSync(folder)) return 0
  return (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).length
}

/**
 * Restores a backup into a data folder without a running server. With `shouldMoveAside`, the files of an existing
 * database are first moved into a new subfolder. If there is a database and `shouldMoveAside` is false, or if the
 * backup is incomplete, returns a message and changes nothing.
 */
export async function restore(
  backupFolder: string,
  { dataDir }: Pick<DataFolders, 'dataDir'>,
  { shouldMoveAside, at }: { readonly shouldMoveAside: boolean; readonly at: Instant },
): Promise<Result<RestoreResult, string>> {
  const list = await readBackupList(backupFolder)
  if (list === null)
    return err(`${backupFolder} is not a backup: it has no readable ${LIST_FILE_NAME}.`)
  makePrivate(dataDir)
  let endServing: (() => void) | null = null
  try {
    // The lock is held until the end. Otherwise, a server could start in the meantime and accept registrations into a
    // database that is about to be replaced.
    endServing = lockDataFolder(dataDir)
    if (endServing === null) return err(`A server is running on ${dataDir}. Stop it first.`)
    // If the folder's files were deleted, the lock of a server that still uses them was deleted too.
    const userPid = findDatabaseUser(dataDir)
    if (userPid !== null)
      return err(
        `Process ${userPid} uses the database in ${dataDir}, or one deleted from it. Stop it first.`,
      )
    return await restoreIntoFolder(backupFolder, dataDir, list, { shouldMoveAside, at })
  } catch (error) {
    await rm(getPartialPath(path.join(dataDir, DATABASE_FILE)), { force: true }).catch(() => {})
    const reason = explainFileError(error, dataDir)
    if (reason === null) throw error
    return err(`${reason} The backup was not restored.`)
  } finally {
    endServing?.()
    changeToFolderOwner(dataDir)
  }
}

async function restoreIntoFolder(
  backupFolder: string,
  dataDir: string,
  list: BackupList,
  { shouldMoveAside, at }: { readonly shouldMoveAside: boolean; readonly at: Instant },
): Promise<Result<RestoreResult, string>> {
  const oldFiles = DATABASE_FILES.filter((name) => existsSync(path.join(dataDir, name)))
  if (oldFiles.length > 0 && !shouldMoveAside)
    return err(
      `${dataDir} contains ${oldFiles.join(', ')}. A backup restored next to the files of another database would be damaged. Run restore with --move-aside to move them into a separate folder, or move them yourself.`,
    )
  const target = path.join(dataDir, DATABASE_FILE)
  const partialDatabase = getPartialPath(target)
  await pipeline(
    readWithProgress(path.join(backupFolder, DATABASE_FILE), 'Copying the database'),
    createWriteStream(partialDatabase),
  )
  await syncToDisk(partialDatabase)
  const hasChanged =
    list.database !== undefined &&
    list.database !== (await hashFile(partialDatabase, 'Reading the copy'))
  const difference =
    findDifference(list, partialDatabase) ?? (hasChanged ? CHANGED_AFTER_BACKUP_MESSAGE : null)
  if (difference !== null) {
    await rm(partialDatabase, { force: true })
    return err(difference)
  }
  const missingHashes = await copyFiles(backupFolder, dataDir, list.files)
  let previousDatabaseDir: string | null = null
  if (oldFiles.length > 0) {
    previousDatabaseDir = path.join(dataDir, `before-restore-${at}`)
    await mkdir(previousDatabaseDir)
    // Moves the database first: a server cannot start without it, but could start without its write-ahead log and would
    // then lose commits.
    for (const name of oldFiles)
      await rename(path.join(dataDir, name), path.join(previousDatabaseDir, name))
    await syncToDisk(previousDatabaseDir)
  }
  // At its next start, the server then detects that the database is older than the one it served before.
  await recordRestore(dataDir, { at, copyAt: list.at })
  await recordNewDatabase(dataDir, at)
  // The database is moved last, so that an interrupted restore leaves no database without its uploads.
  await rename(partialDatabase, target)
  await syncToDisk(dataDir)
  const mismatch = findDifference(list, target)
  if (mismatch !== null) {
    // The comparison creates -wal and -shm files, which would make a second restore fail.
    for (const name of DATABASE_FILES) await rm(path.join(dataDir, name), { force: true })
    const previousLocation =
      previousDatabaseDir === null ? '' : ` The previous database is in ${previousDatabaseDir}.`
    return err(
      `The database written to ${target} differs from the backup. ${mismatch}${previousLocation}`,
    )
  }
  return ok({
    list,
    missing: missingHashes,
    previousDatabaseDir,
    events: await countEventFiles(path.join(backupFolder, EVENTS_FOLDER)),
  })
}

const CHANGED_AFTER_BACKUP_MESSAGE =
  'The database in the backup was changed or damaged after the backup was made. Restore another backup.'

/** Flushes the content of a file, or the entries of a folder, to disk. */
async function syncToDisk(filePath: string): Promise<void> {
  const handle = await open(filePath, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Describes the difference between a copy and its list. Null if there is none. */
function findDifference(list: BackupList, file: string): string | null {
  try {
    return compareWithList(list, file)
  } catch (error) {
    const { code = '', message } = error as { readonly code?: string; readonly message?: string }
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test(code)) throw error
    return `The database in the backup is damaged: ${message}.`
  }
}

function compareWithList({ rows: expectedRows }: BackupList, file: string): string | null {
  reportProgress({ step: CHECKING_STEP, done: 0, total: 1 })
  const damage = findDamage(file)
  if (damage !== null) return `The database in the backup is damaged: ${damage}.`
  const rowCounts = checkCopy(file).rows
  const table = Object.keys(expectedRows).find((name) => expectedRows[name] !== rowCounts[name])
  return table === undefined
    ? null
    : `The database in the backup has ${rowCounts[table] ?? 0} rows in ${table}, but its list states ${expectedRows[table]}.`
}

/** Returns a backup's list. Null if the folder is not a backup. */
export async function readBackupList(backupFolder: string): Promise<BackupList | null> {
  try {
    const list = JSON.parse(
      await readFile(path.join(backupFolder, LIST_FILE_NAME), 'utf8'),
    ) as BackupList
    return list.format === 1 ? list : null
  } catch {
    return null
  }
}

/** Copies uploads, except those that exist already. Returns the hashes of those that are missing or have changed. */
async function copyFiles(
  sourceFolder: string,
  targetFolder: string,
  hashes: readonly string[],
): Promise<readonly string[]> {
  const missingHashes: string[] = []
  for (const sha256 of reportEach(hashes, 'Copying files')) {
    const [source, destination] = [
      getUploadPath(sourceFolder, sha256),
      getUploadPath(targetFolder, sha256),
    ]
    if ((await hashFile(destination)) === sha256) continue
    if (!(await copyFile(source, destination, sha256))) missingHashes.push(sha256)
  }
  const folders = new Set(hashes.map((sha256) => path.dirname(getUploadPath(targetFolder, sha256))))
  for (const folder of [...folders, path.join(targetFolder, UPLOADS_FOLDER)])
    if (existsSync(folder)) await syncToDisk(folder)
  return missingHashes
}

/** Copies a file completely or not at all. Returns false if the file is missing or has a different hash. */
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

/** Returns the SHA-256 of a file. Null if the file does not exist. With `step`, reports its progress. */
async function hashFile(file: string, step?: string): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    await pipeline(step === undefined ? createReadStream(file) : readWithProgress(file, step), hash)
    return hash.digest('hex')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * Returns the hashes of uploads that the database refers to but that are missing on disk. Does not read the uploads.
 */
export async function findMissingUploads(dataDir: string): Promise<readonly string[]> {
  const { files } = checkCopy(path.join(dataDir, DATABASE_FILE))
  const existingHashes = new Set<string>()
  for (const folder of new Set(files.map((sha256) => sha256.slice(0, 2))))
    for (const name of await readdir(path.join(dataDir, UPLOADS_FOLDER, folder)).catch(() => []))
      existingHashes.add(name)
  return files.filter((sha256) => !existingHashes.has(sha256))
}
