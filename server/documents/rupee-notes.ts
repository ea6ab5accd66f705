/** States a document's value in rupees, below its amounts in another currency. */
import { formatDay, formatMoney, INR } from '../../engine/index.ts'
import type { Amount, DocumentBody } from '../../engine/index.ts'
import { DOCUMENT_MESSAGES as text, formatMessage } from '../../engine/messages.ts'

export type Pair = readonly [name: string, value: string]

/**
 * Returns the notes that rule 34 of the CGST Rules requires: the value in rupees, and the rate at the time of supply.
 */
export function buildRupeeNotes({
  rupees,
  currency = INR,
  byRate = [],
}: DocumentBody): readonly Pair[] {
  if (rupees === undefined) return []
  const secondTaxName = byRate.find(({ isInterState }) => !isInterState)?.second ?? text.sgst
  const parts: readonly (readonly [string, Amount])[] = [
    [text.columns.taxableValue, rupees.taxable],
    [text.cgst, rupees.cgst],
    [secondTaxName, rupees.sgst],
    [text.igst, rupees.igst],
    [text.roundOff, rupees.roundOff],
    [text.untaxedItems, rupees.untaxed],
    [text.total, rupees.total],
  ]
  return [
    [
      text.rupeeValue,
      parts
        .filter(([name, amount]) => amount !== 0 || name === text.total)
        .map(([name, amount]) => `${name} ${formatMoney(amount, INR)}`)
        .join(', '),
    ],
    [
      text.exchangeRate,
      formatMessage(text.exchangeRateOf, {
        currency,
        rate: rupees.rate,
        day: formatDay(rupees.day),
        source: rupees.source,
      }),
    ],
  ]
}
