/**
 * The whole price list of an event, and who gets which category, free of the order of the rules.
 * By column, never by a period's first day: where two periods share a day the first one owns it, and
 * a table made by days would show the wrong column for the second.
 */
import type { EventConfig } from '../config.ts'
import type { Answers } from '../answer.ts'
import { normalise } from '../answers.ts'
import { categoryOf } from '../category.ts'
import { axesOfCategory, pointsOf, sayTogether } from '../check/proof/points.ts'
import { formatMoney, formatPrice, type Split } from '../money.ts'
import { priceTable, type PriceRow } from '../quote.ts'
import { formatDay } from '../time.ts'

type WhoGets = { readonly category: string; readonly answers: readonly string[] }
type Simulation = {
  readonly prices: readonly PriceRow[]
  /** For each category the answers that lead to it, in as few lines as fit; "" alone stands for everybody. Null when there are too many combinations to list. */
  readonly who: readonly WhoGets[] | null
  /** Answers that get no category at all; a checked file has none where rules decide. */
  readonly nobody: readonly string[]
  /** Dotted paths of stand-in values, so that nobody takes a demo price for a price. */
  readonly demo: readonly string[]
}

export function simulate(event: EventConfig): Simulation {
  return { prices: priceTable(event), ...whoGetsWhat(event), demo: event.demo }
}

function whoGetsWhat(event: EventConfig): Pick<Simulation, 'who' | 'nobody'> {
  if (event.categoryChoice.by === 'field') {
    const { field } = event.categoryChoice
    return {
      who: event.categories
        .filter((category) => !category.listedOnly)
        .map((category) => ({ category: category.id, answers: [`${field}: ${category.id}`] })),
      nobody: [`${field}: not answered`],
    }
  }
  const axes = axesOfCategory(event)
  const points = pointsOf(axes)
  if (points === null) return { who: null, nobody: [] }
  const byCategory = new Map<string | null, Answers[]>()
  for (const point of points) {
    // Hidden answers are dropped first, as they are for a real delegate; impossible points fold onto possible ones.
    const { answers } = normalise(event, point.answers)
    const category = categoryOf(event, answers)
    byCategory.set(category, [...(byCategory.get(category) ?? []), answers])
  }
  const all = [...byCategory.values()].flat()
  const say = (category: string | null): readonly string[] =>
    sayTogether(axes, byCategory.get(category) ?? [], all)
  return {
    who: event.categories.flatMap(({ id }) =>
      byCategory.has(id) ? [{ category: id, answers: say(id) }] : [],
    ),
    nobody: say(null),
  }
}

/** As lines for people: one block for each period, then who gets which category. */
export function saySimulation(event: EventConfig, it: Simulation): string {
  const demo = (path: string): string =>
    it.demo.some((stand) => path === stand || path.startsWith(`${stand}.`)) ? ' (demo values)' : ''
  const { tax } = event.fees
  const periods = event.fees.periods.map((period, column) => {
    const span =
      period.from === undefined && period.to === undefined
        ? 'any day'
        : `${period.from === undefined ? 'from the beginning' : formatDay(period.from)} to ${period.to === undefined ? 'the end' : formatDay(period.to)}`
    const rows = it.prices.map(({ category, cells }) => [
      category.id,
      ...cellTexts(cells[column]?.price ?? null, tax !== null),
      category.listedOnly ? 'price list only' : '',
    ])
    const heads = tax === null ? ['price'] : ['base', tax.name, 'total']
    return `${period.id}  ${span}${demo('fees.periods')}\n${table([['category', ...heads, ''], ...rows], event.fees.prices === null ? [] : heads.map((_, i) => i + 1))}`
  })
  const taxed =
    tax === null
      ? ''
      : ` ${tax.name} ${tax.percent}%, ${tax.prices === 'exclusive' ? 'added to the price' : 'inside the price'}.`
  const who =
    it.who === null
      ? ['Who gets which category: too many combinations of answers to list.']
      : [
          'Who gets which category',
          ...it.who.flatMap(({ category, answers }) =>
            answers.map(
              (text, i) =>
                `  ${(i === 0 ? category : '').padEnd(widest(it.who?.map((one) => one.category) ?? []))}  ${text === '' ? 'everybody' : text}`,
            ),
          ),
          ...it.nobody.map((text) => `  nobody yet: ${text === '' ? 'everybody' : text}`),
        ]
  return [
    ...(event.fees.prices === null
      ? [`${event.title} asks for no money.`]
      : [`${event.title}.${taxed}${demo('fees.prices')}`, ...periods]),
    who.join('\n'),
    ...(it.demo.length === 0
      ? []
      : [`Demo values, not to be taken for true: ${it.demo.join(', ')}.`]),
  ].join('\n\n')
}

/** Base, tax and total; without a tax the total is all. */
function cellTexts(price: Split | null, isTaxed: boolean): readonly string[] {
  const cells =
    price === null
      ? ['–', '–', 'not on sale']
      : price.total === 0
        ? ['–', '–', formatPrice(price.total)]
        : [price.base, price.gst, price.total].map(formatMoney)
  return isTaxed ? cells : cells.slice(-1)
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => text.length))
}

/** Columns side by side; those named in `right` stand to the right. */
function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths = (rows[0] ?? []).map((_, column) => widest(rows.map((row) => row[column] ?? '')))
  return rows
    .map((row) =>
      `  ${row.map((text, column) => (right.includes(column) ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0))).join('  ')}`.trimEnd(),
    )
    .join('\n')
}
