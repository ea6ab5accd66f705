/** Stores uploaded files under the hash of their content, outside every served folder. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { mkdir, open, rename, rm, stat, statfs, utimes } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { err, instant, ok } from '../../../engine/index.ts'
import type { Instant, Result } from '../../../engine/index.ts'
import type { ReceivedFile, ReceiveRefusal, Uploads } from '../../dependencies.ts'
import { newDatabaseAt } from '../../ops/recovery/new-database-date.ts'
import type { ProofShelf, Swept } from '../../storage/files/upload-storage-types.ts'
import type { Store } from '../../storage/index.ts'
import { typeOfFile } from './file-type.ts'
import { openFlushes } from './flush-folders.ts'
import type { Flushes } from './flush-folders.ts'
import { removeMetadata } from './remove-photo-metadata.ts'
import {
  ASIDE_FOLDER,
  inBatches,
  isHash,
  isYoung,
  keptAsideSince,
  lookAside,
  oldFiles,
  putBack,
  setAside,
  stateOf,
  whyHeld,
} from './unreferenced-files.ts'

/** How long a file without a registration is kept: its registration may still be in progress. */
const UNUSED_MS_MAX = 24 * 60 * 60 * 1000
/**
 * Disk space reserved for what must not fail: the database and its log, emails, and registrations without a
 * proof. Below it, files are refused.
 */
const FREE_BYTES_MIN = 512 * 1024 * 1024
/**
 * The proof of an unpaid registration is of no use. The delegate may pay again for some days, and a late payment
 * is found within ten.
 */
const UNPAID_DAYS_MAX = 30
/**
 * How long a proof uploaded ahead waits for its registration: a delegate who has to fetch another document or a
 * card comes back within days.
 */
export const DRAFT_MS = 3 * 24 * 60 * 60 * 1000
/**
 * Folder for files whose registration is not checked yet; in the same file system, so that a rename stores them.
 */
const INCOMING = 'incoming'

type Known = Pick<
  Store,
  'uploadsInUse' | 'uploadsDropped' | 'dropProofs' | 'forgetOldDrafts' | 'databaseSince'
> &
  Partial<Pick<Store, 'proofs'>>
type Shelf = {
  readonly folder: string
  /** Folder for files that no record refers to, kept for a while. */
  readonly asideFolder: string
  readonly freeBytesMin: number
  /** When each hash was last submitted since the start. */
  readonly handedIn: Map<string, Instant>
  /** Files that are being removed now. */
  readonly removals: Map<string, Promise<void>>
  readonly flushes: Flushes
}

/** Returns the locations of uploads in a data folder, and when its database was restored. */
export const placesIn = (dataDir: string) => ({
  folder: path.join(dataDir, 'uploads'),
  asideFolder: path.join(dataDir, ASIDE_FOLDER),
  restoredAt: () => newDatabaseAt(dataDir),
})

/** Opens the upload folder and removes incomplete files of processes that died. */
export function openUploads(options: {
  readonly folder: string
  readonly asideFolder: string
  readonly store: Known
  readonly clock: () => Instant
  /** Returns when the database was restored; null: never. Left out: never. */
  readonly restoredAt?: () => Promise<Instant | null>
  /** Bytes of disk space that uploads must leave free. */
  readonly freeBytesMin?: number
}): Uploads {
  const { store, clock } = options
  const { proofs = null } = store
  const { restoredAt = async () => null } = options
  const since: Since = async () => {
    const [restored, made] = await Promise.all([restoredAt(), store.databaseSince()])
    return restored === null || made === null
      ? (restored ?? made)
      : instant(Math.max(restored, made))
  }
  const { freeBytesMin = FREE_BYTES_MIN } = options
  const shelf: Shelf = {
    folder: options.folder,
    asideFolder: options.asideFolder,
    freeBytesMin,
    handedIn: new Map(),
    removals: new Map(),
    flushes: openFlushes(),
  }
  mkdirSync(path.join(shelf.folder, INCOMING), { recursive: true })
  removeLeftovers(path.join(shelf.folder, INCOMING))
  return {
    receive: (content, bytesMax) => receive(shelf, content, bytesMax),
    typeOf: (file, name, accept) => typeOfFile(file.path, name, accept),
    bared,
    discard: (file) => rm(file.path, { force: true }),
    ...(proofs === null ? onDisk(shelf, store, clock, since) : inside(proofs, store, clock, since)),
  }
}

type Shelved = Pick<Uploads, 'keep' | 'hold' | 'read' | 'forget' | 'sweep' | 'reclaim' | 'state'>
/** Returns since when this database exists: the time of a restore or of an empty start. */
type Since = () => Promise<Instant | null>

function onDisk(shelf: Shelf, store: Known, clock: () => Instant, since: Since): Shelved {
  const place = (sha256: string): string => placeOf(shelf, sha256)
  let last: Pick<Swept, 'held' | 'aside'> = { held: null, aside: 0 }
  return {
    keep: async (file) => {
      shelf.handedIn.set(file.sha256, clock())
      await shelf.removals.get(file.sha256)
      await keepDurably(shelf.flushes, placeOf(shelf, file.sha256), file, clock())
    },
    hold: async (sha256) => {
      shelf.handedIn.set(sha256, clock())
      await shelf.removals.get(sha256)
      return (
        (await stat(place(sha256)).catch(() => null)) !== null ||
        putBack(shelf.asideFolder, place, sha256)
      )
    },
    read: (sha256) => read(shelf, sha256),
    forget: async (sha256s) => {
      const used = new Set(await store.uploadsInUse(sha256s))
      for (const sha256 of sha256s) if (!used.has(sha256)) await remove(shelf, sha256)
    },
    sweep: async (all = false) => {
      const at = clock()
      const swept = await sweep(shelf, store, at, !all && isYoung(await since(), at), all)
      last = swept
      return swept
    },
    reclaim: async () => {
      const { aside } = await lookAside(shelf.asideFolder, place, store, null)
      last = { ...last, aside }
    },
    state: () => stateOf(last, shelf.asideFolder),
  }
}

/** Keeps files in the database, where every server can read them; nothing stays on this disk. */
function inside(proofs: ProofShelf, store: Known, clock: () => Instant, since: Since): Shelved {
  let last: Pick<Swept, 'held' | 'aside'> = { held: null, aside: 0 }
  return {
    keep: (file) => proofs.keep(file, clock()),
    hold: (sha256) => proofs.hold(sha256, clock()),
    read: async (sha256) => (isHash(sha256) ? proofs.read(sha256) : null),
    forget: (sha256s) => proofs.forget(sha256s),
    sweep: async (all = false) => {
      const at = clock()
      const { dropped, forgotten } = await dropOld(store, at)
      await proofs.forget(forgotten)
      const young = !all && isYoung(await since(), at)
      const swept = await proofs.sweep({
        at,
        keptBefore: instant(at - UNUSED_MS_MAX),
        deleteBefore: young ? null : instant(keptAsideSince(at)),
        mayMove: (unknown, files) => (all ? null : whyHeld(unknown, files, young)),
      })
      last = swept
      return { ...swept, dropped }
    },
    // A file that was set aside can still be read and held, so nothing needs to be reclaimed.
    reclaim: async () => {},
    state: () => stateOf(last, 'the database (proof_files.aside_at)'),
  }
}

function placeOf(shelf: Shelf, sha256: string): string {
  return path.join(shelf.folder, sha256.slice(0, 2), sha256)
}

/** Writes each piece to disk before reading the next, so that a file is never in memory as a whole. */
async function receive(
  shelf: Shelf,
  content: Readable,
  bytesMax: number,
): Promise<Result<ReceivedFile, ReceiveRefusal>> {
  const place = path.join(shelf.folder, INCOMING, `${process.pid}.${randomUUID()}`)
  const hash = createHash('sha256')
  let bytes = 0
  let whole = false
  let writing = false
  const file = await open(place, 'wx')
  try {
    for await (const piece of content as AsyncIterable<Buffer>) {
      // An input that was left empty takes no room.
      if (bytes === 0 && (await isNearlyFull(shelf))) return err('no_room')
      bytes += piece.length
      if (bytes > bytesMax) return err('too_large')
      hash.update(piece)
      writing = true
      await file.writeFile(piece)
      writing = false
    }
    whole = true
    return ok({ path: place, sha256: hash.digest('hex'), bytes })
  } catch (error) {
    // The connection of the sender failed; a full disk is our problem, and is thrown.
    if (content.errored !== null && !writing) return err('cut_off')
    throw error
  } finally {
    await file.close()
    if (!whole) await rm(place, { force: true })
  }
}

async function isNearlyFull({ folder, freeBytesMin }: Shelf): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize < freeBytesMin
}

async function bared(file: ReceivedFile, mime: string): Promise<ReceivedFile> {
  if (!mime.startsWith('image/')) return file
  const picture = await open(file.path, 'r+')
  try {
    const left = await removeMetadata(picture, file.bytes, mime)
    return left === null ? file : { path: file.path, ...left }
  } finally {
    await picture.close()
  }
}

/** Flushed, then renamed: the file under its hash is either complete or absent. */
async function keepDurably(
  flushes: Flushes,
  place: string,
  received: ReceivedFile,
  at: Instant,
): Promise<void> {
  const there = await stat(place).catch(() => null)
  const parent = path.dirname(place)
  if (there?.size === received.bytes) {
    // Resets the age, for the sweep after a restart.
    await utimes(place, at / 1000, at / 1000)
    await rm(received.path, { force: true })
  } else {
    await mkdir(parent, { recursive: true })
    const file = await open(received.path, 'r+')
    try {
      await file.utimes(at / 1000, at / 1000)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(received.path, place)
  }
  // Also if the file existed: the process that wrote it may have died before this line.
  await flushes.flush(parent)
  await flushes.flushOnce(path.dirname(parent), path.basename(parent))
}

/** Null: no such file. Accepts only hashes, never paths. */
async function read(
  shelf: Shelf,
  sha256: string,
): Promise<{ readonly bytes: number; readonly content: Readable } | null> {
  if (!isHash(sha256)) return null
  const place = (one: string): string => placeOf(shelf, one)
  const opened = () =>
    open(place(sha256), 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
  const file =
    (await opened()) ?? ((await putBack(shelf.asideFolder, place, sha256)) ? await opened() : null)
  return file === null
    ? null
    : { bytes: (await file.stat()).size, content: file.createReadStream() }
}

/**
 * A file in the incoming folder belongs to a request, and so to a process. Files with our own process id are
 * leftovers as well, because a container gives every process the same id.
 */
function removeLeftovers(incoming: string): void {
  for (const name of readdirSync(incoming)) {
    const pid = Number(name.split('.')[0])
    if (pid === process.pid || !isAlive(pid)) unlinkSync(path.join(incoming, name))
  }
}

function isAlive(pid: number): boolean {
  try {
    // Signal 0 sends nothing: it only checks that the process exists. EPERM: it exists and belongs to another
    // user.
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Drops references to files that are no longer useful: returns the number of registrations, and the files of
 * forms never submitted.
 */
async function dropOld(
  store: Known,
  at: Instant,
): Promise<{ readonly dropped: number; readonly forgotten: readonly string[] }> {
  const failedBefore = instant(at - UNPAID_DAYS_MAX * 24 * 60 * 60 * 1000)
  const forgotten = await store.forgetOldDrafts(instant(at - DRAFT_MS))
  const dropped = await store.dropProofs(failedBefore, at, `not paid for ${UNPAID_DAYS_MAX} days`)
  return { dropped, forgotten }
}

/**
 * Removes files that registrations have dropped or drafts no longer need, and sets aside files that no record
 * refers to and that were not submitted lately. `young` and `all` decide whether few, none or all of the unknown
 * files are set aside.
 */
async function sweep(
  shelf: Shelf,
  store: Known,
  at: Instant,
  young: boolean,
  all: boolean,
): Promise<Swept> {
  const place = (sha256: string): string => placeOf(shelf, sha256)
  const { dropped, forgotten } = await dropOld(store, at)
  /** Files that this process received and that no registration referred to: they say nothing about the database. */
  const refusedHere = new Set<string>()
  for (const [sha256, handedIn] of shelf.handedIn) {
    if (at - handedIn < UNUSED_MS_MAX) continue
    refusedHere.add(sha256)
    shelf.handedIn.delete(sha256)
  }
  const { old, files } = await oldFiles(shelf.folder, INCOMING, instant(at - UNUSED_MS_MAX))
  const asked = [...new Set([...old, ...forgotten])]
  const used = new Set(await inBatches(asked, (some) => store.uploadsInUse(some)))
  const unused = asked.filter((sha256) => !used.has(sha256) && !shelf.handedIn.has(sha256))
  const known = new Set([
    ...forgotten,
    ...(await inBatches(unused, (some) => store.uploadsDropped(some))),
  ])
  const gone = unused.filter((sha256) => known.has(sha256))
  // The file may have been submitted again since the query.
  const isFree = (sha256: string): boolean => !shelf.handedIn.has(sha256)
  for (const sha256 of gone) if (isFree(sha256)) await remove(shelf, sha256)

  const unknown = unused.filter((sha256) => !known.has(sha256))
  const strange = unknown.filter((sha256) => !refusedHere.has(sha256))
  const held = all ? null : whyHeld(young ? unknown.length : strange.length, files, young)
  const moved = held === null ? unknown : []
  for (const sha256 of moved) if (isFree(sha256)) await moveAside(shelf, sha256, at)
  const { aside, removed } = await lookAside(
    shelf.asideFolder,
    place,
    store,
    young ? null : keptAsideSince(at),
  )
  return { dropped, removed: gone.length + removed, setAside: moved.length, held, aside }
}

/** A request that submits the same bytes meanwhile waits for the removal. */
async function remove(shelf: Shelf, sha256: string): Promise<void> {
  await keptFrom(shelf, sha256, async () => {
    await rm(placeOf(shelf, sha256), { force: true })
    await rm(path.join(shelf.asideFolder, sha256), { force: true })
  })
}

async function moveAside(shelf: Shelf, sha256: string, at: Instant): Promise<void> {
  await keptFrom(shelf, sha256, () =>
    setAside(shelf.asideFolder, placeOf(shelf, sha256), sha256, at),
  )
}

async function keptFrom(shelf: Shelf, sha256: string, work: () => Promise<void>): Promise<void> {
  const removal = work().finally(() => shelf.removals.delete(sha256))
  shelf.removals.set(sha256, removal)
  await removal
}
