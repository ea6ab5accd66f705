/** The payers that a saved statement proposes for its lines, and the reasons that it shows. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RegNo } from '../../../../engine/index.ts'
import type {
  RegisterResponse,
  StatementResponse,
  StatementUploadResponse,
} from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const EVENT = 'lekhacon2027'
const eventFile = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', `${EVENT}.yaml`),
  'utf8',
)
const FEE = 4720
type View = Extract<StatementResponse, { unchanged: false }>
type Delegate = { readonly regNo: string; readonly page: string }

let server: TestApp
let office: Office
let statementId: number
beforeEach(async () => {
  server = await startTestApp({ clock: '2027-01-10', events: { [`${EVENT}.yaml`]: eventFile } })
  office = await signIn(server)
})
afterEach(() => server.close())

const register = async (name: string): Promise<Delegate> => {
  const response = await server.post(`/api/${EVENT}/register/`, {
    full_name: name,
    email: `${name.toLowerCase().replaceAll(' ', '.')}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  const { reg_no: regNo, page = '' } = response.json<RegisterResponse>()
  return { regNo, page }
}
const report = async ({ page }: Delegate, utr: string): Promise<void> => {
  const payload = { act: 'tell', answers: { utr, paid_on: '2027-01-08' } }
  const response = await server.app.inject({ method: 'POST', url: `/api${page}/acts/`, payload })
  expect(response.statusCode, response.body).toBe(200)
}
const readStatement = async (lines: readonly string[]): Promise<View> => {
  const response = await server.app.inject({
    method: 'POST',
    url: '/admin/statements/',
    headers: { authorization: `Bearer ${office.token}`, 'content-type': 'text/csv' },
    payload: ['Date,Narration,Ref,Withdrawal Amt,Deposit Amt', ...lines].join('\n'),
  })
  const upload = response.json<StatementUploadResponse>()
  if (upload.header !== null) throw new Error(response.body)
  statementId = upload.id
  return (await office.json(`/admin/statements/${statementId}/`)) as unknown as View
}
const listProposals = ({ lines: [line] }: View) =>
  line?.proposals.map(({ reg_no: regNo, basis }) => [regNo, basis])

test('the delegate whose name and amount are in the line is proposed, although another delegate reported this amount for this day', async () => {
  const reporter = await register('Binu Thomas')
  await report(reporter, '633400000001')
  const { regNo } = await register('Sunita Rao')
  const statement = await readStatement([`09/01/2027,UPI SUNITA RAO,,,${FEE}`])
  expect(listProposals(statement)).toEqual([[regNo, 'amount_and_name']])
  expect(statement.lines[0]?.why).toBeNull()
  expect(statement.waiting.map((waiting) => waiting.reg_no)).toEqual([reporter.regNo])
})

test('a line that names no delegate is proposed for up to three reported payments of its amount and day, and for none of four', async () => {
  const regNos: string[] = []
  for (const name of ['Asha Nair', 'Binu Thomas', 'Chitra Das']) {
    const reporter = await register(name)
    await report(reporter, `63340000000${regNos.length}`)
    regNos.push(reporter.regNo)
  }
  // This delegate has the same amount to pay, but has not reported a payment.
  await register('Divya Menon')
  const lines = [`09/01/2027,NEFT SBIN0527012345678,,,${FEE}`]
  expect(listProposals(await readStatement(lines))).toEqual(
    regNos.map((regNo) => [regNo, 'amount_and_date']),
  )
  await report(await register('Elias Paul'), '633400000009')
  const statement = await readStatement(lines)
  expect(listProposals(statement)).toEqual([])
  expect(statement.waiting).toHaveLength(4)
})

test('the receipt for a bank line without a number shows the bank’s text, not a date and paise', async () => {
  const { regNo } = await register('Asha Nair')
  const [line] = (await readStatement([`09/01/2027,NEFT ALPHA HOSPITAL,,,${FEE}`])).lines
  const assignment = await server.app.inject({
    method: 'POST',
    url: `/admin/statements/${statementId}/assign/`,
    headers: { authorization: `Bearer ${office.token}` },
    payload: { lines: [{ line: line?.id, seen: null, reg_no: regNo, amount: FEE }] },
  })
  expect(assignment.json()).toMatchObject({ done: [line?.id], refused: [] })
  const { store } = server.deps
  const [receipt] = await store.documents(regNo as RegNo)
  if (receipt === undefined) throw new Error('the payment has no receipt')
  expect((await store.document(regNo as RegNo, receipt.id))?.paid).toMatchObject({
    reference: 'NEFT ALPHA HOSPITAL',
  })
  // The line is still recognised as recorded.
  const { lines } = await readStatement([`09/01/2027,NEFT ALPHA HOSPITAL,,,${FEE}`])
  expect(lines).toMatchObject([{ state: 'assigned', payments: [{ reg_no: regNo }] }])
})

test('a delegate can report a reference in full-width digits, and the statement finds it', async () => {
  const delegate = await register('Asha Nair')
  await report(delegate, '６３３４１２３４５６７８')
  const statement = await readStatement([`09/01/2027,UPI 633412345678,,,${FEE}`])
  expect(listProposals(statement)).toEqual([[delegate.regNo, 'reported_reference']])
})

test('both payments of a returned split transfer are refunded under the bank’s reference, and shown as refunded', async () => {
  const [first, second] = [await register('Asha Nair'), await register('Binu Thomas')]
  const transfer = `09/01/2027,RTGS ICICN52027019998,,,${2 * FEE}`
  const [line] = (await readStatement([transfer])).lines
  const assignment = await server.app.inject({
    method: 'POST',
    url: `/admin/statements/${statementId}/assign/`,
    headers: { authorization: `Bearer ${office.token}` },
    payload: {
      lines: [first, second].map(({ regNo }) => ({
        reg_no: regNo,
        amount: FEE,
        line: line?.id,
        seen: null,
      })),
    },
  })
  expect(assignment.json()).toMatchObject({ done: [line?.id], refused: [] })
  await readStatement([`10/01/2027,RTN ICICN52027019998,,${2 * FEE},`])
  const refund = (regNo: string, reference: string) =>
    office.act(regNo, { act: 'refund', why: 'Returned.', amount: FEE, by_hand: true, reference })
  expect(await refund(first.regNo, 'ICICN52027019998')).toMatchObject({ status: 200 })
  expect(await refund(second.regNo, 'ICICN52027019998')).toMatchObject({ status: 200 })
  const { lines } = await readStatement([transfer])
  expect(lines[0]?.payments).toMatchObject([
    { reg_no: first.regNo, refunded: true },
    { reg_no: second.regNo, refunded: true },
  ])
  // Another transfer cannot be refunded under this reference.
  const other = await register('Chitra Das')
  const confirmation = { act: 'confirm', way: 'transfer', reference: '633400000077' }
  expect(await office.act(other.regNo, { ...confirmation, amount: FEE })).toMatchObject({
    status: 200,
  })
  expect(await refund(other.regNo, 'ICICN52027019998')).toMatchObject({ status: 409 })
})

test('a line with the reference that the delegate reported is not shown as a line with the registration number', async () => {
  const { page, regNo } = await register('Chitra Das')
  await report({ page, regNo }, '633412345678')
  const line = (narration: string) => `09/01/2027,${narration},,,${FEE}`
  const reported = await readStatement([line('UPI-CHITRA DAS-chitra@okbank-633412345678')])
  expect(listProposals(reported)).toEqual([[regNo, 'reported_reference']])
  const numbered = await readStatement([line(`UPI-CHITRA DAS-${regNo}-633412345678`)])
  expect(listProposals(numbered)).toEqual([[regNo, 'number']])
})
