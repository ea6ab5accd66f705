/** The cancellation request: today's refund, and the date of an earlier request. */
import { useRef, useState } from 'react'
import { dayOf, formatDay, formatMoney, fromRupees, readInstant } from '../../engine/index.ts'
import type { RegistrationState, WireCancel } from '../../engine/index.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useActing } from './use-self-service-action.ts'
import type { PanelProps } from './panel-props.ts'
import { Said } from './action-result-message.tsx'

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
        If you cannot come
      </h2>
      {!asks && <Said acting={acting} />}
      {asked === null ? (
        <>
          <p>{sayBack(cancel, state)}</p>
          <button type="button" className="btn line" onClick={() => setAsks(true)}>
            Ask for cancellation
          </button>
        </>
      ) : (
        <p>
          You asked for cancellation on {formatDay(dayOf(asked))}. The organisers decide, and write
          to you by email.
        </p>
      )}
      {asks && (
        <Dialog title="Ask for cancellation?" onClose={() => setAsks(false)}>
          <p>
            {sayBack(cancel, state)} Nothing is cancelled yet: the organisers decide, and write to
            you.
          </p>
          <Said acting={acting} />
          <label className="mywhy">
            Why (optional)
            <textarea ref={why} rows={3} maxLength={WHY_CHARACTERS_MAX} />
          </label>
          <div className="acts">
            <button
              type="button"
              className="btn"
              aria-disabled={acting.isBusy}
              onClick={() => void send()}
            >
              Ask for cancellation
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

function sayBack({ kept, back }: WireCancel, state: RegistrationState): string {
  const [paid, returned] = [fromRupees(kept), fromRupees(back)]
  if ((paid === null || paid === 0) && state === 'told')
    return 'Your payment is not found yet. What of it is refunded is for the organisers to say.'
  if (paid === null || paid === 0) return 'Nothing has been paid, so there is nothing to refund.'
  if (returned === null)
    return `You have paid ${formatMoney(paid)}. Whether any of it is refunded is for the organisers to say.`
  return returned === 0
    ? `You have paid ${formatMoney(paid)}. For a cancellation today nothing of it is refunded.`
    : `You have paid ${formatMoney(paid)}. For a cancellation today ${formatMoney(returned)} of it is refunded.`
}
