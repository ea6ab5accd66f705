/** Razorpay's possible responses to a new order or a refund request, and our action for each, with its reason. */
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

let razorpay: FakeRazorpay
beforeAll(async () => {
  razorpay = await openFakeRazorpay()
})
afterAll(() => razorpay.close())
beforeEach(() => {
  razorpay.checkouts.length = 0
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
const createCheckout = (price = PRICE) => {
  const form = { orderid: ORDER } as unknown as PaymentData
  return razorpay.adapter.createCheckout?.(
    event,
    { orderId: ORDER, ...price },
    form,
    AT,
    TIMEOUT_MS,
  )
}
const CREATE_ENDPOINT = 'POST orders'
const SEARCH_ENDPOINT = 'GET orders'

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
    [
      'created',
      { [CREATE_ENDPOINT]: createReply(createOrder()) },
      CHECKOUT,
      [CREATE_ENDPOINT],
      'used',
    ],
    [
      'with a different amount',
      { [CREATE_ENDPOINT]: createReply(createOrder({ amount: 1 })) },
      null,
      [CREATE_ENDPOINT],
      'never hand off an unexpected amount',
    ],
    [
      'in a different currency',
      { [CREATE_ENDPOINT]: createReply(createOrder({ currency: 'USD' })) },
      null,
      [CREATE_ENDPOINT],
      'never hand off an unexpected amount',
    ],
    [
      'without an id',
      { [CREATE_ENDPOINT]: createReply(createOrder({ id: '' })) },
      null,
      [CREATE_ENDPOINT],
      'it cannot be used',
    ],
    [
      'refused',
      { [CREATE_ENDPOINT]: createRefusal('Currency is not supported') },
      null,
      [CREATE_ENDPOINT],
      'repeating does not help',
    ],
    [
      'wrong keys',
      { [CREATE_ENDPOINT]: createRefusal('Authentication failed', 401) },
      null,
      [CREATE_ENDPOINT],
      'repeating does not help',
    ],
    [
      'rate limit',
      { [CREATE_ENDPOINT]: createRefusal('Slow down', 429) },
      null,
      [CREATE_ENDPOINT],
      'nothing was created',
    ],
    [
      'lost, but found by its receipt',
      { [CREATE_ENDPOINT]: 'drop', [SEARCH_ENDPOINT]: list(createOrder()) },
      CHECKOUT,
      [CREATE_ENDPOINT, SEARCH_ENDPOINT],
      'not created twice',
    ],
    [
      'lost, and not found',
      { [CREATE_ENDPOINT]: ['drop', createReply(createOrder())], [SEARCH_ENDPOINT]: list() },
      CHECKOUT,
      [CREATE_ENDPOINT, SEARCH_ENDPOINT, CREATE_ENDPOINT],
      'created again only if it does not exist',
    ],
    [
      'lost twice',
      { [CREATE_ENDPOINT]: 'drop', [SEARCH_ENDPOINT]: list() },
      null,
      [CREATE_ENDPOINT, SEARCH_ENDPOINT, CREATE_ENDPOINT],
      'the delegate tries again',
    ],
    [
      '500, but found',
      {
        [CREATE_ENDPOINT]: createRefusal('Down', 500, 'SERVER_ERROR'),
        [SEARCH_ENDPOINT]: list(createOrder()),
      },
      CHECKOUT,
      [CREATE_ENDPOINT, SEARCH_ENDPOINT],
      'the gateway may have processed the request',
    ],
    [
      'lost, and the search fails',
      { [CREATE_ENDPOINT]: 'drop', [SEARCH_ENDPOINT]: createRefusal('Down', 503, 'SERVER_ERROR') },
      null,
      [CREATE_ENDPOINT, SEARCH_ENDPOINT],
      'it may exist',
    ],
    [
      'lost, and found with a different amount',
      {
        [CREATE_ENDPOINT]: ['drop', createReply(createOrder())],
        [SEARCH_ENDPOINT]: list(createOrder({ amount: 1 })),
      },
      CHECKOUT,
      [CREATE_ENDPOINT, SEARCH_ENDPOINT, CREATE_ENDPOINT],
      'this order cannot be used',
    ],
  ])('%s', async (_name, replies, checkout, requests, reason) => {
    razorpay.setReplies(replies)
    const result = await createCheckout()
    expect(result?.ok === true ? result.value['checkout_id'] : null, reason).toBe(checkout)
    expect(razorpay.requests.map(({ endpoint }) => endpoint)).toEqual(requests)
    expect(razorpay.checkouts.map(({ checkoutId }) => checkoutId)).toEqual(
      checkout === null ? [] : [checkout],
    )
  })
  test('two orders with the same receipt are both stored, and one is used', async () => {
    razorpay.setReplies({
      [CREATE_ENDPOINT]: 'drop',
      [SEARCH_ENDPOINT]: list(createOrder(), createOrder({ id: 'order_Second000001' })),
    })
    expect(await createCheckout()).toMatchObject({ value: { checkout_id: CHECKOUT } })
    expect(razorpay.checkouts).toHaveLength(2)
  })
  test('states the amount, the deadline for capture and the purpose', async () => {
    razorpay.setReplies({ [CREATE_ENDPOINT]: createReply(createOrder()) })
    await createCheckout()
    expect(razorpay.requests[0]?.body).toEqual({
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
  test('creates it once: the same order is used again', async () => {
    razorpay.setReplies({ [CREATE_ENDPOINT]: createReply(createOrder()) })
    await createCheckout()
    await createCheckout()
    expect(razorpay.requests).toHaveLength(1)
  })
  test('uses a new receipt, of at most 40 characters, for a new price', async () => {
    razorpay.setReplies({
      [CREATE_ENDPOINT]: [
        createReply(createOrder()),
        createReply(createOrder({ id: 'order_New', amount: 600_000 })),
      ],
    })
    await createCheckout()
    await createCheckout({ ...PRICE, amount: toAmount(600_000) })
    const receipts = razorpay.requests.map(
      ({ body }) => (body as { readonly receipt: string }).receipt,
    )
    expect(receipts).toEqual([ORDER, `${ORDER}-2`])
    expect(receipts.every(({ length }) => length <= 40)).toBe(true)
  })
})

describe('the hand-off', () => {
  const handOff = (changes: {
    orderId?: string
    amount?: number
    currency?: string
    email?: string
  }) =>
    razorpay.adapter.handOff(
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
      "a currency that is not in the gateway's list",
      { currency: 'JPY' },
      { code: 'currency', currency: 'JPY' },
    ],
    ['an amount below one rupee', { amount: 99 }, { code: 'below_minimum', minimum: 100 }],
    ['an amount below one dollar', { amount: 99, currency: 'USD' }, { code: 'below_minimum' }],
    ['an amount of zero', { amount: 0 }, { code: 'amount' }],
    ['no email address', { email: '' }, { code: 'email', characters: 0 }],
    ['a receipt with unsupported characters', { orderId: 'SAMP 1' }, { code: 'order_id' }],
  ])('is refused for %s', (_name, changes, error) => {
    expect(handOff(changes)).toMatchObject({ ok: false, error })
  })
  test('is refused for every order if there are no credentials', async () => {
    const razorpayWithoutAccount = await openFakeRazorpay(() => null)
    expect(razorpayWithoutAccount.adapter.handOff(event, buyer, ORDER, PRICE, AT)).toEqual({
      ok: false,
      error: { code: 'no_credentials' },
    })
    await razorpayWithoutAccount.close()
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
  const REFUND_ENDPOINT = `POST payments/${PAYMENT}/refund`
  const IDEMPOTENCY_KEY = `${ORDER}-refund-7`
  const createRefundReply = (changes: object = {}): Reply =>
    createReply({ id: 'rfnd_1', entity: 'refund', amount: 100_000, status: 'pending', ...changes })
  const refund = (reference = PAYMENT) =>
    razorpay.adapter.refund(
      event,
      reference,
      { amount: toAmount(100_000), currency: INR },
      AT,
      TIMEOUT_MS,
      IDEMPOTENCY_KEY,
    )

  test.each<[string, Reply | readonly Reply[], string, number, string]>([
    ['pending', createRefundReply(), 'begun', 1, 'the status query reports the final state'],
    [
      'processed',
      createRefundReply({ status: 'processed' }),
      'begun',
      1,
      'the status query confirms it',
    ],
    ['failed', createRefundReply({ status: 'failed' }), 'refused', 1, 'nothing was refunded'],
    ['with a different amount', createRefundReply({ amount: 1 }), 'unsure', 1, 'staff check it'],
    ['without a reference', createRefundReply({ id: '' }), 'unsure', 1, 'staff check it'],
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
      'nothing was refunded',
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
      'the first request may be completed',
    ],
    [
      'wrong keys',
      createRefusal('Authentication failed', 401),
      'refused',
      1,
      'nothing was refunded',
    ],
    [
      'lost at first, then received',
      ['drop', createRefundReply()],
      'begun',
      2,
      'the key prevents a second refund',
    ],
    ['lost twice', 'drop', 'unsure', 2, 'never a third request'],
    [
      '500',
      createRefusal('Down', 500, 'SERVER_ERROR'),
      'unsure',
      2,
      'the gateway may have processed the request',
    ],
    [
      'rate limit',
      createRefusal('Slow down', 429),
      'not-sent',
      1,
      'not processed: sent again later',
    ],
  ])('%s', async (_name, reply, is, requests, reason) => {
    razorpay.setReplies({ [REFUND_ENDPOINT]: reply })
    expect(await refund(), reason).toMatchObject({ is })
    expect(razorpay.requests.map(({ key }) => key)).toEqual(
      Array.from({ length: requests }, () => IDEMPOTENCY_KEY),
    )
  })
  test("a refund request for another gateway's payment is not sent", async () => {
    razorpay.setReplies({})
    expect(await refund('17691556')).toMatchObject({ is: 'not-sent' })
    expect(razorpay.requests).toEqual([])
  })
})
