/**
 * Simulates Razorpay's API: orders, payments and refunds, as JSON. It shares its records with the simulation of
 * the other gateway.
 */
import { instant, toAmount } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import type { RazorpayAccount } from '../../server/payments/gateways/razorpay/credentials.ts'
import { computeSignature } from '../../server/payments/gateways/razorpay/signatures.ts'
import { hasFailed, isCapture, refundCapture, sumRefunds } from './gateway.ts'
import type { Checkout, Gateway, GatewayRefund, Order, Transaction } from './gateway.ts'
import type { Profile } from './profiles.ts'
import { buildDisputeEntity } from './razorpay-disputes.ts'
import type { Random } from './random.ts'

export const RAZORPAY_ACCOUNT: RazorpayAccount = {
  name: 'sample',
  keyId: 'rzp_live_sample',
  keySecret: 'key-secret-of-sample',
  webhookSecrets: ['webhook-secret-of-sample'],
}
/** The merchant id that marks Razorpay's orders among the orders of all gateways. */
export const RAZORPAY_MERCHANT = 'razorpay'

export type ApiResponse = {
  readonly status: number
  readonly json: object
  /** The payments and refunds in the response. */
  readonly reportedEntries: readonly (Transaction | GatewayRefund)[]
  /** The failed refunds in the response. */
  readonly reportedFailures: readonly GatewayRefund[]
}
const createResponse = (
  json: object,
  reportedEntries: ApiResponse['reportedEntries'] = [],
  reportedFailures: ApiResponse['reportedFailures'] = [],
): ApiResponse => ({ status: 200, json, reportedEntries, reportedFailures })
const createError = (description: string): ApiResponse => ({
  status: 400,
  json: { error: { code: 'BAD_REQUEST_ERROR', description } },
  reportedEntries: [],
  reportedFailures: [],
})
const UNKNOWN_ID = createError('The id provided does not exist')
const buildList = (items: readonly object[]): object => ({ entity: 'collection', items })
const toSeconds = (ms: number): number => Math.floor(ms / 1000)
const MINUTE_MS = 60_000
/** How long it takes for a new order to appear in search results. */
const SEARCH_DELAY_MS = 2_000

export type ApiRequest = {
  readonly url: string
  readonly body: string
  /** The idempotency key of a refund request. */
  readonly key: string
}
type OrderRequest = {
  readonly amount: number
  readonly currency: string
  readonly receipt: string
  readonly notes: { readonly order: string }
  readonly payment: {
    readonly capture: string
    readonly capture_options: { readonly manual_expiry_period: number }
  }
}

/** Executes a request and returns its response. */
export function handleRazorpayRequest(
  gateway: Gateway,
  { url, body, key }: ApiRequest,
  at: Instant,
  random: Random,
  { failedRefunds }: Pick<Profile, 'failedRefunds'>,
): ApiResponse {
  const { pathname, searchParams } = new URL(url)
  const [kind = '', id = '', part = ''] = pathname.replace('/v1/', '').split('/')
  const orders = [...gateway.orders.values()].filter(
    ({ merchantId }) => merchantId === RAZORPAY_MERCHANT,
  )
  const checkouts = orders.flatMap((order) =>
    order.checkouts.map((checkout) => ({ order, checkout })),
  )
  if (kind === 'orders' && id === '' && body !== '')
    return createResponse(
      buildOrderEntity(createCheckout(gateway, JSON.parse(body) as OrderRequest, at)),
    )
  if (kind === 'orders' && id === '')
    return createResponse(
      buildList(
        checkouts
          .filter(({ checkout }) => checkout.receipt === searchParams.get('receipt'))
          .filter(({ checkout }) => at - checkout.at >= SEARCH_DELAY_MS)
          .map(({ checkout }) => buildOrderEntity(checkout)),
      ),
    )
  if (kind === 'orders') {
    const foundCheckout = checkouts.find(({ checkout }) => checkout.id === id)
    if (foundCheckout === undefined) return UNKNOWN_ID
    const payments = foundCheckout.order.transactions.filter(({ checkoutId }) => checkoutId === id)
    return createResponse(
      buildList(payments.map((payment) => buildPaymentEntity(foundCheckout.order, payment, at))),
      payments.filter(isCapture),
    )
  }
  if (kind === 'disputes') {
    const dispute = orders
      .flatMap(({ disputes }) => disputes)
      .find((candidate) => candidate.id === id)
    return dispute === undefined ? UNKNOWN_ID : createResponse(buildDisputeEntity(dispute))
  }
  const foundPayment = gateway.find(id)
  if (foundPayment === null) return UNKNOWN_ID
  const { order, transaction } = foundPayment
  if (part === 'capture')
    return capturePayment(order, transaction, JSON.parse(body) as AmountInCurrency, at)
  const refunds = order.gatewayRefunds.filter(({ captureReference }) => captureReference === id)
  if (part === 'refunds')
    return createResponse(
      buildList(refunds.map((refund) => buildRefundEntity(refund, at))),
      refunds.filter(({ doneAt }) => doneAt <= at),
      refunds.filter((refund) => hasFailed(refund, at)),
    )
  if (part !== 'refund') return UNKNOWN_ID
  if (!isCapture(transaction)) return createError('The payment status should be captured')
  const { amount } = JSON.parse(body) as { amount: number }
  const existingRefund = refunds.find((refund) => key !== '' && refund.key === key)
  const refundRequest = {
    amount: toAmount(amount),
    by: 'call',
    key,
    failureShare: failedRefunds,
  } as const
  const refund =
    existingRefund ?? refundCapture(gateway, order, transaction, refundRequest, at, random)
  return refund === null
    ? createError('The total refund amount is greater than the refund payment amount')
    : createResponse(buildRefundEntity(refund, at))
}

/** Creates an order at Razorpay. Receipts need not be unique, so a repeated request creates a second order. */
function createCheckout(
  gateway: Gateway,
  { amount, currency, receipt, notes, payment }: OrderRequest,
  at: Instant,
): Checkout {
  const order = gateway.visit(notes.order, RAZORPAY_MERCHANT, String(amount / 100), at, currency)
  const checkout: Checkout = {
    id: `order_${gateway.nextReference()}`,
    receipt,
    amount: toAmount(amount),
    currency,
    at,
    captureMs:
      payment.capture === 'automatic'
        ? payment.capture_options.manual_expiry_period * MINUTE_MS
        : 0,
  }
  order.checkouts.push(checkout)
  return checkout
}

type AmountInCurrency = { readonly amount: number; readonly currency: string }
function capturePayment(
  order: Order,
  transaction: Transaction,
  { amount, currency }: AmountInCurrency,
  at: Instant,
): ApiResponse {
  if (isCapture(transaction)) return createError('This payment has already been captured')
  if (transaction.code !== 'authorized')
    return createError('Only authorized payments can be captured')
  if (amount !== transaction.amount || currency !== transaction.currency)
    return createError('The amount must match the authorized amount')
  capture(transaction, at)
  transaction.isCapturedByUs = true
  return createResponse(buildPaymentEntity(order, transaction, at))
}

/** Captures a payment, either on request or automatically. */
export function capture(transaction: Transaction, at: Instant): void {
  transaction.code = '200'
  transaction.capturedAt = at
}

const buildOrderEntity = ({ id, amount, currency, receipt }: Checkout): object => ({
  id,
  amount,
  currency,
  receipt,
})

function buildPaymentEntity(order: Order, transaction: Transaction, at: Instant): object {
  const { code } = transaction
  const isPaid = isCapture(transaction)
  const refundedAmount =
    code === 'returned' ? transaction.amount : sumRefunds(order, transaction, at)
  return {
    id: transaction.reference,
    order_id: transaction.checkoutId,
    amount: transaction.amount,
    currency: transaction.currency,
    status: getPaymentStatus(transaction, refundedAmount),
    captured: isPaid,
    amount_refunded: refundedAmount,
    created_at: toSeconds(transaction.at),
    ...(isPaid || ['created', 'authorized', 'returned'].includes(code)
      ? {}
      : {
          error_code: code === 'no answer' ? 'GATEWAY_ERROR' : 'BAD_REQUEST_ERROR',
          error_reason: 'payment_failed',
          error_description: 'No',
        }),
  }
}

function getPaymentStatus({ code, amount }: Transaction, refundedAmount: number): string {
  if (code === '200') return refundedAmount === amount ? 'refunded' : 'captured'
  if (code === 'returned') return 'refunded'
  return code === 'created' || code === 'authorized' ? code : 'failed'
}

const buildRefundEntity = (refund: GatewayRefund, at: Instant): object => ({
  id: refund.reference,
  payment_id: refund.captureReference,
  amount: refund.amount,
  status: hasFailed(refund, at) ? 'failed' : refund.doneAt <= at ? 'processed' : 'pending',
})

/** Builds the fields that a browser posts on its return. Empty if there is no payment. */
export const buildRazorpayReturn = (
  transaction: Transaction | undefined,
): Readonly<Record<string, string>> =>
  transaction === undefined || !(isCapture(transaction) || transaction.code === 'authorized')
    ? {}
    : {
        razorpay_payment_id: transaction.reference,
        razorpay_order_id: transaction.checkoutId,
        razorpay_signature: computeSignature(
          `${transaction.checkoutId}|${transaction.reference}`,
          RAZORPAY_ACCOUNT.keySecret,
        ),
      }

export type Webhook = {
  readonly body: string
  readonly eventId: string
  /** True if the webhook reports a captured payment. */
  readonly reportsCapture: boolean
}
export type PaymentWebhook =
  | 'payment.authorized'
  | 'payment.captured'
  | 'payment.failed'
  | 'order.paid'
  | RefundWebhook
export type RefundWebhook = 'refund.created' | 'refund.processed' | 'refund.failed'

/** Builds a webhook about a payment's current state. A repeated webhook has the same event id. */
export function buildPaymentWebhook(
  event: PaymentWebhook,
  order: Order,
  transaction: Transaction,
  at: number,
  refund?: GatewayRefund,
): Webhook {
  const payment = { entity: buildPaymentEntity(order, transaction, instant(at)) }
  const checkout = order.checkouts.find(({ id }) => id === transaction.checkoutId)
  const payload =
    event === 'order.paid' && checkout !== undefined
      ? { payment, order: { entity: buildOrderEntity(checkout) } }
      : refund === undefined
        ? { payment }
        : { payment, refund: { entity: buildRefundEntity(refund, instant(at)) } }
  return {
    body: JSON.stringify({ event, payload }),
    eventId: `event_${(refund ?? transaction).reference}_${event}`,
    reportsCapture: event === 'payment.captured' || event === 'order.paid',
  }
}

/** Signs a webhook, with the wrong secret if it is forged. */
export function signWebhook(
  { body, eventId }: Webhook,
  isForged: boolean,
): Readonly<Record<string, string>> {
  const [secret = ''] = RAZORPAY_ACCOUNT.webhookSecrets
  return {
    'x-razorpay-event-id': eventId,
    'x-razorpay-signature': isForged ? 'forged' : computeSignature(body, secret),
  }
}
