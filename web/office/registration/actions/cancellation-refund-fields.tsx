/** The fields for a cancellation: the proposed refund with its calculation, and the amount to refund. */
import { dayOf, formatDayShort, readInstant } from '../../../../engine/index.ts'
import type { Currency } from '../../../../engine/index.ts'
import type { ActionsResponse } from '../../../../engine/api.ts'
import { readResponseCurrency } from '../../../app/response-currency.ts'
import { getAmountInputMode } from '../../../ui/forms/amount-input-mode.ts'
import { Icon } from '../../../ui/icons-and-logo.tsx'
import { DetailsList } from '../../../ui/details-list.tsx'
import type { DetailsRow } from '../../../ui/details-list.tsx'
import { ACTION_LABELS } from '../action-buttons.ts'
import {
  addAmounts,
  formatAmountLabel,
  formatForInput,
  formatResponseMoney,
} from '../../ui/format-amount.ts'

export function CancellationRefundFields({
  kept: refundable,
  proposed_back: proposedRefund,
  cancellation,
  second_payment: secondPayment,
  pay_back: refundDue,
  reviews,
  ...response
}: ActionsResponse) {
  const currency = readResponseCurrency(response)
  if (refundable === 0)
    return (
      <>
        <p>This frees the seat.</p>
        <UnderReviewNotice reviews={reviews} currency={currency} />
      </>
    )
  const {
    paid,
    owed: overpaid,
    remaining: remainingPrice,
    percent,
    tax_kept: taxKept = 0,
    charge = 0,
    share: refundShare,
    refunded: refundedSoFar,
  } = cancellation
  // A goodwill refund counts towards the refund due, as in the proposed refund.
  const minimumRefund = Math.min(refundDue, proposedRefund ?? refundDue)
  const rows: readonly DetailsRow[] = [
    { id: 'paid', label: 'Paid', value: formatResponseMoney(paid, currency) },
    ...(overpaid === 0 || secondPayment !== null
      ? []
      : [
          {
            id: 'owed',
            label: 'Overpaid: refunded in full',
            value: formatResponseMoney(overpaid, currency),
          },
        ]),
    ...(refundShare === null || secondPayment !== null
      ? []
      : [
          {
            id: 'share',
            label: formatShareLabel({ percent, remainingPrice, taxKept, charge }, currency),
            value: formatResponseMoney(refundShare, currency),
          },
        ]),
    ...(refundedSoFar === 0
      ? []
      : [
          {
            id: 'refunded',
            label: 'Refunded so far',
            value: `− ${formatResponseMoney(refundedSoFar, currency)}`,
          },
        ]),
    ...(proposedRefund === null
      ? []
      : [
          {
            id: 'proposed',
            label: 'Proposed refund',
            value: formatResponseMoney(proposedRefund, currency),
            isTotal: true,
          },
        ]),
  ]
  return (
    <>
      <p>This frees the seat. It does not send the refund: refund the amount afterwards.</p>
      <UnderReviewNotice reviews={reviews} currency={currency} />
      {minimumRefund > 0 && (
        <p>At least {formatResponseMoney(minimumRefund, currency)} must be refunded.</p>
      )}
      {secondPayment !== null && <p>This is a second payment: the full amount is proposed.</p>}
      {proposedRefund === null && (
        <p>No refund rule is set for this event: enter the amount to refund.</p>
      )}
      <DetailsList hasAmounts rows={rows} />
      <label>
        {formatAmountLabel('Amount to refund', currency)}
        <input
          name="pay_back"
          inputMode={getAmountInputMode(currency)}
          defaultValue={formatForInput(proposedRefund ?? 0, currency)}
          autoComplete="off"
        />
      </label>
    </>
  )
}

function formatShareLabel(
  {
    percent,
    remainingPrice,
    taxKept,
    charge,
  }: {
    readonly percent: number | null
    readonly remainingPrice: number
    readonly taxKept: number
    readonly charge: number
  },
  currency: Currency,
): string {
  const price =
    taxKept === 0
      ? `the price of ${formatResponseMoney(remainingPrice, currency)}`
      : `the price without tax (${formatResponseMoney(remainingPrice, currency)} − ${formatResponseMoney(taxKept, currency)})`
  const lessCharge =
    charge === 0 ? '' : `, less a charge of ${formatResponseMoney(charge, currency)}`
  return `${percent}% of ${price}${lessCharge}`
}

/** Adds up the payments under review. Without this sum, a dialog would state that nothing was paid. */
const sumUnderReview = (reviews: ActionsResponse['reviews'], currency: Currency): number =>
  addAmounts(
    reviews
      .filter(
        ({ came: received, kind }) =>
          received !== null && kind !== 'returned' && !kind.startsWith('refund'),
      )
      .map(({ left }) => left),
    currency,
  )

/**
 * Shows the amounts due, received and under review. Every dialog about money begins with them. As on the payments page,
 * the amount received is before refunds, which are shown separately.
 */
export function MoneyFigures({
  state,
  to_pay: toPay,
  received,
  refunded,
  refunding,
  reviews,
  ...response
}: Pick<
  ActionsResponse,
  'state' | 'to_pay' | 'received' | 'refunded' | 'refunding' | 'reviews' | 'currency'
>) {
  const currency = readResponseCurrency(response)
  const netReceived = addAmounts([received, -refunded, -refunding], currency)
  const figures: readonly (readonly [label: string, amount: number])[] = [
    [state === 'to_approve' ? 'Due after approval' : 'Due', toPay],
    ['Received', received],
    ...(refunded > 0 ? [['Refunded', refunded] as const] : []),
    ...(refunding > 0 ? [['Refund in progress', refunding] as const] : []),
    ...(netReceived === received ? [] : [['Received less refunds', netReceived] as const]),
    ['Under review', sumUnderReview(reviews, currency)],
  ]
  return (
    <dl className="money-figures">
      {figures.map(([label, amount]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{formatResponseMoney(amount, currency)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The delegate's cancellation request, with the refund that was shown to the delegate. */
export function CancellationRequestNotice({
  request,
  canCancel,
  currency,
}: {
  readonly request: ActionsResponse['cancel_asked']
  readonly canCancel: boolean
  readonly currency: Currency
}) {
  const requestedAt = request === null ? null : readInstant(request.at)
  if (request === null || requestedAt === null) return null
  return (
    <p className="care">
      <Icon name="tri" small />
      <span>
        The delegate requested cancellation on {formatDayShort(dayOf(requestedAt))}.
        {request.back !== null &&
          ` Refund shown to the delegate that day: ${formatResponseMoney(request.back, currency)}.`}
        {canCancel
          ? ` To cancel with a refund, choose “${ACTION_LABELS.cancel}”.`
          : ' An owner can cancel the registration with a refund.'}
      </span>
    </p>
  )
}

export function UnderReviewNotice({
  reviews,
  currency,
}: Pick<ActionsResponse, 'reviews'> & { readonly currency: Currency }) {
  const amountUnderReview = sumUnderReview(reviews, currency)
  return (
    amountUnderReview > 0 && (
      <p className="care">
        <Icon name="tri" small />
        Under review: {formatResponseMoney(amountUnderReview, currency)}. Decide on it first.
      </p>
    )
  )
}
