/** Every payment and refund of the chosen days, with totals by method and by event. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { INR } from '../../../engine/index.ts'
import type { MovementsResponse, SessionResponse, WireMovement } from '../../../engine/api.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { callApi, monthUrl } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { formatResponseMoney, formatSignedMoney } from '../ui/format-amount.ts'
import { formatDateTime } from '../ui/format-date-time.ts'
import { EntryTime } from '../ui/list-entry-time.tsx'
import { EventOptions, ShowOlder } from '../ui/log-list.tsx'
import {
  Summary,
  TotalsBy,
  describeTotal,
  listCurrencies,
  ofCurrency,
  sum,
} from './movement-totals.tsx'
import type { SumName, Totals } from './movement-totals.tsx'
import { ExportButtons, listFiles } from '../jobs/export-buttons.tsx'
import { AmountTable, RegistrationLink } from './payment-tables.tsx'
import { readMovements } from './payments-api-responses.ts'
import { listNamedPeriods, describePeriod } from './periods.ts'

const API = '/api/admin/movements/'
const PERIOD = ['month', 'from', 'to'] as const
/** The choice that shows the fields for two days. */
const CUSTOM_DATES = 'own'
const OTHER_FILTERS = ['event', 'method', 'unsettled', 'unreconciled'] as const
const FILTERS = [...PERIOD, ...OTHER_FILTERS] as const

type MovementsProps = {
  readonly session: SessionResponse
  /** Null: all events of the user. */
  readonly eventId: string | null
}

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
      callApi(`${API}?${filters}${pageParam === '' ? '' : `&after=${pageParam}`}`, readMovements, {
        signal,
      }),
    getNextPageParam: ({ after }) => after,
    placeholderData: (previous) => previous,
  })
  const error = useSignInOn401(query.error)
  const first = query.data?.pages[0]
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
      {first !== undefined && (
        <MovementFilters
          {...{ session, eventId, params, change, filters }}
          {...{ from: first.from, to: first.to, today: first.today, methods: first.methods }}
        />
      )}
      {first === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the payments</span>
        </p>
      )}
      {first !== undefined && rows !== undefined && (
        <div className={query.isPlaceholderData ? 'stale' : undefined} aria-busy={query.isFetching}>
          <Summary totals={first.totals ?? []} days={describePeriod(first.from, first.to)} />
          {rows.length > 0 && (
            <>
              <MovementTable {...{ session, rows }} totals={first.totals ?? []} />
              <ShowOlder query={query} />
              <div className="psums">
                <TotalsBy label="By method" head="Method" totals={first.totals ?? []} by="method" />
                {eventId === null && (
                  <TotalsBy label="By event" head="Event" totals={first.totals ?? []} by="event" />
                )}
              </div>
            </>
          )}
        </div>
      )}
    </>
  )
}

type FilterProps = MovementsProps &
  Pick<MovementsResponse, 'from' | 'to' | 'today' | 'methods'> & {
    readonly params: URLSearchParams
    readonly filters: URLSearchParams
    readonly change: (changes: Readonly<Record<string, string>>) => void
  }

function MovementFilters(props: FilterProps) {
  const { session, eventId, params, filters, change, from, to, today, methods } = props
  const periods = listNamedPeriods(today as Parameters<typeof listNamedPeriods>[0])
  const chosen = new URLSearchParams(
    PERIOD.flatMap((name) => (params.has(name) ? [[name, params.get(name) ?? '']] : [])),
  ).toString()
  const current = chosen === '' ? (periods[0]?.query ?? '') : chosen
  const [choosesDays, setChoosesDays] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const setCount = OTHER_FILTERS.filter((name) => params.get(name)).length
  const usesCustomDates = choosesDays || !periods.some(({ query }) => query === current)
  const setPeriod = (query: string): void =>
    change({ month: '', from: '', to: '', ...Object.fromEntries(new URLSearchParams(query)) })
  // The file has the days that the page shows, also when the month ends meanwhile.
  const file = new URLSearchParams(filters)
  if (chosen === '') {
    file.set('from', from)
    file.set('to', to)
  }
  return (
    <form
      className="fil pfil"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault()
        const data = new FormData(event.currentTarget)
        change({ month: '', from: String(data.get('from')), to: String(data.get('to')) })
      }}
    >
      <label className="w">
        Paid on
        <select
          value={usesCustomDates ? CUSTOM_DATES : current}
          onChange={({ target }) => {
            setChoosesDays(target.value === CUSTOM_DATES)
            if (target.value !== CUSTOM_DATES) setPeriod(target.value)
          }}
        >
          {periods.map(({ label, query }) => (
            <option key={query} value={query}>
              {label}
            </option>
          ))}
          <option value={CUSTOM_DATES}>Custom dates</option>
        </select>
      </label>
      {/* On a phone, the other filters and the export are behind this button. */}
      <button
        type="button"
        className="btn line sm opens"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {setCount === 0 ? 'More' : `More (${setCount})`}
        <span className="vh"> (filters and export)</span>
      </button>
      {usesCustomDates && (
        <div className="days" key={`${from} ${to}`}>
          <label>
            From
            <input type="date" name="from" defaultValue={from} max={today} />
          </label>
          <label>
            To
            <input type="date" name="to" defaultValue={to} max={today} />
          </label>
          <button type="submit" className="btn line sm">
            Apply
          </button>
        </div>
      )}
      <div className={isOpen ? 'more open' : 'more'}>
        {eventId === null && session.events.length > 1 && (
          <label className="w">
            Event
            <select
              value={params.get('event') ?? ''}
              onChange={({ target }) => change({ event: target.value })}
            >
              <EventOptions events={session.events} />
            </select>
          </label>
        )}
        <label>
          Method
          <select
            value={params.get('method') ?? ''}
            onChange={({ target }) => change({ method: target.value })}
          >
            <option value="">All methods</option>
            {methods.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          Settlement
          <select
            value={params.get('unsettled') ?? ''}
            onChange={({ target }) => change({ unsettled: target.value })}
          >
            <option value="">All</option>
            <option value="1">Not settled yet</option>
          </select>
        </label>
        <label>
          Bank statement
          <select
            value={params.get('unreconciled') ?? ''}
            onChange={({ target }) => change({ unreconciled: target.value })}
          >
            <option value="">All</option>
            <option value="1">Not found</option>
          </select>
        </label>
      </div>
      <div className="go">
        {chosen.startsWith('month=') || chosen === '' ? (
          <Link className="btn line sm" to={monthUrl(from.slice(0, 7))}>
            Close month
          </Link>
        ) : null}
        <ExportButtons files={listFiles(`${API}export/?${file}`, 'payments')} />
      </div>
    </form>
  )
}

const HEAD = [
  { text: 'Date' },
  { text: 'Registration' },
  { text: 'Event' },
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
    <AmountTable label={label} head={HEAD}>
      <tbody>
        {rows.map((row) => (
          <MovementRow key={row.id} {...{ session, row }} />
        ))}
      </tbody>
    </AmountTable>
  )
}

function MovementTable({
  session,
  rows,
  totals,
}: {
  readonly session: SessionResponse
  readonly rows: readonly WireMovement[]
  readonly totals: Totals
}) {
  return (
    <AmountTable label="Payments and refunds" head={HEAD}>
      <tbody>
        {rows.map((row) => (
          <MovementRow key={row.id} {...{ session, row }} />
        ))}
      </tbody>
      <tfoot>
        {listCurrencies(totals).map((currency) => {
          const own = ofCurrency(totals, currency)
          const formatSum = (...names: readonly SumName[]) =>
            formatSignedMoney(sum(own, currency, ...names), currency)
          return (
            <tr key={currency}>
              <th scope="row" colSpan={4}>
                {describeTotal(totals, currency)}
              </th>
              <td className="num" data-head="Amount">
                {formatSum('received', 'in_review', 'not_counted')}
              </td>
              <td className="num" data-head="Refund">
                {formatSum('refunded', 'refunded_not_counted')}
              </td>
              <td className="num" data-head="Fee">
                {formatSignedMoney(sum(own, INR, 'fee'), INR)}
              </td>
            </tr>
          )
        })}
      </tfoot>
    </AmountTable>
  )
}

const COUNTS = {
  received: '',
  review: 'Needs review',
  not_counted: 'Not counted',
  moved_away: 'Moved to another event',
} as const
const KINDS = { payment: '', refund: 'Refund', dispute: 'Dispute' } as const

function MovementRow({
  session,
  row,
}: {
  readonly session: SessionResponse
  readonly row: WireMovement
}) {
  const money = formatResponseMoney(row.amount, readResponseCurrency(row))
  const isPayment = row.kind === 'payment'
  const marks = [
    KINDS[row.kind],
    COUNTS[row.counts],
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
        <span title={formatDateTime(row.at)}>
          <EntryTime at={row.at} />
        </span>
      </td>
      <th scope="row">
        <RegistrationLink
          session={session}
          eventId={row.event_id}
          regNo={row.reg_no}
          name={row.name}
        />
      </th>
      <td data-head="Event">{row.event}</td>
      <td data-head="Method">
        {row.method}
        {marks !== '' && ` · ${marks}`}
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
