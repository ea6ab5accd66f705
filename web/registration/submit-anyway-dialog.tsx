/** What a delegate is asked when the server would register, but not quite like that. */
import { buttonText, formatMoney, priceParts } from '../../engine/index.ts'
import type { PublicEvent, Quote } from '../../engine/index.ts'
import { toQuote } from '../app/api-responses.ts'
import type { ApiError } from '../app/api-client.ts'
import { billRows } from '../ui/payment/bill-rows.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Ledger } from '../ui/details-list.tsx'
import type { Asked } from './form/form-extensions.ts'

/** Whether there is a way on: another bill where a place is gone, or the same once more where somebody is registered already. */
export function askedBy({ code, message, answer }: ApiError): Asked | null {
  if (code === 'registered_already' && answer?.may_confirm === true) return { message, now: null }
  const now = code === 'full' && answer?.quote ? toQuote(answer.quote) : null
  return now === null ? null : { message, now }
}

/** Nothing is registered or charged before the delegate says so. */
export function AskedAgain({
  event,
  asked: { message, now },
  was,
  yes,
  back,
}: {
  readonly event: PublicEvent
  readonly asked: Asked
  readonly was: Quote | null
  readonly yes: () => void
  readonly back: () => void
}) {
  const title = now === null ? 'Already registered?' : 'No places left'
  return (
    <Dialog title={title} onClose={back}>
      <p>
        {message} Nothing has been {event.payment ? 'charged' : 'registered'}.
      </p>
      {now !== null && (
        <Ledger rows={billRows(event, now, priceParts(event), was ?? undefined)} money />
      )}
      <div className="acts">
        <button type="button" className="btn" onClick={yes}>
          {now === null ? 'Register again' : agreedText(event, now)}
        </button>
        <button type="button" className="btn line" onClick={back}>
          Back to the form
        </button>
      </div>
    </Dialog>
  )
}

function agreedText(event: PublicEvent, { total }: Quote): string {
  if (total === 0) return buttonText(event, total)
  return `${event.payment ? 'Pay' : 'Register for'} ${formatMoney(total)}`
}
