/**
 * Determines the price period of a day, and whether registration is open.
 *
 * Days are Indian, both ends included.
 */
import { VALIDATION_MESSAGES } from '../text-catalogue/validation.ts'
import { formatMessage } from '../lib/format-message.ts'
import type { ClosedBy, PublicEvent } from '../event/config.ts'
import type { Fees, Item, Period } from '../event/pricing-types.ts'
import { memoize } from '../lib/memoize.ts'
import {
  addDays,
  dayOf,
  formatDay,
  formatDays,
  startOfDay,
  type Day,
  type Instant,
} from '../lib/time.ts'

/** Whether the day is within the period; an absent end is open. */
export function containsDay({ from, to }: Period, on: Day): boolean {
  return (from === undefined || from <= on) && (to === undefined || on <= to)
}

/**
 * Returns the first listed period that contains the day, else the one for other dates. Null if closed
 * on that day.
 */
export function periodOn(fees: Fees, on: Day): Period | null {
  return (
    fees.periods.find((period) => containsDay(period, on)) ??
    fees.periods.find((period) => period.id === fees.otherDates) ??
    null
  )
}

/** Returns the periods that are the columns of an item's tables. */
export function periodsOfItem(
  fees: Pick<Fees, 'periods'>,
  item: Pick<Item, 'periods'>,
): readonly Period[] {
  return item.periods ?? fees.periods
}

/** Returns the period of an item on that day: its own, else `period`. Empty if it has its own, and none contains the day. */
export function itemPeriodOn({ periods }: Pick<Item, 'periods'>, period: string, on: Day): string {
  if (periods === undefined) return period
  return periods.find((own) => containsDay(own, on))?.id ?? ''
}

/** Returns the days on which a period begins, or the one before has ended: of the fees, and of items with their own. */
export function periodEdges(fees: Pick<Fees, 'periods' | 'items'>): readonly Day[] {
  return [...fees.periods, ...fees.items.flatMap(({ periods = [] }) => periods)].flatMap(
    ({ from, to }) => [
      ...(from === undefined ? [] : [from]),
      ...(to === undefined ? [] : [addDays(to, 1)]),
    ],
  )
}

/**
 * Returns the period that priced a registration: its stored period if the file still has it, else
 * that of its day.
 */
export function pricingPeriod(
  fees: Fees,
  { period, createdAt }: { readonly period: string | null; readonly createdAt: Instant },
): string {
  const isKnown = fees.periods.some(({ id }) => id === period)
  return isKnown && period !== null ? period : (periodOn(fees, dayOf(createdAt))?.id ?? '')
}

/**
 * Whether registration is open on that day; if not, the event's own message, else the default. An
 * event without periods has no day on which this could close it.
 */
export function checkRegistrationOpen(
  event: PublicEvent,
  on: Day,
):
  | { readonly open: true }
  | ({ readonly open: false; readonly heading: string; readonly text: string } & ClosedBy) {
  const { opens, closes } = event.registration
  const { closed: messages } = VALIDATION_MESSAGES
  const { periods } = event.fees
  const closed = (text: string, by: 'hand' | 'day' = 'day') =>
    ({
      open: false,
      heading: event.closed?.heading ?? messages.heading,
      text: event.closed?.text ?? text,
      by,
    }) as const
  // The file's message about closed registration does not apply to registration that has not opened
  // yet.
  const early = (from: Day) =>
    ({
      open: false,
      heading: messages.earlyHeading,
      text: formatMessage(messages.opens, { day: formatDay(from) }),
      by: 'early',
      opens: from,
    }) as const
  if (event.status === 'closed') return closed(messages.text, 'hand')
  if (opens !== undefined && on < opens) return early(opens)
  if (closes !== undefined && on > closes) {
    const day = formatDay(closes)
    const { desk } = event.registration
    return closed(
      desk === undefined || on > desk.closes
        ? formatMessage(messages.on, { day })
        : formatMessage(messages.desk, { day, days: formatDays(desk.opens, desk.closes) }),
    )
  }
  if (periods.length > 0 && periodOn(event.fees, on) === null) {
    const first = periods.map(({ from }) => from ?? on).sort()[0]
    return first !== undefined && first > on ? early(first) : closed(messages.text)
  }
  return { open: true }
}

/**
 * Returns the event as staff register delegates on that day: open on the days of the front desk too. The same event if
 * the form is open, or the day is not one of them.
 */
export function deskEvent<E extends PublicEvent>(event: E, on: Day): E {
  const { desk } = event.registration
  return desk === undefined || checkRegistrationOpen(event, on).open || !isDeskDay(desk, on)
    ? event
    : (duringDesk(event) as E)
}

const isDeskDay = ({ opens, closes }: { readonly opens: Day; readonly closes: Day }, on: Day) =>
  opens <= on && on <= closes

const duringDesk = memoize((event: PublicEvent): PublicEvent => {
  const { desk = {} } = event.registration
  return { ...event, registration: desk }
})

/** Whether the event's own days are over. */
export const isEventOver = ({ to }: Pick<PublicEvent, 'to'>, on: Day): boolean => on > to

/** Sorts events for delegates: upcoming ones by their first day, then past ones, the latest first. */
export function sortEvents<E extends Pick<PublicEvent, 'from' | 'to'>>(
  events: readonly E[],
  on: Day,
): readonly E[] {
  const [coming, past] = [
    events.filter((event) => !isEventOver(event, on)),
    events.filter((event) => isEventOver(event, on)),
  ]
  return [
    ...coming.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0)),
    ...past.sort((a, b) => (a.to > b.to ? -1 : a.to < b.to ? 1 : 0)),
  ]
}

/**
 * Returns the days on which prices change, with the name of the period that begins; the first
 * period is not included.
 */
export function priceSteps({
  fees,
}: Pick<PublicEvent, 'fees'>): readonly { readonly day: Day; readonly label: string }[] {
  const edges = new Set(
    fees.periods.flatMap(({ from, to }) => [
      ...(from === undefined ? [] : [from]),
      ...(to === undefined ? [] : [addDays(to, 1)]),
    ]),
  )
  return [...edges].sort().flatMap((day) => {
    const [before, now] = [periodOn(fees, addDays(day, -1)), periodOn(fees, day)]
    return before === null || now === null || before.id === now.id
      ? []
      : [{ day, label: now.label }]
  })
}

/** The days requested for an event: few, because they are days on which someone viewed it. */
const lastDaysOf = memoize((_: PublicEvent) => new Map<Day, Day | null>())

/**
 * Returns the last day from `on` on which the same period applies and registration is open; null:
 * no end is set.
 */
export function lastDayOfPrice(event: PublicEvent, on: Day): Day | null {
  const cache = lastDaysOf(event)
  const found = cache.get(on)
  if (found !== undefined) return found
  const last = findLastDay(event, on)
  cache.set(on, last)
  return last
}

function findLastDay(event: PublicEvent, on: Day): Day | null {
  const { closes } = event.registration
  const { items } = event.fees
  const periodsOn = (day: Day): string => {
    const period = periodOn(event.fees, day)?.id ?? ''
    return [period, ...items.map((item) => itemPeriodOn(item, period, day))].join()
  }
  const currentPeriods = periodsOn(on)
  const changes = periodEdges(event.fees)
    .concat(closes === undefined ? [] : [addDays(closes, 1)])
    .filter(
      (edge) =>
        edge > on &&
        (periodsOn(edge) !== currentPeriods || (closes !== undefined && edge > closes)),
    )
    .sort()
  return changes[0] === undefined ? null : addDays(changes[0], -1)
}

/**
 * Returns the last instant at which a price, a period or what is open may have changed. All of them
 * change at the start of an Indian day, because event files name days.
 */
export function lastPriceInstant(at: Instant): Instant {
  return startOfDay(dayOf(at))
}
