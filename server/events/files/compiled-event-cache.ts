/**
 * Caches compiled events on disk, so that a server with a thousand files starts quickly.
 * It is only an optimisation: an entry that cannot be read or written is compiled again.
 */
import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, readFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { CachedEvent } from '../../../engine/authoring.ts'
import type { Site } from '../../../engine/index.ts'

/** Keys are the hashes of an event's texts, including shared files. */
export type Cache = {
  read(hash: string): Promise<CachedEvent | null>
  write(hash: string, cachedEvent: CachedEvent): Promise<void>
  /** Returns the result for a folder that had no findings, without its compiled events; null if none is cached. */
  readCleanFolder(hash: string): Promise<CleanFolder | null>
  writeCleanFolder(hash: string, clean: CleanFolder): Promise<void>
}
export type CleanFolder = { readonly site: Site | null }

/** Entries of an engine version that has been unused for this long are removed. A rollback within this time is fast. */
const OTHER_ENGINE_RETENTION_MS = 30 * 24 * 60 * 60 * 1000

/** Returns the cache folder in the data folder. */
export function getCacheFolder(dataDir: string): string {
  return path.join(dataDir, 'cache', 'events')
}

/**
 * Opens the cache, which is separate for each engine version: another engine may interpret the same texts differently.
 */
export async function openCache(folder: string): Promise<Cache> {
  const engineFolder = path.join(folder, computeEngineHash())
  await ignoreErrors(async () => {
    // The data folder must exist: a command with a misspelt DATA_DIR does not create one.
    await stat(path.join(folder, '..', '..'))
    await mkdir(engineFolder, { recursive: true })
    await removeOtherEngines(folder, engineFolder)
  })
  const getFile = (name: string): string => path.join(engineFolder, `${name}.json`)
  const readEntry = async (name: string): Promise<unknown> => {
    try {
      return JSON.parse(await readFile(getFile(name), 'utf8')) as unknown
    } catch {
      // The file is missing, or incomplete after a power failure.
      return null
    }
  }
  const writeEntry = (name: string, value: object): Promise<void> =>
    ignoreErrors(async () => {
      const temporaryFile = path.join(engineFolder, `${name}.${randomUUID()}`)
      await writeFile(temporaryFile, JSON.stringify(value))
      await rename(temporaryFile, getFile(name))
    })
  return {
    read: async (hash) => (await readEntry(hash)) as CachedEvent | null,
    write: writeEntry,
    readCleanFolder: async (hash) => (await readEntry(`folder-${hash}`)) as CleanFolder | null,
    writeCleanFolder: (hash, clean) => writeEntry(`folder-${hash}`, clean),
  }
}

/** Ignores errors such as a full disk, because the cache holds no data that could be lost. */
async function ignoreErrors(operation: () => Promise<void>): Promise<void> {
  try {
    await operation()
  } catch {
    // The event is compiled again at the next start.
  }
}

/**
 * Removes entries of engines that are no longer used. Each start updates the modification time of its engine's folder,
 * which shows when that engine was last used.
 */
async function removeOtherEngines(folder: string, engineFolder: string): Promise<void> {
  const { mtimeMs: startedAtMs } = await touchFolder(engineFolder)
  for (const name of await readdir(folder)) {
    const otherFolder = path.join(folder, name)
    if (
      otherFolder !== engineFolder &&
      (await stat(otherFolder)).mtimeMs < startedAtMs - OTHER_ENGINE_RETENTION_MS
    )
      await rm(otherFolder, { recursive: true, force: true })
  }
}

/**
 * Sets a folder's modification time by the file system's clock, because a server's clock may be set for a rehearsal.
 */
async function touchFolder(folder: string): Promise<{ readonly mtimeMs: number }> {
  const markFile = path.join(folder, '.started')
  await rm(markFile, { force: true })
  await writeFile(markFile, '')
  const { atime, mtime, mtimeMs } = await stat(markFile)
  await utimes(folder, atime, mtime)
  return { mtimeMs }
}

/** Reads one file at a time, as `hashSources` does: concurrent reads take four times as long. */
let engineHash: string | null = null
function computeEngineHash(): string {
  if (engineHash !== null) return engineHash
  const top = path.join(import.meta.dirname, '..', '..', '..')
  const hash = createHash('sha256')
  for (const folder of ['engine', 'schemas']) {
    const names = readdirSync(path.join(top, folder), { recursive: true })
      .map(String)
      .filter((name) => /\.(ts|json)$/.test(name))
      .sort()
    for (const name of names) hash.update(name).update(readFileSync(path.join(top, folder, name)))
  }
  engineHash = hash.digest('hex').slice(0, 16)
  return engineHash
}
