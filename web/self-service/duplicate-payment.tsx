/**
 * The notice of a second payment for the same name and email address. One button requests the refund: the link of the email
 * only opens the page, so that a mail scanner that follows links requests nothing.
 */
import {
  dayOf,
  formatDay,
  formatMoney,
  fromRupees,
  paise,
  readInstant,
} from '../../engine/index.ts'
import { formatMessage, SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import { useActing } from './use-self-service-action.ts'
import type { PanelProps } from './panel-props.ts'
import { Said } from './action-result-message.tsx'

const { secondPayment } = SELF_SERVICE_MESSAGES

export function SecondPayment({ mine: { second_payment: second }, path, again }: PanelProps) {
  const acting = useActing({ path, again })
  if (second === null) return null
  const asked = second.asked_at === null ? null : readInstant(second.asked_at)
  const amount = formatMoney(fromRupees(second.amount) ?? paise(0))
  const button = (act: 'ask_refund' | 'withdraw_refund', label: string) => (
    <button
      type="button"
      className="btn line"
      aria-disabled={acting.isBusy}
      onClick={() => void acting.act({ act })}
    >
      {label}
    </button>
  )
  return (
    <section className="mypart" aria-labelledby="my-second">
      <h2 className="disp" id="my-second">
        {secondPayment.title}
      </h2>
      <p>{formatMessage(secondPayment.explanation, { amount, number: second.first })}</p>
      <Said acting={acting} />
      {asked === null ? (
        button('ask_refund', secondPayment.request)
      ) : (
        <>
          <p>{formatMessage(secondPayment.requested, { amount, day: formatDay(dayOf(asked)) })}</p>
          {button('withdraw_refund', secondPayment.withdraw)}
        </>
      )}
    </section>
  )
}
