/** The sums of a list across all pages. */
import { ENDED_LABEL, formatCount } from '../../../engine/index.ts'
import type { Currency, WireSums } from '../../../engine/index.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { formatResponseMoney } from '../ui/format-amount.ts'
import type { Cell } from './visible-columns.ts'
import './list-totals.css'

/**
 * Formats the amounts received, less refunds, and due by currency, because amounts in two currencies are never added
 * together. Omits zeros.
 */
export function formatTotals(
  { money, due, others = [] }: Pick<WireSums, 'money' | 'due' | 'others'>,
  currency: Currency,
): { readonly received: readonly string[]; readonly due: readonly string[] } {
  const sums = [
    { sumCurrency: currency, money, due },
    ...others.map((other) => ({ sumCurrency: readResponseCurrency(other), ...other })),
  ]
  return {
    received: sums
      .filter((sum) => sum.money !== 0)
      .map((sum) => `${formatResponseMoney(sum.money, sum.sumCurrency)} net received`),
    due: sums
      .filter((sum) => sum.due !== 0)
      .map((sum) => `${formatResponseMoney(sum.due, sum.sumCurrency)} due`),
  }
}

/** Shows the number of registrations of each status, and the amounts. Omits zeros. */
export function TotalsSentence({ currency, ...sums }: WireSums & { readonly currency: Currency }) {
  const statusCounts = [
    ['Paid', sums.paid],
    ['Pending', sums.pending],
    ['Failed', sums.failed],
    ['Refunded', sums.refunded],
    [ENDED_LABEL, sums.ended],
  ] as const
  const { received, due } = formatTotals(sums, currency)
  const parts = [
    ...statusCounts.flatMap(([label, count]) =>
      count === 0 ? [] : [`${label} ${formatCount(count)}`],
    ),
    ...received,
    ...due,
  ]
  return <p className="mute sums-of">{parts.join(' · ')}</p>
}

export type Totals = {
  /** A number with its label, such as "All 547". */
  readonly label: string
  /** The amounts received and still due, as full sentences, by currency. */
  readonly received: readonly string[]
  readonly due: readonly string[]
}

/** Shows the sums under the columns. They cover all pages of the list. */
export function TotalsRow({
  cells,
  label,
  received,
  due,
}: Totals & { readonly cells: readonly Cell[] }) {
  const totalIndex = cells.findIndex(({ slot }) => slot === 'total')
  const remainingColumns = cells.length - totalIndex - 1
  /** A sum is longer than the amounts above it, so it may extend into the previous column. */
  const labelColumns = Math.max(1, totalIndex - 1)
  return (
    <tfoot>
      <tr>
        <th scope="row" colSpan={labelColumns}>
          {label}
        </th>
        <td className="num total" colSpan={totalIndex - labelColumns + 1}>
          {received.map((text) => (
            <b key={text}>{text}</b>
          ))}
          {due.map((text) => (
            <small key={text}>{text}</small>
          ))}
        </td>
        {remainingColumns > 0 && <td colSpan={remainingColumns}>&nbsp;</td>}
      </tr>
    </tfoot>
  )
}

export const formatRegistrationCount = (count: number): string =>
  count === 1 ? '1 registration' : `${formatCount(count)} registrations`
