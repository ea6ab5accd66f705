/** What a new event sells besides the registration: who comes along, and workshops with their seats. */
import { amountText, paise, split, type Paise, type Tax } from '../../../lib/money.ts'
import { listed } from '../../suggestions/nearest-name.ts'
import type { Day } from '../../../lib/time.ts'
import { aside, nameOf, quoted } from './yaml-text.ts'

/** What is paid for one person who comes along. */
export type SampleCompanions = {
  readonly early: Paise
  readonly regular: Paise
  /** Who is younger comes along for nothing; null: everybody pays. */
  readonly freeUnder: number | null
}
export type SampleWorkshop = {
  readonly label: string
  readonly early: Paise
  readonly regular: Paise
  /** Null: as many as come. */
  readonly seats: number | null
}

type Told = {
  readonly companions?: SampleCompanions | null
  readonly workshops?: readonly SampleWorkshop[]
  readonly free?: boolean
}
/** The lines of the file, part by part; empty where nothing is sold besides. */
type Sold = {
  readonly items: readonly string[]
  readonly limits: readonly string[]
  readonly fields: readonly string[]
  readonly cases: readonly string[]
  /** The bill has more than one line. */
  readonly isBilled: boolean
}
/** On a day of that column, when a registration of the first category costs `first`. */
type Setting = {
  readonly on: Day
  readonly column: 'early' | 'regular'
  readonly first: Paise
}

/** How many one delegate may bring, and how old the oldest of them is: bounds that the proofs want. */
const COMPANIONS_MAX = 4
const AGE_YEARS_MAX = 110
/** At most from so many seats on the form says how many are left. */
const FEW_SEATS = 5

export function soldBeside(
  { companions = null, workshops = [], free = false }: Told,
  tax: Tax | null,
  periods: readonly string[],
  days: readonly Setting[],
): Sold {
  const named = workshops.map((one, at) => ({
    ...one,
    id: nameOf(
      one.label,
      at,
      workshops.map(({ label }) => label),
      'workshop',
    ),
  }))
  const isBilled = !free && (companions !== null || named.length > 0)
  return {
    items: isBilled
      ? [
          aside('  items:', 'what is sold besides: a line of the bill each'),
          ...(companions === null ? [] : accompanying(companions, periods)),
          ...(named.length === 0 ? [] : workshopItem(named, periods)),
        ]
      : [],
    limits: named.some(({ seats }) => seats !== null) ? seatsOf(named) : [],
    fields:
      named.length === 0 && companions === null
        ? []
        : [
            ...(named.length === 0 ? [] : workshopField(named)),
            ...(companions === null ? [] : companionsField(companions)),
            '',
          ],
    // Each column once, with all that is sold, so that every cell has its example.
    cases: isBilled ? days.map((day) => caseOf(companions, named, tax, day)) : [],
    isBilled,
  }
}

type Named = SampleWorkshop & { readonly id: string }

const number = (amount: Paise): string => amountText(amount).replace(/\.00$/, '')
const cell = (price: Paise): string => (price === 0 ? 'free' : number(price))

function accompanying(
  { early, regular, freeUnder }: SampleCompanions,
  periods: readonly string[],
): readonly string[] {
  return [
    '    - id: accompanying',
    '      label: Accompanying person',
    freeUnder === null
      ? aside('      count: companions', 'so many as are named in the form')
      : `      count: {companions: {age: {at_least: ${freeUnder}}}}    # younger ones come along for nothing`,
    `      prices: {period: [${periods.join(', ')}], each: [${cell(early)}, ${cell(regular)}]}`,
  ]
}

function workshopItem(workshops: readonly Named[], periods: readonly string[]): readonly string[] {
  const width = Math.max('period:'.length, ...workshops.map(({ id }) => id.length + 1)) + 1
  const row = (name: string, cells: readonly string[]): string =>
    `        ${`${name}:`.padEnd(width)}[${cells.join(', ')}]`
  return [
    '    - id: workshop',
    '      label: "Workshop: {option}"',
    aside('      by: workshops', 'a line for each one chosen; its rows are the options'),
    '      prices:',
    row('period', periods),
    ...workshops.map(({ id, early, regular }) => row(id, [cell(early), cell(regular)])),
  ]
}

function seatsOf(workshops: readonly Named[]): readonly string[] {
  const max = workshops.map(({ id, seats }) => `${id}: ${seats ?? 0}`).join(', ')
  // Of the smallest workshop not all seats are few.
  const few = Math.min(FEW_SEATS, ...workshops.map(({ seats }) => (seats ?? 0) - 1))
  return [
    '',
    aside('limits:', 'what there is only so much of'),
    '  - id: seats',
    '    each_option_of: workshops',
    `    max: {${max}}`,
    '    full: This workshop is full',
    ...(few > 0
      ? [aside(`    few: ${few}`, 'from so few on the form says how many are left')]
      : []),
    aside('hold: 30 minutes', 'how long a seat is kept while somebody pays'),
    '',
  ]
}

function workshopField(workshops: readonly Named[]): readonly string[] {
  return [
    aside('        - id: workshops', 'add  choose: {at_most: 2}  to bound how many'),
    '          type: many',
    '          label: Workshops',
    '          options:',
    ...workshops.map(({ id, label }) => `            - {id: ${id}, label: ${quoted(label, true)}}`),
  ]
}

function companionsField({ freeUnder }: SampleCompanions): readonly string[] {
  return [
    '        - id: companions',
    '          type: people',
    '          label: Who comes along',
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

/** One who brings somebody, and a child where children come for nothing, and takes every workshop. */
function caseOf(
  companions: SampleCompanions | null,
  workshops: readonly Named[],
  tax: Tax | null,
  { on, column, first }: Setting,
): string {
  const ages = companions?.freeUnder == null ? null : [40, companions.freeUnder - 1]
  const people =
    companions === null
      ? []
      : ages === null
        ? ['{name: Ravi Nair}']
        : [`{name: Ravi Nair, age: ${ages[0]}}`, `{name: Mini Nair, age: ${ages[1]}}`]
  const given = [
    ...(people.length === 0 ? [] : [`companions: [${people.join(', ')}]`]),
    ...(workshops.length === 0 ? [] : [`workshops: [${workshops.map(({ id }) => id).join(', ')}]`]),
  ]
  const total = (...prices: readonly Paise[]): string =>
    number(paise(prices.reduce<number>((sum, price) => sum + split(tax, price).total, 0)))
  const lines = [
    `registration: ${total(first)}`,
    ...(companions === null ? [] : [`accompanying: ${total(companions[column])}`]),
    ...(workshops.length === 0
      ? []
      : [`workshop: ${total(...workshops.map((one) => one[column]))}`]),
  ]
  const what = [
    ...(companions === null ? [] : ['a companion']),
    ...(ages === null ? [] : [`a child of ${ages[1]}`]),
    ...workshops.map(({ label }) => `the workshop ${label}`),
  ]
  return `    - name: ${quoted(`${column === 'early' ? 'early' : 'later'}, with ${listed(what)}`)}\n      on: ${on}\n      given: {${given.join(', ')}}\n      expect: {lines: {${lines.join(', ')}}}`
}
