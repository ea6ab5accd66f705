/** The dashboard: the work queue, then the figures of every event. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { day, formatCount, sortEvents, isEventOver } from '../../../engine/index.ts'
import type { EventStats, OfficeEvent, SessionAnswer } from '../../../engine/api.ts'
import { readSuccess, readStats } from '../office-api-responses.ts'
import { callApi } from '../office-api-and-urls.ts'
import { EventPanel, statsOf } from './event-figures.tsx'
import { shortTitle } from '../navigation.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { formatDateParts, formatRupees } from '../lists/list-table.tsx'
import { Waiting } from './work-queue.tsx'
import './dashboard-page.css'

/** Work queue, figures in one strip, then upcoming events by date; past ones are collapsed. */
export function Dashboard({ session }: { readonly session: SessionAnswer }) {
  const query = useQuery({
    queryKey: ['stats'],
    queryFn: ({ signal }) => callApi('/admin/dashboard/stats/', readStats, { signal }),
  })
  const error = useSignInOn401(query.error)
  const { data } = query
  const shown = formatDateParts(data?.now)
  const known = session.events.flatMap((event) => {
    const stats = data === undefined ? null : statsOf(data, event)
    return stats === null ? [] : [{ event, stats }]
  })
  const today = data === undefined ? null : day(data.now.slice(0, 10))
  const events = known.map(({ event }) => event)
  const inTime = today === null ? [] : sortEvents(events, today)
  const isPast = (event: OfficeEvent): boolean => today !== null && isEventOver(event, today)
  const [coming, past] = [inTime.filter((event) => !isPast(event)), inTime.filter(isPast)]
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Dashboard">
        <div className="acts lists">
          {session.events
            .flatMap(({ lists }) => lists)
            .map((list) => (
              <Link key={list.route} className="btn line sm" to={list.route}>
                {shortTitle(list.title)} list
              </Link>
            ))}
        </div>
      </PageHeading>
      {shown && (
        <p className="mute asof">
          As of {shown.join(', ')}{' '}
          <button
            type="button"
            className="btn quiet sm"
            onClick={() => void query.refetch()}
            disabled={query.isFetching}
          >
            Refresh
          </button>
        </p>
      )}
      {error && (
        <Banner
          text={session.texts.admin.dashboard}
          action={{ label: session.texts.admin.retry, onClick: () => void query.refetch() }}
        />
      )}
      {data === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the dashboard</span>
        </p>
      )}
      {data?.erasing_waits !== undefined && (
        <ClockInDoubt why={data.erasing_waits} onConfirmed={() => void query.refetch()} />
      )}
      {data && (
        <>
          <Waiting rows={data.waiting} events={session.events} files={data.event_files ?? []} />
          <dl className="fig">
            {known.flatMap(({ event, stats }) =>
              event.dashboard.cards.map((card) => (
                <div key={`${event.id}-${card}`}>
                  <dt>
                    {event.dashboard.label} {card}
                  </dt>
                  <dd>{cardText(stats, card)}</dd>
                </div>
              )),
            )}
            <div>
              <dt>Total revenue</dt>
              <dd>{formatRupees(data.revenue_stats.total_revenue, true)}</dd>
            </div>
          </dl>
          <div className="panels">
            {coming.map((event) => (
              <EventPanel key={event.id} event={event} data={data} />
            ))}
          </div>
          {past.map((event) => (
            <EventPanel key={event.id} event={event} data={data} isPast />
          ))}
        </>
      )}
    </main>
  )
}

/** The clock may be wrong. Nothing is erased until an owner has confirmed it. */
function ClockInDoubt({
  why,
  onConfirmed,
}: {
  readonly why: string
  readonly onConfirmed: () => void
}) {
  const confirm = useMutation({
    mutationFn: () => callApi('/api/admin/clock/confirm/', readSuccess, { method: 'POST' }),
    onSuccess: onConfirmed,
  })
  const error = useSignInOn401(confirm.error)
  return (
    <Banner
      text={error === null ? why : error.message}
      action={{ label: 'The clock is right', onClick: () => confirm.mutate() }}
    />
  )
}

function cardText(stats: EventStats, card: OfficeEvent['dashboard']['cards'][number]): string {
  return card === 'revenue'
    ? formatRupees(stats.total_revenue, true)
    : formatCount(stats[`${card}_registrations`])
}
