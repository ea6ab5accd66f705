/** The notice about a balance after a correction by the organisers. The ticket below it stays valid. */
import { formatMoney, fromMajorUnits } from '../../../engine/index.ts'
import { formatMessage, RESULT_MESSAGES } from '../../../engine/messages.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { renderMessage } from '../../ui/rich-message.tsx'
import { PayNowButton } from './pay-now-button.tsx'
import type { PayButtonState } from './pay-now-button.tsx'
import type { Registration } from '../result-page-data.ts'
import '../unpaid-and-pending-pages.css'

const { balance, payAmountNow } = RESULT_MESSAGES

type BalanceDueProps = {
  readonly event: PublicEvent
  readonly registration: Registration
  readonly payButton: PayButtonState
}

/** Renders nothing if there is no balance. */
export function BalanceDue({ event, registration, payButton }: BalanceDueProps) {
  const currency = readResponseCurrency(registration)
  const due = fromMajorUnits(registration.difference_due, currency)
  if (due === null || due === 0) return null
  const amount = formatMoney(due, currency)
  return (
    <section className="state-notice todo" aria-labelledby="difference">
      <h2 className="disp" id="difference">
        <Icon name="clock" />
        {formatMessage(balance.title, { amount })}
      </h2>
      <p>{formatMessage(balance.explanation, { amount })}</p>
      {registration.may_pay && event.payment ? (
        <PayNowButton label={formatMessage(payAmountNow, { amount })} payButton={payButton} />
      ) : (
        <p>{renderMessage(balance.contact, { support: event.support })}</p>
      )}
    </section>
  )
}
