/** The overview of one event: work queue, figures, registrations per day, seats, newest registrations. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { formatCount, isAtLeast } from '../../../engine/index.ts'
import type { Role } from '../../../engine/index.ts'
import type { EventStats, OfficeEvent, StatsResponse } from '../../../engine/api.ts'
import { readSeats, readStats } from '../office-api-responses.ts'
import {
  callApi,
  buildEventPaymentsUrl,
  buildRegistrationsUrl,
  buildSalesUrl,
} from '../office-api-and-urls.ts'
import { RecentRegistrations, findStats } from '../dashboard/event-figures.tsx'
import { RegistrationsChart } from '../dashboard/registrations-chart.tsx'
import { WorkQueue, selectQueueOfRole } from '../dashboard/work-queue.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { formatEventRevenue } from '../ui/format-amount.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { describeEventDays } from './event-days.ts'
import '../dashboard/dashboard-page.css'
import './overview-page.css'

type OverviewPageProps = { readonly event: OfficeEvent; readonly role: Role }

export function OverviewPage({ event, role }: OverviewPageProps) {
  const query = useQuery({
    queryKey: ['stats'],
    queryFn: ({ signal }) => callApi('/admin/dashboard/stats/', readStats, { signal }),
  })
  const error = useSignInOn401(query.error)
  const stats = query.data === undefined ? null : findStats(query.data, event)
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title={event.title} />
      <p className="mute as-of">{describeEventDays(event, query.data?.now)}</p>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {query.data === undefined && !query.isError && <p role="status">Loading the overview…</p>}
      {query.data && stats && (
        <EventOverview event={event} role={role} data={query.data} stats={stats} />
      )}
    </main>
  )
}

function EventOverview({
  event,
  role,
  data,
  stats,
}: OverviewPageProps & { readonly data: StatsResponse['data']; readonly stats: EventStats }) {
  return (
    <>
      {isAtLeast(role, 'desk') && (
        <WorkQueue
          rows={selectQueueOfRole(data.waiting, role).flatMap((row) => {
            const events = row.events.filter(({ id }) => id === event.id)
            return events.length === 0 ? [] : [{ ...row, events, details: [] }]
          })}
          events={[event]}
          fileReasons={[]}
        />
      )}
      <dl className="figures">
        {listFigures(event, stats, role, data.now.slice(0, 10)).map(({ label, value, to }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{to === null ? value : <Link to={to}>{value}</Link>}</dd>
          </div>
        ))}
      </dl>
      <div className="panels single-event">
        <section className="panel" aria-label="Registrations and payments per day">
          <RegistrationsChart
            title={event.title}
            days={data.by_day[event.dashboard.key] ?? []}
            otherRevenues={stats.other_currencies ?? []}
            steps={event.price_steps}
            today={data.now.slice(0, 10)}
            currency={readResponseCurrency(stats)}
            showsRevenue
          />
        </section>
        {event.sells && <Seats event={event} />}
        <section className="panel" aria-labelledby="newest">
          <h2 id="newest">Newest registrations</h2>
          <RecentRegistrations event={event} data={data} currency={readResponseCurrency(stats)} />
        </section>
      </div>
    </>
  )
}

type Figure = { readonly label: string; readonly value: string; readonly to: string | null }

/** Lists the figures of an event. Each figure links to the registrations or payments that it counts. */
function listFigures(
  event: OfficeEvent,
  stats: EventStats,
  role: Role,
  today: string,
): readonly Figure[] {
  const listUrl = buildRegistrationsUrl(event)
  const dateFilter = event.lists[0]?.filters.find(({ show }) => show === 'date_from')
  const buildFigure = (label: string, count: number, query: string): Figure => ({
    label,
    value: formatCount(count),
    to: `${listUrl}${query}`,
  })
  return [
    buildFigure('Registrations', stats.total_registrations, ''),
    buildFigure('Paid', stats.paid_registrations, '?payment_status=success'),
    buildFigure(
      'Unpaid',
      stats.pending_registrations + stats.failed_registrations,
      '?in_state=to_pay',
    ),
    buildFigure('Needs review', stats.needs_decision, '?waiting=review'),
    dateFilter === undefined
      ? { label: 'Today', value: formatCount(stats.today_registrations), to: null }
      : buildFigure('Today', stats.today_registrations, `?${dateFilter.sentAs}=${today}`),
    {
      label: 'Net received, including tax',
      value: formatEventRevenue(stats),
      to: isAtLeast(role, 'treasurer') ? buildEventPaymentsUrl(event) : null,
    },
  ]
}

/** Shows the seats taken in each quota of the event. */
function Seats({ event }: { readonly event: OfficeEvent }) {
  const params = new URLSearchParams({
    event_id: event.id,
    list_id: event.lists[0]?.id ?? '',
    as: 'seats',
  })
  const url = `/api/admin/sold/?${params}`
  const query = useQuery({
    queryKey: ['sold', url],
    queryFn: ({ signal }) => callApi(url, readSeats, { signal }),
  })
  useSignInOn401(query.error)
  const seatPools = query.data?.places ?? []
  return (
    <section className="panel" aria-labelledby="seats">
      <div className="panel-header">
        <h2 id="seats">Seats</h2>
        <Link to={buildSalesUrl(event)}>Sales</Link>
      </div>
      {query.data !== undefined && seatPools.length === 0 && (
        <p className="mute">The event file sets no limits.</p>
      )}
      {query.isError && <p className="mute">The seats could not be loaded.</p>}
      <ul className="capacity">
        {seatPools.map(({ id, label, taken, max }) => (
          <li key={id}>
            <span>{label}</span>
            <span>
              {formatCount(taken)} of {formatCount(max)}
              {taken >= max ? <b> (full)</b> : `, ${formatCount(max - taken)} left`}
            </span>
            <i aria-hidden="true">
              <i style={{ width: `${Math.min(100, max === 0 ? 100 : (100 * taken) / max)}%` }} />
            </i>
          </li>
        ))}
      </ul>
    </section>
  )
}
