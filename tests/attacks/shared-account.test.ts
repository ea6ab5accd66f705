/** Attacks by staff of one event on another event that uses the same merchant account. */
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_RUNS } from '../runs.ts'
import { placeOrder, clickPaymentButton, waitForStatus } from './gateway.ts'
import {
  runCommand,
  delegate,
  createAddress,
  registerDelegate,
  listDistinctRoutes,
  signInAsAdmin,
  startTarget,
} from './target.ts'
import type { PaymentData, Target } from './target.ts'
import type { HttpResponse } from './wire.ts'

type SessionHeaders = Readonly<Record<string, string>>
type EventFixture = {
  readonly event: string
  /** A registration that was paid on the second attempt. */
  readonly regNo: string
  readonly order: string
  readonly reference: string
  /** A registration whose payment is still open. */
  readonly pending: string
  /** An unused number in the event's format. */
  readonly invented: string
  /** The bank reference of a transfer that is recorded for the event. */
  readonly transfer: string
  readonly name: string
}
type ReportLine = { readonly order: string; readonly reference: string; readonly utr: string }
type StaffUser = {
  readonly role: string
  readonly headers: SessionHeaders
  readonly own: EventFixture
  readonly other: EventFixture
}

/** Roles that may save a report. */
const ROLES = ALL_RUNS ? ['treasurer', 'owner'] : ['treasurer']
const NEW_UTR = 'UTIBN25100900011'
const HEADINGS = 'Merchant Txn ID,Transaction ID,Txn Amount,UTR Number,Settlement Date,Txn Type'

let target: Target
let adminHeaders: SessionHeaders
let staffUsers: readonly StaffUser[]
beforeAll(async () => {
  target = await startTarget()
  adminHeaders = { authorization: `Bearer ${await signInAsAdmin(target)}` }
  const afpicon = await createEventFixture('afpicon2026', (answers) =>
    registerDelegate(target, answers),
  )
  const midzone = await createEventFixture(
    'midzone2025',
    async ({ full_name, email, phone_number }) => {
      const response = await target.post('/api/midzone/register/', {
        full_name,
        email,
        phone_number,
      })
      const { reg_no: regNo, payment_data: data } = JSON.parse(response.body) as {
        reg_no: string
        payment_data: PaymentData & Record<string, string>
      }
      return { regNo, data }
    },
  )
  staffUsers = await Promise.all(
    [
      { own: midzone, other: afpicon },
      { own: afpicon, other: midzone },
    ].flatMap((parties) =>
      ROLES.map(async (role) => ({
        role,
        headers: await addStaffUser(role, parties.own.event),
        ...parties,
      })),
    ),
  )
})
afterAll(() => target.stop())

/** Registers a delegate who pays on the second attempt and one whose payment stays open; records a transfer. */
async function createEventFixture(
  event: string,
  register: (answers: typeof delegate) => ReturnType<typeof registerDelegate>,
): Promise<EventFixture> {
  const name = `Zyxwv of ${event}`
  const answers = { ...delegate, full_name: name, email: `zyxwv@${event}.example` }
  const { regNo, data } = await register(answers)
  await clickPaymentButton(await placeOrder(data), 'decline')
  await waitForStatus(target, data.orderid, 'failed')
  const retryResponse = await target.post('/api/payment/retry/', { order_id: regNo })
  const { payment_data: secondPayment } = JSON.parse(retryResponse.body) as {
    payment_data: PaymentData & Record<string, string>
  }
  await clickPaymentButton(await placeOrder(secondPayment), 'pay')
  await waitForStatus(target, secondPayment.orderid, 'success')
  const [paid] = target.readRows(
    'SELECT reference FROM payments WHERE order_id = ?',
    secondPayment.orderid,
  )
  const { regNo: pending } = await register({ ...answers, email: `open@${event}.example` })
  const transfer = event === 'midzone2025' ? '612345678901' : '612345678902'
  const bankPayment = {
    act: 'came_again',
    why: 'Seen at the bank.',
    way: 'transfer',
    amount: '7080',
  }
  const recordResponse = await target.post(
    `/admin/registrations/${regNo}/acts/`,
    { ...bankPayment, reference: transfer },
    createAddress(),
    adminHeaders,
  )
  expect(recordResponse.status, recordResponse.body).toBe(200)
  const inventedNumber = regNo.replaceAll(/\d/g, '4')
  const reference = String(paid?.['reference'])
  return {
    event,
    regNo,
    order: secondPayment.orderid,
    reference,
    pending,
    invented: inventedNumber,
    transfer,
    name,
  }
}

/** Adds a user with the command, signs in, and returns the headers of the session. */
async function addStaffUser(role: string, event: string): Promise<SessionHeaders> {
  const name = `${role}.${event}`
  const commandOutput = await runCommand(
    target,
    'user',
    'add',
    name,
    '--role',
    role,
    '--event',
    event,
  )
  const password = /password[^:]*: *(\S+)/i.exec(commandOutput)?.[1]
  const { body } = await target.post('/admin/login/', { username: name, password })
  const { token } = JSON.parse(body) as { token?: string }
  if (token === undefined) throw new Error(`not signed in: ${body} ${commandOutput}`)
  return { authorization: `Bearer ${token}` }
}

/** Returns lines with every combination of known and unknown numbers and references of both events. */
function buildAllLines(own: EventFixture, other: EventFixture): readonly ReportLine[] {
  const listNumbers = ({ regNo, order, pending, invented }: EventFixture): readonly string[] => [
    regNo,
    order,
    pending,
    invented,
  ]
  const orders = [...listNumbers(other), ...listNumbers(own), `${other.invented}02`, 'NOBODYS1', '']
  const references = [other.reference, own.reference, '900000099', '']
  const utrs = [NEW_UTR, other.transfer, other.transfer.replaceAll(/.{4}(?=.)/g, '$& ')]
  return orders
    .flatMap((order) =>
      references.flatMap((reference) => utrs.map((utr) => ({ order, reference, utr }))),
    )
    .filter(({ order, reference }) => order !== '' || reference !== '')
}
const buildRow = ({ order, reference, utr }: ReportLine, kind = 'Sale'): string =>
  `${order},${reference},7080.00,${utr},09-10-2025,${kind}`
const buildReport = (lines: readonly ReportLine[]): string =>
  [
    HEADINGS,
    ...lines.map((line) => buildRow(line)),
    ...lines.map((line) => buildRow(line, 'Refund')),
  ].join('\n')

const readPrefix = (number: string): string => number.replace(/\d.*$/, '')
/** Returns whether the line refers to the event by a number in its format, a payment reference or a bank transfer. */
const isLineOf = ({ order, reference, utr }: ReportLine, party: EventFixture): boolean =>
  order.startsWith(readPrefix(party.regNo)) ||
  reference === party.reference ||
  utr.replaceAll(' ', '') === party.transfer

const sendReport = (
  path: string,
  event: string,
  report: string,
  headers: SessionHeaders,
): Promise<HttpResponse> =>
  target.send({
    method: 'POST',
    path: `/admin/${path}/?event=${event}`,
    headers: { ...headers, 'content-type': 'text/csv' },
    body: report,
  })
const readSavedLines = (): readonly ReportLine[] =>
  target
    .readRows('SELECT order_id AS "order", reference, utr FROM settlement_lines')
    .map((row) => ({
      order: String(row['order'] ?? ''),
      reference: String(row['reference'] ?? ''),
      utr: String(row['utr'] ?? ''),
    }))
/** Reads the data that a report of another event must not change. */
const readStoredRows = ({ event }: EventFixture) => [
  target.readRows('SELECT * FROM registrations WHERE event_id = ?', event),
  // The columns exclude query times, because the server queries the gateway in the meantime.
  target.readRows(
    `SELECT p.order_id, p.status, p.review, p.amount, p.reference, p.paid_at
     FROM payments p JOIN registrations r ON r.id = p.registration_id WHERE r.event_id = ?`,
    event,
  ),
  target.readRows(
    'SELECT c.* FROM captures c JOIN registrations r ON r.id = c.registration_id WHERE r.event_id = ?',
    event,
  ),
]
/** Returns the numbers, orders, payments and names of an event that a text contains. */
const listDisclosedValues = (
  { regNo, order, pending, reference, name }: EventFixture,
  text: string,
): readonly string[] =>
  [regNo, order, pending, reference, name].filter((secret) => text.includes(secret))
const isNumberOf = (party: EventFixture, text: unknown): boolean =>
  typeof text === 'string' && text.startsWith(readPrefix(party.regNo))

type ReconcileResponse = {
  readonly settlement: { readonly lines: readonly Readonly<Record<string, unknown>>[] }
}

describe('staff of one event who save a report of the shared account', () => {
  test('cannot save a line that refers to the other event in any combination, or change anything in that event', async () => {
    const violations: unknown[] = []
    for (const { role, headers, own, other } of staffUsers) {
      const lines = buildAllLines(own, other)
      expect(lines.filter((line) => isLineOf(line, other)).length).toBeGreaterThan(100)
      const [rowsBefore, lineCountBefore] = [readStoredRows(other), readSavedLines().length]
      const response = await sendReport('reconcile/keep', own.event, buildReport(lines), headers)
      expect([response.status, response.body]).toEqual([
        200,
        expect.stringContaining('unknown in your events'),
      ])
      const savedLines = readSavedLines().slice(lineCountBefore)
      violations.push(
        ...savedLines.filter((line) => isLineOf(line, other)).map((line) => [role, line]),
      )
      if (!isDeepStrictEqual(readStoredRows(other), rowsBefore))
        violations.push([role, 'a row has changed'])
      // Lines of their own event are saved, so the other lines were skipped because of their event.
      const ownLine = { order: own.order, reference: own.reference, utr: NEW_UTR }
      if (!readSavedLines().some((line) => isDeepStrictEqual(line, ownLine)))
        violations.push([role, 'their own line was not saved'])
    }
    expect(violations).toEqual([])
  })

  test('see no registration number or order id in a line of the other event', async () => {
    for (const { role, headers, own, other } of staffUsers) {
      const lines = buildAllLines(own, other)
      const response = await sendReport('reconcile', own.event, buildReport(lines), headers)
      expect(response.status, response.body).toBe(200)
      const reportedLines = (JSON.parse(response.body) as ReconcileResponse).settlement.lines
      expect(reportedLines).toHaveLength(2 * lines.length)
      const disclosedLines = reportedLines.filter(
        ({ order_id: order, reg_no: regNo }) =>
          isNumberOf(other, order) || isNumberOf(other, regNo),
      )
      expect([role, disclosedLines]).toEqual([role, []])
      // Line 1 contains the headings.
      const otherLines = reportedLines.filter(({ line: n }) =>
        isNumberOf(other, lines[(Number(n) - 2) % lines.length]?.order),
      )
      expect(
        new Set(otherLines.map(({ as, order_id, reg_no }) => `${as}|${order_id}|${reg_no}`)),
      ).toEqual(new Set(['elsewhere||null']))
    }
  })

  test('are refused for the other event, and need the treasurer role for their own', async () => {
    const [firstUser] = staffUsers
    if (firstUser === undefined) throw new Error('no user is signed in')
    const { own, other } = firstUser
    const report = buildReport(buildAllLines(own, other))
    const lowerRoleHeaders = await Promise.all(
      ['viewer', 'desk'].map((role) => addStaffUser(role, own.event)),
    )
    const before = target.readRows('SELECT * FROM settlement_lines')
    const calls: readonly (readonly [string, SessionHeaders, number])[] = [
      ...staffUsers.map((identity) => [identity.other.event, identity.headers, 403] as const),
      ...lowerRoleHeaders.flatMap((headers) =>
        [own.event, other.event].map((event) => [event, headers, 403] as const),
      ),
      [own.event, {}, 401],
    ]
    for (const [event, headers, status] of calls)
      for (const path of ['reconcile', 'reconcile/keep'])
        expect([path, event, (await sendReport(path, event, report, headers)).status]).toEqual([
          path,
          event,
          status,
        ])
    expect(target.readRows('SELECT * FROM settlement_lines')).toEqual(before)
  })

  test(
    'find no number, order or payment of the other event through any route after a user with access to both events saves its lines',
    { tags: ['slow'] },
    async () => {
      for (const { own, other } of staffUsers) {
        // A line that refers to both events belongs to both.
        const lines = buildAllLines(own, other).filter(
          (line) => !(isLineOf(line, own) && isLineOf(line, other)),
        )
        const saveResponse = await sendReport(
          'reconcile/keep',
          own.event,
          buildReport(lines),
          adminHeaders,
        )
        expect(saveResponse.status, saveResponse.body).toBe(200)
      }
      const officeRoutes = (await listDistinctRoutes()).filter(
        ({ method, path }) =>
          method === 'GET' && path.includes('admin') && !path.includes('logout'),
      )
      const disclosures: unknown[] = []
      let responseCount = 0
      for (const { role, headers, own, other } of staffUsers)
        for (const { path } of officeRoutes) {
          const url = path.replaceAll(/:\w+|\{\w+\}/g, own.regNo).replaceAll('*', '')
          for (const address of [url, `${url}?event=${own.event}`]) {
            const { status, body } = await target.send({ path: address, headers })
            if (status === 200) responseCount += 1
            if (status >= 500 || listDisclosedValues(other, body).length > 0)
              disclosures.push([role, address, status, listDisclosedValues(other, body)])
          }
        }
      expect(responseCount).toBeGreaterThan(40)
      expect(disclosures).toEqual([])
      // Users with access to all events can read the other event's numbers.
      const [firstUser] = staffUsers
      const adminResponse = await target.send({
        path: `/admin/settlements/?event=${firstUser?.other.event}`,
        headers: adminHeaders,
      })
      expect(
        firstUser === undefined ? [] : listDisclosedValues(firstUser.other, adminResponse.body),
      ).not.toEqual([])
    },
  )
})
