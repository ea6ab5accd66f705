/** Amounts due, oldest first, with a button that sends reminders to all debtors. */
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import {
  formatCount,
  getDueLabel,
  readInstant,
  REMINDER_INTERVAL_MS,
} from '../../../engine/index.ts'
import type { Currency, Instant } from '../../../engine/index.ts'
import type {
  BulkActionResponse,
  DebtorsResponse,
  SessionResponse,
  WireDebtor,
} from '../../../engine/api.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { callApi } from '../office-api-and-urls.ts'
import { describeAlreadyReminded, readBulkResult, splitRefusals } from '../lists/bulk-actions.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { ActionOutcome, type Outcome } from '../ui/action-outcome.tsx'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { addAmounts, formatResponseMoney } from '../ui/format-amount.ts'
import { EntryTime } from '../ui/list-entry-time.tsx'
import { ShowOlder } from '../ui/log-list.tsx'
import { ExportButtons, listFiles } from '../jobs/export-buttons.tsx'
import { Progress } from '../jobs/progress.tsx'
import { BATCH_ROWS, useBatches } from '../jobs/use-batches.ts'
import {
  AmountTable,
  EventFilter,
  groupRows,
  pluralise,
  RegistrationLink,
} from './payment-tables.tsx'
import { readDebtors } from './payments-api-responses.ts'

const API_PATH = '/api/admin/debtors/'

type DebtorsProps = { readonly session: SessionResponse; readonly eventId: string | null }

const buildPageUrl = (eventId: string | null, after: string): string =>
  `${API_PATH}?${new URLSearchParams({ ...(eventId !== null && { event: eventId }), ...(after !== '' && { after }) })}`

const buildFileUrl = (eventId: string | null): string =>
  `${API_PATH}export/?${new URLSearchParams(eventId === null ? {} : { event: eventId })}`

export function Debtors({ session, eventId: onlyEventId }: DebtorsProps) {
  const [searchParams, setSearchParams] = useSearchParams()
  const eventId = onlyEventId ?? searchParams.get('event')
  const [isReminding, setReminding] = useState(false)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const query = useInfiniteQuery({
    queryKey: ['debtors', eventId],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      callApi(buildPageUrl(eventId, pageParam), readDebtors, { signal }),
    getNextPageParam: ({ after }) => after,
  })
  const error = useSignInOn401(query.error)
  const totals = query.data?.pages[0]?.totals ?? []
  const rows = query.data?.pages.flatMap(({ debtors }) => debtors)
  const registrationCount = totals.reduce((all, { registrations }) => all + registrations, 0)
  return (
    <>
      {onlyEventId === null && session.events.length > 1 && (
        <EventFilter
          events={session.events}
          value={eventId ?? ''}
          onChange={(event) => setSearchParams({ tab: 'due', ...(event !== '' && { event }) })}
        />
      )}
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      <ActionOutcome outcome={outcome} />
      {rows?.length === 0 && (
        <p className="clear">
          <Icon name="tick" small /> No payments are due.
        </p>
      )}
      {rows !== undefined && rows.length > 0 && (
        <>
          <div className="list-summary">
            <DueTotals totals={totals} total={registrationCount} />
            <div className="actions">
              <ExportButtons files={listFiles(buildFileUrl(eventId), 'amounts-due')} />
              <button type="button" className="btn sm" onClick={() => setReminding(true)}>
                Remind all {formatCount(registrationCount)}
              </button>
            </div>
          </div>
          <AmountTable
            label="Amounts due"
            head={[
              { text: 'Registration' },
              { text: 'Owed since' },
              { text: 'Last reminder' },
              { text: 'State' },
              { text: 'Due', isAmount: true },
            ]}
          >
            <tbody>
              {rows.map((row) => (
                <tr key={row.reg_no}>
                  <th scope="row">
                    <RegistrationLink
                      session={session}
                      eventId={row.event_id}
                      regNo={row.reg_no}
                      name={row.name}
                      event={onlyEventId === null ? row.event : null}
                    />
                  </th>
                  <td className="day" data-head="Owed since">
                    <EntryTime at={row.since} />
                  </td>
                  <td className="day" data-head="Last reminder">
                    {row.reminded_at !== null && <EntryTime at={row.reminded_at} />}
                  </td>
                  <td data-head="State">{getLabel(row)}</td>
                  <td className="num" data-head="Due">
                    {formatResponseMoney(row.amount, readResponseCurrency(row))}
                  </td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              {totals.map((entry) => (
                <tr key={`${entry.event} ${entry.currency}`}>
                  <th scope="row" colSpan={4}>
                    {entry.event}: {formatCount(entry.registrations)}{' '}
                    {entry.registrations === 1 ? 'registration' : 'registrations'}
                  </th>
                  <td className="num" data-head="Due">
                    {formatResponseMoney(entry.amount, readResponseCurrency(entry))}
                  </td>
                </tr>
              ))}
            </tfoot>
          </AmountTable>
          <ShowOlder query={query} />
        </>
      )}
      {isReminding && (
        <ReminderDialog
          eventId={eventId}
          onClose={() => setReminding(false)}
          onDone={(result) => {
            setReminding(false)
            setOutcome(result)
            void query.refetch()
          }}
        />
      )}
    </>
  )
}

/** Shows the amounts due by currency. Amounts in two currencies are never added together. */
function DueTotals({
  totals,
  total,
}: {
  readonly totals: NonNullable<DebtorsResponse['totals']>
  readonly total: number
}) {
  const groups = groupRows(totals, readResponseCurrency)
  return (
    <p>
      {groups
        .map(([currency, currencyDebtors]) =>
          formatResponseMoney(
            addAmounts(
              currencyDebtors.map(({ amount }) => amount),
              currency as Currency,
            ),
            currency as Currency,
          ),
        )
        .join(' and ')}{' '}
      due on <b>{formatCount(total)}</b> {total === 1 ? 'registration' : 'registrations'}
    </p>
  )
}

const getLabel = ({ state, in_review, payment_status }: WireDebtor): string =>
  getDueLabel({ state, isInReview: in_review, paymentStatus: payment_status })

/** Returns false for delegates who reported a payment, await a decision or got a payment link in the last 24 hours. */
function shouldRemind(row: WireDebtor, now: Instant | null): boolean {
  const remindedAt = row.reminded_at === null ? null : readInstant(row.reminded_at)
  return (
    !row.in_review &&
    row.state !== 'told' &&
    row.state !== 'to_approve' &&
    (remindedAt === null || (now !== null && now - remindedAt > REMINDER_INTERVAL_MS))
  )
}

type AllDebtors = {
  readonly count: number
  readonly debtorsToRemind: readonly WireDebtor[]
}

/** Loads all debtors, page by page. Uses the server's clock, because the device's clock may be wrong. */
async function loadAllDebtors(eventId: string | null): Promise<AllDebtors> {
  let debtorCount = 0
  const debtorsToRemind: WireDebtor[] = []
  for (let after = '', isLast = false; !isLast;) {
    const page = await callApi(buildPageUrl(eventId, after), readDebtors)
    const now = readInstant(page.now)
    debtorCount += page.debtors.length
    debtorsToRemind.push(...page.debtors.filter((row) => shouldRemind(row, now)))
    after = page.after ?? ''
    isLast = page.after === null
  }
  return { count: debtorCount, debtorsToRemind }
}

/**
 * Describes the results of the reminders. `unsentCount` is the number not sent because the user
 * stopped the job.
 */
function describeReminders(results: readonly BulkActionResponse[], unsentCount: number) {
  const refused = results.flatMap((result) => result.refused)
  const sentCount = results.reduce((count, { done }) => count + done.length, 0)
  // Another user may have reminded some of these delegates since the list was loaded. The server sends them no second
  // email.
  const { failures, remindedCount } = splitRefusals(refused)
  const text = `${pluralise(sentCount, 'reminder', 'reminders')} sent.`
  const sentText = remindedCount === 0 ? text : `${text} ${describeAlreadyReminded(remindedCount)}`
  return { sentText, failures, unsentCount }
}

function ReminderDialog({
  eventId,
  onDone,
  onClose,
}: {
  readonly eventId: string | null
  readonly onDone: (outcome: Outcome) => void
  readonly onClose: () => void
}) {
  const batches = useBatches()
  const allDebtorsQuery = useInfiniteQuery({
    queryKey: ['all debtors', eventId],
    initialPageParam: '',
    queryFn: () => loadAllDebtors(eventId),
    getNextPageParam: () => null,
    gcTime: 0,
  })
  const debtors = allDebtorsQuery.data?.pages[0]
  const debtorsToRemind = debtors?.debtorsToRemind ?? []
  const debtorsByEvent = groupRows(debtorsToRemind, ({ event }) => event)
  const reminders = useMutation({
    mutationFn: async () => {
      const numbers = debtorsToRemind.map(({ reg_no }) => reg_no)
      const { results, unprocessedCount: unsentCount } = await batches.run(
        numbers,
        BATCH_ROWS,
        (part) =>
          callApi('/api/admin/registrations/bulk/', readBulkResult, {
            method: 'POST',
            json: { act: 'send_pay_link', reg_nos: part },
          }),
      )
      return describeReminders(results, unsentCount)
    },
    onSuccess: ({ sentText, failures, unsentCount }) => {
      if (unsentCount > 0)
        onDone({
          message: `Stopped: ${sentText} ${formatCount(unsentCount)} not sent.`,
          needsAttention: true,
        })
      else if (failures.length === 0) onDone({ message: sentText, needsAttention: false })
    },
  })
  const { sentText = '', failures = [] } = reminders.data ?? {}
  const error = useSignInOn401(reminders.error ?? allDebtorsQuery.error)
  const skippedCount = (debtors?.count ?? 0) - debtorsToRemind.length
  return (
    <Dialog
      title="Remind all"
      onClose={() => {
        // Like the Stop button, Esc stops the job.
        batches.stop()
        if (!reminders.isPending) onClose()
      }}
    >
      {error && <Banner text={error.message} />}
      {debtors === undefined ? (
        <p role="status">Loading…</p>
      ) : failures.length > 0 ? (
        <>
          <p role="status">
            {sentText} {formatCount(failures.length)} failed:
          </p>
          <ul className="log">
            {failures.map(({ reg_no: regNo, message }) => (
              <li key={regNo}>
                {regNo}: {message}
              </li>
            ))}
          </ul>
        </>
      ) : (
        <>
          <p>
            {formatCount(debtorsToRemind.length)}{' '}
            {debtorsToRemind.length === 1 ? 'delegate will get' : 'delegates will get'} an email
            with the amount due and a payment link.
          </p>
          {debtorsByEvent.length > 1 && (
            <ul>
              {debtorsByEvent.map(([event, eventDebtors]) => (
                <li key={event}>
                  {event}: {formatCount(eventDebtors.length)}
                </li>
              ))}
            </ul>
          )}
          {skippedCount > 0 && (
            <p>
              {pluralise(skippedCount, 'delegate', 'delegates')} will not get a reminder, because
              they have reported a payment, need review or approval, or got a payment link in the
              last 24 hours.
            </p>
          )}
        </>
      )}
      {reminders.isPending && <Progress label="reminders processed" {...batches.progress} />}
      <div className="actions">
        {failures.length === 0 && (
          <button
            type="button"
            className="btn"
            disabled={debtorsToRemind.length === 0 || reminders.isPending}
            onClick={() => reminders.mutate()}
          >
            Send {formatCount(debtorsToRemind.length)}{' '}
            {debtorsToRemind.length === 1 ? 'reminder' : 'reminders'}
          </button>
        )}
        <button
          type="button"
          className="btn line"
          onClick={() => {
            batches.stop()
            if (reminders.isPending) return
            if (failures.length === 0) onClose()
            else
              onDone({
                message: `${sentText} ${formatCount(failures.length)} failed.`,
                needsAttention: true,
              })
          }}
        >
          {reminders.isPending ? 'Stop' : failures.length === 0 ? 'Cancel' : 'Close'}
        </button>
      </div>
    </Dialog>
  )
}
