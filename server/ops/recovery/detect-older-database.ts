/**
 * Records the progress of the database in use (its newest ids) in its data folder, to detect an older copy.
 * A database with less progress is an older copy. The record is written at most a few times a minute, in the
 * background.
 */
import { open, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { NewestIds } from '../../storage/index.ts'

export const LAST_SERVED_FILE = 'last-served.json'
/** The file that a restore writes if it cannot begin the recovery itself, so that the next start begins it. */
export const RESTORED_FILE = 'restored.json'

export type LastServed = {
  /** The identity of the database. */
  readonly name: string
  readonly counted: NewestIds
  /** The time of the record. */
  readonly at: Instant
  /** The codes of all recoveries started in this folder. A copy does not contain them if it is restored again. */
  readonly codes: readonly string[]
}
export type RestoreRecord = {
  readonly at: Instant
  /** Null if unknown. */
  readonly copyAt: Instant | null
  /** The reason for the recovery at the next start. Undefined if a copy was restored. */
  readonly why?: string
}

/** Returns the last recorded progress. Null if the record is missing or cannot be read. */
export const readLastServed = (dataDir: string): Promise<LastServed | null> =>
  readJson(path.join(dataDir, LAST_SERVED_FILE), ({ name, counted, at, code, codes }) =>
    typeof name === 'string' && typeof at === 'number' && isProgress(counted)
      ? {
          name,
          counted,
          at: instant(at),
          // Earlier versions recorded only the last code, as `code`.
          codes: (Array.isArray(codes) ? codes : [code]).filter(
            (entry) => typeof entry === 'string',
          ),
        }
      : null,
  )

export const saveProgress = (dataDir: string, record: LastServed): Promise<void> =>
  writeJson(path.join(dataDir, LAST_SERVED_FILE), record)

export const readRestoreRecord = (dataDir: string): Promise<RestoreRecord | null> =>
  readJson(path.join(dataDir, RESTORED_FILE), ({ at, copyAt, why: reason }) =>
    typeof at === 'number' && (typeof copyAt === 'number' || copyAt === null)
      ? {
          at: instant(at),
          copyAt: copyAt === null ? null : instant(copyAt),
          ...(typeof reason === 'string' ? { why: reason } : {}),
        }
      : null,
  )

export const recordRestore = (dataDir: string, record: RestoreRecord): Promise<void> =>
  writeJson(path.join(dataDir, RESTORED_FILE), record)

export const deleteRestoreRecord = (dataDir: string): Promise<void> =>
  rm(path.join(dataDir, RESTORED_FILE), { force: true })

/** Returns true if a database has made less progress than the record states. */
export const isOlder = (progress: NewestIds, record: Pick<LastServed, 'counted'>): boolean =>
  Object.entries(record.counted).some(([table, position]) => (progress[table] ?? 0) < position)

const isProgress = (value: unknown): value is NewestIds =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((position) => typeof position === 'number')

async function readJson<T>(
  file: string,
  parse: (json: Readonly<Record<string, unknown>>) => T | null,
): Promise<T | null> {
  try {
    return parse(JSON.parse(await readFile(file, 'utf8')) as Readonly<Record<string, unknown>>)
  } catch {
    return null
  }
}

/** Writes the file completely or not at all, even if the power fails. */
async function writeJson(file: string, value: object): Promise<void> {
  const partialFile = `${file}.part`
  const handle = await open(partialFile, 'w', 0o600)
  try {
    await handle.writeFile(JSON.stringify(value))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(partialFile, file)
}
