/** Stores uploads in the database in chunks, where every server can read them. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { assert } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type {
  StagedFile,
  SweepOptions,
  SweptFiles,
  UploadStorage,
} from '../files/upload-storage-types.ts'
import { POSTGRES_PREFIX } from '../database/transient-errors.ts'
import { StoreBusy } from '../database/store-busy-error.ts'
import { toStoreError } from './connection.ts'
import { normaliseErrorCode } from './error-explanations.ts'
import type { HostPool } from './host-pool.ts'

// The server never holds a whole file in memory. It transfers files on the main thread, but does not block that thread,
// and does not use the connections for write operations.

/** The size of a chunk. A file of five megabytes has twenty chunks. */
const CHUNK_BYTES = 256 * 1024

/** True if neither a registration nor an unsubmitted form refers to the file. */
const NOT_REFERENCED_CONDITION = `NOT EXISTS (SELECT 1 FROM uploads u WHERE u.sha256 = f.sha256 AND u.dropped_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM draft_proofs d WHERE d.sha256 = f.sha256)`

export function openDatabaseUploads(pool: HostPool): UploadStorage {
  return {
    location: 'the database (proof_files.aside_at)',
    storeFile: (file, at) => storeFile(pool, file, at),
    async protectFile(sha256, at) {
      const { rowCount } = await convertStoreErrors(
        pool.query(
          'UPDATE proof_files SET kept_at = greatest(kept_at, $2), aside_at = NULL WHERE sha256 = $1',
          [sha256, at],
        ),
      )
      return rowCount === 1
    },
    async read(sha256) {
      const { rows } = await convertStoreErrors(
        pool.query<{ bytes: string }>('SELECT bytes FROM proof_files WHERE sha256 = $1', [sha256]),
      )
      const [found] = rows
      if (found === undefined) return null
      const bytes = Number(found.bytes)
      return {
        bytes,
        content: Readable.from(readChunks(pool, sha256, bytes), { objectMode: false }),
      }
    },
    async listHashes() {
      const { rows } = await convertStoreErrors(
        pool.query<{ sha256: string }>('SELECT sha256 FROM proof_files'),
      )
      return rows.map(({ sha256 }) => sha256)
    },
    async removeFiles(sha256s) {
      const { rowCount } = await convertStoreErrors(
        pool.query(
          `DELETE FROM proof_files f WHERE sha256 = ANY ($1) AND ${NOT_REFERENCED_CONDITION}`,
          [sha256s],
        ),
      )
      return rowCount ?? 0
    },
    sweep: (options) => sweepUploads(pool, options),
    // Does nothing, because a file that was set aside can still be read and protected where it is.
    reclaim: async () => null,
    check: async () => null,
  }
}

/** True if a registration had the file. Unreferenced files for which this is true were deleted from registrations. */
const DROPPED_CONDITION = 'EXISTS (SELECT 1 FROM uploads u WHERE u.sha256 = f.sha256)'

async function sweepUploads(
  pool: HostPool,
  { at, keptBefore, deleteBefore, expected, findHoldReason }: SweepOptions,
): Promise<SweptFiles> {
  const count = async (text: string, ...values: readonly unknown[]): Promise<number> => {
    const { rows } = await convertStoreErrors(
      pool.query<{ n: string }>(`SELECT count(*) AS n ${text}`, [...values]),
    )
    return Number(rows[0]?.n ?? 0)
  }
  const change = async (text: string, ...values: readonly unknown[]): Promise<number> =>
    (await convertStoreErrors(pool.query(text, [...values]))).rowCount ?? 0
  // If a concurrent request uses the file, it renews the file's time, and PostgreSQL checks the changed row again.
  const droppedFilter = `proof_files f WHERE kept_at <= $1 AND ${NOT_REFERENCED_CONDITION} AND ${DROPPED_CONDITION}`
  let removed = await change(`DELETE FROM ${droppedFilter}`, keptBefore)
  await change(
    `UPDATE proof_files f SET aside_at = NULL WHERE aside_at IS NOT NULL AND NOT (${NOT_REFERENCED_CONDITION})`,
  )
  if (deleteBefore !== null)
    removed += await change(
      `DELETE FROM proof_files f WHERE aside_at <= $1 AND ${NOT_REFERENCED_CONDITION}`,
      deleteBefore,
    )
  const unknownFilter = `proof_files f WHERE kept_at <= $1 AND aside_at IS NULL AND ${NOT_REFERENCED_CONDITION} AND NOT ${DROPPED_CONDITION}`
  const unknownCount = await count(`FROM ${unknownFilter}`, keptBefore)
  const unexpected =
    expected.size === 0
      ? unknownCount
      : await count(`FROM ${unknownFilter} AND NOT sha256 = ANY ($2)`, keptBefore, [...expected])
  const heldReason = findHoldReason(unknownCount, unexpected, await count('FROM proof_files'))
  const setAside =
    unknownCount === 0 || heldReason !== null
      ? 0
      : await change(
          unknownFilter.replace(
            'proof_files f WHERE',
            'UPDATE proof_files f SET aside_at = $2 WHERE',
          ),
          keptBefore,
          at,
        )
  return {
    removed,
    setAside,
    held: heldReason,
    asideCount: await count('FROM proof_files WHERE aside_at IS NOT NULL'),
  }
}

/** Stores the whole file or nothing. If the same content is already stored, only renews its time. */
async function storeFile(pool: HostPool, file: StagedFile, at: Instant): Promise<void> {
  const { path, sha256, bytes } = file
  const client = await convertStoreErrors(pool.connect())
  let isComplete = false
  try {
    await convertStoreErrors(client.query('BEGIN'))
    const { rows } = await convertStoreErrors(
      client.query<{ isNew: boolean }>(
        `INSERT INTO proof_files AS f (sha256, bytes, kept_at) VALUES ($1, $2, $3)
         ON CONFLICT (sha256) DO UPDATE SET kept_at = greatest(f.kept_at, excluded.kept_at), aside_at = NULL RETURNING xmax = 0 AS "isNew"`,
        [sha256, bytes, at],
      ),
    )
    if (rows[0]?.isNew === true) {
      let chunkIndex = 0
      for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
        await convertStoreErrors(
          client.query('INSERT INTO proof_pieces (sha256, place, bytes) VALUES ($1, $2, $3)', [
            sha256,
            chunkIndex,
            chunk,
          ]),
        )
        chunkIndex += 1
      }
    }
    await convertStoreErrors(client.query('COMMIT'))
    isComplete = true
  } finally {
    // A connection cannot be reused in the middle of a transaction.
    client.release(!isComplete)
  }
}

/** Reads the chunks in order, each one only after the previous one has been consumed. */
async function* readChunks(pool: HostPool, sha256: string, bytes: number): AsyncGenerator<Buffer> {
  let bytesRead = 0
  for (let chunkIndex = 0; bytesRead < bytes; chunkIndex += 1) {
    const { rows } = await convertStoreErrors(
      pool.query<{ bytes: Buffer }>(
        'SELECT bytes FROM proof_pieces WHERE sha256 = $1 AND place = $2',
        [sha256, chunkIndex],
      ),
    )
    const [chunk] = rows
    assert(chunk !== undefined, 'a chunk of a file is missing from the database')
    bytesRead += chunk.bytes.length
    yield chunk.bytes
  }
}

/**
 * Converts errors from PostgreSQL and the network to StoreBusy, because nothing was stored and the request can be
 * retried.
 */
async function convertStoreErrors<T>(response: Promise<T>): Promise<T> {
  try {
    return await response
  } catch (error) {
    if (error instanceof StoreBusy) throw error
    const { code, message } = toStoreError(error, '')
    throw new StoreBusy(message, POSTGRES_PREFIX + normaliseErrorCode({ code, message }))
  }
}
