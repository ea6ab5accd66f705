/** The confirmation dialog when the server offers an alternative to the submitted registration. */
import { buttonText, formatMoney, priceParts } from '../../engine/index.ts'
import { EXTENDED_FORM_MESSAGES, formatMessage } from '../../engine/messages.ts'
import type { PublicEvent, Quote } from '../../engine/index.ts'
import { toQuote } from '../app/api-responses.ts'
import type { ApiError } from '../app/api-client.ts'
import { billRows } from '../ui/payment/bill-rows.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Ledger } from '../ui/details-list.tsx'
import type { PendingConfirmation } from './form/form-extensions.ts'

const { submitAnyway } = EXTENDED_FORM_MESSAGES

/**
 * The alternative that a refusal offers: a different bill if an option is full, or the same request
 * again if a registration exists already. Null if there is none.
 */
export function askedBy({ code, message, answer }: ApiError): PendingConfirmation | null {
  if (code === 'registered_already' && answer?.may_confirm === true) return { message, now: null }
  const now = code === 'full' && answer?.quote ? toQuote(answer.quote) : null
  return now === null ? null : { message, now }
}

/** Nothing is registered or charged before the delegate confirms. */
export function AskedAgain({
  event,
  asked: { message, now },
  was,
  yes,
  back,
}: {
  readonly event: PublicEvent
  readonly asked: PendingConfirmation
  readonly was: Quote | null
  readonly yes: () => void
  readonly back: () => void
}) {
  const title = now === null ? submitAnyway.registeredTitle : submitAnyway.fullTitle
  return (
    <Dialog title={title} onClose={back}>
      <p>
        {formatMessage(event.payment ? submitAnyway.notCharged : submitAnyway.notRegistered, {
          reason: message,
        })}
      </p>
      {now !== null && (
        <Ledger rows={billRows(event, now, priceParts(event), was ?? undefined)} money />
      )}
      <div className="acts">
        <button type="button" className="btn" onClick={yes}>
          {now === null ? submitAnyway.register : agreedText(event, now)}
        </button>
        <button type="button" className="btn line" onClick={back}>
          {submitAnyway.back}
        </button>
      </div>
    </Dialog>
  )
}

function agreedText(event: PublicEvent, { total }: Quote): string {
  if (total === 0) return buttonText(event, total)
  return formatMessage(event.payment ? submitAnyway.pay : submitAnyway.registerFor, {
    amount: formatMoney(total),
  })
}
