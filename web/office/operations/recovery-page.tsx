/**
 * Recovery after a restore: what differs, what is on hold, and how to end it.
 * For owners of all events only.
 */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { formatCount } from '../../../engine/index.ts'
import type { RecoveryAnswer, WireRecovery } from '../../../engine/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Ledger } from '../../ui/details-list.tsx'
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

const CALL = '/api/admin/recovery-state/'
const KEY = ['recovery'] as const

export function RecoveryPage() {
  const client = useQueryClient()
  const [isEnding, setEnding] = useState(false)
  const [done, setDone] = useState('')
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => callApi(CALL, readRecovery, { signal }),
  })
  const error = useSignInOn401(query.error)
  const recovery = query.data?.recovery
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Recovery">
        {recovery != null && (
          <button type="button" className="btn sm" onClick={() => setEnding(true)}>
            End the recovery
          </button>
        )}
      </PageHeading>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      <p role="status" className={done === '' ? undefined : 'done'}>
        {done}
      </p>
      {query.data === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the recovery</span>
        </p>
      )}
      {recovery === null && (
        <p className="clear">
          <Icon name="tick" small /> The installation is not in recovery.
        </p>
      )}
      {recovery != null && <Differences recovery={recovery} />}
      {query.data !== undefined && query.data.past.length > 0 && <Past past={query.data.past} />}
      {isEnding && recovery != null && (
        <Ending
          recovery={recovery}
          onDone={(message) => {
            setEnding(false)
            setDone(message)
            void query.refetch()
            void client.invalidateQueries({ queryKey: ['session'] })
          }}
          onClose={() => setEnding(false)}
        />
      )}
    </main>
  )
}

function Differences({ recovery }: { readonly recovery: WireRecovery }) {
  const { why, begun_at: begun, pending, unknown, held, mails, series, uploads, code } = recovery
  const toDecide =
    unknown.to_decide === 0 ? (
      '0'
    ) : (
      <Link to={PAYMENT_REVIEWS}>{formatCount(unknown.to_decide)} in Needs review</Link>
    )
  return (
    <>
      <p>
        {why} In recovery since {formatDateTime(begun)}. The database lacks what was stored after
        the copy was made: compare the settlement report and the bank statement with it before you
        end the recovery.
      </p>
      <div className="panels top">
        <div>
          <section className="pan" aria-labelledby="copy">
            <h2 id="copy">The copy</h2>
            <Facts
              facts={[
                ['Made', timeOr(recovery.copy_at)],
                ['Newest record', timeOr(recovery.stored_at)],
                ['Served until', timeOr(recovery.served_at)],
                ['Files missing', formatCount(uploads.missing)],
                ['Files of no registration', formatCount(uploads.unused)],
              ]}
            />
          </section>
          <section className="pan" aria-labelledby="series">
            <h2 id="series">Invoices and credit notes</h2>
            <p>New numbers contain {code}, because the old numbers may have been issued already.</p>
            <Facts
              facts={series.map(({ pattern, year, last }) => [
                pattern.replace('{year}', year),
                `${formatCount(last)} issued`,
              ])}
            />
          </section>
        </div>
        <div>
          <section className="pan" aria-labelledby="payments">
            <h2 id="payments">Payments</h2>
            <Facts
              facts={[
                ['Pending in the copy', formatCount(pending.all)],
                ['Gateway asked about', formatCount(pending.asked)],
                ['Not pending any more', formatCount(pending.ended)],
                ['For unknown orders', toDecide],
                ['Orders to ask about', formatCount(unknown.to_ask)],
              ]}
            />
          </section>
          <section className="pan" aria-labelledby="held">
            <h2 id="held">Held until the recovery ends</h2>
            <Facts
              facts={[
                ['Emails', formatCount(held.mails)],
                ['Of them, written since', formatCount(held.since)],
                ['Refunds', formatCount(held.refunds)],
                ['Erasures', formatCount(held.erasures)],
              ]}
            />
          </section>
        </div>
      </div>
      {mails.length > 0 && (
        <section className="pan" aria-labelledby="mails">
          <h2 id="mails">Held emails</h2>
          <ul className="log mails">
            {mails.map(({ id, to, subject, event, at }) => (
              <li key={id}>
                <span>
                  <b className="to">{to}</b> {subject}
                  <small>{event}</small>
                </span>
                <span className="r">
                  <time dateTime={at}>{formatDateTime(at)}</time>
                </span>
              </li>
            ))}
          </ul>
          {held.mails > mails.length && (
            <p>
              <Link to={`${EMAILS}?status=queued`}>
                All {formatCount(held.mails)} are among the emails that wait
              </Link>
            </p>
          )}
        </section>
      )}
    </>
  )
}

const timeOr = (at: string | null): string => (at === null ? 'Not known' : formatDateTime(at))

function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return facts.length === 0 ? null : (
    <Ledger rows={facts.map(([label, value]) => ({ id: label, label, value }))} />
  )
}

const ENDED_AS = { send: 'sent', copy: 'of the copy sent', discard: 'discarded' } as const

function Past({ past }: Pick<RecoveryAnswer, 'past'>) {
  return (
    <section className="pan" aria-labelledby="past">
      <h2 id="past">Earlier recoveries</h2>
      <ul className="log">
        {past.map(({ code, begun_at: begun, ended_at: ended, ended_by: by, mails }) => (
          <li key={code}>
            <span>
              <b>{code}</b> {formatDateTime(begun)} to {formatDateTime(ended)}
              <small>
                ended by {by}, held emails {ENDED_AS[mails]}
              </small>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

type EndingProps = {
  readonly recovery: WireRecovery
  readonly onDone: (message: string) => void
  readonly onClose: () => void
}

function Ending({ recovery, onDone, onClose }: EndingProps) {
  const { held, unknown, pending } = recovery
  const ending = useMutation({
    mutationFn: (mails: string) =>
      callApi(`${CALL}end/`, readMessage, { method: 'POST', json: { mails } }),
    onSuccess: onDone,
  })
  const refused = useSignInOn401(ending.error)
  const left = unknown.to_decide + unknown.to_ask + pending.all - pending.ended
  return (
    <Dialog title="End the recovery" onClose={onClose}>
      {refused && <Banner text={refused.message} />}
      {left > 0 && (
        <p className="care">
          <Icon name="tri" small />
          <span>
            Still open: payments for unknown orders to decide ({formatCount(unknown.to_decide)}),
            orders to ask the gateway about ({formatCount(unknown.to_ask)}), pending payments of the
            copy ({formatCount(pending.all - pending.ended)}).
          </span>
        </p>
      )}
      <p>
        Refunds that are held ({formatCount(held.refunds)}) go to the gateway, and erasure goes on.
        New invoices stay in the new series.
      </p>
      <form
        className="making"
        onSubmit={(submitted) => {
          submitted.preventDefault()
          ending.mutate(String(new FormData(submitted.currentTarget).get('mails')))
        }}
      >
        <fieldset className="ticks">
          <legend>Emails that are held ({formatCount(held.mails)})</legend>
          <label>
            <input type="radio" name="mails" value="send" required />
            <span>Send all: some may have been sent before</span>
          </label>
          <label>
            <input type="radio" name="mails" value="copy" required />
            <span>
              Send those that the copy held queued, discard those written since (
              {formatCount(held.since)})
            </span>
          </label>
          <label>
            <input type="radio" name="mails" value="discard" required />
            <span>Discard all: some may never have been sent</span>
          </label>
        </fieldset>
        <div className="acts">
          <button type="submit" className="btn" disabled={ending.isPending}>
            End the recovery
          </button>
          <button type="button" className="btn line" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
