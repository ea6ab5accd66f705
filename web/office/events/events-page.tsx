/** All the user's events by date, each with its figures. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { formatCount, isEventOver, day } from '../../../engine/index.ts'
import type { OfficeEvent, SessionResponse, StatsResponse } from '../../../engine/api.ts'
import { readStats } from '../office-api-responses.ts'
import { callApi, buildEventUrl, isOwnerOfAll } from '../office-api-and-urls.ts'
import { findStats } from '../dashboard/event-figures.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { formatEventRevenue } from '../ui/format-amount.ts'
import { describeEventDays } from './event-days.ts'
import './events-page.css'

export function EventsPage({ session }: { readonly session: SessionResponse }) {
  const query = useQuery({
    queryKey: ['stats'],
    queryFn: ({ signal }) => callApi('/admin/dashboard/stats/', readStats, { signal }),
  })
  const error = useSignInOn401(query.error)
  const today = query.data === undefined ? null : day(query.data.now.slice(0, 10))
  const isPast = (event: OfficeEvent): boolean => today !== null && isEventOver(event, today)
  // The session lists the earliest event first; among past events, the latest is first.
  const upcomingEvents = session.events.filter((event) => !isPast(event))
  const pastEvents = session.events.filter(isPast).reverse()
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Events">
        <div className="actions">
          {isOwnerOfAll(session) && (
            <a className="btn line sm" href="/organisers">
              New event
            </a>
          )}
        </div>
      </PageHeading>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      <EventTable title="Upcoming" events={upcomingEvents} data={query.data} />
      {pastEvents.length > 0 && <EventTable title="Past" events={pastEvents} data={query.data} />}
    </main>
  )
}

function EventTable({
  title,
  events,
  data,
}: {
  readonly title: string
  readonly events: readonly OfficeEvent[]
  readonly data: StatsResponse['data'] | undefined
}) {
  return (
    <section className="panel" aria-labelledby={`events-${title}`}>
      <h2 id={`events-${title}`}>{title}</h2>
      {events.length === 0 && <p className="mute">No events.</p>}
      <ul className="events">
        {events.map((event) => {
          const stats = data === undefined ? null : findStats(data, event)
          return (
            <li key={event.id}>
              <span>
                <Link to={buildEventUrl(event)}>{event.title}</Link>
                <small>{describeEventDays(event, data?.now)}</small>
              </span>
              {stats && (
                <>
                  <span className="r">
                    {formatCount(stats.paid_registrations)} of{' '}
                    {formatCount(stats.total_registrations)} <small>paid</small>
                  </span>
                  <span className="r">
                    {formatEventRevenue(stats)} <small>received, less refunds</small>
                  </span>
                </>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
