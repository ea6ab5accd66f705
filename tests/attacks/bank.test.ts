/** Attacks on bank transfers: one transfer reported and recorded many times at once, references chosen to take another's money. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ReconcileAnswer } from '../../engine/api.ts'
import { runs } from '../runs.ts'
import { freshAddress, signedIn, startTarget } from './target.ts'
import type { Target } from './target.ts'
import type { Answer } from './wire.ts'

const EVENT = 'lekhacon2027'
const FEE = 4720

let target: Target
let headers: Readonly<Record<string, string>>
beforeAll(async () => {
  const file = `${EVENT}.yaml`
  target = await startTarget({ CLOCK: '2027-01-10' }, ({ eventsDir }) =>
    copyFileSync(join(import.meta.dirname, '..', 'events', file), join(eventsDir, file)),
  )
  headers = { authorization: `Bearer ${await signedIn(target)}` }
})
afterAll(() => target.stop())

let count = 0
type Registered = { readonly reg_no: string; readonly page: string }
const register = async (): Promise<Registered> => {
  count += 1
  const answer = await target.post(`/api/${EVENT}/register/`, {
    full_name: `Delegate ${count}`,
    email: `delegate${count}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  if (answer.status !== 201) throw new Error(`not registered: ${answer.status} ${answer.body}`)
  return JSON.parse(answer.body) as Registered
}
const registerAll = (many: number): Promise<readonly Registered[]> =>
  Promise.all(Array.from({ length: many }, register))
const report = ({ page }: Registered, utr: string): Promise<Answer> =>
  target.post(`/api${page}/acts/`, { act: 'tell', answers: { utr, paid_on: '2027-01-09' } })
const record = (
  { reg_no: regNo }: Registered,
  act: 'confirm' | 'came_again',
  way: string,
  reference: string,
): Promise<Answer> =>
  target.post(
    `/admin/registrations/${regNo}/acts/`,
    { act, way, reference, amount: String(FEE), why: 'Seen at the bank.' },
    freshAddress(),
    headers,
  )
const ACCOUNT = 'Account No: 502000123456,,,,'
const laid = async (...rows: readonly string[]) => {
  const body = [ACCOUNT, 'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt', ...rows].join('\n')
  const answer = await target.ask({
    method: 'POST',
    path: `/admin/reconcile/?event=${EVENT}`,
    headers: { ...headers, 'content-type': 'text/csv' },
    body,
  })
  expect(answer.status, answer.body).toBe(200)
  return JSON.parse(answer.body) as Extract<ReconcileAnswer, { header: null }>
}
const came = (narration: string, amount = FEE): string => `09/01/27,${narration},,,${amount}`
const went = (narration: string): string => `09/01/27,${narration},,${FEE},`
const captures = (): number => Number(target.rows('SELECT count(*) AS n FROM captures')[0]?.['n'])

/** How people, phones and banks write 526123456702. */
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
  test('recorded for many registrations at once, each in another spelling and by another method, pays for one', async () => {
    const all = await registerAll(SPELLINGS.length)
    const before = captures()
    const methods = ['transfer', 'upi', 'cheque', 'desk', 'machine']
    const answers = await Promise.all(
      all.map((one, at) =>
        record(one, 'confirm', methods[at % methods.length] ?? '', SPELLINGS[at] ?? ''),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      200,
      ...Array.from({ length: SPELLINGS.length - 1 }, () => 409),
    ])
    const [paid] = all.filter((_, at) => answers[at]?.status === 200)
    if (paid === undefined) throw new Error('nobody is paid')
    const again = await Promise.all(
      SPELLINGS.map((spelling, at) =>
        record(paid, 'came_again', methods[at % methods.length] ?? '', spelling),
      ),
    )
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([409]))
    expect(captures() - before).toBe(1)
  })

  test('with a letter of another script that looks like a Latin one is rejected', async () => {
    const [paid, other] = (await registerAll(2)) as [Registered, Registered]
    expect((await record(paid, 'confirm', 'transfer', 'HDFCN52027010100')).status).toBe(200)
    const before = captures()
    // Cyrillic С and Н, Greek Ν, and a Latin letter with an accent.
    const alike = [
      'HDF\u0421N52027010100',
      '\u041dDFCN52027010100',
      'HDFC\u039d52027010100',
      'HDF\u0106N52027010100',
    ]
    for (const reference of alike)
      for (const [one, act] of [
        [other, 'confirm'],
        [paid, 'came_again'],
      ] as const)
        for (const way of ['transfer', 'upi', 'cheque', 'machine']) {
          const refused = await record(one, act, way, reference)
          expect([act, way, reference, refused.status]).toEqual([act, way, reference, 422])
          expect(refused.body).toContain('Latin letters and digits')
        }
    expect(captures()).toBe(before)
  })

  test('reported by ten delegates concurrently is accepted once', async () => {
    const all = await registerAll(10)
    const answers = await Promise.all(
      all.map((one, at) => report(one, at % 2 === 0 ? 'hdfcn52027010999' : 'HDFCN52027010999')),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(
      target.rows("SELECT 1 FROM tellings WHERE folded = 'HDFCN52027010999' AND ended_as IS NULL"),
    ).toHaveLength(1)
  })
})

describe("a reference reported to claim another delegate's payment", () => {
  test("matches no line with the other delegate's number, and none by part of a number", async () => {
    const [thief, victim] = (await registerAll(2)) as [Registered, Registered]
    expect((await report(thief, '526177770001')).status).toBe(200)
    const { lines } = await laid(
      came(`UPI/526177770001/${victim.reg_no}`),
      came('UPI/9526177770001/SOMEBODY', 10),
      came('UPI/5261777700012/SOMEBODY', 20),
    )
    expect(lines.map(({ as }) => as)).toEqual(['ambiguous', 'unmatched', 'unmatched'])
  })

  test("that is the conference's own account number, or in several lines, is not confirmed by a statement alone", async () => {
    const [account, common] = (await registerAll(2)) as [Registered, Registered]
    expect((await report(account, '502000123456')).status).toBe(200)
    expect((await report(common, '526188880002')).status).toBe(200)
    const { lines } = await laid(
      came('NEFT A TO 50200012345678', 10),
      came('NEFT B TO 502000123456', 20),
      came('IMPS 526188880002 C', 30),
      came('IMPS 526188880002 D'),
    )
    expect(lines.every(({ as }) => as === 'ambiguous' || as === 'unmatched')).toBe(true)
  })
})

test('a file with every line twice, and one of numbers only, match known payments and record only a returned transfer, once', async () => {
  const [paid] = await registerAll(1)
  if (paid === undefined) throw new Error('not registered')
  const reference = '526199990003'
  expect((await record(paid, 'confirm', 'transfer', reference)).status).toBe(200)
  const before = target.holds()
  const rows = [came(`IMPS ${reference} A`), came('UPI 526199990004 B', 10)]
  const twice = await laid(...rows, ...rows)
  expect(twice.lines.map(({ as }) => as)).toEqual(['known', 'unmatched'])
  expect(twice.repeated).toHaveLength(2)
  for (const _time of [1, 2]) {
    const returned = await laid(went(`RTN IMPS ${reference}`), came(`IMPS ${reference} A`))
    expect(returned.lines.map(({ as }) => as)).toEqual(['known', 'returned'])
  }
  const numbers = Array.from({ length: runs(4000) }, (_, n) =>
    came(`${n} ${'1 2 3 '.repeat(3)}`, 1),
  )
  expect((await laid(...numbers)).lines.length).toBeGreaterThan(0)
  const { audit_log: _looks, bank_references: references, ...after } = target.holds()
  const { audit_log: _before, bank_references: named = 0, ...unchanged } = before
  expect(references).toBe(named + 1)
  expect(after).toEqual({ ...unchanged, in_review: 1 })
})
