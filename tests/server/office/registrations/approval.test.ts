/** Registrations that need approval before payment: emails, staff actions, price and deadline. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderId, RegNo } from '../../../../engine/index.ts'
import type {
  ActionResponse,
  ActionsResponse,
  BulkActionResponse,
  SelfServiceResponse,
  RegisterResponse,
} from '../../../../engine/api.ts'
import { main } from '../../../../server/cli/run-command.ts'
import { createPdf } from '../../sample-uploads.ts'
import { buildFixtureEvent, addMemberLetter } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { actionsUrl, hashCheaply, PASSWORD, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { withoutThreads } from '../../store-without-threads.ts'

let server: TestApp
let owner: Office
let desk: Office
const EVENT_EXTRAS = `
approval:
  - id: letter
    when: {category: member}
    documents: [letter]
    decide_within: 2 days
    pay_within: 7 days
    if_refused: {offer: non-member, message: Members of other societies are welcome as non-members.}
quotas:
  - {id: dais, when: {is_member: true}, max: 40, full: {message: The dais is full}}
`
const EVENT_FILE = addMemberLetter(
  buildFixtureEvent({ extra: EVENT_EXTRAS }),
  'Letter of the society',
)
/** The card ends before the transfer, and before staff must have decided. */
const FILE_WITH_CARD_UNTIL = addMemberLetter(
  buildFixtureEvent({
    id: 'methods2026',
    prefix: 'METH',
    extra: EVENT_EXTRAS,
  }),
)
  .replace('\nroutes:', '\nregistration: {closes: 2026-02-10}\n\nroutes:')
  .replace(
    'payment: {gateway: airpay, account: sample}',
    `payment:
  methods:
    - {id: card, gateway: airpay, account: sample, until: 2026-01-31}
    - id: transfer
      label: Bank transfer
      instructions: Sample Society, account 50200012345678, IFSC SMPL0000032
      expires_after: 10 days
      fields:
        - {id: utr, label: UTR number, format: utr, unique: true, required: true}`,
  )
const START_TIME = '2026-01-30T16:00:00+05:30'

beforeAll(async () => {
  server = await startTestApp({
    clock: START_TIME,
    events: { 'sample2026.yaml': EVENT_FILE, 'methods2026.yaml': FILE_WITH_CARD_UNTIL },
  })
  owner = await signIn(server)
  await server.deps.store.addAdmin('deskhand', await hashCheaply(PASSWORD), server.now(), {
    role: 'desk',
    events: null,
  })
  desk = await signIn(server, 'deskhand')
})
afterAll(() => server.close())

const sendForm = (n: number, headers: Readonly<Record<string, string>> = {}) =>
  server.post(
    '/api/sample2026/register/',
    {
      full_name: `Delegate ${n}`,
      email: `delegate${n}@example.org`,
      phone_number: '9876500000',
      is_member: 'true',
    },
    { letter: { name: 'letter.pdf', bytes: createPdf(`letter ${n}`) } },
    headers,
  )
const registerMember = async (n: number): Promise<string> => {
  server.setTime(START_TIME)
  const response = await sendForm(n)
  expect(response.statusCode, response.body).toBe(201)
  return response.json<RegisterResponse>().reg_no
}
/** Sets the clock and signs in again, because a session does not last for days. */
const goToTime = async (time: string): Promise<void> => {
  server.setTime(time)
  owner = await signIn(server)
}
const readActions = async (regNo: string): Promise<ActionsResponse> =>
  (await owner.json(actionsUrl(regNo))) as unknown as ActionsResponse
const readRegistration = async (regNo: string) => {
  const registration = await server.deps.store.registration(regNo)
  if (registration === null) throw new Error(`${regNo} was not found`)
  return registration
}
const readLastEmail = async (regNo: string) =>
  (await server.deps.store.emailsOfRegistration(regNo as RegNo)).at(-1)
const retryPayment = async (regNo: string, n: number) => {
  const retryResponse = await server.app.inject({
    method: 'POST',
    url: '/api/payment/retry/',
    payload: { order_id: regNo, email: `delegate${n}@example.org` },
  })
  return retryResponse.json<RegisterResponse>().payment_data
}
/** Reads the token from the link in the latest email. */
const readLinkToken = async (regNo: string): Promise<string> => {
  await server.mailer.run()
  const emailFiles = readdirSync(join(server.dir, 'mail')).filter((name) => name.includes(regNo))
  const emailText = readFileSync(
    join(server.dir, 'mail', emailFiles.toSorted().at(-1) ?? ''),
    'utf8',
  )
  return /\/my\/([\w-]+)/.exec(emailText.replaceAll(/=\n/g, ''))?.[1] ?? ''
}
const readTakenSeats = async () =>
  (await server.deps.store.listTakenSeats('sample2026')).map(({ taken }) => taken)

describe('a registration that needs approval', () => {
  test('is marked in the file of amounts due, because nothing is due before the approval', async () => {
    const regNo = await registerMember(91)
    const { body } = await owner.get('/api/admin/debtors/export/')
    const row = body.split('\r\n').find((line) => line.includes(regNo))
    expect(row).toMatch(/"?Due after approval"?$/)
  })

  test('is not shown as paid if it is cancelled before the decision', async () => {
    const regNo = await registerMember(90)
    const cancelResponse = await owner.act(regNo, { act: 'cancel', why: 'Sent twice.' })
    expect(cancelResponse).toMatchObject({ status: 200, body: { state: 'cancelled' } })
    expect(await readRegistration(regNo)).toMatchObject({
      state: 'cancelled',
      paymentStatus: 'failed',
    })
  })

  test('is stored without a payment, reserves its seat, and states the next step and its date', async () => {
    const response = await sendForm(1, { 'idempotency-key': 'one-and-the-same-key' })
    expect(response.statusCode).toBe(201)
    const { reg_no: regNo, ...responseData } = response.json<RegisterResponse>()
    expect(responseData).toEqual({
      status: 'success',
      message: 'Your registration is saved. The organisers will review it before you pay.',
      stands: 'to-approve',
    })
    // Sending the same form again returns the same response.
    const repeatedResponse = (
      await sendForm(1, { 'idempotency-key': 'one-and-the-same-key' })
    ).json()
    expect(repeatedResponse).toEqual({ ...responseData, reg_no: regNo })
    expect(await readRegistration(regNo)).toMatchObject({
      state: 'to_approve',
      paymentStatus: 'pending',
      approval: 'letter',
      total: 118_000,
      payments: [],
    })
    expect(await readLastEmail(regNo)).toMatchObject({
      subject: 'Your registration for Sample 2026 is waiting for approval',
      text: expect.stringContaining(
        '(Letter of the society) before you pay. They will decide by 1 February 2026.',
      ),
    })
    const retryResponse = await server.app.inject({
      method: 'POST',
      url: '/api/payment/retry/',
      payload: { order_id: regNo, email: 'delegate1@example.org' },
    })
    expect(retryResponse.json()).toMatchObject({ code: 'nothing_due' })
    expect(await readActions(regNo)).toMatchObject({
      state: 'to_approve',
      allowed: ['note', 'correct', 'accept', 'dismiss', 'cancel', 'approve', 'refuse', 'erase'],
    })
    expect((await desk.act(regNo, { act: 'approve' })).status).toBe(403)
    // A correction made in the meantime does not change the state or release the seat.
    const nameCorrection = {
      act: 'correct',
      why: 'A slip.',
      answers: { full_name: 'Delegate One' },
    }
    expect(await owner.act(regNo, nameCorrection)).toMatchObject({ body: { state: 'to_approve' } })
    expect(await readRegistration(regNo)).toMatchObject({ paymentStatus: 'pending', payments: [] })
    const seatStateSql = `SELECT state FROM places_taken WHERE registration_id = (SELECT id FROM registrations WHERE reg_no = ?)`
    expect(server.rows(seatStateSql, regNo)).toEqual([{ state: 'kept' }])
  })

  test('can be approved, and is paid through the emailed link at the price of the registration date', async () => {
    const regNo = await registerMember(2)
    await goToTime('2026-02-02T10:00:00+05:30')
    expect(await owner.act(regNo, { act: 'approve' })).toMatchObject({
      status: 200,
      body: {
        state: 'to_pay',
        message: 'Registration approved. A link to pay ₹\u00a01,180 was sent.',
      },
    })
    expect(await owner.act(regNo, { act: 'approve' })).toMatchObject({ status: 409 })
    const lastEmail = await readLastEmail(regNo)
    expect(lastEmail?.subject).toBe('Approved: please pay for Sample 2026')
    expect(lastEmail?.text).toContain('It will be complete once ₹\u00a01,180 is paid.')
    expect(lastEmail?.text).toContain('Please pay by 9 February 2026')
    // The first period has ended, and today's price is 2,360. The old price applies until the deadline.
    server.setTime('2026-02-09T23:00:00+05:30')
    const retryResponse = await server.app.inject({
      method: 'POST',
      url: '/api/payment/retry/',
      payload: { order_id: regNo, email: 'delegate2@example.org' },
    })
    expect(retryResponse.json<RegisterResponse>().payment_data).toMatchObject({ amount: '1180.00' })
    expect(await readRegistration(regNo)).toMatchObject({ state: 'to_pay' })
    const seatsBefore = await readTakenSeats()
    const { payments } = await readRegistration(regNo)
    expect(payments.map(({ amount }) => amount)).toEqual([118_000])
    // After a day without payment the order ends, but the state and the seat stay the same.
    await server.deps.store.applyPaymentEvent(
      payments[0]?.orderId as OrderId,
      { type: 'expired', at: server.now() },
      null,
    )
    expect(await readRegistration(regNo)).toMatchObject({
      state: 'to_pay',
      paymentStatus: 'failed',
    })
    expect(await readTakenSeats()).toEqual(seatsBefore)
  })
})

describe('a registration that is not approved', () => {
  test('frees the seat, states the reason, and offers another category at the price of the registration date', async () => {
    const regNo = await registerMember(4)
    await goToTime('2026-02-01T10:00:00+05:30')
    expect((await owner.act(regNo, { act: 'refuse', offer: true })).status).toBe(422)
    const seatsBefore = await readTakenSeats()
    const refusal = { act: 'refuse', why: 'The letter is from another society.', offer: true }
    expect(await owner.act(regNo, refusal)).toMatchObject({
      status: 200,
      body: { state: 'refused' },
    })
    expect(await readTakenSeats()).toEqual(seatsBefore.map((taken) => taken - 1))
    expect(await readRegistration(regNo)).toMatchObject({
      state: 'refused',
      paymentStatus: 'failed',
      offer: 'non-member',
    })
    const lastEmail = await readLastEmail(regNo)
    expect(lastEmail?.subject).toBe('Your registration for Sample 2026 was not approved')
    expect(lastEmail?.text).toContain('did not approve it: The letter is from another society.')
    expect(lastEmail?.text).toContain('Members of other societies are welcome as non-members.')
    expect(lastEmail?.text).toContain(
      'You can switch to the category “Non-member” instead, for ₹\u00a03,540',
    )
    // The linked page shows the reason, and one click accepts the offer. A second click changes nothing.
    const path = `/api/my/${await readLinkToken(regNo)}/`
    const ownPage = (await server.app.inject(path)).json<SelfServiceResponse>()
    expect(ownPage.refused).toEqual({
      why: 'The letter is from another society.',
      say: 'Members of other societies are welcome as non-members.',
      offer: { category: 'non-member', label: 'Non-member', total: 3540 },
    })
    const acceptOffer = async (category: string) => {
      const payload = { act: 'accept_offer', category, key: 'one-press-0001' }
      const response = await server.app.inject({ method: 'POST', url: `${path}acts/`, payload })
      return { status: response.statusCode, body: response.json<ActionResponse>() }
    }
    expect((await acceptOffer('member')).status).toBe(409)
    expect((await acceptOffer('emeritus')).status).toBe(422)
    expect(await acceptOffer('non-member')).toMatchObject({
      status: 200,
      body: { state: 'to_pay' },
    })
    expect(await acceptOffer('non-member')).toMatchObject({ status: 200, body: { repeated: true } })
    expect(await readRegistration(regNo)).toMatchObject({
      category: 'non-member',
      period: 'early',
      total: 354_000,
      offer: null,
      payUntil: expect.any(Number),
    })
    expect((await readLastEmail(regNo))?.text).toContain('Please pay by 8 February 2026')
    expect(await retryPayment(regNo, 4)).toMatchObject({ amount: '3540.00' })
    // A later change of an answer keeps the accepted category and its price.
    const nameCorrection = {
      act: 'correct',
      why: 'A slip.',
      answers: { full_name: 'Delegate Four' },
    }
    expect((await owner.act(regNo, nameCorrection)).status).toBe(200)
    expect(await readRegistration(regNo)).toMatchObject({ category: 'non-member', total: 354_000 })
  })

  test('stays closed if no other category is offered, unless staff approve it after all', async () => {
    const regNo = await registerMember(5)
    await goToTime('2026-02-01T10:00:00+05:30')
    expect((await owner.act(regNo, { act: 'refuse', why: 'No letterhead.' })).status).toBe(200)
    expect((await readLastEmail(regNo))?.text).toContain(
      'You were not charged. You do not need to do anything.',
    )
    const response = await server.app.inject(`/api/sample2026/registrations/${regNo}/`)
    expect(response.json()).toMatchObject({ registration: { stands: 'refused', may_pay: false } })
    const seatsBefore = await readTakenSeats()
    expect(await owner.act(regNo, { act: 'approve' })).toMatchObject({ body: { state: 'to_pay' } })
    expect(await readTakenSeats()).toEqual(seatsBefore.map((entry) => entry + 1))
    expect(await retryPayment(regNo, 5)).toMatchObject({ amount: '1180.00' })
  })
})

test('an approved registration that is not paid in time expires and frees its seat', async () => {
  const regNo = await registerMember(9)
  await goToTime('2026-02-01T10:00:00+05:30')
  expect((await owner.act(regNo, { act: 'approve' })).status).toBe(200)
  const seatsBefore = await readTakenSeats()
  server.setTime('2026-02-08T23:59:59+05:30')
  await server.expiry.run()
  expect(await readRegistration(regNo)).toMatchObject({ state: 'to_pay' })
  server.setTime('2026-02-09T00:00:00+05:30')
  await server.expiry.run()
  expect(await readRegistration(regNo)).toMatchObject({ state: 'lapsed' })
  expect(await readTakenSeats()).not.toEqual(seatsBefore)
})

describe('the last day of the payment method', () => {
  const registerForCard = async (n: number): Promise<string> => {
    server.setTime(START_TIME)
    const response = await server.post(
      '/api/methods2026/register/',
      {
        full_name: `Delegate ${n}`,
        email: `card${n}@example.org`,
        phone_number: '9876500000',
        is_member: 'true',
        way: 'card',
      },
      { letter: { name: 'letter.pdf', bytes: createPdf(`letter ${n}`) } },
    )
    expect(response.statusCode, response.body).toBe(201)
    return response.json<RegisterResponse>().reg_no
  }
  const payByCard = async (regNo: string, n: number) =>
    (
      await server.app.inject({
        method: 'POST',
        url: '/api/payment/retry/',
        payload: { order_id: regNo, email: `card${n}@example.org` },
      })
    ).json<RegisterResponse>()

  test('has passed at the approval: the delegate is asked to pay by a method that is open', async () => {
    const regNo = await registerForCard(30)
    await goToTime('2026-02-01T10:00:00+05:30')
    expect((await owner.act(regNo, { act: 'approve' })).status).toBe(200)
    expect((await readRegistration(regNo)).payments).toMatchObject([
      { way: 'transfer', amount: 118_000 },
    ])
    const ownPage = (
      await server.app.inject(`/api/my/${await readLinkToken(regNo)}/`)
    ).json<SelfServiceResponse>()
    expect(JSON.stringify(ownPage)).toContain('50200012345678')
    expect(await payByCard(regNo, 30)).toMatchObject({ code: 'registration_closed' })
  })

  test('passes after the approval: the link can be used until the date in the email', async () => {
    const regNo = await registerForCard(31)
    await goToTime('2026-01-31T10:00:00+05:30')
    expect((await owner.act(regNo, { act: 'approve' })).status).toBe(200)
    expect((await readLastEmail(regNo))?.text).toContain('Please pay by 7 February 2026')
    server.setTime('2026-02-07T23:00:00+05:30')
    expect((await payByCard(regNo, 31)).payment_data).toMatchObject({ amount: '1180.00' })
  })
})

test('approves many registrations in one action, each separately', async () => {
  const [firstRegNo, secondRegNo, thirdRegNo] = [
    await registerMember(6),
    await registerMember(7),
    await registerMember(8),
  ]
  await goToTime('2026-02-01T10:00:00+05:30')
  expect((await owner.act(thirdRegNo, { act: 'cancel', why: 'Ill.' })).status).toBe(200)
  const approveMany = async (office: Office, payload: object) => {
    const headers = { authorization: `Bearer ${office.token}` }
    const url = '/admin/registrations/bulk/'
    const response = await server.app.inject({ method: 'POST', url, headers, payload })
    return { status: response.statusCode, body: response.json<BulkActionResponse>() }
  }
  const reg_nos = [firstRegNo, secondRegNo, thirdRegNo, 'SMPL0', firstRegNo]
  expect(await approveMany(owner, { act: 'approve', reg_nos })).toMatchObject({
    status: 200,
    body: {
      message: '2 done; 2 failed, for the reasons below.',
      done: [firstRegNo, secondRegNo],
      refused: [
        {
          reg_no: thirdRegNo,
          message: 'You cannot approve this registration now. The registration is cancelled.',
        },
        { reg_no: 'SMPL0', message: 'No registration has this number.' },
      ],
    },
  })
  expect(await readRegistration(firstRegNo)).toMatchObject({ state: 'to_pay' })
  // Actions that need an amount or a separate reason cannot be done in bulk.
  expect((await approveMany(owner, { act: 'refund', reg_nos })).status).toBe(422)
  expect((await approveMany(owner, { act: 'approve', reg_nos: [] })).status).toBe(422)
})

describe('a bank statement', () => {
  const post = async (url: string, body: string | object, office = owner) => {
    const response = await server.app.inject({
      method: 'POST',
      url,
      headers: {
        authorization: `Bearer ${office.token}`,
        'content-type': typeof body === 'string' ? 'text/csv' : 'application/json',
      },
      payload: body,
    })
    return { status: response.statusCode, body: response.json() }
  }
  const RECONCILE_URL = '/admin/reconcile/?event=sample2026'

  test('is matched with expected payments, which are confirmed in bulk and only once', async () => {
    const [matchingRegNo, lowerRegNo] = [await registerMember(10), await registerMember(11)]
    await goToTime('2026-02-01T10:00:00+05:30')
    for (const regNo of [matchingRegNo, lowerRegNo])
      expect((await owner.act(regNo, { act: 'approve' })).status).toBe(200)
    const statement = [
      'SAMPLE BANK,,,',
      'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.',
      `01/02/26,"NEFT <img src=x onerror=alert(1)> ${matchingRegNo}",SBIN026032000001,,"1,180.00"`,
      `01/02/26,UPI/603212345678/${lowerRegNo},,,"1,000.00"`,
      '01/02/26,=HYPERLINK("x") INTEREST,,,"12.00"',
    ].join('\n')
    const result = await post(RECONCILE_URL, statement)
    expect(result).toMatchObject({
      status: 200,
      body: {
        lines: [
          {
            as: 'matched',
            reference: 'SBIN026032000001',
            amount: 1180,
            of: [{ reg_no: matchingRegNo }],
          },
          {
            as: 'differs',
            reference: '603212345678',
            amount: 1000,
            of: [{ reg_no: lowerRegNo, due: 1180 }],
          },
          { as: 'unmatched', of: [] },
        ],
        unread: [],
      },
    })
    type Line = {
      as: string
      reference: string
      amount: number
      day: string
      of: { reg_no: string }[]
    }
    const lines = (result.body as unknown as { lines: Line[] }).lines
      .filter(({ of }) => of.length === 1)
      .map(({ reference, amount, day, of }) => ({ reg_no: of[0]?.reg_no, reference, amount, day }))
    const confirm = () => post('/admin/reconcile/confirm/', { event: 'sample2026', lines })
    // The same lines confirm nothing for another event.
    const otherResponse = await post('/admin/reconcile/confirm/', { event: 'other', lines })
    expect([otherResponse.status, otherResponse.body]).toMatchObject([
      404,
      { code: 'no_such_event' },
    ])
    expect(await readRegistration(matchingRegNo)).toMatchObject({ state: 'to_pay' })
    expect(await confirm()).toMatchObject({
      body: {
        done: [matchingRegNo, lowerRegNo],
        refused: [],
        message: '1 confirmed; 1 sent for review.',
      },
    })
    expect(await readRegistration(matchingRegNo)).toMatchObject({
      state: 'complete',
      paymentStatus: 'success',
    })
    expect(await readRegistration(lowerRegNo)).toMatchObject({
      paymentStatus: 'pending',
      inReview: true,
    })
    expect((await post(RECONCILE_URL, statement)).body).toMatchObject({
      lines: [
        { as: 'known', of: [{ reg_no: matchingRegNo }] },
        { as: 'known' },
        { as: 'unmatched' },
      ],
    })
    expect((await confirm()).body).toMatchObject({ done: [] })
    expect(await server.deps.store.captures(matchingRegNo as RegNo)).toHaveLength(1)
    // The command reports the same, and its exit status shows whether any lines need attention.
    const statementPath = join(server.dir, 'statement.csv')
    const output: string[] = []
    const terminal = {
      print: (text: string) => void output.push(text),
      printError: (text: string) => void output.push(text),
      environment: () => withoutThreads(server.environment),
    }
    const run = async (text: string): Promise<number> => {
      writeFileSync(statementPath, text)
      return main(['payment', 'reconcile', 'sample2026', statementPath], terminal)
    }
    expect(await run(statement)).toBe(1)
    expect(output[0]).toContain(
      `:3: ₹\u00a01,180 on 1 February 2026, SBIN026032000001: already confirmed ${matchingRegNo}`,
    )
    expect(output[2]).toContain('₹\u00a012 on 1 February 2026')
    expect(await run(statement.split('\n').slice(0, 4).join('\n'))).toBe(0)
    expect(await main(['payment', 'reconcile', 'nothing2026', statementPath], terminal)).toBe(2)
  })

  test('asks for the columns of an unknown format, and rejects a file that is too large', async () => {
    await goToTime('2026-02-01T10:00:00+05:30')
    const unknownFormat = 'Wann,Was,Wieviel\n01/02/2026,UPI,590\n'
    expect((await post(RECONCILE_URL, unknownFormat)).body).toEqual({
      status: 'success',
      header: ['Wann', 'Was', 'Wieviel'],
    })
    expect(
      (await post(`${RECONCILE_URL}&date=0&narration=1&credit=2`, unknownFormat)).body,
    ).toMatchObject({
      lines: [{ as: 'unmatched', amount: 590 }],
    })
    expect((await post(RECONCILE_URL, 'a,"b\n')).status).toBe(422)
    expect((await post(RECONCILE_URL, 'x,y\n'.repeat(5_001))).body).toMatchObject({
      code: 'not_csv',
    })
    expect((await post(RECONCILE_URL, 'x'.repeat(2 * 1024 * 1024 + 1))).status).toBe(413)
  })
})
