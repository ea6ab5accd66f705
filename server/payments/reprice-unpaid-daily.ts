/** Changes unpaid registrations to the price of today where the credit date sets the price. */
import { instant, startOfDay } from '../../engine/index.ts'
import type { EventConfig } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { byItself } from '../ops/clock.ts'
import type { ByItself } from '../ops/clock.ts'
import { quoteOnCredit, waysPricedOnCredit } from './price-on-credit-date.ts'

/** A new period begins at midnight: lists and pages follow within a minute. */
const TICK_MS = 60_000

type PricingDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log'>

/** `works` false: nothing changes unless `run` is called. `run` returns the number of registrations changed. */
export function openPricing(
  deps: PricingDeps,
  { works }: { readonly works: boolean } = { works: true },
): ByItself {
  const run = async (): Promise<number> => {
    let changed = 0
    for (const { config } of deps.events.all()) changed += await priceEvent(deps, config)
    return changed
  }
  return byItself(run, works, TICK_MS, (error) =>
    deps.log.error(
      { error: String(error) },
      'changing unpaid registrations to the price of today failed',
    ),
  )
}

async function priceEvent(
  { store, clock }: Pick<PricingDeps, 'store' | 'clock'>,
  event: EventConfig,
): Promise<number> {
  const ways = waysPricedOnCredit(event)
  if (ways.length === 0) return 0
  const at = clock()
  const prices = (await store.awaited(event.id, ways)).flatMap(({ regNo, due, told, priced }) => {
    if (priced === null || priced.isInReview) return []
    // A reported payment is confirmed at the price of the day that its delegate reported.
    const day = told?.day ?? null
    const quote = quoteOnCredit(event, priced, day === null ? at : instant(startOfDay(day)))
    return quote === null || quote.total === due ? [] : [{ regNo, ways, quote }]
  })
  return prices.length === 0 ? 0 : store.priceOfDay(prices, at)
}
