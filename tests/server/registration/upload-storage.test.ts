/** Runs the upload storage contract on disk, in PostgreSQL, and on an S3 server. */
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { prepareEmptying, openNewStore } from '../storage/postgres-contract.ts'
import type { StoreOnPostgres } from '../storage/postgres-contract.ts'
import { hasPostgres, startPostgres } from '../storage/postgres-server.ts'
import type { PostgresServer } from '../storage/postgres-server.ts'
import { startS3 } from './s3-server.ts'
import type { S3Server } from './s3-server.ts'
import { testUploadStorage } from './upload-storage.contract.ts'
import type { References } from './upload-storage.contract.ts'

describe('on disk', () => {
  testUploadStorage({
    prepare: async (dataDir) => ({
      bucket: null,
      proofs: null,
      setReferences: async () => {},
      location: join(dataDir, 'unknown-files'),
    }),
  })
})

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else
  describe('in PostgreSQL', () => {
    let server: PostgresServer
    let postgresStore: StoreOnPostgres
    let emptyDatabase: () => Promise<void>
    beforeAll(async () => {
      server = await startPostgres()
      postgresStore = await openNewStore(server, 'uploads')
      // These tests need only upload rows, so the rows have no registration.
      emptyDatabase = await prepareEmptying(postgresStore.shell)
    })
    afterAll(async () => {
      await postgresStore.end()
      await server.stop()
    })
    testUploadStorage({
      prepare: async () => {
        await emptyDatabase()
        await postgresStore.shell.query('DELETE FROM proof_pieces; DELETE FROM proof_files')
        return {
          bucket: null,
          proofs: postgresStore.store.proofs,
          setReferences: (references) => writeReferences(postgresStore.shell, references),
          location: 'the database (proof_files.aside_at)',
        }
      },
    })
  })

async function writeReferences(shell: pg.Client, references: References): Promise<void> {
  await shell.query('DELETE FROM uploads')
  const rows = [
    ...references.inUse.map((sha256) => [sha256, null] as const),
    ...references.dropped.map((sha256) => [sha256, 1] as const),
  ]
  for (const [index, [sha256, droppedAt]] of rows.entries())
    await shell.query(
      `INSERT INTO uploads (registration_id, field, sha256, name, type, bytes, dropped_at)
       VALUES ($1, 'proof', $2, 'proof.pdf', 'application/pdf', 1, $3)`,
      [index + 1, sha256, droppedAt],
    )
}

describe('on an S3 server', () => {
  let server: S3Server
  let storageCount = 0
  beforeAll(async () => {
    server = await startS3()
  })
  afterAll(() => server.stop())
  testUploadStorage({
    prepare: async () => {
      storageCount += 1
      const bucket = server.getBucket(`storage-${storageCount}`)
      return {
        bucket,
        proofs: null,
        setReferences: async () => {},
        location: `the bucket "${bucket.name}" (${bucket.prefix}) at ${new URL(bucket.url).host}, marked in ${bucket.prefix}aside/`,
      }
    },
  })
})
