/** The days mentioned in texts, and the days of the file on which something begins or ends. */
import { memoize } from '../../lib/memoize.ts'
import type { Period } from '../../event/pricing-types.ts'
import { addDays, daysBetween, formatDays, isDay, type Day } from '../../lib/time.ts'
import { findDays, type StatedDays, type DayWords } from './find-days.ts'
import type { Draft } from '../finding.ts'
import { statedClosingDay, type Model } from '../checked-file.ts'
import { collectEventTexts, type EventText } from './event-texts.ts'
import { findDaySubject, type DaySubject } from './subject-of-day.ts'

/** A day this many years before the event is history: a founding, a birthday, an act of law. */
const HISTORY_YEARS = 3

/** A day on which something begins or ends, with its line. */
export type Edge = {
  readonly day: Day
  readonly at: string
  readonly description: string
  readonly side: 'start' | 'end'
  /** Index of its period; null for registration and the event. */
  readonly period: number | null
}
/** `day` is null for a day that does not exist, `years` the years it may mean. */
export type Mention = {
  readonly readable: EventText
  readonly stated: StatedDays
  readonly about: DaySubject
  readonly wrong: Draft | null
  readonly firsts: readonly Day[]
  readonly lasts: readonly Day[]
}

const dayOfWords = ({ day, month }: DayWords, year: number): string =>
  `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
/** The number of days between two days, in either order. */
export const distance = (a: Day, b: Day): number => Math.abs(daysBetween(a, b))

export function collectEdges(model: Model): readonly Edge[] {
  const { config } = model
  const { periods } = config.fees
  const { opens } = config.registration
  const closes = statedClosingDay(model)
  const edge = (
    day: Day | undefined,
    at: string,
    description: string,
    side: Edge['side'],
    period: number | null,
  ): readonly Edge[] => (day === undefined ? [] : [{ day, at, description, side, period }])
  return [
    ...periods.flatMap((_, i) => [...startOf(periods, i, edge), ...endOf(periods, i, edge)]),
    ...edge(opens, 'registration.opens', 'registration opens on', 'start', null),
    ...edge(closes, 'registration.closes', 'registration closes on', 'end', null),
    ...config.fees.adjustments.flatMap(({ id, from, to }, i) => [
      ...edge(from, `${ADJUSTMENTS}${i}.from`, `adjustment \`${id}\` begins on`, 'start', null),
      ...edge(to, `${ADJUSTMENTS}${i}.to`, `adjustment \`${id}\` ends on`, 'end', null),
    ]),
    ...config.fees.items.flatMap(({ id: item, periods: own = [] }, i) =>
      own.flatMap(({ id, from, to }, index) => {
        const path = `fees.items.${i}.periods.${index}`
        return [
          ...edge(from, `${path}.from`, `period \`${id}\` of \`${item}\` begins on`, 'start', null),
          ...edge(to, `${path}.to`, `period \`${id}\` of \`${item}\` ends on`, 'end', null),
        ]
      }),
    ),
    ...config.methods.flatMap(({ id, until }, i) =>
      edge(until, `${WAYS}${i}.until`, `payment by \`${id}\` ends on`, 'end', null),
    ),
  ]
}
const ADJUSTMENTS = 'fees.adjustments.'
const WAYS = 'payment.methods.'
/** Whether it is a day of an adjustment. */
export const isAdjustmentDay = ({ at }: Edge): boolean => at.startsWith(ADJUSTMENTS)
/** Whether it is the last day of a payment method. */
export const isMethodDay = ({ at }: Edge): boolean => at.startsWith(WAYS)
type MakeEdge = (
  day: Day | undefined,
  at: string,
  says: string,
  side: Edge['side'],
  period: number | null,
) => readonly Edge[]

/** If a period states no first day, it begins the day after the previous one ends. */
function startOf(periods: readonly Period[], i: number, edge: MakeEdge): readonly Edge[] {
  const [period, before] = [periods[i], periods[i - 1]]
  const description = `period \`${period?.id ?? ''}\` begins on`
  if (period?.from !== undefined)
    return edge(period.from, `fees.periods.${i}.from`, description, 'start', i)
  return before?.to === undefined
    ? []
    : edge(addDays(before.to, 1), `fees.periods.${i - 1}.to`, description, 'start', i)
}
function endOf(periods: readonly Period[], i: number, edge: MakeEdge): readonly Edge[] {
  const [period, after] = [periods[i], periods[i + 1]]
  const description = `period \`${period?.id ?? ''}\` ends on`
  if (period?.to !== undefined)
    return edge(period.to, `fees.periods.${i}.to`, description, 'end', i)
  return after?.from === undefined
    ? []
    : edge(addDays(after.from, -1), `fees.periods.${i + 1}.from`, description, 'end', i)
}

/** Returns every day mentioned in the file, with its subject and the days it can mean. */
function mentionsOf(model: Model): readonly Mention[] {
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
    let before: DaySubject | null = null
    return found.map((mention, index): Mention => {
      const about: DaySubject = findDaySubject(model, readable, found, index, before)
      before = about
      const days = (words: DayWords): readonly Day[] =>
        (words.year === null ? years : [words.year])
          .map((year) => dayOfWords(words, year))
          .filter(isDay)
      const bad = [mention.first, mention.last].find((words) => days(words).length === 0)
      return {
        readable,
        stated: mention,
        about,
        firsts: days(mention.first),
        lasts: days(mention.last),
        wrong:
          bad === undefined
            ? null
            : {
                ...locate(readable, mention),
                message: `${readable.text.slice(mention.start, mention.end)} is not a valid date`,
                help: 'write a day that exists in the month',
              },
      }
    })
  })
}
export const mentions = memoize(mentionsOf)

export const locate = (
  { path, at }: EventText,
  { start, end }: { readonly start: number; readonly end: number },
): Pick<Draft, 'at' | 'span'> => ({
  at: path,
  span: [at + start, at + end],
})

/** Formats the day as in the text: with its year only if one is written. */
export function formatDayWords(mention: Mention): string {
  const { first, last } = mention.stated
  const [from, to] = [mention.firsts.at(-1), mention.lasts.at(-1)]
  if (from === undefined || to === undefined) return ''
  const rangeText = formatDays(from, to)
  return first.year === null && last.year === null
    ? rangeText.replaceAll(/ \d{4}\b/g, '')
    : rangeText
}

/** Whether a year is too long ago for a typing mistake. */
export const isPastYear = ({ config }: Model, year: number): boolean =>
  year <= Number(config.from.slice(0, 4)) - HISTORY_YEARS
export const isInPastYear = (model: Model, { firsts }: Mention): boolean =>
  firsts.every((day) => isPastYear(model, Number(day.slice(0, 4))))
