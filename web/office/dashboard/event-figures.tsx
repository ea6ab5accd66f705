/** One event on the dashboard: its figures, registrations per day, and newest registrations. */
import { Link } from 'react-router-dom'
import { formatCount } from '../../../engine/index.ts'
import type { Currency } from '../../../engine/index.ts'
import type { EventStats, OfficeEvent, StatsResponse } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { PaymentStatusBadge } from '../../ui/payment-status-badge.tsx'
import { buildRegistrationUrl, buildRegistrationsUrl } from '../office-api-and-urls.ts'
import { RegNumber, RegistrationStatus } from '../ui/error-banner-and-heading.tsx'
import { RegistrationsChart } from './registrations-chart.tsx'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { formatEventRevenue, formatResponseMoney } from '../ui/format-amount.ts'

/** Returns the statistics of an event. Returns null if the response contains none. */
export const findStats = (data: StatsResponse['data'], event: OfficeEvent): EventStats | null =>
  (data[`${event.dashboard.key}_stats`] as EventStats | undefined) ?? null

/** Number of rows on the home page, which shows several panels. An event's overview shows more. */
const NEWEST_ON_HOME = 5

type EventPanelProps = {
  readonly event: OfficeEvent
  readonly data: StatsResponse['data']
  /** Returns whether the event is over. Its figures are then collapsed. */
  readonly isPast?: boolean
}

/** Renders nothing for an event that the server added or removed after this page was loaded. */
export function EventPanel({ event, data, isPast = false }: EventPanelProps) {
  const stats = findStats(data, event)
  if (stats === null) return null
  const { key, label } = event.dashboard
  const header = (
    <>
      <h2 id={`panel-${key}`}>
        <i
          className="sw"
          style={{ '--c': event.look.colour } as React.CSSProperties}
          aria-hidden="true"
        />
        {label}
      </h2>
      <p className="rev">
        <b>{formatEventRevenue(stats)}</b> <span className="mute">received, less refunds</span>
      </p>
      {[stats, ...(stats.other_currencies ?? [])]
        .filter((eventTotals) => eventTotals.dismissed_amount > 0)
        .map((eventTotals) => (
          <p className="mute" key={eventTotals.currency}>
            {formatResponseMoney(eventTotals.dismissed_amount, readResponseCurrency(eventTotals))}{' '}
            received and ignored (not ours)
          </p>
        ))}
    </>
  )
  const figures = <EventFigures event={event} stats={stats} data={data} />
  return (
    <section className="panel" aria-labelledby={`panel-${key}`}>
      {isPast ? (
        <details className="past">
          <summary className="panel-header">
            {header}
            <Icon name="chev" small />
          </summary>
          {figures}
        </details>
      ) : (
        <>
          <div className="panel-header">{header}</div>
          {figures}
        </>
      )}
    </section>
  )
}

function EventFigures({
  event,
  stats,
  data,
}: Omit<EventPanelProps, 'isPast'> & { readonly stats: EventStats }) {
  const { key, label } = event.dashboard
  const currency = readResponseCurrency(stats)
  const statusCounts = [
    ['good', stats.paid_registrations],
    ['wait', stats.pending_registrations],
    ['bad', stats.failed_registrations],
    ['back', stats.refunded_registrations],
    ['ended', stats.ended_registrations],
  ] as const
  return (
    <>
      {stats.total_registrations > 0 && (
        <div className="shares" aria-hidden="true">
          {statusCounts.map(
            ([tone, count]) =>
              count > 0 && <i key={tone} className={tone} style={{ flexGrow: count }} />,
          )}
        </div>
      )}
      <dl className="key">
        <div>
          <dt>Total</dt>
          <dd>
            <Link to={`${buildRegistrationsUrl(event)}`}>
              {formatCount(stats.total_registrations)}
            </Link>
          </dd>
        </div>
        <div>
          <dt>
            <PaymentStatusBadge is="success" />
          </dt>
          <dd>
            <Link to={`${buildRegistrationsUrl(event)}?payment_status=success`}>
              {formatCount(stats.paid_registrations)}
            </Link>
          </dd>
        </div>
        <div>
          <dt>
            <PaymentStatusBadge is="pending" />
          </dt>
          <dd>
            <Link to={`${buildRegistrationsUrl(event)}?payment_status=pending`}>
              {formatCount(stats.pending_registrations)}
            </Link>
          </dd>
        </div>
        <div>
          <dt>
            <PaymentStatusBadge is="failed" />
          </dt>
          <dd>
            <Link to={`${buildRegistrationsUrl(event)}?payment_status=failed`}>
              {formatCount(stats.failed_registrations)}
            </Link>
          </dd>
        </div>
        {stats.refunded_registrations > 0 && (
          <div>
            <dt>
              <PaymentStatusBadge is="refunded" />
            </dt>
            <dd>
              <Link to={`${buildRegistrationsUrl(event)}?payment_status=refunded`}>
                {formatCount(stats.refunded_registrations)}
              </Link>
            </dd>
          </div>
        )}
        {stats.ended_registrations > 0 && (
          <div>
            <dt>
              <PaymentStatusBadge is="ended" />
            </dt>
            <dd>{formatCount(stats.ended_registrations)}</dd>
          </div>
        )}
        {stats.needs_decision > 0 && (
          <div>
            <dt>
              <PaymentStatusBadge is="review" label="Needs review" />
            </dt>
            <dd>
              <Link to={`${buildRegistrationsUrl(event)}?waiting=review`}>
                {formatCount(stats.needs_decision)}
              </Link>
            </dd>
          </div>
        )}
        <div>
          <dt>Today’s registrations</dt>
          <dd>{formatCount(stats.today_registrations)}</dd>
        </div>
      </dl>
      <RegistrationsChart
        title={label}
        days={data.by_day[key] ?? []}
        otherRevenues={stats.other_currencies ?? []}
        steps={event.price_steps}
        today={data.now.slice(0, 10)}
        currency={currency}
      />
      <h3>Recent registrations</h3>
      <RecentRegistrations event={event} data={data} currency={currency} max={NEWEST_ON_HOME} />
      {event.lists.length > 0 && (
        <Link className="more-l" to={buildRegistrationsUrl(event)}>
          All {label} registrations
          <Icon name="right" small />
        </Link>
      )}
    </>
  )
}

/** Lists the newest registrations of an event, each with a link to its page. */
export function RecentRegistrations({
  event,
  data,
  currency,
  max,
}: Pick<EventPanelProps, 'event' | 'data'> & {
  readonly currency: Currency
  /** If omitted, all registrations from the server are shown. */
  readonly max?: number
}) {
  const recentRows = (data.recent_registrations[event.dashboard.key] ?? []).slice(0, max)
  return (
    <>
      {recentRows.length === 0 && <p className="mute">None yet.</p>}
      <ul className="recent">
        {recentRows.map((row) => (
          <li key={row.id}>
            <span>
              <b>
                <Link to={buildRegistrationUrl(event, row.reg_no)}>{row.full_name}</Link>
              </b>
              <small>
                <RegNumber text={row.reg_no} />
              </small>
            </span>
            <span className="num">
              {formatResponseMoney(
                row.final_amount,
                row.currency === undefined ? currency : readResponseCurrency(row),
              )}
            </span>
            <RegistrationStatus
              registration={row}
              due={row.due}
              currency={row.currency === undefined ? currency : readResponseCurrency(row)}
            />
          </li>
        ))}
      </ul>
    </>
  )
}
