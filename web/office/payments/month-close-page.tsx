/** Month close: a checklist with figures, the accountant's file, and the button that closes the month. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { addMonths, day, formatCount } from '../../../engine/index.ts'
import type { MonthResponse, SessionResponse } from '../../../engine/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import {
  callApi,
  DASHBOARD,
  buildMonthUrl,
  PAYMENTS,
  buildRegistrationsUrl,
  SETTLEMENTS,
  STATEMENTS,
} from '../office-api-and-urls.ts'
import { ExportButtons } from '../jobs/export-buttons.tsx'
import { readSuccess } from '../office-api-responses.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { formatDateTime } from '../ui/format-date-time.ts'
import { MovementSummary, TotalsBy } from './movement-totals.tsx'
import { MovementRows } from './movements.tsx'
import { pluralise } from './payment-tables.tsx'
import { readMonth } from './payments-api-responses.ts'
import { formatMonth, describePeriod } from './periods.ts'
import '../lists/list-page.css'
import './payments.css'

const API_PATH = '/api/admin/months/'

export function MonthClosePage({
  session,
  month,
}: {
  readonly session: SessionResponse
  readonly month: string
}) {
  const [isClosing, setClosing] = useState(false)
  const [message, setMessage] = useState('')
  const status = useRef<HTMLParagraphElement>(null)
  const query = useQuery({
    queryKey: ['month', month],
    queryFn: ({ signal }) => callApi(`${API_PATH}?month=${month}`, readMonth, { signal }),
  })
  const error = useSignInOn401(query.error)
  useEffect(() => {
    if (message !== '') status.current?.focus()
  }, [message])
  const name = formatMonth(month)
  const data = query.data
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title={`Close ${name}`}>
        <MonthLinks month={month} isOver={data?.is_over === true} />
      </PageHeading>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      <p role="status" ref={status} tabIndex={-1} className="done">
        {message}
      </p>
      {data && (
        <>
          <MovementSummary
            totals={data.totals}
            days={describePeriod(data.from, data.to)}
            hasFilters={false}
          />
          <CheckItems checks={listChecks(month, data)} label="Checklist" />
          <Closings data={data} />
          <div className="actions closing">
            <ExportButtons
              className="btn"
              files={[
                {
                  label: 'Export for the accountant',
                  path: `${API_PATH}export/?month=${month}`,
                  name: `${month}.zip`,
                },
              ]}
            />
            {data.is_over && needsClosing(session, data) && (
              <button type="button" className="btn line" onClick={() => setClosing(true)}>
                {data.closings.length === 0 ? 'Close the month' : 'Close again'}
              </button>
            )}
          </div>
          <p className="mute">
            One zip file: payments, refunds, {pluralise(data.invoices, 'invoice', 'invoices')},{' '}
            {pluralise(data.credit_notes, 'credit note', 'credit notes')}, settlement fees and a
            summary by event, each as CSV and Excel, plus a note on which dates are used.
            {!data.is_over && ' The month can be closed after its last day.'}
          </p>
          {data.changes.length > 0 && (
            <section>
              <h2>Changes after closing</h2>
              <MovementRows session={session} rows={data.changes} label="Changes after closing" />
            </section>
          )}
          <TotalsBy label="By event" head="Event" totals={data.totals} by="event" />
          <TotalsBy label="By method" head="Method" totals={data.totals} by="method" />
        </>
      )}
      {isClosing && (
        <CloseDialog
          month={month}
          openChecks={
            data === undefined ? [] : listChecks(month, data).filter(({ isDone }) => !isDone)
          }
          onClose={() => setClosing(false)}
          onDone={() => {
            setClosing(false)
            setMessage(`${name} is closed.`)
            void query.refetch()
          }}
        />
      )}
    </main>
  )
}

/** Links to the previous month, and to the next one if it has begun, because a future month cannot be closed. */
function MonthLinks({ month, isOver }: { readonly month: string; readonly isOver: boolean }) {
  const firstDay = day(`${month}-01`)
  const [previousMonth, nextMonth] = [-1, 1].map((offset) =>
    addMonths(firstDay, offset).slice(0, 7),
  ) as [string, string]
  return (
    <nav className="actions" aria-label="Months">
      <Link className="btn line sm" to={buildMonthUrl(previousMonth)}>
        {formatMonth(previousMonth)}
      </Link>
      {isOver && (
        <Link className="btn line sm" to={buildMonthUrl(nextMonth)}>
          {formatMonth(nextMonth)}
        </Link>
      )}
    </nav>
  )
}

/**
 * Returns whether closing the month would record something new: the month was never closed, has changed since, or has a
 * new event.
 */
const needsClosing = ({ events }: SessionResponse, { closings, changes }: MonthResponse): boolean =>
  changes.length > 0 ||
  events.some((event) =>
    closings.every(({ event_id: closedEventId }) => closedEventId !== event.id),
  )

type Check = { readonly text: string; readonly isDone: boolean; readonly to: string }

function listChecks(month: string, { checks }: MonthResponse): readonly Check[] {
  const { statements, unreconciled, reviews, refunds, unsettled, payouts, rates } = checks
  const { registrations: refundsToMake, event: refundsEventId } = checks.to_refund
  const unsettledCount = unsettled.payments + unsettled.refunds
  return [
    {
      text:
        statements.statements === 0
          ? 'No bank statement saved for this month'
          : statements.open === 0
            ? `All ${formatCount(statements.matched)} statement lines are resolved`
            : `${pluralise(statements.open, 'statement line is', 'statement lines are')} open, ${formatCount(statements.matched)} resolved`,
      isDone: statements.statements > 0 && statements.open === 0,
      to: STATEMENTS,
    },
    {
      text:
        unreconciled === 0
          ? 'No transfer or UPI payment is missing from the bank statements'
          : `${pluralise(unreconciled, 'transfer or UPI payment is', 'transfer or UPI payments are')} not in any bank statement`,
      isDone: unreconciled === 0,
      to: `${PAYMENTS}?tab=all&month=${month}&unreconciled=1`,
    },
    {
      text:
        reviews === 0
          ? 'No payments need review'
          : pluralise(reviews, 'payment needs review', 'payments need review'),
      isDone: reviews === 0,
      to: `${PAYMENTS}?tab=review`,
    },
    {
      text:
        refunds === 0
          ? 'No open refunds'
          : pluralise(refunds, 'refund is open', 'refunds are open'),
      isDone: refunds === 0,
      to: `${PAYMENTS}?tab=refunds`,
    },
    {
      text:
        refundsToMake === 0
          ? 'No registrations are due a refund'
          : pluralise(
              refundsToMake,
              'registration is due a refund',
              'registrations are due a refund',
            ),
      isDone: refundsToMake === 0,
      to:
        refundsEventId === null
          ? DASHBOARD
          : `${buildRegistrationsUrl({ id: refundsEventId })}?waiting=pay_back`,
    },
    {
      text:
        unsettledCount === 0
          ? 'All gateway payments and refunds are in a saved settlement'
          : `${[
              ...(unsettled.payments === 0
                ? []
                : [pluralise(unsettled.payments, 'gateway payment', 'gateway payments')]),
              ...(unsettled.refunds === 0
                ? []
                : [pluralise(unsettled.refunds, 'gateway refund', 'gateway refunds')]),
            ].join(' and ')} ${unsettledCount === 1 ? 'is' : 'are'} not in a saved settlement`,
      isDone: unsettledCount === 0,
      to: `${PAYMENTS}?tab=all&month=${month}&unsettled=1`,
    },
    ...(payouts.payouts === 0
      ? []
      : [
          {
            text: `${formatCount(payouts.at_bank)} of ${pluralise(payouts.payouts, 'gateway payout matches', 'gateway payouts match')} a saved bank statement`,
            isDone: payouts.at_bank === payouts.payouts,
            to: SETTLEMENTS,
          },
        ]),
    ...(rates === 0
      ? []
      : [
          {
            text:
              pluralise(rates, 'invoice is waiting', 'invoices are waiting') +
              ' for an exchange rate',
            isDone: false,
            to: SETTLEMENTS,
          },
        ]),
  ]
}

function CheckItems({
  checks,
  label,
}: {
  readonly checks: readonly Check[]
  readonly label: string
}) {
  return (
    <ul className="checks" aria-label={label}>
      {checks.map(({ text, isDone, to }) => (
        <li key={text} className={isDone ? 'done-item' : undefined}>
          <Icon name={isDone ? 'tick' : 'tri'} small />
          <span className="vh">{isDone ? 'Done: ' : 'To do: '}</span>
          <Link to={to}>{text}</Link>
        </li>
      ))}
    </ul>
  )
}

function Closings({ data: { closings, changes } }: { readonly data: MonthResponse }) {
  return closings.map(({ event_id: eventId, event, who, at }) => {
    const count = changes.filter((row) => row.event_id === eventId).length
    return (
      <p key={eventId}>
        {event}: closed by {who} on {formatDateTime(at)}
        {count > 0 && `, ${pluralise(count, 'change', 'changes')} since`}
      </p>
    )
  })
}

function CloseDialog({
  month,
  openChecks,
  onDone,
  onClose,
}: {
  readonly month: string
  /** The open items of the checklist. They do not prevent the month from being closed. */
  readonly openChecks: readonly Check[]
  readonly onDone: () => void
  readonly onClose: () => void
}) {
  const closing = useMutation({
    mutationFn: () =>
      callApi(`${API_PATH}close/`, readSuccess, { method: 'POST', json: { month } }),
    onSuccess: onDone,
  })
  const error = useSignInOn401(closing.error)
  return (
    <Dialog title={`Close ${formatMonth(month)}`} onClose={onClose}>
      {error && <Banner text={error.message} />}
      {openChecks.length === 0 ? (
        <p>Everything on the checklist is done.</p>
      ) : (
        <>
          <p>
            {pluralise(openChecks.length, 'checklist item is', 'checklist items are')} still open:
          </p>
          <CheckItems checks={openChecks} label="Still open" />
        </>
      )}
      <p>
        Rollcall records your name, the time and the figures for each of your events. Payments can
        still arrive: later changes to this month are listed on this page and in the file.
      </p>
      <div className="actions">
        <button
          type="button"
          className="btn"
          disabled={closing.isPending}
          onClick={() => closing.mutate()}
        >
          Close the month
        </button>
        <button type="button" className="btn line" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  )
}
