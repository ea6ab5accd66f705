/** Returns and webhooks from Razorpay: what each message claims, and our action. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import {
  validatePaymentVerification,
  validateWebhookSignature,
} from 'razorpay/dist/utils/razorpay-utils.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderId } from '../../../../engine/index.ts'
import {
  isReturnSigned,
  isWebhookSigned,
  computeSignature,
} from '../../../../server/payments/gateways/razorpay/signatures.ts'
import {
  account,
  CHECKOUT,
  ORDER,
  openFakeRazorpay,
  createRazorpayEvent,
  storedCheckout,
} from './fake-razorpay.ts'
import type { FakeRazorpay } from './fake-razorpay.ts'
import { anyCharacter } from '../../../any-character.ts'

let razorpay: FakeRazorpay
beforeAll(async () => {
  razorpay = await openFakeRazorpay()
  razorpay.checkouts.push(storedCheckout)
})
afterAll(() => razorpay.close())

type OfficialResults = {
  readonly returns: readonly {
    readonly name: string
    readonly secret: string
    readonly order: string
    readonly payment: string
    readonly signature: string
    readonly official: boolean
  }[]
  readonly webhooks: readonly {
    readonly name: string
    readonly secret: string
    readonly body: string
    readonly signature: string
    readonly official: boolean
  }[]
}
/** Recorded results of `validatePaymentVerification` and `validateWebhookSignature` from razorpay 2.9.8. */
const OFFICIAL_RESULTS = JSON.parse(
  readFileSync(join(import.meta.dirname, 'official-signatures.json'), 'utf8'),
) as OfficialResults

describe('our signature checks agree with the official package', () => {
  test('for returns', () => {
    const ownResults = OFFICIAL_RESULTS.returns.map(({ secret, order, payment, signature }) =>
      isReturnSigned({ keySecret: secret }, order, payment, signature),
    )
    expect(ownResults).toEqual(OFFICIAL_RESULTS.returns.map(({ official }) => official))
    expect(new Set(ownResults)).toEqual(new Set([true, false]))
  })
  test('for webhooks, over the bytes as received', () => {
    const ownResults = OFFICIAL_RESULTS.webhooks.map(({ secret, body, signature }) =>
      isWebhookSigned({ webhookSecrets: [secret] }, Buffer.from(body), signature),
    )
    expect(ownResults).toEqual(OFFICIAL_RESULTS.webhooks.map(({ official }) => official))
    expect(new Set(ownResults)).toEqual(new Set([true, false]))
  })
  test('and the official package still returns the recorded results', () => {
    for (const { name, secret, order, payment, signature, official } of OFFICIAL_RESULTS.returns)
      expect(
        validatePaymentVerification({ order_id: order, payment_id: payment }, signature, secret),
        name,
      ).toBe(official)
    for (const { name, secret, body, signature, official } of OFFICIAL_RESULTS.webhooks)
      expect(validateWebhookSignature(body, signature, secret), name).toBe(official)
  })
  test('for any message, secret and signature', () => {
    const text = fc.string({ unit: anyCharacter, minLength: 1 })
    fc.assert(
      fc.property(
        text,
        text,
        text,
        text,
        fc.boolean(),
        (orderSuffix, paymentSuffix, secret, wrongSignature, isRight) => {
          const [order, payment] = [`order_${orderSuffix}`, `pay_${paymentSuffix}`]
          const returnSignature = isRight
            ? computeSignature(`${order}|${payment}`, secret)
            : wrongSignature
          expect(isReturnSigned({ keySecret: secret }, order, payment, returnSignature)).toBe(
            validatePaymentVerification(
              { order_id: order, payment_id: payment },
              returnSignature,
              secret,
            ),
          )
          const webhookSignature = isRight ? computeSignature(orderSuffix, secret) : wrongSignature
          expect(
            isWebhookSigned(
              { webhookSecrets: [secret] },
              Buffer.from(orderSuffix),
              webhookSignature,
            ),
          ).toBe(validateWebhookSignature(orderSuffix, webhookSignature, secret))
          return isReturnSigned({ keySecret: secret }, order, payment, returnSignature) === isRight
        },
      ),
    )
  })
})

const PAYMENT = 'pay_Sample00000001'
const signReturn = (checkout = CHECKOUT, payment = PAYMENT, secret = account.keySecret): string =>
  computeSignature(`${checkout}|${payment}`, secret)
const createReturn = (changes: Readonly<Record<string, string>> = {}) => ({
  razorpay_payment_id: PAYMENT,
  razorpay_order_id: CHECKOUT,
  razorpay_signature: signReturn(),
  ...changes,
})

describe('a browser return', () => {
  test.each<[string, Readonly<Record<string, string>>, string, boolean, string]>([
    [
      'after a payment',
      createReturn(),
      'right',
      true,
      'it starts a query, and a payment is expected',
    ],
    [
      "with another order's id",
      createReturn({ razorpay_order_id: 'order_Other0000001' }),
      'right',
      true,
      'the stored order id is used, not the received one',
    ],
    [
      'signed for another order',
      createReturn({
        razorpay_order_id: 'order_Other0000001',
        razorpay_signature: signReturn('order_Other0000001'),
      }),
      'wrong',
      false,
      "another order's signature claims no payment for this order",
    ],
    [
      'with another payment',
      createReturn({ razorpay_payment_id: 'pay_2' }),
      'wrong',
      false,
      'forged',
    ],
    [
      'signed with a different secret',
      createReturn({ razorpay_signature: signReturn(CHECKOUT, PAYMENT, 'guess') }),
      'wrong',
      false,
      'forged',
    ],
    ['without a signature', createReturn({ razorpay_signature: '' }), 'unknown', false, 'no claim'],
    ['without a payment', createReturn({ razorpay_payment_id: '' }), 'unknown', false, 'no claim'],
    [
      'after a failure',
      { 'error[code]': 'BAD_REQUEST_ERROR', 'error[reason]': 'payment_failed' },
      'unknown',
      false,
      'unsigned, so it does not end the payment: the query decides',
    ],
    ['after a cancellation', {}, 'unknown', false, 'the payer may have paid in another window'],
    [
      'from Airpay',
      { TRANSACTIONSTATUS: '200', TRANSACTIONID: ORDER },
      'unknown',
      false,
      'no claim',
    ],
  ])('%s', async (_name, fields, hash, claimsPayment, reason) => {
    const message = await razorpay.adapter.readReturn?.(createRazorpayEvent(), ORDER, fields)
    expect(message, reason).toMatchObject({
      ok: true,
      value: { orderId: ORDER, hash, claimsPayment },
    })
  })
  test('for an order without a stored checkout claims a payment that must be checked', async () => {
    const message = await razorpay.adapter.readReturn?.(
      createRazorpayEvent(),
      'SAMP2026112100099' as OrderId,
      createReturn(),
    )
    expect(message).toMatchObject({ value: { hash: 'unknown', claimsPayment: true } })
  })
})

const entities = {
  payment: { payment: { entity: { id: PAYMENT, order_id: CHECKOUT, amount: 501_500 } } },
  order: { order: { entity: { id: CHECKOUT, receipt: ORDER, amount: 501_500 } } },
  refund: { refund: { entity: { id: 'rfnd_1', payment_id: PAYMENT, amount: 100 } } },
}
const createBody = (event: string, payload: object = entities.payment): string =>
  JSON.stringify({ entity: 'event', event, payload })

describe('a webhook', () => {
  const [currentSecret = '', previousSecret = ''] = account.webhookSecrets
  const ownOrder = { is: 'order', message: { orderId: ORDER, hash: 'right' } }
  test.each<[string, string, string, object, string]>([
    [
      'payment.captured',
      createBody('payment.captured'),
      currentSecret,
      { ...ownOrder, message: { claimsPayment: true } },
      'query now',
    ],
    [
      'payment.authorized',
      createBody('payment.authorized'),
      currentSecret,
      { ...ownOrder, message: { claimsPayment: true } },
      'query and capture',
    ],
    [
      'order.paid',
      createBody('order.paid', { ...entities.order, ...entities.payment }),
      currentSecret,
      { ...ownOrder, message: { claimsPayment: true } },
      'query now',
    ],
    [
      'payment.failed',
      createBody('payment.failed'),
      currentSecret,
      { ...ownOrder, message: { claimsPayment: false } },
      'a failure claims no payment',
    ],
    [
      'refund.processed',
      createBody('refund.processed', { ...entities.refund, ...entities.payment }),
      currentSecret,
      { ...ownOrder, message: { claimsPayment: false } },
      'query for the refund',
    ],
    [
      'refund.failed',
      createBody('refund.failed', { ...entities.refund, ...entities.payment }),
      currentSecret,
      ownOrder,
      'query for the refund',
    ],
    [
      'refund.created by the gateway itself',
      createBody('refund.created', { ...entities.refund, ...entities.payment }),
      currentSecret,
      ownOrder,
      'query',
    ],
    [
      'payment.dispute.created',
      createBody('payment.dispute.created', {
        ...entities.payment,
        dispute: { entity: { id: 'disp_1', amount: 501_500 } },
      }),
      currentSecret,
      { ...ownOrder, disputeId: 'disp_1' },
      'query',
    ],
    [
      'an unknown event for our order',
      createBody('payment.new_event'),
      currentSecret,
      ownOrder,
      'a query does no harm',
    ],
    [
      'signed with the previous secret',
      createBody('payment.captured'),
      previousSecret,
      ownOrder,
      'after a change, repeated webhooks still use it',
    ],
    [
      'signed with a wrong secret',
      createBody('payment.captured'),
      'guess',
      { is: 'unsigned' },
      'forged',
    ],
    [
      'signed with the key secret',
      createBody('payment.captured'),
      account.keySecret,
      { is: 'unsigned' },
      'webhooks use a separate secret',
    ],
    [
      'settlement.processed',
      createBody('settlement.processed', { settlement: { entity: { id: 'setl_1' } } }),
      currentSecret,
      { is: 'other', type: 'settlement.processed' },
      'accepted: it concerns no order',
    ],
    [
      "another program's payment",
      createBody('payment.captured', {
        payment: { entity: { id: 'pay_9', order_id: 'order_Unknown' } },
      }),
      currentSecret,
      { is: 'other' },
      'accepted; otherwise the gateway would stop sending webhooks',
    ],
    [
      'a payment without an order',
      createBody('payment.captured', { payment: { entity: { id: 'pay_9', order_id: null } } }),
      currentSecret,
      { is: 'other' },
      'accepted',
    ],
    [
      'an order that is not stored',
      createBody('order.paid', {
        order: { entity: { id: 'order_9', receipt: 'SAMP2026112100099' } },
      }),
      currentSecret,
      { is: 'order', message: { orderId: 'SAMP2026112100099' } },
      'the receipt identifies the order, as after a restore',
    ],
    [
      'without a payload',
      '{"event":"payment.captured"}',
      currentSecret,
      { is: 'other' },
      'accepted: nothing to do',
    ],
    ['not JSON', 'payment.captured', currentSecret, { is: 'unreadable' }, 'refused'],
    ['a list', '[]', currentSecret, { is: 'unreadable' }, 'refused'],
  ])('%s', async (_name, text, secret, expected, reason) => {
    const webhook = await razorpay.adapter.readWebhook?.({
      bytes: Buffer.from(text),
      signature: computeSignature(text, secret),
      eventId: 'evt_1',
    })
    expect(webhook, reason).toMatchObject(expected)
  })
  test.each<[string, (text: string) => { readonly bytes: string; readonly signature: string }]>([
    [
      'cut off',
      (text) => ({ bytes: text.slice(0, -5), signature: computeSignature(text, currentSecret) }),
    ],
    [
      'reformatted',
      (text) => ({
        bytes: JSON.stringify(JSON.parse(text), null, 1),
        signature: computeSignature(text, currentSecret),
      }),
    ],
    ['sent without a signature', (text) => ({ bytes: text, signature: '' })],
    [
      'sent with a signature in upper case',
      (text) => ({ bytes: text, signature: computeSignature(text, currentSecret).toUpperCase() }),
    ],
  ])('that is %s is not accepted as genuine', async (_name, change) => {
    const { bytes, signature } = change(createBody('payment.captured'))
    const webhook = await razorpay.adapter.readWebhook?.({
      bytes: Buffer.from(bytes),
      signature,
      eventId: '',
    })
    expect(webhook).toEqual({ is: 'unsigned' })
  })
})
