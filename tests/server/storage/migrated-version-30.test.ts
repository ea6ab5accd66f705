/** A database filled by version 30's own code keeps every row, even if the migration is killed. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { day, instant, memoize, toAmount } from '../../../engine/index.ts'
import type { Instant, RegNo } from '../../../engine/index.ts'
import { migrations } from '../../../server/storage/database/schema.ts'
import { moveToPostgres } from '../../../server/storage/database/move-database.ts'
import type { Store } from '../../../server/storage/index.ts'
import { openStore } from '../../../server/storage/open-store.ts'
import { migrateToEnd, killAt, readVersion } from '../../crash/migration/killed-migration.ts'
import type { StorageLocation } from '../../crash/migration/killed-migration.ts'
import { compareContents, readContents, readTotals } from '../../crash/migration/table-contents.ts'
import {
  buildSale,
  HOUR_MS,
  newEmail,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import { ALL_RUNS, registerThorough } from '../../runs.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

// tests/crash/migration/fill-old-database.ts fills the database. `npm run migrations` checks 50,000 registrations.

const ALL_STEPS = 30_000 + migrations.length
/** 20 unmatched bank payments get a new reason, and five references reported by delegates are normalised. */
const EXPECTED_DIFFERENCES = ['captures.why: 20', 'tellings.folded: 5']

const folder = mkdtempSync(join(tmpdir(), 'rollcall-version-30-'))
afterAll(() => rmSync(folder, { recursive: true }))
const unpackFixture = (name: string): Buffer =>
  brotliDecompressSync(
    readFileSync(join(import.meta.dirname, '../../crash/migration', `${name}.br`)),
  )
const getDatabase = ({ dataDir, url }: StorageLocation): string =>
  url ?? join(dataDir, 'rollcall.db')

/** Reads an original database. Each is read once, because the originals do not change. */
const readOriginal = memoize(async (database: string) => ({
  contents: await readContents(database),
  counted: (await readTotals(database)).counted,
}))

async function expectAdopted(original: StorageLocation, location: StorageLocation): Promise<void> {
  const originalState = await readOriginal(getDatabase(original))
  const after = await readContents(getDatabase(location))
  const { rows, differences } = compareContents(originalState.contents, after)
  expect(rows).toBeGreaterThan(2_000)
  expect(differences).toEqual(EXPECTED_DIFFERENCES)
  const { counted, stored } = await readTotals(getDatabase(location))
  expect(counted).toBe(stored)
  expect(counted).toBe(originalState.counted)
}

const EVENT = 'sample2026'
const START = instant(Date.UTC(2026, 1, 22))
const addHours = (count: number): Instant => instant(START + count * HOUR_MS)
const readInvoices = async (store: Store, regNos: readonly RegNo[]): Promise<readonly string[]> => {
  const documentLists = await Promise.all(regNos.map((regNo) => store.documents(regNo)))
  return documentLists.flatMap((documents) =>
    documents.filter(({ kind }) => kind === 'invoice').map(({ serial }) => serial),
  )
}

/** Registers and pays, pays pending orders, restores the backup, and runs the recovery. */
async function expectRecovered(
  open: () => Promise<Store>,
  backup: { readonly create: () => Promise<void>; readonly restore: () => Promise<void> },
  getCurrentDatabase: () => string,
): Promise<void> {
  const registerPaid = async (store: Store, name: string, at: Instant) => {
    const requestedFrom = { account: 'sample', merchantId: '100001' }
    const registration = { eventId: EVENT, at, gateway: 'airpay', merchantAccount: requestedFrom }
    const sample = await registerSample(store, registration)
    const reference = `${name} ${sample.regNo}`
    await store.applyPaymentEvent(
      sample.orderId,
      buildSale(reference, sampleQuote.total, at),
      newEmail,
    )
    return { ...sample, reference }
  }
  let store = await open()
  await registerPaid(store, 'BEFORE', addHours(1))
  await store.close()
  await backup.create()
  store = await open()
  const pending = await store.pendingPayments(addHours(2), 500)
  expect(pending.length).toBeGreaterThan(3)
  const latePayments = pending.map(({ orderId, amount, regNo }) => ({
    orderId,
    regNo,
    payment: buildSale(`LATE ${orderId}`, amount, addHours(3)),
  }))
  for (const { orderId, payment } of latePayments)
    await store.applyPaymentEvent(orderId, payment, newEmail)
  const lostPayments = []
  for (let n = 0; n < 12; n += 1) lostPayments.push(await registerPaid(store, 'LOST', addHours(4)))
  const invoicesBefore = await readInvoices(
    store,
    [...lostPayments, ...latePayments].map(({ regNo }) => regNo),
  )
  expect(invoicesBefore.length).toBeGreaterThan(12)
  await store.close()

  await backup.restore()
  store = await open()
  const recovery = { at: addHours(5), who: 'Meera', why: 'Restored.', taken: [] }
  await store.beginRecovery({ ...recovery, copyAt: addHours(2), servedAt: addHours(4) }, null)
  // The gateway is queried about pending orders, and its settlement lists the lost orders.
  for (const { orderId, payment } of latePayments)
    await store.applyPaymentEvent(orderId, payment, newEmail)
  const line = {
    is: 'sale' as const,
    amount: sampleQuote.total,
    fee: toAmount(0),
    tax: toAmount(0),
    net: sampleQuote.total,
    day: day('2026-02-23'),
    utr: 'UTRLOST',
    paidOn: null,
    nth: 1,
  }
  const lines = lostPayments.map(({ orderId, reference }, n) => ({
    ...line,
    line: n + 2,
    order: orderId,
    reference,
  }))
  const account = { source: 'airpay', account: 'sample' }
  const report = { ...account, eventId: EVENT, sha256: 'cd', who: 'Meera', at: addHours(6), lines }
  expect(await store.saveSettlement(report)).toMatchObject({ added: 12, toReview: 12 })
  const newRegNos = [
    await registerPaid(store, 'AFTER', addHours(7)),
    await registerPaid(store, 'AFTER', addHours(7)),
  ]
  expect(
    await store.endRecovery({ at: addHours(8), who: 'Meera', mails: 'discard' }),
  ).not.toBeNull()
  const invoicesAfter = await readInvoices(
    store,
    [...newRegNos, ...latePayments].map(({ regNo }) => regNo),
  )
  expect(invoicesAfter.length).toBeGreaterThan(2)
  await store.close()
  expect(invoicesAfter.filter((serial) => invoicesBefore.includes(serial))).toEqual([])
  const { columns = [], rows = [] } =
    (await readContents(getCurrentDatabase())).get('captures') ?? {}
  const recordedReferences = rows.map((row) => row[columns.indexOf('reference')])
  const expectedReferences = [
    ...lostPayments.map(({ reference }) => reference),
    ...latePayments.map(({ orderId }) => `LATE ${orderId}`),
  ]
  expect(expectedReferences.filter((reference) => !recordedReferences.includes(reference))).toEqual(
    [],
  )
}

let server: PostgresServer
beforeAll(async () => {
  if (hasPostgres) server = await startPostgres()
})
afterAll(() => (hasPostgres ? server.stop() : undefined))

describe('SQLite', () => {
  const original = { dataDir: join(folder, 'original'), url: null }
  /** A database that is migrated once, for all tests that start from a migrated database. */
  const migrated = { dataDir: join(folder, 'migrated'), url: null }
  const copy = (name: string, source = original): StorageLocation => {
    const dataDir = join(folder, name)
    cpSync(source.dataDir, dataDir, { recursive: true })
    return { dataDir, url: null }
  }
  beforeAll(async () => {
    mkdirSync(original.dataDir)
    writeFileSync(getDatabase(original), unpackFixture('version-30.db'))
    const { dataDir } = copy('migrated')
    await (await openStore({ dataDir, migrates: true })).close()
  })

  test('every row, number and total of version 30 stays', async () => {
    await expectAdopted(original, migrated)
  })

  test('a migration that is killed and continued produces the same rows', async () => {
    const location = copy('killed')
    for (const target of ALL_RUNS ? [30_031, ALL_STEPS] : [30_031]) await killAt(location, target)
    await migrateToEnd(location)
    await expectAdopted(original, location)
  })

  test('the recovery of a backup finds the payments of later registrations, and no number is used twice', async () => {
    const { dataDir } = copy('recovered', migrated)
    const backup = join(folder, 'backup')
    const file = join(dataDir, 'rollcall.db')
    await expectRecovered(
      () => openStore({ dataDir }),
      {
        create: async () => cpSync(file, backup),
        restore: async () => {
          rmSync(dataDir, { recursive: true })
          mkdirSync(dataDir)
          cpSync(backup, file)
        },
      },
      () => file,
    )
  })

  test.runIf(hasPostgres)(
    'moving a migrated database to PostgreSQL preserves its rows',
    async () => {
      const location = copy('moved', migrated)
      const url = await server.database('moved')
      expect(await moveToPostgres(location.dataDir, url)).toMatchObject({ ok: true })
      const contents = await readContents(getDatabase(location))
      expect(compareContents(contents, await readContents(url)).differences).toEqual([])
    },
  )
})

describe.runIf(hasPostgres)('PostgreSQL', () => {
  let original: StorageLocation
  let migrated: StorageLocation
  beforeAll(async () => {
    const url = await server.database('version_30')
    const shell = await server.shell(url)
    await shell.query(unpackFixture('version-30.sql').toString())
    await shell.end()
    original = { dataDir: join(folder, 'postgres'), url }
    mkdirSync(original.dataDir)
    migrated = await copy('migrated')
    const { dataDir } = migrated
    await (await openStore({ dataDir, databaseUrl: getDatabase(migrated), migrates: true })).close()
  })
  const copy = async (name: string, template = 'version_30'): Promise<StorageLocation> => ({
    dataDir: original.dataDir,
    url: await server.database(name, { template }),
  })

  test('every row, number and total of version 30 stays, and no table is unlogged', async () => {
    await expectAdopted(original, migrated)
    const shell = await server.shell(getDatabase(migrated))
    const unloggedTablesSql =
      "SELECT relname FROM pg_class WHERE relkind = 'r' AND relpersistence = 'u'"
    expect((await shell.query(unloggedTablesSql)).rows).toEqual([])
    await shell.end()
  })

  registerThorough(() => {
    test('a migration that is killed and continued several times produces the same rows', async () => {
      const location = await copy('killed')
      for (const target of [30_031, 30_040, ALL_STEPS]) await killAt(location, target)
      await migrateToEnd(location)
      expect(await readVersion(location)).toBe(migrations.length)
      await expectAdopted(original, location)
    })
  })

  test('the recovery of a backup finds the payments of later registrations, and no number is used twice', async () => {
    const { dataDir, url } = await copy('recovered', 'migrated')
    let currentUrl = url
    await expectRecovered(
      () => openStore({ dataDir, databaseUrl: currentUrl }),
      {
        create: async () => void (await server.database('backup', { template: 'recovered' })),
        restore: async () => {
          currentUrl = await server.database('restored', { template: 'backup' })
        },
      },
      () => currentUrl ?? '',
    )
  })
})
