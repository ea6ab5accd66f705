/** Registrations that somebody sees before they are paid: what the delegate is told, what the office does, what is paid and until when. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderId, RegNo } from '../../../../engine/index.ts'
import type {
  ActionDoneAnswer,
  ActionsAnswer,
  BulkAnswer,
  MyAnswer,
  RegisterAnswer,
} from '../../../../engine/api.ts'
import { main } from '../../../../server/cli/run-command.ts'
import { createPdf } from '../../sample-uploads.ts'
import { fixtureEvent, addMemberLetter } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { actsOn, cheapHash, PASSWORD, signIn } from '../office.ts'
import type { Office } from '../office.ts'

let test_: TestApp
let owner: Office
let desk: Office
const EXTRA = `
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
const EVENT = addMemberLetter(fixtureEvent({ extra: EXTRA }), 'Letter of the society')
const REGISTERED = '2026-01-30T16:00:00+05:30'

beforeAll(async () => {
  test_ = await startTestApp({ clock: REGISTERED, events: { 'sample2026.yaml': EVENT } })
  owner = await signIn(test_)
  await test_.deps.store.addAdmin('deskhand', await cheapHash(PASSWORD), test_.now(), {
    role: 'desk',
    events: null,
  })
  desk = await signIn(test_, 'deskhand')
})
afterAll(() => test_.close())

const send = (n: number, headers: Readonly<Record<string, string>> = {}) =>
  test_.post(
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
const registered = async (n: number): Promise<string> => {
  test_.setTime(REGISTERED)
  const answer = await send(n)
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json<RegisterAnswer>().reg_no
}
/** A session does not last for days. */
const onDay = async (at: string): Promise<void> => {
  test_.setTime(at)
  owner = await signIn(test_)
}
const look = async (regNo: string): Promise<ActionsAnswer> =>
  (await owner.json(actsOn(regNo))) as unknown as ActionsAnswer
const stored = async (regNo: string) => {
  const found = await test_.deps.store.registration(regNo)
  if (found === null) throw new Error(`${regNo} is not there`)
  return found
}
const lastMail = async (regNo: string) => (await test_.deps.store.mailsOf(regNo as RegNo)).at(-1)
const payOf = async (regNo: string, n: number) => {
  const paying = await test_.app.inject({
    method: 'POST',
    url: '/api/payment/retry/',
    payload: { order_id: regNo, email: `delegate${n}@example.org` },
  })
  return paying.json<RegisterAnswer>().payment_data
}
/** The token of the last mail's link, as the delegate gets it. */
const linkOf = async (regNo: string): Promise<string> => {
  await test_.mailer.run()
  const letters = readdirSync(join(test_.dir, 'mail')).filter((name) => name.includes(regNo))
  const letter = readFileSync(join(test_.dir, 'mail', letters.toSorted().at(-1) ?? ''), 'utf8')
  return /\/my\/([\w-]+)/.exec(letter.replaceAll(/=\n/g, ''))?.[1] ?? ''
}
const places = async () =>
  (await test_.deps.store.takenSeats('sample2026')).map(({ taken }) => taken)

describe('a registration that needs approval', () => {
  test('is not called paid if it is cancelled before the decision', async () => {
    const regNo = await registered(90)
    const cancelled = await owner.act(regNo, { act: 'cancel', why: 'Sent twice.' })
    expect(cancelled).toMatchObject({ status: 200, body: { state: 'cancelled' } })
    expect(await stored(regNo)).toMatchObject({ state: 'cancelled', paymentStatus: 'failed' })
  })

  test('is registered without a payment, keeps its seat, and states the next step and its date', async () => {
    const answer = await send(1, { 'idempotency-key': 'one-and-the-same-key' })
    expect(answer.statusCode).toBe(201)
    const { reg_no: regNo, ...rest } = answer.json<RegisterAnswer>()
    expect(rest).toEqual({
      status: 'success',
      message: 'Your registration is saved. The organisers will review it before you pay.',
      stands: 'to-approve',
    })
    // The same form sent again says the same.
    const again = (await send(1, { 'idempotency-key': 'one-and-the-same-key' })).json()
    expect(again).toEqual({ ...rest, reg_no: regNo })
    expect(await stored(regNo)).toMatchObject({
      state: 'to_approve',
      paymentStatus: 'pending',
      approval: 'letter',
      total: 118_000,
      payments: [],
    })
    expect(await lastMail(regNo)).toMatchObject({
      subject: 'Your registration for Sample 2026 is waiting for approval',
      text: expect.stringContaining(
        '(Letter of the society) before you pay. They will decide by 1 February 2026.',
      ),
    })
    const paying = await test_.app.inject({
      method: 'POST',
      url: '/api/payment/retry/',
      payload: { order_id: regNo, email: 'delegate1@example.org' },
    })
    expect(paying.json()).toMatchObject({ code: 'nothing_due' })
    expect(await look(regNo)).toMatchObject({
      state: 'to_approve',
      allowed: ['note', 'correct', 'accept', 'dismiss', 'cancel', 'approve', 'refuse', 'erase'],
    })
    expect((await desk.act(regNo, { act: 'approve' })).status).toBe(403)
    // A slip that is corrected meanwhile leaves it what it was, and its place.
    const name = { act: 'correct', why: 'A slip.', answers: { full_name: 'Delegate One' } }
    expect(await owner.act(regNo, name)).toMatchObject({ body: { state: 'to_approve' } })
    expect(await stored(regNo)).toMatchObject({ paymentStatus: 'pending', payments: [] })
    const held = `SELECT state FROM places_taken WHERE registration_id = (SELECT id FROM registrations WHERE reg_no = ?)`
    expect(test_.rows(held, regNo)).toEqual([{ state: 'kept' }])
  })

  test('is approved, and paid by the link at the price of the registration date', async () => {
    const regNo = await registered(2)
    await onDay('2026-02-02T10:00:00+05:30')
    expect(await owner.act(regNo, { act: 'approve' })).toMatchObject({
      status: 200,
      body: {
        state: 'to_pay',
        message: 'Registration approved. A link to pay ₹\u00a01,180 was sent.',
      },
    })
    expect(await owner.act(regNo, { act: 'approve' })).toMatchObject({ status: 409 })
    const mail = await lastMail(regNo)
    expect(mail?.subject).toBe('Approved: please pay for Sample 2026')
    expect(mail?.text).toContain('It is complete once ₹\u00a01,180 is paid.')
    expect(mail?.text).toContain('Please pay by 9 February 2026')
    // The first period is over and its price would be 2,360 today; by the last day it is still the old one.
    test_.setTime('2026-02-09T23:00:00+05:30')
    const paying = await test_.app.inject({
      method: 'POST',
      url: '/api/payment/retry/',
      payload: { order_id: regNo, email: 'delegate2@example.org' },
    })
    expect(paying.json<RegisterAnswer>().payment_data).toMatchObject({ amount: '1180.00' })
    expect(await stored(regNo)).toMatchObject({ state: 'to_pay' })
    const before = await places()
    const { payments } = await stored(regNo)
    expect(payments.map(({ amount }) => amount)).toEqual([118_000])
    // A day without money ends the order, and neither the state nor the place.
    await test_.deps.store.applyPaymentEvent(
      payments[0]?.orderId as OrderId,
      { type: 'expired', at: test_.now() },
      null,
    )
    expect(await stored(regNo)).toMatchObject({ state: 'to_pay', paymentStatus: 'failed' })
    expect(await places()).toEqual(before)
  })
})

describe('a registration that is not approved', () => {
  test('frees the seat, states the reason, and offers another category at the price of the registration date', async () => {
    const regNo = await registered(4)
    await onDay('2026-02-01T10:00:00+05:30')
    expect((await owner.act(regNo, { act: 'refuse', offer: true })).status).toBe(422)
    const before = await places()
    const refusal = { act: 'refuse', why: 'The letter is of another society.', offer: true }
    expect(await owner.act(regNo, refusal)).toMatchObject({
      status: 200,
      body: { state: 'refused' },
    })
    expect(await places()).toEqual(before.map((taken) => taken - 1))
    expect(await stored(regNo)).toMatchObject({
      state: 'refused',
      paymentStatus: 'failed',
      offer: 'non-member',
    })
    const mail = await lastMail(regNo)
    expect(mail?.subject).toBe('Your registration for Sample 2026 was not approved')
    expect(mail?.text).toContain('did not approve it: The letter is of another society.')
    expect(mail?.text).toContain('Members of other societies are welcome as non-members.')
    expect(mail?.text).toContain(
      'You can take part in the category “Non-member” instead, for ₹\u00a03,540',
    )
    // Whoever has the link reads why, and accepts in one press, however often it is pressed.
    const path = `/api/my/${await linkOf(regNo)}/`
    const mine = (await test_.app.inject(path)).json<MyAnswer>()
    expect(mine.refused).toEqual({
      why: 'The letter is of another society.',
      say: 'Members of other societies are welcome as non-members.',
      offer: { category: 'non-member', label: 'Non-member', total: 3540 },
    })
    const accept = async (category: string) => {
      const payload = { act: 'accept_offer', category, key: 'one-press-0001' }
      const answer = await test_.app.inject({ method: 'POST', url: `${path}acts/`, payload })
      return { status: answer.statusCode, body: answer.json<ActionDoneAnswer>() }
    }
    expect((await accept('member')).status).toBe(409)
    expect((await accept('emeritus')).status).toBe(422)
    expect(await accept('non-member')).toMatchObject({ status: 200, body: { state: 'to_pay' } })
    expect(await accept('non-member')).toMatchObject({ status: 200, body: { repeated: true } })
    expect(await stored(regNo)).toMatchObject({
      category: 'non-member',
      period: 'early',
      total: 354_000,
      offer: null,
      payUntil: expect.any(Number),
    })
    expect((await lastMail(regNo))?.text).toContain('Please pay by 8 February 2026')
    expect(await payOf(regNo, 4)).toMatchObject({ amount: '3540.00' })
    // Another answer leaves the category that was accepted, and its price.
    const name = { act: 'correct', why: 'A slip.', answers: { full_name: 'Delegate Four' } }
    expect((await owner.act(regNo, name)).status).toBe(200)
    expect(await stored(regNo)).toMatchObject({ category: 'non-member', total: 354_000 })
  })

  test('has ended without an offer, until staff approve it after all', async () => {
    const regNo = await registered(5)
    await onDay('2026-02-01T10:00:00+05:30')
    expect((await owner.act(regNo, { act: 'refuse', why: 'No letterhead.' })).status).toBe(200)
    expect((await lastMail(regNo))?.text).toContain(
      'You were not charged. You do not need to do anything.',
    )
    const read = await test_.app.inject(`/api/sample2026/registrations/${regNo}/`)
    expect(read.json()).toMatchObject({ registration: { stands: 'refused', may_pay: false } })
    const taken = await places()
    expect(await owner.act(regNo, { act: 'approve' })).toMatchObject({ body: { state: 'to_pay' } })
    expect(await places()).toEqual(taken.map((one) => one + 1))
    expect(await payOf(regNo, 5)).toMatchObject({ amount: '1180.00' })
  })
})

test('an approved registration that is not paid in time expires and frees its seat', async () => {
  const regNo = await registered(9)
  await onDay('2026-02-01T10:00:00+05:30')
  expect((await owner.act(regNo, { act: 'approve' })).status).toBe(200)
  const before = await places()
  test_.setTime('2026-02-08T23:59:59+05:30')
  await test_.expiry.run()
  expect(await stored(regNo)).toMatchObject({ state: 'to_pay' })
  test_.setTime('2026-02-09T00:00:00+05:30')
  await test_.expiry.run()
  expect(await stored(regNo)).toMatchObject({ state: 'lapsed' })
  expect(await places()).not.toEqual(before)
})

test('approves many registrations in one action, each separately', async () => {
  const [one, two, three] = [await registered(6), await registered(7), await registered(8)]
  await onDay('2026-02-01T10:00:00+05:30')
  expect((await owner.act(three, { act: 'cancel', why: 'Ill.' })).status).toBe(200)
  const bulk = async (office: Office, payload: object) => {
    const headers = { authorization: `Bearer ${office.token}` }
    const url = '/admin/registrations/bulk/'
    const answer = await test_.app.inject({ method: 'POST', url, headers, payload })
    return { status: answer.statusCode, body: answer.json<BulkAnswer>() }
  }
  const reg_nos = [one, two, three, 'SMPL0', one]
  expect(await bulk(owner, { act: 'approve', reg_nos })).toMatchObject({
    status: 200,
    body: {
      message: '2 done; 2 failed, for the reasons below.',
      done: [one, two],
      refused: [
        {
          reg_no: three,
          message: 'You cannot approve this registration now. The registration is cancelled.',
        },
        { reg_no: 'SMPL0', message: 'No registration has this number.' },
      ],
    },
  })
  expect(await stored(one)).toMatchObject({ state: 'to_pay' })
  // What takes a figure or a reason of its own is done one by one.
  expect((await bulk(owner, { act: 'refund', reg_nos })).status).toBe(422)
  expect((await bulk(owner, { act: 'approve', reg_nos: [] })).status).toBe(422)
})

describe('a bank statement', () => {
  const post = async (url: string, body: string | object, office = owner) => {
    const answer = await test_.app.inject({
      method: 'POST',
      url,
      headers: {
        authorization: `Bearer ${office.token}`,
        'content-type': typeof body === 'string' ? 'text/csv' : 'application/json',
      },
      payload: body,
    })
    return { status: answer.statusCode, body: answer.json() }
  }
  const ADDRESS = '/admin/reconcile/?event=sample2026'

  test('is matched with expected payments, confirmed in bulk, and confirms nothing twice', async () => {
    const [fits, less] = [await registered(10), await registered(11)]
    await onDay('2026-02-01T10:00:00+05:30')
    for (const regNo of [fits, less])
      expect((await owner.act(regNo, { act: 'approve' })).status).toBe(200)
    const statement = [
      'SAMPLE BANK,,,',
      'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.',
      `01/02/26,"NEFT <img src=x onerror=alert(1)> ${fits}",SBIN026032000001,,"1,180.00"`,
      `01/02/26,UPI/603212345678/${less},,,"1,000.00"`,
      '01/02/26,=HYPERLINK("x") INTEREST,,,"12.00"',
    ].join('\n')
    const laid = await post(ADDRESS, statement)
    expect(laid).toMatchObject({
      status: 200,
      body: {
        lines: [
          { as: 'matched', reference: 'SBIN026032000001', amount: 1180, of: [{ reg_no: fits }] },
          {
            as: 'differs',
            reference: '603212345678',
            amount: 1000,
            of: [{ reg_no: less, due: 1180 }],
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
    const lines = (laid.body as unknown as { lines: Line[] }).lines
      .filter(({ of }) => of.length === 1)
      .map(({ reference, amount, day, of }) => ({ reg_no: of[0]?.reg_no, reference, amount, day }))
    const confirm = () => post('/admin/reconcile/confirm/', { event: 'sample2026', lines })
    // Under another event's name the same lines confirm nothing.
    const elsewhere = await post('/admin/reconcile/confirm/', { event: 'other', lines })
    expect([elsewhere.status, elsewhere.body]).toMatchObject([404, { code: 'no_such_event' }])
    expect(await stored(fits)).toMatchObject({ state: 'to_pay' })
    expect(await confirm()).toMatchObject({
      body: {
        done: [fits, less],
        refused: [],
        message: '1 confirmed; 1 sent to review because the amount differs.',
      },
    })
    expect(await stored(fits)).toMatchObject({ state: 'complete', paymentStatus: 'success' })
    expect(await stored(less)).toMatchObject({ paymentStatus: 'pending', inReview: true })
    expect((await post(ADDRESS, statement)).body).toMatchObject({
      lines: [{ as: 'known', of: [{ reg_no: fits }] }, { as: 'known' }, { as: 'unmatched' }],
    })
    expect((await confirm()).body).toMatchObject({ done: [] })
    expect(await test_.deps.store.captures(fits as RegNo)).toHaveLength(1)
    // The command says the same, and its exit status whether anything is left.
    const file = join(test_.dir, 'statement.csv')
    const said: string[] = []
    const terminal = {
      print: (text: string) => void said.push(text),
      printError: (text: string) => void said.push(text),
      environment: () => test_.environment,
    }
    const run = async (text: string): Promise<number> => {
      writeFileSync(file, text)
      return main(['payment', 'reconcile', 'sample2026', file], terminal)
    }
    expect(await run(statement)).toBe(1)
    expect(said[0]).toContain(
      `:3: ₹\u00a01,180 on 1 February 2026, SBIN026032000001: confirmed before ${fits}`,
    )
    expect(said[2]).toContain('₹\u00a012 on 1 February 2026')
    expect(await run(statement.split('\n').slice(0, 4).join('\n'))).toBe(0)
    expect(await main(['payment', 'reconcile', 'nothing2026', file], terminal)).toBe(2)
  })

  test('asks for the columns of an unknown format, and rejects a file that is too large', async () => {
    await onDay('2026-02-01T10:00:00+05:30')
    const odd = 'Wann,Was,Wieviel\n01/02/2026,UPI,590\n'
    expect((await post(ADDRESS, odd)).body).toEqual({
      status: 'success',
      header: ['Wann', 'Was', 'Wieviel'],
    })
    expect((await post(`${ADDRESS}&date=0&narration=1&credit=2`, odd)).body).toMatchObject({
      lines: [{ as: 'unmatched', amount: 590 }],
    })
    expect((await post(ADDRESS, 'a,"b\n')).status).toBe(422)
    expect((await post(ADDRESS, 'x,y\n'.repeat(5_001))).body).toMatchObject({ code: 'not_csv' })
    expect((await post(ADDRESS, 'x'.repeat(2 * 1024 * 1024 + 1))).status).toBe(413)
  })
})
