/**
 * Lists all prices of an event and the answers for each category.
 *
 * Prices are listed per period, not per day. If two periods share a day, only the first applies, so a list per day
 * would show the first period's prices for the second.
 */
import type { EventConfig } from '../../event/config.ts'
import type { Answer, Answers } from '../../event/answer-types.ts'
import { getCurrency, findCategory } from '../../rules/category.ts'
import { proveBill, type PossibleBill } from '../proofs/bill-bounds.ts'
import {
  toAnswers,
  listCategoryAxes,
  listPoints,
  formatPoints,
} from '../proofs/answer-combinations.ts'
import { formatLines } from '../../pricing/bill-lines.ts'
import { formatCurrency, formatMoney, formatPrice, type Currency } from '../../lib/money.ts'
import type { Split } from '../../pricing/line-tax-and-rounding.ts'
import { buildPriceTable, type PriceRow, buildPriceTables } from '../../pricing/quote.ts'
import type { Period } from '../../event/pricing-types.ts'
import { formatDay, formatDays, type Day } from '../../lib/time.ts'
import { hasItemsOrTaxes } from './explain-bill-lines.ts'
import {
  buildPriceList,
  listRuleGroups,
  formatListedTax,
  type ListedRow,
  type PriceList,
} from './price-list.ts'

type CategoryAnswers = { readonly category: string; readonly answers: readonly string[] }
type Simulation = {
  readonly prices: readonly PriceRow[]
  /**
   * The answers that lead to each category, in as few lines as possible. A single "" means all answers. Null if there
   * are too many combinations to list.
   */
  readonly byCategory: readonly CategoryAnswers[] | null
  /** Answers that do not lead to any category. A checked file with rules has none. */
  readonly withoutCategory: readonly string[]
  /** Items sold in addition to registration, with all adjustments and quotas. Null if there are none. */
  readonly list: PriceList | null
  /**
   * The lowest and highest possible bills. Null if the event sells only registration, or if there are too many answers
   * to check.
   */
  readonly extremes:
    | readonly {
        readonly currency: Currency
        readonly cheapest: PossibleBill | null
        readonly mostExpensive: PossibleBill | null
      }[]
    | null
  /** The days on which staff register delegates at the front desk. Absent if the file states none. */
  readonly desk?: { readonly opens: Day; readonly closes: Day }
  /** The dotted paths of placeholder values, so that readers do not mistake a placeholder price for a real one. */
  readonly demo: readonly string[]
}

export function simulatePrices(event: EventConfig): Simulation {
  return {
    prices: buildPriceTable(event),
    ...listDelegatesByCategory(event),
    list: sellsMoreThanRegistrations(event) ? buildPriceList(event) : null,
    extremes: hasItemsOrTaxes(event) ? proveBill(event).extremes : null,
    ...(event.registration.desk === undefined ? {} : { desk: event.registration.desk }),
    demo: event.demo,
  }
}

/** Returns true if there is more to list than one price per category and period. */
function sellsMoreThanRegistrations(event: EventConfig): boolean {
  const { quotas, unique, codeKinds, memberLists } = event
  return (
    hasItemsOrTaxes(event) ||
    quotas.length + unique.length + codeKinds.length + memberLists.length > 0
  )
}

function listDelegatesByCategory(
  event: EventConfig,
): Pick<Simulation, 'byCategory' | 'withoutCategory'> {
  if (event.categoryChoice.by === 'field') {
    const { field } = event.categoryChoice
    return {
      byCategory: event.categories
        .filter((category) => !category.listedOnly)
        .map((category) => ({ category: category.id, answers: [`${field}: ${category.id}`] })),
      withoutCategory: [`${field}: not answered`],
    }
  }
  const axes = listCategoryAxes(event)
  const points = listPoints(axes)
  if (points === null) return { byCategory: null, withoutCategory: [] }
  const byCategory = new Map<string | null, Answers[]>()
  for (const point of points) {
    const answers = toAnswers(event, point.answers)
    const category = findCategory(event, answers)
    byCategory.set(category, [...(byCategory.get(category) ?? []), answers])
  }
  const allAnswers = [...byCategory.values()].flat()
  const describePoints = (category: string | null): readonly string[] =>
    formatPoints(axes, byCategory.get(category) ?? [], allAnswers)
  return {
    byCategory: event.categories.flatMap(({ id }) => {
      const answers = [
        ...(byCategory.has(id) ? describePoints(id) : []),
        ...listOtherSources(event, id),
      ]
      return answers.length === 0 ? [] : [{ category: id, answers }]
    }),
    withoutCategory: describePoints(null),
  }
}

/** Returns the discount codes that give a category and the quotas that offer it. They do not depend on the answers. */
function listOtherSources({ codeKinds, quotas }: EventConfig, category: string): readonly string[] {
  return [
    ...codeKinds.flatMap(({ id, gives }) =>
      'category' in gives && gives.category === category ? [`code: ${id}`] : [],
    ),
    ...quotas.flatMap(({ id, full }) => (full.offer === category ? [`where ${id} is full`] : [])),
  ]
}

/** Formats the simulation: one block per period, then the answers for each category. */
export function formatSimulation(event: EventConfig, simulation: Simulation): string {
  const markDemo = (path: string): string =>
    simulation.demo.some((demoPath) => path === demoPath || path.startsWith(`${demoPath}.`))
      ? ' (demo values)'
      : ''
  const { tax } = event.fees
  const { list } = simulation
  const { fees } = event
  const priceBlocks =
    fees.groups === undefined
      ? [{ label: null, periods: fees.periods, rows: simulation.prices }]
      : buildPriceTables(event)
  const periods = priceBlocks.flatMap(({ label, periods: columns, rows: priceRows }) =>
    columns.map((period, column) => {
      const rows = priceRows.map(({ category, cells }) => [
        category.id,
        ...formatCell(cells[column]?.price ?? null, tax !== null, getCurrency(event, category.id)),
        category.listedOnly ? 'price list only' : '',
      ])
      const heads = tax === null ? ['price'] : ['base', tax.name, 'total']
      const name = label === null ? period.id : `${label}: ${period.id}`
      return `${name}  ${formatSpan(period)}${markDemo(label === null ? 'fees.periods' : 'fees.price_groups')}\n${formatTable([['category', ...heads, ''], ...rows], fees.prices === null ? [] : heads.map((_, i) => i + 1))}`
    }),
  )
  const taxText = tax === null ? '' : ` ${formatListedTax(tax)}.`
  const categoryLines =
    simulation.byCategory === null
      ? ['Who gets which category: too many combinations of answers to list.']
      : [
          'Who gets which category',
          ...simulation.byCategory.flatMap(({ category, answers }) =>
            answers.map(
              (text, i) =>
                `  ${(i === 0 ? category : '').padEnd(measureWidest(simulation.byCategory?.map((one) => one.category) ?? []))}  ${text === '' ? 'all answers' : text}`,
            ),
          ),
          ...simulation.withoutCategory.map(
            (text) => `  no category: ${text === '' ? 'all answers' : text}`,
          ),
        ]
  return [
    ...(event.fees.prices === null
      ? [`${event.title} is free of charge.`]
      : [
          `${event.title}.${taxText}${markDemo('fees.prices')}`,
          ...(list !== null && hasItemsOrTaxes(event)
            ? formatTables(event, list, markDemo)
            : periods),
        ]),
    ...(simulation.desk === undefined
      ? []
      : [`Front desk (staff only)  ${formatDays(simulation.desk.opens, simulation.desk.closes)}`]),
    ...(list === null ? [] : formatRules(list)),
    ...(hasItemsOrTaxes(event) ? formatExtremes(simulation.extremes) : []),
    categoryLines.join('\n'),
    ...(simulation.demo.length === 0
      ? []
      : [`Demo values (placeholders): ${simulation.demo.join(', ')}.`]),
  ].join('\n\n')
}

function formatSpan({ from, to }: Period): string {
  return from === undefined && to === undefined
    ? 'any day'
    : `${from === undefined ? 'from the beginning' : formatDay(from)} to ${to === undefined ? 'the end' : formatDay(to)}`
}

/**
 * Formats the periods, then a small table for registration and for each item, with prices as in the
 * file.
 */
function formatTables(
  event: EventConfig,
  { tables }: PriceList,
  demo: (path: string) => string,
): readonly string[] {
  const { periods } = event.fees
  const listCells = (row: ListedRow): readonly string[] => [
    ...row.cells.map((price) =>
      price === null ? 'not on sale' : formatPrice(price, row.currency),
    ),
    row.note ?? '',
  ]
  return [
    `Periods${demo('fees.periods')}\n${formatTable(periods.map((period) => [period.id, formatSpan(period)]))}`,
    ...tables.map(({ id, label, about, parts, periods: columns }) => {
      const heads = columns.map((period) =>
        columns === periods ? period.id : `${period.id} (${formatSpan(period)})`,
      )
      const rows = parts.flatMap(({ when, rows: partRows }) => [
        ...(when === null ? [] : [[`${when}:`]]),
        ...partRows.map((row) => [`${when === null ? '' : '  '}${row.id}`, ...listCells(row)]),
      ])
      const isGroup = id === 'registration' && columns !== periods
      const heading =
        id === 'registration'
          ? `${label}${isGroup ? demo('fees.price_groups') : ''}`
          : `${id}  ${label}`
      return [
        [heading, ...about].join(', '),
        ...(rows.length === 0
          ? []
          : [
              formatTable(
                [['', ...heads, ''], ...rows],
                heads.map((_, i) => i + 1),
              ),
            ]),
      ].join('\n')
    }),
  ]
}

/** Formats adjustments and restrictions, with one block per kind of rule. */
const formatRules = (list: PriceList): readonly string[] =>
  listRuleGroups(list).map(
    ({ title, rules }) =>
      `${title}\n${formatTable(rules.map(({ id, description }) => [id, description]))}`,
  )

/**
 * Formats the lowest and the highest possible bill, each on several lines. Empty if the event sells only registration.
 */
export const formatExtremeBills = (event: EventConfig): readonly string[] =>
  hasItemsOrTaxes(event) ? formatExtremes(proveBill(event).extremes) : []

function formatExtremes(simulation: Simulation['extremes']): readonly string[] {
  if (simulation === null)
    return ['Lowest and highest bill: too many combinations of answers to check.']
  const formatCurrencySuffix = (currency: Currency): string =>
    simulation.length === 1 ? '' : ` in ${formatCurrency(currency)}`
  const describeBill = (
    name: string,
    currency: Currency,
    bill: PossibleBill | null,
  ): readonly string[] =>
    bill === null
      ? []
      : [`${name} bill${formatCurrencySuffix(currency)}: ${formatPossibleBill(currency, bill)}`]
  return simulation.flatMap(({ currency, cheapest, mostExpensive }) => [
    ...describeBill('Lowest', currency, cheapest),
    ...describeBill('Highest', currency, mostExpensive),
  ])
}

/** Formats total, category, period and day, then the answers that give them, then the lines. */
function formatPossibleBill(currency: Currency, bill: PossibleBill): string {
  const { answers, category, period, on, lines, total } = bill
  const givenAnswers = Object.entries(answers).map(
    ([field, answer]) => `${field}: ${formatGivenAnswer(answer)}`,
  )
  return [
    `${formatPrice(total, currency)}, ${category} in ${period}, such as on ${formatDay(on)}`,
    ...(givenAnswers.length === 0 ? [] : [`  given ${givenAnswers.join(', ')}`]),
    ...formatLines(lines, currency)
      .split('\n')
      .map((line) => `  ${line}`),
  ].join('\n')
}

/** Formats an answer so that the user can enter it again. Lists identical people once, with their number. */
function formatGivenAnswer(answer: Answer): string {
  if (typeof answer === 'boolean') return answer ? 'yes' : 'no'
  // The value that represents every string is surrounded by spaces, which no form sends.
  if (typeof answer !== 'object') return String(answer).trim()
  const entryTexts = answer.map((entry) => {
    if (typeof entry === 'string') return entry
    const parts = Object.entries(entry).map(
      ([part, value]) => `${part}: ${formatGivenAnswer(value)}`,
    )
    return parts.length === 0 ? '' : `(${parts.join(', ')})`
  })
  return [...new Set(entryTexts)]
    .map((entry) => {
      const times = entryTexts.filter((other) => other === entry).length
      // People whose answers do not matter have no text.
      if (entry === '') return `${times} ${times === 1 ? 'person' : 'people'}`
      return times === 1 ? entry : `${times} × ${entry}`
    })
    .join(' and ')
}

/** Formats base, tax and total, or only the total if there is no tax. */
function formatCell(price: Split | null, isTaxed: boolean, currency: Currency): readonly string[] {
  const cells =
    price === null
      ? ['–', '–', 'not on sale']
      : price.total === 0
        ? ['–', '–', formatPrice(price.total, currency)]
        : [price.base, price.gst, price.total].map((part) => formatMoney(part, currency))
  return isTaxed ? cells : cells.slice(-1)
}

function measureWidest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => text.length))
}

/** Formats columns side by side; the columns in `right` are right-aligned. */
function formatTable(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  // A row with one cell is a heading of any length.
  const widths = (rows[0] ?? []).map((_, column) =>
    measureWidest(rows.map((row) => (row.length === 1 ? '' : (row[column] ?? '')))),
  )
  return rows
    .map((row) =>
      `  ${row.map((text, column) => (right.includes(column) ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0))).join('  ')}`.trimEnd(),
    )
    .join('\n')
}
