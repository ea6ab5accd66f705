/** What a registration costs, when it is open, and the tariff. The server's clock decides; a browser's quote is a preview. */
import type {
  Answers,
  Category,
  Day,
  Fees,
  Instant,
  Period,
  PublicEvent,
  Quote,
  QuoteRefusal,
  Result,
} from './config.ts'
import type { TariffAnswer } from './wire.ts'
import { categoryOf } from './category.ts'
import { rupees, split, type Split } from './money.ts'
import { err, fromPairs, ok, own } from './outcome.ts'
import { addDays, dayOf, formatDay, isoIndia } from './time.ts'

/** The first listed period that holds the day, else the one for other dates; null: closed on that day. */
export function periodOn(fees: Fees, on: Day): Period | null {
  const holdsDay = ({ from, to }: Period): boolean =>
    (from === undefined || from <= on) && (to === undefined || on <= to)
  return (
    fees.periods.find(holdsDay) ??
    fees.periods.find((period) => period.id === fees.otherDates) ??
    null
  )
}

/** Whether one can register on that day; if not, the event's own words, else ours. An event without periods has no day of which this could close it. */
export function openOn(
  event: PublicEvent,
  on: Day,
): { readonly open: true } | { readonly open: false; readonly text: string } {
  const { opens, closes } = event.registration
  const closed = (text: string) => ({ open: false, text: event.closed?.text ?? text }) as const
  if (event.status === 'closed') return closed('Registration is closed.')
  if (opens !== undefined && on < opens) return closed(`Registration opens on ${formatDay(opens)}.`)
  if (closes !== undefined && on > closes)
    return closed(`Registration closed on ${formatDay(closes)}.`)
  if (event.fees.periods.length > 0 && periodOn(event.fees, on) === null)
    return closed('Registration is closed.')
  return { open: true }
}

/** What one category costs in one period; null: not on sale then, or there is no such price. */
export function quoteFor(event: PublicEvent, category: string, period: string): Split | null {
  const row = own(event.fees.prices ?? {}, category)
  const price = row === undefined ? undefined : own(row, period)
  return price === undefined || price === null ? null : split(event.fees.tax, price)
}

/** What these answers cost at that instant, by the Indian day. An event without prices has nothing on sale: ask `statesPrices` first. */
export function quote(
  event: PublicEvent,
  answers: Answers,
  at: Instant,
): Result<Quote, QuoteRefusal> {
  const on = dayOf(at)
  const opening = openOn(event, on)
  if (!opening.open) return err({ code: 'registration_closed', text: opening.text })
  const category = categoryOf(event, answers)
  if (category === null) return err({ code: 'no_category' })
  const period = periodOn(event.fees, on)?.id ?? ''
  const price = quoteFor(event, category, period)
  return price === null
    ? err({ code: 'not_on_sale', category, period })
    : ok({ category, period, ...price })
}

/** False for an event that registers without any price. */
export function statesPrices(event: PublicEvent): boolean {
  return event.fees.prices !== null
}

export type PriceRow = {
  readonly category: Category
  readonly cells: readonly { readonly period: Period; readonly price: Split | null }[]
}

/** Every category in every period, in the file's order. Empty when the event states no prices. */
export function priceTable(event: PublicEvent): readonly PriceRow[] {
  if (event.fees.prices === null) return []
  return event.categories.map((category) => ({
    category,
    cells: event.fees.periods.map((period) => ({
      period,
      price: quoteFor(event, category.id, period.id),
    })),
  }))
}

/** The whole tariff as the wire has it: all three shapes that readers of the specification expect. */
export function tariff(event: PublicEvent, at: Instant): TariffAnswer {
  const on = dayOf(at)
  const opening = openOn(event, on)
  const period = periodOn(event.fees, on)
  const prices = event.fees.prices ?? {}
  return {
    status: 'success',
    now: isoIndia(at),
    open: opening.open,
    closed_text: opening.open ? null : opening.text,
    current_period: period?.id ?? null,
    until: opening.open && period !== null ? lastDayOf(event, on) : null,
    tariff_data: fromPairs(
      Object.entries(prices).map(([category, row]) => [
        category,
        fromPairs(
          Object.entries(row).map(([id, price]) => [
            id,
            { price: price === null ? null : rupees(price) },
          ]),
        ),
      ]),
    ),
    pricing: fromPairs(
      Object.keys(prices).flatMap((category) => {
        const price = opening.open && period !== null ? quoteFor(event, category, period.id) : null
        return price === null
          ? []
          : [
              [
                category,
                { base: rupees(price.base), gst: rupees(price.gst), total: rupees(price.total) },
              ] as const,
            ]
      }),
    ),
  }
}

/** The last day from `on` on which the same period counts and one can register; null: no end in sight. */
function lastDayOf(event: PublicEvent, on: Day): Day | null {
  const { periods } = event.fees
  const { closes } = event.registration
  const here = periodOn(event.fees, on)?.id
  const changes = periods
    .flatMap(({ from, to }) => [
      ...(from === undefined ? [] : [from]),
      ...(to === undefined ? [] : [addDays(to, 1)]),
    ])
    .concat(closes === undefined ? [] : [addDays(closes, 1)])
    .filter(
      (edge) =>
        edge > on &&
        (periodOn(event.fees, edge)?.id !== here || (closes !== undefined && edge > closes)),
    )
    .sort()
  return changes[0] === undefined ? null : addDays(changes[0], -1)
}
