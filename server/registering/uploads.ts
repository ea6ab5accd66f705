/** Files that delegates send: judged by their content, kept under its hash, outside everything that is served. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readFile, readdir, rename, stat, unlink, utimes } from 'node:fs/promises'
import path from 'node:path'
import CFB from 'cfb'
import { fileTypeFromBuffer } from 'file-type'
import type { Instant } from '../../engine/index.ts'
import type { Uploads } from '../deps.ts'
import type { Store } from '../store/store.ts'

/** A file that no registration came to refer to is kept this long: its registration may still be on its way. */
const unusedMsMax = 24 * 60 * 60 * 1000
/** So many hashes are asked about in one query. */
const sweepBatch = 500

/** Endings by what the content is; an ending not listed here cannot be told from its content and is refused. */
const endingsOf: Readonly<Record<string, readonly string[]>> = {
  pdf: ['pdf'],
  jpg: ['jpg', 'jpeg'],
  png: ['png'],
  gif: ['gif'],
  webp: ['webp'],
  docx: ['docx'],
  doc: ['doc'],
}
const mimeOf: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  doc: 'application/msword',
}

type Sent = { readonly name: string; readonly bytes: Buffer; readonly accept: readonly string[] }
type Shelf = {
  readonly folder: string
  /** When each hash was last handed in, since start. */
  readonly handedIn: Map<string, Instant>
  /** Files being removed just now. */
  readonly removals: Map<string, Promise<void>>
}

export function openUploads(options: {
  readonly folder: string
  readonly store: Pick<Store, 'uploadsInUse'>
  readonly clock: () => Instant
}): Uploads {
  const { store, clock } = options
  const shelf: Shelf = { folder: options.folder, handedIn: new Map(), removals: new Map() }
  return {
    fits: async (sent) => (await kindOf(sent)) !== null,
    keep: async (sent) => {
      const kind = await kindOf(sent)
      if (kind === null) return { ok: false, code: 'wrong_type' }
      const sha256 = createHash('sha256').update(sent.bytes).digest('hex')
      shelf.handedIn.set(sha256, clock())
      await shelf.removals.get(sha256)
      await keepDurably(placeOf(shelf, sha256), sent.bytes, clock())
      return {
        ok: true,
        sha256,
        type: mimeOf[kind] ?? 'application/octet-stream',
        bytes: sent.bytes.length,
      }
    },
    read: async (sha256) => {
      if (!/^[0-9a-f]{64}$/.test(sha256)) return null
      return readFile(placeOf(shelf, sha256)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
    },
    sweep: () => sweep(shelf, store, clock()),
  }
}

function placeOf(shelf: Shelf, sha256: string): string {
  return path.join(shelf.folder, sha256.slice(0, 2), sha256)
}

/** What the file is, when that is what its name says and what is taken. */
async function kindOf({ name, bytes, accept }: Sent): Promise<string | null> {
  const content = await contentOf(bytes)
  const ending = path.extname(name).slice(1).toLowerCase()
  return content !== null && accept.includes(ending) && (endingsOf[content] ?? []).includes(ending)
    ? content
    : null
}

/** pdf, jpg, png, gif, webp, docx, doc, or null for everything else. Names and media types that were sent count for nothing. */
export async function contentOf(bytes: Buffer): Promise<string | null> {
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined)
  if (found === undefined) return null
  if (found.ext === 'cfb' || found.mime === 'application/x-cfb')
    return isWordDocument(bytes) ? 'doc' : null
  return found.ext in endingsOf ? found.ext : null
}

/**
 * Old Word documents, Excel sheets, Outlook messages and Windows installers are all OLE files and
 * begin alike; what they are is said by their streams. A Word document has one called WordDocument.
 */
function isWordDocument(bytes: Buffer): boolean {
  try {
    const container = CFB.read(bytes, { type: 'buffer' })
    return CFB.find(container, '/WordDocument') !== null
  } catch {
    return false
  }
}

/** Written beside its place, flushed, then renamed: under its hash there is the whole file or none. */
async function keepDurably(place: string, bytes: Buffer, at: Instant): Promise<void> {
  const there = await stat(place).catch(() => null)
  const parent = path.dirname(place)
  if (there?.size === bytes.length) {
    // Young again, for the sweep after a restart.
    await utimes(place, at / 1000, at / 1000)
  } else {
    await mkdir(parent, { recursive: true })
    const beside = `${place}.${randomUUID()}.part`
    const file = await open(beside, 'wx')
    try {
      await file.writeFile(bytes)
      await file.utimes(at / 1000, at / 1000)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, place)
  }
  // Also when it was there: the one who wrote it may not have come to this line.
  await syncFolder(parent)
  await syncFolder(path.dirname(parent))
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Removes what no registration refers to and nobody handed in lately. Answers how many files went. */
async function sweep(
  shelf: Shelf,
  store: Pick<Store, 'uploadsInUse'>,
  at: Instant,
): Promise<number> {
  for (const [sha256, handedIn] of shelf.handedIn)
    if (at - handedIn >= unusedMsMax) shelf.handedIn.delete(sha256)
  const old: string[] = []
  let removed = 0
  for (const sub of await readdir(shelf.folder).catch(() => [])) {
    for (const name of await readdir(path.join(shelf.folder, sub)).catch(() => [])) {
      const place = path.join(shelf.folder, sub, name)
      if (at - (await stat(place)).mtimeMs < unusedMsMax) continue
      if (name.endsWith('.part')) {
        await unlink(place)
        removed++
      } else old.push(name)
    }
  }
  for (let from = 0; from < old.length; from += sweepBatch) {
    const batch = old.slice(from, from + sweepBatch)
    const used = new Set(await store.uploadsInUse(batch))
    for (const sha256 of batch) {
      if (used.has(sha256) || shelf.handedIn.has(sha256)) continue
      const removal = unlink(placeOf(shelf, sha256)).finally(() => shelf.removals.delete(sha256))
      shelf.removals.set(sha256, removal)
      await removal
      removed++
    }
  }
  return removed
}
