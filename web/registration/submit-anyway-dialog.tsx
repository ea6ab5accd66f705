/** The confirmation dialog when the server offers an alternative to the submitted registration. */
import { getButtonText, formatMoney, listPriceParts } from '../../engine/index.ts'
import { EXTENDED_FORM_MESSAGES, formatMessage } from '../../engine/messages.ts'
import type { PublicEvent, Quote } from '../../engine/index.ts'
import { toQuote } from '../app/api-responses.ts'
import type { ApiError } from '../app/api-client.ts'
import { buildBillRows } from '../ui/payment/bill-rows.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { DetailsList } from '../ui/details-list.tsx'
import type { Alternative } from './form/form-extensions.ts'

const { submitAnyway } = EXTENDED_FORM_MESSAGES

/**
 * Reads the alternative that an error offers: a different bill if an option is full, or the same
 * request again if a registration exists already. Null if there is none.
 */
export function readAlternative({ code, message, errorResponse }: ApiError): Alternative | null {
  if (code === 'registered_already' && errorResponse?.may_confirm === true)
    return { message, newQuote: null }
  const newQuote = code === 'full' && errorResponse?.quote ? toQuote(errorResponse.quote) : null
  return newQuote === null ? null : { message, newQuote }
}

/** Asks the delegate to confirm the alternative. Nothing is registered or charged before that. */
export function SubmitAnywayDialog({
  event,
  alternative: { message, newQuote },
  oldQuote,
  onConfirm,
  onClose,
}: {
  readonly event: PublicEvent
  readonly alternative: Alternative
  readonly oldQuote: Quote | null
  readonly onConfirm: () => void
  readonly onClose: () => void
}) {
  const title = newQuote === null ? submitAnyway.registeredTitle : submitAnyway.fullTitle
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        {formatMessage(event.payment ? submitAnyway.notCharged : submitAnyway.notRegistered, {
          reason: message,
        })}
      </p>
      {newQuote !== null && (
        <DetailsList
          rows={buildBillRows(event, newQuote, listPriceParts(event), oldQuote ?? undefined)}
          hasAmounts
        />
      )}
      <div className="actions">
        <button type="button" className="btn" onClick={onConfirm}>
          {newQuote === null ? submitAnyway.register : getConfirmLabel(event, newQuote)}
        </button>
        <button type="button" className="btn line" onClick={onClose}>
          {submitAnyway.back}
        </button>
      </div>
    </Dialog>
  )
}

function getConfirmLabel(event: PublicEvent, { total, currency }: Quote): string {
  if (total === 0) return getButtonText(event, total)
  return formatMessage(event.payment ? submitAnyway.pay : submitAnyway.registerFor, {
    amount: formatMoney(total, currency),
  })
}
