/** The cancellation request: today's refund, and the date of an earlier request. */
import { useRef, useState } from 'react'
import { dayOf, formatDay, formatMoney, fromRupees, readInstant } from '../../engine/index.ts'
import { formatMessage, SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import type { RegistrationState } from '../../engine/index.ts'
import type { WireCancel } from '../../engine/api.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useActing } from './use-self-service-action.ts'
import type { PanelProps } from './panel-props.ts'
import { Said } from './action-result-message.tsx'

const { cancel: notNow, cancellation } = SELF_SERVICE_MESSAGES

/** Maximum length of an action's reason. */
const WHY_CHARACTERS_MAX = 500

export function Cancel({ mine: { cancel, state }, path, again }: PanelProps) {
  const acting = useActing({ path, again })
  const [asks, setAsks] = useState(false)
  const why = useRef<HTMLTextAreaElement>(null)
  if (cancel === null) return null
  const asked = cancel.asked_at === null ? null : readInstant(cancel.asked_at)
  const send = async () => {
    const done = await acting.act({ act: 'ask_cancel', why: why.current?.value ?? '' })
    if (done) setAsks(false)
  }
  return (
    <section className="mypart" aria-labelledby="my-cancel">
      <h2 className="disp" id="my-cancel">
        {cancellation.title}
      </h2>
      {!asks && <Said acting={acting} />}
      {asked === null ? (
        <>
          <p>{sayBack(cancel, state)}</p>
          <button type="button" className="btn line" onClick={() => setAsks(true)}>
            {cancellation.request}
          </button>
        </>
      ) : (
        <p>{formatMessage(cancellation.requested, { day: formatDay(dayOf(asked)) })}</p>
      )}
      {asks && (
        <Dialog title={cancellation.confirmTitle} onClose={() => setAsks(false)}>
          <p>
            {sayBack(cancel, state)} {cancellation.confirm}
          </p>
          <Said acting={acting} />
          <label className="mywhy">
            {cancellation.reason}
            <textarea ref={why} rows={3} maxLength={WHY_CHARACTERS_MAX} />
          </label>
          <div className="acts">
            <button
              type="button"
              className="btn"
              aria-disabled={acting.isBusy}
              onClick={() => void send()}
            >
              {cancellation.request}
            </button>
            <button type="button" className="btn line" onClick={() => setAsks(false)}>
              {notNow}
            </button>
          </div>
        </Dialog>
      )}
    </section>
  )
}

function sayBack({ kept, back }: WireCancel, state: RegistrationState): string {
  const [paid, returned] = [fromRupees(kept), fromRupees(back)]
  if ((paid === null || paid === 0) && state === 'told') return cancellation.paymentNotFound
  if (paid === null || paid === 0) return cancellation.nothingPaid
  const values = { paid: formatMoney(paid) }
  if (returned === null) return formatMessage(cancellation.organisersDecide, values)
  return returned === 0
    ? formatMessage(cancellation.noRefund, values)
    : formatMessage(cancellation.refund, { ...values, refund: formatMoney(returned) })
}
