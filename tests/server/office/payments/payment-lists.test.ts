/** January's payments are the same on the page, in CSV and Excel, and in the daily revenue. */
import { parse } from 'csv-parse/sync'
import readXlsxFile from 'read-excel-file/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addDays,
  createOrderId,
  day,
  INR,
  formatMethod,
  toAmount,
} from '../../../../engine/index.ts'
import type { RegNo } from '../../../../engine/index.ts'
import type {
  AuditLogResponse,
  DebtorsResponse,
  MovementsResponse,
  WireMovement,
} from '../../../../engine/api.ts'
import {
  buildMovementCells,
  MOVEMENT_HEADER,
} from '../../../../server/office/payments/movement-rows.ts'
import type { Movement } from '../../../../server/storage/index.ts'
import { hashCheaply, toNoon, PASSWORD, register, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { createJanuary, EVENT_IDS } from './january.ts'
import type { January, Sums } from './january.ts'

let january: January
let office: Office
beforeAll(async () => {
  january = await createJanuary()
  office = await signIn(january.server)
})
afterAll(() => january.server.close())

const MONTH = 'month=2026-01'
const toPaise = (rupees: unknown): number => Math.round(Number(rupees ?? 0) * 100)
const listMovements = async (query: string): Promise<MovementsResponse> =>
  (await office.json(`/api/admin/movements/?${query}`)) as unknown as MovementsResponse

async function readAllRows(query: string): Promise<readonly WireMovement[]> {
  const rows: WireMovement[] = []
  for (let cursor = '', isLast = false; !isLast;) {
    const page = await listMovements(`${query}&after=${cursor}`)
    rows.push(...page.movements)
    cursor = page.after ?? ''
    isLast = page.after === null
  }
  return rows
}

const ZERO_SUMS: Sums = { payments: 0, received: 0, refunds: 0, refunded: 0 }
const computeSums = (
  rows: readonly { readonly key: string; readonly isRefund: boolean; readonly amount: number }[],
): ReadonlyMap<string, Sums> => {
  const sums = new Map<string, Sums>()
  for (const { key, isRefund, amount } of rows) {
    const previous = sums.get(key) ?? ZERO_SUMS
    sums.set(
      key,
      isRefund
        ? { ...previous, refunds: previous.refunds + 1, refunded: previous.refunded + amount }
        : { ...previous, payments: previous.payments + 1, received: previous.received + amount },
    )
  }
  return sums
}
const TITLES: Readonly<Record<string, string>> = {
  sample2026: 'Sample 2026',
  second2026: 'Second 2026',
}
const buildExpectedByLabel = (): ReadonlyMap<string, Sums> =>
  new Map(
    [...january.expected].map(([key, sums]) => {
      const [eventId = '', method = ''] = key.split(' ')
      return [`${TITLES[eventId]} ${formatMethod(method)}`, sums]
    }),
  )

test('the rows, totals, CSV, Excel and daily revenue agree to the paisa', async () => {
  const expected = buildExpectedByLabel()
  const rows = await readAllRows(MONTH)
  expect(
    computeSums(
      rows.map((row) => ({
        key: `${row.event} ${row.method}`,
        isRefund: row.kind !== 'payment',
        amount: toPaise(row.amount),
      })),
    ),
  ).toEqual(expected)
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  expect(rows.map(({ at }) => at)).toEqual(
    rows
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  )

  const { totals } = await listMovements(MONTH)
  expect(
    new Map(
      totals?.map((row) => [
        `${row.event} ${row.method}`,
        {
          payments: row.payments,
          received: toPaise(row.received),
          refunds: row.refunds,
          refunded: toPaise(row.refunded),
        },
      ]),
    ),
  ).toEqual(expected)

  const csv = (await office.get(`/api/admin/movements/export/?${MONTH}`)).body
  const csvRows = parse(csv.replace(/^\uFEFF/, ''), { columns: true }) as Record<string, string>[]
  const readCells = (row: Readonly<Record<string, unknown>>) => ({
    key: `${String(row['Event'])} ${String(row['Method'])}`,
    isRefund: row['Kind'] !== 'Payment',
    amount: toPaise(row['Amount received'] || row['Amount refunded']),
  })
  expect(computeSums(csvRows.map(readCells))).toEqual(expected)

  const excelResponse = await office.get(`/api/admin/movements/export/?${MONTH}&format=xlsx`)
  const [header = [], ...sheet] = (await readXlsxFile(excelResponse.rawPayload))[0]?.data ?? []
  expect(
    computeSums(
      sheet.map((row) =>
        readCells(
          Object.fromEntries(header.map((name, columnIndex) => [String(name), row[columnIndex]])),
        ),
      ),
    ),
  ).toEqual(expected)

  for (const eventId of EVENT_IDS) {
    const figures = await january.server.deps.store.dashboardFigures(
      eventId,
      day('2026-01-31'),
      INR,
    )
    const revenue = figures.byDay
      .filter(({ day: entryDay }) => entryDay.startsWith('2026-01'))
      .reduce((sum, entry) => sum + entry.revenue, 0)
    const expectedNet = [...january.expected]
      .filter(([key]) => key.startsWith(eventId))
      .reduce((sum, [, { received, refunded }]) => sum + received - refunded, 0)
    expect(revenue, eventId).toBe(expectedNet)
  }
})

test('filters by event, method and dates; an invalid filter is rejected', async () => {
  const cashList = await listMovements(`${MONTH}&event=second2026&method=cash`)
  expect(cashList.totals).toHaveLength(1)
  expect(cashList.totals?.[0]).toMatchObject({ event: 'Second 2026', method: 'Cash', payments: 75 })
  const tenthAndEleventh = await readAllRows('from=2026-01-10&to=2026-01-11')
  expect(new Set(tenthAndEleventh.map(({ at }) => at.slice(0, 10)))).toEqual(
    new Set(['2026-01-10', addDays(day('2026-01-10'), 1)]),
  )
  expect((await office.get('/api/admin/movements/?month=2026-13')).statusCode).toBe(400)
  expect((await office.get('/api/admin/movements/?from=2026-02-30')).statusCode).toBe(400)
  expect((await office.get('/api/admin/movements/?from=2026-02-02&to=2026-02-01')).statusCode).toBe(
    400,
  )
  // Without dates, the list shows the current month of the server's clock.
  expect(await listMovements('')).toMatchObject({ from: '2026-02-01', to: '2026-02-28' })
})

test('a payment’s row shows its invoice, and a refund’s row its credit note', async () => {
  const rows = await readAllRows(`${MONTH}&event=sample2026`)
  const firstPayment = rows.find(({ kind }) => kind === 'payment')
  expect(firstPayment?.documents).toHaveLength(1)
  expect(firstPayment?.documents[0]?.serial).toMatch(/^SMPL\/25-26\/\d+$/)
  const refund = rows.find(({ kind }) => kind === 'refund')
  expect(refund?.documents).toHaveLength(1)
})

test('a treasurer of one event sees its payments, but not payments that belong to no event', async () => {
  const { store } = january.server.deps
  const hash = await hashCheaply(PASSWORD)
  const permissions = { role: 'treasurer', events: ['second2026'] } as const
  await store.addAdmin('second', hash, january.server.now(), permissions)
  await store.saveUnmatchedLines([
    {
      eventId: 'sample2026',
      reference: 'N026260099',
      amount: toAmount(1_000_00),
      currency: INR,
      day: day('2026-01-15'),
      narration: 'NEFT CR',
      at: january.server.now(),
      who: 'office',
    },
  ])
  const secondTreasurer = await signIn(january.server, 'second')
  const visibleList = (await secondTreasurer.json(
    `/api/admin/movements/?${MONTH}`,
  )) as unknown as MovementsResponse
  expect(new Set(visibleList.totals?.map(({ event }) => event))).toEqual(new Set(['Second 2026']))
  expect(new Set(visibleList.movements.map(({ event_id: id }) => id))).toEqual(
    new Set(['second2026']),
  )
  expect(
    (await secondTreasurer.get(`/api/admin/movements/?${MONTH}&event=sample2026`)).statusCode,
  ).toBe(403)
})

test('amounts due match the registration lists, are sorted oldest first, and show the last reminder', async () => {
  const owingRegNos = await Promise.all(
    [0, 1, 2].map((n) =>
      register(january.server, EVENT_IDS[n % 2] ?? EVENT_IDS[0], {
        n: 900 + n,
        on: toNoon(`2026-01-${20 - n}`),
        answers: {
          full_name: `Debtor ${n}`,
          email: `debtor${n}@example.org`,
          phone_number: '+919876500000',
          is_member: true,
        },
        throughGateway: true,
      }),
    ),
  )
  const amountsDue = (await office.json('/api/admin/debtors/')) as unknown as DebtorsResponse
  expect(amountsDue.debtors.map(({ reg_no: regNo }) => regNo)).toEqual(owingRegNos.toReversed())
  expect(amountsDue.debtors[0]).toMatchObject({
    amount: 1180,
    since: expect.stringMatching(/^2026-01-18/),
  })
  expect(amountsDue.totals).toEqual([
    { event: 'Sample 2026', registrations: 2, amount: 2360 },
    { event: 'Second 2026', registrations: 1, amount: 1180 },
  ])
  const registrationPage = await january.server.deps.store.listPage(
    { eventId: 'sample2026', answers: {} },
    1,
    20,
  )
  expect(registrationPage.sums?.reduce((sum, { owed }) => sum + owed, 0)).toBe(236_000)

  const csv = await office.get('/api/admin/debtors/export/')
  expect(csv.headers['content-disposition']).toContain('amounts-due_2026-02-02.csv')
  expect(parse(csv.body, { bom: true, columns: true })).toEqual(
    amountsDue.debtors.map((row) => ({
      Name: row.name,
      Event: row.event,
      Registration: row.reg_no,
      Email: `${row.name.toLowerCase().replace(' ', '')}@example.org`,
      Phone: '+919876500000',
      'Amount due': '1180.00',
      Currency: 'INR',
      'Owed since': row.since.slice(0, 10),
      'Last reminder': '',
      State: 'Unpaid',
    })),
  )
  const excel = await office.get('/api/admin/debtors/export/?event=second2026&format=xlsx')
  const [, ...sheet] = (await readXlsxFile(excel.rawPayload))[0]?.data ?? []
  expect(sheet.map((row) => [row[1], row[5]])).toEqual([['Second 2026', 1180]])
  const permissions = { role: 'treasurer', events: ['second2026'] } as const
  const hash = await hashCheaply(PASSWORD)
  await january.server.deps.store.addAdmin('debts', hash, january.server.now(), permissions)
  const secondExport = await (
    await signIn(january.server, 'debts')
  ).get('/api/admin/debtors/export/')
  expect(parse(secondExport.body, { bom: true, from: 2 }).map((row: string[]) => row[1])).toEqual([
    'Second 2026',
  ])
  const log = (await office.json('/api/admin/log/?kind=exports')) as unknown as AuditLogResponse
  expect(log.rows.slice(0, 4).map(({ what, event_id: eventId }) => [what, eventId])).toEqual([
    ['exported the amounts due', 'second2026'],
    ['exported the amounts due to Excel', 'second2026'],
    ['exported the amounts due', 'second2026'],
    ['exported the amounts due', 'sample2026'],
  ])
})

test('refunds are not counted as received', async () => {
  const { deps } = january.server
  const filter = { eventIds: null, from: toNoon('2026-01-01'), to: toNoon('2026-02-01') }
  const { rows } = await deps.store.movementPage(filter, null, 500)
  const refund = rows.find(({ is }) => is === 'refund')
  if (refund === undefined) throw new Error('there is a refund in January')
  const formatCountsAs = (change: Partial<Movement>) =>
    buildMovementCells(deps, { ...refund, ...change })[MOVEMENT_HEADER.indexOf('Counts as')]
  expect([
    formatCountsAs({}),
    formatCountsAs({ is: 'dispute' }),
    formatCountsAs({ state: 'refused' }),
    formatCountsAs({ is: 'payment' }),
  ]).toEqual(['Refunded', 'Withdrawn by the bank', 'Refund of a payment not applied', 'Received'])
})

test('a refund that a settlement report identifies by its payment is not listed as missing', async () => {
  const order = createOrderId(january.regNos[0] ?? ('' as RegNo), 1)
  const readUnsettled = async () => (await readAllRows(`${MONTH}&unsettled=1`)).map(({ id }) => id)
  const unsettledBefore = await readUnsettled()
  const refund = (await readAllRows(MONTH)).find(({ reference }) => reference === 'BACK0')
  expect(unsettledBefore).toContain(refund?.id)
  const saveResponse = await january.server.app.inject({
    method: 'POST',
    url: '/admin/reconcile/keep/?event=sample2026',
    headers: { authorization: `Bearer ${office.token}`, 'content-type': 'text/csv' },
    payload: [
      'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type',
      `${order},AP0,${refund?.amount},0,0,-${refund?.amount},AXISN26020000001,20-01-2026,Refund`,
    ].join('\n'),
  })
  expect(saveResponse.statusCode, saveResponse.body).toBe(200)
  expect(await readUnsettled()).toEqual(unsettledBefore.filter((id) => id !== refund?.id))
})

test('a second payment under review does not show the invoice of the first', async () => {
  const regNo = january.regNos[6] ?? ''
  const secondPayment = {
    act: 'came_again',
    way: 'cash',
    reference: 'TWICE',
    amount: '1180',
    why: '',
  }
  expect(await office.act(regNo, { ...secondPayment, day: '2026-01-31' })).toMatchObject({
    status: 200,
  })
  const rows = (await readAllRows(MONTH)).filter(({ reg_no: rowRegNo }) => rowRegNo === regNo)
  expect(
    rows
      .filter(({ kind }) => kind === 'payment')
      .map(({ counts, documents }) => [counts, documents.length]),
  ).toEqual([
    ['review', 0],
    ['received', 1],
  ])
})

test('two refunds that are confirmed at the same time each show only their own credit note', async () => {
  const of = january.regNos[8] ?? ('' as RegNo)
  const refund = { of, why: 'Agreed', who: 'office', at: toNoon('2026-02-10') }
  const { store } = january.server.deps
  await store.requestRefund({ ...refund, amount: toAmount(20_00), manualReference: 'SLIP A' })
  await store.requestRefund({ ...refund, amount: toAmount(30_00), manualReference: 'SLIP B' })
  const rows = (await readAllRows('month=2026-02')).filter(
    ({ reg_no: regNo, kind }) => regNo === of && kind === 'refund',
  )
  const serials = rows.map(({ documents }) => documents.map(({ serial }) => serial))
  expect(serials).toEqual([[expect.any(String)], [expect.any(String)]])
  expect(new Set(serials.flat()).size).toBe(2)
})
