/** Runs the file's examples: validates and prices the answers of each example, as the form would. */
import type { EventConfig, ExampleCase } from '../../../event/config.ts'
import type { RawAnswers, Scalar } from '../../../event/answer-types.ts'
import { EACH_ROW, calculateBill, sumLines } from '../../../pricing/bill.ts'
import type { Line } from '../../../pricing/bill-lines.ts'
import { REGISTRATION_LINE_ID } from '../../../event/pricing-types.ts'
import { withStatedMethod } from '../../../pricing/method-prices.ts'
import { matchesCondition } from '../../../rules/conditions-and-operators.ts'
import {
  extractContext,
  EMPTY_CONTEXT,
  type PricingContext,
} from '../../../rules/pricing-context.ts'
import { fromPairs, getOwn } from '../../../lib/result.ts'
import type { Cell } from '../../proofs/item-prices.ts'
import { listContextNames } from '../names/context-names.ts'
import { evaluateAnswers } from '../../../answers/normalize-answers.ts'
import { findCategory } from '../../../rules/category.ts'
import { formatMoney, type Amount } from '../../../lib/money.ts'
import { readOrderId } from '../../../event/registration-number.ts'
import { findItemPeriodOn, findPeriodOn } from '../../../pricing/price-periods.ts'
import { quoteCategory } from '../../../pricing/quote.ts'
import { memoize } from '../../../lib/memoize.ts'
import { dayOf, formatDay } from '../../../lib/time.ts'
import { getCurrency } from '../../../rules/category.ts'

/**
 * The result of an example. `failures` is empty if the example passes; `subjects` lists the subject of each failure
 * (`total`, `errors.email`). `cell` is the price that the example covers.
 */
export type ExampleResult = {
  readonly name: string
  readonly failures: readonly string[]
  readonly subjects: readonly string[]
  readonly reasons: readonly string[]
  /** The bill lines as text, if an amount differs and the bill has several lines. */
  readonly bill: readonly string[]
  /** The ids of all bill lines. */
  readonly lines: readonly string[]
  readonly cell: {
    readonly category: string
    readonly period: string
    readonly checksAmount: boolean
  } | null
  /** The cells of item tables whose amounts the example states. */
  readonly itemCells: readonly ItemCell[]
}
export type ItemCell = Cell & { readonly item: string }

/**
 * Runs every example of an event. The results are memoized because two checks and every preview page use them. They
 * depend only on the event, because each example states its date.
 */
export const runExamples = memoize((event: EventConfig): readonly ExampleResult[] =>
  event.examples.map((example) => runExample(event, example)),
)

function runExample(event: EventConfig, example: ExampleCase): ExampleResult {
  if ('orderId' in example) {
    const orderIdResult = readOrderId(event, example.orderId)
    const actual = orderIdResult.ok ? 'ok' : orderIdResult.error.message
    const suffixText = event.orderId.followedBy === 'digits' ? 'digits' : 'any text'
    return {
      name: example.name,
      ...splitDifferences(
        actual === example.order ? [] : [describeDifference('order', example.order, actual)],
      ),
      reasons: [
        `an order id of this event is \`${event.orderId.prefix}\` followed by ${suffixText}`,
      ],
      bill: [],
      lines: [],
      cell: null,
      itemCells: [],
    }
  }
  const day = dayOf(example.on)
  const statesCategory = 'category' in example
  const evaluated = statesCategory
    ? null
    : evaluateAnswers(event, example.answers, readExampleContext(event, example.answers))
  const category =
    'category' in example ? example.category : findCategory(event, evaluated?.answers ?? {})
  const period = findPeriodOn(event.fees, day, category)?.id ?? null
  // A closed event still has prices: examples test the price table, not whether registration is open.
  const billedAnswers =
    evaluated === null || statesCategory
      ? null
      : withStatedMethod(event, evaluated.answers, example.answers)
  const bill =
    billedAnswers === null || category === null || period === null
      ? null
      : calculateBill(event, billedAnswers, category, period, day)
  const price =
    bill !== null
      ? bill.ok
        ? sumLines(bill.value)
        : null
      : category === null || period === null
        ? null
        : quoteCategory(event, category, period, day)
  const { expect } = example
  const expectedLines = ('lines' in expect ? expect.lines : undefined) ?? {}
  const lines = bill?.ok === true ? bill.value : []
  const shownFields = evaluated?.visibleIds ?? new Set<string>()
  const formatAmount = (amount: Amount | undefined): string =>
    amount === undefined ? 'no price' : formatMoney(amount, getCurrency(event, category))
  const formatLine = (amount: Amount | undefined): string =>
    amount === undefined ? 'no line' : formatMoney(amount, getCurrency(event, category))
  const failures = [
    ...(expect.category === undefined || expect.category === category
      ? []
      : [describeDifference('category', expect.category, category ?? 'none')]),
    ...(expect.period === undefined || expect.period === period
      ? []
      : [describeDifference('period', expect.period, period ?? 'none')]),
    ...(['base', 'gst', 'total'] as const).flatMap((part) =>
      expect[part] === undefined || expect[part] === price?.[part]
        ? []
        : [describeDifference(part, formatAmount(expect[part]), formatAmount(price?.[part]))],
    ),
    ...Object.entries(expectedLines).flatMap(([id, amount]) => {
      const matchingLines = lines.filter((line) => line.id === id)
      const actualAmount = matchingLines.length === 0 ? undefined : sumLines(matchingLines).total
      return actualAmount === amount
        ? []
        : [describeDifference(`lines.${id}`, formatAmount(amount), formatLine(actualAmount))]
    }),
    ...(expect.shows ?? [])
      .filter((id) => !shownFields.has(id))
      .map((id) => describeDifference('shows', id, 'hidden', `shows.${id}`)),
    ...(expect.hides ?? [])
      .filter((id) => shownFields.has(id))
      .map((id) => describeDifference('hides', id, 'shown', `hides.${id}`)),
    ...(evaluated === null
      ? []
      : compareErrors(('errors' in expect ? expect.errors : undefined) ?? {}, evaluated.errors)),
  ]
  const reasons = [
    `${formatDay(day)} in India → period ${period ?? 'none: closed'}`,
    `${statesCategory ? 'stated in the example' : 'answers'} → category ${category ?? 'none'}`,
  ]
  const checksTotal = price !== null && (expect.base !== undefined || expect.total !== undefined)
  const checksAmount = checksTotal || getOwn(expectedLines, REGISTRATION_LINE_ID) !== undefined
  return {
    name: example.name,
    ...splitDifferences(failures),
    reasons,
    bill: describeBill(failures, lines, expect.total, formatAmount),
    lines: lines.map(({ id }) => id),
    cell: category === null || period === null ? null : { category, period, checksAmount },
    itemCells:
      category === null || period === null
        ? []
        : lines.flatMap((line): ItemCell[] => {
            const item = event.fees.items.find(({ id }) => id === line.id)
            if (item === undefined || item.amountIn !== undefined) return []
            if (!checksTotal && getOwn(expectedLines, line.id) === undefined) return []
            const table = item.prices.findIndex(
              ({ when }) =>
                when === null || matchesCondition(when, evaluated?.answers ?? {}, category),
            )
            return [
              {
                item: item.id,
                table,
                row: line.option ?? EACH_ROW,
                period: findItemPeriodOn(event.fees, item, category, period, day),
              },
            ]
          }),
  }
}

/** Describes the lines of a bill. Names the line that accounts for the difference from the expected total, if any. */
function describeBill(
  failures: readonly Difference[],
  lines: readonly Line[],
  expected: Amount | undefined,
  formatAmount: (amount: Amount) => string,
): readonly string[] {
  const isAmountWrong = failures.some(({ subject }) => /^(?:base|gst|total|lines\.)/.test(subject))
  if (!isAmountWrong || lines.length < 2) return []
  const difference = expected === undefined ? null : sumLines(lines).total - expected
  const explainingLines = lines.filter(
    ({ id, total }) => id !== REGISTRATION_LINE_ID && total === difference,
  )
  return [
    `bill: ${lines.map(({ label, total }) => `${label} ${formatAmount(total)}`).join(', ')}`,
    ...(explainingLines.length === 1
      ? explainingLines.map(({ id }) => `without \`${id}\` the total would be as expected`)
      : []),
  ]
}

/**
 * Returns the context values that an example states among its answers, under the names that
 * conditions use. An answer of No is omitted.
 */
export function readExampleContext(event: EventConfig, answers: RawAnswers): PricingContext {
  const names = new Set(listContextNames(event))
  const statedValues = Object.entries(answers).flatMap(([name, value]): [string, Scalar][] =>
    names.has(name) && (value === true || typeof value === 'string') ? [[name, value]] : [],
  )
  return statedValues.length === 0 ? EMPTY_CONTEXT : extractContext(event, fromPairs(statedValues))
}

type Difference = { readonly subject: string; readonly text: string }

function describeDifference(
  label: string,
  expected: string,
  actual: string,
  subject = label,
): Difference {
  return { subject, text: `${label}: expected ${expected}, got ${actual}` }
}

function splitDifferences(
  differences: readonly Difference[],
): Pick<ExampleResult, 'failures' | 'subjects'> {
  return {
    failures: differences.map(({ text }) => text),
    subjects: differences.map(({ subject }) => subject),
  }
}

function compareErrors(
  expectedErrors: Readonly<Record<string, string>>,
  actualErrors: Readonly<Record<string, string>>,
): readonly Difference[] {
  const fields = [...new Set([...Object.keys(expectedErrors), ...Object.keys(actualErrors)])]
  return fields.flatMap((field) =>
    expectedErrors[field] === actualErrors[field]
      ? []
      : [
          describeDifference(
            `errors.${field}`,
            expectedErrors[field] ?? 'none',
            actualErrors[field] ?? 'none',
          ),
        ],
  )
}
