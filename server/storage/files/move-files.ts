/** Moves uploads from disk into chunks in PostgreSQL and back, and verifies each against its hash. */
import { createHash } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { assert } from '../../../engine/index.ts'
import { reportEach } from '../../ops/progress.ts'
import { statement } from '../database/statements/statement.ts'
import type { PostgresConnection } from '../postgres/connection.ts'
import type { S3Bucket } from './s3-bucket.ts'
import { openS3Uploads } from './uploads-in-s3.ts'

/** The size of the chunks that the server stores. */
const CHUNK_BYTES = 256 * 1024
/** The number of bytes sent to PostgreSQL before waiting for results. */
const MAX_PENDING_BYTES = 4 * 1024 * 1024
const COPY_STEP = 'Copying files'
/** The name of the uploads folder in a data folder. */
const UPLOADS_FOLDER = 'uploads'

/** Tables that only PostgreSQL has. */
type FileTables = {
  proof_files: { sha256: string; bytes: number; kept_at: number }
  proof_pieces: { sha256: string; place: number; bytes: Buffer }
}
/** Selects the files of registrations and of drafts, except deleted ones. */
const filesInUse = statement((builder) =>
  builder
    .selectFrom('uploads')
    .select('sha256')
    .where('dropped_at', 'is', null)
    .union(builder.selectFrom('draft_proofs').select('sha256')),
)
const addFile = statement(
  (builder, { sha256, bytes, storedAt }: { sha256: string; bytes: number; storedAt: number }) =>
    builder
      .withTables<FileTables>()
      .insertInto('proof_files')
      .values({ sha256, bytes, kept_at: storedAt }),
)
const addChunk = statement((builder, { sha256, place, bytes }: FileTables['proof_pieces']) =>
  builder.withTables<FileTables>().insertInto('proof_pieces').values({ sha256, place, bytes }),
)
const selectChunk = statement((builder, { sha256, place }: { sha256: string; place: number }) =>
  builder
    .withTables<FileTables>()
    .selectFrom('proof_pieces')
    .select(({ fn, val }) => fn<string>('encode', ['bytes', val('base64')]).as('text'))
    .where('sha256', '=', sha256)
    .where('place', '=', place),
)

/** The number of referenced files, and the hashes of the missing or damaged ones. */
export type MovedFiles = { readonly files: number; readonly missing: readonly string[] }

const getFilePath = (dataDir: string, sha256: string): string =>
  join(dataDir, UPLOADS_FOLDER, sha256.slice(0, 2), sha256)

/** Copies the files into PostgreSQL. The rows must be copied first, because they list the files. */
export async function moveFilesIntoPostgres(
  { sql }: PostgresConnection,
  dataDir: string,
): Promise<MovedFiles> {
  const missingHashes: string[] = []
  let insertions: Promise<number>[] = []
  let bytes = 0
  const waitForInsertions = async (): Promise<void> => {
    const changeCounts = await Promise.all(insertions)
    assert(
      changeCounts.every((changes) => changes === 1),
      'a chunk of a file was not stored',
    )
    insertions = []
    bytes = 0
  }
  const files = await listFilesInUse(sql)
  for (const sha256 of reportEach(files, COPY_STEP)) {
    const file = openIfPresent(getFilePath(dataDir, sha256))
    const isIntact = file !== null && computeHash(file) === sha256
    if (file === null || !isIntact) missingHashes.push(sha256)
    else {
      const { size, mtimeMs } = fstatSync(file)
      addFile.run(sql, { sha256, bytes: size, storedAt: Math.floor(mtimeMs) })
      for (const [chunkIndex, chunk] of readChunks(file)) {
        insertions.push(addChunk.run(sql, { sha256, place: chunkIndex, bytes: chunk }).changes)
        bytes += chunk.length
        if (bytes >= MAX_PENDING_BYTES) await waitForInsertions()
      }
    }
    if (file !== null) closeSync(file)
  }
  await waitForInsertions()
  return { files: files.length - missingHashes.length, missing: missingHashes }
}

/** Checks the files in a bucket. They are not moved. Returns the number of stored files. */
export async function findFilesInBucket(
  { sql }: PostgresConnection,
  bucket: S3Bucket,
): Promise<MovedFiles> {
  const noReferences = { uploadsInUse: async () => [], uploadsDropped: async () => [] }
  const storedHashes = new Set(await openS3Uploads(bucket, noReferences).listHashes())
  const files = await listFilesInUse(sql)
  const missingHashes = files.filter((sha256) => !storedHashes.has(sha256))
  return { files: files.length - missingHashes.length, missing: missingHashes }
}

export async function moveFilesOutOfPostgres(
  { sql }: PostgresConnection,
  dataDir: string,
): Promise<MovedFiles> {
  const missingHashes: string[] = []
  const files = await listFilesInUse(sql)
  for (const sha256 of reportEach(files, COPY_STEP)) {
    const filePath = getFilePath(dataDir, sha256)
    mkdirSync(dirname(filePath), { recursive: true, mode: 0o700 })
    const partialPath = `${filePath}.part`
    const file = openSync(partialPath, 'w', 0o600)
    const hash = createHash('sha256')
    for (let chunkIndex = 0; ; chunkIndex += 1) {
      const row = await selectChunk.get(sql, { sha256, place: chunkIndex })
      if (row === undefined) break
      const chunk = Buffer.from(row.text, 'base64')
      hash.update(chunk)
      writeSync(file, chunk)
    }
    fsyncSync(file)
    closeSync(file)
    if (hash.digest('hex') === sha256) renameSync(partialPath, filePath)
    else {
      missingHashes.push(sha256)
      rmSync(partialPath)
    }
  }
  return { files: files.length - missingHashes.length, missing: missingHashes }
}

const listFilesInUse = async (sql: PostgresConnection['sql']): Promise<readonly string[]> =>
  (await filesInUse.all(sql)).map(({ sha256 }) => sha256)

function openIfPresent(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function computeHash(file: number): string {
  const hash = createHash('sha256')
  for (const [, chunk] of readChunks(file)) hash.update(chunk)
  return hash.digest('hex')
}

/** Reads the chunks in order, with their indexes. */
function* readChunks(file: number): Generator<readonly [number, Buffer]> {
  const { size } = fstatSync(file)
  for (let chunkIndex = 0; chunkIndex * CHUNK_BYTES < size; chunkIndex += 1) {
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - chunkIndex * CHUNK_BYTES))
    const bytes = readSync(file, chunk, 0, chunk.length, chunkIndex * CHUNK_BYTES)
    if (bytes === 0) return
    yield [chunkIndex, chunk.subarray(0, bytes)]
  }
}
