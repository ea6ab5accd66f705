/** Razorpay's API of a history: orders, payments and refunds, as JSON. Its records are those of the other gateway. */
import { toAmount } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import type { RazorpayAccount } from '../../server/payments/gateways/razorpay/credentials.ts'
import { sign } from '../../server/payments/gateways/razorpay/signatures.ts'
import { isCapture, refundCapture } from './gateway.ts'
import type { Gateway, GatewayRefund, Order, Transaction } from './gateway.ts'
import type { Random } from './random.ts'

export const RAZORPAY_ACCOUNT: RazorpayAccount = {
  name: 'sample',
  keyId: 'rzp_live_sample',
  keySecret: 'key-secret-of-sample',
  webhookSecrets: ['webhook-secret-of-sample'],
}
/** The merchant of its orders among those of all gateways. */
export const RAZORPAY_MERCHANT = 'razorpay'

export type ApiAnswer = {
  readonly status: number
  readonly json: object
  /** What a readable response reports. */
  readonly named: readonly (Transaction | GatewayRefund)[]
}
const answer = (json: object, named: ApiAnswer['named'] = []): ApiAnswer => ({
  status: 200,
  json,
  named,
})
const refuse = (description: string): ApiAnswer => ({
  status: 400,
  json: { error: { code: 'BAD_REQUEST_ERROR', description } },
  named: [],
})
const toList = (items: readonly object[]): object => ({ entity: 'collection', items })
const seconds = (ms: number): number => Math.floor(ms / 1000)
const checkoutOf = ({ orderId }: Order): string => `order_${orderId}`

/** Executes one request. `key` recognises a repeated refund. */
export function answerRazorpay(
  gateway: Gateway,
  { url, body, key }: { readonly url: string; readonly body: string; readonly key: string },
  at: Instant,
  random: Random,
): ApiAnswer {
  const { pathname, searchParams } = new URL(url)
  const [kind = '', id = '', part = ''] = pathname.replace('/v1/', '').split('/')
  const orders = [...gateway.orders.values()].filter(
    ({ merchantId }) => merchantId === RAZORPAY_MERCHANT,
  )
  if (kind === 'orders' && id === '' && body !== '') {
    const { amount, receipt } = JSON.parse(body) as { amount: number; receipt: string }
    const order = gateway.visit(receipt, RAZORPAY_MERCHANT, String(amount / 100), at)
    return answer(orderEntity(order))
  }
  if (kind === 'orders' && id === '')
    return answer(
      toList(
        orders
          .filter(({ orderId }) => orderId === searchParams.get('receipt'))
          .map((order) => orderEntity(order)),
      ),
    )
  if (kind === 'orders') {
    const order = orders.find((candidate) => checkoutOf(candidate) === id)
    if (order === undefined) return refuse('The id provided does not exist')
    return answer(
      toList(order.transactions.map((transaction) => paymentEntity(order, transaction, at))),
      order.transactions.filter(isCapture),
    )
  }
  const found = gateway.find(id)
  if (found === null) return refuse('The id provided does not exist')
  const { order, made } = found
  const refunds = order.gatewayRefunds.filter(({ of }) => of === id)
  if (part === 'refunds')
    return answer(
      toList(refunds.map((refund) => refundEntity(refund, at))),
      refunds.filter(({ doneAt }) => doneAt <= at),
    )
  if (part !== 'refund') return refuse('This payment has already been captured')
  const { amount } = JSON.parse(body) as { amount: number }
  const repeated = refunds.find((refund) => key !== '' && refund.key === key)
  const refund =
    repeated ?? refundCapture(gateway, order, made, toAmount(amount), at, 'call', random, key)
  return refund === null
    ? refuse('The total refund amount is greater than the refund payment amount')
    : answer(refundEntity(refund, at))
}

const orderEntity = (order: Order): object => ({
  id: checkoutOf(order),
  amount: order.asked,
  currency: 'INR',
  receipt: order.orderId,
})

function paymentEntity(order: Order, transaction: Transaction, at: Instant): object {
  const refunded = order.gatewayRefunds
    .filter(({ of, doneAt }) => of === transaction.reference && doneAt <= at)
    .reduce((sum, { amount }) => sum + amount, 0)
  const isPaid = isCapture(transaction)
  return {
    id: transaction.reference,
    order_id: checkoutOf(order),
    amount: transaction.amount,
    currency: transaction.currency,
    status: !isPaid ? 'failed' : refunded === transaction.amount ? 'refunded' : 'captured',
    captured: isPaid,
    amount_refunded: refunded,
    created_at: seconds(transaction.at),
    ...(isPaid
      ? {}
      : {
          error_code: 'BAD_REQUEST_ERROR',
          error_reason: 'payment_failed',
          error_description: 'No',
        }),
  }
}

const refundEntity = ({ reference, amount, doneAt, of }: GatewayRefund, at: Instant): object => ({
  id: reference,
  payment_id: of,
  amount,
  status: doneAt <= at ? 'processed' : 'pending',
})

/** The fields with which a browser returns; without a payment it returns with none. */
export const buildRazorpayReturn = (
  order: Order,
  transaction: Transaction | undefined,
): Readonly<Record<string, string>> =>
  transaction === undefined || !isCapture(transaction)
    ? {}
    : {
        razorpay_payment_id: transaction.reference,
        razorpay_order_id: checkoutOf(order),
        razorpay_signature: sign(
          `${checkoutOf(order)}|${transaction.reference}`,
          RAZORPAY_ACCOUNT.keySecret,
        ),
      }

/** A webhook about a payment; a forged one has another signature. */
export function buildRazorpayWebhook(
  order: Order,
  transaction: Transaction,
  isForged: boolean,
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
  const event = isCapture(transaction) ? 'payment.captured' : 'payment.failed'
  const entity = paymentEntity(order, transaction, transaction.at)
  const body = JSON.stringify({ event, payload: { payment: { entity } } })
  const [secret = ''] = RAZORPAY_ACCOUNT.webhookSecrets
  return {
    body,
    headers: {
      'x-razorpay-event-id': `event_${transaction.reference}`,
      'x-razorpay-signature': isForged ? 'forged' : sign(body, secret),
    },
  }
}
