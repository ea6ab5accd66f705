/** The dialogs after a submit: the price has changed, or the registration is complete. */
import {
  getCategoryLabel,
  getButtonText,
  formatMoney,
  listPriceParts,
  getLowerCaseLabel,
} from '../../engine/index.ts'
import { FORM_MESSAGES, formatMessage } from '../../engine/messages.ts'
import type { PublicEvent, Quote } from '../../engine/index.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Ledger } from '../ui/details-list.tsx'
import type { quoteRows } from '../ui/payment/quote-rows.tsx'

const { changed } = FORM_MESSAGES

type PriceChangedDialogProps = {
  readonly event: PublicEvent
  readonly rows: typeof quoteRows
  readonly oldQuote: Quote
  readonly newQuote: Quote
  readonly pay: () => void
  readonly onClose: () => void
}

/**
 * Shows the old and new price with the reason; nothing is charged before the delegate confirms. The
 * title says "The price has changed" only if the price itself differs.
 */
export function PriceChangedDialog({
  event,
  rows,
  oldQuote,
  newQuote,
  pay,
  onClose,
}: PriceChangedDialogProps) {
  const isSamePrice =
    oldQuote.currency === newQuote.currency &&
    oldQuote.base === newQuote.base &&
    oldQuote.gst === newQuote.gst &&
    oldQuote.total === newQuote.total
  const word = getLowerCaseLabel(event, 'category')
  const [dialogTitle, reason] =
    oldQuote.category !== newQuote.category
      ? [
          formatMessage(changed.titleCategory, { word }),
          formatMessage(changed.category, {
            word,
            category: getCategoryLabel(event, newQuote.category),
          }),
        ]
      : oldQuote.period !== newQuote.period
        ? [changed.titlePeriod, changed.period]
        : [changed.titlePrice, changed.price]
  const amount = formatMoney(newQuote.total, newQuote.currency)
  return (
    <Dialog title={isSamePrice ? dialogTitle : changed.titlePrice} onClose={onClose}>
      <p>
        {reason} {isSamePrice && changed.samePrice} {changed.notCharged}
      </p>
      <Ledger rows={rows(event, newQuote, listPriceParts(event), oldQuote)} money />
      <div className="acts">
        <button type="button" className="btn" onClick={pay}>
          {newQuote.total === 0
            ? getButtonText(event, newQuote.total)
            : formatMessage(event.payment ? changed.pay : changed.register, { amount })}
        </button>
        <button type="button" className="btn line" onClick={onClose}>
          {changed.back}
        </button>
      </div>
    </Dialog>
  )
}

/** Shown if the registration is complete as soon as it is submitted. */
export function RegisteredDialog({
  event,
  text,
  onClose,
}: Pick<Parameters<typeof PriceChangedDialog>[0], 'event'> & {
  readonly text: string
  readonly onClose: () => void
}) {
  return (
    <Dialog title={event.title} onClose={onClose}>
      <p className="said">{text}</p>
      <div className="acts">
        <button type="button" className="btn" onClick={onClose}>
          {changed.close}
        </button>
      </div>
    </Dialog>
  )
}
