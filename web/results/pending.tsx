/** The page of a payment that is not settled: it looks again by itself. */
import { useEffect, useRef, useState } from 'react'
import { formatMoney, fromRupees, labelOf, resultRows } from '../../engine/index.ts'
import type { PublicEvent } from '../../engine/index.ts'
import { Icon } from '../shared/icons.tsx'
import { Ledger } from '../shared/ledger.tsx'
import { Status } from '../shared/status.tsx'
import type { Query, Registration } from './registration.ts'
import { Grouped } from './number.tsx'
import { rowOf } from './ticket.tsx'
import '../styles/pending.css'

type PendingProps = {
  readonly event: PublicEvent
  readonly registration: Registration
  readonly query: Query
  readonly again: () => void
}

/** The first looks are close together, because most answers come within a minute; then it lets the server breathe. */
const FIRST_WAIT_MS = 2500
const LONGEST_WAIT_MS = 15_000
const WAIT_GROWTH = 1.25
/** For how long the page looks again by itself: most banks have answered by then. */
const PATIENCE_MS = 6 * 60_000

/** Asks again at growing intervals; true while it still does. */
function useLooking(again: () => void, on: boolean): boolean {
  const [looking, setLooking] = useState(on)
  const latest = useRef(again)
  useEffect(() => {
    latest.current = again
  }, [again])
  useEffect(() => {
    if (!on) return
    let timer: ReturnType<typeof setTimeout>
    let waited = 0
    const next = (wait: number) => {
      timer = setTimeout(() => {
        waited += wait
        latest.current()
        if (waited < PATIENCE_MS) next(Math.min(wait * WAIT_GROWTH, LONGEST_WAIT_MS))
        else setLooking(false)
      }, wait)
    }
    next(FIRST_WAIT_MS)
    return () => clearTimeout(timer)
  }, [on])
  return looking
}

/**
 * Money is on its way, or has arrived and does not fit (review). Neither offers a receipt or another
 * payment. In review a person decides, so the page gives the address to write to instead of waiting.
 */
export function Pending({ event, registration, query, again }: PendingProps) {
  const review = registration.in_review
  const looking = useLooking(again, !review)
  const amount = fromRupees(registration.total)
  const of = amount === null ? '' : ` of ${formatMoney(amount)}`
  const mail = (
    <a
      href={`mailto:${event.support}?subject=${encodeURIComponent(`${event.title}: payment ${registration.order_id}`)}`}
    >
      {event.support}
    </a>
  )
  const orderId = query.orderId ?? registration.order_id
  return (
    <section className={review ? 'pend care' : 'pend'} aria-labelledby="pending">
      <h2 className="disp" id="pending">
        <Icon name="clock" />
        We are confirming your payment
      </h2>
      {review ? (
        <p>
          The organisers need to check your payment{of} before it can be confirmed. Please do not
          pay again. They will write to you by email. If you have questions, write to {mail} and
          quote the number below.
        </p>
      ) : (
        <p>
          Your payment{of} is not confirmed yet. Please do not pay again.{' '}
          {looking
            ? 'This page keeps checking by itself. You can also close it: the confirmation will come by email.'
            : 'The confirmation will come by email. If it has not come within a day, write to '}
          {!looking && <>{mail}.</>}
        </p>
      )}
      <Ledger
        rows={[
          {
            id: 'order',
            label: labelOf(event, 'order_id'),
            value: <Grouped event={event} number={orderId} />,
          },
          { id: 'status', label: labelOf(event, 'payment_status'), value: <Status is="pending" /> },
        ]}
      />
      {!review && (
        <p className="look" role="status">
          {looking ? (
            <>
              <span className="spin" aria-hidden="true" />
              Waiting for the bank’s answer
            </>
          ) : (
            <button type="button" className="btn line" onClick={again}>
              <Icon name="again" />
              Check again
            </button>
          )}
        </p>
      )}
    </section>
  )
}

/** Paid, then paid back: the registration no longer stands. */
export function Refunded({ event, registration, query }: Omit<PendingProps, 'again'>) {
  const rows = resultRows(event, 'success', registration, query)
    .filter((row) => !row.id.startsWith('text-'))
    .map((row) => rowOf(event, row))
  return (
    <section className="pend back" aria-labelledby="refunded">
      <h2 className="disp" id="refunded">
        <Icon name="back" />
        Payment refunded
      </h2>
      <p>
        This payment has been refunded, so the registration is no longer valid. If you have
        questions, write to <a href={`mailto:${event.support}`}>{event.support}</a>.
      </p>
      <Ledger
        rows={[
          ...rows,
          {
            id: 'status',
            label: labelOf(event, 'payment_status'),
            value: <Status is="refunded" />,
          },
        ]}
      />
    </section>
  )
}
