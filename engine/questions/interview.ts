/** What `rollcall new` asks, one thing at a time, and how each answer is read: as people write days, prices and yes. */
import { mailMeant } from '../check/meant/address.ts'
import { amountMeant } from '../check/meant/amount.ts'
import { daysSaid, type DayWords } from '../check/said/days.ts'
import { formatMoney, paise, readAmount, type Paise } from '../money.ts'
import { err, ok, type Result } from '../outcome.ts'
import { formatDay, isDay, weekdayOf, type Day } from '../time.ts'
import type { SampleCategory, SampleOptions } from './sample.ts'

/** What is known of a new event so far; what is missing gets a stand-in. */
export type Told = Omit<SampleOptions, 'id' | 'prefix' | 'today'>
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
    | 'early-until'
  /** The question; null where what was told has answered it. */
  readonly asks: (told: Told) => string | null
  /** What is known with this answer, or a sentence that says what is wrong with it. */
  readonly reads: (answer: string, told: Told, today: Day) => Result<Told, string>
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const HOW_DAYS = 'Write 12 March 2027, 12/03/2027 (the day first) or 2027-03-12.'
const PRICED = 'Member = 4000 / 5000; Student = 1000'

export const QUESTIONS: readonly Question[] = [
  {
    name: 'title',
    asks: () => 'What is the conference called?',
    reads: (answer, told) => ok({ ...told, title: oneLine(answer) }),
  },
  {
    name: 'from',
    asks: () => 'On which day does it begin? (12 March 2027, or 12/03/2027)',
    reads: (answer, told, today) => {
      const read = readDays(answer, today)
      if (!read.ok) return read
      const [from, to] = read.value
      return inOrder({ ...told, from, ...(to === from ? {} : { to }) })
    },
  },
  {
    name: 'to',
    asks: (told) => (told.to === undefined ? 'On which day does it end?' : null),
    reads: (answer, told, today) => {
      const read = readDays(answer, today)
      return read.ok ? inOrder({ ...told, to: read.value[1] }) : read
    },
  },
  {
    name: 'venue',
    asks: () => 'Where is it?',
    reads: (answer, told) => ok({ ...told, venue: oneLine(answer) }),
  },
  {
    name: 'support',
    asks: () => 'To which address do delegates write?',
    reads: (answer, told) => {
      const meant = mailMeant(answer)
      if (meant !== null) return err(`${meant.slip}; write ${meant.write}.`.replaceAll('`', '"'))
      return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(answer)
        ? ok({ ...told, support: answer })
        : err(`"${answer}" is not an e-mail address.`)
    },
  },
  {
    name: 'free',
    asks: () => 'Is it free for everybody? (yes or no)',
    reads: (answer, told) => {
      const free = readYes(answer)
      return free === null ? err(`"${answer}" is neither yes nor no.`) : ok({ ...told, free })
    },
  },
  {
    name: 'categories',
    asks: ({ free }) =>
      free === true
        ? 'Who comes? (Member; Student)'
        : `Who pays what in rupees, early and later? (${PRICED}; a line that ends with ; goes on)`,
    reads: (answer, told) => {
      const read = readCategories(answer, told.free === true)
      if (!read.ok) return read
      // Where nobody pays anything the event is free, whoever was asked.
      const isFree = read.value.every(
        ({ early, regular }) => (early ?? 0) === 0 && (regular ?? 0) === 0,
      )
      return ok({ ...told, categories: read.value, ...(isFree ? { free: true } : {}) })
    },
  },
  {
    name: 'gst',
    asks: ({ free }) => (free === true ? null : 'GST: none, inside the prices, or on top of them?'),
    reads: (answer, told) => {
      const tax = readTax(answer)
      return tax === null
        ? err(`"${answer}" does not say where the GST is. Write none, inside or on top.`)
        : ok({ ...told, tax })
    },
  },
  {
    name: 'early-until',
    asks: ({ free }) => (free === true ? null : 'Until which day do the early prices hold?'),
    reads: (answer, told, today) => {
      const read = readDays(answer, today)
      return read.ok ? inOrder({ ...told, earlyUntil: read.value[1] }) : read
    },
  },
]

/** Yes and no as people type them; null for anything else. */
export function readYes(answer: string): boolean | null {
  const said = answer
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, '')
  if (/^(y|yes|yeah|yep|ya|haa?n?|ok|true|1|free|it is)$/.test(said)) return true
  return /^(n|no|nope|nahi|false|0|paid|it is not)$/.test(said) ? false : null
}

function readTax(answer: string): NonNullable<Told['tax']> | null {
  const said = answer.trim().toLowerCase()
  if (/\b(on top|top|extra|excl\w*|exclusive|added|add|plus|outside|above)\b|^\+/.test(said))
    return 'on top'
  if (/\b(inside|in|incl\w*|included|inclusive|within|contain\w*)\b/.test(said)) return 'inside'
  return /^(none?|no gst|nil|without|exempt\w*|not charged|n|0\s*%?|-)$/.test(said) ? 'none' : null
}

/** A day, or a span of days: its first and its last. */
function readDays(answer: string, today: Day): Result<readonly [Day, Day], string> {
  const text = answer.trim().replace(/[.,;]+$/, '')
  const [said, another] = daysSaid(text, Number(today.slice(0, 4)))
  if (said === undefined || another !== undefined || said.start > 0 || said.end < text.length)
    return err(`"${answer}" is not read as a day. ${HOW_DAYS}`)
  const first = toDay(said.first)
  const last = toDay(said.last)
  if (!first.ok) return first
  return last.ok ? ok([first.value, last.value]) : last
}

function toDay({ day, month, year, weekday }: DayWords): Result<Day, string> {
  if (year === null) return err(`Of which year? ${HOW_DAYS}`)
  const text = [year, String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')
  if (!isDay(text)) return err(`There is no day ${day} in month ${month} of ${year}. ${HOW_DAYS}`)
  return weekday === null || weekday === weekdayOf(text)
    ? ok(text)
    : err(`${formatDay(text)} is a ${WEEKDAYS[weekdayOf(text)]}, not a ${WEEKDAYS[weekday]}.`)
}

/** The days of an event follow each other, and there is one left for the later prices. */
function inOrder(told: Told): Result<Told, string> {
  const { from, to = from, earlyUntil } = told
  if (from !== undefined && to !== undefined && to < from)
    return err(`The conference would end (${formatDay(to)}) before it begins (${formatDay(from)}).`)
  if (earlyUntil !== undefined && to !== undefined && earlyUntil >= to)
    return err(
      `The early prices would hold until ${formatDay(earlyUntil)}, and the conference is over on ${formatDay(to)}: no day is left for the later prices.`,
    )
  return ok(told)
}

/**
 * "Member = 4000 / 5000; Student = 1000": one entry a line, or with `;` between, else with commas. A comma
 * in brackets, in an amount (5,000) or in a label before its price separates nothing.
 */
export function readCategories(
  answer: string,
  free: boolean,
): Result<readonly SampleCategory[], string> {
  const entries = entriesOf(answer)
  const read: SampleCategory[] = []
  for (const entry of entries) {
    const one = readCategory(entry, free)
    if (!one.ok) return one
    if (read.some(({ label }) => label.toLowerCase() === one.value.label.toLowerCase()))
      return err(`"${one.value.label}" is there twice.`)
    read.push(one.value)
  }
  return read.length === 0 ? err(`No category is named. Write ${PRICED}.`) : ok(read)
}

function entriesOf(answer: string): readonly string[] {
  const clean = (parts: readonly string[]): readonly string[] =>
    parts.map((part) => oneLine(part).replace(/[\s,;]+$/, '')).filter((part) => part !== '')
  const lines = clean(outsideBrackets(answer, /[;\n]/))
  if (lines.length !== 1) return lines
  const parts = clean(outsideBrackets(lines[0] ?? '', /,(?!\d{2,3}(?!\d))/))
  if (!parts.some((part) => PRICE_AFTER.test(part))) return parts
  // "Member, IMA = 4000, 5000": a part without "=" belongs to the label after it, or to the price before.
  return parts.reduce<readonly string[]>((all, part) => {
    const before = all.at(-1)
    if (before === undefined) return [part]
    if (!PRICE_AFTER.test(before)) return [...all.slice(0, -1), `${before}, ${part}`]
    return PRICE_AFTER.test(part) || amountMeant(part)?.is !== 'rupees'
      ? [...all, part]
      : [...all.slice(0, -1), `${before} / ${part}`]
  }, [])
}

const PRICE_AFTER = /[=:]/

function outsideBrackets(text: string, separator: RegExp): readonly string[] {
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

function readCategory(entry: string, free: boolean): Result<SampleCategory, string> {
  const found = (entry.includes('=') ? /^(.*?)\s*=\s*(.*)$/ : /^(.*?)\s*:\s*(.*)$/).exec(entry)
  const label = oneLine(found?.[1] ?? entry)
  if (label === '') return err(`"${entry}" names nobody. Write ${PRICED}.`)
  if (!/\p{L}/u.test(label)) return err(`"${label}" is not the name of a category.`)
  if (found === null)
    return free
      ? ok({ label, early: paise(0), regular: paise(0) })
      : err(`"${entry}" has no price. Write ${label} = 4000 / 5000, or ${label} = free.`)
  const prices = pricesIn(found[2] ?? '')
  if (prices === null)
    return err(
      `"${found[2]}" is not read as a price. Write ${label} = 4000 / 5000: early, then later.`,
    )
  const [early, regular] = prices
  if (free && prices.some((price) => price !== null && price > 0))
    return err(
      `"${entry}" has a price, and the event was said to be free. Leave the price out, or say that it is not free.`,
    )
  if (early === null && regular === null) return err(`${label} would never be on sale.`)
  if (early !== null && regular !== null && regular > 0 && regular < early)
    return err(
      `${label} would be cheaper later (${formatMoney(regular)}) than early (${formatMoney(early)}).`,
    )
  return ok({ label, early, regular })
}

/** One price holds in both periods; null for what is not one or two prices. */
function pricesIn(text: string): readonly [Paise | null, Paise | null] | null {
  const split = text.split(/\s*\/(?!\s*[-–=])\s*/).filter((part) => part.trim() !== '')
  const meant = split.length === 1 ? amountMeant(text) : null
  const cells = meant?.is === 'several' ? meant.rupees : split
  const prices = cells.map(priceIn)
  const [early, regular] = prices
  if (early === undefined || prices.length > 2 || prices.includes(undefined)) return null
  return [early, regular === undefined ? early : regular]
}

/** Null: not on sale. Undefined: not a price. */
function priceIn(cell: string): Paise | null | undefined {
  const meant = amountMeant(cell)
  switch (meant?.is) {
    case 'rupees':
      return readAmount(meant.rupees) ?? undefined
    case 'free':
      return paise(0)
    case 'not-on-sale':
      return null
    default:
      return undefined
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
