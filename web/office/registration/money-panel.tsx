/** The bill of a registration and its payments. */
import { readLines } from '../../../engine/api.ts'
import type { OfficeRegistrationResponse } from '../../../engine/api.ts'
import type { Currency } from '../../../engine/index.ts'
import { buildLineRows } from '../../ui/payment/bill-rows.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { DetailsList } from '../../ui/details-list.tsx'
import type { DetailsRow } from '../../ui/details-list.tsx'
import { PaymentStatusBadge } from '../../ui/payment-status-badge.tsx'
import { RegNumber } from '../ui/error-banner-and-heading.tsx'
import { formatDateParts } from '../lists/list-table.tsx'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { formatResponseMoney, formatResponsePrice } from '../ui/format-amount.ts'
import { EntryTime } from '../ui/list-entry-time.tsx'

export function MoneyPanels({ details }: { readonly details: OfficeRegistrationResponse }) {
  return (
    <>
      <section className="panel" aria-labelledby="reg-price">
        <h2 id="reg-price">Price</h2>
        <DetailsList hasAmounts rows={buildPriceRows(details)} />
      </section>
      <Payments
        payments={details.payments}
        isWaitingForApproval={details.registration['in_state'] === 'to_approve'}
        currency={readResponseCurrency(details)}
      />
    </>
  )
}

/**
 * Returns the rows of the Price section: category and period, bill lines if there are several, and
 * totals.
 */
export function buildPriceRows({
  registration,
  lines: wireLines,
  ...response
}: Pick<
  OfficeRegistrationResponse,
  'registration' | 'lines' | 'currency' | 'tax_name'
>): readonly DetailsRow[] {
  const currency = readResponseCurrency(response)
  const lines = readLines(wireLines, currency)
  const details = [
    ['category_display', 'Category'],
    ['period_display', 'Price period'],
  ] as const
  const amounts = [
    ['base', lines.length < 2 ? 'Base fee' : 'Before tax'],
    ['gst', response.tax_name ?? 'GST'],
  ] as const
  const registeredAt = formatDateParts(registration['created_at'])
  return [
    ...details.flatMap(([id, label]) =>
      registration[id] ? [{ id, label, value: String(registration[id]) }] : [],
    ),
    ...(registeredAt
      ? [{ id: 'created_at', label: 'Registered', value: registeredAt.join(', ') }]
      : []),
    ...(lines.length < 2 ? [] : buildLineRows({ lines, currency })),
    // Without tax, only the total is shown.
    ...amounts.flatMap(([id, label]) =>
      registration[id] === null || registration[id] === undefined || !registration['gst']
        ? []
        : [{ id, label, value: formatResponseMoney(registration[id], currency) }],
    ),
    ...(registration['total'] === null || registration['total'] === undefined
      ? []
      : [
          {
            id: 'total',
            label: 'Total',
            value: formatResponsePrice(registration['total'], currency),
            isTotal: true,
          },
        ]),
  ]
}

function Payments({
  payments,
  isWaitingForApproval,
  currency,
}: {
  readonly payments: OfficeRegistrationResponse['payments']
  readonly isWaitingForApproval: boolean
  readonly currency: Currency
}) {
  return (
    <section className="panel" aria-labelledby="reg-payments">
      <h2 id="reg-payments">Payments</h2>
      {payments.length === 0 && (
        <p className="mute">
          {isWaitingForApproval
            ? 'Payment is due only once the registration is approved.'
            : 'No payment is due for this registration.'}
        </p>
      )}
      {payments.map((payment) => (
        <div className="pay" key={payment.order_id}>
          <p className="payment-heading">
            <RegNumber text={payment.order_id} />
            <b>
              {payment.received !== undefined &&
                `${formatResponseMoney(payment.received, currency)} of `}
              {formatResponseMoney(payment.amount, currency)}
            </b>
            <PaymentStatusBadge is={payment.status} {...findFailureLabel(payment)} />
          </p>
          {payment.review && (
            <p className="care">
              <Icon name="tri" small />
              Needs review: {payment.review}
            </p>
          )}
          <ul className="log">
            {payment.facts.map((event, index) => (
              <li key={index}>
                <span>{event.text}</span>
                <EntryTime at={event.at} />
              </li>
            ))}
            <li>
              <span>{payment.asked}</span>
              <EntryTime at={payment.created_at} />
            </li>
          </ul>
        </div>
      ))}
    </section>
  )
}

/**
 * Returns the label for a failed payment attempt: “Declined” or “Expired”. Returns an empty object if the cause is
 * unknown or the attempt has not failed.
 */
function findFailureLabel({
  status,
  facts: events,
}: OfficeRegistrationResponse['payments'][number]) {
  const cause = events.find(({ type }) => type === 'declined' || type === 'expired')?.type
  if (status !== 'failed' || cause === undefined) return {}
  return { label: cause === 'declined' ? 'Declined' : 'Expired' }
}
