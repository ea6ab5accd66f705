/** Checks a fee table. Each problem states its cell, row or column. */
import { suggestAmount } from '../../suggestions/amount-notations.ts'
import { formatCurrency, INR, type Currency } from '../../../lib/money.ts'
import { addDays, formatDay, isDay, type Day } from '../../../lib/time.ts'
import { askAboutCurrency, explainOtherCurrency, isInOtherCurrency } from './fee-table/currency.ts'
import { hasDecimalComma } from './fee-table/cells.ts'
import {
  askAboutClosedPeriod,
  askAboutGap,
  findClosedPeriods,
  listColumnLabels,
  listStatedNames,
} from './fee-table/closed-periods.ts'
import { findDaysInName } from './fee-table/days.ts'
import { explainNote } from './fee-table/notes.ts'
import type { FeeTable } from './fee-table/parts.ts'
import { explainBraces, explainName, hasBraces } from './category-name.ts'
import { listImplausiblePrices, readPrice, type ImplausiblePrice } from './prices.ts'
import type { NewEventAnswers, PricesByPeriod, SampleCategory } from './sample-options.ts'

/** A problem in the table. If only `row` or only `column` is given, it concerns the whole row or column. */
export type FeeProblem = {
  readonly row?: number
  readonly column?: number | 'number'
  /** The field in the heading of the column. If absent, the problem is in the field for the period's last day. */
  readonly part?: 'label' | 'from'
  readonly note?: number
  /** True if the problem is a missing date, which is not always an error. */
  readonly isMissingDay?: boolean
  readonly message: string
  /** Versions of the columns with different dates, each of which solves the problem. */
  readonly fixes?: readonly Fix[]
  /**
   * The label of the answer that confirms the table, if the table can be correct. Once the problem's message is in the
   * table's `confirmed` messages, the problem is not reported again.
   */
  readonly confirmLabel?: string
  /**
   * True if the period of the problem's column has no prices. When the organiser confirms that registration is closed
   * on its days, the period is removed from the table.
   */
  readonly isClosedPeriod?: true
}
const KEEP_CLOSED = 'Keep registration closed on these days'
type Fix = { readonly message: string; readonly columns: FeeTable['columns'] }

/**
 * Returns the answers with the categories and periods recognised in the table, and the table's
 * problems.
 */
export function readFees(
  table: FeeTable,
  answers: NewEventAnswers,
): { readonly fees: NewEventAnswers; readonly problems: readonly FeeProblem[] } {
  const names = listStatedNames(table)
  const labels = listColumnLabels(table)
  const currency = answers.currency ?? table.currency ?? INR
  const isCurrencyAsked = table.currencyAsked !== undefined && answers.currency === undefined
  const otherCurrency = explainOtherCurrency(table, labels, currency)
  const problems = [
    ...(isCurrencyAsked && table.currency === undefined
      ? [{ message: askAboutCurrency(table.currencyAsked) }]
      : []),
    ...(otherCurrency === null ? [] : [otherCurrency]),
    ...findColumnProblems(table, answers, labels),
    ...findClosedPeriods(table, currency).map((column): FeeProblem => ({
      column,
      message: askAboutClosedPeriod(table, column),
      confirmLabel: KEEP_CLOSED,
      isClosedPeriod: true,
    })),
    ...findRowProblems(table, { ...answers, currency }, labels),
    ...table.notes.map((note, index) => ({
      note: index,
      message: explainNote(note).message,
    })),
  ]
  const categories = table.rows.map(({ label, cells }): SampleCategory => ({
    label: label.trim(),
    prices: cells.map((cell) => readPrice(cell, currency) ?? null),
  }))
  const { opens: _opens, closes: _closes, periodStarts: _starts, ...others } = answers
  const [first] = table.columns
  const last = table.columns.at(-1)
  const periodEnds = table.columns.slice(0, -1).map(({ to }) => to)
  const periodStarts = table.columns.map(({ from }, index): Day | null => {
    const previousEnd = periodEnds[index - 1] ?? ''
    return isDay(from) && isDay(previousEnd) && from > addDays(previousEnd, 1) ? from : null
  })
  const fees: NewEventAnswers = {
    ...others,
    ...(currency === INR ? {} : { currency }),
    categories,
    periodLabels: names,
    // If a date is missing, one question asks for all dates at once.
    periodEnds: periodEnds.every(isDay) ? periodEnds : [],
    ...(periodStarts.some((start) => start !== null) ? { periodStarts } : {}),
    ...(first !== undefined && isDay(first.from) ? { opens: first.from } : {}),
    ...(last !== undefined && isDay(last.to) && last.to !== (answers.to ?? answers.from)
      ? { closes: last.to }
      : {}),
    ...(categories.every(({ prices }) => prices.every((price) => (price ?? 0) === 0))
      ? { free: true }
      : {}),
  }
  return { fees, problems }
}

function findColumnProblems(
  { columns, confirmed = [] }: FeeTable,
  { from, to = from }: NewEventAnswers,
  labels: readonly string[],
): readonly FeeProblem[] {
  let lastEnd: Day | null = null
  return columns.flatMap((column, index): readonly FeeProblem[] => {
    const name = `“${labels[index]}”`
    const isLast = index === columns.length - 1
    const firstWithLabel = labels.findIndex(
      (label) => label.toLowerCase() === labels[index]?.toLowerCase(),
    )
    if (firstWithLabel < index)
      return [
        {
          column: index,
          part: 'label',
          message: `Two periods are called ${name}. Rename one of them.`,
        },
      ]
    if (hasBraces(column.label))
      return [{ column: index, part: 'label', message: explainBraces(column.label) }]
    if (column.to === '' && !isLast) {
      lastEnd = null
      return [{ column: index, isMissingDay: true, message: `What is the last day of ${name}?` }]
    }
    if (column.to !== '' && !isDay(column.to))
      return [{ column: index, message: `“${column.to}” is not a valid date.` }]
    const start: Day | null = lastEnd === null ? null : addDays(lastEnd, 1)
    const namedDays = findDaysInName(column, start, to)
    if (namedDays !== null)
      return [
        {
          column: index,
          part: 'label',
          message: `${name} contains dates that differ from its fields. Enter the dates below, and only the name here.`,
          ...(namedDays.columnOfName === null
            ? {}
            : {
                fixes: [
                  {
                    message: 'Use the dates in the name',
                    columns: columns.with(index, namedDays.columnOfName),
                  },
                ],
              }),
        },
      ]
    const end: Day | null = isDay(column.to) ? column.to : null
    if (start !== null && isDay(column.from) && column.from > start) {
      const gapEnd = addDays(column.from, -1)
      const message = askAboutGap(start, gapEnd, labels[index] ?? '')
      if (!confirmed.includes(message)) {
        lastEnd = end
        return [
          {
            column: index,
            part: 'from',
            message,
            fixes: closeGap(columns, labels, index, start, gapEnd),
            confirmLabel: KEEP_CLOSED,
          },
        ]
      }
    }
    if (start !== null && isDay(column.from) && column.from < start)
      return [
        {
          column: index,
          part: 'from',
          message: `${name} begins on ${formatDay(column.from)}, when the previous period still applies. Change one of the dates.`,
        },
      ]
    if (start !== null && end !== null && end < start)
      return [
        {
          column: index,
          message: `${name} would end on ${formatDay(end)}, before it begins (${formatDay(start)}).`,
        },
      ]
    if (end !== null && isDay(column.from) && end < column.from)
      return [{ column: index, message: `${name} would end before it begins.` }]
    if (end === null && to !== undefined && isDay(column.from) && column.from > to)
      return [
        {
          column: index,
          part: 'from',
          message: `${name} would begin after the conference (${formatDay(to)}).`,
        },
      ]
    if (end !== null && to !== undefined && (isLast ? end > to : end >= to))
      return [
        {
          column: index,
          message: isLast
            ? `${name} would end after the conference (${formatDay(to)}).`
            : `${name} would apply until ${formatDay(end)}, but the conference ends on ${formatDay(to)}: no day is left for the later prices.`,
        },
      ]
    lastEnd = end
    return []
  })
}

/** Returns the two ways to close a gap before a period: it begins earlier, or the previous period ends later. */
function closeGap(
  columns: FeeTable['columns'],
  labels: readonly string[],
  index: number,
  start: Day,
  gapEnd: Day,
): readonly Fix[] {
  const columnsBegunEarlier = columns.map((column, at) =>
    at === index ? { ...column, from: '' } : column,
  )
  return [
    { message: `Begin “${labels[index]}” on ${formatDay(start)}`, columns: columnsBegunEarlier },
    {
      message: `End “${labels[index - 1]}” on ${formatDay(gapEnd)}`,
      columns: columnsBegunEarlier.map((column, at) =>
        at === index - 1 ? { ...column, to: gapEnd } : column,
      ),
    },
  ]
}

function findRowProblems(
  { rows, confirmed }: FeeTable,
  { free = false, currency = INR }: NewEventAnswers,
  labels: readonly string[],
): readonly FeeProblem[] {
  if (rows.length === 0) return [{ message: 'There is no category with a price.' }]
  const names = rows.map(({ label }) => label.trim().toLowerCase())
  return rows.flatMap(({ label, cells }, row): readonly FeeProblem[] => {
    const name = label.trim()
    if (name === '') return [{ row, message: 'Which category pays these prices?' }]
    const reason = explainName(name)
    if (reason !== null) return [{ row, message: reason }]
    if (names.indexOf(name.toLowerCase()) < row)
      return [{ row, message: `“${name}” is listed twice.` }]
    // Prices in another currency are reported once for the whole table.
    const isUnread = cells.some((cell) => isInOtherCurrency(cell, currency))
    const { prices, problems } = readCells(
      row,
      cells.map((cell) => (isInOtherCurrency(cell, currency) ? '–' : cell)),
      currency,
      (column) => `does “${name}” pay in “${labels[column] ?? ''}”?`,
    )
    const chargedColumn = free ? prices.findIndex((price) => (price ?? 0) > 0) : -1
    if (chargedColumn >= 0)
      return [
        ...problems,
        {
          row,
          column: chargedColumn,
          message: 'The event is free. Remove the price, or answer that it is not free.',
        },
      ]
    if (isUnread || problems.length > 0) return problems
    return askAboutPrices(
      row,
      listImplausiblePrices(`“${name}”`, prices, currency, labels),
      confirmed,
    )
  })
}

/** Returns the questions about a row's prices that the organiser has not yet confirmed. */
export const askAboutPrices = (
  row: number,
  implausible: readonly ImplausiblePrice[],
  confirmed: readonly string[] = [],
): readonly FeeProblem[] =>
  implausible
    .filter(({ message }) => !confirmed.includes(message))
    .map((price) => ({
      row,
      ...price,
      ...(price.column === undefined ? {} : { confirmLabel: 'This is correct' }),
    }))

/**
 * Reads the prices of a row. `buildQuestionEnd` returns the end of a cell's question: "does “PG” pay in “Early
 * Bird”?".
 */
export function readCells(
  row: number,
  cells: readonly string[],
  currency: Currency,
  buildQuestionEnd: (column: number) => string,
): { readonly prices: PricesByPeriod; readonly problems: readonly FeeProblem[] } {
  const prices = cells.map((cell) => readPrice(cell, currency))
  const problems = prices.flatMap((price, column): readonly FeeProblem[] =>
    price === undefined
      ? [
          {
            row,
            column,
            message: explainCell(cells[column] ?? '', buildQuestionEnd(column), currency),
          },
        ]
      : [],
  )
  return { prices: prices.map((price) => price ?? null), problems }
}

function explainCell(cell: string, questionEnd: string, currency: Currency): string {
  const help = 'Write an amount, “free”, or “–” if it is not on sale in that period.'
  const suggestion = suggestAmount(cell, currency)
  if (hasDecimalComma(cell))
    return `“${cell}” may mean ${cell.trim().replace(/,\d+$/, '')} with decimals, or a larger amount with a missing digit. Write it without the comma.`
  if (cell.trim() === '') return `What ${questionEnd} ${help}`
  switch (suggestion?.is) {
    case 'several':
      return `“${cell}” has several prices. Which one ${questionEnd}`
    case 'not-known-yet':
      return `“${cell}” is not a price. Write an estimate for now, and change it when the price is known.`
    case 'with-tax':
      return `“${cell}”: write only the amount. A separate question asks about GST.`
    case 'other-currency':
      return `“${cell}” is in a different currency from the registration fees, which are in ${formatCurrency(currency)}.`
    default:
      return `“${cell}” is not a price. ${help}`
  }
}
