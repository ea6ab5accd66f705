/** Files that delegates send: written to disk as they come, kept under the hash of their content, outside everything that is served. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { mkdir, open, rename, rm, stat, statfs, utimes } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { err, instant, ok } from '../../../engine/index.ts'
import type { Instant, Result } from '../../../engine/index.ts'
import type { ReceivedFile, ReceiveRefusal, Uploads } from '../../dependencies.ts'
import { newDatabaseAt } from '../../ops/recovery/new-database-date.ts'
import type { ProofShelf, Swept } from '../../storage/files/upload-storage.ts'
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

/** A file that no registration came to refer to is kept this long: its registration may still be on its way. */
const UNUSED_MS_MAX = 24 * 60 * 60 * 1000
/**
 * So much of the disk is left to what may not fail: the database and its log, mails, and registrations
 * without a proof. Files are refused below it.
 */
const FREE_BYTES_MIN = 512 * 1024 * 1024
/**
 * A proof of what nobody paid is of no use to anybody. The delegate may pay again for some days, and
 * money that came late is found within ten.
 */
const UNPAID_DAYS_MAX = 30
/**
 * A proof that was sent ahead is kept so long for a registration to take it: whoever has to ask for another
 * paper, or for a card, comes back within days.
 */
export const DRAFT_MS = 3 * 24 * 60 * 60 * 1000
/** Where a file lies until its registration is judged: in the same file system, so that a rename keeps it. */
const INCOMING = 'incoming'

type Known = Pick<
  Store,
  'uploadsInUse' | 'uploadsDropped' | 'dropProofs' | 'forgetOldDrafts' | 'databaseSince'
> &
  Partial<Pick<Store, 'proofs'>>
type Shelf = {
  readonly folder: string
  /** Where what no record refers to lies for a while. */
  readonly asideFolder: string
  readonly freeBytesMin: number
  /** When each hash was last handed in, since start. */
  readonly handedIn: Map<string, Instant>
  /** Files being removed just now. */
  readonly removals: Map<string, Promise<void>>
  readonly flushes: Flushes
}

/** Where a data folder has them, and when its database was restored. */
export const placesIn = (dataDir: string) => ({
  folder: path.join(dataDir, 'uploads'),
  asideFolder: path.join(dataDir, ASIDE_FOLDER),
  restoredAt: () => newDatabaseAt(dataDir),
})

/** Opens the folder, and removes what a process that died left unfinished in it. */
export function openUploads(options: {
  readonly folder: string
  readonly asideFolder: string
  readonly store: Known
  readonly clock: () => Instant
  /** When the database was restored; null: never. Never when left out. */
  readonly restoredAt?: () => Promise<Instant | null>
  /** Bytes of the disk that files leave free. */
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
/** Since when there is this database, as a restore or an empty start left it. */
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

/** Where every server reads them; nothing of them stays on this disk. */
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
    // A file that is read or held is there, wherever it is noted.
    reclaim: async () => {},
    state: () => stateOf(last, 'the database (proof_files.aside_at)'),
  }
}

function placeOf(shelf: Shelf, sha256: string): string {
  return path.join(shelf.folder, sha256.slice(0, 2), sha256)
}

/** Each piece is on its way to the disk before the next is asked for, so that no file is ever in memory as a whole. */
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
    // The sender's trouble; a disk that is full is ours, and thrown.
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

/** Flushed, then renamed: under its hash there is the whole file or none. */
async function keepDurably(
  flushes: Flushes,
  place: string,
  received: ReceivedFile,
  at: Instant,
): Promise<void> {
  const there = await stat(place).catch(() => null)
  const parent = path.dirname(place)
  if (there?.size === received.bytes) {
    // Young again, for the sweep after a restart.
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
  // Also when it was there: the one who wrote it may not have come to this line.
  await flushes.flush(parent)
  await flushes.flushOnce(path.dirname(parent), path.basename(parent))
}

/** Null: no such file. Only hashes are read, no paths. */
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
 * What lies in the folder of incoming files belongs to a request, and a request to a process. Of our own
 * number there is none yet: a container gives every process the same one.
 */
function removeLeftovers(incoming: string): void {
  for (const name of readdirSync(incoming)) {
    const pid = Number(name.split('.')[0])
    if (pid === process.pid || !isAlive(pid)) unlinkSync(path.join(incoming, name))
  }
}

function isAlive(pid: number): boolean {
  try {
    // Signal 0 is none: it only asks. EPERM: somebody else's process, so there is one.
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** What is of no use to anybody any more refers to no file: of how many registrations, and the files of forms that were never sent. */
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
 * Removes what registrations have dropped and drafts no longer wait for, and sets aside what no record refers to and nobody
 * handed in lately. `young` and `all` say of the unknown ones whether few, none or all are set aside.
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
  /** This process took them in itself, and no registration came to refer to them: they say nothing of the database. */
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
  // Somebody may have handed it in again since it was looked for.
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

/** Whoever hands the same bytes in meanwhile waits for it. */
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
