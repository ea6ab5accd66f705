/** The result pages of a manual payment: unpaid, claimed by the delegate, or expired. */
import { formatMoney, fromRupees } from '../../../engine/index.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Ledger } from '../../ui/details-list.tsx'
import { amounts, whoAndWhat } from './unpaid-page.tsx'
import { PayNow } from './pay-now-button.tsx'
import type { Paying } from './pay-now-button.tsx'
import { Support, useLooking } from '../pending-refunded-cancelled-pages.tsx'
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

export const BY_HAND_TITLES = {
  'by-hand': 'Your registration waits for your payment',
  told: 'We are looking for your payment',
  lapsed: 'This registration has lapsed',
} as const

const ELSEWHERE = 'It is in the email that we sent you: follow the link in it.'

const SAID: Readonly<Record<keyof typeof BY_HAND_TITLES, (isOwn: boolean) => string>> = {
  'by-hand': (isOwn) =>
    `Your registration is saved, and your place is kept. It is complete once the organisers have found your payment at their bank. ${isOwn ? 'Where to pay, and how you tell us that you have paid, is below.' : `Where to pay, and how you tell us that you have paid, is on your own page. ${ELSEWHERE}`}`,
  told: () =>
    'You have told us that you have paid. The organisers look for it at their bank, and you get an email when it is found. You need not do anything.',
  lapsed: (isOwn) =>
    `No payment reached us in time, and your place may be somebody else’s by now. If you have paid, ${isOwn ? 'tell us below' : 'tell us on your own page'}. ${isOwn ? '' : ELSEWHERE}`,
}

export function ByHand({
  stands,
  event,
  registration,
  again,
  paying,
  isOwn,
}: ByHandProps & { readonly stands: keyof typeof BY_HAND_TITLES }) {
  useLooking(again)
  const total = fromRupees(registration.total)
  return (
    <section className={stands === 'told' ? 'pend' : 'pend todo'} aria-labelledby="by-hand">
      <h2 className="disp" id="by-hand">
        <Icon name="clock" />
        {BY_HAND_TITLES[stands]}
      </h2>
      <p>{SAID[stands](isOwn)}</p>
      {registration.may_pay && event.payment && stands !== 'told' && (
        <PayNow
          label={
            total === null ? 'Pay by card instead' : `Pay ${formatMoney(total)} by card instead`
          }
          paying={paying}
        />
      )}
      <p className="mute">
        If you have questions, write to <Support event={event} orderId={registration.order_id} />.
      </p>
      <Ledger rows={whoAndWhat(event, registration)} />
      <Ledger rows={amounts(event, registration)} money />
    </section>
  )
}
