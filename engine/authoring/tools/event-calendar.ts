/**
 * Lists the changes on each day of an event: prices, opening and closing, cancellation refunds.
 *
 * Each day is evaluated with the functions that the form, the server and the office use, and
 * compared with the previous day. A day without effect is therefore not listed, even if the file
 * names it.
 */
import type { EventConfig } from '../../event/config.ts'
import type { RefundTerms } from '../../event/approval-and-cancellation-types.ts'
import { getOwn } from '../../lib/result.ts'
import { formatMoney } from '../../lib/money.ts'
import { addDays, startOfDay, type Day } from '../../lib/time.ts'
import { isMethodOpen } from '../../payments/payment-methods.ts'
import {
  checkRegistrationOpen,
  withDeskDays,
  findItemPeriodOn,
  findPeriodOn,
  listPeriodEdges,
  listPeriodsOfItem,
} from '../../pricing/price-periods.ts'
import { quoteCategory } from '../../pricing/quote.ts'
import { getCurrency } from '../../rules/category.ts'
import { findRefundTerms } from '../../registration/cancellation-refund.ts'
import { listEditableFields } from '../../registration/self-service-edits.ts'

/** The changes at the start of a day. */
export type CalendarDay = { readonly day: Day; readonly changes: readonly string[] }

/**
 * The number of days before the first day in the file, if it does not state when registration
 * opens.
 */
const LEAD_DAYS = 30

/** Returns the range of days on which anything can change. */
export function getCalendarRange(event: EventConfig): { readonly from: Day; readonly to: Day } {
  const { registration, edit, cancellation, retention, methods, fees } = event
  const statedDays = [
    registration.opens,
    registration.closes,
    registration.desk?.opens,
    registration.desk?.closes,
    edit?.until,
    retention.answers,
    retention.files,
    ...(cancellation?.steps ?? []).map(({ until }) => until),
    ...methods.map(({ until }) => until),
    ...listPeriodEdges(fees),
    event.from,
    event.to,
  ]
    .filter((day) => day !== undefined && day !== null)
    .toSorted()
  const first = statedDays[0] ?? event.from
  const last = statedDays.at(-1) ?? event.to
  return {
    from: addDays(registration.opens === undefined ? addDays(first, -LEAD_DAYS) : first, -1),
    to: addDays(last, 1),
  }
}

/** Returns the days with changes, in order. The first day lists everything that applies on it. */
export function listCalendarDays(event: EventConfig): readonly CalendarDay[] {
  const { from, to } = getCalendarRange(event)
  const calendarDays: CalendarDay[] = []
  let before: ReadonlyMap<string, string> = new Map()
  for (let day = from; day <= to; day = addDays(day, 1)) {
    const facts = listFacts(event, day)
    const changes = [...facts].flatMap(([subject, fact]) =>
      before.get(subject) === fact ? [] : [`${subject}: ${fact}`],
    )
    if (changes.length > 0) calendarDays.push({ day, changes })
    before = facts
  }
  return calendarDays
}

/** Returns everything that applies on a day, by subject. */
function listFacts(event: EventConfig, day: Day): ReadonlyMap<string, string> {
  const opening = checkRegistrationOpen(event, day)
  const desk = checkRegistrationOpen(withDeskDays(event, day), day)
  const isOver = day > event.to
  return new Map([
    ['Registration', opening.open ? 'open' : `closed. “${opening.text}”`],
    ['Front desk', desk.open ? 'staff can register delegates' : 'closed'],
    ...(opening.open || desk.open ? listSaleFacts(event, day) : []),
    ['Delegates can change', formatEditable(event, day)],
    ['A cancellation refunds', formatRefund(event, day)],
    ['Conference', day < event.from ? 'to come' : isOver ? 'over' : 'takes place'],
  ])
}

/** Returns everything on sale and the payment methods. Empty while registration is closed. */
function listSaleFacts(event: EventConfig, day: Day): readonly (readonly [string, string])[] {
  if (event.fees.prices === null) return []
  return [
    ...event.categories.map(
      ({ id, label }) => [label, formatCategoryPrice(event, id, day)] as const,
    ),
    ...(event.fees.items.length === 0 ? [] : [['Items', formatItemPeriods(event, day)] as const]),
    ...event.methods.map(
      (method) =>
        [method.label, isMethodOpen(method, day) ? 'offered' : 'no longer offered'] as const,
    ),
  ]
}

function formatCategoryPrice(event: EventConfig, category: string, day: Day): string {
  const period = findPeriodOn(event.fees, day, category)
  const price = period === null ? null : quoteCategory(event, category, period.id, day)
  if (period === null || price === null) return 'not on sale'
  const total = formatMoney(price.total, getCurrency(event, category))
  return period.label === '' ? total : `${total} (${period.label})`
}

/** Formats the periods whose prices apply to the items on a day. */
function formatItemPeriods({ fees }: EventConfig, day: Day): string {
  const currentPeriod = findPeriodOn(fees, day)?.id ?? ''
  const labels = fees.items.map((item) => {
    const period = findItemPeriodOn(fees, item, null, currentPeriod, day)
    const label = listPeriodsOfItem(fees, item).find(({ id }) => id === period)?.label
    return label === undefined ? 'not on sale' : `prices of ${label}`
  })
  return [...new Set(labels)].join(', ')
}

function formatEditable(event: EventConfig, day: Day): string {
  const fields = listEditableFields(event, startOfDay(day))
  return fields.length === 0 ? 'nothing' : fields.map(({ label }) => label).join(', ')
}

function formatRefund({ cancellation, currency }: EventConfig, day: Day): string {
  if (cancellation === null) return 'an amount that staff decide'
  return formatTerms(findRefundTerms(cancellation, day), currency)
}

function formatTerms(
  { percent, withoutTax, charge }: RefundTerms,
  currency: EventConfig['currency'],
): string {
  if (percent === 0) return 'nothing'
  const deducted = charge === undefined ? undefined : getOwn(charge, currency)
  return [
    `${percent}%`,
    ...(withoutTax === true ? ['of the price without tax'] : []),
    ...(deducted === undefined ? [] : [`less ${formatMoney(deducted, currency)}`]),
  ].join(' ')
}
