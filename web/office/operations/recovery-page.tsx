/** Recovery after a restore: the differences, the work on hold, and the dialog that ends the recovery. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { formatCount } from '../../../engine/index.ts'
import type { RecoveryResponse, WireRecovery } from '../../../engine/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { DetailsList } from '../../ui/details-list.tsx'
import { readMessage } from '../office-api-responses.ts'
import { callApi, EMAILS, PAYMENT_REVIEWS } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { readRecovery } from './operations-api-responses.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { formatDateTime } from '../ui/format-date-time.ts'
import '../registration/registration-details-page.css'
import '../users/team-page.css'
import '../registration/actions-and-timeline.css'
import '../discount-codes/discount-codes-page.css'
import './emails-page.css'

const API_PATH = '/api/admin/recovery-state/'
const QUERY_KEY = ['recovery'] as const

/** Shows the recovery page. Only owners of all events can open it. */
export function RecoveryPage() {
  const queryClient = useQueryClient()
  const [isDialogOpen, setDialogOpen] = useState(false)
  const [message, setMessage] = useState('')
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => callApi(API_PATH, readRecovery, { signal }),
  })
  const error = useSignInOn401(query.error)
  const recovery = query.data?.recovery
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Recovery">
        {recovery != null && (
          <button type="button" className="btn sm" onClick={() => setDialogOpen(true)}>
            End recovery
          </button>
        )}
      </PageHeading>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      <p role="status" className={message === '' ? undefined : 'done'}>
        {message}
      </p>
      {query.data === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading recovery</span>
        </p>
      )}
      {recovery === null && (
        <p className="clear">
          <Icon name="tick" small /> The installation is not in recovery. A recovery starts when a
          backup is restored with <code>rollcall db restore</code>.
        </p>
      )}
      {recovery != null && <Differences recovery={recovery} />}
      {query.data !== undefined && query.data.past.length > 0 && (
        <PastRecoveries past={query.data.past} />
      )}
      {isDialogOpen && recovery != null && (
        <EndRecoveryDialog
          recovery={recovery}
          onDone={(message) => {
            setDialogOpen(false)
            setMessage(message)
            void query.refetch()
            void queryClient.invalidateQueries({ queryKey: ['session'] })
          }}
          onClose={() => setDialogOpen(false)}
        />
      )}
    </main>
  )
}

function Differences({ recovery }: { readonly recovery: WireRecovery }) {
  const {
    why: reason,
    begun_at: startedAt,
    pending,
    unknown,
    held,
    mails,
    series,
    uploads,
    code,
  } = recovery
  const reviewCount =
    unknown.to_decide === 0 ? (
      '0'
    ) : (
      <Link to={PAYMENT_REVIEWS}>{formatCount(unknown.to_decide)} in Needs review</Link>
    )
  return (
    <>
      <p>
        {reason} In recovery since {formatDateTime(startedAt)}. The database does not contain data
        stored after the backup was made. Before you end the recovery, compare the database with the
        settlement report and the bank statement.
      </p>
      <div className="panels top">
        <div>
          <section className="panel" aria-labelledby="copy">
            <h2 id="copy">Restored backup</h2>
            <FigureList
              figures={[
                ['Backup made', formatTime(recovery.copy_at)],
                ['Newest record', formatTime(recovery.stored_at)],
                ['Previous database used until', formatTime(recovery.served_at)],
                ['Missing files', formatCount(uploads.missing)],
                ['Files without a registration', formatCount(uploads.unused)],
              ]}
            />
          </section>
          <section className="panel" aria-labelledby="series">
            <h2 id="series">Invoices and credit notes</h2>
            <p>
              New numbers contain {code}, because the next numbers of the old series may already
              have been issued.
            </p>
            <FigureList
              figures={series.map(({ pattern, year, last }) => [
                pattern.replace('{year}', year),
                `${formatCount(last)} issued`,
              ])}
            />
          </section>
        </div>
        <div>
          <section className="panel" aria-labelledby="payments">
            <h2 id="payments">Payments</h2>
            <FigureList
              figures={[
                ['Pending in the backup', formatCount(pending.all)],
                ['Checked with the gateway', formatCount(pending.asked)],
                ['No longer pending', formatCount(pending.ended)],
                ['Payments for unknown orders', reviewCount],
                ['Orders to check with the gateway', formatCount(unknown.to_ask)],
              ]}
            />
          </section>
          <section className="panel" aria-labelledby="held">
            <h2 id="held">Held until the recovery ends</h2>
            <FigureList
              figures={[
                ['Emails', formatCount(held.mails)],
                ['Of these, queued since the restore', formatCount(held.since)],
                ['Refunds', formatCount(held.refunds)],
                ['Erasures', formatCount(held.erasures)],
              ]}
            />
          </section>
        </div>
      </div>
      {mails.length > 0 && (
        <section className="panel" aria-labelledby="mails">
          <h2 id="mails">Held emails</h2>
          <ul className="log email-list">
            {mails.map(({ id, to, subject, event, at: time }) => (
              <li key={id}>
                <span>
                  <b className="to">{to}</b> {subject}
                  <small>{event}</small>
                </span>
                <span className="r">
                  <time dateTime={time}>{formatDateTime(time)}</time>
                </span>
              </li>
            ))}
          </ul>
          {held.mails > mails.length && (
            <p>
              <Link to={`${EMAILS}?status=queued`}>
                Show all {formatCount(held.mails)} in Emails
              </Link>
            </p>
          )}
        </section>
      )}
    </>
  )
}

const formatTime = (time: string | null): string =>
  time === null ? 'Unknown' : formatDateTime(time)

function FigureList({ figures }: { readonly figures: readonly (readonly [string, ReactNode])[] }) {
  return figures.length === 0 ? null : (
    <DetailsList rows={figures.map(([label, value]) => ({ id: label, label, value }))} />
  )
}

const EMAIL_OUTCOMES = {
  send: 'sent',
  copy: 'sent if queued in the backup',
  discard: 'discarded',
} as const

function PastRecoveries({ past }: Pick<RecoveryResponse, 'past'>) {
  return (
    <section className="panel" aria-labelledby="past">
      <h2 id="past">Earlier recoveries</h2>
      <ul className="log">
        {past.map(({ code, begun_at: startedAt, ended_at: endedAt, ended_by: endedBy, mails }) => (
          <li key={code}>
            <span>
              <b>{code}</b> {formatDateTime(startedAt)} to {formatDateTime(endedAt)}
              <small>
                ended by {endedBy}, held emails {EMAIL_OUTCOMES[mails]}
              </small>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

type EndRecoveryDialogProps = {
  readonly recovery: WireRecovery
  readonly onDone: (message: string) => void
  readonly onClose: () => void
}

function EndRecoveryDialog({ recovery, onDone, onClose }: EndRecoveryDialogProps) {
  const { held, unknown, pending } = recovery
  const endMutation = useMutation({
    mutationFn: (mails: string) =>
      callApi(`${API_PATH}end/`, readMessage, { method: 'POST', json: { mails } }),
    onSuccess: onDone,
  })
  const endError = useSignInOn401(endMutation.error)
  const openCount = unknown.to_decide + unknown.to_ask + pending.all - pending.ended
  return (
    <Dialog title="End recovery" onClose={onClose}>
      {endError && <Banner text={endError.message} />}
      {openCount > 0 && (
        <p className="care">
          <Icon name="tri" small />
          <span>
            Still open: payments for unknown orders ({formatCount(unknown.to_decide)}), orders to
            check with the gateway ({formatCount(unknown.to_ask)}), pending payments in the backup (
            {formatCount(pending.all - pending.ended)}).
          </span>
        </p>
      )}
      <p>
        Held refunds ({formatCount(held.refunds)}) will be sent to the gateway, and personal data
        will be erased as scheduled. New invoices will keep the new number series.
      </p>
      <form
        className="inline-form"
        onSubmit={(event) => {
          event.preventDefault()
          endMutation.mutate(String(new FormData(event.currentTarget).get('mails')))
        }}
      >
        <fieldset className="ticks">
          <legend>Held emails ({formatCount(held.mails)})</legend>
          <label>
            <input type="radio" name="mails" value="send" required />
            <span>Send all: some may already have been sent</span>
          </label>
          <label>
            <input type="radio" name="mails" value="copy" required />
            <span>
              Send those already queued in the backup, and discard newer ones (
              {formatCount(held.since)})
            </span>
          </label>
          <label>
            <input type="radio" name="mails" value="discard" required />
            <span>Discard all: some may never have been sent</span>
          </label>
        </fieldset>
        <div className="actions">
          <button type="submit" className="btn" disabled={endMutation.isPending}>
            End recovery
          </button>
          <button type="button" className="btn line" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
