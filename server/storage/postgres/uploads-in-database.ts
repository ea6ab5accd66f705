/**
 * Stores uploads in the database, in chunks, where every server can read them.
 * No file is ever in memory as a whole. Called by the main thread, which does not block, and independent of the
 * writers' turns.
 */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { assert } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type {
  KeptFile,
  ShelfSweep,
  SweptFiles,
  UploadStorage,
} from '../files/upload-storage-types.ts'
import { OF_POSTGRES } from '../database/transient-errors.ts'
import { StoreBusy } from '../database/store-busy-error.ts'
import { errorOf } from './connection.ts'
import { codeOf } from './error-explanations.ts'
import type { HostPool } from './host-pool.ts'

/** A file of five megabytes is twenty of them. */
const PIECE_BYTES = 256 * 1024

/** That no registration refers to it, and no form that waits to be sent. */
const NOT_IN_USE = `NOT EXISTS (SELECT 1 FROM uploads u WHERE u.sha256 = f.sha256 AND u.dropped_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM draft_proofs d WHERE d.sha256 = f.sha256)`

export function openProofs(pool: HostPool): UploadStorage {
  return {
    location: 'the database (proof_files.aside_at)',
    keep: (file, at) => keep(pool, file, at),
    async hold(sha256, at) {
      const { rowCount } = await asked(
        pool.query(
          'UPDATE proof_files SET kept_at = greatest(kept_at, $2), aside_at = NULL WHERE sha256 = $1',
          [sha256, at],
        ),
      )
      return rowCount === 1
    },
    async read(sha256) {
      const { rows } = await asked(
        pool.query<{ bytes: string }>('SELECT bytes FROM proof_files WHERE sha256 = $1', [sha256]),
      )
      const [found] = rows
      if (found === undefined) return null
      const bytes = Number(found.bytes)
      return { bytes, content: Readable.from(pieces(pool, sha256, bytes), { objectMode: false }) }
    },
    async hashes() {
      const { rows } = await asked(pool.query<{ sha256: string }>('SELECT sha256 FROM proof_files'))
      return rows.map(({ sha256 }) => sha256)
    },
    async forget(sha256s) {
      const { rowCount } = await asked(
        pool.query(`DELETE FROM proof_files f WHERE sha256 = ANY ($1) AND ${NOT_IN_USE}`, [
          sha256s,
        ]),
      )
      return rowCount ?? 0
    },
    sweep: (how) => sweep(pool, how),
    // A file that was set aside can still be read and protected, so nothing needs to be moved back.
    reclaim: async () => null,
    check: async () => null,
  }
}

/** That registrations have dropped it: the database knows it, and that it is not needed. */
const DROPPED = 'EXISTS (SELECT 1 FROM uploads u WHERE u.sha256 = f.sha256)'

async function sweep(
  pool: HostPool,
  { at, keptBefore, deleteBefore, expected, mayMove }: ShelfSweep,
): Promise<SweptFiles> {
  const count = async (text: string, ...values: readonly unknown[]): Promise<number> => {
    const { rows } = await asked(
      pool.query<{ n: string }>(`SELECT count(*) AS n ${text}`, [...values]),
    )
    return Number(rows[0]?.n ?? 0)
  }
  const change = async (text: string, ...values: readonly unknown[]): Promise<number> =>
    (await asked(pool.query(text, [...values]))).rowCount ?? 0
  // Whoever takes one again meanwhile makes it young, and a row that was changed is looked at again.
  const dropped = `proof_files f WHERE kept_at <= $1 AND ${NOT_IN_USE} AND ${DROPPED}`
  let removed = await change(`DELETE FROM ${dropped}`, keptBefore)
  await change(
    `UPDATE proof_files f SET aside_at = NULL WHERE aside_at IS NOT NULL AND NOT (${NOT_IN_USE})`,
  )
  if (deleteBefore !== null)
    removed += await change(
      `DELETE FROM proof_files f WHERE aside_at <= $1 AND ${NOT_IN_USE}`,
      deleteBefore,
    )
  const unknown = `proof_files f WHERE kept_at <= $1 AND aside_at IS NULL AND ${NOT_IN_USE} AND NOT ${DROPPED}`
  const found = await count(`FROM ${unknown}`, keptBefore)
  const unexpected =
    expected.size === 0
      ? found
      : await count(`FROM ${unknown} AND NOT sha256 = ANY ($2)`, keptBefore, [...expected])
  const held = mayMove(found, unexpected, await count('FROM proof_files'))
  const setAside =
    found === 0 || held !== null
      ? 0
      : await change(
          unknown.replace('proof_files f WHERE', 'UPDATE proof_files f SET aside_at = $2 WHERE'),
          keptBefore,
          at,
        )
  return {
    removed,
    setAside,
    held,
    aside: await count('FROM proof_files WHERE aside_at IS NOT NULL'),
  }
}

/** All of it or nothing; the same bytes twice are one file, and young again. */
async function keep(pool: HostPool, file: KeptFile, at: Instant): Promise<void> {
  const { path, sha256, bytes } = file
  const client = await asked(pool.connect())
  let isWhole = false
  try {
    await asked(client.query('BEGIN'))
    const { rows } = await asked(
      client.query<{ isNew: boolean }>(
        `INSERT INTO proof_files AS f (sha256, bytes, kept_at) VALUES ($1, $2, $3)
         ON CONFLICT (sha256) DO UPDATE SET kept_at = greatest(f.kept_at, excluded.kept_at), aside_at = NULL RETURNING xmax = 0 AS "isNew"`,
        [sha256, bytes, at],
      ),
    )
    if (rows[0]?.isNew === true) {
      let place = 0
      for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
        await asked(
          client.query('INSERT INTO proof_pieces (sha256, place, bytes) VALUES ($1, $2, $3)', [
            sha256,
            place,
            piece,
          ]),
        )
        place += 1
      }
    }
    await asked(client.query('COMMIT'))
    isWhole = true
  } finally {
    // A connection in the middle of something is nobody else's.
    client.release(!isWhole)
  }
}

/** One after the other, each asked for when the one before was taken. */
async function* pieces(pool: HostPool, sha256: string, bytes: number): AsyncGenerator<Buffer> {
  let read = 0
  for (let place = 0; read < bytes; place += 1) {
    const { rows } = await asked(
      pool.query<{ bytes: Buffer }>(
        'SELECT bytes FROM proof_pieces WHERE sha256 = $1 AND place = $2',
        [sha256, place],
      ),
    )
    const [piece] = rows
    assert(piece !== undefined, 'a file in the database has lost a piece')
    read += piece.bytes.length
    yield piece.bytes
  }
}

/** Whatever PostgreSQL or the network says: nothing was done that counts, and it may be tried again. */
async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof StoreBusy) throw error
    const { code, message } = errorOf(error, '')
    throw new StoreBusy(message, OF_POSTGRES + codeOf({ code, message }))
  }
}
