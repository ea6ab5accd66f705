/** Determines a bill's payment method, and the price of the same answers with other methods. */
import type { Answers } from '../event/answer-types.ts'
import type { PublicEvent } from '../event/config.ts'
import { METHOD_NAME, METHOD_FIELD } from '../rules/pricing-context.ts'
import type { PricedMethod } from '../event/pricing-types.ts'
import { getOwn } from '../lib/result.ts'
import { listPricedMethods } from './bill.ts'
import type { Amount, Currency } from '../lib/money.ts'
import { dayOf, type Day, type Instant } from '../lib/time.ts'
import type { Line } from './bill-lines.ts'
import { getPricingPeriod } from './price-periods.ts'
import { quote, quoteInPeriod, type Quote } from './quote.ts'

type WithFees = Pick<PublicEvent, 'fees'>

/**
 * Returns the answers with the payment method that determines the price. `method`: null for a method that the event
 * file does not define; undefined to keep the chosen method.
 */
export function withMethod(
  { fees }: WithFees,
  answers: Answers,
  method: string | null | undefined,
): Answers {
  return fees.methods === undefined || method === undefined
    ? answers
    : { ...answers, [METHOD_NAME]: method ?? '' }
}

type StoredBill = {
  readonly category: string | null
  readonly period: string
  /** Null if the total is unknown; the answers then determine the method. */
  readonly total: Amount | null
}

/**
 * Returns the answers with the method that results in a stored bill's total; the chosen method is tried first. Null
 * if no method does, because the prices in the file have changed.
 */
function findAnswersWithBilledMethod(
  event: PublicEvent,
  answers: Answers,
  { category, period, total }: StoredBill,
  on: Day,
): Answers | null {
  const methods = event.fees.methods ?? []
  const candidates = [
    answers,
    ...[...methods.map(({ id }) => id), null].map((id) => withMethod(event, answers, id)),
  ]
  const isBilled = (candidate: Answers): boolean => {
    const quoteResult = quoteInPeriod(event, candidate, category, period, on)
    return quoteResult.ok && quoteResult.value.total === total
  }
  return candidates.find(isBilled) ?? null
}

/**
 * Returns the answers with the method by which a stored bill was priced, if prices depend on it and
 * it can be determined.
 */
export function withBilledMethod(
  event: PublicEvent,
  answers: Answers,
  bill: StoredBill,
  on: Day,
): Answers {
  if (event.fees.methods === undefined || bill.total === null) return answers
  return findAnswersWithBilledMethod(event, answers, bill, on) ?? answers
}

/**
 * Returns the price of a stored registration with another method, at the prices of its period. Null if the price is
 * the same, if the registration is not on sale, or if an earlier version of the file priced it. That price then
 * remains valid.
 */
export function quoteByMethod(
  event: PublicEvent,
  registration: {
    readonly answers: Answers
    readonly category: string | null
    readonly period: string | null
    readonly createdAt: Instant
    readonly total: Amount | null
  },
  method: string | null,
): Quote | null {
  const { answers, category, createdAt, total } = registration
  if (event.fees.methods === undefined) return null
  const on = dayOf(createdAt)
  const period = getPricingPeriod(event.fees, registration, category)
  if (findAnswersWithBilledMethod(event, answers, { category, period, total }, on) === null)
    return null
  const quoteResult = quoteInPeriod(event, withMethod(event, answers, method), category, period, on)
  return quoteResult.ok && quoteResult.value.total !== total ? quoteResult.value : null
}

/** Returns the methods that delegates can choose on that day. */
const listOfferedMethods = (
  { fees }: WithFees,
  on: Day,
  currency: Currency,
): readonly PricedMethod[] =>
  listPricedMethods(fees, currency).filter(({ until }) => until === undefined || on <= until)

/**
 * Returns the answers with the payment method that an example or a command states under the key `METHOD_NAME`.
 */
export function withStatedMethod(
  event: WithFees,
  answers: Answers,
  raw: Readonly<Record<string, unknown>>,
): Answers {
  const statedMethod = getOwn(raw, METHOD_NAME)
  return typeof statedMethod === 'string' ? withMethod(event, answers, statedMethod) : answers
}

export type MethodPrice = {
  readonly method: PricedMethod
  readonly quote: Quote
  /** The lines that only this method adds or removes, compared with the chosen method. */
  readonly extra: readonly Line[]
}

/**
 * Returns the price of the same answers with every other payment method on offer. Empty if all prices are the same.
 */
export function listPricesOfOtherMethods(
  event: PublicEvent,
  answers: Answers,
  chosenQuote: Quote,
  at: Instant,
): readonly MethodPrice[] {
  const chosenMethodId = getOwn(answers, METHOD_FIELD)
  const otherPrices = listOfferedMethods(event, dayOf(at), chosenQuote.currency).flatMap(
    (method): readonly MethodPrice[] => {
      if (method.id === chosenMethodId) return []
      const other = quote(event, withMethod(event, answers, method.id), at)
      if (!other.ok) return []
      const extra = other.value.lines.filter(
        (line) => !chosenQuote.lines.some(({ id }) => id === line.id),
      )
      return [{ method, quote: other.value, extra }]
    },
  )
  return otherPrices.every(({ quote: other }) => other.total === chosenQuote.total)
    ? []
    : otherPrices
}
