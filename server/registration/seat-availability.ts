/** Checks whether the requested seats are free, and whether the delegate accepted the alternative. */
import {
  findCategory,
  findFirstFull,
  addContext,
  getOwn,
  listRequiredSeats,
} from '../../engine/index.ts'
import type {
  Answers,
  EventConfig,
  PricingContext,
  Instant,
  Quote,
  SeatPool,
} from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { readSeatsLeft } from './look-up-pricing-context.ts'
import { calculatePrice } from './compare-displayed-price.ts'
import type { Pricing } from './compare-displayed-price.ts'
import { compareDisplayedPrice } from './compare-displayed-price.ts'

/** `alternative` is the category offered instead; null if nothing is offered or it is not available either. */
export type FullSeat = {
  readonly seat: SeatPool
  readonly requested: Pricing
  readonly alternative: Pricing | null
}

/** Returns the first requested kind of seat that is full. Null if all are free. `answers` includes the context. */
export function findFullSeat(
  event: EventConfig,
  answers: Answers,
  context: PricingContext,
  at: Instant,
): FullSeat | null {
  const { left } = context
  const hasSeats = Object.values(left).every((count) => count > 0)
  if (hasSeats && event.quotas.every(({ count }) => count === undefined)) return null
  const answersIfFree = addContext(event, answers, { ...context, left: {} })
  const priceIfFree = calculatePrice(event, answersIfFree, at)
  const requested = priceIfFree.ok
    ? priceIfFree.value
    : { category: findCategory(event, answersIfFree), quote: null }
  const fullSeat = findFirstFull(event.quotas, answersIfFree, requested.category, left)
  const stillFull = findFirstFull(event.quotas, answers, findCategory(event, answers), left)
  if (stillFull !== null) return { seat: stillFull, requested, alternative: null }
  if (fullSeat === null) return null
  const currentPrice = calculatePrice(event, answers, at)
  return {
    seat: fullSeat,
    requested,
    alternative: currentPrice.ok ? currentPrice.value : null,
  }
}

/** `quote` is the price in the category that is offered instead; null if nothing is offered. */
export type FullSeatDetails = {
  readonly quote: Quote | null
  /** The number of seats requested, and the number left (`left`). */
  readonly quantity: number
  readonly left: number
}

export const describeFullSeat = (
  { seat, alternative }: FullSeat,
  left: PricingContext['left'],
): FullSeatDetails => ({
  quote: alternative?.quote ?? null,
  quantity: seat.quantity,
  left: Math.max(0, getOwn(left, seat.id) ?? 0),
})

/** Describes the full kind of seat if a concurrent request took the seats before the registration was stored. */
export async function describeTakenSeat(
  deps: Pick<Deps, 'store'>,
  event: EventConfig,
  request: {
    readonly place: string
    readonly answers: Answers
    readonly category: string | null
    readonly context: PricingContext
  },
  at: Instant,
): Promise<FullSeatDetails> {
  const { place, answers, category, context } = request
  const { quantity = 1 } =
    listRequiredSeats(event.quotas, answers, category).find(({ id }) => id === place) ?? {}
  const leftNow = quantity === 1 ? {} : await readSeatsLeft(deps, event, at)
  const left = Math.max(0, Math.min(getOwn(leftNow, place) ?? 0, quantity - 1))
  const fullContext = { ...context, left: { ...context.left, [place]: left } }
  const takenSeat = findFullSeat(event, addContext(event, answers, fullContext), fullContext, at)
  return { quote: takenSeat?.alternative?.quote ?? null, quantity, left }
}

/** Returns true if the delegate accepted exactly the offered alternative, not merely the same price. */
export function hasAcceptedAlternative(
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
