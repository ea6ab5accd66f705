/** Every payment and refund of the chosen days, with totals by method and by event. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router-dom'
import { INR } from '../../../engine/index.ts'
import type { SessionResponse, WireMovement } from '../../../engine/api.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { formatResponseMoney, formatSignedMoney } from '../ui/format-amount.ts'
import { EntryTime } from '../ui/list-entry-time.tsx'
import { ShowOlder } from '../ui/log-list.tsx'
import { FILTERS, MOVEMENTS_API, MovementFilters } from './movement-filters.tsx'
import type { MovementsProps } from './movement-filters.tsx'
import {
  MovementSummary,
  TotalsBy,
  describeTotal,
  listCurrencies,
  selectCurrency,
  sumTotals,
} from './movement-totals.tsx'
import type { TotalName, Totals } from './movement-totals.tsx'
import { AmountTable, RegistrationLink } from './payment-tables.tsx'
import { readMovements } from './payments-api-responses.ts'
import { describePeriod } from './periods.ts'

export function Movements({ session, eventId }: MovementsProps) {
  const [params, setParams] = useSearchParams()
  const filters = new URLSearchParams(
    FILTERS.flatMap((name) => {
      const value = name === 'event' ? (eventId ?? params.get(name)) : params.get(name)
      return value === null || value === '' ? [] : [[name, value]]
    }),
  )
  const query = useInfiniteQuery({
    queryKey: ['movements', filters.toString()],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      callApi(
        `${MOVEMENTS_API}?${filters}${pageParam === '' ? '' : `&after=${pageParam}`}`,
        readMovements,
        {
          signal,
        },
      ),
    getNextPageParam: ({ after }) => after,
    placeholderData: (previous) => previous,
  })
  const error = useSignInOn401(query.error)
  const firstPage = query.data?.pages[0]
  const rows = query.data?.pages.flatMap(({ movements }) => movements)
  const change = (changes: Readonly<Record<string, string>>): void => {
    const next = new URLSearchParams(params)
    for (const [name, value] of Object.entries(changes))
      if (value === '') next.delete(name)
      else next.set(name, value)
    setParams(next)
  }
  return (
    <>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {firstPage !== undefined && (
        <MovementFilters
          {...{ session, eventId, params, onChange: change, filters }}
          {...{
            from: firstPage.from,
            to: firstPage.to,
            today: firstPage.today,
            methods: firstPage.methods,
          }}
        />
      )}
      {firstPage === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the payments</span>
        </p>
      )}
      {firstPage !== undefined && rows !== undefined && (
        <div className={query.isPlaceholderData ? 'stale' : undefined} aria-busy={query.isFetching}>
          <MovementSummary
            totals={firstPage.totals ?? []}
            days={describePeriod(firstPage.from, firstPage.to)}
          />
          {rows.length > 0 && (
            <>
              <MovementTable
                {...{ session, rows }}
                totals={firstPage.totals ?? []}
                showsEvent={eventId === null}
              />
              <ShowOlder query={query} />
              <div className="payment-totals">
                <TotalsBy
                  label="By method"
                  head="Method"
                  totals={firstPage.totals ?? []}
                  by="method"
                />
                {eventId === null && (
                  <TotalsBy
                    label="By event"
                    head="Event"
                    totals={firstPage.totals ?? []}
                    by="event"
                  />
                )}
              </div>
            </>
          )}
        </div>
      )}
    </>
  )
}

const COLUMN_HEADINGS = [
  { text: 'Date' },
  { text: 'Registration' },
  { text: 'Method and reference' },
  { text: 'Amount', isAmount: true },
  { text: 'Refund', isAmount: true },
  { text: 'Fee', isAmount: true },
  { text: 'Document' },
] as const

/** Shows movements without totals. */
export function MovementRows({
  session,
  rows,
  label,
}: {
  readonly session: SessionResponse
  readonly rows: readonly WireMovement[]
  readonly label: string
}) {
  return (
    <AmountTable label={label} head={COLUMN_HEADINGS}>
      <tbody>
        {rows.map((row) => (
          <MovementRow key={row.id} {...{ session, row }} showsEvent />
        ))}
      </tbody>
    </AmountTable>
  )
}

function MovementTable({
  session,
  rows,
  totals,
  showsEvent,
}: {
  readonly session: SessionResponse
  readonly rows: readonly WireMovement[]
  readonly totals: Totals
  readonly showsEvent: boolean
}) {
  return (
    <AmountTable label="Payments and refunds" head={COLUMN_HEADINGS}>
      <tbody>
        {rows.map((row) => (
          <MovementRow key={row.id} {...{ session, row, showsEvent }} />
        ))}
      </tbody>
      <tfoot>
        {listCurrencies(totals).map((currency) => {
          const currencyTotals = selectCurrency(totals, currency)
          const formatSum = (...names: readonly TotalName[]) =>
            formatSignedMoney(sumTotals(currencyTotals, currency, ...names), currency)
          return (
            <tr key={currency}>
              <th scope="row" colSpan={3}>
                {describeTotal(totals, currency)}
              </th>
              <td className="num" data-head="Amount">
                {formatSum('received', 'in_review', 'not_counted')}
              </td>
              <td className="num" data-head="Refund">
                {formatSum('refunded', 'refunded_not_counted')}
              </td>
              <td className="num" data-head="Fee">
                {formatSignedMoney(sumTotals(currencyTotals, INR, 'fee'), INR)}
              </td>
            </tr>
          )
        })}
      </tfoot>
    </AmountTable>
  )
}

const COUNTING_LABELS = {
  received: '',
  review: 'Needs review',
  not_counted: 'Not applied',
  moved_away: 'Moved to another event',
} as const
const KIND_LABELS = { payment: '', refund: 'Refund', dispute: 'Dispute' } as const

function MovementRow({
  session,
  row,
  showsEvent,
}: {
  readonly session: SessionResponse
  readonly row: WireMovement
  /** False on the page of one event. */
  readonly showsEvent: boolean
}) {
  const money = formatResponseMoney(row.amount, readResponseCurrency(row))
  const isPayment = row.kind === 'payment'
  const notes = [
    KIND_LABELS[row.kind],
    COUNTING_LABELS[row.counts],
    row.unreconciled ? 'Not found in a bank statement' : '',
    row.due === null
      ? ''
      : `${formatResponseMoney(row.due.amount, readResponseCurrency(row.due))} still due`,
  ]
    .filter((text) => text !== '')
    .join(', ')
  return (
    <tr>
      <td className="day" data-head="Date">
        <EntryTime at={row.at} />
      </td>
      <th scope="row">
        <RegistrationLink
          session={session}
          eventId={row.event_id}
          regNo={row.reg_no}
          name={row.name}
          event={showsEvent ? row.event : null}
        />
      </th>
      <td data-head="Method">
        {row.method}
        {notes !== '' && ` · ${notes}`}
        <small className="ref">{row.reference}</small>
      </td>
      <td className="num" data-head="Amount">
        {isPayment ? money : null}
      </td>
      <td className="num" data-head="Refund">
        {isPayment ? null : money}
      </td>
      <td className="num" data-head="Fee">
        {row.fee === null ? null : formatSignedMoney(row.fee, INR)}
      </td>
      <td className="doc" data-head="Document">
        {row.documents.length === 0
          ? null
          : row.documents.map(({ id, serial }) => (
              <a
                key={id}
                href={`/api/admin/registrations/${encodeURIComponent(row.reg_no ?? '')}/documents/${id}/`}
              >
                {serial}
              </a>
            ))}
      </td>
    </tr>
  )
}
