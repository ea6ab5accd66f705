/** Money that came in hand or by transfer: moved to whoever it was meant for, given back, and kept when its person is erased. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegNo } from '../../../../engine/index.ts'
import type { ActionsAnswer } from '../../../../engine/api.ts'
import { startRefundEmails } from '../../../../server/mail/send-refund-emails.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { actsOn, signIn, shownVersion } from '../office.ts'
import type { Office } from '../office.ts'

const file = 'lekhacon2027.yaml'
const text = readFileSync(join(import.meta.dirname, '..', '..', '..', 'events', file), 'utf8')
const event = 'lekhacon2027'

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-10', events: { [file]: text } })
  office = await signIn(server)
})
afterAll(() => server.close())

const headers = () => ({ authorization: `Bearer ${office.token}` })
let clicks = 0
const added = async (name: string, slip: string | null): Promise<RegNo> => {
  const answers = {
    full_name: name,
    email: `${name}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  }
  const paid = slip === null ? { way: '' } : { way: 'desk', paid: { mode: 'cash', slip } }
  const payload = { event, key: `a-click-of-${++clicks}`, answers, ...paid }
  const url = '/admin/add/'
  const answer = await server.app.inject({ method: 'POST', url, headers: headers(), payload })
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json<{ reg_no: RegNo }>().reg_no
}
const standing = async (regNo: RegNo): Promise<ActionsAnswer> => {
  const answer = await server.app.inject({ url: actsOn(regNo), headers: headers() })
  return answer.json<ActionsAnswer>()
}
/** As the pages print it: LEKH 3052 5244 0153 7. */
const printed = (regNo: RegNo): string => regNo.replaceAll(/(LEKH|\d{4})(?=\d)/g, '$1 ')

test('money is moved to a registration by its number as displayed, also in lower case', async () => {
  const from = await added('Asha', 'C-001')
  const targets = [await added('Binu', null), await added('Chitra', null)] as const
  expect(printed(targets[0])).toMatch(/^LEKH( \d{1,4}){3,}$/)
  const ways = [printed(targets[0]), `  ${printed(targets[1]).toLowerCase()}\u00a0`]
  for (const [at, to] of ways.entries()) {
    const came = { act: 'came_again', way: 'cash', reference: `C-10${at}`, amount: '4720' }
    expect((await office.act(from, came)).status).toBe(200)
    const [review] = (await standing(from)).reviews
    const answer = await server.app.inject({
      method: 'POST',
      url: `/admin/reviews/${review?.id}/decide/`,
      headers: headers(),
      payload: { decision: 'move', version: review?.version, to, why: 'Meant for a friend.' },
    })
    expect(answer.json()).toMatchObject({
      status: 'success',
      message: expect.stringContaining(`moved to ${targets[at]}, which is now paid`),
    })
    const moved = await server.deps.store.registration(targets[at] ?? '')
    expect(moved?.paymentStatus).toBe('success')
  }
  // The confirmation goes to whoever it pays.
  const mails = await server.deps.store.mailsOf(targets[0])
  expect(mails.map(({ subject }) => subject)).toContain(`LEKHACON 2027: ${targets[0]}`)
})

test('a cash payment can only be refunded outside Rollcall', async () => {
  const regNo = await added('Divya', 'C-020')
  expect(await standing(regNo)).toMatchObject({ kept: 4720, back_by_gateway: 0 })
  const refund = { act: 'refund', why: 'She asked for it.', amount: '4720' }
  expect((await office.act(regNo, refund)).body.code).toBe('not_by_gateway')
  const byHand = { ...refund, by_hand: true, reference: 'C-021' }
  expect((await office.act(regNo, byHand)).status).toBe(200)
})

test('a delegate gets one email for each refund, with its reference and the state of the registration', async () => {
  const regNo = await added('Farah', 'C-040')
  const run = () => startRefundEmails(server.deps, { isEnabled: false }).run()
  await run()
  const told = async (): Promise<readonly string[]> =>
    (await server.deps.store.dueMails(server.now(), 1_000))
      .filter((mail) => mail.regNo === regNo && mail.kind === 'given-back')
      .map(({ to, subject, text: body }) =>
        [to, subject, body].join('\n').replaceAll('\u00a0', ' '),
      )
  const refund = { act: 'refund', why: 'A part.', by_hand: true }
  await office.act(regNo, { ...refund, amount: '720', reference: 'C-041' })
  expect([await run(), await run()]).toEqual([1, 0])
  const [part = ''] = await told()
  for (const said of [
    'Farah@delegate.example\n₹ 720 has been refunded for LEKHACON 2027',
    `₹ 720 of your payment for registration ${regNo} (LEKHACON 2027) was refunded on 10 January 2027. The reference is C-041.`,
    'Your registration is still paid and complete.',
    '\n{link}\n',
  ])
    expect(part).toContain(said)
  await office.act(regNo, { act: 'cancel', why: 'She is ill.', pay_back: '4000', kept: 4000 })
  await office.act(regNo, { ...refund, amount: '4000', reference: 'C-042' })
  expect(await run()).toBe(1)
  const all = (await told()).find((mail) => mail.includes('C-042')) ?? ''
  expect(all).toContain('₹ 4,000 of your payment')
  expect(all).not.toContain('complete')
})

test('the refund email does not say complete while a difference is due', async () => {
  const regNo = await added('Ila', 'C-080')
  const dearer = { act: 'correct', why: 'By phone.', answers: { workshop: 'records' }, total: 5900 }
  expect((await office.act(regNo, dearer)).status).toBe(200)
  const refund = { act: 'refund', why: 'Agreed.', amount: '20', by_hand: true, reference: 'C-081' }
  expect((await office.act(regNo, refund)).status).toBe(200)
  expect(await startRefundEmails(server.deps, { isEnabled: false }).run()).toBe(1)
  const mail = (await server.deps.store.mailsOf(regNo)).find(({ text: body }) =>
    body.includes('C-081'),
  )
  expect(mail?.text).toContain('was refunded on')
  expect(mail?.text).not.toContain('complete')
})

test('a refund that no single payment covers is split between the payments, in whole paise', async () => {
  const regNo = await added('Kiran', 'C-090')
  const dearer = { act: 'correct', why: 'By phone.', answers: { workshop: 'records' }, total: 5900 }
  expect((await office.act(regNo, dearer)).status).toBe(200)
  const paid = { act: 'confirm', why: 'Cash.', way: 'desk', reference: 'C-091', amount: '1180' }
  expect((await office.act(regNo, paid)).status).toBe(200)
  const refund = { act: 'refund', why: 'Agreed.', by_hand: true, reference: 'C-092' }
  for (const amount of ['5000.005', 5000.005])
    expect((await office.act(regNo, { ...refund, amount })).body.code).toMatch(
      /^bad_(amount|data)$/,
    )
  const split = await office.act(regNo, { ...refund, amount: '5000.01' })
  expect(split).toMatchObject({ status: 200 })
  expect(split.body.message).toContain('split between 2 payments')
  const refunds = await server.deps.store.refunds(regNo)
  expect(refunds.map(({ amount, state }) => [amount, state])).toEqual([
    [472_000, 'done'],
    [28_001, 'done'],
  ])
  expect(await standing(regNo)).toMatchObject({ kept: 899.99 })
  expect((await office.act(regNo, { ...refund, reference: 'C-093', amount: '900' })).status).toBe(
    422,
  )
  // The workshop has few seats.
  const cancel = { act: 'cancel', why: 'Ill.', pay_back: '0', kept: 899.99 }
  expect((await office.act(regNo, cancel)).status).toBe(200)
})

test('the email after a correction to a lower price states the refund, at most the remaining money', async () => {
  const regNo = await added('Jaya', 'C-060')
  const price = async (workshop: string | null, total: number): Promise<string> => {
    const words = { act: 'correct', why: 'By phone.', answers: { workshop }, total }
    expect((await office.act(regNo, words)).status).toBe(200)
    const mails = await server.deps.store.mailsOf(regNo)
    const { subject, text: body } = mails.at(-1) ?? { subject: '', text: '' }
    return `${subject}: ${body.split('\n\n')[1]}`.replaceAll('\u00a0', ' ')
  }
  const corrected = `The organisers have corrected your registration ${regNo} for LEKHACON 2027.`
  expect(await price('records', 5900)).toContain(`${corrected} There is ₹ 1,180 more to pay.`)
  expect(await price(null, 4720)).toBe(
    `Nothing more to pay for LEKHACON 2027: ${corrected} There is nothing more to pay and nothing to refund.`,
  )
  await price('records', 5900)
  const paid = { act: 'confirm', why: 'Paid in cash.', way: 'desk', reference: 'C-061' }
  expect((await office.act(regNo, { ...paid, amount: '1180' })).status).toBe(200)
  expect(await price(null, 4720)).toBe(
    `₹ 1,180 will be refunded for LEKHACON 2027: ${corrected} We will refund ₹ 1,180 of your payment. You do not need to do anything.`,
  )
  const back = { act: 'refund', why: 'Agreed.', by_hand: true }
  await office.act(regNo, { ...back, amount: '1180', reference: 'C-062' })
  await price('records', 5900)
  await office.act(regNo, { ...paid, amount: '1180', reference: 'C-063' })
  for (const [at, amount] of ['3500', '1000', '1000'].entries())
    await office.act(regNo, { ...back, amount, reference: `C-07${at}` })
  expect(await standing(regNo)).toMatchObject({ pay_back: 0, kept: 400 })
  expect(await price(null, 4720)).toMatch(/^₹ 400 will be refunded/)
  expect(await standing(regNo)).toMatchObject({ pay_back: 400, kept: 400 })
})

test('sends no email about refunds of weeks ago, or after erasure', async () => {
  const [late, gone] = [await added('Gita', 'C-050'), await added('Hari', 'C-051')]
  const refund = { act: 'refund', why: 'Payment requested.', amount: '720', by_hand: true }
  await office.act(late, { ...refund, reference: 'C-052' })
  await office.act(gone, { act: 'cancel', why: 'Ill.', pay_back: '720', kept: 4720 })
  await office.act(gone, { act: 'erase', why: 'Asked for by letter.' })
  server.setTime('2027-01-18')
  office = await signIn(server)
  expect((await office.act(gone, { ...refund, reference: 'C-053' })).status).toBe(200)
  expect(await startRefundEmails(server.deps, { isEnabled: false }).run()).toBe(0)
  server.setTime('2027-01-10')
})

test('the timeline of an erased person keeps the payments without personal data; erasure cannot be repeated', async () => {
  const regNo = await added('Esha', 'C-030')
  await office.act(regNo, { act: 'correct', why: 'Esha wrote.', answers: { full_name: 'Esha B' } })
  await office.act(regNo, { act: 'cancel', why: 'Esha is ill.', pay_back: '3540', kept: 4720 })
  const before = await standing(regNo)
  expect([before.pay_back, before.allowed.includes('erase')]).toEqual([3540, true])
  const erased = await office.act(regNo, { act: 'erase', why: 'Asked for by letter.' })
  expect(erased.status).toBe(200)
  const after = await standing(regNo)
  const lines = after.trail.map(({ text: line }) => line.replaceAll('\u00a0', ' '))
  expect(lines).toEqual([
    'Personal data erased',
    'Cancelled: ₹ 3,540 to refund',
    'Corrected',
    'Payment recorded: ₹ 4,720 in cash, C-030',
    'Added by staff',
  ])
  expect(JSON.stringify(after)).not.toContain('Esha')
  expect(after.allowed).not.toContain('erase')
  expect(after.pay_back).toBe(3540)
  // The money is still there to go back.
  const refund = { act: 'refund', why: 'Paid back.', amount: '3540', by_hand: true, reference: '9' }
  expect((await office.act(regNo, refund)).status).toBe(200)
})

test('a refund that was made once and recorded twice counts once', async () => {
  const regNo = await added('Latha', 'C-300')
  const refund = { act: 'refund', why: 'Agreed.', amount: '200', by_hand: true }
  expect((await office.act(regNo, { ...refund, reference: 'C-301' })).status).toBe(200)
  const again = await office.act(regNo, { ...refund, reference: 'c 301' })
  expect([again.status, again.body.code]).toEqual([409, 'reference_taken'])
  expect(again.body.message).toContain('₹\u00a0200 is already recorded under')

  // Money in review, and a bank's reference for another registration.
  const came = { act: 'came_again', way: 'cash', reference: 'C-302', amount: '500' }
  expect((await office.act(regNo, came)).status).toBe(200)
  const [review] = (await standing(regNo)).reviews
  const decide = async (reference: string) =>
    server.app.inject({
      method: 'POST',
      url: `/admin/reviews/${review?.id}/decide/`,
      headers: headers(),
      payload: {
        decision: 'refund',
        version: await shownVersion(server, review?.id),
        amount: '200',
        by_hand: true,
        reference,
        why: 'Twice.',
      },
    })
  const utr = '526199990001'
  expect((await decide('C-301')).statusCode).toBe(409)
  expect((await decide(utr)).statusCode).toBe(200)
  expect((await decide(utr)).statusCode).toBe(409)
  const other = await added('Meena', 'C-303')
  const elsewhere = await office.act(other, { ...refund, reference: 'UTR 5261 9999 0001' })
  expect([elsewhere.status, elsewhere.body.code]).toEqual([409, 'reference_taken'])
  expect(elsewhere.body.message).not.toContain(regNo)
  expect((await office.act(other, { ...refund, reference: 'C-301' })).status).toBe(200)
})

test('a registration stays complete if one of its payments is refunded in full and another remains', async () => {
  const regNo = await added('Nisha', 'C-400')
  const dearer = { act: 'correct', why: 'By phone.', answers: { workshop: 'records' }, total: 5900 }
  expect((await office.act(regNo, dearer)).status).toBe(200)
  const paid = { act: 'confirm', why: 'Cash.', way: 'desk', reference: 'C-401', amount: '1180' }
  expect((await office.act(regNo, paid)).status).toBe(200)
  const refund = { act: 'refund', why: 'Agreed.', by_hand: true }
  const first = { ...refund, amount: '4720', reference: 'C-402' }
  expect((await office.act(regNo, first)).status).toBe(200)
  expect(await standing(regNo)).toMatchObject({ state: 'complete', kept: 1180 })
  expect(await server.deps.store.registration(regNo)).toMatchObject({ paymentStatus: 'success' })
  const rest = { ...refund, amount: '1180', reference: 'C-403' }
  expect((await office.act(regNo, rest)).body).toMatchObject({ status: 'success' })
  expect(await standing(regNo)).toMatchObject({ state: 'cancelled', kept: 0 })
  expect(await server.deps.store.registration(regNo)).toMatchObject({ paymentStatus: 'refunded' })
})

test('a refund was recorded under the UTR of the transfer that came, and a transfer under that of a refund', async () => {
  const [first, second] = [await added('Usha', null), await added('Vimal', null)]
  const confirm = (regNo: RegNo, reference: string) =>
    office.act(regNo, { act: 'confirm', way: 'transfer', reference, amount: '4720' })
  const refund = (regNo: RegNo, reference: string) =>
    office.act(regNo, { act: 'refund', why: 'Ill.', by_hand: true, amount: '720', reference })
  expect((await confirm(first, '526200000801')).status).toBe(200)
  const refused = await refund(first, 'UTR 5262 0000 0801')
  expect([refused.status, refused.body.code]).toEqual([409, 'reference_taken'])
  expect(refused.body.message).toBe(
    'UTR 5262 0000 0801 is the reference of a payment that was received. Enter the reference of the refund itself.',
  )
  expect((await refund(first, 'NEFT 526200000802')).status).toBe(200)
  const taken = await confirm(second, '5262 0000 0802')
  expect([taken.status, taken.body.code]).toEqual([409, 'taken'])
  expect(taken.body.message).toBe(
    '5262 0000 0802 is the reference of a refund that was recorded. Enter the reference of the payment itself.',
  )
  expect((await confirm(second, '526200000803')).status).toBe(200)
  // The bank returns a transfer under the number under which it came.
  const payload = [
    'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt',
    '10/01/27,RETURN OF 526200000803,,4720,',
  ].join('\n')
  const laid = await server.app.inject({
    method: 'POST',
    url: `/admin/reconcile/?event=${event}`,
    headers: { ...headers(), 'content-type': 'text/csv' },
    payload,
  })
  expect(laid.json()).toMatchObject({ lines: [{ as: 'returned' }] })
  expect((await refund(second, '526200000803')).status).toBe(200)
})
