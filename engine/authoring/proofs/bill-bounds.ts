/**
 * Proofs about bills: missing cells, lowest and highest bill, excessive or overlapping adjustments.
 *
 * The search proceeds line by line and drops the values that no later line reads.
 */
import type { EventConfig } from '../../event/config.ts'
import {
  getTablePrice,
  itemApplies,
  calculateBill,
  listItemLines,
  sumLines,
  getUnitPrice,
} from '../../pricing/bill.ts'
import { matchesCondition } from '../../rules/conditions-and-operators.ts'
import { type Line } from '../../pricing/bill-lines.ts'
import { REGISTRATION_LINE_ID, type Adjustment, type Item } from '../../event/pricing-types.ts'
import { toAmount, type Amount, type Currency, type Tax } from '../../lib/money.ts'
import { listCurrenciesOfEvent, getCurrency } from '../../rules/category.ts'
import { findItemPeriodOn, findPeriodOfCategoryOn } from '../../pricing/price-periods.ts'
import { chooseTax, getTaxRules } from '../../pricing/tax-rules.ts'
import type { Condition } from '../../event/answer-types.ts'
import { adjustPrices, splitPrice } from '../../pricing/line-tax-and-rounding.ts'
import { assert } from '../../lib/result.ts'
import { METHOD_NAME } from '../../rules/pricing-context.ts'
import { memoize } from '../../lib/memoize.ts'
import type { Day } from '../../lib/time.ts'
import { tryWithinBudget, type Budget } from './sets-of-answers.ts'
import { listBillDays, isAdjustmentActive } from './price-days.ts'
import {
  buildItemDistinctions,
  listItemConditions,
  proveItem,
  listNamesReadByItem,
  type ItemResult,
  type SampleDelegate,
} from './item-prices.ts'
import { collectAnswers, extendPath, type AnswerPath } from './example-answers.ts'
import { CATEGORY, listConditionNames, searchAnswers, type Checkpoint } from './walk-form.ts'

/** A possible bill and its day. */
export type PossibleBill = SampleDelegate & {
  readonly period: string
  readonly on: Day
  readonly lines: readonly Line[]
  readonly total: Amount
}
export type ItemProof = {
  readonly id: string
  /** Null if there are too many answers to check. */
  readonly result: ItemResult | null
}
/** A negative adjustment that deducts more than its lines cost. */
export type ExcessiveDeduction = {
  readonly adjustment: string
  /** The amount that the adjustment could not deduct. */
  readonly undeducted: Amount
  readonly sample: SampleDelegate
  readonly on: Day
}
/** The lowest and highest bills in one currency. Amounts in different currencies cannot be compared. */
export type Extremes = {
  readonly currency: Currency
  /** Null if no registration is possible. */
  readonly cheapest: PossibleBill | null
  /**
   * The smallest bill above zero. Null if none was found. If an amount is deducted from a counted item, a count between
   * one and the maximum may give a smaller bill.
   */
  readonly smallest: PossibleBill | null
  readonly mostExpensive: PossibleBill | null
  readonly excessiveDeductions: readonly ExcessiveDeduction[]
}
export type BillProof = {
  readonly items: readonly ItemProof[]
  /** One entry for each currency of the event. Null if there are too many answers to check. */
  readonly extremes: readonly Extremes[] | null
}

/** The maximum number of steps of a search (less than half a second). A longer search counts as too large. */
const MAX_STEPS = 150_000

/** Returns the proofs about the bills of an event with valid names and conditions and bounded numbers. */
export const proveBill = (event: EventConfig): BillProof => ({
  get items() {
    return proveItems(event)
  },
  get extremes() {
    return proveExtremes(event)
  },
})

const proveItems = memoize((event: EventConfig): readonly ItemProof[] =>
  event.fees.items.map((item) => ({
    id: item.id,
    result: tryWithinBudget(() => proveItem(event, item, { remaining: MAX_STEPS }), null),
  })),
)

const proveExtremes = memoize((event: EventConfig): readonly Extremes[] | null =>
  tryWithinBudget(() => {
    const budget = { remaining: MAX_STEPS }
    return listCurrenciesOfEvent(event).map((currency) => findExtremes(event, currency, budget))
  }, null),
)

/** Returns the lowest and highest bills in a currency, or null if it is not used or there are too many answers. */
export const computeExtremes = (event: EventConfig, currency: Currency): Extremes | null =>
  proveBill(event).extremes?.find((extremes) => extremes.currency === currency) ?? null

/** A partial sum, and the answers that led to it. */
type Sum = { readonly total: number; readonly answerPath: AnswerPath; readonly category: string }
/** Compares sums: lower first, or higher if `sign` is -1. Of equal sums, the one with fewer answers comes first. */
function compareSums(a: Sum, b: Sum, sign: 1 | -1 = 1): number {
  return sign * (a.total - b.total) || (a.answerPath?.weight ?? 0) - (b.answerPath?.weight ?? 0)
}
function pickSmallerSum(a: Sum | null, b: Sum | null): Sum | null {
  if (a === null || b === null) return a ?? b
  return compareSums(a, b) <= 0 ? a : b
}
/** An adjustment that applies: the amount not yet distributed over lines, and whether any line matched. */
type PendingAdjustment = { readonly remaining: number; readonly hasLine: boolean }
type Bill = {
  readonly min: Sum
  /** The smallest total above zero so far. Null if there is none. */
  readonly smallest: Sum | null
  readonly max: Sum
  /** One entry per adjustment. Null if it does not apply, or if its whole amount was distributed over its lines. */
  readonly pending: readonly (PendingAdjustment | null)[]
}

function findExtremes(event: EventConfig, currency: Currency, budget: Budget): Extremes {
  const finalBills = listBillDays(event).flatMap((at) =>
    findBills(event, currency, at, budget).map((bill) => ({ ...at, bill })),
  )
  const excessiveDeductions = new Map<string, ExcessiveDeduction>()
  for (const { on, bill } of finalBills)
    bill.pending.forEach((entry, index) => {
      const id = event.fees.adjustments[index]?.id ?? ''
      if (entry !== null && !excessiveDeductions.has(id))
        excessiveDeductions.set(id, {
          adjustment: id,
          undeducted: toAmount(-entry.remaining),
          sample: { answers: collectAnswers(bill.min.answerPath), category: bill.min.category },
          on,
        })
    })
  const pickBest = (side: 'min' | 'smallest' | 'max', sign: 1 | -1): PossibleBill | null => {
    const best = finalBills
      .flatMap(({ on, period, bill }) => {
        const sum = bill[side]
        return sum === null ? [] : [{ on, period, sum }]
      })
      .toSorted((a, b) => compareSums(a.sum, b.sum, sign))[0]
    return best === undefined ? null : createBill(event, best.on, best.period, best.sum)
  }
  return {
    currency,
    cheapest: pickBest('min', 1),
    smallest: pickBest('smallest', 1),
    mostExpensive: pickBest('max', -1),
    excessiveDeductions: [...excessiveDeductions.values()],
  }
}

function createBill(event: EventConfig, on: Day, usualPeriod: string, sum: Sum): PossibleBill {
  const period = findPeriodOfCategoryOn(event.fees, sum.category, usualPeriod, on)
  const answers = collectAnswers(sum.answerPath)
  const lines = calculateBill(event, answers, sum.category, period, on)
  assert(lines.ok, 'an item on a bill that was found is not on sale')
  const { total } = sumLines(lines.value)
  assert(total === sum.total, `a bill of ${sum.total} costs ${total}`)
  return { answers, category: sum.category, period, on, lines: lines.value, total }
}

/** Returns the bills at the end of the search on a day, each with its lowest and highest total. */
function findBills(
  event: EventConfig,
  currency: Currency,
  { on, period }: { readonly on: Day; readonly period: string },
  budget: Budget,
): readonly Bill[] {
  const { items, adjustments, prices } = event.fees
  const activeAdjustments = adjustments.map((adjustment) =>
    isAdjustmentActive(adjustment, on) ? adjustment : null,
  )
  const lineIds = [REGISTRATION_LINE_ID, ...items.map(({ id }) => id)]
  const affectsItem = (adjustment: Adjustment, id: string): boolean =>
    adjustment.on === 'all' || adjustment.on === id
  const getLastLine = (adjustment: Adjustment): string | undefined =>
    lineIds.findLast((id) => affectsItem(adjustment, id))

  /** Appends a line with one price after applying all matching adjustments to it. */
  const addLine = (bill: Bill, id: string, price: Amount, taxOfLine: Tax | null): Bill => {
    let amount = price
    const pending = bill.pending.map((entry, index): PendingAdjustment | null => {
      const adjustment = adjustments[index]
      if (entry === null || adjustment === undefined || !affectsItem(adjustment, id)) return entry
      const change =
        'percent' in adjustment.by ? adjustment.by : { amount: toAmount(entry.remaining) }
      const adjustedAmount = adjustPrices([amount], change)[0] ?? toAmount(0)
      const remaining =
        'percent' in change
          ? computeOverdraft(amount, change.percent)
          : entry.remaining - (adjustedAmount - amount)
      amount = adjustedAmount
      return { remaining, hasLine: entry.hasLine || price > 0 }
    })
    const lineTotal = splitPrice(taxOfLine, amount).total
    const addLineTotal = (sum: Sum): Sum => ({ ...sum, total: sum.total + lineTotal })
    const [min, max] = [addLineTotal(bill.min), addLineTotal(bill.max)]
    const smallestWithLine = bill.smallest === null ? null : addLineTotal(bill.smallest)
    return { pending, min, smallest: min.total > 0 ? min : smallestWithLine, max }
  }
  /**
   * Completes the adjustments for which this is the last line. Keeps any amount that was not deducted, because the
   * amount is reported if the bill is possible.
   */
  const removeLine = (bill: Bill, id: string): Bill => ({
    ...bill,
    pending: bill.pending.map((entry, index) => {
      const adjustment = adjustments[index]
      if (entry === null || adjustment === undefined || getLastLine(adjustment) !== id) return entry
      return entry.hasLine && entry.remaining < 0 ? entry : null
    }),
  })
  const addAdjustment = (adjustment: Adjustment, at: number): Checkpoint<Bill> => ({
    reads: listConditionNames([adjustment.when]),
    conditions: adjustment.when === undefined ? [] : [adjustment.when],
    visit: ({ answers, category }, bill) => {
      if (adjustment.when !== undefined && !matchesCondition(adjustment.when, answers, category))
        return bill
      const remaining = 'percent' in adjustment.by ? 0 : adjustment.by.amount
      return { ...bill, pending: bill.pending.with(at, { remaining, hasLine: false }) }
    },
  })
  const listTaxConditions = (item: Item | null): readonly Condition[] =>
    getTaxRules(event.fees, item).flatMap(({ when }) => (when === undefined ? [] : [when]))
  // Delegates can choose only methods that accept the currency of their bill.
  const rejectingMethods = (event.fees.methods ?? []).flatMap(({ id, currencies }) =>
    currencies?.includes(currency) === false ? [id] : [],
  )
  const rejections: readonly Condition[] =
    rejectingMethods.length === 0
      ? []
      : [[[{ field: METHOD_NAME, test: { is: 'in', values: rejectingMethods } }]]]
  const registration: Checkpoint<Bill> = {
    reads: [CATEGORY, ...listConditionNames([...rejections, ...listTaxConditions(null)])],
    conditions: [...rejections, ...listTaxConditions(null)],
    visit: ({ answers, category }, bill) => {
      const cell =
        category === null
          ? null
          : getTablePrice(
              prices ?? {},
              category,
              findPeriodOfCategoryOn(event.fees, category, period, on),
            )
      if (category === null || cell === null || getCurrency(event, category) !== currency)
        return null
      if (rejections.some((when) => matchesCondition(when, answers, category))) return null
      const billWithCategory: Bill = {
        ...bill,
        min: { ...bill.min, category },
        smallest: bill.smallest === null ? null : { ...bill.smallest, category },
        max: { ...bill.max, category },
      }
      const { tax } = chooseTax(event.fees, null, answers, category, on)
      const lineId = REGISTRATION_LINE_ID
      return removeLine(addLine(billWithCategory, lineId, cell, tax), lineId)
    },
  }
  const addItem = (item: Item): Checkpoint<Bill> => ({
    reads: [...listNamesReadByItem(item), ...listConditionNames(listTaxConditions(item)), CATEGORY],
    conditions: [...listItemConditions(item), ...listTaxConditions(item)],
    visit: ({ answers, category }, bill) => {
      if (category === null) return null
      if (!itemApplies(item, answers, category)) return removeLine(bill, item.id)
      let sum: Bill = bill
      const itemPeriod = findItemPeriodOn(event.fees, item, category, period, on)
      const { tax } = chooseTax(event.fees, item, answers, category, on)
      for (const { row, quantity } of listItemLines(event, item, answers, category)) {
        const unit = getUnitPrice(event, item, answers, category, row, itemPeriod)
        if (unit === null) return null
        sum = addLine(sum, item.id, toAmount(unit * quantity), tax)
      }
      return removeLine(sum, item.id)
    },
  })
  const started = new Set<Adjustment>()
  const checkpoints = lineIds.flatMap((id, i): Checkpoint<Bill>[] => {
    const item = items[i - 1]
    const newAdjustments = activeAdjustments.flatMap((adjustment, index): Checkpoint<Bill>[] => {
      if (adjustment === null || started.has(adjustment) || !affectsItem(adjustment, id)) return []
      started.add(adjustment)
      return [addAdjustment(adjustment, index)]
    })
    return [...newAdjustments, item === undefined ? registration : addItem(item)]
  })
  const zeroSum: Sum = { total: 0, answerPath: null, category: '' }
  return searchAnswers(
    event,
    checkpoints,
    {
      start: {
        min: zeroSum,
        smallest: null,
        max: zeroSum,
        pending: adjustments.map(() => null),
      },
      addAnswer: (bill, name, answer) => ({
        ...bill,
        min: { ...bill.min, answerPath: extendPath(bill.min.answerPath, name, answer) },
        smallest:
          bill.smallest === null
            ? null
            : { ...bill.smallest, answerPath: extendPath(bill.smallest.answerPath, name, answer) },
        max: { ...bill.max, answerPath: extendPath(bill.max.answerPath, name, answer) },
      }),
      buildKey: ({ pending }) =>
        pending
          .map((entry) => (entry === null ? '' : `${entry.remaining}${entry.hasLine ? '+' : '-'}`))
          .join(),
      merge: (a, b) => ({
        pending: a.pending,
        min: compareSums(a.min, b.min) <= 0 ? a.min : b.min,
        smallest: pickSmallerSum(a.smallest, b.smallest),
        max: compareSums(a.max, b.max, -1) <= 0 ? a.max : b.max,
      }),
    },
    buildItemDistinctions(items),
    budget,
  )
}

/** Returns the part of a percentage deduction that exceeds the price, as a negative remainder. */
function computeOverdraft(price: Amount, percent: number): number {
  return percent < -100 && price > 0 ? Math.floor((price * (percent + 100)) / 100) : 0
}

/**
 * Returns the pairs of adjustments, by id, that can apply to the same line of one bill. Returns null if there are too
 * many answers to check.
 */
export const findOverlappingAdjustments = memoize(
  (event: EventConfig): readonly (readonly [string, string])[] | null =>
    tryWithinBudget(() => {
      const budget: Budget = { remaining: MAX_STEPS }
      const { adjustments } = event.fees
      const days = listBillDays(event).map(({ on }) => on)
      return adjustments.flatMap((adjustment, index) =>
        adjustments.slice(index + 1).flatMap((other): (readonly [string, string])[] => {
          const sharesLine =
            adjustment.on === other.on || adjustment.on === 'all' || other.on === 'all'
          if (
            !sharesLine ||
            !days.some((on) => isAdjustmentActive(adjustment, on) && isAdjustmentActive(other, on))
          )
            return []
          return canBothApply(event, adjustment, other, budget) ? [[adjustment.id, other.id]] : []
        }),
      )
    }, null),
)

function canBothApply(
  event: EventConfig,
  one: Adjustment,
  other: Adjustment,
  budget: Budget,
): boolean {
  const conditions = [one.when, other.when].filter((when) => when !== undefined)
  const checkpoint: Checkpoint<null> = {
    reads: [...listConditionNames(conditions), ...(includesEveryDelegate(event) ? [] : [CATEGORY])],
    conditions,
    visit: ({ answers, category }) => {
      const lacksCategory = category === null && !includesEveryDelegate(event)
      if (lacksCategory || !conditions.every((when) => matchesCondition(when, answers, category)))
        return null
      isPossible = true
      return null
    },
  }
  let isPossible = false
  searchAnswers(
    event,
    [checkpoint],
    { start: null, addAnswer: () => null, buildKey: () => '', merge: () => null },
    () => ({}),
    budget,
  )
  return isPossible
}

/** Returns true if every delegate gets a category, because the last rule covers all remaining answers. */
function includesEveryDelegate({ categoryChoice: choice }: EventConfig): boolean {
  return choice.by === 'rules' && choice.rules.some(({ when }) => when === null)
}
