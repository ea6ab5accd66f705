/** One payment review: the amount received beside the balance, and the possible decisions. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { isGatewayPayment } from '../../../engine/index.ts'
import type { DecisionName } from '../../../engine/index.ts'
import type { WireReview } from '../../../engine/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { formatForInput } from '../registration/record-payment-fields.tsx'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { readDecided } from './payment-review-api-responses.ts'
import { formatDateParts, formatRupees } from '../lists/list-table.tsx'
import '../registration/actions-and-timeline.css'
import '../discount-codes/discount-codes-page.css'

/** Labels of the decisions, for payments and for refunds. */
const OF_MONEY = {
  accept: 'Accept payment',
  refund: 'Refund',
  move: 'Move to another registration',
  dismiss: 'Ignore (not ours)',
} as const satisfies Readonly<Record<DecisionName, string>>
const OF_REFUND = {
  ...OF_MONEY,
  accept: 'Confirm the refund',
  refund: 'Request the refund again',
  dismiss: 'Withdraw the refund',
} as const satisfies Readonly<Record<DecisionName, string>>
const OF_RETURNED = {
  ...OF_MONEY,
  dismiss: 'Not returned',
} as const satisfies Readonly<Record<DecisionName, string>>
/** Consequence of a decision, if its label does not state it. */
const ABOUT: Readonly<Partial<Record<DecisionName, string>>> = {
  dismiss: 'The payment does not count and is not refunded.',
  move: 'It pays the other registration if the amounts match. Otherwise it needs review there.',
}
const RETURNED_DISMISSED = 'This closes the warning only. The payment still counts.'
const isOfRefund = ({ kind }: WireReview): boolean => kind.startsWith('refund')

type ReviewProps = {
  readonly review: WireReview
  /** Whether the user's role may decide. */
  readonly mayDecide: boolean
  readonly onDone: (message: string) => void
}

export function Review({ review, mayDecide, onDone }: ReviewProps) {
  const [open, setOpen] = useState<DecisionName | null>(null)
  const words = isOfRefund(review) ? OF_REFUND : review.kind === 'returned' ? OF_RETURNED : OF_MONEY
  return (
    <div className="review" role="group" aria-label={`Review ${review.id}`}>
      <p className="care">
        <Icon name="tri" small />
        {review.why}
      </p>
      <Came {...review} />
      <Unknown {...review} />
      {mayDecide && (
        <div className="acts-of">
          {review.decisions.map((decision) => (
            <button
              key={decision}
              type="button"
              className="btn line sm"
              onClick={() => setOpen(decision)}
            >
              {labelOf(review, words[decision], decision)}
            </button>
          ))}
        </div>
      )}
      {open !== null && (
        <Deciding
          decision={open}
          title={labelOf(review, words[open], open)}
          review={review}
          onDone={(message) => {
            setOpen(null)
            onDone(message)
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  )
}

/** An accepted shortfall is named: the registration then counts as paid without it. */
function labelOf(
  { came, due, left, kind, unknown_order: order }: WireReview,
  label: string,
  decision: DecisionName,
): string {
  if (decision !== 'accept' || kind !== 'misfit') return label
  const short =
    came === null || due === null || order !== null ? 0 : Math.round((due - left) * 100) / 100
  return short > 0 ? `Accept as full payment (waive ${formatRupees(short, true)})` : label
}

function Came({ came, due, left, said, kind }: WireReview) {
  const owed = due === null || kind === 'returned' ? '' : `Due: ${formatRupees(due, true)}. `
  const rest =
    came !== null && !kind.startsWith('refund') && left !== came.amount
      ? `Not yet refunded: ${formatRupees(left, true)}. `
      : ''
  const back = kind.startsWith('refund') ? `Refund: ${formatRupees(left, true)}. ` : ''
  return (
    <p>
      {came !== null &&
        `Received: ${formatRupees(came.amount, true)} on ${formatDateParts(came.paid_at)?.[0] ?? ''}, reference ${came.reference}. `}
      {owed}
      {rest}
      {back}
      {said !== null && said !== '' && `Gateway: ${said}`}
    </p>
  )
}

/**
 * Payer of an order that is not in the database, as reported by the gateway, and the registration
 * it may belong to.
 */
function Unknown({ unknown_order: order, payer, suggested }: WireReview) {
  if (order === null) return null
  const { name = '', email = '', phone = '', way = '' } = payer ?? {}
  const said = [name, email, phone, way].filter((word) => word !== '').join(', ')
  return (
    <p>
      {said !== '' && `Payer according to the gateway: ${said}. `}
      {suggested !== null && `It may be another payment for ${suggested}.`}
    </p>
  )
}

type DecidingProps = {
  readonly decision: DecisionName
  readonly title: string
  readonly review: WireReview
  readonly onDone: (message: string) => void
  readonly onClose: () => void
}

function Deciding({ decision, title, review, onDone, onClose }: DecidingProps) {
  const deciding = useMutation({
    mutationFn: (words: Readonly<Record<string, unknown>>) =>
      callApi(`/api/admin/reviews/${encodeURIComponent(review.id)}/decide/`, readDecided, {
        method: 'POST',
        json: { decision, ...words },
      }),
    onSuccess: onDone,
  })
  const refused = useSignInOn401(deciding.error)
  const about = review.kind === 'returned' ? RETURNED_DISMISSED : ABOUT[decision]
  return (
    <Dialog title={title} onClose={onClose}>
      {refused && <Banner text={refused.message} />}
      <p>{review.why}</p>
      <Came {...review} />
      {!isOfRefund(review) && about !== undefined && <p>{about}</p>}
      <form
        className="making"
        onSubmit={(submitted) => {
          submitted.preventDefault()
          const data = new FormData(submitted.currentTarget)
          const given = Object.fromEntries(
            [...data].map(([name, value]) => [name, String(value).trim()]),
          )
          const { by, ...words } = given
          deciding.mutate(by === 'hand' ? { ...words, by_hand: true } : words)
        }}
      >
        <Asked decision={decision} review={review} />
        <label>
          Reason
          <textarea name="why" rows={3} maxLength={500} required autoComplete="off" />
        </label>
        <div className="acts">
          <button type="submit" className="btn" disabled={deciding.isPending}>
            {title}
          </button>
          <button type="button" className="btn line" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function Asked({ decision, review }: Pick<DecidingProps, 'decision' | 'review'>) {
  const { came, left, kind } = review
  const [by, setBy] = useState(isByGateway(review) ? 'gateway' : 'hand')
  switch (decision) {
    case 'accept':
      if (kind === 'refund-refused')
        return (
          <label>
            Refund reference
            <input name="reference" required maxLength={64} autoComplete="off" />
          </label>
        )
      // For a payment that no source has confirmed, the user who accepts it enters the amount
      // received.
      return came !== null ? null : (
        <>
          <label>
            Bank or gateway reference
            <input name="reference" required maxLength={64} autoComplete="off" />
          </label>
          <label>
            Amount received
            <input name="amount" inputMode="decimal" required autoComplete="off" />
          </label>
        </>
      )
    case 'move':
      return (
        <label>
          Other registration number
          <input
            name="to"
            required
            maxLength={40}
            defaultValue={review.suggested ?? ''}
            autoComplete="off"
          />
        </label>
      )
    case 'refund':
      return (
        <>
          <label>
            Amount to refund
            <input
              name="amount"
              inputMode="decimal"
              required
              defaultValue={formatForInput(left)}
              autoComplete="off"
            />
          </label>
          {!kind.startsWith('refund') && (
            <label>
              Refund method
              <select name="by" value={by} onChange={({ target }) => setBy(target.value)}>
                {isByGateway(review) && (
                  <option value="gateway">Through the payment gateway, now</option>
                )}
                <option value="hand">Already refunded outside Rollcall</option>
              </select>
            </label>
          )}
          {!kind.startsWith('refund') && by === 'hand' && (
            <label>
              Transfer reference or slip number
              <input name="reference" required maxLength={64} autoComplete="off" />
            </label>
          )}
        </>
      )
    case 'dismiss':
      return null
  }
}

/**
 * Whether the gateway can refund the payment: not if it was paid by another method, or if its order
 * is unknown.
 */
function isByGateway({ came, order_id: order }: WireReview): boolean {
  return order !== null && came !== null && isGatewayPayment(came.source)
}
