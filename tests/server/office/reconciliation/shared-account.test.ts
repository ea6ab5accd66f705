/** Two events that share one bank account: what a statement shows to staff of one about the money of the other. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicEvent, randomDigits, createRegNo } from '../../../../engine/index.ts'
import type { EventConfig, RegNo } from '../../../../engine/index.ts'
import type {
  BulkAnswer,
  ReconcileAnswer,
  RegisterAnswer,
  ReviewsAnswer,
} from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { cheapHash, PASSWORD, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const [HERE, THERE] = ['lekhacon2027', 'bimacon2027'] as const
const text = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', `${HERE}.yaml`),
  'utf8',
)
const FEE = 4720

let server: TestApp
/** Works for all events. */
let office: Office
/** A treasurer of the event here, and one of the event there. */
let here: Office
let there: Office
beforeAll(async () => {
  const other = text.replaceAll(HERE, THERE).replaceAll('LEKH', 'BIMA')
  server = await startTestApp({
    clock: '2027-01-10',
    events: { [`${HERE}.yaml`]: text, [`${THERE}.yaml`]: other },
  })
  office = await signIn(server)
  for (const [name, event] of [
    ['here', HERE],
    ['there', THERE],
  ] as const)
    await server.deps.store.addAdmin(name, await cheapHash(PASSWORD), server.now(), {
      role: 'treasurer',
      events: [event],
    })
  here = await signIn(server, 'here')
  there = await signIn(server, 'there')
})
afterAll(() => server.close())

let count = 0
const utr = (): string => String(526_777_000_000 + ++count)
type Registered = { readonly regNo: string; readonly page: string; readonly name: string }
async function register(event: string): Promise<Registered> {
  count += 1
  const name = `Delegate Zyxw${count}`
  const answer = await server.post(`/api/${event}/register/`, {
    full_name: name,
    email: `delegate${count}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  const { reg_no: regNo, page = '' } = answer.json<RegisterAnswer>()
  return { regNo, page, name }
}
const confirm = ({ regNo }: Registered, reference: string) =>
  office.act(regNo, { act: 'confirm', way: 'transfer', reference, amount: String(FEE) })
async function report({ page }: Registered, reference: string): Promise<void> {
  const payload = { act: 'tell', answers: { utr: reference, paid_on: '2027-01-09' } }
  const answer = await server.app.inject({ method: 'POST', url: `/api${page}/acts/`, payload })
  expect(answer.statusCode, answer.body).toBe(200)
}
async function post<T>(user: Office, url: string, payload: string | object): Promise<T> {
  const headers = {
    authorization: `Bearer ${user.token}`,
    'content-type': typeof payload === 'string' ? 'text/csv' : 'application/json',
  }
  const answer = await server.app.inject({ method: 'POST', url, headers, payload })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<T>()
}
type Laid = Extract<ReconcileAnswer, { header: null }>
const HEAD = 'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt'
const statement = (user: Office, event: string, ...rows: readonly string[]): Promise<Laid> =>
  post(user, `/admin/reconcile/?event=${event}`, [HEAD, ...rows].join('\n'))
const came = (narration: string, amount: number | string = FEE) =>
  `09/01/27,${narration},,,${amount}`
const went = (narration: string, amount = FEE) => `10/01/27,${narration},,${amount},`
const shown = ({ lines }: Laid) =>
  lines.map(({ as, of }) => [as, ...of.map(({ reg_no: regNo }) => regNo)])
const keep = async (user: Office, event: string, { lines }: Laid): Promise<string> => {
  const kept = lines.map(({ reference, also, amount, day, narration }) => ({
    reference,
    also,
    amount,
    day,
    narration,
  }))
  const body = { event, lines: [], keep: kept }
  return (await post<BulkAnswer>(user, '/admin/reconcile/confirm/', body)).message
}
const reviewsOf = async (user: Office, event: string): Promise<ReviewsAnswer['reviews']> =>
  ((await user.json(`/admin/reviews/?event=${event}`)) as unknown as ReviewsAnswer).reviews
const captures = () => server.rows('SELECT * FROM captures')
const waiting = async (user: Office): Promise<string> =>
  JSON.stringify(await user.json('/admin/dashboard/stats/'))

test('keeping a line told a treasurer which registration numbers of another event exist', async () => {
  const theirs = await register(THERE)
  const event = publicEvent(server.deps.events.byId(THERE)?.config as EventConfig)
  const invented = createRegNo(
    event,
    Array.from({ length: randomDigits(event) }, () => 7),
  )
  const lineOf = (regNo: string) => ({
    lines: [
      { reference: utr(), also: [], amount: FEE, day: '2027-01-09', narration: `x ${regNo}` },
    ],
  })
  const before = captures()
  const answers = await Promise.all(
    [theirs.regNo, invented].map((regNo) => keep(here, HERE, lineOf(regNo) as unknown as Laid)),
  )
  expect(answers).toEqual(
    answers.map(() => '0 unmatched payments sent to review. 1 belongs to another event.'),
  )
  expect(captures()).toEqual(before)
})

describe('a transfer of the other event', () => {
  test('that a delegate reported there was unmatched here, and could be kept and moved', async () => {
    const reference = utr()
    const theirs = await register(THERE)
    await report(theirs, reference)
    const before = captures()
    const laid = await statement(here, HERE, came(`UPI/${reference}/SOMEBODY`))
    expect(shown(laid)).toEqual([['elsewhere']])
    const all = JSON.stringify(laid)
    for (const hidden of [theirs.regNo, theirs.name, THERE]) expect(all).not.toContain(hidden)
    expect(await keep(here, HERE, laid)).toBe(
      '0 unmatched payments sent to review. 1 belongs to another event.',
    )
    expect(captures()).toEqual(before)
    // Staff of that event find it.
    const found = await statement(there, THERE, came(`UPI/${reference}/SOMEBODY`))
    expect(shown(found)).toEqual([['matched', theirs.regNo]])
  })

  test('told by its number whether that registration exists there, and its own staff not where it belongs', async () => {
    const theirs = await register(THERE)
    const config = server.deps.events.byId(THERE)?.config
    const title = config?.title ?? ''
    const event = publicEvent(config as EventConfig)
    const madeUp = createRegNo(
      event,
      Array.from({ length: randomDigits(event) }, () => 4),
    )
    const line = (user: Office, number: string) =>
      statement(user, HERE, came(`NEFT ${utr()} ${number}`))
    const answers = [await line(here, theirs.regNo), await line(here, madeUp)]
    for (const { lines } of answers)
      expect(lines).toMatchObject([
        {
          as: 'elsewhere',
          of: [],
          why: 'The line names a registration of another event.',
        },
      ])
    const [shownToBoth] = (await line(office, theirs.regNo)).lines
    expect(shownToBoth?.why).toBe(`The line names a registration of ${title}.`)
  })

  test('could not be reported or confirmed here, because a delegate of the other event had typed its number', async () => {
    const [byHand, atDesk] = [utr(), utr()]
    for (const [reference, words] of [
      [byHand, { way: 'transfer' }],
      [atDesk, { way: 'desk', mode: 'upi' }],
    ] as const) {
      const [theirs, mine] = [await register(THERE), await register(HERE)]
      await report(theirs, reference)
      // The staff of this event can neither see nor reject the report of the other.
      await report(mine, reference)
      const seen = JSON.stringify(await here.json(`/admin/registrations/${mine.regNo}/acts/`))
      expect(seen).not.toContain(theirs.regNo)
      const paid = { act: 'confirm', reference, amount: String(FEE), ...words }
      const confirmed = await here.act(mine.regNo, paid)
      expect([confirmed.status, confirmed.body.message]).toEqual([200, expect.any(String)])
      // A confirmed payment counts once over all events, and the refusal says what to do.
      const refused = await there.act(theirs.regNo, { ...paid, way: 'transfer' })
      expect([refused.status, refused.body.message]).toEqual([
        409,
        `${reference} is already recorded: it is the payment of a registration of another event. One transfer counts once. If it is not for this registration, do not record it here (“Payment not found” rejects a report). If it is, ask a treasurer of all events, who can see both.`,
      ])
      const reject = { act: 'not_found', why: 'It is the payment of another event.' }
      expect((await there.act(theirs.regNo, reject)).status).toBe(200)
    }
  })

  test('that two delegates reported is confirmed for one of them only after staff looked', async () => {
    const reference = utr()
    const [theirs, mine] = [await register(THERE), await register(HERE)]
    await report(theirs, reference)
    await report(mine, reference)
    const laid = await statement(here, HERE, came(`UPI ${reference}`))
    expect(shown(laid)).toEqual([['ambiguous', mine.regNo]])
    const [line] = laid.lines
    const chosen = {
      reg_no: mine.regNo,
      reference: line?.reference,
      also: line?.also,
      amount: line?.amount,
      day: line?.day,
    }
    const body = { event: HERE, lines: [chosen], keep: [] }
    expect(await post(here, '/admin/reconcile/confirm/', body)).toMatchObject({
      done: [mine.regNo],
      refused: [],
    })
    expect(shown(await statement(there, THERE, came(`UPI ${reference}`)))).toEqual([['known']])
  })

  test('that was confirmed there is known here, without number, name and amount', async () => {
    const reference = utr()
    const theirs = await register(THERE)
    await confirm(theirs, reference)
    const before = captures()
    const laid = await statement(here, HERE, came(`IMPS ${reference} X`, 11))
    expect(shown(laid)).toEqual([['known']])
    expect(laid.lines[0]?.why).toBe('This payment is recorded for another event.')
    for (const hidden of [theirs.regNo, theirs.name, '4,720', THERE])
      expect(JSON.stringify(laid)).not.toContain(hidden)
    await keep(here, HERE, laid)
    expect(captures()).toEqual(before)
  })

  test.each([
    ['as it is', (regNo: string) => regNo],
    [
      'in small letters and groups',
      (regNo: string) => regNo.toLowerCase().replace(/(\d{4})/g, ' $1 '),
    ],
    ['with dashes', (regNo: string) => regNo.replace(/^([A-Z]+)(\d{5})/, '$1-$2-')],
    [
      'with full-width digits',
      (regNo: string) =>
        regNo.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    ],
    ['behind a word', (regNo: string) => `Ref no. ${regNo}`],
    ['run together with a word', (regNo: string) => `UPI${regNo}`],
    ['between slashes and with a sign', (regNo: string) => `UPI/${regNo}@okbank`],
  ])('that names its registration %s is not kept here', async (_, spell) => {
    const theirs = await register(THERE)
    const laid = await statement(here, HERE, came(`NEFT ${utr()} ${spell(theirs.regNo)}`))
    expect(shown(laid)).toEqual([['elsewhere']])
    expect(await keep(here, HERE, laid)).toContain('1 belongs to another event.')
    // The same number of a registration here is found, in every spelling.
    const mine = await register(HERE)
    const found = await statement(here, HERE, came(`NEFT ${utr()} ${spell(mine.regNo)}`))
    expect(shown(found)).toEqual([['matched', mine.regNo]])
  })

  test('in a line that also names a registration here waits for staff', async () => {
    const reference = utr()
    const [theirs, mine] = [await register(THERE), await register(HERE)]
    await report(theirs, reference)
    const laid = await statement(here, HERE, came(`UPI ${reference} ${mine.regNo}`))
    expect(shown(laid)).toEqual([['ambiguous', mine.regNo]])
    expect(JSON.stringify(laid)).not.toContain(theirs.regNo)
  })

  test('that was reported there wrote the number of its registration into a review here', async () => {
    const reference = utr()
    const theirs = await register(THERE)
    await report(theirs, reference)
    expect(
      (await office.act(theirs.regNo, { act: 'not_found', why: 'Not at the bank.' })).status,
    ).toBe(200)
    const laid = await statement(here, HERE, came(`UPI ${reference}`, 33))
    await keep(here, HERE, laid)
    const kept = (await reviewsOf(here, HERE)).find(
      ({ came: money }) => money?.reference === reference,
    )
    expect(kept?.why).toContain('nobody waits for it')
    expect(JSON.stringify(await reviewsOf(here, HERE))).not.toContain(theirs.regNo)
  })
})

describe('a transfer that the bank returned', () => {
  test.each([
    ['a withdrawal', (reference: string) => went(`RETURN ${reference}`)],
    ['a deposit with a minus', (reference: string) => came(`RTN ${reference}`, `-${FEE}.00`)],
    ['a deposit in brackets', (reference: string) => came(`RTN ${reference}`, `(${FEE}.00)`)],
    [
      'a deposit with the minus behind it',
      (reference: string) => came(`RTN ${reference}`, `${FEE}.00-`),
    ],
    ['a deposit marked Dr', (reference: string) => came(`RTN ${reference}`, `${FEE}.00 Dr`)],
  ])('as %s is shown, and waits until staff handle it', async (_, row) => {
    const reference = utr()
    const mine = await register(HERE)
    await confirm(mine, reference)
    const laid = await statement(here, HERE, row(reference))
    expect(shown(laid)).toEqual([['returned', mine.regNo]])
    // The file is not loaded again.
    const waits = async () =>
      (await reviewsOf(here, HERE)).filter(({ reg_no: regNo }) => regNo === mine.regNo)
    const [review] = await waits()
    expect(review?.why).toContain('It may have returned this transfer.')
    expect(review?.why.match(/withdrawal/g)).toHaveLength(1)
    await statement(here, HERE, row(reference))
    expect(await waits()).toHaveLength(1)
    const refund = {
      act: 'refund',
      by_hand: true,
      reference: `RTN ${reference}`,
      amount: String(FEE),
      why: 'Returned by the bank.',
    }
    expect((await office.act(mine.regNo, refund)).status).toBe(200)
    expect(await waits()).toEqual([])
    // Loaded once more, what was handled stays so.
    await statement(here, HERE, row(reference))
    expect(await waits()).toEqual([])
  })

  test('that it did not return: dismissing said that the money does not count, although it counts before and after', async () => {
    const reference = utr()
    const mine = await register(HERE)
    await confirm(mine, reference)
    await statement(here, HERE, went(`CHARGES ${reference}`))
    const [review] = (await reviewsOf(here, HERE)).filter(({ reg_no: no }) => no === mine.regNo)
    expect(review).toMatchObject({ kind: 'returned', decisions: ['dismiss'] })
    const words = { decision: 'dismiss', version: review?.version, why: 'It is a charge.' }
    const { message } = await post<{ message: string }>(
      here,
      `/admin/reviews/${review?.id}/decide/`,
      words,
    )
    expect(message).toBe('Warning closed. The payment still counts.')
    const stored = await server.deps.store.registration(mine.regNo as RegNo)
    expect(stored).toMatchObject({ paymentStatus: 'success', inReview: false, state: 'complete' })
  })

  test('in a file that has no column of withdrawals is shown without an amount', async () => {
    const reference = utr()
    const mine = await register(HERE)
    await confirm(mine, reference)
    const file = [
      'Date,Narration,Deposit Amt,Balance',
      `09/01/27,IMPS ${utr()},10,10`,
      `10/01/27,RETURN ${reference},,10`,
    ]
    const laid = await post<Laid>(here, `/admin/reconcile/?event=${HERE}`, file.join('\n'))
    expect(laid.lines.find(({ as }) => as === 'returned')).toMatchObject({
      amount: 0,
      of: [{ reg_no: mine.regNo }],
    })
  })

  test('and was of the other event changed nothing there before its own staff load the statement', async () => {
    const reference = utr()
    const theirs = await register(THERE)
    await confirm(theirs, reference)
    const before = await waiting(there)
    const laid = await statement(here, HERE, went(`RETURN ${reference}`))
    expect(shown(laid)).toEqual([['returned']])
    expect(laid.lines[0]?.why).toContain('of another event')
    expect(JSON.stringify(laid)).not.toContain(theirs.regNo)
    expect(await waiting(there)).toBe(before)
    await statement(there, THERE, went(`RETURN ${reference}`))
    expect((await reviewsOf(there, THERE)).map(({ reg_no: regNo }) => regNo)).toContain(
      theirs.regNo,
    )
  })
})
