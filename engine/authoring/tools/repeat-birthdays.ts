/** Moves dates of birth in a repeated event’s examples, so that ages stay the same. Lists dates to check. */
import type { EventConfig } from '../../event/config.ts'
import { addDays, countDaysBetween, isDay, type Day } from '../../lib/time.ts'
import type { EventFile } from '../schema/event-file-types.ts'
import type { Source } from '../syntax/source.ts'

type Edit = { readonly start: number; readonly end: number; readonly text: string }

/** Returns the edits to the dates of birth that an age condition tests in the examples. */
export function moveDatesOfBirth(
  source: Source,
  change: (dateOfBirth: Day) => string,
): readonly Edit[] {
  const { examples, ...rest } = source.value as EventFile
  const fields = new Set(listAgeFields(rest))
  return listPaths(examples, 'examples').flatMap((path): Edit[] => {
    if (!fields.has(path.slice(path.lastIndexOf('.') + 1)) || !source.has(path)) return []
    const { start, end } = source.place(path)
    const day = source.text.slice(start.offset, end.offset)
    return isDay(day) ? [{ start: start.offset, end: end.offset, text: change(day) }] : []
  })
}

/** Returns the fields of every age condition: `born_on: {age: {…}}`. */
function listAgeFields(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object' && inner !== null && typeof Object(inner)['age'] === 'object'
      ? [key, ...listAgeFields(inner)]
      : listAgeFields(inner),
  )
}

/** Describes the reference date of each age condition, such as 1 January, which moves with the event's first day. */
export function describeAgeDays(source: Source, shiftDay: (day: Day) => Day): readonly string[] {
  const days = listPaths(source.value, '').flatMap((path): readonly Day[] => {
    const written = path.endsWith('.age.on') ? source.getScalar(path.slice(1))?.text : undefined
    return written !== undefined && isDay(written) ? [written] : []
  })
  return [...new Set(days)].map(
    (on) =>
      `Ages are now calculated on ${shiftDay(on)} instead of ${on}, at the same distance from the event. Check this date.`,
  )
}

/** Returns the paths of all values within `value`. */
function listPaths(value: unknown, path: string): readonly string[] {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => listPaths(inner, `${path}.${key}`))
    : [path]
}

/** Moves a date of birth so that the delegate is exactly as old on the first day of the new event as on the old one. */
export function shiftDateOfBirth(
  dateOfBirth: Day,
  eventStart: Day,
  shiftDay: (day: Day) => Day,
): Day {
  const years = Number(eventStart.slice(0, 4)) - Number(dateOfBirth.slice(0, 4))
  const [oldStart, newStart] = [
    subtractYears(eventStart, years),
    subtractYears(shiftDay(eventStart), years),
  ]
  return oldStart === null || newStart === null
    ? shiftDay(dateOfBirth)
    : addDays(newStart, countDaysBetween(oldStart, dateOfBirth))
}

/**
 * Describes a date that is probably an age limit, because it is a whole number of years before the event's first or
 * last day, give or take a day. States the corresponding date for the next event. Returns null for other dates.
 */
export function explainUnchangedDateOfBirth(
  day: string,
  oldEvent: EventConfig,
  shiftDay: (day: Day) => Day,
): string | null {
  if (!isDay(day)) return null
  for (const edge of [oldEvent.from, oldEvent.to]) {
    const years = Number(edge.slice(0, 4)) - Number(day.slice(0, 4))
    const dateOfBirth = subtractYears(edge, years)
    const daysApart = dateOfBirth === null ? null : countDaysBetween(dateOfBirth, day)
    const newDateOfBirth = subtractYears(shiftDay(edge), years)
    if (daysApart !== null && newDateOfBirth !== null && years > 0 && Math.abs(daysApart) <= 1)
      return `“${day}” is unchanged. If it is the date of birth of someone who turns ${years} at the event, write ${addDays(newDateOfBirth, daysApart)}.`
  }
  return null
}

/** Returns null for 29 February if the resulting year has no such day. */
function subtractYears(day: Day, years: number): Day | null {
  const earlierDay = `${Number(day.slice(0, 4)) - years}${day.slice(4)}`
  return isDay(earlierDay) ? earlierDay : null
}
