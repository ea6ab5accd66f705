/** Reads the dates of a payment list: a month, or the first and last date. */
import {
  addDays,
  addMonths,
  day,
  err,
  formatDay,
  isDay,
  ok,
  startOfDay,
} from '../../../engine/index.ts'
import type { Day, Instant, Result } from '../../../engine/index.ts'

/** A half-open interval of instants. Dates are in Indian time, as in all figures. */
export type Period = { readonly from: Instant; readonly to: Instant; readonly name: string }

/**
 * The last date that can be represented. A period ends at the start of the next day, so its last date must be before
 * this one.
 */
const LAST_DAY = '9999-12-31'

/**
 * JavaScript reads the years 0 to 99 as 1900 to 1999, so a month in such a year would end in the twentieth century.
 */
const FIRST_MONTH = '1900-01'

/**
 * Returns the first day of a month such as 2026-01. Null if the text is not a month, or the month is before 1900 or
 * contains the last representable date.
 */
function getFirstDay(month: string): Day | null {
  const firstDay = `${month}-01`
  const isInRange = month >= FIRST_MONTH && month < LAST_DAY.slice(0, 7)
  return isDay(firstDay) && isInRange ? day(firstDay) : null
}

export function buildMonthPeriod(month: string): Result<Period, string> {
  const firstDay = getFirstDay(month)
  return firstDay === null
    ? err(`“month” must be a month such as 2026-01, not “${month.slice(0, 40)}”.`)
    : ok({ from: startOfDay(firstDay), to: startOfDay(addMonths(firstDay, 1)), name: month })
}

/** Parses the period. Without a month or dates, it is the current month. Without a last date, it ends today. */
export function readPeriod(
  { month, from, to }: Readonly<Record<'month' | 'from' | 'to', string>>,
  today: Day,
): Result<Period, string> {
  if (month !== '') return buildMonthPeriod(month)
  for (const [name, text] of [
    ['from', from],
    ['to', to],
  ] as const)
    if (text !== '' && (!isDay(text) || text === LAST_DAY))
      return err(`“${name}” must be a date such as 2026-01-31, not “${text.slice(0, 40)}”.`)
  if (from === '' && to === '') return buildMonthPeriod(today.slice(0, 7))
  const lastDay = isDay(to) ? to : today
  const firstDay = isDay(from) ? from : day(`${lastDay.slice(0, 7)}-01`)
  return lastDay < firstDay
    ? err(`The first day (${formatDay(firstDay)}) is after the last day (${formatDay(lastDay)}).`)
    : ok({
        from: startOfDay(firstDay),
        to: startOfDay(addDays(lastDay, 1)),
        name: `${firstDay}_to_${lastDay}`,
      })
}

/** The month, the events and the dates of one request. */
export type MonthScope = {
  readonly month: string
  /** Null means all events, and payments that do not belong to any event. */
  readonly eventIds: readonly string[] | null
  readonly from: Instant
  readonly to: Instant
}
