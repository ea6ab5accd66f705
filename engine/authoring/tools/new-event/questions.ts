/** The questions of `rollcall new`, one at a time, and how days, prices and yes/no answers are read. */
import { suggestEmail } from '../../suggestions/misspelt-addresses.ts'
import { findDays, type DayWords } from '../../prose/find-days.ts'
import { formatCurrency, INR } from '../../../lib/money.ts'
import { err, ok, type Result } from '../../../lib/result.ts'
import { formatDay, isDay, getWeekday, type Day } from '../../../lib/time.ts'
import {
  joinLines,
  PRICES_EXAMPLE,
  readCategories,
  readCompanions,
  readWorkshops,
  formatWorkshopsExample,
} from './prices.ts'
import type { SampleOptions } from './event-file.ts'
import { readYes } from './read-yes.ts'

/** The answers so far; missing values get placeholders. */
export type NewEventAnswers = Omit<SampleOptions, 'id' | 'prefix' | 'today'>
type Question = {
  readonly name:
    | 'title'
    | 'from'
    | 'to'
    | 'venue'
    | 'support'
    | 'free'
    | 'categories'
    | 'gst'
    | 'companions'
    | 'workshops'
    | 'early-until'
  /** The question; null if earlier answers already cover it. */
  readonly asks: (answers: NewEventAnswers) => string | null
  /** Returns the answers including this one, or a sentence that says what is wrong with it. */
  readonly reads: (
    answer: string,
    answers: NewEventAnswers,
    today: Day,
  ) => Result<NewEventAnswers, string>
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const DAYS_HELP = 'Write 12 March 2027, 12/03/2027 (the day first) or 2027-03-12.'

export const QUESTIONS: readonly Question[] = [
  {
    name: 'title',
    asks: () => 'What is the name of the conference?',
    reads: (answer, answers) => ok({ ...answers, title: joinLines(answer) }),
  },
  {
    name: 'from',
    asks: () => 'On which day does it begin? (12 March 2027, or 12/03/2027)',
    reads: (answer, answers, today) => {
      const daysResult = readDays(answer, today)
      if (!daysResult.ok) return daysResult
      const [from, to] = daysResult.value
      return orderAnswers({ ...answers, from, ...(to === from ? {} : { to }) })
    },
  },
  {
    name: 'to',
    asks: (answers) => (answers.to === undefined ? 'On which day does it end?' : null),
    reads: (answer, answers, today) => {
      const daysResult = readDays(answer, today)
      return daysResult.ok ? orderAnswers({ ...answers, to: daysResult.value[1] }) : daysResult
    },
  },
  {
    name: 'venue',
    asks: () => 'Where is it?',
    reads: (answer, answers) => ok({ ...answers, venue: joinLines(answer) }),
  },
  {
    name: 'support',
    asks: () => 'Which email address do delegates write to?',
    reads: (answer, answers) => {
      const suggestion = suggestEmail(answer)
      if (suggestion !== null)
        return err(`${suggestion.slip}; write ${suggestion.write}.`.replaceAll('`', '"'))
      return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(answer)
        ? ok({ ...answers, support: answer })
        : err(`"${answer}" is not an email address.`)
    },
  },
  {
    name: 'free',
    asks: () => 'Is it free for all delegates? (yes or no)',
    reads: (answer, answers) => {
      const free = readYes(answer)
      return free === null ? err(`"${answer}" is neither yes nor no.`) : ok({ ...answers, free })
    },
  },
  {
    name: 'categories',
    asks: ({ free, currency = INR }) =>
      free === true
        ? 'Which categories of delegates are there? (Member; Student)'
        : `What does each category pay in ${formatCurrency(currency)}, early and later? (${PRICES_EXAMPLE}; a line that ends with ; goes on)`,
    reads: (answer, answers) => {
      const categoriesResult = readCategories(
        answer,
        answers.free === true,
        answers.currency ?? INR,
      )
      if (!categoriesResult.ok) return categoriesResult
      // If all prices are free the event is free, whatever was answered.
      const isFree = categoriesResult.value.every(
        ({ early, regular }) => (early ?? 0) === 0 && (regular ?? 0) === 0,
      )
      return ok({
        ...answers,
        categories: categoriesResult.value,
        ...(isFree ? { free: true } : {}),
      })
    },
  },
  {
    name: 'gst',
    asks: ({ free, currency = INR }) =>
      free === true || currency !== INR ? null : 'GST: none, inside the prices, or on top of them?',
    reads: (answer, answers) => {
      if (answers.currency !== undefined && answers.currency !== INR && readTax(answer) !== 'none')
        return err(
          `GST is not charged on prices in ${answers.currency}. Write none, and add the tax to the file.`,
        )
      const tax = readTax(answer)
      return tax === null
        ? err(`"${answer}" does not say how GST is charged. Write none, inside or on top.`)
        : ok({ ...answers, tax })
    },
  },
  {
    name: 'early-until',
    asks: ({ free }) => (free === true ? null : 'Until which day do the early prices apply?'),
    reads: (answer, answers, today) => {
      const daysResult = readDays(answer, today)
      return daysResult.ok
        ? orderAnswers({ ...answers, earlyUntil: daysResult.value[1] })
        : daysResult
    },
  },
  {
    name: 'companions',
    asks: ({ free }) =>
      free === true
        ? 'Can delegates bring an accompanying person? (yes or no)'
        : 'What does an accompanying person pay? (4000 / 5000, free under 5; or none)',
    reads: (answer, answers) => {
      const companionsResult = readCompanions(
        answer,
        answers.free === true,
        answers.currency ?? INR,
      )
      return companionsResult.ok
        ? ok({ ...answers, companions: companionsResult.value })
        : companionsResult
    },
  },
  {
    name: 'workshops',
    asks: ({ free }) =>
      `Which workshops are there${free === true ? '' : ', at which price'}, with how many seats? (${formatWorkshopsExample(free === true)}; or none)`,
    reads: (answer, answers) => {
      const workshopsResult = readWorkshops(answer, answers.free === true, answers.currency ?? INR)
      return workshopsResult.ok
        ? ok({ ...answers, workshops: workshopsResult.value })
        : workshopsResult
    },
  },
]

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

/** Reads a day, or a range of days: its first and its last. */
function readDays(answer: string, today: Day): Result<readonly [Day, Day], string> {
  const text = answer.trim().replace(/[.,;]+$/, '')
  const [found, another] = findDays(text, Number(today.slice(0, 4)))
  if (found === undefined || another !== undefined || found.start > 0 || found.end < text.length)
    return err(`"${answer}" is not a valid day. ${DAYS_HELP}`)
  const first = toDay(found.first)
  const last = toDay(found.last)
  if (!first.ok) return first
  return last.ok ? ok([first.value, last.value]) : last
}

function toDay({ day, month, year, weekday }: DayWords): Result<Day, string> {
  if (year === null) return err(`Of which year? ${DAYS_HELP}`)
  const text = [year, String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')
  if (!isDay(text)) return err(`There is no day ${day} in month ${month} of ${year}. ${DAYS_HELP}`)
  return weekday === null || weekday === getWeekday(text)
    ? ok(text)
    : err(`${formatDay(text)} is a ${WEEKDAYS[getWeekday(text)]}, not a ${WEEKDAYS[weekday]}.`)
}

/** Checks that the event's days are in order, with a day left for the later prices. */
function orderAnswers(answers: NewEventAnswers): Result<NewEventAnswers, string> {
  const { from, to = from, earlyUntil } = answers
  if (from !== undefined && to !== undefined && to < from)
    return err(`The conference would end (${formatDay(to)}) before it begins (${formatDay(from)}).`)
  if (earlyUntil !== undefined && to !== undefined && earlyUntil >= to)
    return err(
      `The early prices would apply until ${formatDay(earlyUntil)}, but the conference ends on ${formatDay(to)}: no day is left for the later prices.`,
    )
  return ok(answers)
}
