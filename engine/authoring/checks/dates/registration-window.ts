/**
 * Checks EV418, EV433, EV434, EV436 and EV457: when registration opens and closes.
 *
 * Registration must be open only on days that have prices, and close by the end of the event. Adjustments must
 * apply while registration is open.
 */
import type { Period } from '../../../event/pricing-types.ts'
import { addDays, countDaysBetween, formatDay, isDay, type Day } from '../../../lib/time.ts'
import { NEVER } from '../../../event/default-settings-and-limits.ts'
import { listDelegateMethods } from '../../../payments/payment-methods.ts'
import { getStatedClosingDay } from '../../checked-file.ts'
import type { Check, Model } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'
import { formatList } from '../../suggestions/nearest-name.ts'

/** If registration opens more days than this before the event, the year is probably wrong. */
const MAX_DAYS_OPEN_BEFORE_EVENT = 600

/** A date that is more days than this before the event probably has a wrong year. */
const MAX_DAYS_BEFORE_EVENT = 300

/** Returns the first day of registration if the file states one. */
export const getStatedOpeningDay = ({ config: { registration, fees } }: Model): Day | undefined =>
  registration.opens ?? (fees.otherDates === null ? fees.periods[0]?.from : undefined)

/**
 * Returns whether a day is certainly before registration: before the opening day, or long before the event and all
 * price periods.
 */
export function isBeforeSale(model: Model, day: Day): boolean {
  const opens = getStatedOpeningDay(model)
  if (opens !== undefined) return day < opens
  const { from, fees } = model.config
  return (
    countDaysBetween(day, from) > MAX_DAYS_BEFORE_EVENT &&
    fees.periods.every((period) =>
      [period.from, period.to].every((candidate) => candidate === undefined || candidate > day),
    )
  )
}

/**
 * Returns the intended day if only the year is wrong: the same day in the event's year or in the year before. Returns
 * null if neither day is possible.
 */
export function findDayInEventYear(model: Model, day: Day): Day | null {
  const { to, registration } = model.config
  const year = Number(to.slice(0, 4))
  const lastDay = registration.closes ?? to
  return (
    [year, year - 1]
      .map((entry) => `${entry}${day.slice(4)}`)
      .filter(isDay)
      .find(
        (candidate) =>
          candidate !== day &&
          candidate <= lastDay &&
          candidate <= to &&
          !isBeforeSale(model, candidate),
      ) ?? null
  )
}

/** Returns the help text for a date in which only the year is wrong. */
export const suggestYear = (key: string, suggestion: Day): string =>
  `if only the year is wrong, write ${key}: ${suggestion}`

const windowClosesBeforeOpeningCheck: Check = {
  slug: 'window-backwards',
  severity: 'error',
  why: 'Registration that closes before it opens is never open.',
  find: (model) => {
    const { opens } = model.config.registration
    const closes = getStatedClosingDay(model)
    return opens !== undefined && closes !== undefined && closes < opens
      ? [
          {
            at: 'registration.closes',
            message: 'registration closes before it opens',
            related: [{ at: 'registration.opens', message: 'registration opens here' }],
            notes: [`opens ${formatDay(opens)}, closes ${formatDay(closes)}`],
            help: 'swap the two dates, or correct the month or year',
          },
        ]
      : []
  },
}

const describeEventEnd = ({ config }: Model) => ({
  at: 'event.to',
  message: `the event ends on ${formatDay(config.to)}`,
})

const windowAfterEventCheck: Check = {
  slug: 'window-after-event',
  severity: 'warning',
  why: 'Registration rarely opens after the event has begun or closes after it has ended. The month or year may be wrong.',
  after: ['EV418', 'EV419'],
  find: (model) => {
    const { from, to, registration } = model.config
    const { opens } = registration
    const closes = getStatedClosingDay(model)
    const buildDraft = (
      key: 'opens' | 'closes',
      day: Day,
      message: string,
      help: string,
    ): Draft => ({
      at: `registration.${key}`,
      message: `registration ${key} on ${formatDay(day)}, ${message}`,
      related: [describeEventEnd(model)],
      help,
    })
    return [
      ...(opens !== undefined && opens > to
        ? [buildDraft('opens', opens, 'after the event is over', 'write a date before the event')]
        : opens !== undefined && opens > from
          ? [
              buildDraft(
                'opens',
                opens,
                'after the event has begun',
                'write a date before the event',
              ),
            ]
          : opens !== undefined && opens < addDays(from, -MAX_DAYS_OPEN_BEFORE_EVENT)
            ? [
                buildDraft(
                  'opens',
                  opens,
                  `more than ${MAX_DAYS_OPEN_BEFORE_EVENT} days before the event`,
                  'check the year',
                ),
              ]
            : []),
      ...(closes !== undefined && closes > to
        ? [
            buildDraft(
              'closes',
              closes,
              'after the event is over',
              `write ${to} or an earlier date`,
            ),
          ]
        : []),
    ]
  },
}

const windowNeverClosesCheck: Check = {
  slug: 'window-never-closes',
  severity: 'warning',
  why: 'Registration that stays open after the event would accept payments for an event that is over.',
  after: ['EV419'],
  find: (model) =>
    model.file.registration?.closes === NEVER && model.config.status === 'open'
      ? [
          {
            at: 'registration.closes',
            message: 'registration stays open after the event is over',
            related: [describeEventEnd(model)],
            help: 'remove `closes` (registration then closes after the last day of the event), or accept the finding under `allow`',
          },
        ]
      : [],
}

/** A price period with its index in the file. */
type PricedPeriod = { readonly period: Period; readonly index: number }

const windowOutsidePeriodsCheck: Check = {
  slug: 'window-outside-periods',
  severity: 'warning',
  why: 'Registration and prices must cover the same days. Otherwise a price never applies, or registration is open on days that have no price.',
  after: ['EV404', 'EV406', 'EV407', 'EV410', 'EV418', 'EV419', 'EV432', 'EV434'],
  find: (model) => {
    const { registration, fees } = model.config
    const closes = getStatedClosingDay(model)
    const pricedPeriods = fees.periods.map((period, index): PricedPeriod => ({ period, index }))
    return [
      ...(registration.opens === undefined
        ? []
        : findPeriodsBeforeOpening(model, pricedPeriods, registration.opens)),
      ...(closes === undefined ? [] : findPeriodsAfterClosing(model, pricedPeriods, closes)),
    ]
  },
}

/** Reports periods that end before registration opens, and days of registration before the first price applies. */
function findPeriodsBeforeOpening(
  { config }: Model,
  pricedPeriods: readonly PricedPeriod[],
  opens: Day,
): readonly Draft[] {
  const endedPeriods = pricedPeriods.filter(
    ({ period }) =>
      period.to !== undefined && period.to < opens && config.fees.otherDates !== period.id,
  )
  const [firstPeriod] = pricedPeriods
  if (endedPeriods.length > 0)
    return endedPeriods.map(({ period, index }) => ({
      at: 'registration.opens',
      message: `registration opens on ${formatDay(opens)}, after the end of period \`${period.id}\`, so the prices of this period can never be paid`,
      related: [{ at: `fees.periods.${index}.to`, message: 'the period ends here' }],
      help: 'open earlier, or correct the days of the period',
    }))
  return firstPeriod?.period.from !== undefined &&
    opens < firstPeriod.period.from &&
    config.fees.otherDates === null
    ? [
        {
          at: 'registration.opens',
          message: `registration opens on ${formatDay(opens)}, but no price applies before ${formatDay(firstPeriod.period.from)}`,
          related: [
            {
              at: 'fees.periods.0.from',
              message: `period \`${firstPeriod.period.id}\` begins here`,
            },
          ],
          help: 'open on that day, or start the period earlier',
        },
      ]
    : []
}

/** Returns the closing day of registration. If its year is wrong, returns the day in the intended year. */
export function suggestClosingDay(model: Model): Day | undefined {
  const closes = getStatedClosingDay(model)
  return (
    (closes === undefined ? null : findIntendedClosingDay(model, closes)) ??
    model.config.registration.closes
  )
}

/** Returns the intended closing day if the stated day is long before the event, because of a wrong year. */
function findIntendedClosingDay({ config }: Model, closes: Day): Day | null {
  const { from, to, fees, registration } = config
  if (countDaysBetween(closes, from) <= MAX_DAYS_BEFORE_EVENT) return null
  const year = Number(to.slice(0, 4))
  const isInWindow = (day: Day): boolean =>
    day > closes &&
    day <= to &&
    day > (registration.opens ?? '') &&
    fees.periods.every((period) => period.from === undefined || period.from <= day)
  return (
    [year, year - 1]
      .map((entry) => `${entry}${closes.slice(4)}`)
      .filter(isDay)
      .find(isInWindow) ?? null
  )
}

/** Returns the last day of registration, including registration by staff. */
const getLastDeskDay = ({ registration: { desk } }: Model['config'], closes: Day): Day =>
  desk !== undefined && desk.closes > closes ? desk.closes : closes

/** Reports periods that begin after registration closes, and days of registration after the final price period. */
function findPeriodsAfterClosing(
  model: Model,
  pricedPeriods: readonly PricedPeriod[],
  closes: Day,
): readonly Draft[] {
  const { config } = model
  const lastDay = getLastDeskDay(config, closes)
  const unreachedPeriods = pricedPeriods.filter(
    ({ period }) =>
      period.from !== undefined && period.from > lastDay && config.fees.otherDates !== period.id,
  )
  const suggestion = findIntendedClosingDay(model, closes)
  if (suggestion !== null)
    return [
      {
        at: 'registration.closes',
        message: `registration closes on ${formatDay(closes)}, ${countDaysBetween(closes, config.from)} days before the event`,
        related:
          unreachedPeriods.length === 0
            ? [{ at: 'event.from', message: 'the start date' }]
            : unreachedPeriods.map(({ period, index }) => ({
                at: `fees.periods.${index}.from`,
                message: `period \`${period.id}\` begins here`,
              })),
        notes:
          unreachedPeriods.length === 0
            ? []
            : [
                `these prices can never be paid: ${formatList(unreachedPeriods.map(({ period }) => `\`${period.id}\``))}`,
              ],
        help: suggestYear('closes', suggestion),
      },
    ]
  if (unreachedPeriods.length > 0)
    return unreachedPeriods.map(({ period, index }) => ({
      at: 'registration.closes',
      message: `registration closes on ${formatDay(closes)}, before period \`${period.id}\` begins, so the prices of this period can never be paid`,
      related: [{ at: `fees.periods.${index}.from`, message: 'the period begins here' }],
      help: 'close later, or correct the days of the period',
    }))
  const latestPeriod = pricedPeriods.toSorted((a, b) =>
    (a.period.to ?? '9') < (b.period.to ?? '9') ? 1 : -1,
  )[0]
  return latestPeriod?.period.to !== undefined &&
    closes > latestPeriod.period.to &&
    config.fees.otherDates === null
    ? [
        {
          at: 'registration.closes',
          message: `registration closes on ${formatDay(closes)}, but no price applies after ${formatDay(latestPeriod.period.to)}`,
          related: [
            {
              at: `fees.periods.${latestPeriod.index}.to`,
              message: `period \`${latestPeriod.period.id}\` ends here`,
            },
          ],
          help: 'close on that day, or end the period later',
        },
      ]
    : []
}

const adjustmentOutsideWindowCheck: Check = {
  slug: 'adjustment-outside-window',
  severity: 'warning',
  why: 'A dated adjustment applies to some delegates. If its days are outside the registration period, it applies to no delegate or to every delegate.',
  after: ['EV407', 'EV418', 'EV419', 'EV432', 'EV433', 'EV434'],
  find: (model) => {
    const { adjustments } = model.config.fees
    return adjustments.flatMap(({ id, from, to }, i): readonly Draft[] => {
      const getPath = (key: 'from' | 'to'): string => `fees.adjustments.${i}.${key}`
      const report = (key: 'from' | 'to', day: Day, message: string, isEarly: boolean): Draft => {
        const suggestion = findDayInEventYear(model, day)
        return {
          at: getPath(key),
          message: `\`${id}\` ${key === 'from' ? 'begins' : 'ends'} on ${formatDay(day)}, ${message}`,
          related: [describeWindowEdge(model, isEarly)],
          help:
            suggestion === null
              ? 'write a date on which registration is open'
              : suggestYear(key, suggestion),
        }
      }
      const lastDay = getLastDay(model)
      if (to !== undefined && isBeforeSale(model, to))
        return [report('to', to, 'before registration opens: it never applies', true)]
      if (from !== undefined && lastDay !== undefined && from > lastDay)
        return [report('from', from, 'after registration closes: it never applies', false)]
      // An adjustment with an end is an early-bird offer. Without an end, it applies to everyone, and its year is
      // probably wrong.
      return from !== undefined &&
        to === undefined &&
        isBeforeSale(model, from) &&
        findDayInEventYear(model, from) !== null
        ? [report('from', from, 'before registration opens: it applies to every delegate', true)]
        : []
    })
  },
}

/** Returns the last day of registration. If a payment method is for staff only, it is the last day of the event. */
function getLastDay({ config }: Model): Day | undefined {
  const { closes } = config.registration
  const hasDesk = listDelegateMethods(config).length < config.methods.length
  return closes !== undefined && hasDesk && closes < config.to ? config.to : closes
}

/** Returns the path that determines when registration opens or closes, with a note. */
function describeWindowEdge(
  model: Model,
  isOpening: boolean,
): { readonly at: string; readonly message: string } {
  const { config } = model
  const { opens } = config.registration
  const closes = getStatedClosingDay(model)
  if (isOpening) {
    const firstPriceDay = config.fees.periods[0]?.from
    return opens !== undefined
      ? { at: 'registration.opens', message: `registration opens on ${formatDay(opens)}` }
      : firstPriceDay !== undefined && config.fees.otherDates === null
        ? {
            at: 'fees.periods.0.from',
            message: `the first price applies from ${formatDay(firstPriceDay)}`,
          }
        : { at: 'event.from', message: `the event begins on ${formatDay(config.from)}` }
  }
  return closes !== undefined && closes <= config.to && closes === getLastDay(model)
    ? { at: 'registration.closes', message: `registration closes on ${formatDay(closes)}` }
    : describeEventEnd(model)
}

export const registrationWindowChecks = {
  EV418: windowClosesBeforeOpeningCheck,
  EV433: windowOutsidePeriodsCheck,
  EV434: windowAfterEventCheck,
  EV436: windowNeverClosesCheck,
  EV457: adjustmentOutsideWindowCheck,
}
