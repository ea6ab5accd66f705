/** The dashboard: what every event has taken, and its newest registrations. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import type { EventStats, OfficeEvent, SessionAnswer, StatsAnswer } from '../../engine/index.ts'
import { Icon } from '../shared/icons.tsx'
import { Status } from '../shared/status.tsx'
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
    queryFn: ({ signal }) => ask<StatsAnswer>('/admin/dashboard/stats/', signal),
  })
  const error = useLeaveOn401(query.error)
  const data = query.data?.data
  const shown = dateParts(data?.now)
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
            {session.events
              .flatMap((event) => event.dashboard.cards.map((card) => ({ event, card })))
              .map(({ event, card }) => (
                <div key={`${event.id}-${card}`}>
                  <dt>
                    {event.dashboard.label} {card === 'today' ? 'today' : card}
                  </dt>
                  <dd>{cardText(statsOf(data, event), card)}</dd>
                </div>
              ))}
            <div>
              <dt>Total revenue</dt>
              <dd>{moneyOf(data.revenue_stats.total_revenue, true)}</dd>
            </div>
          </dl>
          <div className="two">
            {session.events.map((event) => (
              <EventPanel key={event.id} event={event} data={data} />
            ))}
          </div>
        </>
      )}
    </main>
  )
}

const NOTHING: EventStats = {
  total_registrations: 0,
  paid_registrations: 0,
  pending_registrations: 0,
  failed_registrations: 0,
  today_registrations: 0,
  total_revenue: 0,
}

const statsOf = (data: StatsAnswer['data'], event: OfficeEvent): EventStats =>
  (data[`${event.dashboard.key}_stats`] as EventStats | undefined) ?? NOTHING

function cardText(stats: EventStats, card: OfficeEvent['dashboard']['cards'][number]): string {
  return card === 'revenue'
    ? moneyOf(stats.total_revenue, true)
    : stats[`${card}_registrations`].toLocaleString('en-IN')
}

function EventPanel({
  event,
  data,
}: {
  readonly event: OfficeEvent
  readonly data: StatsAnswer['data']
}) {
  const stats = statsOf(data, event)
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
          <dd>{stats.total_registrations.toLocaleString('en-IN')}</dd>
        </div>
        <div>
          <dt>
            <Status is="success" />
          </dt>
          <dd>{stats.paid_registrations.toLocaleString('en-IN')}</dd>
        </div>
        <div>
          <dt>
            <Status is="pending" />
          </dt>
          <dd>{stats.pending_registrations.toLocaleString('en-IN')}</dd>
        </div>
        <div>
          <dt>
            <Status is="failed" />
          </dt>
          <dd>{stats.failed_registrations.toLocaleString('en-IN')}</dd>
        </div>
        <div>
          <dt>Today’s registrations</dt>
          <dd>{stats.today_registrations.toLocaleString('en-IN')}</dd>
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
