/** Reads prices for `rollcall new`: categories, accompanying persons, workshops. */
import { suggestAmount } from '../../suggestions/amount-notations.ts'
import {
  formatCurrency,
  formatMoney,
  toAmount,
  readAmount,
  type Currency,
  type Amount,
} from '../../../lib/money.ts'
import { err, ok, type Result } from '../../../lib/result.ts'
import { explainName } from './category-name.ts'
import { expandPrices, listPeriodLabels } from './price-periods.ts'
import type {
  PricesByPeriod,
  SampleCategory,
  SampleCompanions,
  SampleWorkshop,
} from './sample-options.ts'
import { readYes } from './questions/read-yes.ts'
import { combineWorkshops, splitCategory, type WorkshopEntry } from './workshops.ts'

export const PRICES_EXAMPLE = 'Member = 4000 / 5000; Student = 1000'
/** Returns a sample answer about workshops, for the question and for error messages. */
export const formatWorkshopsExample = (free: boolean): string =>
  free
    ? 'Ultrasound, 30 seats; ECG, 40 seats'
    : 'Ultrasound = 1500 / 2000, 30 seats; ECG = 1000, 40 seats; ECG for Student = free'

/**
 * Reads "Member = 4000 / 5000; Student = 1000". Entries are separated by line breaks or `;`, otherwise by commas. A
 * comma in brackets, in an amount (5,000) or in a label before its price is not a separator.
 */
export function readCategories(
  answer: string,
  free: boolean,
  currency: Currency,
  isConfirmed = false,
): Result<readonly SampleCategory[], string> {
  const entries = splitEntries(answer, currency)
  const categories: SampleCategory[] = []
  for (const entry of entries) {
    const category = readCategory(entry, free, currency, { isConfirmed })
    if (!category.ok) return category
    if (categories.some(({ label }) => label.toLowerCase() === category.value.label.toLowerCase()))
      return err(`"${category.value.label}" is listed twice.`)
    categories.push(category.value)
  }
  if (categories.length === 0) return err(`There is no category. Write ${PRICES_EXAMPLE}.`)
  const count = Math.max(...categories.map(({ prices }) => prices.length))
  const longest = categories.find(({ prices }) => prices.length === count)
  const other = categories.find(({ prices }) => prices.length !== 1 && prices.length !== count)
  return other === undefined
    ? ok(categories.map(({ label, prices }) => ({ label, prices: expandPrices(prices, count) })))
    : err(
        `${other.label} has ${other.prices.length} prices, but ${longest?.label} has ${count}. Give each category ${count} prices, or one that applies to all periods.`,
      )
}

function splitEntries(answer: string, currency: Currency): readonly string[] {
  const clean = (parts: readonly string[]): readonly string[] =>
    parts.map((part) => joinLines(part).replace(/[\s,;]+$/, '')).filter((part) => part !== '')
  const lines = clean(splitOutsideBrackets(answer, /[;\n]/))
  if (lines.length !== 1) return lines
  const parts = clean(splitOutsideBrackets(lines[0] ?? '', /,(?!\d{2,3}(?!\d))/))
  if (!parts.some((part) => PRICE_SEPARATOR.test(part))) return parts
  // "Member, IMA = 4000, 5000": a part without "=" belongs to the following label or to the
  // preceding price.
  return parts.reduce<readonly string[]>((all, part) => {
    const previous = all.at(-1)
    if (previous === undefined) return [part]
    if (!PRICE_SEPARATOR.test(previous)) return [...all.slice(0, -1), `${previous}, ${part}`]
    return PRICE_SEPARATOR.test(part) || suggestAmount(part, currency)?.is !== 'rupees'
      ? [...all, part]
      : [...all.slice(0, -1), `${previous} / ${part}`]
  }, [])
}

const PRICE_SEPARATOR = /[=:]/

function splitOutsideBrackets(text: string, separator: RegExp): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let position = 0; position < text.length; position += 1) {
    const letter = text.charAt(position)
    if (letter === '(' || letter === '[') depth += 1
    else if (letter === ')' || letter === ']') depth = Math.max(0, depth - 1)
    else if (depth === 0 && text.slice(position).search(separator) === 0) {
      parts.push(text.slice(start, position))
      start = position + 1
    }
  }
  return [...parts, text.slice(start)]
}

function readCategory(
  entry: string,
  free: boolean,
  currency: Currency,
  { mustBeOnSale = true, isConfirmed = false },
): Result<SampleCategory, string> {
  const match = (entry.includes('=') ? /^(.*?)\s*=\s*(.*)$/ : /^(.*?)\s*:\s*(.*)$/).exec(entry)
  const label = joinLines(match?.[1] ?? entry)
  if (label === '') return err(`"${entry}" has no category. Write ${PRICES_EXAMPLE}.`)
  const reason = explainName(label)
  if (reason !== null) return err(reason)
  if (match === null)
    return free
      ? ok({ label, prices: [toAmount(0)] })
      : err(`"${entry}" has no price. Write ${label} = 4000 / 5000, or ${label} = free.`)
  const prices = readPrices(match[2] ?? '', currency)
  if (prices === null && hasOtherCurrency(match[2] ?? '', currency))
    return err(
      `The price of ${label} is in a different currency. All prices here are in ${formatCurrency(currency)}: leave out ${label} and add it to the file later, where a category can have its own \`currency\`.`,
    )
  if (prices === null)
    return err(`"${match[2]}" is not a price. Write ${label} = 4000 / 5000: early, then later.`)
  if (free && prices.some((price) => price !== null && price > 0))
    return err(
      `"${entry}" has a price, but the event is free. Remove the price, or answer that it is not free.`,
    )
  // A workshop need not be on sale for every category.
  if (!mustBeOnSale && prices.every((price) => price === null)) return ok({ label, prices })
  const problem = findImplausiblePrices(label, prices, currency, isConfirmed)
  return problem === null ? ok({ label, prices }) : err(problem)
}

/** Reads one price per period, or one price for all. Returns null if a part is not a price. */
function readPrices(text: string, currency: Currency): PricesByPeriod | null {
  const textParts = text.split(/\s*\/(?!\s*[-–=])\s*/).filter((part) => part.trim() !== '')
  const suggestion = textParts.length === 1 ? suggestAmount(text, currency) : null
  const cells = suggestion?.is === 'several' ? suggestion.rupees : textParts
  const prices = cells.map((cell) => readPrice(cell, currency))
  return prices.length === 0 || !prices.every((price) => price !== undefined) ? null : prices
}

const hasOtherCurrency = (text: string, currency: Currency): boolean =>
  text.split('/').some((cell) => suggestAmount(cell, currency)?.is === 'other-currency')

/** Reads a price. Returns null for "not on sale", and undefined if the text is not a price. */
export function readPrice(cell: string, currency: Currency): Amount | null | undefined {
  const suggestion = suggestAmount(cell, currency)
  switch (suggestion?.is) {
    case 'rupees':
      return readAmount(suggestion.rupees, currency) ?? undefined
    case 'free':
      return toAmount(0)
    case 'not-on-sale':
      return null
    default:
      return undefined
  }
}

export function joinLines(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** A price that is probably a mistake. Without `column`, the row is never on sale. */
export type ImplausiblePrice = { readonly column?: number; readonly message: string }

/** Returns a problem for each price that is lower than an earlier one, or one problem if the row is never on sale. */
export function listImplausiblePrices(
  label: string,
  prices: PricesByPeriod,
  currency: Currency,
  labels: readonly string[] = [],
): readonly ImplausiblePrice[] {
  if (prices.every((price) => price === null))
    return [{ message: `${label} would never be on sale.` }]
  const names = listPeriodLabels(prices.length, labels)
  return prices.flatMap((later, column): readonly ImplausiblePrice[] => {
    const earlierIndex = prices.findLastIndex((price, at) => at < column && price !== null)
    const earlier = prices[earlierIndex]
    if (later === null || earlier == null || later >= earlier) return []
    const amount = formatMoney(earlier, currency)
    if (later === 0)
      return [
        {
          column,
          message: `${label} would be free ${labels.length === 0 ? 'later' : `in “${names[column]}”`}, but pays ${amount} ${labels.length === 0 ? 'early' : `in “${names[earlierIndex]}”`}. Write “–” if it is not on sale in that period.`,
        },
      ]
    return [
      {
        column,
        message:
          prices.length === 2 && labels.length === 0
            ? `${label} would be cheaper later (${formatMoney(later, currency)}) than early (${amount}).`
            : `${label} would be cheaper in “${names[column]}” (${formatMoney(later, currency)}) than in “${names[earlierIndex]}” (${amount}).`,
      },
    ]
  })
}

/**
 * Returns the first message about an implausible price, with the command-line option that confirms it. Returns null if
 * there is none.
 */
function findImplausiblePrices(
  label: string,
  prices: PricesByPeriod,
  currency: Currency,
  isConfirmed: boolean,
): string | null {
  const [first] = listImplausiblePrices(label, prices, currency).filter(
    ({ column }) => column === undefined || !isConfirmed,
  )
  if (first === undefined) return null
  return first.column === undefined ? first.message : `${first.message} ${CONFIRM_HELP}`
}

/** Tells the organiser how to confirm implausible prices on the command line. */
export const CONFIRM_HELP = 'If it is correct, add --confirm.'

const NONE_ANSWER = /^(none?|no|nobody|nil|-|not?)\.?$/i
const FREE_UNDER_PATTERN =
  /[,;]?\s*(?:children\s+)?(?:free\s+(?:of charge\s+)?)?(?:under|below)\s+(?:the age of\s+)?([1-9]\d?)(?:\s+(?:years|free|are free|come free))*\.?$/i

/**
 * Reads "4000 / 5000, free under 5". Null if there are no accompanying persons. For a free event,
 * the answer is yes or no.
 */
export function readCompanions(
  answer: string,
  free: boolean,
  currency: Currency,
  periods: number,
  isConfirmed = false,
): Result<SampleCompanions | null, string> {
  const answerText = joinLines(answer)
  if (NONE_ANSWER.test(answerText)) return ok(null)
  if (free) {
    const yes = readYes(answerText)
    if (yes === null) return err(`"${answer}" is neither yes nor no.`)
    return ok(yes ? { prices: [toAmount(0)], freeUnder: null } : null)
  }
  const ageMatch = FREE_UNDER_PATTERN.exec(answerText)
  const prices = readPrices(
    ageMatch === null ? answerText : answerText.slice(0, ageMatch.index),
    currency,
  )
  if (prices === null)
    return err(`"${answer}" is not a price. Write 4000 / 5000: early, then later; or none.`)
  const problem =
    findCountProblem('Accompanying person', prices, periods) ??
    findImplausiblePrices('Accompanying person', prices, currency, isConfirmed)
  return problem === null
    ? ok({ prices, freeUnder: ageMatch === null ? null : Number(ageMatch[1]) })
    : err(problem)
}

/** Returns a message unless there is one price, or one price per period. */
function findCountProblem(label: string, prices: PricesByPeriod, periods: number): string | null {
  if (prices.length === 1 || prices.length === periods) return null
  return periods === 1
    ? `${label} has ${prices.length} prices, but there is one price period. Give one price.`
    : `${label} has ${prices.length} prices, but there are ${periods} price periods. Give ${periods} prices, or one that applies to all.`
}

const SEATS_PATTERN = /[,;]?\s*\(?(\d{1,5})\s*(?:seats?|places?|pax)\)?\.?$/i
/** "(limited to 12)", "max. 12 participants". */
const SEAT_LIMIT_PATTERN =
  /[,;]?\s*\(?\b(?:limited to|max(?:imum)?\.?(?: of)?)\s+(\d{1,5})(?:\s*(?:seats?|places?|pax|participants?|delegates?|persons?))?(?:\s+only)?\)?\.?$/i
/** Matches a sign or a decimal point before the digits that `SEATS_PATTERN` finds. */
const PARTIAL_SEATS = /(?:[,;]\s*)([-−–]|\d+\.)$/

/** Separates "ECG, 30 seats" into the text and the number. The number is null if the text states none. */
export function splitSeats(text: string): { readonly rest: string; readonly seats: string | null } {
  const seatsMatch = SEAT_LIMIT_PATTERN.exec(text) ?? SEATS_PATTERN.exec(text)
  return seatsMatch === null
    ? { rest: text, seats: null }
    : { rest: text.slice(0, seatsMatch.index), seats: seatsMatch[1] ?? null }
}

/**
 * Reads "Ultrasound = 1500 / 2000, 30 seats; Ultrasound for PG = free; ECG = 1000, 40 seats". Returns an empty list if
 * there are no workshops.
 */
export function readWorkshops(
  answer: string,
  free: boolean,
  currency: Currency,
  periods: number,
  categories: readonly SampleCategory[],
  isConfirmed = false,
): Result<readonly SampleWorkshop[], string> {
  if (NONE_ANSWER.test(joinLines(answer))) return ok([])
  const entries: WorkshopEntry[] = []
  for (const part of splitOutsideBrackets(answer, /[;\n]/)) {
    const entry = joinLines(part).replace(/[\s,;]+$/, '')
    if (entry === '') continue
    const { rest, seats } = splitSeats(entry)
    const partialNumber = seats === null ? null : PARTIAL_SEATS.exec(rest)
    if (partialNumber !== null)
      return err(
        `"${partialNumber[1]}${seats}" is not a number of seats. Write a whole number: 30 seats.`,
      )
    const row = readCategory(rest, free, currency, { mustBeOnSale: false, isConfirmed })
    if (!row.ok) return row
    const { label, prices } = row.value
    const problem = findCountProblem(label, prices, periods)
    if (problem !== null) return err(problem)
    const splitLabel = splitCategory(
      label,
      categories.map((category) => category.label),
    )
    entries.push({
      ...(splitLabel.label === '' ? { label, category: '' } : splitLabel),
      prices,
      seats: seats === null ? null : Number(seats),
    })
  }
  if (entries.length === 0)
    return err(`There is no workshop. Write ${formatWorkshopsExample(free)}; or none.`)
  const { workshops, problems } = combineWorkshops(entries, categories)
  const [firstProblem] = problems
  return firstProblem === undefined ? ok(workshops) : err(firstProblem.message)
}
