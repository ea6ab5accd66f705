/** Shifts the dates in a string by whole weeks, keeping their format: 2025-08-31, 31/08/2025, 31st Aug. */
import { findDays, findMonths, type StatedDays, type DayWords } from '../prose/find-days.ts'
import { addDays, countDaysBetween, formatDays, isDay, type Day } from '../../lib/time.ts'

const DAYS_PER_WEEK = 7
/** Dates more than this many years from the event are assumed to be historical dates, dates of birth or unrelated. */
const MAX_YEARS_FROM_EVENT = 3
const MONTHS =
  'January February March April May June July August September October November December'.split(' ')

export type DayShift = {
  readonly weeks: number
  /** The first day of the event in the original text. A date without a year means the one nearest to this day. */
  readonly eventStart: Day
}
export type ShiftedText = {
  readonly text: string
  readonly shiftedCount: number
  /** Phrases that look like dates but were not changed. */
  readonly unchangedTexts: readonly string[]
}

/** Shifts the dates in each line. Weekdays stay the same, because whole weeks are added. */
export function shiftDays(text: string, shift: DayShift): ShiftedText {
  const lines = text.split('\n').map((line) => shiftLine(line, shift))
  return {
    text: lines.map((line) => line.text).join('\n'),
    shiftedCount: lines.reduce((sum, line) => sum + line.shiftedCount, 0),
    unchangedTexts: lines.flatMap((line) => line.unchangedTexts),
  }
}

function shiftLine(line: string, shift: DayShift): ShiftedText {
  const eventYear = Number(shift.eventStart.slice(0, 4))
  const days = findDays(line, eventYear)
  const months = findMonths(line, () => days)
  const unchangedTexts: string[] = []
  const parts = [
    ...days.map((statedDays) => ({
      ...statedDays,
      rewrite: (phrase: string) => shiftSpan(phrase, statedDays, shift),
    })),
    ...months.map((statedMonth) => ({
      ...statedMonth,
      rewrite: (phrase: string) =>
        shiftDayText(
          phrase,
          { day: 15, month: statedMonth.month, year: statedMonth.year, weekday: null },
          shift,
        ),
    })),
  ].toSorted((a, b) => b.start - a.start)
  let shiftedCount = 0
  let shiftedLine = line
  for (const { start, end, rewrite } of parts) {
    const phrase = line.slice(start, end)
    const shiftedPhrase = rewrite(phrase)
    if (shiftedPhrase === null) unchangedTexts.push(phrase)
    else {
      shiftedCount += 1
      shiftedLine = shiftedLine.slice(0, start) + shiftedPhrase + shiftedLine.slice(end)
    }
  }
  return { text: shiftedLine, shiftedCount, unchangedTexts }
}

/**
 * Returns the date that the words refer to. If they state no year, it is the date nearest to the event. Returns null if
 * there is no such date, or if it is far from the event.
 */
function resolveDate({ day, month, year }: DayWords, eventStart: Day): Day | null {
  const eventYear = Number(eventStart.slice(0, 4))
  const years = year === null ? [eventYear - 1, eventYear, eventYear + 1] : [year]
  const [nearest] = years
    .map((year) => `${year}-${padToTwoDigits(month)}-${padToTwoDigits(day)}`)
    .filter(isDay)
    .toSorted(
      (a, b) =>
        Math.abs(countDaysBetween(a, eventStart)) - Math.abs(countDaysBetween(b, eventStart)),
    )
  return nearest === undefined ||
    Math.abs(Number(nearest.slice(0, 4)) - eventYear) > MAX_YEARS_FROM_EVENT
    ? null
    : nearest
}

const padToTwoDigits = (number: number): string => String(number).padStart(2, '0')
const shiftDay = (day: Day, { weeks }: DayShift): Day => addDays(day, weeks * DAYS_PER_WEEK)

function shiftSpan(phrase: string, statedDays: StatedDays, shift: DayShift): string | null {
  if (statedDays.first === statedDays.last) return shiftDayText(phrase, statedDays.first, shift)
  const [first, last] = [
    resolveDate(statedDays.first, shift.eventStart),
    resolveDate(statedDays.last, shift.eventStart),
  ]
  if (first === null || last === null) return null
  const [from, to] = [shiftDay(first, shift), shiftDay(last, shift)]
  if (phrase === formatDays(first, last)) return formatDays(from, to)
  const names = [...phrase.matchAll(/\p{L}{3,}/gu)].filter(([word]) => isMonth(word))
  if (names.length !== 1) return shiftBothHalves(phrase, statedDays, shift)
  const numbers = [...phrase.matchAll(/(?<!\d)\d{1,2}(?!\d)/g)]
  if (numbers.length < 2) return null
  // "14, 15 & 16 March" has one number per day, so this works only within one month.
  if (from.slice(0, 7) === to.slice(0, 7)) {
    const daysMoved = countDaysBetween(first, from)
    const dayOffset = Number(from.slice(8)) - Number(first.slice(8))
    return daysMoved === 0 ? phrase : shiftWords(phrase, to, statedDays.last.day, dayOffset)
  }
  const [month = ''] = names[0] ?? []
  const year = /(?:19|20)\d\d/.exec(phrase)?.[0]
  const formatDayOfMonth = (day: Day): string =>
    `${Number(day.slice(8))} ${formatMonthLike(month, day)}`
  return numbers.length > 2
    ? null
    : `${formatDayOfMonth(from)} – ${formatDayOfMonth(to)}${year === undefined ? '' : ` ${to.slice(0, 4)}`}`
}

/** Shifts both halves of "31 January – 1 February 2026" separately. */
function shiftBothHalves(phrase: string, statedDays: StatedDays, shift: DayShift): string | null {
  const separator =
    /\s*(?:–|—|-|\bto\b|\btill\b|\buntil\b|\bupto\b|\bup to\b|\bthrough\b|\band\b|&)\s*/gi
  for (const match of phrase.matchAll(separator)) {
    const [firstHalf, secondHalf] = [
      phrase.slice(0, match.index),
      phrase.slice(match.index + match[0].length),
    ]
    const eventYear = Number(shift.eventStart.slice(0, 4))
    const halves = [findDays(firstHalf, eventYear), findDays(secondHalf, eventYear)]
    if (halves.some((half) => half.length !== 1)) continue
    const [a, b] = [
      shiftDayText(firstHalf, statedDays.first, shift),
      shiftDayText(secondHalf, statedDays.last, shift),
    ]
    if (a !== null && b !== null) return a + match[0] + b
  }
  return null
}

function shiftDayText(phrase: string, words: DayWords, shift: DayShift): string | null {
  const date = resolveDate(words, shift.eventStart)
  if (date === null) return null
  const shiftedDay = shiftDay(date, shift)
  const isoMatch = /^(\D*)\d{4}([-/.])(\d{1,2})\2(\d{1,2})(.*)$/s.exec(phrase)
  if (isoMatch !== null) {
    const [, before = '', separator = '', month = '', day = '', after = ''] = isoMatch
    return `${before}${shiftedDay.slice(0, 4)}${separator}${matchDigits(month, shiftedDay.slice(5, 7))}${separator}${matchDigits(day, shiftedDay.slice(8))}${after}`
  }
  const numericMatch =
    /^(.*?)(\d{1,2})(\s?[-/.]\s?)(\d{1,2})(?:(\s?[-/.]\s?)(\d{4}|\d{2}))?(\D*)$/s.exec(phrase)
  if (numericMatch !== null && !/\p{L}{3,}/u.test(phrase.slice((numericMatch[1] ?? '').length))) {
    const [
      ,
      before = '',
      firstNumber = '',
      separator = '',
      secondNumber = '',
      secondSeparator = '',
      year = '',
      after = '',
    ] = numericMatch
    const isDayFirst = Number(firstNumber) === words.day && Number(secondNumber) === words.month
    const [first, second] = isDayFirst
      ? [shiftedDay.slice(8), shiftedDay.slice(5, 7)]
      : [shiftedDay.slice(5, 7), shiftedDay.slice(8)]
    return `${before}${matchDigits(firstNumber, first)}${separator}${matchDigits(secondNumber, second)}${secondSeparator}${year === '' ? '' : shiftedDay.slice(4 - year.length, 4)}${after}`
  }
  return shiftWords(phrase, shiftedDay, words.day, Number(shiftedDay.slice(8)) - words.day)
}

/**
 * Replaces the words for one or more days in one month: the month's name, the year after it, and the numbers up to
 * `lastDay`, which change by `dayOffset`.
 */
function shiftWords(phrase: string, shiftedDay: Day, lastDay: number, dayOffset: number): string {
  let isLastDayReplaced = false
  return phrase.replace(
    /(\p{L}{3,})|(?<!\d)(\d{4}|\d{1,2})(st|nd|rd|th)?(?![\p{L}\d])/giu,
    (match: string, word: string | undefined, digits: string | undefined, ordinal?: string) => {
      if (word !== undefined) return isMonth(word) ? formatMonthLike(word, shiftedDay) : match
      if (digits === undefined) return match
      if (digits.length === 4) return shiftedDay.slice(0, 4)
      if (isLastDayReplaced) return shiftedDay.slice(2, 4)
      isLastDayReplaced = Number(digits) === lastDay
      const day = Number(digits) + dayOffset
      return (
        (digits.startsWith('0') ? padToTwoDigits(day) : String(day)) +
        (ordinal === undefined ? '' : matchOrdinal(ordinal, day))
      )
    },
  )
}

/** Formats a number with as many digits as the original: 03 → 02, 3 → 2. */
const matchDigits = (original: string, replacement: string): string =>
  original.length === 2 ? replacement : String(Number(replacement))

const isMonth = (word: string): boolean => findMonth(word) >= 0
function findMonth(word: string): number {
  const lowerCaseWord = word.toLowerCase()
  return MONTHS.findIndex(
    (name) =>
      name.toLowerCase() === lowerCaseWord ||
      (lowerCaseWord.length <= 4 && name.toLowerCase().startsWith(lowerCaseWord)) ||
      (lowerCaseWord === 'sept' && name === 'September'),
  )
}

/** Returns the month of a day, in full or abbreviated and in the same case as the original. */
export function formatMonthLike(word: string, day: Day): string {
  const name = MONTHS[Number(day.slice(5, 7)) - 1] ?? ''
  const originalName = MONTHS[findMonth(word)] ?? ''
  // "May" is both a full name and an abbreviation, so it is replaced with a full name.
  const monthName = word.length < originalName.length ? name.slice(0, 3) : name
  return word === word.toUpperCase()
    ? monthName.toUpperCase()
    : word === word.toLowerCase()
      ? monthName.toLowerCase()
      : monthName
}

function matchOrdinal(old: string, day: number): string {
  const isTeen = day >= 11 && day <= 13
  const newOrdinal = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')
  return old === old.toUpperCase() ? newOrdinal.toUpperCase() : newOrdinal
}
