/** Finds the rescued databases of a data folder, and gives the commands that put one to use. */
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { formatInstant, instant } from '../../../engine/index.ts'
import { spareDirs } from '../../ops/environment.ts'
import { DATABASE_FILE } from '../database/sqlite-connection.ts'

/** Names of rescued files. */
const RESCUED = /^rollcall\.rescued(-\d+)?\.db$/
/** Begins the name of a folder outside of the data folder that takes a rescued database. */
export const SPARE_PREFIX = 'rollcall-rescued-'
/** In such a folder: the data folder that the database belongs to. Other installations may use the same place. */
const OWNER_FILE = 'data-dir'
/** Takes what the commands move out of the way. */
const ASIDE = 'before-rescue'

/** The first name of a rescued database that is free. */
export function freeRescuedName(folder: string): string {
  return freeName(folder, (n) => `rollcall.rescued${n}.db`)
}

function freeName(folder: string, nameOf: (n: string) => string): string {
  for (let n = 1; ; n += 1) {
    const file = path.join(folder, nameOf(n === 1 ? '' : `-${n}`))
    if (!existsSync(file)) return file
  }
}

/** Notes whose rescued database a spare folder takes. */
export function noteOwner(spare: string, dataDir: string): void {
  writeFileSync(path.join(spare, OWNER_FILE), path.resolve(dataDir), { flush: true })
}

/** The rescued databases of a data folder, in it and in spare folders. */
export function rescuedFiles(dataDir: string): readonly string[] {
  const spares = spareDirs().flatMap((spare) =>
    namesIn(spare)
      .filter((name) => name.startsWith(SPARE_PREFIX))
      .map((name) => path.join(spare, name))
      .filter((folder) => ownerOf(folder) === path.resolve(dataDir)),
  )
  return [dataDir, ...spares].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => RESCUED.test(name))
      .toSorted()
      .map((name) => path.join(folder, name)),
  )
}

/** One sentence or more for each rescued database, until it is moved. `about` adds what is known of one. */
export const rescuedSentences = (
  dataDir: string,
  about: (file: string) => string = () => '',
): readonly string[] =>
  rescuedFiles(dataDir).map((file) => {
    const at = statSync(file, { throwIfNoEntry: false })?.mtimeMs
    const when = at === undefined ? '' : ` (${formatInstant(instant(Math.floor(at)))})`
    const aside = asideIn(dataDir)
    return `${file} holds what a server wrote out when its database was lost${when}.${about(file)} To use it in place of ${DATABASE_FILE}, stop the server and run: ${commandsFor(dataDir, file)}. Then start the server. If nothing in it is missing from ${DATABASE_FILE}, run: mkdir ${quoted(aside)} && mv ${quoted(file)} ${quoted(aside)}.`
  })

/** For a shell: puts a rescued database in place, and deletes nothing. */
export function commandsFor(dataDir: string, file: string): string {
  const aside = quoted(asideIn(dataDir))
  // Which files of the database are left is known only once no server runs.
  const away = `find ${quoted(path.resolve(dataDir))} -maxdepth 1 -name '${DATABASE_FILE}*' -exec mv -t ${aside} {} +`
  return `mkdir ${aside} && ${away} && mv ${quoted(file)} ${quoted(path.resolve(dataDir, DATABASE_FILE))}`
}

const asideIn = (dataDir: string): string => freeName(path.resolve(dataDir), (n) => ASIDE + n)

const quoted = (text: string): string =>
  /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function ownerOf(folder: string): string | null {
  try {
    return readFileSync(path.join(folder, OWNER_FILE), 'utf8')
  } catch {
    return null
  }
}
