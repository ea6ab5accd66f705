/** Reads the dates of a price period from a heading: "Early Bird (till 31 Aug)", "1 Sep – 31 Oct". */
import { findDays, type DayWords } from '../../../prose/find-days.ts'
import { addDays, isDay, type Day } from '../../../../lib/time.ts'

/** A heading above prices. Dates that it does not state are null. */
export type PeriodHeading = {
  readonly label: string
  readonly from: Day | null
  readonly to: Day | null
  /** True for "After 31 Oct". Some organisers mean that the period begins on that day. */
  readonly isAfter: boolean
  /** True for registration at the venue, from the first day of the event. */
  readonly isSpot: boolean
}

const PERIOD_WORDS =
  /\b(early|bird|regular|normal|standard|late|last|spot|on[- ]?site|walk[- ]?ins?|phase|advance|till|til|until|through|thru|up ?to|before|after|from|onwards?|w\.?e\.?f|round|slab|period|at the venue)\b/i
const ON_SITE_WORDS = /\b(spot|on[- ]?site|walk[- ]?ins?|at the venue)\b/i
const UNTIL_WORDS =
  /\b(till|til|until|through|thru|up ?to|before|by|ends?|closes?|last date|deadline)\b[^a-z]*$/i
const STRICTLY_BEFORE = /(?<!\bon or )\bbefore\b[^a-z]*$/i
const FROM_WORDS = /\b(from|after|since|starting|w\.?e\.?f)\b[^a-z]*$/i
const AFTER_WORD = /\bafter\b[^a-z]*$/i
const ONWARDS_WORDS = /^[^a-z]*(onwards?|and after)\b/i
const CONNECTING_WORDS =
  /\b(on or before|till|til|until|through|thru|up ?to|before|after|from|since|starting|onwards?|by|w\.?e\.?f|to|and|on|ends?|closes?|last date|deadline)\b\.?/gi

const TIME_OF_DAY =
  /(?<![\d.:/-])(?:(?:at\s+|by\s+)?\d{1,2}(?:[:.]\d\d)?\s*(?:noon|midnight|[ap]\.?m\b\.?|hrs?\b\.?|hours?\b|o['’]?clock|uhr\b)|\d{1,2}:\d\d(?!\d)|\bnoon\b|\bmidnight\b)(?:\s*\(?(?:ist|cet|cest|gmt|utc|bst|[ecmp][sd]t|gst|sgt|local time|indian time)\b\)?)?/i
/** The end of a day in India, which is when every period ends. */
const END_OF_DAY =
  /^(?:(?:11[:.]59\s*p\.?m\.?|23[:.]59(?:\s*hrs?\.?)?|(?:12\s*)?midnight)(?:\s*\(?(?:ist|indian time)\)?)?)$/i

/**
 * Separates the time from a heading such as "until 1 June, 12:00 noon CET". The time is null if the heading states
 * none, or only the end of the day.
 */
export function splitTime(text: string): { readonly rest: string; readonly time: string | null } {
  const [time] = TIME_OF_DAY.exec(text) ?? []
  if (time === undefined) return { rest: text, time: null }
  return { rest: text.replace(time, ' '), time: END_OF_DAY.test(time.trim()) ? null : time.trim() }
}

/** Returns true for a heading about time, such as "Early Bird", and false for "Member". */
export const isPeriodHeading = (text: string): boolean =>
  PERIOD_WORDS.test(text) || findDays(text, 0).length > 0

/**
 * Reads the heading of a period. `latest` is the latest possible date. A date without a year is assumed to be in the
 * year before `latest`.
 */
export function readPeriodHeading(text: string, latest: Day): PeriodHeading {
  const statedDays = findDays(text, Number(latest.slice(0, 4)))
  const [range, furtherRange] = statedDays
  const isSpot = ON_SITE_WORDS.test(text)
  if (range === undefined || furtherRange !== undefined)
    return { label: text, from: null, to: null, isAfter: false, isSpot }
  const first = toDay(range.first, latest)
  const last = range.first === range.last ? first : toDay(range.last, latest)
  const label = cleanLabel(`${text.slice(0, range.start)}\n${text.slice(range.end)}`)
  if (first === null || last === null)
    return { label: text, from: null, to: null, isAfter: false, isSpot }
  if (range.first !== range.last) {
    // "28 Dec – 31 Jan" spans two years, but states neither.
    const from = first > last ? toDay(range.first, last) : first
    return { label, from, to: last, isAfter: false, isSpot }
  }
  const textBefore = text.slice(0, range.start)
  if (AFTER_WORD.test(textBefore))
    return { label, from: addDays(first, 1), to: null, isAfter: true, isSpot }
  if (FROM_WORDS.test(textBefore) || ONWARDS_WORDS.test(text.slice(range.end)))
    return { label, from: first, to: null, isAfter: false, isSpot }
  const isStrict = STRICTLY_BEFORE.test(textBefore) && UNTIL_WORDS.test(textBefore)
  return { label, from: null, to: isStrict ? addDays(first, -1) : first, isAfter: false, isSpot }
}

/** Removes connecting words and brackets around the dates, which are not part of the name. */
function cleanLabel(around: string): string {
  const [before = '', after = ''] = around.split('\n')
  return `${before.replace(/[\s([{:;,–—-]*$/, '')} ${after.replace(/^[\s)\]}:;,–—-]*/, '')}`
    .replace(/\(\s*\)|\[\s*\]/g, ' ')
    .replace(/[([][^()[\]]*$/, (rest) => rest.replace(/^[([]/, ' '))
    .replace(CONNECTING_WORDS, ' ')
    .replace(/\(\s*\)|^([^(]*)\)|\(([^)]*)$/g, ' $1$2 ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s:;,./–—()-]+|[\s:;,./–—(-]+$/g, '')
    .trim()
}

function toDay({ day, month, year }: DayWords, latest: Day): Day | null {
  const formatInYear = (inYear: number): string =>
    [inYear, String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')
  const latestYear = Number(latest.slice(0, 4))
  const text = formatInYear(year ?? latestYear)
  const dayText = year === null && text > latest ? formatInYear(latestYear - 1) : text
  return isDay(dayText) ? dayText : null
}

/** Dates as stored in the form. A date is empty if it is unknown or follows from the previous period. */
export type PeriodDays = { readonly label: string; readonly from: string; readonly to: string }

/** Fills in the missing dates of each heading from the adjacent headings. */
export function connectPeriods(
  headings: readonly PeriodHeading[],
  event: { readonly from: Day | undefined; readonly to: Day | undefined },
): readonly PeriodDays[] {
  const ends = headings.map(({ to }, index): Day | null => {
    const next = headings[index + 1]
    if (to !== null || next === undefined) return to
    if (next.from !== null) return addDays(next.from, -1)
    return next.isSpot && event.from !== undefined ? addDays(event.from, -1) : null
  })
  return headings.map(({ label, from, isAfter, to }, index) => {
    const previousEnd = ends[index - 1] ?? null
    const isConsecutive =
      previousEnd !== null &&
      (from === addDays(previousEnd, 1) || (isAfter && from === addDays(previousEnd, 2)))
    const isLast = index === headings.length - 1
    return {
      label,
      from: from === null || isConsecutive ? '' : from,
      to: (isLast && to === (event.to ?? null) ? null : ends[index]) ?? '',
    }
  })
}

/**
 * Checks the dates in the name of a period. Returns null if the name contains no dates, or only the period's own.
 * Otherwise, `columnOfName` is the period with the dates from its name, or null if these cannot be read. `start` is
 * the day after the previous period, `eventEnd` the last day of the conference.
 */
export function findDaysInName(
  { label, from, to }: PeriodDays,
  start: Day | null,
  eventEnd: Day | undefined,
): { readonly columnOfName: PeriodDays | null } | null {
  if (findDays(label, 0).length === 0) return null
  const latest = eventEnd ?? (isDay(to) ? to : null)
  const namedDays = latest === null ? null : readPeriodHeading(splitTime(label).rest, latest)
  if (namedDays === null || (namedDays.from === null && namedDays.to === null))
    return { columnOfName: null }
  const end = to === '' ? (eventEnd ?? '') : to
  const isOwn =
    (namedDays.from === null ||
      namedDays.from === from ||
      (from === '' && namedDays.from === start)) &&
    (namedDays.to === null || namedDays.to === end)
  if (isOwn) return null
  const first = namedDays.from ?? from
  const last = namedDays.to ?? to
  return {
    columnOfName: {
      label: namedDays.label,
      from: first === start ? '' : first,
      to: last === eventEnd ? '' : last,
    },
  }
}
