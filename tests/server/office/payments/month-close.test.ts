/** The month-end close for January: the accountant's file matches the ledger, and later entries are marked. */
import { parse } from 'csv-parse/sync'
import { strFromU8, unzipSync } from 'fflate'
import readXlsxFile from 'read-excel-file/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOrderId, day, INR, instant, toAmount } from '../../../../engine/index.ts'
import type { Answers, RegNo } from '../../../../engine/index.ts'
import type {
  AuditLogResponse,
  MonthResponse,
  MovementsResponse,
  ReviewsResponse,
} from '../../../../engine/api.ts'
import { hashCheaply, toNoon, PASSWORD, register, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { createJanuary, EVENT_IDS, METHODS } from './january.ts'
import type { January } from './january.ts'

let january: January
let office: Office
beforeAll(async () => {
  january = await createJanuary()
  office = await signIn(january.server)
})
afterAll(() => january.server.close())

type Row = Readonly<Record<string, string>>
const toPaise = (rupees: unknown): number => Math.round(Number(rupees || 0) * 100)
const sumColumn = (rows: readonly Row[], column: string): number =>
  rows.reduce((sum, row) => sum + toPaise(row[column]), 0)
const readMonthFiles = async (): Promise<Readonly<Record<string, Uint8Array>>> => {
  const response = await office.get('/api/admin/months/export/?month=2026-01')
  expect(response.statusCode, response.body).toBe(200)
  return unzipSync(new Uint8Array(response.rawPayload))
}
const readTable = (files: Readonly<Record<string, Uint8Array>>, name: string): readonly Row[] =>
  parse(strFromU8(files[`${name}_2026-01.csv`] ?? new Uint8Array()).replace(/^\uFEFF/, ''), {
    columns: true,
  })
const readMonth = async (): Promise<MonthResponse> =>
  (await office.json('/api/admin/months/?month=2026-01')) as unknown as MonthResponse
const readLog = async (user: Office): Promise<AuditLogResponse['rows']> =>
  ((await user.json('/api/admin/log/')) as unknown as AuditLogResponse).rows
/** Records a bank statement line without a registration number for the first event. */
const saveUnmatched = (reference: string) =>
  january.server.deps.store.saveUnmatchedLines([
    {
      eventId: EVENT_IDS[0],
      reference,
      amount: toAmount(118_000),
      currency: INR,
      day: day('2026-01-29'),
      narration: 'NEFT CR',
      at: january.server.now(),
      who: 'office',
    },
  ])
/** Moves the only unmatched payment to a new registration for the second event. */
async function moveUnmatched(n: number, answers: Answers): Promise<RegNo> {
  const { reviews } = (await office.json('/admin/reviews/')) as unknown as ReviewsResponse
  const [review] = reviews
  const registrationDetails = {
    n,
    on: toNoon('2026-01-30'),
    answers,
    throughGateway: true,
  } as const
  const targetRegNo = await register(january.server, EVENT_IDS[1], registrationDetails)
  const response = await january.server.app.inject({
    method: 'POST',
    url: `/admin/reviews/${review?.id}/decide/`,
    headers: { authorization: `Bearer ${office.token}` },
    payload: {
      decision: 'move',
      version: review?.version,
      to: targetRegNo,
      why: 'Paid for a colleague',
    },
  })
  expect(response.statusCode, response.body).toBe(200)
  return targetRegNo
}
const closeMonth = (month: string) =>
  january.server.app.inject({
    method: 'POST',
    url: '/api/admin/months/close/',
    headers: { authorization: `Bearer ${office.token}` },
    payload: { month },
  })

test('the accountant’s file matches the ledger, and the tables in it match each other', async () => {
  const files = await readMonthFiles()
  const names = ['summary', 'payments', 'refunds', 'invoices', 'credit-notes', 'settlement-fees']
  expect(Object.keys(files).toSorted()).toEqual(
    [
      ...names.flatMap((name) => [`${name}_2026-01.csv`, `${name}_2026-01.xlsx`]),
      'readme_2026-01.txt',
    ].toSorted(),
  )
  // A transfer may be invoiced in a later month than the one in which it was received.
  expect(strFromU8(files['readme_2026-01.txt'] ?? new Uint8Array())).toContain(
    'An invoice is dated when its payment was recorded.',
  )
  const expected = [...january.expected.values()]
  const received = expected.reduce((sum, row) => sum + row.received, 0)
  const refunded = expected.reduce((sum, row) => sum + row.refunded, 0)
  const payments = readTable(files, 'payments')
  expect(payments).toHaveLength(expected.reduce((sum, row) => sum + row.payments, 0))
  expect(sumColumn(payments, 'Amount received')).toBe(received)
  expect(sumColumn(readTable(files, 'refunds'), 'Amount refunded')).toBe(refunded)
  const summary = readTable(files, 'summary')
  expect(sumColumn(summary, 'Received less refunded')).toBe(received - refunded)
  for (const [kind, column] of [
    ['invoices', 'Invoiced'],
    ['credit-notes', 'Credited'],
  ] as const) {
    const rows = readTable(files, kind)
    expect(sumColumn(rows, 'Total'), kind).toBe(sumColumn(summary, column))
    expect(sumColumn(rows, 'Total'), kind).toBe(sumColumn(rows, 'Total of the document (INR)'))
    for (const row of rows)
      expect(
        sumColumn([row], 'Taxable value') +
          sumColumn([row], 'CGST') +
          sumColumn([row], 'SGST or UTGST') +
          sumColumn([row], 'IGST') +
          sumColumn([row], 'Round-off') +
          sumColumn([row], 'Not taxed'),
        row['Number'],
      ).toBe(sumColumn([row], 'Total'))
  }
  // Every payment was invoiced when it was made, and every refund credited.
  expect(sumColumn(readTable(files, 'invoices'), 'Total')).toBe(received)
  expect(sumColumn(readTable(files, 'credit-notes'), 'Total')).toBe(refunded)
  expect(readTable(files, 'invoices')[0]).toMatchObject({
    Document: 'Tax invoice',
    'GSTIN of supplier': '32AAAAA0000A1ZB',
    'Place of supply': '32-Kerala',
    SAC: '998596',
    'Rate (%)': '18',
    IGST: '0.00',
  })
  const sheet = (await readXlsxFile(Buffer.from(files['payments_2026-01.xlsx'] ?? [])))[0]?.data
  const column = sheet?.[0]?.indexOf('Amount received') ?? -1
  expect(sheet?.slice(1).reduce((sum, row) => sum + toPaise(row[column]), 0)).toBe(received)
})

test('a closed month accepts later payments, and marks them on the page and in the file', async () => {
  const { server: app } = january
  await saveUnmatched('HDFCN52026012900')
  expect((await closeMonth('2026-02')).json()).toMatchObject({ code: 'month_not_over' })
  expect((await closeMonth('2026-13')).statusCode).toBe(400)
  expect(await readMonth()).toMatchObject({ is_over: true, closings: [], changes: [] })
  expect((await closeMonth('2026-01')).json()).toMatchObject({ message: 'The month is closed.' })
  const closedMonth = await readMonth()
  expect(closedMonth.closings.map(({ event_id: id, who }) => [id, who])).toEqual(
    EVENT_IDS.map((id) => [id, 'office']),
  )
  expect(closedMonth.changes).toEqual([])

  app.setTime('2026-02-02T13:00:00+05:30')
  const answers = {
    full_name: 'Late Cash',
    email: 'late@example.org',
    phone_number: '+919876500000',
    is_member: true,
  }
  const regNo = await register(app, EVENT_IDS[0], { n: 800, on: toNoon('2026-01-30'), answers })
  await app.deps.store.recordPayment(
    {
      regNo,
      act: 'confirm',
      actor: 'desk',
      who: 'office',
      why: '',
      at: app.now(),
      idempotencyKey: null,
    },
    {
      method: 'cash',
      reference: 'SLIP LATE',
      amount: toAmount(118_000),
      paidAt: instant(toNoon('2026-01-30')),
    },
    null,
  )
  const changedMonth = await readMonth()
  expect(changedMonth.changes.map(({ reg_no, amount }) => [reg_no, amount])).toEqual([
    [regNo, 1180],
  ])
  const files = await readMonthFiles()
  const markedRows = readTable(files, 'payments').filter(
    (row) => row['Changed after closing'] === 'Yes',
  )
  expect(markedRows.map((row) => row['Registration'])).toEqual([regNo])
  // A bank statement states only the day.
  const lineRow = readTable(files, 'payments').find(
    (row) => row['Reference'] === 'HDFCN52026012900',
  )
  expect(lineRow).toMatchObject({ Date: '2026-01-29', Time: '' })
  expect(readTable(files, 'summary').map((row) => row['Changes after closing'])).toEqual(['1', '0'])

  // A payment that is moved from one event to the other changes both.
  const movedToRegNo = await moveUnmatched(802, answers)
  const changesAfterMove = (await readMonth()).changes.filter(
    ({ reference }) => reference === 'HDFCN52026012900',
  )
  expect(changesAfterMove.map((row) => [row.event_id, row.reg_no, row.counts]).toSorted()).toEqual([
    [EVENT_IDS[0], null, 'moved_away'],
    [EVENT_IDS[1], movedToRegNo, 'received'],
  ])
  const filesAfterMove = await readMonthFiles()
  expect(readTable(filesAfterMove, 'summary').map((row) => row['Changes after closing'])).toEqual([
    '2',
    '1',
  ])
  const movedRows = readTable(filesAfterMove, 'payments').filter(
    (row) => row['Reference'] === 'HDFCN52026012900',
  )
  expect(movedRows.map((row) => row['Counts as'])).toEqual(['Received', 'Moved to another event'])
  expect(sumColumn(movedRows, 'Amount received')).toBe(118_000)
  // No refund is listed under “Counts as: Received”.
  const refunds = Object.groupBy(
    readTable(filesAfterMove, 'refunds'),
    (row) => row['Counts as'] ?? '',
  )
  expect(Object.keys(refunds)).toEqual(['Refunded'])
  expect(sumColumn(refunds['Refunded'] ?? [], 'Amount refunded')).toBe(
    sumColumn(readTable(filesAfterMove, 'summary'), 'Refunded'),
  )

  // Closing the month again includes the later payment in the closed figures.
  expect((await closeMonth('2026-01')).statusCode).toBe(200)
  expect((await readMonth()).changes).toEqual([])
  const closings = app.rows('SELECT event_id, month, who FROM month_closings ORDER BY id')
  expect(closings).toHaveLength(4)

  // A payment recorded after the close is not reported as moved out of the first event, which never counted it.
  app.setTime('2026-02-02T13:30:00+05:30')
  await saveUnmatched('HDFCN52026012999')
  const movedRegNo = await moveUnmatched(803, { ...answers, email: 'latest@example.org' })
  expect((await readMonth()).changes.map((row) => [row.event_id, row.reg_no, row.counts])).toEqual([
    [EVENT_IDS[1], movedRegNo, 'received'],
  ])
})

test('a February refund of a January payment is not a change to the closed month', async () => {
  january.server.setTime('2026-02-02T14:00:00+05:30')
  expect((await closeMonth('2026-01')).statusCode).toBe(200)
  january.server.setTime('2026-02-02T15:00:00+05:30')
  const regNo = january.regNos.find((_, n) => METHODS[(n >> 1) % 4] === 'cash') ?? ''
  const refund = { act: 'refund', why: 'Goodwill.', by_hand: true, reference: 'NEFT FEB 1' }
  expect(await office.act(regNo, { ...refund, amount: '100' })).toMatchObject({ status: 200 })
  expect((await readMonth()).changes).toEqual([])
  const february = (await office.json(
    '/api/admin/movements/?month=2026-02',
  )) as unknown as MovementsResponse
  expect(february.movements[0]).toMatchObject({ kind: 'refund', amount: 100, reg_no: regNo })
})

const listStatementPayments = () =>
  [...january.regNos.keys()].filter((n) =>
    ['transfer', 'upi'].includes(METHODS[(n >> 1) % 4] ?? ''),
  )

test('the checklist counts open reviews, open refunds, and payments that are missing from the settlements', async () => {
  const { checks } = await readMonth()
  const airpayEntries = [...january.expected].filter(([key]) => key.endsWith('airpay'))
  expect(checks).toEqual({
    statements: { statements: 0, matched: 0, open: 0 },
    // Two of these payments were moved above.
    unreconciled: listStatementPayments().length + 2,
    reviews: 0,
    refunds: 0,
    to_refund: { registrations: 0, event: null },
    unsettled: {
      payments: airpayEntries.reduce((sum, [, row]) => sum + row.payments, 0),
      refunds: airpayEntries.reduce((sum, [, row]) => sum + row.refunds, 0),
    },
    payouts: { payouts: 0, at_bank: 0 },
    rates: 0,
  })
  const [regNo] = january.regNos
  await january.server.deps.store.requestRefund({
    of: regNo ?? '',
    amount: toAmount(1_00),
    why: 'Agreed',
    who: 'office',
    at: toNoon('2026-01-31'),
  })
  expect((await readMonth()).checks.refunds).toBe(1)

  // A refund that staff have not made yet also counts as open.
  const cancelledRegNo = january.regNos.at(-1) ?? ''
  const cancellation = { act: 'cancel', why: 'Ill', pay_back: '100' }
  expect(await office.act(cancelledRegNo, cancellation)).toMatchObject({ status: 200 })
  expect((await readMonth()).checks).toMatchObject({
    refunds: 1,
    to_refund: { registrations: 1, event: EVENT_IDS[1] },
  })
})

test('a manually recorded transfer does not count as matched to the bank, and a line in two statements counts once', async () => {
  const [n = 0] = listStatementPayments()
  const statementLine = `16/01/26,NEFT CR-IN26012000${String(n).padStart(6, '0')},,,${n % 3 === 0 ? 1180 : 2360}`
  const unknownLine = '17/01/26,CASH DEPOSIT,,,75'
  const upload = async (...lines: readonly string[]): Promise<void> => {
    const { statusCode, body } = await january.server.app.inject({
      method: 'POST',
      url: '/admin/statements/',
      headers: { authorization: `Bearer ${office.token}`, 'content-type': 'text/csv' },
      payload: ['Date,Narration,Ref,Withdrawal Amt,Deposit Amt', ...lines].join('\n'),
    })
    expect(statusCode, body).toBe(200)
  }
  const readUnreconciled = async (): Promise<MovementsResponse> =>
    (await office.json(
      '/api/admin/movements/?month=2026-01&unreconciled=1',
    )) as unknown as MovementsResponse
  const countUnreconciled = async (): Promise<number> =>
    (await readUnreconciled()).totals?.reduce((sum, { payments }) => sum + payments, 0) ?? 0
  // The test above checks this figure; earlier tests in this file change it.
  const initialCount = (await readMonth()).checks.unreconciled
  expect(await countUnreconciled()).toBe(initialCount)
  await upload(statementLine, unknownLine)
  expect(await countUnreconciled()).toBe(initialCount - 1)
  expect((await readMonth()).checks).toMatchObject({
    statements: { statements: 1, matched: 1, open: 1 },
    unreconciled: initialCount - 1,
  })
  // The second statement contains both lines again, and one for the next month.
  await upload(statementLine, unknownLine, '01/02/26,CASH DEPOSIT,,,80')
  expect((await readMonth()).checks.statements).toEqual({ statements: 2, matched: 1, open: 1 })
  const rows = (await readUnreconciled()).movements
  expect(rows.every((row) => row.unreconciled && row.kind === 'payment')).toBe(true)
  const files = await readMonthFiles()
  // The file states which payments were found. A card payment is in no bank statement.
  const cells = readTable(files, 'payments').map((row) => [row['Method'], row['Bank statement']])
  const countCells = (text: string) => cells.filter(([, cell]) => cell === text).length
  expect([countCells('Not found'), countCells('Found')]).toEqual([initialCount - 1, 1])
  const emptyMethods = cells.flatMap(([method, cell]) => (cell === '' ? [method] : []))
  expect(emptyMethods).not.toContain('UPI')
  expect(emptyMethods).toContain('Airpay')
  // A payment that is recorded after its statement was uploaded is matched as well.
  await upload('18/01/26,NEFT CR-HDFCN52026011801,,,1180')
  expect((await readMonth()).checks.statements).toEqual({ statements: 3, matched: 1, open: 2 })
  const regNo = await register(january.server, EVENT_IDS[1], {
    n: 801,
    on: toNoon('2026-01-15'),
    answers: {
      full_name: 'Later Transfer',
      email: 'later@example.org',
      phone_number: '+919876500000',
      is_member: true,
    },
    throughGateway: true,
  })
  const transfer = { act: 'confirm', way: 'transfer', reference: 'HDFCN52026011801' }
  const confirmResponse = await office.act(regNo, {
    ...transfer,
    amount: '1180',
    day: '2026-01-18',
  })
  expect(confirmResponse).toMatchObject({ status: 200 })
  expect(await countUnreconciled()).toBe(initialCount - 1)
  expect((await readMonth()).checks).toMatchObject({
    statements: { statements: 3, matched: 2, open: 1 },
    unreconciled: initialCount - 1,
  })
})

test('a payout counts as received by the bank if a saved statement shows its amount; the accountant’s file contains its fees', async () => {
  const { app, deps, now } = january.server
  const [regNo] = january.regNos
  const order = createOrderId(regNo ?? ('' as RegNo), 1)
  const report = [
    'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type',
    `${order},AP0,1180,20,3.60,1156.40,AXISN26015000001,15-01-2026,Sale`,
  ]
  const saveResponse = await app.inject({
    method: 'POST',
    url: '/admin/reconcile/keep/?event=sample2026',
    headers: { authorization: `Bearer ${office.token}`, 'content-type': 'text/csv' },
    payload: report.join('\n'),
  })
  expect(saveResponse.statusCode, saveResponse.body).toBe(200)
  expect((await readMonth()).checks.payouts).toEqual({ payouts: 1, at_bank: 0 })
  const saveStatement = (sha256: string, amount: number) =>
    deps.store.saveBankStatement({
      sha256,
      currency: INR,
      events: ['sample2026'],
      bank: 'Bank',
      firstDay: day('2026-01-01'),
      lastDay: day('2026-01-31'),
      details: [],
      unread: [],
      repeated: [],
      rows: [
        {
          line: 2,
          day: day('2026-01-16'),
          narration: 'NEFT CR-AXISN26015000001-AIRPAY',
          reference: '',
          amount: toAmount(amount),
          isWithdrawal: false,
        },
        {
          line: 3,
          day: day('2026-01-17'),
          narration: 'CASH DEPOSIT AT THE BRANCH',
          reference: '',
          amount: toAmount(75_00),
          isWithdrawal: false,
        },
      ],
      who: 'office',
      at: now(),
    })
  const { open: openLineCount } = (await readMonth()).checks.statements
  await saveStatement('aa', 118_000)
  const { payouts, statements } = (await readMonth()).checks
  expect(payouts).toEqual({ payouts: 1, at_bank: 0 })
  // No user has opened this statement yet.
  expect(statements.open).toBe(openLineCount + 1)
  await saveStatement('bb', 115_640)
  expect((await readMonth()).checks.payouts).toEqual({ payouts: 1, at_bank: 1 })
  const fees = readTable(await readMonthFiles(), 'settlement-fees')
  expect(fees).toMatchObject([
    { Event: 'Sample 2026', 'Fee (INR)': '20.00', 'Net (INR)': '1156.40' },
  ])
  expect(readTable(await readMonthFiles(), 'summary')[0]).toMatchObject({
    'Gateway fees of these payments (INR)': '23.60',
  })
})

test('an event’s audit log shows its owner that a treasurer of all events has closed and exported a month', async () => {
  const { store } = january.server.deps
  const permissions = { role: 'owner', events: ['second2026'] } as const
  await store.addAdmin('second', await hashCheaply(PASSWORD), january.server.now(), permissions)
  const secondOwner = await signIn(january.server, 'second')
  const idsBefore = new Set((await readLog(secondOwner)).map(({ id }) => id))
  expect((await closeMonth('2026-01')).statusCode).toBe(200)
  await readMonthFiles()
  for (const format of ['csv', 'xlsx'])
    await office.get(`/api/admin/movements/export/?month=2026-01&format=${format}`)
  const addedEntries = (await readLog(secondOwner)).filter(({ id }) => !idsBefore.has(id))
  expect(addedEntries.map(({ who, what, event_id: id }) => [who, what, id]).toReversed()).toEqual(
    [
      'closed the month 2026-01',
      'exported the month 2026-01 for the accountant',
      'exported the payments',
      'exported the payments to Excel',
    ].map((what) => ['office', what, 'second2026']),
  )
})

test('the last month and the last date in the calendar cause no internal error, although no date follows them', async () => {
  expect((await closeMonth('9999-12')).json()).toMatchObject({ code: 'bad_month' })
  for (const [path, status] of [
    ['months/?month=9999-12', 400],
    ['months/?month=0000-01', 400],
    ['months/export/?month=9999-12', 400],
    ['movements/?month=9999-12', 400],
    ['movements/?from=0000-01-01&to=9999-12-31', 400],
    ['movements/?from=9999-12-31', 400],
    ['movements/?from=0000-01-01&to=9999-12-30', 200],
  ] as const)
    expect((await office.get(`/api/admin/${path}`)).statusCode, path).toBe(status)
})
