/** The work queue at the top of the dashboard; each number links to the filtered list. */
import { Link } from 'react-router-dom'
import { formatCount, UNMATCHED } from '../../../engine/index.ts'
import type { WireWorkQueueItem } from '../../../engine/index.ts'
import type { OfficeEvent } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { PAYMENT_REVIEWS } from '../office-api-and-urls.ts'
import './work-queue.css'

type WaitingProps = {
  readonly rows: readonly WireWorkQueueItem[]
  readonly events: readonly OfficeEvent[]
  /** Why event files are not served in their current version. */
  readonly files: readonly string[]
}

export function Waiting({ rows, events, files }: WaitingProps) {
  return (
    <section className="waiting" aria-labelledby="waiting">
      <h2 id="waiting">Needs attention</h2>
      {rows.length + files.length === 0 ? (
        <p className="clear">
          <Icon name="tick" small />
          Nothing needs attention.
        </p>
      ) : (
        <ul>
          {files.map((why) => (
            <li key={why}>{why}</li>
          ))}
          {rows.map(({ id, label, events: counted }) => (
            <li key={id}>
              <span>{label}</span>
              <span className="counts">
                {counted.map((one) => (
                  <Count
                    key={one.id}
                    event={events.find(({ id: known }) => known === one.id)}
                    waiting={id}
                    {...one}
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

type CountProps = Omit<WireWorkQueueItem['events'][number], 'id'> & {
  /** Undefined if the server added the event after this page was loaded. */
  readonly event: OfficeEvent | undefined
  readonly waiting: WireWorkQueueItem['id']
}

function Count({ event, waiting, count, more }: CountProps) {
  const list = event?.lists[0]
  const words = (
    <>
      {event?.dashboard.label} <b>{more ? `${formatCount(count)}+` : formatCount(count)}</b>
    </>
  )
  if (waiting === UNMATCHED && event !== undefined)
    return <Link to={`${PAYMENT_REVIEWS}?event=${encodeURIComponent(event.id)}`}>{words}</Link>
  return list === undefined ? (
    <span>{words}</span>
  ) : (
    <Link to={`${list.route}?waiting=${waiting}`}>{words}</Link>
  )
}
