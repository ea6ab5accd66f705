/** The migration steps convert the rows of databases that older versions filled. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createStoreReads } from '../../../server/storage/operations/key-lookups.ts'
import {
  DATABASE_FILE,
  openToWrite,
  toSql,
} from '../../../server/storage/database/sqlite-connection.ts'
import { openStore } from '../../../server/storage/open-store.ts'
import {
  findPaymentsByKey,
  explainUsedReference,
} from '../../../server/storage/reconciliation/bank-references.ts'
import { decideReview } from '../../../server/storage/reviews/decide-reviews.ts'
import { bankReferences } from '../../../server/storage/migrations/bank-references.ts'
import { readReviews } from '../../../server/storage/reviews/open-reviews.ts'
import { saveDraftUpload } from '../../../server/storage/files/stored-draft-uploads.ts'
import { readAuditLog } from '../../../server/storage/staff/audit-log-entries.ts'
import { actionTables } from '../../../server/storage/migrations/actions.ts'
import { corrections } from '../../../server/storage/migrations/corrections.ts'
import { draftUploads } from '../../../server/storage/migrations/dropped-and-draft-uploads.ts'
import { listTakenSeats, checkSeats } from '../../../server/storage/seats/available-seats.ts'
import { setQuotas } from '../../../server/storage/seats/recompute-seats.ts'
import { findUsedCode } from '../../../server/storage/registrations/discount-codes.ts'
import { staffTables } from '../../../server/storage/migrations/staff.ts'
import { seatTables } from '../../../server/storage/migrations/seats.ts'
import { migrate, migrations } from '../../../server/storage/database/schema.ts'
import { findConflictingAnswer } from '../../../server/storage/registrations/unique-answers.ts'
import { applyPaymentEvent } from '../../../server/storage/payments/apply-payment-events.ts'
import type { Instant, OrderId, Amount, RegNo, UniqueRule } from '../../../engine/index.ts'
import type { AuditEntryKind } from '../../../server/storage/index.ts'
import { buildSale } from '../sample-registrations.ts'

const createFolder = (): string => mkdtempSync(join(tmpdir(), 'rollcall-migrated-'))

test('migrates the audit log: entries are still found by registration number, and cannot be changed', async () => {
  const folder = createFolder()
  const oldDb = openToWrite(join(folder, DATABASE_FILE))
  oldDb.exec(migrations[0] ?? '')
  oldDb.pragma('user_version = 1')
  oldDb.exec(`INSERT INTO registrations (event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
              VALUES ('demo', 'h', 'DEMO1', 'Asha Sample', '', '', '', '{}', 'success', 1, '2026-01-01');
              INSERT INTO audit_log (at, who, what, event_id, reg_no) VALUES (1, 'delegate', 'registered', 'demo', 'DEMO1'), (2, 'office', 'signed in', NULL, NULL)`)
  await migrate(oldDb)
  expect(await createStoreReads(toSql(oldDb)).auditOf('DEMO1' as RegNo)).toEqual([
    { at: 1, who: 'delegate', what: 'registered' },
  ])
  expect(() => oldDb.exec("UPDATE audit_log SET who = 'other user'")).toThrow('append-only')
  oldDb.close()
  rmSync(folder, { recursive: true })
})

test('migrates payments without captures: successes, reviews and refunds get captures, and recently ended payments are polled', async () => {
  const folder = createFolder()
  const oldDb = openToWrite(join(folder, DATABASE_FILE))
  for (const step of migrations.slice(0, 2)) oldDb.exec(step)
  oldDb.pragma('user_version = 2')
  const now = Date.now()
  const longAgo = now - 30 * 24 * 3_600_000
  // id, gateway, status, reference, review, status_at
  const payments: [number, string | null, string, string | null, string | null, number][] = [
    [1, 'airpay', 'success', 'AP1', null, now - 1000],
    [2, 'airpay', 'pending', null, 'Less came.', now - 2000],
    [3, 'airpay', 'refunded', 'AP3', null, longAgo],
    [4, null, 'success', 'CASH', null, longAgo],
    [5, null, 'success', 'CASH', null, longAgo],
    [6, null, 'success', null, null, longAgo],
    [7, 'airpay', 'failed', null, null, now - 3000],
    [8, 'airpay', 'success', 'AP8', 'Money came a second time.', longAgo],
    [9, 'airpay', 'pending', null, null, now],
  ]
  for (const [id, gateway, status, reference, review, at] of payments) {
    oldDb
      .prepare(
        `INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, in_review, created_at, created_day)
         VALUES (?, 'demo', 'h', ?, 'Asha Sample', '', '', '', '{}', ?, ?, 1, '2026-01-01')`,
      )
      .run(id, `DEMO${id}`, status, review === null ? 0 : 1)
    oldDb
      .prepare(
        `INSERT INTO payments (id, registration_id, order_id, attempt, gateway, amount, status, reference, refund_reference, review, created_at, status_at, paid_at, next_ask_at)
         VALUES (?, ?, ?, 1, ?, 1000, ?, ?, ?, ?, 1, ?, ?, 5)`,
      )
      .run(
        id,
        id,
        `DEMO${id}01`,
        gateway,
        status,
        reference,
        status === 'refunded' ? 'RF3' : null,
        review,
        at,
        at,
      )
  }
  const insertEvent = (
    id: number,
    reference: string,
    amount: number,
    errorCode: string | null,
    at: number,
  ) =>
    oldDb
      .prepare(
        "INSERT INTO payment_facts (payment_id, type, body, refusal, at) VALUES (?, 'confirmed', ?, ?, ?)",
      )
      .run(
        id,
        JSON.stringify({
          type: 'confirmed',
          reference,
          amount,
          currency: 'INR',
          kind: 'sale',
          at,
        }),
        errorCode,
        at,
      )
  insertEvent(1, 'AP1', 1000, null, 10)
  insertEvent(2, 'AP2', 900, 'amount_differs', 20)
  insertEvent(8, 'AP8', 1000, null, 30)
  insertEvent(8, 'AP9', 1000, 'paid_twice', 40)
  oldDb.exec(
    `INSERT INTO mail_queue (registration_id, kind, recipient, subject, body, created_at, next_at)
     VALUES (1, 'confirmation', 'asha@example.org', 'Paid', 'Yes.', 7, 8)`,
  )
  await migrate(oldDb)
  const readRows = (sql: string): unknown[] => oldDb.prepare(sql).raw().all()
  expect(
    readRows(
      'SELECT payment_id, source, reference, amount, state, why FROM captures ORDER BY payment_id, id',
    ),
  ).toEqual([
    [1, 'airpay', 'AP1', 1000, 'fits', null],
    [2, 'airpay', 'AP2', 900, 'review', 'Less came.'],
    [3, 'airpay', 'AP3', 1000, 'fits', null],
    [4, 'import', 'CASH', 1000, 'fits', null],
    [5, 'import', 'CASH DEMO501', 1000, 'fits', null],
    [6, 'import', 'DEMO601', 1000, 'fits', null],
    [8, 'airpay', 'AP8', 1000, 'fits', null],
    [8, 'airpay', 'AP9', 1000, 'review', 'Money came a second time.'],
  ])
  expect(readRows('SELECT amount, state, reference FROM refunds')).toEqual([[1000, 'done', 'RF3']])
  expect(readRows('SELECT id FROM payments WHERE watch_until IS NOT NULL ORDER BY id')).toEqual([
    [1],
    [2],
    [7],
  ])
  // An open review is listed with its decisions; a queued email stays queued.
  const openReviews = await readReviews(toSql(oldDb), null)
  expect(openReviews.map(({ regNo, is, why }) => [regNo, is, why])).toEqual([
    ['DEMO2', 'misfit', 'Less came.'],
    ['DEMO8', 'second', 'Money came a second time.'],
  ])
  expect(readRows('SELECT counts_for FROM captures WHERE counts_for IS NOT payment_id')).toEqual([])
  expect(
    readRows('SELECT registration_id, recipient, status, next_at, lost FROM mail_queue'),
  ).toEqual([[1, 'asha@example.org', 'queued', 8, 0]])
  expect(() =>
    oldDb.exec(
      "INSERT INTO mail_queue (registration_id, kind, recipient, subject, body, created_at) VALUES (1, 'confirmation', '', '', '', 9)",
    ),
  ).toThrow('UNIQUE')
  // A payment from before the migration is recognised if it is reported again, so it does not count as a second one.
  expect(() => oldDb.exec('DELETE FROM captures')).toThrow('never deleted')
  oldDb.close()
  rmSync(folder, { recursive: true })
})

test('migrates imports: a registration whose number another system issued gets this number as its former number', async () => {
  const folder = createFolder()
  const oldDb = openToWrite(join(folder, DATABASE_FILE))
  for (const step of migrations.slice(0, 3)) oldDb.exec(step)
  oldDb.pragma('user_version = 3')
  for (const [id, regNo, who, what] of [
    [1, 'PULMO17', 'import', 'imported'],
    [2, 'DEMO0000000000000', 'delegate', 'registered'],
    [3, 'PULMO18', 'import', 'imported'],
  ] as const) {
    oldDb
      .prepare(
        `INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
         VALUES (?, 'demo', 'h', ?, 'Asha Sample', '', '', '', '{}', 'success', 1, '2026-01-01')`,
      )
      .run(id, regNo)
    oldDb
      .prepare(
        "INSERT INTO audit_log (at, who, what, event_id, reg_no, registration_id) VALUES (1, ?, ?, 'demo', ?, ?)",
      )
      .run(who, what, regNo, id)
  }
  await migrate(oldDb)
  expect(oldDb.prepare('SELECT reg_no, former_no FROM registrations ORDER BY id').all()).toEqual([
    { reg_no: 'PULMO17', former_no: 'PULMO17' },
    { reg_no: 'DEMO0000000000000', former_no: null },
    { reg_no: 'PULMO18', former_no: 'PULMO18' },
  ])
  const reads = createStoreReads(toSql(oldDb))
  expect((await reads.registrationByFormerNumber('demo', 'PULMO18'))?.id).toBe(3)
  expect(oldDb.prepare('SELECT sum(registrations) AS n FROM counters').get()).toEqual({ n: 3 })
  oldDb.close()
  rmSync(folder, { recursive: true })
})

test('migrates attempts without a price: each gets the price that it requested, and can be paid as before', async () => {
  const folder = createFolder()
  const oldDb = openToWrite(join(folder, DATABASE_FILE))
  for (const step of migrations.slice(0, 4)) oldDb.exec(step)
  oldDb.pragma('user_version = 4')
  for (const [id, gateway, amount] of [
    [1, 'airpay', 708_000],
    // Imported, with an amount that differs from the total.
    [2, null, 100],
  ] as const) {
    oldDb
      .prepare(
        `INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, category, period, base, gst, total,
           payment_status, created_at, created_day)
         VALUES (?, 'demo', 'h', ?, 'Asha Sample', '', '', '', '{}', 'pg', 'early', 600000, 108000, 708000, 'pending', 7, '2026-01-01')`,
      )
      .run(id, `DEMO${id}`)
    oldDb
      .prepare(
        `INSERT INTO payments (registration_id, order_id, attempt, gateway, amount, status, created_at, status_at) VALUES (?, ?, 1, ?, ?, 'pending', 7, 7)`,
      )
      .run(id, `DEMO${id}`, gateway, amount)
  }
  await migrate(oldDb)
  const readAttempt = async (regNo: string) =>
    (await createStoreReads(toSql(oldDb)).registration(regNo))?.payments[0]
  expect(await readAttempt('DEMO1')).toMatchObject({
    quote: { period: 'early', base: 600_000, gst: 108_000 },
    handedOffAt: 7,
    holdUntil: null,
    lastResponse: null,
    reviewSince: null,
    refunded: 0,
  })
  expect(await readAttempt('DEMO2')).toMatchObject({ quote: null, handedOffAt: null })
  expect(oldDb.prepare('SELECT count(*) AS n FROM links').get()).toEqual({ n: 0 })
  oldDb.close()
  rmSync(folder, { recursive: true })
})

test('migrates bills without lines: they can be read and paid as before', async () => {
  const folder = createFolder()
  const oldDb = openToWrite(join(folder, DATABASE_FILE))
  for (const step of migrations.slice(0, 7)) oldDb.exec(step)
  oldDb.pragma('user_version = 7')
  oldDb.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, category, period, base, gst, total,
                payment_status, created_at, created_day)
              VALUES (1, 'demo', 'h', 'DEMO1', 'Asha Sample', '', '', '', '{}', 'pg', 'early', 600000, 108000, 708000, 'pending', 7, '2026-01-01');
              INSERT INTO payments (registration_id, order_id, attempt, gateway, amount, status, period, base, gst, created_at, status_at)
              VALUES (1, 'DEMO1', 1, 'airpay', 708000, 'pending', 'early', 600000, 108000, 7, 7)`)
  await migrate(oldDb)
  const sql = toSql(oldDb)
  const reads = createStoreReads(sql)
  expect(await reads.registration('DEMO1')).toMatchObject({ total: 708_000, lines: [] })
  await applyPaymentEvent(sql, 'DEMO1' as OrderId, buildSale('AP1', 708_000 as Amount), null)
  expect(await reads.registration('DEMO1')).toMatchObject({
    paymentStatus: 'success',
    period: 'early',
    total: 708_000,
    lines: [],
  })
  oldDb.exec(
    `INSERT INTO bill_lines (registration_id, bill, line, item, option, label, quantity, unit, base, gst, total) VALUES (1, 1, 0, 'registration', NULL, 'PG', 1, 600000, 600000, 108000, 708000)`,
  )
  expect(() => oldDb.exec('UPDATE bill_lines SET quantity = 2')).toThrow('frozen')
  expect(() => oldDb.exec('UPDATE bill_lines SET line = 0')).toThrow('frozen')
  expect(() =>
    oldDb.exec(
      `INSERT INTO bill_lines (registration_id, bill, line, item, option, label, quantity, unit, base, gst, total) VALUES (1, 1, 1, 'room', NULL, 'Room', 1, 1, 1, 1, 3)`,
    ),
  ).toThrow('CHECK')
  oldDb.close()
  rmSync(folder, { recursive: true })
})

test('migrates answers from before uniqueness rules existed: they are found when a rule is added', async () => {
  const folder = createFolder()
  const oldDb = openToWrite(join(folder, DATABASE_FILE))
  for (const step of migrations.slice(0, 8)) oldDb.exec(step)
  oldDb.pragma('user_version = 8')
  const buildRow = (id: number, email: string, status: string): string =>
    `INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
     VALUES (${id}, 'demo', 'h', 'DEMO${id}', '', '', '', '', '{"email":"${email}"}', '${status}', 1, '2026-01-01');`
  oldDb.exec(buildRow(1, 'Asha@Example.org', 'success') + buildRow(2, 'gone@example.org', 'failed'))
  await migrate(oldDb)
  const rule: UniqueRule = {
    name: 'email text',
    onDuplicate: 'block',
    parts: [{ id: 'email', as: 'text' }],
  }
  const findConflict = async (email: string) =>
    (await findConflictingAnswer(toSql(oldDb), 'demo', [rule], { email }))?.regNo ?? null
  expect([
    await findConflict('asha@example.org'),
    await findConflict('gone@example.org'),
    await findConflict('new@example.org'),
  ]).toEqual(['DEMO1', null, null])
  oldDb.close()
  rmSync(folder, { recursive: true })
})

test('migrates registrations from before quotas existed: their state determines whether seats are held, sold or free', async () => {
  const folder = createFolder()
  const oldDb = openToWrite(join(folder, DATABASE_FILE))
  const oldVersion = migrations.indexOf(seatTables)
  for (const step of migrations.slice(0, oldVersion)) oldDb.exec(step)
  oldDb.pragma(`user_version = ${oldVersion}`)
  for (const [id, status, inReview] of [
    [1, 'success', 0],
    [2, 'pending', 0],
    [3, 'failed', 0],
    [4, 'pending', 1],
  ] as const)
    oldDb.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, total, payment_status, in_review, created_at, created_day)
                VALUES (${id}, 'demo', 'h', 'DEMO${id}', '', '', '', '', '{"workshops":["scan"]}', 1000, '${status}', ${inReview}, 1, '2026-01-01');
                INSERT INTO payments (registration_id, order_id, attempt, gateway, amount, status, created_at, status_at, handed_off_at)
                VALUES (${id}, 'DEMO${id}', 1, 'airpay', 1000, '${status}', 1, 1, 1000)`)
  oldDb.exec(`INSERT INTO codes (id, event_id, kind, code, folded, uses_max, note, made_at, made_by) VALUES (1, 'demo', 'coupon', 'A-B', 'ab', 1, '', 1, 'office');
              INSERT INTO code_uses (registration_id, code_id) VALUES (1, 1)`)
  await migrate(oldDb)
  const sql = toSql(oldDb)
  expect(await listTakenSeats(sql, 'demo')).toEqual([])
  const quota = {
    id: 'seats',
    eachOptionOf: 'workshops',
    max: { scan: 3 },
    full: { message: 'Full' },
  }
  await setQuotas(sql, 'demo', [quota], 500)
  expect(
    oldDb.prepare('SELECT registration_id, state, until FROM places_taken').raw().all(),
  ).toEqual([
    [1, 'kept', null],
    [2, 'held', 1500],
    [3, 'free', null],
    [4, 'kept', null],
  ])
  expect(await listTakenSeats(sql, 'demo')).toEqual([{ quotaKey: 'seats.scan', max: 3, taken: 3 }])
  const checkSeatsAt = (at: number) =>
    checkSeats(sql, 'demo', { workshops: ['scan'] }, null, at as Instant)
  expect([await checkSeatsAt(1499), await checkSeatsAt(1500)]).toEqual([
    { code: 'full', place: 'seats.scan' },
    { seats: [{ id: 1, quantity: 1 }], holdMs: 500 },
  ])
  await applyPaymentEvent(sql, 'DEMO2' as OrderId, buildSale('AP2', 1000 as Amount), null)
  expect(await listTakenSeats(sql, 'demo')).toMatchObject([{ taken: 3 }])
  expect(await findUsedCode(sql, 1)).toBe('ab')
  oldDb.close()
  rmSync(folder, { recursive: true })
})

test('migrates files from before draft uploads existed: they stay in use, and drafts are stored separately', async () => {
  const folder = createFolder()
  const oldDb = openToWrite(join(folder, DATABASE_FILE))
  const oldVersion = migrations.indexOf(draftUploads)
  for (const step of migrations.slice(0, oldVersion)) oldDb.exec(step)
  oldDb.pragma(`user_version = ${oldVersion}`)
  oldDb.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
              VALUES (1, 'demo', 'h', 'DEMO1', '', '', '', '', '{}', 'pending', 1, '2026-01-01');
              INSERT INTO uploads (registration_id, field, sha256, name, type, bytes, dropped_at)
              VALUES (1, 'proof', 'kept', 'a.pdf', 'application/pdf', 5, NULL), (1, 'other', 'gone', 'b.pdf', 'application/pdf', 5, 7)`)
  await migrate(oldDb)
  const sql = toSql(oldDb)
  const draft = {
    eventId: 'demo',
    field: 'proof',
    name: 'c.pdf',
    type: 'application/pdf',
    bytes: 5,
  }
  const reservedDraft = { ...draft, sha256: 'ahead', at: 9 as Instant }
  expect(await saveDraftUpload(sql, 'hash', reservedDraft)).toBe('saved')
  const inUse = await createStoreReads(sql).uploadsInUse(['kept', 'gone', 'ahead', 'never'])
  expect(inUse.toSorted()).toEqual(['ahead', 'kept'])
  oldDb.close()
  rmSync(folder, { recursive: true })
})

test('migrates registrations without a state: the state is derived from the stored data, and counted', async () => {
  const folder = createFolder()
  const oldDb = openToWrite(join(folder, DATABASE_FILE))
  const oldVersion = migrations.indexOf(actionTables)
  for (const step of migrations.slice(0, oldVersion)) oldDb.exec(step)
  oldDb.pragma(`user_version = ${oldVersion}`)
  // State, gateway and reason of the payment. A payment without a gateway was imported.
  const rows: [string, string | null, string | null, string][] = [
    ['success', 'airpay', null, 'complete'],
    ['refunded', 'airpay', null, 'cancelled'],
    ['pending', 'airpay', null, 'to_pay'],
    ['failed', 'airpay', 'expired', 'lapsed'],
    ['failed', 'airpay', 'Card declined', 'to_pay'],
    ['failed', null, null, 'lapsed'],
  ]
  for (const [index, [status, gateway, reason]] of rows.entries()) {
    oldDb
      .prepare(
        `INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
         VALUES (?, 'demo', 'h', ?, '', '', '', '', '{}', ?, 1, '2026-01-01')`,
      )
      .run(index + 1, `DEMO${index + 1}`, status)
    oldDb
      .prepare(
        `INSERT INTO payments (registration_id, order_id, attempt, gateway, amount, status, reason, created_at, status_at)
         VALUES (?, ?, 1, ?, 1000, ?, ?, 1, 1)`,
      )
      .run(index + 1, `DEMO${index + 1}01`, gateway, status, reason)
  }
  await migrate(oldDb)
  expect(oldDb.prepare('SELECT state FROM registrations ORDER BY id').pluck().all()).toEqual(
    rows.map(([, , , state]) => state),
  )
  const countStates = () =>
    oldDb
      .prepare('SELECT state, count(*) FROM registrations GROUP BY state ORDER BY state')
      .raw()
      .all()
  expect(countStates()).toEqual([
    ['cancelled', 1],
    ['complete', 1],
    ['lapsed', 2],
    ['to_pay', 2],
  ])
  const paid = buildSale('AP3', 1000 as Amount)
  await applyPaymentEvent(toSql(oldDb), 'DEMO301' as OrderId, paid, null)
  expect(countStates()).toContainEqual(['complete', 2])
  oldDb.exec(`INSERT INTO acts (registration_id, at, who, act, why, data, was, became)
              VALUES (1, 1, 'Meera', 'note', 'Rang.', '{"a":1}', 'complete', 'complete')`)
  for (const change of ["who = 'other user'", "why = 'Other words'", 'at = 2', `data = '{"a":2}'`])
    expect(() => oldDb.exec(`UPDATE acts SET ${change}`), change).toThrow('append-only')
  oldDb.exec("UPDATE acts SET why = '', data = '{}'")
  expect(() => oldDb.exec('DELETE FROM acts')).toThrow('append-only')
  oldDb.close()
  rmSync(folder, { recursive: true })
})

test('migrates admins without roles: they become owners of all events and stay signed in, and log entries get their kinds', async () => {
  const folder = createFolder()
  const oldDb = openToWrite(join(folder, DATABASE_FILE))
  const oldVersion = migrations.indexOf(staffTables)
  for (const step of migrations.slice(0, oldVersion)) oldDb.exec(step)
  oldDb.pragma(`user_version = ${oldVersion}`)
  oldDb.exec(`INSERT INTO admins (id, username, password_hash, created_at, changed_at) VALUES (1, 'office', 'hash', 1, 1);
              INSERT INTO sessions (token_hash, admin_id, created_at, expires_at, seen_at) VALUES ('a', 1, 1, 9, 1);
              INSERT INTO audit_log (at, who, what) VALUES (1, 'office', 'signed in'), (2, 'office', 'saw page 1 of the list demo: No registrations'),
                (3, 'office', 'opened the registration'), (4, 'office', 'exported the list demo'), (5, 'office', 'sent the confirmation again'), (6, 'delegate', 'registered')`)
  await migrate(oldDb)
  const sql = toSql(oldDb)
  expect(await createStoreReads(sql).session('a')).toMatchObject({
    username: 'office',
    role: 'owner',
    events: null,
    hasSecondFactor: false,
    secondFactorRequired: false,
  })
  const listEntriesOfKind = async (kind: AuditEntryKind): Promise<readonly string[]> =>
    (
      await readAuditLog(
        sql,
        { who: null, events: null, kinds: [kind], words: '', from: null, to: null },
        null,
        10,
      )
    ).map(({ what }) => what)
  expect(await listEntriesOfKind('changes')).toEqual(['sent the confirmation again'])
  expect(await listEntriesOfKind('looks')).toHaveLength(2)
  expect(await listEntriesOfKind('exports')).toEqual(['exported the list demo'])
  expect(await listEntriesOfKind('signing-in')).toEqual(['signed in'])
  oldDb.close()
  rmSync(folder, { recursive: true })
})

test('migrates invoices: an old invoice gets its event’s credit note series, and still cannot be changed', async () => {
  const folder = createFolder()
  const oldDb = openToWrite(join(folder, DATABASE_FILE))
  const oldVersion = migrations.indexOf(corrections)
  for (const step of migrations.slice(0, oldVersion)) oldDb.exec(step)
  oldDb.pragma(`user_version = ${oldVersion}`)
  oldDb.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
              VALUES (1, 'demo', 'h', 'DEMO1', 'Asha Sample', '', '', '', '{}', 'success', 1, '2026-01-01');
              INSERT INTO payments (id, registration_id, order_id, attempt, gateway, amount, status, created_at, status_at)
              VALUES (1, 1, 'DEMO101', 1, 'airpay', 1000, 'success', 1, 1);
              INSERT INTO event_issuers VALUES ('demo', '{"invoice":{"creditNumber":"C/{year}/{n}"}}');
              INSERT INTO documents (registration_id, payment_id, kind, account, year, serial, body, at)
              VALUES (1, 1, 'receipt', 'demo', '', 'DEMO101', '{}', 1), (1, 1, 'invoice', 'G', '25-26', 'I/1', '{}', 1)`)
  await migrate(oldDb)
  expect(oldDb.prepare('SELECT kind, credit_number FROM documents').all()).toEqual([
    { kind: 'receipt', credit_number: null },
    { kind: 'invoice', credit_number: 'C/{year}/{n}' },
  ])
  for (const change of [
    "credit_number = 'X' WHERE kind = 'receipt'",
    "body = '' WHERE kind = 'invoice'",
  ])
    expect(() => oldDb.exec(`UPDATE documents SET ${change}`)).toThrow('never rewritten')
  oldDb.close()
  rmSync(folder, { recursive: true })
})

test('migrates draft uploads: their number and total size are limited', async () => {
  const folder = createFolder()
  const db = openToWrite(join(folder, DATABASE_FILE))
  await migrate(db)
  const sql = toSql(db)
  const file = { field: 'proof', sha256: 's', name: 'c.pdf', type: 'x' }
  const draft = { eventId: 'demo', ...file, at: 9 as Instant }
  const GB = 1024 ** 3
  expect(await saveDraftUpload(sql, 'a', { ...draft, bytes: GB })).toBe('saved')
  expect(await saveDraftUpload(sql, 'b', { ...draft, bytes: GB + 1 })).toBe('no_room')
  expect(await saveDraftUpload(sql, 'b', { ...draft, bytes: GB })).toBe('saved')
  expect(await saveDraftUpload(sql, 'c', { ...draft, bytes: 1 })).toBe('no_room')
  db.exec(`DELETE FROM draft_proofs;
           WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 19999)
           INSERT INTO draft_proofs SELECT 't' || i, 'demo', 'proof', 's', 'c.pdf', 'x', 1, 9 FROM n`)
  expect(await saveDraftUpload(sql, 'a', { ...draft, bytes: 1 })).toBe('saved')
  expect(await saveDraftUpload(sql, 'b', { ...draft, bytes: 1 })).toBe('no_room')
  db.close()
  rmSync(folder, { recursive: true })
})

test('rejects a database from a newer version with a message', async () => {
  const folder = createFolder()
  const newerDb = openToWrite(join(folder, DATABASE_FILE))
  newerDb.pragma('user_version = 99')
  await expect(migrate(newerDb)).rejects.toThrow('newer version of Rollcall (99')
  newerDb.close()
  await expect(openStore({ dataDir: folder })).rejects.toThrow('newer version of Rollcall')
  rmSync(folder, { recursive: true })
})

test('migrates transfers that were recorded twice: both payments go to review, and a third one is rejected', async () => {
  const folder = createFolder()
  const db = openToWrite(join(folder, DATABASE_FILE))
  const oldVersion = migrations.indexOf(bankReferences)
  for (const step of migrations.slice(0, oldVersion)) db.exec(step)
  db.pragma(`user_version = ${oldVersion}`)
  // id, source, account, reference, state
  const captureRows: [number, string, string, string, string][] = [
    [1, 'transfer', '', '526123456702', 'fits'],
    [2, 'cheque', '', '5261 2345 6702', 'fits'],
    [3, 'desk', 'demo', 'UTR 526123456702', 'accepted'],
    [4, 'transfer', '', '5261-2345-6702', 'refused'],
    [5, 'cash', 'demo', '17', 'fits'],
    [6, 'airpay', 'demo', '526123456702', 'fits'],
    [7, 'upi', '', 'HDFCN52027010912', 'fits'],
  ]
  for (const [id, source, account, reference, state] of captureRows)
    db.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, state, total, created_at, created_day)
        VALUES (${id}, 'demo', 'h', 'DEMO${id}', 'Asha Sample', '', '', '', '{}', 'success', 'complete', 1000, 1, '2026-01-01');
      INSERT INTO payments (id, registration_id, order_id, attempt, amount, status, reference, created_at, status_at, paid_at, asks_for)
        VALUES (${id}, ${id}, 'DEMO${id}01', 1, 1000, 'success', '${reference}', 1, 1, 1, 'whole');
      INSERT INTO captures (id, payment_id, counts_for, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state)
        VALUES (${id}, ${id}, ${id}, ${id}, '${source}', '${account}', '${reference}', 1000, 'INR', 'sale', 1, 1, '${state}')`)
  db.exec(`INSERT INTO tellings (registration_id, at, way, reference, folded, answers)
    VALUES (1, 1, 'transfer', 'HDFC N5 2027', 'HDFCN52027', '{}'), (2, 2, 'transfer', '00912345678901', '00912345678901', '{}'), (3, 3, 'transfer', '912345678901', '912345678901', '{}')`)
  await migrate(db)
  const sql = toSql(db)
  expect(db.prepare('SELECT count(*) AS n FROM captures').get()).toEqual({ n: captureRows.length })
  expect(
    (await findPaymentsByKey(sql, ['526123456702', 'HDFCN52027010912', 'demo cash 17'])).map(
      ([key, { regNo }]) => [key, regNo],
    ),
  ).toEqual([
    ['526123456702', 'DEMO1'],
    ['HDFCN52027010912', 'DEMO7'],
    ['demo cash 17', 'DEMO5'],
  ])
  const openReviews = await readReviews(sql, 'demo')
  expect(openReviews.map(({ is, regNo }) => [is, regNo])).toEqual([
    ['unclear', 'DEMO2'],
    ['unclear', 'DEMO3'],
  ])
  expect(openReviews[0]?.why).toContain('5261 2345 6702 is also recorded for the payment of DEMO1')
  const second = { reference: '5261.2345.6702', eventId: 'demo', regNo: null }
  for (const method of ['transfer', 'upi', 'cheque', 'desk', 'machine'] as const)
    expect(await explainUsedReference(sql, { ...second, method })).toContain('the payment of DEMO1')
  expect(db.prepare('SELECT folded FROM tellings ORDER BY id').all()).toEqual([
    { folded: 'HDFCN52027' },
    { folded: '00912345678901' },
    { folded: '912345678901' },
  ])
  const [review] = openReviews
  const dismissal = { what: 'dismiss', why: 'Refunded by hand.', who: 'treasurer' } as const
  const decisionResult = await decideReview(sql, review?.id ?? '', dismissal, 5 as Instant, null)
  expect(decisionResult.ok).toBe(true)
  expect((await readReviews(sql, 'demo')).map(({ regNo }) => regNo)).toEqual(['DEMO3'])
  db.close()
  rmSync(folder, { recursive: true })
})
