/** The work queue at the top of the dashboard; each number links to the filtered list. */
import { Link } from 'react-router-dom'
import { addDays, formatCount, isAtLeast, UNMATCHED_ID } from '../../../engine/index.ts'
import type { Day, Role, WireWorkQueueItem } from '../../../engine/index.ts'
import type { OfficeEvent } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { PAYMENT_REVIEWS, buildRegistrationsUrl } from '../office-api-and-urls.ts'
import './work-queue.css'

type WorkQueueProps = {
  readonly rows: readonly WireWorkQueueItem[]
  /** Entries of events that ended long ago, collapsed below the others. */
  readonly pastRows?: readonly WireWorkQueueItem[]
  readonly events: readonly OfficeEvent[]
  /** Reasons why event files are not served in their current version. */
  readonly fileReasons: readonly string[]
}

/**
 * The lowest role that can settle each kind of entry. Users with a lower role do not see the entry, because they could
 * not act on it; the server restricts what they may read.
 */
const ROLE_OF_ITEM = {
  review: 'treasurer',
  dispute: 'treasurer',
  dispute_lost: 'treasurer',
  told: 'desk',
  to_approve: 'owner',
  cancel_asked: 'owner',
  second_payment: 'desk',
  pay_back: 'treasurer',
  refund_unsettled: 'treasurer',
  rate_missing: 'treasurer',
  mail_failed: 'desk',
  pending: 'desk',
  [UNMATCHED_ID]: 'treasurer',
} as const satisfies Record<WireWorkQueueItem['id'], Role>

export const selectQueueOfRole = (
  rows: readonly WireWorkQueueItem[],
  role: Role,
): readonly WireWorkQueueItem[] => rows.filter(({ id }) => isAtLeast(role, ROLE_OF_ITEM[id]))

/** Number of days after the end of an event from which its entries are shown under Past events. */
const PAST_DAYS = 60

/** Splits the counts of a queue by whether their event ended more than 60 days ago. */
export function splitByAge(
  rows: readonly WireWorkQueueItem[],
  events: readonly OfficeEvent[],
  today: Day,
): { readonly current: readonly WireWorkQueueItem[]; readonly past: readonly WireWorkQueueItem[] } {
  const pastIds = new Set(
    events.filter(({ to }) => addDays(to, PAST_DAYS) < today).map(({ id }) => id),
  )
  const select = (isPast: boolean) =>
    rows.flatMap((row) => {
      const counts = row.events.filter(({ id }) => pastIds.has(id) === isPast)
      // A row's details do not state which event they belong to, so they are shown with the current events.
      return counts.length === 0 ? [] : [{ ...row, events: counts, ...(isPast && { details: [] }) }]
    })
  return { current: select(false), past: select(true) }
}

export function WorkQueue({ rows, pastRows = [], events, fileReasons }: WorkQueueProps) {
  return (
    <section className="waiting" aria-labelledby="waiting">
      <h2 id="waiting">Needs attention</h2>
      {rows.length + fileReasons.length === 0 ? (
        <p className="clear">
          <Icon name="tick" small />
          Nothing needs attention.
        </p>
      ) : (
        <ul>
          {fileReasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
          {rows.map((row) => (
            <QueueRow key={row.id} row={row} events={events} />
          ))}
        </ul>
      )}
      {pastRows.length > 0 && (
        <details className="past-queue">
          <summary>Past events</summary>
          <ul>
            {pastRows.map((row) => (
              <QueueRow key={row.id} row={row} events={events} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function QueueRow({
  row: { id, label, events: eventCounts, details = [] },
  events,
}: {
  readonly row: WireWorkQueueItem
  readonly events: readonly OfficeEvent[]
}) {
  return (
    <li>
      <span>
        {label}
        {details.map((detail) => (
          <small key={detail}>{detail}</small>
        ))}
      </span>
      <span className="counts">
        {eventCounts.map((eventCount) => (
          <QueueCount
            key={eventCount.id}
            event={events.find(({ id: eventId }) => eventId === eventCount.id)}
            itemId={id}
            {...(events.length === 1 && { label })}
            {...eventCount}
          />
        ))}
      </span>
    </li>
  )
}

type QueueCountProps = Omit<WireWorkQueueItem['events'][number], 'id'> & {
  /** Undefined if the server added the event after this page was loaded. */
  readonly event: OfficeEvent | undefined
  readonly itemId: WireWorkQueueItem['id']
  /**
   * Text for screen readers, which replaces the event's name if there is only one event, because the page or the row
   * already shows the name.
   */
  readonly label?: string
}

function QueueCount({ event, itemId, count, more, label }: QueueCountProps) {
  const content = (
    <>
      {label === undefined ? event?.title : <span className="vh">{label}</span>}{' '}
      <b>{more ? `${formatCount(count)}+` : formatCount(count)}</b>
    </>
  )
  if (itemId === UNMATCHED_ID && event !== undefined)
    return <Link to={`${PAYMENT_REVIEWS}&event=${encodeURIComponent(event.id)}`}>{content}</Link>
  return event === undefined ? (
    <span>{content}</span>
  ) : (
    <Link to={`${buildRegistrationsUrl(event)}?waiting=${itemId}`}>{content}</Link>
  )
}
