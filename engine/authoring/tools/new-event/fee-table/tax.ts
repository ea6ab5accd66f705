/** Recognises columns of tax and totals next to the fees: "Fee | GST 18% | Total". */
import type { Currency } from '../../../../lib/money.ts'
import { readPrice } from '../prices.ts'

const TAX_HEADING = /^[^a-z]*(?:[csi]?gst|tax)(?: amount)?[^a-z]*$/i
const TOTAL_HEADING =
  /^[^a-z]*(?:(?:grand|net) )?total(?: (?:amount|fees?|payable))*[^a-z]*(?:incl\w*\.? (?:of )?(?:gst|tax(?:es)?))?[^a-z]*$/i
/** Matches "Fee + 18% GST", "With GST", "incl. of taxes": a total if another column is without tax. */
const WITH_TAX_HEADING =
  /(?:\+|\bplus\b|\bwith\b|\bincl\w*\.?(?: of)?) *(?:\d+ *% *)?(?:[csi]?gst|tax(?:es)?)\b/i
/** The tolerance, because prices may be rounded to a rupee. */
const ROUNDING = 100

type Cells = readonly (readonly string[])[]

/**
 * Returns the columns of fees, without those of tax and totals. `unclear` contains the headings of tax and total
 * columns whose amounts are not the tax at that rate or the sum, and is null if there are none.
 */
export function dropTaxColumns(
  headRows: Cells,
  priceRows: Cells,
  prices: readonly number[],
  currency: Currency,
  percent: number,
): {
  readonly prices: readonly number[]
  readonly isOnTop: boolean
  readonly unclear: string | null
} {
  const getHeading = (column: number): string =>
    headRows.map((row) => row[column] ?? '').findLast((cell) => cell !== '') ?? ''
  const isTax = (column: number): boolean => TAX_HEADING.test(getHeading(column))
  const includesTax = (column: number): boolean => WITH_TAX_HEADING.test(getHeading(column))
  const isSum = (column: number): boolean => TOTAL_HEADING.test(getHeading(column))
  const hasUntaxedColumn = prices.some(
    (column) => !isTax(column) && !isSum(column) && !includesTax(column),
  )
  const isTotal = (column: number): boolean =>
    isSum(column) || (hasUntaxedColumn && includesTax(column))
  const taxColumns = prices.filter(isTax)
  const fees = prices.filter((column) => !isTax(column) && !isTotal(column))
  const taxAndTotals = prices.filter((column) => !fees.includes(column))
  if (taxAndTotals.length === 0 || fees.length === 0)
    return { prices, isOnTop: false, unclear: null }
  const readAmountAt = (row: readonly string[], column: number): number =>
    readPrice(row[column] ?? '', currency) ?? 0
  const isConsistent = (column: number): boolean => {
    const fee = fees.findLast((other) => other < column)
    return (
      fee !== undefined &&
      priceRows.every((row) => {
        const feeAmount = readAmountAt(row, fee)
        const expected = (feeAmount * (isTax(column) ? percent : 100 + percent)) / 100
        return Math.abs(readAmountAt(row, column) - expected) <= ROUNDING
      })
    )
  }
  if (taxAndTotals.every(isConsistent)) return { prices: fees, isOnTop: true, unclear: null }
  // "Total" may be the name of the only price column.
  return taxColumns.length === 0
    ? { prices, isOnTop: false, unclear: null }
    : {
        prices: fees,
        isOnTop: false,
        unclear: [...new Set(taxAndTotals.map(getHeading))].join(', '),
      }
}
