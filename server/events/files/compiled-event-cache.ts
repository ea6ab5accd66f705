/**
 * Caches compiled events on disk, so that a thousand files start at once.
 * It is only an optimisation: an entry that cannot be read or written is compiled again.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { KnownEvent } from '../../../engine/authoring.ts'
import type { Site } from '../../../engine/index.ts'

/** Keys are the hashes of an event's texts, including shared files. */
export type Cache = {
  read(hash: string): Promise<KnownEvent | null>
  write(hash: string, known: KnownEvent): Promise<void>
  /** For a whole folder without findings, besides its compiled events. */
  readClean(hash: string): Promise<CleanFolder | null>
  writeClean(hash: string, clean: CleanFolder): Promise<void>
}
export type CleanFolder = { readonly site: Site | null }

/**
 * Entries of another engine version are removed if it was not started for this long; a rollback within this time
 * is fast.
 */
const OTHER_ENGINES_MS = 30 * 24 * 60 * 60 * 1000

/** Returns the cache folder in the data folder. */
export function cacheFolderIn(dataDir: string): string {
  return path.join(dataDir, 'cache', 'events')
}

/** Separate for each engine version, because another engine may interpret the same texts differently. */
export async function openCache(folder: string): Promise<Cache> {
  const mine = path.join(folder, await engineHash())
  await quietly(async () => {
    await mkdir(mine, { recursive: true })
    await removeOtherEngines(folder, mine)
  })
  const fileOf = (name: string): string => path.join(mine, `${name}.json`)
  const read = async (name: string): Promise<unknown> => {
    try {
      return JSON.parse(await readFile(fileOf(name), 'utf8')) as unknown
    } catch {
      // Missing, or incomplete after a power failure.
      return null
    }
  }
  const write = (name: string, value: object): Promise<void> =>
    quietly(async () => {
      const beside = path.join(mine, `${name}.${randomUUID()}`)
      await writeFile(beside, JSON.stringify(value))
      await rename(beside, fileOf(name))
    })
  return {
    read: async (hash) => (await read(hash)) as KnownEvent | null,
    write,
    readClean: async (hash) => (await read(`folder-${hash}`)) as CleanFolder | null,
    writeClean: (hash, clean) => write(`folder-${hash}`, clean),
  }
}

/** A full disk is reported where data is lost; here nothing is. */
async function quietly(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch {
    // Compiled again at the next start.
  }
}

/** By the time of each folder's last start, which is recorded by touching it. */
async function removeOtherEngines(folder: string, mine: string): Promise<void> {
  const { mtimeMs: now } = await touched(mine)
  for (const name of await readdir(folder)) {
    const other = path.join(folder, name)
    if (other !== mine && (await stat(other)).mtimeMs < now - OTHER_ENGINES_MS)
      await rm(other, { recursive: true, force: true })
  }
}

/** Uses the file system's own clock on both sides: a server's clock may be set for a rehearsal. */
async function touched(folder: string): Promise<{ readonly mtimeMs: number }> {
  const mark = path.join(folder, '.started')
  await rm(mark, { force: true })
  await writeFile(mark, '')
  const { atime, mtime, mtimeMs } = await stat(mark)
  await utimes(folder, atime, mtime)
  return { mtimeMs }
}

let engineHashOnce: Promise<string> | null = null
function engineHash(): Promise<string> {
  engineHashOnce ??= (async () => {
    const top = path.join(import.meta.dirname, '..', '..', '..')
    const hash = createHash('sha256')
    for (const folder of ['engine', 'schemas']) {
      const names = (await readdir(path.join(top, folder), { recursive: true }))
        .filter((name) => /\.(ts|json)$/.test(name))
        .sort()
      for (const name of names)
        hash.update(name).update(await readFile(path.join(top, folder, name)))
    }
    return hash.digest('hex').slice(0, 16)
  })()
  return engineHashOnce
}
