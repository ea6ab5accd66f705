/** The dialogs after a submit: the price has changed, or the registration is complete. */
import {
  labelOfCategory,
  buttonText,
  formatMoney,
  priceParts,
  wordFor,
} from '../../engine/index.ts'
import type { PublicEvent, Quote } from '../../engine/index.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Ledger } from '../ui/details-list.tsx'
import type { quoteRows } from '../ui/payment/quote-rows.tsx'

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
  const [what, why] =
    was.category !== now.category
      ? [
          wordFor(event, 'category'),
          `Your answers now belong to the ${wordFor(event, 'category')} ${labelOfCategory(event, now.category)}.`,
        ]
      : was.period !== now.period
        ? ['price period', 'A new price period began while you were filling in the form.']
        : ['price', 'The organisers changed the price while you were filling in the form.']
  const still = samePrice ? ' The price is the same.' : ''
  const total = formatMoney(now.total)
  return (
    <Dialog title={`The ${samePrice ? what : 'price'} has changed`} onClose={back}>
      <p>
        {why}
        {still} Nothing has been charged.
      </p>
      <Ledger rows={rows(event, now, priceParts(event), was)} money />
      <div className="acts">
        <button type="button" className="btn" onClick={pay}>
          {now.total === 0
            ? buttonText(event, now.total)
            : event.payment
              ? `Pay ${total}`
              : `Register for ${total}`}
        </button>
        <button type="button" className="btn line" onClick={back}>
          Back to the form
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
          OK
        </button>
      </div>
    </Dialog>
  )
}
