/** Interprets Airpay's response to a status query. */
import {
  assert,
  assertNever,
  getOwn,
  toAmount,
  readInstant,
  readReportedCurrency,
  INR,
} from '../../../../engine/index.ts'
import type {
  Instant,
  OrderId,
  Amount,
  PaymentEvent,
  ReportedRefund,
} from '../../../../engine/index.ts'
import type { StatusResponse } from '../../../dependencies.ts'
import type { Fields } from '../message-fields.ts'

/** The number of characters of the bank's message that fit on a line of an office page. */
const MAX_MESSAGE_CHARACTERS = 200

/**
 * The meaning of each status code. Only `paid` and `declined` end a payment; any other code leaves it pending. 401, 402
 * and 403 mean dropped, cancelled and incomplete in one Airpay document, and "not yet processed" in another. Until
 * these codes are seen in production, they mean only that there is no payment yet. The payment ends after one day.
 */
const MEANING_BY_CODE: Readonly<Record<string, 'paid' | 'declined' | 'in-process' | 'no-record'>> =
  {
    200: 'paid',
    211: 'in-process',
    400: 'declined',
    401: 'no-record',
    402: 'no-record',
    403: 'no-record',
    405: 'declined',
    502: 'declined',
    503: 'no-record',
  }
/** The transaction type of a payment, as opposed to a refund or a reversal. */
export const SALE_TYPE = '320'
/** Matches the transaction type of a sale: its number, its name, or both. */
const SALE_PATTERN = /^(?:320(?:\W*sale)?|sale)$/i
/** Matches the transaction type of a refund, whether requested by us or made in the gateway's panel. */
const REFUND_PATTERN = /^(?:340(?:\W*refund)?|refund)$/i
/**
 * Matches the usual symbols of the rupee, in addition to its codes. From an Indian gateway, "Rs" means no other
 * currency.
 */
const RUPEE_PATTERN = /^(?:rs\.?|₹|(?:indian )?rupees?)$/i
/** Matches texts that some responses contain instead of an empty value. */
const EMPTY_VALUE_PATTERN = /^(?:na|n\/a|null|nil|none|0|-)$/i

/**
 * Values assumed if a response states no currency or kind. Set one only after a payment has shown that the gateway
 * never states that value.
 */
export type Assumptions = { readonly currency: boolean; readonly sale: boolean }

export type ResponseContext = {
  readonly orderId: OrderId
  readonly at: Instant
  /** The response as received. */
  readonly raw: string
  readonly assumed: Assumptions
  /** True if a test transaction counts as a payment, which it does only in Airpay's own sandbox. */
  readonly acceptsTests: boolean
}

type Confirmation = Extract<PaymentEvent, { type: 'confirmed' }>
type RefundedEvent = Extract<PaymentEvent, { type: 'refunded' }>

/**
 * Interprets the gateway's response. Ignores MESSAGE (it can be "Success" with code 503), BILLEDAMOUNT (it may
 * include a surcharge) and the hash (it proves nothing). The engine checks amount, currency and kind, so that a
 * payment that does not match is recorded and reviewed. Among several transactions of one order, doubt takes
 * precedence over a payment, a payment over pending, and pending over a failure: a failure is accepted only if
 * nothing else is reported. Refunds are listed with their payment.
 */
export function interpretStatus(
  transactions: readonly Fields[],
  context: ResponseContext,
): StatusResponse {
  const matchingTransactions = transactions.filter((fields) => isForOrder(fields, context.orderId))
  if (matchingTransactions.length === 0)
    return { is: 'unreachable', error: 'the response is about another order' }
  const results = matchingTransactions.map((fields) => interpretTransaction(fields, context))
  const confirmations = results.flatMap((response) =>
    response.is === 'payment-event' && response.paymentEvent.type === 'confirmed'
      ? [response.paymentEvent]
      : [],
  )
  const refunds = results.flatMap((response) =>
    response.is === 'payment-event' && response.paymentEvent.type === 'refunded'
      ? [response.paymentEvent]
      : [],
  )
  const unreadable = results.find(({ is }) => is === 'unreachable')
  const payment = confirmations.find(({ kind }) => kind !== 'sale') ?? confirmations[0]
  if (unreadable === undefined) {
    if (payment !== undefined) return combinePayment(payment, confirmations, refunds, context)
    if (refunds.length > 0) return combineRefunds(refunds, context)
  }
  return (
    unreadable ??
    results.find(({ is }) => is === 'pending') ??
    results.find(({ is }) => is === 'no-record') ??
    results[0] ?? { is: 'unreachable', error: 'the response is about another order' }
  )
}

/** Builds one payment event, which lists further captures of the same order. */
function combinePayment(
  payment: Confirmation,
  confirmations: readonly Confirmation[],
  reportedRefunds: readonly RefundedEvent[],
  { raw }: ResponseContext,
): StatusResponse {
  const otherPayments = confirmations.filter(({ reference }) => reference !== payment.reference)
  const samePayment = confirmations.filter(({ reference }) => reference === payment.reference)
  if (samePayment.some(({ amount }) => amount !== payment.amount))
    return { is: 'unreachable', error: 'the response has two amounts for one reference' }
  const furtherPayments = otherPayments.map(({ reference, amount, currency, kind, paidAt }) => ({
    reference,
    amount,
    ...(currency === payment.currency ? {} : { currency }),
    kind,
    ...(paidAt === undefined ? {} : { paidAt }),
  }))
  const refunds = mergeRefunds(reportedRefunds)
  const confirmation: Confirmation = {
    ...payment,
    ...(furtherPayments.length === 0 ? {} : { further: furtherPayments }),
    ...(refunds.length === 0 ? {} : { refunds }),
  }
  return { is: 'payment-event', raw, paymentEvent: confirmation }
}

/** Combines the refunds in a response that does not list their payment. */
function combineRefunds(
  refunds: readonly RefundedEvent[],
  { raw, at }: ResponseContext,
): StatusResponse {
  const [first, ...furtherRefunds] = mergeRefunds(refunds)
  assert(first !== undefined, 'a refund response without a refund')
  const refundEvent: RefundedEvent = { type: 'refunded', ...first, at }
  return {
    is: 'payment-event',
    raw,
    paymentEvent:
      furtherRefunds.length === 0 ? refundEvent : { ...refundEvent, further: furtherRefunds },
  }
}

/** Merges refunds with the same reference, keeping the larger amount: such a refund was reported in stages. */
function mergeRefunds(refunds: readonly RefundedEvent[]): readonly ReportedRefund[] {
  const amountsByReference = new Map<string, Amount>()
  for (const { reference, amount } of refunds)
    amountsByReference.set(
      reference,
      toAmount(Math.max(amount, amountsByReference.get(reference) ?? 0)),
    )
  return [...amountsByReference].map(([reference, amount]) => ({ reference, amount }))
}

/**
 * Returns true if the transaction is about the queried order. A transaction without an order id counts as such;
 * other checks decide whether to accept it.
 */
function isForOrder(fields: Fields, orderId: OrderId): boolean {
  const namedOrder = readOrderId(fields)
  return namedOrder === null || namedOrder === orderId
}

function readOrderId(fields: Fields): string | null {
  const namedOrder = fields['TRANSACTIONID'] ?? ''
  return namedOrder === '' || EMPTY_VALUE_PATTERN.test(namedOrder) ? null : namedOrder
}

function interpretTransaction(fields: Fields, context: ResponseContext): StatusResponse {
  const { at, raw } = context
  const code = fields['TRANSACTIONSTATUS'] ?? ''
  const meaning = getOwn(MEANING_BY_CODE, code)
  switch (meaning) {
    case undefined:
    case 'in-process':
      return { is: 'pending', code, raw }
    case 'no-record':
      return { is: 'no-record', raw }
    case 'declined': {
      const message = (fields['MESSAGE'] ?? '').slice(0, MAX_MESSAGE_CHARACTERS)
      return { is: 'payment-event', raw, paymentEvent: { type: 'declined', code, message, at } }
    }
    case 'paid':
      return interpretPaid(fields, context)
    default:
      return assertNever(meaning)
  }
}

function interpretPaid(
  fields: Fields,
  { at, raw, assumed, acceptsTests }: ResponseContext,
): StatusResponse {
  const amount = readGatewayAmount(fields['AMOUNT'] ?? '')
  const reference = fields['APTRANSACTIONID'] ?? ''
  if (readOrderId(fields) === null)
    return { is: 'unreachable', error: 'the response has no order id' }
  if (amount === null) return { is: 'unreachable', error: 'the response has no readable amount' }
  if (reference === '' || EMPTY_VALUE_PATTERN.test(reference))
    return { is: 'unreachable', error: 'the response has no reference' }
  const currencyCode = fields['CURRENCYCODE'] ?? ''
  const isRupee =
    currencyCode === ''
      ? assumed.currency
      : RUPEE_PATTERN.test(currencyCode) || readReportedCurrency(currencyCode) === INR
  const type = fields['TRANSACTIONTYPE'] ?? ''
  const isSale = type === '' ? assumed.sale : SALE_PATTERN.test(type)
  const isTestPayment = !acceptsTests && isTest(fields)
  if (REFUND_PATTERN.test(type) && isRupee && !isTestPayment && amount > 0)
    return { is: 'payment-event', raw, paymentEvent: { type: 'refunded', reference, amount, at } }
  const paidAt = readTime(fields['TRANSACTIONTIME'] ?? '')
  const confirmation: Confirmation = {
    type: 'confirmed',
    reference,
    amount,
    currency: isRupee ? 'INR' : (readReportedCurrency(currencyCode) ?? currencyCode.toUpperCase()),
    kind: isTestPayment ? 'test' : isSale ? 'sale' : 'other',
    at,
  }
  return {
    is: 'payment-event',
    raw,
    paymentEvent: paidAt === null ? confirmation : { ...confirmation, paidAt },
  }
}

/** Returns true for a transaction in the gateway's test mode, which moves no money regardless of its status. */
function isTest(fields: Fields): boolean {
  return /test|sandbox|demo|dummy/i.test(`${fields['TXN_MODE'] ?? ''} ${fields['TXNMODE'] ?? ''}`)
}

/**
 * Parses an amount as gateways write it: currency symbol before or after, Indian or Western grouping, any number of
 * decimal places if the paise are whole. Null for everything else: amounts are never guessed.
 */
export function readGatewayAmount(text: string): Amount | null {
  const currencySymbol = '(?:INR|Rs\\.?|₹)'
  const amountDigits = text
    .trim()
    .replace(new RegExp(`^${currencySymbol}\\s*`, 'i'), '')
    .replace(new RegExp(`\\s*${currencySymbol}$`, 'i'), '')
  const match = /^(\d{1,12}|\d{1,3}(?:,\d{2,3})*,\d{3})(?:\.(\d*))?$/.exec(amountDigits)
  if (match === null) return null
  const [, rupeesText = '', decimals = ''] = match
  if (/[1-9]/.test(decimals.slice(2))) return null
  const paiseText = `${rupeesText.replaceAll(',', '')}${decimals.slice(0, 2).padEnd(2, '0')}`
  return Number(paiseText) <= Number.MAX_SAFE_INTEGER ? toAmount(Number(paiseText)) : null
}

/**
 * Parses TRANSACTIONTIME, Indian local time: "21-11-2026 14:05:00", with slashes, with the year first or with am
 * and pm; or ISO 8601 with an offset. Null for anything else: times are never guessed.
 */
export function readTime(text: string): Instant | null {
  const parsedInstant = /T.*(?:Z|[+-]\d\d:\d\d)$/.test(text) ? readInstant(text) : null
  if (parsedInstant !== null) return parsedInstant
  const match =
    /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s*([ap]m)?$/i.exec(
      text.trim(),
    )
  if (match === null) return null
  const [, first = '', , month = '', last = '', hours = '', minutes = '', seconds = '00', amOrPm] =
    match
  const [year, day] = first.length === 4 ? [first, last] : [last, first]
  if (year.length !== 4 || day.length > 2) return null
  const hour = amOrPm === undefined ? Number(hours) : to24Hour(Number(hours), amOrPm)
  const padToTwoDigits = (part: string): string => part.padStart(2, '0')
  return hour === null
    ? null
    : readInstant(
        `${year}-${padToTwoDigits(month)}-${padToTwoDigits(day)}T${padToTwoDigits(String(hour))}:${minutes}:${seconds}+05:30`,
      )
}

function to24Hour(hour: number, amOrPm: string): number | null {
  if (hour < 1 || hour > 12) return null
  return (hour % 12) + (amOrPm.toLowerCase() === 'pm' ? 12 : 0)
}
