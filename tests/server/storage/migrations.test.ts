/** Databases that older versions filled: what a step of the migrations makes of the rows that are there. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reads } from '../../../server/storage/operations/key-lookups.ts'
import {
  DATABASE_FILE,
  openToWrite,
  statements,
} from '../../../server/storage/database/sqlite-connection.ts'
import { openStore } from '../../../server/storage/open-store.ts'
import {
  paymentsUnder,
  explainKnown,
} from '../../../server/storage/reconciliation/bank-references.ts'
import { decideReview } from '../../../server/storage/reviews/decide-reviews.ts'
import { bankReferences } from '../../../server/storage/migrations/bank-references.ts'
import { reviews } from '../../../server/storage/reviews/open-reviews.ts'
import { saveDraftUpload } from '../../../server/storage/files/stored-draft-uploads.ts'
import { auditLog } from '../../../server/storage/staff/audit-log-entries.ts'
import { acts } from '../../../server/storage/migrations/actions.ts'
import { corrections } from '../../../server/storage/migrations/corrections.ts'
import { draftProofs } from '../../../server/storage/migrations/dropped-and-draft-uploads.ts'
import { listTakenSeats, roomFor } from '../../../server/storage/seats/available-seats.ts'
import { setLimits } from '../../../server/storage/seats/recompute-seats.ts'
import { codeUsed } from '../../../server/storage/registrations/discount-codes.ts'
import { people } from '../../../server/storage/migrations/staff.ts'
import { places } from '../../../server/storage/migrations/seats.ts'
import { migrate, migrations } from '../../../server/storage/database/schema.ts'
import { findConflictingAnswer } from '../../../server/storage/registrations/unique-answers.ts'
import { applyPaymentEvent } from '../../../server/storage/payments/apply-payment-events.ts'
import type { Instant, OrderId, Paise, RegNo, UniqueRule } from '../../../engine/index.ts'
import type { ActKind } from '../../../server/storage/index.ts'
import { confirmedBy } from '../sample-registrations.ts'

const folder = (): string => mkdtempSync(join(tmpdir(), 'rollcall-migrated-'))

test('migrates an older database: audit rows are still found by number, and append-only', async () => {
  const other = folder()
  const older = openToWrite(join(other, DATABASE_FILE))
  older.exec(migrations[0] ?? '')
  older.pragma('user_version = 1')
  older.exec(`INSERT INTO registrations (event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
              VALUES ('demo', 'h', 'DEMO1', 'Somebody', '', '', '', '{}', 'success', 1, '2026-01-01');
              INSERT INTO audit_log (at, who, what, event_id, reg_no) VALUES (1, 'delegate', 'registered', 'demo', 'DEMO1'), (2, 'office', 'signed in', NULL, NULL)`)
  await migrate(older)
  expect(await reads(statements(older)).auditOf('DEMO1' as RegNo)).toEqual([
    { at: 1, who: 'delegate', what: 'registered' },
  ])
  expect(() => older.exec("UPDATE audit_log SET who = 'nobody'")).toThrow('append-only')
  older.close()
  rmSync(other, { recursive: true })
})

test('migrates payments without captures: successes, reviews and refunds become captures, and recently ended ones are polled', async () => {
  const other = folder()
  const older = openToWrite(join(other, DATABASE_FILE))
  for (const step of migrations.slice(0, 2)) older.exec(step)
  older.pragma('user_version = 2')
  const now = Date.now()
  const long = now - 30 * 24 * 3_600_000
  // id, gateway, status, reference, review, status_at
  const payments: [number, string | null, string, string | null, string | null, number][] = [
    [1, 'airpay', 'success', 'AP1', null, now - 1000],
    [2, 'airpay', 'pending', null, 'Less came.', now - 2000],
    [3, 'airpay', 'refunded', 'AP3', null, long],
    [4, null, 'success', 'CASH', null, long],
    [5, null, 'success', 'CASH', null, long],
    [6, null, 'success', null, null, long],
    [7, 'airpay', 'failed', null, null, now - 3000],
    [8, 'airpay', 'success', 'AP8', 'Money came a second time.', long],
    [9, 'airpay', 'pending', null, null, now],
  ]
  for (const [id, gateway, status, reference, review, at] of payments) {
    older
      .prepare(
        `INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, in_review, created_at, created_day)
         VALUES (?, 'demo', 'h', ?, 'Somebody', '', '', '', '{}', ?, ?, 1, '2026-01-01')`,
      )
      .run(id, `DEMO${id}`, status, review === null ? 0 : 1)
    older
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
  const fact = (
    id: number,
    reference: string,
    amount: number,
    refusal: string | null,
    at: number,
  ) =>
    older
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
        refusal,
        at,
      )
  fact(1, 'AP1', 1000, null, 10)
  fact(2, 'AP2', 900, 'amount_differs', 20)
  fact(8, 'AP8', 1000, null, 30)
  fact(8, 'AP9', 1000, 'paid_twice', 40)
  older.exec(
    `INSERT INTO mail_queue (registration_id, kind, recipient, subject, body, created_at, next_at)
     VALUES (1, 'confirmation', 'asha@example.org', 'Paid', 'Yes.', 7, 8)`,
  )
  await migrate(older)
  const rows = (sql: string): unknown[] => older.prepare(sql).raw().all()
  expect(
    rows(
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
  expect(rows('SELECT amount, state, reference FROM refunds')).toEqual([[1000, 'done', 'RF3']])
  expect(rows('SELECT id FROM payments WHERE watch_until IS NOT NULL ORDER BY id')).toEqual([
    [1],
    [2],
    [7],
  ])
  // Reviews are still listed with their possible decisions, and queued emails are still queued.
  expect(
    (await reviews(statements(older), null)).map(({ regNo, is, why }) => [regNo, is, why]),
  ).toEqual([
    ['DEMO2', 'misfit', 'Less came.'],
    ['DEMO8', 'second', 'Money came a second time.'],
  ])
  expect(rows('SELECT counts_for FROM captures WHERE counts_for IS NOT payment_id')).toEqual([])
  expect(rows('SELECT registration_id, recipient, status, next_at, lost FROM mail_queue')).toEqual([
    [1, 'asha@example.org', 'queued', 8, 0],
  ])
  expect(() =>
    older.exec(
      "INSERT INTO mail_queue (registration_id, kind, recipient, subject, body, created_at) VALUES (1, 'confirmation', '', '', '', 9)",
    ),
  ).toThrow('UNIQUE')
  // Money that came before the move is known after it: delivered again, it is not a second payment.
  expect(() => older.exec('DELETE FROM captures')).toThrow('never deleted')
  older.close()
  rmSync(other, { recursive: true })
})

test('migrates imports with foreign numbers: they are marked as foreign, others are not', async () => {
  const other = folder()
  const older = openToWrite(join(other, DATABASE_FILE))
  for (const step of migrations.slice(0, 3)) older.exec(step)
  older.pragma('user_version = 3')
  for (const [id, regNo, who, what] of [
    [1, 'PULMO17', 'import', 'imported'],
    [2, 'DEMO0000000000000', 'delegate', 'registered'],
    [3, 'PULMO18', 'import', 'imported'],
  ] as const) {
    older
      .prepare(
        `INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
         VALUES (?, 'demo', 'h', ?, 'Somebody', '', '', '', '{}', 'success', 1, '2026-01-01')`,
      )
      .run(id, regNo)
    older
      .prepare(
        "INSERT INTO audit_log (at, who, what, event_id, reg_no, registration_id) VALUES (1, ?, ?, 'demo', ?, ?)",
      )
      .run(who, what, regNo, id)
  }
  await migrate(older)
  expect(older.prepare('SELECT reg_no, former_no FROM registrations ORDER BY id').all()).toEqual([
    { reg_no: 'PULMO17', former_no: 'PULMO17' },
    { reg_no: 'DEMO0000000000000', former_no: null },
    { reg_no: 'PULMO18', former_no: 'PULMO18' },
  ])
  expect((await reads(statements(older)).registrationByFormerNumber('demo', 'PULMO18'))?.id).toBe(3)
  expect(older.prepare('SELECT sum(registrations) AS n FROM counters').get()).toEqual({ n: 3 })
  older.close()
  rmSync(other, { recursive: true })
})

test('migrates attempts without a price: each gets the price it requested, and can be paid as before', async () => {
  const other = folder()
  const older = openToWrite(join(other, DATABASE_FILE))
  for (const step of migrations.slice(0, 4)) older.exec(step)
  older.pragma('user_version = 4')
  for (const [id, gateway, amount] of [
    [1, 'airpay', 708_000],
    // Brought in, with an amount that is not the total.
    [2, null, 100],
  ] as const) {
    older
      .prepare(
        `INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, category, period, base, gst, total,
           payment_status, created_at, created_day)
         VALUES (?, 'demo', 'h', ?, 'Somebody', '', '', '', '{}', 'pg', 'early', 600000, 108000, 708000, 'pending', 7, '2026-01-01')`,
      )
      .run(id, `DEMO${id}`)
    older
      .prepare(
        `INSERT INTO payments (registration_id, order_id, attempt, gateway, amount, status, created_at, status_at) VALUES (?, ?, 1, ?, ?, 'pending', 7, 7)`,
      )
      .run(id, `DEMO${id}`, gateway, amount)
  }
  await migrate(older)
  const attemptOf = async (regNo: string) =>
    (await reads(statements(older)).registration(regNo))?.payments[0]
  expect(await attemptOf('DEMO1')).toMatchObject({
    quote: { period: 'early', base: 600_000, gst: 108_000 },
    handedOffAt: 7,
    holdUntil: null,
    lastAnswer: null,
    reviewSince: null,
    refunded: 0,
  })
  expect(await attemptOf('DEMO2')).toMatchObject({ quote: null, handedOffAt: null })
  expect(older.prepare('SELECT count(*) AS n FROM links').get()).toEqual({ n: 0 })
  older.close()
  rmSync(other, { recursive: true })
})

test('migrates bills without lines: they are read and paid as before', async () => {
  const other = folder()
  const older = openToWrite(join(other, DATABASE_FILE))
  for (const step of migrations.slice(0, 7)) older.exec(step)
  older.pragma('user_version = 7')
  older.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, category, period, base, gst, total,
                payment_status, created_at, created_day)
              VALUES (1, 'demo', 'h', 'DEMO1', 'Somebody', '', '', '', '{}', 'pg', 'early', 600000, 108000, 708000, 'pending', 7, '2026-01-01');
              INSERT INTO payments (registration_id, order_id, attempt, gateway, amount, status, period, base, gst, created_at, status_at)
              VALUES (1, 'DEMO1', 1, 'airpay', 708000, 'pending', 'early', 600000, 108000, 7, 7)`)
  await migrate(older)
  const sql = statements(older)
  expect(await reads(sql).registration('DEMO1')).toMatchObject({ total: 708_000, lines: [] })
  await applyPaymentEvent(sql, 'DEMO1' as OrderId, confirmedBy('AP1', 708_000 as Paise), null)
  expect(await reads(sql).registration('DEMO1')).toMatchObject({
    paymentStatus: 'success',
    period: 'early',
    total: 708_000,
    lines: [],
  })
  older.exec(
    `INSERT INTO bill_lines (registration_id, bill, line, item, option, label, quantity, unit, base, gst, total) VALUES (1, 1, 0, 'registration', NULL, 'PG', 1, 600000, 600000, 108000, 708000)`,
  )
  expect(() => older.exec('UPDATE bill_lines SET quantity = 2')).toThrow('frozen')
  expect(() => older.exec('UPDATE bill_lines SET line = 0')).toThrow('frozen')
  expect(() =>
    older.exec(
      `INSERT INTO bill_lines (registration_id, bill, line, item, option, label, quantity, unit, base, gst, total) VALUES (1, 1, 1, 'room', NULL, 'Room', 1, 1, 1, 1, 3)`,
    ),
  ).toThrow('CHECK')
  older.close()
  rmSync(other, { recursive: true })
})

test('migrates answers from before unique rules: existing ones are found when a rule is added', async () => {
  const other = folder()
  const older = openToWrite(join(other, DATABASE_FILE))
  for (const step of migrations.slice(0, 8)) older.exec(step)
  older.pragma('user_version = 8')
  const row = (id: number, email: string, status: string): string =>
    `INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
     VALUES (${id}, 'demo', 'h', 'DEMO${id}', '', '', '', '', '{"email":"${email}"}', '${status}', 1, '2026-01-01');`
  older.exec(row(1, 'Asha@Example.org', 'success') + row(2, 'gone@example.org', 'failed'))
  await migrate(older)
  const rule: UniqueRule = {
    name: 'email text',
    onDuplicate: 'block',
    parts: [{ id: 'email', as: 'text' }],
  }
  const against = async (email: string) =>
    (await findConflictingAnswer(statements(older), 'demo', [rule], { email }))?.regNo ?? null
  expect([
    await against('asha@example.org'),
    await against('gone@example.org'),
    await against('new@example.org'),
  ]).toEqual(['DEMO1', null, null])
  older.close()
  rmSync(other, { recursive: true })
})

test('migrates registrations from before quotas: they count as held, kept or free by their state', async () => {
  const other = folder()
  const older = openToWrite(join(other, DATABASE_FILE))
  const before = migrations.indexOf(places)
  for (const step of migrations.slice(0, before)) older.exec(step)
  older.pragma(`user_version = ${before}`)
  for (const [id, status, inReview] of [
    [1, 'success', 0],
    [2, 'pending', 0],
    [3, 'failed', 0],
    [4, 'pending', 1],
  ] as const)
    older.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, total, payment_status, in_review, created_at, created_day)
                VALUES (${id}, 'demo', 'h', 'DEMO${id}', '', '', '', '', '{"workshops":["scan"]}', 1000, '${status}', ${inReview}, 1, '2026-01-01');
                INSERT INTO payments (registration_id, order_id, attempt, gateway, amount, status, created_at, status_at, handed_off_at)
                VALUES (${id}, 'DEMO${id}', 1, 'airpay', 1000, '${status}', 1, 1, 1000)`)
  older.exec(`INSERT INTO codes (id, event_id, kind, code, folded, uses_max, note, made_at, made_by) VALUES (1, 'demo', 'coupon', 'A-B', 'ab', 1, '', 1, 'office');
              INSERT INTO code_uses (registration_id, code_id) VALUES (1, 1)`)
  await migrate(older)
  const sql = statements(older)
  expect(await listTakenSeats(sql, 'demo')).toEqual([])
  const scan = {
    id: 'seats',
    eachOptionOf: 'workshops',
    max: { scan: 3 },
    full: { message: 'Full' },
  }
  await setLimits(sql, 'demo', [scan], 500)
  expect(
    older.prepare('SELECT registration_id, state, until FROM places_taken').raw().all(),
  ).toEqual([
    [1, 'kept', null],
    [2, 'held', 1500],
    [3, 'free', null],
    [4, 'kept', null],
  ])
  expect(await listTakenSeats(sql, 'demo')).toEqual([{ place: 'seats.scan', max: 3, taken: 3 }])
  const room = (at: number) => roomFor(sql, 'demo', { workshops: ['scan'] }, null, at as Instant)
  expect([await room(1499), await room(1500)]).toEqual([
    { code: 'full', place: 'seats.scan' },
    { ids: [1], holdMs: 500 },
  ])
  await applyPaymentEvent(sql, 'DEMO2' as OrderId, confirmedBy('AP2', 1000 as Paise), null)
  expect(await listTakenSeats(sql, 'demo')).toMatchObject([{ taken: 3 }])
  expect(await codeUsed(sql, 1)).toBe('ab')
  older.close()
  rmSync(other, { recursive: true })
})

test('migrates files from before draft uploads: they stay in use, and drafts are stored separately', async () => {
  const other = folder()
  const older = openToWrite(join(other, DATABASE_FILE))
  const before = migrations.indexOf(draftProofs)
  for (const step of migrations.slice(0, before)) older.exec(step)
  older.pragma(`user_version = ${before}`)
  older.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
              VALUES (1, 'demo', 'h', 'DEMO1', '', '', '', '', '{}', 'pending', 1, '2026-01-01');
              INSERT INTO uploads (registration_id, field, sha256, name, type, bytes, dropped_at)
              VALUES (1, 'proof', 'kept', 'a.pdf', 'application/pdf', 5, NULL), (1, 'other', 'gone', 'b.pdf', 'application/pdf', 5, 7)`)
  await migrate(older)
  const sql = statements(older)
  const draft = {
    eventId: 'demo',
    field: 'proof',
    name: 'c.pdf',
    type: 'application/pdf',
    bytes: 5,
  }
  const ahead = { ...draft, sha256: 'ahead', at: 9 as Instant }
  expect(await saveDraftUpload(sql, 'hash', ahead)).toBe(true)
  expect((await reads(sql).uploadsInUse(['kept', 'gone', 'ahead', 'never'])).toSorted()).toEqual([
    'ahead',
    'kept',
  ])
  older.close()
  rmSync(other, { recursive: true })
})

test('migrates registrations without a state: it is derived from the stored data, and counted', async () => {
  const other = folder()
  const older = openToWrite(join(other, DATABASE_FILE))
  const before = migrations.indexOf(acts)
  for (const step of migrations.slice(0, before)) older.exec(step)
  older.pragma(`user_version = ${before}`)
  // What it is, its payment's gateway and reason; without a gateway it was brought in.
  const rows: [string, string | null, string | null, string][] = [
    ['success', 'airpay', null, 'complete'],
    ['refunded', 'airpay', null, 'cancelled'],
    ['pending', 'airpay', null, 'to_pay'],
    ['failed', 'airpay', 'expired', 'lapsed'],
    ['failed', 'airpay', 'Card declined', 'to_pay'],
    ['failed', null, null, 'lapsed'],
  ]
  for (const [at, [status, gateway, reason]] of rows.entries()) {
    older
      .prepare(
        `INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
         VALUES (?, 'demo', 'h', ?, '', '', '', '', '{}', ?, 1, '2026-01-01')`,
      )
      .run(at + 1, `DEMO${at + 1}`, status)
    older
      .prepare(
        `INSERT INTO payments (registration_id, order_id, attempt, gateway, amount, status, reason, created_at, status_at)
         VALUES (?, ?, 1, ?, 1000, ?, ?, 1, 1)`,
      )
      .run(at + 1, `DEMO${at + 1}01`, gateway, status, reason)
  }
  await migrate(older)
  expect(older.prepare('SELECT state FROM registrations ORDER BY id').pluck().all()).toEqual(
    rows.map(([, , , state]) => state),
  )
  const counted = () =>
    older
      .prepare('SELECT state, count(*) FROM registrations GROUP BY state ORDER BY state')
      .raw()
      .all()
  expect(counted()).toEqual([
    ['cancelled', 1],
    ['complete', 1],
    ['lapsed', 2],
    ['to_pay', 2],
  ])
  const paid = confirmedBy('AP3', 1000 as Paise)
  await applyPaymentEvent(statements(older), 'DEMO301' as OrderId, paid, null)
  expect(counted()).toContainEqual(['complete', 2])
  older.exec(`INSERT INTO acts (registration_id, at, who, act, why, data, was, became)
              VALUES (1, 1, 'Meera', 'note', 'Rang.', '{"a":1}', 'complete', 'complete')`)
  for (const change of ["who = 'nobody'", "why = 'Other words'", 'at = 2', `data = '{"a":2}'`])
    expect(() => older.exec(`UPDATE acts SET ${change}`), change).toThrow('append-only')
  older.exec("UPDATE acts SET why = '', data = '{}'")
  expect(() => older.exec('DELETE FROM acts')).toThrow('append-only')
  older.close()
  rmSync(other, { recursive: true })
})

test('migrates admins without roles: they become owners of all events and stay signed in, and their access entries are recognised', async () => {
  const other = folder()
  const older = openToWrite(join(other, DATABASE_FILE))
  const before = migrations.indexOf(people)
  for (const step of migrations.slice(0, before)) older.exec(step)
  older.pragma(`user_version = ${before}`)
  older.exec(`INSERT INTO admins (id, username, password_hash, created_at, changed_at) VALUES (1, 'office', 'hash', 1, 1);
              INSERT INTO sessions (token_hash, admin_id, created_at, expires_at, seen_at) VALUES ('a', 1, 1, 9, 1);
              INSERT INTO audit_log (at, who, what) VALUES (1, 'office', 'signed in'), (2, 'office', 'saw page 1 of the list demo: No registrations'),
                (3, 'office', 'opened the registration'), (4, 'office', 'exported the list demo'), (5, 'office', 'sent the confirmation again'), (6, 'delegate', 'registered')`)
  await migrate(older)
  const sql = statements(older)
  expect(await reads(sql).session('a')).toMatchObject({
    username: 'office',
    role: 'owner',
    events: null,
    hasSecondFactor: false,
    secondFactorRequired: false,
  })
  const ofKind = async (kind: ActKind): Promise<readonly string[]> =>
    (
      await auditLog(
        sql,
        { who: null, events: null, kinds: [kind], words: '', from: null, to: null },
        null,
        10,
      )
    ).map(({ what }) => what)
  expect(await ofKind('changes')).toEqual(['sent the confirmation again'])
  expect(await ofKind('looks')).toHaveLength(2)
  expect(await ofKind('exports')).toEqual(['exported the list demo'])
  expect(await ofKind('signing-in')).toEqual(['signed in'])
  older.close()
  rmSync(other, { recursive: true })
})

test("an old invoice gets its event's credit note series, and still cannot be changed", async () => {
  const other = folder()
  const older = openToWrite(join(other, DATABASE_FILE))
  const before = migrations.indexOf(corrections)
  for (const step of migrations.slice(0, before)) older.exec(step)
  older.pragma(`user_version = ${before}`)
  older.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
              VALUES (1, 'demo', 'h', 'DEMO1', 'Somebody', '', '', '', '{}', 'success', 1, '2026-01-01');
              INSERT INTO payments (id, registration_id, order_id, attempt, gateway, amount, status, created_at, status_at)
              VALUES (1, 1, 'DEMO101', 1, 'airpay', 1000, 'success', 1, 1);
              INSERT INTO event_issuers VALUES ('demo', '{"invoice":{"creditNumber":"C/{year}/{n}"}}');
              INSERT INTO documents (registration_id, payment_id, kind, account, year, serial, body, at)
              VALUES (1, 1, 'receipt', 'demo', '', 'DEMO101', '{}', 1), (1, 1, 'invoice', 'G', '25-26', 'I/1', '{}', 1)`)
  await migrate(older)
  expect(older.prepare('SELECT kind, credit_number FROM documents').all()).toEqual([
    { kind: 'receipt', credit_number: null },
    { kind: 'invoice', credit_number: 'C/{year}/{n}' },
  ])
  for (const change of [
    "credit_number = 'X' WHERE kind = 'receipt'",
    "body = '' WHERE kind = 'invoice'",
  ])
    expect(() => older.exec(`UPDATE documents SET ${change}`)).toThrow('never rewritten')
  older.close()
  rmSync(other, { recursive: true })
})

test('drafts are limited by number and by bytes', async () => {
  const other = folder()
  const db = openToWrite(join(other, DATABASE_FILE))
  await migrate(db)
  const sql = statements(db)
  const file = { field: 'proof', sha256: 's', name: 'c.pdf', type: 'x' }
  const draft = { eventId: 'demo', ...file, at: 9 as Instant }
  const GB = 1024 ** 3
  expect(await saveDraftUpload(sql, 'a', { ...draft, bytes: GB })).toBe(true)
  expect(await saveDraftUpload(sql, 'b', { ...draft, bytes: GB + 1 })).toBe(false)
  expect(await saveDraftUpload(sql, 'b', { ...draft, bytes: GB })).toBe(true)
  expect(await saveDraftUpload(sql, 'c', { ...draft, bytes: 1 })).toBe(false)
  db.exec(`DELETE FROM draft_proofs;
           WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 19999)
           INSERT INTO draft_proofs SELECT 't' || i, 'demo', 'proof', 's', 'c.pdf', 'x', 1, 9 FROM n`)
  expect(await saveDraftUpload(sql, 'a', { ...draft, bytes: 1 })).toBe(true)
  expect(await saveDraftUpload(sql, 'b', { ...draft, bytes: 1 })).toBe(false)
  db.close()
  rmSync(other, { recursive: true })
})

test('rejects a database of a newer version with a sentence', async () => {
  const other = folder()
  const newer = openToWrite(join(other, DATABASE_FILE))
  newer.pragma('user_version = 99')
  await expect(migrate(newer)).rejects.toThrow('newer version of Rollcall (99')
  newer.close()
  await expect(openStore({ dataDir: other })).rejects.toThrow('newer version of Rollcall')
  rmSync(other, { recursive: true })
})

test('an older database with one transfer recorded twice opens: both payments stay for review, and a third is rejected', async () => {
  const other = folder()
  const db = openToWrite(join(other, DATABASE_FILE))
  const before = migrations.indexOf(bankReferences)
  for (const step of migrations.slice(0, before)) db.exec(step)
  db.pragma(`user_version = ${before}`)
  // id, source, account, reference, state
  const came: [number, string, string, string, string][] = [
    [1, 'transfer', '', '526123456702', 'fits'],
    [2, 'cheque', '', '5261 2345 6702', 'fits'],
    [3, 'desk', 'demo', 'UTR 526123456702', 'accepted'],
    [4, 'transfer', '', '5261-2345-6702', 'refused'],
    [5, 'cash', 'demo', '17', 'fits'],
    [6, 'airpay', 'demo', '526123456702', 'fits'],
    [7, 'upi', '', 'HDFCN52027010912', 'fits'],
  ]
  for (const [id, source, account, reference, state] of came)
    db.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, state, total, created_at, created_day)
        VALUES (${id}, 'demo', 'h', 'DEMO${id}', 'Somebody', '', '', '', '{}', 'success', 'complete', 1000, 1, '2026-01-01');
      INSERT INTO payments (id, registration_id, order_id, attempt, amount, status, reference, created_at, status_at, paid_at, asks_for)
        VALUES (${id}, ${id}, 'DEMO${id}01', 1, 1000, 'success', '${reference}', 1, 1, 1, 'whole');
      INSERT INTO captures (id, payment_id, counts_for, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state)
        VALUES (${id}, ${id}, ${id}, ${id}, '${source}', '${account}', '${reference}', 1000, 'INR', 'sale', 1, 1, '${state}')`)
  db.exec(`INSERT INTO tellings (registration_id, at, way, reference, folded, answers)
    VALUES (1, 1, 'transfer', 'HDFC N5 2027', 'HDFCN52027', '{}'), (2, 2, 'transfer', '00912345678901', '00912345678901', '{}'), (3, 3, 'transfer', '912345678901', '912345678901', '{}')`)
  await migrate(db)
  const sql = statements(db)
  expect(db.prepare('SELECT count(*) AS n FROM captures').get()).toEqual({ n: came.length })
  expect(
    (await paymentsUnder(sql, ['526123456702', 'HDFCN52027010912', 'demo cash 17'])).map(
      ([key, { regNo }]) => [key, regNo],
    ),
  ).toEqual([
    ['526123456702', 'DEMO1'],
    ['HDFCN52027010912', 'DEMO7'],
    ['demo cash 17', 'DEMO5'],
  ])
  const waiting = await reviews(sql, 'demo')
  expect(waiting.map(({ is, regNo }) => [is, regNo])).toEqual([
    ['unclear', 'DEMO2'],
    ['unclear', 'DEMO3'],
  ])
  expect(waiting[0]?.why).toContain(
    '5261 2345 6702 is recorded twice: it is also the payment of DEMO1',
  )
  const named = { reference: '5261.2345.6702', eventId: 'demo', regNo: null }
  for (const way of ['transfer', 'upi', 'cheque', 'desk', 'machine'] as const)
    expect(await explainKnown(sql, { ...named, way })).toContain('the payment of DEMO1')
  expect(db.prepare('SELECT folded FROM tellings ORDER BY id').all()).toEqual([
    { folded: 'HDFCN52027' },
    { folded: '00912345678901' },
    { folded: '912345678901' },
  ])
  // A later version does not ask again about payments that staff have decided.
  const id = waiting[0]?.id ?? ''
  const dismissed = { what: 'dismiss', why: 'Refunded by hand.', who: 'treasurer' } as const
  expect((await decideReview(sql, id, dismissed, 5 as Instant, null)).ok).toBe(true)
  expect((await reviews(sql, 'demo')).map(({ regNo }) => regNo)).toEqual(['DEMO3'])
  db.close()
  rmSync(other, { recursive: true })
})
