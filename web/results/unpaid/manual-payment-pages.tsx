/** The result pages of a manual payment: unpaid, claimed by the delegate, or expired. */
import { formatMoney, fromRupees } from '../../../engine/index.ts'
import { formatMessage, RESULT_MESSAGES } from '../../../engine/messages.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Ledger } from '../../ui/details-list.tsx'
import { amounts, whoAndWhat } from './unpaid-page.tsx'
import { PayNow } from './pay-now-button.tsx'
import type { Paying } from './pay-now-button.tsx'
import { Questions, useLooking } from '../pending-refunded-cancelled-pages.tsx'
import type { Registration } from '../result-page-data.ts'
import '../unpaid-and-pending-pages.css'

type ByHandProps = {
  readonly event: PublicEvent
  readonly registration: Registration
  readonly again: () => void
  readonly paying: Paying
  /** On the self-service page, which has the actions below. */
  readonly isOwn: boolean
}

const { manualPayment } = RESULT_MESSAGES

/** The messages of each state; what to do differs where the page has no form to report a payment. */
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

export function ByHand({
  stands,
  event,
  registration,
  again,
  paying,
  isOwn,
}: ByHandProps & { readonly stands: keyof typeof MANUAL_PAYMENT_MESSAGES }) {
  useLooking(again)
  const total = fromRupees(registration.total)
  const { title, explanation, here, elsewhere } = MANUAL_PAYMENT_MESSAGES[stands]
  return (
    <section className={stands === 'told' ? 'pend' : 'pend todo'} aria-labelledby="by-hand">
      <h2 className="disp" id="by-hand">
        <Icon name="clock" />
        {title}
      </h2>
      <p>
        {explanation} {isOwn ? here : elsewhere}
      </p>
      {registration.may_pay && event.payment && stands !== 'told' && (
        <PayNow
          label={
            total === null
              ? manualPayment.payByCard
              : formatMessage(manualPayment.payAmountByCard, { amount: formatMoney(total) })
          }
          paying={paying}
        />
      )}
      <p className="mute">
        <Questions event={event} orderId={registration.order_id} />
      </p>
      <Ledger rows={whoAndWhat(event, registration)} />
      <Ledger rows={amounts(event, registration)} money />
    </section>
  )
}
