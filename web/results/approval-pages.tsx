/** The result pages of registrations that await approval or were not approved. */
import { formatMessage, RESULT_MESSAGES } from '../../engine/messages.ts'
import type { PublicEvent } from '../../engine/index.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { DetailsList } from '../ui/details-list.tsx'
import { buildAmountRows, buildDelegateRows } from './unpaid/unpaid-page.tsx'
import { formatLastDay } from './unpaid/pay-now-button.tsx'
import { Questions, usePolling } from './pending-refunded-cancelled-pages.tsx'
import type { Registration } from './result-page-data.ts'
import './unpaid-and-pending-pages.css'

type ApprovalPageProps = { readonly event: PublicEvent; readonly registration: Registration }

const { notApproved, waitingForApproval } = RESULT_MESSAGES

/** Shows the next step and its deadline. There is nothing to pay yet. */
export function WaitingForApproval({
  event,
  registration,
  reload,
}: ApprovalPageProps & { readonly reload: () => void }) {
  usePolling(reload)
  const decideBy = formatLastDay(registration.decide_by)
  return (
    <section className="state-notice" aria-labelledby="to-approve">
      <h2 className="disp" id="to-approve">
        <Icon name="clock" />
        {waitingForApproval.title}
      </h2>
      <p>
        {decideBy === null
          ? waitingForApproval.explanation
          : formatMessage(waitingForApproval.explanationWithDay, { day: decideBy })}
      </p>
      <p>
        {event.methodsPricedOnCredit === undefined
          ? waitingForApproval.nextAtSamePrice
          : waitingForApproval.next}{' '}
        <Questions event={event} orderId={registration.order_id} />
      </p>
      <DetailsList rows={buildDelegateRows(event, registration)} />
      <DetailsList rows={buildAmountRows(event, registration)} hasAmounts />
    </section>
  )
}

/**
 * Shows that the registration was not approved. Only the email states the reason and the alternatives:
 * someone who knows only the registration number must not learn them.
 */
export function NotApproved({ event, registration }: ApprovalPageProps) {
  return (
    <section className="state-notice back" aria-labelledby="not-approved">
      <h2 className="disp" id="not-approved">
        <Icon name="back" />
        {notApproved.title}
      </h2>
      <p>
        {notApproved.explanation} <Questions event={event} orderId={registration.order_id} />
      </p>
      <DetailsList rows={buildDelegateRows(event, registration)} />
    </section>
  )
}
