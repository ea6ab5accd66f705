/** The result pages of payments that are pending, under review, refunded or cancelled. */
import { useEffect, useRef, useState } from 'react'
import {
  formatInstant,
  formatMoney,
  fromMajorUnits,
  getLabel,
  readInstant,
} from '../../engine/index.ts'
import { formatMessage, RESULT_MESSAGES, buildResultRows } from '../../engine/messages.ts'
import type { Currency, PublicEvent } from '../../engine/index.ts'
import type { WireReceivedAmount } from '../../engine/api.ts'
import { readResponseCurrency } from '../app/response-currency.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { BreakableText, DetailsList } from '../ui/details-list.tsx'
import { renderMessage } from '../ui/rich-message.tsx'
import type { DetailsRow } from '../ui/details-list.tsx'
import { Badge, PaymentStatusBadge } from '../ui/payment-status-badge.tsx'
import { Bill } from './bill-details.tsx'
import type { Registration } from './result-page-data.ts'
import { GroupedNumber } from './registration-number.tsx'
import { toDetailsRow } from './ticket/ticket-page.tsx'
import './unpaid-and-pending-pages.css'

type StatePageProps = { readonly event: PublicEvent; readonly registration: Registration }

/**
 * The first checks are close together, because most responses arrive within a minute. Later checks
 * are further apart, to reduce the load on the server.
 */
const FIRST_WAIT_MS = 2500
const MAX_WAIT_MS = 15_000
const WAIT_GROWTH = 1.25
/** How long the page keeps checking. Most banks have responded by then. */
const MAX_POLLING_MS = 6 * 60_000

/** Reloads at growing intervals. Returns true until the last check. */
export function usePolling(reload: () => void): boolean {
  const [isPolling, setPolling] = useState(true)
  const latest = useRef(reload)
  useEffect(() => {
    latest.current = reload
  }, [reload])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    let waitedMs = 0
    const scheduleCheck = (waitMs: number) => {
      timer = setTimeout(() => {
        waitedMs += waitMs
        latest.current()
        if (waitedMs < MAX_POLLING_MS) scheduleCheck(Math.min(waitMs * WAIT_GROWTH, MAX_WAIT_MS))
        else setPolling(false)
      }, waitMs)
    }
    scheduleCheck(FIRST_WAIT_MS)
    return () => clearTimeout(timer)
  }, [])
  return isPolling
}

const { cancelled, confirming, refunded: refundedPage, underReview } = RESULT_MESSAGES

type SupportProps = { readonly event: PublicEvent; readonly orderId: string }

/** Links to the support address, with the order in the subject. */
export function Support({ event, orderId }: SupportProps) {
  const subject = encodeURIComponent(
    formatMessage(RESULT_MESSAGES.supportSubject, { event: event.title, order: orderId }),
  )
  return (
    <a href={`mailto:${event.support}?subject=${subject}`}>
      <BreakableText text={event.support} />
    </a>
  )
}

/** States where to send questions. */
export function Questions(props: SupportProps) {
  return renderMessage(RESULT_MESSAGES.questions, { support: <Support {...props} /> })
}

function buildOrderRow(event: PublicEvent, registration: Registration): DetailsRow {
  return {
    id: 'order',
    label: getLabel(event, 'order_id'),
    value: <GroupedNumber event={event} number={registration.order_id} />,
  }
}

/** Shows that the bank has not responded yet. The page keeps checking, and offers neither a receipt nor a payment. */
export function ConfirmingPayment({
  event,
  registration,
  reload,
}: StatePageProps & { readonly reload: () => void }) {
  const isPolling = usePolling(reload)
  const currency = readResponseCurrency(registration)
  const amount = fromMajorUnits(registration.total, currency)
  return (
    <section className="state-notice" aria-labelledby="pending">
      <h2 className="disp" id="pending">
        <Icon name="clock" />
        {confirming.title}
      </h2>
      <p>
        {amount === null
          ? confirming.notConfirmedUnknownAmount
          : formatMessage(confirming.notConfirmed, { amount: formatMoney(amount, currency) })}{' '}
        {isPolling
          ? confirming.checking
          : renderMessage(confirming.waitForEmail, {
              support: <Support event={event} orderId={registration.order_id} />,
            })}
      </p>
      <DetailsList
        rows={[
          buildOrderRow(event, registration),
          {
            id: 'status',
            label: getLabel(event, 'payment_status'),
            value: <PaymentStatusBadge is="pending" />,
          },
        ]}
      />
      <Bill event={event} registration={registration} />
      <p className="checking-note" role="status">
        {isPolling ? (
          <>
            <span className="spin" aria-hidden="true" />
            {confirming.progress}
          </>
        ) : (
          <button type="button" className="btn line" onClick={reload}>
            <Icon name="again" />
            {confirming.checkAgain}
          </button>
        )}
      </p>
    </section>
  )
}

/**
 * Shows a payment that does not match, or whose result is unknown. Staff decide, so the page shows a contact address
 * instead of polling.
 */
export function UnderReview({
  event,
  registration,
  receivedAmounts = [],
}: StatePageProps & { readonly receivedAmounts?: readonly WireReceivedAmount[] }) {
  const { review_since: since, order_id: orderId } = registration
  const time = since === null ? null : readInstant(since)
  return (
    <section className="state-notice care" aria-labelledby="pending">
      <h2 className="disp" id="pending">
        <Icon name="tri" />
        {underReview.title}
      </h2>
      <p>
        {describeReceived(registration, receivedAmounts)} {underReview.explanation}
      </p>
      <p>
        {renderMessage(underReview.next, {
          support: <Support event={event} orderId={orderId} />,
        })}
      </p>
      <DetailsList
        rows={[
          buildOrderRow(event, registration),
          {
            id: 'status',
            label: getLabel(event, 'payment_status'),
            value: (
              <Badge tone="care" icon="tri">
                {underReview.status}
              </Badge>
            ),
          },
          ...(time === null
            ? []
            : [{ id: 'since', label: underReview.since, value: formatInstant(time) }]),
        ]}
      />
    </section>
  )
}

/** States the received amounts, and the price if it differs from them. Empty if no amount is known. */
function describeReceived(
  registration: Registration,
  receivedAmounts: readonly WireReceivedAmount[],
): string {
  if (receivedAmounts.length === 0) return ''
  const formatResponseAmount = (amount: number | null, currency: Currency): string | null => {
    const value = fromMajorUnits(amount, currency)
    return value === null ? null : formatMoney(value, currency)
  }
  const received = receivedAmounts.map((wire) =>
    formatResponseAmount(wire.amount, readResponseCurrency(wire)),
  )
  const amounts = received.filter((text) => text !== null).join(' and ')
  const price = formatResponseAmount(registration.total, readResponseCurrency(registration))
  return price === null || price === amounts
    ? formatMessage(underReview.received, { amounts })
    : formatMessage(underReview.receivedAndPrice, { amounts, price })
}

/** Shows a refunded registration, which is no longer valid. */
export function Refunded({ event, registration }: StatePageProps) {
  const rows = buildResultRows(event, 'ended', registration, {})
    .filter((row) => !row.id.startsWith('text-'))
    .map((row) => toDetailsRow(event, row))
  return (
    <section className="state-notice back" aria-labelledby="refunded">
      <h2 className="disp" id="refunded">
        <Icon name="back" />
        {refundedPage.title}
      </h2>
      <p>
        {refundedPage.explanation} <Questions event={event} orderId={registration.order_id} />
      </p>
      <DetailsList
        rows={[
          ...rows,
          {
            id: 'status',
            label: getLabel(event, 'payment_status'),
            value: <PaymentStatusBadge is="refunded" />,
          },
        ]}
      />
    </section>
  )
}

/** Shows a registration that the organisers cancelled. They arrange any refund with the delegate. */
export function Cancelled({ event, registration }: StatePageProps) {
  const currency = readResponseCurrency(registration)
  const refunded = fromMajorUnits(registration.refunded_amount, currency)
  const rows = buildResultRows(event, 'ended', registration, {})
    .filter((row) => !row.id.startsWith('text-') && !OMITTED_ROWS.has(row.id))
    .map((row) => toDetailsRow(event, row))
  return (
    <section className="state-notice back" aria-labelledby="cancelled">
      <h2 className="disp" id="cancelled">
        <Icon name="back" />
        {cancelled.title}
      </h2>
      <p>
        {cancelled.explanation}{' '}
        {refunded !== null && refunded > 0
          ? formatMessage(cancelled.refunded, { amount: formatMoney(refunded, currency) })
          : cancelled.refundByEmail}{' '}
        <Questions event={event} orderId={registration.order_id} />
      </p>
      <DetailsList rows={rows} />
    </section>
  )
}
/** Rows that are meaningless for a cancelled registration. */
const OMITTED_ROWS = new Set(['payment_status'])
