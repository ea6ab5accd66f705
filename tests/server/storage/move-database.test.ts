/** Everything is moved from SQLite to PostgreSQL and back, and nothing is lost or changed on the way. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayOf } from '../../../engine/index.ts'
import type { Uploads } from '../../../server/dependencies.ts'
import {
  openUploads,
  uploadLocations,
} from '../../../server/registration/uploads/store-uploaded-files.ts'
import { inspectPostgres } from '../../../server/storage/postgres/inspect-database.ts'
import type { Store } from '../../../server/storage/index.ts'
import { hour, newRegistration, noon, registerSample } from '../sample-registrations.ts'
import { runHere } from '../run-command.ts'
import { foundBy, happen, registerNames, TERMS } from './payment-histories.ts'
import { startS3 } from '../registration/s3-server.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'
import { openStoreHere } from '../store-without-threads.ts'

/** Every row of every table, but of those that searching keeps. */
function allRows(dataDir: string): Record<string, readonly string[]> {
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

/** One of several pieces, and one that is empty but for a byte that text cannot hold. */
const FILES = { long: Buffer.alloc(700_000, 'Rollcall'), short: Buffer.from([0, 255]) }

async function filesOf(store: Store, uploads: Uploads): Promise<readonly Buffer[]> {
  const found: Buffer[] = []
  for (const field of Object.keys(FILES)) {
    const draft = await store.draftUpload(`token of ${field}`)
    const kept = await uploads.read(draft?.sha256 ?? '')
    if (kept === null) throw new Error(`${field} is not there`)
    found.push(await buffer(kept.content))
  }
  return found
}

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let server: PostgresServer
  let filled: string
  const folders: string[] = []
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'rollcall-moving-'))
    folders.push(made)
    return made
  }
  const move = (way: string, dataDir: string, url: string) =>
    runHere(['db', 'move', way], { DATA_DIR: dataDir, DATABASE_URL: url })

  beforeAll(async () => {
    server = await startPostgres()
    filled = folder()
    const store = await openStoreHere({ dataDir: filled })
    await store.saveEventFile({
      hash: 'h',
      eventId: 'demo',
      text: 'as: it is\n',
      shared: '',
      at: noon,
      holdPlaceMs: hour,
      limits: [{ id: 'hall', max: 1_000, full: { message: 'Full' } }],
    })
    const uploads = openUploads({
      ...uploadLocations({ dataDir: filled }),
      store,
      clock: () => noon,
    })
    for (const [field, bytes] of Object.entries(FILES)) {
      const file = await uploads.receive(Readable.from([bytes]), bytes.length)
      if (!file.ok) throw new Error(file.error)
      await uploads.keep(file.value)
      const { sha256 } = file.value
      const proof = { eventId: 'demo', field, sha256, name: field, type: 'application/pdf' }
      await store.saveDraftUpload(`token of ${field}`, { ...proof, bytes: bytes.length, at: noon })
    }
    await happen(store, true)
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
    for (const one of folders) rmSync(one, { recursive: true })
  })

  test('moving to PostgreSQL and back keeps every row, list, search and sequence', async () => {
    const url = await server.database('moved')
    const { status, stdout, stderr } = await move('to-postgres', filled, url)
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('50 registrations and all that belongs to them')
    const [before, after] = [
      await openStoreHere({ dataDir: filled }),
      await openStoreHere({ dataDir: filled, databaseUrl: url }),
    ]
    for (const store of [before, after]) expect(await store.adminCount()).toBe(1)
    const page = (store: typeof before) => store.listPage({ eventId: 'demo', answers: {} }, 1, 100)
    expect(await page(after)).toEqual(await page(before))
    expect(await after.dashboardFigures('demo', dayOf(noon))).toEqual(
      await before.dashboardFigures('demo', dayOf(noon)),
    )
    expect(await foundBy(after, TERMS)).toEqual(await foundBy(before, TERMS))
    const moved = openUploads({
      ...uploadLocations({ dataDir: folder() }),
      store: after,
      clock: () => noon,
    })
    expect(await filesOf(after, moved)).toEqual(Object.values(FILES))
    await before.close()

    const back = folder()
    expect(await move('to-sqlite', back, url)).toMatchObject({ status: 0, stderr: '' })
    expect(allRows(back)).toEqual(allRows(filled))
    const there = await openStoreHere({ dataDir: back })
    const onDisk = openUploads({
      ...uploadLocations({ dataDir: back }),
      store: there,
      clock: () => noon,
    })
    expect(await filesOf(there, onDisk)).toEqual(Object.values(FILES))
    await there.close()

    const next = await after.register(newRegistration())
    expect(next.ok && next.value.id).toBeGreaterThan(50)
    await after.close()
    const again = await openStoreHere({ dataDir: back })
    expect((await again.register(newRegistration())).ok).toBe(true)
    await again.close()
  })

  test('a moved database has the indexes, keys and triggers of a new one, and statistics of its rows', async () => {
    const [moved, made] = [await server.database('loaded'), await server.database('made')]
    expect(await move('to-postgres', filled, moved)).toMatchObject({ status: 0, err: '' })
    await (await openStoreHere({ dataDir: folder(), databaseUrl: made })).close()
    const [loaded, fresh] = [await server.shell(moved), await server.shell(made)]
    for (const catalog of [
      "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
      "SELECT conrelid::regclass::text AS table, conname, convalidated, pg_get_constraintdef(oid) AS does FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2",
      'SELECT tgrelid::regclass::text AS table, tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2',
    ]) {
      const { rows } = await loaded.query(catalog)
      expect(rows.length).toBeGreaterThan(10)
      expect(rows).toEqual((await fresh.query(catalog)).rows)
    }
    const known = await loaded.query("SELECT 1 FROM pg_stats WHERE tablename = 'registrations'")
    expect(known.rows.length).toBeGreaterThan(0)
    await Promise.all([loaded.end(), fresh.end()])
  })

  test('with UPLOADS_URL the files stay in the bucket, also when the database moves back', async () => {
    const s3 = await startS3()
    try {
      const [from, back] = [folder(), folder()]
      cpSync(filled, from, { recursive: true })
      const bucket = s3.variables('moved')
      const url = await server.database('moved_with_bucket')
      const count = Object.keys(FILES).length
      const run = (direction: string, dataDir: string) =>
        runHere(['db', 'move', direction], { DATA_DIR: dataDir, DATABASE_URL: url, ...bucket })
      expect(
        await runHere(['db', 'move', 'files-to-s3'], { DATA_DIR: from, ...bucket }),
      ).toMatchObject({ status: 0, stderr: '' })
      const keys = s3.keys('moved')
      expect(keys).toHaveLength(count)
      for (const result of [await run('to-postgres', from), await run('to-sqlite', back)]) {
        expect([result.status, result.stderr]).toEqual([0, ''])
        expect(result.stdout).toContain(`The bucket has ${count} files.`)
      }
      const shell = await server.shell(url)
      expect((await shell.query('SELECT 1 FROM proof_files')).rows).toEqual([])
      await shell.end()
      expect(s3.keys('moved')).toEqual(keys)
      const store = await openStoreHere({ dataDir: back })
      const uploads = openUploads({
        ...uploadLocations({ dataDir: back, uploadsBucket: s3.bucket('moved') }),
        store,
        clock: () => noon,
      })
      expect(await filesOf(store, uploads)).toEqual(Object.values(FILES))
      await store.close()
    } finally {
      await s3.stop()
    }
  })

  test('names a damaged or missing file, and moves the rest', async () => {
    const damaged = folder()
    cpSync(filled, damaged, { recursive: true })
    const [first = '', second = ''] = Object.values(FILES).map((bytes) =>
      createHash('sha256').update(bytes).digest('hex'),
    )
    const place = (sha256: string): string => join(damaged, 'uploads', sha256.slice(0, 2), sha256)
    writeFileSync(place(first), 'something else')
    rmSync(place(second))
    const url = await server.database('damaged')
    const { status, stdout, stderr } = await move('to-postgres', damaged, url)
    expect([status, stdout]).toEqual([1, expect.stringContaining('and 0 files')])
    for (const sha256 of [first, second])
      expect(stderr).toContain(`The file ${sha256} is missing or damaged, so it was not moved.`)
    const looked = await inspectPostgres(url)
    expect([...(looked.missing ?? [])].toSorted()).toEqual([first, second].toSorted())
  })

  test('rejects a target database with rows, in both directions', async () => {
    const url = await server.database('filled')
    const store = await openStoreHere({ dataDir: filled, databaseUrl: url })
    await registerSample(store)
    await store.close()
    expect(await move('to-postgres', filled, url)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('The database in PostgreSQL is not empty'),
    })
    expect(await move('to-sqlite', filled, url)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('There is a database in'),
    })
  })

  test('detects a lost row before the commit, and leaves the target empty', async () => {
    const url = await server.database('lossy')
    await (await openStoreHere({ dataDir: filled, databaseUrl: url })).close()
    const shell = await server.shell(url)
    await shell.query(
      'CREATE RULE lossy AS ON INSERT TO payment_facts WHERE NEW.id = 1 DO INSTEAD NOTHING',
    )
    expect(await move('to-postgres', filled, url)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Rows or sums of payment_facts differ'),
    })
    expect((await shell.query('SELECT 1 FROM registrations')).rows).toEqual([])
    await shell.end()
    const part = folder()
    expect(await move('to-postgres', part, url)).toMatchObject({ status: 2 })
    expect(existsSync(join(part, 'rollcall.db'))).toBe(false)
  })
}
