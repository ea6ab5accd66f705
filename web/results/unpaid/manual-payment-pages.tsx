/** The result pages of a manual payment: unpaid, claimed by the delegate, or expired. */
import { formatMoney, fromMajorUnits } from '../../../engine/index.ts'
import { formatMessage, RESULT_MESSAGES } from '../../../engine/messages.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import type { WirePaymentInstructions } from '../../../engine/api.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { DetailsList } from '../../ui/details-list.tsx'
import { buildAmountRows, buildDelegateRows } from './unpaid-page.tsx'
import { PaymentInstructions } from './payment-instructions.tsx'
import { PayNowButton } from './pay-now-button.tsx'
import type { PayButtonState } from './pay-now-button.tsx'
import { Questions, usePolling } from '../pending-refunded-cancelled-pages.tsx'
import type { Registration } from '../result-page-data.ts'
import '../unpaid-and-pending-pages.css'

type ManualPaymentProps = {
  readonly event: PublicEvent
  readonly registration: Registration
  readonly reload: () => void
  readonly payButton: PayButtonState
  /** Whether this is the self-service page, which has the actions below. */
  readonly isSelfService: boolean
  /** For the result page in the delegate's own browser. Absent if the page may not show them. */
  readonly paying?: WirePaymentInstructions | null
}

const { manualPayment } = RESULT_MESSAGES
const { cardFailed } = manualPayment

/** The messages of each state. The instructions differ if the page has no payment claim form. */
export const MANUAL_PAYMENT_MESSAGES = {
  'by-hand': {
    ...manualPayment.waiting,
    here: manualPayment.waiting.howHere,
    elsewhere: manualPayment.waiting.howInEmail,
  },
  told: { ...manualPayment.claimed, here: null, elsewhere: null },
  lapsed: {
    ...manualPayment.expired,
    here: manualPayment.expired.claimHere,
    elsewhere: manualPayment.expired.claimInEmail,
  },
} as const

/** The title of a manual payment's state, or of the card payment that replaced it and failed. */
export const getManualPaymentTitle = (
  paymentState: keyof typeof MANUAL_PAYMENT_MESSAGES,
  { card_failed_as: failure }: Registration,
): string =>
  failure === null
    ? MANUAL_PAYMENT_MESSAGES[paymentState].title
    : manualPayment.cardFailed[failure].title

export function ManualPaymentPage({
  paymentState,
  event,
  registration,
  reload,
  payButton,
  isSelfService,
  paying = null,
}: ManualPaymentProps & { readonly paymentState: keyof typeof MANUAL_PAYMENT_MESSAGES }) {
  usePolling(reload)
  const currency = readResponseCurrency(registration)
  const total = fromMajorUnits(registration.total, currency)
  const amount = total === null ? null : formatMoney(total, currency)
  const { explanation, here, elsewhere } = MANUAL_PAYMENT_MESSAGES[paymentState]
  const { card_failed_as: failure } = registration
  const onThisPage = paying === null ? elsewhere : cardFailed.detailsBelow
  return (
    <section
      className={paymentState === 'told' ? 'state-notice' : 'state-notice todo'}
      aria-labelledby="by-hand"
    >
      <h2 className="disp" id="by-hand">
        <Icon name={failure === null ? 'clock' : 'bang'} />
        {getManualPaymentTitle(paymentState, registration)}
      </h2>
      {failure !== null && <p>{cardFailed[failure].explanation}</p>}
      <p>
        {failure === null ? explanation : getBalanceText(amount)}{' '}
        {isSelfService ? here : onThisPage}
      </p>
      {registration.may_pay && event.payment && paymentState !== 'told' && (
        <PayNowButton label={getCardLabel(event, amount, failure !== null)} payButton={payButton} />
      )}
      {paying !== null && (
        <>
          <h3>
            {amount === null
              ? paying.label
              : formatMessage(manualPayment.payWith, { method: paying.label, amount })}
          </h3>
          <PaymentInstructions {...{ paying, registration }} />
        </>
      )}
      <p className="mute">
        <Questions event={event} orderId={registration.order_id} />
      </p>
      <DetailsList rows={buildDelegateRows(event, registration)} />
      <DetailsList rows={buildAmountRows(event, registration)} money />
    </section>
  )
}

const getBalanceText = (amount: string | null): string =>
  amount === null ? cardFailed.dueUnknownAmount : formatMessage(cardFailed.due, { amount })

/**
 * Returns the label of the card button. States the amount only if the card price is the same; otherwise the next step
 * states it.
 */
function getCardLabel(event: PublicEvent, amount: string | null, isAgain: boolean): string {
  if (amount === null || event.fees.methods !== undefined)
    return isAgain ? cardFailed.tryAgain : manualPayment.payByCard
  return formatMessage(isAgain ? cardFailed.tryAmountAgain : manualPayment.payAmountByCard, {
    amount,
  })
}
