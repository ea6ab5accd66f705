/** The table of payments that need review. */
import { useMutation } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import type { ReactNode } from 'react'
import { formatCount } from '../../../engine/index.ts'
import type { Currency, DecisionName } from '../../../engine/index.ts'
import type { SessionResponse, WireReview } from '../../../engine/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { callApi, isApiError } from '../office-api-and-urls.ts'
import { readReviewCurrencies } from '../reconciliation/payment-review-api-responses.ts'
import { getShortfall } from '../reconciliation/payment-review-card.tsx'
import { readOutcome, type Outcome } from '../ui/action-outcome.tsx'
import { addAmounts, formatResponseMoney } from '../ui/format-amount.ts'
import { EntryTime } from '../ui/list-entry-time.tsx'
import { AmountTable, groupRows, RegistrationLink } from './payment-tables.tsx'
import { ReasonAndButtons } from '../ui/form-fields.tsx'
import { Progress } from '../jobs/progress.tsx'
import { useBatches } from '../jobs/use-batches.ts'
import '../lists/bulk-actions.css'

const REVIEW_LABELS: Readonly<Record<string, string>> = {
  misfit: 'Differs from the price',
  second: 'Second payment',
  rest: 'Remainder of a payment',
  ended: 'Registration has ended',
  foreign: 'Other currency',
  test: 'Test payment',
  unmatched: 'Not matched',
  undecided: 'No final response',
  unclear: 'Unclear response',
  returned: 'Possibly returned',
  'refund-unsure': 'Refund: result unknown',
  'refund-refused': 'Refund rejected',
}

/** Returns the reason for a review, such as “₹ 100 short”. Reviews with the same reason can be resolved together. */
function getReason(review: WireReview): string {
  const { currency } = readReviewCurrencies(review)
  const shortfall = getShortfall(review)
  if (review.kind !== 'misfit' || shortfall === 0) return REVIEW_LABELS[review.kind] ?? review.kind
  return shortfall > 0
    ? `${formatResponseMoney(shortfall, currency)} short`
    : `${formatResponseMoney(-shortfall, currency)} over`
}

type ReviewTableProps = {
  readonly session: SessionResponse
  readonly reviews: readonly WireReview[]
  /** Whether the page is for one event. */
  readonly isOneEvent: boolean
  readonly canDecide: boolean
  readonly renderCard: (review: WireReview) => ReactNode
  readonly onDone: (outcome: Outcome) => void
}

const COLUMN_HEADINGS = [
  { text: 'Registration' },
  { text: 'Reason' },
  { text: 'Since' },
  { text: 'Due', isAmount: true },
  { text: 'Received', isAmount: true },
  { text: 'Decision' },
] as const

/** Lists the reviews. A row opens its card. Payments with the same reason can be resolved together. */
export function ReviewTable({
  session,
  reviews,
  isOneEvent,
  canDecide,
  renderCard,
  onDone,
}: ReviewTableProps) {
  const [openId, setOpenId] = useState<string | null>(null)
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set())
  const [decision, setDecision] = useState<BulkDecision | null>(null)
  const selectedReviews = reviews.filter(({ id }) => selectedIds.has(id))
  const groups = groupRows(reviews, getReason).filter(
    ([, groupReviews]) => groupReviews.length > 1 && listBulkDecisions(groupReviews).length > 0,
  )
  const toggle = (id: string): void => {
    const next = new Set(selectedIds)
    if (!next.delete(id)) next.add(id)
    setSelectedIds(next)
  }
  return (
    <>
      {canDecide && groups.length > 0 && (
        <div className="action-buttons" role="group" aria-label="Select by reason">
          {groups.map(([reason, groupReviews]) => (
            <button
              key={reason}
              type="button"
              className="btn line sm"
              onClick={() => setSelectedIds(new Set(groupReviews.map(({ id }) => id)))}
            >
              Select {formatCount(groupReviews.length)}: {reason}
            </button>
          ))}
        </div>
      )}
      <AmountTable label="Payments that need review" head={COLUMN_HEADINGS}>
        <tbody>
          {reviews.map((review) => (
            <Fragment key={review.id}>
              <tr>
                <th scope="row">
                  {canDecide && (
                    <label className="pick">
                      <span className="vh">Select {review.name || review.id}</span>
                      <input
                        type="checkbox"
                        checked={selectedIds.has(review.id)}
                        onChange={() => toggle(review.id)}
                      />
                    </label>
                  )}
                  <RegistrationLink
                    session={session}
                    eventId={review.event_id}
                    regNo={review.reg_no}
                    name={review.name}
                    event={
                      isOneEvent
                        ? null
                        : (session.events.find(({ id }) => id === review.event_id)?.title ?? null)
                    }
                  />
                </th>
                <ReviewCells review={review} />
                <td>
                  <button
                    type="button"
                    className="btn line sm"
                    aria-expanded={openId === review.id}
                    onClick={() => setOpenId(openId === review.id ? null : review.id)}
                  >
                    Review<span className="vh"> {review.reg_no ?? review.id}</span>
                  </button>
                </td>
              </tr>
              {openId === review.id && (
                <tr>
                  <td colSpan={COLUMN_HEADINGS.length}>{renderCard(review)}</td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </AmountTable>
      {selectedReviews.length > 0 && (
        <div className="bulk" role="group" aria-label="Selected payments">
          <p role="status">{formatCount(selectedReviews.length)} selected</p>
          {listBulkDecisions(selectedReviews).map((bulkDecision) => (
            <button
              key={bulkDecision.decision}
              type="button"
              className="btn sm"
              onClick={() => setDecision(bulkDecision)}
            >
              {bulkDecision.label}
            </button>
          ))}
          <button type="button" className="btn line sm" onClick={() => setSelectedIds(new Set())}>
            Clear selection
          </button>
        </div>
      )}
      {decision !== null && (
        <BulkDialog
          reviews={selectedReviews}
          decision={decision}
          onClose={() => setDecision(null)}
          onDone={(outcome) => {
            // Decided payments disappear from the table; after a stopped job, the remaining ones stay selected.
            setDecision(null)
            onDone(outcome)
          }}
        />
      )}
    </>
  )
}

function ReviewCells({ review }: { readonly review: WireReview }) {
  const { currency, dueCurrency } = readReviewCurrencies(review)
  const { came: received, due, since } = review
  return (
    <>
      <td data-head="Reason">
        {getReason(review)}
        {received !== null && <small className="ref">{received.reference}</small>}
      </td>
      <td className="day" data-head="Since">
        <EntryTime at={since} />
      </td>
      <td className="num" data-head="Due">
        {due === null ? null : formatResponseMoney(due, dueCurrency)}
      </td>
      <td className="num" data-head="Received">
        {received === null ? null : formatResponseMoney(received.amount, currency)}
      </td>
    </>
  )
}

type BulkDecision = { readonly decision: DecisionName; readonly label: string }

/**
 * Lists the decisions that have the same effect on all selected payments. Refunds and moves are omitted, because they
 * need details for each payment.
 */
function listBulkDecisions(reviews: readonly WireReview[]): readonly BulkDecision[] {
  const [firstReview] = reviews
  if (firstReview === undefined) return []
  const isAllowed = (decision: DecisionName): boolean =>
    reviews.every(({ decisions }) => decisions.includes(decision))
  const areReceived = reviews.every(
    ({ came, kind }) => came !== null && kind !== 'returned' && !kind.startsWith('refund'),
  )
  const haveSameReason = reviews.every((review) => getReason(review) === getReason(firstReview))
  const shortfall = getShortfall(firstReview)
  const shortfallText = formatResponseMoney(shortfall, readReviewCurrencies(firstReview).currency)
  const acceptLabel =
    shortfall > 0 ? `Accept as full payment (waive ${shortfallText})` : 'Accept payments'
  return [
    ...(areReceived && haveSameReason && isAllowed('accept')
      ? [{ decision: 'accept', label: acceptLabel } as const]
      : []),
    ...(areReceived && haveSameReason && isAllowed('ask')
      ? [{ decision: 'ask', label: `Ask for ${shortfallText}` } as const]
      : []),
    ...(areReceived && isAllowed('dismiss')
      ? [{ decision: 'dismiss', label: 'Ignore (not ours)' } as const]
      : []),
  ]
}

/** The maximum number of names shown. More would push the dialog's buttons out of the window. */
const MAX_NAMES = 12

/**
 * Decides the selected payments one by one. A payment that has changed in the meantime stays undecided and is listed in
 * the result.
 */
function BulkDialog({
  reviews,
  decision: { decision, label },
  onDone,
  onClose,
}: {
  readonly reviews: readonly WireReview[]
  readonly decision: BulkDecision
  readonly onDone: (outcome: Outcome) => void
  readonly onClose: () => void
}) {
  /** The payments at the time of the click, because the table refreshes while the job runs. */
  const [payments] = useState(reviews)
  const batches = useBatches()
  const decisions = useMutation({
    mutationFn: async (reason: string) => {
      const failures: string[] = []
      const { unprocessedCount } = await batches.run(payments, 1, async ([payment]) => {
        if (payment === undefined) return
        const { id, version, reg_no: regNo } = payment
        try {
          await callApi(`/api/admin/reviews/${encodeURIComponent(id)}/decide/`, readOutcome, {
            method: 'POST',
            json: { decision, version, why: reason },
          })
        } catch (error) {
          failures.push(
            `${regNo ?? id}: ${isApiError(error) ? error.message : 'Unexpected response. Reload the page to see the result.'}`,
          )
        }
      })
      return { failures, left: unprocessedCount }
    },
    onSuccess: ({ failures, left: unprocessedCount }) =>
      onDone({
        message: [
          unprocessedCount > 0 ? 'Stopped:' : '',
          `${formatCount(payments.length - unprocessedCount - failures.length)} of ${formatCount(payments.length)} payments reviewed.`,
          ...failures,
        ]
          .join(' ')
          .trim(),
        needsAttention: failures.length > 0 || unprocessedCount > 0,
      }),
  })
  const cancel = (): void => {
    // Like the button, Esc stops the job. The dialog then closes and the page shows the result.
    if (decisions.isPending) batches.stop()
    else onClose()
  }
  return (
    <Dialog title={label} onClose={cancel}>
      <BulkFigures reviews={payments} />
      <p>
        {formatCount(payments.length)} payments:{' '}
        {payments
          .slice(0, MAX_NAMES)
          .map(({ name, reg_no: regNo, id }) => name || (regNo ?? id))
          .join(', ')}
        {payments.length > MAX_NAMES && ` and ${formatCount(payments.length - MAX_NAMES)} more`}.
      </p>
      {decision === 'ask' && (
        <p>
          These payments are accepted in part, and the balance stays due. Each delegate who can
          still pay gets a payment link by email.
        </p>
      )}
      {decision === 'dismiss' && (
        <p>These payments do not pay for any registration, and are not refunded.</p>
      )}
      <form
        className="inline-form"
        onSubmit={(event) => {
          event.preventDefault()
          decisions.mutate(String(new FormData(event.currentTarget).get('why')).trim())
        }}
      >
        {decisions.isPending && <Progress label="reviewed" {...batches.progress} />}
        <ReasonAndButtons
          submitLabel={label}
          isPending={decisions.isPending}
          cancelLabel={decisions.isPending ? 'Stop' : 'Cancel'}
          onCancel={cancel}
        />
      </form>
    </Dialog>
  )
}

/** Shows the amount due, these payments, and the amount under review, by currency. */
function BulkFigures({ reviews }: { readonly reviews: readonly WireReview[] }) {
  const figures = [
    ['Due', reviews.map((review) => [readReviewCurrencies(review).dueCurrency, review.due ?? 0])],
    [
      'These payments',
      reviews.map((review) => [readReviewCurrencies(review).currency, review.came?.amount ?? 0]),
    ],
    ['Under review', reviews.map((review) => [readReviewCurrencies(review).currency, review.left])],
  ] as const satisfies readonly (readonly [string, (readonly [Currency, number])[]])[]
  return (
    <dl className="money-figures">
      {figures.map(([label, amounts]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            {groupRows(amounts, ([currency]) => currency)
              .map(([currency, currencyAmounts]) =>
                formatResponseMoney(
                  addAmounts(
                    currencyAmounts.map(([, amount]) => amount),
                    currency as Currency,
                  ),
                  currency as Currency,
                ),
              )
              .join(' and ')}
          </dd>
        </div>
      ))}
    </dl>
  )
}
