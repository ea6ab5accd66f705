/** Payments whose reference was used by mistake: by a payment that staff dismissed, or by a refund. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RegNo } from '../../../../engine/index.ts'
import type {
  RegisterResponse,
  StatementDecisionResponse,
  StatementResponse,
  StatementUploadResponse,
} from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { readShownVersion, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const [EVENT, OTHER_EVENT] = ['lekhacon2027', 'bimacon2027'] as const
const eventFile = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', `${EVENT}.yaml`),
  'utf8',
)
const FEE = 4720
const WRONG_AMOUNT = '4000'
type View = Extract<StatementResponse, { unchanged: false }>

let server: TestApp
let office: Office
beforeAll(async () => {
  const otherEventFile = eventFile.replaceAll(EVENT, OTHER_EVENT).replaceAll('LEKH', 'BIMA')
  server = await startTestApp({
    clock: '2027-01-10',
    events: { [`${EVENT}.yaml`]: eventFile, [`${OTHER_EVENT}.yaml`]: otherEventFile },
  })
  office = await signIn(server)
})
afterAll(() => server.close())

let counter = 0
const createUtr = (): string => String(526_888_000_000 + ++counter)
async function register(event: string = EVENT): Promise<RegNo> {
  counter += 1
  const response = await server.post(`/api/${event}/register/`, {
    full_name: `Delegate Zyxw${counter}`,
    email: `delegate${counter}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  return response.json<RegisterResponse>().reg_no as RegNo
}
const confirm = (
  regNo: RegNo,
  reference: string,
  amount: number | string = FEE,
  way = 'transfer',
) => office.act(regNo, { act: 'confirm', way, reference, amount: String(amount), why: 'Seen.' })
async function post<T>(url: string, payload: string | object): Promise<T> {
  const headers = {
    authorization: `Bearer ${office.token}`,
    'content-type': typeof payload === 'string' ? 'text/csv' : 'application/json',
  }
  const response = await server.app.inject({ method: 'POST', url, headers, payload })
  expect(response.statusCode, response.body).toBe(200)
  return response.json<T>()
}
async function dismissReview(regNo: RegNo): Promise<void> {
  const reviews = await server.deps.store.reviews(null)
  const review = reviews.find((openReview) => openReview.regNo === regNo)
  await post(`/admin/reviews/${review?.id}/decide/`, {
    decision: 'dismiss',
    why: 'Typed by mistake.',
    version: await readShownVersion(server, review?.id),
  })
}
/** Records a payment of the wrong amount under the reference, and dismisses it. */
async function dismissPayment(regNo: RegNo, reference: string, way = 'transfer'): Promise<void> {
  expect((await confirm(regNo, reference, WRONG_AMOUNT, way)).status).toBe(200)
  await dismissReview(regNo)
}
const readState = async (regNo: RegNo) => (await server.deps.store.registration(regNo))?.state
async function uploadStatement(...rows: readonly string[]): Promise<View> {
  const file = ['Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt', ...rows].join('\n')
  const { id } = (await post<StatementUploadResponse>('/admin/statements/', file)) as { id: number }
  return readStatement(id)
}
const readStatement = async (id: number): Promise<View> =>
  (await office.json(`/admin/statements/${id}/`)) as unknown as View
const buildCreditLine = (reference: string, regNo: string) =>
  `09/01/27,NEFT ${regNo},${reference},,${FEE}`

describe('a dismissed payment', () => {
  test.each([
    ['of the same registration', 'transfer', (regNo: RegNo) => Promise.resolve(regNo)],
    ['of another registration of the event', 'transfer', () => register()],
    ['of a registration of another event', 'transfer', () => register(OTHER_EVENT)],
    ['by UPI of another registration', 'upi', () => register()],
    ['by cheque of another registration', 'cheque', () => register()],
    ['in cash of another registration', 'cash', () => register()],
    ['by card machine of another registration', 'machine', () => register()],
  ] as const)('does not block its reference for the payment %s', async (_, way, findPayer) => {
    const reference = way === 'cash' || way === 'machine' ? `R-${++counter}` : createUtr()
    const regNo = await register()
    await dismissPayment(regNo, reference, way)
    const payer = await findPayer(regNo)
    // A second mistake under the same reference can be corrected too.
    await dismissPayment(payer, reference, way)
    const result = await confirm(payer, reference, FEE, way)
    expect([result.status, result.body.message]).toEqual([
      200,
      expect.stringContaining(`recorded: ${payer} is paid.`),
    ])
    expect(await readState(payer)).toBe('complete')
    const captures = await server.deps.store.captures(payer)
    expect(captures.at(-1)).toMatchObject({ reference, state: 'fits' })
    // The new payment blocks the reference.
    const event = (await server.deps.store.registration(payer))?.eventId
    const repeated = await confirm(await register(event), reference, FEE, way)
    expect([repeated.status, repeated.body.message]).toEqual([
      409,
      expect.stringContaining(`${reference} is already recorded: it is the payment of ${payer}.`),
    ])
  })

  test('does not stop its statement line from being moved to an event with the same bank account', async () => {
    const reference = createUtr()
    const otherRegNo = await register(OTHER_EVENT)
    await dismissPayment(await register(), reference)
    const view = await uploadStatement(buildCreditLine(reference, 'SAMPLE PAYER'))
    const choices = view.lines.map(({ id }) => ({ line: id, seen: null }))
    await post(`/admin/statements/${view.statement.id}/decide/`, { decision: 'review', choices })
    const reviews = await server.deps.store.reviews(null)
    const review = reviews.find(({ came: received }) => received?.reference === reference)
    await post(`/admin/reviews/${review?.id}/decide/`, {
      decision: 'move',
      to: otherRegNo,
      why: 'For the other event.',
      version: await readShownVersion(server, review?.id),
    })
    expect(await readState(otherRegNo)).toBe('complete')
  })

  test('does not stop the assignment of statement lines, its own or a later one', async () => {
    const [reference, otherReference] = [createUtr(), createUtr()]
    const [mistakenRegNo, regNo, otherRegNo] = [
      await register(),
      await register(),
      await register(),
    ]
    await dismissPayment(mistakenRegNo, reference)
    const view = await uploadStatement(
      buildCreditLine(reference, regNo),
      buildCreditLine(otherReference, otherRegNo),
    )
    expect(view.lines.map(({ is_exact: isExact }) => isExact)).toEqual([true, true])
    const lines = view.lines.map(({ id, amount }, index) => ({
      line: id,
      seen: null,
      reg_no: [regNo, otherRegNo][index],
      amount,
    }))
    const assignResult = await post<StatementDecisionResponse>(
      `/admin/statements/${view.statement.id}/assign/`,
      { lines },
    )
    expect(assignResult).toMatchObject({ done: lines.map(({ line }) => line), refused: [] })
    expect([await readState(regNo), await readState(otherRegNo)]).toEqual(['complete', 'complete'])
  })

  test('does not stop its statement line from going to review, even after an earlier version failed to assign it', async () => {
    const reference = createUtr()
    const [mistakenRegNo, regNo] = [await register(), await register()]
    await dismissPayment(mistakenRegNo, reference)
    const view = await uploadStatement(buildCreditLine(reference, regNo))
    const [line] = view.lines
    // An earlier version stored the decision and then failed.
    await server.deps.store.decideBankLine({
      lineId: line?.id ?? 0,
      seen: null,
      decision: 'assigned',
      parts: [],
      who: 'owner',
      at: server.now(),
    })
    const [openLine] = (await readStatement(view.statement.id)).lines
    expect(openLine?.state).toBe('left')
    const reviewResult = await post<StatementDecisionResponse>(
      `/admin/statements/${view.statement.id}/decide/`,
      { decision: 'review', choices: [{ line: line?.id, seen: openLine?.decision?.id }] },
    )
    expect(reviewResult).toMatchObject({ done: [line?.id], refused: [] })
    expect((await readStatement(view.statement.id)).lines).toMatchObject([{ state: 'review' }])
  })
})

test('a payment whose reference was recorded for a refund by mistake is recorded and matched as docs/money/README.md describes', async () => {
  const reference = createUtr()
  const [refundedRegNo, regNo] = [await register(OTHER_EVENT), await register()]
  expect((await confirm(refundedRegNo, createUtr())).status).toBe(200)
  const refund = { act: 'refund', amount: '1', by_hand: true, reference, why: 'A small refund.' }
  expect((await office.act(refundedRegNo, refund)).status).toBe(200)
  const view = await uploadStatement(buildCreditLine(reference, regNo))
  const [line] = view.lines
  const payment = { line: line?.id, seen: null, reg_no: regNo, amount: FEE }
  const assignResult = await post<StatementDecisionResponse>(
    `/admin/statements/${view.statement.id}/assign/`,
    { lines: [payment] },
  )
  expect(assignResult.refused[0]?.message).toBe(
    `${regNo}: ${reference} is the reference of a recorded refund. Enter the reference of the payment itself.`,
  )
  // After a separator, the reference would be read as a word of its own.
  expect((await confirm(regNo, `${reference}/2`)).status).toBe(409)
  expect((await confirm(regNo, `${reference}x2`)).status).toBe(200)
  expect((await readStatement(view.statement.id)).lines).toMatchObject([
    { state: 'assigned', payments: [{ reg_no: regNo, amount: FEE }] },
  ])
})
