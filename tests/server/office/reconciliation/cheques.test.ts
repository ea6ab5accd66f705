/** Cheques in bank statements: leading zeros, bounced cheques, and cheques that count only once. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type {
  BulkActionResponse,
  ReconcileResponse,
  RegisterResponse,
} from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const eventFileName = 'lekhacon2027.yaml'
const event = 'lekhacon2027'
const eventFile = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', eventFileName),
  'utf8',
)
const FEE = 4720

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-10', events: { [eventFileName]: eventFile } })
  office = await signIn(server)
})
afterAll(() => server.close())

let counter = 0
const register = async (): Promise<{ regNo: string }> => {
  counter += 1
  const response = await server.post(`/api/${event}/register/`, {
    full_name: `Delegate ${counter}`,
    email: `delegate${counter}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  const { reg_no: regNo } = response.json<RegisterResponse>()
  return { regNo }
}
const confirm = (regNo: string, reference: string) =>
  office.act(regNo, { act: 'confirm', way: 'cheque', reference, amount: String(FEE) })
const post = async (url: string, payload: string | object) => {
  const headers = {
    authorization: `Bearer ${office.token}`,
    'content-type': typeof payload === 'string' ? 'text/csv' : 'application/json',
  }
  const response = await server.app.inject({ method: 'POST', url, headers, payload })
  expect(response.statusCode, response.body).toBe(200)
  return response
}

type StatementResponse = Extract<ReconcileResponse, { header: null }>
type Line = Pick<
  StatementResponse['lines'][number],
  'reference' | 'also' | 'amount' | 'day' | 'narration'
>
const buildCreditLine = (narration: string, reference = '', amount = FEE) =>
  `09/01/27,${narration},${reference},,${amount}`
const buildDebitLine = (narration: string, reference = '') =>
  `10/01/27,${narration},${reference},${FEE},`
const sendStatement = async (...rows: readonly string[]): Promise<StatementResponse> => {
  const header = 'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt'
  const response = await post(`/admin/reconcile/?event=${event}`, [header, ...rows].join('\n'))
  return response.json<StatementResponse>()
}
const listOutcomes = ({ lines }: StatementResponse) =>
  lines.map(({ as: outcome, of: matches }) => [
    outcome,
    ...matches.map(({ reg_no: regNo }) => regNo),
  ])
const keepUnmatched = async (lines: readonly Line[]) => {
  const unmatchedLines = lines.map(({ reference, also, amount, day, narration }) => ({
    reference,
    also,
    amount,
    day,
    narration,
  }))
  const response = await post('/admin/reconcile/confirm/', {
    event,
    lines: [],
    keep: unmatchedLines,
  })
  return response.json<BulkActionResponse>().message
}

test.each([
  ['004567', '004567'],
  ['000012', '0000000000000012'],
  ['CHQ 000345', ''],
  ['654321', '654321'],
])(
  'the bounced cheque %s goes to review even though no line with its number contains the registration number',
  async (reference, column) => {
    const { regNo } = await register()
    expect((await confirm(regNo, reference)).status).toBe(200)
    const number = reference.replace(/\D/g, '')
    const result = await sendStatement(
      buildCreditLine(`CHQ DEP ${number} DR A`, column),
      buildDebitLine(`CHQ RETURN ${number} INSUFFICIENT FUNDS`, column),
    )
    expect(listOutcomes(result)).toEqual([
      ['known', regNo],
      ['returned', regNo],
    ])
    expect(result.lines[1]?.reference).toBe(number)
    const storedRegistration = await server.deps.store.registration(regNo)
    expect(storedRegistration).toMatchObject({ inReview: true })
  },
)

test('a short number in a narration is not a cheque number with leading zeros', async () => {
  const { regNo } = await register()
  await confirm(regNo, '007788')
  const result = await sendStatement(
    buildCreditLine('UPI DR C 7788'),
    buildCreditLine('ROOM 7788 CHQ', '7788'),
  )
  expect(result.lines.map(({ as: outcome }) => outcome)).toEqual(['unmatched', 'unmatched'])
})

test.each([
  ['in the narration', 'CHQ DEP 456789 DR D', '', '456789'],
  ['with leading zeros', 'CHQ DEP DR D', '000789', '000789'],
  ['in the column', 'BY CLEARING DR D', '456790', '456790'],
])(
  'a cheque (%s) whose line is already recorded cannot be confirmed for a registration as a second payment',
  async (_, narration, column, number) => {
    const { lines } = await sendStatement(buildCreditLine(narration, column))
    expect(await keepUnmatched(lines)).toContain('1 unmatched payment')
    const rejection = await confirm((await register()).regNo, number)
    expect([rejection.status, rejection.body.code]).toEqual([409, 'taken'])
    expect(rejection.body.message).toContain('it is a payment without a registration')
    expect((await sendStatement(buildCreditLine(narration, column))).lines[0]?.as).toBe('known')
  },
)

test.each([
  ['with its numbers', (keepNumbers: readonly string[]) => keepNumbers],
  ['without its numbers', () => []],
])(
  'a page that was loaded before the cheque was recorded and sends its line %s does not record a second payment',
  async (_, getNumbers) => {
    counter += 1
    const number = `00${5670 + counter}`
    const row = buildCreditLine(`CHQ DEP ${number} DR E`)
    const { lines } = await sendStatement(row)
    const { regNo } = await register()
    expect((await confirm(regNo, number)).status).toBe(200)
    const staleLines = lines.map((line) => ({ ...line, also: [...getNumbers(line.also)] }))
    expect(await keepUnmatched(staleLines)).toContain('0 unmatched payments')
    expect(listOutcomes(await sendStatement(row))).toEqual([['known', regNo]])
    expect(await keepUnmatched((await sendStatement(row)).lines)).toContain('0 unmatched payments')
  },
)

test.each([
  ['a transfer', 'transfer', '526900000101', 'UPI FROM 526900000101 DR G', ''],
  ['a transfer reference in groups', 'transfer', '526900000102', 'UPI 5269 0000 0102 DR G', ''],
  ['a cheque in the narration', 'cheque', '776655', 'INWARD 776655 DR H', ''],
  ['a cheque in the column', 'cheque', '000655', 'INWARD DR H', '000655'],
])(
  'a line with %s that is already recorded is not recorded as a second payment under a different reference',
  async (_, method, reference, narration, column) => {
    const [result] = (await sendStatement(buildCreditLine(narration, column))).lines
    const { regNo } = await register()
    const confirmation = { act: 'confirm', way: method, reference, amount: String(FEE) }
    expect((await office.act(regNo, confirmation)).status).toBe(200)
    if (result === undefined) throw new Error('the statement has no line')
    // The line as older pages sent it, and with a reference chosen by the caller.
    const lineWithOwnReference = { ...result, reference: '2027-01-09 DR G', also: [] }
    const sentLines =
      column === '' ? [result, { ...result, also: [] }, lineWithOwnReference] : [result]
    expect(await keepUnmatched(sentLines)).toBe(
      `0 unmatched payments sent for review. ${sentLines.length} already recorded.`,
    )
  },
)

test('a line that contains a cheque number by chance is recorded if it has a different amount or is a different transfer', async () => {
  await confirm((await register()).regNo, '775544')
  const { lines } = await sendStatement(
    buildCreditLine('INWARD 775544 DR J', '', 313),
    buildCreditLine('NEFT 526900000199 BR 775544 DR K'),
  )
  expect(await keepUnmatched(lines.map((line) => ({ ...line, also: [] })))).toContain(
    '2 unmatched payments',
  )
})

test.each([
  ['the date', 'CHQ DEP 090127'],
  ['the PIN code of a college', 'CASH DEP MEDICAL CLG 686008'],
  ['the PIN code of a town', 'CLG DR F OF THE TOWN 682001'],
])('two deposits whose lines share %s are both recorded', async (_, narration) => {
  const { lines } = await sendStatement(
    buildCreditLine(`${narration} A`, '', 311),
    buildCreditLine(`${narration} B`, '', 312),
  )
  expect(await keepUnmatched(lines)).toContain('2 unmatched payments')
})
