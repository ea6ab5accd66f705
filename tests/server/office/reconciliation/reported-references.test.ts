/** A reference that a delegate reported stays known as that registration's, however the registration is paid or ends. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  ActionsAnswer,
  BulkAnswer,
  ReconcileAnswer,
  RegisterAnswer,
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
/** A UTR that nobody has used yet. */
const utr = (): string => String(526_987_000_000 + ++count)

type Registered = {
  readonly regNo: string
  readonly page: string
  readonly name: string
}
const register = async (): Promise<Registered> => {
  count += 1
  const name = `Delegate ${count}`
  const answer = await server.post(`/api/${event}/register/`, {
    full_name: name,
    email: `reporter${count}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  const { reg_no: regNo, page = '' } = answer.json<RegisterAnswer>()
  return { regNo, page, name }
}
const report = async ({ page }: Registered, reference: string) => {
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
const reporter = async (reference: string): Promise<Registered> => {
  const registered = await register()
  expect((await report(registered, reference)).status).toBe(200)
  return registered
}
const act = async (regNo: string, payload: object) => {
  const acted = await office.act(regNo, payload)
  expect(acted.status, JSON.stringify(acted.body)).toBe(200)
}
const confirm = ({ regNo }: Registered, reference: string, way = 'transfer') =>
  office.act(regNo, { act: 'confirm', way, reference, amount: String(FEE) })
async function paysByCard({ regNo, page }: Registered): Promise<void> {
  const payload = { token: page.split('/')[2] }
  await server.app.inject({
    method: 'POST',
    url: '/api/payment/resume/',
    payload,
  })
  const [order] = (await server.deps.store.registration(regNo))?.payments ?? []
  if (order === undefined) throw new Error('no order')
  const { orderId, amount } = order
  const sale = {
    type: 'confirmed',
    amount,
    currency: '356',
    kind: 'sale',
  } as const
  const fact = { ...sale, reference: `CARD${orderId}`, at: server.now() }
  await server.deps.store.applyPaymentEvent(orderId, fact, null)
}

type Laid = Extract<ReconcileAnswer, { header: null }>
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
const statement = (...references: readonly string[]): Promise<Laid> => {
  const rows = references.map((reference) => `09/01/27,NEFT CR ${reference} X,,,${FEE}`)
  const head = 'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt'
  return post(`/admin/reconcile/?event=${event}`, [head, ...rows].join('\n'))
}
const shown = ({ lines }: Laid) =>
  lines.map(({ as, of }) => [as, ...of.map(({ reg_no: regNo }) => regNo)])
const confirmLines = ({ lines }: Laid): Promise<BulkAnswer> =>
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
const keep = ({ lines }: Laid): Promise<BulkAnswer> =>
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
const look = async ({ regNo }: Registered) =>
  (await office.json(`/admin/registrations/${regNo}/acts/`)) as unknown as ActionsAnswer
const find = async (text: string): Promise<readonly string[]> => {
  const url = `/admin/find/?q=${encodeURIComponent(text)}`
  const { found } = (await office.json(url)) as unknown as {
    found: { reg_no: string }[]
  }
  return found.map(({ reg_no: regNo }) => regNo)
}

/** Ways in which a registration stops waiting for the transfer that its delegate reported. */
const ENDED: readonly (readonly [string, (one: Registered) => Promise<void>])[] = [
  ['paid by card', paysByCard],
  [
    'confirmed as cash',
    async (one) => expect((await confirm(one, `slip ${count}`, 'cash')).status).toBe(200),
  ],
  [
    'paid by another transfer, accepted in review',
    async (one) => {
      const other = {
        act: 'confirm',
        way: 'transfer',
        reference: utr(),
        amount: '4000',
      }
      await act(one.regNo, other)
      const [review] = (await look(one)).reviews
      await act(one.regNo, {
        act: 'accept',
        review: review?.id,
        why: 'It is enough.',
      })
    },
  ],
  ['cancelled', (one) => act(one.regNo, { act: 'cancel', why: 'Asked to.' })],
]

describe.each(ENDED)('the reported UTR of a registration that was then %s', (_, ends) => {
  test('was credited to another delegate by the statement', async () => {
    const reference = utr()
    const one = await reporter(reference)
    await ends(one)
    const other = await reporter(utr())
    const laid = await statement(reference)
    expect(shown(laid)).toEqual([['differs', one.regNo]])
    expect(laid.lines[0]).toMatchObject({
      of: [{ name: one.name, due: 0, reference }],
      why: expect.stringContaining('but nothing is due'),
    })
    expect(shown(laid).flat()).not.toContain(other.regNo)
    // Confirmed, it is money beside the price, before staff.
    const before = await look(one)
    expect(await confirmLines(laid)).toMatchObject({
      done: [one.regNo],
      refused: [],
    })
    const after = await look(one)
    expect([after.kept, after.due, after.state]).toEqual([before.kept, 0, before.state])
    expect(after.reviews).toMatchObject([{ left: FEE }])
    expect(shown(await statement(reference))).toEqual([['known', one.regNo]])
  })

  test('could be reported and confirmed by another delegate', async () => {
    const reference = utr()
    const one = await reporter(reference)
    await ends(one)
    const other = await register()
    expect(await report(other, reference)).toMatchObject({
      status: 409,
      body: { code: 'taken' },
    })
    const refused = await confirm(other, reference)
    expect([refused.status, refused.body.message]).toEqual([
      409,
      `The delegate of ${one.regNo} reported ${reference}. Confirm it for ${one.regNo}, or first choose “Payment not found” there.`,
    ])
    // Nor can its line be kept as money that belongs to no registration.
    expect((await keep(await statement(reference))).message).toContain('1 was reported')
    const before = await look(one)
    expect(before.allowed).toContain('not_found')
    await act(one.regNo, {
      act: 'not_found',
      why: 'It is the payment of the other.',
    })
    const { state, allowed } = await look(one)
    expect([state, allowed.includes('not_found')]).toEqual([before.state, false])
    expect((await confirm(other, reference)).status).toBe(200)
  })

  test('was shown neither by the registration nor by the search', async () => {
    const reference = utr()
    const one = await reporter(reference)
    await ends(one)
    const { told, trail } = await look(one)
    expect(told).toMatchObject({ reference, stands: 'unconfirmed' })
    expect(trail.find((line) => line.act === 'tell')?.text).toBe(`Reported as paid: ${reference}`)
    expect(await find(reference)).toEqual([one.regNo])
    expect(await find(`UTR ${reference.replaceAll(/(\d{4})(?=\d)/g, '$1 ')}`)).toEqual([one.regNo])
  })
})

test('a UTR that a delegate mistyped and replaced stayed blocked for its real payer', async () => {
  const [mistyped, second] = [utr(), utr()]
  const one = await reporter(mistyped)
  expect((await report(one, second)).status).toBe(200)
  // It is still found, and suggests that registration as long as nobody else reports it.
  expect(await find(mistyped)).toEqual([one.regNo])
  expect(shown(await statement(mistyped))).toEqual([['matched', one.regNo]])
  const payer = await reporter(mistyped)
  expect(shown(await statement(mistyped))).toEqual([['ambiguous', payer.regNo, one.regNo]])
  expect((await confirm(payer, mistyped)).status).toBe(200)
  // The reference that the delegate reports now is still held.
  expect((await confirm(await register(), second)).status).toBe(409)
})

test('a line with the reported UTR and the number of a paid registration stayed unmatched', async () => {
  const reference = utr()
  const one = await reporter(reference)
  await paysByCard(one)
  const line = `${reference} ${one.regNo}`
  expect(shown(await statement(line))).toEqual([['differs', one.regNo]])
  // In two lines, it is for staff.
  expect(shown(await statement(line, `CHG ${line}`))).toEqual([
    ['ambiguous', one.regNo],
    ['ambiguous', one.regNo],
  ])
})

describe('a reported UTR that staff did not find', () => {
  const notFound = {
    act: 'not_found',
    why: 'Not in the statement of 9 January.',
  }

  test('still identifies the registration, and matches it in a later statement', async () => {
    const reference = utr()
    const one = await reporter(reference)
    await act(one.regNo, notFound)
    expect(shown(await statement(reference))).toEqual([['matched', one.regNo]])
    expect(await find(reference)).toEqual([one.regNo])
    expect((await look(one)).told).toMatchObject({
      reference,
      stands: 'not_found',
    })
  })

  test('was confirmed for the next delegate who reported it, without a decision', async () => {
    const reference = utr()
    const one = await reporter(reference)
    await act(one.regNo, notFound)
    const other = await reporter(reference)
    const laid = await statement(reference)
    expect(shown(laid)).toEqual([['ambiguous', other.regNo, one.regNo]])
    const ticked = await post<BulkAnswer>('/admin/registrations/bulk/', {
      event,
      act: 'confirm',
      reg_nos: [other.regNo],
    })
    expect(ticked).toMatchObject({
      done: [],
      refused: [
        {
          reg_no: other.regNo,
          message: expect.stringContaining(
            `The delegate of ${one.regNo} reported ${reference} too`,
          ),
        },
      ],
    })
    // Staff decide for whom it is.
    expect((await confirm(other, reference)).status).toBe(200)
    expect(shown(await statement(reference))).toEqual([['known', other.regNo]])
  })
})
