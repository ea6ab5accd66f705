/** What goes back of a payment when a registration is cancelled, from the steps as the file writes them. */
import type { Cancellation } from '../../event/registration-types.ts'
import { day } from '../../lib/time.ts'
import { list, map, text, type Plain } from './plain-values.ts'

const NOTHING = 'none'

/** Whole percent; "75%" and none are what the shape lets through. */
export function percentOfRefund(written: unknown): number {
  return written === undefined || written === NOTHING ? 0 : Number(text(written).replace('%', ''))
}

/** Each mistake of order is found by a check, and such a file is never served. */
export function toCancellation(plain: Plain): Cancellation {
  const steps = list(plain.steps).map(map)
  const last = steps.find(({ otherwise }) => otherwise !== undefined)
  return {
    steps: steps.flatMap(({ to, refund }) =>
      to === undefined ? [] : [{ to: day(text(to)), percent: percentOfRefund(refund) }],
    ),
    otherwise: percentOfRefund(last?.otherwise),
  }
}
