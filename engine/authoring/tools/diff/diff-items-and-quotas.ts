/** Compares the items, adjustments and quotas of two versions: prices by day, conditions, rules. */
import type { EventConfig } from '../../../event/config.ts'
import type { Amount } from '../../../lib/money.ts'
import {
  checkRegistrationOpen,
  withDeskDays,
  findItemPeriodOn,
  findPeriodOn,
} from '../../../pricing/price-periods.ts'
import type { Item, PriceGroup } from '../../../event/pricing-types.ts'
import { addDays, formatDaysBefore, type Day } from '../../../lib/time.ts'
import {
  buildPriceList,
  describeDays,
  type ListedRule,
  type ListedTable,
  type PriceList,
} from '../price-list.ts'
import { formatItemPriceToPay } from '../item-tables.ts'

/**
 * `what` is the line or rule with its changed part. `old` is null for an addition, `next` for a
 * removal.
 */
export type ItemChange = {
  readonly what: string
  readonly old: string | null
  readonly next: string | null
}

/**
 * Returns the changes to items and rules. `days` contains every day on which either version may change a price, in
 * order.
 */
export function diffItems(
  old: EventConfig,
  next: EventConfig,
  days: readonly Day[],
): readonly ItemChange[] {
  const [before, after] = [buildPriceList(old), buildPriceList(next)]
  const listRules = (
    kind: Exclude<keyof PriceList, 'tables'>,
    title: string,
  ): readonly ItemChange[] => diffItemRules(title, before[kind], after[kind])
  return [
    ...diffPriceGroups(old, next),
    ...diffItem(old, next, before, after, days),
    ...listRules('taxRules', 'tax rule'),
    ...listRules('adjustments', 'adjustment'),
    ...listRules('limits', 'quota'),
    ...listRules('unique', 'unique answers'),
    ...listRules('codes', 'discount code'),
    ...listRules('rolls', 'member list'),
    ...diffOrder('items', old.fees.items, next.fees.items),
    ...diffOrder('adjustments', old.fees.adjustments, next.fees.adjustments),
    ...diffOrder('quotas', old.quotas, next.quotas),
  ]
}

/**
 * Returns the price groups that were added, removed or renamed, and changes to their categories, days and period
 * labels.
 */
function diffPriceGroups(old: EventConfig, next: EventConfig): readonly ItemChange[] {
  const [before, after] = [old.fees.groups ?? [], next.fees.groups ?? []]
  const findCounterpart = (
    { label, categories }: PriceGroup,
    ownGroups: readonly PriceGroup[],
    otherGroups: readonly PriceGroup[],
  ): PriceGroup | undefined => {
    const sharesCategory = (other: PriceGroup): boolean =>
      other.categories.some((category) => categories.includes(category))
    return (
      // Several groups may have the same label.
      otherGroups.find((other) => other.label === label && sharesCategory(other)) ??
      otherGroups.find((other) => other.label === label) ??
      // Otherwise, the counterpart has another label, shares a category and is not the counterpart of a different
      // group.
      otherGroups.find(
        (other) =>
          !ownGroups.some((ownGroup) => ownGroup.label === other.label) && sharesCategory(other),
      )
    )
  }
  const added = after.filter((group) => findCounterpart(group, after, before) === undefined)
  return [
    ...before.flatMap((oldGroup): readonly ItemChange[] => {
      const counterpart = findCounterpart(oldGroup, before, after)
      const name = `price group ${oldGroup.label}`
      if (counterpart === undefined) return diffEntries(name, describeGroup(oldGroup), null)
      return [
        ...diffEntries(`${name}, label`, oldGroup.label, counterpart.label),
        ...diffEntries(
          `${name}, categories`,
          oldGroup.categories.join(', '),
          counterpart.categories.join(', '),
        ),
        ...diffEntries(`${name}, periods`, describePeriods(oldGroup), describePeriods(counterpart)),
        ...oldGroup.periods.flatMap(({ id, label }) => {
          const period = counterpart.periods.find((other) => other.id === id)
          return period === undefined
            ? []
            : diffEntries(`${name}, label of period ${id}`, label, period.label)
        }),
      ]
    }),
    ...added.flatMap((group) =>
      diffEntries(`price group ${group.label}`, null, describeGroup(group)),
    ),
  ]
}

const describeGroup = (group: PriceGroup): string =>
  `${group.categories.join(', ')}; ${describePeriods(group)}`
const describePeriods = ({ periods }: PriceGroup): string =>
  periods.map((period) => `${period.id} ${describeDays(period)}`).join(', ')

/**
 * Reports if entries that are in both versions have a different order. Their order determines the order of bill lines
 * and which full quota is reported.
 */
function diffOrder(
  noun: string,
  old: readonly { readonly id: string }[],
  next: readonly { readonly id: string }[],
): readonly ItemChange[] {
  const listOrder = (one: typeof old, other: typeof old): string =>
    one
      .map(({ id }) => id)
      .filter((id) => other.some((counterpart) => counterpart.id === id))
      .join(', ')
  return diffEntries(`order of ${noun}`, listOrder(old, next), listOrder(next, old))
}

function diffItemRules(
  title: string,
  old: readonly ListedRule[],
  next: readonly ListedRule[],
): readonly ItemChange[] {
  const describeRule = (rules: readonly ListedRule[], id: string): string | null =>
    rules.find((rule) => rule.id === id)?.description ?? null
  return [...new Set([...old, ...next].map(({ id }) => id))].flatMap((id) =>
    diffEntries(`${title} ${id}`, describeRule(old, id), describeRule(next, id)),
  )
}

function diffEntries(noun: string, old: string | null, next: string | null): readonly ItemChange[] {
  return old === next ? [] : [{ what: noun, old, next }]
}

function diffItem(
  old: EventConfig,
  next: EventConfig,
  before: PriceList,
  after: PriceList,
  days: readonly Day[],
): readonly ItemChange[] {
  const ids = [...new Set([...old.fees.items, ...next.fees.items].map(({ id }) => id))]
  return ids.flatMap((id): readonly ItemChange[] => {
    const [oldSide, newSide] = [createSide(old, before, id), createSide(next, after, id)]
    if (oldSide === null || newSide === null)
      return diffEntries(
        id,
        oldSide && describeTable(oldSide.table),
        newSide && describeTable(newSide.table),
      )
    return [
      ...diffEntries(`${id}, label`, oldSide.table.label, newSide.table.label),
      ...diffEntries(
        `${id}, condition`,
        describeBuyers(oldSide.table),
        describeBuyers(newSide.table),
      ),
      ...diffCells(id, oldSide, newSide, days),
    ]
  })
}

type Side = { readonly event: EventConfig; readonly item: Item; readonly table: ListedTable }

function createSide(event: EventConfig, list: PriceList, id: string): Side | null {
  const item = event.fees.items.find((item) => item.id === id)
  const table = list.tables.find((table) => table.id === id)
  return item === undefined || table === undefined ? null : { event, item, table }
}

const describeTable = ({ label, about }: ListedTable): string => [label, ...about].join(', ')
const describeBuyers = ({ about }: ListedTable): string =>
  about.length === 0 ? 'all' : about.join(', ')

/** A row of a table, with the condition under which the table applies. */
type Row = { readonly when: string | null; readonly row: string }

/** Compares unit prices including tax, row by row, for each range of days with a difference. */
function diffCells(
  id: string,
  oldSide: Side,
  newSide: Side,
  days: readonly Day[],
): readonly ItemChange[] {
  const rows = new Map(
    [oldSide, newSide].flatMap(({ table }) =>
      table.parts.flatMap(({ when, rows: tableRows }) =>
        tableRows.map(({ id: row }) => [JSON.stringify([when, row]), { when, row }] as const),
      ),
    ),
  )
  return [...rows.values()].flatMap((row) => {
    const changes: { from: Day | null; until: Day | null; old: string; next: string }[] = []
    ;[null, ...days].forEach((from, index) => {
      const until = days[index] ?? null
      const sampleDay = from ?? (until === null ? ('2000-01-01' as Day) : addDays(until, -1))
      const [old, next] = [
        describeCell(oldSide, row, sampleDay),
        describeCell(newSide, row, sampleDay),
      ]
      if (old === next) return
      const last = changes.at(-1)
      if (last !== undefined && last.until === from && last.old === old && last.next === next)
        last.until = until
      else changes.push({ from, until, old, next })
    })
    const name = [id, ...(row.row === 'each' ? [] : [row.row])].join(' ')
    return changes.map(({ from, until, old, next }) => ({
      what: `${name}${row.when === null ? '' : ` (${row.when})`}, ${formatDaysBefore(from, until)}`,
      old,
      next,
    }))
  })
}

function describeCell({ event, item, table }: Side, { when, row }: Row, on: Day): string {
  const period = findPeriodOn(event.fees, on)
  if (
    period === null ||
    (event.status === 'open' && !checkRegistrationOpen(withDeskDays(event, on), on).open)
  )
    return 'closed'
  const part = table.parts.findIndex((candidate) => candidate.when === when)
  const matchingRow = table.parts[part]?.rows.find(({ id }) => id === row)
  if (matchingRow === undefined) return 'no row'
  const column = findItemPeriodOn(event.fees, item, null, period.id, on)
  const columnIndex = table.periods.findIndex(({ id }) => id === column)
  const price: Amount | null = matchingRow.cells[columnIndex] ?? null
  return price === null
    ? 'not on sale'
    : formatItemPriceToPay(event, item, part, price, matchingRow.currency, on)
}
