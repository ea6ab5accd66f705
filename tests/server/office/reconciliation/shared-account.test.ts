/** Two events that share one bank account: the data that staff of one event see about payments of the other. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toPublicEvent, getDigitCount, createRegNo } from '../../../../engine/index.ts'
import type { EventConfig, RegNo } from '../../../../engine/index.ts'
import type {
  BulkActionResponse,
  ReconcileResponse,
  RegisterResponse,
  ReviewsResponse,
} from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { hashCheaply, PASSWORD, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const [HERE, OTHER_EVENT] = ['lekhacon2027', 'bimacon2027'] as const
const text = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', `${HERE}.yaml`),
  'utf8',
)
const FEE = 4720

let server: TestApp
/** A user of all events. */
let office: Office
/** Treasurers of the first and the second event. */
let ownTreasurer: Office
let otherTreasurer: Office
beforeAll(async () => {
  const other = text.replaceAll(HERE, OTHER_EVENT).replaceAll('LEKH', 'BIMA')
  server = await startTestApp({
    clock: '2027-01-10',
    events: { [`${HERE}.yaml`]: text, [`${OTHER_EVENT}.yaml`]: other },
  })
  office = await signIn(server)
  for (const [name, event] of [
    ['here', HERE],
    ['there', OTHER_EVENT],
  ] as const)
    await server.deps.store.addAdmin(name, await hashCheaply(PASSWORD), server.now(), {
      role: 'treasurer',
      events: [event],
    })
  ownTreasurer = await signIn(server, 'here')
  otherTreasurer = await signIn(server, 'there')
})
afterAll(() => server.close())

let count = 0
const createUtr = (): string => String(526_777_000_000 + ++count)
type RegisteredDelegate = { readonly regNo: string; readonly page: string; readonly name: string }
async function register(event: string): Promise<RegisteredDelegate> {
  count += 1
  const name = `Delegate Zyxw${count}`
  const answer = await server.post(`/api/${event}/register/`, {
    full_name: name,
    email: `delegate${count}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  const { reg_no: regNo, page = '' } = answer.json<RegisterResponse>()
  return { regNo, page, name }
}
const confirm = ({ regNo }: RegisteredDelegate, reference: string) =>
  office.act(regNo, { act: 'confirm', way: 'transfer', reference, amount: String(FEE) })
async function report({ page }: RegisteredDelegate, reference: string): Promise<void> {
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
type StatementResponse = Extract<ReconcileResponse, { header: null }>
const HEAD = 'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt'
const sendStatement = (
  user: Office,
  event: string,
  ...rows: readonly string[]
): Promise<StatementResponse> =>
  post(user, `/admin/reconcile/?event=${event}`, [HEAD, ...rows].join('\n'))
const buildCreditLine = (narration: string, amount: number | string = FEE) =>
  `09/01/27,${narration},,,${amount}`
const buildDebitLine = (narration: string, amount = FEE) => `10/01/27,${narration},,${amount},`
const listOutcomes = ({ lines }: StatementResponse) =>
  lines.map(({ as: outcome, of: matches }) => [
    outcome,
    ...matches.map(({ reg_no: regNo }) => regNo),
  ])
const keepUnmatched = async (
  user: Office,
  event: string,
  { lines }: StatementResponse,
): Promise<string> => {
  const unmatchedLines = lines.map(({ reference, also, amount, day, narration }) => ({
    reference,
    also,
    amount,
    day,
    narration,
  }))
  const body = { event, lines: [], keep: unmatchedLines }
  return (await post<BulkActionResponse>(user, '/admin/reconcile/confirm/', body)).message
}
const readReviewsOf = async (user: Office, event: string): Promise<ReviewsResponse['reviews']> =>
  ((await user.json(`/admin/reviews/?event=${event}`)) as unknown as ReviewsResponse).reviews
const readCaptures = () => server.rows('SELECT * FROM captures')
const readReviews = async (user: Office): Promise<string> =>
  JSON.stringify(await user.json('/admin/dashboard/stats/'))

test('saving an unmatched line does not reveal which registration numbers of another event exist', async () => {
  const otherDelegate = await register(OTHER_EVENT)
  const event = toPublicEvent(server.deps.events.findById(OTHER_EVENT)?.config as EventConfig)
  const unknownRegNo = createRegNo(
    event,
    Array.from({ length: getDigitCount(event) }, () => 7),
  )
  const buildUnmatchedResult = (regNo: string) => ({
    lines: [
      { reference: createUtr(), also: [], amount: FEE, day: '2027-01-09', narration: `x ${regNo}` },
    ],
  })
  const capturesBefore = readCaptures()
  const answers = await Promise.all(
    [otherDelegate.regNo, unknownRegNo].map((regNo) =>
      keepUnmatched(
        ownTreasurer,
        HERE,
        buildUnmatchedResult(regNo) as unknown as StatementResponse,
      ),
    ),
  )
  expect(answers).toEqual(
    answers.map(() => '0 unmatched payments sent to review. 1 belongs to another event.'),
  )
  expect(readCaptures()).toEqual(capturesBefore)
})

describe('a transfer of the other event', () => {
  test('that a delegate reported there cannot be recorded or moved here', async () => {
    const reference = createUtr()
    const otherDelegate = await register(OTHER_EVENT)
    await report(otherDelegate, reference)
    const capturesBefore = readCaptures()
    const result = await sendStatement(
      ownTreasurer,
      HERE,
      buildCreditLine(`UPI/${reference}/SAMPLE PAYER`),
    )
    expect(listOutcomes(result)).toEqual([['elsewhere']])
    const resultText = JSON.stringify(result)
    for (const hidden of [otherDelegate.regNo, otherDelegate.name, OTHER_EVENT])
      expect(resultText).not.toContain(hidden)
    expect(await keepUnmatched(ownTreasurer, HERE, result)).toBe(
      '0 unmatched payments sent to review. 1 belongs to another event.',
    )
    expect(readCaptures()).toEqual(capturesBefore)
    // Staff of that event can find it.
    const otherResult = await sendStatement(
      otherTreasurer,
      OTHER_EVENT,
      buildCreditLine(`UPI/${reference}/SAMPLE PAYER`),
    )
    expect(listOutcomes(otherResult)).toEqual([['matched', otherDelegate.regNo]])
  })

  test('gets the same result here whether or not the registration that it names exists there', async () => {
    const otherDelegate = await register(OTHER_EVENT)
    const config = server.deps.events.findById(OTHER_EVENT)?.config
    const title = config?.title ?? ''
    const event = toPublicEvent(config as EventConfig)
    const unknownRegNo = createRegNo(
      event,
      Array.from({ length: getDigitCount(event) }, () => 4),
    )
    const sendLine = (user: Office, number: string) =>
      sendStatement(user, HERE, buildCreditLine(`NEFT ${createUtr()} ${number}`))
    const answers = [
      await sendLine(ownTreasurer, otherDelegate.regNo),
      await sendLine(ownTreasurer, unknownRegNo),
    ]
    for (const { lines } of answers)
      expect(lines).toMatchObject([
        {
          as: 'elsewhere',
          of: [],
          why: 'The line names a registration of another event.',
        },
      ])
    const [lineForBoth] = (await sendLine(office, otherDelegate.regNo)).lines
    expect(lineForBoth?.why).toBe(`The line names a registration of ${title}.`)
  })

  test('can be reported and confirmed here although a delegate of the other event entered its number', async () => {
    const [transferReference, deskReference] = [createUtr(), createUtr()]
    for (const [reference, method] of [
      [transferReference, { way: 'transfer' }],
      [deskReference, { way: 'desk', mode: 'upi' }],
    ] as const) {
      const [otherDelegate, ownDelegate] = [await register(OTHER_EVENT), await register(HERE)]
      await report(otherDelegate, reference)
      // Staff of this event can neither see nor reject the claim of the other.
      await report(ownDelegate, reference)
      const ownActions = JSON.stringify(
        await ownTreasurer.json(`/admin/registrations/${ownDelegate.regNo}/acts/`),
      )
      expect(ownActions).not.toContain(otherDelegate.regNo)
      const confirmation = { act: 'confirm', reference, amount: String(FEE), ...method }
      const confirmResponse = await ownTreasurer.act(ownDelegate.regNo, confirmation)
      expect([confirmResponse.status, confirmResponse.body.message]).toEqual([
        200,
        expect.any(String),
      ])
      // A confirmed payment counts once in all events, and the error states the next step.
      const rejection = await otherTreasurer.act(otherDelegate.regNo, {
        ...confirmation,
        way: 'transfer',
      })
      expect([rejection.status, rejection.body.message]).toEqual([
        409,
        `${reference} is already recorded: it is the payment of a registration of another event. One transfer counts once. If it is not for this registration, do not record it here (“Payment not found” rejects a report). If it is, ask a treasurer of all events, who can see both.`,
      ])
      const claimRejection = { act: 'not_found', why: 'It is the payment of another event.' }
      expect((await otherTreasurer.act(otherDelegate.regNo, claimRejection)).status).toBe(200)
    }
  })

  test('that two delegates reported is confirmed for one of them only after staff check it', async () => {
    const reference = createUtr()
    const [otherDelegate, ownDelegate] = [await register(OTHER_EVENT), await register(HERE)]
    await report(otherDelegate, reference)
    await report(ownDelegate, reference)
    const result = await sendStatement(ownTreasurer, HERE, buildCreditLine(`UPI ${reference}`))
    expect(listOutcomes(result)).toEqual([['ambiguous', ownDelegate.regNo]])
    const [line] = result.lines
    const chosenLine = {
      reg_no: ownDelegate.regNo,
      reference: line?.reference,
      also: line?.also,
      amount: line?.amount,
      day: line?.day,
    }
    const body = { event: HERE, lines: [chosenLine], keep: [] }
    expect(await post(ownTreasurer, '/admin/reconcile/confirm/', body)).toMatchObject({
      done: [ownDelegate.regNo],
      refused: [],
    })
    expect(
      listOutcomes(
        await sendStatement(otherTreasurer, OTHER_EVENT, buildCreditLine(`UPI ${reference}`)),
      ),
    ).toEqual([['known']])
  })

  test('that was confirmed there is recognised here, but registration number, name and amount are hidden', async () => {
    const reference = createUtr()
    const otherDelegate = await register(OTHER_EVENT)
    await confirm(otherDelegate, reference)
    const capturesBefore = readCaptures()
    const result = await sendStatement(
      ownTreasurer,
      HERE,
      buildCreditLine(`IMPS ${reference} X`, 11),
    )
    expect(listOutcomes(result)).toEqual([['known']])
    expect(result.lines[0]?.why).toBe('This payment is recorded for another event.')
    for (const hidden of [otherDelegate.regNo, otherDelegate.name, '4,720', OTHER_EVENT])
      expect(JSON.stringify(result)).not.toContain(hidden)
    await keepUnmatched(ownTreasurer, HERE, result)
    expect(readCaptures()).toEqual(capturesBefore)
  })

  test.each([
    ['unchanged', (regNo: string) => regNo],
    [
      'in lower case and groups',
      (regNo: string) => regNo.toLowerCase().replace(/(\d{4})/g, ' $1 '),
    ],
    ['with dashes', (regNo: string) => regNo.replace(/^([A-Z]+)(\d{5})/, '$1-$2-')],
    [
      'with full-width digits',
      (regNo: string) =>
        regNo.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    ],
    ['after a word', (regNo: string) => `Ref no. ${regNo}`],
    ['joined to a word', (regNo: string) => `UPI${regNo}`],
    ['between slashes and with a separator', (regNo: string) => `UPI/${regNo}@okbank`],
  ])('that names its registration %s is not recorded here', async (_, spellNumber) => {
    const otherDelegate = await register(OTHER_EVENT)
    const result = await sendStatement(
      ownTreasurer,
      HERE,
      buildCreditLine(`NEFT ${createUtr()} ${spellNumber(otherDelegate.regNo)}`),
    )
    expect(listOutcomes(result)).toEqual([['elsewhere']])
    expect(await keepUnmatched(ownTreasurer, HERE, result)).toContain('1 belongs to another event.')
    // A number of a registration here is found in every spelling.
    const ownDelegate = await register(HERE)
    const spelledResult = await sendStatement(
      ownTreasurer,
      HERE,
      buildCreditLine(`NEFT ${createUtr()} ${spellNumber(ownDelegate.regNo)}`),
    )
    expect(listOutcomes(spelledResult)).toEqual([['matched', ownDelegate.regNo]])
  })

  test('in a line that also names a registration here needs staff attention', async () => {
    const reference = createUtr()
    const [otherDelegate, ownDelegate] = [await register(OTHER_EVENT), await register(HERE)]
    await report(otherDelegate, reference)
    const result = await sendStatement(
      ownTreasurer,
      HERE,
      buildCreditLine(`UPI ${reference} ${ownDelegate.regNo}`),
    )
    expect(listOutcomes(result)).toEqual([['ambiguous', ownDelegate.regNo]])
    expect(JSON.stringify(result)).not.toContain(otherDelegate.regNo)
  })

  test('that was reported there does not put its registration number into a review here', async () => {
    const reference = createUtr()
    const otherDelegate = await register(OTHER_EVENT)
    await report(otherDelegate, reference)
    expect(
      (await office.act(otherDelegate.regNo, { act: 'not_found', why: 'Not at the bank.' })).status,
    ).toBe(200)
    const result = await sendStatement(ownTreasurer, HERE, buildCreditLine(`UPI ${reference}`, 33))
    await keepUnmatched(ownTreasurer, HERE, result)
    const review = (await readReviewsOf(ownTreasurer, HERE)).find(
      ({ came: received }) => received?.reference === reference,
    )
    expect(review?.why).toContain('matches no registration')
    expect(JSON.stringify(await readReviewsOf(ownTreasurer, HERE))).not.toContain(
      otherDelegate.regNo,
    )
  })
})

describe('a transfer that the bank may have returned', () => {
  test.each([
    ['a withdrawal', (reference: string) => buildDebitLine(`RETURN ${reference}`)],
    [
      'a deposit with a minus',
      (reference: string) => buildCreditLine(`RTN ${reference}`, `-${FEE}.00`),
    ],
    [
      'a deposit in brackets',
      (reference: string) => buildCreditLine(`RTN ${reference}`, `(${FEE}.00)`),
    ],
    [
      'a deposit with a trailing minus',
      (reference: string) => buildCreditLine(`RTN ${reference}`, `${FEE}.00-`),
    ],
    [
      'a deposit marked Dr',
      (reference: string) => buildCreditLine(`RTN ${reference}`, `${FEE}.00 Dr`),
    ],
  ])('shown as %s stays in review until staff handle it', async (_, row) => {
    const reference = createUtr()
    const ownDelegate = await register(HERE)
    await confirm(ownDelegate, reference)
    const result = await sendStatement(ownTreasurer, HERE, row(reference))
    expect(listOutcomes(result)).toEqual([['returned', ownDelegate.regNo]])
    // The file is not loaded again.
    const listReviews = async () =>
      (await readReviewsOf(ownTreasurer, HERE)).filter(
        ({ reg_no: regNo }) => regNo === ownDelegate.regNo,
      )
    const [review] = await listReviews()
    expect(review?.why).toContain('It may have returned this transfer.')
    expect(review?.why.match(/withdrawal/g)).toHaveLength(1)
    await sendStatement(ownTreasurer, HERE, row(reference))
    expect(await listReviews()).toHaveLength(1)
    const refund = {
      act: 'refund',
      by_hand: true,
      reference: `RTN ${reference}`,
      amount: String(FEE),
      why: 'Returned by the bank.',
    }
    expect((await office.act(ownDelegate.regNo, refund)).status).toBe(200)
    expect(await listReviews()).toEqual([])
    // After the file is loaded again, the transfer stays handled.
    await sendStatement(ownTreasurer, HERE, row(reference))
    expect(await listReviews()).toEqual([])
  })

  test('still counts after staff dismiss the warning, and the message says so', async () => {
    const reference = createUtr()
    const ownDelegate = await register(HERE)
    await confirm(ownDelegate, reference)
    await sendStatement(ownTreasurer, HERE, buildDebitLine(`CHARGES ${reference}`))
    const [review] = (await readReviewsOf(ownTreasurer, HERE)).filter(
      ({ reg_no: regNo }) => regNo === ownDelegate.regNo,
    )
    expect(review).toMatchObject({ kind: 'returned', decisions: ['dismiss'] })
    const dismissal = { decision: 'dismiss', version: review?.version, why: 'It is a charge.' }
    const { message } = await post<{ message: string }>(
      ownTreasurer,
      `/admin/reviews/${review?.id}/decide/`,
      dismissal,
    )
    expect(message).toBe('Warning closed. The payment still counts.')
    const storedRegistration = await server.deps.store.registration(ownDelegate.regNo as RegNo)
    expect(storedRegistration).toMatchObject({
      paymentStatus: 'success',
      inReview: false,
      state: 'complete',
    })
  })

  test('is shown without an amount if the file has no withdrawals column', async () => {
    const reference = createUtr()
    const ownDelegate = await register(HERE)
    await confirm(ownDelegate, reference)
    const file = [
      'Date,Narration,Deposit Amt,Balance',
      `09/01/27,IMPS ${createUtr()},10,10`,
      `10/01/27,RETURN ${reference},,10`,
    ]
    const result = await post<StatementResponse>(
      ownTreasurer,
      `/admin/reconcile/?event=${HERE}`,
      file.join('\n'),
    )
    expect(result.lines.find(({ as: outcome }) => outcome === 'returned')).toMatchObject({
      amount: 0,
      of: [{ reg_no: ownDelegate.regNo }],
    })
  })

  test('of the other event changes nothing there until its own staff load the statement', async () => {
    const reference = createUtr()
    const otherDelegate = await register(OTHER_EVENT)
    await confirm(otherDelegate, reference)
    const reviewsBefore = await readReviews(otherTreasurer)
    const result = await sendStatement(ownTreasurer, HERE, buildDebitLine(`RETURN ${reference}`))
    expect(listOutcomes(result)).toEqual([['returned']])
    expect(result.lines[0]?.why).toContain('of another event')
    expect(JSON.stringify(result)).not.toContain(otherDelegate.regNo)
    expect(await readReviews(otherTreasurer)).toBe(reviewsBefore)
    await sendStatement(otherTreasurer, OTHER_EVENT, buildDebitLine(`RETURN ${reference}`))
    expect(
      (await readReviewsOf(otherTreasurer, OTHER_EVENT)).map(({ reg_no: regNo }) => regNo),
    ).toContain(otherDelegate.regNo)
  })
})
