/** The totals of payments and refunds: in one sentence, by method and by event. */
import { formatCurrency, INR } from '../../../engine/index.ts'
import type { Currency } from '../../../engine/index.ts'
import type { WireMovementTotals } from '../../../engine/api.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { addAmounts, formatSignedMoney } from '../ui/format-amount.ts'
import { AmountTable, groupRows, pluralise } from './payment-tables.tsx'

export type Totals = readonly WireMovementTotals[]
export type TotalName = Exclude<
  keyof WireMovementTotals,
  'event_id' | 'event' | 'method' | 'currency'
>

export const selectCurrency = (totals: Totals, currency: Currency): Totals =>
  totals.filter((entry) => readResponseCurrency(entry) === currency)
export const listCurrencies = (totals: Totals): readonly Currency[] => [
  ...new Set(totals.map(readResponseCurrency)),
]
export const sumTotals = (
  totals: Totals,
  currency: Currency,
  ...names: readonly TotalName[]
): number =>
  addAmounts(
    totals.flatMap((entry) => names.map((name) => entry[name])),
    currency,
  )
const countEntries = (totals: Totals, name: 'payments' | 'refunds'): number =>
  totals.reduce((all, entry) => all + entry[name], 0)

/**
 * Shows the figures of the chosen days in one sentence for each currency. Amounts in two currencies are never added
 * together.
 */
export function MovementSummary({
  totals,
  days,
  hasFilters = true,
}: {
  readonly totals: Totals
  /** The chosen days in words. */
  readonly days: string
  readonly hasFilters?: boolean
}) {
  if (totals.length === 0)
    return (
      <p className="list-summary" role="status">
        No payments or refunds for {days}.{hasFilters && ' Choose other dates or filters.'}
      </p>
    )
  const currencies = listCurrencies(totals)
  const isEmpty = (currency: Currency): boolean =>
    SHOWN_TOTALS.every((name) => sumTotals(selectCurrency(totals, currency), currency, name) === 0)
  // Omits the currencies of other events if they have no payments or refunds.
  const shownCurrencies = currencies.filter((currency) => !isEmpty(currency))
  return (shownCurrencies.length > 0 ? shownCurrencies : currencies.slice(0, 1)).map((currency) => {
    const currencyTotals = selectCurrency(totals, currency)
    const formatSum = (...names: readonly TotalName[]): string =>
      formatSignedMoney(sumTotals(currencyTotals, currency, ...names), currency)
    const net = addAmounts(
      [
        sumTotals(currencyTotals, currency, 'received'),
        -sumTotals(currencyTotals, currency, 'refunded'),
      ],
      currency,
    )
    const otherTotals = [
      ['Needs review', 'in_review'],
      ['Not applied', 'not_counted'],
      ['Refunds of payments not applied', 'refunded_not_counted'],
    ] as const
    return (
      <p className="list-summary" key={currency} role="status">
        <span>
          {days}: received <b>{formatSum('received')}</b> − refunded <b>{formatSum('refunded')}</b>{' '}
          = net <b>{formatSignedMoney(net, currency)}</b>
        </span>
        {otherTotals
          .filter(([, name]) => sumTotals(currencyTotals, currency, name) !== 0)
          .map(([label, name]) => (
            <span key={name}>
              {label}: {formatSum(name)}
            </span>
          ))}
      </p>
    )
  })
}

const SHOWN_TOTALS = [
  'received',
  'refunded',
  'in_review',
  'not_counted',
  'refunded_not_counted',
] as const satisfies readonly TotalName[]

/** Payments that are included in the number of payments, but not in the amount received. */
const NOT_RECEIVED = [
  ['under review', 'in_review'],
  ['not counted', 'not_counted'],
] as const

/** Describes the amounts in addition to those received and refunded: "₹ 100 under review". */
const describeSums = (
  totals: Totals,
  currency: Currency,
  names: readonly (readonly [label: string, name: TotalName])[],
): readonly string[] =>
  names.flatMap(([label, name]) => {
    const amount = sumTotals(totals, currency, name)
    return amount === 0 ? [] : [`${formatSignedMoney(amount, currency)} ${label}`]
  })

/** Describes the totals under the columns, which also include amounts that are neither received nor refunded. */
export function describeTotal(totals: Totals, currency: Currency): string {
  const currencyTotals = selectCurrency(totals, currency)
  const isOnlyRupees = currency === INR && listCurrencies(totals).length === 1
  const counts = `${pluralise(countEntries(currencyTotals, 'payments'), 'payment', 'payments')}, ${pluralise(countEntries(currencyTotals, 'refunds'), 'refund', 'refunds')}`
  const otherAmounts = describeSums(currencyTotals, currency, [
    ...NOT_RECEIVED,
    ['of refunds for payments not counted', 'refunded_not_counted'],
  ])
  return `Total${isOnlyRupees ? '' : ` in ${formatCurrency(currency)}`}: ${counts}${otherAmounts.length === 0 ? '' : `, including ${otherAmounts.join(', ')}`}`
}

/** Shows the totals of each method or event, in each currency. */
export function TotalsBy({
  label,
  head,
  totals,
  by,
}: {
  readonly label: string
  readonly head: string
  readonly totals: Totals
  readonly by: 'method' | 'event'
}) {
  const groups = groupRows(totals, (entry) =>
    JSON.stringify([entry[by], readResponseCurrency(entry)]),
  )
  return (
    <section>
      <h2>{label}</h2>
      <AmountTable
        label={label}
        head={[
          { text: head },
          { text: 'Received', isAmount: true },
          { text: 'Refunded', isAmount: true },
          { text: 'Fees', isAmount: true },
          { text: 'Net', isAmount: true },
        ]}
      >
        <tbody>
          {groups.map(([key, currencyTotals]) => {
            const [name, currency] = JSON.parse(key) as [string, Currency]
            const received = sumTotals(currencyTotals, currency, 'received')
            const refunded = sumTotals(currencyTotals, currency, 'refunded')
            return (
              <tr key={key}>
                <th scope="row">
                  {name || 'No event'}
                  <small>
                    {[
                      pluralise(countEntries(currencyTotals, 'payments'), 'payment', 'payments'),
                      ...describeSums(currencyTotals, currency, NOT_RECEIVED),
                    ].join(', ')}
                  </small>
                </th>
                <td className="num" data-head="Received">
                  {formatSignedMoney(received, currency)}
                </td>
                <td className="num" data-head="Refunded">
                  {formatSignedMoney(refunded, currency)}
                </td>
                <td className="num" data-head="Fees">
                  {formatSignedMoney(sumTotals(currencyTotals, INR, 'fee'), INR)}
                </td>
                <td className="num" data-head="Net">
                  {formatSignedMoney(addAmounts([received, -refunded], currency), currency)}
                </td>
              </tr>
            )
          })}
        </tbody>
      </AmountTable>
    </section>
  )
}
