/** Checks EV419, EV420 and EV435: the days of the event itself. */
import { checkRegistrationOpen } from '../../../pricing/price-periods.ts'
import { addDays, countDaysBetween, formatDay, isDay } from '../../../lib/time.ts'
import type { Check } from '../../checked-file.ts'

/** An event longer than this has a wrong year; its days are not checked one by one. */
export const EVENT_DAYS_MAX = 300
/** A conference lasts days, not weeks; a wrong month adds at least this many. */
const EVENT_LONG_DAYS = 28

const eventBackwardsCheck: Check = {
  slug: 'event-backwards',
  severity: 'error',
  why: 'A conference lasts at least one day.',
  find: ({ config }) => [
    ...(config.to < config.from
      ? [
          {
            at: 'event.to',
            message: 'the event ends before it starts',
            help: 'swap the two days, or correct the month or year',
            related: [{ at: 'event.from', message: 'it starts here' }],
          },
        ]
      : []),
    ...(config.to > addDays(config.from, EVENT_DAYS_MAX)
      ? [
          {
            at: 'event.to',
            message: `the event would last more than ${EVENT_DAYS_MAX} days`,
            related: [{ at: 'event.from', message: 'it starts here' }],
            help: 'check the year and the month',
          },
        ]
      : []),
  ],
}

/** Only with a given day: nothing here reads the clock. */
const eventOverCheck: Check = {
  slug: 'event-over',
  severity: 'warning',
  why: 'An event that is over must not accept registrations or payments.',
  find: ({ config, options }) =>
    options.on !== undefined &&
    isDay(options.on) &&
    config.to < options.on &&
    checkRegistrationOpen(config, options.on).open
      ? [
          {
            at: 'event.status',
            message: `the event ended on ${formatDay(config.to)} and is still open`,
            help: 'remove registration.closes, or set status: closed',
          },
        ]
      : [],
}

const eventLongCheck: Check = {
  slug: 'event-long',
  severity: 'warning',
  why: 'The month was probably corrected in only one of the two days.',
  after: ['EV419'],
  find: ({ config }) => {
    const days = countDaysBetween(config.from, config.to) + 1
    return days > EVENT_LONG_DAYS
      ? [
          {
            at: 'event.to',
            message: `the event lasts ${days} days; is a month wrong?`,
            related: [{ at: 'event.from', message: 'it starts here' }],
            help: 'correct the month of one of the two days, or accept the finding under allow',
          },
        ]
      : []
  },
}

export const eventDayChecks = {
  EV419: eventBackwardsCheck,
  EV420: eventOverCheck,
  EV435: eventLongCheck,
}
