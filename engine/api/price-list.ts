/** API type of the price list, in major units of the event's currency. */
import type { PublicEvent } from '../event/config.ts'
import { toMajorUnits, type Amount } from '../lib/money.ts'
import { fromPairs } from '../lib/result.ts'
import { dayOf, formatIsoIndia, type Instant } from '../lib/time.ts'
import { getLastDayOfPrice, checkRegistrationOpen, findPeriodOn } from '../pricing/price-periods.ts'
import { buildPublicAvailability } from '../pricing/quotas.ts'
import { getCurrency } from '../rules/category.ts'
import { quoteCategory } from '../pricing/quote.ts'

/** GET of the event's tariff path. The response is the same for every alias. */
export type TariffResponse = {
  status: 'success'
  /** The server's time, ISO 8601 with +05:30. */
  now: string
  /** Whether registration is open now, with the text to show if not. */
  open: boolean
  closed_text: string | null
  /** Null if no period contains the date. */
  current_period: string | null
  /** The last day, in Indian time, on which today's prices apply. Null if no end is set. */
  until: string | null
  tariff_data: Record<string, Record<string, { price: number | null }>>
  /** Today's price per category; a category not on sale today is absent. */
  pricing: Record<string, { base: number; gst: number; total: number }>
  /** By quota id or `quota.option`: the number of seats left if the event shows it; 0 if there are none. */
  left?: Record<string, number>
}

/** GET /api/events/{id}/availability/: the form data that changes with each registration. */
export type AvailabilityResponse = {
  status: 'success'
  /** As in the tariff. */
  left: Record<string, number>
}

/**
 * Returns the complete tariff in the three formats that clients of the specification expect. `left` gives the number of
 * seats left in each quota. A quota that is absent from `left` has seats left.
 */
export function buildTariff(
  event: PublicEvent,
  at: Instant,
  left: Readonly<Record<string, number>> = {},
): TariffResponse {
  const today = dayOf(at)
  const opening = checkRegistrationOpen(event, today)
  const period = findPeriodOn(event.fees, today)
  const prices = event.fees.prices ?? {}
  const convertToMajorUnits = (amount: Amount, category: string): number =>
    toMajorUnits(amount, getCurrency(event, category))
  return {
    status: 'success',
    now: formatIsoIndia(at),
    open: opening.open,
    closed_text: opening.open ? null : opening.text,
    current_period: period?.id ?? null,
    until: opening.open && period !== null ? getLastDayOfPrice(event, today) : null,
    tariff_data: fromPairs(
      Object.entries(prices).map(([category, row]) => [
        category,
        fromPairs(
          Object.entries(row).map(([id, price]) => [
            id,
            { price: price === null ? null : convertToMajorUnits(price, category) },
          ]),
        ),
      ]),
    ),
    pricing: fromPairs(
      Object.keys(prices).flatMap((category) => {
        const ownPeriod = findPeriodOn(event.fees, today, category)
        const price =
          opening.open && ownPeriod !== null
            ? quoteCategory(event, category, ownPeriod.id, today)
            : null
        return price === null
          ? []
          : [
              [
                category,
                {
                  base: convertToMajorUnits(price.base, category),
                  gst: convertToMajorUnits(price.gst, category),
                  total: convertToMajorUnits(price.total, category),
                },
              ] as const,
            ]
      }),
    ),
    left: buildPublicAvailability(event.quotas, left),
  }
}
