/**
 * A reference that a delegate reported stays linked to that registration, however the registration
 * is paid or ended.
 */
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

const file = 'lekhacon2027.yaml'
const event = 'lekhacon2027'
const text = readFileSync(join(import.meta.dirname, '..', '..', '..', 'events', file), 'utf8')
const FEE = 4720

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({
    clock: '2027-01-10',
    events: { [file]: text },
  })
  office = await signIn(server)
})
afterAll(() => server.close())

let count = 0
/** An unused UTR. */
const createUtr = (): string => String(526_987_000_000 + ++count)

type RegisteredDelegate = {
  readonly regNo: string
  readonly page: string
  readonly name: string
}
const register = async (): Promise<RegisteredDelegate> => {
  count += 1
  const name = `Delegate ${count}`
  const answer = await server.post(`/api/${event}/register/`, {
    full_name: name,
    email: `reporter${count}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  const { reg_no: regNo, page = '' } = answer.json<RegisterResponse>()
  return { regNo, page, name }
}
const report = async ({ page }: RegisteredDelegate, reference: string) => {
  const payload = {
    act: 'tell',
    answers: { utr: reference, paid_on: '2027-01-09' },
  }
  const answer = await server.app.inject({
    method: 'POST',
    url: `/api${page}/acts/`,
    payload,
  })
  return {
    status: answer.statusCode,
    body: answer.json<Record<string, unknown>>(),
  }
}
const registerReporter = async (reference: string): Promise<RegisteredDelegate> => {
  const delegate = await register()
  expect((await report(delegate, reference)).status).toBe(200)
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
  const answer = await server.app.inject({
    method: 'POST',
    url,
    headers,
    payload: body,
  })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<T>()
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
const searchNumbers = async (text: string): Promise<readonly string[]> => {
  const url = `/admin/find/?q=${encodeURIComponent(text)}`
  const { found } = (await office.json(url)) as unknown as {
    found: { reg_no: string }[]
  }
  return found.map(({ reg_no: regNo }) => regNo)
}

/** Events after which a registration no longer waits for its reported transfer. */
const WAIT_ENDINGS: readonly (readonly [
  string,
  (delegate: RegisteredDelegate) => Promise<void>,
])[] = [
  ['paid by card', payByCard],
  [
    'confirmed as cash',
    async (delegate) => expect((await confirm(delegate, `slip ${count}`, 'cash')).status).toBe(200),
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

describe.each(WAIT_ENDINGS)('the reported UTR of a registration that was then %s', (_, endWait) => {
  test('was credited to another delegate by the statement', async () => {
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

  test('could be reported and confirmed by another delegate', async () => {
    const reference = createUtr()
    const reporter = await registerReporter(reference)
    await endWait(reporter)
    const otherDelegate = await register()
    expect(await report(otherDelegate, reference)).toMatchObject({
      status: 409,
      body: { code: 'taken' },
    })
    const rejection = await confirm(otherDelegate, reference)
    expect([rejection.status, rejection.body.message]).toEqual([
      409,
      `The delegate of ${reporter.regNo} reported ${reference}. Confirm it for ${reporter.regNo}, or first choose “Payment not found” there.`,
    ])
    // Its line cannot be recorded as an unmatched payment either.
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

  test('was not shown by the registration or the search', async () => {
    const reference = createUtr()
    const delegate = await registerReporter(reference)
    await endWait(delegate)
    const { told: claims, trail: history } = await readRegistration(delegate)
    expect(claims).toMatchObject({ reference, stands: 'unconfirmed' })
    expect(history.find((line) => line.act === 'tell')?.text).toBe(`Reported as paid: ${reference}`)
    expect(await searchNumbers(reference)).toEqual([delegate.regNo])
    expect(await searchNumbers(`UTR ${reference.replaceAll(/(\d{4})(?=\d)/g, '$1 ')}`)).toEqual([
      delegate.regNo,
    ])
  })
})

test('a UTR that a delegate mistyped and replaced stayed blocked for its real payer', async () => {
  const [mistyped, second] = [createUtr(), createUtr()]
  const delegate = await registerReporter(mistyped)
  expect((await report(delegate, second)).status).toBe(200)
  // The replaced UTR can still be found, and suggests that registration until another delegate
  // reports it.
  expect(await searchNumbers(mistyped)).toEqual([delegate.regNo])
  expect(listOutcomes(await sendStatement(mistyped))).toEqual([['matched', delegate.regNo]])
  const payer = await registerReporter(mistyped)
  expect(listOutcomes(await sendStatement(mistyped))).toEqual([
    ['ambiguous', payer.regNo, delegate.regNo],
  ])
  expect((await confirm(payer, mistyped)).status).toBe(200)
  // The currently reported reference is still reserved.
  expect((await confirm(await register(), second)).status).toBe(409)
})

test('a line with the reported UTR and the number of a paid registration stayed unmatched', async () => {
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

  test('still identifies the registration, and matches it in a later statement', async () => {
    const reference = createUtr()
    const delegate = await registerReporter(reference)
    await performAction(delegate.regNo, notFound)
    expect(listOutcomes(await sendStatement(reference))).toEqual([['matched', delegate.regNo]])
    expect(await searchNumbers(reference)).toEqual([delegate.regNo])
    expect((await readRegistration(delegate)).told).toMatchObject({
      reference,
      stands: 'not_found',
    })
  })

  test('was confirmed for the next delegate who reported it, without a decision', async () => {
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
            `The delegate of ${reporter.regNo} reported ${reference} too`,
          ),
        },
      ],
    })
    // Staff decide which registration it pays.
    expect((await confirm(otherReporter, reference)).status).toBe(200)
    expect(listOutcomes(await sendStatement(reference))).toEqual([['known', otherReporter.regNo]])
  })
})
