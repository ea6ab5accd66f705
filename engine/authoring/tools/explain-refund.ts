/** Explains the refund for a cancellation on the day of the quote: percentage, tax and charge. */
import type { EventConfig } from '../../event/config.ts'
import type { Cancellation, RefundTerms } from '../../event/approval-and-cancellation-types.ts'
import { formatPlainAmount, formatMoney, formatPrice, type Currency } from '../../lib/money.ts'
import { getOwn } from '../../lib/result.ts'
import type { Day } from '../../lib/time.ts'
import type { Quote } from '../../pricing/quote.ts'
import { findRefundTerms, computeRefundOfPrice } from '../../registration/cancellation-refund.ts'
import { removeUndefined, type Block, type DisplayedValue } from './show-conditions.ts'

/** Returns one row, or none if the file has no refund scale or the price is zero. */
export function formatRefund(
  { cancellation, fees }: EventConfig,
  quote: Quote,
  day: Day,
): readonly (readonly [string, string])[] {
  if (cancellation === null || quote.total === 0) return []
  const terms = findRefundTerms(cancellation, day)
  if (terms.percent === 0) return [['refund', 'none, if cancelled on this day']]
  const { currency } = quote
  const refund = computeRefundOfPrice(terms, quote)
  const charge = terms.charge === undefined ? undefined : getOwn(terms.charge, currency)
  const price =
    terms.withoutTax === true
      ? `${formatMoney(quote.base, currency)}, without ${fees.tax?.name ?? 'tax'}`
      : formatMoney(quote.total, currency)
  const lessCharge = charge === undefined ? '' : `, less ${formatMoney(charge, currency)}`
  return [
    [
      'refund',
      `${refund === null ? `unknown (the file states no cancellation charge in ${currency})` : formatPrice(refund, currency)}, if cancelled on this day: ${terms.percent}% of ${price}${lessCharge}`,
    ],
  ]
}

/** Converts the refund scale to the notation of event files, with the terms of each step. */
export function showCancellation(
  cancellation: Cancellation | null,
  currency: Currency,
): Block | undefined {
  return cancellation === null
    ? undefined
    : {
        steps: [
          ...cancellation.steps.map((step) =>
            removeUndefined({
              until: step.until,
              refund: showPercent(step),
              ...showTerms(step, currency),
            }),
          ),
          removeUndefined({
            otherwise: showPercent(cancellation.otherwise),
            ...showTerms(cancellation.otherwise, currency),
          }),
        ],
      }
}

const showPercent = ({ percent }: RefundTerms): string => (percent === 0 ? 'none' : `${percent}%`)

function showTerms(
  { withoutTax, charge }: RefundTerms,
  currency: Currency,
): Record<string, DisplayedValue> {
  const amounts = Object.entries(charge ?? {}).map(
    ([code, amount]) => [code, Number(formatPlainAmount(amount, code as Currency))] as const,
  )
  const [first] = amounts
  return {
    without_tax: withoutTax,
    charge:
      first === undefined
        ? undefined
        : amounts.length === 1 && first[0] === currency
          ? first[1]
          : Object.fromEntries(amounts),
  }
}
