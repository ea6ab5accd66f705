/** Interprets Airpay's answer to a status query. */
import {
  assert,
  assertNever,
  getOwn,
  paise,
  readInstant,
  RUPEE_CODES,
} from '../../../../engine/index.ts'
import type {
  Instant,
  OrderId,
  Paise,
  PaymentEvent,
  ReportedRefund,
} from '../../../../engine/index.ts'
import type { StatusAnswer } from '../../../dependencies.ts'
import type { Fields } from './parse-message.ts'

/** Characters of the bank's message that fit on a line in the office. */
const MESSAGE_CHARACTERS_MAX = 200

/**
 * The meaning of each status code. Only `paid` and `declined` end a payment; any other code leaves it pending.
 * 401, 402 and 403 mean dropped, cancelled and incomplete in one Airpay document, and "not yet processed" in
 * another. Until they are seen in production they mean only that there is no payment yet; the payment ends after
 * one day.
 */
const MEANINGS: Readonly<Record<string, 'paid' | 'declined' | 'in-process' | 'no-record'>> = {
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
/** A payment, as opposed to a refund or a reversal. */
export const SALE_TYPE = '320'
/** The sale by number, by name, or both. */
const SALE = /^(?:320(?:\W*sale)?|sale)$/i
/** A refund, requested by us or made in the gateway's panel. */
const REFUND = /^(?:340(?:\W*refund)?|refund)$/i
/** The rupee by its usual signs, besides its codes. From an Indian gateway, "Rs" means no other currency. */
const RUPEE = /^(?:rs\.?|₹|(?:indian )?rupees?)$/i
/** Written instead of an empty value. */
const NOTHING = /^(?:na|n\/a|null|nil|none|0|-)$/i

/**
 * Values assumed for an answer that states no currency or kind; set only after a payment has shown that the
 * gateway never states it.
 */
export type Assumed = { readonly currency: boolean; readonly sale: boolean }

export type About = {
  readonly orderId: OrderId
  /** Now. */
  readonly at: Instant
  /** The answer as received. */
  readonly raw: string
  readonly assumed: Assumed
  /** Whether a test transaction counts as a payment: only in Airpay's own sandbox. */
  readonly takesTests: boolean
}

type Confirmed = Extract<PaymentEvent, { type: 'confirmed' }>
type Refunded = Extract<PaymentEvent, { type: 'refunded' }>

/**
 * Interprets the gateway's answer. Ignores MESSAGE (it can say "Success" beside 503), BILLEDAMOUNT (it may
 * include a surcharge) and the hash (it proves nothing). The engine checks amount, currency and kind, so that a
 * payment that does not match is recorded and reviewed. Among several transactions of one order, doubt takes
 * precedence over a payment, a payment over pending, and pending over a failure: a failure is accepted only if
 * nothing else is reported. Refunds are listed with their payment.
 */
export function judgeStatus(transactions: readonly Fields[], about: About): StatusAnswer {
  const ours = transactions.filter((fields) => isOurs(fields, about.orderId))
  if (ours.length === 0) return { is: 'unreachable', error: 'the answer names another order' }
  const judged = ours.map((fields) => judgeOne(fields, about))
  const confirmed = judged.flatMap((answer) =>
    answer.is === 'fact' && answer.fact.type === 'confirmed' ? [answer.fact] : [],
  )
  const refunds = judged.flatMap((answer) =>
    answer.is === 'fact' && answer.fact.type === 'refunded' ? [answer.fact] : [],
  )
  const unreadable = judged.find(({ is }) => is === 'unreachable')
  const money = confirmed.find(({ kind }) => kind !== 'sale') ?? confirmed[0]
  if (unreadable === undefined) {
    if (money !== undefined) return together(money, confirmed, refunds, about)
    if (refunds.length > 0) return refundsAlone(refunds, about)
  }
  return (
    unreadable ??
    judged.find(({ is }) => is === 'pending') ??
    judged.find(({ is }) => is === 'no-record') ??
    judged[0] ?? { is: 'unreachable', error: 'the answer names another order' }
  )
}

/** Builds one payment event; it names further captures of the same order. */
function together(
  money: Confirmed,
  all: readonly Confirmed[],
  refunded: readonly Refunded[],
  { raw }: About,
): StatusAnswer {
  const others = all.filter(({ reference }) => reference !== money.reference)
  const same = all.filter(({ reference }) => reference === money.reference)
  if (same.some(({ amount }) => amount !== money.amount))
    return { is: 'unreachable', error: 'the answer names two amounts for one reference' }
  const further = others.map(({ reference, amount, currency, kind, paidAt }) => ({
    reference,
    amount,
    ...(currency === money.currency ? {} : { currency }),
    kind,
    ...(paidAt === undefined ? {} : { paidAt }),
  }))
  const refunds = namedOnce(refunded)
  const fact: Confirmed = {
    ...money,
    ...(further.length === 0 ? {} : { further }),
    ...(refunds.length === 0 ? {} : { refunds }),
  }
  return { is: 'fact', raw, fact }
}

/** Handles an answer that names refunds but not their payment. */
function refundsAlone(refunded: readonly Refunded[], { raw, at }: About): StatusAnswer {
  const [first, ...further] = namedOnce(refunded)
  assert(first !== undefined, 'an answer about no refund')
  const fact: Refunded = { type: 'refunded', ...first, at }
  return { is: 'fact', raw, fact: further.length === 0 ? fact : { ...fact, further } }
}

/** Refunds with the same reference count as one, with the larger amount: it was reported in stages. */
function namedOnce(refunded: readonly Refunded[]): readonly ReportedRefund[] {
  const byReference = new Map<string, Paise>()
  for (const { reference, amount } of refunded)
    byReference.set(reference, paise(Math.max(amount, byReference.get(reference) ?? 0)))
  return [...byReference].map(([reference, amount]) => ({ reference, amount }))
}

/**
 * The query names one order, so an answer that names none is about it; whether that is enough depends on its
 * content.
 */
function isOurs(fields: Fields, orderId: OrderId): boolean {
  const named = orderOf(fields)
  return named === null || named === orderId
}

function orderOf(fields: Fields): string | null {
  const named = fields['TRANSACTIONID'] ?? ''
  return named === '' || NOTHING.test(named) ? null : named
}

function judgeOne(fields: Fields, about: About): StatusAnswer {
  const { at, raw } = about
  const code = fields['TRANSACTIONSTATUS'] ?? ''
  const meaning = getOwn(MEANINGS, code)
  switch (meaning) {
    case undefined:
    case 'in-process':
      return { is: 'pending', code, raw }
    case 'no-record':
      return { is: 'no-record', raw }
    case 'declined': {
      const message = (fields['MESSAGE'] ?? '').slice(0, MESSAGE_CHARACTERS_MAX)
      return { is: 'fact', raw, fact: { type: 'declined', code, message, at } }
    }
    case 'paid':
      return judgePaid(fields, about)
    default:
      return assertNever(meaning)
  }
}

function judgePaid(fields: Fields, { at, raw, assumed, takesTests }: About): StatusAnswer {
  const amount = readGatewayAmount(fields['AMOUNT'] ?? '')
  const reference = fields['APTRANSACTIONID'] ?? ''
  if (orderOf(fields) === null) return { is: 'unreachable', error: 'the answer lacks the order' }
  if (amount === null) return { is: 'unreachable', error: 'the answer lacks a readable amount' }
  if (reference === '' || NOTHING.test(reference))
    return { is: 'unreachable', error: 'the answer lacks the reference' }
  const sent = fields['CURRENCYCODE'] ?? ''
  const isRupee =
    sent === '' ? assumed.currency : RUPEE.test(sent) || RUPEE_CODES.includes(sent.toUpperCase())
  const type = fields['TRANSACTIONTYPE'] ?? ''
  const isSale = type === '' ? assumed.sale : SALE.test(type)
  const inTest = !takesTests && isTest(fields)
  if (REFUND.test(type) && isRupee && !inTest && amount > 0)
    return { is: 'fact', raw, fact: { type: 'refunded', reference, amount, at } }
  const paidAt = readTime(fields['TRANSACTIONTIME'] ?? '')
  const fact: Confirmed = {
    type: 'confirmed',
    reference,
    amount,
    currency: isRupee ? 'INR' : sent.toUpperCase(),
    kind: inTest ? 'test' : isSale ? 'sale' : 'other',
    at,
  }
  return { is: 'fact', raw, fact: paidAt === null ? fact : { ...fact, paidAt } }
}

/** A transaction in the gateway's test mode moves no money, whatever its status says. */
function isTest(fields: Fields): boolean {
  return /test|sandbox|demo|dummy/i.test(`${fields['TXN_MODE'] ?? ''} ${fields['TXNMODE'] ?? ''}`)
}

/**
 * Parses an amount as gateways write it: currency sign before or after, Indian or Western grouping, any number of
 * decimals as long as paise are whole. Null for everything else: amounts are never guessed.
 */
export function readGatewayAmount(text: string): Paise | null {
  const sign = '(?:INR|Rs\\.?|₹)'
  const bare = text
    .trim()
    .replace(new RegExp(`^${sign}\\s*`, 'i'), '')
    .replace(new RegExp(`\\s*${sign}$`, 'i'), '')
  const found = /^(\d{1,12}|\d{1,3}(?:,\d{2,3})*,\d{3})(?:\.(\d*))?$/.exec(bare)
  if (found === null) return null
  const [, whole = '', decimals = ''] = found
  if (/[1-9]/.test(decimals.slice(2))) return null
  const text100 = `${whole.replaceAll(',', '')}${decimals.slice(0, 2).padEnd(2, '0')}`
  return Number(text100) <= Number.MAX_SAFE_INTEGER ? paise(Number(text100)) : null
}

/**
 * Parses TRANSACTIONTIME, Indian local time: "21-11-2026 14:05:00", with slashes, with the year first or with am
 * and pm; or ISO 8601 with an offset. Null for anything else: times are never guessed.
 */
export function readTime(text: string): Instant | null {
  const withOffset = /T.*(?:Z|[+-]\d\d:\d\d)$/.test(text) ? readInstant(text) : null
  if (withOffset !== null) return withOffset
  const found =
    /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s*([ap]m)?$/i.exec(
      text.trim(),
    )
  if (found === null) return null
  const [, first = '', , month = '', last = '', hours = '', minutes = '', seconds = '00', half] =
    found
  const [year, day] = first.length === 4 ? [first, last] : [last, first]
  if (year.length !== 4 || day.length > 2) return null
  const hour = half === undefined ? Number(hours) : hourOf(Number(hours), half)
  const two = (part: string): string => part.padStart(2, '0')
  return hour === null
    ? null
    : readInstant(
        `${year}-${two(month)}-${two(day)}T${two(String(hour))}:${minutes}:${seconds}+05:30`,
      )
}

function hourOf(hour: number, half: string): number | null {
  if (hour < 1 || hour > 12) return null
  return (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
}
