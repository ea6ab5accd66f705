/**
 * A filled database of version 30, as its code wrote it (tests/crash/adoption/fill-old-database.ts): every row stays as it
 * is, also if the migration is killed. `npm run adopt` does the same with 50,000 registrations.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrations } from '../../../server/storage/database/schema.ts'
import { moveToPostgres } from '../../../server/storage/database/move-database.ts'
import { openStore } from '../../../server/storage/open-store.ts'
import { adopt, killAt, readVersion } from '../../crash/adoption/killed-adoption.ts'
import type { Place } from '../../crash/adoption/killed-adoption.ts'
import { compareContents, readContents, readTotals } from '../../crash/adoption/table-contents.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

const ALL_STEPS = 30_000 + migrations.length
/** Five references that delegates reported are spelt as banks do. */
const DIFFERENCES = ['tellings.folded: 5']

const folder = mkdtempSync(join(tmpdir(), 'rollcall-version-30-'))
afterAll(() => rmSync(folder, { recursive: true }))
const unpacked = (name: string): Buffer =>
  brotliDecompressSync(
    readFileSync(join(import.meta.dirname, '../../crash/adoption', `${name}.br`)),
  )
const databaseOf = ({ dataDir, url }: Place): string => url ?? join(dataDir, 'rollcall.db')

async function expectAdopted(original: Place, place: Place): Promise<void> {
  const [before, after] = [
    await readContents(databaseOf(original)),
    await readContents(databaseOf(place)),
  ]
  const { rows, differences } = compareContents(before, after)
  expect(rows).toBeGreaterThan(2_000)
  expect(differences).toEqual(DIFFERENCES)
  const { counted, stored } = await readTotals(databaseOf(place))
  expect(counted).toBe(stored)
  expect(counted).toBe((await readTotals(databaseOf(original))).counted)
}

describe('SQLite', () => {
  const original = { dataDir: join(folder, 'original'), url: null }
  beforeAll(() => {
    mkdirSync(original.dataDir)
    writeFileSync(databaseOf(original), unpacked('version-30.db'))
  })
  const copy = (name: string): Place => {
    const dataDir = join(folder, name)
    cpSync(original.dataDir, dataDir, { recursive: true })
    return { dataDir, url: null }
  }

  test('every row, number and total of version 30 stays', async () => {
    const place = copy('sqlite')
    await (await openStore({ dataDir: place.dataDir, migrates: true })).close()
    await expectAdopted(original, place)
  })

  test('a migration that is killed leads to the same rows', async () => {
    const place = copy('killed')
    for (const target of [30_031, ALL_STEPS]) await killAt(place, target)
    await adopt(place)
    await expectAdopted(original, place)
  })

  test.runIf(hasPostgres)('a migrated database moves to PostgreSQL with equal rows', async () => {
    const place = copy('moved')
    await (await openStore({ dataDir: place.dataDir, migrates: true })).close()
    const server = await startPostgres()
    const url = await server.database('moved')
    expect(await moveToPostgres(place.dataDir, url)).toMatchObject({ ok: true })
    const contents = await readContents(databaseOf(place))
    expect(compareContents(contents, await readContents(url)).differences).toEqual([])
    await server.stop()
  })
})

describe.runIf(hasPostgres)('PostgreSQL', () => {
  let server: PostgresServer
  let original: Place
  beforeAll(async () => {
    server = await startPostgres()
    const url = await server.database('version_30')
    const shell = await server.shell(url)
    await shell.query(unpacked('version-30.sql').toString())
    await shell.end()
    original = { dataDir: join(folder, 'postgres'), url }
    mkdirSync(original.dataDir)
  })
  afterAll(() => server.stop())
  const copy = async (name: string): Promise<Place> => ({
    dataDir: original.dataDir,
    url: await server.database(name, { like: 'version_30' }),
  })

  test('every row, number and total of version 30 stays, and no table is unlogged', async () => {
    const place = await copy('adopted')
    const { dataDir, url } = place
    await (await openStore({ dataDir, databaseUrl: url, migrates: true })).close()
    await expectAdopted(original, place)
    const shell = await server.shell(databaseOf(place))
    const unlogged = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relpersistence = 'u'"
    expect((await shell.query(unlogged)).rows).toEqual([])
    await shell.end()
  })

  test('a migration that is killed several times leads to the same rows', async () => {
    const place = await copy('killed')
    for (const target of [30_031, 30_040, ALL_STEPS]) await killAt(place, target)
    await adopt(place)
    expect(await readVersion(place)).toBe(migrations.length)
    await expectAdopted(original, place)
  })
})
