/** Moving a database from SQLite to PostgreSQL and back does not lose or change any data. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayOf } from '../../../engine/index.ts'
import { formatMove } from '../../../server/cli/database/move.ts'
import type { Uploads } from '../../../server/dependencies.ts'
import {
  openUploads,
  getUploadLocations,
} from '../../../server/registration/uploads/store-uploaded-files.ts'
import { inspectPostgres } from '../../../server/storage/postgres/inspect-database.ts'
import type { Store } from '../../../server/storage/index.ts'
import { HOUR_MS, buildRegistration, noon, registerSample } from '../sample-registrations.ts'
import { runHere } from '../run-command.ts'
import { searchEach, createPaymentHistories, registerNames, TERMS } from './payment-histories.ts'
import { startS3 } from '../registration/s3-server.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'
import { openStoreInProcess } from '../store-without-threads.ts'

/** Returns every row of every table except the search tables. */
function readAllRows(dataDir: string): Record<string, readonly string[]> {
  const db = new Database(join(dataDir, 'rollcall.db'), { readonly: true })
  const names = db
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_%'",
    )
    .all()
  const rows = names.map(({ name }): [string, string[]] => [
    name,
    db
      .prepare(`SELECT * FROM ${name}`)
      .all()
      .map((row) => JSON.stringify(row))
      .toSorted(),
  ])
  db.close()
  return Object.fromEntries(rows)
}

/** A file of several chunks, and a file with a single zero byte. */
const FILES = { long: Buffer.alloc(700_000, 'Rollcall'), short: Buffer.from([0, 255]) }

const computeHash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const FILE_HASHES = Object.values(FILES).map(computeHash)

/** Returns the hashes of the files, because comparing their bytes with `toEqual` takes seconds. */
async function readFileHashes(store: Store, uploads: Uploads): Promise<readonly string[]> {
  const hashes: string[] = []
  for (const field of Object.keys(FILES)) {
    const draft = await store.draftUpload(`token of ${field}`)
    const content = await uploads.read(draft?.sha256 ?? '')
    if (content === null) throw new Error(`${field} was not found`)
    hashes.push(computeHash(await buffer(content.content)))
  }
  return hashes
}

test('a move states the number of moved files and registrations in the singular for one', () => {
  const counts = { registrations: 1, rows: 344, tables: 61, files: 1 }
  expect(formatMove(counts, false)).toBe(
    '1 registration with all its data (344 rows of 61 tables and 1 file) was copied and compared.',
  )
  expect(formatMove({ ...counts, registrations: 2, files: 2 }, false)).toBe(
    '2 registrations with all their data (344 rows of 61 tables and 2 files) were copied and compared.',
  )
  expect(formatMove(counts, true)).toMatch(/tables\) was copied .*\. The bucket has 1 file\.$/)
})

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let server: PostgresServer
  let filledFolder: string
  const folders: string[] = []
  const createFolder = (): string => {
    const createdFolder = mkdtempSync(join(tmpdir(), 'rollcall-moving-'))
    folders.push(createdFolder)
    return createdFolder
  }
  const move = (direction: string, dataDir: string, url: string) =>
    runHere(['db', 'move', direction], { DATA_DIR: dataDir, DATABASE_URL: url })

  beforeAll(async () => {
    server = await startPostgres()
    filledFolder = createFolder()
    const store = await openStoreInProcess({ dataDir: filledFolder })
    await store.saveEventFile({
      hash: 'h',
      eventId: 'demo',
      text: 'as: it is\n',
      shared: '',
      at: noon,
      holdPlaceMs: HOUR_MS,
      limits: [{ id: 'hall', max: 1_000, full: { message: 'Full' } }],
    })
    const uploads = openUploads({
      ...getUploadLocations({ dataDir: filledFolder }),
      store,
      clock: () => noon,
    })
    for (const [field, bytes] of Object.entries(FILES)) {
      const file = await uploads.receive(Readable.from([bytes]), bytes.length)
      if (!file.ok) throw new Error(file.error)
      await uploads.storeFile(file.value)
      const { sha256 } = file.value
      const proof = { eventId: 'demo', field, sha256, name: field, type: 'application/pdf' }
      await store.saveDraftUpload(`token of ${field}`, { ...proof, bytes: bytes.length, at: noon })
    }
    await createPaymentHistories(store, true)
    await registerNames(store)
    await store.addAdmin('Office', 'hash', noon)
    const { orderId } = await registerSample(store)
    await store.recordGatewayMessage({
      gateway: 'demo',
      kind: 'notice',
      orderId,
      body: 'A=\u0000\\x41',
      contentType: 'text/plain',
      at: noon,
    })
    await store.close()
  })
  afterAll(async () => {
    await server.stop()
    for (const folderPath of folders) rmSync(folderPath, { recursive: true })
  })

  test('moving to PostgreSQL and back preserves every row, list, search and sequence', async () => {
    const url = await server.database('moved')
    const { status, stdout, stderr } = await move('to-postgres', filledFolder, url)
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('50 registrations with all their data')
    const [storeBefore, storeAfter] = [
      await openStoreInProcess({ dataDir: filledFolder }),
      await openStoreInProcess({ dataDir: filledFolder, databaseUrl: url }),
    ]
    for (const store of [storeBefore, storeAfter]) expect(await store.adminCount()).toBe(1)
    const readPage = (store: typeof storeBefore) =>
      store.listPage({ eventId: 'demo', answers: {} }, 1, 100)
    expect(await readPage(storeAfter)).toEqual(await readPage(storeBefore))
    expect(await storeAfter.dashboardFigures('demo', dayOf(noon))).toEqual(
      await storeBefore.dashboardFigures('demo', dayOf(noon)),
    )
    expect(await searchEach(storeAfter, TERMS)).toEqual(await searchEach(storeBefore, TERMS))
    const movedUploads = openUploads({
      ...getUploadLocations({ dataDir: createFolder() }),
      store: storeAfter,
      clock: () => noon,
    })
    expect(await readFileHashes(storeAfter, movedUploads)).toEqual(FILE_HASHES)
    await storeBefore.close()

    const returnedFolder = createFolder()
    expect(await move('to-sqlite', returnedFolder, url)).toMatchObject({ status: 0, stderr: '' })
    expect(readAllRows(returnedFolder)).toEqual(readAllRows(filledFolder))
    const returnedStore = await openStoreInProcess({ dataDir: returnedFolder })
    const uploadsOnDisk = openUploads({
      ...getUploadLocations({ dataDir: returnedFolder }),
      store: returnedStore,
      clock: () => noon,
    })
    expect(await readFileHashes(returnedStore, uploadsOnDisk)).toEqual(FILE_HASHES)
    await returnedStore.close()

    const nextRegistration = await storeAfter.register(buildRegistration())
    expect(nextRegistration.ok && nextRegistration.value.id).toBeGreaterThan(50)
    await storeAfter.close()
    const reopened = await openStoreInProcess({ dataDir: returnedFolder })
    expect((await reopened.register(buildRegistration())).ok).toBe(true)
    await reopened.close()
  })

  test('a moved database has the same indexes, keys and triggers as a new one, and statistics for its rows', async () => {
    const [movedUrl, newUrl] = [await server.database('loaded'), await server.database('made')]
    expect(await move('to-postgres', filledFolder, movedUrl)).toMatchObject({
      status: 0,
      stderr: '',
    })
    await (await openStoreInProcess({ dataDir: createFolder(), databaseUrl: newUrl })).close()
    const [movedShell, newShell] = [await server.shell(movedUrl), await server.shell(newUrl)]
    for (const catalog of [
      "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
      "SELECT conrelid::regclass::text AS table, conname, convalidated, pg_get_constraintdef(oid) AS does FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2",
      'SELECT tgrelid::regclass::text AS table, tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2',
    ]) {
      const { rows } = await movedShell.query(catalog)
      expect(rows.length).toBeGreaterThan(10)
      expect(rows).toEqual((await newShell.query(catalog)).rows)
    }
    const statistics = await movedShell.query(
      "SELECT 1 FROM pg_stats WHERE tablename = 'registrations'",
    )
    expect(statistics.rows.length).toBeGreaterThan(0)
    await Promise.all([movedShell.end(), newShell.end()])
  })

  test('with UPLOADS_URL the files stay in the bucket, even when the database moves back', async () => {
    const s3 = await startS3()
    try {
      const [sourceFolder, returnedFolder] = [createFolder(), createFolder()]
      cpSync(filledFolder, sourceFolder, { recursive: true })
      const bucketVariables = s3.getVariables('moved')
      const url = await server.database('moved_with_bucket')
      const fileCount = Object.keys(FILES).length
      const moveWithBucket = (direction: string, dataDir: string) =>
        runHere(['db', 'move', direction], {
          DATA_DIR: dataDir,
          DATABASE_URL: url,
          ...bucketVariables,
        })
      expect(
        await runHere(['db', 'move', 'files-to-s3'], {
          DATA_DIR: sourceFolder,
          ...bucketVariables,
        }),
      ).toMatchObject({ status: 0, stderr: '' })
      const keys = s3.listKeys('moved')
      expect(keys).toHaveLength(fileCount)
      for (const result of [
        await moveWithBucket('to-postgres', sourceFolder),
        await moveWithBucket('to-sqlite', returnedFolder),
      ]) {
        expect([result.status, result.stderr]).toEqual([0, ''])
        expect(result.stdout).toContain(`The bucket has ${fileCount} files.`)
      }
      const shell = await server.shell(url)
      expect((await shell.query('SELECT 1 FROM proof_files')).rows).toEqual([])
      await shell.end()
      expect(s3.listKeys('moved')).toEqual(keys)
      const store = await openStoreInProcess({ dataDir: returnedFolder })
      const uploads = openUploads({
        ...getUploadLocations({ dataDir: returnedFolder, uploadsBucket: s3.getBucket('moved') }),
        store,
        clock: () => noon,
      })
      expect(await readFileHashes(store, uploads)).toEqual(FILE_HASHES)
      await store.close()
    } finally {
      await s3.stop()
    }
  })

  test('reports a damaged or missing file, and moves the rest', async () => {
    const damagedFolder = createFolder()
    cpSync(filledFolder, damagedFolder, { recursive: true })
    const [damagedHash = '', missingHash = ''] = FILE_HASHES
    const buildFilePath = (sha256: string): string =>
      join(damagedFolder, 'uploads', sha256.slice(0, 2), sha256)
    writeFileSync(buildFilePath(damagedHash), 'something else')
    rmSync(buildFilePath(missingHash))
    const url = await server.database('damaged')
    const { status, stdout, stderr } = await move('to-postgres', damagedFolder, url)
    expect([status, stdout]).toEqual([1, expect.stringContaining('and 0 files')])
    for (const sha256 of [damagedHash, missingHash])
      expect(stderr).toContain(`The file ${sha256} is missing or damaged, so it was not copied.`)
    const postgresState = await inspectPostgres(url)
    expect([...(postgresState.missing ?? [])].toSorted()).toEqual(
      [damagedHash, missingHash].toSorted(),
    )
  })

  test('rejects a target database that already has rows, in both directions', async () => {
    const url = await server.database('filled')
    const store = await openStoreInProcess({ dataDir: filledFolder, databaseUrl: url })
    await registerSample(store)
    await store.close()
    expect(await move('to-postgres', filledFolder, url)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('The PostgreSQL database is not empty'),
    })
    expect(await move('to-sqlite', filledFolder, url)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('already contains a database'),
    })
  })

  test('detects a lost row before it commits, and leaves the target empty', async () => {
    const url = await server.database('lossy')
    await (await openStoreInProcess({ dataDir: filledFolder, databaseUrl: url })).close()
    const shell = await server.shell(url)
    await shell.query(
      'CREATE RULE lossy AS ON INSERT TO payment_facts WHERE NEW.id = 1 DO INSTEAD NOTHING',
    )
    expect(await move('to-postgres', filledFolder, url)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Rows or sums of payment_facts differ'),
    })
    expect((await shell.query('SELECT 1 FROM registrations')).rows).toEqual([])
    await shell.end()
    const incompleteFolder = createFolder()
    expect(await move('to-postgres', incompleteFolder, url)).toMatchObject({ status: 2 })
    expect(existsSync(join(incompleteFolder, 'rollcall.db'))).toBe(false)
  })
}
