/** Checks whether the requested seats are free, and whether the delegate accepted the alternative. */
import { findCategory, firstFull, addContext, getOwn, requiredSeats } from '../../engine/index.ts'
import type { Answers, EventConfig, PricingContext, Instant } from '../../engine/index.ts'
import { calculatePrice } from './create-registration.ts'
import type { Pricing } from './create-registration.ts'
import { compareDisplayedPrice } from './compare-displayed-price.ts'

/** `alternative`: what can be registered instead; null if nothing is offered or it is not available either. */
export type FullSeat = {
  readonly seatId: string
  readonly requested: Pricing
  readonly alternative: Pricing | null
}

/** Null if all seats are free. `answers` include the context. */
export function findFullSeat(
  event: EventConfig,
  answers: Answers,
  context: PricingContext,
  at: Instant,
): FullSeat | null {
  const isFull = (seat: string): boolean => (getOwn(context.left, seat) ?? 1) <= 0
  if (!Object.keys(context.left).some(isFull)) return null
  const answersIfFree = addContext(event, answers, { ...context, left: {} })
  const priceIfFree = calculatePrice(event, answersIfFree, at)
  const requested = priceIfFree.ok
    ? priceIfFree.value
    : { category: findCategory(event, answersIfFree), quote: null }
  const fullSeat = requiredSeats(event.quotas, answersIfFree, requested.category).find(({ id }) =>
    isFull(id),
  )
  const currentPrice = calculatePrice(event, answers, at)
  const stillFull = firstFull(event.quotas, answers, findCategory(event, answers))
  if (stillFull !== null) return { seatId: stillFull.id, requested, alternative: null }
  if (fullSeat === undefined) return null
  return {
    seatId: fullSeat.id,
    requested,
    alternative: currentPrice.ok ? currentPrice.value : null,
  }
}

/** Returns true if the delegate accepted exactly the offered alternative, not merely the same price. */
export function acceptsAlternative(
  event: EventConfig,
  sent: Readonly<Record<string, unknown>>,
  { requested, alternative }: FullSeat,
): boolean {
  if (alternative === null) return false
  const comparison = compareDisplayedPrice(event, sent, alternative.category, alternative.quote)
  if (comparison.is !== 'same') return false
  const isOtherTotal = alternative.quote?.total !== requested.quote?.total
  return (
    comparison.sentMeanings.has('category') ||
    (isOtherTotal && comparison.sentMeanings.has('total'))
  )
}
