/** Chooses the days and price periods of a new event: from the answers, or placeholders. */
import type { Amount } from '../../../lib/money.ts'
import { addDays, countDaysBetween, day, type Day } from '../../../lib/time.ts'
import { deriveId } from './yaml-text.ts'
import type { NewEventAnswers, SampleOptions } from './sample-options.ts'

/** A period of the file. The first period has no first day: it begins when registration opens. */
export type FilePeriod = {
  readonly id: string
  readonly label: string
  readonly from: Day | null
  readonly to: Day
}
export type EventDays = {
  readonly from: Day
  readonly to: Day
  readonly periods: readonly FilePeriod[]
  /** The days between two periods, on which registration is closed. */
  readonly gaps: readonly PeriodGap[]
  readonly window: RegistrationWindow
}
/** A gap. `nextPeriodIndex` is the index of the period that begins after it. */
export type PeriodGap = {
  readonly nextPeriodIndex: number
  readonly first: Day
  readonly last: Day
}

export type RegistrationWindow = {
  /** The last day on which the form is open. Null if it is the last day of the conference. */
  readonly closes: Day | null
  /** The days on which only staff register delegates. */
  readonly desk: { readonly first: Day; readonly last: Day } | null
}

const DAYS_AHEAD = 180
const EARLY_PERIOD_END_DAYS = 45
/** The length of each earlier period if the answers do not state its end. */
const PLACEHOLDER_PERIOD_DAYS = 30

/** The default labels of one, two and three periods. More periods are numbered. */
const PERIOD_LABELS: readonly (readonly string[])[] = [
  [],
  ['Registration'],
  ['Early Bird', 'Regular'],
  ['Early Bird', 'Regular', 'Late'],
]

export function listPeriodLabels(
  count: number,
  statedLabels: readonly string[] = [],
): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const label = statedLabels[index]
    return label === undefined || label === ''
      ? (PERIOD_LABELS[count]?.[index] ?? `Period ${index + 1}`)
      : label
  })
}

/** Counts the periods in the answers. Without prices, there are two placeholder periods. */
export function countPeriods(options: NewEventAnswers): number {
  const { free, categories, periodEnds = [], periodLabels = [] } = options
  if (free === true) return 1
  const prices = categories?.map((category) => category.prices.length) ?? [2]
  return Math.max(...prices, periodEnds.length + 1, periodLabels.length)
}

/** Returns a price for each of `count` periods; a single price applies to all. */
export function expandPrices<Price extends Amount | null>(
  prices: readonly Price[],
  count: number,
): readonly Price[] {
  const [onlyPrice] = prices
  return prices.length === 1 && onlyPrice !== undefined
    ? Array.from({ length: count }, () => onlyPrice)
    : prices
}

/** Returns the event's dates from the answers. Missing dates become placeholders in the year that the title states. */
export function chooseEventDays(options: SampleOptions): EventDays {
  const { id, title = id, today, periodEnds = [] } = options
  const year = /(?<!\d)20\d\d(?!\d)/.exec(title)?.[0]
  const placeholderStart = addDays(periodEnds.at(-1) ?? today, DAYS_AHEAD)
  const startInYear = day(
    `${year ?? placeholderStart.slice(0, 4)}${placeholderStart.slice(4)}`.replace(
      '-02-29',
      '-02-28',
    ),
  )
  const from = options.from ?? options.to ?? (startInYear > today ? startInYear : placeholderStart)
  const to = options.to ?? (options.from === undefined ? addDays(from, 1) : from)
  const count = countPeriods(options)
  const earlyEnd = addDays(from, -EARLY_PERIOD_END_DAYS)
  // For an event in the near future, the early period ends halfway to it.
  const halfwayDay = addDays(today, Math.floor(countDaysBetween(today, from) / 2))
  const placeholderEnd = earlyEnd > today || from <= today ? earlyEnd : halfwayDay
  const ends = Array.from({ length: count - 1 }, (_, index) => {
    const end =
      periodEnds[index] ?? addDays(placeholderEnd, (index + 2 - count) * PLACEHOLDER_PERIOD_DAYS)
    return end < to ? end : addDays(to, index + 1 - count)
  })
  const lastEnd = ends.at(-1)
  const window = chooseRegistrationWindow(options, from, to)
  const end = (window.desk === null ? window.closes : null) ?? to
  const labels = listPeriodLabels(count, options.periodLabels)
  const isUnlabelled = (options.periodLabels ?? []).every((label) => label === '')
  const periods = labels.map((label, index): FilePeriod => {
    const previousEnd = ends[index - 1]
    return {
      id:
        count === 1
          ? 'open'
          : isUnlabelled && count === 2
            ? (['early', 'regular'][index] ?? '')
            : deriveId(label, index, labels, 'period'),
      label,
      from:
        previousEnd === undefined
          ? null
          : (options.periodStarts?.[index] ?? addDays(previousEnd, 1)),
      to: ends[index] ?? (lastEnd === undefined || end > lastEnd ? end : addDays(lastEnd, 1)),
    }
  })
  return { from, to, periods, gaps: listGaps(periods), window }
}

/** Chooses the days on which registration is open. `from` and `to` are the days of the conference. */
function chooseRegistrationWindow(
  { onSite, closes: statedClosingDay }: Pick<NewEventAnswers, 'onSite' | 'closes'>,
  from: Day,
  to: Day,
): RegistrationWindow {
  const closes = statedClosingDay ?? null
  if (onSite === undefined || onSite === 'online') return { closes, desk: null }
  const dayBefore = addDays(from, -1)
  return {
    closes: closes !== null && closes < dayBefore ? closes : dayBefore,
    desk: onSite === 'desk' ? { first: from, last: to } : null,
  }
}

const listGaps = (periods: readonly FilePeriod[]): readonly PeriodGap[] =>
  periods.flatMap(({ from }, nextPeriodIndex): readonly PeriodGap[] => {
    const previousPeriod = periods[nextPeriodIndex - 1]
    if (previousPeriod === undefined || from === null) return []
    const first = addDays(previousPeriod.to, 1)
    return from > first ? [{ nextPeriodIndex, first, last: addDays(from, -1) }] : []
  })
