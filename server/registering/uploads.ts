/** Files that delegates send: written to disk as they come, kept under the hash of their content, outside everything that is served. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { err, instant, ok } from '../../engine/index.ts'
import type { Instant, Result } from '../../engine/index.ts'
import type { ReceivedFile, ReceiveRefusal, Uploads } from '../deps.ts'
import type { ProofShelf } from '../store/proof-shelf.ts'
import type { Store } from '../store/store.ts'
import { typeOfFile } from './file-kind.ts'
import { openFlushes } from './flushing.ts'
import type { Flushes } from './flushing.ts'
import { removeMetadata } from './pictures.ts'

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
/** So many hashes are asked about in one query. */
const SWEEP_BATCH_MAX = 500
/** Where a file lies until its registration is judged: in the same file system, so that a rename keeps it. */
const INCOMING = 'incoming'

type Swept = Pick<Store, 'uploadsInUse' | 'dropProofs' | 'forgetOldDrafts'> &
  Partial<Pick<Store, 'proofs'>>
type Shelf = {
  readonly folder: string
  readonly freeBytesMin: number
  /** When each hash was last handed in, since start. */
  readonly handedIn: Map<string, Instant>
  /** Files being removed just now. */
  readonly removals: Map<string, Promise<void>>
  readonly flushes: Flushes
}

/** Opens the folder, and removes what a process that died left unfinished in it. */
export function openUploads(options: {
  readonly folder: string
  readonly store: Swept
  readonly clock: () => Instant
  /** Bytes of the disk that files leave free. */
  readonly freeBytesMin?: number
}): Uploads {
  const { store, clock } = options
  const { proofs = null } = store
  const { freeBytesMin = FREE_BYTES_MIN } = options
  const shelf: Shelf = {
    folder: options.folder,
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
    ...(proofs === null ? onDisk(shelf, store, clock) : inside(proofs, store, clock)),
  }
}

type Shelved = Pick<Uploads, 'keep' | 'hold' | 'read' | 'forget' | 'sweep'>

function onDisk(shelf: Shelf, store: Swept, clock: () => Instant): Shelved {
  return {
    keep: async (file) => {
      shelf.handedIn.set(file.sha256, clock())
      await shelf.removals.get(file.sha256)
      await keepDurably(shelf.flushes, placeOf(shelf, file.sha256), file, clock())
    },
    hold: async (sha256) => {
      shelf.handedIn.set(sha256, clock())
      await shelf.removals.get(sha256)
      return (await stat(placeOf(shelf, sha256)).catch(() => null)) !== null
    },
    read: (sha256) => read(shelf, sha256),
    forget: async (sha256s) => {
      const used = new Set(await store.uploadsInUse(sha256s))
      for (const sha256 of sha256s) if (!used.has(sha256)) await remove(shelf, sha256)
    },
    sweep: () => sweep(shelf, store, clock()),
  }
}

/** Where every server reads them; nothing of them stays on this disk. */
function inside(proofs: ProofShelf, store: Swept, clock: () => Instant): Shelved {
  return {
    keep: (file) => proofs.keep(file, clock()),
    hold: (sha256) => proofs.hold(sha256, clock()),
    read: async (sha256) => (isHash(sha256) ? proofs.read(sha256) : null),
    forget: (sha256s) => proofs.forget(sha256s),
    sweep: async () => {
      const at = clock()
      await dropOld(store, at)
      return proofs.sweep(instant(at - UNUSED_MS_MAX))
    },
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

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** Null: no such file. Only hashes are read, no paths. */
async function read(
  shelf: Shelf,
  sha256: string,
): Promise<{ readonly bytes: number; readonly content: Readable } | null> {
  if (!isHash(sha256)) return null
  const file = await open(placeOf(shelf, sha256), 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
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

/** What is of no use to anybody any more refers to no file. */
async function dropOld(store: Swept, at: Instant): Promise<void> {
  const failedBefore = instant(at - UNPAID_DAYS_MAX * 24 * 60 * 60 * 1000)
  await store.forgetOldDrafts(instant(at - DRAFT_MS))
  await store.dropProofs(failedBefore, at, `not paid for ${UNPAID_DAYS_MAX} days`)
}

/** Removes what no registration refers to, or only such as nobody paid, and nobody handed in lately. Answers how many files went. */
async function sweep(shelf: Shelf, store: Swept, at: Instant): Promise<number> {
  await dropOld(store, at)
  for (const [sha256, handedIn] of shelf.handedIn)
    if (at - handedIn >= UNUSED_MS_MAX) shelf.handedIn.delete(sha256)
  const old: string[] = []
  for (const sub of await readdir(shelf.folder).catch(() => [])) {
    if (sub === INCOMING) continue
    for (const name of await readdir(path.join(shelf.folder, sub)).catch(() => [])) {
      const { mtimeMs } = await stat(path.join(shelf.folder, sub, name))
      if (at - mtimeMs >= UNUSED_MS_MAX) old.push(name)
    }
  }
  let removed = 0
  for (let from = 0; from < old.length; from += SWEEP_BATCH_MAX) {
    const batch = old.slice(from, from + SWEEP_BATCH_MAX)
    const used = new Set(await store.uploadsInUse(batch))
    for (const sha256 of batch) {
      if (used.has(sha256) || shelf.handedIn.has(sha256)) continue
      await remove(shelf, sha256)
      removed++
    }
  }
  return removed
}

/** Whoever hands the same bytes in meanwhile waits for it. */
async function remove(shelf: Shelf, sha256: string): Promise<void> {
  const removal = rm(placeOf(shelf, sha256), { force: true }).finally(() =>
    shelf.removals.delete(sha256),
  )
  shelf.removals.set(sha256, removal)
  await removal
}
