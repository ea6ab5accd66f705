/** The sales of an event: items and options, accompanying persons, seats. */
import { useQuery } from '@tanstack/react-query'
import { day, formatCurrency, formatCount, formatDay } from '../../../engine/index.ts'
import type { Currency, SalesResponse } from '../../../engine/index.ts'
import type { OfficeEvent } from '../../../engine/api.ts'
import { readSalesReport } from '../office-api-responses.ts'
import { callApi } from '../office-api-and-urls.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { addAmounts, formatSignedMoney } from '../ui/format-amount.ts'
import { ExportButtons } from '../jobs/export-buttons.tsx'
import './sales-page.css'

/** Shows the sales of one event, across all its registrations. */
export function SalesPage({ event }: { readonly event: OfficeEvent }) {
  const list = event.lists[0]
  const params = new URLSearchParams({ event_id: event.id, list_id: list?.id ?? '' })
  const url = `/api/admin/sold/?${params}`
  const query = useQuery({
    queryKey: ['sold', url],
    queryFn: ({ signal }) => callApi(url, readSalesReport, { signal }),
  })
  const error = useSignInOn401(query.error)
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Sales">
        <div className="actions">
          <ExportButtons
            files={[{ label: 'Export CSV', path: `${url}&as=csv`, name: 'sales.csv' }]}
          />
          <button type="button" className="btn line sm" onClick={() => print()}>
            <Icon name="print" small />
            Print
          </button>
        </div>
      </PageHeading>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {query.isFetching && query.data === undefined && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          Calculating sales. This can take a few seconds.
        </p>
      )}
      {query.data && (
        <>
          <div className="panel">
            <h2>By item</h2>
            <SalesTable {...query.data} />
          </div>
          <SalesGroups {...query.data} />
        </>
      )}
    </main>
  )
}

/** Shows the sales by category, by price period and by day. */
export function SalesGroups(report: SalesResponse) {
  const currency = readResponseCurrency(report)
  const tables = [
    { id: 'by-category', title: 'By category', head: 'Category', rows: report.by_category },
    { id: 'by-period', title: 'By price period', head: 'Price period', rows: report.by_period },
    {
      id: 'by-day',
      title: 'By day of registration',
      head: 'Day',
      rows: report.by_day.map((row) => ({ ...row, label: formatDay(day(row.id)) })),
    },
  ]
  return (
    <div className="panel">
      {tables
        .filter(({ rows }) => rows.length > 0)
        .map(({ id, title, head, rows }) => (
          <details key={id} open={rows.length <= MAX_SHOWN_ROWS}>
            <summary>
              <h2 id={id}>{title}</h2>
            </summary>
            <div className="sums" role="region" aria-labelledby={id} tabIndex={0}>
              <table>
                <caption className="vh">{title}</caption>
                <thead>
                  <tr>
                    <th scope="col">{head}</th>
                    <th scope="col">Registrations</th>
                    <th scope="col">Paid registrations</th>
                    <th scope="col">Received</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={`${row.id} ${row.currency}`}>
                      <th scope="row">{addCurrency(row.label, row)}</th>
                      <td data-head="Registrations">{formatCount(row.registrations)}</td>
                      <td data-head="Paid registrations">{formatCount(row.paid)}</td>
                      <td data-head="Received">
                        {formatSignedMoney(
                          row.received,
                          row.currency === undefined ? currency : readResponseCurrency(row),
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </details>
        ))}
      <p className="mute">
        Received: payments less refunds, including amounts retained from cancelled registrations.
        Cancelled registrations are not counted.
      </p>
    </div>
  )
}

/**
 * Adds the currency to a row's label if it differs from the event's currency, because another row has the same label.
 */
const addCurrency = (label: string, { currency }: { readonly currency?: string }): string =>
  currency === undefined ? label : `${label} (${currency})`

/** Longer tables are collapsed at first, because the days of a year would fill ten screens. */
const MAX_SHOWN_ROWS = 31

export function SalesTable(report: Omit<SalesResponse, 'by_category' | 'by_period' | 'by_day'>) {
  const { rows, people: peopleCounts, places: seatPools } = report
  const currency = readResponseCurrency(report)
  const getRowCurrency = (row: SalesResponse['rows'][number]): Currency =>
    row.currency === undefined ? currency : readResponseCurrency(row)
  const receivedOffBill = [
    { currency, amount: report.paid_beside },
    ...(report.others_beside ?? []).map((other) => ({
      currency: readResponseCurrency(other),
      amount: other.amount,
    })),
  ]
  // Amounts in two currencies are never added together, and a currency without sales has no total.
  const totals = receivedOffBill.flatMap(({ currency: rowCurrency, amount }) => {
    const currencyRows = rows.filter((row) => getRowCurrency(row) === rowCurrency)
    if (currencyRows.length === 0 && amount === 0) return []
    return {
      currency: rowCurrency,
      sold: addAmounts(
        currencyRows.map(({ total }) => total),
        rowCurrency,
      ),
      paid: addAmounts([amount, ...currencyRows.map((row) => row.paid_total)], rowCurrency),
    }
  })
  return (
    <div className="sums" role="region" aria-label="Sales" tabIndex={0}>
      {rows.length === 0 ? (
        <p className="mute">No sales yet.</p>
      ) : (
        <table>
          <caption className="vh">Sales by item</caption>
          <thead>
            <tr>
              <th scope="col">Item</th>
              <th scope="col">Delegates</th>
              <th scope="col">Quantity</th>
              <th scope="col">Amount</th>
              <th scope="col">Received</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.item} ${row.option} ${row.currency}`}>
                <th scope="row">
                  {addCurrency(
                    row.option_label === null ? row.label : `${row.label}: ${row.option_label}`,
                    row,
                  )}
                </th>
                <td data-head="Delegates">{formatCount(row.registrations)}</td>
                <td data-head="Quantity">
                  {formatCount(row.quantity)}
                  {row.paid_quantity !== row.quantity && (
                    <small> ({formatCount(row.paid_quantity)} paid)</small>
                  )}
                </td>
                <td data-head="Amount">{formatSignedMoney(row.total, getRowCurrency(row))}</td>
                <td data-head="Received">
                  {formatSignedMoney(row.paid_total, getRowCurrency(row))}
                </td>
              </tr>
            ))}
            {receivedOffBill
              .filter(({ amount }) => amount !== 0)
              .map(({ currency: rowCurrency, amount }) => (
                <tr key={`beside ${rowCurrency}`}>
                  <th scope="row" colSpan={4}>
                    Not on a bill: overpayments, and amounts retained after cancellation
                  </th>
                  <td data-head="Received">{formatSignedMoney(amount, rowCurrency)}</td>
                </tr>
              ))}
          </tbody>
          <tfoot>
            {totals.map(({ currency: rowCurrency, sold, paid }) => (
              <tr key={rowCurrency}>
                <th scope="row" colSpan={3}>
                  {totals.length === 1 ? 'Total' : `Total in ${formatCurrency(rowCurrency)}`}
                </th>
                <td data-head="Amount">{formatSignedMoney(sold, rowCurrency)}</td>
                <td data-head="Received">{formatSignedMoney(paid, rowCurrency)}</td>
              </tr>
            ))}
          </tfoot>
        </table>
      )}
      {(peopleCounts.length > 0 || seatPools.length > 0) && (
        <dl>
          {peopleCounts.map(({ id, label, count, paid }) => (
            <div key={`people ${id}`}>
              <dt>{label}</dt>
              <dd>
                {formatCount(count)} {count === 1 ? 'person' : 'people'} listed, {formatCount(paid)}{' '}
                on paid registrations
              </dd>
            </div>
          ))}
          {seatPools.map(({ id, label, taken, max }) => (
            <div key={`places ${id}`}>
              <dt>{label}</dt>
              <dd>
                {formatCount(taken)} of {formatCount(max)} seats taken
                {taken >= max ? <b> (full)</b> : `, ${formatCount(max - taken)} left`}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {rows.length > 0 && <p className="mute">Received: payments less refunds.</p>}
      <p className="mute">Cancelled and rejected registrations are not counted.</p>
      {peopleCounts.length > 0 && (
        <p className="mute">
          People listed: everyone named on the forms, with or without a ticket.
        </p>
      )}
      {seatPools.length > 0 && <p className="mute">Seats are counted for the whole event.</p>}
    </div>
  )
}
