/** Reads prices for `rollcall new`: categories, accompanying persons, workshops. */
import { suggestAmount } from '../../suggestions/amount-notations.ts'
import {
  formatMoney,
  toAmount,
  readAmount,
  type Currency,
  type Amount,
} from '../../../lib/money.ts'
import { err, ok, type Result } from '../../../lib/result.ts'
import type { SampleCategory } from './event-file.ts'
import type { SampleCompanions, SampleWorkshop } from './items.ts'
import { readYes } from './read-yes.ts'

export const PRICES_EXAMPLE = 'Member = 4000 / 5000; Student = 1000'
/** The format for workshops, used in the question and in its correction. */
export const formatWorkshopsExample = (free: boolean): string =>
  free
    ? 'Ultrasound, 30 seats; ECG, 40 seats'
    : 'Ultrasound = 1500 / 2000, 30 seats; ECG = 1000, 40 seats'

/**
 * Reads "Member = 4000 / 5000; Student = 1000": one entry per line, or separated by `;`, else by
 * commas. A comma in brackets, in an amount (5,000) or in a label before its price does not
 * separate.
 */
export function readCategories(
  answer: string,
  free: boolean,
  currency: Currency,
): Result<readonly SampleCategory[], string> {
  const entries = splitEntries(answer, currency)
  const categories: SampleCategory[] = []
  for (const entry of entries) {
    const category = readCategory(entry, free, currency)
    if (!category.ok) return category
    if (categories.some(({ label }) => label.toLowerCase() === category.value.label.toLowerCase()))
      return err(`"${category.value.label}" is listed twice.`)
    categories.push(category.value)
  }
  return categories.length === 0
    ? err(`There is no category. Write ${PRICES_EXAMPLE}.`)
    : ok(categories)
}

function splitEntries(answer: string, currency: Currency): readonly string[] {
  const clean = (parts: readonly string[]): readonly string[] =>
    parts.map((part) => joinLines(part).replace(/[\s,;]+$/, '')).filter((part) => part !== '')
  const lines = clean(splitOutsideBrackets(answer, /[;\n]/))
  if (lines.length !== 1) return lines
  const parts = clean(splitOutsideBrackets(lines[0] ?? '', /,(?!\d{2,3}(?!\d))/))
  if (!parts.some((part) => PRICE_AFTER.test(part))) return parts
  // "Member, IMA = 4000, 5000": a part without "=" belongs to the label after it, or to the price
  // before.
  return parts.reduce<readonly string[]>((all, part) => {
    const before = all.at(-1)
    if (before === undefined) return [part]
    if (!PRICE_AFTER.test(before)) return [...all.slice(0, -1), `${before}, ${part}`]
    return PRICE_AFTER.test(part) || suggestAmount(part, currency)?.is !== 'rupees'
      ? [...all, part]
      : [...all.slice(0, -1), `${before} / ${part}`]
  }, [])
}

const PRICE_AFTER = /[=:]/

function splitOutsideBrackets(text: string, separator: RegExp): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at)
    if (letter === '(' || letter === '[') depth += 1
    else if (letter === ')' || letter === ']') depth = Math.max(0, depth - 1)
    else if (depth === 0 && text.slice(at).search(separator) === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)]
}

function readCategory(
  entry: string,
  free: boolean,
  currency: Currency,
): Result<SampleCategory, string> {
  const found = (entry.includes('=') ? /^(.*?)\s*=\s*(.*)$/ : /^(.*?)\s*:\s*(.*)$/).exec(entry)
  const label = joinLines(found?.[1] ?? entry)
  if (label === '') return err(`"${entry}" has no category. Write ${PRICES_EXAMPLE}.`)
  if (!/\p{L}/u.test(label)) return err(`"${label}" is not the name of a category.`)
  if (found === null)
    return free
      ? ok({ label, early: toAmount(0), regular: toAmount(0) })
      : err(`"${entry}" has no price. Write ${label} = 4000 / 5000, or ${label} = free.`)
  const prices = readPrices(found[2] ?? '', currency)
  if (prices === null)
    return err(`"${found[2]}" is not a price. Write ${label} = 4000 / 5000: early, then later.`)
  const [early, regular] = prices
  if (free && prices.some((price) => price !== null && price > 0))
    return err(
      `"${entry}" has a price, but the event is free. Remove the price, or answer that it is not free.`,
    )
  if (early === null && regular === null) return err(`${label} would never be on sale.`)
  return checkCheaperLater(label, prices, currency) ?? ok({ label, early, regular })
}

/** One price applies to both periods; null if it is not one or two prices. */
function readPrices(
  text: string,
  currency: Currency,
): readonly [Amount | null, Amount | null] | null {
  const split = text.split(/\s*\/(?!\s*[-–=])\s*/).filter((part) => part.trim() !== '')
  const suggestion = split.length === 1 ? suggestAmount(text, currency) : null
  const cells = suggestion?.is === 'several' ? suggestion.rupees : split
  const prices = cells.map((cell) => readPrice(cell, currency))
  const [early, regular] = prices
  if (early === undefined || prices.length > 2 || prices.includes(undefined)) return null
  return [early, regular === undefined ? early : regular]
}

/** Null if not on sale, undefined if it is not a price. */
function readPrice(cell: string, currency: Currency): Amount | null | undefined {
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

/** Returns an error if the later price is below the early one. */
function checkCheaperLater(
  label: string,
  [early, regular]: readonly [Amount | null, Amount | null],
  currency: Currency,
): { readonly ok: false; readonly error: string } | null {
  return early !== null && regular !== null && regular > 0 && regular < early
    ? err(
        `${label} would be cheaper later (${formatMoney(regular, currency)}) than early (${formatMoney(early, currency)}).`,
      )
    : null
}

const NONE_ANSWER = /^(none?|no|nobody|nil|-|not?)\.?$/i
const FREE_UNDER =
  /[,;]?\s*(?:children\s+)?(?:free\s+(?:of charge\s+)?)?(?:under|below)\s+(?:the age of\s+)?([1-9]\d?)(?:\s+(?:years|free|are free|come free))*\.?$/i

/**
 * Reads "4000 / 5000, free under 5". Null if there are no accompanying persons. If everything is free, the
 * question is yes or no.
 */
export function readCompanions(
  answer: string,
  free: boolean,
  currency: Currency,
): Result<SampleCompanions | null, string> {
  const answerText = joinLines(answer)
  if (NONE_ANSWER.test(answerText)) return ok(null)
  if (free) {
    const yes = readYes(answerText)
    if (yes === null) return err(`"${answer}" is neither yes nor no.`)
    return ok(yes ? { early: toAmount(0), regular: toAmount(0), freeUnder: null } : null)
  }
  const under = FREE_UNDER.exec(answerText)
  const prices = readPrices(
    under === null ? answerText : answerText.slice(0, under.index),
    currency,
  )
  const [early, regular] = prices ?? [null, null]
  if (prices === null || early === null || regular === null)
    return err(`"${answer}" is not a price. Write 4000 / 5000: early, then later; or none.`)
  return (
    checkCheaperLater('Accompanying person', prices, currency) ??
    ok({ early, regular, freeUnder: under === null ? null : Number(under[1]) })
  )
}

const SEATS = /[,;]?\s*\(?(\d{1,5})\s*(?:seats?|places?|pax)\)?\.?$/i

/** Reads "Ultrasound = 1500 / 2000, 30 seats; ECG = 1000, 40 seats". Empty if there is none. */
export function readWorkshops(
  answer: string,
  free: boolean,
  currency: Currency,
): Result<readonly SampleWorkshop[], string> {
  if (NONE_ANSWER.test(joinLines(answer))) return ok([])
  const workshops: SampleWorkshop[] = []
  for (const part of splitOutsideBrackets(answer, /[;\n]/)) {
    const entry = joinLines(part).replace(/[\s,;]+$/, '')
    if (entry === '') continue
    const seats = SEATS.exec(entry)
    const category = readCategory(
      seats === null ? entry : entry.slice(0, seats.index),
      free,
      currency,
    )
    if (!category.ok) return category
    const { label, early, regular } = category.value
    if (early === null || regular === null)
      return err(
        `${label} would not be on sale at all times; give it a price, or free, early and later.`,
      )
    if (workshops.some((candidate) => candidate.label.toLowerCase() === label.toLowerCase()))
      return err(`"${label}" is listed twice.`)
    const places = seats === null ? null : Number(seats[1])
    if (places === 0) return err(`${label} would have no seat.`)
    workshops.push({ label, early, regular, seats: places })
  }
  if (workshops.length === 0)
    return err(`There is no workshop. Write ${formatWorkshopsExample(free)}; or none.`)
  const [bounded, unbounded] = [true, false].map((is) =>
    workshops.find(({ seats }) => (seats !== null) === is),
  )
  return bounded === undefined || unbounded === undefined
    ? ok(workshops)
    : err(
        `How many seats does ${unbounded.label} have? Give the number for each workshop (${unbounded.label}, 30 seats), or for none.`,
      )
}
