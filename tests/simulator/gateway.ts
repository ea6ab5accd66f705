/**
 * Simulates the gateway: the orders that browsers place, their results, and the responses to queries, in the gateway's
 * own format. Its responses about payments are always true, but it may be unreachable, and messages that claim to come
 * from it may contain anything.
 */
import { INR, formatPlainAmount, instant, toAmount } from '../../engine/index.ts'
import type { Instant, Amount } from '../../engine/index.ts'
import type { Account } from '../../server/payments/gateways/airpay/credentials.ts'
import { computeSecureHash } from '../../server/payments/gateways/airpay/checksums.ts'
import type { Fields } from '../../server/payments/gateways/message-fields.ts'
import type { Dispute } from './razorpay-disputes.ts'
import type { Random } from './random.ts'

const INDIA_MS = 5.5 * 3_600_000

/**
 * One attempt to pay an order. The code `200` means paid; other codes state why it failed. At Razorpay, the code can
 * also be `created` or `authorized` (not paid yet) or `returned` (not captured, so the gateway refunded the payment).
 */
export type Transaction = {
  readonly reference: string
  /** The id of the gateway's own order that this attempt pays. Empty if the gateway has no orders of its own. */
  readonly checkoutId: string
  readonly amount: Amount
  readonly currency: string
  readonly type: string
  readonly isTest: boolean
  readonly at: Instant
  code: string
  /** When the payment was captured, if later than `at`. */
  capturedAt: Instant | null
  isCapturedByUs: boolean
  /** When the bank authorised the payment, unless it was captured immediately or had been reported as failed. */
  authorizedAt: Instant | null
  readonly message: string
  isReported: boolean
  /** When a valid response to our query first contained this attempt. Null if none has. */
  reportedAt: number | null
  /** Whether the server has accepted a true webhook about this attempt. */
  isAnnounced: boolean
}
/** A refund. If `doneAt` is later than any history ends, the gateway starts the refund but never completes it. */
export type GatewayRefund = {
  readonly reference: string
  readonly captureReference: string
  readonly amount: Amount
  readonly at: Instant
  readonly doneAt: Instant
  /** When the refund fails and the amount returns to the merchant. Null if it does not fail. */
  readonly failsAt: Instant | null
  /** True if a valid response to our query has reported the failure. */
  isFailureReported: boolean
  /** Whether Rollcall requested the refund with a call, or staff made it in the merchant panel. */
  readonly by: 'call' | 'panel'
  /** The key by which Razorpay recognises a repeated request. */
  readonly key: string
  isReported: boolean
  reportedAt: number | null
}
/** An order that Rollcall created at Razorpay. Two orders may have the same receipt. */
export type Checkout = {
  readonly id: string
  readonly receipt: string
  readonly amount: Amount
  readonly currency: string
  readonly at: Instant
  /** How long after its start a payment can be captured. After that, the gateway refunds it. */
  readonly captureMs: number
}
export type Order = {
  readonly orderId: string
  readonly merchantId: string
  readonly requestedAmount: Amount
  readonly currency: string
  readonly checkouts: Checkout[]
  /** When the browser first placed the order. */
  readonly at: Instant
  readonly transactions: Transaction[]
  readonly gatewayRefunds: GatewayRefund[]
  readonly disputes: Dispute[]
  /** When a payment in progress ends. Until then, the order's code is 211. */
  heldUntil: number
  /** Which captures a status response contains: all captures of the order, or only the newest. */
  readonly reportedCaptures: 'all' | 'newest'
  /** True if responses about this order state the time of payment. */
  readonly isTimeStated: boolean
  /** True if an invalid response has reported the order as unknown. */
  isDenied: boolean
  /** The code in responses while the order is unpaid. */
  readonly unpaidCode: string
}

export type Gateway = {
  readonly orders: ReadonlyMap<string, Order>
  /** Places a browser's order, or finds the order if it has been placed before. */
  visit(orderId: string, merchantId: string, asked: string, at: Instant, currency?: string): Order
  /** Finds a transaction by its reference, in any order. */
  find(
    reference: string | null,
  ): { readonly order: Order; readonly transaction: Transaction } | null
  nextReference(): string
  /** Called for each new refund. */
  onRefund: (order: Order, capture: Transaction, refund: GatewayRefund) => void
  transact(
    order: Order,
    captured: Omit<
      Transaction,
      | 'reference'
      | 'capturedAt'
      | 'authorizedAt'
      | 'isCapturedByUs'
      | 'isReported'
      | 'reportedAt'
      | 'isAnnounced'
    >,
  ): Transaction
  /** Returns the response to a status query, and the transactions and refunds in it. */
  respondToStatusQuery(merchantId: string, orderId: string, at: Instant): StatusResponse
}
export type StatusResponse = {
  readonly text: string
  readonly reportedEntries: readonly (Transaction | GatewayRefund)[]
}

export const isCapture = ({ code }: Transaction): boolean => code === '200'
export const getCaptureTime = ({ at, capturedAt }: Transaction): Instant => capturedAt ?? at
/** Lists the captures of an order, in the order in which they were captured. */
export const listCaptures = ({ transactions }: Order): readonly Transaction[] =>
  transactions
    .filter(isCapture)
    .toSorted((one, other) => getCaptureTime(one) - getCaptureTime(other))
/** Marks the entries in a valid response as reported. */
export function markReported(
  reportedEntries: readonly (Transaction | GatewayRefund)[],
  at: number,
): void {
  for (const entry of reportedEntries) {
    entry.isReported = true
    entry.reportedAt ??= at
  }
}
/** Returns true if the attempt may still become a payment. */
export const isUndecided = ({ code }: Transaction): boolean =>
  code === 'created' || code === 'authorized'
/** Returns true if the payment is a real sale for the order's amount and currency. */
export const isAsOrdered = (order: Order, transaction: Transaction): boolean =>
  isCapture(transaction) &&
  transaction.amount === order.requestedAmount &&
  transaction.currency === order.currency &&
  transaction.type === '320' &&
  !transaction.isTest

export function createGateway(random: Random): Gateway {
  const orders = new Map<string, Order>()
  let nextNumber = 10_000
  return {
    orders,
    visit: (orderId, merchantId, amountText, at, currency = INR) => {
      const existingOrder = orders.get(orderId)
      if (existingOrder !== undefined) return existingOrder
      const order: Order = {
        orderId,
        merchantId,
        requestedAmount: toAmount(Math.round(Number(amountText) * 100)),
        at,
        currency,
        checkouts: [],
        transactions: [],
        gatewayRefunds: [],
        disputes: [],
        heldUntil: 0,
        isDenied: false,
        reportedCaptures: random.chance(0.7) || merchantId === 'razorpay' ? 'all' : 'newest',
        isTimeStated: random.chance(0.9) || merchantId === 'razorpay',
        unpaidCode: random.pick(['503', '503', '503', '401', '402', '403']),
      }
      orders.set(orderId, order)
      return order
    },
    find: (reference) => {
      for (const order of orders.values()) {
        const capture = order.transactions.find(
          (transaction) => transaction.reference === reference,
        )
        if (capture !== undefined) return { order, transaction: capture }
      }
      return null
    },
    nextReference: () => String(nextNumber++),
    onRefund: () => {},
    transact: (order, captured) => {
      const transaction = {
        ...captured,
        reference: `${order.merchantId === 'razorpay' ? 'pay_' : ''}${nextNumber++}`,
        capturedAt: null,
        isCapturedByUs: false,
        authorizedAt: null,
        isReported: false,
        reportedAt: null,
        isAnnounced: false,
      }
      order.transactions.push(transaction)
      return transaction
    },
    respondToStatusQuery: (merchantId, orderId, at) => {
      const order = orders.get(orderId)
      if (order === undefined || order.merchantId !== merchantId)
        return buildUnpaidAnswer(orderId, '503')
      const captures = order.transactions.filter(isCapture)
      const listedCaptures = order.reportedCaptures === 'all' ? captures : captures.slice(-1)
      if (listedCaptures.length > 0) {
        // Refunds are listed together with their payment.
        const listedRefunds = order.gatewayRefunds.filter(
          ({ captureReference, doneAt }) =>
            doneAt <= at && listedCaptures.some(({ reference }) => reference === captureReference),
        )
        const fieldLists = [
          ...listedCaptures.map((capture) => buildFields(order, capture)),
          ...listedRefunds.map((refund) => buildRefundFields(order, refund)),
        ]
        return {
          text: buildAnswer(fieldLists),
          reportedEntries: [...listedCaptures, ...listedRefunds],
        }
      }
      if (at < order.heldUntil) return buildUnpaidAnswer(orderId, '211')
      const lastTransaction = order.transactions.at(-1)
      return lastTransaction === undefined
        ? buildUnpaidAnswer(orderId, order.unpaidCode)
        : { text: buildAnswer([buildFields(order, lastTransaction)]), reportedEntries: [] }
    },
  }
}

function buildUnpaidAnswer(orderId: string, code: string): StatusResponse {
  const fields = { TRANSACTIONID: orderId, TRANSACTIONSTATUS: code, MESSAGE: 'No transaction' }
  return { text: buildAnswer([fields]), reportedEntries: [] }
}

function buildFields(order: Order, transaction: Transaction): Fields {
  return {
    TRANSACTIONID: order.orderId,
    APTRANSACTIONID: transaction.reference,
    AMOUNT: formatPlainAmount(transaction.amount, INR),
    TRANSACTIONSTATUS: transaction.code,
    MESSAGE: transaction.message,
    CURRENCYCODE: transaction.currency === 'INR' ? '356' : transaction.currency,
    TRANSACTIONTYPE: transaction.type,
    ...(transaction.isTest ? { TXN_MODE: 'TEST' } : {}),
    ...(order.isTimeStated ? { TRANSACTIONTIME: formatTime(transaction.at) } : {}),
  }
}

function buildRefundFields(order: Order, { reference, amount }: GatewayRefund): Fields {
  return {
    TRANSACTIONID: order.orderId,
    APTRANSACTIONID: reference,
    AMOUNT: formatPlainAmount(amount, INR),
    TRANSACTIONSTATUS: '200',
    MESSAGE: 'Refunded',
    CURRENCYCODE: '356',
    TRANSACTIONTYPE: '340',
  }
}

const DAY_MS = 24 * 3_600_000
export const REFUND_FAILS_AFTER_MS = 3 * DAY_MS
/** The completion time of a refund that is started and never completed. */
const NEVER = instant(8_000_000_000_000_000)

export const hasFailed = ({ failsAt }: GatewayRefund, at: number): boolean =>
  failsAt !== null && failsAt <= at
/** Returns the sum of a payment's refunds that were or may still be paid out. */
export const sumRefunds = (order: Order, { reference }: Transaction, at: number): number =>
  order.gatewayRefunds
    .filter((refund) => refund.captureReference === reference && !hasFailed(refund, at))
    .reduce((sum, { amount }) => sum + amount, 0)

export type RefundRequest = {
  readonly amount: Amount
  readonly by: GatewayRefund['by']
  readonly key?: string
  /** The proportion of refunds that fail after three days. */
  readonly failureShare?: number
}
/** Refunds a capture. Returns null if the remaining amount is too small. */
export function refundCapture(
  gateway: Gateway,
  order: Order,
  capture: Transaction,
  { amount, by, key = '', failureShare = 0 }: RefundRequest,
  at: Instant,
  random: Random,
): GatewayRefund | null {
  if (sumRefunds(order, capture, at) + amount > capture.amount) return null
  const isNeverCompleted = by === 'call' && random.chance(0.05)
  const willFail = failureShare > 0 && random.chance(failureShare)
  const doneAt =
    isNeverCompleted || willFail ? NEVER : instant(at + random.skewed(1000, 2 * DAY_MS))
  const gatewayRefund: GatewayRefund = {
    reference: `${order.merchantId === 'razorpay' ? 'rfnd_' : ''}${gateway.nextReference()}`,
    captureReference: capture.reference,
    amount,
    at,
    doneAt,
    failsAt: willFail ? instant(at + REFUND_FAILS_AFTER_MS) : null,
    by,
    key,
    isReported: false,
    reportedAt: null,
    isFailureReported: false,
  }
  order.gatewayRefunds.push(gatewayRefund)
  gateway.onRefund(order, capture, gatewayRefund)
  return gatewayRefund
}

/** Makes the requested refund unless the gateway rejects it. Returns the gateway's response. */
export function answerRefund(gateway: Gateway, body: string, at: Instant, random: Random): string {
  const request = JSON.parse(body) as {
    transactions: readonly { amount: string; processor_id: string }[]
  }
  const [onlyTransaction] = request.transactions
  const foundTransaction = gateway.find(onlyTransaction?.processor_id ?? null)
  const amount = toAmount(Math.round(Number(onlyTransaction?.amount ?? 0) * 100))
  const refund =
    foundTransaction === null || random.chance(0.08)
      ? null
      : refundCapture(
          gateway,
          foundTransaction.order,
          foundTransaction.transaction,
          { amount, by: 'call' },
          at,
          random,
        )
  const response = {
    airpayid: onlyTransaction?.processor_id ?? '',
    success: refund === null ? 'false' : 'true',
    refundairpayid: refund?.reference ?? '',
    message: refund === null ? 'Not allowed' : 'Refund begun',
  }
  return JSON.stringify({
    success: response.success,
    message: response.message,
    transactions: [response],
  })
}

/** Formats a time as the gateway does, in Indian time: "21-01-2026 14:05:00". */
function formatTime(at: Instant): string {
  const [date = '', time = ''] = new Date(at + INDIA_MS).toISOString().split('T')
  return `${date.split('-').reverse().join('-')} ${time.slice(0, 8)}`
}

function buildAnswer(transactions: readonly Fields[]): string {
  const transactionBodies = transactions.map(
    (fields) =>
      `<TRANSACTION>${Object.entries(fields)
        .map(([name, value]) => `<${name}><![CDATA[${value}]]></${name}>`)
        .join('')}</TRANSACTION>`,
  )
  return `<?xml version="1.0"?><RESPONSE>${transactionBodies.join('')}</RESPONSE>`
}

/**
 * Builds the fields of a browser return or webhook about a transaction, with a valid hash. Without an account, the hash
 * is missing.
 */
export function buildMessage(
  order: Order,
  transaction: Transaction,
  account: Account | null,
): Fields {
  const { TRANSACTIONTIME, ...messageFields } = {
    TRANSACTIONTIME: '',
    ...buildFields(order, transaction),
  }
  void TRANSACTIONTIME
  return account === null
    ? messageFields
    : { ...messageFields, ap_SecureHash: computeSecureHash(account, messageFields, false) }
}
