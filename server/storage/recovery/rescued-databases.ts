/** Finds a data folder's rescued databases, and formats the commands that restore one. */
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { formatInstant, instant } from '../../../engine/index.ts'
import { listSpareDirs } from '../../ops/environment.ts'
import { DATABASE_FILE } from '../database/sqlite-connection.ts'

/** Matches the names of rescued files. */
const RESCUED_FILE_PATTERN = /^rollcall\.rescued(-\d+)?\.db$/
/** The prefix of folders outside the data folder that contain a rescued database. */
export const SPARE_PREFIX = 'rollcall-rescued-'
/**
 * A file in such a folder that contains the path of the data folder to which the database belongs, because other
 * installations may use the same location.
 */
const OWNER_FILE = 'data-dir'
/** The folder to which the commands move files. */
const ASIDE_FOLDER = 'before-rescue'

/** Returns the first free name for a rescued database. */
export function findFreeRescuedName(folder: string): string {
  return findFreeName(folder, (n) => `rollcall.rescued${n}.db`)
}

function findFreeName(folder: string, buildName: (n: string) => string): string {
  for (let n = 1; ; n += 1) {
    const file = path.join(folder, buildName(n === 1 ? '' : `-${n}`))
    if (!existsSync(file)) return file
  }
}

/** Records in a spare folder to which data folder the rescued database belongs. */
export function saveOwner(spareDir: string, dataDir: string): void {
  writeFileSync(path.join(spareDir, OWNER_FILE), path.resolve(dataDir), { flush: true })
}

/** Returns a data folder's rescued databases, both in it and in spare folders. */
export function listRescuedFiles(dataDir: string): readonly string[] {
  const spareFiles = listSpareDirs().flatMap((spareDir) =>
    listNames(spareDir)
      .filter((name) => name.startsWith(SPARE_PREFIX))
      .map((name) => path.join(spareDir, name))
      .filter((folder) => findOwner(folder) === path.resolve(dataDir)),
  )
  return [dataDir, ...spareFiles].flatMap((folder) =>
    listNames(folder)
      .filter((name) => RESCUED_FILE_PATTERN.test(name))
      .toSorted()
      .map((name) => path.join(folder, name)),
  )
}

/** Returns sentences about each rescued database that is still where it was written. `describe` adds details. */
export const listRescuedSentences = (
  dataDir: string,
  describe: (file: string) => string = () => '',
): readonly string[] =>
  listRescuedFiles(dataDir).map((file) => {
    const at = statSync(file, { throwIfNoEntry: false })?.mtimeMs
    const dateText = at === undefined ? '' : ` (${formatInstant(instant(Math.floor(at)))})`
    const asideFolder = getAsideFolder(dataDir)
    return `${file} contains the data that a server saved when its database was lost${dateText}.${describe(file)} To use it in place of ${DATABASE_FILE}, stop the server and run: ${formatRestoreCommands(dataDir, file)}. Then start the server. If nothing in it is missing from ${DATABASE_FILE}, run: mkdir ${quoteForShell(asideFolder)} && mv ${quoteForShell(file)} ${quoteForShell(asideFolder)}.`
  })

/** Returns shell commands that restore a rescued database without deleting anything. */
export function formatRestoreCommands(dataDir: string, file: string): string {
  const asideFolder = quoteForShell(getAsideFolder(dataDir))
  // The command itself finds the remaining database files, because they may change until the server stops.
  const moveCommand = `find ${quoteForShell(path.resolve(dataDir))} -maxdepth 1 -name '${DATABASE_FILE}*' -exec mv -t ${asideFolder} {} +`
  return `mkdir ${asideFolder} && ${moveCommand} && mv ${quoteForShell(file)} ${quoteForShell(path.resolve(dataDir, DATABASE_FILE))}`
}

const getAsideFolder = (dataDir: string): string =>
  findFreeName(path.resolve(dataDir), (n) => ASIDE_FOLDER + n)

const quoteForShell = (text: string): string =>
  /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function findOwner(folder: string): string | null {
  try {
    return readFileSync(path.join(folder, OWNER_FILE), 'utf8')
  } catch {
    return null
  }
}
