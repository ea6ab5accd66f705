/** The notice about a balance after a part payment or a correction. The ticket below it stays valid. */
import { formatMoney, fromMajorUnits } from '../../../engine/index.ts'
import { formatMessage, RESULT_MESSAGES } from '../../../engine/messages.ts'
import type { Amount, PublicEvent } from '../../../engine/index.ts'
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

/** Returns the balance; null if there is none. */
function readBalance(registration: Registration): Amount | null {
  const due = fromMajorUnits(registration.difference_due, readResponseCurrency(registration))
  return due === 0 ? null : due
}

/** Returns the notice's title; null if there is no balance. */
export function getBalanceTitle(registration: Registration): string | null {
  const due = readBalance(registration)
  if (due === null) return null
  return formatMessage(balance.title, {
    amount: formatMoney(due, readResponseCurrency(registration)),
  })
}

/** Renders nothing if there is no balance. */
export function BalanceDue({ event, registration, payButton }: BalanceDueProps) {
  const currency = readResponseCurrency(registration)
  const due = readBalance(registration)
  if (due === null) return null
  const total = fromMajorUnits(registration.total, currency) ?? due
  const amount = formatMoney(due, currency)
  return (
    <section className="state-notice todo" aria-labelledby="difference">
      <h2 className="disp" id="difference">
        <Icon name="clock" />
        {getBalanceTitle(registration)}
      </h2>
      <p>
        {total > due
          ? formatMessage(balance.partlyPaid, {
              amount,
              total: formatMoney(total, currency),
            })
          : formatMessage(balance.notPaid, { amount })}
      </p>
      {registration.may_pay && event.payment ? (
        <PayNowButton label={formatMessage(payAmountNow, { amount })} payButton={payButton} />
      ) : (
        <p>{renderMessage(balance.contact, { support: event.support })}</p>
      )}
    </section>
  )
}
