/** Writes fees, quotas, unique answers, discount codes and member lists in the syntax of an event file. */
import { findGroupOfCategory } from '../../pricing/price-periods.ts'
import type { Category, EventConfig } from '../../event/config.ts'
import {
  REGISTRATION_LINE_ID,
  type Adjustment,
  type Fees,
  type Item,
  type Quota,
  type Period,
  type PriceTable,
  type MemberList,
  type TaxRule,
} from '../../event/pricing-types.ts'
import { DEFAULT_SEAT_HOLD_MS } from '../../event/default-settings-and-limits.ts'
import { getCurrency } from '../../rules/category.ts'
import { INR, toMajorUnits, type Currency, type Amount, type Tax } from '../../lib/money.ts'
import { fromPairs, getOwn } from '../../lib/result.ts'
import {
  removeUndefined,
  showCondition,
  type Block,
  type DisplayedValue,
} from './show-conditions.ts'

export function showFees(fees: Fees, categories: readonly Category[], currency: Currency): Block {
  const { tax, taxRules, periods, otherDates, prices, groups, items, adjustments } = fees
  const hasOverlap = periods.some((period, index) =>
    periods
      .slice(0, index)
      .some(
        (earlier) =>
          (earlier.to === undefined || period.from === undefined || period.from <= earlier.to) &&
          (period.to === undefined || earlier.from === undefined || earlier.from <= period.to),
      ),
  )
  const showRows = (isShown: (category: string) => boolean, columns: readonly Period[]): Block =>
    showTable(
      fromPairs(
        Object.entries(categories.length > 0 ? (prices ?? {}) : {}).filter(([id]) => isShown(id)),
      ),
      columns,
      (category) => getCurrency({ categories, currency }, category),
    )
  return removeUndefined({
    tax: tax === null ? undefined : showTax(tax, currency),
    tax_rules: taxRules?.map(showTaxRule),
    periods,
    overlap: hasOverlap ? 'first' : undefined,
    other_dates: otherDates ?? 'closed',
    prices:
      prices === null
        ? undefined
        : showRows((category) => findGroupOfCategory(fees, category) === undefined, periods),
    price_groups: groups?.map((group) => ({
      label: group.label,
      periods: group.periods,
      prices: showRows((category) => group.categories.includes(category), group.periods),
    })),
    items:
      items.length === 0 ? undefined : items.map((item) => showItem(item, periods, tax, currency)),
    adjustments:
      adjustments.length === 0
        ? undefined
        : adjustments.map((adjustment) => showAdjustment(adjustment, currency)),
  })
}

function showTable(
  table: PriceTable,
  periods: readonly Period[],
  getRowCurrency: (row: string) => Currency,
): Block {
  const columns = periods.map(({ id }) => id)
  const formatCell = (price: Amount | null | undefined, currency: Currency): DisplayedValue =>
    price === null || price === undefined
      ? 'none'
      : price === 0
        ? 'free'
        : toMajorUnits(price, currency)
  return fromPairs<DisplayedValue>([
    ['period', columns],
    ...Object.keys(table)
      .filter((row) => row !== 'period')
      .map(
        (row) =>
          [
            row,
            columns.map((period) =>
              formatCell(getOwn(getOwn(table, row) ?? {}, period), getRowCurrency(row)),
            ),
          ] as const,
      ),
  ])
}

function showItem(
  item: Item,
  periods: readonly Period[],
  tax: Tax | null,
  currency: Currency,
): Block {
  const { count, prices } = item
  const columns = item.periods ?? periods
  const [onlyTable] = prices
  return removeUndefined({
    id: item.id,
    label: item.label,
    when: item.when && showCondition(item.when),
    by: item.by,
    count:
      count?.where === undefined ? count?.field : { [count.field]: showCondition(count.where) },
    times: item.times,
    periods: item.periods,
    tax: isSameTax(item.tax, tax)
      ? undefined
      : item.tax === null
        ? 'none'
        : showTax(item.tax, currency),
    tax_rules: item.ownTaxRules?.map(showTaxRule),
    prices:
      onlyTable === undefined
        ? undefined
        : prices.length === 1 && onlyTable.when === null
          ? showTable(onlyTable.table, columns, () => currency)
          : prices.map(({ when, table, currency: tableCurrency }) => {
              const rows = showTable(table, columns, () => tableCurrency ?? currency)
              return when === null
                ? { otherwise: rows }
                : removeUndefined({
                    when: showCondition(when),
                    currency: tableCurrency,
                    table: rows,
                  })
            }),
    amount_in: item.amountIn,
  })
}

function showTaxRule({ when, from, to, on, note, tax }: TaxRule): Block {
  return removeUndefined({
    when: when && showCondition(when),
    from,
    to,
    on,
    name: tax.name,
    percent: tax.percent,
    prices: tax.replaces === undefined ? tax.prices : undefined,
    note,
  })
}

/** Writes a tax. Only taxes in rupees have a rounding unit. */
function showTax({ round, ...tax }: Tax, currency: Currency): Block {
  return currency === INR ? { ...tax, round } : tax
}

function isSameTax(one: Tax | null, other: Tax | null): boolean {
  return (
    one?.name === other?.name &&
    one?.percent === other?.percent &&
    one?.prices === other?.prices &&
    one?.round === other?.round
  )
}

function showAdjustment(
  { id, label, when, from, to, on, by }: Adjustment,
  currency: Currency,
): Block {
  return removeUndefined({
    id,
    label,
    when: when && showCondition(when),
    from,
    to,
    on: on === REGISTRATION_LINE_ID ? undefined : on,
    ...('percent' in by
      ? { percent: by.percent }
      : { amount: toMajorUnits(by.amount, by.currency ?? currency), currency: by.currency }),
  })
}

/** Writes only the settings that the event states. Without quotas, no seats are held. */
export function showContext(event: EventConfig): Block {
  const { quotas, holdSeatsMs, unique, codeKinds, memberLists } = event
  const showList = <T>(list: readonly T[], show: (element: T) => DisplayedValue): DisplayedValue =>
    list.length === 0 ? undefined : list.map(show)
  return {
    quotas: showList(quotas, showQuota),
    hold_seats_for:
      quotas.length === 0 && holdSeatsMs === DEFAULT_SEAT_HOLD_MS
        ? undefined
        : showSeatHold(holdSeatsMs),
    unique: showList(unique, ({ fields, onDuplicate, message }) => ({
      fields,
      on_duplicate: onDuplicate,
      message,
    })),
    codes: codeKinds.length === 0 ? undefined : { kinds: codeKinds },
    member_lists:
      memberLists.length === 0
        ? undefined
        : fromPairs<DisplayedValue>(
            memberLists.map((memberList) => [memberList.id, showMemberList(memberList)]),
          ),
  }
}

function showQuota(quota: Quota): Block {
  const { id, when, eachOptionOf, count, withDelegate, max, full, few } = quota
  return removeUndefined({
    id,
    when: when && showCondition(when),
    each_option_of: eachOptionOf,
    count,
    with_delegate: withDelegate,
    max,
    full: full.offer === undefined ? full.message : { offer: full.offer, message: full.message },
    few,
  })
}

const MS_PER_MINUTE = 60_000

/** Formats "45 minutes", in the largest unit that gives a whole number. */
function showSeatHold(ms: number): string {
  const minutes = ms / MS_PER_MINUTE
  const units = [
    [24 * 60, 'day'],
    [60, 'hour'],
    [1, 'minute'],
  ] as const
  const [size, unit] = units.find(([length]) => minutes % length === 0) ?? [1, 'minute']
  return `${minutes / size} ${unit}${minutes === size ? '' : 's'}`
}

function showMemberList({ key, columns, shows }: MemberList): Block {
  return removeUndefined({
    key,
    columns: fromPairs(columns.map(({ id, type, options }) => [id, options ?? type] as const)),
    shows: shows.length === 0 ? undefined : shows,
  })
}
