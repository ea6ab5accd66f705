/** The payment reviews of all events that the user may see, including unmatched payments. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { formatCount, isAtLeast } from '../../../engine/index.ts'
import type { ReviewsAnswer, SessionAnswer, WireReview } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Review } from './payment-review-card.tsx'
import { EventOptions } from '../ui/log-list.tsx'
import { callApi, registrationUrl } from '../office-api-and-urls.ts'
import { shortTitle } from '../navigation.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { readReviews } from './payment-review-api-responses.ts'
import { formatDateParts } from '../lists/list-table.tsx'
import '../registration/registration-details-page.css'
import './bank-statement-page.css'

/** As many as can be decided in one sitting; the oldest come first. */
const SHOWN_AT_ONCE = 50

export function MoneyPage({ session }: { readonly session: SessionAnswer }) {
  const [search, setSearch] = useSearchParams()
  const [done, setDone] = useState('')
  const [shown, setShown] = useState(SHOWN_AT_ONCE)
  const event = search.get('event') ?? ''
  const query = useQuery({
    queryKey: ['reviews', event],
    queryFn: ({ signal }) =>
      callApi(`/api/admin/reviews/?event=${encodeURIComponent(event)}`, readReviews, { signal }),
  })
  const error = useSignInOn401(query.error)
  const data = query.data?.reviews
  const requests = query.data?.refund_requests ?? []
  const events = session.events
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Needs review">
        {events.length > 1 && (
          <label className="whichof">
            <span className="vh">Event</span>
            <select
              value={event}
              onChange={({ target }) =>
                setSearch(target.value === '' ? {} : { event: target.value })
              }
            >
              <EventOptions events={events} />
            </select>
          </label>
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
      {requests.map((request) => (
        <Requested key={request.event_id} session={session} request={request} />
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
      {data?.slice(0, shown).map((review) => (
        <section className="pan" key={review.id} aria-label={nameOf(review)}>
          <Whose session={session} review={review} />
          <Review
            review={review}
            mayDecide={isAtLeast(session.role, 'treasurer')}
            onDone={(message) => {
              setDone(message)
              void query.refetch()
            }}
          />
        </section>
      ))}
      {data !== undefined && data.length > shown && (
        <button type="button" className="btn line" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
          Show {formatCount(Math.min(SHOWN_AT_ONCE, data.length - shown))} more
        </button>
      )}
    </main>
  )
}

/** Refunds that delegates request for second payments: staff decide on each registration's page. */
function Requested({
  session,
  request: { event_id: eventId, count },
}: {
  readonly session: SessionAnswer
  readonly request: ReviewsAnswer['refund_requests'][number]
}) {
  const event = session.events.find(({ id }) => id === eventId)
  const list = event?.lists[0]
  const words =
    count === 1
      ? '1 refund request for a second payment'
      : `${formatCount(count)} refund requests for second payments`
  return (
    <p className="care">
      <Icon name="tri" small />
      <span>
        {list === undefined ? (
          words
        ) : (
          <Link to={`${list.route}?waiting=second_payment`}>{words}</Link>
        )}
        {event !== undefined && `, ${event.title}`}
      </span>
    </p>
  )
}

const nameOf = ({ reg_no: regNo, id }: WireReview): string => regNo ?? `Payment ${id}`

function Whose({
  session,
  review,
}: {
  readonly session: SessionAnswer
  readonly review: WireReview
}) {
  const { reg_no: regNo, name, event_id: eventId, since } = review
  const event = session.events.find(({ id }) => id === eventId)
  const list = event?.lists[0]
  return (
    <p className="whose">
      <b>
        {regNo === null ? (
          'Not matched to a registration'
        ) : list === undefined ? (
          regNo
        ) : (
          <Link to={registrationUrl(list, regNo)}>{regNo}</Link>
        )}
      </b>{' '}
      {name}
      <small>
        {[
          list === undefined ? (event?.title ?? '') : shortTitle(list.title),
          `since ${formatDateParts(since)?.join(', ') ?? ''}`,
        ]
          .filter(Boolean)
          .join(', ')}
      </small>
    </p>
  )
}
