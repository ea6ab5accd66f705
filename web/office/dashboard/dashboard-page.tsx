/** The dashboard: the work queue, then the figures of every event. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { day, formatCount, isAtLeast, sortEvents, isEventOver } from '../../../engine/index.ts'
import type { Currency } from '../../../engine/index.ts'
import type { Day } from '../../../engine/index.ts'
import type {
  EventStats,
  OfficeEvent,
  SessionResponse,
  StatsResponse,
} from '../../../engine/api.ts'
import { readSuccess, readStats } from '../office-api-responses.ts'
import {
  AMOUNTS_DUE,
  callApi,
  buildListPageUrl,
  buildRegistrationsUrl,
} from '../office-api-and-urls.ts'
import { shortenTitle } from '../lists/other-lists.tsx'
import { EventPanel, findStats } from './event-figures.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { formatDateParts } from '../lists/list-table.tsx'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { formatEventRevenue, formatRevenue } from '../ui/format-amount.ts'
import { WorkQueue, selectQueueOfRole, splitByAge } from './work-queue.tsx'
import './dashboard-page.css'

/** Shows the work queue, a strip of figures, upcoming events by date, and collapsed past events. */
export function DashboardPage({ session }: { readonly session: SessionResponse }) {
  const query = useQuery({
    queryKey: ['stats'],
    queryFn: ({ signal }) => callApi('/admin/dashboard/stats/', readStats, { signal }),
  })
  const error = useSignInOn401(query.error)
  const { data } = query
  const loadedAt = formatDateParts(data?.now)
  const eventsWithStats = session.events.flatMap((event) => {
    const stats = data === undefined ? null : findStats(data, event)
    return stats === null ? [] : [{ event, stats }]
  })
  const today = data === undefined ? null : day(data.now.slice(0, 10))
  const events = eventsWithStats.map(({ event }) => event)
  const sortedEvents = today === null ? [] : sortEvents(events, today)
  const isPast = (event: OfficeEvent): boolean => today !== null && isEventOver(event, today)
  const [upcomingEvents, pastEvents] = [
    sortedEvents.filter((event) => !isPast(event)),
    sortedEvents.filter(isPast),
  ]
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Home">
        {isAtLeast(session.role, 'treasurer') && (
          <Link className="btn line sm" to={AMOUNTS_DUE}>
            Amounts due
          </Link>
        )}
      </PageHeading>
      {loadedAt && (
        <p className="mute as-of">
          As of {loadedAt.join(', ')}{' '}
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
        <ClockWarning warning={data.erasing_waits} onConfirmed={() => void query.refetch()} />
      )}
      {data && (
        <>
          {today !== null && isAtLeast(session.role, 'desk') && (
            <HomeQueue session={session} data={data} today={today} />
          )}
          <dl className="figures">
            {eventsWithStats.flatMap(({ event, stats }) =>
              event.dashboard.cards.map((card) => (
                <div key={`${event.id}-${card}`}>
                  <dt>
                    {event.dashboard.label} {card}
                  </dt>
                  <dd>
                    {card === 'revenue' ? (
                      formatCard(stats, card)
                    ) : (
                      <Link to={`${buildRegistrationsUrl(event)}${CARD_QUERIES[card]}`}>
                        {formatCard(stats, card)}
                      </Link>
                    )}
                  </dd>
                </div>
              )),
            )}
            <div>
              <dt>Total revenue</dt>
              <dd>
                {formatTotalRevenue(
                  data.revenue_stats,
                  readResponseCurrency(eventsWithStats[0]?.stats ?? {}),
                )}
              </dd>
            </div>
          </dl>
          <p className="mute basis">Revenue: payments received, net of refunds, including tax.</p>
          <div className="panels">
            {upcomingEvents.map((event) => (
              <EventPanel key={event.id} event={event} data={data} />
            ))}
          </div>
          {pastEvents.map((event) => (
            <EventPanel key={event.id} event={event} data={data} isPast />
          ))}
        </>
      )}
      <Lists events={session.events} />
    </main>
  )
}

/**
 * Shows the specification's buttons for the lists (S078), below the figures because there are more lists than events.
 */
function Lists({ events }: { readonly events: readonly OfficeEvent[] }) {
  const links = events.flatMap((event) =>
    event.lists.map((list) => (
      <Link key={list.route} className="btn line sm" to={buildListPageUrl(event, list)}>
        {shortenTitle(list.title)} list
      </Link>
    )),
  )
  return links.length === 0 ? null : (
    <section className="panel" aria-labelledby="lists">
      <h2 id="lists">Lists</h2>
      <div className="actions lists">{links}</div>
    </section>
  )
}

function HomeQueue({
  session: { role, events },
  data,
  today,
}: {
  readonly session: SessionResponse
  readonly data: StatsResponse['data']
  readonly today: Day
}) {
  const { current, past } = splitByAge(selectQueueOfRole(data.waiting, role), events, today)
  return (
    <WorkQueue
      rows={current}
      pastRows={past}
      events={events}
      fileReasons={isAtLeast(role, 'owner') ? (data.event_files ?? []) : []}
    />
  )
}

/** Warns that the clock may be wrong. Nothing is erased until an owner has confirmed the clock. */
function ClockWarning({
  warning,
  onConfirmed,
}: {
  readonly warning: string
  readonly onConfirmed: () => void
}) {
  const confirmMutation = useMutation({
    mutationFn: () => callApi('/api/admin/clock/confirm/', readSuccess, { method: 'POST' }),
    onSuccess: onConfirmed,
  })
  const error = useSignInOn401(confirmMutation.error)
  return (
    <Banner
      text={error === null ? warning : error.message}
      action={{ label: 'Confirm the time', onClick: () => confirmMutation.mutate() }}
    />
  )
}

/** The filters for the registrations that a card counts. Some lists have no filter for today's registrations. */
const CARD_QUERIES = {
  total: '',
  paid: '?payment_status=success',
  pending: '?payment_status=pending',
  failed: '?payment_status=failed',
  today: '',
} as const

function formatCard(stats: EventStats, card: OfficeEvent['dashboard']['cards'][number]): string {
  return card === 'revenue'
    ? formatEventRevenue(stats)
    : formatCount(stats[`${card}_registrations`])
}

/** Formats the revenue of each currency, rupees first: "₹ 1,30,000 · € 450". Never adds amounts in two currencies. */
export const formatTotalRevenue = (
  {
    total_revenue: rupeeRevenue,
    other_currencies: otherCurrencies = [],
  }: StatsResponse['data']['revenue_stats'],
  fallbackCurrency: Currency,
): string => formatRevenue([{ total_revenue: rupeeRevenue }, ...otherCurrencies], fallbackCurrency)
