/** Events with different bank or merchant accounts: a payment for one event is never recorded for another. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toAmount } from '../../../../engine/index.ts'
import type {
  BulkActionResponse,
  ReconcileResponse,
  RegisterResponse,
  ReviewsResponse,
} from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { signIn, readShownVersion } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const [OWN_EVENT, SAME_ACCOUNT_EVENT, OTHER_ACCOUNT_EVENT] = [
  'lekhacon2027',
  'bimacon2027',
  'zetacon2027',
] as const
const eventFile = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', `${OWN_EVENT}.yaml`),
  'utf8',
)
const FEE = 4720

let server: TestApp
/** An owner of all events. */
let office: Office
beforeAll(async () => {
  const buildEventCopy = (id: string, prefix: string) =>
    eventFile.replaceAll(OWN_EVENT, id).replaceAll('LEKH', prefix)
  const otherEventFile = buildEventCopy(OTHER_ACCOUNT_EVENT, 'ZETA')
    .replace('account: lekhacon', 'account: zeta')
    .replace('50200012345678', '40100098765432')
    .replace('lekhacon@mlbr', 'zeta@mlbr')
  server = await startTestApp({
    clock: '2027-01-10',
    events: {
      [`${OWN_EVENT}.yaml`]: eventFile,
      [`${SAME_ACCOUNT_EVENT}.yaml`]: buildEventCopy(SAME_ACCOUNT_EVENT, 'BIMA'),
      [`${OTHER_ACCOUNT_EVENT}.yaml`]: otherEventFile,
    },
  })
  office = await signIn(server)
})
afterAll(() => server.close())

let counter = 0
async function register(event: string): Promise<string> {
  counter += 1
  const response = await server.post(`/api/${event}/register/`, {
    full_name: `Delegate ${counter}`,
    email: `delegate${counter}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  return response.json<RegisterResponse>().reg_no ?? ''
}
async function post<T>(url: string, payload: string | object): Promise<T> {
  const headers = {
    authorization: `Bearer ${office.token}`,
    'content-type': typeof payload === 'string' ? 'text/csv' : 'application/json',
  }
  return (await server.app.inject({ method: 'POST', url, headers, payload })).json<T>()
}
const readReview = async (reference: string): Promise<string> => {
  const { reviews } = (await office.json('/admin/reviews/')) as unknown as ReviewsResponse
  const review = reviews.find(({ came: received }) => received?.reference === reference)
  if (review === undefined) throw new Error(`no review of ${reference}`)
  return review.id
}
/** Records an unmatched line of a bank statement, and returns the id of its review. */
async function recordTransfer(event: string): Promise<string> {
  const reference = String(526_555_000_000 + ++counter)
  const header = 'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt'
  const statement = `${header}\n09/01/27,IMPS ${reference} SOMEBODY,,,${FEE}`
  type StatementResponse = Extract<ReconcileResponse, { header: null }>
  const { lines } = await post<StatementResponse>(`/admin/reconcile/?event=${event}`, statement)
  const unmatchedLines = lines.map(({ reference, also, amount, day, narration }) => ({
    reference,
    also,
    amount,
    day,
    narration,
  }))
  await post<BulkActionResponse>('/admin/reconcile/confirm/', {
    event,
    lines: [],
    keep: unmatchedLines,
  })
  return readReview(reference)
}
/** Adds a payment that the gateway confirms for an unknown order, and returns the id of its review. */
async function addCardPayment(event: string, account: string): Promise<string> {
  const reference = `AP${++counter}`
  await server.deps.store.reviewUnknownPayment({
    orderId: `LEKH${counter}`,
    eventId: event,
    source: 'airpay',
    account,
    at: server.now(),
    payer: null,
    refunded: toAmount(0),
    money: [
      {
        reference,
        amount: toAmount(FEE * 100),
        currency: '356',
        kind: 'sale',
        paidAt: server.now(),
      },
    ],
  })
  return readReview(reference)
}
const movePayment = async (review: string, targetRegNo: string) =>
  post<{ status: string; code?: string; message: string }>(`/admin/reviews/${review}/decide/`, {
    decision: 'move',
    version: await readShownVersion(server, review),
    to: targetRegNo,
    why: 'Meant for that event.',
  })
const getTitle = (event: string) => server.deps.events.findById(event)?.config.title ?? ''

test("a transfer to one event's bank account cannot be moved to an event with a different bank account", async () => {
  const review = await recordTransfer(OWN_EVENT)
  const targetRegNo = await register(OTHER_ACCOUNT_EVENT)
  const capturesBefore = server.rows('SELECT * FROM captures')
  expect(await movePayment(review, targetRegNo)).toEqual({
    status: 'error',
    code: 'no_target',
    message: `This payment was received for ${getTitle(OWN_EVENT)}, whose payments go to the UPI ID lekhacon@mlbr or the bank account 50200012345678. ${targetRegNo} belongs to ${getTitle(OTHER_ACCOUNT_EVENT)}, whose payments go to the Airpay account “zeta” or the UPI ID zeta@mlbr or the bank account 40100098765432. Transfer the amount between the accounts. Record it here as refunded outside Rollcall, and there as a payment for ${targetRegNo}.`,
  })
  expect(server.rows('SELECT * FROM captures')).toEqual(capturesBefore)
  expect((await server.deps.store.registration(targetRegNo))?.paymentStatus).not.toBe('success')
  // Follows the steps in the message.
  const refund = {
    decision: 'refund',
    version: await readShownVersion(server, review),
    by_hand: true,
    reference: 'OUT 1',
    why: 'To the other account.',
  }
  expect(await post(`/admin/reviews/${review}/decide/`, refund)).toMatchObject({
    status: 'success',
  })
  const confirmation = {
    act: 'confirm',
    way: 'transfer',
    reference: '526999000001',
    amount: String(FEE),
  }
  expect((await office.act(targetRegNo, confirmation)).status).toBe(200)
})

test('a card payment to one merchant account cannot be moved to an event with a different merchant account', async () => {
  const review = await addCardPayment(OWN_EVENT, 'lekhacon')
  const targetRegNo = await register(OTHER_ACCOUNT_EVENT)
  const { code, message } = await movePayment(review, targetRegNo)
  expect([code, message]).toEqual([
    'no_target',
    expect.stringContaining('made to the Airpay account “lekhacon”'),
  ])
  expect(message).toContain('“zeta”')
})

test('when a payment is moved to another event with the same account, the audit log of the first event does not contain the new registration number', async () => {
  for (const review of [
    await recordTransfer(OWN_EVENT),
    await addCardPayment(OWN_EVENT, 'Lekhacon'),
  ]) {
    const targetRegNo = await register(SAME_ACCOUNT_EVENT)
    expect(await movePayment(review, targetRegNo)).toMatchObject({ status: 'success' })
    expect((await server.deps.store.registration(targetRegNo))?.paymentStatus).toBe('success')
    expect(
      server.rows(
        "SELECT what, event_id, reg_no FROM audit_log WHERE what LIKE 'payment moved%' ORDER BY id DESC LIMIT 2",
      ),
    ).toEqual([
      {
        what: `payment moved to ${targetRegNo}, ₹\u00A04,720: Meant for that event.`,
        event_id: SAME_ACCOUNT_EVENT,
        reg_no: targetRegNo,
      },
      { what: 'payment moved to another event, ₹\u00A04,720', event_id: OWN_EVENT, reg_no: null },
    ])
  }
})

test('a second payment cannot be moved to an event with the same account, and the message states the reason', async () => {
  const [paidRegNo, targetRegNo] = [await register(OWN_EVENT), await register(SAME_ACCOUNT_EVENT)]
  const confirmation = {
    act: 'confirm',
    way: 'transfer',
    reference: '526999000002',
    amount: String(FEE),
  }
  const extraPayment = { ...confirmation, act: 'came_again', reference: '526999000003' }
  expect((await office.act(paidRegNo, confirmation)).status).toBe(200)
  expect((await office.act(paidRegNo, extraPayment)).status).toBe(200)
  expect(await movePayment(await readReview('526999000003'), targetRegNo)).toMatchObject({
    code: 'no_target',
    message: `${targetRegNo} belongs to another event. A payment for a registration can be moved only within its event. Refund it, and ask the delegate to pay for ${targetRegNo}.`,
  })
})
