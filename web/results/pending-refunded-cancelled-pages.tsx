/** The result pages of payments that are pending, under review, refunded or cancelled. */
import { useEffect, useRef, useState } from 'react'
import { formatInstant, formatMoney, fromRupees, labelOf, readInstant } from '../../engine/index.ts'
import { formatMessage, RESULT_MESSAGES, resultRows } from '../../engine/messages.ts'
import type { PublicEvent } from '../../engine/index.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { Breaking, Ledger } from '../ui/details-list.tsx'
import { richMessage } from '../ui/rich-message.tsx'
import type { LedgerRow } from '../ui/details-list.tsx'
import { Badge, Status } from '../ui/payment-status-badge.tsx'
import { Bill } from './bill-details.tsx'
import type { Registration } from './result-page-data.ts'
import { Grouped } from './registration-number.tsx'
import { rowOf } from './ticket/ticket-page.tsx'
import './unpaid-and-pending-pages.css'

type StandingProps = { readonly event: PublicEvent; readonly registration: Registration }

/**
 * The first checks are close together, because most answers arrive within a minute; later ones are
 * further apart, to spare the server.
 */
const FIRST_WAIT_MS = 2500
const LONGEST_WAIT_MS = 15_000
const WAIT_GROWTH = 1.25
/** How long the page keeps checking: most banks have answered by then. */
const PATIENCE_MS = 6 * 60_000

/** Checks again at growing intervals; returns true while it still does. */
export function useLooking(again: () => void): boolean {
  const [looking, setLooking] = useState(true)
  const latest = useRef(again)
  useEffect(() => {
    latest.current = again
  }, [again])
  useEffect(() => {
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
  }, [])
  return looking
}

const { cancelled, confirming, refunded: refundedPage, underReview } = RESULT_MESSAGES

type SupportProps = { readonly event: PublicEvent; readonly orderId: string }

/** Link to the support address, with the order in the subject. */
export function Support({ event, orderId }: SupportProps) {
  const subject = encodeURIComponent(
    formatMessage(RESULT_MESSAGES.supportSubject, { event: event.title, order: orderId }),
  )
  return (
    <a href={`mailto:${event.support}?subject=${subject}`}>
      <Breaking text={event.support} />
    </a>
  )
}

/** Where to send questions. */
export function Questions(props: SupportProps) {
  return richMessage(RESULT_MESSAGES.questions, { support: <Support {...props} /> })
}

function orderRow(event: PublicEvent, registration: Registration): LedgerRow {
  return {
    id: 'order',
    label: labelOf(event, 'order_id'),
    value: <Grouped event={event} number={registration.order_id} />,
  }
}

/** The bank has not answered. No receipt and no second payment: the page waits and checks again. */
export function AtBank({
  event,
  registration,
  again,
}: StandingProps & { readonly again: () => void }) {
  const looking = useLooking(again)
  const amount = fromRupees(registration.total)
  return (
    <section className="pend" aria-labelledby="pending">
      <h2 className="disp" id="pending">
        <Icon name="clock" />
        {confirming.title}
      </h2>
      <p>
        {amount === null
          ? confirming.notConfirmedUnknownAmount
          : formatMessage(confirming.notConfirmed, { amount: formatMoney(amount) })}{' '}
        {looking
          ? confirming.checking
          : richMessage(confirming.waitForEmail, {
              support: <Support event={event} orderId={registration.order_id} />,
            })}
      </p>
      <Ledger
        rows={[
          orderRow(event, registration),
          { id: 'status', label: labelOf(event, 'payment_status'), value: <Status is="pending" /> },
        ]}
      />
      <Bill event={event} registration={registration} />
      <p className="look" role="status">
        {looking ? (
          <>
            <span className="spin" aria-hidden="true" />
            {confirming.progress}
          </>
        ) : (
          <button type="button" className="btn line" onClick={again}>
            <Icon name="again" />
            {confirming.checkAgain}
          </button>
        )}
      </p>
    </section>
  )
}

/**
 * A payment that does not match, or whose result is unknown. Staff decide, so the page shows an
 * address instead of waiting.
 */
export function WithOrganisers({ event, registration }: StandingProps) {
  const { review_since: since, order_id: orderId } = registration
  const at = since === null ? null : readInstant(since)
  const amount = fromRupees(registration.total)
  return (
    <section className="pend care" aria-labelledby="pending">
      <h2 className="disp" id="pending">
        <Icon name="tri" />
        {underReview.title}
      </h2>
      <p>
        {amount === null
          ? underReview.explanationUnknownAmount
          : formatMessage(underReview.explanation, { amount: formatMoney(amount) })}
      </p>
      <p>
        {richMessage(underReview.next, {
          support: <Support event={event} orderId={orderId} />,
        })}
      </p>
      <Ledger
        rows={[
          orderRow(event, registration),
          {
            id: 'status',
            label: labelOf(event, 'payment_status'),
            value: (
              <Badge tone="care" icon="tri">
                {underReview.status}
              </Badge>
            ),
          },
          ...(at === null
            ? []
            : [{ id: 'since', label: underReview.since, value: formatInstant(at) }]),
        ]}
      />
    </section>
  )
}

/** Paid, then refunded: the registration is no longer valid. */
export function Refunded({ event, registration }: StandingProps) {
  const rows = resultRows(event, 'success', registration, {})
    .filter((row) => !row.id.startsWith('text-'))
    .map((row) => rowOf(event, row))
  return (
    <section className="pend back" aria-labelledby="refunded">
      <h2 className="disp" id="refunded">
        <Icon name="back" />
        {refundedPage.title}
      </h2>
      <p>
        {refundedPage.explanation} <Questions event={event} orderId={registration.order_id} />
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

/** Cancelled by the organisers. Any refund is between them and the delegate. */
export function Cancelled({ event, registration }: StandingProps) {
  const refunded = fromRupees(registration.refunded_amount)
  const rows = resultRows(event, 'success', registration, {})
    .filter((row) => !row.id.startsWith('text-') && !NO_ROWS.has(row.id))
    .map((row) => rowOf(event, row))
  return (
    <section className="pend back" aria-labelledby="cancelled">
      <h2 className="disp" id="cancelled">
        <Icon name="back" />
        {cancelled.title}
      </h2>
      <p>
        {cancelled.explanation}{' '}
        {refunded !== null && refunded > 0
          ? formatMessage(cancelled.refunded, { amount: formatMoney(refunded) })
          : cancelled.refundByEmail}{' '}
        <Questions event={event} orderId={registration.order_id} />
      </p>
      <Ledger rows={rows} />
    </section>
  )
}
/** Rows that are meaningless for a cancelled registration. */
const NO_ROWS = new Set(['payment_status'])
