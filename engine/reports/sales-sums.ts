/** Sales report of an office list: items and options sold, accompanying persons, seats taken. */
import type { EventConfig } from '../event/config.ts'
import { REGISTRATION_LINE_ID, type Quota } from '../event/pricing-types.ts'
import { toAmount, toMajorUnits, type Amount, type Currency } from '../lib/money.ts'
import type { Day } from '../lib/time.ts'
import { listPeriods, getPeriodLabel } from '../pricing/price-periods.ts'
import { listSeatPools } from '../pricing/quotas.ts'
import { buildColumnHeading, listItemOptions } from './sales-columns.ts'
import { formatIdAsWords } from '../event/placeholders-and-answer-texts.ts'

/**
 * GET /admin/sold/?event_id=…&list_id=… with the list's filters: sums over the registrations of a list. Amounts include
 * tax. The field names are part of the API and do not change.
 */
export type SalesResponse = {
  status: 'success'
  /** ISO 4217 code of the amounts, which are in major units. Absent for INR. */
  currency?: string
  /** True if a search found more registrations than are included. */
  capped: boolean
  rows: {
    item: string
    option: string | null
    label: string
    option_label: string | null
    registrations: number
    quantity: number
    /** The currency of the row's amounts, if it differs from the report's. */
    currency?: string
    total: number
    paid_quantity: number
    /** Payments less refunds. */
    paid_total: number
  }[]
  /**
   * Net payments that belong to no row: paid in excess of the bill, or retained from cancelled registrations. Rows and
   * this amount add up to the list's `sums.money`.
   */
  paid_beside: number
  /** The same amount in currencies other than the report's. Absent if there are none. */
  others_beside?: { currency: string; amount: number }[]
  /** The same registrations by category, by price period, and by registration date. */
  by_category: WireSalesGroup[]
  by_period: WireSalesGroup[]
  by_day: WireSalesGroup[]
  /** People listed in the registrations, by field. */
  people: { id: string; label: string; count: number; paid: number }[]
  /** For the whole event, regardless of the list's filters. */
  places: { id: string; label: string; taken: number; max: number }[]
}

/** The same call with as=seats: only the seats, which are counted without reading bills. */
export type SeatsResponse = Pick<SalesResponse, 'status' | 'places'>

/** `registrations` and `paid` exclude ended registrations. `received` includes them, and is net of refunds. */
type WireSalesGroup = {
  id: string
  label: string
  registrations: number
  paid: number
  received: number
  /** The currency of the amount, if it differs from the report's. */
  currency?: string
}

/** Registrations with the same category, price period, registration date and currency. `received` is net of refunds. */
export type SalesGroup = {
  readonly currency: Currency
  readonly category: string | null
  readonly period: string | null
  readonly day: Day
  readonly registrations: number
  readonly paid: number
  readonly received: Amount
}

/**
 * One item, or one option of it, on the bills of a list's registrations. `paidQuantity`: in paid registrations;
 * `paidTotal`: payments less refunds.
 */
export type SalesSum = {
  readonly item: string
  readonly option: string | null
  readonly currency: Currency
  readonly registrations: number
  readonly quantity: number
  readonly total: Amount
  readonly paidQuantity: number
  readonly paidTotal: Amount
}
export type SeatsInUse = { readonly quotaKey: string; readonly max: number; readonly taken: number }

/**
 * Returns rows in the order of the bill: the registration, items with their options, adjustments;
 * then items that the file no longer sells.
 */
export function buildSalesRows(
  event: EventConfig,
  sums: readonly SalesSum[],
): SalesResponse['rows'] {
  const { items, adjustments } = event.fees
  const order = [
    REGISTRATION_LINE_ID,
    ...items.map(({ id }) => id),
    ...adjustments.map(({ id }) => id),
  ]
  const getPosition = (id: string): number =>
    order.includes(id) ? order.indexOf(id) : order.length
  return sums
    .map((sum) => ({ sum, options: listItemOptions(event, sum.item) }))
    .toSorted(
      (a, b) =>
        getPosition(a.sum.item) - getPosition(b.sum.item) ||
        (a.sum.item < b.sum.item ? -1 : a.sum.item > b.sum.item ? 1 : 0) ||
        a.options.findIndex(({ id }) => id === a.sum.option) -
          b.options.findIndex(({ id }) => id === b.sum.option) ||
        // The event's currency first.
        Number(a.sum.currency !== event.currency) - Number(b.sum.currency !== event.currency) ||
        (a.sum.currency < b.sum.currency ? -1 : 1),
    )
    .map(({ sum, options }) => ({
      item: sum.item,
      option: sum.option,
      label: getLineLabel(event, sum.item),
      option_label: options.find(({ id }) => id === sum.option)?.label ?? sum.option,
      registrations: sum.registrations,
      quantity: sum.quantity,
      ...(sum.currency === event.currency ? {} : { currency: sum.currency }),
      total: toMajorUnits(sum.total, sum.currency),
      paid_quantity: sum.paidQuantity,
      paid_total: toMajorUnits(sum.paidTotal, sum.currency),
    }))
}

/** Returns the sums by category and period, in the file's order, and by date. Each row has one currency. */
export function buildSalesGroups(
  event: EventConfig,
  groups: readonly SalesGroup[],
): Pick<SalesResponse, 'by_category' | 'by_period' | 'by_day'> {
  const { categories, fees } = event
  const sumGroups = (
    getId: (group: SalesGroup) => string,
    getLabel: (id: string) => string,
    order: readonly string[],
  ): WireSalesGroup[] =>
    [...Map.groupBy(groups, (group) => JSON.stringify([getId(group), group.currency])).values()]
      .flatMap((groupsOfRow) => {
        const [first] = groupsOfRow
        if (first === undefined) return []
        const sum = (count: (group: SalesGroup) => number): number =>
          groupsOfRow.reduce((total, group) => total + count(group), 0)
        const { currency } = first
        const id = getId(first)
        return {
          id,
          label: getLabel(id),
          registrations: sum(({ registrations }) => registrations),
          paid: sum(({ paid }) => paid),
          received: toMajorUnits(toAmount(sum(({ received }) => received)), currency),
          ...(currency === event.currency ? {} : { currency }),
        }
      })
      .filter(({ registrations, received }) => registrations !== 0 || received !== 0)
      .toSorted((one, other) => order.indexOf(one.id) - order.indexOf(other.id))
  const categoryIds = categories.map(({ id }) => id)
  const periodIds = listPeriods(fees).map(({ id }) => id)
  const appendOthers = (ids: readonly string[], otherIds: readonly string[]): readonly string[] => [
    ...ids,
    ...otherIds.filter((id) => !ids.includes(id)),
  ]
  const getCategory = ({ category }: SalesGroup): string => category ?? ''
  const getPeriod = ({ period }: SalesGroup): string => period ?? ''
  return {
    by_category: sumGroups(
      getCategory,
      (id) => categories.find((category) => category.id === id)?.label ?? formatMissing(id),
      appendOthers(categoryIds, groups.map(getCategory)),
    ),
    by_period: sumGroups(
      getPeriod,
      (id) => getPeriodLabel(fees, id, null) ?? formatMissing(id),
      appendOthers(periodIds, groups.map(getPeriod)),
    ),
    by_day: sumGroups(
      ({ day }) => day,
      (id) => id,
      [...new Set(groups.map(({ day }) => day))].toSorted(),
    ),
  }
}

const formatMissing = (id: string): string => (id === '' ? 'None' : formatIdAsWords(id))

function getLineLabel({ fees }: EventConfig, id: string): string {
  if (id === REGISTRATION_LINE_ID) return 'Registration'
  const part = [...fees.items, ...fees.adjustments].find((candidate) => candidate.id === id)
  return part === undefined ? formatIdAsWords(id) : buildColumnHeading(id, part.label)
}

/**
 * Returns a row for every quota of the event, or for each option of a quota with a maximum per option, in the file's
 * order. Rows without registrations have `taken: 0`.
 */
export function buildSeatRows(
  event: EventConfig,
  seatsInUse: readonly SeatsInUse[],
): SalesResponse['places'] {
  return listSeatPools(event.quotas).map(({ id, max, quota }) => {
    const field = event.fields.find((field) => field.id === quota.eachOptionOf)
    const option = field?.options?.find((candidate) => `${quota.id}.${candidate.id}` === id)
    return {
      id,
      label:
        field === undefined || option === undefined
          ? getQuotaLabel(event, quota)
          : `${field.label}: ${option.label}`,
      taken: seatsInUse.find(({ quotaKey }) => quotaKey === id)?.taken ?? 0,
      max,
    }
  })
}

/**
 * Returns a quota's label. Quotas have no label of their own, so the result is the label of the only item that the
 * quota counts, or its id written as words.
 */
function getQuotaLabel({ fees, quotas }: EventConfig, { id, count, withDelegate }: Quota): string {
  const [item, ...others] = fees.items.filter(
    ({ count: itemCount }) => itemCount?.field === count && itemCount?.where === undefined,
  )
  const isOnlyQuota = quotas.filter((quota) => quota.count === count).length === 1
  const isItem = count !== undefined && withDelegate !== true && isOnlyQuota && others.length === 0
  return item === undefined || !isItem
    ? formatIdAsWords(id)
    : buildColumnHeading(item.id, item.label)
}
