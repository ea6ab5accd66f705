/** Risks that are specific to the SQLite store: pragmas, triggers, threads and the search index. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dayOf } from '../../../engine/index.ts'
import {
  DATABASE_FILE,
  openToRead,
  openToWrite,
} from '../../../server/storage/database/sqlite-connection.ts'
import { MAX_COUNTED } from '../../../server/storage/lists/list-and-search-registrations.ts'
import { openSqliteStore, openStore } from '../../../server/storage/open-store.ts'
import type { OpenedStore } from '../../../server/storage/open-store.ts'
import { StoreBusy } from '../../../server/storage/index.ts'
import {
  buildSale,
  readStored,
  HOUR_MS,
  newEmail,
  buildRegistration,
  noon,
  registerSample,
} from '../sample-registrations.ts'
import { useEmptyDatabase } from '../prepared-files.ts'
import { CARELESS_CHANGES } from './manual-changes.ts'
import {
  SUM_COUNTERS_SQL,
  COUNT_ROWS_SQL,
  searchEach,
  createPaymentHistories,
  NAMES,
  registerNames,
  TERMS,
} from './payment-histories.ts'

/** A change that only SQLite rejects. */
const REPLACED_NOTICE: (typeof CARELESS_CHANGES)[number] = [
  'a notice replaced',
  'INSERT OR REPLACE INTO gateway_notices SELECT * FROM gateway_notices',
  'append-only',
]
const createFolder = (): string => mkdtempSync(join(tmpdir(), 'rollcall-store-'))

describe('the SQLite tables', () => {
  let dataDir: string
  /** A connection without foreign-key checks, such as a careless user's shell. The triggers must reject its changes. */
  let shell: Database.Database
  beforeAll(async () => {
    dataDir = createFolder()
    const store = await openStore({ dataDir })
    const { orderId } = await registerSample(store)
    await store.recordGatewayMessage({
      gateway: 'demo',
      kind: 'notice',
      orderId,
      body: 'A=1',
      contentType: 'text/plain',
      at: noon,
    })
    await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)
    await store.close()
    shell = new Database(join(dataDir, DATABASE_FILE))
    shell.pragma('recursive_triggers = ON')
    shell.pragma('foreign_keys = OFF')
  })
  afterAll(() => {
    shell.close()
    rmSync(dataDir, { recursive: true })
  })

  test.each([...CARELESS_CHANGES, REPLACED_NOTICE])(
    'reject a manual change from every client: %s',
    (_, sql, message) => {
      // If a change is wrongly accepted, it is rolled back before the next test.
      shell.exec('BEGIN')
      try {
        expect(() => shell.exec(sql)).toThrow(message)
      } finally {
        if (shell.inTransaction) shell.exec('ROLLBACK')
      }
    },
  )
})

describe('SQLite', () => {
  let dataDir: string
  let openedStore: OpenedStore
  /** A second connection, like a careless person's shell. */
  let shell: Database.Database
  beforeEach(async () => {
    dataDir = createFolder()
    await useEmptyDatabase(dataDir)
    openedStore = await openSqliteStore({ dataDir })
    shell = new Database(join(dataDir, DATABASE_FILE))
  })
  afterEach(async () => {
    shell.close()
    await openedStore.store.close()
    rmSync(dataDir, { recursive: true })
  })

  test('a write connection uses WAL, synchronous FULL and foreign keys; a read connection cannot write', () => {
    const writer = openToWrite(join(dataDir, DATABASE_FILE))
    const readPragma = (name: string): unknown => writer.pragma(name, { simple: true })
    expect([
      readPragma('journal_mode'),
      readPragma('synchronous'),
      readPragma('foreign_keys'),
      readPragma('busy_timeout'),
    ]).toEqual(['wal', 2, 1, 5000])
    writer.close()
    const reader = openToRead(join(dataDir, DATABASE_FILE))
    expect(() => reader.exec('DELETE FROM admins')).toThrow(/readonly/)
    reader.close()
  })

  test('after a clean shutdown, the database file alone contains all registrations', async () => {
    // No second connection uses this folder: it would checkpoint the log when it closes.
    const cleanFolder = createFolder()
    const store = await openStore({ dataDir: cleanFolder })
    const { regNo } = await registerSample(store)
    // A connection counts as a reader after its first read.
    expect(await store.registration(regNo)).not.toBeNull()
    await store.close()
    const file = join(cleanFolder, 'copy.db')
    copyFileSync(join(cleanFolder, DATABASE_FILE), file)
    const copy = new Database(file)
    const countRows = () => copy.prepare('SELECT count(*) AS n FROM registrations').get()
    expect(countRows).not.toThrow()
    expect(countRows()).toEqual({ n: 1 })
    copy.close()
    rmSync(cleanFolder, { recursive: true })
  })

  test('the writer thread’s connection also uses synchronous FULL', async () => {
    expect(await openedStore.writer.call('pragmas')).toEqual({
      journalMode: 'wal',
      synchronous: 2,
      foreignKeys: 1,
    })
  })

  test('an unpaid registration can be deleted with its rows, and is no longer counted', async () => {
    const { regNo } = await registerSample(openedStore.store)
    shell.exec('DELETE FROM payments; DELETE FROM registered_persons; DELETE FROM registrations')
    expect(await openedStore.store.registration(regNo)).toBeNull()
    expect((await openedStore.store.dashboardFigures('demo', dayOf(noon))).total).toBe(0)
  })

  test('the counters equal the number of rows after every kind of payment event', async () => {
    const { store } = openedStore
    await createPaymentHistories(store, true)
    const countedRows = shell.prepare(COUNT_ROWS_SQL).all()
    expect(shell.prepare(SUM_COUNTERS_SQL).all()).toEqual(countedRows)
    expect(countedRows.length).toBeGreaterThan(10)
    const paidAmount = shell
      .prepare("SELECT sum(amount) FROM payments WHERE status = 'success'")
      .pluck()
      .get()
    expect((await store.dashboardFigures('demo', dayOf(noon))).revenue).toBe(paidAmount)
    expect(shell.prepare('SELECT sum(booked) FROM counters').pluck().get()).toBe(paidAmount)
    expect(shell.prepare('SELECT sum(booked) FROM registrations').pluck().get()).toBe(paidAmount)
    const amountDue = shell
      .prepare(
        "SELECT sum(total) FROM registrations WHERE payment_status IN ('pending', 'failed') AND state <> 'lapsed'",
      )
      .pluck()
    expect(shell.prepare('SELECT sum(owed) FROM counters').pluck().get()).toBe(amountDue.get())
  })

  test('a search returns the same rows before and after they are indexed', async () => {
    const { store } = openedStore
    // The index is emptied after the registrations are stored, so the first search must scan the rows.
    const regNos = await registerNames(store)
    await waitForIndex()
    shell.exec('DELETE FROM search_index; UPDATE search_progress SET last_id = 0')
    const searchAll = (): Promise<unknown> => searchEach(store, [...TERMS, regNos[0] ?? ''])
    const scanResults = await searchAll()
    await store.ping(noon)
    await waitForIndex()
    expect(await searchAll()).toEqual(scanResults)
    expect(shell.prepare('SELECT last_id FROM search_progress').pluck().get()).toBe(NAMES.length)
  })

  test('a constantly busy store still indexes rows once many of them are waiting', async () => {
    shell
      .prepare(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 11000)
      INSERT INTO registrations (event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
      SELECT 'demo', 'hash', 'COPY' || n, 'Copied Demo', '', '', '', '{}', 'pending', n, '1970-01-01' FROM n`)
      .run()
    const lastId = shell.prepare('SELECT last_id FROM search_progress').pluck()
    const startedAt = performance.now()
    while (Number(lastId.get()) < 1000 && performance.now() - startedAt < 200_000)
      await openedStore.store.ping(noon)
    expect(lastId.get()).toBeGreaterThanOrEqual(1000)
  })

  /** Waits until the index has caught up. The writer starts indexing after a write. */
  async function waitForIndex(): Promise<void> {
    const indexLag = shell
      .prepare('SELECT (SELECT max(id) FROM registrations) - (SELECT last_id FROM search_progress)')
      .pluck()
    await expect.poll(() => indexLag.get(), { timeout: 200_000, interval: 5 }).toBe(0)
  }

  test('a search stops counting at the limit and reports that; a list without a search is counted exactly', async () => {
    const registration = buildRegistration()
    const insertCopies =
      shell.prepare(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
      INSERT INTO registrations (event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
      SELECT 'demo', 'hash', 'COPY' || n, 'Copied Demo', '', '', '', '{"state":"Goa"}', 'pending', n, '1970-01-01' FROM n`)
    insertCopies.run(MAX_COUNTED + 5)
    await openedStore.store.register(registration)
    const searchPage = await openedStore.store.listPage(
      { eventId: 'demo', answers: {}, search: 'copied' },
      2,
      50,
    )
    expect([searchPage.count, searchPage.isCountCapped, searchPage.rows.length]).toEqual([
      MAX_COUNTED,
      true,
      50,
    ])
    // Once all rows are indexed, only the rows on the page are read.
    await waitForIndex()
    const listCopies = (event: string, page: number) =>
      openedStore.store.listPage({ eventId: event, answers: {}, search: 'copied' }, page, 50)
    const indexedPage = await listCopies('demo', 2)
    expect(indexedPage).toEqual(searchPage)
    expect(indexedPage.rows.at(0)?.regNo).toBe(`COPY${MAX_COUNTED + 5 - 50}`)
    expect(await listCopies('other', 1)).toMatchObject({ count: 0, isCountCapped: false, rows: [] })
    const lastPage = await listCopies('demo', MAX_COUNTED / 50)
    expect(lastPage.rows.at(-1)?.regNo).toBe('COPY6')
    expect((await listCopies('demo', MAX_COUNTED / 50 + 1)).rows).toEqual([])
    const answerPage = await openedStore.store.listPage(
      { eventId: 'demo', answers: { state: 'Goa' } },
      2,
      50,
    )
    expect([answerPage.count, answerPage.isCountCapped]).toEqual([MAX_COUNTED, true])
    const plainPage = await openedStore.store.listPage({ eventId: 'demo', answers: {} }, 1, 50)
    expect([plainPage.count, plainPage.isCountCapped]).toEqual([MAX_COUNTED + 6, false])
  })

  test('a list page is read from the index alone', () => {
    const plan = shell
      .prepare(
        'EXPLAIN QUERY PLAN SELECT r.id, r.created_at FROM registrations r WHERE r.event_id = ? AND r.category = ? ORDER BY r.created_at DESC, r.id DESC LIMIT 50 OFFSET 100',
      )
      .all('demo', 'pg') as { detail: string }[]
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^SEARCH r USING COVERING INDEX/),
    ])
  })

  test('when the writer dies, calls in progress fail, and the next call succeeds', async () => {
    const { store, writer } = openedStore
    const registrations = Array.from({ length: 50 }, () => buildRegistration())
    const resultPromises = registrations.map((registration) =>
      store.register(registration).then(
        (result) => result.ok,
        (error: unknown) => error,
      ),
    )
    await writer.kill()
    const results = await Promise.all(resultPromises)
    expect(results.every((result) => result === true || result instanceof StoreBusy)).toBe(true)
    expect(results.some((result) => result instanceof StoreBusy)).toBe(true)
    await expect
      .poll(
        () =>
          store.ping(noon).then(
            () => 'served',
            () => 'busy',
          ),
        { timeout: 200_000, interval: 5 },
      )
      .toBe('served')
    const acknowledged = registrations.filter((_, index) => results[index] === true)
    expect(
      (await Promise.all(acknowledged.map(({ regNo }) => readStored(store, regNo)))).length,
    ).toBe(acknowledged.length)
  })

  test('a status response is stored together with its effect or not at all, even if the write fails', async () => {
    const { store } = openedStore
    const { orderId } = await registerSample(store)
    const gatewayResponse = {
      gateway: 'demo',
      body: '<R/>',
      contentType: 'text/xml',
      at: noon,
    } as const
    const confirmPayment = () =>
      store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail, gatewayResponse)
    // The last statement of the operation fails, after the response and the event have been written.
    shell.exec(
      "CREATE TRIGGER broken BEFORE INSERT ON mail_queue BEGIN SELECT RAISE(ABORT, 'broken'); END",
    )
    await expect(confirmPayment()).rejects.toThrow('broken')
    expect([await store.gatewayMessages(orderId), await store.paymentEvents(orderId)]).toEqual([
      [],
      [],
    ])
    expect((await readStored(store, orderId)).paymentStatus).toBe('pending')
    shell.exec('DROP TRIGGER broken')
    await confirmPayment()
    expect([
      (await store.gatewayMessages(orderId)).length,
      (await store.paymentEvents(orderId)).length,
    ]).toEqual([1, 1])
  })

  test('if the writer dies, each stored status response has its payment event', async () => {
    const { store, writer } = openedStore
    const orders = await Promise.all(Array.from({ length: 600 }, () => registerSample(store)))
    const paymentPromises = orders.map(({ orderId }, index) =>
      store.applyPaymentEvent(orderId, buildSale(`AP${index}`), null, {
        gateway: 'demo',
        body: '<R/>',
        contentType: 'text/xml',
        at: noon,
      }),
    )
    const allSettled = Promise.allSettled(paymentPromises)
    // There are several batches. The first is committed, and the others are in progress.
    await paymentPromises[0]
    await writer.kill()
    await allSettled
    const inconsistentRows = shell
      .prepare(
        "SELECT p.order_id FROM payments p WHERE (SELECT count(*) FROM gateway_notices n WHERE n.order_id = p.order_id AND n.kind = 'status') <> (SELECT count(*) FROM payment_facts f WHERE f.payment_id = p.id)",
      )
      .all()
    expect(inconsistentRows).toEqual([])
    expect(shell.prepare('SELECT count(*) FROM payment_facts').pluck().get()).toBeGreaterThan(0)
  })

  test('lists work again after the reader dies', async () => {
    const { store, reader } = openedStore
    // The reader thread starts when a list is first requested.
    await store.dashboardFigures('demo', dayOf(noon))
    await reader.kill()
    await expect
      .poll(
        () =>
          store.dashboardFigures('demo', dayOf(noon)).then(
            ({ total }) => total,
            () => 'busy',
          ),
        { timeout: 200_000, interval: 5 },
      )
      .toBe(0)
  })

  test(
    'when the disk is full, the batch is rejected and no confirmed data is lost',
    { tags: ['slow'] },
    async () => {
      const folder = createFolder()
      const fullDiskStore = await openSqliteStore({ dataDir: folder, faults: { maxPages: 300 } })
      const registrations = Array.from({ length: 200 }, () =>
        buildRegistration({ answers: { note: 'x'.repeat(20_000) } }),
      )
      const results = []
      // One after the other, so that some are stored before the disk is full.
      for (const registration of registrations)
        results.push(
          await fullDiskStore.store.register(registration).then(
            ({ ok }) => ok,
            (error: unknown) => error,
          ),
        )
      const storedCount = results.filter((result) => result === true).length
      expect(storedCount).toBeGreaterThan(5)
      expect(results.slice(storedCount).every((result) => result instanceof StoreBusy)).toBe(true)
      expect(results.length - storedCount).toBeGreaterThan(5)
      expect((await fullDiskStore.store.dashboardFigures('demo', dayOf(noon))).total).toBe(
        storedCount,
      )
      expect(
        (await readStored(fullDiskStore.store, registrations[0]?.regNo ?? '')).payments.length,
      ).toBe(1)
      await fullDiskStore.store.close()
      rmSync(folder, { recursive: true })
    },
  )

  test('when too many calls are waiting, the next call is rejected immediately', async () => {
    const limitedStore = await openSqliteStore({ dataDir, faults: { maxQueuedCalls: 3 } })
    const results = await Promise.all(
      Array.from({ length: 5 }, () =>
        limitedStore.store.ping(noon).then(
          () => 'served',
          (error: unknown) => error,
        ),
      ),
    )
    expect(results.slice(0, 3)).toEqual(['served', 'served', 'served'])
    expect(results.slice(3).every((result) => result instanceof StoreBusy)).toBe(true)
    await limitedStore.store.close()
  })

  test('two stores that write to one file wait for each other', async () => {
    const secondStore = await openStore({ dataDir })
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        (index % 2 === 0 ? openedStore.store : secondStore).register(buildRegistration()),
      ),
    )
    expect(results.every(({ ok }) => ok)).toBe(true)
    await secondStore.close()
    expect((await openedStore.store.dashboardFigures('demo', dayOf(noon))).total).toBe(60)
  })

  test('exactly one of 64 requests, split between two writers on one file, gets the last seat', async () => {
    const secondStore = await openStore({ dataDir })
    const limits = [{ id: 'hall', max: 1, full: { message: 'Full' } }]
    const file = {
      hash: 'h',
      eventId: 'demo',
      text: '',
      shared: '',
      at: noon,
      holdPlaceMs: HOUR_MS,
    }
    await openedStore.store.saveEventFile({ ...file, limits })
    const results = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        (index % 2 === 0 ? openedStore.store : secondStore).register(buildRegistration()),
      ),
    )
    expect(results.filter(({ ok }) => ok).length).toBe(1)
    expect(results.find(({ ok }) => !ok)).toEqual({
      ok: false,
      error: { code: 'full', place: 'hall' },
    })
    await secondStore.close()
    expect(await openedStore.store.listTakenSeats('demo')).toEqual([
      { quotaKey: 'hall', max: 1, taken: 1 },
    ])
  })

  test(
    'negative control: a store that responds before the commit loses the registration',
    { tags: ['slow'] },
    async () => {
      const folder = createFolder()
      const earlyRespondingStore = await openSqliteStore({
        dataDir: folder,
        faults: { respondBeforeCommitMs: 5_000 },
      })
      const registration = buildRegistration()
      expect(await earlyRespondingStore.store.register(registration)).toMatchObject({ ok: true })
      expect(await earlyRespondingStore.store.registration(registration.regNo)).toBeNull()
      await earlyRespondingStore.store.close()
      rmSync(folder, { recursive: true })
    },
  )
})
