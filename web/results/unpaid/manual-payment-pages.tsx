/** The result pages of a manual payment: unpaid, claimed by the delegate, or expired. */
import { formatMoney, fromMajorUnits } from '../../../engine/index.ts'
import { formatMessage, RESULT_MESSAGES } from '../../../engine/messages.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Ledger } from '../../ui/details-list.tsx'
import { amountRows, delegateRows } from './unpaid-page.tsx'
import { PayNow } from './pay-now-button.tsx'
import type { PayButtonState } from './pay-now-button.tsx'
import { Questions, usePolling } from '../pending-refunded-cancelled-pages.tsx'
import type { Registration } from '../result-page-data.ts'
import '../unpaid-and-pending-pages.css'

type ManualPaymentProps = {
  readonly event: PublicEvent
  readonly registration: Registration
  readonly reload: () => void
  readonly payButton: PayButtonState
  /** On the self-service page, which has the actions below. */
  readonly isSelfService: boolean
}

const { manualPayment } = RESULT_MESSAGES

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

export function ManualPaymentPage({
  paymentState,
  event,
  registration,
  reload,
  payButton,
  isSelfService,
}: ManualPaymentProps & { readonly paymentState: keyof typeof MANUAL_PAYMENT_MESSAGES }) {
  usePolling(reload)
  const currency = readResponseCurrency(registration)
  const total = fromMajorUnits(registration.total, currency)
  const { title, explanation, here, elsewhere } = MANUAL_PAYMENT_MESSAGES[paymentState]
  return (
    <section className={paymentState === 'told' ? 'pend' : 'pend todo'} aria-labelledby="by-hand">
      <h2 className="disp" id="by-hand">
        <Icon name="clock" />
        {title}
      </h2>
      <p>
        {explanation} {isSelfService ? here : elsewhere}
      </p>
      {registration.may_pay && event.payment && paymentState !== 'told' && (
        <PayNow
          label={
            // By card it may cost another amount, which the next step states.
            total === null || event.fees.methods !== undefined
              ? manualPayment.payByCard
              : formatMessage(manualPayment.payAmountByCard, {
                  amount: formatMoney(total, currency),
                })
          }
          payButton={payButton}
        />
      )}
      <p className="mute">
        <Questions event={event} orderId={registration.order_id} />
      </p>
      <Ledger rows={delegateRows(event, registration)} />
      <Ledger rows={amountRows(event, registration)} money />
    </section>
  )
}
