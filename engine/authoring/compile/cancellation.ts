/** Compiles the cancellation refund steps of an event file. */
import type { Cancellation, RefundTerms } from '../../event/approval-and-cancellation-types.ts'
import { readCurrency, type Currency } from '../../lib/money.ts'
import { fromPairs } from '../../lib/result.ts'
import { day } from '../../lib/time.ts'
import { asList, asMap, readFileAmount, asText, type PlainMap } from './read-checked-values.ts'

const NO_REFUND = 'none'

/** Reads a whole percentage. The schema accepts only values such as "75%", and `none`. */
function readRefundPercent(value: unknown): number {
  return value === undefined || value === NO_REFUND ? 0 : Number(asText(value).replace('%', ''))
}

/** Compiles the steps in the order of the file. A check reports a wrong order, so such a file is never served. */
export function toCancellation(cancellationMap: PlainMap, currency: Currency): Cancellation {
  const steps = asList(cancellationMap.steps).map(asMap)
  const lastStep = steps.find(({ otherwise }) => otherwise !== undefined)
  return {
    steps: steps.flatMap((step) =>
      step.until === undefined
        ? []
        : [{ until: day(asText(step.until)), ...toRefundTerms(cancellationMap, step, currency) }],
    ),
    otherwise: toRefundTerms(cancellationMap, lastStep ?? {}, currency),
  }
}

/** Reads a step. The scale's `charge` and `without_tax` apply unless the step has its own. */
export function toRefundTerms(scale: PlainMap, step: PlainMap, currency: Currency): RefundTerms {
  const percent = readRefundPercent(step.otherwise ?? step.refund)
  const charge = readCharge(step.charge ?? scale.charge, currency)
  const excludesTax = (step.without_tax ?? scale.without_tax) === true
  // Without a refund, there is nothing to deduct from.
  return percent === 0
    ? { percent }
    : {
        percent,
        ...(excludesTax && { withoutTax: true as const }),
        ...(charge !== null && { charge }),
      }
}

function readCharge(value: unknown, currency: Currency): NonNullable<RefundTerms['charge']> | null {
  if (value === undefined || value === 0) return null
  if (typeof value === 'number') return { [currency]: readFileAmount(value, currency) }
  return fromPairs(
    Object.entries(asMap(value)).map(([code, amount]) => [
      code,
      readFileAmount(amount, readCurrency(code) ?? currency),
    ]),
  )
}
