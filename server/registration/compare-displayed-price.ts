/** Prices answers, and compares the price and category that the browser displayed with the quote. */
import {
  findCategory,
  formatCurrency,
  getOwn,
  fromMajorUnits,
  readAmount,
  memoize,
  ok,
  quote,
} from '../../engine/index.ts'
import { formatMessage, SERVER_MESSAGES } from '../../engine/messages.ts'
import type {
  Answers,
  EventConfig,
  Instant,
  Quote,
  QuoteRefusal,
  Result,
} from '../../engine/index.ts'

/**
 * Parameter names of the specification, accepted for every event. If a form field has the same name, the value is
 * an answer.
 */
const DEFAULT_MEANINGS: Readonly<Record<string, string>> = {
  base_amount: 'base',
  gst_amount: 'gst',
  total_amount: 'total',
  registration_category: 'category',
}

/** The first difference in this order is reported: price, category, period. Sometimes only the period changes. */
export type Difference = 'price' | 'category' | 'period'
export type Comparison =
  /** `sentMeanings` contains the meanings of the values that were sent. */
  | { readonly is: 'same'; readonly sentMeanings: ReadonlySet<string> }
  | { readonly is: 'differs'; readonly difference: Difference }
  | { readonly is: 'unreadable'; readonly name: string }

/**
 * Compares the values that the browser sent with the quote. Amounts are parsed from decimal text and compared in
 * paise; a blank value counts as not sent. `quote` is null if the event has no prices. `shownTotal` is the total that
 * the office page showed, as text or number.
 */
export function compareDisplayedPrice(
  event: EventConfig,
  values: Readonly<Record<string, unknown>>,
  category: string | null,
  quote: Quote | null,
  shownTotal: unknown = null,
): Comparison {
  const currency = quote?.currency ?? event.currency
  const differences = new Set<Difference>()
  const sentMeanings = new Set<string>()
  for (const [name, meaning] of getParameterMeanings(event)) {
    const sentText = toText(getOwn(values, name))
    if (sentText === '') continue
    if (sentText === null) return { is: 'unreadable', name }
    sentMeanings.add(meaning)
    if (meaning === 'base' || meaning === 'gst' || meaning === 'total') {
      const amount = readAmount(sentText, currency)
      if (amount === null) return { is: 'unreadable', name }
      if (amount !== quote?.[meaning]) differences.add('price')
    } else if (meaning === 'category' && sentText !== category) differences.add('category')
    else if (meaning === 'period' && sentText !== quote?.period) differences.add('period')
  }
  if (shownTotal !== null && shownTotal !== '') {
    const amount =
      typeof shownTotal === 'string'
        ? readAmount(shownTotal, currency)
        : fromMajorUnits(shownTotal, currency)
    if (amount === null) return { is: 'unreadable', name: 'total' }
    if (amount !== (quote?.total ?? 0)) differences.add('price')
  }
  const firstDifference = DIFFERENCE_ORDER.find((difference) => differences.has(difference))
  return firstDifference === undefined
    ? { is: 'same', sentMeanings }
    : { is: 'differs', difference: firstDifference }
}

/** Returns the message about an amount that cannot be read. */
export const describeNotAmount = ({ currency }: EventConfig): string =>
  formatMessage(SERVER_MESSAGES.request.notAmount, {
    currency: formatCurrency(currency),
  })

const DIFFERENCE_ORDER: readonly Difference[] = ['price', 'category', 'period']

const getParameterMeanings = memoize((event: EventConfig): ReadonlyMap<string, string> => {
  const fields = new Set(event.fields.map(({ id }) => id))
  const defaults = Object.entries(DEFAULT_MEANINGS).filter(([name]) => !fields.has(name))
  return new Map([...defaults, ...Object.entries(event.api.sends)])
})

/** Returns the value as trimmed text. Null if it is neither text nor a number. */
function toText(value: unknown): string | null {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' ? String(value) : null
}

/** `quote` is null if the event has no prices. */
export type Pricing = { readonly category: string | null; readonly quote: Quote | null }

/** Prices these answers at the given instant. */
export function calculatePrice(
  event: EventConfig,
  answers: Answers,
  at: Instant,
): Result<Pricing, QuoteRefusal> {
  if (event.fees.prices === null) return ok({ category: findCategory(event, answers), quote: null })
  const result = quote(event, answers, at)
  return result.ok ? ok({ category: result.value.category, quote: result.value }) : result
}
