/** What a new event sells besides the registration: who comes along, and workshops with their seats. */
import { amountText, split, type Paise, type Tax } from '../money.ts'
import { listed } from '../check/near.ts'
import type { Day } from '../time.ts'
import { aside, nameOf, quoted } from './sample-text.ts'

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
  readonly periods: readonly string[]
  readonly on: Day
  readonly column: 'early' | 'regular'
  readonly first: Paise
}

/** How many one delegate may bring, and how old the oldest of them is: bounds that the proofs want. */
const COMPANIONS_MAX = 4
const AGE_YEARS_MAX = 110
/** From so few seats on the form says how many are left. */
const FEW_SEATS = 5

export function soldBeside(
  { companions = null, workshops = [], free = false }: Told,
  tax: Tax | null,
  day: Setting,
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
          ...(companions === null ? [] : accompanying(companions, day.periods)),
          ...(named.length === 0 ? [] : workshopItem(named, day.periods)),
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
    cases: isBilled ? [caseOf(companions, named[0], tax, day)] : [],
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
  return [
    '',
    aside('limits:', 'what there is only so much of'),
    '  - id: seats',
    '    each_option_of: workshops',
    `    max: {${max}}`,
    '    full: This workshop is full',
    aside(`    few: ${FEW_SEATS}`, 'from so few on the form says how many are left'),
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

/** One who brings somebody, and a child where children come for nothing, and takes the first workshop. */
function caseOf(
  companions: SampleCompanions | null,
  workshop: Named | undefined,
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
    ...(workshop === undefined ? [] : [`workshops: [${workshop.id}]`]),
  ]
  const total = (price: Paise): string => number(split(tax, price).total)
  const lines = [
    `registration: ${total(first)}`,
    ...(companions === null ? [] : [`accompanying: ${total(companions[column])}`]),
    ...(workshop === undefined ? [] : [`workshop: ${total(workshop[column])}`]),
  ]
  const what = [
    ...(companions === null ? [] : ['a companion']),
    ...(ages === null ? [] : [`a child of ${ages[1]}`]),
    ...(workshop === undefined ? [] : [`the workshop ${workshop.label}`]),
  ]
  return `    - name: ${quoted(`with ${listed(what)}`)}\n      on: ${on}\n      given: {${given.join(', ')}}\n      expect: {lines: {${lines.join(', ')}}}`
}
