/** Money of a registration that waits for a decision: what came beside what was due, and the two ways to end it. */
import type { ActsAnswer, WireReview } from '../../engine/index.ts'
import { Icon } from '../shared/icons.tsx'
import { BUTTONS, OF_REVIEWS } from './act-buttons.ts'
import type { Button } from './act-buttons.ts'
import { dateParts, moneyOf } from './rows.tsx'

type ReviewsProps = Pick<ActsAnswer, 'reviews' | 'allowed'> & {
  readonly onOpen: (button: Button, review: WireReview) => void
}

export function Reviews({ reviews, allowed, onOpen }: ReviewsProps) {
  return reviews.map((review) => (
    <div className="review" key={review.id} role="group" aria-label={`Review ${review.id}`}>
      <p className="care">
        <Icon name="tri" small />
        {review.why}
      </p>
      <Came {...review} />
      <div className="acts-of">
        {OF_REVIEWS.filter(
          (button) =>
            allowed.some((act) => act === button) &&
            review.decisions.some((decision) => decision === button),
        ).map((button) => (
          <button
            key={button}
            type="button"
            className="btn line sm"
            onClick={() => onOpen(button, review)}
          >
            {BUTTONS[button]}
          </button>
        ))}
      </div>
    </div>
  ))
}

function Came({ came, due }: Pick<WireReview, 'came' | 'due'>) {
  const owed = due === null ? null : `${moneyOf(due, true)} was due.`
  return (
    <p>
      {came !== null &&
        `${moneyOf(came.amount, true)} came on ${dateParts(came.paid_at)?.[0] ?? ''}, reference ${came.reference}. `}
      {owed}
    </p>
  )
}

type AboutReviewProps = { readonly review: WireReview; readonly isAccepted: boolean }

/** Of a payment whose money nobody has seen, whoever accepts it says what came. */
export function AboutReview({ review, isAccepted }: AboutReviewProps) {
  return (
    <>
      <p>{review.why}</p>
      <Came {...review} />
      {isAccepted && review.came === null && (
        <>
          <label>
            Reference of the bank or the gateway
            <input name="reference" required maxLength={80} autoComplete="off" />
          </label>
          <label>
            Amount in rupees
            <input name="amount" inputMode="decimal" required autoComplete="off" />
          </label>
        </>
      )}
    </>
  )
}
