/** Once a person's data is erased, no table, file or log contains it, but the payments remain. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayOf, INR, toAmount } from '../../../engine/index.ts'
import type { OrderId, RegNo } from '../../../engine/index.ts'
import type { RegisterResponse, StatsResponse } from '../../../engine/api.ts'
import { issueLink } from '../../../server/registration/access-link.ts'
import { hashCheaply, PASSWORD, signIn } from '../office/office.ts'
import type { Office } from '../office/office.ts'
import { createPdf } from '../sample-uploads.ts'
import { buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { buildSale } from '../sample-registrations.ts'
import { runHere } from '../run-command.ts'

const EVENT = 'sample2026'
const EVENT_EXTRAS = `
retention: {answers: 1 month, files: 10 days}
unique:
  - {fields: [full_name, phone_number], on_duplicate: warn, message: Registered already. Again?}
`
/** Words that occur only in the personal data. */
const PERSONAL_WORDS = [
  'Zulekha',
  'Quatermain',
  'zulekha.q@sample.example',
  '9123456789',
  'zq-letter',
]
/** Tables without delegates' personal data: payments and their events, event files, member lists, users, counters. */
const TABLES_WITHOUT_PERSONAL_DATA = [
  'payments payment_facts captures bank_references bill_lines dues code_uses',
  'places places_taken settlements settlement_lines document_series',
  'event_files active_events activation event_issuers event_limits unique_rules codes roll_rows',
  'admins sessions recovery_codes password_links office_settings admin_lists',
  'counters counted revenue pings clock_seen search_progress',
  'installation recoveries recovery_payments unknown_orders checkouts webhook_events exchange_rates waiting_invoices disputes',
  'bank_statements bank_lines bank_statement_lines bank_line_decisions bank_line_payments month_closings',
].flatMap((names) => names.split(' '))
let server: TestApp
let owner: Office
let treasurer: Office

beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': buildFixtureEvent({ extra: EVENT_EXTRAS }) },
  })
  owner = await signIn(server)
  await server.deps.store.addAdmin('money', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: null,
  })
  treasurer = await signIn(server, 'money')
})
afterAll(() => server.close())

const registerPerson = async (isPaying = true) => {
  server.setTime('2026-01-10')
  const response = await server.post(
    `/api/${EVENT}/register/`,
    {
      full_name: 'Zulekha Quatermain',
      email: 'Zulekha.Q@sample.example',
      phone_number: '9123456789',
      is_member: 'true',
      confirmed: 'true',
    },
    { letter: { name: 'zq-letter.pdf', bytes: createPdf('Zulekha') } },
    { 'idempotency-key': `key-${Math.random()}` },
  )
  expect(response.statusCode, response.body).toBe(201)
  const { reg_no: regNo, payment_data: order } = response.json<RegisterResponse>()
  const orderId = (order?.orderid ?? '') as OrderId
  if (isPaying) {
    const personalEmail = {
      to: 'zulekha.q@sample.example',
      copyTo: null,
      subject: 'For Zulekha',
      text: 'Dear Zulekha Quatermain',
    }
    const confirmedEvent = buildSale(`BANKREF${regNo}`, toAmount(118_000), server.now())
    await server.deps.store.applyPaymentEvent(orderId, confirmedEvent, personalEmail)
    await server.deps.store.recordGatewayMessage({
      gateway: 'airpay',
      kind: 'status',
      orderId,
      body: '<CUSTOMER>Zulekha Quatermain</CUSTOMER>',
      contentType: 'text/xml',
      at: server.now(),
    } as never)
  }
  return { regNo: regNo as RegNo, orderId }
}
/** Lists the columns and files that contain personal data. */
function listTraces(): readonly string[] {
  const tables = server
    .rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
    .map(({ name }) => String(name))
  const traces = tables.flatMap((table) =>
    server.rows(`SELECT * FROM "${table}"`).flatMap((row) =>
      Object.entries(row).flatMap(([column, value]) => {
        const text = value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value
        return typeof text === 'string' && isPersonal(text) ? [`${table}.${column}`] : []
      }),
    ),
  )
  const files = readdirSync(server.dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'rollcall.db')
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => isPersonal(file) || isPersonal(readIfPresent(file)))
    .map((file) => file.slice(server.dir.length + 1).replace(/\d{6}-.*|[0-9a-f]{64}/, '…'))
  return [...new Set([...traces, ...files])].toSorted()
}
/** Returns '' for a missing file, because the server may rename its cache files while the folder is read. */
function readIfPresent(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}
const isPersonal = (text: string): boolean =>
  PERSONAL_WORDS.some((word) => text.toLowerCase().includes(word.toLowerCase()))

test('erasing covers every table: each is either emptied by blank() in server/storage/registrations/delete-personal-data.ts or listed above as free of personal data', () => {
  const source = ['registrations/delete-personal-data.ts', 'payments/find-duplicate-payments.ts']
    .map((file) => readFileSync(join(import.meta.dirname, '../../../server/storage', file), 'utf8'))
    .join('\n')
  const emptiedTables = [
    ...source.matchAll(/(?:(?:UPDATE|DELETE FROM) |(?:updateTable|deleteFrom)\(')(\w+)/g),
  ].map(([, name]) => name)
  const tables = server
    .rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
    .map(({ name }) => String(name))
    .filter((name) => !/^(sqlite|search_index)_/.test(name))
  expect(tables.toSorted()).toEqual(
    [...new Set([...emptiedTables, ...TABLES_WITHOUT_PERSONAL_DATA])].toSorted(),
  )
})

describe("erasing a person's data", () => {
  test('leaves no personal data in any table, file, email or log, but keeps the payments, the receipts and the audit entry', async () => {
    const { regNo } = await registerPerson()
    for (const [action, reason] of [
      ['note', 'Zulekha called.'],
      ['correct', 'Zulekha asked.'],
    ])
      await owner.act(regNo, {
        act: action,
        why: reason,
        answers: { full_name: 'Zulekha B. Quatermain' },
      })
    await server.mailer.run()
    const link = await issueLink(server.deps, { regNo, eventId: EVENT })
    const tracesBefore = listTraces()
    // Otherwise the test would pass for data that was never stored.
    for (const trace of [
      'registrations.full_name',
      'registrations.answers',
      'paid_persons.person',
      'registered_persons.person',
      'uploads.name',
      'mail_queue.body',
      'acts.why',
      'acts.data',
      'documents.body',
      'gateway_notices.body',
      'unique_answers.folded',
      'mail/…',
      'uploads/…',
      'rollcall.db-wal',
    ])
      expect(tracesBefore.map((entry) => entry.replace(/uploads\/.*/, 'uploads/…'))).toContain(
        trace,
      )
    const readPayments = () => ({
      payments: server.rows('SELECT order_id, amount, status, reference FROM payments'),
      captures: server.rows('SELECT reference, amount, state FROM captures'),
      facts: server.rows('SELECT type, body FROM payment_facts'),
      serials: server.rows('SELECT kind, serial FROM documents'),
    })
    const paymentsBefore = readPayments()

    const eraseResult = await owner.act(regNo, {
      act: 'erase',
      why: 'Asked for by letter.',
      key: 'k0000001',
    })
    expect(eraseResult).toMatchObject({ status: 200, body: { state: 'complete' } })
    expect(listTraces()).toEqual([])
    expect(readPayments()).toEqual(paymentsBefore)
    expect(
      server.rows('SELECT act, who, why FROM acts ORDER BY id').map((row) => Object.values(row)),
    ).toEqual([
      ['note', 'office', ''],
      ['correct', 'office', ''],
      ['erase', 'office', 'Asked for by letter.'],
    ])
    expect((await server.app.inject(`/api${new URL(link).pathname}`)).statusCode).toBe(404)
    // Searching for the old name finds nothing, but the office can still open the registration by its number.
    expect((await owner.json('/admin/find/?q=zulekha'))['found']).toEqual([])
    expect((await owner.get(`/admin/registrations/${regNo}/`)).statusCode).toBe(200)
    const secondErasure = await owner.act(regNo, { act: 'erase', why: 'Once more.' })
    expect(secondErasure.body).toMatchObject({ code: 'not_now' })
    await expect(server.mailer.run()).resolves.toBe(0)
  })

  test('ends a file that the page sent but did not save, and the job deletes it', async () => {
    const { regNo } = await registerPerson()
    const path = new URL(await issueLink(server.deps, { regNo, eventId: EVENT })).pathname
    const file = { name: 'zq-letter-2.pdf', bytes: createPdf('Zulekha again') }
    const sendFile = () => server.post(`/api${path}/proofs/`, {}, { letter: file })
    expect((await sendFile()).statusCode).toBe(201)
    const token = (await sendFile()).json<{ token: string }>().token
    const edit = { act: 'edit', answers: { letter: token } }
    const readDraftNames = () => server.rows('SELECT name FROM draft_proofs')
    expect(readDraftNames()).toEqual([{ name: file.name }, { name: file.name }])
    const other = await registerPerson()
    const otherPath = new URL(await issueLink(server.deps, { ...other, eventId: EVENT })).pathname
    expect((await owner.act(regNo, { act: 'erase', why: 'Asked for.' })).status).toBe(200)
    expect(readDraftNames()).toEqual([{ name: '' }, { name: '' }])
    const url = `/api${otherPath}/acts/`
    expect((await server.app.inject({ method: 'POST', url, payload: edit })).json()).toMatchObject({
      code: 'bad_data',
      message: expect.stringContaining('Letter'),
    })
    expect((await owner.act(other.regNo, { act: 'erase', why: 'Asked for.' })).status).toBe(200)
    // A running request could still use a file sent in the last 24 hours.
    server.setTime('2026-01-11T13:00:00+05:30')
    await server.deps.uploads.sweep()
    expect(readDraftNames()).toEqual([])
    server.setTime('2026-01-10')
    expect(listTraces()).toEqual([])
  })

  test('requires an owner and a reason, and is not possible while a payment is under review', async () => {
    const { regNo, orderId } = await registerPerson()
    expect((await treasurer.act(regNo, { act: 'erase', why: 'x' })).body).toMatchObject({
      code: 'not_your_role',
    })
    expect((await owner.act(regNo, { act: 'erase', why: ' ' })).body).toMatchObject({
      code: 'no_grounds',
    })
    // Another payment for the same order is under review.
    const confirmedEvent = buildSale('SECOND', toAmount(118_000), server.now())
    await server.deps.store.applyPaymentEvent(orderId, confirmedEvent, null)
    expect((await owner.act(regNo, { act: 'erase', why: 'Asked.' })).body).toMatchObject({
      code: 'moved_on',
    })
    expect((await server.deps.store.registration(regNo))?.answers).toHaveProperty('full_name')

    // A reported payment, and a refund in progress.
    const db = new Database(join(server.dir, 'rollcall.db'))
    for (const statement of [
      "UPDATE registrations SET state = 'told' WHERE reg_no = ?",
      `INSERT INTO refunds (capture_id, amount, state, why, who, at)
       SELECT id, 100, 'wanted', 'x', 'office', 1 FROM captures
       WHERE registration_id = (SELECT id FROM registrations WHERE reg_no = ?)`,
    ]) {
      const otherRegistration = await registerPerson()
      db.prepare(statement).run(otherRegistration.regNo)
      expect(
        (await owner.act(otherRegistration.regNo, { act: 'erase', why: 'Asked.' })).body,
      ).toMatchObject({
        code: 'moved_on',
      })
    }
    db.close()
  })

  test('is permanent: the registration cannot be corrected or transferred afterwards', async () => {
    const { regNo } = await registerPerson()
    await owner.act(regNo, { act: 'erase', why: 'Asked.' })
    const answers = {
      full_name: 'Another Person',
      email: 'another@sample.example',
      phone_number: '9876511111',
    }
    for (const act of ['transfer', 'correct'])
      expect(
        (await owner.act(regNo, { act, why: 'A colleague comes.', answers })).body,
      ).toMatchObject({
        code: 'not_now',
        message: expect.stringContaining('was erased'),
      })
    expect((await server.deps.store.registration(regNo))?.answers).toEqual({})
  })

  test('cancels an unpaid registration', async () => {
    const { regNo } = await registerPerson(false)
    expect((await owner.act(regNo, { act: 'erase', why: 'Asked.' })).body).toMatchObject({
      state: 'cancelled',
    })
  })

  test('deletes the reason for moving a payment to the registration', async () => {
    const { store } = server.deps
    const { regNo } = await registerPerson(false)
    await store.saveUnmatchedLines([
      {
        reference: 'SBIN77',
        amount: toAmount(118_000),
        currency: INR,
        day: dayOf(server.now()),
        narration: 'NEFT',
        eventId: EVENT,
        who: 'money',
        at: server.now(),
      },
    ])
    const review = (await store.reviews(EVENT)).find(
      ({ regNo: reviewRegNo }) => reviewRegNo === null,
    )
    const move = { what: 'move', to: regNo, why: 'Zulekha rang.', who: 'money' } as const
    expect(await store.decideReview(review?.id ?? '', move, server.now(), null)).toMatchObject({
      ok: true,
    })
    expect(listTraces()).toContain('decisions.why')
    const { status } = await owner.act(regNo, { act: 'erase', why: 'Asked.' })
    const reasonTraces = listTraces().filter((trace) => /^(?:decisions|audit_log)\./.test(trace))
    expect([status, reasonTraces]).toEqual([200, []])
  })
})

test('data is erased after the retention periods: files first, answers later, and nothing a day early', async () => {
  const { regNo } = await registerPerson()
  const readStoredParts = async (): Promise<readonly [boolean, boolean]> => {
    const storedRegistration = await server.deps.store.registration(regNo)
    return [
      storedRegistration?.uploads.some(({ droppedAt }) => droppedAt === null) ?? false,
      Object.keys(storedRegistration?.answers ?? {}).length > 0,
    ]
  }
  // The event ends on 2 March.
  for (const [day, expectedStored] of [
    ['2026-03-12T23:59:59+05:30', [true, true]],
    ['2026-03-13T00:00:00+05:30', [false, true]],
    ['2026-04-02T23:59:59+05:30', [false, true]],
    ['2026-04-03T00:00:00+05:30', [false, false]],
  ] as const) {
    server.setTime(day)
    await server.deps.store.confirmClock(server.now())
    await server.retention.run()
    expect([day, await readStoredParts()]).toEqual([day, expectedStored])
  }
  expect((await server.deps.store.actions(regNo)).map(({ act: name, who }) => [name, who])).toEqual(
    [['erase', 'rollcall']],
  )
})

test('while the clock shows the wrong year, nothing is erased until the clock is corrected or an owner confirms it; each run is logged', async () => {
  const { regNo } = await registerPerson()
  const hasAnswers = async (): Promise<boolean> =>
    Object.keys((await server.deps.store.registration(regNo))?.answers ?? {}).length > 0
  server.setClock('2026-01-10')
  server.setTime('2026-01-12')
  await server.retention.run()
  server.setClock('2031-05-10')
  await server.retention.run()
  // Times recorded by the wrong clock are no evidence that the clock is right.
  await registerPerson()
  server.setTime('2031-05-12')
  await server.retention.run()
  expect(await hasAnswers()).toBe(true)
  server.setClock('2026-01-13')
  server.setTime('2026-01-15')
  await server.retention.run()
  const readHealth = async (): Promise<unknown> =>
    (await server.app.inject({ url: '/healthz', remoteAddress: '127.0.0.1' }))
      .json()
      .troubles.filter((text: string) => text.startsWith('The clock shows'))
  expect([await hasAnswers(), await readHealth()]).toEqual([true, []])

  server.setTime('2026-05-10')
  await server.retention.run()
  // The clock had already shown this time before this test set it back.
  const reason = expect.stringMatching(
    /^The clock shows 10 May 2026, 12:00 pm, but the last recorded time is 3 April 2026, 12:00 am\. Automatic erasure is paused/,
  )
  expect([await hasAnswers(), await readHealth()]).toEqual([true, [reason]])
  const [ownerSession, treasurerSession] = [await signIn(server), await signIn(server, 'money')]
  const readStats = async (office: Office) =>
    (await office.get('/admin/dashboard/stats/')).json<StatsResponse>().data.erasing_waits
  expect([await readStats(ownerSession), await readStats(treasurerSession)]).toEqual([
    reason,
    undefined,
  ])
  const variables = { DATA_DIR: server.dir, EVENTS_DIR: server.eventsDir, CLOCK: '2026-05-10' }
  expect(await runHere(['db', 'clock'], variables)).toMatchObject({ status: 1, stdout: reason })
  expect((await runHere(['db', 'clock', '--confirm'], variables)).status).toBe(2)
  const confirmClockAs = async ({ token }: Office): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` }
    const url = '/admin/clock/confirm/'
    return (await server.app.inject({ method: 'POST', url, headers })).statusCode
  }
  expect([await confirmClockAs(treasurerSession), await confirmClockAs(ownerSession)]).toEqual([
    403, 200,
  ])
  server.log.length = 0
  await server.retention.run()
  expect([await hasAnswers(), await readStats(ownerSession)]).toEqual([false, undefined])
  expect(server.log).toContainEqual(
    expect.objectContaining({
      event: EVENT,
      registrations: expect.any(Number),
      message:
        'the personal data of registrations was erased: the retention period in the event file has ended',
    }),
  )
  expect(server.rows('SELECT who, what FROM audit_log ORDER BY id')).toContainEqual({
    who: 'office',
    what: 'confirmed that the clock is correct',
  })
  server.setClock('2026-01-10')
  server.setTime('2026-01-12')
})

test('a server that starts in the wrong year, on a database without a recorded time, erases nothing', async () => {
  server.setTime('2026-01-20')
  const { regNo } = await registerPerson()
  const db = new Database(join(server.dir, 'rollcall.db'))
  db.exec('DELETE FROM clock_seen')
  db.close()
  server.setClock('2031-01-10')
  server.setTime('2031-01-12')
  await server.retention.run()
  expect(Object.keys((await server.deps.store.registration(regNo))?.answers ?? {})).not.toEqual([])
  expect(
    await runHere(['db', 'clock', '--confirm', '--who', 'Made Up'], {
      DATA_DIR: server.dir,
      EVENTS_DIR: server.eventsDir,
      CLOCK: '2031-01-12',
    }),
  ).toMatchObject({ status: 0, stdout: expect.stringContaining('12 January 2031') })
  // One day after the clock change.
  server.setTime('2031-01-13T13:00:00+05:30')
  await server.retention.run()
  expect(Object.keys((await server.deps.store.registration(regNo))?.answers ?? {})).toEqual([])
  server.setClock('2026-01-10')
  server.setTime('2026-01-12')
})

test('rollcall registration export-person writes all data for an email address, and rollcall registration erase deletes it', async () => {
  const { regNo } = await registerPerson()
  const variables = { DATA_DIR: server.dir, EVENTS_DIR: server.eventsDir }
  const folder = join(server.dir, '..', 'theirs')
  const exportArgs = ['registration', 'export-person', 'ZULEKHA.Q@sample.example', '--into', folder]
  expect(await runHere(exportArgs, variables)).toMatchObject({ status: 0, stderr: '' })
  const exportResult = JSON.parse(readFileSync(join(folder, 'person.json'), 'utf8')) as {
    readonly registrations: readonly Record<string, unknown>[]
  }
  expect(exportResult.registrations.at(-1)).toMatchObject({
    regNo,
    answers: { full_name: 'Zulekha Quatermain' },
    captures: [{ amount: 118_000 }],
    mails: [{ text: expect.stringContaining('Dear Zulekha Quatermain') }],
  })
  const files = readdirSync(folder)
  expect(files).toContain(`${regNo}-letter.pdf`)
  expect(files.some((name) => name.startsWith(`${regNo}-Receipt`))).toBe(true)
  expect((await runHere(exportArgs, variables)).status).toBe(2)
  const transferred = await registerPerson()
  const newPerson = {
    full_name: 'Yusuf Example',
    email: 'yusuf@sample.example',
    phone_number: '9876511111',
  }
  // The clock of earlier tests has ended the owner's session.
  owner = await signIn(server)
  const transfer = await owner.act(transferred.regNo, {
    act: 'transfer',
    why: 'A colleague comes.',
    answers: newPerson,
  })
  expect(transfer.status).toBe(200)
  expect(
    await runHere(
      ['registration', 'export-person', newPerson.email, '--into', join(folder, '..', 'both')],
      variables,
    ),
  ).toMatchObject({
    status: 0,
    stderr: expect.stringContaining(`${transferred.regNo} was transferred from another person.`),
  })
  expect(
    (await runHere(['registration', 'export-person', 'nobody@sample.example'], variables)).status,
  ).toBe(1)

  expect((await runHere(['registration', 'erase', regNo], variables)).status).toBe(2)
  expect(
    await runHere(['registration', 'erase', regNo, '--why', 'Asked.'], variables),
  ).toMatchObject({ status: 0 })
  expect((await server.deps.store.registration(regNo))?.answers).toEqual({})
  const secondErasure = await runHere(
    ['registration', 'erase', regNo, '--why', 'Asked.'],
    variables,
  )
  expect([secondErasure.status, secondErasure.stderr]).toEqual([
    1,
    expect.stringContaining('is already erased'),
  ])
  // If an email address is given, the registrations that can be erased are, and the others are listed.
  const partialErasure = await runHere(
    ['registration', 'erase', 'zulekha.q@sample.example', '--why', 'Asked.'],
    variables,
  )
  expect(partialErasure).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('has a payment that needs review'),
  })
})
