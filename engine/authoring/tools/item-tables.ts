/** Reads the price tables of an item: the categories that each applies to, and the amounts to pay. */
import type { Category, EventConfig } from '../../event/config.ts'
import type { Condition } from '../../event/answer-types.ts'
import type { Item } from '../../event/pricing-types.ts'
import { formatPrice, type Amount, type Currency, type Tax } from '../../lib/money.ts'
import type { Day } from '../../lib/time.ts'
import { computePaidPrice } from '../../pricing/price-list-tax.ts'
import { chooseTax } from '../../pricing/tax-rules.ts'
import { getCurrency } from '../../rules/category.ts'
import { matchesCondition } from '../../rules/conditions-and-operators.ts'
import { CATEGORY, listConditionNames } from '../proofs/walk-form.ts'

/**
 * Returns the categories that a table of an item applies to. Returns null if other answers determine which table
 * applies.
 */
export function listCategoriesOfTable(
  event: EventConfig,
  item: Item,
  tableIndex: number,
): readonly Category[] | null {
  const isByCategory = item.prices
    .slice(0, tableIndex + 1)
    .every(({ when }) => when === null || testsOnlyCategory(when))
  return isByCategory
    ? event.categories.filter(({ id }) => canUseTable(item, tableIndex, id))
    : null
}

/**
 * Formats the amount to pay for a row on a day: "₹ 1,180". If tax differs between the categories whose delegates
 * can order the row, lists all amounts: "₹ 1,000 or ₹ 1,180". Ignores tax rules that depend on other answers, which are listed separately.
 */
export function formatItemPriceToPay(
  event: EventConfig,
  item: Item,
  tableIndex: number,
  price: Amount,
  currency: Currency,
  day: Day,
): string {
  const taxes = event.categories
    .filter(({ id }) => getCurrency(event, id) === currency && canUseTable(item, tableIndex, id))
    .map(({ id }) => chooseTax(event.fees, item, {}, id, day).tax)
  const candidates: readonly (Tax | null)[] = taxes.length === 0 ? [item.tax] : taxes
  const amounts = new Set(candidates.map((tax) => computePaidPrice(tax, price)))
  return [...amounts]
    .sort((one, other) => one - other)
    .map((amount) => formatPrice(amount, currency))
    .join(' or ')
}

/** Returns true if delegates of the category can order the item at the prices of this table. */
function canUseTable(item: Item, tableIndex: number, category: string): boolean {
  const isExcluded = (condition: Condition): boolean =>
    testsOnlyCategory(condition) && !matchesCondition(condition, {}, category)
  if (item.when !== undefined && isExcluded(item.when)) return false
  return item.prices.slice(0, tableIndex + 1).every(({ when }, index) => {
    if (when === null) return true
    return index === tableIndex
      ? !isExcluded(when)
      : !testsOnlyCategory(when) || !matchesCondition(when, {}, category)
  })
}

/** Returns true if a condition tests only the category. */
export const testsOnlyCategory = (condition: Condition): boolean =>
  listConditionNames([condition]).every((name) => name === CATEGORY)
