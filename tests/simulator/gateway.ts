/**
 * Simulates the gateway: the orders of browsers, their results, and its responses to queries, in the gateway's
 * own format.
 * Its responses about payments are always true, but it may be unreachable, and its messages may contain anything.
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
 * One attempt to pay an order. `200` is a payment; other codes state the failure. At Razorpay, the code can also be
 * `created` or `authorized` (not paid yet) or `returned` (not captured, so the gateway refunded the payment).
 */
export type Transaction = {
  readonly reference: string
  /** The gateway's own order that this attempt pays. Empty if the gateway has none. */
  readonly checkoutId: string
  readonly amount: Amount
  readonly currency: string
  readonly type: string
  readonly isTest: boolean
  readonly at: Instant
  code: string
  /** The time of capture, if it was after `at`. */
  capturedAt: Instant | null
  isCapturedByUs: boolean
  /** When the bank authorised it, unless it was captured immediately or reported as failed before. */
  authorizedAt: Instant | null
  readonly message: string
  isReported: boolean
  /** When a valid response to our query first contained it. Null if none has. */
  reportedAt: number | null
  /** Whether a true webhook about it was answered with 200. */
  isClaimed: boolean
}
/** A refund. If `doneAt` is after the end of any history, the gateway has begun it and never completes it. */
export type GatewayRefund = {
  readonly reference: string
  readonly captureReference: string
  readonly amount: Amount
  readonly at: Instant
  readonly doneAt: Instant
  /** When the refund fails and the amount returns to the merchant. Null: never. */
  readonly failsAt: Instant | null
  /** True if a valid response to our query has contained its failure. */
  isFailureReported: boolean
  /** Requested by our call, or made by staff in the merchant panel. */
  readonly by: 'call' | 'panel'
  /** The key by which Razorpay recognises a repeated request. */
  readonly key: string
  isReported: boolean
  reportedAt: number | null
}
/** An order that we created at Razorpay; two may have the same receipt. */
export type Checkout = {
  readonly id: string
  readonly receipt: string
  readonly amount: Amount
  readonly currency: string
  readonly at: Instant
  /** How long after its start a payment may be captured. After that, it is refunded. */
  readonly captureMs: number
}
export type Order = {
  readonly orderId: string
  readonly merchantId: string
  readonly requestedAmount: Amount
  readonly currency: string
  readonly checkouts: Checkout[]
  /** When the browser first placed it. */
  readonly at: Instant
  readonly transactions: Transaction[]
  readonly gatewayRefunds: GatewayRefund[]
  readonly disputes: Dispute[]
  /** The end of a payment in progress; until then its code is 211. */
  heldUntil: number
  /** The captures that its status call returns: all captures of an order, or only the newest. */
  readonly reportedCaptures: 'all' | 'newest'
  /** True if its responses state the time of payment. */
  readonly isTimeStated: boolean
  /** True if an invalid response reported it as unknown. */
  isDenied: boolean
  /** Its status for an unpaid order. */
  readonly unpaidCode: string
}

export type Gateway = {
  readonly orders: ReadonlyMap<string, Order>
  /** Places the order of a browser, or finds it if the browser has placed it before. */
  visit(orderId: string, merchantId: string, asked: string, at: Instant, currency?: string): Order
  /** Finds a transaction of any order by its reference. */
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
      | 'isClaimed'
    >,
  ): Transaction
  /** The gateway's response to the status call, and the transactions in it. */
  answerStatusQuery(merchantId: string, orderId: string, at: Instant): StatusResponse
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
/** Marks the entries of a valid response as reported. */
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
/** Returns true for a payment as ordered: the amount in its currency, a sale, and real. */
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
        isClaimed: false,
      }
      order.transactions.push(transaction)
      return transaction
    },
    answerStatusQuery: (merchantId, orderId, at) => {
      const order = orders.get(orderId)
      if (order === undefined || order.merchantId !== merchantId)
        return buildUnpaidAnswer(orderId, '503')
      const captures = order.transactions.filter(isCapture)
      const listedCaptures = order.reportedCaptures === 'all' ? captures : captures.slice(-1)
      if (listedCaptures.length > 0) {
        // Refunds are listed with the payment they belong to.
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
/** Returns the sum of the refunds of a payment that were or may be paid out. */
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
/** Refunds a capture. Null if the remaining amount is too small. */
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

/** Formats a time as the gateway does: "21-01-2026 14:05:00", in India. */
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
 * Builds the fields of a browser return or webhook about a transaction. The hash is valid, or missing without an
 * account.
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
