/**
 * A filled database of version 30, as its code wrote it (tests/crash/adoption/fill-old-database.ts): every row stays as it
 * is, also if the migration is killed. `npm run adopt` does the same with 50,000 registrations.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { day, instant, paise } from '../../../engine/index.ts'
import type { Instant, RegNo } from '../../../engine/index.ts'
import { migrations } from '../../../server/storage/database/schema.ts'
import { moveToPostgres } from '../../../server/storage/database/move-database.ts'
import type { Store } from '../../../server/storage/index.ts'
import { openStore } from '../../../server/storage/open-store.ts'
import { adopt, killAt, readVersion } from '../../crash/adoption/killed-adoption.ts'
import type { Place } from '../../crash/adoption/killed-adoption.ts'
import { compareContents, readContents, readTotals } from '../../crash/adoption/table-contents.ts'
import {
  confirmedBy,
  hour,
  newEmail,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
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

const EVENT = 'sample2026'
const AT = instant(Date.UTC(2026, 1, 22))
const hours = (count: number): Instant => instant(AT + count * hour)
const invoicesOf = async (store: Store, regNos: readonly RegNo[]): Promise<readonly string[]> => {
  const all = await Promise.all(regNos.map((regNo) => store.documents(regNo)))
  return all.flatMap((documents) =>
    documents.filter(({ kind }) => kind === 'invoice').map(({ serial }) => serial),
  )
}

/** Sells some registrations, pays pending ones, puts the backup back, and goes through the recovery. */
async function expectRecovered(
  open: () => Promise<Store>,
  back: { readonly up: () => Promise<void>; readonly restore: () => Promise<void> },
  databaseNow: () => string,
): Promise<void> {
  const sell = async (store: Store, name: string, at: Instant) => {
    const askedOf = { account: 'sample', merchantId: '100001' }
    const registration = { eventId: EVENT, at, gateway: 'airpay', askedOf }
    const one = await registerSample(store, registration)
    const reference = `${name} ${one.regNo}`
    await store.applyPaymentEvent(
      one.orderId,
      confirmedBy(reference, sampleQuote.total, at),
      newEmail,
    )
    return { ...one, reference }
  }
  let store = await open()
  await sell(store, 'BEFORE', hours(1))
  await store.close()
  await back.up()
  store = await open()
  const pending = await store.pendingPayments(hours(2), 500)
  expect(pending.length).toBeGreaterThan(3)
  const late = pending.map(({ orderId, amount, regNo }) => ({
    orderId,
    regNo,
    payment: confirmedBy(`LATE ${orderId}`, amount, hours(3)),
  }))
  for (const { orderId, payment } of late) await store.applyPaymentEvent(orderId, payment, newEmail)
  const lost = []
  for (let n = 0; n < 12; n += 1) lost.push(await sell(store, 'LOST', hours(4)))
  const before = await invoicesOf(
    store,
    [...lost, ...late].map(({ regNo }) => regNo),
  )
  expect(before.length).toBeGreaterThan(12)
  await store.close()

  await back.restore()
  store = await open()
  const recovery = { at: hours(5), who: 'Meera', why: 'Restored.', taken: [] }
  await store.beginRecovery({ ...recovery, copyAt: hours(2), servedAt: hours(4) }, null)
  // The gateway is asked about what is pending, and its report names the orders that are lost.
  for (const { orderId, payment } of late) await store.applyPaymentEvent(orderId, payment, newEmail)
  const line = {
    is: 'sale' as const,
    amount: sampleQuote.total,
    fee: paise(0),
    tax: paise(0),
    net: sampleQuote.total,
    day: day('2026-02-23'),
    utr: 'UTRLOST',
    paidOn: null,
    nth: 1,
  }
  const lines = lost.map(({ orderId, reference }, n) => ({
    ...line,
    line: n + 2,
    order: orderId,
    reference,
  }))
  const account = { source: 'airpay', account: 'sample' }
  const report = { ...account, eventId: EVENT, sha256: 'cd', who: 'Meera', at: hours(6), lines }
  expect(await store.saveSettlement(report)).toMatchObject({ added: 12, toReview: 12 })
  const newer = [await sell(store, 'AFTER', hours(7)), await sell(store, 'AFTER', hours(7))]
  expect(await store.endRecovery({ at: hours(8), who: 'Meera', mails: 'discard' })).not.toBeNull()
  const after = await invoicesOf(
    store,
    [...newer, ...late].map(({ regNo }) => regNo),
  )
  expect(after.length).toBeGreaterThan(2)
  await store.close()
  expect(after.filter((serial) => before.includes(serial))).toEqual([])
  const { columns = [], rows = [] } = (await readContents(databaseNow())).get('captures') ?? {}
  const known = rows.map((row) => row[columns.indexOf('reference')])
  const came = [
    ...lost.map(({ reference }) => reference),
    ...late.map(({ orderId }) => `LATE ${orderId}`),
  ]
  expect(came.filter((reference) => !known.includes(reference))).toEqual([])
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

  test('a backup restored after further sales: its recovery knows every payment, and no number is used twice', async () => {
    const { dataDir } = copy('recovered')
    const backup = join(folder, 'backup')
    const file = join(dataDir, 'rollcall.db')
    await expectRecovered(
      () => openStore({ dataDir, migrates: true }),
      {
        up: async () => cpSync(file, backup),
        restore: async () => {
          rmSync(dataDir, { recursive: true })
          mkdirSync(dataDir)
          cpSync(backup, file)
        },
      },
      () => file,
    )
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

  test('a backup restored after further sales: its recovery knows every payment, and no number is used twice', async () => {
    const { dataDir, url } = await copy('recovered')
    let now = url
    await expectRecovered(
      () => openStore({ dataDir, databaseUrl: now, migrates: true }),
      {
        up: async () => void (await server.database('backup', { like: 'recovered' })),
        restore: async () => {
          now = await server.database('restored', { like: 'backup' })
        },
      },
      () => now ?? '',
    )
  })
})
