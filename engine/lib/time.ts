/** Calendar dates in India, and instants. India has one time zone, UTC+5:30, without daylight saving. */
import { assert } from './result.ts'

declare const dayBrand: unique symbol
declare const instantBrand: unique symbol
/** A calendar date in India, `YYYY-MM-DD`, which sorts as text. Created by `day()`. */
export type Day = string & { readonly [dayBrand]: true }
/** Milliseconds since 1970-01-01T00:00Z. Created by `instant()`. */
export type Instant = number & { readonly [instantBrand]: true }

const SECOND_MS = 1000
const MINUTE_MS = 60_000
export const DAY_MS = 24 * 60 * MINUTE_MS
const INDIA_OFFSET_MS = 330 * MINUTE_MS
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** Matches a real calendar date, including leap days. JSON Schema also supports this pattern. */
export const DAY_PATTERN = (() => {
  const longMonth = '(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])'
  const shortMonth = '(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)'
  const february = '02-(?:0[1-9]|1[0-9]|2[0-8])'
  const leap = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)'
  return `^(?:[0-9]{4}-(?:${longMonth}|${shortMonth}|${february})|${leap}-02-29)$`
})()
const REAL_DAY = new RegExp(DAY_PATTERN, 'u')

export function isDay(text: string): text is Day {
  return REAL_DAY.test(text)
}

export function day(text: string): Day {
  assert(isDay(text), `${text} is not a day`)
  return text
}

export function instant(milliseconds: number): Instant {
  // The message is built only on failure, because building it takes longer than the test.
  if (!Number.isSafeInteger(milliseconds)) assert(false, `${milliseconds} is not an instant`)
  return milliseconds as Instant
}

/** Caches the latest result, because nearly all instants on a running server are on the same day. */
let lastDay: { readonly from: number; readonly day: Day } | null = null

/** Returns the date in India at that instant. */
export function dayOf(at: Instant): Day {
  if (lastDay !== null && at >= lastDay.from && at < lastDay.from + DAY_MS) return lastDay.day
  const newDay = formatUtcDay(at + INDIA_OFFSET_MS)
  lastDay = { from: startOfDay(newDay), day: newDay }
  return newDay
}

function formatUtcDay(utc: number): Day {
  return day(new Date(utc).toISOString().slice(0, 10))
}

/** Returns the first instant of a day in India. */
export function startOfDay(date: Day): Instant {
  return instant(Date.parse(`${date}T00:00:00Z`) - INDIA_OFFSET_MS)
}

/**
 * Returns true for the start of a day. Bank statements, settlement reports and imports state only the day of a payment,
 * which is stored as its start.
 */
export const isDayOnly = (at: Instant): boolean => at === startOfDay(dayOf(at))

/** Returns the first instant after a day in India; also defined for the last possible date, 9999-12-31. */
export function endOfDay(date: Day): Instant {
  return instant(startOfDay(date) + DAY_MS)
}

/** Returns the day of the week; 0 is Sunday. */
export function getWeekday(date: Day): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay()
}

/** Returns the number of days from one date to another; negative if `to` is earlier. */
export function countDaysBetween(from: Day, to: Day): number {
  return Math.round((startOfDay(to) - startOfDay(from)) / DAY_MS)
}

export function addDays(date: Day, count: number): Day {
  return formatUtcDay(Date.parse(`${date}T00:00:00Z`) + count * DAY_MS)
}

/** Returns the same day of a later month, or that month's last day if the month is shorter. */
export function addMonths(start: Day, count: number): Day {
  const [year = 0, month = 1, date = 1] = start.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate()
  return formatUtcDay(Date.UTC(year, month - 1 + count, Math.min(date, last)))
}

/** Reads ISO 8601 with an offset, or a date without a time, which means noon in India. Null for anything else. */
export function readInstant(text: string): Instant | null {
  if (isDay(text)) return instant(startOfDay(text) + DAY_MS / 2)
  const match =
    /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?(?:Z|([+-])(\d\d):(\d\d))$/.exec(
      text,
    )
  if (match === null) return null
  const [
    ,
    date = '',
    hour,
    minutes,
    second = '0',
    fraction = '',
    sign,
    offsetHours = '0',
    offsetMinutes = '0',
  ] = match
  if (
    !isDay(date) ||
    Number(hour) > 23 ||
    Number(minutes) > 59 ||
    Number(second) > 59 ||
    Number(offsetHours) > 14 ||
    Number(offsetMinutes) > 59
  )
    return null
  const offset =
    (sign === '-' ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes)) * MINUTE_MS
  const time =
    (Number(hour) * 60 + Number(minutes)) * MINUTE_MS +
    Number(second) * 1000 +
    Number(fraction.padEnd(3, '0'))
  return instant(Date.parse(`${date}T00:00:00Z`) + time - offset)
}

/** Caches the text of the latest second, because every log line contains it. */
let lastSecond: { readonly second: number; readonly text: string } | null = null
/** Caches the latest day, with its number. */
let lastLocalDay: { readonly number: number; readonly day: Day } | null = null

/** Formats an instant as "2026-11-21T04:23:00+05:30"; milliseconds are omitted. */
export function formatIsoIndia(at: Instant): string {
  const second = Math.floor(at / SECOND_MS)
  if (lastSecond?.second !== second) {
    const local = second + INDIA_OFFSET_S
    const number = Math.floor(local / DAY_S)
    // In a list sorted by date, nearly every instant is on the same day as the previous one. `dayOf` is not used,
    // because its cache contains today.
    if (lastLocalDay?.number !== number)
      lastLocalDay = { number, day: formatUtcDay(number * DAY_MS) }
    const clock = local - number * DAY_S
    const hour = padToTwoDigits(Math.floor(clock / 3600))
    const formatted = `${lastLocalDay.day}T${hour}:${padToTwoDigits(Math.floor(clock / 60) % 60)}:${padToTwoDigits(clock % 60)}+05:30`
    lastSecond = { second, text: formatted }
  }
  return lastSecond.text
}

const DAY_S = DAY_MS / SECOND_MS
const INDIA_OFFSET_S = INDIA_OFFSET_MS / SECOND_MS
const padToTwoDigits = (n: number): string => (n < 10 ? `0${n}` : String(n))

function splitDay(date: Day): { year: string; month: string; dayOfMonth: string } {
  const [year = '', month = '', dayOfMonth = ''] = date.split('-')
  return { year, month: MONTHS[Number(month) - 1] ?? '', dayOfMonth: String(Number(dayOfMonth)) }
}

/** Formats a date as "31 January 2026". */
export function formatDay(date: Day): string {
  const { year, month, dayOfMonth } = splitDay(date)
  return `${dayOfMonth} ${month} ${year}`
}

/**
 * Formats a date as "31 Jan 2026", with the month's first three letters, for tables and axes without room for the
 * full name.
 */
export function formatDayShort(date: Day): string {
  const { year, month, dayOfMonth } = splitDay(date)
  return `${dayOfMonth} ${month.slice(0, 3)} ${year}`
}

/**
 * Formats a date range as "12–14 September 2025", "31 January – 1 February 2026" or "31 December 2026 – 1 January
 * 2027"; a single day is formatted as one date.
 */
export function formatDays(from: Day, to: Day): string {
  if (from === to) return formatDay(from)
  const first = splitDay(from)
  const last = splitDay(to)
  if (first.year !== last.year) return `${formatDay(from)} – ${formatDay(to)}`
  if (first.month !== last.month) return `${first.dayOfMonth} ${first.month} – ${formatDay(to)}`
  return `${first.dayOfMonth}–${formatDay(to)}`
}

/**
 * Formats the dates from `from` up to, but not including, `until`: "1–15 June 2027", "until 15 June 2027", "from 1
 * June 2027" or "on all days". Null means no start or no end.
 */
export function formatDaysBefore(from: Day | null, until: Day | null): string {
  if (until === null) return from === null ? 'on all days' : `from ${formatDay(from)}`
  const last = addDays(until, -1)
  return from === null ? `until ${formatDay(last)}` : formatDays(from, last)
}

/** Formats the time of an instant as "9:53 am", local time in India. */
export function formatTime(at: Instant): string {
  const local = new Date(at + INDIA_OFFSET_MS)
  const hour = local.getUTCHours()
  return `${hour % 12 === 0 ? 12 : hour % 12}:${String(local.getUTCMinutes()).padStart(2, '0')} ${hour < 12 ? 'am' : 'pm'}`
}

/** Formats an instant as "21 November 2026, 9:53 am", local time in India. */
export function formatInstant(at: Instant): string {
  return `${formatDay(dayOf(at))}, ${formatTime(at)}`
}

/** Formats when a payment was received. Omits the time if only the day is known. */
export function formatPaidAt(at: Instant): string {
  return isDayOnly(at) ? formatDay(dayOf(at)) : formatInstant(at)
}
