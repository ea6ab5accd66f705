/** Collects the dates mentioned in texts, and the dates of the file on which something begins or ends. */
import { memoize } from '../../lib/memoize.ts'
import { addDays, countDaysBetween, formatDays, isDay, type Day } from '../../lib/time.ts'
import { findDays, type StatedDays, type DayWords } from './find-days.ts'
import type { Draft } from '../finding.ts'
import { getStatedClosingDay, type Model } from '../checked-file.ts'
import { collectEventTexts, type EventText } from './event-texts.ts'
import { findDaySubject, type DaySubject } from './subject-of-day.ts'
import { listLocatedPeriods, type LocatedPeriod } from './named-periods.ts'

/**
 * A date at least this many years before the event is historical: a founding date, a date of birth, the date of an Act.
 */
const HISTORY_YEARS = 3

/** A date on which something begins or ends, with its line. */
export type Edge = {
  readonly day: Day
  readonly at: string
  readonly description: string
  readonly side: 'start' | 'end'
  /** The index in `listLocatedPeriods` of the period that begins or ends. Null for registration and the event. */
  readonly period: number | null
}
/**
 * A date in text. `possibleFirstDays` and `possibleLastDays` are the dates that it may mean. `invalidDay` is set if the
 * date does not exist.
 */
export type Mention = {
  readonly eventText: EventText
  readonly statedDays: StatedDays
  readonly daySubject: DaySubject
  readonly invalidDay: Draft | null
  readonly possibleFirstDays: readonly Day[]
  readonly possibleLastDays: readonly Day[]
}

const toIsoDay = ({ day, month }: DayWords, year: number): string =>
  `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
/** Returns the number of days between two dates, in either order. */
export const countDaysApart = (a: Day, b: Day): number => Math.abs(countDaysBetween(a, b))

export function collectEdges(model: Model): readonly Edge[] {
  const { config } = model
  const { opens } = config.registration
  const closes = getStatedClosingDay(model)
  const createEdge = (
    day: Day | undefined,
    at: string,
    description: string,
    side: Edge['side'],
    period: number | null,
  ): readonly Edge[] => (day === undefined ? [] : [{ day, at, description, side, period }])
  return [
    ...listLocatedPeriods(model).flatMap((period, i, all) => [
      ...findStartEdge(period, i, all[i - 1], createEdge),
      ...findEndEdge(period, i, all[i + 1], createEdge),
    ]),
    ...createEdge(opens, 'registration.opens', 'registration opens on', 'start', null),
    ...createEdge(closes, 'registration.closes', 'registration closes on', 'end', null),
    ...config.fees.adjustments.flatMap(({ id, from, to }, i) => [
      ...createEdge(
        from,
        `${ADJUSTMENTS_PATH}${i}.from`,
        `adjustment \`${id}\` begins on`,
        'start',
        null,
      ),
      ...createEdge(to, `${ADJUSTMENTS_PATH}${i}.to`, `adjustment \`${id}\` ends on`, 'end', null),
    ]),
    ...config.methods.flatMap(({ id, until }, i) =>
      createEdge(until, `${METHODS_PATH}${i}.until`, `payment by \`${id}\` ends on`, 'end', null),
    ),
  ]
}
const ADJUSTMENTS_PATH = 'fees.adjustments.'
const METHODS_PATH = 'payment.methods.'
/** Returns true if the date belongs to an adjustment. */
export const isAdjustmentDay = ({ at }: Edge): boolean => at.startsWith(ADJUSTMENTS_PATH)
/** Returns true if the date is the last day of a payment method. */
export const isMethodDay = ({ at }: Edge): boolean => at.startsWith(METHODS_PATH)
type CreateEdge = (
  day: Day | undefined,
  at: string,
  label: string,
  side: Edge['side'],
  period: number | null,
) => readonly Edge[]

const formatPeriodName = ({ period, owner }: LocatedPeriod): string =>
  `period \`${period.id}\`${owner === null ? '' : ` of \`${owner}\``}`

/**
 * Returns the start of a period. A period without a first day begins on the day after the previous period in its list
 * ends.
 */
function findStartEdge(
  locatedPeriod: LocatedPeriod,
  i: number,
  previousPeriod: LocatedPeriod | undefined,
  createEdge: CreateEdge,
): readonly Edge[] {
  const description = `${formatPeriodName(locatedPeriod)} begins on`
  const { from } = locatedPeriod.period
  if (from !== undefined)
    return createEdge(from, `${locatedPeriod.at}.from`, description, 'start', i)
  return previousPeriod?.period.to === undefined || previousPeriod.list !== locatedPeriod.list
    ? []
    : createEdge(
        addDays(previousPeriod.period.to, 1),
        `${previousPeriod.at}.to`,
        description,
        'start',
        i,
      )
}
function findEndEdge(
  locatedPeriod: LocatedPeriod,
  i: number,
  nextPeriod: LocatedPeriod | undefined,
  createEdge: CreateEdge,
): readonly Edge[] {
  const description = `${formatPeriodName(locatedPeriod)} ends on`
  const { to } = locatedPeriod.period
  if (to !== undefined) return createEdge(to, `${locatedPeriod.at}.to`, description, 'end', i)
  return nextPeriod?.period.from === undefined || nextPeriod.list !== locatedPeriod.list
    ? []
    : createEdge(
        addDays(nextPeriod.period.from, -1),
        `${nextPeriod.at}.from`,
        description,
        'end',
        i,
      )
}

/**
 * Returns the file's other dates: steps of the refund scale, opening of the front desk, last day of
 * corrections, dates that a field accepts.
 */
export const listFileDays = memoize(({ file }: Model): ReadonlySet<Day> => {
  const days = new Set<Day>()
  const walk = (value: unknown): void => {
    if (typeof value === 'string') {
      if (isDay(value)) days.add(value)
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk)
  }
  walk([file.registration?.desk, file.cancellation, file.edit, file.form.sections])
  return days
})

/** Returns every date mentioned in the file, with its subject and the dates that it can mean. */
function collectMentions(model: Model): readonly Mention[] {
  const { config } = model
  const eventYear = Number(config.to.slice(0, 4))
  const years = [
    ...new Set(
      [config.from, config.to, ...collectEdges(model).map(({ day }) => day)].map((day) =>
        Number(day.slice(0, 4)),
      ),
    ),
  ]
  return collectEventTexts(model).flatMap((readable) => {
    const found = findDays(readable.text, eventYear)
    let previousSubject: DaySubject | null = null
    return found.map((mention, index): Mention => {
      const subject: DaySubject = findDaySubject(model, readable, found, index, previousSubject)
      previousSubject = subject
      const listDays = (words: DayWords): readonly Day[] =>
        (words.year === null ? years : [words.year])
          .map((year) => toIsoDay(words, year))
          .filter(isDay)
      const invalidWords = [mention.first, mention.last].find(
        (words) => listDays(words).length === 0,
      )
      return {
        eventText: readable,
        statedDays: mention,
        daySubject: subject,
        possibleFirstDays: listDays(mention.first),
        possibleLastDays: listDays(mention.last),
        invalidDay:
          invalidWords === undefined
            ? null
            : {
                ...locate(readable, mention),
                message: `${readable.text.slice(mention.start, mention.end)} is not a valid date`,
                help: 'write a date that exists',
              },
      }
    })
  })
}
export const listDayMentions = memoize(collectMentions)

export const locate = (
  { path, at }: EventText,
  { start, end }: { readonly start: number; readonly end: number },
): Pick<Draft, 'at' | 'span'> => ({
  at: path,
  span: [at + start, at + end],
})

/** Formats the date as in the text, with its year only if the text has one. */
export function formatDayWords(mention: Mention): string {
  const { first, last } = mention.statedDays
  const [from, to] = [mention.possibleFirstDays.at(-1), mention.possibleLastDays.at(-1)]
  if (from === undefined || to === undefined) return ''
  const rangeText = formatDays(from, to)
  return first.year === null && last.year === null
    ? rangeText.replaceAll(/ \d{4}\b/g, '')
    : rangeText
}

/** Returns true if a year is too long ago to be a typing mistake. */
export const isPastYear = ({ config }: Model, year: number): boolean =>
  year <= Number(config.from.slice(0, 4)) - HISTORY_YEARS
export const isInPastYear = (model: Model, { possibleFirstDays }: Mention): boolean =>
  possibleFirstDays.every((day) => isPastYear(model, Number(day.slice(0, 4))))
