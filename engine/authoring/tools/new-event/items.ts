/** Writes the items of a new event: accompanying persons, and workshops with their seats. */
import {
  INR,
  formatPlainAmount,
  toAmount,
  type Currency,
  type Amount,
  type Tax,
} from '../../../lib/money.ts'
import { splitPrice } from '../../../pricing/line-tax.ts'
import { formatList } from '../../suggestions/nearest-name.ts'
import type { Day } from '../../../lib/time.ts'
import { expandPrices } from './price-periods.ts'
import type { SampleCompanions, SampleWorkshop } from './sample-options.ts'
import { appendComment, deriveId, quoteYaml } from './yaml-text.ts'

type ItemAnswers = {
  readonly companions?: SampleCompanions | null
  readonly workshops?: readonly SampleWorkshop[]
  readonly free?: boolean
  readonly currency?: Currency
}
/** The lines of the file by section; empty if nothing is sold in addition to registration. */
type ItemSections = {
  readonly items: readonly string[]
  readonly limits: readonly string[]
  readonly fields: readonly string[]
  readonly cases: readonly string[]
  /** Whether the bill has more than one line. */
  readonly isBilled: boolean
}
/** A day in a period, on which a registration in the first category costs `first`. */
type ExampleDay = {
  readonly on: Day
  /** The index and label of the period. */
  readonly column: number
  readonly label: string
  readonly first: Amount
}

/** The maximum number per delegate and the maximum age, because the proofs need bounds. */
const COMPANIONS_MAX = 4
const AGE_YEARS_MAX = 110
/** The form displays the number of remaining seats from this number on. */
const FEW_SEATS = 5

export function formatItemSections(
  { companions: stated = null, workshops = [], free = false, currency = INR }: ItemAnswers,
  tax: Tax | null,
  periods: readonly string[],
  days: readonly ExampleDay[],
): ItemSections {
  const companions = stated && {
    ...stated,
    prices: expandPrices(stated.prices, periods.length),
  }
  const workshopsWithIds = workshops.map((workshop, index) => ({
    ...workshop,
    prices: expandPrices(workshop.prices, periods.length),
    id: deriveId(
      workshop.label,
      index,
      workshops.map(({ label }) => label),
      'workshop',
    ),
  }))
  const isBilled = !free && (companions !== null || workshopsWithIds.length > 0)
  return {
    items: isBilled
      ? [
          appendComment('  items:', 'items on sale: each is a line of the bill'),
          ...(companions === null ? [] : formatCompanionItem(companions, periods, currency)),
          ...(workshopsWithIds.length === 0
            ? []
            : formatWorkshopItem(workshopsWithIds, periods, currency)),
        ]
      : [],
    limits: workshopsWithIds.some(({ seats }) => seats !== null)
      ? formatSeats(workshopsWithIds)
      : [],
    fields:
      workshopsWithIds.length === 0 && companions === null
        ? []
        : [
            ...(workshopsWithIds.length === 0 ? [] : formatWorkshopField(workshopsWithIds)),
            ...(companions === null ? [] : formatCompanionsField(companions)),
            '',
          ],
    // One example per column with all items, so that every price cell has an example.
    cases: isBilled
      ? days.map((day) => formatCase(companions, workshopsWithIds, tax, day, currency))
      : [],
    isBilled,
  }
}

type WorkshopWithId = SampleWorkshop & { readonly id: string }

const formatNumber = (amount: Amount, currency: Currency): string =>
  formatPlainAmount(amount, currency).replace(/\.0+$/, '')
const formatCell = (price: Amount, currency: Currency): string =>
  price === 0 ? 'free' : formatNumber(price, currency)

function formatCompanionItem(
  { prices, freeUnder }: SampleCompanions,
  periods: readonly string[],
  currency: Currency,
): readonly string[] {
  return [
    '    - id: accompanying',
    '      label: Accompanying person',
    freeUnder === null
      ? appendComment('      count: companions', 'the number of companions in the form')
      : `      count: {companions: {age: {at_least: ${freeUnder}}}}    # younger companions are free`,
    `      prices: {period: [${periods.join(', ')}], each: [${prices.map((price) => formatCell(price, currency)).join(', ')}]}`,
  ]
}

function formatWorkshopItem(
  workshops: readonly WorkshopWithId[],
  periods: readonly string[],
  currency: Currency,
): readonly string[] {
  const width = Math.max('period:'.length, ...workshops.map(({ id }) => id.length + 1)) + 1
  const formatRow = (name: string, cells: readonly string[]): string =>
    `        ${`${name}:`.padEnd(width)}[${cells.join(', ')}]`
  return [
    '    - id: workshop',
    '      label: "Workshop: {option}"',
    appendComment('      by: workshops', 'a line for each one chosen; its rows are the options'),
    '      prices:',
    formatRow('period', periods),
    ...workshops.map(({ id, prices }) =>
      formatRow(
        id,
        prices.map((price) => formatCell(price, currency)),
      ),
    ),
  ]
}

function formatSeats(workshops: readonly WorkshopWithId[]): readonly string[] {
  const max = workshops.map(({ id, seats }) => `${id}: ${seats ?? 0}`).join(', ')
  // Not all seats of the smallest workshop may count as few.
  const few = Math.min(FEW_SEATS, ...workshops.map(({ seats }) => (seats ?? 0) - 1))
  return [
    '',
    appendComment('quotas:', 'the number of seats'),
    '  - id: seats',
    '    each_option_of: workshops',
    `    max: {${max}}`,
    '    full: This workshop is full',
    ...(few > 0
      ? [appendComment(`    few: ${few}`, 'from this number on, the form shows how many are left')]
      : []),
    appendComment('hold_seats_for: 30 minutes', 'how long a seat is held during payment'),
    '',
  ]
}

function formatWorkshopField(workshops: readonly WorkshopWithId[]): readonly string[] {
  return [
    appendComment('        - id: workshops', 'add  choose: {at_most: 2}  to limit how many'),
    '          type: many',
    '          label: Workshops',
    '          options:',
    ...workshops.map(
      ({ id, label }) => `            - {id: ${id}, label: ${quoteYaml(label, true)}}`,
    ),
  ]
}

function formatCompanionsField({ freeUnder }: SampleCompanions): readonly string[] {
  return [
    '        - id: companions',
    '          type: people',
    '          label: Accompanying persons',
    `          max: ${COMPANIONS_MAX}`,
    '          fields:',
    '            - {id: name, label: Name, required: Please give the name}',
    ...(freeUnder === null
      ? []
      : [
          `            - {id: age, type: number, label: Age, min: 0, max: ${AGE_YEARS_MAX}, required: Please give the age, invalid: Please give the age in years}`,
        ]),
  ]
}

/** Writes an example with an accompanying person, a child if children are free, and every workshop. */
function formatCase(
  companions: SampleCompanions | null,
  workshops: readonly WorkshopWithId[],
  tax: Tax | null,
  { on, column, label, first }: ExampleDay,
  currency: Currency,
): string {
  const ages = companions?.freeUnder == null ? null : [40, companions.freeUnder - 1]
  const people =
    companions === null
      ? []
      : ages === null
        ? ['{name: Ravi Nair}']
        : [`{name: Ravi Nair, age: ${ages[0]}}`, `{name: Mini Nair, age: ${ages[1]}}`]
  const givenAnswers = [
    ...(people.length === 0 ? [] : [`companions: [${people.join(', ')}]`]),
    ...(workshops.length === 0 ? [] : [`workshops: [${workshops.map(({ id }) => id).join(', ')}]`]),
  ]
  const sumPrices = (...prices: readonly Amount[]): string =>
    formatNumber(
      toAmount(prices.reduce<number>((sum, price) => sum + splitPrice(tax, price).total, 0)),
      currency,
    )
  const lines = [
    `registration: ${sumPrices(first)}`,
    ...(companions === null
      ? []
      : [`accompanying: ${sumPrices(companions.prices[column] ?? toAmount(0))}`]),
    ...(workshops.length === 0
      ? []
      : [
          `workshop: ${sumPrices(...workshops.map(({ prices }) => prices[column] ?? toAmount(0)))}`,
        ]),
  ]
  const itemKinds = [
    ...(companions === null ? [] : ['a companion']),
    ...(ages === null ? [] : [`a child of ${ages[1]}`]),
    ...workshops.map((workshop) => `the workshop ${workshop.label}`),
  ]
  return `    - name: ${quoteYaml(`${label}, with ${formatList(itemKinds)}`)}\n      on: ${on}\n      given: {${givenAnswers.join(', ')}}\n      expect: {lines: {${lines.join(', ')}}}`
}
