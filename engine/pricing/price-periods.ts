/**
 * Finds the price period for a date and determines whether registration is open.
 *
 * Dates are in Indian time. A period includes its first and last day.
 */
import { VALIDATION_MESSAGES } from '../text-catalogue/validation.ts'
import { formatMessage } from '../lib/format-message.ts'
import type { ClosedBy, PublicEvent } from '../event/config.ts'
import type { Fees, Item, Period, PriceGroup } from '../event/pricing-types.ts'
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

/** Returns true if the date is in the period. A period without a first or last day is open at that end. */
export function containsDay({ from, to }: Period, on: Day): boolean {
  return (from === undefined || from <= on) && (to === undefined || on <= to)
}

/**
 * Returns the group with its own periods that contains a category; undefined if the category has the event's periods.
 */
export function findGroupOfCategory(
  { groups = [] }: Pick<Fees, 'groups'>,
  category: string | null,
): PriceGroup | undefined {
  return category === null
    ? undefined
    : groups.find(({ categories }) => categories.includes(category))
}

/** Returns the periods that are the columns of a category's prices. */
export function listPeriodsOfCategory(
  fees: Pick<Fees, 'periods' | 'groups'>,
  category: string | null,
): readonly Period[] {
  return findGroupOfCategory(fees, category)?.periods ?? fees.periods
}

/**
 * Returns the periods of registration prices, one for each id. If groups give a period different
 * labels, its label lists them all.
 */
export function listPeriods({
  periods,
  groups = [],
}: Pick<Fees, 'periods' | 'groups'>): readonly Pick<Period, 'id' | 'label'>[] {
  const allPeriods = [...periods, ...groups.flatMap((group) => group.periods)]
  return [...new Set(allPeriods.map(({ id }) => id))].map((id) => {
    const labels = allPeriods.filter((period) => period.id === id).map(({ label }) => label)
    return { id, label: [...new Set(labels)].join(', ') }
  })
}

/**
 * Returns a period's label for a category; for null, all its labels. Undefined if the file no
 * longer has the period.
 */
export function getPeriodLabel(
  fees: Pick<Fees, 'periods' | 'groups'>,
  period: string,
  category: string | null,
): string | undefined {
  const categoryPeriods = category === null ? [] : listPeriodsOfCategory(fees, category)
  return [...categoryPeriods, ...listPeriods(fees)].find(({ id }) => id === period)?.label
}

/**
 * Returns the first listed period that contains the date, otherwise the period for other dates. Null if registration
 * is closed on that date. If the category is in a group, considers only the periods of that group.
 */
export function findPeriodOn(fees: Fees, on: Day, category: string | null = null): Period | null {
  const group = findGroupOfCategory(fees, category)
  if (group !== undefined) return group.periods.find((period) => containsDay(period, on)) ?? null
  return (
    fees.periods.find((period) => containsDay(period, on)) ??
    fees.periods.find((period) => period.id === fees.otherDates) ??
    null
  )
}

/** Returns the category's period on that day if it has its own periods, otherwise `period`. */
export function findPeriodOfCategoryOn(
  fees: Fees,
  category: string | null,
  period: string,
  on: Day,
): string {
  return findGroupOfCategory(fees, category) === undefined
    ? period
    : (findPeriodOn(fees, on, category)?.id ?? '')
}

/** Returns the periods that are the columns of an item's tables. */
export function listPeriodsOfItem(
  fees: Pick<Fees, 'periods'>,
  item: Pick<Item, 'periods'>,
): readonly Period[] {
  return item.periods ?? fees.periods
}

/**
 * Returns the id of the period that determines an item's price on that day: one of the item's own periods, or else
 * one of the event's periods. `period` is the registration's period on that day, which is the event's unless the
 * category has its own periods. Empty if no period contains the date.
 */
export function findItemPeriodOn(
  fees: Fees,
  { periods }: Pick<Item, 'periods'>,
  category: string | null,
  period: string,
  on: Day,
): string {
  if (periods !== undefined) return periods.find((own) => containsDay(own, on))?.id ?? ''
  if (findGroupOfCategory(fees, category) === undefined) return period
  return findPeriodOn(fees, on)?.id ?? ''
}

/**
 * Returns the first day of each period of the fees, a group or an item, and the day after its last
 * day.
 */
export function listPeriodEdges(fees: Pick<Fees, 'periods' | 'items' | 'groups'>): readonly Day[] {
  const ownPeriods = [...(fees.groups ?? []), ...fees.items].flatMap(({ periods = [] }) => periods)
  return [...fees.periods, ...ownPeriods].flatMap(({ from, to }) => [
    ...(from === undefined ? [] : [from]),
    ...(to === undefined ? [] : [addDays(to, 1)]),
  ])
}

/**
 * Returns the period that prices a registration in a category: its stored period if the category still has it,
 * otherwise the period of its registration date.
 */
export function getPricingPeriod(
  fees: Fees,
  { period, createdAt }: { readonly period: string | null; readonly createdAt: Instant },
  category: string | null,
): string {
  const isKnown = listPeriodsOfCategory(fees, category).some(({ id }) => id === period)
  if (isKnown && period !== null) return period
  return findPeriodOn(fees, dayOf(createdAt), category)?.id ?? ''
}

/**
 * Checks whether registration is open on that day. If it is closed, the result contains the event's own message or
 * else the default. If the event has periods, it is open only on their days.
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
  const buildClosedResult = (text: string, by: 'hand' | 'day' = 'day') =>
    ({
      open: false,
      heading: event.closed?.heading ?? messages.heading,
      text: event.closed?.text ?? text,
      by,
    }) as const
  // The file's message about closed registration does not apply before registration opens.
  const buildEarlyResult = (from: Day) =>
    ({
      open: false,
      heading: messages.earlyHeading,
      text: formatMessage(messages.opens, { day: formatDay(from) }),
      by: 'early',
      opens: from,
    }) as const
  if (event.status === 'closed') return buildClosedResult(messages.text, 'hand')
  if (opens !== undefined && on < opens) return buildEarlyResult(opens)
  if (closes !== undefined && on > closes) {
    const day = formatDay(closes)
    const { desk } = event.registration
    return buildClosedResult(
      desk === undefined || on > desk.closes
        ? formatMessage(messages.on, { day })
        : formatMessage(messages.desk, { day, days: formatDays(desk.opens, desk.closes) }),
    )
  }
  if (periods.length > 0 && findPeriodOn(event.fees, on) === null) {
    const [nextOpeningDay] = periods
      .flatMap(({ from }) =>
        from === undefined || from < on || (closes !== undefined && from > closes) ? [] : [from],
      )
      .sort()
    if (nextOpeningDay === undefined) return buildClosedResult(messages.text)
    return periods.every(({ from }) => from !== undefined && from > on)
      ? buildEarlyResult(nextOpeningDay)
      : {
          ...buildClosedResult(formatMessage(messages.again, { day: formatDay(nextOpeningDay) })),
          by: 'early',
          opens: nextOpeningDay,
        }
  }
  return { open: true }
}

/**
 * Returns the event for staff who register delegates on that day: it is also open on front desk days.
 * Unchanged if the form is open, and on other days.
 */
export function withDeskDays<E extends PublicEvent>(event: E, on: Day): E {
  const { desk } = event.registration
  return desk === undefined || checkRegistrationOpen(event, on).open || !isDeskDay(desk, on)
    ? event
    : (openAtDesk(event) as E)
}

const isDeskDay = ({ opens, closes }: { readonly opens: Day; readonly closes: Day }, on: Day) =>
  opens <= on && on <= closes

const openAtDesk = memoize((event: PublicEvent): PublicEvent => {
  const { desk = {} } = event.registration
  return { ...event, registration: desk }
})

/** Returns true if the event's last day has passed. */
export const isEventOver = ({ to }: Pick<PublicEvent, 'to'>, on: Day): boolean => on > to

/** Sorts events for delegates: upcoming ones by first day, then past ones, latest first. */
export function sortEvents<E extends Pick<PublicEvent, 'from' | 'to'>>(
  events: readonly E[],
  on: Day,
): readonly E[] {
  const [upcoming, past] = [
    events.filter((event) => !isEventOver(event, on)),
    events.filter((event) => isEventOver(event, on)),
  ]
  return [
    ...upcoming.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0)),
    ...past.sort((a, b) => (a.to > b.to ? -1 : a.to < b.to ? 1 : 0)),
  ]
}

/** Returns the dates on which prices change, with the name of the period that begins. Omits the first period. */
export function listPriceSteps({
  fees,
}: Pick<PublicEvent, 'fees'>): readonly { readonly day: Day; readonly label: string }[] {
  const edges = new Set(listPeriodEdges({ ...fees, items: [] }))
  const groups = [null, ...(fees.groups ?? [])]
  return [...edges].sort().flatMap((day) => {
    const labels = groups.flatMap((group) => {
      const category = group?.categories[0] ?? null
      const previousPeriod = findPeriodOn(fees, addDays(day, -1), category)
      const currentPeriod = findPeriodOn(fees, day, category)
      return previousPeriod === null ||
        currentPeriod === null ||
        previousPeriod.id === currentPeriod.id
        ? []
        : [group === null ? currentPeriod.label : `${group.label}: ${currentPeriod.label}`]
    })
    return labels.length === 0 ? [] : [{ day, label: [...new Set(labels)].join(', ') }]
  })
}

/**
 * Returns the last day on which registration is still open and the category has the same
 * registration price as on day `on`, regardless of item prices. Null if there is no last day, or if
 * the category is not on sale.
 */
export const getLastDayOfFee = (event: PublicEvent, on: Day, category: string): Day | null =>
  findPeriodOn(event.fees, on, category) === null
    ? null
    : getLastDayOfPrice(event, on, category, [])

/** Returns true if today's prices end on different days for different categories. */
export function hasDifferentLastDays(event: PublicEvent, on: Day): boolean {
  const { categories, fees } = event
  return (
    fees.groups !== undefined &&
    new Set(categories.map(({ id }) => getLastDayOfFee(event, on, id))).size > 1
  )
}

/**
 * Creates a cache of results, keyed by day. It stays small, because entries are created only for days on which the
 * event was viewed.
 */
const createLastDayCache = memoize((_: PublicEvent) => new Map<string, Day | null>())

/**
 * Returns the last day on which registration is still open and the period is the same as on day
 * `on`. Null if there is no last day. With a category, considers its periods; otherwise any price
 * change. `items`: the items whose prices are considered.
 */
export function getLastDayOfPrice(
  event: PublicEvent,
  on: Day,
  category: string | null = null,
  items: readonly Item[] = event.fees.items,
): Day | null {
  const cache = createLastDayCache(event)
  const key = `${on} ${category ?? ''} ${items.map(({ id }) => id).join()}`
  const cachedDay = cache.get(key)
  if (cachedDay !== undefined) return cachedDay
  const lastDay = findLastDay(event, on, category, items)
  cache.set(key, lastDay)
  return lastDay
}

function findLastDay(
  event: PublicEvent,
  on: Day,
  category: string | null,
  items: readonly Item[],
): Day | null {
  const { closes } = event.registration
  const { fees } = event
  const groups = category === null ? (fees.groups ?? []) : []
  const buildPeriodsKey = (day: Day): string => {
    const period = findPeriodOn(fees, day)?.id ?? ''
    return [
      // For a category with its own periods, the event's periods determine only whether registration
      // is open.
      category === null ? period : String(period !== ''),
      findPeriodOn(fees, day, category)?.id ?? '',
      ...groups.map(({ categories }) => findPeriodOn(fees, day, categories[0])?.id ?? ''),
      ...items.map((item) => findItemPeriodOn(fees, item, null, period, day)),
    ].join()
  }
  const currentKey = buildPeriodsKey(on)
  const changes = listPeriodEdges(event.fees)
    .concat(closes === undefined ? [] : [addDays(closes, 1)])
    .filter(
      (edge) =>
        edge > on &&
        (buildPeriodsKey(edge) !== currentKey || (closes !== undefined && edge > closes)),
    )
    .sort()
  return changes[0] === undefined ? null : addDays(changes[0], -1)
}

/**
 * Returns the latest instant at which a price, a period, an opening or a closing may have changed. They all change at
 * the start of a day in India, because event files state dates without times.
 */
export function getLastPriceInstant(at: Instant): Instant {
  return startOfDay(dayOf(at))
}
