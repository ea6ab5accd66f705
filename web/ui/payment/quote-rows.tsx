/** The rows of a quote: total and components, compared with the previous quote. */
import {
  formatMoney,
  formatPrice,
  getLabel,
  getCategoryLabel,
  getPeriodLabel,
} from '../../../engine/index.ts'
import { COMMON_MESSAGES } from '../../../engine/messages.ts'
import type { ReactNode } from 'react'
import type { PublicEvent, Quote, SummaryLine } from '../../../engine/index.ts'
import type { DetailsRow } from '../details-list.tsx'
import { renderHiddenText, renderMessage } from '../rich-message.tsx'

/** Renders a previous price, struck through. */
export function renderPreviousPrice(price: ReactNode): ReactNode {
  return (
    <s>
      {renderMessage(COMMON_MESSAGES.payment.previousPrice, { hidden: renderHiddenText, price })}
    </s>
  )
}

/** Renders a previous price and the new one. */
export function renderChangedPrice(previous: ReactNode, current: ReactNode): ReactNode {
  return (
    <>
      {renderPreviousPrice(previous)}
      {renderMessage(COMMON_MESSAGES.payment.newPrice, {
        hidden: renderHiddenText,
        price: current,
      })}
    </>
  )
}

/**
 * Returns the summary rows with the amounts of a quote. If the price is zero, shows it as "Free" and omits the tax
 * and, if there is a total row, the base price. Amounts of `previousQuote` that differ are struck through.
 */
export function buildQuoteRows(
  event: PublicEvent,
  quote: Quote,
  lines: readonly SummaryLine[],
  previousQuote?: Quote,
): readonly DetailsRow[] {
  const formatLine = (quote: Quote, line: SummaryLine): string => {
    if (line === 'category') return getCategoryLabel(event, quote.category)
    if (line === 'period')
      return getPeriodLabel(event.fees, quote.period, quote.category) ?? quote.period
    return line === 'gst'
      ? formatMoney(quote.gst, quote.currency)
      : formatPrice(quote[line], quote.currency)
  }
  const isFree = quote.total === 0 && (previousQuote === undefined || previousQuote.total === 0)
  const shownLines = lines.filter(
    (line) => !isFree || (line !== 'gst' && (line !== 'base' || !lines.includes('total'))),
  )
  return shownLines.map((line) => {
    const current = formatLine(quote, line)
    const oldText = previousQuote && formatLine(previousQuote, line)
    const value =
      oldText === undefined || oldText === current ? current : renderChangedPrice(oldText, current)
    return { id: line, label: getLabel(event, line, quote.lines), value, isTotal: line === 'total' }
  })
}
