/** The event file of one event: its live version, findings, and the pages that it makes. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import type { OfficeEvent } from '../../../engine/api.ts'
import { EVENT_FILES, callApi } from '../office-api-and-urls.ts'
import { EVENT_FILES_API, EVENT_FILES_KEY, EventFileRow } from '../operations/event-files-page.tsx'
import { readEventFiles } from '../operations/operations-api-responses.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'

export function EventFilePage({ event }: { readonly event: OfficeEvent }) {
  const query = useQuery({
    queryKey: EVENT_FILES_KEY,
    queryFn: ({ signal }) => callApi(EVENT_FILES_API, readEventFiles, { signal }),
  })
  const error = useSignInOn401(query.error)
  const file = query.data?.files.find(({ event_id: eventId }) => eventId === event.id)
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title={`${event.title}: event file`}>
        <div className="acts">
          <a className="btn line sm" href={event.routes.form}>
            Registration form
          </a>
          <Link className="btn line sm" to={EVENT_FILES}>
            All event files
          </Link>
        </div>
      </PageHeading>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {query.data === undefined && !query.isError && <p role="status">Loading the event file…</p>}
      {query.data !== undefined && file === undefined && (
        <p className="mute">The file of this event is no longer served.</p>
      )}
      {file && (
        <section className="pan" aria-label="Event file">
          <ul className="log mails">
            <EventFileRow file={file} />
          </ul>
        </section>
      )}
    </main>
  )
}
