/** A payment that only a bank statement dates has a day, but no time of day. */
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instant, startOfDay, day } from '../../../../engine/index.ts'
import type { RegNo } from '../../../../engine/index.ts'
import type {
  OfficeRegistrationResponse,
  StatementDecisionResponse,
  StatementResponse,
  StatementUploadResponse,
} from '../../../../engine/api.ts'
import { formatDocument } from '../../../../server/documents/document-contents.ts'
import { readImportText } from '../../cli/import-text.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { createEventWithItems, register, signIn, toNoon } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const EVENT = 'sample2026'
const TODAY = '2026-01-20'
const eventFile = `${createEventWithItems('', [])}
email:
  subject: "{event.title}: {reg_no}"
  text: Dear {full_name}, we received {total} on {payment_date}.
admin:
  lists:
    - id: sample2026
      title: Registrations
      route: /admin/sample2026
      filters: [search]
      columns: [reg_no, full_name, total, payment_status, payment_date, created_at]
`

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({
    clock: `${TODAY}T15:30:00+05:30`,
    events: { 'sample2026.yaml': eventFile },
  })
  office = await signIn(server)
})
afterAll(() => server.close())

const registerDelegate = (n: number): Promise<RegNo> =>
  register(server, EVENT, {
    n,
    on: toNoon(TODAY),
    answers: {
      full_name: `Delegate ${n}`,
      email: `delegate${n}@example.org`,
      phone_number: '+919876500000',
      is_member: true,
    },
  })

async function post<T>(url: string, payload: string | object): Promise<T> {
  const type = typeof payload === 'string' ? 'text/csv' : 'application/json'
  const headers = { authorization: `Bearer ${office.token}`, 'content-type': type }
  const response = await server.app.inject({ method: 'POST', url, headers, payload })
  expect(response.statusCode, response.body).toBe(200)
  return response.json<T>()
}
const readPaymentTimes = async (regNo: RegNo): Promise<readonly number[]> =>
  (await server.deps.store.captures(regNo)).map(({ paidAt }) => paidAt)
async function readExport(url: string): Promise<readonly Record<string, string>[]> {
  const response = await office.get(url)
  expect(response.statusCode, response.body).toBe(200)
  return parse(response.body.replace(/^\uFEFF/, ''), { columns: true })
}

test('a line of today’s bank statement, assigned in the afternoon, states today without a time in the office, the receipt, the email and the exports', async () => {
  const regNo = await registerDelegate(1)
  const { id } = (await post<StatementUploadResponse>(
    '/admin/statements/',
    `Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt\n20/01/2026,NEFT CR ${regNo},HDFCN52026012001,,1180`,
  )) as { id: number }
  const statement = (await office.json(`/admin/statements/${id}/`)) as unknown as Extract<
    StatementResponse,
    { unchanged: false }
  >
  const assigned = await post<StatementDecisionResponse>(`/admin/statements/${id}/assign/`, {
    lines: statement.lines.map((line) => ({
      line: line.id,
      seen: null,
      reg_no: regNo,
      amount: line.amount,
    })),
  })
  expect(assigned).toMatchObject({ done: [statement.lines[0]?.id], refused: [] })

  const page = (await office.json(
    `/admin/registrations/${regNo}/`,
  )) as unknown as OfficeRegistrationResponse
  expect(page.payments[0]?.facts[0]?.at).toBe(`${TODAY}T00:00:00+05:30`)

  const [receipt] = await server.deps.store.documents(regNo)
  const stored = await server.deps.store.document(regNo, receipt?.id ?? 0)
  if (stored === null) throw new Error('no receipt')
  const printed = JSON.stringify(formatDocument(stored))
  expect(printed).toContain('"Paid","20 January 2026, payment reference')
  expect(printed).not.toMatch(/\d:\d\d [ap]m/)

  const [email] = await server.deps.store.emailsOfRegistration(regNo)
  const body = JSON.stringify(server.rows('SELECT * FROM mail_queue WHERE id = ?', email?.id))
  expect(body).toContain('on 20 January 2026.')

  const exportUrl = `/admin/export/?event_type=${EVENT}&search=${regNo}`
  const [listRow] = await readExport(exportUrl)
  expect(listRow?.['Payment Date']).toBe(TODAY)
  const event = server.deps.events.findById(EVENT)?.config
  if (event === undefined) throw new Error('the event is not served')
  expect(readImportText(event, 'hash', (await office.get(exportUrl)).body)).toMatchObject({
    value: [{ row: { paidAt: startOfDay(day(TODAY)) } }],
  })
  const [movement] = await readExport(`/admin/movements/export/?event=${EVENT}`)
  expect(movement).toMatchObject({ Date: TODAY, Time: '' })
})

test('a transfer that staff record with today’s date has no time, and cash has the time at which it was recorded', async () => {
  const [transferNo, cashNo] = [await registerDelegate(2), await registerDelegate(3)]
  const payment = { act: 'confirm', amount: '1180', day: TODAY, why: '' }
  await office.act(transferNo, { ...payment, way: 'transfer', reference: '526123000001' })
  await office.act(cashNo, { ...payment, way: 'cash', reference: 'Slip 4' })
  expect(await readPaymentTimes(transferNo)).toEqual([startOfDay(day(TODAY))])
  expect(await readPaymentTimes(cashNo)).toEqual([instant(server.now())])
})

test('a line dated more than 180 days before its registration is not an exact match, because it cannot be assigned', async () => {
  const [regNo, earlyNo] = [await registerDelegate(8), await registerDelegate(9)]
  const { id } = (await post<StatementUploadResponse>(
    '/admin/statements/',
    `Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt\n24/07/2025,NEFT CR ${regNo},526123000008,,1180\n23/07/2025,NEFT CR ${earlyNo},526123000009,,1180`,
  )) as { id: number }
  expect(await office.json(`/admin/statements/${id}/`)).toMatchObject({
    lines: [
      { is_exact: true, why: null },
      {
        is_exact: false,
        why: 'The line is dated more than 180 days before the registration. Check the year.',
        proposals: [{ reg_no: earlyNo }],
      },
    ],
  })
})
