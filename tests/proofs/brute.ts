/** Computes the checker's claims about a bill by trying every combination of answers and context on every day. */
import {
  findCategory,
  type Answers,
  type Day,
  type EventConfig,
  type Field,
  type RawAnswers,
} from '../../engine/index.ts'
import { evaluateAnswers } from '../../engine/answers/normalize-answers.ts'
import {
  adjustmentApplies,
  getTablePrice,
  itemApplies,
  calculateBill,
  listItemLines,
  sumLines,
} from '../../engine/pricing/bill.ts'
import type { Period } from '../../engine/event/pricing-types.ts'
import { matchesCondition } from '../../engine/rules/conditions-and-operators.ts'
import { extractContext } from '../../engine/rules/pricing-context.ts'
import { withMethod } from '../../engine/pricing/method-prices.ts'
import { findFirstFull } from '../../engine/pricing/quotas.ts'
import { DAYS } from './events.ts'

export type BillFindings = {
  readonly cheapest: number | null
  readonly smallest: number | null
  readonly mostExpensive: number | null
  /** `no-table item category`, `no-row item table row category`, `none item table row period category`. */
  readonly missingPrices: ReadonlySet<string>
  readonly reachedCells: ReadonlySet<string>
  readonly excessiveAdjustments: ReadonlySet<string>
  readonly overlapping: ReadonlySet<string>
}

/** Finds a date's period without using the engine: a period of the category's group, or of the event. */
export function findPeriod({ fees }: EventConfig, category: string | null, date: Day): string {
  const group = fees.groups?.find(({ categories }) => categories.some((id) => id === category))
  return findPeriodAt(group?.periods ?? fees.periods, date)
}
const findPeriodAt = (periods: readonly Period[], date: Day): string =>
  periods.find(({ from = date, to = date }) => from <= date && date <= to)?.id ?? ''

/** Lists every possible answer to a field: each option, each whole number, people of two ages, and of no stated age. */
function listAnswers(field: Field): readonly unknown[] {
  switch (field.type) {
    case 'yes-no':
      return [undefined, true, false]
    case 'select':
      return [undefined, ...(field.options ?? []).map(({ id }) => id)]
    case 'number': {
      const [min, max] = [field.min ?? 0, field.max ?? 0]
      const wholeNumbers = Array.from({ length: max - min + 1 }, (_, index) => min + index)
      return [
        undefined,
        ...(field.isWhole === true ? wholeNumbers : [min, 119.999, 120, 120.01, max]),
      ]
    }
    case 'many': {
      const ids = (field.options ?? []).map(({ id }) => id)
      return Array.from({ length: 2 ** ids.length }, (_, bits) =>
        ids.filter((_id, index) => (bits >> index) & 1),
      )
    }
    case 'people': {
      const people: readonly RawAnswers[] = [{}, { age: 4 }, { age: 5 }]
      let lists: RawAnswers[][] = [[]]
      const allLists = [...lists]
      for (let size = 1; size <= (field.max ?? 0); size += 1) {
        lists = lists.flatMap((list) => people.map((kind) => [...list, kind]))
        allLists.push(...lists)
      }
      return allLists
    }
    default:
      return [undefined, 'K-1']
  }
}

/** Generates each combination of answers and context once, as a form would send it. */
function* listCombinations(event: EventConfig): Generator<{ raw: RawAnswers; context: Answers }> {
  const axes: readonly (readonly [string, readonly unknown[]])[] = [
    ...event.fields.map((field) => [field.id, listAnswers(field)] as const),
    ['code', [undefined, ...event.codeKinds.map(({ id }) => id)]],
    ...event.quotas.map(({ id }) => [`full.${id}`, [undefined, true]] as const),
    ...(event.memberLists.length > 0 ? [['number_of_roll.kind', ['life', 'annual']] as const] : []),
  ]
  const positions = axes.map(() => 0)
  const fieldIds = new Set(event.fields.map(({ id }) => id))
  for (;;) {
    const pairs = axes.map(([name, values], i) => [name, values[positions[i] ?? 0]] as const)
    const answeredPairs = pairs.filter(([, value]) => value !== undefined)
    yield {
      raw: Object.fromEntries(answeredPairs.filter(([name]) => fieldIds.has(name))),
      context: Object.fromEntries(answeredPairs.filter(([name]) => !fieldIds.has(name))) as Answers,
    }
    let axisIndex = 0
    while (axisIndex < axes.length) {
      positions[axisIndex] = (positions[axisIndex] ?? 0) + 1
      if ((positions[axisIndex] ?? 0) < (axes[axisIndex]?.[1].length ?? 0)) break
      positions[axisIndex] = 0
      axisIndex += 1
    }
    if (axisIndex === axes.length) return
  }
}

/** Counts an event's combinations. */
export function countCombinations(event: EventConfig): number {
  return (
    event.fields.reduce((product, field) => product * listAnswers(field).length, 1) *
    (event.codeKinds.length + 1) *
    2 ** event.quotas.length *
    (event.memberLists.length > 0 ? 2 : 1)
  )
}

/** Generates each set of accepted answers that no full quota blocks, once, with its category. */
export function* listAcceptedAnswers(
  event: EventConfig,
): Generator<{ answers: Answers; category: string }> {
  const seenAnswers = new Set<string>()
  for (const { raw, context } of listCombinations(event)) {
    // The member list row is known only if the number field is shown and answered.
    const knownContext = { ...context }
    if (raw['number_of_roll'] === undefined)
      delete (knownContext as Record<string, unknown>)['number_of_roll.kind']
    const { answers, errors } = evaluateAnswers(event, raw, extractContext(event, knownContext))
    if (Object.keys(errors).length > 0) continue
    const key = JSON.stringify(Object.entries(answers).sort(([a], [b]) => (a < b ? -1 : 1)))
    if (seenAnswers.has(key)) continue
    seenAnswers.add(key)
    const category = findCategory(event, answers)
    if (category === null || findFirstFull(event.quotas, answers, category) !== null) continue
    yield { answers, category }
  }
}

/** Generates the accepted answers, repeated for each payment method if prices depend on the method. */
function* listAcceptedByMethod(
  event: EventConfig,
): Generator<{ answers: Answers; category: string }> {
  for (const { answers, category } of listAcceptedAnswers(event))
    for (const method of event.fees.methods?.map(({ id }) => id) ?? [undefined])
      yield { answers: withMethod(event, answers, method), category }
}

/** Computes the checker's claims by trying every combination, validated and priced as on the server. */
export function tryAllCombinations(event: EventConfig): BillFindings {
  const missingPrices = new Set<string>()
  const reachedCells = new Set<string>()
  const excessiveAdjustments = new Set<string>()
  const overlapping = new Set<string>()
  let cheapest: number | null = null
  let smallest: number | null = null
  let mostExpensive: number | null = null
  const { adjustments } = event.fees
  for (const { answers, category } of listAcceptedByMethod(event)) {
    checkItems(event, answers, category, missingPrices, reachedCells)
    for (const date of DAYS) {
      const appliedAdjustments = adjustments.filter((adjustment) =>
        adjustmentApplies(adjustment, answers, category, date),
      )
      appliedAdjustments.forEach((first, index) =>
        appliedAdjustments.slice(index + 1).forEach((second) => {
          if (first.on === second.on || first.on === 'all' || second.on === 'all')
            overlapping.add(`${first.id} ${second.id}`)
        }),
      )
      const period = findPeriod(event, category, date)
      const lines = calculateBill(event, answers, category, period, date)
      if (!lines.ok) continue
      const { total } = sumLines(lines.value)
      cheapest = Math.min(cheapest ?? total, total)
      if (total > 0) smallest = Math.min(smallest ?? total, total)
      mostExpensive = Math.max(mostExpensive ?? total, total)
      for (const adjustment of appliedAdjustments) {
        const line = lines.value.find(({ id }) => id === adjustment.id)
        const exceedsLine = lines.value.some(
          ({ id, unit, quantity }) =>
            !adjustments.some((other) => other.id === id) &&
            (adjustment.on === 'all' || adjustment.on === id) &&
            unit * quantity > 0,
        )
        if (
          line !== undefined &&
          exceedsLine &&
          'amount' in adjustment.by &&
          line.unit > adjustment.by.amount
        )
          excessiveAdjustments.add(adjustment.id)
      }
    }
  }
  return {
    cheapest,
    smallest,
    mostExpensive,
    missingPrices,
    reachedCells,
    excessiveAdjustments,
    overlapping,
  }
}

function checkItems(
  event: EventConfig,
  answers: Answers,
  category: string,
  holes: Set<string>,
  reached: Set<string>,
): void {
  for (const item of event.fees.items) {
    if (item.amountIn !== undefined || !itemApplies(item, answers, category)) continue
    for (const { row } of listItemLines(event, item, answers, category)) {
      const table = item.prices.findIndex(
        ({ when }) => when === null || matchesCondition(when, answers, category),
      )
      const rows = item.prices[table]?.table
      if (rows === undefined) holes.add(`no-table ${item.id} ${category}`)
      else if (rows[row] === undefined) holes.add(`no-row ${item.id} ${table} ${row} ${category}`)
      else
        for (const date of DAYS) {
          const categoryPeriod = findPeriod(event, category, date)
          if (getTablePrice(event.fees.prices ?? {}, category, categoryPeriod) === null) continue
          const period = findPeriodAt(item.periods ?? event.fees.periods, date)
          const name = `${item.id} ${table} ${row} ${period}`
          if (getTablePrice(rows, row, period) === null) holes.add(`none ${name} ${category}`)
          else reached.add(name)
        }
    }
  }
}
