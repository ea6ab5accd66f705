/** Prices that depend on the payment method: on the form, for retries and for manual payments. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  RegisterResponse,
  RegistrationResponse,
  ReviewsResponse,
} from '../../../engine/api.ts'
import { instant } from '../../../engine/index.ts'
import type { OrderId } from '../../../engine/index.ts'
import { signIn } from '../office/office.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

const file = 'lekhacon2027.yaml'
const CHARGE = `  adjustments:
    - {id: card-charge, label: Card charge, when: {method: card}, on: all, percent: 3}

quotas:`
const text = readFileSync(join(import.meta.dirname, '..', '..', 'events', file), 'utf8')
  .replace('\nquotas:', CHARGE)
  .replace('registered_as: member}\n  cases', 'registered_as: member, method: transfer}\n  cases')

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-10', events: { [file]: text } })
})
afterAll(() => server.close())

const DELEGATE = {
  full_name: 'Asha Nair',
  email: 'asha@delegate.example',
  phone_number: '9847000000',
  registered_as: 'member',
}
const register = async (answers: Readonly<Record<string, string>>) => {
  const response = await server.post('/api/lekhacon2027/register/', { ...DELEGATE, ...answers })
  return { status: response.statusCode, body: response.json<RegisterResponse>() }
}
const readRegistration = async (regNo: string) => {
  const registration = await server.deps.store.registration(regNo)
  if (registration === null) throw new Error(`no registration ${regNo}`)
  return registration
}
const readBill = async (regNo: string) => {
  const { total, base, gst, lines } = await readRegistration(regNo)
  return { total, base, gst, lines: lines.map((line) => [line.id, line.total]) }
}
const performAction = async (regNo: string, payload: object) =>
  (await signIn(server)).act(regNo, payload)

// By transfer, 4,000 plus 18% GST; by card, 4,120 plus 18%.
const BY_TRANSFER = { total: 472000, base: 400000, gst: 72000, lines: [['registration', 472000]] }
const BY_CARD = {
  total: 486160,
  base: 412000,
  gst: 74160,
  lines: [
    ['registration', 472000],
    ['card-charge', 14160],
  ],
}

test('a delegate who pays by card is charged 3% more, and one who pays by transfer is not', async () => {
  expect(await readBill((await register({ way: 'card' })).body.reg_no)).toEqual(BY_CARD)
  expect(await readBill((await register({ way: 'transfer' })).body.reg_no)).toEqual(BY_TRANSFER)
})

test('an API client that sends no method pays the price for the first method, which is the card', async () => {
  expect(await readBill((await register({})).body.reg_no)).toEqual(BY_CARD)
})

test('an API client that states another method in `method` instead of `way` is refused, not charged by card', async () => {
  const refused = await register({ method: 'transfer' })
  expect(refused.status).toBe(422)
  expect(JSON.stringify(refused.body)).toContain(
    'State the payment method in “way”, not in “method”: card, transfer.',
  )
  // If both name the same method, the unknown field changes nothing.
  const stated = await register({ way: 'transfer', method: 'transfer' })
  expect(await readBill(stated.body.reg_no)).toEqual(BY_TRANSFER)
  const first = await register({ method: 'card' })
  expect(await readBill(first.body.reg_no)).toEqual(BY_CARD)
})

test.each([
  ['card', 'transfer'],
  ['transfer', 'card'],
])(
  'an API client that states `way=%s` and `method=%s` is refused, not charged by one of them',
  async (way, method) => {
    const refused = await register({ way, method })
    expect(refused.status).toBe(422)
    expect(refused.body).toMatchObject({
      errors: { way: 'State the payment method in “way”, not in “method”: card, transfer.' },
    })
  },
)

test('a total for the wrong method is rejected, and nothing is charged', async () => {
  const rejection = await register({ way: 'card', total_amount: '4720' })
  expect(rejection.status).toBe(409)
  expect(rejection.body).toMatchObject({ code: 'price_changed' })
})

test('a delegate who chose a transfer and then pays by card first sees the card price', async () => {
  const { body } = await register({ way: 'transfer' })
  const resumePayment = (price?: string) =>
    server.app.inject({
      method: 'POST',
      url: '/api/payment/resume/',
      payload: { token: body.page?.split('/')[2], ...(price === undefined ? {} : { price }) },
    })
  const priceResponse = await resumePayment()
  expect(priceResponse.statusCode).toBe(409)
  expect(priceResponse.json()).toMatchObject({ code: 'price_moved' })
  expect(await readBill(body.reg_no)).toEqual(BY_TRANSFER)
  const paidResponse = await resumePayment('4861.60')
  expect(paidResponse.statusCode).toBe(201)
  expect(await readBill(body.reg_no)).toEqual(BY_CARD)
})

test('a registration with the card price is paid in full by cash without the card charge', async () => {
  const { body } = await register({ way: 'card' })
  const confirmResponse = await performAction(body.reg_no, {
    act: 'confirm',
    way: 'cash',
    reference: 'SLIP-1',
    amount: '4720',
  })
  expect(confirmResponse).toMatchObject({ status: 200, body: { state: 'complete' } })
  expect(await readBill(body.reg_no)).toEqual(BY_TRANSFER)
  expect((await readRegistration(body.reg_no)).payments[0]).toMatchObject({
    status: 'success',
    amount: 472000,
  })
})

test('a discount for demand drafts is given for a demand draft, but not for cash, the card machine or a cheque', async () => {
  const withDrafts = text
    .replace(
      '    - id: desk',
      '    - {id: dd, label: Demand draft, office_only: true}\n    - id: desk',
    )
    .replace(
      'adjustments:\n',
      'adjustments:\n    - {id: draft-discount, label: Draft discount, when: {method: [dd, transfer]}, on: all, percent: -5}\n',
    )
    .replace('method: transfer}', 'method: desk}')
  const drafts = await startTestApp({ clock: '2027-01-10', events: { [file]: withDrafts } })
  try {
    const office = await signIn(drafts)
    let n = 0
    const record = async (way: string, amount: string) => {
      n += 1
      const response = await drafts.post('/api/lekhacon2027/register/', {
        ...DELEGATE,
        email: `draft${n}@delegate.example`,
        way: 'card',
      })
      const { reg_no: regNo } = response.json<RegisterResponse>()
      const { body } = await office.act(regNo, {
        act: 'confirm',
        way,
        reference: `SBI 45${n}`,
        amount,
      })
      return body.state
    }
    for (const way of ['cash', 'machine', 'cheque']) {
      expect([way, await record(way, '4720')]).toEqual([way, 'complete'])
      expect([way, await record(way, '4484')]).toEqual([way, 'to_pay'])
    }
    expect(await record('dd', '4484')).toBe('complete')
  } finally {
    await drafts.close()
  }
})

test('after a correction, the price still depends on how the registration was paid', async () => {
  const correct = (regNo: string, total: string) =>
    performAction(regNo, {
      act: 'correct',
      why: 'Wrong category',
      answers: { registered_as: 'non-member' },
      total,
    })
  const { body } = await register({ way: 'card' })
  await performAction(body.reg_no, {
    act: 'confirm',
    way: 'cash',
    reference: 'SLIP-2',
    amount: '4720',
  })
  // 6,000 plus 18% without the charge.
  expect((await correct(body.reg_no, '7080')).status).toBe(200)
  expect((await readBill(body.reg_no)).total).toBe(708000)
  const cardRegistration = await register({ way: 'card' })
  expect((await correct(cardRegistration.body.reg_no, '7292.4')).status).toBe(200)
  expect((await readBill(cardRegistration.body.reg_no)).total).toBe(729240)
})

test("a registration's price for every payment method stays the same after the event file raises prices", async () => {
  const [first, second] = [await register({ way: 'card' }), await register({ way: 'transfer' })]
  try {
    server.writeEvent(
      file,
      text.replaceAll('4000, 5000', '4400, 5000').replace('total: 4720', 'total: 5192'),
    )
    await server.deps.events.reload()
    // The new prices apply to others: 4,400 plus 18% GST.
    expect((await readBill((await register({ way: 'transfer' })).body.reg_no)).total).toBe(519200)
    const reference = { reference: 'SLIP-3', way: 'cash' }
    const confirmResponse = await performAction(first.body.reg_no, {
      act: 'confirm',
      ...reference,
      amount: '4861.6',
    })
    expect(confirmResponse).toMatchObject({ status: 200, body: { state: 'complete' } })
    expect(await readBill(first.body.reg_no)).toEqual(BY_CARD)
    const retryResponse = await server.app.inject({
      method: 'POST',
      url: '/api/payment/resume/',
      payload: { token: second.body.page?.split('/')[2] },
    })
    expect(retryResponse.statusCode).toBe(201)
    expect(await readBill(second.body.reg_no)).toEqual(BY_TRANSFER)
  } finally {
    server.writeEvent(file, text)
    await server.deps.events.reload()
  }
})

/** Reads the balance, payment method and deadline that the delegate and the office see. */
const readBalance = async (regNo: string) => {
  const { state, total, base, gst, lines, payUntil, payments, paymentStatus } =
    await readRegistration(regNo)
  const { way, gateway, account, merchantId, amount, status, holdUntil, failure } =
    payments[0] ?? {}
  const order = { way, gateway, account, merchantId, amount, status, holdUntil, failure }
  return { state, total, base, gst, lines, payUntil, paymentStatus, order }
}
let slipNumber = 100
const recordCash = (regNo: string, amount: string) => {
  slipNumber += 1
  return performAction(regNo, {
    act: 'confirm',
    way: 'cash',
    reference: `SLIP-${slipNumber}`,
    amount,
  })
}
async function decideReview(regNo: string, decision: object): Promise<void> {
  const office = await signIn(server)
  const url = '/admin/reviews/'
  const { reviews } = (await office.get(`${url}?event=lekhacon2027`)).json<ReviewsResponse>()
  const review = reviews.find((review) => review.reg_no === regNo)
  const response = await server.app.inject({
    method: 'POST',
    url: `${url}${review?.id}/decide/`,
    headers: { authorization: `Bearer ${office.token}` },
    payload: { ...decision, why: 'Typing mistake', version: review?.version },
  })
  expect(response.statusCode, response.body).toBe(200)
}

describe("a cash payment with a typing mistake does not change a registration's price", () => {
  const registerWithMethod = async (method: string, isExpired = false) => {
    const { reg_no: regNo } = (await register({ way: method })).body
    const orderId = (await readRegistration(regNo)).payments[0]?.orderId
    if (isExpired && orderId !== undefined)
      await server.deps.store.applyPaymentEvent(
        orderId,
        { type: 'expired', at: server.deps.clock() },
        null,
      )
    return regNo
  }
  test.each<[string, string, boolean, object]>([
    ['if it is dismissed (card price)', 'card', false, { decision: 'dismiss' }],
    [
      'if it is refunded (card price)',
      'card',
      false,
      { decision: 'refund', by_hand: true, reference: 'VOUCHER-1' },
    ],
    ['if it is dismissed (card price, order expired)', 'card', true, { decision: 'dismiss' }],
    ['if it is dismissed (transfer price)', 'transfer', false, { decision: 'dismiss' }],
  ])('%s', async (_what, method, isExpired, decision) => {
    const regNo = await registerWithMethod(method, isExpired)
    const balanceBefore = await readBalance(regNo)
    expect(balanceBefore.state).toBe(isExpired ? 'lapsed' : 'to_pay')
    expect((await recordCash(regNo, '4270')).body.message).toContain('needs review')
    await decideReview(regNo, decision)
    expect(await readBalance(regNo)).toEqual(balanceBefore)
    // The correct amount is accepted as before.
    expect(await recordCash(regNo, '4720')).toMatchObject({ body: { state: 'complete' } })
    expect(await readBill(regNo)).toEqual(BY_TRANSFER)
  })
  test('if it is dismissed (card price, event without a card charge)', async () => {
    try {
      server.writeEvent(file, text.replace(CHARGE, '\nquotas:').replace(', method: transfer}', '}'))
      await server.deps.events.reload()
      const regNo = await registerWithMethod('card')
      const balanceBefore = await readBalance(regNo)
      await recordCash(regNo, '4270')
      await decideReview(regNo, { decision: 'dismiss' })
      expect(await readBalance(regNo)).toEqual(balanceBefore)
      expect((await readRegistration(regNo)).payments).toHaveLength(1)
    } finally {
      server.writeEvent(file, text)
      await server.deps.events.reload()
    }
  })
  test('if it is moved to another registration', async () => {
    const [regNo, otherRegNo] = [
      await registerWithMethod('card'),
      await registerWithMethod('transfer'),
    ]
    const balanceBefore = await readBalance(regNo)
    await recordCash(regNo, '4270')
    await decideReview(regNo, { decision: 'move', to: otherRegNo })
    expect(await readBalance(regNo)).toEqual(balanceBefore)
  })
})

describe('after “Pay by card instead” is declined, the transfer is offered again without the card charge', () => {
  const startCardPaymentInstead = async () => {
    const { body } = await register({ way: 'transfer' })
    const balanceBefore = await readBalance(body.reg_no)
    const resume = () =>
      server.app.inject({
        method: 'POST',
        url: '/api/payment/resume/',
        payload: { token: body.page?.split('/')[2], price: '4861.60' },
      })
    expect((await resume()).statusCode).toBe(201)
    const [cardOrder] = (await readRegistration(body.reg_no)).payments
    if (cardOrder === undefined) throw new Error('no card order')
    return { regNo: body.reg_no, balanceBefore, cardOrder, resume }
  }
  const getNow = () => server.deps.clock()
  const endOrder = (orderId: OrderId, type: 'declined' | 'expired') =>
    server.deps.store.applyPaymentEvent(
      orderId,
      type === 'expired'
        ? { type, at: getNow() }
        : { type, at: getNow(), code: '400', message: 'Declined' },
      null,
    )

  test.each(['declined', 'expired'] as const)(
    'the transfer is due again at its own price, and pays the registration (card order %s)',
    async (type) => {
      const { regNo, balanceBefore, cardOrder, resume } = await startCardPaymentInstead()
      await endOrder(cardOrder.orderId, type)
      expect(await readBalance(regNo)).toEqual(balanceBefore)
      // A second attempt by card also ends.
      expect((await resume()).statusCode).toBe(201)
      expect(await readBill(regNo)).toEqual(BY_CARD)
      await endOrder(
        (await readRegistration(regNo)).payments[0]?.orderId ?? cardOrder.orderId,
        type,
      )
      expect(await readBalance(regNo)).toEqual(balanceBefore)
      const reference = `UTR-${type}-0001`
      const confirmResponse = await performAction(regNo, {
        act: 'confirm',
        way: 'transfer',
        reference,
        amount: '4720',
      })
      expect(confirmResponse).toMatchObject({ status: 200, body: { state: 'complete' } })
      expect(await readBill(regNo)).toEqual(BY_TRANSFER)
      const { payments } = await readRegistration(regNo)
      expect(payments[0]).toMatchObject({ status: 'success', gateway: null, way: 'transfer' })
    },
  )

  test('the page after a declined card payment says that it was declined and how to pay', async () => {
    const { regNo, cardOrder, resume } = await startCardPaymentInstead()
    const url = `/api/lekhacon2027/registrations/${regNo}/`
    const readPage = async () => {
      const payload = { email: DELEGATE.email }
      const response = await server.app.inject({ method: 'POST', url, payload })
      const { registration, paying } = response.json<RegistrationResponse>()
      return { state: registration.stands, failure: registration.card_failed_as, paying }
    }
    expect(await readPage()).toEqual({ state: 'not-paid', failure: null })
    await endOrder(cardOrder.orderId, 'declined')
    const pageAfter = await readPage()
    expect(pageAfter).toMatchObject({
      state: 'by-hand',
      failure: 'declined',
      paying: { label: 'NEFT, IMPS or UPI', total: 4720, pay_until: '2027-01-21T00:00:00+05:30' },
    })
    expect(pageAfter.paying?.tell).toContain('IFSC')
    // Only the self-service page shows the payment claim with its answers.
    expect(Object.keys(pageAfter.paying ?? {})).not.toContain('told')
    const publicPage = (await server.app.inject(url)).json<RegistrationResponse>()
    expect([publicPage.registration.card_failed_as, publicPage.paying]).toEqual([
      'declined',
      undefined,
    ])
    // The result of the second card payment is unknown, so the page cannot say "not charged".
    await resume()
    await endOrder(
      (await readRegistration(regNo)).payments[0]?.orderId ?? cardOrder.orderId,
      'expired',
    )
    expect(await readPage()).toMatchObject({ state: 'by-hand', failure: 'expired' })
  })

  test('a late payment for the declined card order counts once, at the price of that order', async () => {
    const { regNo, cardOrder } = await startCardPaymentInstead()
    await endOrder(cardOrder.orderId, 'declined')
    await server.deps.store.applyPaymentEvent(
      cardOrder.orderId,
      {
        type: 'confirmed',
        kind: 'sale',
        at: getNow(),
        reference: 'pay_late_1',
        amount: cardOrder.amount,
        currency: 'INR',
        paidAt: getNow(),
      },
      null,
    )
    const { state, payments, due: balance } = await readRegistration(regNo)
    expect([state, balance]).toEqual(['complete', 0])
    expect(payments.map(({ status }) => status)).toEqual(['failed', 'success', 'failed'])
    expect(await readBill(regNo)).toEqual(BY_CARD)
  })

  test('once the hold of the transfer has ended, the page says that the card payment was declined', async () => {
    const { regNo, cardOrder } = await startCardPaymentInstead()
    await server.deps.store.applyPaymentEvent(
      cardOrder.orderId,
      // The transfer's hold of 10 days has ended.
      {
        type: 'declined',
        at: instant(getNow() + 11 * 86_400_000),
        code: '400',
        message: 'Declined',
      },
      null,
    )
    const response = await server.app.inject(`/api/lekhacon2027/registrations/${regNo}/`)
    const { registration } = response.json<RegistrationResponse>()
    expect(registration['failed_as']).toBe('declined')
  })

  test('the history shows that a card payment replaced the transfer', async () => {
    const { regNo, cardOrder } = await startCardPaymentInstead()
    await endOrder(cardOrder.orderId, 'declined')
    const office = await signIn(server)
    const { body } = await office.get(`/admin/registrations/${regNo}/`)
    expect(body).toContain('Replaced by a card payment.')
    expect(body).not.toContain('the gateway has no record')
  })
})
