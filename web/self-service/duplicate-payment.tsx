/** The notice of a second payment for the same name and email address, with the refund request. */
import { useState } from 'react'
import {
  ASK_REFUND,
  dayOf,
  formatDay,
  formatMoney,
  fromRupees,
  paise,
  readInstant,
} from '../../engine/index.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useActing } from './use-self-service-action.ts'
import type { PanelProps } from './panel-props.ts'
import { Said } from './action-result-message.tsx'

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
        You have paid twice
      </h2>
      {!asks && <Said acting={acting} />}
      <p>
        This is the second payment for this name and email address: {amount}. Registration{' '}
        {second.first} was paid before.
      </p>
      {asked === null ? (
        <button type="button" className="btn line" onClick={() => setAsks(true)}>
          {ASK_REFUND}
        </button>
      ) : (
        <p>
          You requested a refund of {amount} on {formatDay(dayOf(asked))}. The organisers decide,
          and write to you by email.
        </p>
      )}
      {asks && (
        <Dialog title="Request a refund?" onClose={() => setAsks(false)}>
          <p>
            You request a refund of {amount}. The organisers decide, and write to you by email.
            Registration {second.first} stays as it is.
          </p>
          <Said acting={acting} />
          <div className="acts">
            <button
              type="button"
              className="btn"
              aria-disabled={acting.isBusy}
              onClick={() => void send()}
            >
              {ASK_REFUND}
            </button>
            <button type="button" className="btn line" onClick={() => setAsks(false)}>
              Not now
            </button>
          </div>
        </Dialog>
      )}
    </section>
  )
}
