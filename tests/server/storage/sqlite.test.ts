/** What only the SQLite store can get wrong: its pragmas, triggers, threads and search index. */
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
import { COUNT_MAX } from '../../../server/storage/lists/list-and-search-registrations.ts'
import { openInside, openStore } from '../../../server/storage/open-store.ts'
import type { OpenedStore } from '../../../server/storage/open-store.ts'
import { StoreBusy } from '../../../server/storage/index.ts'
import {
  confirmedBy,
  found,
  hour,
  newEmail,
  newRegistration,
  noon,
  registerSample,
} from '../sample-registrations.ts'
import { useEmptyDatabase } from '../prepared-files.ts'
import { CARELESS } from './manual-changes.ts'
import {
  BY_COUNTERS,
  BY_ROWS,
  foundBy,
  happen,
  NAMES,
  registerNames,
  TERMS,
} from './payment-histories.ts'

/** As only SQLite knows it. */
const REPLACED: (typeof CARELESS)[number] = [
  'a notice replaced',
  'INSERT OR REPLACE INTO gateway_notices SELECT * FROM gateway_notices',
  'append-only',
]
const folder = (): string => mkdtempSync(join(tmpdir(), 'rollcall-store-'))

describe('the tables themselves', () => {
  let dataDir: string
  /** As a careless person with a shell has it, without foreign keys, so that the trigger is what refuses. */
  let shell: Database.Database
  beforeAll(async () => {
    dataDir = folder()
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
    await store.applyPaymentEvent(orderId, confirmedBy('AP1'), newEmail)
    await store.close()
    shell = new Database(join(dataDir, DATABASE_FILE))
    shell.pragma('recursive_triggers = ON')
    shell.pragma('foreign_keys = OFF')
  })
  afterAll(() => {
    shell.close()
    rmSync(dataDir, { recursive: true })
  })

  test.each([...CARELESS, REPLACED])('reject %s from every client', (_, sql, message) => {
    // What is not refused is undone, so that the next one finds the rows.
    shell.exec('BEGIN')
    try {
      expect(() => shell.exec(sql)).toThrow(message)
    } finally {
      if (shell.inTransaction) shell.exec('ROLLBACK')
    }
  })
})

describe('SQLite', () => {
  let dataDir: string
  let inside: OpenedStore
  /** A connection beside the store, as a careless person with a shell has it. */
  let shell: Database.Database
  beforeEach(async () => {
    dataDir = folder()
    await useEmptyDatabase(dataDir)
    inside = await openInside({ dataDir })
    shell = new Database(join(dataDir, DATABASE_FILE))
  })
  afterEach(async () => {
    shell.close()
    await inside.store.close()
    rmSync(dataDir, { recursive: true })
  })

  test('a write connection is opened with WAL, FULL and foreign keys; a read connection cannot write', () => {
    const write = openToWrite(join(dataDir, DATABASE_FILE))
    const pragma = (name: string): unknown => write.pragma(name, { simple: true })
    expect([
      pragma('journal_mode'),
      pragma('synchronous'),
      pragma('foreign_keys'),
      pragma('busy_timeout'),
    ]).toEqual(['wal', 2, 1, 5000])
    write.close()
    const read = openToRead(join(dataDir, DATABASE_FILE))
    expect(() => read.exec('DELETE FROM admins')).toThrow(/readonly/)
    read.close()
  })

  test('after a clean shutdown, the one file contains all registrations', async () => {
    // Without the careless person: what that connection closes is copied by it.
    const alone = folder()
    const store = await openStore({ dataDir: alone })
    const { regNo } = await registerSample(store)
    // A connection is one that reads once it has read.
    expect(await store.registration(regNo)).not.toBeNull()
    await store.close()
    const file = join(alone, 'copy.db')
    copyFileSync(join(alone, DATABASE_FILE), file)
    const copy = new Database(file)
    const count = () => copy.prepare('SELECT count(*) AS n FROM registrations').get()
    expect(count).not.toThrow()
    expect(count()).toEqual({ n: 1 })
    copy.close()
    rmSync(alone, { recursive: true })
  })

  test('the connection of the writer thread uses FULL too', async () => {
    expect(await inside.writer.call('pragmas')).toEqual({
      journalMode: 'wal',
      synchronous: 2,
      foreignKeys: 1,
    })
  })

  test('an unpaid registration can be deleted with its rows, and is no longer counted', async () => {
    const { regNo } = await registerSample(inside.store)
    shell.exec('DELETE FROM payments; DELETE FROM registrations')
    expect(await inside.store.registration(regNo)).toBeNull()
    expect((await inside.store.dashboardFigures('demo', dayOf(noon))).total).toBe(0)
  })

  test('counters equal the counted rows after every kind of payment event', async () => {
    const { store } = inside
    await happen(store, true)
    const counted = shell.prepare(BY_ROWS).all()
    expect(shell.prepare(BY_COUNTERS).all()).toEqual(counted)
    expect(counted.length).toBeGreaterThan(10)
    const paid = shell
      .prepare("SELECT sum(amount) FROM payments WHERE status = 'success'")
      .pluck()
      .get()
    expect((await store.dashboardFigures('demo', dayOf(noon))).revenue).toBe(paid)
    expect(shell.prepare('SELECT sum(booked) FROM counters').pluck().get()).toBe(paid)
    expect(shell.prepare('SELECT sum(booked) FROM registrations').pluck().get()).toBe(paid)
    const owed = shell
      .prepare(
        "SELECT sum(total) FROM registrations WHERE payment_status IN ('pending', 'failed') AND state <> 'lapsed'",
      )
      .pluck()
    expect(shell.prepare('SELECT sum(owed) FROM counters').pluck().get()).toBe(owed.get())
  })

  test('a search finds the same rows before and after they are indexed', async () => {
    const { store } = inside
    // A lock from outside holds the indexing back, so that the scan has to find them.
    const numbers = await registerNames(store)
    await indexed()
    shell.exec('DELETE FROM search_index; UPDATE search_progress SET last_id = 0')
    const results = (): Promise<unknown> => foundBy(store, [...TERMS, numbers[0] ?? ''])
    const scanned = await results()
    await store.ping(noon)
    await indexed()
    expect(await results()).toEqual(scanned)
    expect(shell.prepare('SELECT last_id FROM search_progress').pluck().get()).toBe(NAMES.length)
  })

  test('a constantly busy store still indexes once many rows wait', async () => {
    shell
      .prepare(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 11000)
      INSERT INTO registrations (event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
      SELECT 'demo', 'hash', 'COPY' || n, 'Copied Demo', '', '', '', '{}', 'pending', n, '1970-01-01' FROM n`)
      .run()
    const lastId = shell.prepare('SELECT last_id FROM search_progress').pluck()
    const began = performance.now()
    while (Number(lastId.get()) < 1000 && performance.now() - began < 200_000)
      await inside.store.ping(noon)
    expect(lastId.get()).toBeGreaterThanOrEqual(1000)
  })

  /** Waits until the index has caught up; a write makes the writer look. */
  async function indexed(): Promise<void> {
    const behind = shell
      .prepare('SELECT (SELECT max(id) FROM registrations) - (SELECT last_id FROM search_progress)')
      .pluck()
    await expect.poll(() => behind.get(), { timeout: 200_000, interval: 5 }).toBe(0)
  }

  test('the count of a search stops at its limit and says so; the list is counted exactly', async () => {
    const one = newRegistration()
    const copy =
      shell.prepare(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
      INSERT INTO registrations (event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
      SELECT 'demo', 'hash', 'COPY' || n, 'Copied Demo', '', '', '', '{"state":"Goa"}', 'pending', n, '1970-01-01' FROM n`)
    copy.run(COUNT_MAX + 5)
    await inside.store.register(one)
    const search = await inside.store.listPage(
      { eventId: 'demo', answers: {}, search: 'copied' },
      2,
      50,
    )
    expect([search.count, search.countCapped, search.rows.length]).toEqual([COUNT_MAX, true, 50])
    const byAnswer = await inside.store.listPage(
      { eventId: 'demo', answers: { state: 'Goa' } },
      2,
      50,
    )
    expect([byAnswer.count, byAnswer.countCapped]).toEqual([COUNT_MAX, true])
    const plain = await inside.store.listPage({ eventId: 'demo', answers: {} }, 1, 50)
    expect([plain.count, plain.countCapped]).toEqual([COUNT_MAX + 6, false])
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

  test('when the writer dies, calls in progress get an error and the next request works', async () => {
    const { store, writer } = inside
    const asked = Array.from({ length: 50 }, () => newRegistration())
    const answers = asked.map((one) =>
      store.register(one).then(
        (answer) => answer.ok,
        (error: unknown) => error,
      ),
    )
    await writer.kill()
    const told = await Promise.all(answers)
    expect(told.every((answer) => answer === true || answer instanceof StoreBusy)).toBe(true)
    expect(told.some((answer) => answer instanceof StoreBusy)).toBe(true)
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
    const acknowledged = asked.filter((_, at) => told[at] === true)
    expect((await Promise.all(acknowledged.map(({ regNo }) => found(store, regNo)))).length).toBe(
      acknowledged.length,
    )
  })

  test('a status response is never stored without its effect, however the write ends', async () => {
    const { store } = inside
    const { orderId } = await registerSample(store)
    const answer = { gateway: 'demo', body: '<R/>', contentType: 'text/xml', at: noon } as const
    const settle = () => store.applyPaymentEvent(orderId, confirmedBy('AP1'), newEmail, answer)
    // Something breaks at the last statement of the verb, after answer and fact have been written.
    shell.exec(
      "CREATE TRIGGER broken BEFORE INSERT ON mail_queue BEGIN SELECT RAISE(ABORT, 'broken'); END",
    )
    await expect(settle()).rejects.toThrow('broken')
    expect([await store.gatewayMessages(orderId), await store.paymentEvents(orderId)]).toEqual([
      [],
      [],
    ])
    expect((await found(store, orderId)).paymentStatus).toBe('pending')
    shell.exec('DROP TRIGGER broken')
    await settle()
    expect([
      (await store.gatewayMessages(orderId)).length,
      (await store.paymentEvents(orderId)).length,
    ]).toEqual([1, 1])
  })

  test('whenever the writer dies, there are as many status responses as payment events', async () => {
    const { store, writer } = inside
    const orders = await Promise.all(Array.from({ length: 600 }, () => registerSample(store)))
    const settled = orders.map(({ orderId }, at) =>
      store.applyPaymentEvent(orderId, confirmedBy(`AP${at}`), null, {
        gateway: 'demo',
        body: '<R/>',
        contentType: 'text/xml',
        at: noon,
      }),
    )
    const ended = Promise.allSettled(settled)
    // Several batches: the first has been committed, the others are on their way.
    await settled[0]
    await writer.kill()
    await ended
    const kept = shell
      .prepare(
        "SELECT p.order_id FROM payments p WHERE (SELECT count(*) FROM gateway_notices n WHERE n.order_id = p.order_id AND n.kind = 'status') <> (SELECT count(*) FROM payment_facts f WHERE f.payment_id = p.id)",
      )
      .all()
    expect(kept).toEqual([])
    expect(shell.prepare('SELECT count(*) FROM payment_facts').pluck().get()).toBeGreaterThan(0)
  })

  test('when the reader dies, lists work again', async () => {
    const { store, reader } = inside
    // It begins with the first list that is asked for.
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

  test('a full disk rejects the batch and loses no confirmed data', async () => {
    const other = folder()
    const full = await openInside({ dataDir: other, seam: { pagesMax: 300 } })
    const asked = Array.from({ length: 200 }, () =>
      newRegistration({ answers: { note: 'x'.repeat(20_000) } }),
    )
    const answers = []
    // One after the other, so that some are stored before the disk is full.
    for (const one of asked)
      answers.push(
        await full.store.register(one).then(
          ({ ok }) => ok,
          (error: unknown) => error,
        ),
      )
    const stored = answers.filter((answer) => answer === true).length
    expect(stored).toBeGreaterThan(5)
    expect(answers.slice(stored).every((answer) => answer instanceof StoreBusy)).toBe(true)
    expect(answers.length - stored).toBeGreaterThan(5)
    expect((await full.store.dashboardFigures('demo', dayOf(noon))).total).toBe(stored)
    expect((await found(full.store, asked[0]?.regNo ?? '')).payments.length).toBe(1)
    await full.store.close()
    rmSync(other, { recursive: true })
  })

  test('when too many calls wait, the next is rejected immediately', async () => {
    const small = await openInside({ dataDir, seam: { waitingMax: 3 } })
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        small.store.ping(noon).then(
          () => 'served',
          (error: unknown) => error,
        ),
      ),
    )
    expect(answers.slice(0, 3)).toEqual(['served', 'served', 'served'])
    expect(answers.slice(3).every((answer) => answer instanceof StoreBusy)).toBe(true)
    await small.store.close()
  })

  test('two processes on one file: the second waits for the first', async () => {
    const second = await openStore({ dataDir })
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        (at % 2 === 0 ? inside.store : second).register(newRegistration()),
      ),
    )
    expect(answers.every(({ ok }) => ok)).toBe(true)
    await second.close()
    expect((await inside.store.dashboardFigures('demo', dayOf(noon))).total).toBe(60)
  })

  test('two writers on one file: of 64 requests for the last seat, half at each, exactly one gets it', async () => {
    const second = await openStore({ dataDir })
    const limits = [{ id: 'hall', max: 1, full: { message: 'Full' } }]
    const file = { hash: 'h', eventId: 'demo', text: '', shared: '', at: noon, holdPlaceMs: hour }
    await inside.store.saveEventFile({ ...file, limits })
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, at) =>
        (at % 2 === 0 ? inside.store : second).register(newRegistration()),
      ),
    )
    expect(answers.filter(({ ok }) => ok).length).toBe(1)
    expect(answers.find(({ ok }) => !ok)).toEqual({
      ok: false,
      error: { code: 'full', place: 'hall' },
    })
    await second.close()
    expect(await inside.store.takenSeats('demo')).toEqual([{ place: 'hall', max: 1, taken: 1 }])
  })

  test('negative control: responding before the commit is detected', async () => {
    const other = folder()
    const early = await openInside({ dataDir: other, seam: { answerBeforeCommitMs: 5_000 } })
    const one = newRegistration()
    expect(await early.store.register(one)).toMatchObject({ ok: true })
    expect(await early.store.registration(one.regNo)).toBeNull()
    await early.store.close()
    rmSync(other, { recursive: true })
  })
})
