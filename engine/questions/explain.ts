/** Why this delegate pays this amount: how each answer was read, which rules were tried, which cell of the price table counts, and the tax. */
import type { EventConfig } from '../config.ts'
import type { Answer, FieldErrors, RawAnswers } from '../answer.ts'
import type { Period } from '../sale.ts'
import { errorsOf, normalise } from '../answers.ts'
import { categoryOf, explainCategory, type CategoryExplained } from '../category.ts'
import { conditionsOf } from '../check/proof/axes.ts'
import { formatMoney, formatPrice, type Paise, type Tax, type Split } from '../money.ts'
import { holdsDay, periodOn } from '../period.ts'
import { listed, nearest } from '../check/near.ts'
import { quote, statesPrices, type Quote, type QuoteRefusal } from '../quote.ts'
import { own, type Result } from '../outcome.ts'
import { dayOf, formatDay, formatInstant, type Day, type Instant } from '../time.ts'

/** What became of one answer. `unknown`: there is no such field. `hidden`: the field is not shown for these answers. */
type AnswerRead = {
  readonly field: string
  readonly gave: unknown
  readonly became: 'kept' | 'read' | 'default' | 'hidden' | 'unknown' | 'empty'
  readonly answer: Answer | null
}
type PeriodExplained = {
  readonly period: Period
  /** The day lies in it, or it is the period of every other day. */
  readonly because: 'holds-the-day' | 'other-dates'
  /** Later periods that hold the day too; the first listed counts. */
  readonly alsoIn: readonly Period[]
}
type Cell = {
  readonly category: string
  readonly period: string
  readonly column: number
  readonly keyPath: readonly (string | number)[]
  readonly price: Paise
}
export type Explanation = {
  readonly at: Instant
  readonly day: Day
  readonly period: PeriodExplained | null
  readonly answers: readonly AnswerRead[]
  readonly category: CategoryExplained
  readonly cell: Cell | null
  readonly tax: Tax | null
  readonly quote: Result<Quote, QuoteRefusal> | null
  /** What the form would still refuse, in form order. */
  readonly errors: FieldErrors
}

/** `raw` as a browser or a stored registration has it. `quote` is null for an event without prices. */
export function explain(event: EventConfig, raw: RawAnswers, at: Instant): Explanation {
  const on = dayOf(at)
  const { answers } = normalise(event, raw)
  const period = explainPeriod(event, on)
  const category = categoryOf(event, answers)
  return {
    at,
    day: on,
    period,
    answers: explainAnswers(event, raw),
    category: explainCategory(event, answers),
    cell: category === null || period === null ? null : cellOf(event, category, period.period.id),
    tax: event.fees.tax,
    quote: statesPrices(event) ? quote(event, answers, at) : null,
    errors: errorsOf(event, raw),
  }
}

function explainPeriod(event: EventConfig, on: Day): PeriodExplained | null {
  const period = periodOn(event.fees, on)
  if (period === null) return null
  const holding = event.fees.periods.filter((one) => holdsDay(one, on))
  return {
    period,
    because: holding.includes(period) ? 'holds-the-day' : 'other-dates',
    alsoIn: holding.filter((other) => other !== period),
  }
}

function explainAnswers(event: EventConfig, raw: RawAnswers): readonly AnswerRead[] {
  const { answers, dropped } = normalise(event, raw)
  const ids = event.fields.map((field) => field.id)
  const given = Object.keys(raw).map((field): AnswerRead => {
    const gave = own(raw, field)
    if (!ids.includes(field)) return { field, gave, became: 'unknown', answer: null }
    const answer = own(answers, field) ?? null
    if (answer === null)
      return { field, gave, became: dropped.includes(field) ? 'hidden' : 'empty', answer }
    return { field, gave, became: answer === gave ? 'kept' : 'read', answer }
  })
  const filled = ids
    .filter((id) => !Object.hasOwn(raw, id) && Object.hasOwn(answers, id))
    .map((field): AnswerRead => ({
      field,
      gave: undefined,
      became: 'default',
      answer: own(answers, field) ?? null,
    }))
  return [...given, ...filled]
}

function cellOf(event: EventConfig, category: string, period: string): Cell | null {
  const price = own(own(event.fees.prices ?? {}, category) ?? {}, period) ?? null
  const column = Object.keys(own(event.fees.prices ?? {}, category) ?? {}).indexOf(period)
  return price === null
    ? null
    : { category, period, column: column + 1, keyPath: ['fees', 'prices', category, column], price }
}

/** As lines for people. `lineOf` finds the line of a place in the event file, where its text is at hand. */
export function sayExplanation(
  event: EventConfig,
  it: Explanation,
  lineOf: (keyPath: readonly (string | number)[]) => number | null = () => null,
): string {
  const { cell } = it
  const decides = new Set(
    conditionsOf(event)
      .flat(2)
      .map(({ field }) => field),
  )
  const refused =
    it.quote !== null && !it.quote.ok ? [['price', sayRefusal(it.quote.error)] as const] : []
  const priced = it.quote?.ok === true ? it.quote.value : null
  const line = cell === null ? null : lineOf(cell.keyPath)
  const rows: readonly (readonly [string, string])[] = [
    ['period', sayPeriod(it.period, it.day)],
    // A default that nothing depends on explains nothing.
    ...it.answers
      .filter(({ became, field }) => became !== 'default' || decides.has(field))
      .map((answer) => ['answer', sayAnswer(event, answer)] as const),
    ...sayCategory(event, it.category),
    ...refused,
    ...(it.quote === null ? [['price', 'this event asks for no money'] as const] : []),
    ...(priced === null || cell === null
      ? []
      : [
          [
            'price',
            `${formatPrice(cell.price)}  fees.prices.${cell.category}, column ${cell.column}, ${cell.period}${line === null ? '' : ` (line ${line})`}`,
          ] as const,
        ]),
    ...(priced === null || cell === null
      ? []
      : [
          ...(it.tax === null || cell.price === 0
            ? []
            : [['tax', sayTax(it.tax, cell.price, priced)] as const]),
          ['total', formatPrice(priced.total)] as const,
        ]),
    ...Object.entries(it.errors).map(
      ([field, message]) => ['form', `still asks for ${field}: ${message}`] as const,
    ),
  ]
  return [
    `${formatInstant(it.at)} in India`,
    ...rows.map(([what, text]) => `${what.padEnd(9)} ${text}`),
  ].join('\n')
}

function sayPeriod(it: PeriodExplained | null, on: Day): string {
  if (it === null) return `none holds ${formatDay(on)}: registration is closed on that day`
  const { id, from, to } = it.period
  const span =
    from === undefined && to === undefined
      ? 'any day'
      : `${from === undefined ? '…' : formatDay(from)} to ${to === undefined ? '…' : formatDay(to)}`
  if (it.because === 'other-dates')
    return `${id}, the period of every other date (its own days: ${span})`
  return `${id}  ${span}${it.alsoIn.length === 0 ? '' : `; the day is also in ${it.alsoIn.map((period) => period.id).join(', ')}, but the first listed counts`}`
}

function sayAnswer(event: EventConfig, { field, gave, became, answer }: AnswerRead): string {
  const said = JSON.stringify(gave) ?? 'nothing'
  switch (became) {
    case 'kept':
      return `${field}: ${said}${notAnOption(event, field, gave)}`
    case 'read':
      return `${field}: ${said} read as ${JSON.stringify(answer)}`
    case 'default':
      return `${field}: not given, so its default ${JSON.stringify(answer)}`
    case 'hidden':
      return `${field} dropped: the field is not shown`
    case 'unknown':
      return `${field} dropped: there is no such field${fieldMeant(event, field)}`
    case 'empty':
      return `${field}: ${said} counts as not answered`
  }
}

function fieldMeant(event: EventConfig, field: string): string {
  const ids = event.fields.map(({ id }) => id)
  const near =
    nearest(field, ids)?.name ??
    ids.find((id) => field.length > 2 && id.includes(field.toLowerCase().replace(/[ -]/g, '_')))
  return near === undefined ? '' : `; did you mean ${near}?`
}

/** An answer that the field does not offer fits no rule; what it was meant to be. */
function notAnOption(event: EventConfig, id: string, gave: unknown): string {
  const field = event.fields.find((one) => one.id === id)
  if (field?.type === 'yes-no' && typeof gave === 'string')
    return ` is neither true nor false${/^(y|yes|ja|haan?|1|on)$/i.test(gave) ? '; did you mean true?' : /^(no?|0|off)$/i.test(gave) ? '; did you mean false?' : ''}`
  if (field?.options === undefined || typeof gave !== 'string') return ''
  if (field.options.some((option) => option.id === gave)) return ''
  const labelled = field.options.find(({ label }) => label.toLowerCase() === gave.toLowerCase())?.id
  const near =
    labelled ??
    nearest(
      gave,
      field.options.map((option) => option.id),
    )?.name
  return ` is none of its options${near === undefined ? `: ${listed(field.options.map((option) => option.id))}` : `; did you mean ${near}?`}`
}

function sayCategory(
  event: EventConfig,
  it: CategoryExplained,
): readonly (readonly [string, string])[] {
  if (it.by === 'field')
    return [
      [
        'category',
        it.category === null
          ? `none: ${it.field} ${it.answer === null ? 'is not answered' : `is ${JSON.stringify(it.answer)}, which is no category`}`
          : `${it.category}, chosen in ${it.field}`,
      ],
    ]
  const tried = it.tried.map(
    ({ rule, fits, says, then, but }) =>
      [
        `rule ${rule}`,
        `${fits ? '✔' : '✘'} ${says}${fits ? ` → ${then}` : but === null ? '' : ` (here ${but})`}`,
      ] as const,
  )
  return it.category === null
    ? [...tried, ['category', 'none: no rule fits']]
    : event.fees.prices === null
      ? [...tried, ['category', it.category]]
      : tried
}

function sayRefusal(refusal: QuoteRefusal): string {
  switch (refusal.code) {
    case 'no_category':
      return 'none: without a category there is no price'
    case 'not_on_sale':
      return `none: ${refusal.category} is not on sale in ${refusal.period}`
    case 'registration_closed':
      return `none: ${refusal.text}`
  }
}

/** "₹ 5,000 ÷ 1.18 = ₹ 4,237 (to whole rupees), the rest ₹ 763 is GST" */
export function sayTax(tax: Tax, price: Paise, { base, gst }: Split): string {
  const rounding = tax.round === 'rupee' ? ' (to whole rupees)' : ''
  if (tax.prices === 'exclusive')
    return `${formatMoney(price)} × ${tax.percent}% = ${formatMoney(gst)}${rounding} ${tax.name}, added to the price`
  return `${formatMoney(price)} ÷ ${Number((1 + tax.percent / 100).toFixed(8))} = ${formatMoney(base)}${rounding}, the rest ${formatMoney(gst)} is ${tax.name}`
}
