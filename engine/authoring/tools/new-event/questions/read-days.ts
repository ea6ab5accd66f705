/** Parses a date, or the dates of a conference, in everyday notation. */
import { findDays, type DayWords } from '../../../prose/find-days.ts'
import { err, ok, type Result } from '../../../../lib/result.ts'
import { formatDay, getWeekday, isDay, type Day } from '../../../../lib/time.ts'

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const DAYS_HELP = 'Write 12 March 2027, 12/03/2027 (the day first) or 2027-03-12.'

/** Reads a date, or the first and last date of a range. */
export function readDays(answer: string, today: Day): Result<readonly [Day, Day], string> {
  const text = answer.trim().replace(/[.,;]+$/, '')
  const [found, another] = findDays(text, Number(today.slice(0, 4)))
  if (found === undefined || another !== undefined || found.start > 0 || found.end < text.length)
    return err(`"${answer}" is not a valid date. ${DAYS_HELP}`)
  const first = toDay(found.first)
  const last = toDay(found.last)
  if (!first.ok) return first
  return last.ok ? ok([first.value, last.value]) : last
}

function toDay({ day, month, year, weekday }: DayWords): Result<Day, string> {
  if (year === null) return err(`Which year? ${DAYS_HELP}`)
  const text = [year, String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')
  if (!isDay(text)) return err(`Month ${month} of ${year} has no day ${day}. ${DAYS_HELP}`)
  return weekday === null || weekday === getWeekday(text)
    ? ok(text)
    : err(`${formatDay(text)} is a ${WEEKDAYS[getWeekday(text)]}, not a ${WEEKDAYS[weekday]}.`)
}
