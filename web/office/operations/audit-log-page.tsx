/** The audit log: who did what, and when. The URL contains its filters. */
import { Link } from 'react-router-dom'
import type { SessionResponse, WireAuditEntry } from '../../../engine/api.ts'
import { LogFilters, ShowOlder, createEventFilter, useFilteredLog } from '../ui/log-list.tsx'
import { buildRegistrationUrl } from '../office-api-and-urls.ts'
import { ExportButtons } from '../jobs/export-buttons.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { readAuditLog } from '../users/users-api-responses.ts'
import { mergeEventEntries } from './join-audit-entries.ts'
import { EntryTime } from '../ui/list-entry-time.tsx'
import '../registration/registration-details-page.css'
import '../users/team-page.css'

const API_PATH = '/api/admin/log/'
const FILTERS = ['who', 'event', 'kind', 'words', 'from', 'to'] as const
const ENTRY_KINDS = [
  { id: 'changes', label: 'Changes' },
  { id: 'exports', label: 'Exports' },
  { id: 'signing-in', label: 'Sign-ins' },
  { id: 'looks', label: 'Access' },
  { id: 'all', label: 'Everything' },
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
        <div className="actions">
          <ExportButtons
            files={[
              {
                label: 'Export CSV',
                path: `${API_PATH}export/?${filterQuery}`,
                name: 'audit-log.csv',
              },
            ]}
          />
        </div>
      </PageHeading>
      <LogFilters
        title="Audit log"
        barFilterName="kind"
        filters={[
          { show: 'search', sentAs: 'words', label: 'Search', kind: 'search' },
          {
            show: 'kind',
            sentAs: 'kind',
            label: 'Type',
            kind: 'options',
            anyLabel: 'Changes and sign-ins',
            options: ENTRY_KINDS,
          },
          {
            show: 'who',
            sentAs: 'who',
            label: 'User',
            kind: 'options',
            anyLabel: 'All users',
            options: [...new Set([...usernames, params.get('who') ?? ''])]
              .filter((username) => username !== '')
              .map((username) => ({ id: username, label: username })),
          },
          createEventFilter(session.events),
          { show: 'from', sentAs: 'from', label: 'From', kind: 'day' },
          { show: 'to', sentAs: 'to', label: 'To', kind: 'day' },
        ]}
        {...{ params, setParams }}
      />
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
        <section className="panel" aria-label="Entries">
          {rows.length === 0 && (
            <p className="mute">No entries match. Choose other dates, or clear the filters.</p>
          )}
          <ul className="log">
            {mergeEventEntries(rows).map((row) => (
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
  readonly row: WireAuditEntry
  readonly session: SessionResponse
}) {
  const entryEvent = session.events.find(({ id }) => id === event_id)
  return (
    <li>
      <span>
        {/* Entries from a registration's history do not begin with a verb: “Payment recorded”. */}
        <b>{username}</b>
        {reg_no === null ? ' ' : ' · '}
        {what}
        <small>
          {event}
          {event !== '' && reg_no !== null && ' · '}
          {reg_no !== null &&
            (entryEvent === undefined ? (
              reg_no
            ) : (
              <Link to={buildRegistrationUrl(entryEvent, reg_no)}>{reg_no}</Link>
            ))}
        </small>
      </span>
      <EntryTime at={at} />
    </li>
  )
}
