/**
 * Quotes the price of a registration and lists the tariff.
 *
 * The server's clock determines the price. A quote in the browser is a preview.
 */
import type { Category, PublicEvent } from '../event/config.ts'
import type { Answers } from '../event/answer-types.ts'
import type { Period } from '../event/pricing-types.ts'
import { calculateBill, sumLines } from './bill.ts'
import { getCurrency, findCategory } from '../rules/category.ts'
import type { Line } from './bill-lines.ts'
import { type Currency, type Amount } from '../lib/money.ts'
import { splitPrice, type Split } from './line-tax-and-rounding.ts'
import { chooseTax } from './tax-rules.ts'
import { err, ok, getOwn, type Result } from '../lib/result.ts'
import {
  checkRegistrationOpen,
  findGroupOfCategory,
  findPeriodOn,
  listPeriodsOfCategory,
} from './price-periods.ts'
import { dayOf, type Day, type Instant } from '../lib/time.ts'

/** The price of given answers at an instant: the sums of the lines. base + gst = total, exactly. */
export type Quote = {
  readonly category: string
  readonly period: string
  readonly base: Amount
  readonly gst: Amount
  readonly total: Amount
  readonly currency: Currency
  readonly lines: readonly Line[]
}
export type QuoteRefusal =
  | { readonly code: 'no_category' }
  | { readonly code: 'registration_closed'; readonly text: string }
  | {
      readonly code: 'not_on_sale'
      readonly category: string
      readonly period: string
      /** The item that is not on sale. Null for the registration. */
      readonly item: string | null
      readonly option: string | null
    }

/**
 * Returns the price of one category in one period; null if it is not on sale or has no price. `on`: the date that
 * determines the tax; by default the first known day of the period. `answers`: the answers that taxes may depend on,
 * if known.
 */
export function quoteCategory(
  event: PublicEvent,
  category: string,
  period: string,
  on: Day | null = null,
  answers: Answers | null = null,
): Split | null {
  const row = getOwn(event.fees.prices ?? {}, category)
  const price = row === undefined ? undefined : getOwn(row, period)
  if (price === undefined || price === null) return null
  const knownPeriod = listPeriodsOfCategory(event.fees, category).find(({ id }) => id === period)
  const day = on ?? getFirstDayOfPeriod(event, knownPeriod)
  return splitPrice(chooseTax(event.fees, null, answers, category, day).tax, price)
}

/** Returns the first known day of a period. */
const getFirstDayOfPeriod = (event: Pick<PublicEvent, 'from'>, period: Period | undefined): Day =>
  period?.from ?? period?.to ?? event.from

/**
 * Quotes the price for answers at an instant, using its date in India. `answers` are normalised and include the
 * context. An event without prices has nothing on sale, so check `hasPrices` first.
 */
export function quote(
  event: PublicEvent,
  answers: Answers,
  at: Instant,
): Result<Quote, QuoteRefusal> {
  return quoteWithCategory(event, answers, findCategory(event, answers), at)
}

/**
 * Returns the quote of these answers in this category at an instant; an error if `category` is
 * null.
 */
export function quoteWithCategory(
  event: PublicEvent,
  answers: Answers,
  category: string | null,
  at: Instant,
): Result<Quote, QuoteRefusal> {
  const on = dayOf(at)
  const opening = checkRegistrationOpen(event, on)
  if (!opening.open) return err({ code: 'registration_closed', text: opening.text })
  return quoteInPeriod(
    event,
    answers,
    category,
    findPeriodOn(event.fees, on, category)?.id ?? '',
    on,
  )
}

/** Quotes an existing registration in a period, regardless of whether registration is open. */
export function quoteInPeriod(
  event: PublicEvent,
  answers: Answers,
  category: string | null,
  period: string,
  on: Day,
): Result<Quote, QuoteRefusal> {
  if (category === null) return err({ code: 'no_category' })
  const lines = calculateBill(event, answers, category, period, on)
  return lines.ok
    ? ok({
        category,
        period,
        ...sumLines(lines.value),
        currency: getCurrency(event, category),
        lines: lines.value,
      })
    : err({ code: 'not_on_sale', ...lines.error })
}

/** Returns false for an event without prices. */
export function hasPrices(event: PublicEvent): boolean {
  return event.fees.prices !== null
}

export type PriceRow = {
  readonly category: Category
  readonly cells: readonly {
    readonly period: Period
    /** The date that determines the tax of the price. */
    readonly on: Day
    readonly price: Split | null
  }[]
}

/**
 * Lists every category with a price for each of its periods, in the file's order. Empty for an
 * event without prices.
 */
export function buildPriceTable(event: PublicEvent): readonly PriceRow[] {
  if (event.fees.prices === null) return []
  return event.categories.map((category) => ({
    category,
    cells: listPeriodsOfCategory(event.fees, category.id).map((period) => ({
      period,
      on: getFirstDayOfPeriod(event, period),
      price: quoteCategory(event, category.id, period.id),
    })),
  }))
}

/** Rows with the same periods: the event's, or a group's. The group's label is the heading. */
export type PriceTableOfGroup = {
  readonly label: string | null
  readonly periods: readonly Period[]
  readonly rows: readonly PriceRow[]
}

/**
 * Lists the price tables: the event's, then one per group. Tables without categories are omitted.
 */
export function buildPriceTables(event: PublicEvent): readonly PriceTableOfGroup[] {
  const rows = buildPriceTable(event)
  const { groups = [] } = event.fees
  return [
    { label: null, periods: event.fees.periods, group: undefined },
    ...groups.map((group) => ({ label: group.label, periods: group.periods, group })),
  ].flatMap(({ label, periods, group }) => {
    const groupRows = rows.filter(
      ({ category }) => findGroupOfCategory(event.fees, category.id) === group,
    )
    return groupRows.length === 0 ? [] : [{ label, periods, rows: groupRows }]
  })
}
