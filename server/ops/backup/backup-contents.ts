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
import { noteRestored } from '../recovery/detect-older-database.ts'
import { giveToOwner, keepPrivate } from '../file-permissions.ts'
import { noteNewDatabase } from '../recovery/new-database-date.ts'

const LIST_FILE = 'backup.json'
const FILES = 'uploads'
const EVENTS = 'events'

type Places = { readonly dataDir: string; readonly eventsDir: string }
/** The list of a backup, for the operator who restores it. */
type List = {
  readonly format: 1
  readonly at: Instant
  readonly version: number
  readonly rows: Readonly<Record<string, number>>
  readonly files: readonly string[]
  /** SHA-256 of the database; absent in backups of earlier versions. */
  readonly database?: string
}
/** `aside`: the folder that now has the files of the previous database. Null if there were none. */
export type Restored = Copied & { readonly aside: string | null }
export type Copied = {
  readonly list: List
  /** Hashes of files that are missing on disk or have changed. */
  readonly missing: readonly string[]
  /** The number of event files in the backup. */
  readonly events: number
}

/** Returns the location of a file by its hash. */
const placeIn = (folder: string, sha256: string): string =>
  path.join(folder, FILES, sha256.slice(0, 2), sha256)

/**
 * Writes a backup into a new folder, with or without a running server. On failure, returns a message and leaves
 * nothing behind.
 */
export async function backUp(
  { dataDir, eventsDir }: Places,
  into: string,
  at: Instant,
): Promise<Result<Copied, string>> {
  if (existsSync(into)) return err(`${into} already exists. Name a folder that does not.`)
  const database = path.join(dataDir, DATABASE_FILE)
  if (!existsSync(database)) return err(`DATA_DIR is ${dataDir}, and there is no database in it.`)
  if (versionsIn(dataDir).found === 0)
    return err(`The database ${database} is empty. An empty database is not a backup.`)
  const misplaced = misplacedIn({ dataDir, eventsDir }, into)
  if (misplaced !== null) return err(`${misplaced} No backup was made.`)
  const part = partOf(into)
  try {
    await rm(part, { recursive: true, force: true })
    await mkdir(part)
    keepPrivate(part)
    const copied = await copyAll({ dataDir, eventsDir }, part, at)
    await rename(part, into)
    await syncToDisk(path.dirname(into))
    return ok(copied)
  } catch (error) {
    await rm(part, { recursive: true, force: true }).catch(() => {})
    const why = copyTrouble(error, { dataDir, eventsDir }, into)
    if (why === null) throw error
    return err(`${why} No backup was made.`)
  }
}

/** The location of an incomplete backup. */
export const partOf = (into: string): string => `${into}.part`

/**
 * Explains why a backup must not be written to a place. Missing folders are not created: a disk that is not mounted
 * would be one of them.
 */
function misplacedIn({ dataDir, eventsDir }: Places, into: string): string | null {
  const parent = path.dirname(into)
  let place: string
  try {
    place = path.join(realpathSync(parent), path.basename(into))
  } catch (error) {
    return (
      placeTrouble(error, into) ??
      `There is no folder ${parent}. Create it, or mount the disk that it is on.`
    )
  }
  if (isInside(dataDir, place))
    return `${into} is inside DATA_DIR (${dataDir}): what destroys that folder would destroy the backup too. Name a folder outside it, best on another disk.`
  return isInside(eventsDir, place)
    ? `${into} is inside EVENTS_DIR (${eventsDir}): every later backup would contain this one. Name a folder outside it.`
    : null
}

function isInside(folder: string, place: string): boolean {
  const top = existsSync(folder) ? realpathSync(folder) : folder
  return place === top || place.startsWith(`${top}${path.sep}`)
}

/** Explains whether reading or writing failed: a full or failing disk may be on either side. */
function copyTrouble(error: unknown, { dataDir, eventsDir }: Places, into: string): string | null {
  const { code = '', path: at = '' } = error as { readonly code?: string; readonly path?: string }
  // Its parent exists: file systems such as /proc hold no folders of others.
  if (code === 'ENOENT' && at === partOf(into))
    return `${into} cannot be created: ${path.dirname(into)} takes no folders. Name another place.`
  if (/^SQLITE_IOERR_(READ|SHORT_READ|SHM|LOCK)/.test(code)) return databaseTrouble(error)
  const isRead =
    /^(EACCES|EPERM|EIO)$/.test(code) && [dataDir, eventsDir].some((top) => at.startsWith(top))
  return isRead ? `${at} cannot be read.` : placeTrouble(error, into)
}

async function copyAll({ dataDir, eventsDir }: Places, part: string, at: Instant): Promise<Copied> {
  const copy = path.join(part, DATABASE_FILE)
  copyDatabase(dataDir, copy)
  const { version, rows, files } = lookInto(copy)
  await syncToDisk(copy)
  const missing = await copyFiles(dataDir, part, files)
  const events = path.join(part, EVENTS)
  if (existsSync(eventsDir))
    await cp(eventsDir, events, { recursive: true, filter: isFileOrFolder })
  const list: List = { format: 1, at, version, rows, files, database: (await hashOf(copy)) ?? '' }
  await writeFile(path.join(part, LIST_FILE), JSON.stringify(list, null, 2), { flush: true })
  return { list, missing, events: await eventFilesIn(events) }
}

/** Pipes and sockets cannot be copied, and the server does not read them. */
function isFileOrFolder(place: string): boolean {
  const found = statSync(place, { throwIfNoEntry: false })
  return found !== undefined && (found.isFile() || found.isDirectory())
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
  { dataDir }: Pick<Places, 'dataDir'>,
  { movesAside, at }: { readonly movesAside: boolean; readonly at: Instant },
): Promise<Result<Restored, string>> {
  const list = await listIn(from)
  if (list === null) return err(`${from} is not a backup: it has no ${LIST_FILE} that can be read.`)
  keepPrivate(dataDir)
  let leave: (() => void) | null = null
  try {
    // Held until the end: a server started meanwhile would serve delegates from a database that is then replaced.
    leave = beginServing(dataDir)
    if (leave === null) return err(`A server is running on ${dataDir}. Stop it first.`)
    // Deleting a folder's files also deletes the lock of a server that is still using them.
    const user = databaseUser(dataDir)
    if (user !== null)
      return err(`Process ${user} uses the database that is or was in ${dataDir}. Stop it first.`)
    return await restoreAlone(from, dataDir, list, { movesAside, at })
  } catch (error) {
    await rm(partOf(path.join(dataDir, DATABASE_FILE)), { force: true }).catch(() => {})
    const why = placeTrouble(error, dataDir)
    if (why === null) throw error
    return err(`${why} The backup was not restored.`)
  } finally {
    leave?.()
    giveToOwner(dataDir)
  }
}

/**
 * Removes all backups in a folder except the newest `kept`, by creation time. Anything else in the folder stays.
 * Returns the names of removed backups.
 */
export async function pruneBackups(folder: string, kept: number): Promise<readonly string[]> {
  const found: { readonly name: string; readonly at: Instant }[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const list = entry.isDirectory() ? await listIn(path.join(folder, entry.name)) : null
    if (list !== null) found.push({ name: entry.name, at: list.at })
  }
  const old = found.toSorted((a, b) => b.at - a.at).slice(kept)
  for (const { name } of old) await rm(path.join(folder, name), { recursive: true, force: true })
  return old.map(({ name }) => name)
}

async function restoreAlone(
  from: string,
  dataDir: string,
  list: List,
  { movesAside, at }: { readonly movesAside: boolean; readonly at: Instant },
): Promise<Result<Restored, string>> {
  const found = DATABASE_FILES.filter((name) => existsSync(path.join(dataDir, name)))
  if (found.length > 0 && !movesAside)
    return err(
      `${dataDir} contains ${found.join(', ')}. A backup beside files of another database would be damaged. Run restore with --move-aside to keep them in a folder of their own, or move them yourself.`,
    )
  const into = path.join(dataDir, DATABASE_FILE)
  const part = partOf(into)
  await cp(path.join(from, DATABASE_FILE), part)
  await syncToDisk(part)
  const isChanged = list.database !== undefined && list.database !== (await hashOf(part))
  const why = differsFrom(list, part) ?? (isChanged ? CHANGED_SINCE : null)
  if (why !== null) {
    await rm(part, { force: true })
    return err(why)
  }
  const missing = await copyFiles(from, dataDir, list.files)
  let aside: string | null = null
  if (found.length > 0) {
    aside = path.join(dataDir, `before-restore-${at}`)
    await mkdir(aside)
    // The database first: without it a server does not start, and without its log it would have lost commits.
    for (const name of found) await rename(path.join(dataDir, name), path.join(aside, name))
    await syncToDisk(aside)
  }
  // The next start then detects that the database is older than the one served before.
  await noteRestored(dataDir, { at, copyAt: list.at })
  await noteNewDatabase(dataDir, at)
  // Last, so that an interrupted restore leaves no database without its files.
  await rename(part, into)
  await syncToDisk(dataDir)
  const differs = differsFrom(list, into)
  if (differs !== null) {
    // The comparison makes the other two, which a second restore would refuse to go beside.
    for (const name of DATABASE_FILES) await rm(path.join(dataDir, name), { force: true })
    const kept = aside === null ? '' : ` The database before it is in ${aside}.`
    return err(`What was written to ${into} is not what the backup holds. ${differs}${kept}`)
  }
  return ok({ list, missing, aside, events: await eventFilesIn(path.join(from, EVENTS)) })
}

const CHANGED_SINCE =
  'The database of the backup was changed or damaged after the backup was made. Restore another backup.'

/** Flushes a file's content, or a folder's entries, to disk. */
async function syncToDisk(place: string): Promise<void> {
  const handle = await open(place, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Returns why a copy differs from its list. Null if it does not. */
function differsFrom(list: List, file: string): string | null {
  try {
    return differenceOf(list, file)
  } catch (error) {
    const { code = '', message } = error as { readonly code?: string; readonly message?: string }
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test(code)) throw error
    return `The database of the backup is damaged: ${message}.`
  }
}

function differenceOf({ rows }: List, file: string): string | null {
  const damage = damageIn(file)
  if (damage !== null) return `The database of the backup is damaged: ${damage}.`
  const found = lookInto(file).rows
  const table = Object.keys(rows).find((name) => rows[name] !== found[name])
  return table === undefined
    ? null
    : `The database of the backup has ${found[table] ?? 0} rows in ${table}, and its list says ${rows[table]}.`
}

async function listIn(from: string): Promise<List | null> {
  try {
    const list = JSON.parse(await readFile(path.join(from, LIST_FILE), 'utf8')) as List
    return list.format === 1 ? list : null
  } catch {
    return null
  }
}

/** Copies complete files; returns the hashes of the others. A complete file that already exists stays. */
async function copyFiles(
  from: string,
  into: string,
  hashes: readonly string[],
): Promise<readonly string[]> {
  const missing: string[] = []
  for (const sha256 of hashes) {
    const [source, place] = [placeIn(from, sha256), placeIn(into, sha256)]
    if ((await hashOf(place)) === sha256) continue
    if (!(await copyFile(source, place, sha256))) missing.push(sha256)
  }
  const folders = new Set(hashes.map((sha256) => path.dirname(placeIn(into, sha256))))
  for (const folder of [...folders, path.join(into, FILES)])
    if (existsSync(folder)) await syncToDisk(folder)
  return missing
}

/** Copies a file with this hash, completely or not at all; false: it is missing or different. */
async function copyFile(source: string, place: string, sha256: string): Promise<boolean> {
  const part = `${place}.part`
  await mkdir(path.dirname(place), { recursive: true })
  try {
    await pipeline(createReadStream(source), createWriteStream(part, { flush: true }))
    if ((await hashOf(part)) !== sha256) return false
    await rename(part, place)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  } finally {
    await rm(part, { force: true })
  }
}

/** Returns null if there is no such file. */
async function hashOf(file: string): Promise<string | null> {
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
export async function missingIn(dataDir: string): Promise<readonly string[]> {
  const { files } = lookInto(path.join(dataDir, DATABASE_FILE))
  const there = new Set<string>()
  for (const folder of new Set(files.map((sha256) => sha256.slice(0, 2))))
    for (const name of await readdir(path.join(dataDir, FILES, folder)).catch(() => []))
      there.add(name)
  return files.filter((sha256) => !there.has(sha256))
}
