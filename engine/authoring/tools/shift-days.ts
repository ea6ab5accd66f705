/** Shifts the days in a text by whole weeks, keeping their notation: 2025-08-31, 31/08/2025, 31st Aug. */
import { findDays, findMonths, type StatedDays, type DayWords } from '../prose/find-days.ts'
import { addDays, countDaysBetween, formatDays, isDay, type Day } from '../../lib/time.ts'

const DAYS_PER_WEEK = 7
/** Days more than this many years from the event are historical, birthdays or unrelated. */
const NEAR_YEARS = 3
const MONTHS =
  'January February March April May June July August September October November December'.split(' ')

export type DayShift = {
  readonly weeks: number
  /** First day of the event in the text. A day without a year is the nearest one to it. */
  readonly event: Day
}
export type ShiftedText = {
  readonly text: string
  readonly shifted: number
  /** Texts that look like a day and were not changed. */
  readonly left: readonly string[]
}

/** Shifts the days in each line. Weekdays stay the same, because whole weeks are added. */
export function shiftDays(text: string, shift: DayShift): ShiftedText {
  const lines = text.split('\n').map((line) => shiftLine(line, shift))
  return {
    text: lines.map((line) => line.text).join('\n'),
    shifted: lines.reduce((sum, line) => sum + line.shifted, 0),
    left: lines.flatMap((line) => line.left),
  }
}

function shiftLine(line: string, shift: DayShift): ShiftedText {
  const eventYear = Number(shift.event.slice(0, 4))
  const days = findDays(line, eventYear)
  const months = findMonths(line, () => days)
  const left: string[] = []
  const parts = [
    ...days.map((stated) => ({
      ...stated,
      rewrite: (sub: string) => shiftSpan(sub, stated, shift),
    })),
    ...months.map((stated) => ({
      ...stated,
      rewrite: (sub: string) =>
        shiftDayText(
          sub,
          { day: 15, month: stated.month, year: stated.year, weekday: null },
          shift,
        ),
    })),
  ].toSorted((a, b) => b.start - a.start)
  let shifted = 0
  let shiftedLine = line
  for (const { start, end, rewrite } of parts) {
    const sub = line.slice(start, end)
    const later = rewrite(sub)
    if (later === null) left.push(sub)
    else {
      shifted += 1
      shiftedLine = shiftedLine.slice(0, start) + later + shiftedLine.slice(end)
    }
  }
  return { text: shiftedLine, shifted, left }
}

/**
 * Returns the day that the words mean: without a year, the day nearest to the event. Null if there
 * is no such day, or it is far from the event.
 */
function readMeaning({ day, month, year }: DayWords, event: Day): Day | null {
  const eventYear = Number(event.slice(0, 4))
  const years = year === null ? [eventYear - 1, eventYear, eventYear + 1] : [year]
  const [nearest] = years
    .map((year) => `${year}-${padToTwoDigits(month)}-${padToTwoDigits(day)}`)
    .filter(isDay)
    .toSorted((a, b) => Math.abs(countDaysBetween(a, event)) - Math.abs(countDaysBetween(b, event)))
  return nearest === undefined || Math.abs(Number(nearest.slice(0, 4)) - eventYear) > NEAR_YEARS
    ? null
    : nearest
}

const padToTwoDigits = (number: number): string => String(number).padStart(2, '0')
const shiftDay = (day: Day, { weeks }: DayShift): Day => addDays(day, weeks * DAYS_PER_WEEK)

function shiftSpan(sub: string, stated: StatedDays, shift: DayShift): string | null {
  if (stated.first === stated.last) return shiftDayText(sub, stated.first, shift)
  const [first, last] = [
    readMeaning(stated.first, shift.event),
    readMeaning(stated.last, shift.event),
  ]
  if (first === null || last === null) return null
  const [from, to] = [shiftDay(first, shift), shiftDay(last, shift)]
  if (sub === formatDays(first, last)) return formatDays(from, to)
  const names = [...sub.matchAll(/\p{L}{3,}/gu)].filter(([word]) => isMonth(word))
  if (names.length !== 1) return shiftBothHalves(sub, stated, shift)
  const numbers = [...sub.matchAll(/(?<!\d)\d{1,2}(?!\d)/g)]
  if (numbers.length < 2) return null
  // "14, 15 & 16 March" has one number per day, so this works only within one month.
  if (from.slice(0, 7) === to.slice(0, 7)) {
    const daysMoved = countDaysBetween(first, from)
    const offset = Number(from.slice(8)) - Number(first.slice(8))
    return daysMoved === 0 ? sub : shiftWords(sub, to, stated.last.day, offset)
  }
  const [month = ''] = names[0] ?? []
  const year = /(?:19|20)\d\d/.exec(sub)?.[0]
  const formatDayOfMonth = (day: Day): string =>
    `${Number(day.slice(8))} ${formatMonthLike(month, day)}`
  return numbers.length > 2
    ? null
    : `${formatDayOfMonth(from)} – ${formatDayOfMonth(to)}${year === undefined ? '' : ` ${to.slice(0, 4)}`}`
}

/** Shifts both halves of "31 January – 1 February 2026" separately. */
function shiftBothHalves(sub: string, stated: StatedDays, shift: DayShift): string | null {
  const separator =
    /\s*(?:–|—|-|\bto\b|\btill\b|\buntil\b|\bupto\b|\bup to\b|\bthrough\b|\band\b|&)\s*/gi
  for (const match of sub.matchAll(separator)) {
    const [one, next] = [sub.slice(0, match.index), sub.slice(match.index + match[0].length)]
    const eventYear = Number(shift.event.slice(0, 4))
    const halves = [findDays(one, eventYear), findDays(next, eventYear)]
    if (halves.some((half) => half.length !== 1)) continue
    const [a, b] = [shiftDayText(one, stated.first, shift), shiftDayText(next, stated.last, shift)]
    if (a !== null && b !== null) return a + match[0] + b
  }
  return null
}

function shiftDayText(sub: string, dayText: DayWords, shift: DayShift): string | null {
  const suggestion = readMeaning(dayText, shift.event)
  if (suggestion === null) return null
  const to = shiftDay(suggestion, shift)
  const iso = /^(\D*)\d{4}([-/.])(\d{1,2})\2(\d{1,2})(.*)$/s.exec(sub)
  if (iso !== null) {
    const [, before = '', sign = '', month = '', day = '', after = ''] = iso
    return `${before}${to.slice(0, 4)}${sign}${matchDigits(month, to.slice(5, 7))}${sign}${matchDigits(day, to.slice(8))}${after}`
  }
  const numeric =
    /^(.*?)(\d{1,2})(\s?[-/.]\s?)(\d{1,2})(?:(\s?[-/.]\s?)(\d{4}|\d{2}))?(\D*)$/s.exec(sub)
  if (numeric !== null && !/\p{L}{3,}/u.test(sub.slice((numeric[1] ?? '').length))) {
    const [, before = '', one = '', sign = '', next = '', sign2 = '', year = '', after = ''] =
      numeric
    const isDayFirst = Number(one) === dayText.day && Number(next) === dayText.month
    const [first, second] = isDayFirst
      ? [to.slice(8), to.slice(5, 7)]
      : [to.slice(5, 7), to.slice(8)]
    return `${before}${matchDigits(one, first)}${sign}${matchDigits(next, second)}${sign2}${year === '' ? '' : to.slice(4 - year.length, 4)}${after}`
  }
  return shiftWords(sub, to, dayText.day, Number(to.slice(8)) - dayText.day)
}

/**
 * Replaces the words of one or more days in one month: the month's name, the numbers up to `last`,
 * which change by `daysApart`, and the year after them.
 */
function shiftWords(sub: string, to: Day, last: number, daysApart: number): string {
  let isPast = false
  return sub.replace(
    /(\p{L}{3,})|(?<!\d)(\d{4}|\d{1,2})(st|nd|rd|th)?(?![\p{L}\d])/giu,
    (match: string, word: string | undefined, digits: string | undefined, ordinal?: string) => {
      if (word !== undefined) return isMonth(word) ? formatMonthLike(word, to) : match
      if (digits === undefined) return match
      if (digits.length === 4) return to.slice(0, 4)
      if (isPast) return to.slice(2, 4)
      isPast = Number(digits) === last
      const day = Number(digits) + daysApart
      return (
        (digits.startsWith('0') ? padToTwoDigits(day) : String(day)) +
        (ordinal === undefined ? '' : matchOrdinal(ordinal, day))
      )
    },
  )
}

/** Formats a number with as many digits as the original: 03 → 02, 3 → 2. */
const matchDigits = (old: string, next: string): string =>
  old.length === 2 ? next : String(Number(next))

const isMonth = (word: string): boolean => findMonth(word) >= 0
function findMonth(word: string): number {
  const small = word.toLowerCase()
  return MONTHS.findIndex(
    (name) =>
      name.toLowerCase() === small ||
      (small.length <= 4 && name.toLowerCase().startsWith(small)) ||
      (small === 'sept' && name === 'September'),
  )
}

/** Returns the month of a day, in full or abbreviated and in capitals, like the original. */
export function formatMonthLike(word: string, day: Day): string {
  const name = MONTHS[Number(day.slice(5, 7)) - 1] ?? ''
  const old = MONTHS[findMonth(word)] ?? ''
  // "May" is both a full name and an abbreviation; it is replaced with a full name.
  const monthName = word.length < old.length ? name.slice(0, 3) : name
  return word === word.toUpperCase()
    ? monthName.toUpperCase()
    : word === word.toLowerCase()
      ? monthName.toLowerCase()
      : monthName
}

function matchOrdinal(old: string, day: number): string {
  const teen = day >= 11 && day <= 13
  const next = teen ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')
  return old === old.toUpperCase() ? next.toUpperCase() : next
}
