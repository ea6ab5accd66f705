/** A reported reference stays linked to its registration, however that registration is paid or ended. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  ActionsResponse,
  BulkActionResponse,
  ReconcileResponse,
  RegisterResponse,
} from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const eventFileName = 'lekhacon2027.yaml'
const event = 'lekhacon2027'
const eventFile = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', eventFileName),
  'utf8',
)
const FEE = 4720

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({
    clock: '2027-01-10',
    events: { [eventFileName]: eventFile },
  })
  office = await signIn(server)
})
afterAll(() => server.close())

let counter = 0
/** Returns an unused UTR. */
const createUtr = (): string => String(526_987_000_000 + ++counter)

type RegisteredDelegate = {
  readonly regNo: string
  readonly page: string
  readonly name: string
}
const register = async (): Promise<RegisteredDelegate> => {
  counter += 1
  const name = `Delegate ${counter}`
  const response = await server.post(`/api/${event}/register/`, {
    full_name: name,
    email: `reporter${counter}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  const { reg_no: regNo, page = '' } = response.json<RegisterResponse>()
  return { regNo, page, name }
}
const reportTransfer = async ({ page }: RegisteredDelegate, reference: string) => {
  const payload = {
    act: 'tell',
    answers: { utr: reference, paid_on: '2027-01-09' },
  }
  const response = await server.app.inject({
    method: 'POST',
    url: `/api${page}/acts/`,
    payload,
  })
  return {
    status: response.statusCode,
    body: response.json<Record<string, unknown>>(),
  }
}
const registerReporter = async (reference: string): Promise<RegisteredDelegate> => {
  const delegate = await register()
  expect((await reportTransfer(delegate, reference)).status).toBe(200)
  return delegate
}
const performAction = async (regNo: string, payload: object) => {
  const actionResponse = await office.act(regNo, payload)
  expect(actionResponse.status, JSON.stringify(actionResponse.body)).toBe(200)
}
const confirm = ({ regNo }: RegisteredDelegate, reference: string, way = 'transfer') =>
  office.act(regNo, { act: 'confirm', way, reference, amount: String(FEE) })
async function payByCard({ regNo, page }: RegisteredDelegate): Promise<void> {
  const payload = { token: page.split('/')[2] }
  await server.app.inject({
    method: 'POST',
    url: '/api/payment/resume/',
    payload,
  })
  const [order] = (await server.deps.store.registration(regNo))?.payments ?? []
  if (order === undefined) throw new Error('the registration has no order')
  const { orderId, amount } = order
  const sale = {
    type: 'confirmed',
    amount,
    currency: '356',
    kind: 'sale',
  } as const
  const confirmedEvent = { ...sale, reference: `CARD${orderId}`, at: server.now() }
  await server.deps.store.applyPaymentEvent(orderId, confirmedEvent, null)
}

type StatementResponse = Extract<ReconcileResponse, { header: null }>
const post = async <T>(url: string, body: string | object): Promise<T> => {
  const headers = {
    authorization: `Bearer ${office.token}`,
    'content-type': typeof body === 'string' ? 'text/csv' : 'application/json',
  }
  const response = await server.app.inject({
    method: 'POST',
    url,
    headers,
    payload: body,
  })
  expect(response.statusCode, response.body).toBe(200)
  return response.json<T>()
}
const sendStatement = (...references: readonly string[]): Promise<StatementResponse> => {
  const rows = references.map((reference) => `09/01/27,NEFT CR ${reference} X,,,${FEE}`)
  const header = 'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt'
  return post(`/admin/reconcile/?event=${event}`, [header, ...rows].join('\n'))
}
const listOutcomes = ({ lines }: StatementResponse) =>
  lines.map(({ as: outcome, of }) => [outcome, ...of.map(({ reg_no: regNo }) => regNo)])
const confirmLines = ({ lines }: StatementResponse): Promise<BulkActionResponse> =>
  post('/admin/reconcile/confirm/', {
    event,
    lines: lines.map(({ of, reference, also, amount, day }) => ({
      reg_no: of[0]?.reg_no,
      reference,
      also,
      amount,
      day,
    })),
  })
const keepUnmatched = ({ lines }: StatementResponse): Promise<BulkActionResponse> =>
  post('/admin/reconcile/confirm/', {
    event,
    lines: [],
    keep: lines.map(({ reference, also, amount, day, narration }) => ({
      reference,
      also,
      amount,
      day,
      narration,
    })),
  })
const readRegistration = async ({ regNo }: RegisteredDelegate) =>
  (await office.json(`/admin/registrations/${regNo}/acts/`)) as unknown as ActionsResponse
const searchRegNos = async (text: string): Promise<readonly string[]> => {
  const url = `/admin/find/?q=${encodeURIComponent(text)}`
  const { found } = (await office.json(url)) as unknown as {
    found: { reg_no: string }[]
  }
  return found.map(({ reg_no: regNo }) => regNo)
}

/** Ways in which a registration stops waiting for its reported transfer. */
const WAIT_ENDINGS: readonly (readonly [
  string,
  (delegate: RegisteredDelegate) => Promise<void>,
])[] = [
  ['paid by card', payByCard],
  [
    'confirmed as a cash payment',
    async (delegate) =>
      expect((await confirm(delegate, `slip ${counter}`, 'cash')).status).toBe(200),
  ],
  [
    'paid by another transfer, accepted in review',
    async (delegate) => {
      const otherTransfer = {
        act: 'confirm',
        way: 'transfer',
        reference: createUtr(),
        amount: '4000',
      }
      await performAction(delegate.regNo, otherTransfer)
      const [review] = (await readRegistration(delegate)).reviews
      await performAction(delegate.regNo, {
        act: 'accept',
        review: review?.id,
        why: 'It is enough.',
      })
    },
  ],
  ['cancelled', (delegate) => performAction(delegate.regNo, { act: 'cancel', why: 'Asked to.' })],
]

describe.each(WAIT_ENDINGS)('the reported UTR of a registration that is then %s', (_, endWait) => {
  test('is not matched to another delegate in a statement', async () => {
    const reference = createUtr()
    const delegate = await registerReporter(reference)
    await endWait(delegate)
    const otherDelegate = await registerReporter(createUtr())
    const result = await sendStatement(reference)
    expect(listOutcomes(result)).toEqual([['differs', delegate.regNo]])
    expect(result.lines[0]).toMatchObject({
      of: [{ name: delegate.name, due: 0, reference }],
      why: expect.stringContaining('but nothing is due'),
    })
    expect(listOutcomes(result).flat()).not.toContain(otherDelegate.regNo)
    // If the line is confirmed, the total exceeds the price, so the payment goes to review.
    const registrationBefore = await readRegistration(delegate)
    expect(await confirmLines(result)).toMatchObject({
      done: [delegate.regNo],
      refused: [],
    })
    const registrationAfter = await readRegistration(delegate)
    expect([registrationAfter.kept, registrationAfter.due, registrationAfter.state]).toEqual([
      registrationBefore.kept,
      0,
      registrationBefore.state,
    ])
    expect(registrationAfter.reviews).toMatchObject([{ left: FEE }])
    expect(listOutcomes(await sendStatement(reference))).toEqual([['known', delegate.regNo]])
  })

  test('cannot be reported by another delegate or confirmed for another delegate', async () => {
    const reference = createUtr()
    const reporter = await registerReporter(reference)
    await endWait(reporter)
    const otherDelegate = await register()
    expect(await reportTransfer(otherDelegate, reference)).toMatchObject({
      status: 409,
      body: { code: 'taken' },
    })
    const rejection = await confirm(otherDelegate, reference)
    expect([rejection.status, rejection.body.message]).toEqual([
      409,
      `The delegate with registration ${reporter.regNo} reported ${reference}. Confirm it for ${reporter.regNo}, or first choose “Mark payment as not found” there.`,
    ])
    // Its statement line cannot be recorded as an unmatched payment either.
    expect((await keepUnmatched(await sendStatement(reference))).message).toContain(
      '1 was reported',
    )
    const registrationBefore = await readRegistration(reporter)
    expect(registrationBefore.allowed).toContain('not_found')
    await performAction(reporter.regNo, {
      act: 'not_found',
      why: 'It is the payment of the other.',
    })
    const { state, allowed } = await readRegistration(reporter)
    expect([state, allowed.includes('not_found')]).toEqual([registrationBefore.state, false])
    expect((await confirm(otherDelegate, reference)).status).toBe(200)
  })

  test("is shown on the registration's page and found by the search", async () => {
    const reference = createUtr()
    const delegate = await registerReporter(reference)
    await endWait(delegate)
    const { told: claims, trail: history } = await readRegistration(delegate)
    expect(claims).toMatchObject({ reference, stands: 'unconfirmed' })
    expect(history.find((line) => line.act === 'tell')?.text).toBe(
      `Reported as paid: reference ${reference}`,
    )
    expect(await searchRegNos(reference)).toEqual([delegate.regNo])
    expect(await searchRegNos(`UTR ${reference.replaceAll(/(\d{4})(?=\d)/g, '$1 ')}`)).toEqual([
      delegate.regNo,
    ])
  })
})

test('a UTR that a delegate mistyped and replaced can be used by its real payer', async () => {
  const [mistypedReference, correctReference] = [createUtr(), createUtr()]
  const delegate = await registerReporter(mistypedReference)
  expect((await reportTransfer(delegate, correctReference)).status).toBe(200)
  // The replaced UTR can still be found, and suggests that registration until another delegate
  // reports it.
  expect(await searchRegNos(mistypedReference)).toEqual([delegate.regNo])
  expect(listOutcomes(await sendStatement(mistypedReference))).toEqual([
    ['matched', delegate.regNo],
  ])
  const payer = await registerReporter(mistypedReference)
  expect(listOutcomes(await sendStatement(mistypedReference))).toEqual([
    ['ambiguous', payer.regNo, delegate.regNo],
  ])
  expect((await confirm(payer, mistypedReference)).status).toBe(200)
  // The currently reported reference is still reserved.
  expect((await confirm(await register(), correctReference)).status).toBe(409)
})

test('a line with the reported UTR and the number of a paid registration is assigned to that registration and listed as a difference', async () => {
  const reference = createUtr()
  const delegate = await registerReporter(reference)
  await payByCard(delegate)
  const line = `${reference} ${delegate.regNo}`
  expect(listOutcomes(await sendStatement(line))).toEqual([['differs', delegate.regNo]])
  // If the UTR is in two lines, staff must decide.
  expect(listOutcomes(await sendStatement(line, `CHG ${line}`))).toEqual([
    ['ambiguous', delegate.regNo],
    ['ambiguous', delegate.regNo],
  ])
})

describe('a reported UTR that staff did not find', () => {
  const notFound = {
    act: 'not_found',
    why: 'Not in the statement of 9 January.',
  }

  test('still identifies the registration, and matches a line in a later statement', async () => {
    const reference = createUtr()
    const delegate = await registerReporter(reference)
    await performAction(delegate.regNo, notFound)
    expect(listOutcomes(await sendStatement(reference))).toEqual([['matched', delegate.regNo]])
    expect(await searchRegNos(reference)).toEqual([delegate.regNo])
    expect((await readRegistration(delegate)).told).toMatchObject({
      reference,
      stands: 'not_found',
    })
  })

  test('is confirmed for the next delegate who reports it, but only after staff decide', async () => {
    const reference = createUtr()
    const reporter = await registerReporter(reference)
    await performAction(reporter.regNo, notFound)
    const otherReporter = await registerReporter(reference)
    const result = await sendStatement(reference)
    expect(listOutcomes(result)).toEqual([['ambiguous', otherReporter.regNo, reporter.regNo]])
    const bulkResult = await post<BulkActionResponse>('/admin/registrations/bulk/', {
      event,
      act: 'confirm',
      reg_nos: [otherReporter.regNo],
    })
    expect(bulkResult).toMatchObject({
      done: [],
      refused: [
        {
          reg_no: otherReporter.regNo,
          message: expect.stringContaining(
            `The delegate with registration ${reporter.regNo} reported ${reference} too`,
          ),
        },
      ],
    })
    // Staff decide which registration it pays.
    expect((await confirm(otherReporter, reference)).status).toBe(200)
    expect(listOutcomes(await sendStatement(reference))).toEqual([['known', otherReporter.regNo]])
  })
})
