/** Opens the store on SQLite: the writer thread, the reader thread, and a connection of the main thread for what is found by a key. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openToRead, statements } from './database.ts'
import { reads } from './by-key.ts'
import type { listings } from './listings.ts'
import type { Seam } from './seam.ts'
import type { Store } from './store.ts'
import { startThread } from './thread.ts'
import type { Thread } from './thread.ts'
import type { WriterData } from './writer.ts'
import type { writes } from './writes.ts'

export const DATABASE_FILE = 'rollcall.db'
/** Requests that may wait for the writer: about a second of its work. */
const WAITING_MAX = 2_000
/** Rows per chunk of an export: some ten milliseconds of the reader. */
const CHUNK_ROWS = 500
/** A session's last use is written at most so often, and never coarser than a tenth of the idle time. */
const TOUCH_MS = 60_000

export type Inside = {
  readonly store: Store
  readonly writer: Thread<typeof writes>
  readonly reader: Thread<typeof listings>
}

export async function openStore(options: { readonly dataDir: string }): Promise<Store> {
  return (await openInside(options)).store
}

/** The store with its threads in reach, and the seam through which tests make it misbehave. */
export async function openInside({
  dataDir,
  seam = {},
}: {
  readonly dataDir: string
  readonly seam?: Seam
}): Promise<Inside> {
  mkdirSync(dataDir, { recursive: true })
  const file = join(dataDir, DATABASE_FILE)
  const data: WriterData = { file, seam }
  const { waitingMax = WAITING_MAX } = seam
  const [writing, reading] = await Promise.allSettled([
    startThread<typeof writes>({ file: new URL('./writer.ts', import.meta.url), data, waitingMax }),
    startThread<typeof listings>({
      file: new URL('./reader.ts', import.meta.url),
      data: { file },
      waitingMax,
    }),
  ])
  if (writing.status === 'rejected' || reading.status === 'rejected') {
    await Promise.all(
      [writing, reading].map((start) =>
        start.status === 'fulfilled' ? start.value.close() : null,
      ),
    )
    throw writing.status === 'rejected'
      ? writing.reason
      : new Error('the reader thread did not start', { cause: reading })
  }
  const writer = writing.value
  const reader = reading.value
  const db = openToRead(file)
  const read = reads(statements(db))
  const write = writer.call
  let closed: Promise<void> | null = null
  const closeAll = async (): Promise<void> => {
    await Promise.all([writer.close(), reader.close()])
    db.close()
  }

  const store: Store = {
    register: (registration) => write('register', registration),
    registeredUnder: async (eventId, key, at) => read.registeredUnder(eventId, key, at),
    retry: (regNo, at, askedOf) => write('retry', regNo, at, askedOf),
    registration: async (regNo) => read.registration(regNo),
    formerly: async (eventId, formerNo) => read.formerly(eventId, formerNo),
    registrationOf: async (orderId) => read.registrationOf(orderId),
    payment: async (orderId) => read.payment(orderId),

    recordNotice: (notice) => write('recordNotice', notice),
    notices: async (orderId) => read.notices(orderId),
    applyFact: (orderId, fact, mail, answer) => write('applyFact', orderId, fact, mail, answer),
    pendingPayments: async (dueBefore, limit, barred) =>
      read.pendingPayments(dueBefore, limit, barred),
    watchedPayments: async (dueBefore, limit, barred) =>
      read.watchedPayments(dueBefore, limit, barred),
    rearm: (orderId, at) => write('rearm', orderId, at),
    clockWentBack: (at) => write('clockWentBack', at),
    asked: (orderId, at, nextAt) => write('asked', orderId, at, nextAt),
    captures: async (regNo) => read.captures(regNo),
    facts: async (orderId) => read.facts(orderId),

    inReview: (eventId) => reader.call('inReview', eventId),
    listPage: (query, page, pageSize) => reader.call('listPage', query, page, pageSize),
    async *exportRows(query) {
      // The next chunk is asked for when the consumer comes back for it: that is the backpressure.
      let from: Parameters<typeof listings.exportChunk>[2] = null
      do {
        const chunk: ReturnType<typeof listings.exportChunk> = await reader.call(
          'exportChunk',
          query,
          from,
          CHUNK_ROWS,
        )
        if (chunk.rows.length > 0) yield chunk.rows
        from = chunk.next
      } while (from !== null)
    },
    figures: (eventId, today) => reader.call('figures', eventId, today),

    queueMail: (regNo, mail, at) => write('queueMail', regNo, mail, at),
    dueMails: async (at, limit) => read.dueMails(at, limit),
    mailSent: (id, at) => write('mailSent', id, at),
    mailFailed: (id, error, nextAt) => write('mailFailed', id, error, nextAt),
    mailsOf: async (regNo) => read.mailsOf(regNo),

    admin: async (username) => read.admin(username),
    adminCount: async () => read.adminCount(),
    addAdmin: (username, passwordHash, at) => write('addAdmin', username, passwordHash, at),
    setPassword: (username, passwordHash, at) => write('setPassword', username, passwordHash, at),
    openSession: (session) => write('openSession', session),
    async session(tokenHash, at, idleMs) {
      const session = read.session(tokenHash)
      if (session === null || at >= session.expiresAt || at - session.seenAt > idleMs) return null
      if (at - session.seenAt >= Math.min(TOUCH_MS, idleMs / 10))
        await write('touchSession', tokenHash, at)
      return { adminId: session.adminId, username: session.username }
    },
    closeSession: (tokenHash) => write('closeSession', tokenHash),

    audit: (entry) => write('audit', entry),
    auditOf: async (regNo) => read.auditOf(regNo),

    keepEventFile: (kept) => write('keepEventFile', kept),
    eventFile: async (hash) => read.eventFile(hash),
    lastEventFile: async (eventId) => read.lastEventFile(eventId),
    inUse: (eventId) => reader.call('inUse', eventId),

    importRegistrations: (rows) => write('importRegistrations', rows),
    uploadsInUse: async (sha256s) => read.uploadsInUse(sha256s),
    ping: (at) => write('ping', at),
    close: () => {
      closed ??= closeAll()
      return closed
    },
  }
  return { store, writer, reader }
}
