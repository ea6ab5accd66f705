/** Checks EV404 to EV432: each day is in at most one price period, and periods fit the event and registration days. */
import type { Period } from '../../../event/pricing-types.ts'
import { formatMoney } from '../../../lib/money.ts'
import { findPeriodOn } from '../../../pricing/price-periods.ts'
import { addDays, countDaysBetween, formatDay, isDay, type Day } from '../../../lib/time.ts'
import { MAX_EVENT_DAYS } from './event-days.ts'
import type { Check, Model } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'
import { formatList } from '../../suggestions/nearest-name.ts'

/** If the last price period ends more days than this before the event, its year is probably wrong. */
const MAX_DAYS_BEFORE_EVENT = 300
/** A period longer than this probably has a wrong year in one of its two dates. */
const MAX_PERIOD_DAYS = 400
const MONTH_DAYS = 30.4

const getPeriodPath = (index: number): string => `fees.periods.${index}`
const FIRST_DAY = '0000-01-01'
const LAST_DAY = '9999-12-31'
const getFirstDay = (period: Period): string => period.from ?? FIRST_DAY
const getLastDay = (period: Period): string => period.to ?? LAST_DAY
const getDayBefore = (day: Day): Day => addDays(day, -1)
const formatIfDay = (day: string): string => (isDay(day) ? formatDay(day) : day)
const formatDayRange = (first: string, last: string): string =>
  first === last ? formatIfDay(first) : `${formatIfDay(first)} to ${formatIfDay(last)}`

/** Pairs each period with every period above it in the file, and adds their indexes. */
const listPeriodPairs = (model: Model) =>
  model.config.fees.periods.flatMap((later, index) =>
    model.config.fees.periods
      .slice(0, index)
      .map((earlier, earlierIndex) => ({ earlier, later, at: index, earlierIndex })),
  )
const findOverlap = (a: Period, b: Period): readonly [string, string] | null => {
  const [start, end] = [
    getFirstDay(a) > getFirstDay(b) ? getFirstDay(a) : getFirstDay(b),
    getLastDay(a) < getLastDay(b) ? getLastDay(a) : getLastDay(b),
  ]
  return start <= end ? [start, end] : null
}

const periodOverlapCheck: Check = {
  slug: 'period-overlap',
  severity: 'error',
  why: 'A day in two periods has two prices.',
  after: ['EV406', 'EV407'],
  find: (model) =>
    model.file.fees.overlap === 'first'
      ? []
      : listPeriodPairs(model).flatMap(({ earlier, later, at, earlierIndex }): Draft[] => {
          const overlap = findOverlap(earlier, later)
          if (overlap === null) return []
          const [first, last] = overlap
          const isUnlimited = first === FIRST_DAY || last === LAST_DAY
          const daysText = isUnlimited
            ? `Every day${first === FIRST_DAY ? '' : ` from ${formatIfDay(first)}`}${last === LAST_DAY ? '' : ` to ${formatIfDay(last)}`}`
            : formatDayRange(first, last)
          return [
            {
              at: getPeriodPath(at),
              message: `${daysText} ${isUnlimited || first === last ? 'is' : 'are'} in two periods, \`${earlier.id}\` and \`${later.id}\``,
              related: [{ at: getPeriodPath(earlierIndex), message: 'the other period' }],
              help: 'change a date, or write overlap: first',
            },
          ]
        }),
}

const periodGapCheck: Check = {
  slug: 'period-gap',
  severity: 'warning',
  why: 'Delegates cannot register on a day that is not in any period.',
  after: ['EV404', 'EV406', 'EV407'],
  find: ({ config }) => {
    const { periods, otherDates } = config.fees
    return periods.flatMap((later, index): Draft[] => {
      if (index === 0 || later.from === undefined) return []
      const lastCoveredDay = periods.slice(0, index).map(getLastDay).sort().at(-1) ?? LAST_DAY
      if (
        lastCoveredDay === LAST_DAY ||
        !isDay(lastCoveredDay) ||
        addDays(lastCoveredDay, 1) >= later.from
      )
        return []
      // If prices in the gap fall back to the period that has just ended, they do not change.
      if (otherDates !== null && periods.find(({ id }) => id === otherDates)?.to === lastCoveredDay)
        return []
      const [firstGapDay, lastGapDay] = [addDays(lastCoveredDay, 1), getDayBefore(later.from)]
      const consequence =
        otherDates === null
          ? 'registration would be closed'
          : `the price falls back to \`${otherDates}\``
      return [
        {
          at: getPeriodPath(index),
          message: `${formatDayRange(firstGapDay, lastGapDay)} ${firstGapDay === lastGapDay ? 'is' : 'are'} not in any period: ${consequence}`,
          related: [
            {
              at: `${getPeriodPath(periods.findIndex((period) => period.to === lastCoveredDay))}.to`,
              message: 'the previous period ends here',
            },
          ],
          help: `write from: ${addDays(lastCoveredDay, 1)} here, or a later \`to\` above; if the gap is intended, accept the finding: allow: [{code: EV405, because: …}]`,
        },
      ]
    })
  },
}

const unsortedPeriodsCheck: Check = {
  slug: 'periods-unsorted',
  severity: 'error',
  why: 'Where two periods share a day, the first one applies. This is clear only if the periods are listed in date order.',
  after: ['EV407'],
  find: ({ config: { fees } }) =>
    fees.periods.flatMap((period, index): Draft[] => {
      const previousPeriod = fees.periods[index - 1]
      return previousPeriod === undefined || getFirstDay(period) >= getFirstDay(previousPeriod)
        ? []
        : [
            {
              at: getPeriodPath(index),
              message: `period \`${period.id}\` starts before \`${previousPeriod.id}\`, which is listed above it`,
              related: [{ at: getPeriodPath(index - 1), message: 'listed above it' }],
              help: 'list the periods in date order',
            },
          ]
    }),
}

const periodEndsBeforeStartCheck: Check = {
  slug: 'period-backwards',
  severity: 'error',
  why: 'A period that ends before it starts contains no day.',
  find: ({ config: { fees } }) =>
    fees.periods.flatMap((period, index): Draft[] =>
      period.from !== undefined && period.to !== undefined && period.to < period.from
        ? [
            {
              at: getPeriodPath(index),
              message: `period \`${period.id}\` ends before it starts`,
              help: 'swap the two dates, or correct the month or year',
              notes: [`from ${formatDay(period.from)} to ${formatDay(period.to)}`],
            },
          ]
        : [],
    ),
}

const periodNeverUsedCheck: Check = {
  slug: 'period-never-used',
  severity: 'error',
  why: 'If every day of a period belongs to other periods, its prices are never charged.',
  after: ['EV404', 'EV406', 'EV407'],
  find: ({ config: { fees } }) =>
    fees.periods.flatMap((period, index): Draft[] => {
      if (fees.otherDates === period.id || !isDay(getFirstDay(period))) return []
      const earlierPeriods = fees.periods.slice(0, index)
      const isUsed = hasUncoveredDay(period, earlierPeriods)
      return isUsed
        ? []
        : [
            {
              at: getPeriodPath(index),
              message: `period \`${period.id}\` is never used: all its days belong to ${formatList(earlierPeriods.filter((candidate) => findOverlap(candidate, period) !== null).map(({ id }) => `\`${id}\``))}`,
            },
          ]
    }),
}

/**
 * Returns whether a period has a day outside all earlier periods. It is enough to check its first day and the day
 * after each earlier period.
 */
function hasUncoveredDay(period: Period, earlierPeriods: readonly Period[]): boolean {
  const candidates = [
    getFirstDay(period),
    ...earlierPeriods.flatMap((entry) =>
      entry.to === undefined || entry.to === LAST_DAY ? [] : [addDays(entry.to, 1) as string],
    ),
  ]
  return candidates.some(
    (day) =>
      day >= getFirstDay(period) &&
      day <= getLastDay(period) &&
      !earlierPeriods.some(
        (candidate) => getFirstDay(candidate) <= day && day <= getLastDay(candidate),
      ),
  )
}

const priceRevertsCheck: Check = {
  slug: 'price-reverts',
  severity: 'warning',
  why: 'Late registration would cost less than early registration.',
  after: ['EV204', 'EV406', 'EV407', 'EV419'],
  find: ({ config }) => {
    const { fees, currency, from: firstEventDay, to: lastEventDay } = config
    const days: Day[] = []
    for (
      let day = firstEventDay;
      day <= lastEventDay && days.length < MAX_EVENT_DAYS;
      day = addDays(day, 1)
    )
      days.push(day)
    const fallbackDays = days.filter((day) => {
      const isInPeriod = fees.periods.some(
        (period) => getFirstDay(period) <= day && day <= getLastDay(period),
      )
      const endedPeriod = findLastEndedPeriod(fees.periods, day)
      return (
        !isInPeriod &&
        endedPeriod !== null &&
        findPeriodOn(fees, day) !== null &&
        fees.otherDates !== endedPeriod.id
      )
    })
    const day = fallbackDays[0]
    if (day === undefined || fees.otherDates === null) return []
    const lastEndedPeriod = findLastEndedPeriod(fees.periods, day)
    const exampleNotes = Object.entries(fees.prices ?? {}).flatMap(([category, row]) => {
      const [previousPrice, fallbackPrice] = [
        lastEndedPeriod === null ? null : row[lastEndedPeriod.id],
        row[fees.otherDates ?? ''],
      ]
      return previousPrice != null && fallbackPrice != null && fallbackPrice < previousPrice
        ? [
            `\`${category}\` costs ${formatMoney(previousPrice, currency)} in \`${lastEndedPeriod?.id ?? ''}\`, then ${formatMoney(fallbackPrice, currency)}`,
          ]
        : []
    })
    return [
      {
        at: 'fees.other_dates',
        message: `on ${formatDay(day)}, a day of the event, the price falls back to \`${fees.otherDates}\``,
        notes: exampleNotes.slice(0, 1),
      },
    ]
  },
}

function findLastEndedPeriod(periods: readonly Period[], day: Day): Period | null {
  return (
    periods
      .filter((period) => getLastDay(period) < day)
      .sort((a, b) => (getLastDay(a) < getLastDay(b) ? -1 : 1))
      .at(-1) ?? null
  )
}

const periodStartsAfterEventCheck: Check = {
  slug: 'period-after-event',
  severity: 'warning',
  why: 'Delegates cannot register after the event. The year may be wrong.',
  after: ['EV407', 'EV419'],
  find: ({ config }) =>
    config.fees.periods.flatMap((period, index): Draft[] =>
      period.from !== undefined && period.from > config.to
        ? [
            {
              at: `${getPeriodPath(index)}.from`,
              message: `period \`${period.id}\` starts after the event is over`,
              related: [{ at: 'event.to', message: `the event ends on ${formatDay(config.to)}` }],
              help: 'check the years of the periods and of the event',
            },
          ]
        : [],
    ),
}

const unneededOverlapCheck: Check = {
  slug: 'overlap-unneeded',
  severity: 'warning',
  why: 'This setting would hide a later overlap, even if that overlap is a mistake.',
  after: ['EV406', 'EV407'],
  find: (model) =>
    model.file.fees.overlap === 'first' &&
    listPeriodPairs(model).every(({ earlier, later }) => findOverlap(earlier, later) === null)
      ? [
          {
            at: 'fees.overlap',
            part: 'entry',
            message: 'no periods overlap: this line has no effect',
            help: 'remove it',
          },
        ]
      : [],
}

const periodEndsAfterEventCheck: Check = {
  slug: 'period-outlives-event',
  severity: 'warning',
  why: 'Delegates cannot register after the event. The month or year may be wrong.',
  after: ['EV407', 'EV419'],
  find: ({ config }) =>
    config.fees.periods.flatMap((period, index): Draft[] =>
      period.to !== undefined && period.to > config.to && getFirstDay(period) <= config.to
        ? [
            {
              at: `${getPeriodPath(index)}.to`,
              message: `period \`${period.id}\` continues until ${formatDay(period.to)}, after the event is over`,
              related: [{ at: 'event.to', message: `the event ends on ${formatDay(config.to)}` }],
              help: `end it on ${config.to} at the latest, or leave \`to\` out`,
            },
          ]
        : [],
    ),
}

const periodsOfAnotherYearCheck: Check = {
  slug: 'periods-of-another-year',
  severity: 'warning',
  why: 'A file copied from last year may still have last year’s periods. Every delegate would then pay the price of the final period.',
  after: ['EV405', 'EV407', 'EV419'],
  find: ({ config }) => {
    const { periods } = config.fees
    const periodDates = periods.flatMap((period, index) => [
      ...(period.from === undefined
        ? []
        : [{ day: period.from, at: `${getPeriodPath(index)}.from` }]),
      ...(period.to === undefined ? [] : [{ day: period.to, at: `${getPeriodPath(index)}.to` }]),
    ])
    const latestDate = periodDates.toSorted((a, b) => (a.day < b.day ? 1 : -1))[0]
    const eventNote = { at: 'event.from', message: `the event begins on ${formatDay(config.from)}` }
    if (
      latestDate !== undefined &&
      countDaysBetween(latestDate.day, config.from) > MAX_DAYS_BEFORE_EVENT
    )
      return [
        {
          at: latestDate.at,
          message: `the latest date in the periods is ${formatDay(latestDate.day)}, ${Math.round(countDaysBetween(latestDate.day, config.from) / MONTH_DAYS)} months before the event`,
          related: [eventNote],
          help: 'use the year of this event in every period',
        },
      ]
    return periods.flatMap((period, index): Draft[] =>
      period.from !== undefined &&
      period.to !== undefined &&
      countDaysBetween(period.from, period.to) > MAX_PERIOD_DAYS
        ? [
            {
              at: getPeriodPath(index),
              message: `period \`${period.id}\` lasts ${countDaysBetween(period.from, period.to) + 1} days`,
              related: [eventNote],
              help: 'check the years of `from` and `to`',
            },
          ]
        : [],
    )
  },
}

export const dateChecks = {
  EV404: periodOverlapCheck,
  EV405: periodGapCheck,
  EV406: unsortedPeriodsCheck,
  EV407: periodEndsBeforeStartCheck,
  EV408: periodNeverUsedCheck,
  EV409: priceRevertsCheck,
  EV410: periodStartsAfterEventCheck,
  EV417: unneededOverlapCheck,
  EV431: periodEndsAfterEventCheck,
  EV432: periodsOfAnotherYearCheck,
}
