/**
 * Sets aside uploaded files that no record refers to.
 * They are not deleted at once, because the database may be an older copy or empty. They stay aside for a while,
 * few at a time, and return when a record refers to them.
 */
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import type { Instant } from '../../../engine/index.ts'
import type { UploadsState } from '../../dependencies.ts'
import type { Held, Swept } from '../../storage/files/upload-storage-types.ts'
import type { Store } from '../../storage/index.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Folder in DATA_DIR. */
export const ASIDE_FOLDER = 'unknown-files'
/** How long files are kept aside. */
export const ASIDE_DAYS = 30
/**
 * How long nothing is moved after a restore or a start with an empty database: another copy may still be put
 * back.
 */
export const YOUNG_DAYS = 7
/**
 * A few are left over from interrupted requests; many mean that the database does not belong to these files. Many is
 * more than twenty, or more than one in a hundred; of a small installation, a handful is moved in any case.
 */
const FEW_MAX = 20
const FEW_PERCENT_MAX = 1
const HANDFUL = 5
/** Hashes per query. */
const BATCH_MAX = 500

/** Returns why this many of all files are not moved; null: they are moved. */
export function whyHeld(count: number, all: number, isYoung: boolean): Held | null {
  if (count === 0) return null
  if (isYoung) return { count, why: 'young' }
  const isMany = count > FEW_MAX || (count > HANDFUL && count * 100 > all * FEW_PERCENT_MAX)
  return isMany ? { count, why: 'many' } : null
}

/** Files set aside before this instant are deleted. */
export const keptAsideSince = (at: Instant): number => at - ASIDE_DAYS * DAY_MS

/**
 * `since`: when the database was created or restored; null: unknown. A clock that was set back makes it younger.
 */
export const isYoung = (since: Instant | null, at: Instant): boolean =>
  since !== null && at - since < YOUNG_DAYS * DAY_MS

/** The sentence for the health report and `rollcall db unknown-files`. */
export function heldSentence({ count, why }: Held): string {
  const files = `${count} uploaded files belong to no registration in the database`
  return why === 'young'
    ? `${files}. None is moved within ${YOUNG_DAYS} days of a restore or of a start with an empty database.`
    : `${files}: more than are ever left over. None was moved. Check that DATA_DIR has the right database; if it has, run rollcall db unknown-files --set-aside.`
}
export const asideSentence = (count: number, place: string): string =>
  `${count} uploaded files that belong to no registration are in ${place}. They are deleted after ${ASIDE_DAYS} days; a file comes back when a registration refers to it.`

/** Returns the files aside, by hash, with the time at which they were set aside. */
async function filesAside(folder: string): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  for (const name of await readdir(folder).catch(() => []))
    found.set(name, (await stat(path.join(folder, name))).mtimeMs)
  return found
}

type Known = Pick<Store, 'uploadsInUse'>

/** Puts back files that a record refers to again, and deletes those whose time aside is over. */
export async function lookAside(
  folder: string,
  placeOf: (sha256: string) => string,
  store: Known,
  deleteBefore: number | null,
): Promise<{ readonly aside: number; readonly removed: number }> {
  const files = await filesAside(folder)
  const used = new Set(await inBatches([...files.keys()], (some) => store.uploadsInUse(some)))
  let removed = 0
  for (const [sha256, since] of files) {
    if (used.has(sha256)) await putBack(folder, placeOf, sha256)
    else if (deleteBefore !== null && since <= deleteBefore) {
      await rm(path.join(folder, sha256), { force: true })
      removed += 1
    }
  }
  return { aside: files.size - used.size - removed, removed }
}

/** False: the file is not aside. */
export async function putBack(
  folder: string,
  placeOf: (sha256: string) => string,
  sha256: string,
): Promise<boolean> {
  const place = placeOf(sha256)
  try {
    await stat(path.join(folder, sha256))
    await mkdir(path.dirname(place), { recursive: true })
    await rename(path.join(folder, sha256), place)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

export async function setAside(
  folder: string,
  place: string,
  sha256: string,
  at: Instant,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const aside = path.join(folder, sha256)
  await rename(place, aside)
  await utimes(aside, at / 1000, at / 1000)
}

export async function inBatches<T>(
  all: readonly string[],
  ask: (some: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found: T[] = []
  for (let from = 0; from < all.length; from += BATCH_MAX)
    found.push(...(await ask(all.slice(from, from + BATCH_MAX))))
  return found
}

export function stateOf(
  { held, aside }: Pick<Swept, 'held' | 'aside'>,
  place: string,
): UploadsState {
  const notes = [
    ...(held?.why === 'young' ? [heldSentence(held)] : []),
    ...(aside > 0 ? [asideSentence(aside, place)] : []),
  ]
  return {
    trouble: held?.why === 'many' ? heldSentence(held) : null,
    note: notes.length === 0 ? null : notes.join(' '),
  }
}

/** Returns the hashes of files that were not submitted lately, and the total number of files. */
export async function oldFiles(
  folder: string,
  incoming: string,
  handedInBefore: Instant,
): Promise<{ readonly old: readonly string[]; readonly files: number }> {
  const old: string[] = []
  let files = 0
  for (const sub of await readdir(folder).catch(() => [])) {
    if (sub === incoming) continue
    for (const name of await readdir(path.join(folder, sub)).catch(() => [])) {
      const found = await stat(path.join(folder, sub, name)).catch(() => null)
      if (found === null || !isHash(name)) continue
      files += 1
      if (found.mtimeMs <= handedInBefore) old.push(name)
    }
  }
  return { old, files }
}

export const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
