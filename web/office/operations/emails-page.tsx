/** The email log: queued, failed and sent emails. The URL contains its filters. */
import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { formatCount } from '../../../engine/index.ts'
import type { EmailsResponse, SessionResponse, WireMail } from '../../../engine/api.ts'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { readMessage } from '../office-api-responses.ts'
import { LogFilters, ShowOlder, createEventFilter, useFilteredLog } from '../ui/log-list.tsx'
import { callApi, buildRegistrationUrl } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { readEmails } from './operations-api-responses.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { formatDateTime } from '../ui/format-date-time.ts'
import { explainDeliveryError } from './delivery-errors.ts'
import { EmailDetails } from './email-details.tsx'
import { EntryTime } from '../ui/list-entry-time.tsx'
import '../registration/registration-details-page.css'
import '../users/team-page.css'
import './emails-page.css'

const API_PATH = '/api/admin/mail/'
const FILTERS = ['status', 'event', 'address'] as const
const EMAIL_STATES = [
  { id: 'queued', label: 'Queued' },
  { id: 'failed', label: 'Failed' },
  { id: 'sent', label: 'Sent' },
] as const

export function EmailsPage({ session }: { readonly session: SessionResponse }) {
  const { params, setParams, filterQuery, query } = useFilteredLog(
    'mails',
    API_PATH,
    FILTERS,
    readEmails,
  )
  const resendMutation = useMutation({
    mutationFn: (target: { readonly ids: readonly number[] } | { readonly all: true }) =>
      callApi(`${API_PATH}retry/`, readMessage, { method: 'POST', json: target }),
    onSuccess: () => query.refetch(),
  })
  const error = useSignInOn401(query.error)
  const resendError = useSignInOn401(resendMutation.error)
  const firstPage = query.data?.pages[0]
  const rows = query.data?.pages.flatMap((page) => page.mails)
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Emails">
        {firstPage !== undefined && firstPage.counts.failed > 0 && (
          <button
            type="button"
            className="btn line sm"
            disabled={resendMutation.isPending}
            onClick={() => resendMutation.mutate({ all: true })}
          >
            Resend all failed
          </button>
        )}
      </PageHeading>
      {firstPage && (
        <StateCounts {...firstPage} status={params.get('status')} filterQuery={filterQuery} />
      )}
      <LogFilters
        title="Emails"
        barFilterName="status"
        filters={[
          { show: 'search', sentAs: 'address', label: 'Email address', kind: 'search' },
          {
            show: 'status',
            sentAs: 'status',
            label: 'Status',
            kind: 'options',
            options: EMAIL_STATES,
            anyLabel: 'All',
          },
          createEventFilter(session.events),
        ]}
        {...{ params, setParams }}
      />
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {resendError && (
        <Banner text={resendError.message} onDismiss={() => resendMutation.reset()} />
      )}
      <p role="status" className="form-status">
        {resendMutation.data ?? ''}
      </p>
      {rows === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the emails</span>
        </p>
      )}
      {rows && (
        <section className="panel" aria-label="Emails">
          {rows.length === 0 && (
            <p className="mute">
              {filterQuery === ''
                ? 'No emails yet. Confirmations, reminders and receipts appear here.'
                : 'No emails match. Clear the filters to see all emails.'}
            </p>
          )}
          <ul className="log email-list">
            {rows.map((email) => (
              <EmailRow
                key={email.id}
                email={email}
                session={session}
                isBusy={resendMutation.isPending}
                onResend={() => resendMutation.mutate({ ids: [email.id] })}
              />
            ))}
          </ul>
          <ShowOlder query={query} />
        </section>
      )}
    </main>
  )
}

/** Shows the number of emails in each state, with links to the filtered list. */
function StateCounts({
  counts,
  counted_to,
  status,
  filterQuery,
}: Pick<EmailsResponse, 'counts' | 'counted_to'> & {
  readonly status: string | null
  readonly filterQuery: string
}) {
  return (
    <ul className="state-counts" aria-label="Emails by status">
      {EMAIL_STATES.map(({ id: state, label: text }) => {
        const count = counts[state]
        const params = new URLSearchParams(filterQuery)
        params.set('status', state)
        return (
          <li key={state}>
            <Link
              to={`?${params}`}
              {...(status === state ? { 'aria-current': 'true' as const } : {})}
            >
              {text}{' '}
              <b>{count > counted_to ? `${formatCount(counted_to)}+` : formatCount(count)}</b>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}

function EmailRow({
  email: { id, to, subject, event, event_id, reg_no, status, at, next_at, error },
  session,
  isBusy,
  onResend,
}: {
  readonly email: WireMail
  readonly session: SessionResponse
  readonly isBusy: boolean
  readonly onResend: () => void
}) {
  const emailEvent = session.events.find(({ id }) => id === event_id)
  const canResend =
    to !== '' &&
    (status === 'failed' || (status === 'queued' && error !== null && next_at !== null))
  return (
    <li>
      <span>
        <b className="to">{to === '' ? 'Erased' : to}</b> {subject}
        <small>
          {event}
          {reg_no !== null && ' · '}
          {reg_no !== null &&
            (emailEvent === undefined ? (
              reg_no
            ) : (
              <Link to={buildRegistrationUrl(emailEvent, reg_no)}>{reg_no}</Link>
            ))}
        </small>
        {error !== null && <small className="bad">{explainDeliveryError(error)}</small>}
        {next_at !== null && error !== null && (
          <small>Next attempt {formatDateTime(next_at)}</small>
        )}
        <EmailDetails id={id} subject={subject} />
      </span>
      <span className="r">
        {status === 'sent' ? (
          <Badge tone="good" icon="tick">
            Sent
          </Badge>
        ) : status === 'failed' ? (
          <Badge tone="bad" icon="cross">
            Failed
          </Badge>
        ) : next_at === null ? (
          <Badge tone="care" icon="clock">
            Held
          </Badge>
        ) : (
          <Badge tone="care" icon="clock">
            Queued
          </Badge>
        )}
        <EntryTime at={at} />
        {canResend && (
          <button type="button" className="btn line sm" disabled={isBusy} onClick={onResend}>
            Resend<span className="vh"> {to}</span>
          </button>
        )}
      </span>
    </li>
  )
}
