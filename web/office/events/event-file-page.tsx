/** The event file of one event: whether it is live, its public pages, and its versions. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import type { OfficeEvent, SessionResponse } from '../../../engine/api.ts'
import { EVENT_FILES, callApi, isOwnerOfAll } from '../office-api-and-urls.ts'
import { EVENT_FILES_API, EVENT_FILES_KEY, EventFileRow } from '../operations/event-files-page.tsx'
import { readEventFiles } from '../operations/operations-api-responses.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { EventVersions } from './event-versions.tsx'

type EventFileProps = { readonly event: OfficeEvent }

export function EventFilePage({
  event,
  session,
}: EventFileProps & { readonly session: SessionResponse }) {
  return (
    <main className="main" id="main">
      <PageHeading title={`${event.title}: event file`}>
        <div className="actions">
          {isOwnerOfAll(session) && (
            <Link className="btn line sm" to={EVENT_FILES}>
              All event files
            </Link>
          )}
          <button type="button" className="btn line sm" onClick={() => print()}>
            <Icon name="print" small />
            Print
          </button>
        </div>
      </PageHeading>
      {isOwnerOfAll(session) && <FileState event={event} />}
      <PublicPages event={event} />
      <EventVersions event={event} />
    </main>
  )
}

/**
 * Shows the state of the event file. Rendered only for owners of all events, because a finding may mention another
 * event.
 */
function FileState({ event }: EventFileProps) {
  const query = useQuery({
    queryKey: EVENT_FILES_KEY,
    queryFn: ({ signal }) => callApi(EVENT_FILES_API, readEventFiles, { signal }),
  })
  const error = useSignInOn401(query.error)
  const file = query.data?.files.find(({ event_id: eventId }) => eventId === event.id)
  if (error)
    return (
      <Banner
        text={error.message}
        action={{ label: 'Try Again', onClick: () => void query.refetch() }}
      />
    )
  if (query.data === undefined) return <p role="status">Loading the event file…</p>
  return file === undefined ? (
    <p className="mute">This event’s file is no longer served.</p>
  ) : (
    <section className="panel" aria-label="Event file">
      <ul className="log email-list">
        <EventFileRow file={file} />
      </ul>
    </section>
  )
}

function PublicPages({ event: { routes, price_steps: priceSteps } }: EventFileProps) {
  const pages = [
    { label: 'Registration form', url: routes.form },
    ...(priceSteps.length > 0 ? [{ label: 'Fees', url: `${routes.form}#fees` }] : []),
    { label: 'Page after a payment', url: routes.success },
    { label: 'Page after a failed payment', url: routes.failed },
  ]
  return (
    <section className="panel" aria-labelledby="public-pages">
      <h2 id="public-pages">Public pages</h2>
      <ul className="public-pages">
        {pages.map(({ label, url }) => (
          <li key={label}>
            <a href={url}>{label}</a> <small className="mute">{url}</small>
          </li>
        ))}
      </ul>
    </section>
  )
}
