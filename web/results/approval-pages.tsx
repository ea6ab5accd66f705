/** The result pages of registrations that await approval or were refused. */
import type { PublicEvent } from '../../engine/index.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { Ledger } from '../ui/details-list.tsx'
import { amounts, whoAndWhat } from './unpaid/unpaid-page.tsx'
import { lastDayOf } from './unpaid/pay-now-button.tsx'
import { Support, useLooking } from './pending-refunded-cancelled-pages.tsx'
import type { Registration } from './result-page-data.ts'
import './unpaid-and-pending-pages.css'

type StandingProps = { readonly event: PublicEvent; readonly registration: Registration }

export const TO_APPROVE = 'The organisers look at it first'
export const NOT_APPROVED = 'This registration was not approved'

/** The next step and its deadline. Nothing to pay yet. */
export function ToApprove({
  event,
  registration,
  again,
}: StandingProps & { readonly again: () => void }) {
  useLooking(again)
  const by = lastDayOf(registration.decide_by)
  return (
    <section className="pend" aria-labelledby="to-approve">
      <h2 className="disp" id="to-approve">
        <Icon name="clock" />
        {TO_APPROVE}
      </h2>
      <p>
        Your registration is saved, and your place is kept. The organisers look at what you sent
        before you pay
        {by === null ? '' : `, and decide by ${by}`}.
      </p>
      <p>
        Once it is approved, you get an email with a link to pay, at the price of today. There is
        nothing to pay yet. If you have questions, write to{' '}
        <Support event={event} orderId={registration.order_id} />.
      </p>
      <Ledger rows={whoAndWhat(event, registration)} />
      <Ledger rows={amounts(event, registration)} money />
    </section>
  )
}

/** The reason and the alternatives are only in the email: the number alone must not reveal them. */
export function NotApproved({ event, registration }: StandingProps) {
  return (
    <section className="pend back" aria-labelledby="not-approved">
      <h2 className="disp" id="not-approved">
        <Icon name="back" />
        {NOT_APPROVED}
      </h2>
      <p>
        The organisers have looked at what you sent and could not approve it. Their reason, and what
        you can do now, is in the email that they sent you. Nothing was charged. If you have
        questions, write to <Support event={event} orderId={registration.order_id} />.
      </p>
      <Ledger rows={whoAndWhat(event, registration)} />
    </section>
  )
}
