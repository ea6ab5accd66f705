/** Razorpay's possible responses to a new order or a refund request, our action, and its reason. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { INR, readCurrency, toAmount } from '../../../../engine/index.ts'
import type { Currency, OrderId } from '../../../../engine/index.ts'
import type { PaymentData } from '../../../../engine/api.ts'
import {
  AT,
  CHECKOUT,
  ORDER,
  PRICE,
  account,
  list,
  openFakeRazorpay,
  createRazorpayEvent,
  createRefusal,
} from './fake-razorpay.ts'
import type { FakeRazorpay, Reply } from './fake-razorpay.ts'

let fake: FakeRazorpay
beforeAll(async () => {
  fake = await openFakeRazorpay()
})
afterAll(() => fake.close())
beforeEach(() => {
  fake.checkouts.length = 0
})

const event = createRazorpayEvent()
const TIMEOUT_MS = 30_000
const buyer = { fullName: 'Asha Nair', email: 'asha@example.org', phone: '98765', regNo: 'SAMP1' }
const createOrder = (changes: object = {}): object => ({
  id: CHECKOUT,
  entity: 'order',
  amount: 501_500,
  currency: 'INR',
  receipt: ORDER,
  status: 'created',
  ...changes,
})
const createReply = (body: object): Reply => ({ body })
const create = (price = PRICE) => {
  const form = { orderid: ORDER } as unknown as PaymentData
  return fake.adapter.createCheckout?.(event, { orderId: ORDER, ...price }, form, AT, TIMEOUT_MS)
}
const CREATE = 'POST orders'
const SEARCH = 'GET orders'

describe('creating an order before the hand-off', () => {
  test.each<
    [
      string,
      Readonly<Record<string, Reply | readonly Reply[]>>,
      string | null,
      readonly string[],
      string,
    ]
  >([
    ['created', { [CREATE]: createReply(createOrder()) }, CHECKOUT, [CREATE], 'used'],
    [
      'of another amount',
      { [CREATE]: createReply(createOrder({ amount: 1 })) },
      null,
      [CREATE],
      'never hand off a surprise',
    ],
    [
      'in another currency',
      { [CREATE]: createReply(createOrder({ currency: 'USD' })) },
      null,
      [CREATE],
      'never hand off a surprise',
    ],
    [
      'without an id',
      { [CREATE]: createReply(createOrder({ id: '' })) },
      null,
      [CREATE],
      'it cannot be used',
    ],
    [
      'refused',
      { [CREATE]: createRefusal('Currency is not supported') },
      null,
      [CREATE],
      'repeating does not help',
    ],
    [
      'wrong keys',
      { [CREATE]: createRefusal('Authentication failed', 401) },
      null,
      [CREATE],
      'repeating does not help',
    ],
    [
      'rate limit',
      { [CREATE]: createRefusal('Slow down', 429) },
      null,
      [CREATE],
      'nothing was created',
    ],
    [
      'lost, but found by its receipt',
      { [CREATE]: 'drop', [SEARCH]: list(createOrder()) },
      CHECKOUT,
      [CREATE, SEARCH],
      'not created twice',
    ],
    [
      'lost, and not found',
      { [CREATE]: ['drop', createReply(createOrder())], [SEARCH]: list() },
      CHECKOUT,
      [CREATE, SEARCH, CREATE],
      'created again only if it does not exist',
    ],
    [
      'lost twice',
      { [CREATE]: 'drop', [SEARCH]: list() },
      null,
      [CREATE, SEARCH, CREATE],
      'the delegate tries again',
    ],
    [
      '500, but found',
      { [CREATE]: createRefusal('Down', 500, 'SERVER_ERROR'), [SEARCH]: list(createOrder()) },
      CHECKOUT,
      [CREATE, SEARCH],
      'it may have acted',
    ],
    [
      'lost, and the search fails',
      { [CREATE]: 'drop', [SEARCH]: createRefusal('Down', 503, 'SERVER_ERROR') },
      null,
      [CREATE, SEARCH],
      'it may exist',
    ],
    [
      'lost, and an order of another amount found',
      {
        [CREATE]: ['drop', createReply(createOrder())],
        [SEARCH]: list(createOrder({ amount: 1 })),
      },
      CHECKOUT,
      [CREATE, SEARCH, CREATE],
      'this order cannot be used',
    ],
  ])('%s', async (_name, replies, checkout, requests, reason) => {
    fake.answers(replies)
    const created = await create()
    expect(created?.ok === true ? created.value['checkout_id'] : null, reason).toBe(checkout)
    expect(fake.requests.map(({ what }) => what)).toEqual(requests)
    expect(fake.checkouts.map(({ checkoutId }) => checkoutId)).toEqual(
      checkout === null ? [] : [checkout],
    )
  })
  test('two orders with the same receipt are both stored, and one is used', async () => {
    fake.answers({
      [CREATE]: 'drop',
      [SEARCH]: list(createOrder(), createOrder({ id: 'order_Second000001' })),
    })
    expect(await create()).toMatchObject({ value: { checkout_id: CHECKOUT } })
    expect(fake.checkouts).toHaveLength(2)
  })
  test('states the amount, the deadline for capture and the purpose', async () => {
    fake.answers({ [CREATE]: createReply(createOrder()) })
    await create()
    expect(fake.requests[0]?.body).toEqual({
      amount: 501_500,
      currency: 'INR',
      receipt: ORDER,
      notes: { order: ORDER, event: event.id },
      payment: {
        capture: 'automatic',
        capture_options: {
          automatic_expiry_period: 4320,
          manual_expiry_period: 4320,
          refund_speed: 'normal',
        },
      },
    })
  })
  test('is created once: the same order is used again', async () => {
    fake.answers({ [CREATE]: createReply(createOrder()) })
    await create()
    await create()
    expect(fake.requests).toHaveLength(1)
  })
  test('at a new price has another receipt of at most 40 characters', async () => {
    fake.answers({
      [CREATE]: [
        createReply(createOrder()),
        createReply(createOrder({ id: 'order_New', amount: 600_000 })),
      ],
    })
    await create()
    await create({ ...PRICE, amount: toAmount(600_000) })
    const receipts = fake.requests.map(({ body }) => (body as { readonly receipt: string }).receipt)
    expect(receipts).toEqual([ORDER, `${ORDER}-2`])
    expect(receipts.every(({ length }) => length <= 40)).toBe(true)
  })
})

describe('reasons for which the hand-off is refused', () => {
  const handOff = (changes: {
    orderId?: string
    amount?: number
    currency?: string
    email?: string
  }) =>
    fake.adapter.handOff(
      event,
      { ...buyer, email: changes.email ?? buyer.email },
      (changes.orderId ?? ORDER) as OrderId,
      {
        amount: toAmount(changes.amount ?? PRICE.amount),
        currency: readCurrency(changes.currency ?? 'INR') as Currency,
      },
      AT,
    )
  test.each<[string, Parameters<typeof handOff>[0], object]>([
    [
      'a currency that is not in its list',
      { currency: 'JPY' },
      { code: 'currency', currency: 'JPY' },
    ],
    ['less than one rupee', { amount: 99 }, { code: 'below_minimum', minimum: 100 }],
    ['less than one dollar', { amount: 99, currency: 'USD' }, { code: 'below_minimum' }],
    ['nothing', { amount: 0 }, { code: 'amount' }],
    ['no email address', { email: '' }, { code: 'email', characters: 0 }],
    ['a receipt with other characters', { orderId: 'SAMP 1' }, { code: 'order_id' }],
  ])('%s', (_name, changes, error) => {
    expect(handOff(changes)).toMatchObject({ ok: false, error })
  })
  test('every order without credentials', async () => {
    const without = await openFakeRazorpay(() => null)
    expect(without.adapter.handOff(event, buyer, ORDER, PRICE, AT)).toEqual({
      ok: false,
      error: { code: 'no_credentials' },
    })
    await without.close()
  })
  test('never contains a secret', () => {
    const form = handOff({})
    expect(form.ok).toBe(true)
    for (const secret of [account.keySecret, ...account.webhookSecrets])
      expect(JSON.stringify(form)).not.toContain(secret)
  })
})

describe('the response to a refund request', () => {
  const PAYMENT = 'pay_Sample00000001'
  const REFUND = `POST payments/${PAYMENT}/refund`
  const KEY = `${ORDER}-refund-7`
  const done = (changes: object = {}): Reply =>
    createReply({ id: 'rfnd_1', entity: 'refund', amount: 100_000, status: 'pending', ...changes })
  const refund = (reference = PAYMENT) =>
    fake.adapter.refund(
      event,
      reference,
      { amount: toAmount(100_000), currency: INR },
      AT,
      TIMEOUT_MS,
      KEY,
    )

  test.each<[string, Reply | readonly Reply[], string, number, string]>([
    ['pending', done(), 'begun', 1, 'the status query reports the final state'],
    ['processed', done({ status: 'processed' }), 'begun', 1, 'the status query confirms it'],
    ['failed', done({ status: 'failed' }), 'refused', 1, 'no money moved'],
    ['of another amount', done({ amount: 1 }), 'unsure', 1, 'staff check it'],
    ['without a reference', done({ id: '' }), 'unsure', 1, 'staff check it'],
    [
      'not JSON',
      { body: '<html>' },
      'unsure',
      2,
      'repeated with the same key, then staff check it',
    ],
    [
      'larger than the payment',
      createRefusal('The total refund amount is greater'),
      'refused',
      1,
      'no money moved',
    ],
    [
      'the balance is too small',
      createRefusal('Your account does not have enough balance'),
      'refused',
      1,
      'staff refund it later',
    ],
    [
      'older than six months',
      createRefusal('The payment is more than 6 months old'),
      'refused',
      1,
      'staff refund it by bank transfer',
    ],
    [
      'the first request is in progress',
      createRefusal('In progress', 409),
      'unsure',
      1,
      'the first one may move money',
    ],
    ['wrong keys', createRefusal('Authentication failed', 401), 'refused', 1, 'no money moved'],
    ['lost, then answered', ['drop', done()], 'begun', 2, 'the key prevents a second refund'],
    ['lost twice', 'drop', 'unsure', 2, 'never a third request'],
    ['500', createRefusal('Down', 500, 'SERVER_ERROR'), 'unsure', 2, 'it may have acted'],
    [
      'rate limit',
      createRefusal('Slow down', 429),
      'not-sent',
      1,
      'it has not acted: sent again later',
    ],
  ])('%s', async (_name, reply, is, requests, reason) => {
    fake.answers({ [REFUND]: reply })
    expect(await refund(), reason).toMatchObject({ is })
    expect(fake.requests.map(({ key }) => key)).toEqual(Array.from({ length: requests }, () => KEY))
  })
  test('of a payment of another gateway is not sent', async () => {
    fake.answers({})
    expect(await refund('17691556')).toMatchObject({ is: 'not-sent' })
    expect(fake.requests).toEqual([])
  })
})
