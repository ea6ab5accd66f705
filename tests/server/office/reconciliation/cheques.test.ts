/** A cheque in a bank statement: its number has leading zeros, bounces, and pays once. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BulkAnswer, ReconcileAnswer, RegisterAnswer } from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const file = 'lekhacon2027.yaml'
const event = 'lekhacon2027'
const text = readFileSync(join(import.meta.dirname, '..', '..', '..', 'events', file), 'utf8')
const FEE = 4720

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-10', events: { [file]: text } })
  office = await signIn(server)
})
afterAll(() => server.close())

let count = 0
const register = async (): Promise<{ regNo: string }> => {
  count += 1
  const answer = await server.post(`/api/${event}/register/`, {
    full_name: `Delegate ${count}`,
    email: `delegate${count}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  const { reg_no: regNo } = answer.json<RegisterAnswer>()
  return { regNo }
}
const confirm = (regNo: string, reference: string) =>
  office.act(regNo, { act: 'confirm', way: 'cheque', reference, amount: String(FEE) })
const post = async (url: string, payload: string | object) => {
  const headers = {
    authorization: `Bearer ${office.token}`,
    'content-type': typeof payload === 'string' ? 'text/csv' : 'application/json',
  }
  const answer = await server.app.inject({ method: 'POST', url, headers, payload })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer
}

type Laid = Extract<ReconcileAnswer, { header: null }>
type Line = Pick<Laid['lines'][number], 'reference' | 'also' | 'amount' | 'day' | 'narration'>
const came = (narration: string, reference = '', amount = FEE) =>
  `09/01/27,${narration},${reference},,${amount}`
const went = (narration: string, reference = '') => `10/01/27,${narration},${reference},${FEE},`
const statement = async (...rows: readonly string[]): Promise<Laid> => {
  const head = 'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt'
  const answer = await post(`/admin/reconcile/?event=${event}`, [head, ...rows].join('\n'))
  return answer.json<Laid>()
}
const shown = ({ lines }: Laid) =>
  lines.map(({ as, of }) => [as, ...of.map(({ reg_no: regNo }) => regNo)])
const keep = async (lines: readonly Line[]) => {
  const kept = lines.map(({ reference, also, amount, day, narration }) => ({
    reference,
    also,
    amount,
    day,
    narration,
  }))
  const answer = await post('/admin/reconcile/confirm/', { event, lines: [], keep: kept })
  return answer.json<BulkAnswer>().message
}

test.each([
  ['004567', '004567'],
  ['000012', '0000000000000012'],
  ['CHQ 000345', ''],
  ['654321', '654321'],
])(
  'the cheque %s that bounced stayed paid, because no line with its number named it',
  async (reference, column) => {
    const { regNo } = await register()
    expect((await confirm(regNo, reference)).status).toBe(200)
    const number = reference.replace(/\D/g, '')
    const laid = await statement(
      came(`CHQ DEP ${number} DR A`, column),
      went(`CHQ RETURN ${number} INSUFFICIENT FUNDS`, column),
    )
    expect(shown(laid)).toEqual([
      ['known', regNo],
      ['returned', regNo],
    ])
    expect(laid.lines[1]?.reference).toBe(number)
    const stored = await server.deps.store.registration(regNo)
    expect(stored).toMatchObject({ inReview: true })
  },
)

test('a short number in a narration is no cheque number with leading zeros', async () => {
  const { regNo } = await register()
  await confirm(regNo, '007788')
  const laid = await statement(came('UPI DR C 7788'), came('ROOM 7788 CHQ', '7788'))
  expect(laid.lines.map(({ as }) => as)).toEqual(['unmatched', 'unmatched'])
})

test.each([
  ['in the narration', 'CHQ DEP 456789 DR D', '', '456789'],
  ['with zeros', 'CHQ DEP DR D', '000789', '000789'],
  ['in the column', 'BY CLEARING DR D', '456790', '456790'],
])(
  'a cheque %s whose line was kept was confirmed for a registration too: two payments',
  async (_, narration, column, number) => {
    const { lines } = await statement(came(narration, column))
    expect(await keep(lines)).toContain('1 unmatched payment')
    const refused = await confirm((await register()).regNo, number)
    expect([refused.status, refused.body.code]).toEqual([409, 'taken'])
    expect(refused.body.message).toContain('is of no registration yet')
    expect((await statement(came(narration, column))).lines[0]?.as).toBe('known')
  },
)

test.each([
  ['with its numbers', (also: readonly string[]) => also],
  ['without them', () => []],
])(
  'a page that was loaded before the cheque was recorded, %s, kept its line as a second payment',
  async (_, sent) => {
    count += 1
    const number = `00${5670 + count}`
    const row = came(`CHQ DEP ${number} DR E`)
    const { lines } = await statement(row)
    const { regNo } = await register()
    expect((await confirm(regNo, number)).status).toBe(200)
    const stale = lines.map((line) => ({ ...line, also: [...sent(line.also)] }))
    expect(await keep(stale)).toContain('0 unmatched payments')
    expect(shown(await statement(row))).toEqual([['known', regNo]])
    expect(await keep((await statement(row)).lines)).toContain('0 unmatched payments')
  },
)

test.each([
  ['a transfer', 'transfer', '526900000101', 'UPI FROM 526900000101 DR G', ''],
  ['a transfer in groups', 'transfer', '526900000102', 'UPI 5269 0000 0102 DR G', ''],
  ['a cheque in the narration', 'cheque', '776655', 'INWARD 776655 DR H', ''],
  ['a cheque in the column', 'cheque', '000655', 'INWARD DR H', '000655'],
])(
  'a line that names %s was kept as a second payment under another reference',
  async (_, way, reference, narration, column) => {
    const [laid] = (await statement(came(narration, column))).lines
    const { regNo } = await register()
    const words = { act: 'confirm', way, reference, amount: String(FEE) }
    expect((await office.act(regNo, words)).status).toBe(200)
    if (laid === undefined) throw new Error('no line')
    // As the page had it before, and with a reference of the caller's own.
    const ofCaller = { ...laid, reference: '2027-01-09 DR G', also: [] }
    const sent = column === '' ? [laid, { ...laid, also: [] }, ofCaller] : [laid]
    expect(await keep(sent)).toBe(
      `0 unmatched payments sent to review. ${sent.length} already recorded.`,
    )
  },
)

test('a line that contains a cheque number by chance is kept: another amount, or another transfer', async () => {
  await confirm((await register()).regNo, '775544')
  const { lines } = await statement(
    came('INWARD 775544 DR J', '', 313),
    came('NEFT 526900000199 BR 775544 DR K'),
  )
  expect(await keep(lines.map((line) => ({ ...line, also: [] })))).toContain('2 unmatched payments')
})

test.each([
  ['the day', 'CHQ DEP 090127'],
  ['the PIN code of a college', 'CASH DEP MEDICAL CLG 686008'],
  ['the PIN code of a place', 'CLG DR F OF THE TOWN 682001'],
])('two deposits whose lines share %s are both kept', async (_, narration) => {
  const { lines } = await statement(
    came(`${narration} A`, '', 311),
    came(`${narration} B`, '', 312),
  )
  expect(await keep(lines)).toContain('2 unmatched payments')
})
