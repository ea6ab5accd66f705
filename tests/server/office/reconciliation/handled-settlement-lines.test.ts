/** Staff mark settlement lines that differ from the records as handled, with a reason. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type {
  PayoutsResponse,
  SettlementsResponse,
  WireSettledLine,
} from '../../../../engine/api.ts'
import { main } from '../../../../server/cli/run-command.ts'
import { buildTwoEventsOfOneAccount } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { hashCheaply, PASSWORD, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { registerPaid } from '../card-payers.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const EVENT = 'sample2026'
let server: TestApp
let owner: Office
beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-02-02T10:00:00+05:30',
    events: buildTwoEventsOfOneAccount(),
  })
  owner = await signIn(server)
})
afterAll(() => server.close())

const HEADER =
  'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type'
const post = async (path: string, body: string | object, office = owner, event = EVENT) => {
  const response = await server.app.inject({
    method: 'POST',
    url: `/admin/${path}/?event=${event}`,
    headers: {
      authorization: `Bearer ${office.token}`,
      'content-type': typeof body === 'string' ? 'text/csv' : 'application/json',
    },
    payload: body,
  })
  return {
    code: response.statusCode,
    body: response.json<Record<string, unknown> & Partial<SettlementsResponse>>(),
  }
}
const markHandled = (
  line: { readonly id: number | null; readonly seen?: number | null },
  reason?: string,
  office = owner,
  event = EVENT,
) =>
  post(
    'settlements/handle',
    {
      line: String(line.id),
      seen: String(line.seen ?? ''),
      ...(reason !== undefined && { why: reason }),
    },
    office,
    event,
  )
const readLines = async (): Promise<readonly WireSettledLine[]> =>
  ((await owner.json(`/admin/settlements/?event=${EVENT}`)) as unknown as SettlementsResponse)
    .settlement.lines
const findLine = (lines: readonly WireSettledLine[], reference: string): WireSettledLine => {
  const line = lines.find((line) => line.reference === reference)
  if (line === undefined) throw new Error(`no line ${reference}`)
  return line
}

test('staff can mark a chargeback as handled, and it stays handled when the report is saved again', async () => {
  const { order } = await registerPaid(server, EVENT, 'AP1')
  const buildReport = (amount: number): string =>
    [
      HEADER,
      `${order},AP1,1180.00,20,3.60,1156.40,UTR1,30-01-2026,Sale`,
      `${order},CB1,${amount}.00,0,0,-${amount}.00,UTR1,30-01-2026,Chargeback`,
    ].join('\r\n')
  expect((await post('reconcile/keep', buildReport(1180))).code).toBe(200)
  const openLine = findLine(await readLines(), 'CB1')
  expect(openLine).toMatchObject({ as: 'differs', id: expect.any(Number), handled: null })

  for (const reason of ['', '   ', '\u200B', 'x'.repeat(501)])
    expect(await markHandled(openLine, reason)).toMatchObject({
      code: 422,
      body: { message: 'Enter a reason of at most 500 characters.' },
    })
  const statusCodes = await Promise.all(
    Array.from({ length: 8 }, async () => (await markHandled(openLine, 'The bank kept it.')).code),
  )
  expect(statusCodes.toSorted()).toEqual([200, ...Array<number>(7).fill(409)])
  const handledLine = {
    as: 'handled',
    handled: { why: 'The bank kept it.', who: 'office', at: '2026-02-02T10:00:00+05:30' },
  }
  expect(findLine(await readLines(), 'CB1')).toMatchObject(handledLine)
  expect((await owner.get(`/admin/settlements/export/?event=${EVENT}`)).body).toContain(
    'office: The bank kept it.',
  )

  // The command reads a report with only the handled line.
  const path = join(server.dir, 'handled.csv')
  const [heading = '', , chargeback = ''] = buildReport(1180).split('\r\n')
  writeFileSync(path, [heading, chargeback].join('\r\n'))
  const output: string[] = []
  const terminal = {
    print: (text: string) => void output.push(text),
    printError: (text: string) => void output.push(text),
    environment: () => server.environment,
  }
  await main(['payment', 'reconcile', EVENT, path], terminal)
  expect(output[0]).toContain('handled')
  expect(output[0]).toContain('office: The bank kept it.')

  // The same report is checked and saved again, followed by a report with a different amount in this line.
  const checkResponse = await post('reconcile', buildReport(1180))
  expect(findLine(checkResponse.body.settlement?.lines ?? [], 'CB1')).toMatchObject(handledLine)
  expect((await post('reconcile/keep', buildReport(1180))).body).toMatchObject({ added: 0 })
  expect(findLine(await readLines(), 'CB1')).toMatchObject(handledLine)
  await post('reconcile/keep', buildReport(1200))
  expect((await readLines()).filter(({ reference }) => reference === 'CB1')).toMatchObject([
    handledLine,
    { as: 'differs', amount: 1200, handled: null },
  ])

  const reopenedLine = findLine(await readLines(), 'CB1')
  expect(await markHandled(reopenedLine)).toMatchObject({
    code: 200,
    body: { message: 'Line reopened.' },
  })
  expect((await markHandled(reopenedLine)).code).toBe(409)
  expect(findLine(await readLines(), 'CB1')).toMatchObject({ as: 'differs', handled: null })
  // A colleague marks the line as handled for a different reason; the first user's page still shows the first decision.
  const currentLine = findLine(await readLines(), 'CB1')
  expect((await markHandled(currentLine, 'Repaid in May.')).code).toBe(200)
  expect(await markHandled(reopenedLine)).toMatchObject({
    code: 409,
    body: { message: 'office has marked this line as handled. Reload the page.' },
  })
  expect(findLine(await readLines(), 'CB1')).toMatchObject({ handled: { why: 'Repaid in May.' } })
  expect(
    server.rows(
      "SELECT who, event_id FROM audit_log WHERE what LIKE '%line CB1 as handled: The bank kept it.'",
    ),
  ).toEqual([{ who: 'office', event_id: EVENT }])
})

test('a handled line is reopened with the new fee if its report is saved again with a different fee', async () => {
  const { order } = await registerPaid(server, EVENT, 'AP5')
  const buildReport = (deductions: string): string =>
    [HEADER, `${order},CB5,1180.00,${deductions},UTR5,30-01-2026,Chargeback`].join('\r\n')
  const reportWithoutFee = buildReport('0,0,-1180.00')
  const reportWithFee = buildReport('50,9,-1239.00')
  await post('reconcile/keep', reportWithoutFee)
  const openLine = findLine(await readLines(), 'CB5')
  expect((await markHandled(openLine, 'The bank kept it.')).code).toBe(200)
  // A report without a column for deductions leaves them unchanged.
  const reportWithoutDeductions = [
    'Merchant Txn ID,Transaction ID,Txn Amount,UTR Number,Settlement Date,Txn Type',
    `${order},CB5,1180.00,UTR5,30-01-2026,Chargeback`,
  ].join('\r\n')
  for (const report of [reportWithoutFee, reportWithoutDeductions])
    expect((await post('reconcile', report)).body.settlement).toMatchObject({
      changed: 0,
      lines: [{ as: 'handled', net: -1180 }],
    })
  expect((await post('reconcile', reportWithFee)).body.settlement).toMatchObject({
    fresh: 0,
    changed: 1,
    lines: [{ as: 'differs', fee: 50, id: null }],
  })
  expect((await post('reconcile/keep', reportWithFee)).body).toMatchObject({
    changed: 1,
    message: '0 lines saved, 1 line changed.',
  })
  expect((await post('reconcile/keep', reportWithFee)).body).toMatchObject({ changed: 0, known: 1 })
  const changedLine = findLine(await readLines(), 'CB5')
  expect(changedLine).toMatchObject({ as: 'differs', fee: 50, tax: 9, net: -1239, handled: null })
  // This request comes from a page that still shows the first fee.
  expect((await markHandled(openLine, 'The bank kept it.')).code).toBe(409)
  expect((await markHandled(changedLine, 'The bank kept it, and took a fee.')).code).toBe(200)
  const [entry] = server.rows("SELECT what FROM audit_log WHERE what LIKE 'changed%CB5%'")
  expect(String(entry?.['what']).replaceAll('\u00a0', ' ')).toBe(
    'changed the settlement line CB5 from fee ₹ 0, tax ₹ 0, net −₹ 1,180 to fee ₹ 50, tax ₹ 9, net −₹ 1,239',
  )
})

test('a line without a registration can be marked as handled on the page of its payout', async () => {
  await post('reconcile/keep', `${HEADER}\r\n,ADJ6,40.00,0,0,-40.00,UTR6,30-01-2026,Adjustment`)
  const { lines } = (await owner.json(
    '/admin/payouts/?reference=UTR6',
  )) as unknown as PayoutsResponse
  expect(lines).toMatchObject([{ reference: 'ADJ6', reg_no: null, event: expect.any(String) }])
  const [line] = lines
  if (line === undefined || line.event === null) throw new Error('no line')
  expect((await markHandled(line, 'Agreed with the gateway.', owner, line.event)).code).toBe(200)
})

test('a line that matches the records, or belongs to an event that the user cannot see, cannot be marked; marking another event’s line is logged for that event', async () => {
  const ownPayment = await registerPaid(server, EVENT, 'AP2')
  const otherPayment = await registerPaid(server, 'other2026', 'AP3')
  const report = [
    HEADER,
    `${ownPayment.order},AP2,${ownPayment.amount / 100}.00,0,0,${ownPayment.amount / 100}.00,UTR2,30-01-2026,Sale`,
    `${otherPayment.order},CB3,1180.00,0,0,-1180.00,UTR2,30-01-2026,Chargeback`,
    `OTHR4444444444444,CB4,1180.00,0,0,-1180.00,UTR2,30-01-2026,Chargeback`,
  ].join('\r\n')
  await post('reconcile/keep', report)
  expect(
    server.rows(
      "SELECT what, event_id FROM audit_log WHERE what LIKE 'saved %' ORDER BY id DESC LIMIT 2",
    ),
  ).toEqual([
    // The order of CB4 is unknown, but its prefix belongs to the other event.
    { what: 'saved 2 lines of a settlement', event_id: 'other2026' },
    { what: 'saved 1 line of a settlement', event_id: EVENT },
  ])
  const lines = server.rows("SELECT id, reference FROM settlement_lines WHERE utr = 'UTR2'")
  const readLineId = (reference: string): number =>
    Number(lines.find((line) => line['reference'] === reference)?.['id'])
  await server.deps.store.addAdmin('of-one', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [EVENT],
  })
  const treasurer = await signIn(server, 'of-one')
  // By uploading a report for the shared account, the treasurer cannot change or find out the line's fee either.
  const changedReport = report.replace('CB3,1180.00,0,0,-1180.00', 'CB3,1180.00,50,9,-1239.00')
  for (const path of ['reconcile', 'reconcile/keep']) {
    const { body } = await post(path, changedReport, treasurer)
    expect(body.settlement ?? body).toMatchObject({ changed: 0 })
  }
  expect(server.rows("SELECT fee FROM settlement_lines WHERE reference = 'CB3'")).toEqual([
    { fee: 0 },
  ])
  const notFound = { code: 404, body: { code: 'not_there' } }
  expect(await markHandled({ id: readLineId('AP2') }, 'No reason.')).toMatchObject(notFound)
  expect(await markHandled({ id: readLineId('CB3') }, 'Not mine.', treasurer)).toMatchObject(
    notFound,
  )
  expect(await markHandled({ id: 99_999_999 }, 'None.', treasurer)).toMatchObject(notFound)
  expect(
    (await markHandled({ id: readLineId('CB3') }, 'Not mine.', treasurer, 'other2026')).code,
  ).toBe(403)
  expect(
    server.rows(
      "SELECT why FROM settlement_line_decisions WHERE why IN ('No reason.', 'Not mine.', 'None.')",
    ),
  ).toEqual([])
  expect((await markHandled({ id: readLineId('CB3') }, 'Ours to judge.')).code).toBe(200)
  // `seen` is empty, as the page sends it for a line without a decision.
  expect(
    (await post('settlements/handle', { line: readLineId('CB4'), seen: '', why: 'None paid it.' }))
      .code,
  ).toBe(200)
  // The user acts on one event's page, but the log entry belongs to the line's event and registration.
  expect(
    server.rows(
      "SELECT event_id, reg_no FROM audit_log WHERE what LIKE '%line CB% as handled:%' ORDER BY id DESC LIMIT 2",
    ),
  ).toEqual([
    { event_id: 'other2026', reg_no: null },
    { event_id: 'other2026', reg_no: otherPayment.regNo },
  ])

  // The reason may contain the person's name, so it is erased with the registration, in the log too.
  expect((await owner.act(otherPayment.regNo, { act: 'erase', why: 'She asked.' })).status).toBe(
    200,
  )
  const storedTexts = [
    ...server.rows('SELECT why FROM settlement_line_decisions'),
    ...server.rows('SELECT what FROM audit_log'),
  ]
  expect(JSON.stringify(storedTexts)).not.toContain('Ours to judge')
})
