/** The rows of a bill: lines with quantity × unit price, then the sums, compared with the previous bill. */
import { formatMoney, formatPrice, getLabel, toAmount } from '../../../engine/index.ts'
import { COMMON_MESSAGES, formatMessage } from '../../../engine/messages.ts'
import type { Currency, Amount, PublicEvent, Quote, SummaryLine } from '../../../engine/index.ts'
import type { DetailsRow } from '../details-list.tsx'
import { renderChangedPrice, renderPreviousPrice, buildQuoteRows } from './quote-rows.tsx'

type Line = Quote['lines'][number]

type PricedLines = Pick<Quote, 'lines' | 'currency'>

const getLineKey = (line: Line): string => `${line.id}.${line.option ?? ''}`

/** Returns true if tax is added to any line. Otherwise, prices include tax or are untaxed. */
const isTaxOnTop = (lines: readonly Line[]): boolean =>
  lines.some((line) => line.total !== line.unit * line.quantity && line.base !== line.total)

/**
 * Renders the rows of a bill; used instead of the summary rows. Amounts exclude or include tax like the prices in
 * the event file, so that they add up to the total below. A quote without lines is shown as summary rows.
 */
export function buildBillRows(
  event: PublicEvent,
  quote: Quote,
  summaryLines: readonly SummaryLine[],
  previousQuote?: Quote,
): readonly DetailsRow[] {
  if (quote.lines.length === 0) return buildQuoteRows(event, quote, summaryLines, previousQuote)
  const isTaxAdded = isTaxOnTop(quote.lines)
  const isTaxed = quote.gst !== 0
  const shownAmounts = (['period', 'base', 'gst', 'total'] as const).filter((amountName) => {
    if (amountName === 'total') return true
    if (amountName === 'period') return summaryLines.includes('period')
    return (
      isTaxed && (amountName === 'base' ? isTaxAdded : isTaxAdded || summaryLines.includes('gst'))
    )
  })
  const [period, otherAmounts] = [
    shownAmounts.filter((amountName) => amountName === 'period'),
    shownAmounts.filter((amountName) => amountName !== 'period'),
  ]
  return [
    ...buildQuoteRows(event, quote, period, previousQuote),
    ...buildLineRows(quote, previousQuote),
    ...buildQuoteRows(event, quote, otherAmounts, previousQuote).map((row) => {
      if (row.id === 'base' && quote.lines.length > 1)
        return { ...row, label: getLabel(event, 'sum') }
      return row.id === 'gst' && !isTaxAdded
        ? { ...row, about: COMMON_MESSAGES.payment.taxIncluded }
        : row
    }),
  ]
}

/**
 * Builds only the rows for the bill lines, each with its price as stated in the event file. Previous amounts and
 * removed lines are struck through.
 */
export function buildLineRows(
  { lines, currency }: PricedLines,
  previousBill: PricedLines = { lines: [], currency },
): readonly DetailsRow[] {
  const isTaxAdded = isTaxOnTop(lines)
  const getLineAmount = (line: Line): Amount => (isTaxAdded ? line.base : line.total)
  const previousLines = new Map(previousBill.lines.map((line) => [getLineKey(line), line]))
  const rows = lines.map((line): DetailsRow => {
    const previousLine = previousLines.get(getLineKey(line))
    const currentAmount = formatLinePrice(getLineAmount(line), currency)
    const previousAmount =
      previousLine === undefined
        ? currentAmount
        : formatLinePrice(getLineAmount(previousLine), previousBill.currency)
    return {
      id: getLineKey(line),
      label: line.label,
      about:
        [
          ...(previousLine === undefined || previousLine.label === line.label
            ? []
            : [
                formatMessage(COMMON_MESSAGES.payment.previousLabel, { label: previousLine.label }),
              ]),
          ...formatQuantity(line, getLineAmount(line), currency),
        ].join(', ') || undefined,
      value:
        previousAmount === currentAmount
          ? currentAmount
          : renderChangedPrice(previousAmount, currentAmount),
    }
  })
  const currentKeys = new Set(lines.map(getLineKey))
  const removedLines = [...previousLines.values()]
    .filter((line) => !currentKeys.has(getLineKey(line)))
    .map((line): DetailsRow => ({
      id: `gone.${getLineKey(line)}`,
      label: line.label,
      value: renderPreviousPrice(formatLinePrice(getLineAmount(line), previousBill.currency)),
    }))
  return [...rows, ...removedLines]
}

/**
 * Returns "2 × ₹ 4,000". Empty for a quantity of one. If tax makes the amount differ from that product, returns
 * only the quantity.
 */
function formatQuantity(
  { quantity, unit }: Line,
  amount: Amount,
  currency: Currency,
): readonly string[] {
  if (quantity === 1) return []
  const isProduct = unit * quantity === amount
  return [isProduct ? `${quantity} × ${formatMoney(unit, currency)}` : `× ${quantity}`]
}

const formatLinePrice = (amount: Amount, currency: Currency): string =>
  formatPrice(toAmount(amount), currency)
