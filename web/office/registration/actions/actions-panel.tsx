/** The action buttons of a registration, with their dialogs, and its history. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { dayOf, formatDayShort, readInstant } from '../../../../engine/index.ts'
import type { Currency } from '../../../../engine/index.ts'
import type { ActionsResponse, OfficeEvent, WireSecondPayment } from '../../../../engine/api.ts'
import { Icon } from '../../../ui/icons-and-logo.tsx'
import { readActions } from './action-api-responses.ts'
import { PaymentClaimDetails } from './record-payment-fields.tsx'
import { ActionDialog } from './action-and-refund-dialog.tsx'
import { MoneyFigures } from './cancellation-refund-fields.tsx'
import { ACTION_LABELS } from '../action-buttons.ts'
import { ReviewCard } from '../../reconciliation/payment-review-card.tsx'
import type { ActionRequest, ButtonAction } from '../action-buttons.ts'
import { callApi, isApiError, registrationUrl } from '../../office-api-and-urls.ts'
import { useSignInOn401 } from '../../expired-session.ts'
import { ActionOutcome, readOutcome, type Outcome } from '../../ui/action-outcome.tsx'
import { Banner } from '../../ui/error-banner-and-heading.tsx'
import { readResponseCurrency } from '../../../app/response-currency.ts'
import { formatResponseMoney } from '../../ui/format-amount.ts'
import { EntryTime } from '../../ui/list-entry-time.tsx'
import '../../discount-codes/discount-codes-page.css'
import '../actions-and-timeline.css'

type ActionsProps = {
  readonly regNo: string
  readonly event: OfficeEvent
  /** Called when the registration has changed. */
  readonly onDone: () => void
}

export function Actions({ regNo, event, onDone }: ActionsProps) {
  const url = `/api/admin/registrations/${encodeURIComponent(regNo)}/acts/`
  const [openAction, setOpenAction] = useState<ButtonAction | null>(null)
  /** Result of the last payment review decision, which is not one of the actions below. */
  const [decided, setDecided] = useState<Outcome | null>(null)
  const query = useQuery({
    queryKey: ['acts', regNo],
    queryFn: ({ signal }) => callApi(url, readActions, { signal }),
  })
  const actionMutation = useMutation({
    mutationFn: (request: ActionRequest) =>
      callApi(url, readOutcome, { method: 'POST', json: request }),
    onSuccess: () => {
      setOpenAction(null)
      setDecided(null)
      void query.refetch()
      onDone()
    },
    // The registration has changed since the page was loaded: reload it, so that the dialog shows
    // the current state.
    onError: (failed) => {
      if (isApiError(failed) && failed.code === 'not_now') void query.refetch()
    },
  })
  const error = useSignInOn401(query.error)
  const actionError = useSignInOn401(actionMutation.error)
  const closeDialog = () => {
    setOpenAction(null)
    actionMutation.reset()
  }
  const openDialog = (button: ButtonAction) => {
    actionMutation.reset()
    setDecided(null)
    setOpenAction(button)
  }
  const { data } = query
  const currency = readResponseCurrency(data ?? {})
  return (
    <section className="pan" aria-labelledby="reg-acts" aria-busy={query.isFetching}>
      <h2 id="reg-acts">Actions</h2>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {data && <StateSummary {...data} />}
      {data?.second_payment && (
        <SecondPaymentNotice
          event={event}
          secondPayment={data.second_payment}
          currency={currency}
        />
      )}
      {data?.told && <PaymentClaimDetails claim={data.told} currency={currency} />}
      <ActionOutcome outcome={actionMutation.data ?? decided} />
      {data?.reviews.map((review) => (
        <ReviewCard
          key={review.id}
          review={review}
          canDecide={data.allowed.includes('dismiss')}
          onDone={(outcome) => {
            actionMutation.reset()
            setDecided(outcome)
            void query.refetch()
            onDone()
          }}
        />
      ))}
      {data && (
        <div className="acts-of">
          {listAllowedButtons(data).map((button) => (
            <button
              key={button}
              type="button"
              className="btn line sm"
              onClick={() => openDialog(button)}
            >
              {ACTION_LABELS[button]}
            </button>
          ))}
        </div>
      )}
      {data && openAction !== null && (
        <ActionDialog
          key={openAction}
          button={openAction}
          title={ACTION_LABELS[openAction]}
          actionData={data}
          error={actionError}
          isBusy={actionMutation.isPending}
          onPerform={(request) => actionMutation.mutate(request)}
          onClose={closeDialog}
        />
      )}
      {data && <ActionHistory trail={data.trail} />}
    </section>
  )
}

const listAllowedButtons = ({
  allowed,
  kept: received,
}: ActionsResponse): readonly ButtonAction[] =>
  (Object.keys(ACTION_LABELS) as ButtonAction[])
    .filter((button) => allowed.includes(button))
    .filter((button) => button !== 'refund' || received > 0)

/** Shows the state of the registration, with its balance and outstanding refund. */
function StateSummary({
  state_display: stateLabel,
  due: balance,
  pay_back: refundDue,
  refund_unsettled: isRefundUnsettled,
  ...answer
}: ActionsResponse) {
  const currency = readResponseCurrency(answer)
  return (
    <>
      <p className="state">
        <b>{`${stateLabel.charAt(0).toUpperCase()}${stateLabel.slice(1)}`}</b>
      </p>
      <MoneyFigures {...answer} />
      {balance > 0 && (
        <p className="care">
          <Icon name="tri" small />
          Due after a correction: {formatResponseMoney(balance, currency)}
        </p>
      )}
      {refundDue > 0 && (
        <p className="care">
          <Icon name="tri" small />
          To refund: {formatResponseMoney(refundDue, currency)}
        </p>
      )}
      {isRefundUnsettled && (
        <p className="care">
          <Icon name="tri" small />A refund is missing from the settlement reports after five days.
        </p>
      )}
    </>
  )
}

function SecondPaymentNotice({
  event,
  secondPayment: { first, amount, asked_at: requestedAtText },
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
        <Link to={registrationUrl(event, first)}>{first}</Link>.
        {requestedAt !== null && (
          <>
            {' '}
            The delegate requested a refund of {formatResponseMoney(amount, currency)} on{' '}
            {formatDayShort(dayOf(requestedAt))}.
          </>
        )}
      </span>
    </p>
  )
}

function ActionHistory({ trail: entries }: Pick<ActionsResponse, 'trail'>) {
  if (entries.length === 0) return null
  return (
    <ul className="log">
      {entries.map(({ at, who, text, why: reason }, index) => (
        <li key={index}>
          <span>
            {text}
            {reason !== '' && <q>{reason}</q>}
            <small>{who}</small>
          </span>
          <EntryTime at={at} />
        </li>
      ))}
    </ul>
  )
}
