/** The work queue at the top of the dashboard; each number links to the filtered list. */
import { Link } from 'react-router-dom'
import { formatCount, UNMATCHED } from '../../../engine/index.ts'
import type { WireWorkQueueItem } from '../../../engine/index.ts'
import type { OfficeEvent } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { PAYMENT_REVIEWS, registrationsUrl } from '../office-api-and-urls.ts'
import './work-queue.css'

type WorkQueueProps = {
  readonly rows: readonly WireWorkQueueItem[]
  readonly events: readonly OfficeEvent[]
  /** Reasons why event files are not served in their current version. */
  readonly fileReasons: readonly string[]
}

export function WorkQueue({ rows, events, fileReasons }: WorkQueueProps) {
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
          {rows.map(({ id, label, events: eventCounts, details = [] }) => (
            <li key={id}>
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
                    {...eventCount}
                  />
                ))}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

type QueueCountProps = Omit<WireWorkQueueItem['events'][number], 'id'> & {
  /** Undefined if the server added the event after this page was loaded. */
  readonly event: OfficeEvent | undefined
  readonly itemId: WireWorkQueueItem['id']
}

function QueueCount({ event, itemId, count, more }: QueueCountProps) {
  const content = (
    <>
      {event?.dashboard.label} <b>{more ? `${formatCount(count)}+` : formatCount(count)}</b>
    </>
  )
  if (itemId === UNMATCHED && event !== undefined)
    return <Link to={`${PAYMENT_REVIEWS}&event=${encodeURIComponent(event.id)}`}>{content}</Link>
  return event === undefined ? (
    <span>{content}</span>
  ) : (
    <Link to={`${registrationsUrl(event)}?waiting=${itemId}`}>{content}</Link>
  )
}
