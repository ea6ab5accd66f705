/** Compiles the cancellation refund steps of an event file. */
import type { Cancellation } from '../../event/approval-and-cancellation-types.ts'
import { day } from '../../lib/time.ts'
import { list, map, text, type PlainMap } from './read-checked-values.ts'

const NOTHING = 'none'

/** Reads a whole percentage; the schema accepts only "75%" and none. */
export function readRefundPercent(written: unknown): number {
  return written === undefined || written === NOTHING ? 0 : Number(text(written).replace('%', ''))
}

/** Wrong order is reported by a check, and such a file is never served. */
export function toCancellation(plain: PlainMap): Cancellation {
  const steps = list(plain.steps).map(map)
  const last = steps.find(({ otherwise }) => otherwise !== undefined)
  return {
    steps: steps.flatMap(({ until, refund }) =>
      until === undefined ? [] : [{ until: day(text(until)), percent: readRefundPercent(refund) }],
    ),
    otherwise: readRefundPercent(last?.otherwise),
  }
}
