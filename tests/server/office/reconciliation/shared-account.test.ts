/** Two events that share a bank account: what staff of one event can see of the other event's payments. */
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
import { hashCheaply, PASSWORD, readShownVersion, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const [OWN_EVENT, OTHER_EVENT] = ['lekhacon2027', 'bimacon2027'] as const
const eventFile = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', `${OWN_EVENT}.yaml`),
  'utf8',
)
const FEE = 4720

let server: TestApp
/** A user with access to all events. */
let office: Office
/** Treasurers of the first and the second event. */
let ownTreasurer: Office
let otherTreasurer: Office
beforeAll(async () => {
  const otherEventFile = eventFile.replaceAll(OWN_EVENT, OTHER_EVENT).replaceAll('LEKH', 'BIMA')
  server = await startTestApp({
    clock: '2027-01-10',
    events: { [`${OWN_EVENT}.yaml`]: eventFile, [`${OTHER_EVENT}.yaml`]: otherEventFile },
  })
  office = await signIn(server)
  for (const [name, event] of [
    ['here', OWN_EVENT],
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

let counter = 0
const createUtr = (): string => String(526_777_000_000 + ++counter)
type RegisteredDelegate = { readonly regNo: string; readonly page: string; readonly name: string }
async function register(event: string): Promise<RegisteredDelegate> {
  counter += 1
  const name = `Delegate Zyxw${counter}`
  const response = await server.post(`/api/${event}/register/`, {
    full_name: name,
    email: `delegate${counter}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  const { reg_no: regNo, page = '' } = response.json<RegisterResponse>()
  return { regNo, page, name }
}
const confirm = ({ regNo }: RegisteredDelegate, reference: string) =>
  office.act(regNo, { act: 'confirm', way: 'transfer', reference, amount: String(FEE) })
async function reportTransfer({ page }: RegisteredDelegate, reference: string): Promise<void> {
  const payload = { act: 'tell', answers: { utr: reference, paid_on: '2027-01-09' } }
  const response = await server.app.inject({ method: 'POST', url: `/api${page}/acts/`, payload })
  expect(response.statusCode, response.body).toBe(200)
}
async function post<T>(user: Office, url: string, payload: string | object): Promise<T> {
  const headers = {
    authorization: `Bearer ${user.token}`,
    'content-type': typeof payload === 'string' ? 'text/csv' : 'application/json',
  }
  const response = await server.app.inject({ method: 'POST', url, headers, payload })
  expect(response.statusCode, response.body).toBe(200)
  return response.json<T>()
}
type StatementResponse = Extract<ReconcileResponse, { header: null }>
const HEADER = 'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt'
const sendStatement = (
  user: Office,
  event: string,
  ...rows: readonly string[]
): Promise<StatementResponse> =>
  post(user, `/admin/reconcile/?event=${event}`, [HEADER, ...rows].join('\n'))
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
const readReviews = async (user: Office, event: string): Promise<ReviewsResponse['reviews']> =>
  ((await user.json(`/admin/reviews/?event=${event}`)) as unknown as ReviewsResponse).reviews
const readCaptures = () => server.rows('SELECT * FROM captures')
const readDashboard = async (user: Office): Promise<string> =>
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
  const messages = await Promise.all(
    [otherDelegate.regNo, unknownRegNo].map((regNo) =>
      keepUnmatched(
        ownTreasurer,
        OWN_EVENT,
        buildUnmatchedResult(regNo) as unknown as StatementResponse,
      ),
    ),
  )
  expect(messages).toEqual(
    messages.map(() => '0 unmatched payments sent for review. 1 belongs to another event.'),
  )
  expect(readCaptures()).toEqual(capturesBefore)
})

describe('a transfer of the other event', () => {
  test('that a delegate of that event reported cannot be recorded or moved in this event', async () => {
    const reference = createUtr()
    const otherDelegate = await register(OTHER_EVENT)
    await reportTransfer(otherDelegate, reference)
    const capturesBefore = readCaptures()
    const result = await sendStatement(
      ownTreasurer,
      OWN_EVENT,
      buildCreditLine(`UPI/${reference}/SAMPLE PAYER`),
    )
    expect(listOutcomes(result)).toEqual([['elsewhere']])
    const resultText = JSON.stringify(result)
    for (const hidden of [otherDelegate.regNo, otherDelegate.name, OTHER_EVENT])
      expect(resultText).not.toContain(hidden)
    expect(await keepUnmatched(ownTreasurer, OWN_EVENT, result)).toBe(
      '0 unmatched payments sent for review. 1 belongs to another event.',
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

  test('gives the same result in this event whether or not the registration number in its text exists', async () => {
    const otherDelegate = await register(OTHER_EVENT)
    const config = server.deps.events.findById(OTHER_EVENT)?.config
    const title = config?.title ?? ''
    const event = toPublicEvent(config as EventConfig)
    const unknownRegNo = createRegNo(
      event,
      Array.from({ length: getDigitCount(event) }, () => 4),
    )
    const sendLine = (user: Office, number: string) =>
      sendStatement(user, OWN_EVENT, buildCreditLine(`NEFT ${createUtr()} ${number}`))
    const results = [
      await sendLine(ownTreasurer, otherDelegate.regNo),
      await sendLine(ownTreasurer, unknownRegNo),
    ]
    for (const { lines } of results)
      expect(lines).toMatchObject([
        {
          as: 'elsewhere',
          of: [],
          why: 'The line mentions a registration of another event.',
        },
      ])
    const [lineForBoth] = (await sendLine(office, otherDelegate.regNo)).lines
    expect(lineForBoth?.why).toBe(`The line mentions a registration of ${title}.`)
  })

  test('goes to review in the other event if its text has a number in the format of that event', async () => {
    const event = toPublicEvent(server.deps.events.findById(OTHER_EVENT)?.config as EventConfig)
    const [unknownRegNo = '', otherUnknownRegNo] = [3, 5].map((digit) =>
      createRegNo(
        event,
        Array.from({ length: getDigitCount(event) }, () => digit),
      ),
    )
    // The amount is the balance of a delegate of this event.
    await register(OWN_EVENT)
    const row = buildCreditLine(`NEFT ${createUtr()} ${unknownRegNo}`)
    const statement = await post<{ id: number }>(office, '/admin/statements/', `${HEADER}\n${row}`)
    const view = await office.json(`/admin/statements/${statement.id}/`)
    const [line] = view['lines'] as unknown as readonly { readonly id: number }[]
    const choices = [{ line: line?.id, seen: null }]
    const body = { decision: 'review', choices }
    expect(await post(office, `/admin/statements/${statement.id}/decide/`, body)).toMatchObject({
      done: [line?.id],
    })
    const isListed = async (user: Office, eventId: string) =>
      (await readReviews(user, eventId)).some(({ why }) => why?.includes(unknownRegNo))
    expect(await isListed(ownTreasurer, OWN_EVENT)).toBe(false)
    expect(await isListed(otherTreasurer, OTHER_EVENT)).toBe(true)
    // On the page of this event too, no user can send such a line to review.
    const result = await sendStatement(
      office,
      OWN_EVENT,
      buildCreditLine(`NEFT ${createUtr()} ${otherUnknownRegNo}`),
    )
    expect(result.lines).toMatchObject([
      { as: 'elsewhere', why: `The line mentions a registration of ${event.title}.` },
    ])
    expect(await keepUnmatched(office, OWN_EVENT, result)).toBe(
      '0 unmatched payments sent for review. 1 belongs to another event.',
    )
  })

  test('can be reported and confirmed in this event even though a delegate of the other event entered its number', async () => {
    const [transferReference, deskReference] = [createUtr(), createUtr()]
    for (const [reference, method] of [
      [transferReference, { way: 'transfer' }],
      [deskReference, { way: 'desk', mode: 'upi' }],
    ] as const) {
      const [otherDelegate, ownDelegate] = [await register(OTHER_EVENT), await register(OWN_EVENT)]
      await reportTransfer(otherDelegate, reference)
      // Staff of this event can neither see nor reject the claim in the other event.
      await reportTransfer(ownDelegate, reference)
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
      // A confirmed payment counts once across all events, and the error states the next step.
      const rejection = await otherTreasurer.act(otherDelegate.regNo, {
        ...confirmation,
        way: 'transfer',
      })
      expect([rejection.status, rejection.body.message]).toEqual([
        409,
        `${reference} is already recorded: it is the payment of a registration of another event. A transfer counts only once. If this transfer is not for this registration, do not record it here (“Mark payment as not found” rejects a claim). If it is, ask a treasurer with access to all events, who can dismiss the other payment if it is under review.`,
      ])
      const claimRejection = { act: 'not_found', why: 'It is the payment of another event.' }
      expect((await otherTreasurer.act(otherDelegate.regNo, claimRejection)).status).toBe(200)
    }
  })

  test('is not shown as recorded for a delegate of this event who reported it too', async () => {
    const reference = createUtr()
    const [otherDelegate, ownDelegate] = [await register(OTHER_EVENT), await register(OWN_EVENT)]
    await reportTransfer(ownDelegate, reference)
    expect((await confirm(otherDelegate, reference)).status).toBe(200)
    const { told: shownToStaff, allowed } = await ownTreasurer.json(
      `/admin/registrations/${ownDelegate.regNo}/acts/`,
    )
    expect(shownToStaff).toMatchObject({ reference, stands: 'looking' })
    const ownPage = await server.app.inject({ url: `/api${ownDelegate.page}/` })
    expect(ownPage.json()).toMatchObject({ paying: { told: { reference, stands: 'looking' } } })
    // Staff can reject the report.
    expect(allowed).toContain('not_found')
    const rejection = { act: 'not_found', why: 'It is the payment of another event.' }
    expect((await ownTreasurer.act(ownDelegate.regNo, rejection)).status).toBe(200)
  })

  test('cannot be recorded at the front desk of the other event if a delegate of this event reported it', async () => {
    const reference = createUtr()
    const [otherDelegate, ownDelegate] = [await register(OTHER_EVENT), await register(OWN_EVENT)]
    await reportTransfer(ownDelegate, reference)
    const cardPayment = {
      act: 'confirm',
      way: 'machine',
      reference,
      amount: '1',
      why: 'Card slip.',
    }
    const rejection = await otherTreasurer.act(otherDelegate.regNo, cardPayment)
    expect([rejection.status, rejection.body.message]).toEqual([
      409,
      `A delegate of another event reported ${reference} as a bank transfer. Enter the number on the slip instead.`,
    ])
    expect((await confirm(ownDelegate, reference)).status).toBe(200)
  })

  test('that the other event recorded for a wrong amount can be recorded here once staff there dismiss it', async () => {
    const reference = createUtr()
    const [otherDelegate, ownDelegate] = [await register(OTHER_EVENT), await register(OWN_EVENT)]
    const cardPayment = {
      act: 'confirm',
      way: 'machine',
      reference,
      amount: '1',
      why: 'Card slip.',
    }
    expect((await otherTreasurer.act(otherDelegate.regNo, cardPayment)).status).toBe(200)
    expect((await confirm(ownDelegate, reference)).status).toBe(409)
    const reviews = await server.deps.store.reviews(OTHER_EVENT)
    const review = reviews.find(({ regNo }) => regNo === otherDelegate.regNo)
    await post(otherTreasurer, `/admin/reviews/${review?.id}/decide/`, {
      decision: 'dismiss',
      why: 'Typed by mistake.',
      version: await readShownVersion(server, review?.id),
    })
    await reportTransfer(ownDelegate, reference)
    const line = buildCreditLine(`UPI ${reference}`)
    const statement = await sendStatement(ownTreasurer, OWN_EVENT, line)
    expect(listOutcomes(statement)).toEqual([['matched', ownDelegate.regNo]])
    expect((await confirm(ownDelegate, reference)).status).toBe(200)
    expect(listOutcomes(await sendStatement(ownTreasurer, OWN_EVENT, line))).toEqual([
      ['known', ownDelegate.regNo],
    ])
    expect((await otherTreasurer.act(otherDelegate.regNo, cardPayment)).status).toBe(409)
  })

  test('that a delegate reported cannot be recorded as the reference of a refund, in this event or the other', async () => {
    const reference = createUtr()
    const ownDelegate = await register(OWN_EVENT)
    const paidDelegates = [await register(OWN_EVENT), await register(OTHER_EVENT)]
    for (const paidDelegate of paidDelegates)
      expect((await confirm(paidDelegate, createUtr())).status).toBe(200)
    await reportTransfer(ownDelegate, reference)
    for (const { regNo } of paidDelegates) {
      const refund = {
        act: 'refund',
        amount: '1',
        by_hand: true,
        reference,
        why: 'A small refund.',
      }
      const rejection = await office.act(regNo, refund)
      expect([rejection.status, rejection.body.message]).toEqual([
        409,
        `A delegate reported ${reference} as the reference of a payment. Enter the reference of the refund itself.`,
      ])
    }
    expect((await confirm(ownDelegate, reference)).status).toBe(200)
  })

  test('that was reported by two delegates is confirmed for one of them only after staff check it', async () => {
    const reference = createUtr()
    const [otherDelegate, ownDelegate] = [await register(OTHER_EVENT), await register(OWN_EVENT)]
    await reportTransfer(otherDelegate, reference)
    await reportTransfer(ownDelegate, reference)
    const result = await sendStatement(ownTreasurer, OWN_EVENT, buildCreditLine(`UPI ${reference}`))
    expect(listOutcomes(result)).toEqual([['ambiguous', ownDelegate.regNo]])
    const [line] = result.lines
    const chosenLine = {
      reg_no: ownDelegate.regNo,
      reference: line?.reference,
      also: line?.also,
      amount: line?.amount,
      day: line?.day,
    }
    const body = { event: OWN_EVENT, lines: [chosenLine], keep: [] }
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

  test('that was confirmed in the other event is recognised in this event, but registration number, name and amount are hidden', async () => {
    const reference = createUtr()
    const otherDelegate = await register(OTHER_EVENT)
    await confirm(otherDelegate, reference)
    const capturesBefore = readCaptures()
    const result = await sendStatement(
      ownTreasurer,
      OWN_EVENT,
      buildCreditLine(`IMPS ${reference} X`, 11),
    )
    expect(listOutcomes(result)).toEqual([['known']])
    expect(result.lines[0]?.why).toBe('This payment is recorded for another event.')
    for (const hidden of [otherDelegate.regNo, otherDelegate.name, '4,720', OTHER_EVENT])
      expect(JSON.stringify(result)).not.toContain(hidden)
    await keepUnmatched(ownTreasurer, OWN_EVENT, result)
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
  ])(
    'that contains its registration number %s is not recorded in this event',
    async (_, spellNumber) => {
      const otherDelegate = await register(OTHER_EVENT)
      const result = await sendStatement(
        ownTreasurer,
        OWN_EVENT,
        buildCreditLine(`NEFT ${createUtr()} ${spellNumber(otherDelegate.regNo)}`),
      )
      expect(listOutcomes(result)).toEqual([['elsewhere']])
      expect(await keepUnmatched(ownTreasurer, OWN_EVENT, result)).toContain(
        '1 belongs to another event.',
      )
      // A registration number of this event is recognised however it is written.
      const ownDelegate = await register(OWN_EVENT)
      const spelledResult = await sendStatement(
        ownTreasurer,
        OWN_EVENT,
        buildCreditLine(`NEFT ${createUtr()} ${spellNumber(ownDelegate.regNo)}`),
      )
      expect(listOutcomes(spelledResult)).toEqual([['matched', ownDelegate.regNo]])
    },
  )

  test('needs staff attention if its line also contains a registration number of this event', async () => {
    const reference = createUtr()
    const [otherDelegate, ownDelegate] = [await register(OTHER_EVENT), await register(OWN_EVENT)]
    await reportTransfer(otherDelegate, reference)
    const result = await sendStatement(
      ownTreasurer,
      OWN_EVENT,
      buildCreditLine(`UPI ${reference} ${ownDelegate.regNo}`),
    )
    expect(listOutcomes(result)).toEqual([['ambiguous', ownDelegate.regNo]])
    expect(JSON.stringify(result)).not.toContain(otherDelegate.regNo)
  })

  test("that was reported in the other event does not add that event's registration number to a review in this event", async () => {
    const reference = createUtr()
    const otherDelegate = await register(OTHER_EVENT)
    await reportTransfer(otherDelegate, reference)
    expect(
      (await office.act(otherDelegate.regNo, { act: 'not_found', why: 'Not at the bank.' })).status,
    ).toBe(200)
    const result = await sendStatement(
      ownTreasurer,
      OWN_EVENT,
      buildCreditLine(`UPI ${reference}`, 33),
    )
    await keepUnmatched(ownTreasurer, OWN_EVENT, result)
    const review = (await readReviews(ownTreasurer, OWN_EVENT)).find(
      ({ came: received }) => received?.reference === reference,
    )
    expect(review?.why).toContain('matches no registration')
    expect(JSON.stringify(await readReviews(ownTreasurer, OWN_EVENT))).not.toContain(
      otherDelegate.regNo,
    )
  })
})

describe('a transfer that the bank may have returned', () => {
  test.each([
    ['a withdrawal', (reference: string) => buildDebitLine(`RETURN ${reference}`)],
    [
      'a deposit with a leading minus',
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
  ])('shown as %s stays in review until staff handle it', async (_, buildRow) => {
    const reference = createUtr()
    const ownDelegate = await register(OWN_EVENT)
    await confirm(ownDelegate, reference)
    const result = await sendStatement(ownTreasurer, OWN_EVENT, buildRow(reference))
    expect(listOutcomes(result)).toEqual([['returned', ownDelegate.regNo]])
    // The review stays until staff handle it, even if the file is not loaded again.
    const listReviews = async () =>
      (await readReviews(ownTreasurer, OWN_EVENT)).filter(
        ({ reg_no: regNo }) => regNo === ownDelegate.regNo,
      )
    const [review] = await listReviews()
    expect(review?.why).toContain('It may have returned this payment.')
    expect(review?.why.match(/withdrawal/g)).toHaveLength(1)
    await sendStatement(ownTreasurer, OWN_EVENT, buildRow(reference))
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
    await sendStatement(ownTreasurer, OWN_EVENT, buildRow(reference))
    expect(await listReviews()).toEqual([])
  })

  test('still counts as paid after staff dismiss the warning, and the message says so', async () => {
    const reference = createUtr()
    const ownDelegate = await register(OWN_EVENT)
    await confirm(ownDelegate, reference)
    await sendStatement(ownTreasurer, OWN_EVENT, buildDebitLine(`CHARGES ${reference}`))
    const [review] = (await readReviews(ownTreasurer, OWN_EVENT)).filter(
      ({ reg_no: regNo }) => regNo === ownDelegate.regNo,
    )
    expect(review).toMatchObject({ kind: 'returned', decisions: ['dismiss'] })
    const dismissal = { decision: 'dismiss', version: review?.version, why: 'It is a charge.' }
    const { message } = await post<{ message: string }>(
      ownTreasurer,
      `/admin/reviews/${review?.id}/decide/`,
      dismissal,
    )
    expect(message).toBe('Warning closed. The payment remains applied to its registration.')
    const storedRegistration = await server.deps.store.registration(ownDelegate.regNo as RegNo)
    expect(storedRegistration).toMatchObject({
      paymentStatus: 'success',
      inReview: false,
      state: 'complete',
    })
  })

  test('is shown without an amount if the file has no withdrawals column', async () => {
    const reference = createUtr()
    const ownDelegate = await register(OWN_EVENT)
    await confirm(ownDelegate, reference)
    const file = [
      'Date,Narration,Deposit Amt,Balance',
      `09/01/27,IMPS ${createUtr()},10,10`,
      `10/01/27,RETURN ${reference},,10`,
    ]
    const result = await post<StatementResponse>(
      ownTreasurer,
      `/admin/reconcile/?event=${OWN_EVENT}`,
      file.join('\n'),
    )
    expect(result.lines.find(({ as: outcome }) => outcome === 'returned')).toMatchObject({
      amount: 0,
      of: [{ reg_no: ownDelegate.regNo }],
    })
  })

  test('of the other event does not change that event until its own staff load the statement', async () => {
    const reference = createUtr()
    const otherDelegate = await register(OTHER_EVENT)
    await confirm(otherDelegate, reference)
    const dashboardBefore = await readDashboard(otherTreasurer)
    const result = await sendStatement(
      ownTreasurer,
      OWN_EVENT,
      buildDebitLine(`RETURN ${reference}`),
    )
    expect(listOutcomes(result)).toEqual([['returned']])
    expect(result.lines[0]?.why).toContain('of another event')
    expect(JSON.stringify(result)).not.toContain(otherDelegate.regNo)
    expect(await readDashboard(otherTreasurer)).toBe(dashboardBefore)
    await sendStatement(otherTreasurer, OTHER_EVENT, buildDebitLine(`RETURN ${reference}`))
    expect(
      (await readReviews(otherTreasurer, OTHER_EVENT)).map(({ reg_no: regNo }) => regNo),
    ).toContain(otherDelegate.regNo)
  })
})
