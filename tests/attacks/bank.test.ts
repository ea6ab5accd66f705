/** Attacks on bank transfers: transfers reported many times, and references to other delegates' payments. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ReconcileResponse } from '../../engine/api.ts'
import { chooseRuns } from '../runs.ts'
import { createAddress, signInAsAdmin, startTarget } from './target.ts'
import type { Target } from './target.ts'
import type { HttpResponse } from './wire.ts'

const EVENT = 'lekhacon2027'
const FEE = 4720

let target: Target
let headers: Readonly<Record<string, string>>
beforeAll(async () => {
  const file = `${EVENT}.yaml`
  target = await startTarget({ CLOCK: '2027-01-10' }, ({ eventsDir }) =>
    copyFileSync(join(import.meta.dirname, '..', 'events', file), join(eventsDir, file)),
  )
  headers = { authorization: `Bearer ${await signInAsAdmin(target)}` }
})
afterAll(() => target.stop())

let registeredCount = 0
type RegisteredDelegate = { readonly reg_no: string; readonly page: string }
const register = async (): Promise<RegisteredDelegate> => {
  registeredCount += 1
  const registerResponse = await target.post(`/api/${EVENT}/register/`, {
    full_name: `Delegate ${registeredCount}`,
    email: `delegate${registeredCount}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  if (registerResponse.status !== 201)
    throw new Error(`not registered: ${registerResponse.status} ${registerResponse.body}`)
  return JSON.parse(registerResponse.body) as RegisteredDelegate
}
const registerAll = (count: number): Promise<readonly RegisteredDelegate[]> =>
  Promise.all(Array.from({ length: count }, register))
const reportTransfer = ({ page }: RegisteredDelegate, utr: string): Promise<HttpResponse> =>
  target.post(`/api${page}/acts/`, { act: 'tell', answers: { utr, paid_on: '2027-01-09' } })
const recordPayment = (
  { reg_no: regNo }: RegisteredDelegate,
  act: 'confirm' | 'came_again',
  method: string,
  reference: string,
): Promise<HttpResponse> =>
  target.post(
    `/admin/registrations/${regNo}/acts/`,
    { act, way: method, reference, amount: String(FEE), why: 'Seen at the bank.' },
    createAddress(),
    headers,
  )
const ACCOUNT_LINE = 'Account No: 502000123456,,,,'
const matchStatement = async (...rows: readonly string[]) => {
  const body = [ACCOUNT_LINE, 'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt', ...rows].join(
    '\n',
  )
  const response = await target.send({
    method: 'POST',
    path: `/admin/reconcile/?event=${EVENT}`,
    headers: { ...headers, 'content-type': 'text/csv' },
    body,
  })
  expect(response.status, response.body).toBe(200)
  return JSON.parse(response.body) as Extract<ReconcileResponse, { header: null }>
}
const buildCredit = (narration: string, amount = FEE): string => `09/01/27,${narration},,,${amount}`
const buildDebit = (narration: string): string => `09/01/27,${narration},,${FEE},`
const countCaptures = (): number =>
  Number(target.readRows('SELECT count(*) AS n FROM captures')[0]?.['n'])

/** Spellings of the reference 526123456702 that delegates, phones and banks use. */
const SPELLINGS = [
  '526123456702',
  '5261 2345 6702',
  '5261-2345-6702',
  '5261.2345.6702',
  '000526123456702',
  'UTR 526123456702',
  'utr526123456702',
  'Ref no. 526123456702',
  '5261\u200b2345\u200b6702',
  '\u2060526123456702\ufeff',
  '５２６１２３４５６７０２',
  '५२६१२३४५६७०२',
  '٥٢٦١ ٢٣٤٥ ٦٧٠٢',
  'Cheque no 526123456702',
  '526123456702 UPI',
  'UTR: 5261 2345 6702',
  'NEFT 526123456702',
  'IMPS/526123456702',
  'rtgs-526123456702',
]

describe('one transfer', () => {
  test('recorded for many registrations concurrently, each time in another spelling and by another method, pays for only one', async () => {
    const registrations = await registerAll(SPELLINGS.length)
    const capturesBefore = countCaptures()
    const methods = ['transfer', 'upi', 'cheque', 'desk', 'machine']
    const responses = await Promise.all(
      registrations.map((registration, index) =>
        recordPayment(
          registration,
          'confirm',
          methods[index % methods.length] ?? '',
          SPELLINGS[index] ?? '',
        ),
      ),
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([
      200,
      ...Array.from({ length: SPELLINGS.length - 1 }, () => 409),
    ])
    const [paidRegistration] = registrations.filter((_, index) => responses[index]?.status === 200)
    if (paidRegistration === undefined) throw new Error('no registration is paid')
    const repeatedResponses = await Promise.all(
      SPELLINGS.map((spelling, index) =>
        recordPayment(
          paidRegistration,
          'came_again',
          methods[index % methods.length] ?? '',
          spelling,
        ),
      ),
    )
    expect(new Set(repeatedResponses.map(({ status }) => status))).toEqual(new Set([409]))
    expect(countCaptures() - capturesBefore).toBe(1)
  })

  test('with a letter of another script that looks like a Latin one is rejected', async () => {
    const [paidRegistration, otherRegistration] = (await registerAll(2)) as [
      RegisteredDelegate,
      RegisteredDelegate,
    ]
    expect(
      (await recordPayment(paidRegistration, 'confirm', 'transfer', 'HDFCN52027010100')).status,
    ).toBe(200)
    const capturesBefore = countCaptures()
    // These contain Cyrillic С and Н, Greek Ν, and a Latin letter with an accent.
    const lookalikes = [
      'HDF\u0421N52027010100',
      '\u041dDFCN52027010100',
      'HDFC\u039d52027010100',
      'HDF\u0106N52027010100',
    ]
    for (const reference of lookalikes)
      for (const [registration, act] of [
        [otherRegistration, 'confirm'],
        [paidRegistration, 'came_again'],
      ] as const)
        for (const method of ['transfer', 'upi', 'cheque', 'machine']) {
          const response = await recordPayment(registration, act, method, reference)
          expect([act, method, reference, response.status]).toEqual([act, method, reference, 422])
          expect(response.body).toContain('Latin letters and digits')
        }
    expect(countCaptures()).toBe(capturesBefore)
  })

  test('reported by ten delegates concurrently is accepted once', async () => {
    const registrations = await registerAll(10)
    const responses = await Promise.all(
      registrations.map((registration, index) =>
        reportTransfer(registration, index % 2 === 0 ? 'hdfcn52027010999' : 'HDFCN52027010999'),
      ),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(
      target.readRows(
        "SELECT 1 FROM tellings WHERE folded = 'HDFCN52027010999' AND ended_as IS NULL",
      ),
    ).toHaveLength(1)
  })
})

describe("a reference reported to claim another delegate's payment", () => {
  test("does not match a line that contains the other delegate's number, or a line in which it is part of a longer number", async () => {
    const [attacker, victim] = (await registerAll(2)) as [RegisteredDelegate, RegisteredDelegate]
    expect((await reportTransfer(attacker, '526177770001')).status).toBe(200)
    const { lines } = await matchStatement(
      buildCredit(`UPI/526177770001/${victim.reg_no}`),
      buildCredit('UPI/9526177770001/UNKNOWN SENDER', 10),
      buildCredit('UPI/5261777700012/UNKNOWN SENDER', 20),
    )
    expect(lines.map(({ as }) => as)).toEqual(['ambiguous', 'unmatched', 'unmatched'])
  })

  test("that is the conference's own account number, or that appears in several lines, is not confirmed by a statement alone", async () => {
    const [accountClaimer, commonClaimer] = (await registerAll(2)) as [
      RegisteredDelegate,
      RegisteredDelegate,
    ]
    expect((await reportTransfer(accountClaimer, '502000123456')).status).toBe(200)
    expect((await reportTransfer(commonClaimer, '526188880002')).status).toBe(200)
    const { lines } = await matchStatement(
      buildCredit('NEFT A TO 50200012345678', 10),
      buildCredit('NEFT B TO 502000123456', 20),
      buildCredit('IMPS 526188880002 C', 30),
      buildCredit('IMPS 526188880002 D'),
    )
    expect(lines.every(({ as }) => as === 'ambiguous' || as === 'unmatched')).toBe(true)
  })
})

test('a statement that contains every line twice, or only numbers, records nothing except one returned transfer', async () => {
  const [paidRegistration] = await registerAll(1)
  if (paidRegistration === undefined) throw new Error('not registered')
  const reference = '526199990003'
  expect((await recordPayment(paidRegistration, 'confirm', 'transfer', reference)).status).toBe(200)
  const snapshotBefore = target.readSnapshot()
  const rows = [buildCredit(`IMPS ${reference} A`), buildCredit('UPI 526199990004 B', 10)]
  const repeatedLines = await matchStatement(...rows, ...rows)
  expect(repeatedLines.lines.map(({ as }) => as)).toEqual(['known', 'unmatched'])
  expect(repeatedLines.repeated).toHaveLength(2)
  for (const _time of [1, 2]) {
    const returnedLines = await matchStatement(
      buildDebit(`RTN IMPS ${reference}`),
      buildCredit(`IMPS ${reference} A`),
    )
    expect(returnedLines.lines.map(({ as }) => as)).toEqual(['known', 'returned'])
  }
  const numbers = Array.from({ length: chooseRuns(4000) }, (_, n) =>
    buildCredit(`${n} ${'1 2 3 '.repeat(3)}`, 1),
  )
  expect((await matchStatement(...numbers)).lines.length).toBeGreaterThan(0)
  const {
    audit_log: _auditEntries,
    bank_references: referenceCount,
    ...tablesAfter
  } = target.readSnapshot()
  const {
    audit_log: _auditEntriesBefore,
    bank_references: referenceCountBefore = 0,
    ...tablesBefore
  } = snapshotBefore
  expect(referenceCount).toBe(referenceCountBefore + 1)
  expect(tablesAfter).toEqual({ ...tablesBefore, in_review: 1 })
})
