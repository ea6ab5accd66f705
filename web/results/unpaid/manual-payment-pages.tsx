/** The result pages of a manual payment: unpaid, reported as paid, or expired. */
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
  /** Payment instructions for the result page in the delegate's own browser. Absent if the page may not show them. */
  readonly paymentInstructions?: WirePaymentInstructions | null
}

const { manualPayment } = RESULT_MESSAGES
const { cardFailed } = manualPayment

/** The messages for each state. The instructions differ if the page has no form to report a payment. */
export const MANUAL_PAYMENT_MESSAGES = {
  'by-hand': {
    ...manualPayment.waiting,
    instructionsHere: manualPayment.waiting.howHere,
    instructionsInEmail: manualPayment.waiting.howInEmail,
  },
  told: { ...manualPayment.claimed, instructionsHere: null, instructionsInEmail: null },
  lapsed: {
    ...manualPayment.expired,
    instructionsHere: manualPayment.expired.claimHere,
    instructionsInEmail: manualPayment.expired.claimInEmail,
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
  paymentInstructions = null,
}: ManualPaymentProps & { readonly paymentState: keyof typeof MANUAL_PAYMENT_MESSAGES }) {
  usePolling(reload)
  const currency = readResponseCurrency(registration)
  const total = fromMajorUnits(registration.total, currency)
  const amount = total === null ? null : formatMoney(total, currency)
  const { explanation, instructionsHere, instructionsInEmail } =
    MANUAL_PAYMENT_MESSAGES[paymentState]
  const { card_failed_as: failure } = registration
  const resultPageInstructions =
    paymentInstructions === null ? instructionsInEmail : cardFailed.detailsBelow
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
        {isSelfService ? instructionsHere : resultPageInstructions}
      </p>
      {registration.may_pay && event.payment && paymentState !== 'told' && (
        <PayNowButton label={getCardLabel(event, amount, failure !== null)} payButton={payButton} />
      )}
      {paymentInstructions !== null && (
        <>
          <h3>
            {amount === null
              ? paymentInstructions.label
              : formatMessage(manualPayment.payWith, { method: paymentInstructions.label, amount })}
          </h3>
          <PaymentInstructions {...{ paymentInstructions, registration }} />
        </>
      )}
      <p className="mute">
        <Questions event={event} orderId={registration.order_id} />
      </p>
      <DetailsList rows={buildDelegateRows(event, registration)} />
      <DetailsList rows={buildAmountRows(event, registration)} hasAmounts />
    </section>
  )
}

const getBalanceText = (amount: string | null): string =>
  amount === null ? cardFailed.dueUnknownAmount : formatMessage(cardFailed.due, { amount })

/**
 * Returns the label of the card button. States the amount only if the card price is the same; otherwise the next step
 * states it.
 */
function getCardLabel(event: PublicEvent, amount: string | null, isRetry: boolean): string {
  if (amount === null || event.fees.methods !== undefined)
    return isRetry ? cardFailed.tryAgain : manualPayment.payByCard
  return formatMessage(isRetry ? cardFailed.tryAmountAgain : manualPayment.payAmountByCard, {
    amount,
  })
}
