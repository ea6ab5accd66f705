/** Chooses the tax on a line: the first rule that applies to the answers, the category and the date. */
import type { Answers } from '../event/answer-types.ts'
import { REGISTRATION_LINE_ID, type Fees, type Item, type TaxRule } from '../event/pricing-types.ts'
import type { Tax } from '../lib/money.ts'
import type { Day } from '../lib/time.ts'
import { appliesToAll, matchesCondition } from '../rules/conditions-and-operators.ts'

type TaxedFees = Pick<Fees, 'tax' | 'taxRules'>
type TaxedItem = Pick<Item, 'tax' | 'taxRules' | 'ownTaxRules'>

/** The tax on a line, and the note that the tax rule adds to it, such as "reverse charge". */
export type ChosenTax = { readonly tax: Tax | null; readonly note?: string }

/** Returns an item's tax rules, its own before the shared ones; if `item` is null, the registration's. */
export function getTaxRules(fees: TaxedFees, item: TaxedItem | null): readonly TaxRule[] {
  const sharedRules = item?.taxRules ?? fees.taxRules ?? []
  return item?.ownTaxRules === undefined ? sharedRules : [...item.ownTaxRules, ...sharedRules]
}

/** Returns the tax rules for all lines. Rules that items share with the registration are listed once. */
export function listTaxRules({
  taxRules = [],
  items,
}: Pick<Fees, 'taxRules' | 'items'>): readonly TaxRule[] {
  return [...taxRules, ...items.flatMap(({ ownTaxRules = [] }) => ownTaxRules)]
}

/** Returns true if the rule is in force on that day, if only for some delegates. */
export function isTaxRuleActive({ from, to }: TaxRule, date: Day): boolean {
  return (from === undefined || from <= date) && (to === undefined || date <= to)
}

/**
 * Returns the tax on an item, or on the registration if `item` is null. If `answers` is null, rules
 * that depend on answers do not apply.
 */
export function chooseTax(
  fees: TaxedFees,
  item: TaxedItem | null,
  answers: Answers | null,
  category: string | null,
  date: Day,
): ChosenTax {
  const rule = getTaxRules(fees, item).find(
    (candidate) =>
      isTaxRuleActive(candidate, date) &&
      (candidate.when === undefined ||
        (answers === null
          ? appliesToAll(candidate.when, category)
          : matchesCondition(candidate.when, answers, category))),
  )
  return rule ?? { tax: item === null ? fees.tax : item.tax }
}

/** Lists every tax in the event, including those in tax rules, with the id of the line it is on. */
export function listAllTaxes({
  items,
  ...fees
}: Pick<Fees, 'tax' | 'taxRules' | 'items'>): readonly {
  readonly id: string
  readonly tax: Tax
}[] {
  return [
    { id: REGISTRATION_LINE_ID, item: null, tax: fees.tax },
    ...items.map((item) => ({ id: item.id, item, tax: item.tax })),
  ].flatMap(({ id, item, tax }) =>
    [tax, ...getTaxRules(fees, item).map((rule) => rule.tax)].flatMap((statedTax) =>
      statedTax === null ? [] : [{ id, tax: statedTax }],
    ),
  )
}
