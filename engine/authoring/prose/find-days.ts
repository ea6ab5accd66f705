/** Finds dates in texts: 30/10/2026, 30th Oct, Oct 30, 14–16 March 2027, Sunday the 14th of March. */

import { findMatches } from './pattern-matches.ts'

/** One date as written; parts that the text omits are null. `weekday` counts from Sunday, 0. */
export type DayWords = {
  readonly day: number
  readonly month: number
  readonly year: number | null
  readonly weekday: number | null
}
/** A date, or a range of dates, in a string. Offsets count from the start of the string. */
export type StatedDays = {
  readonly start: number
  readonly end: number
  readonly first: DayWords
  /** The last date of a range; the same object as `first` for a single date. */
  readonly last: DayWords
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const MONTH_PATTERN =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)(?![A-Za-z])\\.?'
const WEEKDAY_PATTERN =
  '(?:Sun(?:day)?|Mon(?:day)?|Tue(?:s|sday)?|Wed(?:s|nesday)?|Thu(?:r|rs|rsday)?|Fri(?:day)?|Sat(?:urday)?)\\b\\.?'
const ORDINAL_SUFFIX = '(?:\\s?(?:st|nd|rd|th)\\b\\.?)?'
const NUMBER_PATTERN = `(?<![\\d.,:₹€£$/])\\d{1,2}(?![\\d:%])${ORDINAL_SUFFIX}`
const JOIN_PATTERN =
  '\\s*(?:,\\s*(?:and|&)|-|–|—|/|,|&|\\+|\\b(?:and|to|through|thru|till|until|upto|up to)\\b)\\s*'
const NAMED_NUMBER = `(?:${WEEKDAY_PATTERN}[\\s,]*(?:the\\s+)?)?${NUMBER_PATTERN}`
const NUMBERS_PATTERN = `${NAMED_NUMBER}(?:${JOIN_PATTERN}${NAMED_NUMBER}){0,5}`
const YEAR_PATTERN = `(?:[\\s,./-]*(?<year>(?:19|20)\\d\\d)(?!\\d)|[\\s,]*['’](?<short>\\d\\d)(?!\\d)|[-/. ](?<bare>\\d\\d)(?![\\d:%]|\\s*(?:am|pm|a\\.m|p\\.m|hrs|hours|h\\b|o'|[A-Za-z]|[-–,]\\s*\\d|\\.\\d)))?`
const WEEKDAY_BEFORE = `(?:(?<ahead>${WEEKDAY_PATTERN}(?:${JOIN_PATTERN}${WEEKDAY_PATTERN})?)[\\s,(]*(?:the\\s+)?)?`
const buildNamedYearPattern = (n: number): string =>
  YEAR_PATTERN.replace('<year>', `<year${n}>`)
    .replace('<short>', `<short${n}>`)
    .replace('<bare>', `<bare${n}>`)
const DATE_PATTERN = new RegExp(
  [
    // 2027-03-14
    '(?<![\\d/.-])(?<isoYear>(?:19|20)\\d\\d)(?<isoSign>[-/.])(?<isoMonth>\\d{1,2})\\k<isoSign>(?<isoDay>\\d{1,2})(?![\\d-])',
    // 14-16/03/2027, 30/10/2026, 30 - 10 - 26, 30.10.2026
    `${WEEKDAY_BEFORE.replace('<ahead>', '<ahead0>')}(?<![\\d/.,-])(?:(?<from>\\d{1,2})\\s*(?:-|–|to|&|and)\\s*)?(?<d>\\d{1,2})\\s?(?<sign>[-/.])\\s?(?<m>\\d{1,2})\\s?\\k<sign>\\s?(?<y>(?:19|20)\\d\\d|\\d\\d)(?![\\d/-]|\\.\\d)`,
    // till 30/10
    '(?=\\d)(?<=\\b(?:till|until|upto|up to|before|from|on|to|dated?:?|by)\\s+)(?<d2>\\d{1,2})[/](?<m2>\\d{1,2})(?![\\d/-]|\\.\\d)',
    // October 30th, 2026; Mar 14-16
    `${WEEKDAY_BEFORE.replace('<ahead>', '<ahead1>')}\\b(?<monthFirst>${MONTH_PATTERN})[\\s-]*(?:the\\s+)?(?<numbersAfter>${NUMBERS_PATTERN.replace('(?<![\\d.,:₹€£$/])', '')})${buildNamedYearPattern(1)}`,
    // 30th of October 2026; 30-Oct-26; 14, 15 & 16 March
    `${WEEKDAY_BEFORE.replace('<ahead>', '<ahead2>')}(?<numbersBefore>${NUMBERS_PATTERN})[\\s.,/-]*(?:of\\s+)?(?<monthAfter>${MONTH_PATTERN})${buildNamedYearPattern(2)}`,
  ].join('|'),
  'gi',
)
const BETWEEN_WORDS = new RegExp(
  `^[\\s)]*(?:-|–|—|\\bto\\b|\\btill\\b|\\buntil\\b|\\bupto\\b|\\bup to\\b|\\bthrough\\b)[\\s(]*$`,
  'i',
)

/** A fast first test, because most texts contain no date. */
const DAY_HINT = /\d\s?[-/.]\s?\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/i
const mayContainDays = (text: string): boolean => /\d/.test(text) && DAY_HINT.test(text)

const indexOf = (names: readonly string[], word: string): number =>
  names.indexOf(word.slice(0, 3).toLowerCase())
const findMonthIndex = (word: string): number => indexOf(MONTHS, word) + 1
const ANY_WEEKDAY = new RegExp(`\\b${WEEKDAY_PATTERN}`, 'gi')
const findWeekdays = (text: string): readonly number[] =>
  text === '' ? [] : findMatches(text, ANY_WEEKDAY).map(([word]) => indexOf(WEEKDAYS, word))

type Numbers = {
  readonly days: readonly number[]
  readonly weekdays: readonly (number | null)[]
  /** The start and end of these numbers in the text. The text may also contain other numbers. */
  readonly start: number
  readonly end: number
}

/** Reads the day numbers next to the month: "14, 15 & 16", "14th to 16th". */
function readNumbers(text: string, monthIsFirst: boolean): Numbers {
  const matches = [
    ...text.matchAll(/([A-Za-z]{3,}\.?[\s,]*)?(?:the\s+)?(\d{1,2})(?:\s?(?:st|nd|rd|th)\b\.?)?/gi),
  ]
  const parts = matches.map((match) => ({
    day: Number(match[2]),
    weekday: findWeekdays(match[1] ?? '')[0] ?? null,
    start: match.index,
    end: match.index + match[0].length,
  }))
  const isRangeStart = (a: number): boolean => {
    const [one, next] = [parts[a], parts[a + 1]]
    if (one === undefined || next === undefined) return false
    const between = text.slice(one.end, next.start)
    return next.day > one.day && (!/^\s*,\s*$/.test(between) || next.day === one.day + 1)
  }
  let [firstIndex, lastIndex] = monthIsFirst ? [0, 0] : [parts.length - 1, parts.length - 1]
  if (monthIsFirst) while (isRangeStart(lastIndex)) lastIndex += 1
  else while (firstIndex > 0 && isRangeStart(firstIndex - 1)) firstIndex -= 1
  const remaining = parts.slice(firstIndex, lastIndex + 1)
  return {
    days: remaining.map(({ day }) => day),
    weekdays: remaining.map(({ weekday }) => weekday),
    start: remaining[0]?.start ?? 0,
    end: remaining.at(-1)?.end ?? text.length,
  }
}

/**
 * Returns every date in a string; a range is one entry. Two digits are a year only within five years of `probableYear`,
 * because "12-34-56" is not a date.
 */
export function findDays(text: string, probableYear: number): readonly StatedDays[] {
  if (!mayContainDays(text)) return []
  const singleDays = findMatches(text, DATE_PATTERN).flatMap((match): StatedDays[] => {
    const statedDays = parseMatch(match, probableYear)
    return statedDays === null ? [] : [addWeekdayAfterDay(statedDays, text)]
  })
  return singleDays.reduce<readonly StatedDays[]>((merged, next) => {
    const previous = merged.at(-1)
    if (
      previous === undefined ||
      previous.first !== previous.last ||
      next.first !== next.last ||
      !isRange(text, previous, next)
    )
      return [...merged, next]
    const first = {
      ...previous.first,
      year: previous.first.year ?? findStartYear(previous.first, next.last),
    }
    return [
      ...merged.slice(0, -1),
      { start: previous.start, end: next.end, first, last: next.last },
    ]
  }, [])
}

/** Returns true for a range: "1 October to 30 October", "between 1 October and 30 October". */
function isRange(text: string, before: StatedDays, next: StatedDays): boolean {
  const between = text.slice(before.end, next.start)
  return (
    BETWEEN_WORDS.test(between) ||
    (/^\s*(?:and|&)\s*$/i.test(between) && /\bbetween\s+$/i.test(text.slice(0, before.start)))
  )
}

/** Returns the year of a range's first date: "30 December to 2 January 2027" begins in the previous year. */
function findStartYear(first: DayWords, last: DayWords): number | null {
  return last.year === null ? null : first.month > last.month ? last.year - 1 : last.year
}

function parseMatch(match: RegExpExecArray, probableYear: number): StatedDays | null {
  const group = match.groups ?? {}
  const matchedText = match[0]
  const start = match.index
  const weekdaysBefore = findWeekdays(group['ahead0'] ?? group['ahead1'] ?? group['ahead2'] ?? '')
  const toSingleDay = (words: DayWords): StatedDays => ({
    start,
    end: start + matchedText.trimEnd().length,
    first: words,
    last: words,
  })
  if (group['isoYear'] !== undefined)
    return toSingleDay({
      day: Number(group['isoDay']),
      month: Number(group['isoMonth']),
      year: Number(group['isoYear']),
      weekday: null,
    })
  if (group['d'] !== undefined)
    return readNumericDays(group, toSingleDay, weekdaysBefore, probableYear)
  if (group['d2'] !== undefined) {
    const [day, month] = [Number(group['d2']), Number(group['m2'])]
    // "on 1/2 day": a fraction, not a day.
    return day < 1 || month < 1 || day > 31 || month > 12 || (day < 5 && month < 5)
      ? null
      : toSingleDay({ day, month, year: null, weekday: null })
  }
  return readWordedDays(match, toSingleDay, weekdaysBefore, probableYear)
}

function readNumericDays(
  group: Readonly<Record<string, string | undefined>>,
  toSingleDay: (words: DayWords) => StatedDays,
  weekdaysBefore: readonly number[],
  probableYear: number,
): StatedDays | null {
  const hasShortYear = (group['y'] ?? '').length === 2
  const year = hasShortYear ? 2000 + Number(group['y']) : Number(group['y'])
  let [day, month] = [Number(group['d']), Number(group['m'])]
  // The day comes first, as in India. In 10/30/2026, only the month can come first.
  if (month > 12 && day <= 12) [day, month] = [month, day]
  const isRealDay = day >= 1 && day <= 31 && month >= 1 && month <= 12
  if (
    (hasShortYear && (!isRealDay || Math.abs(year - probableYear) > 5)) ||
    (group['sign'] !== '/' && !isRealDay)
  )
    return null
  const dayWords = { day, month, year, weekday: weekdaysBefore[0] ?? null }
  if (group['from'] === undefined || Number(group['from']) >= day) return toSingleDay(dayWords)
  return {
    ...toSingleDay(dayWords),
    first: { ...dayWords, day: Number(group['from']) },
    last: { ...dayWords, weekday: weekdaysBefore[1] ?? null },
  }
}

/** "March 2027": a month without a day. */
export type StatedMonth = {
  readonly start: number
  readonly end: number
  readonly month: number
  readonly year: number
}
const MONTH_ALONE = new RegExp(`\\b(${MONTH_PATTERN})[\\s,’'-]*((?:19|20)\\d\\d)(?!\\d)`, 'gi')

/** Returns the months named without a day. `days` returns the dates in the same text, and is called only if needed. */
export function findMonths(
  text: string,
  days: () => readonly StatedDays[],
): readonly StatedMonth[] {
  if (!mayContainDays(text)) return []
  return findMatches(text, MONTH_ALONE).flatMap((match): StatedMonth[] => {
    const [start, end] = [match.index, match.index + match[0].length]
    const isPartOfDay =
      days().some((day) => day.start < end && start < day.end) ||
      /\d(?:st|nd|rd|th)?[\s.,/-]*(?:of\s+)?$/i.test(text.slice(0, start))
    return isPartOfDay
      ? []
      : [{ start, end, month: findMonthIndex(match[1] ?? ''), year: Number(match[2]) }]
  })
}

/** Reads dates with the name of a month. */
function readWordedDays(
  match: RegExpExecArray,
  toSingleDay: (words: DayWords) => StatedDays,
  weekdaysBefore: readonly number[],
  probableYear: number,
): StatedDays | null {
  const group = match.groups ?? {}
  const monthIsFirst = group['monthFirst'] !== undefined
  const name = group['monthFirst'] ?? group['monthAfter'] ?? ''
  const numbersText = (monthIsFirst ? group['numbersAfter'] : group['numbersBefore']) ?? ''
  const numbers = readNumbers(numbersText, monthIsFirst)
  const shortYear = group['short1'] ?? group['short2'] ?? group['bare1'] ?? group['bare2']
  const fullYear = group['year1'] ?? group['year2']
  const guessedYear = shortYear === undefined ? null : 2000 + Number(shortYear)
  const isPlausibleYear = guessedYear !== null && Math.abs(guessedYear - probableYear) <= 5
  const year = fullYear !== undefined ? Number(fullYear) : isPlausibleYear ? guessedYear : null
  // "You may 2 …": "may" in lower case without a year is almost always the verb.
  if (/^(may|mar|march|sun|sat)$/.test(name) && year === null) return null
  const month = findMonthIndex(name)
  const [day] = numbers.days
  if (day === undefined) return null
  const matchedText = match[0]
  const numbersStart = match.index + matchedText.indexOf(numbersText)
  const cutStart = !monthIsFirst && numbers.start > 0
  const cutEnd = monthIsFirst && numbers.end < numbersText.length
  const end =
    cutEnd || (shortYear !== undefined && !isPlausibleYear && fullYear === undefined)
      ? monthIsFirst
        ? numbersStart + numbers.end
        : match.index + matchedText.lastIndexOf(name) + name.length
      : match.index + matchedText.trimEnd().length
  const start = cutStart ? numbersStart + numbers.start : match.index
  const first = {
    day,
    month,
    year: cutEnd ? null : year,
    weekday: numbers.weekdays[0] ?? (cutStart ? null : (weekdaysBefore[0] ?? null)),
  }
  const lastDay = numbers.days.at(-1) ?? day
  return {
    ...toSingleDay(first),
    start,
    end,
    ...(numbers.days.length === 1
      ? {}
      : {
          last: {
            ...first,
            day: lastDay,
            weekday: numbers.weekdays.at(-1) ?? (cutStart ? null : (weekdaysBefore[1] ?? null)),
          },
        }),
  }
}

const WEEKDAY_AFTER = new RegExp(
  `^\\s*(?:[,–—-]\\s*(${WEEKDAY_PATTERN})(?!\\s*(?:,|-|–|&|to\\b|and\\b|\\d))|\\(\\s*(${WEEKDAY_PATTERN})\\s*\\))`,
  'i',
)

/** Adds the weekday written after a date: "14 March 2027 (Sunday)", "14 March, Sunday". */
function addWeekdayAfterDay(stated: StatedDays, text: string): StatedDays {
  if (stated.first !== stated.last || stated.first.weekday !== null) return stated
  const following = WEEKDAY_AFTER.exec(text.slice(stated.end))
  const weekday = findWeekdays(following?.[1] ?? following?.[2] ?? '')[0]
  if (following === null || weekday === undefined) return stated
  const firstWords = { ...stated.first, weekday }
  return {
    start: stated.start,
    end: stated.end + following[0].length,
    first: firstWords,
    last: firstWords,
  }
}
