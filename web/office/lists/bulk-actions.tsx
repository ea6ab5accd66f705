/** The bulk actions on the selected rows of a list, with their results. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listAllowedActions, formatCount, REGISTRATION_STATES } from '../../../engine/index.ts'
import type { Role } from '../../../engine/index.ts'
import type { BulkActionResponse, ListRow, WireReview } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { hasAll, isRecord, readArray } from '../../app/json-readers.ts'
import { ACTION_LABELS } from '../registration/action-buttons.ts'
import { callApi } from '../office-api-and-urls.ts'
import {
  readReviewCurrencies,
  readReviews,
} from '../reconciliation/payment-review-api-responses.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { formatResponseMoney } from '../ui/format-amount.ts'
import { Progress } from '../jobs/progress.tsx'
import { BATCH_ROWS, useBatches } from '../jobs/use-batches.ts'
import '../ui/form-fields.css'
import { formatRegistrationCount } from './list-totals.tsx'
import { MAX_SELECTED_ROWS } from './selection.ts'
import type { Selection } from './selection.ts'
import './bulk-actions.css'

/** Actions that the server can perform on several registrations in one call. */
const BULK_ACTIONS = ['approve', 'confirm', 'accept', 'send_pay_link', 'resend', 'note'] as const
type BulkAction = (typeof BULK_ACTIONS)[number]
/** Labels of the actions. `accept` has no button on the registration page, so its label is here. */
const BULK_ACTION_LABELS = { ...ACTION_LABELS, accept: 'Accept payment' } as const
const ACTIONS_WITH_REASON: readonly BulkAction[] = ['accept', 'note']

export const readBulkResult: Reader<BulkActionResponse> = (body) =>
  isRecord(body) &&
  hasAll(body, 'string', 'message') &&
  readArray(body['refused'], (row) =>
    isRecord(row) && hasAll(row, 'string', 'reg_no', 'message') ? row : null,
  ) !== null
    ? (body as BulkActionResponse)
    : null

type BulkBarProps = {
  readonly role: Role
  readonly selection: Selection
  /** Number of rows in the whole list. */
  readonly count: number
  /** Called when the list has changed. */
  readonly onDone: () => void
}

/** Renders nothing if no row is selected and no action has been performed. */
export function BulkBar({ role, selection, count, onDone }: BulkBarProps) {
  const selectedRows = [...selection.rows.values()]
  const [openAction, setOpenAction] = useState<BulkAction | null>(null)
  const reviewsQuery = useQuery({
    queryKey: ['reviews', ''],
    enabled: openAction === 'accept',
    queryFn: ({ signal }) => callApi('/api/admin/reviews/', readReviews, { signal }),
  })
  const reviewsError = useSignInOn401(reviewsQuery.error)
  const selectedReviews = (reviewsQuery.data?.reviews ?? []).filter(({ reg_no: regNo }) =>
    selectedRows.some(({ reg_no: selectedRegNo }) => selectedRegNo === regNo),
  )
  const batches = useBatches()
  const { progress } = batches
  const bulkMutation = useMutation({
    mutationFn: async (request: { readonly act: BulkAction; readonly why: string }) => {
      const { results, unprocessedCount } = await batches.run(
        selectedRows,
        BATCH_ROWS,
        async (part) => {
          const result = await callApi('/api/admin/registrations/bulk/', readBulkResult, {
            method: 'POST',
            json: {
              ...request,
              reg_nos: part.map(({ reg_no: regNo }) => regNo),
              ...(request.act === 'accept' && {
                versions: selectedReviews.map(({ version }) => version),
              }),
            },
          })
          // If a later request fails, the user repeats the action for the remaining rows only.
          selection.remove(part)
          return result
        },
      )
      return joinResults(results, unprocessedCount)
    },
    onSuccess: () => setOpenAction(null),
    // If a later request failed, some rows have already changed.
    onSettled: onDone,
  })
  const bulkError = useSignInOn401(bulkMutation.error)
  const actions = BULK_ACTIONS.filter((action) =>
    selectedRows.some((row) => canPerform(action, row, role)),
  )
  const result = bulkMutation.data !== undefined && (
    <BulkResult {...bulkMutation.data} onClose={bulkMutation.reset} />
  )
  if (selectedRows.length === 0)
    return (
      <>
        <SelectedCount count={0} />
        {result}
      </>
    )
  return (
    <>
      <SelectedCount count={selectedRows.length} />
      {/* A stopped job shows its result and keeps the remaining rows selected. */}
      {result}
      <div className="bulk" role="group" aria-label="Selected registrations">
        <p>
          <b>{formatCount(selectedRows.length)}</b> selected
        </p>
        {actions.map((action) => (
          <button
            key={action}
            type="button"
            className="btn line sm"
            disabled={bulkMutation.isPending}
            onClick={() => {
              bulkMutation.reset()
              setOpenAction(action)
            }}
          >
            {BULK_ACTION_LABELS[action]}
          </button>
        ))}
        {selectedRows.length < count && count <= MAX_SELECTED_ROWS && (
          <button
            type="button"
            className="btn quiet sm"
            disabled={selection.isLoading}
            onClick={selection.selectAll}
          >
            Select all {formatCount(count)}
          </button>
        )}
        <button type="button" className="btn quiet sm" onClick={selection.clear}>
          Clear selection
        </button>
        {selection.error && <Banner text={selection.error.message} />}
        {/* The job continues when its dialog is closed. */}
        {openAction === null && bulkMutation.isPending && (
          <Progress label="processed" {...progress} onStop={batches.stop} />
        )}
        {openAction !== null && (
          <Dialog
            title={`${BULK_ACTION_LABELS[openAction]}: ${formatRegistrationCount(bulkMutation.isPending ? progress.total : selectedRows.length)}`}
            onClose={() => setOpenAction(null)}
          >
            {bulkError && <Banner text={bulkError.message} />}
            {openAction === 'accept' && reviewsError && <Banner text={reviewsError.message} />}
            <form
              className="inline-form"
              onSubmit={(event) => {
                event.preventDefault()
                const reason = new FormData(event.currentTarget).get('why')
                bulkMutation.mutate({ act: openAction, why: String(reason ?? '') })
              }}
            >
              <p>Each row is processed separately. Rows that fail are left unchanged and listed.</p>
              {openAction === 'accept' && <PaymentsToAccept reviews={selectedReviews} />}
              <label>
                {openAction === 'note'
                  ? 'Note'
                  : ACTIONS_WITH_REASON.includes(openAction)
                    ? 'Reason'
                    : 'Reason (optional)'}
                <textarea
                  name="why"
                  rows={3}
                  maxLength={500}
                  required={ACTIONS_WITH_REASON.includes(openAction)}
                  autoComplete="off"
                />
              </label>
              {bulkMutation.isPending && <Progress label="processed" {...progress} />}
              <div className="actions">
                <button
                  type="submit"
                  className="btn"
                  disabled={
                    bulkMutation.isPending || (openAction === 'accept' && !reviewsQuery.isSuccess)
                  }
                >
                  {BULK_ACTION_LABELS[openAction]}
                </button>
                {bulkMutation.isPending ? (
                  <button type="button" className="btn line" onClick={batches.stop}>
                    Stop
                  </button>
                ) : (
                  <button type="button" className="btn line" onClick={() => setOpenAction(null)}>
                    Cancel
                  </button>
                )}
              </div>
            </form>
          </Dialog>
        )}
      </div>
    </>
  )
}

/**
 * Shows the number of selected rows. Rendered before the first row is selected, because screen readers do not announce
 * a status that appears together with its text.
 */
const SelectedCount = ({ count }: { readonly count: number }) => (
  <p role="status" className="vh">
    {count > 0 && `${formatCount(count)} selected`}
  </p>
)

type Refusals = BulkActionResponse['refused']

/** Separates rows that failed from rows whose delegates already got a reminder in the last 24 hours. */
export const splitRefusals = (
  refusals: Refusals,
): { readonly failures: Refusals; readonly remindedCount: number } => {
  const failures = refusals.filter((row) => row.is_reminded !== true)
  return { failures, remindedCount: refusals.length - failures.length }
}

export const describeAlreadyReminded = (count: number): string =>
  `${formatCount(count)} already reminded in the last 24 hours.`

/**
 * Joins the results of all requests. `unprocessedCount` is the number of rows left unprocessed because the job was
 * stopped.
 */
export function joinResults(
  results: readonly BulkActionResponse[],
  unprocessedCount: number,
): { readonly message: string; readonly failures: Refusals } {
  const doneCount = results.reduce((count, result) => count + result.done.length, 0)
  const { failures, remindedCount } = splitRefusals(results.flatMap(({ refused }) => refused))
  const message = [
    ...(unprocessedCount === 0 ? [] : ['Stopped:']),
    failures.length === 0
      ? `${formatCount(doneCount)} done.`
      : `${formatCount(doneCount)} done; ${formatCount(failures.length)} failed, for the reasons below.`,
    ...(remindedCount === 0 ? [] : [describeAlreadyReminded(remindedCount)]),
    ...(unprocessedCount === 0
      ? []
      : [`${formatCount(unprocessedCount)} not processed and still selected.`]),
  ].join(' ')
  return { message, failures }
}

/** Lists the payments with the amounts due, because accepting a payment below the amount due waives the rest. */
function PaymentsToAccept({ reviews }: { readonly reviews: readonly WireReview[] }) {
  return (
    <ul>
      {reviews.map(({ id, reg_no: regNo, left, due, ...review }) => {
        const { currency, dueCurrency } = readReviewCurrencies(review)
        return (
          <li key={id}>
            {regNo}: received {formatResponseMoney(left, currency)}
            {due !== null && `, due ${formatResponseMoney(due, dueCurrency)}`}
          </li>
        )
      })}
    </ul>
  )
}

/**
 * Returns whether the table of allowed actions permits the action. The server also checks conditions that depend on
 * data outside the row.
 */
function canPerform(action: BulkAction, row: ListRow, role: Role): boolean {
  const state = REGISTRATION_STATES.find((candidate) => candidate === row['in_state'])
  if (state === undefined || (action === 'accept' && !row.in_review)) return false
  // Bulk confirmation is for payment claims only, because staff cannot enter an amount for each
  // row.
  if (action === 'confirm' && state !== 'told') return false
  return listAllowedActions(state, role).includes(action)
}

function BulkResult({
  message,
  failures,
  onClose,
}: ReturnType<typeof joinResults> & { readonly onClose: () => void }) {
  return (
    <div className="bulk" role="status">
      <p>{message}</p>
      <button type="button" className="btn quiet sm" onClick={onClose}>
        Dismiss
      </button>
      {failures.length > 0 && (
        <ul>
          {failures.map(({ reg_no: number, message: reason }) => (
            <li key={number}>
              {number}: {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
