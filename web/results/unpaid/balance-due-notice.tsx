/** The notice of a balance after a correction by the organisers, above the ticket, which stays valid. */
import { formatMoney, fromRupees } from '../../../engine/index.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { PayNow } from './pay-now-button.tsx'
import type { Paying } from './pay-now-button.tsx'
import type { Registration } from '../result-page-data.ts'
import '../unpaid-and-pending-pages.css'

type DifferenceProps = {
  readonly event: PublicEvent
  readonly registration: Registration
  readonly paying: Paying
}

/** Renders nothing if there is no balance. */
export function Difference({ event, registration, paying }: DifferenceProps) {
  const due = fromRupees(registration.difference_due)
  if (due === null || due === 0) return null
  const amount = formatMoney(due)
  return (
    <section className="pend todo" aria-labelledby="difference">
      <h2 className="disp" id="difference">
        <Icon name="clock" />
        {amount} is still to be paid
      </h2>
      <p>
        The organisers have corrected your registration, and it costs {amount} more now. What you
        have paid already counts.
      </p>
      {registration.may_pay && event.payment ? (
        <PayNow label={`Pay ${amount} now`} paying={paying} />
      ) : (
        <p>The organisers will tell you how to pay it: {event.support}.</p>
      )}
    </section>
  )
}
