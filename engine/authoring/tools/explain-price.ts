/** Explains a delegate's price: answers as interpreted, rules as evaluated, price table cell and tax. */
import type { EventConfig } from '../../event/config.ts'
import type { Answer, Answers, FieldErrors, RawAnswers } from '../../event/answer-types.ts'
import type { Period } from '../../event/pricing-types.ts'
import { findAnswerErrors, normalise } from '../../answers/normalize-answers.ts'
import { findCategory, getCurrency } from '../../rules/category.ts'
import { explainCategory, type CategoryExplanation } from '../../rules/explain-category.ts'
import { collectConditions } from '../proofs/fields-in-conditions.ts'
import { EMPTY_CONTEXT, METHOD_NAME, type PricingContext } from '../../rules/pricing-context.ts'
import { formatPrice, type Amount, type Tax, type Currency } from '../../lib/money.ts'
import {
  containsDay,
  withDeskDays,
  findPeriodOn,
  listPeriodsOfCategory,
} from '../../pricing/price-periods.ts'
import { formatList, findNearest } from '../suggestions/nearest-name.ts'
import { quote, hasPrices, type Quote, type QuoteRefusal } from '../../pricing/quote.ts'
import { withBilledMethod, withStatedMethod } from '../../pricing/method-prices.ts'
import { addMethod } from '../../pricing/bill.ts'
import { getOwn, type Result } from '../../lib/result.ts'
import { dayOf, formatDay, formatInstant, type Day, type Instant } from '../../lib/time.ts'
import {
  explainLines,
  listOmittedItems,
  formatBill,
  formatNotOnSale,
  formatLineNumber,
  formatTax,
  hasItemsOrTaxes,
  type OmittedItem,
  type LineExplanation,
  type FindLine,
  getPricesPath,
} from './explain-bill-lines.ts'
import { formatRefund } from './explain-refund.ts'
import { describeContext, explainUnknownMethod, suggestOption } from './context-arguments.ts'

/**
 * `unknown`: no such field or payment method. `hidden`: not shown for these answers. `no-effect`: prices ignore it.
 */
type InterpretedAnswer = {
  readonly field: string
  readonly given: unknown
  readonly outcome: 'kept' | 'read' | 'default' | 'hidden' | 'unknown' | 'empty' | 'no-effect'
  readonly answer: Answer | null
}
type PeriodExplanation = {
  readonly period: Period
  /** `holds-the-day`: the period contains the day. `other-dates`: the period applies to all other dates. */
  readonly because: 'holds-the-day' | 'other-dates'
  /** Later periods that also contain the day. Only the first in the file applies. */
  readonly alsoIn: readonly Period[]
}
type Cell = {
  readonly category: string
  readonly period: string
  readonly column: number
  readonly keyPath: readonly (string | number)[]
  readonly price: Amount
}
/** `rollcall event explain --json` prints these property names. */
export type Explanation = {
  readonly at: Instant
  readonly day: Day
  readonly period: PeriodExplanation | null
  readonly answers: readonly InterpretedAnswer[]
  /** The normalised answers with the context added. */
  readonly read: Answers
  /** The payment method that determines the price. Absent if no price depends on it. */
  readonly method?: string
  /** The currency of the bill, if the method does not accept it. */
  readonly rejectedCurrency?: Currency
  readonly category: CategoryExplanation
  readonly cell: Cell | null
  readonly tax: Tax | null
  readonly quote: Result<Quote, QuoteRefusal> | null
  /** The pricing context, in addition to the answers. */
  readonly facts: PricingContext
  /** The lines of the bill with their sources; empty without a price. */
  readonly lines: readonly LineExplanation[]
  readonly leftOut: readonly OmittedItem[]
  /** The fields that the form would still reject, in the form's order. */
  readonly errors: FieldErrors
}

/**
 * Explains the price for answers as received from a browser or a stored registration. `quote` is null for an event
 * without prices.
 */
export function explainPrice(
  event: EventConfig,
  raw: RawAnswers,
  at: Instant,
  context: PricingContext = EMPTY_CONTEXT,
  /** The total of a stored bill, from which the payment method is determined. */
  billedTotal: Amount | null = null,
): Explanation {
  const on = dayOf(at)
  const isMethodKnown = isMethodOf(event, getOwn(raw, METHOD_NAME))
  const statedAnswers = withStatedMethod(
    event,
    normalise(event, raw, context).answers,
    isMethodKnown ? raw : removeMethod(raw),
  )
  const category = findCategory(event, statedAnswers)
  const period = explainPeriod(event, on, category)
  const stored = { category, period: period?.period.id ?? '', total: billedTotal }
  const answers = addMethod(event, withBilledMethod(event, statedAnswers, stored, on), category, on)
  const method = event.fees.methods?.find(({ id }) => id === getOwn(answers, METHOD_NAME))
  const quoteResult = hasPrices(event) ? quote(withDeskDays(event, on), answers, at) : null
  const bill = quoteResult?.ok === true ? quoteResult.value : null
  return {
    at,
    day: on,
    period,
    answers: explainAnswers(
      event,
      event.fees.methods !== undefined && isMethodKnown ? removeMethod(raw) : raw,
      context,
    ),
    ...(method === undefined ? {} : { method: method.label }),
    ...(bill === null || method?.currencies?.includes(bill.currency) !== false
      ? {}
      : { rejectedCurrency: bill.currency }),
    read: answers,
    category: explainCategory(event, answers),
    cell: category === null || period === null ? null : findCell(event, category, period.period.id),
    tax: event.fees.tax,
    quote: quoteResult,
    facts: context,
    lines: bill === null ? [] : explainLines(event, answers, bill, on),
    leftOut: bill === null ? [] : listOmittedItems(event, answers, bill.category, on, bill.lines),
    errors: findAnswerErrors(event, raw, context),
  }
}

const isMethodOf = ({ methods }: EventConfig, method: unknown): boolean =>
  methods.some(({ id }) => id === method)
const removeMethod = ({ [METHOD_NAME]: _method, ...raw }: RawAnswers): RawAnswers => raw

function explainPeriod(
  event: EventConfig,
  on: Day,
  category: string | null,
): PeriodExplanation | null {
  const period = findPeriodOn(event.fees, on, category)
  if (period === null) return null
  const matchingPeriods = listPeriodsOfCategory(event.fees, category).filter((period) =>
    containsDay(period, on),
  )
  return {
    period,
    because: matchingPeriods.includes(period) ? 'holds-the-day' : 'other-dates',
    alsoIn: matchingPeriods.filter((other) => other !== period),
  }
}

function explainAnswers(
  event: EventConfig,
  raw: RawAnswers,
  context: PricingContext,
): readonly InterpretedAnswer[] {
  const { answers, droppedIds } = normalise(event, raw, context)
  const ids = event.fields.map((field) => field.id)
  const answersRead = Object.keys(raw).map((field): InterpretedAnswer => {
    const given = getOwn(raw, field)
    if (!ids.includes(field)) {
      const outcome = field === METHOD_NAME && isMethodOf(event, given) ? 'no-effect' : 'unknown'
      return { field, given, outcome, answer: null }
    }
    const answer = getOwn(answers, field) ?? null
    if (answer === null)
      return { field, given, outcome: droppedIds.includes(field) ? 'hidden' : 'empty', answer }
    const isKept = JSON.stringify(answer) === JSON.stringify(given)
    return { field, given, outcome: isKept ? 'kept' : 'read', answer }
  })
  const defaultAnswers = ids
    .filter((id) => !Object.hasOwn(raw, id) && Object.hasOwn(answers, id))
    .map((field): InterpretedAnswer => ({
      field,
      given: undefined,
      outcome: 'default',
      answer: getOwn(answers, field) ?? null,
    }))
  return [...answersRead, ...defaultAnswers]
}

function findCell(event: EventConfig, category: string, period: string): Cell | null {
  const price = getOwn(getOwn(event.fees.prices ?? {}, category) ?? {}, period) ?? null
  const column = Object.keys(getOwn(event.fees.prices ?? {}, category) ?? {}).indexOf(period)
  return price === null
    ? null
    : {
        category,
        period,
        column: column + 1,
        keyPath: [...getPricesPath(event, category), category, column],
        price,
      }
}

/**
 * Formats the explanation as lines. `lineNumber` returns the line of a path in the event file if the text is available.
 */
export function formatExplanation(
  event: EventConfig,
  explanation: Explanation,
  lineNumber: FindLine = () => null,
): string {
  const { cell } = explanation
  const decidingFields = new Set(
    collectConditions(event)
      .flat(2)
      .map(({ field }) => field),
  )
  const refusalRows =
    explanation.quote !== null && !explanation.quote.ok
      ? [['price', formatRefusal(event, explanation, explanation.quote.error, lineNumber)] as const]
      : []
  const acceptedQuote = explanation.quote?.ok === true ? explanation.quote.value : null
  const rows: readonly (readonly [string, string])[] = [
    ['period', formatPeriod(explanation.period, explanation.day)],
    // Omits defaults that do not affect the price.
    ...explanation.answers
      .filter(({ outcome, field }) => outcome !== 'default' || decidingFields.has(field))
      .map((answer) => ['answer', describeAnswer(event, answer)] as const),
    ...describeContext(event, explanation.facts).map((text) => ['fact', text] as const),
    ...(explanation.method === undefined
      ? []
      : [['method', describeMethod(explanation.method, explanation.rejectedCurrency)] as const]),
    ...formatCategory(event, explanation.category, explanation.facts),
    ...refusalRows,
    ...(explanation.quote === null ? [['price', 'this event is free of charge'] as const] : []),
    ...(acceptedQuote === null || cell === null
      ? []
      : hasItemsOrTaxes(event)
        ? formatBill(explanation.lines, explanation.leftOut, acceptedQuote, lineNumber)
        : [
            [
              'price',
              `${formatPrice(cell.price, getCurrency(event, cell.category))}  ${getPricesPath(event, cell.category).join('.')}.${cell.category}, column ${cell.column}, ${cell.period}${formatLineNumber(lineNumber(cell.keyPath))}`,
            ] as const,
            ...(explanation.tax === null || cell.price === 0
              ? []
              : [['tax', formatTax(explanation.tax, cell.price, acceptedQuote)] as const]),
            ['total', formatPrice(acceptedQuote.total, getCurrency(event, cell.category))] as const,
          ]),
    ...(acceptedQuote === null ? [] : formatRefund(event, acceptedQuote, explanation.day)),
    ...Object.entries(explanation.errors).map(
      ([field, message]) => ['form', `missing ${field}: ${message}`] as const,
    ),
  ]
  return [
    `${formatInstant(explanation.at)} in India`,
    ...rows.map(([noun, text]) => `${noun.padEnd(9)} ${text}`),
  ].join('\n')
}

function describeMethod(label: string, refusedCurrency: Currency | undefined): string {
  return refusedCurrency === undefined
    ? label
    : `${label}: does not accept ${refusedCurrency}, so delegates cannot pay this bill with it`
}

function formatPeriod(explanation: PeriodExplanation | null, on: Day): string {
  if (explanation === null)
    return `none contains ${formatDay(on)}: registration is closed on that day`
  const { id, from, to } = explanation.period
  const span =
    from === undefined && to === undefined
      ? 'any day'
      : `${from === undefined ? '…' : formatDay(from)} to ${to === undefined ? '…' : formatDay(to)}`
  if (explanation.because === 'other-dates')
    return `${id}, the period for all other dates (its own dates: ${span})`
  return `${id}  ${span}${explanation.alsoIn.length === 0 ? '' : `; the day is also in ${explanation.alsoIn.map((period) => period.id).join(', ')}, but the first one listed applies`}`
}

function describeAnswer(
  event: EventConfig,
  { field, given, outcome, answer }: InterpretedAnswer,
): string {
  const givenText = JSON.stringify(given) ?? 'nothing'
  switch (outcome) {
    case 'kept':
      return `${field}: ${givenText}${explainUnknownOption(event, field, given)}`
    case 'read':
      return `${field}: ${givenText} read as ${JSON.stringify(answer)}`
    case 'default':
      return `${field}: not given, so its default ${JSON.stringify(answer)}`
    case 'hidden':
      return `${field} dropped: the field is not shown`
    case 'unknown':
      return field === METHOD_NAME
        ? `${field} dropped: ${explainUnknownMethod(event, givenText)}`
        : `${field} dropped: ${suggestOption(event, field, given) ?? `there is no such field${suggestField(event, field)}`}`
    case 'no-effect':
      return `${field}: ${givenText} does not change this price`
    case 'empty':
      return `${field}: ${givenText} counts as not answered`
  }
}

function suggestField(event: EventConfig, field: string): string {
  const ids = event.fields.map(({ id }) => id)
  const nearest =
    findNearest(field, ids)?.name ??
    ids.find((id) => field.length > 2 && id.includes(field.toLowerCase().replace(/[ -]/g, '_')))
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}

/**
 * Explains an answer that is not an option and so matches no rule, and suggests the intended
 * option.
 */
function explainUnknownOption(event: EventConfig, id: string, given: unknown): string {
  const field = event.fields.find((field) => field.id === id)
  if (field?.type === 'yes-no' && typeof given === 'string')
    return ` is neither true nor false${/^(y|yes|ja|haan?|1|on)$/i.test(given) ? '; did you mean true?' : /^(no?|0|off)$/i.test(given) ? '; did you mean false?' : ''}`
  if (field?.options === undefined || typeof given !== 'string') return ''
  if (field.options.some((option) => option.id === given)) return ''
  const optionByLabel = field.options.find(
    ({ label }) => label.toLowerCase() === given.toLowerCase(),
  )?.id
  const nearest =
    optionByLabel ??
    findNearest(
      given,
      field.options.map((option) => option.id),
    )?.name
  return ` is not one of its options${nearest === undefined ? `: ${formatList(field.options.map((option) => option.id))}` : `; did you mean ${nearest}?`}`
}

function formatCategory(
  event: EventConfig,
  explanation: CategoryExplanation,
  context: PricingContext,
): readonly (readonly [string, string])[] {
  if (explanation.by === 'field')
    return [
      [
        'category',
        explanation.category === null
          ? `none: ${explanation.field} ${explanation.answer === null ? 'is not answered' : `is ${JSON.stringify(explanation.answer)}, which is not a category`}`
          : explanation.answer === explanation.category
            ? `${explanation.category}, chosen in ${explanation.field}`
            : `${explanation.category}, ${formatCodeEffect(event, context)}`,
      ],
    ]
  const ruleRows = explanation.tried.map(
    ({ rule, isMatch, condition, then, failingTest }) =>
      [
        `rule ${rule}`,
        `${isMatch ? '✔' : '✘'} ${condition}${isMatch ? ` → ${then}` : failingTest === null ? '' : ` (here ${failingTest})`}`,
      ] as const,
  )
  const categoryByRules = explanation.tried.find(({ isMatch }) => isMatch)?.then ?? null
  if (explanation.category === null) return [...ruleRows, ['category', 'none: no rule applies']]
  if (explanation.category !== categoryByRules)
    return [
      ...ruleRows,
      ['category', `${explanation.category}, ${formatCodeEffect(event, context)}`],
    ]
  return event.fees.prices === null ? [...ruleRows, ['category', explanation.category]] : ruleRows
}

/** Explains why the category differs from the one that the answers determine. */
function formatCodeEffect(event: EventConfig, { code }: PricingContext): string {
  const codeEffect = event.codeKinds.find(
    ({ id }) => code?.is === 'valid' && id === code.kind,
  )?.gives
  return codeEffect !== undefined && 'category' in codeEffect
    ? 'given by the code'
    : 'offered because the requested category is full'
}

function formatRefusal(
  event: EventConfig,
  explanation: Explanation,
  refusal: QuoteRefusal,
  lineNumber: FindLine,
): string {
  switch (refusal.code) {
    case 'no_category':
      return 'none: without a category there is no price'
    case 'not_on_sale':
      return refusal.item === null
        ? `none: ${refusal.category} is not on sale in ${refusal.period}`
        : `none: ${formatNotOnSale(event, explanation.read, refusal, lineNumber)}`
    case 'registration_closed':
      return `none: ${refusal.text}`
  }
}
