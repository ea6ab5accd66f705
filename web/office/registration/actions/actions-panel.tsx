/** The state of a registration, its amounts, and its action buttons with their dialogs. */
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { dayOf, formatDayShort, readInstant } from '../../../../engine/index.ts'
import type { Currency } from '../../../../engine/index.ts'
import type { ActionsResponse, OfficeEvent, WireSecondPayment } from '../../../../engine/api.ts'
import { Icon } from '../../../ui/icons-and-logo.tsx'
import { PaymentClaimDetails } from './record-payment-fields.tsx'
import { CancellationRequestNotice, MoneyFigures } from './cancellation-refund-fields.tsx'
import { useActionDialog } from './action-dialog-state.tsx'
import { MoreActions } from './more-actions.tsx'
import { ACTION_LABELS, arrangeActions, canRefundInOneClick } from '../action-buttons.ts'
import type { ActionRequest } from '../action-buttons.ts'
import { ReviewCard } from '../../reconciliation/payment-review-card.tsx'
import { buildRegistrationUrl } from '../../office-api-and-urls.ts'
import { ActionOutcome } from '../../ui/action-outcome.tsx'
import { createIdempotencyKey } from '../../../app/api-client.ts'
import { readResponseCurrency } from '../../../app/response-currency.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { formatResponseMoney } from '../../ui/format-amount.ts'
import '../../discount-codes/discount-codes-page.css'
import '../actions-and-timeline.css'

type ActionsProps = {
  readonly data: ActionsResponse
  readonly event: OfficeEvent
  readonly reload: () => Promise<ActionsResponse | undefined>
  /** Called when the registration has changed. */
  readonly onDone: () => void
}

export function Actions({ data, event, reload, onDone }: ActionsProps) {
  const { open, perform, isBusy, dialog, outcome, setOutcome } = useActionDialog({
    regNo: data.reg_no,
    reload,
    onDone,
  })
  const currency = readResponseCurrency(data)
  const { main, more } = arrangeActions(data)
  return (
    <section className="panel" aria-labelledby="reg-acts">
      <h2 id="reg-acts" className="vh">
        Actions
      </h2>
      <StateSummary {...data} />
      <CancellationRequestNotice
        request={data.cancel_asked}
        canCancel={data.allowed.includes('cancel')}
        currency={currency}
      />
      {data.second_payment && (
        <SecondPaymentNotice
          event={event}
          secondPayment={data.second_payment}
          currency={currency}
        />
      )}
      {data.second_payment && canRefundInOneClick(data) && (
        <RefundSecondPayment
          secondPayment={data.second_payment}
          otherPaymentsVersion={data.duplicates_version}
          currency={currency}
          isBusy={isBusy}
          onRefund={(request) => perform(request, data)}
        />
      )}
      {data.told && <PaymentClaimDetails claim={data.told} currency={currency} />}
      <ActionOutcome outcome={outcome} />
      {data.reviews.map((review) => (
        <ReviewCard
          key={review.id}
          review={review}
          canDecide={data.allowed.includes('dismiss')}
          isReasonShown={outcome?.needsAttention !== true}
          onDone={(outcome) => {
            setOutcome(outcome)
            void reload()
            onDone()
          }}
        />
      ))}
      {main.length + more.length > 0 && (
        <div className="action-buttons">
          {main.map((button, index) => (
            <button
              key={button}
              type="button"
              className={index === 0 && !canRefundInOneClick(data) ? 'btn sm' : 'btn line sm'}
              onClick={() => open(button, data)}
            >
              {ACTION_LABELS[button]}
            </button>
          ))}
          <MoreActions actions={more} onPick={(button) => open(button, data)} />
        </div>
      )}
      {dialog}
    </section>
  )
}

/** Shows the state of the registration, its amounts and its outstanding refund. */
function StateSummary({
  state_display: stateLabel,
  pay_back: refundDue,
  refund_unsettled: isRefundUnsettled,
  ...response
}: ActionsResponse) {
  const currency = readResponseCurrency(response)
  return (
    <>
      <p className="state">
        <b>{`${stateLabel.charAt(0).toUpperCase()}${stateLabel.slice(1)}`}</b>
      </p>
      <MoneyFigures {...response} />
      {refundDue > 0 && (
        <p className="care">
          <Icon name="tri" small />
          To refund: {formatResponseMoney(refundDue, currency)}
        </p>
      )}
      {isRefundUnsettled && (
        <p className="care">
          <Icon name="tri" small />A refund is still missing from the settlement reports after five
          days.
        </p>
      )}
    </>
  )
}

function SecondPaymentNotice({
  event,
  secondPayment: { first: firstRegNo, amount, asked_at: requestedAtText },
  currency,
}: Pick<ActionsProps, 'event'> & {
  readonly secondPayment: WireSecondPayment
  readonly currency: Currency
}) {
  const requestedAt = requestedAtText === null ? null : readInstant(requestedAtText)
  return (
    <p className="care">
      <Icon name="tri" small />
      <span>
        This is a second payment. The first registration of this person is{' '}
        <Link to={buildRegistrationUrl(event, firstRegNo)}>{firstRegNo}</Link>.
        {requestedAt !== null && (
          <>
            {' '}
            The delegate requested a refund
            {/* Once a refund has begun, nothing remains to be refunded. */}
            {amount > 0 && ` of ${formatResponseMoney(amount, currency)}`} on{' '}
            {formatDayShort(dayOf(requestedAt))}.
          </>
        )}
      </span>
    </p>
  )
}

function RefundSecondPayment({
  secondPayment: { first: firstRegNo, amount },
  otherPaymentsVersion,
  currency,
  isBusy,
  onRefund,
}: {
  readonly secondPayment: WireSecondPayment
  readonly otherPaymentsVersion: string
  readonly currency: Currency
  readonly isBusy: boolean
  readonly onRefund: (request: ActionRequest & { readonly act: 'refund' }) => void
}) {
  const [key] = useState(createIdempotencyKey)
  const reason = `Second payment of the same person: the first is ${firstRegNo}.`
  return (
    <div className="action-buttons">
      <BusyButton
        className="btn sm"
        isBusy={isBusy}
        onClick={() =>
          onRefund({
            act: 'refund',
            why: reason,
            amount: String(amount),
            kept: amount,
            duplicates_version: otherPaymentsVersion,
            key,
          })
        }
      >
        Refund {formatResponseMoney(amount, currency)} in full
      </BusyButton>
    </div>
  )
}
