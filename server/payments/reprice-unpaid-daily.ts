/** Changes unpaid registrations to today's price if the credit date sets the price. */
import { instant, listMethodsPricedOnCredit, startOfDay } from '../../engine/index.ts'
import type { EventConfig } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { createPeriodicJob } from '../ops/clock.ts'
import type { PeriodicJob } from '../ops/clock.ts'
import { quoteOnCredit } from './price-on-credit-date.ts'

/** A new period begins at midnight. With this interval, lists and pages show its price within a minute. */
const CHECK_INTERVAL_MS = 60_000

type PricingDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log'>

/**
 * Starts the daily repricing. If it is disabled, prices change only when `run` is called. `run` returns the number of
 * registrations changed.
 */
export function startPriceUpdates(
  deps: PricingDeps,
  { isEnabled }: { readonly isEnabled: boolean } = { isEnabled: true },
): PeriodicJob {
  const run = async (): Promise<number> => {
    let changedCount = 0
    for (const { config } of deps.events.all()) changedCount += await repriceEvent(deps, config)
    return changedCount
  }
  return createPeriodicJob(run, isEnabled, CHECK_INTERVAL_MS, (error) =>
    deps.log.error(
      { error: String(error) },
      'changing unpaid registrations to today’s price failed',
    ),
  )
}

async function repriceEvent(
  { store, clock }: Pick<PricingDeps, 'store' | 'clock'>,
  event: EventConfig,
): Promise<number> {
  const methodIds = listMethodsPricedOnCredit(event)
  if (methodIds.length === 0) return 0
  const at = clock()
  const prices = (await store.expectedPayments(event.id, methodIds)).flatMap(
    ({ regNo, due, claim, priced: registration }) => {
      if (registration === null || registration.isInReview) return []
      // A reported payment is confirmed at the price on the date that the delegate stated.
      const day = claim?.day ?? null
      const quote = quoteOnCredit(event, registration, day === null ? at : instant(startOfDay(day)))
      return quote === null || quote.total === due ? [] : [{ regNo, methods: methodIds, quote }]
    },
  )
  return prices.length === 0 ? 0 : store.repriceByCreditDate(prices, at)
}
