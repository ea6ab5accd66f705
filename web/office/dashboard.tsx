/** The dashboard: what every event has taken, and its newest registrations. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { formatCount } from '../../engine/index.ts'
import type { EventStats, OfficeEvent, SessionAnswer, StatsAnswer } from '../../engine/index.ts'
import { Icon } from '../shared/icons.tsx'
import { Status } from '../shared/status.tsx'
import { readStats } from './answers.ts'
import { ask, registrationAddress } from './calls.ts'
import { shortTitle } from './frame.tsx'
import { useLeaveOn401 } from './leave.ts'
import { Banner, Heading, RegNumber } from './parts.tsx'
import { Plot } from './plot.tsx'
import { dateParts, moneyOf } from './rows.tsx'
import './dashboard.css'

/** Figures in one strip, then each event: its numbers, its days, its newest registrations. */
export function Dashboard({ session }: { readonly session: SessionAnswer }) {
  const query = useQuery({
    queryKey: ['stats'],
    queryFn: ({ signal }) => ask('/admin/dashboard/stats/', readStats, { signal }),
  })
  const error = useLeaveOn401(query.error)
  const { data } = query
  const shown = dateParts(data?.now)
  const known = session.events.flatMap((event) => {
    const stats = data === undefined ? null : statsOf(data, event)
    return stats === null ? [] : [{ event, stats }]
  })
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <Heading title="Dashboard">
        <div className="acts lists">
          {session.events
            .flatMap(({ lists }) => lists)
            .map((list) => (
              <Link key={list.route} className="btn line sm" to={list.route}>
                {shortTitle(list.title)} list
              </Link>
            ))}
        </div>
      </Heading>
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
          action={{ label: session.texts.admin.retry, go: () => void query.refetch() }}
        />
      )}
      {data === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the dashboard</span>
        </p>
      )}
      {data && (
        <>
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
              <dd>{moneyOf(data.revenue_stats.total_revenue, true)}</dd>
            </div>
          </dl>
          <div className="two">
            {known.map(({ event, stats }) => (
              <EventPanel key={event.id} event={event} stats={stats} data={data} />
            ))}
          </div>
        </>
      )}
    </main>
  )
}

/** Null for an event that the server began to serve after this page was drawn, or no longer serves. */
const statsOf = (data: StatsAnswer['data'], event: OfficeEvent): EventStats | null =>
  (data[`${event.dashboard.key}_stats`] as EventStats | undefined) ?? null

function cardText(stats: EventStats, card: OfficeEvent['dashboard']['cards'][number]): string {
  return card === 'revenue'
    ? moneyOf(stats.total_revenue, true)
    : formatCount(stats[`${card}_registrations`])
}

function EventPanel({
  event,
  stats,
  data,
}: {
  readonly event: OfficeEvent
  readonly stats: EventStats
  readonly data: StatsAnswer['data']
}) {
  const { key, label } = event.dashboard
  const recent = data.recent_registrations[key] ?? []
  const list = event.lists[0]
  const parts = [
    ['good', stats.paid_registrations],
    ['wait', stats.pending_registrations],
    ['bad', stats.failed_registrations],
  ] as const
  return (
    <section className="pan" aria-labelledby={`panel-${key}`}>
      <div className="ph">
        <h2 id={`panel-${key}`}>
          <i
            className="sw"
            style={{ '--c': event.look.colour } as React.CSSProperties}
            aria-hidden="true"
          />
          {label}
        </h2>
        <p className="rev">
          <b>{moneyOf(stats.total_revenue, true)}</b> <span className="mute">revenue</span>
        </p>
      </div>
      {stats.total_registrations > 0 && (
        <div className="split" aria-hidden="true">
          {parts.map(
            ([tone, count]) =>
              count > 0 && <i key={tone} className={tone} style={{ flexGrow: count }} />,
          )}
        </div>
      )}
      <dl className="key">
        <div>
          <dt>Total</dt>
          <dd>{formatCount(stats.total_registrations)}</dd>
        </div>
        <div>
          <dt>
            <Status is="success" />
          </dt>
          <dd>{formatCount(stats.paid_registrations)}</dd>
        </div>
        <div>
          <dt>
            <Status is="pending" />
          </dt>
          <dd>{formatCount(stats.pending_registrations)}</dd>
        </div>
        <div>
          <dt>
            <Status is="failed" />
          </dt>
          <dd>{formatCount(stats.failed_registrations)}</dd>
        </div>
        {stats.needs_decision > 0 && (
          <div>
            <dt>
              <Status is="review" word="Needs a decision" />
            </dt>
            <dd>{formatCount(stats.needs_decision)}</dd>
          </div>
        )}
        <div>
          <dt>Today’s registrations</dt>
          <dd>{formatCount(stats.today_registrations)}</dd>
        </div>
      </dl>
      <Plot title={label} days={data.by_day[key] ?? []} today={data.now.slice(0, 10)} />
      <h3>Recent registrations</h3>
      {recent.length === 0 && <p className="mute">None yet.</p>}
      <ul className="rec">
        {recent.map((row) => (
          <li key={row.id}>
            <span>
              <b>
                {list ? (
                  <Link to={registrationAddress(list, row.reg_no)}>{row.full_name}</Link>
                ) : (
                  row.full_name
                )}
              </b>
              <small>
                <RegNumber text={row.reg_no} />
              </small>
            </span>
            <span className="num">{moneyOf(row.final_amount, true)}</span>
            <Status
              is={row.in_review && row.payment_status !== 'success' ? 'review' : row.payment_status}
              word={row.payment_status_display}
            />
          </li>
        ))}
      </ul>
      {list && (
        <Link className="more-l" to={list.route}>
          All {label} registrations
          <Icon name="right" small />
        </Link>
      )}
    </section>
  )
}
