/** EV418, EV433, EV434 and EV436: registration opens and closes where there are prices, and before the event is over. */
import type { Period } from '../../sale.ts'
import { addDays, formatDay, type Day } from '../../time.ts'
import { NEVER } from '../defaults.ts'
import { closesAsWritten } from '../model.ts'
import type { Check, Model } from '../model.ts'
import type { Draft } from '../finding.ts'

/** Nobody opens registration earlier than this before the event: the year is wrong. */
const OPENS_DAYS_MAX = 600

const windowBackwards: Check = {
  slug: 'window-backwards',
  severity: 'error',
  why: 'Registration that closes before it opens is never open.',
  find: (model) => {
    const { opens } = model.config.registration
    const closes = closesAsWritten(model)
    return opens !== undefined && closes !== undefined && closes < opens
      ? [
          {
            at: 'registration.closes',
            message: 'registration closes before it opens',
            related: [{ at: 'registration.opens', message: 'it opens here' }],
            notes: [`opens ${formatDay(opens)}, closes ${formatDay(closes)}`],
            help: 'exchange the two days, or mend a month or a year',
          },
        ]
      : []
  },
}

const event = ({ config }: Model) => ({
  at: 'event.to',
  message: `the event ends on ${formatDay(config.to)}`,
})

const windowAfterEvent: Check = {
  slug: 'window-after-event',
  severity: 'warning',
  why: 'Registration for an event that has begun or is over is seldom meant; a month or a year may be wrong.',
  after: ['EV418', 'EV419'],
  find: (model) => {
    const { from, to, registration } = model.config
    const { opens } = registration
    const closes = closesAsWritten(model)
    const late = (key: 'opens' | 'closes', day: Day, message: string, help: string): Draft => ({
      at: `registration.${key}`,
      message: `registration ${key} on ${formatDay(day)}, ${message}`,
      related: [event(model)],
      help,
    })
    return [
      ...(opens !== undefined && opens > to
        ? [late('opens', opens, 'after the event is over', 'write a day before the event')]
        : opens !== undefined && opens > from
          ? [late('opens', opens, 'when the event has begun', 'write a day before the event')]
          : opens !== undefined && opens < addDays(from, -OPENS_DAYS_MAX)
            ? [
                late(
                  'opens',
                  opens,
                  `more than ${OPENS_DAYS_MAX} days before the event`,
                  'is its year right?',
                ),
              ]
            : []),
      ...(closes !== undefined && closes > to
        ? [late('closes', closes, 'after the event is over', `write ${to} or an earlier day`)]
        : []),
    ]
  },
}

const windowNeverCloses: Check = {
  slug: 'window-never-closes',
  severity: 'warning',
  why: 'Registration that goes on when the event is over takes money for nothing.',
  after: ['EV419'],
  find: (model) =>
    model.file.registration?.closes === NEVER && model.config.status === 'open'
      ? [
          {
            at: 'registration.closes',
            message: 'registration stays open when the event is over',
            related: [event(model)],
            help: 'remove `closes`, and registration closes after the last day of the event; or accept it with allow',
          },
        ]
      : [],
}

/** Days on which there is a price, as far as the periods say. */
type Held = { readonly period: Period; readonly at: number }

const windowOutsidePeriods: Check = {
  slug: 'window-outside-periods',
  severity: 'warning',
  why: 'A price that nobody can pay is on the page, or the page is open and has no price.',
  after: ['EV404', 'EV406', 'EV407', 'EV410', 'EV418', 'EV419', 'EV432', 'EV434'],
  find: (model) => {
    const { registration, fees } = model.config
    const closes = closesAsWritten(model)
    const held = fees.periods.map((period, at): Held => ({ period, at }))
    return [
      ...(registration.opens === undefined ? [] : opensOutside(model, held, registration.opens)),
      ...(closes === undefined ? [] : closesOutside(model, held, closes)),
    ]
  },
}

/** Periods that are over when registration opens; days open before the first price. */
function opensOutside({ config }: Model, held: readonly Held[], opens: Day): readonly Draft[] {
  const over = held.filter(
    ({ period }) =>
      period.to !== undefined && period.to < opens && config.fees.otherDates !== period.id,
  )
  const [first] = held
  if (over.length > 0)
    return over.map(({ period, at }) => ({
      at: 'registration.opens',
      message: `registration opens on ${formatDay(opens)}; period \`${period.id}\` is over by then, and nobody can pay its prices`,
      related: [{ at: `fees.periods.${at}.to`, message: 'it ends here' }],
      help: 'open earlier, or mend the days of the period',
    }))
  return first?.period.from !== undefined &&
    opens < first.period.from &&
    config.fees.otherDates === null
    ? [
        {
          at: 'registration.opens',
          message: `registration opens on ${formatDay(opens)}, but no price holds before ${formatDay(first.period.from)}`,
          related: [
            { at: 'fees.periods.0.from', message: `period \`${first.period.id}\` begins here` },
          ],
          help: 'open on that day, or begin the period earlier',
        },
      ]
    : []
}

/** Periods that begin when registration is closed already; days open after the last price. */
function closesOutside({ config }: Model, held: readonly Held[], closes: Day): readonly Draft[] {
  const never = held.filter(
    ({ period }) =>
      period.from !== undefined && period.from > closes && config.fees.otherDates !== period.id,
  )
  if (never.length > 0)
    return never.map(({ period, at }) => ({
      at: 'registration.closes',
      message: `registration closes on ${formatDay(closes)}; period \`${period.id}\` has not begun by then, and nobody can pay its prices`,
      related: [{ at: `fees.periods.${at}.from`, message: 'it begins here' }],
      help: 'close later, or mend the days of the period',
    }))
  const last = held.toSorted((a, b) => ((a.period.to ?? '9') < (b.period.to ?? '9') ? 1 : -1))[0]
  return last?.period.to !== undefined && closes > last.period.to && config.fees.otherDates === null
    ? [
        {
          at: 'registration.closes',
          message: `registration closes on ${formatDay(closes)}, but no price holds after ${formatDay(last.period.to)}`,
          related: [
            { at: `fees.periods.${last.at}.to`, message: `period \`${last.period.id}\` ends here` },
          ],
          help: 'close on that day, or let the period end later',
        },
      ]
    : []
}

export const window = {
  EV418: windowBackwards,
  EV433: windowOutsidePeriods,
  EV434: windowAfterEvent,
  EV436: windowNeverCloses,
}
