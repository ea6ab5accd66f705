/** The payment reviews of one event, or of all events that the user may see, including unmatched payments. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { formatCount, isAtLeast, RECONCILIATION_ROWS } from '../../../engine/index.ts'
import type { ReviewsResponse, SessionResponse, WireReview } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { EventFilter } from '../payments/payment-tables.tsx'
import { ReviewTable } from '../payments/review-table.tsx'
import { ReviewCard } from './payment-review-card.tsx'
import { callApi, buildRegistrationUrl, buildRegistrationsUrl } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { ActionOutcome, type Outcome } from '../ui/action-outcome.tsx'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { ShowMoreButton } from '../ui/show-more-button.tsx'
import { readReviews } from './payment-review-api-responses.ts'
import { formatDateParts } from '../lists/list-table.tsx'
import '../registration/registration-details-page.css'
import './settlements.css'

export function PaymentReviews({
  session,
  eventId: onlyEventId,
}: {
  readonly session: SessionResponse
  /** Null to use the event filter. */
  readonly eventId: string | null
}) {
  const [searchParams, setSearchParams] = useSearchParams()
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const [visibleCount, setVisibleCount] = useState(RECONCILIATION_ROWS)
  const eventId = onlyEventId ?? searchParams.get('event') ?? ''
  const query = useQuery({
    queryKey: ['reviews', eventId],
    queryFn: ({ signal }) =>
      callApi(`/api/admin/reviews/?event=${encodeURIComponent(eventId)}`, readReviews, { signal }),
  })
  const error = useSignInOn401(query.error)
  const data = query.data?.reviews
  const requests = query.data?.refund_requests ?? []
  const events = session.events
  const canDecide = isAtLeast(session.role, 'treasurer')
  const onDone = (result: Outcome): void => {
    setOutcome(result)
    void query.refetch()
  }
  const renderCard = (review: WireReview) => (
    <section className="panel" key={review.id} aria-label={getReviewLabel(review)}>
      <ReviewHeader session={session} review={review} />
      <ReviewCard review={review} canDecide={canDecide} onDone={onDone} />
    </section>
  )
  return (
    <div aria-busy={query.isFetching}>
      {onlyEventId === null && events.length > 1 && (
        <EventFilter
          events={events}
          value={eventId}
          onChange={(event) => setSearchParams({ tab: 'review', ...(event !== '' && { event }) })}
        />
      )}
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      <ActionOutcome outcome={outcome} />
      {requests.map((request) => (
        <RefundRequests key={request.event_id} session={session} request={request} />
      ))}
      {data !== undefined && data.length === 0 && requests.length === 0 && (
        <p className="clear">
          <Icon name="tick" small /> No payments need review.
        </p>
      )}
      {data !== undefined && data.length > 0 && (
        <p className="mute">
          {formatCount(data.length)} {data.length === 1 ? 'payment' : 'payments, oldest first'}
        </p>
      )}
      {data?.length === 1 && data.map(renderCard)}
      {data !== undefined && data.length > 1 && (
        <ReviewTable
          session={session}
          reviews={data.slice(0, visibleCount)}
          isOneEvent={onlyEventId !== null}
          canDecide={canDecide}
          renderCard={renderCard}
          onDone={onDone}
        />
      )}
      <ShowMoreButton
        count={data?.length ?? 0}
        visibleCount={visibleCount}
        step={RECONCILIATION_ROWS}
        onChange={setVisibleCount}
      />
    </div>
  )
}

/**
 * Links to the refund requests for second payments. Staff decide on them on the registration's
 * page.
 */
function RefundRequests({
  session,
  request: { event_id: eventId, count },
}: {
  readonly session: SessionResponse
  readonly request: ReviewsResponse['refund_requests'][number]
}) {
  const event = session.events.find(({ id }) => id === eventId)
  const label =
    count === 1
      ? '1 refund request for a second payment'
      : `${formatCount(count)} refund requests for second payments`
  return (
    <p className="care">
      <Icon name="tri" small />
      <span>
        {event === undefined ? (
          label
        ) : (
          <Link to={`${buildRegistrationsUrl(event)}?waiting=second_payment`}>{label}</Link>
        )}
        {event !== undefined && `, ${event.title}`}
      </span>
    </p>
  )
}

const getReviewLabel = ({ reg_no: regNo, id }: WireReview): string => regNo ?? `Payment ${id}`

function ReviewHeader({
  session,
  review,
}: {
  readonly session: SessionResponse
  readonly review: WireReview
}) {
  const { reg_no: regNo, name, event_id: eventId, since } = review
  const event = session.events.find(({ id }) => id === eventId)
  return (
    <p className="review-heading">
      <b>
        {regNo === null ? (
          'Not matched to a registration'
        ) : event === undefined ? (
          regNo
        ) : (
          <Link to={buildRegistrationUrl(event, regNo)}>{regNo}</Link>
        )}
      </b>{' '}
      {name}
      <small>
        {[event?.title ?? '', `since ${formatDateParts(since)?.join(', ') ?? ''}`]
          .filter(Boolean)
          .join(', ')}
      </small>
    </p>
  )
}
