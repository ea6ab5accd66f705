/** One payment review: the amount received, the balance, and the possible decisions. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { isGatewayPayment } from '../../../engine/index.ts'
import type { DecisionName } from '../../../engine/index.ts'
import type { WireReview } from '../../../engine/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { readOutcome, type Outcome } from '../ui/action-outcome.tsx'
import { ReasonAndButtons } from '../ui/form-fields.tsx'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { FindPayer } from './find-payer.tsx'
import { readReviewCurrencies } from './payment-review-api-responses.ts'
import { formatDateParts } from '../lists/list-table.tsx'
import { getAmountInputMode } from '../../ui/forms/amount-input-mode.ts'
import {
  addAmounts,
  formatAmountLabel,
  formatForInput,
  formatResponseMoney,
} from '../ui/format-amount.ts'
import '../registration/actions-and-timeline.css'
import '../discount-codes/discount-codes-page.css'

/** Labels of the decisions, for payments and for refunds. */
const PAYMENT_LABELS = {
  accept: 'Accept payment',
  ask: 'Request the balance',
  refund: 'Refund',
  move: 'Move to another registration',
  dismiss: 'Ignore (not ours)',
} as const satisfies Readonly<Record<DecisionName, string>>
const REFUND_LABELS = {
  ...PAYMENT_LABELS,
  accept: 'Mark as refunded',
  refund: 'Request the refund again',
  dismiss: 'Withdraw the refund',
} as const satisfies Readonly<Record<DecisionName, string>>
const REFUSED_LABELS = {
  ...REFUND_LABELS,
  accept: 'Already refunded outside Rollcall',
} as const satisfies Readonly<Record<DecisionName, string>>
const UNMATCHED_LABELS = {
  ...PAYMENT_LABELS,
  move: 'Assign to a registration',
} as const satisfies Readonly<Record<DecisionName, string>>
const RETURNED_LABELS = {
  ...PAYMENT_LABELS,
  dismiss: 'Mark as not returned',
} as const satisfies Readonly<Record<DecisionName, string>>
/** Consequences of decisions whose labels do not state them. */
const CONSEQUENCES: Readonly<Partial<Record<DecisionName, string>>> = {
  ask: 'The payment is accepted. The balance is still due, and the delegate will get a payment link by email.',
  dismiss: 'The payment is not applied to any registration and is not refunded.',
  move: 'If the amounts match, the payment is applied to that registration. Otherwise it needs review there.',
}
const RETURNED_CONSEQUENCE =
  'This only closes the warning. The payment remains applied to its registration.'
const isRefundReview = ({ kind }: WireReview): boolean => kind.startsWith('refund')

type ReviewCardProps = {
  readonly review: WireReview
  /** Whether the user's role may decide. */
  readonly canDecide: boolean
  /** False if the result of an action above the card already states why a refund needs a decision. */
  readonly isReasonShown?: boolean
  readonly onDone: (outcome: Outcome) => void
}

export function ReviewCard({ review, canDecide, isReasonShown = true, onDone }: ReviewCardProps) {
  const [openDecision, setOpenDecision] = useState<DecisionName | null>(null)
  const labels =
    review.kind === 'refund-refused'
      ? REFUSED_LABELS
      : isRefundReview(review)
        ? REFUND_LABELS
        : review.kind === 'returned'
          ? RETURNED_LABELS
          : review.kind === 'unmatched'
            ? UNMATCHED_LABELS
            : PAYMENT_LABELS
  const isRefused = review.kind === 'refund-refused'
  return (
    <div className="review" role="group" aria-label={`Review ${review.id}`}>
      {(isReasonShown || !isRefundReview(review)) && (
        <p className={isRefused ? 'failed' : 'care'}>
          <Icon name={isRefused ? 'bang' : 'tri'} small />
          {review.why}
        </p>
      )}
      <ReviewAmounts {...review} />
      <UnknownPayer {...review} />
      {canDecide && (
        <div className="action-buttons">
          {review.decisions.map((decision) => (
            <button
              key={decision}
              type="button"
              className="btn line sm"
              onClick={() => setOpenDecision(decision)}
            >
              {getDecisionLabel(review, labels[decision], decision)}
            </button>
          ))}
        </div>
      )}
      {openDecision !== null && (
        <DecisionDialog
          decision={openDecision}
          title={getDecisionLabel(review, labels[openDecision], openDecision)}
          review={review}
          onDone={(outcome) => {
            setOpenDecision(null)
            onDone(outcome)
          }}
          onClose={() => setOpenDecision(null)}
        />
      )}
    </div>
  )
}

/** Returns the shortfall against the price; negative if more was received, 0 if it cannot be determined. */
export function getShortfall({
  came: received,
  due,
  left,
  unknown_order: order,
  ...review
}: WireReview): number {
  return received === null || due === null || order !== null
    ? 0
    : addAmounts([due, -left], readReviewCurrencies(review).currency)
}

/** Returns the label of a decision. Decisions that waive or request a shortfall state its amount. */
function getDecisionLabel(review: WireReview, label: string, decision: DecisionName): string {
  const shortfall = getShortfall(review)
  if (review.kind !== 'misfit' || shortfall <= 0) return label
  const amount = formatResponseMoney(shortfall, readReviewCurrencies(review).currency)
  switch (decision) {
    case 'accept':
      return `Accept as full payment (waive ${amount})`
    case 'ask':
      return `Ask for ${amount}`
    default:
      return label
  }
}

/**
 * Shows the balance, this payment, and its part under review. The payment is not labelled "Received", because on the
 * registration's page “Received” is the sum of the payments that count.
 */
function ReviewFigures({ came: received, due, left, kind, ...review }: WireReview) {
  const { currency, dueCurrency } = readReviewCurrencies(review)
  const isUnderReview = received !== null && kind !== 'returned' && !kind.startsWith('refund')
  const figures = [
    ['Due', formatResponseMoney(due ?? 0, dueCurrency)],
    ['This payment', formatResponseMoney(received?.amount ?? 0, currency)],
    ['Under review', formatResponseMoney(isUnderReview ? left : 0, currency)],
  ] as const
  return (
    <dl className="money-figures">
      {figures.map(([label, amount]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{amount}</dd>
        </div>
      ))}
    </dl>
  )
}

export function ReviewAmounts({
  came: received,
  due,
  left,
  said: gatewayMessage,
  kind,
  ...review
}: WireReview) {
  const { currency, dueCurrency } = readReviewCurrencies(review)
  const dueText =
    due === null || kind === 'returned' || kind.startsWith('refund')
      ? ''
      : `Due: ${formatResponseMoney(due, dueCurrency)}. `
  const remainingText =
    received !== null && !kind.startsWith('refund') && left !== received.amount
      ? `Not yet refunded: ${formatResponseMoney(left, currency)}. `
      : ''
  const refundText = kind.startsWith('refund')
    ? `Refund: ${formatResponseMoney(left, currency)}. `
    : ''
  return (
    <p>
      {received !== null &&
        `Payment: ${formatResponseMoney(received.amount, currency)} on ${formatDateParts(received.paid_at)?.[0] ?? ''}, reference ${received.reference}. `}
      {dueText}
      {remainingText}
      {refundText}
      {gatewayMessage !== null && gatewayMessage !== '' && `Gateway: ${gatewayMessage}`}
    </p>
  )
}

/**
 * Shows the payer of an unknown order, as reported by the gateway, and the registration that it
 * may belong to.
 */
function UnknownPayer({ unknown_order: order, payer, suggested }: WireReview) {
  if (order === null) return null
  const { name = '', email = '', phone = '', way: method = '' } = payer ?? {}
  const payerDetails = [name, email, phone, method].filter((part) => part !== '').join(', ')
  return (
    <p>
      {payerDetails !== '' && `Payer according to the gateway: ${payerDetails}. `}
      {suggested !== null && `It may be another payment for ${suggested}.`}
    </p>
  )
}

type DecisionDialogProps = {
  readonly decision: DecisionName
  readonly title: string
  readonly review: WireReview
  readonly onDone: (outcome: Outcome) => void
  readonly onClose: () => void
}

function DecisionDialog({ decision, title, review, onDone, onClose }: DecisionDialogProps) {
  const decideMutation = useMutation({
    mutationFn: (fields: Readonly<Record<string, unknown>>) =>
      callApi(`/api/admin/reviews/${encodeURIComponent(review.id)}/decide/`, readOutcome, {
        method: 'POST',
        json: { decision, version: review.version, ...fields },
      }),
    onSuccess: onDone,
  })
  const decideError = useSignInOn401(decideMutation.error)
  const consequence = review.kind === 'returned' ? RETURNED_CONSEQUENCE : CONSEQUENCES[decision]
  return (
    <Dialog title={title} onClose={onClose}>
      {decideError && <Banner text={decideError.message} />}
      <ReviewFigures {...review} />
      <p>{review.why}</p>
      <ReviewAmounts {...review} />
      {!isRefundReview(review) && consequence !== undefined && <p>{consequence}</p>}
      <form
        className="inline-form"
        onSubmit={(event) => {
          event.preventDefault()
          const data = new FormData(event.currentTarget)
          const values = Object.fromEntries(
            [...data].map(([name, value]) => [name, String(value).trim()]),
          )
          const { by: refundMethod, ...fields } = values
          decideMutation.mutate(refundMethod === 'hand' ? { ...fields, by_hand: true } : fields)
        }}
      >
        <DecisionFields decision={decision} review={review} />
        <ReasonAndButtons
          submitLabel={title}
          isPending={decideMutation.isPending}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}

function DecisionFields({ decision, review }: Pick<DecisionDialogProps, 'decision' | 'review'>) {
  const { came: received, left, kind } = review
  const { currency } = readReviewCurrencies(review)
  const [refundMethod, setRefundMethod] = useState(isGatewayRefundable(review) ? 'gateway' : 'hand')
  switch (decision) {
    case 'accept':
      if (kind === 'refund-refused')
        return (
          <label>
            Refund reference
            <input name="reference" required maxLength={64} autoComplete="off" />
          </label>
        )
      // No source has confirmed the payment: the user who accepts it enters the amount received.
      return received !== null ? null : (
        <>
          <label>
            Bank or gateway reference
            <input name="reference" required maxLength={64} autoComplete="off" />
          </label>
          <label>
            {formatAmountLabel('Amount received', currency)}
            <input
              name="amount"
              inputMode={getAmountInputMode(currency)}
              required
              autoComplete="off"
            />
          </label>
        </>
      )
    case 'move':
      return <MoveTarget suggested={review.suggested ?? ''} />
    case 'refund':
      return (
        <>
          <label>
            {formatAmountLabel('Amount to refund', currency)}
            <input
              name="amount"
              inputMode={getAmountInputMode(currency)}
              required
              defaultValue={formatForInput(left, currency)}
              autoComplete="off"
            />
          </label>
          {!kind.startsWith('refund') && (
            <label>
              Refund method
              <select
                name="by"
                value={refundMethod}
                onChange={({ target }) => setRefundMethod(target.value)}
              >
                {isGatewayRefundable(review) && (
                  <option value="gateway">Through the payment gateway, now</option>
                )}
                <option value="hand">Already refunded outside Rollcall</option>
              </select>
            </label>
          )}
          {!kind.startsWith('refund') && refundMethod === 'hand' && (
            <label>
              Transfer reference or slip number
              <input name="reference" required maxLength={64} autoComplete="off" />
            </label>
          )}
        </>
      )
    case 'ask':
    case 'dismiss':
      return null
  }
}

/**
 * Shows a search for the registration that a payment belongs to. Staff usually know the person's name, but not the
 * number.
 */
function MoveTarget({ suggested }: { readonly suggested: string }) {
  const [target, setTarget] = useState({ regNo: suggested, name: '' })
  return (
    <>
      <div>
        <span aria-hidden="true">Other registration</span>
        <FindPayer
          label="Other registration"
          onSelect={({ reg_no: regNo, name }) => setTarget({ regNo, name })}
        />
      </div>
      <label>
        Other registration number
        <input
          name="to"
          required
          maxLength={40}
          value={target.regNo}
          onChange={(event) => setTarget({ regNo: event.target.value, name: '' })}
          autoComplete="off"
        />
      </label>
      <p role="status">{target.name !== '' && `Moves the payment to ${target.name}.`}</p>
    </>
  )
}

/**
 * Returns whether the gateway can refund the payment. It cannot if another method was used, or if the order is
 * unknown.
 */
function isGatewayRefundable({ came: received, order_id: order }: WireReview): boolean {
  return order !== null && received !== null && isGatewayPayment(received.source)
}
