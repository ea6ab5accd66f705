/** Razorpay's possible responses to our status query, and our action for each, with its reason. */
import { afterAll, beforeEach, beforeAll, describe, expect, test } from 'vitest'
import { findFailure } from '../../../../engine/index.ts'
import type { StatusResponse } from '../../../../server/dependencies.ts'
import {
  AT,
  CHECKOUT,
  ORDER,
  list,
  openFakeRazorpay,
  createPayment,
  createRazorpayEvent,
  createRefusal,
  storedCheckout,
} from './fake-razorpay.ts'
import type { FakeRazorpay, Reply } from './fake-razorpay.ts'

let razorpay: FakeRazorpay
beforeAll(async () => {
  razorpay = await openFakeRazorpay()
})
afterAll(() => razorpay.close())
beforeEach(() => {
  razorpay.checkouts.length = 0
  razorpay.checkouts.push(storedCheckout)
})

const PAYMENTS = `GET orders/${CHECKOUT}/payments`
const REFUNDS = 'GET payments/pay_Sample00000001/refunds'
const CAPTURE = 'POST payments/pay_Sample00000001/capture'
const event = createRazorpayEvent()
const TIMEOUT_MS = 30_000

/** Returns a short text that describes the result. */
function describeAction(answer: StatusResponse): string {
  switch (answer.is) {
    case 'payment-event': {
      const { paymentEvent, failedRefunds = [] } = answer
      const failedText = failedRefunds.length === 0 ? '' : `, refund failed ${failedRefunds.join()}`
      if (paymentEvent.type === 'declined')
        return `declined (${findFailure(paymentEvent.code, paymentEvent.message)}): ${paymentEvent.message}`
      if (paymentEvent.type !== 'confirmed') return paymentEvent.type
      const payments = [paymentEvent, ...(paymentEvent.further ?? [])].map(
        ({ amount, reference }) => `${amount} as ${reference.slice(-1)}`,
      )
      const refunds = (paymentEvent.refunds ?? [])
        .map(({ amount }) => `, refunded ${amount}`)
        .join('')
      return `paid ${paymentEvent.currency} ${payments.join(' and ')}${refunds}${failedText}`
    }
    case 'pending':
      return `waits: ${answer.code}`
    case 'no-record':
      return 'not paid yet'
    case 'unreachable':
      return 'asks again'
  }
}
const createFailedPayment = (
  reason: string,
  code = 'BAD_REQUEST_ERROR',
  changes: object = {},
): object =>
  createPayment({
    status: 'failed',
    captured: false,
    error_code: code,
    error_reason: reason,
    error_description: 'Declined.',
    ...changes,
  })
const createSecondPayment = (changes: object = {}): object =>
  createPayment({ id: 'pay_Sample00000002', created_at: AT / 1000 - 30, ...changes })
const refund = (changes: object = {}): object => ({
  id: 'rfnd_Sample0000001',
  amount: 501_500,
  status: 'processed',
  ...changes,
})
const authorizedPayment = createPayment({ status: 'authorized', captured: false })

type Row = readonly [
  message: string,
  replies: Readonly<Record<string, Reply | readonly Reply[]>>,
  action: string,
  reason: string,
]
const ROWS: readonly Row[] = [
  ['no payment', { [PAYMENTS]: list() }, 'not paid yet', 'the page may still be open'],
  [
    'created',
    { [PAYMENTS]: list(createPayment({ status: 'created', captured: false })) },
    'not paid yet',
    'the payer has started to pay, nothing more',
  ],
  [
    'captured',
    { [PAYMENTS]: list(createPayment()) },
    'paid INR 501500 as 1',
    'the payment is received',
  ],
  [
    'captured, in dollars',
    { [PAYMENTS]: list(createPayment({ currency: 'USD', amount: 17_700 })) },
    'paid USD 17700 as 1',
    'the engine compares amount and currency with the request',
  ],
  [
    'captured, with a different amount',
    { [PAYMENTS]: list(createPayment({ amount: 501_400 })) },
    'paid INR 501400 as 1',
    'the engine puts it into review',
  ],
  [
    'status captured, but captured false',
    { [PAYMENTS]: list(createPayment({ captured: false })) },
    'waits: authorized',
    'the response contradicts itself, so it is not a success',
  ],
  [
    'a failed attempt, then a captured one',
    { [PAYMENTS]: list(createSecondPayment(), createFailedPayment('payment_failed')) },
    'paid INR 501500 as 2',
    'one of several attempts succeeded',
  ],
  [
    'a captured attempt, then a failed one',
    {
      [PAYMENTS]: list(
        createPayment(),
        createFailedPayment('payment_failed', 'BAD_REQUEST_ERROR', { id: 'pay_3' }),
      ),
    },
    'paid INR 501500 as 1',
    'a later failure does not undo the payment',
  ],
  [
    'two captured payments',
    { [PAYMENTS]: list(createSecondPayment(), createPayment()) },
    'paid INR 501500 as 1 and 501500 as 2',
    'the earlier payment counts, and staff decide about the second',
  ],
  [
    'two payments captured in the same second',
    { [PAYMENTS]: list(createSecondPayment({ created_at: AT / 1000 - 60 }), createPayment()) },
    'paid INR 501500 as 1 and 501500 as 2',
    'every query chooses the same payment',
  ],
  [
    'one captured and one authorised payment',
    {
      [PAYMENTS]: list(
        createPayment(),
        createSecondPayment({ status: 'authorized', captured: false }),
      ),
    },
    'paid INR 501500 as 1',
    'the second payment is never captured: the gateway returns it',
  ],
  [
    'declined by the bank',
    { [PAYMENTS]: list(createFailedPayment('payment_declined')) },
    'declined (declined): Declined.',
    'no payment is in progress',
  ],
  [
    'cancelled by the payer',
    { [PAYMENTS]: list(createFailedPayment('payment_cancelled')) },
    'declined (declined): Declined.',
    'no payment is in progress',
  ],
  [
    'failed, because the bank timed out',
    { [PAYMENTS]: list(createFailedPayment('payment_timed_out')) },
    'declined (unclear): Declined.',
    'the payment may still be completed',
  ],
  [
    'failed at the gateway',
    { [PAYMENTS]: list(createFailedPayment('gateway_technical_error', 'GATEWAY_ERROR')) },
    'declined (unclear): Declined.',
    'the payment may still be completed',
  ],
  [
    'failed with an unknown code',
    { [PAYMENTS]: list(createFailedPayment('new_reason', 'NEW_ERROR')) },
    'declined (unclear): Declined.',
    'an unknown code is not final',
  ],
  [
    'failed, and tried again',
    {
      [PAYMENTS]: list(
        createFailedPayment('payment_failed'),
        createSecondPayment({ status: 'created', captured: false }),
      ),
    },
    'not paid yet',
    'the newest attempt counts',
  ],
  [
    'returned by the gateway, because it was not captured in time',
    {
      [PAYMENTS]: list(
        createPayment({ status: 'refunded', captured: false, amount_refunded: 501_500 }),
      ),
    },
    'declined (given-back): ',
    'the payment was returned to the payer',
  ],
  [
    'captured, and refunded in the panel',
    {
      [PAYMENTS]: list(createPayment({ status: 'refunded', amount_refunded: 501_500 })),
      [REFUNDS]: list(refund()),
    },
    'paid INR 501500 as 1, refunded 501500',
    'the refund has its own reference',
  ],
  [
    'captured, and refunded in part',
    {
      [PAYMENTS]: list(createPayment({ amount_refunded: 100_000 })),
      [REFUNDS]: list(refund({ amount: 60_000 }), refund({ id: 'rfnd_2', amount: 40_000 })),
    },
    'paid INR 501500 as 1, refunded 60000, refunded 40000',
    'each refund is a separate event',
  ],
  [
    'captured, with a pending refund',
    {
      [PAYMENTS]: list(createPayment({ amount_refunded: 501_500 })),
      [REFUNDS]: list(refund({ status: 'pending' })),
    },
    'paid INR 501500 as 1',
    'the refund may still fail',
  ],
  [
    'captured, with a failed refund',
    {
      [PAYMENTS]: list(createPayment({ amount_refunded: 100_000 })),
      [REFUNDS]: list(refund({ status: 'failed' }), refund({ id: 'rfnd_2', amount: 100_000 })),
    },
    'paid INR 501500 as 1, refunded 100000, refund failed rfnd_Sample0000001',
    'staff decide how to refund the payment',
  ],
  [
    'captured, with only failed refunds and nothing refunded',
    {
      [PAYMENTS]: list(createPayment({ created_at: AT / 1000 - 7200 })),
      [REFUNDS]: list(refund({ status: 'failed' })),
    },
    'paid INR 501500 as 1, refund failed rfnd_Sample0000001',
    'a failed refund no longer counts as refunded at the gateway',
  ],
  [
    'captured, with unreadable refunds',
    { [PAYMENTS]: list(createPayment({ amount_refunded: 1 })), [REFUNDS]: { body: {} } },
    'asks again',
    'an incomplete response is not used',
  ],
  [
    'a refund with an unknown state',
    {
      [PAYMENTS]: list(createPayment({ amount_refunded: 1 })),
      [REFUNDS]: list(refund({ status: 'reversed' })),
    },
    'asks again',
    'we do not guess',
  ],
  [
    'an unknown state',
    { [PAYMENTS]: list(createPayment({ status: 'on_hold' })) },
    'asks again',
    'we do not guess',
  ],
  [
    'an amount as text',
    { [PAYMENTS]: list(createPayment({ amount: '501500' })) },
    'asks again',
    'the amount is not in the documented format',
  ],
  [
    'an amount with decimals',
    { [PAYMENTS]: list(createPayment({ amount: 5015.5 })) },
    'asks again',
    'amounts are whole minor units',
  ],
  [
    'no currency',
    { [PAYMENTS]: list(createPayment({ currency: null })) },
    'asks again',
    'INR is not assumed',
  ],
  ['not a list', { [PAYMENTS]: { body: { items: {} } } }, 'asks again', 'nothing can be read'],
  ['not JSON', { [PAYMENTS]: { body: '<html>' } }, 'asks again', 'a proxy answered'],
  ['an empty body', { [PAYMENTS]: { body: '' } }, 'asks again', 'nothing can be read'],
  [
    'unknown order',
    { [PAYMENTS]: createRefusal('The id provided does not exist') },
    'asks again',
    'the keys may be those of another merchant',
  ],
  [
    'wrong keys',
    { [PAYMENTS]: createRefusal('Authentication failed', 401) },
    'asks again',
    'our credentials are wrong',
  ],
  ['rate limit', { [PAYMENTS]: createRefusal('Too many requests', 429) }, 'asks again', 'later'],
  ['500', { [PAYMENTS]: createRefusal('Down', 500, 'SERVER_ERROR') }, 'asks again', 'later'],
  ['502 from a proxy', { [PAYMENTS]: { status: 502, body: 'Bad gateway' } }, 'asks again', 'later'],
  [
    'a redirect',
    { [PAYMENTS]: { status: 302, body: '' } },
    'asks again',
    'the keys are not sent to any other address',
  ],
  ['a lost connection', { [PAYMENTS]: 'drop' }, 'asks again', 'later'],
]

describe('the response to a status query', () => {
  test.each(ROWS.map((row) => [row[0], row] as const))('%s', async (_name, row) => {
    const [, replies, action, reason] = row
    razorpay.setReplies(replies)
    const response = await razorpay.adapter.status(event, ORDER, AT, TIMEOUT_MS)
    expect(describeAction(response), reason).toBe(action)
    expect(
      razorpay.requests.every(({ endpoint }) => endpoint.startsWith('GET ')),
      'a query neither captures nor refunds',
    ).toBe(true)
  })
})

describe('an authorised payment', () => {
  const queryStatus = (canCapture: boolean) =>
    razorpay.adapter.status(event, ORDER, AT, TIMEOUT_MS, canCapture)

  test('is captured with its amount and currency, and then paid', async () => {
    razorpay.setReplies({
      [PAYMENTS]: [list(authorizedPayment), list(createPayment())],
      [CAPTURE]: { body: createPayment() },
    })
    expect(describeAction(await queryStatus(true))).toBe('paid INR 501500 as 1')
    expect(razorpay.requests.find(({ endpoint }) => endpoint === CAPTURE)?.body).toEqual({
      amount: 501_500,
      currency: 'INR',
    })
  })
  test.each<[string, object, string]>([
    ['with a different amount', { amount: 501_400 }, 'it is not what was requested'],
    ['in a different currency', { currency: 'USD' }, 'it is not what was requested'],
    [
      'that was started before the seat was released',
      { created_at: AT / 1000 - 4 * 86_400 },
      'late',
    ],
  ])('%s is not captured', async (_name, changes, reason) => {
    razorpay.setReplies({
      [PAYMENTS]: list(createPayment({ status: 'authorized', captured: false, ...changes })),
    })
    expect(describeAction(await queryStatus(true)), reason).toBe('waits: authorized')
    expect(razorpay.requests.map(({ endpoint }) => endpoint)).toEqual([PAYMENTS])
  })
  test('is not captured for an order that has ended', async () => {
    razorpay.setReplies({ [PAYMENTS]: list(authorizedPayment) })
    expect(describeAction(await queryStatus(false))).toBe('waits: authorized')
    expect(razorpay.requests).toHaveLength(1)
  })
  test('is not captured if another payment has been captured', async () => {
    razorpay.setReplies({
      [PAYMENTS]: list(
        createPayment(),
        createSecondPayment({ status: 'authorized', captured: false }),
      ),
    })
    expect(describeAction(await queryStatus(true))).toBe('paid INR 501500 as 1')
    expect(razorpay.requests).toHaveLength(1)
  })
  test('counts as paid if the gateway itself has captured it in the meantime', async () => {
    razorpay.setReplies({
      [PAYMENTS]: [list(authorizedPayment), list(createPayment())],
      [CAPTURE]: createRefusal('This payment has already been captured'),
    })
    expect(describeAction(await queryStatus(true))).toBe('paid INR 501500 as 1')
  })
  test('whose capture gets no response is queried again', async () => {
    razorpay.setReplies({ [PAYMENTS]: list(authorizedPayment), [CAPTURE]: 'drop' })
    expect(describeAction(await queryStatus(true))).toBe('asks again')
  })
})

describe('an order whose checkout is not stored', () => {
  const createOrderList = (...receipts: readonly string[]): Reply =>
    list(
      ...receipts.map((receipt, n) => ({
        id: n === 0 ? CHECKOUT : `order_${n}`,
        amount: 501_500,
        currency: 'INR',
        receipt,
      })),
    )
  beforeEach(() => {
    razorpay.checkouts.length = 0
  })
  test('is found by its receipt, as after a restore', async () => {
    razorpay.setReplies({
      'GET orders': createOrderList(ORDER, 'OTHER'),
      [PAYMENTS]: list(createPayment()),
    })
    expect(describeAction(await razorpay.adapter.status(event, ORDER, AT, TIMEOUT_MS))).toBe(
      'paid INR 501500 as 1',
    )
    expect(razorpay.requests.map(({ endpoint }) => endpoint)).toEqual(['GET orders', PAYMENTS])
  })
  test('is not paid if the gateway has no order with the receipt', async () => {
    razorpay.setReplies({ 'GET orders': createOrderList() })
    expect(describeAction(await razorpay.adapter.status(event, ORDER, AT, TIMEOUT_MS))).toBe(
      'not paid yet',
    )
  })
  test('is queried again if the search fails', async () => {
    razorpay.setReplies({ 'GET orders': createRefusal('Down', 503, 'SERVER_ERROR') })
    expect(describeAction(await razorpay.adapter.status(event, ORDER, AT, TIMEOUT_MS))).toBe(
      'asks again',
    )
  })
})
