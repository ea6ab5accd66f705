/** Payments that are moved to another registration are compared with its price for the payment's own method. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OrderId, RegNo } from '../../../../engine/index.ts'
import type { RegisterResponse, ReviewsResponse } from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { signIn } from '../office.ts'
import type { Office } from '../office.ts'

const EVENT = 'lekhacon2027'
/** A transfer costs ₹ 4,720, a payment at the desk ₹ 4,767.20 and a card payment ₹ 4,861.60. */
const text = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', `${EVENT}.yaml`),
  'utf8',
)
  .replace(
    '\nquotas:',
    `  adjustments:
    - {id: desk-charge, label: Desk charge, when: {method: desk}, on: all, percent: 1}
    - {id: card-charge, label: Card charge, when: {method: card}, on: all, percent: 3}

quotas:`,
  )
  .replace('registered_as: member}\n  cases', 'registered_as: member, method: transfer}\n  cases')
const [BY_TRANSFER, AT_DESK, BY_CARD] = [4720, 4767.2, 4861.6]

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-10', events: { [`${EVENT}.yaml`]: text } })
  office = await signIn(server)
})
afterAll(() => server.close())

let counter = 0
const register = async (way: string): Promise<RegNo> => {
  counter += 1
  const response = await server.post(`/api/${EVENT}/register/`, {
    full_name: `Delegate ${counter}`,
    email: `delegate${counter}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way,
  })
  expect(response.statusCode, response.body).toBe(201)
  return response.json<RegisterResponse>().reg_no as RegNo
}
const record = async (regNo: RegNo, act: string, way: string, amount: number) => {
  counter += 1
  const reference = way === 'transfer' ? `52612300${1000 + counter}` : `SLIP-${counter}`
  const action = { act, way, reference, amount: String(amount), why: 'Paid twice.' }
  const { status, body } = await office.act(regNo, action)
  expect(status, body.message).toBe(200)
}
/** Registers a delegate, and records the registration's payment and a second payment. */
const registerWithSecondPayment = async (way: string, amount: number): Promise<RegNo> => {
  const regNo = await register('transfer')
  await record(regNo, 'confirm', 'transfer', BY_TRANSFER)
  await record(regNo, 'came_again', way, amount)
  return regNo
}
const findReview = async (regNo: RegNo) => {
  const { reviews } = (await office.json('/admin/reviews/')) as unknown as ReviewsResponse
  return reviews.find((review) => review.reg_no === regNo)
}
const decide = async (regNo: RegNo, decision: object): Promise<string> => {
  const review = await findReview(regNo)
  const response = await server.app.inject({
    method: 'POST',
    url: `/admin/reviews/${review?.id}/decide/`,
    headers: { authorization: `Bearer ${office.token}` },
    payload: { version: review?.version, why: 'Meant for a friend.', ...decision },
  })
  return String(response.json().message).replaceAll('\u00a0', ' ')
}
const readBill = async (regNo: RegNo) => {
  const registration = await server.deps.store.registration(regNo)
  const { paymentStatus, total, lines, payments } = registration ?? {}
  const [order] = payments ?? []
  return [paymentStatus, total, lines?.map(({ id }) => id), order?.way ?? order?.gateway]
}

test('cash at the transfer price does not pay a registration to which it is moved', async () => {
  const [from, to] = [
    await registerWithSecondPayment('cash', BY_TRANSFER),
    await register('transfer'),
  ]
  expect(await decide(from, { decision: 'move', to })).toBe(
    `₹ 4,720 moved to ${to}, where it needs review.`,
  )
  expect((await findReview(to))?.why.replaceAll('\u00a0', ' ')).toContain(
    '₹ 4,720 received, ₹ 4,767.20 due',
  )
  // The price for a transfer applies again when the cash does not count.
  await decide(to, { decision: 'dismiss' })
  expect(await readBill(to)).toEqual(['pending', 472_000, ['registration'], 'transfer'])
})

test('cash at the price for cash pays a registration to which it is moved, and the bill is that of cash', async () => {
  const [from, to] = [await registerWithSecondPayment('cash', AT_DESK), await register('transfer')]
  expect(await decide(from, { decision: 'move', to })).toBe(
    `₹ 4,767.20 moved to ${to}, which is now paid.`,
  )
  expect(await readBill(to)).toEqual([
    'success',
    476_720,
    ['registration', 'desk-charge'],
    'transfer',
  ])
})

test('a transfer pays a registration by card to which it is moved, without the card charge', async () => {
  const from = await registerWithSecondPayment('transfer', BY_TRANSFER)
  const to = await register('card')
  expect(await decide(from, { decision: 'move', to })).toBe(
    `₹ 4,720 moved to ${to}, which is now paid.`,
  )
  expect(await readBill(to)).toEqual(['success', 472_000, ['registration'], 'transfer'])
})

test.each([
  [BY_TRANSFER, 'where it needs review', ['pending', 472_000, ['registration'], 'transfer']],
  [BY_CARD, 'which is now paid', ['success', 486_160, ['registration', 'card-charge'], 'transfer']],
])(
  'a card payment of %s is compared with the card price of the registration to which it is moved: %s',
  async (amount, outcome, bill) => {
    const [from, to] = [await register('card'), await register('transfer')]
    await record(from, 'confirm', 'transfer', BY_TRANSFER)
    await server.deps.store.applyPaymentEvent(
      (await server.deps.store.registration(from))?.payments.at(-1)?.orderId as OrderId,
      {
        type: 'confirmed',
        reference: `AP-${counter}`,
        amount: Math.round(amount * 100) as never,
        currency: '356',
        kind: 'sale',
        at: server.now(),
      },
      null,
    )
    expect((await findReview(from))?.kind).toBe('second')
    expect(await decide(from, { decision: 'move', to })).toContain(outcome)
    const [, ...billAfter] = await readBill(to)
    expect(billAfter).toEqual(bill.slice(1))
  },
)
