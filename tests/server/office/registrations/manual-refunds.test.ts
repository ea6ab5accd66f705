/** Manual payments are moved to the intended registration, refunded, and retained when personal data is erased. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegNo } from '../../../../engine/index.ts'
import type { ActionsResponse, MovementsResponse } from '../../../../engine/api.ts'
import { startRefundEmails } from '../../../../server/mail/send-refund-emails.ts'
import { main } from '../../../../server/cli/run-command.ts'
import { withoutThreads } from '../../store-without-threads.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { actionsUrl, signIn, readShownVersion } from '../office.ts'
import type { Office } from '../office.ts'

const eventFileName = 'lekhacon2027.yaml'
const eventFile = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', eventFileName),
  'utf8',
)
const event = 'lekhacon2027'

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-10', events: { [eventFileName]: eventFile } })
  office = await signIn(server)
})
afterAll(() => server.close())

const createHeaders = () => ({ authorization: `Bearer ${office.token}` })
let requestCount = 0
const addPaid = async (name: string, slip: string | null): Promise<RegNo> => {
  const answers = {
    full_name: name,
    email: `${name}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  }
  const payment = slip === null ? { way: '' } : { way: 'desk', paid: { mode: 'cash', slip } }
  const payload = { event, key: `a-click-of-${++requestCount}`, answers, ...payment }
  const url = '/admin/add/'
  const response = await server.app.inject({
    method: 'POST',
    url,
    headers: createHeaders(),
    payload,
  })
  expect(response.statusCode, response.body).toBe(201)
  return response.json<{ reg_no: RegNo }>().reg_no
}
const readActions = async (regNo: RegNo): Promise<ActionsResponse> => {
  const response = await server.app.inject({ url: actionsUrl(regNo), headers: createHeaders() })
  return response.json<ActionsResponse>()
}
/** Formats a registration number as on printed pages: LEKH 3052 5244 0153 7. */
const formatAsPrinted = (regNo: RegNo): string => regNo.replaceAll(/(LEKH|\d{4})(?=\d)/g, '$1 ')

/** A correction that leaves ₹ 1,180 due. */
const higherCorrection = {
  act: 'correct',
  why: 'By phone.',
  answers: { workshop: 'records' },
  total: 5900,
}

test('a payment is moved to a registration by the number as displayed, even in lower case', async () => {
  const payingRegNo = await addPaid('Asha', 'C-001')
  const targets = [await addPaid('Binu', null), await addPaid('Chitra', null)] as const
  expect(formatAsPrinted(targets[0])).toMatch(/^LEKH( \d{1,4}){3,}$/)
  const numberSpellings = [
    formatAsPrinted(targets[0]),
    `  ${formatAsPrinted(targets[1]).toLowerCase()}\u00a0`,
  ]
  for (const [index, spelling] of numberSpellings.entries()) {
    const extraPayment = {
      act: 'came_again',
      way: 'cash',
      reference: `C-10${index}`,
      amount: '4720',
    }
    expect((await office.act(payingRegNo, extraPayment)).status).toBe(200)
    const [review] = (await readActions(payingRegNo)).reviews
    const response = await server.app.inject({
      method: 'POST',
      url: `/admin/reviews/${review?.id}/decide/`,
      headers: createHeaders(),
      payload: {
        decision: 'move',
        version: review?.version,
        to: spelling,
        why: 'Meant for a friend.',
      },
    })
    expect(response.json()).toMatchObject({
      status: 'success',
      message: expect.stringContaining(`moved to ${targets[index]}, which is now paid`),
    })
    const target = await server.deps.store.registration(targets[index] ?? '')
    expect(target?.paymentStatus).toBe('success')
  }
  // The confirmation is sent for the registration that is now paid.
  const emails = await server.deps.store.emailsOfRegistration(targets[0])
  expect(emails.map(({ subject }) => subject)).toContain(`LEKHACON 2027: ${targets[0]}`)
})

test('a cash payment can only be refunded outside Rollcall, and the office and `payment refund` state how', async () => {
  const regNo = await addPaid('Divya', 'C-020')
  expect(await readActions(regNo)).toMatchObject({ kept: 4720, back_by_gateway: 0 })
  const refund = { act: 'refund', why: 'She asked for it.', amount: '4720' }
  const message =
    'This payment was not made through the gateway, so the gateway cannot refund it. Refund it yourself, then record it in the office as already refunded outside Rollcall, with the reference.'
  expect((await office.act(regNo, refund)).body).toMatchObject({ code: 'not_by_gateway', message })
  const [output, errorOutput]: [string[], string[]] = [[], []]
  const command = ['payment', 'refund', regNo, '--why', 'She asked for it.', '--who', 'Meera']
  const status = await main(command, {
    print: (line) => void output.push(line),
    printError: (line) => void errorOutput.push(line),
    environment: () => withoutThreads({ ...server.deps.environment, clockStart: server.now() }),
  })
  expect([status, output, errorOutput]).toEqual([1, [], [message]])
  const manualRefund = { ...refund, by_hand: true, reference: 'C-021' }
  expect((await office.act(regNo, manualRefund)).status).toBe(200)
})

test('after a refund, the registration page states the same amount received as the payments page and the list', async () => {
  const regNo = await addPaid('Ela', 'C-890')
  await office.act(regNo, {
    act: 'refund',
    why: 'A part.',
    by_hand: true,
    reference: 'C-891',
    amount: '720',
  })
  expect(await readActions(regNo)).toMatchObject({
    received: 4720,
    refunded: 720,
    refunding: 0,
    kept: 4000,
  })
  const { movements } = (await office.json(
    `/admin/movements/?event=${event}`,
  )) as unknown as MovementsResponse
  expect(
    movements.filter((row) => row.reg_no === regNo).map(({ kind, amount }) => [kind, amount]),
  ).toEqual(
    expect.arrayContaining([
      ['payment', 4720],
      [expect.stringContaining('refund'), 720],
    ]),
  )
})

test('a delegate receives one email for each refund, with its reference and the state of the registration', async () => {
  const regNo = await addPaid('Farah', 'C-040')
  const sendRefundEmails = () => startRefundEmails(server.deps, { isEnabled: false }).run()
  await sendRefundEmails()
  const listRefundEmails = async (): Promise<readonly string[]> =>
    (await server.deps.store.dueMails(server.now(), 1_000))
      .filter((mail) => mail.regNo === regNo && mail.kind === 'given-back')
      .map(({ to, subject, text: body }) =>
        [to, subject, body].join('\n').replaceAll('\u00a0', ' '),
      )
  const refund = { act: 'refund', why: 'A part.', by_hand: true }
  await office.act(regNo, { ...refund, amount: '720', reference: 'C-041' })
  expect([await sendRefundEmails(), await sendRefundEmails()]).toEqual([1, 0])
  const [partialEmail = ''] = await listRefundEmails()
  for (const expectedText of [
    'Farah@delegate.example\nYour refund for LEKHACON 2027: ₹ 720',
    `We refunded ₹ 720 on 10 January 2027 for registration ${regNo} (LEKHACON 2027). The refund reference is C-041.`,
    'Your registration is still complete and fully paid.',
    '\n{link}\n',
  ])
    expect(partialEmail).toContain(expectedText)
  await office.act(regNo, { act: 'cancel', why: 'She is ill.', pay_back: '4000', kept: 4000 })
  await office.act(regNo, { ...refund, amount: '4000', reference: 'C-042' })
  expect(await sendRefundEmails()).toBe(1)
  const fullEmail = (await listRefundEmails()).find((mail) => mail.includes('C-042')) ?? ''
  expect(fullEmail).toContain('We refunded ₹ 4,000')
  expect(fullEmail).not.toContain('complete')
})

test('a full refund cancels the registration, and the dialog and the refund email say so', async () => {
  const regNo = await addPaid('Gouri', 'C-045')
  expect(await readActions(regNo)).toMatchObject({ kept: 4720, full_refund_cancels: true })
  const refund = { act: 'refund', why: 'Agreed.', by_hand: true }
  await office.act(regNo, { ...refund, amount: '720', reference: 'C-046' })
  expect(await readActions(regNo)).toMatchObject({ state: 'complete', full_refund_cancels: true })
  await office.act(regNo, { ...refund, amount: '4000', reference: 'C-047' })
  expect(await readActions(regNo)).toMatchObject({ state: 'cancelled', full_refund_cancels: false })
  await startRefundEmails(server.deps, { isEnabled: false }).run()
  const emails = await server.deps.store.emailsOfRegistration(regNo)
  const statesCancelled = (reference: string) =>
    emails
      .find(({ text }) => text.includes(reference))
      ?.text.includes('Your registration is cancelled.')
  expect([statesCancelled('C-046'), statesCancelled('C-047')]).toEqual([true, true])
})

test('the refund email does not call the registration complete while a difference is due', async () => {
  const regNo = await addPaid('Ila', 'C-080')
  expect((await office.act(regNo, higherCorrection)).status).toBe(200)
  const refund = { act: 'refund', why: 'Agreed.', amount: '20', by_hand: true, reference: 'C-081' }
  expect((await office.act(regNo, refund)).status).toBe(200)
  expect(await startRefundEmails(server.deps, { isEnabled: false }).run()).toBe(1)
  const mail = (await server.deps.store.emailsOfRegistration(regNo)).find(({ text: body }) =>
    body.includes('C-081'),
  )
  expect(mail?.text).toContain('We refunded ')
  expect(mail?.text).not.toContain('complete')
})

test('a refund larger than any single payment is split between the payments, in whole paise', async () => {
  const regNo = await addPaid('Kiran', 'C-090')
  expect((await office.act(regNo, higherCorrection)).status).toBe(200)
  const confirmation = {
    act: 'confirm',
    why: 'Cash.',
    way: 'desk',
    reference: 'C-091',
    amount: '1180',
  }
  // PostgreSQL cannot store this character.
  const unstorable = { ...confirmation, reference: 'C-091\u0000' }
  expect((await office.act(regNo, unstorable)).status).toBe(422)
  expect((await office.act(regNo, confirmation)).status).toBe(200)
  const refund = { act: 'refund', why: 'Agreed.', by_hand: true, reference: 'C-092' }
  for (const reference of ['\u0000', 'C-092\nC-093', 'C'.repeat(65)])
    expect(await office.act(regNo, { ...refund, reference, amount: '1' })).toMatchObject({
      status: 422,
      body: { message: 'A reference has up to 64 characters and no line breaks.' },
    })
  // A script whose variable is empty must not refund everything.
  for (const amount of ['', null])
    expect((await office.act(regNo, { ...refund, amount })).status).toBe(422)
  for (const amount of ['5000.005', 5000.005])
    expect((await office.act(regNo, { ...refund, amount })).body.code).toMatch(
      /^bad_(amount|data)$/,
    )
  const splitResponse = await office.act(regNo, { ...refund, amount: '5000.01' })
  expect(splitResponse).toMatchObject({ status: 200 })
  expect(splitResponse.body.message).toContain('split between 2 payments')
  const refunds = await server.deps.store.refunds(regNo)
  expect(refunds.map(({ amount, state }) => [amount, state])).toEqual([
    [472_000, 'done'],
    [28_001, 'done'],
  ])
  expect(await readActions(regNo)).toMatchObject({ kept: 899.99 })
  expect((await office.act(regNo, { ...refund, reference: 'C-093', amount: '900' })).status).toBe(
    422,
  )
  // The workshop has a limited number of seats.
  const cancellation = { act: 'cancel', why: 'Ill.', pay_back: '0', kept: 899.99 }
  expect((await office.act(regNo, cancellation)).status).toBe(200)
})

test('the email after a correction to a lower price states the refund, which never exceeds what remains of the payment', async () => {
  const regNo = await addPaid('Jaya', 'C-060')
  const correctAndReadEmail = async (workshop: string | null, total: number): Promise<string> => {
    const correction = { act: 'correct', why: 'By phone.', answers: { workshop }, total }
    expect((await office.act(regNo, correction)).status).toBe(200)
    const emails = await server.deps.store.emailsOfRegistration(regNo)
    const { subject, text: body } = emails.at(-1) ?? { subject: '', text: '' }
    return `${subject}: ${body.split('\n\n')[1]}`.replaceAll('\u00a0', ' ')
  }
  const expectedIntro = `The organisers have corrected your registration ${regNo} for LEKHACON 2027.`
  expect(await correctAndReadEmail('records', 5900)).toContain(
    `${expectedIntro} There is ₹ 1,180 more to pay.`,
  )
  expect(await correctAndReadEmail(null, 4720)).toBe(
    `Nothing more to pay for LEKHACON 2027: ${expectedIntro} There is nothing more to pay and nothing to refund.`,
  )
  await correctAndReadEmail('records', 5900)
  const confirmation = { act: 'confirm', why: 'Paid in cash.', way: 'desk', reference: 'C-061' }
  expect((await office.act(regNo, { ...confirmation, amount: '1180' })).status).toBe(200)
  expect(await correctAndReadEmail(null, 4720)).toBe(
    `You will get a refund of ₹ 1,180 for LEKHACON 2027: ${expectedIntro} We will refund ₹ 1,180 to you. You do not need to do anything.`,
  )
  const refundAction = { act: 'refund', why: 'Agreed.', by_hand: true }
  await office.act(regNo, { ...refundAction, amount: '1180', reference: 'C-062' })
  await correctAndReadEmail('records', 5900)
  await office.act(regNo, { ...confirmation, amount: '1180', reference: 'C-063' })
  for (const [index, amount] of ['3500', '1000', '1000'].entries())
    await office.act(regNo, { ...refundAction, amount, reference: `C-07${index}` })
  expect(await readActions(regNo)).toMatchObject({ pay_back: 0, kept: 400 })
  expect(await correctAndReadEmail(null, 4720)).toMatch(/^You will get a refund of ₹ 400 /)
  expect(await readActions(regNo)).toMatchObject({ pay_back: 400, kept: 400 })
})

test('no email is sent about refunds made weeks ago, or after erasure', async () => {
  const [lateRegNo, erasedRegNo] = [await addPaid('Gita', 'C-050'), await addPaid('Hari', 'C-051')]
  const refund = { act: 'refund', why: 'Payment requested.', amount: '720', by_hand: true }
  await office.act(lateRegNo, { ...refund, reference: 'C-052' })
  await office.act(erasedRegNo, { act: 'cancel', why: 'Ill.', pay_back: '720', kept: 4720 })
  await office.act(erasedRegNo, { act: 'erase', why: 'Asked for by letter.' })
  server.setTime('2027-01-18')
  office = await signIn(server)
  expect((await office.act(erasedRegNo, { ...refund, reference: 'C-053' })).status).toBe(200)
  expect(await startRefundEmails(server.deps, { isEnabled: false }).run()).toBe(0)
  server.setTime('2027-01-10')
})

test('after erasure, the timeline contains the payments without personal data; erasure cannot be repeated', async () => {
  const regNo = await addPaid('Esha', 'C-030')
  await office.act(regNo, { act: 'correct', why: 'Esha wrote.', answers: { full_name: 'Esha B' } })
  await office.act(regNo, { act: 'cancel', why: 'Esha is ill.', pay_back: '3540', kept: 4720 })
  const actionsBefore = await readActions(regNo)
  expect([actionsBefore.pay_back, actionsBefore.allowed.includes('erase')]).toEqual([3540, true])
  const eraseResult = await office.act(regNo, { act: 'erase', why: 'Asked for by letter.' })
  expect(eraseResult.status).toBe(200)
  const stateAfter = await readActions(regNo)
  const lines = stateAfter.trail.map(({ text: line }) => line.replaceAll('\u00a0', ' '))
  expect(lines).toEqual([
    'Personal data erased',
    'Cancelled: ₹ 3,540 to refund',
    'Corrected',
    'Payment recorded: ₹ 4,720 in cash, reference C-030',
    'Added by staff',
  ])
  expect(JSON.stringify(stateAfter)).not.toContain('Esha')
  expect(stateAfter.allowed).not.toContain('erase')
  expect(stateAfter.pay_back).toBe(3540)
  // The payment can still be refunded.
  const refund = { act: 'refund', why: 'Paid back.', amount: '3540', by_hand: true, reference: '9' }
  expect((await office.act(regNo, refund)).status).toBe(200)
})

test('a refund that is recorded twice counts once', async () => {
  const regNo = await addPaid('Latha', 'C-300')
  const refund = { act: 'refund', why: 'Agreed.', amount: '200', by_hand: true }
  expect((await office.act(regNo, { ...refund, reference: 'C-301' })).status).toBe(200)
  const repeatedRefund = await office.act(regNo, { ...refund, reference: 'c 301' })
  expect([repeatedRefund.status, repeatedRefund.body.code]).toEqual([409, 'reference_taken'])
  expect(repeatedRefund.body.message).toContain('₹\u00a0200 is already recorded under')

  // The same applies to a payment under review, and to another registration's bank reference.
  const extraPayment = { act: 'came_again', way: 'cash', reference: 'C-302', amount: '500' }
  expect((await office.act(regNo, extraPayment)).status).toBe(200)
  const [review] = (await readActions(regNo)).reviews
  const tryRefund = async (reference: string) =>
    server.app.inject({
      method: 'POST',
      url: `/admin/reviews/${review?.id}/decide/`,
      headers: createHeaders(),
      payload: {
        decision: 'refund',
        version: await readShownVersion(server, review?.id),
        amount: '200',
        by_hand: true,
        reference,
        why: 'Twice.',
      },
    })
  const utr = '526199990001'
  expect((await tryRefund('C-301')).statusCode).toBe(409)
  expect((await tryRefund(utr)).statusCode).toBe(200)
  expect((await tryRefund(utr)).statusCode).toBe(409)
  const otherRegNo = await addPaid('Meena', 'C-303')
  const otherRefund = await office.act(otherRegNo, { ...refund, reference: 'UTR 5261 9999 0001' })
  expect([otherRefund.status, otherRefund.body.code]).toEqual([409, 'reference_taken'])
  expect(otherRefund.body.message).not.toContain(regNo)
  expect((await office.act(otherRegNo, { ...refund, reference: 'C-301' })).status).toBe(200)
})

test('a registration stays complete if one of its payments is refunded in full and another payment remains', async () => {
  const regNo = await addPaid('Nisha', 'C-400')
  expect((await office.act(regNo, higherCorrection)).status).toBe(200)
  const confirmation = {
    act: 'confirm',
    why: 'Cash.',
    way: 'desk',
    reference: 'C-401',
    amount: '1180',
  }
  expect((await office.act(regNo, confirmation)).status).toBe(200)
  const refund = { act: 'refund', why: 'Agreed.', by_hand: true }
  const firstRefund = { ...refund, amount: '4720', reference: 'C-402' }
  expect((await office.act(regNo, firstRefund)).status).toBe(200)
  expect(await readActions(regNo)).toMatchObject({ state: 'complete', kept: 1180 })
  expect(await server.deps.store.registration(regNo)).toMatchObject({ paymentStatus: 'success' })
  const remainingRefund = { ...refund, amount: '1180', reference: 'C-403' }
  expect((await office.act(regNo, remainingRefund)).body).toMatchObject({ status: 'success' })
  expect(await readActions(regNo)).toMatchObject({ state: 'cancelled', kept: 0 })
  expect(await server.deps.store.registration(regNo)).toMatchObject({ paymentStatus: 'refunded' })
})

test('a refund cannot be recorded under the UTR of a received transfer, nor a transfer under the UTR of a refund', async () => {
  const [firstRegNo, secondRegNo] = [await addPaid('Usha', null), await addPaid('Vimal', null)]
  const confirm = (regNo: RegNo, reference: string) =>
    office.act(regNo, { act: 'confirm', way: 'transfer', reference, amount: '4720' })
  const refund = (regNo: RegNo, reference: string, amount = '720') =>
    office.act(regNo, { act: 'refund', why: 'Ill.', by_hand: true, amount, reference })
  expect((await confirm(firstRegNo, '526200000801')).status).toBe(200)
  const refundRejection = await refund(firstRegNo, 'UTR 5262 0000 0801')
  expect([refundRejection.status, refundRejection.body.code]).toEqual([409, 'reference_taken'])
  expect(refundRejection.body.message).toBe(
    'UTR 5262 0000 0801 is the reference of a received payment. Enter the reference of the refund itself.',
  )
  expect((await refund(firstRegNo, 'NEFT 526200000802')).status).toBe(200)
  const confirmRejection = await confirm(secondRegNo, '5262 0000 0802')
  expect([confirmRejection.status, confirmRejection.body.code]).toEqual([409, 'taken'])
  expect(confirmRejection.body.message).toBe(
    '5262 0000 0802 is the reference of a recorded refund. Enter the reference of the payment itself.',
  )
  expect((await confirm(secondRegNo, '526200000803')).status).toBe(200)
  // The bank returns a transfer under its original number.
  const payload = [
    'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt',
    '10/01/27,RETURN OF 526200000803,,4720,',
  ].join('\n')
  const result = await server.app.inject({
    method: 'POST',
    url: `/admin/reconcile/?event=${event}`,
    headers: { ...createHeaders(), 'content-type': 'text/csv' },
    payload,
  })
  expect(result.json()).toMatchObject({ lines: [{ as: 'returned' }] })
  expect((await refund(secondRegNo, '526200000803', '4720')).status).toBe(200)
})

test('a refund cannot be recorded under the reference of the international transfer that it refunds', async () => {
  const regNo = await addPaid('Wilma', null)
  const confirmation = {
    act: 'confirm',
    way: 'transfer',
    reference: 'WIRE12345678',
    amount: '4720',
  }
  expect((await office.act(regNo, confirmation)).status).toBe(200)
  const refund = { act: 'refund', why: 'Ill.', by_hand: true, amount: '720' }
  const rejection = await office.act(regNo, { ...refund, reference: 'wire 1234 5678' })
  expect([rejection.status, rejection.body.code]).toEqual([409, 'reference_taken'])
  expect(rejection.body.message).toBe(
    'wire 1234 5678 is the reference of a received payment. Enter the reference of the refund itself.',
  )
  expect((await office.act(regNo, { ...refund, reference: 'WIRE87654321' })).status).toBe(200)
})

test('a payment with a received date long before the registration is rejected', async () => {
  const regNo = await addPaid('Xavier', null)
  const confirmation = { act: 'confirm', way: 'cash', reference: 'C-500', amount: '4720' }
  const rejection = await office.act(regNo, { ...confirmation, day: '2020-01-01' })
  expect([rejection.status, rejection.body.message]).toEqual([
    422,
    'The date received, 1 Jan 2020, is more than 180 days before the registration was made, 10 Jan 2027. Check the year.',
  ])
  // The user entered the previous year by habit.
  expect((await office.act(regNo, { ...confirmation, day: '2026-01-10' })).status).toBe(422)
  // The delegate paid before registering.
  expect((await office.act(regNo, { ...confirmation, day: '2026-10-10' })).status).toBe(200)
})
