/**
 * Lists the changes on each day of an event: prices, seats, opening and closing, cancellation refunds.
 *
 * Each day is evaluated with the functions that the form, the server and the office use, and compared with the previous
 * day. A day without an effect is therefore omitted, even if the file states it.
 */
import type { EventConfig, Field } from '../../event/config.ts'
import {
  fillPlaceholders,
  findPlaceholderNames,
  formatUnit,
} from '../../event/placeholders-and-answer-texts.ts'
import { REGISTRATION_LINE_ID, type Item } from '../../event/pricing-types.ts'
import type { RefundTerms } from '../../event/approval-and-cancellation-types.ts'
import { formatMoney, formatPrice, type Currency } from '../../lib/money.ts'
import { addDays, startOfDay, type Day } from '../../lib/time.ts'
import { isMethodOpen } from '../../payments/payment-methods.ts'
import {
  checkRegistrationOpen,
  withDeskDays,
  findItemPeriodOn,
  findPeriodOn,
  listPeriodEdges,
} from '../../pricing/price-periods.ts'
import { EACH_ROW, getTablePrice } from '../../pricing/bill.ts'
import { getPaidTaxText } from '../../pricing/price-list-tax.ts'
import { quoteCategory } from '../../pricing/quote.ts'
import { getCurrency } from '../../rules/category.ts'
import { describeConditionByLabels } from '../../rules/describe-condition.ts'
import { findRefundTerms } from '../../registration/cancellation-refund.ts'
import { listEditableFields } from '../../registration/self-service-edits.ts'
import { listConditionNames } from '../proofs/walk-form.ts'
import { formatItemPriceToPay, testsOnlyCategory, listCategoriesOfTable } from './item-tables.ts'
import { ALL_OTHERS, formatAdjustment, formatAmountField, formatSeats } from './price-list.ts'
import type { Naming } from './price-list.ts'

/** The changes that take effect at the start of a day. */
export type CalendarDay = { readonly day: Day; readonly changes: readonly string[] }

/** If the file states no opening date, the list begins this many days before the first date in the file. */
const LEAD_DAYS = 30

/** Returns the range of dates on which a value can change. */
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
  const seats = listSeats(event)
  const calendarDays: CalendarDay[] = []
  let previousFacts: ReadonlyMap<string, string> = new Map()
  for (let day = from; day <= to; day = addDays(day, 1)) {
    const facts = new Map(listFacts(event, day, seats))
    const changes = [...facts].flatMap(([key, fact]) =>
      previousFacts.get(key) === fact
        ? []
        : [key === REGISTRATION_LINE_ID && day === from ? formatFirstDay(fact) : fact],
    )
    if (changes.length > 0) calendarDays.push({ day, changes })
    previousFacts = facts
  }
  return calendarDays
}

/**
 * Refers to conditions and items by their labels, because the organisers who sign off the calendar do not know the
 * file's ids.
 */
const NAMING_BY_LABEL: Naming = { describe: describeConditionByLabels, nameItem: formatItemName }

const OPEN = 'Registration: open'

/**
 * Formats the state of registration on the first day of the list. Registration may be open before that day, unless the
 * file states the opening day.
 */
const formatFirstDay = (fact: string): string =>
  fact === OPEN ? `${OPEN}, before this day too (the file states no opening date)` : fact

/** A sentence about a day, with the key of its subject. Different subjects may have the same label. */
type Fact = readonly [key: string, sentence: string]

/** Returns everything that applies on a day. */
function listFacts(event: EventConfig, day: Day, seats: readonly Fact[]): readonly Fact[] {
  const opening = checkRegistrationOpen(event, day)
  const desk = checkRegistrationOpen(withDeskDays(event, day), day)
  const isOver = day > event.to
  return [
    [REGISTRATION_LINE_ID, opening.open ? OPEN : `Registration: closed. “${opening.text}”`],
    ['desk', `Registration by staff: ${formatStaffRegistration(opening.open, desk.open)}`],
    ...(opening.open || desk.open ? [...listSaleFacts(event, day), ...seats] : []),
    ['edit', `Delegates can change: ${formatEditable(event, day)}`],
    ['cancellation', `Refund on cancellation: ${formatRefund(event, day)}`],
    ['event', `Conference: ${day < event.from ? 'upcoming' : isOver ? 'over' : 'in progress'}`],
  ]
}

/** Formats whether staff can register delegates: while the form is open, and on front desk days. */
const formatStaffRegistration = (isFormOpen: boolean, isDeskOpen: boolean): string =>
  isFormOpen ? 'open' : isDeskOpen ? 'open, at the front desk' : 'closed'

/** Returns the prices of everything on sale, and the payment methods. */
function listSaleFacts(event: EventConfig, day: Day): readonly Fact[] {
  if (event.fees.prices === null) return []
  const tax = getPaidTaxText(event)
  return [
    ...(tax === '' ? [] : [['tax', `Prices: ${tax}`] as const]),
    ...event.categories.map(({ id, label }): Fact => [
      `category ${id}`,
      `${label}: ${formatCategoryPrice(event, id, day)}`,
    ]),
    ...event.fees.items.flatMap((item) => listItemFacts(event, item, day)),
    ...event.fees.adjustments
      .filter(({ from, to }) => (from ?? day) <= day && day <= (to ?? day))
      .map((adjustment): Fact => [
        `adjustment ${adjustment.id}`,
        `${formatAdjustment(event, adjustment, NAMING_BY_LABEL)}${'amount' in adjustment.by && event.fees.tax?.prices === 'exclusive' ? ', before tax' : ''}`,
      ]),
    ...event.methods.map((method): Fact => [
      `method ${method.id}`,
      `${method.label}: ${method.is === 'desk' ? 'staff only' : isMethodOpen(method, day) ? 'offered' : 'no longer offered'}`,
    ]),
  ]
}

function formatCategoryPrice(event: EventConfig, category: string, day: Day): string {
  const period = findPeriodOn(event.fees, day, category)
  const price = period === null ? null : quoteCategory(event, category, period.id, day)
  if (period === null || price === null) return 'not on sale'
  const total = formatPrice(price.total, getCurrency(event, category))
  return period.label === '' ? total : `${total} (${period.label})`
}

/** Returns the prices of an item on a day, with one sentence for each of its options. */
function listItemFacts(event: EventConfig, item: Item, day: Day): readonly Fact[] {
  const { fees } = event
  const condition = formatItemCondition(event, item)
  if (item.amountIn !== undefined) {
    const amount = formatAmountField(event, findField(event, item.amountIn), item.amountIn)
    return [[`item ${item.id}`, `${formatItemLabel(event, item, EACH_ROW)}: ${amount}${condition}`]]
  }
  const period = findItemPeriodOn(fees, item, null, findPeriodOn(fees, day)?.id ?? '', day)
  const ownLabel = item.periods?.find(({ id }) => id === period)?.label ?? ''
  const rows = new Set(item.prices.flatMap(({ table }) => Object.keys(table)))
  return [...rows].map((row): Fact => {
    const prices = formatRowPrices(event, item, row, period, day)
    return [
      `item ${item.id} ${row}`,
      `${formatItemLabel(event, item, row)}: ${prices}${condition}${ownLabel === '' ? '' : ` (${ownLabel})`}`,
    ]
  })
}

/** Formats the amounts to pay for a row, with the delegates who pay each: "₹ 1,770 (Member), ₹ 2,360 (all others)". */
function formatRowPrices(
  event: EventConfig,
  item: Item,
  row: string,
  period: string,
  day: Day,
): string {
  const payers = new Map<string, string[]>()
  for (const [part, { when, table, currency = event.currency }] of item.prices.entries()) {
    const price = getTablePrice(table, row, period)
    const amount =
      price === null ? 'not on sale' : formatItemPriceToPay(event, item, part, price, currency, day)
    const categories = listCategoriesOfTable(event, item, part)
    const labels =
      categories === null
        ? [when === null ? ALL_OTHERS : `where ${describeConditionByLabels(event, when)}`]
        : categories.map(({ label }) => label)
    payers.set(amount, [...(payers.get(amount) ?? []), ...labels])
  }
  const [[onlyAmount, onlyPayers] = ['', []]] = payers
  const isForAll =
    payers.size === 1 && (item.when === undefined || onlyPayers.length === event.categories.length)
  return isForAll
    ? onlyAmount
    : [...payers].map(([amount, labels]) => `${amount} (${labels.join(', ')})`).join('; ')
}

const findField = (event: EventConfig, id: string | undefined): Field | undefined =>
  event.fields.find((field) => field.id === id)

/** Formats the name of an item with all its rows: its label without placeholders, or the label of its field. */
function formatItemName(event: EventConfig, id: string): string {
  const item = event.fees.items.find((candidate) => candidate.id === id)
  if (item === undefined) return id
  const label = fillOption(item.label, undefined)
  return `“${label === '' ? (findField(event, item.by)?.label ?? id) : label}”`
}

const fillOption = (label: string, option: string | undefined): string =>
  fillPlaceholders(label, { option }, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[\s,:–-]+|[\s,:–-]+$/g, '')

/** Formats the label of an item's bill line without the delegate's answers: "Single room, per night". */
function formatItemLabel(event: EventConfig, item: Item, row: string): string {
  const option = findField(event, item.by)?.options?.find(({ id }) => id === row)?.label
  const label = fillOption(item.label, option)
  const names = findPlaceholderNames(item.label)
  const unit = findField(event, item.times)
  return [
    option === undefined || names.includes('option') ? label : `${label}: ${option}`,
    ...(item.count === undefined ? [] : ['each']),
    ...(unit === undefined ? [] : [`per ${formatUnit(unit, 1) ?? unit.label}`]),
  ].join(', ')
}

/** Formats the condition of an item. Omits a condition on the category or on the answer that orders the item. */
function formatItemCondition(event: EventConfig, item: Item): string {
  const { when, by, count, times, amountIn } = item
  if (when === undefined || testsOnlyCategory(when)) return ''
  const orderingFields: readonly (string | undefined)[] = [by, count?.field, times, amountIn]
  return listConditionNames([when]).every((name) => orderingFields.includes(name))
    ? ''
    : `, where ${describeConditionByLabels(event, when)}`
}

/** Returns a sentence about the seats of each quota, which are the same on all days. */
const listSeats = (event: EventConfig): readonly Fact[] =>
  event.quotas.map((quota): Fact => [
    `quota ${quota.id}`,
    `Seats: ${formatSeats(event, quota, NAMING_BY_LABEL)}. When full: “${quota.full.message}”`,
  ])

function formatEditable(event: EventConfig, day: Day): string {
  const fields = listEditableFields(event, startOfDay(day))
  return fields.length === 0 ? 'nothing' : fields.map(({ label }) => label).join(', ')
}

function formatRefund({ cancellation }: EventConfig, day: Day): string {
  if (cancellation === null) return 'an amount that staff decide'
  return formatTerms(findRefundTerms(cancellation, day))
}

/** Formats the terms with the charge in each currency. */
function formatTerms({ percent, withoutTax, charge }: RefundTerms): string {
  if (percent === 0) return 'nothing'
  const charges = Object.entries(charge ?? {}).map(([currency, amount]) =>
    formatMoney(amount, currency as Currency),
  )
  return [
    `${percent}%`,
    ...(withoutTax === true ? ['of the price without tax'] : []),
    ...(charges.length === 0 ? [] : [`less ${charges.join(' or ')}`]),
  ].join(' ')
}
