/** Compiles the cancellation refund steps of an event file. */
import type { Cancellation, RefundTerms } from '../../event/approval-and-cancellation-types.ts'
import { readCurrency, type Currency } from '../../lib/money.ts'
import { fromPairs } from '../../lib/result.ts'
import { day } from '../../lib/time.ts'
import { asList, asMap, readFileAmount, asText, type PlainMap } from './read-checked-values.ts'

const NO_REFUND = 'none'

/** Reads a whole percentage; the schema accepts only "75%" and none. */
function readRefundPercent(written: unknown): number {
  return written === undefined || written === NO_REFUND
    ? 0
    : Number(asText(written).replace('%', ''))
}

/** Compiles the steps in the order of the file. A check reports a wrong order, so such a file is never served. */
export function toCancellation(plain: PlainMap, currency: Currency): Cancellation {
  const steps = asList(plain.steps).map(asMap)
  const lastStep = steps.find(({ otherwise }) => otherwise !== undefined)
  return {
    steps: steps.flatMap((step) =>
      step.until === undefined
        ? []
        : [{ until: day(asText(step.until)), ...toRefundTerms(plain, step, currency) }],
    ),
    otherwise: toRefundTerms(plain, lastStep ?? {}, currency),
  }
}

/** Reads a step. The scale's `charge` and `without_tax` apply unless the step has its own. */
export function toRefundTerms(scale: PlainMap, step: PlainMap, currency: Currency): RefundTerms {
  const percent = readRefundPercent(step.otherwise ?? step.refund)
  const charge = readCharge(step.charge ?? scale.charge, currency)
  const isWithoutTax = (step.without_tax ?? scale.without_tax) === true
  // Without a refund, there is nothing to deduct from.
  return percent === 0
    ? { percent }
    : {
        percent,
        ...(isWithoutTax && { withoutTax: true as const }),
        ...(charge !== null && { charge }),
      }
}

function readCharge(
  written: unknown,
  currency: Currency,
): NonNullable<RefundTerms['charge']> | null {
  if (written === undefined || written === 0) return null
  if (typeof written === 'number') return { [currency]: readFileAmount(written, currency) }
  return fromPairs(
    Object.entries(asMap(written)).map(([code, amount]) => [
      code,
      readFileAmount(amount, readCurrency(code) ?? currency),
    ]),
  )
}
