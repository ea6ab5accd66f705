/**
 * A backup is a folder: the database, the files that it refers to, the event files, and a list of all that. The
 * database comes first: a file that a registration refers to is on the disk before the registration is, and what comes
 * later belongs to the next backup. The other way round, files would be missing.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { cp, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { err, ok } from '../../engine/index.ts'
import type { Instant, Result } from '../../engine/index.ts'
import { copyDatabase, damageIn, lookInto } from '../store/copies.ts'
import { DATABASE_FILE } from '../store/database.ts'
import { keepPrivate } from './private.ts'

const LIST_FILE = 'backup.json'
const FILES = 'uploads'
const EVENTS = 'events'

type Places = { readonly dataDir: string; readonly eventsDir: string }
/** What the list of a backup says of it, for whoever restores it. */
type List = {
  readonly format: 1
  readonly at: Instant
  readonly version: number
  readonly rows: Readonly<Record<string, number>>
  readonly files: readonly string[]
}
export type Copied = {
  readonly list: List
  /** Hashes of files that are not on the disk, or are not what they were. */
  readonly missing: readonly string[]
}

/** Where a file lies under its hash. */
const placeIn = (folder: string, sha256: string): string =>
  path.join(folder, FILES, sha256.slice(0, 2), sha256)

/** Writes a backup into a folder that is not there yet, beside a running server or without one; refused with a sentence. */
export async function backUp(
  { dataDir, eventsDir }: Places,
  into: string,
  at: Instant,
): Promise<Result<Copied, string>> {
  if (existsSync(into)) return err(`${into} is there already: name a folder that is not.`)
  if (!existsSync(path.join(dataDir, DATABASE_FILE)))
    return err(`DATA_DIR is ${dataDir}, and there is no database in it.`)
  const part = `${into}.part`
  await rm(part, { recursive: true, force: true })
  keepPrivate(part)
  const copy = path.join(part, DATABASE_FILE)
  copyDatabase(dataDir, copy)
  const { version, rows, files } = lookInto(copy)
  const missing = await copyFiles(dataDir, part, files)
  if (existsSync(eventsDir)) await cp(eventsDir, path.join(part, EVENTS), { recursive: true })
  const list: List = { format: 1, at, version, rows, files }
  await writeFile(path.join(part, LIST_FILE), JSON.stringify(list, null, 2))
  await rename(part, into)
  return ok({ list, missing })
}

/** Puts a backup into a data folder that has no database; refused with a sentence, and then nothing is there. */
export async function restore(from: string, { dataDir }: Places): Promise<Result<Copied, string>> {
  const list = await listIn(from)
  if (list === null)
    return err(`${from} is no backup: there is no ${LIST_FILE} in it that can be read.`)
  const into = path.join(dataDir, DATABASE_FILE)
  if (existsSync(into))
    return err(
      `There is a database in ${dataDir} already. Restore into an empty DATA_DIR, or move that one away first.`,
    )
  keepPrivate(dataDir)
  const part = `${into}.part`
  await cp(path.join(from, DATABASE_FILE), part)
  const why = differsFrom(list, part)
  if (why !== null) {
    await rm(part, { force: true })
    return err(why)
  }
  const missing = await copyFiles(from, dataDir, list.files)
  // Last, so that whatever breaks off leaves no database that lacks files.
  await rename(part, into)
  return ok({ list, missing })
}

/** Why a copy is not what its list says; null: it is. */
function differsFrom({ rows }: List, file: string): string | null {
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

/** Copies what is whole; answers the hashes of the others. */
async function copyFiles(
  from: string,
  into: string,
  hashes: readonly string[],
): Promise<readonly string[]> {
  const missing: string[] = []
  for (const sha256 of hashes) {
    const [source, place] = [placeIn(from, sha256), placeIn(into, sha256)]
    await mkdir(path.dirname(place), { recursive: true })
    const hash = createHash('sha256')
    const copied = await pipeline(
      createReadStream(source),
      async function* hashed(pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          hash.update(piece)
          yield piece
        }
      },
      createWriteStream(place, { flush: true }),
    ).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false
        throw error
      },
    )
    if (copied && hash.digest('hex') === sha256) continue
    missing.push(sha256)
    await rm(place, { force: true })
  }
  return missing
}

/** Hashes of files that the database refers to and that are not on the disk; it does not read them. */
export async function missingIn(dataDir: string): Promise<readonly string[]> {
  const { files } = lookInto(path.join(dataDir, DATABASE_FILE))
  const there = new Set<string>()
  for (const folder of new Set(files.map((sha256) => sha256.slice(0, 2))))
    for (const name of await readdir(path.join(dataDir, FILES, folder)).catch(() => []))
      there.add(name)
  return files.filter((sha256) => !there.has(sha256))
}
