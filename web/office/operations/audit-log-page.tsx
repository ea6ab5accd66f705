/** The audit log: who did what, and when. The URL contains its filters. */
import { Link } from 'react-router-dom'
import type { SessionResponse, WireActivity } from '../../../engine/api.ts'
import { FilterForm, ShowOlder, useFilteredLog, EventFilter } from '../ui/log-list.tsx'
import { registrationUrl } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { readAuditLog } from '../users/users-api-responses.ts'
import { EntryTime } from '../ui/list-entry-time.tsx'
import '../registration/registration-details-page.css'
import '../users/team-page.css'

const API_PATH = '/api/admin/log/'
const FILTERS = ['who', 'event', 'kind', 'words', 'from', 'to'] as const
const ENTRY_KINDS = [
  ['', 'Changes and sign-ins'],
  ['changes', 'Changes'],
  ['exports', 'Exports'],
  ['signing-in', 'Sign-ins'],
  ['looks', 'Access'],
  ['all', 'Everything'],
] as const

export function AuditLogPage({ session }: { readonly session: SessionResponse }) {
  const { params, setParams, filterQuery, query } = useFilteredLog(
    'activity',
    API_PATH,
    FILTERS,
    readAuditLog,
  )
  const error = useSignInOn401(query.error)
  const rows = query.data?.pages.flatMap((page) => page.rows)
  const usernames = query.data?.pages[0]?.people ?? []
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Audit log">
        <a className="btn line sm" href={`${API_PATH}export/?${filterQuery}`}>
          Export CSV
        </a>
      </PageHeading>
      <FilterForm filterQuery={filterQuery} onApply={setParams}>
        <label>
          User
          <select name="who" defaultValue={params.get('who') ?? ''}>
            <option value="">All users</option>
            {[...new Set([...usernames, params.get('who') ?? ''])]
              .filter((username) => username !== '')
              .map((username) => (
                <option key={username}>{username}</option>
              ))}
          </select>
        </label>
        <label className="w">
          Type
          <select name="kind" defaultValue={params.get('kind') ?? ''}>
            {ENTRY_KINDS.map(([kind, text]) => (
              <option key={kind} value={kind}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <EventFilter events={session.events} selectedId={params.get('event')} />
        <label>
          Search
          <input
            name="words"
            defaultValue={params.get('words') ?? ''}
            maxLength={100}
            autoComplete="off"
          />
        </label>
        <label>
          From
          <input name="from" type="date" defaultValue={params.get('from') ?? ''} />
        </label>
        <label>
          To
          <input name="to" type="date" defaultValue={params.get('to') ?? ''} />
        </label>
      </FilterForm>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {rows === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the audit log</span>
        </p>
      )}
      {rows && (
        <section className="pan" aria-label="Entries">
          {rows.length === 0 && <p className="mute">No entries match these filters.</p>}
          <ul className="log">
            {rows.map((row) => (
              <AuditEntry key={row.id} row={row} session={session} />
            ))}
          </ul>
          <ShowOlder query={query} />
        </section>
      )}
    </main>
  )
}

function AuditEntry({
  row: { who: username, what, at, event, event_id, reg_no },
  session,
}: {
  readonly row: WireActivity
  readonly session: SessionResponse
}) {
  const entryEvent = session.events.find(({ id }) => id === event_id)
  return (
    <li>
      <span>
        {/* The history of a registration does not begin with a verb: “Payment recorded”. */}
        <b>{username}</b>
        {reg_no === null ? ' ' : ': '}
        {what}
        <small>
          {event}
          {event !== '' && reg_no !== null && ' · '}
          {reg_no !== null &&
            (entryEvent === undefined ? (
              reg_no
            ) : (
              <Link to={registrationUrl(entryEvent, reg_no)}>{reg_no}</Link>
            ))}
        </small>
      </span>
      <EntryTime at={at} />
    </li>
  )
}
