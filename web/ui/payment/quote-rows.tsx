/** A quote as rows: what is to be paid and what it is made of, beside what it was before. */
import { formatMoney, formatPrice, labelOf, labelOfCategory } from '../../../engine/index.ts'
import type { PublicEvent, Quote, SummaryLine } from '../../../engine/index.ts'
import type { LedgerRow } from '../details-list.tsx'

/**
 * The lines of the summary that a quote fills. Of a price of nothing the total is said, "Free", and not
 * what it would be made of, unless the total has no line. `before` is struck through where it differs.
 */
export function quoteRows(
  event: PublicEvent,
  quote: Quote,
  lines: readonly SummaryLine[],
  before?: Quote,
): readonly LedgerRow[] {
  const textOf = (one: Quote, line: SummaryLine): string => {
    if (line === 'category') return labelOfCategory(event, one.category)
    if (line === 'period')
      return event.fees.periods.find((period) => period.id === one.period)?.label ?? one.period
    return line === 'gst' ? formatMoney(one.gst) : formatPrice(one[line])
  }
  const isFree = quote.total === 0 && (before === undefined || before.total === 0)
  const told = lines.filter(
    (line) => !isFree || (line !== 'gst' && (line !== 'base' || !lines.includes('total'))),
  )
  return told.map((line) => {
    const now = textOf(quote, line)
    const was = before && textOf(before, line)
    const value =
      was === undefined || was === now ? (
        now
      ) : (
        <>
          <s>
            <span className="vh">was </span>
            {was}
          </s>
          <span className="vh"> now </span>
          {now}
        </>
      )
    return { id: line, label: labelOf(event, line, quote.lines), value, total: line === 'total' }
  })
}
