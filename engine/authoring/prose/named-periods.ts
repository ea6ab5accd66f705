/** Finds the price periods that a text mentions: those of the fees, and of the group whose categories it mentions. */
import { memoize } from '../../lib/memoize.ts'
import type { Period } from '../../event/pricing-types.ts'
import { findGroupOfCategory } from '../../pricing/price-periods.ts'
import type { Model } from '../checked-file.ts'
import { findMatches } from './pattern-matches.ts'
import { findAllNamed } from './named-in-text.ts'

export type LocatedPeriod = {
  readonly period: Period
  /** `at`: the path of the period in the file; `list`: the path of the list that contains it. */
  readonly at: string
  readonly list: string
  /** The label of the period's group, or the id of its item. Null for a period of the fees. */
  readonly owner: string | null
  /** The index of the price table: 0 for the event's, 1 for the first group's. Null for a period of an item. */
  readonly table: number | null
}

/** Lists the periods of the fees, then those of each group, then those of each item. */
export const listLocatedPeriods = memoize(({ config: { fees } }: Model): readonly LocatedPeriod[] =>
  [
    { periods: fees.periods, path: 'fees.periods', owner: null, table: 0 },
    ...(fees.groups ?? []).map(({ label, periods }, index) => ({
      periods,
      path: `fees.price_groups.${index}.periods`,
      owner: label,
      table: index + 1,
    })),
    ...fees.items.map(({ id, periods = [] }, index) => ({
      periods,
      path: `fees.items.${index}.periods`,
      owner: id,
      table: null,
    })),
  ].flatMap(({ periods, path, owner, table }) =>
    periods.map((period, index) => ({ period, at: `${path}.${index}`, list: path, owner, table })),
  ),
)

/** Returns the names of the group and of the categories for each table. */
const listTableNames = memoize(({ config: { fees, categories } }: Model) =>
  [undefined, ...(fees.groups ?? [])].map((group) => [
    ...(group === undefined ? [] : [group.label]),
    ...categories
      .filter(({ id }) => findGroupOfCategory(fees, id) === group)
      .flatMap(({ id, label }) => [label, id.replaceAll('-', ' ')]),
  ]),
)

/**
 * Returns the tables whose groups or categories are mentioned in the first text that mentions any. Returns null if no
 * text does.
 */
export function findTables(
  model: Model,
  path: string,
  texts: readonly (string | undefined)[],
): readonly number[] | null {
  const { fees, categories } = model.config
  const { groups } = fees
  if (groups === undefined) return null
  const groupIndex = /^fees\.price_groups\.(\d+)\./.exec(path)?.[1]
  if (groupIndex !== undefined) return [Number(groupIndex) + 1]
  const categoryIndex = /^categories\.(\d+)\./.exec(path)?.[1]
  if (categoryIndex !== undefined) {
    const group = findGroupOfCategory(fees, categories[Number(categoryIndex)]?.id ?? null)
    return [group === undefined ? 0 : groups.indexOf(group) + 1]
  }
  const tablesByText = texts.map((text) => findAllNamed(listTableNames(model), text ?? ''))
  return tablesByText.find((tables) => tables.length > 0) ?? null
}

/** Common words for a period, whatever its label. */
const COMMON_PERIOD_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bearly/i, 'early(?:[ -]?birds?)?'],
  [/\b(?:regular|normal|standard)/i, 'regular|normal|standard'],
  [/\blate\b/i, 'late'],
  [/\b(?:spot|on-?site|walk-?in)/i, 'spot|on-?site|walk-?in'],
]
/** Ids that are too common to identify a period. */
const COMMON_ID_WORDS = new Set(
  'all any always first second third last one two open only whole full final phase fee fees registration conference'.split(
    ' ',
  ),
)

/**
 * Returns the patterns for each period's names. Texts about registration do not name periods of
 * items.
 */
const listPeriodNames = memoize((model: Model) => {
  const locatedPeriods = listLocatedPeriods(model)
  return locatedPeriods.map(({ period: { id, label }, table }): readonly RegExp[] => {
    if (table === null) return []
    const periodsOfTable = locatedPeriods.filter((other) => other.table === table)
    const words = [label, id.replaceAll('-', ' ')].filter(
      (name) => !COMMON_ID_WORDS.has(name.toLowerCase()),
    )
    const commonPatterns = COMMON_PERIOD_WORDS.flatMap(([labelPattern, namePattern]) =>
      labelPattern.test(`${label} ${id}`) &&
      periodsOfTable.filter(({ period }) => labelPattern.test(`${period.label} ${period.id}`))
        .length === 1
        ? [namePattern]
        : [],
    )
    const names = [
      ...words.map((name) =>
        name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/[\s-]+/g, '[\\s-]*'),
      ),
      ...commonPatterns,
    ]
    return names.map((name) => new RegExp(`(?<![\\w-])(?:${name})(?![\\w-])`, 'gi'))
  })
})

/**
 * For each table, returns the index of the mentioned period that is nearest to the date. If `isBeforeDate` is true, the
 * text precedes the date; otherwise it follows the date. Empty if the text mentions no period.
 */
export function findNamedPeriods(
  model: Model,
  text: string,
  isBeforeDate: boolean,
  tables: readonly number[] | null,
): readonly number[] {
  const all = listLocatedPeriods(model)
  const found = listPeriodNames(model).flatMap((names, index) => {
    const table = all[index]?.table ?? null
    if (table === null || (tables !== null && !tables.includes(table))) return []
    return names.flatMap((name) => {
      const matches = findMatches(text, name)
      const match = isBeforeDate ? matches.at(-1) : matches[0]
      if (match === undefined) return []
      const [start, { length }] = [match.index, match[0]]
      return [{ index, table, start, end: start + length, length }]
    })
  })
  const sorted = found.toSorted((a, b) =>
    isBeforeDate ? b.end - a.end || b.length - a.length : a.start - b.start || b.length - a.length,
  )
  const [best] = sorted
  const matchesAtSamePlace = sorted.filter(
    ({ start, end }) => start === best?.start && end === best.end,
  )
  return matchesAtSamePlace
    .filter(
      ({ table }, at) => matchesAtSamePlace.findIndex((other) => other.table === table) === at,
    )
    .map(({ index }) => index)
}
