/** Writes the items of a new event: accompanying persons, and workshops with their seats. */
import {
  INR,
  formatPlainAmount,
  toAmount,
  type Currency,
  type Amount,
  type Tax,
} from '../../../lib/money.ts'
import { splitPrice } from '../../../pricing/line-tax-and-rounding.ts'
import { formatList } from '../../suggestions/nearest-name.ts'
import { expandPrices, type FilePeriod } from './price-periods.ts'
import type { SampleCompanions, SampleWorkshop } from './sample-options.ts'
import {
  findWorkshopPrices,
  groupWorkshops,
  type CategoryWithId,
  type WorkshopGroup,
  type WorkshopItem,
} from './workshop-groups.ts'
import type { FileRow } from './sections/accepted-findings.ts'
import { appendComment, quoteYaml } from './yaml-text.ts'

type ItemAnswers = {
  readonly companions?: SampleCompanions | null
  readonly workshops?: readonly SampleWorkshop[]
  readonly free?: boolean
  readonly currency?: Currency
}
/** The lines of the file by section. Empty if the event sells only registration. */
type ItemSections = {
  readonly items: readonly string[]
  readonly quotas: readonly string[]
  readonly fields: readonly string[]
  readonly cases: readonly string[]
  /** The rows of all items, with their paths. */
  readonly rows: readonly FileRow[]
  /** Whether the bill has more than one line. */
  readonly isBilled: boolean
}

/**
 * The maximum number of accompanying persons per delegate and their maximum age, because the price proofs need
 * bounds.
 */
const MAX_COMPANIONS = 4
const MAX_AGE_YEARS = 110
/** Matches labels of extras that are sold with the workshops. Their bill line does not start with "Workshop". */
const EXTRA_LABEL = /\b(dinner|banquet|gala|lunch|tours?|sightseeing|excursion|cruise|souvenir)\b/i
const countExtras = ({ workshops }: WorkshopGroup): number =>
  workshops.filter(({ label }) => EXTRA_LABEL.test(label)).length
/** The form shows how many seats are left if there are this many or fewer. */
const FEW_SEATS = 5

export function formatItemSections(
  {
    companions: statedCompanions = null,
    workshops = [],
    free = false,
    currency = INR,
  }: ItemAnswers,
  tax: Tax | null,
  periods: readonly FilePeriod[],
  categories: readonly CategoryWithId[],
): ItemSections {
  const companions = statedCompanions && {
    ...statedCompanions,
    prices: expandPrices(statedCompanions.prices, periods.length),
  }
  const groups = groupWorkshops(workshops, categories, periods.length)
  const isBilled = !free && (companions !== null || workshops.length > 0)
  const isLimited = workshops.some(({ seats }) => seats !== null)
  return {
    items: isBilled
      ? [
          appendComment('  items:', 'items on sale: each is a line of the bill'),
          ...(companions === null ? [] : formatCompanionItem(companions, periods, currency)),
          ...groups.flatMap((group) =>
            group.items.flatMap((item) => formatWorkshopItem(item, group, periods, currency)),
          ),
        ]
      : [],
    quotas: isLimited
      ? [
          '',
          appendComment('quotas:', 'the number of seats'),
          ...groups.flatMap(formatSeats),
          appendComment('hold_seats_for: 30 minutes', 'how long a seat is held during payment'),
          '',
        ]
      : [],
    fields:
      groups.length === 0 && companions === null
        ? []
        : [
            ...groups.flatMap((group) => formatWorkshopField(group, groups, categories)),
            ...(companions === null ? [] : formatCompanionsField(companions)),
            '',
          ],
    cases: isBilled
      ? listExampleCategories(workshops, categories, periods.length).flatMap((category) =>
          periods.flatMap((period, column) =>
            formatCase(companions, groups, tax, period, column, category, categories, currency),
          ),
        )
      : [],
    rows: isBilled ? listRows(companions, groups) : [],
    isBilled,
  }
}

/** Returns the rows of the item tables in the order of the file: accompanying persons, then workshops. */
function listRows(
  companions: SampleCompanions | null,
  groups: readonly WorkshopGroup[],
): readonly FileRow[] {
  const persons =
    companions === null ? [] : [{ at: 'fees.items.0.prices.each', prices: companions.prices }]
  return [
    ...persons,
    ...groups
      .flatMap(({ items }) => items)
      .flatMap(({ tables }, index) =>
        tables.flatMap(({ rows }, table) => {
          const path = `fees.items.${persons.length + index}.prices`
          const part = table < tables.length - 1 ? 'table' : 'otherwise'
          const tablePath = tables.length === 1 ? path : `${path}.${table}.${part}`
          return rows.map(({ id, prices }) => ({ at: `${tablePath}.${id}`, prices }))
        }),
      ),
  ]
}

/** Returns, for each combination of workshop prices, the first category that has it. */
function listExampleCategories(
  workshops: readonly SampleWorkshop[],
  categories: readonly CategoryWithId[],
  periods: number,
): readonly CategoryWithId[] {
  const byPrices = Map.groupBy(categories, (category) =>
    JSON.stringify(workshops.map((workshop) => findWorkshopPrices(workshop, category, periods))),
  )
  return [...byPrices.values()].flatMap(([first]) => first ?? [])
}

const formatNumber = (amount: Amount, currency: Currency): string =>
  formatPlainAmount(amount, currency).replace(/\.0+$/, '')
const formatCell = (price: Amount | null, currency: Currency): string =>
  price === null ? 'none' : price === 0 ? 'free' : formatNumber(price, currency)
const formatCategories = (categories: readonly CategoryWithId[]): string => {
  const ids = categories.map(({ id }) => id)
  return `{category: ${ids.length === 1 ? ids.join() : `[${ids.join(', ')}]`}}`
}

/**
 * Writes the periods of an item that is not on sale in all periods, to show that the `none` in its prices is intended.
 */
function formatOwnPeriods(
  isOnSale: readonly boolean[],
  periods: readonly FilePeriod[],
): readonly string[] {
  return isOnSale.every(Boolean)
    ? []
    : [
        appendComment('      periods:', 'none in the prices: not on sale in that period'),
        ...periods.map(
          ({ id, label, from, to }) =>
            `        - {id: ${id}, label: ${quoteYaml(label, true)}, ${from === null ? '' : `from: ${from}, `}to: ${to}}`,
        ),
      ]
}

function formatCompanionItem(
  { prices, freeUnder }: SampleCompanions,
  periods: readonly FilePeriod[],
  currency: Currency,
): readonly string[] {
  return [
    '    - id: accompanying',
    `      label: Accompanying person${freeUnder === null ? '' : ` aged ${freeUnder} or older`}`,
    freeUnder === null
      ? appendComment('      count: companions', 'the number of companions in the form')
      : `      count: {companions: {age: {at_least: ${freeUnder}}}}    # younger companions are free`,
    ...formatOwnPeriods(
      prices.map((price) => price !== null),
      periods,
    ),
    `      prices: {period: [${periods.map(({ id }) => id).join(', ')}], each: [${prices.map((price) => formatCell(price, currency)).join(', ')}]}`,
  ]
}

function formatWorkshopItem(
  { id, categories, isOnSale, tables }: WorkshopItem,
  group: WorkshopGroup,
  periods: readonly FilePeriod[],
  currency: Currency,
): readonly string[] {
  const { field, workshops, categories: buyers } = group
  const width =
    Math.max('period:'.length, ...workshops.map((workshop) => workshop.id.length + 1)) + 1
  const formatTable = (rows: (typeof tables)[number]['rows'], indent: string): readonly string[] =>
    [
      ['period', periods.map((period) => period.id)] as const,
      ...rows.map(
        (row) => [row.id, row.prices.map((price) => formatCell(price, currency))] as const,
      ),
    ].map(([name, cells]) => `${indent}${`${name}:`.padEnd(width)}[${cells.join(', ')}]`)
  const last = tables.at(-1)
  return [
    `    - id: ${id}`,
    `      label: "${countExtras(group) > 0 ? '' : 'Workshop: '}{option}"`,
    ...(categories.length === buyers.length ? [] : [`      when: ${formatCategories(categories)}`]),
    appendComment(`      by: ${field}`, 'a line for each one chosen; its rows are the options'),
    ...formatOwnPeriods(isOnSale, periods),
    tables.length === 1
      ? '      prices:'
      : appendComment('      prices:', 'the first table that applies'),
    ...tables
      .slice(0, -1)
      .flatMap((table) => [
        `        - when: ${formatCategories(table.categories)}`,
        '          table:',
        ...formatTable(table.rows, '            '),
      ]),
    ...(last === undefined
      ? []
      : tables.length === 1
        ? formatTable(last.rows, '        ')
        : ['        - otherwise:', ...formatTable(last.rows, '            ')]),
  ]
}

function formatSeats({ field, workshops }: WorkshopGroup): readonly string[] {
  const limitedWorkshops = workshops.flatMap(({ id, seats }) =>
    seats === null ? [] : [{ id, seats }],
  )
  if (limitedWorkshops.length === 0) return []
  const max = limitedWorkshops.map(({ id, seats }) => `${id}: ${seats}`).join(', ')
  // The number for "few" is lower than the seats of the smallest workshop.
  const few = Math.min(FEW_SEATS, ...limitedWorkshops.map(({ seats }) => seats - 1))
  return [
    `  - id: ${field.replace('workshops', 'seats').replace('_', '-')}`,
    `    each_option_of: ${field}`,
    `    max: {${max}}`,
    '    full: No seats are left',
    ...(few > 0
      ? [appendComment(`    few: ${few}`, 'from this number on, the form shows how many are left')]
      : []),
  ]
}

function formatGroupLabel(group: WorkshopGroup, allCategories: readonly CategoryWithId[]): string {
  const { categories, workshops } = group
  const extras = countExtras(group)
  const name =
    extras === 0 ? 'Workshops' : extras === workshops.length ? 'Extras' : 'Workshops and extras'
  return categories.length === allCategories.length
    ? name
    : `${name} for ${formatList(categories.map(({ label }) => label))}`
}

function formatWorkshopField(
  group: WorkshopGroup,
  groups: readonly WorkshopGroup[],
  all: readonly CategoryWithId[],
): readonly string[] {
  const { field, workshops, categories } = group
  const isForAll = categories.length === all.length
  const name = formatGroupLabel(group, all)
  const firstWithName = groups.find((other) => formatGroupLabel(other, all) === name)
  const label = firstWithName === group ? name : `${name} (${groups.indexOf(group) + 1})`
  return [
    appendComment(`        - id: ${field}`, 'add  choose: {at_most: 2}  to limit how many'),
    '          type: many',
    `          label: ${quoteYaml(label)}`,
    ...(isForAll ? [] : [`          show_when: ${formatCategories(categories)}`]),
    '          options:',
    ...workshops.map(
      (workshop) => `            - {id: ${workshop.id}, label: ${quoteYaml(workshop.label, true)}}`,
    ),
  ]
}

function formatCompanionsField({ freeUnder }: SampleCompanions): readonly string[] {
  return [
    '        - id: companions',
    '          type: people',
    `          label: Accompanying persons${freeUnder === null ? '' : ` (free below the age of ${freeUnder})`}`,
    `          max: ${MAX_COMPANIONS}`,
    '          fields:',
    '            - {id: name, label: Name, required: Please give the name}',
    ...(freeUnder === null
      ? []
      : [
          `            - {id: age, type: number, label: Age, min: 0, max: ${MAX_AGE_YEARS}, required: Please give the age, invalid: Please give the age in years}`,
        ]),
  ]
}

/** Writes an example with an accompanying person, every workshop on sale, and a child if children are free. */
function formatCase(
  stated: SampleCompanions | null,
  groups: readonly WorkshopGroup[],
  tax: Tax | null,
  period: FilePeriod,
  column: number,
  category: CategoryWithId,
  categories: readonly CategoryWithId[],
  currency: Currency,
): readonly string[] {
  const registration = category.prices[column]
  const companions = stated?.prices[column] == null ? null : stated
  const orderedItems = groups.flatMap(({ field, items, workshops }) => {
    const item = items.find((candidate) => candidate.categories.includes(category))
    return item?.isOnSale[column] === true ? [{ id: item.id, field, workshops }] : []
  })
  if (registration == null || (companions === null && orderedItems.length === 0)) return []
  const ages = companions?.freeUnder == null ? null : [40, companions.freeUnder - 1]
  const people =
    companions === null
      ? []
      : ages === null
        ? ['{name: Ravi Nair}']
        : [`{name: Ravi Nair, age: ${ages[0]}}`, `{name: Mini Nair, age: ${ages[1]}}`]
  const isFirst = category === categories[0]
  const givenAnswers = [
    ...(isFirst ? [] : [`registering_as: ${category.id}`]),
    ...(people.length === 0 ? [] : [`companions: [${people.join(', ')}]`]),
    ...orderedItems.map(
      ({ field, workshops }) => `${field}: [${workshops.map(({ id }) => id).join(', ')}]`,
    ),
  ]
  const sumPrices = (prices: readonly (Amount | null | undefined)[]): string =>
    formatNumber(
      toAmount(
        prices.reduce<number>((sum, price) => sum + splitPrice(tax, price ?? toAmount(0)).total, 0),
      ),
      currency,
    )
  const lines = [
    `registration: ${sumPrices([registration])}`,
    ...(companions === null ? [] : [`accompanying: ${sumPrices([companions.prices[column]])}`]),
    ...orderedItems.map(
      ({ id, workshops }) =>
        `${id}: ${sumPrices(workshops.map((workshop) => findWorkshopPrices(workshop, category, category.prices.length)[column]))}`,
    ),
  ]
  const itemKinds = [
    ...(companions === null ? [] : ['a companion']),
    ...(ages === null ? [] : [`a child of ${ages[1]}`]),
    ...orderedItems.flatMap(({ workshops }) =>
      workshops.map(({ label }) => `the workshop ${label}`),
    ),
  ]
  const name = `${period.label}, ${isFirst ? '' : `${category.label}, `}with ${formatList(itemKinds)}`
  return [
    `    - name: ${quoteYaml(name)}\n      on: ${period.from ?? period.to}\n      given: {${givenAnswers.join(', ')}}\n      expect: {lines: {${lines.join(', ')}}}`,
  ]
}
