/** Recognises columns of tax and totals beside the fees: "Fee | GST 18% | Total". */
import type { Currency } from '../../../../lib/money.ts'
import { readPrice } from '../prices.ts'

const TAX_HEAD = /^[^a-z]*(?:[csi]?gst|tax)(?: amount)?[^a-z]*$/i
const TOTAL_HEAD =
  /^[^a-z]*(?:(?:grand|net) )?total(?: (?:amount|fees?|payable))*[^a-z]*(?:incl\w*\.? (?:of )?(?:gst|tax(?:es)?))?[^a-z]*$/i
/** Prices may be rounded to a rupee. */
const ROUNDING = 100

type Cells = readonly (readonly string[])[]

/**
 * Returns the columns of fees, without those of tax and totals. `unclear`: the headings of the latter, if they are not
 * the tax at that rate and the sum in each row; otherwise null.
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
  const headOf = (column: number): string =>
    headRows.map((row) => row[column] ?? '').findLast((cell) => cell !== '') ?? ''
  const isTax = (column: number): boolean => TAX_HEAD.test(headOf(column))
  const isTotal = (column: number): boolean => TOTAL_HEAD.test(headOf(column))
  const taxColumns = prices.filter(isTax)
  const fees = prices.filter((column) => !isTax(column) && !isTotal(column))
  const others = prices.filter((column) => !fees.includes(column))
  if (others.length === 0 || fees.length === 0) return { prices, isOnTop: false, unclear: null }
  const amountAt = (row: readonly string[], column: number): number =>
    readPrice(row[column] ?? '', currency) ?? 0
  const isRight = (column: number): boolean => {
    const fee = fees.findLast((other) => other < column)
    return (
      fee !== undefined &&
      priceRows.every((row) => {
        const paid = amountAt(row, fee)
        const expected = (paid * (isTax(column) ? percent : 100 + percent)) / 100
        return Math.abs(amountAt(row, column) - expected) <= ROUNDING
      })
    )
  }
  if (others.every(isRight)) return { prices: fees, isOnTop: true, unclear: null }
  // "Total" alone can be the name of the only price.
  return taxColumns.length === 0
    ? { prices, isOnTop: false, unclear: null }
    : { prices: fees, isOnTop: false, unclear: [...new Set(others.map(headOf))].join(', ') }
}
