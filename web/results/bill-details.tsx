/** The bill of a registration as rows. */
import { fromMajorUnits } from '../../engine/index.ts'
import { readLines } from '../../engine/api.ts'
import type { PublicEvent, Quote } from '../../engine/index.ts'
import { readResponseCurrency } from '../app/response-currency.ts'
import { buildBillRows } from '../ui/payment/bill-rows.tsx'
import { DetailsList } from '../ui/details-list.tsx'
import type { DetailsRow } from '../ui/details-list.tsx'
import type { Registration } from './result-page-data.ts'

/**
 * Lists the bill lines of a registration with their sums. Empty if only the registration itself was sold, or if it was
 * stored before bills had lines.
 */
export function listBillRows(
  event: PublicEvent,
  registration: Registration | null,
): readonly DetailsRow[] {
  const quote = registration === null ? null : readQuote(registration)
  return quote === null ? [] : buildBillRows(event, quote, ['base', 'gst', 'total'])
}

function readQuote({ category, period, lines: wire, ...amounts }: Registration): Quote | null {
  const currency = readResponseCurrency(amounts)
  const [base, gst, total] = [amounts.base, amounts.gst, amounts.total].map((amount) =>
    fromMajorUnits(amount, currency),
  )
  const lines = readLines(wire, currency)
  return base == null || gst == null || total == null || lines.length < 2
    ? null
    : { category: category ?? '', period: period ?? '', base, gst, total, currency, lines }
}

/** Shows the bill as a separate list, below the other payment details. */
export function Bill({
  event,
  registration,
}: {
  readonly event: PublicEvent
  readonly registration: Registration | null
}) {
  const rows = listBillRows(event, registration)
  return rows.length === 0 ? null : (
    <div className="bill">
      <DetailsList rows={rows} hasAmounts />
    </div>
  )
}
