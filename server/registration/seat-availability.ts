/** Checks whether the requested seats are free, and whether the delegate accepted the alternative. */
import { findCategory, firstFull, addContext, getOwn, requiredSeats } from '../../engine/index.ts'
import type { Answers, EventConfig, PricingContext, Instant } from '../../engine/index.ts'
import { priceOf } from './create-registration.ts'
import type { Priced } from './create-registration.ts'
import { compareSent } from './compare-displayed-price.ts'

/** `instead`: the alternative that can be registered; null: none is offered, or it is not available either. */
export type Full = {
  readonly place: string
  readonly wanted: Priced
  readonly instead: Priced | null
}

/** Null: all seats are free. `answers`: with the context added. */
export function whatIsFull(
  event: EventConfig,
  answers: Answers,
  facts: PricingContext,
  at: Instant,
): Full | null {
  const isGone = (place: string): boolean => (getOwn(facts.left, place) ?? 1) <= 0
  if (!Object.keys(facts.left).some(isGone)) return null
  const asked = addContext(event, answers, { ...facts, left: {} })
  const first = priceOf(event, asked, at)
  const wanted = first.ok ? first.value : { category: findCategory(event, asked), quote: null }
  const place = requiredSeats(event.quotas, asked, wanted.category).find(({ id }) => isGone(id))
  const now = priceOf(event, answers, at)
  const still = firstFull(event.quotas, answers, findCategory(event, answers))
  if (still !== null) return { place: still.id, wanted, instead: null }
  if (place === undefined) return null
  return { place: place.id, wanted, instead: now.ok ? now.value : null }
}

/** Returns true if the delegate accepted exactly the offered alternative, not merely the same price. */
export function agrees(
  event: EventConfig,
  sent: Readonly<Record<string, unknown>>,
  { wanted, instead }: Full,
): boolean {
  if (instead === null) return false
  const compared = compareSent(event, sent, instead.category, instead.quote)
  if (compared.is !== 'same') return false
  const isOtherTotal = instead.quote?.total !== wanted.quote?.total
  return compared.said.has('category') || (isOtherTotal && compared.said.has('total'))
}
