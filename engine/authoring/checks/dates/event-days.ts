/** Checks EV419, EV420 and EV435: the days of the event itself. */
import { checkRegistrationOpen } from '../../../pricing/price-periods.ts'
import { addDays, countDaysBetween, formatDay, isDay } from '../../../lib/time.ts'
import type { Check } from '../../checked-file.ts'

/** An event longer than this must have a wrong year, so its days are not checked individually. */
export const MAX_EVENT_DAYS = 300
/** An event of at least this many days probably has a wrong month: conferences last days, not weeks. */
const LONG_EVENT_DAYS = 28

const eventEndsBeforeStartCheck: Check = {
  slug: 'event-backwards',
  severity: 'error',
  why: 'A conference lasts at least one day.',
  find: ({ config }) => [
    ...(config.to < config.from
      ? [
          {
            at: 'event.to',
            message: 'the event ends before it starts',
            help: 'swap the two dates, or correct the month or year',
            related: [{ at: 'event.from', message: 'the event starts here' }],
          },
        ]
      : []),
    ...(config.to > addDays(config.from, MAX_EVENT_DAYS)
      ? [
          {
            at: 'event.to',
            message: `the event would last more than ${MAX_EVENT_DAYS} days`,
            related: [{ at: 'event.from', message: 'the event starts here' }],
            help: 'check the year and the month',
          },
        ]
      : []),
  ],
}

/** Runs only if the caller passes a day, because checks do not read the clock. */
const eventEndedCheck: Check = {
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

const longEventCheck: Check = {
  slug: 'event-long',
  severity: 'warning',
  why: 'The month was probably corrected in only one of the two dates.',
  after: ['EV419'],
  find: ({ config }) => {
    const days = countDaysBetween(config.from, config.to) + 1
    return days > LONG_EVENT_DAYS
      ? [
          {
            at: 'event.to',
            message: `the event lasts ${days} days; is a month wrong?`,
            related: [{ at: 'event.from', message: 'the event starts here' }],
            help: 'correct the month of one of the two dates, or accept the finding under `allow`',
          },
        ]
      : []
  },
}

export const eventDayChecks = {
  EV419: eventEndsBeforeStartCheck,
  EV420: eventEndedCheck,
  EV435: longEventCheck,
}
