/** What of a payment goes back when a registration is cancelled: the scale that the event file states. */
import { paise, type Paise } from './money.ts'
import { dayOf, type Day, type Instant } from './time.ts'

export type Cancellation = {
  /** By the day until which each counts, included; the earliest first. Whole percent of what was paid. */
  readonly steps: readonly { readonly to: Day; readonly percent: number }[]
  /** After the last of those days. */
  readonly otherwise: number
}

/** Whole percent of what was paid that goes back for a cancellation on that day. */
export function percentBack({ steps, otherwise }: Cancellation, on: Day): number {
  return steps.find(({ to }) => on <= to)?.percent ?? otherwise
}

/** What the scale proposes of what was paid and is still there; null: the file has no scale. */
export function proposedBack(
  cancellation: Cancellation | null,
  kept: Paise,
  at: Instant,
): Paise | null {
  if (cancellation === null) return null
  // Half a paisa is rounded up, for the delegate.
  return paise(Math.floor((kept * percentBack(cancellation, dayOf(at)) + 50) / 100))
}
