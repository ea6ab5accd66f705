/** The notice of a second payment for the same name and email address, with the refund request. */
import { useState } from 'react'
import {
  dayOf,
  formatDay,
  formatMoney,
  fromRupees,
  paise,
  readInstant,
} from '../../engine/index.ts'
import { formatMessage, SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useActing } from './use-self-service-action.ts'
import type { PanelProps } from './panel-props.ts'
import { Said } from './action-result-message.tsx'

const { cancel, secondPayment } = SELF_SERVICE_MESSAGES

export function SecondPayment({ mine: { second_payment: second }, path, again }: PanelProps) {
  const acting = useActing({ path, again })
  const [asks, setAsks] = useState(false)
  if (second === null) return null
  const asked = second.asked_at === null ? null : readInstant(second.asked_at)
  const amount = formatMoney(fromRupees(second.amount) ?? paise(0))
  const send = async () => {
    if (await acting.act({ act: 'ask_refund' })) setAsks(false)
  }
  return (
    <section className="mypart" aria-labelledby="my-second">
      <h2 className="disp" id="my-second">
        {secondPayment.title}
      </h2>
      {!asks && <Said acting={acting} />}
      <p>{formatMessage(secondPayment.explanation, { amount, number: second.first })}</p>
      {asked === null ? (
        <button type="button" className="btn line" onClick={() => setAsks(true)}>
          {secondPayment.request}
        </button>
      ) : (
        <p>{formatMessage(secondPayment.requested, { amount, day: formatDay(dayOf(asked)) })}</p>
      )}
      {asks && (
        <Dialog title={secondPayment.confirmTitle} onClose={() => setAsks(false)}>
          <p>{formatMessage(secondPayment.confirm, { amount, number: second.first })}</p>
          <Said acting={acting} />
          <div className="acts">
            <button
              type="button"
              className="btn"
              aria-disabled={acting.isBusy}
              onClick={() => void send()}
            >
              {secondPayment.request}
            </button>
            <button type="button" className="btn line" onClick={() => setAsks(false)}>
              {cancel}
            </button>
          </div>
        </Dialog>
      )}
    </section>
  )
}
