/** The questions of `rollcall new`, in order, and the functions that parse their answers. */
import { suggestEmail } from '../../suggestions/misspelt-addresses.ts'
import { findDays } from '../../prose/find-days.ts'
import { formatCurrency, INR } from '../../../lib/money.ts'
import { err, ok, type Result } from '../../../lib/result.ts'
import { countDaysBetween, formatDay, type Day } from '../../../lib/time.ts'
import {
  CONFIRM_HELP,
  joinLines,
  PRICES_EXAMPLE,
  readCategories,
  readCompanions,
  readWorkshops,
  formatWorkshopsExample,
} from './prices.ts'
import { readFees, type FeeProblem } from './check-fees.ts'
import { readWorkshopTable } from './check-items.ts'
import { readFeeTable } from './fee-table.ts'
import { isFeeTable } from './fee-table/cells.ts'
import { closePeriod, findClosedPeriods } from './fee-table/closed-periods.ts'
import { readItemTable, readItemTables } from './fee-table/item-table.ts'
import type { ItemTable } from './fee-table/parts.ts'
import { countPeriods, listPeriodLabels } from './price-periods.ts'
import { DETAIL_QUESTIONS } from './questions/detail-questions.ts'
import type { Question } from './questions/question.ts'
import { readDays } from './questions/read-days.ts'
import { readYes } from './questions/read-yes.ts'
import type { NewEventAnswers } from './sample-options.ts'

export const QUESTIONS: readonly Question[] = [
  {
    name: 'title',
    buildQuestion: () => 'What is the name of the conference?',
    parse: (answer, answers) => ok({ ...answers, title: joinLines(answer) }),
  },
  {
    name: 'from',
    buildQuestion: () => 'When does it begin?',
    example: () => '12 March 2027, or 12/03/2027',
    parse: (answer, answers, today) => {
      const daysResult = readDays(answer, today)
      if (!daysResult.ok) return daysResult
      const [from, to] = daysResult.value
      return orderEventDays({ ...answers, from, ...(to === from ? {} : { to }) }, today)
    },
  },
  {
    name: 'to',
    buildQuestion: (answers) => (answers.to === undefined ? 'When does it end?' : null),
    parse: (answer, answers, today) => {
      const daysResult = readDays(answer, today)
      return daysResult.ok
        ? orderEventDays({ ...answers, to: daysResult.value[1] }, today)
        : daysResult
    },
  },
  {
    name: 'venue',
    buildQuestion: () => 'Where is it?',
    parse: (answer, answers) => ok({ ...answers, venue: joinLines(answer) }),
  },
  {
    name: 'support',
    buildQuestion: () => 'Which email address should delegates write to?',
    parse: (answer, answers) => {
      const suggestion = suggestEmail(answer)
      if (suggestion !== null)
        return err(
          startWithCapital(
            `${suggestion.mistake}; write ${suggestion.correction}.`.replaceAll('`', '"'),
          ),
        )
      return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(answer)
        ? ok({ ...answers, support: answer })
        : err(`"${answer}" is not an email address.`)
    },
  },
  {
    name: 'free',
    buildQuestion: () => 'Is it free for all delegates?',
    example: () => 'yes or no',
    parse: (answer, answers) => {
      const free = readYes(answer)
      return free === null ? err(`"${answer}" is neither yes nor no.`) : ok({ ...answers, free })
    },
  },
  {
    name: 'categories',
    buildQuestion: ({ free, currency = INR }) =>
      free === true
        ? 'Which categories of delegates are there?'
        : `What does each category pay, in ${formatCurrency(currency)}?`,
    example: ({ free }) =>
      free === true
        ? 'Member; Student'
        : `${PRICES_EXAMPLE}; end a line with ; to continue on the next. Or paste a table, followed by an empty line`,
    parse: (answer, answers, today) => {
      if (isFeeTable(answer)) return readPastedTable(answer, answers, today)
      const categoriesResult = readCategories(
        answer,
        answers.free === true,
        answers.currency ?? INR,
        answers.isConfirmed,
      )
      if (!categoriesResult.ok) return categoriesResult
      // If all prices are free, the event is free regardless of the earlier answer.
      const isFree = categoriesResult.value.every(({ prices }) =>
        prices.every((price) => (price ?? 0) === 0),
      )
      const { periodEnds: _ends, periodLabels: _labels, periodStarts: _starts, ...others } = answers
      return ok({
        ...others,
        categories: categoriesResult.value,
        ...(isFree ? { free: true } : {}),
      })
    },
  },
  {
    name: 'gst',
    buildQuestion: ({ free, tax, currency = INR }) =>
      free === true || tax !== undefined
        ? null
        : currency === INR
          ? 'How is GST charged?'
          : 'Which tax is charged, and how?',
    example: ({ currency = INR }) =>
      currency === INR ? 'none, inside the prices, or on top of them' : TAX_EXAMPLE,
    parse: (answer, answers) => {
      const tax = readTax(answer)
      if (answers.currency !== undefined && answers.currency !== INR && tax !== 'none') {
        const taxRate = readTaxRate(answer)
        return tax === null || taxRate === null
          ? err(
              `"${answer}" does not say which tax is charged, at which rate and how. Write ${TAX_EXAMPLE}.`,
            )
          : ok({ ...answers, tax, taxRate })
      }
      return tax === null
        ? err(`"${answer}" does not say how GST is charged. Write none, inside or on top.`)
        : ok({ ...answers, tax })
    },
  },
  {
    name: 'early-until',
    buildQuestion: (answers) => {
      const count = countPeriods(answers)
      if ((answers.periodEnds?.length ?? 0) >= count - 1) return null
      return count === 2
        ? 'What is the last day of the early prices?'
        : 'What is the last day of each price except the final one?'
    },
    example: (answers) =>
      listPeriodLabels(countPeriods(answers), answers.periodLabels).slice(0, -1).join('; '),
    parse: (answer, answers, today) => {
      const ends = splitDays(answer, today).map((part) => readDays(part, today))
      const failedDay = ends.find((end) => !end.ok)
      if (failedDay?.ok === false) return failedDay
      const count = countPeriods(answers)
      if (ends.length < count - 1)
        return err(`There are ${count} periods. Enter ${count - 1} dates, separated by semicolons.`)
      return orderAnswers({
        ...answers,
        periodEnds: ends.flatMap((end) => (end.ok ? [end.value[1]] : [])),
      })
    },
  },
  {
    name: 'companions',
    buildQuestion: ({ free, companions }) =>
      companions !== undefined
        ? null
        : free === true
          ? 'Can delegates bring an accompanying person?'
          : 'What does an accompanying person pay?',
    example: ({ free }) => (free === true ? 'yes or no' : '4000 / 5000, free under 5; or none'),
    parse: (answer, answers) => {
      const companionsResult = readCompanions(
        answer,
        answers.free === true,
        answers.currency ?? INR,
        countPeriods(answers),
        answers.isConfirmed,
      )
      return companionsResult.ok
        ? ok({ ...answers, companions: companionsResult.value })
        : companionsResult
    },
  },
  {
    name: 'workshops',
    buildQuestion: ({ free, workshops }) =>
      workshops !== undefined
        ? null
        : free === true
          ? 'Which workshops are there, and how many seats does each have?'
          : 'Which workshops are there, and what are their prices and seats?',
    example: ({ free }) => `${formatWorkshopsExample(free === true)}; or none`,
    parse: (answer, answers, today) => {
      if (isFeeTable(answer)) return readPastedWorkshops(answer, answers, today)
      const workshopsResult = readWorkshops(
        answer,
        answers.free === true,
        answers.currency ?? INR,
        countPeriods(answers),
        answers.categories ?? [],
        answers.isConfirmed,
      )
      return workshopsResult.ok
        ? ok({ ...answers, workshops: workshopsResult.value })
        : workshopsResult
    },
  },
  ...DETAIL_QUESTIONS,
]

const startWithCapital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const TAX_EXAMPLE = 'VAT 19% inside the prices, VAT 19% on top of them, or none'

/** Reads the name and the rate of "VAT 19% inside". Returns null if either is missing. */
function readTaxRate(answer: string): NonNullable<NewEventAnswers['taxRate']> | null {
  const [, name = '', rate = ''] =
    /^\s*([\p{L}][\p{L} .-]*?)\s*(\d+(?:[.,]\d+)?)\s*%/u.exec(answer) ?? []
  const percent = Number(rate.replace(',', '.'))
  return name !== '' && percent > 0 && percent < 100 ? { name, percent } : null
}

function readTax(answer: string): NonNullable<NewEventAnswers['tax']> | null {
  const normalised = answer.trim().toLowerCase()
  if (/\b(on top|top|extra|excl\w*|exclusive|added|add|plus|outside|above)\b|^\+/.test(normalised))
    return 'on top'
  if (/\b(inside|in|incl\w*|included|inclusive|within|contain\w*)\b/.test(normalised))
    return 'inside'
  return /^(none?|no gst|nil|without|exempt\w*|not charged|n|0\s*%?|-)$/.test(normalised)
    ? 'none'
    : null
}

/**
 * Reads a pasted table. If the table states GST or the price of accompanying persons, the questions about these are
 * skipped.
 */
function readPastedTable(
  answer: string,
  answers: NewEventAnswers,
  today: Day,
): Result<NewEventAnswers, string> {
  const { from, to = from, currency = INR, free = false } = answers
  const { tax, companions, workshops, ...table } = readFeeTable(answer, {
    from,
    to,
    currency,
    today,
  })
  if (table.currencyAsked !== undefined && answers.currency === undefined)
    return err(
      `The table mentions ${table.currencyAsked}. If its prices are in ${table.currencyAsked}, state it: --currency ${table.currencyAsked}. If they are in rupees, remove ${table.currencyAsked} from the table.`,
    )
  const closedPeriods = findClosedPeriods(table, table.currency ?? currency)
  const { fees, problems } = readFees(
    answers.isConfirmed === true ? closedPeriods.reduceRight(closePeriod, table) : table,
    answers,
  )
  const problemText = explainProblems(
    problems.filter(({ isMissingDay }) => isMissingDay !== true),
    answers,
  )
  if (problemText !== null) return err(problemText)
  const persons =
    companions === null
      ? null
      : readCompanions(
          companions,
          free,
          fees.currency ?? currency,
          countPeriods(fees),
          answers.isConfirmed,
        )
  const newAnswers: NewEventAnswers = {
    ...fees,
    ...(tax !== null && (fees.currency ?? INR) === INR ? { tax } : {}),
    ...(persons?.ok === true ? { companions: persons.value } : {}),
  }
  return workshops.length === 0
    ? ok(newAnswers)
    : checkWorkshops(readItemTables(workshops, newAnswers, today), newAnswers)
}

function readPastedWorkshops(
  answer: string,
  answers: NewEventAnswers,
  today: Day,
): Result<NewEventAnswers, string> {
  const table = readItemTable(answer, answers, today)
  return table.rows.length === 0
    ? err('The table contains no workshop prices.')
    : checkWorkshops(table, answers)
}

function checkWorkshops(
  table: ItemTable,
  answers: NewEventAnswers,
): Result<NewEventAnswers, string> {
  const { answers: newAnswersWithWorkshops, problems } = readWorkshopTable(table, answers)
  const problemTexts = explainProblems(problems, answers)
  return problemTexts === null ? ok(newAnswersWithWorkshops) : err(problemTexts)
}

/** Joins the messages of a table's problems for the command line. Returns null if there are none. */
function explainProblems(
  problems: readonly FeeProblem[],
  { isConfirmed = false }: NewEventAnswers,
): string | null {
  const openProblems = problems.filter(
    ({ confirmLabel }) => confirmLabel === undefined || !isConfirmed,
  )
  return openProblems.length === 0
    ? null
    : openProblems
        .map(({ message, confirmLabel }) =>
          confirmLabel === undefined ? message : `${message} ${CONFIRM_HELP}`,
        )
        .join('\n')
}

/** Splits "31 August 2026; 31 October 2026". A single range counts as one answer. */
const splitDays = (answer: string, today: Day): readonly string[] => {
  const parts = answer.split(/[;\n]/).filter((part) => part.trim() !== '')
  const [only = answer] = parts
  if (parts.length !== 1) return parts
  const days = findDays(only, Number(today.slice(0, 4)))
  return days.length < 2 ? [only] : days.map(({ start, end }) => only.slice(start, end))
}

/** If a conference would be longer than this, its month or year is probably wrong. */
const MAX_LIKELY_DAYS = 28

/** Sorts the event's dates, and checks that the conference has not ended and does not last for months. */
function orderEventDays(answers: NewEventAnswers, today: Day): Result<NewEventAnswers, string> {
  const { from, to = from } = answers
  if (to !== undefined && to < today)
    return err(`${formatDay(to)} is in the past. Is the year correct?`)
  const days = from === undefined || to === undefined ? 0 : countDaysBetween(from, to) + 1
  return days > MAX_LIKELY_DAYS
    ? err(`The conference would last ${days} days. Are the month and the year correct?`)
    : orderAnswers(answers)
}

/** Checks that the dates are in order and leave at least one day for the later prices. */
function orderAnswers(answers: NewEventAnswers): Result<NewEventAnswers, string> {
  const { from, to = from, periodEnds = [] } = answers
  if (from !== undefined && to !== undefined && to < from)
    return err(`The conference would end (${formatDay(to)}) before it begins (${formatDay(from)}).`)
  const misorderedIndex = periodEnds.findIndex(
    (end, index) => index > 0 && end <= (periodEnds[index - 1] ?? ''),
  )
  const [later, earlier] = [periodEnds[misorderedIndex], periodEnds[misorderedIndex - 1]]
  if (later !== undefined && earlier !== undefined)
    return err(`${formatDay(later)} is not after ${formatDay(earlier)}. Enter the dates in order.`)
  const end = periodEnds.at(-1)
  if (end !== undefined && to !== undefined && end >= to)
    return err(
      `The early prices would apply until ${formatDay(end)}, but the conference ends on ${formatDay(to)}: no day is left for the later prices.`,
    )
  return ok(answers)
}
