/** The result pages of registrations that await approval or were refused. */
import { formatMessage, RESULT_MESSAGES } from '../../engine/messages.ts'
import type { PublicEvent } from '../../engine/index.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { Ledger } from '../ui/details-list.tsx'
import { amounts, whoAndWhat } from './unpaid/unpaid-page.tsx'
import { lastDayOf } from './unpaid/pay-now-button.tsx'
import { Questions, useLooking } from './pending-refunded-cancelled-pages.tsx'
import type { Registration } from './result-page-data.ts'
import './unpaid-and-pending-pages.css'

type StandingProps = { readonly event: PublicEvent; readonly registration: Registration }

const { notApproved, waitingForApproval } = RESULT_MESSAGES

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
        {waitingForApproval.title}
      </h2>
      <p>
        {by === null
          ? waitingForApproval.explanation
          : formatMessage(waitingForApproval.explanationWithDay, { day: by })}
      </p>
      <p>
        {waitingForApproval.next} <Questions event={event} orderId={registration.order_id} />
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
        {notApproved.title}
      </h2>
      <p>
        {notApproved.explanation} <Questions event={event} orderId={registration.order_id} />
      </p>
      <Ledger rows={whoAndWhat(event, registration)} />
    </section>
  )
}
