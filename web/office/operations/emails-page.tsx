/** The email log: pending, failed and sent; search by address, send again. Filters are in the URL. */
import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { formatCount } from '../../../engine/index.ts'
import type { MailsAnswer, SessionAnswer, WireMail } from '../../../engine/api.ts'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { readMessage } from '../office-api-responses.ts'
import { Asking, ShowOlder, useAskedList, WhichEvent } from '../ui/log-list.tsx'
import { ask, registrationAddress } from '../office-api-and-urls.ts'
import { useLeaveOn401 } from '../expired-session.ts'
import { readMails } from './operations-api-responses.ts'
import { Banner, Heading } from '../ui/error-banner-and-heading.tsx'
import { instantText } from '../ui/format-date-time.ts'
import { When } from '../ui/list-entry-time.tsx'
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
  const { params, setParams, asked, query } = useAskedList('mails', CALL, FILTERS, readMails)
  const retry = useMutation({
    mutationFn: (which: { readonly ids: readonly number[] } | { readonly all: true }) =>
      ask(`${CALL}retry/`, readMessage, { method: 'POST', json: which }),
    onSuccess: () => query.refetch(),
  })
  const error = useLeaveOn401(query.error)
  const refused = useLeaveOn401(retry.error)
  const first = query.data?.pages[0]
  const rows = query.data?.pages.flatMap((page) => page.mails)
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <Heading title="Emails">
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
      </Heading>
      {first && <Counts {...first} status={params.get('status')} asked={asked} />}
      <Asking asked={asked} onAsk={setParams}>
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
        <WhichEvent events={session.events} chosen={params.get('event')} />
      </Asking>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', go: () => void query.refetch() }}
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
              <Link to={registrationAddress(list, reg_no)}>{reg_no}</Link>
            ))}
        </small>
        {error !== null && <small className="bad">{error}</small>}
        {next_at !== null && error !== null && <small>Next try {instantText(next_at)}</small>}
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
        <When at={at} />
        {mayRetry && (
          <button type="button" className="btn line sm" disabled={isBusy} onClick={onRetry}>
            Resend<span className="vh"> {to}</span>
          </button>
        )}
      </span>
    </li>
  )
}
