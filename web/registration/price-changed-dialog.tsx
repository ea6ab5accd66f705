/** The dialogs after a submit: the price has changed, or the registration is complete. */
import {
  categoryLabel,
  buttonText,
  formatMoney,
  priceParts,
  lowerCaseLabel,
} from '../../engine/index.ts'
import { FORM_MESSAGES, formatMessage } from '../../engine/messages.ts'
import type { PublicEvent, Quote } from '../../engine/index.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Ledger } from '../ui/details-list.tsx'
import type { quoteRows } from '../ui/payment/quote-rows.tsx'

const { changed } = FORM_MESSAGES

type ChangedProps = {
  readonly event: PublicEvent
  readonly rows: typeof quoteRows
  readonly was: Quote
  readonly now: Quote
  readonly pay: () => void
  readonly back: () => void
}

/**
 * Shows the old and new price with the reason; nothing is charged before the delegate confirms. The
 * title says "The price has changed" only if the price itself differs.
 */
export function Changed({ event, rows, was, now, pay, back }: ChangedProps) {
  const samePrice = was.base === now.base && was.gst === now.gst && was.total === now.total
  const word = lowerCaseLabel(event, 'category')
  const [what, why] =
    was.category !== now.category
      ? [
          formatMessage(changed.titleCategory, { word }),
          formatMessage(changed.category, {
            word,
            category: categoryLabel(event, now.category),
          }),
        ]
      : was.period !== now.period
        ? [changed.titlePeriod, changed.period]
        : [changed.titlePrice, changed.price]
  const amount = formatMoney(now.total)
  return (
    <Dialog title={samePrice ? what : changed.titlePrice} onClose={back}>
      <p>
        {why} {samePrice && changed.samePrice} {changed.notCharged}
      </p>
      <Ledger rows={rows(event, now, priceParts(event), was)} money />
      <div className="acts">
        <button type="button" className="btn" onClick={pay}>
          {now.total === 0
            ? buttonText(event, now.total)
            : formatMessage(event.payment ? changed.pay : changed.register, { amount })}
        </button>
        <button type="button" className="btn line" onClick={back}>
          {changed.back}
        </button>
      </div>
    </Dialog>
  )
}

/** Shown if the registration is complete as soon as it is submitted. */
export function RegisteredSaid({
  event,
  text,
  onClose,
}: Pick<Parameters<typeof Changed>[0], 'event'> & {
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
