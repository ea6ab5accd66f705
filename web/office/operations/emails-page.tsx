/** The email log: pending, failed and sent; search by address, send again. Filters are in the URL. */
import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { formatCount } from '../../../engine/index.ts'
import type { MailsAnswer, SessionAnswer, WireMail } from '../../../engine/api.ts'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { readMessage } from '../office-api-responses.ts'
import { FilterForm, ShowOlder, useFilteredLog, EventFilter } from '../ui/log-list.tsx'
import { callApi, registrationUrl } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { readMails } from './operations-api-responses.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { formatDateTime } from '../ui/format-date-time.ts'
import { EntryTime } from '../ui/list-entry-time.tsx'
import '../registration/registration-details-page.css'
import '../users/team-page.css'
import './emails-page.css'

const CALL = '/api/admin/mail/'
const FILTERS = ['status', 'event', 'address'] as const
const STATES = [
  ['queued', 'Waiting'],
  ['failed', 'Failed'],
  ['sent', 'Sent'],
] as const

export function MailsPage({ session }: { readonly session: SessionAnswer }) {
  const {
    params,
    setParams,
    filterQuery: asked,
    query,
  } = useFilteredLog('mails', CALL, FILTERS, readMails)
  const retry = useMutation({
    mutationFn: (which: { readonly ids: readonly number[] } | { readonly all: true }) =>
      callApi(`${CALL}retry/`, readMessage, { method: 'POST', json: which }),
    onSuccess: () => query.refetch(),
  })
  const error = useSignInOn401(query.error)
  const refused = useSignInOn401(retry.error)
  const first = query.data?.pages[0]
  const rows = query.data?.pages.flatMap((page) => page.mails)
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Emails">
        {first !== undefined && first.counts.failed > 0 && (
          <button
            type="button"
            className="btn line sm"
            disabled={retry.isPending}
            onClick={() => retry.mutate({ all: true })}
          >
            Resend all failed
          </button>
        )}
      </PageHeading>
      {first && <Counts {...first} status={params.get('status')} asked={asked} />}
      <FilterForm filterQuery={asked} onApply={setParams}>
        <label>
          Address
          <input
            name="address"
            type="search"
            defaultValue={params.get('address') ?? ''}
            maxLength={100}
            autoComplete="off"
          />
        </label>
        <label>
          State
          <select name="status" defaultValue={params.get('status') ?? ''}>
            <option value="">All</option>
            {STATES.map(([status, text]) => (
              <option key={status} value={status}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <EventFilter events={session.events} selectedId={params.get('event')} />
      </FilterForm>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {refused && <Banner text={refused.message} onDismiss={() => retry.reset()} />}
      <p role="status" className="settled">
        {retry.data ?? ''}
      </p>
      {rows === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the emails</span>
        </p>
      )}
      {rows && (
        <section className="pan" aria-label="Emails">
          {rows.length === 0 && (
            <p className="mute">
              {asked === '' ? 'No emails yet.' : 'No emails match these filters.'}
            </p>
          )}
          <ul className="log mails">
            {rows.map((mail) => (
              <Mail
                key={mail.id}
                mail={mail}
                session={session}
                isBusy={retry.isPending}
                onRetry={() => retry.mutate({ ids: [mail.id] })}
              />
            ))}
          </ul>
          <ShowOlder query={query} />
        </section>
      )}
    </main>
  )
}

/** The number of emails in each state, linked to the filtered list. */
function Counts({
  counts,
  counted_to,
  status,
  asked,
}: Pick<MailsAnswer, 'counts' | 'counted_to'> & {
  readonly status: string | null
  readonly asked: string
}) {
  return (
    <ul className="counted" aria-label="How many">
      {STATES.map(([state, text]) => {
        const count = counts[state]
        const to = new URLSearchParams(asked)
        to.set('status', state)
        return (
          <li key={state}>
            <Link to={`?${to}`} {...(status === state ? { 'aria-current': 'true' as const } : {})}>
              {text}{' '}
              <b>{count > counted_to ? `${formatCount(counted_to)}+` : formatCount(count)}</b>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}

function Mail({
  mail: { to, subject, event, event_id, reg_no, status, at, next_at, error },
  session,
  isBusy,
  onRetry,
}: {
  readonly mail: WireMail
  readonly session: SessionAnswer
  readonly isBusy: boolean
  readonly onRetry: () => void
}) {
  const list = session.events.find(({ id }) => id === event_id)?.lists[0]
  const mayRetry =
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
            (list === undefined ? (
              reg_no
            ) : (
              <Link to={registrationUrl(list, reg_no)}>{reg_no}</Link>
            ))}
        </small>
        {error !== null && <small className="bad">{error}</small>}
        {next_at !== null && error !== null && <small>Next try {formatDateTime(next_at)}</small>}
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
            Waiting
          </Badge>
        )}
        <EntryTime at={at} />
        {mayRetry && (
          <button type="button" className="btn line sm" disabled={isBusy} onClick={onRetry}>
            Resend<span className="vh"> {to}</span>
          </button>
        )}
      </span>
    </li>
  )
}
