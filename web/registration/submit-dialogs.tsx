/** The phases of a submission, and their dialogs: nothing is sent or charged before the delegate confirms. */
import {
  getCategoryLabel,
  getButtonText,
  formatMoney,
  listPriceParts,
  getLowerCaseLabel,
} from '../../engine/index.ts'
import { FORM_MESSAGES, formatMessage } from '../../engine/messages.ts'
import type { PublicEvent, Quote } from '../../engine/index.ts'
import type { PaymentData } from '../../engine/api.ts'
import { Dialog } from '../ui/dialog.tsx'
import { DetailsList } from '../ui/details-list.tsx'
import type { Alternative, FormExtensions } from './form/form-extensions.ts'
import { buildResultPageUrl } from './previous-submission-notice.tsx'
import type { buildQuoteRows } from '../ui/payment/quote-rows.tsx'

const { changed, samePerson } = FORM_MESSAGES

export type SubmitPhase =
  | { readonly is: 'filling' }
  /** `isRetry` is true if the request timed out and is being sent again. */
  | { readonly is: 'submitting'; readonly isRetry?: boolean }
  | { readonly is: 'leaving'; readonly data: PaymentData }
  | { readonly is: 'price-changed'; readonly oldQuote: Quote; readonly newQuote: Quote }
  | { readonly is: 'offer'; readonly offer: Alternative; readonly oldQuote: Quote | null }
  /** Offers to open registration `regNo` of the same person, or to register again. */
  | {
      readonly is: 'same-person'
      readonly regNo: string
      readonly message: string
      readonly submission: ConfirmedSubmission
    }
  | { readonly is: 'registered'; readonly text: string }

/**
 * The price that the delegate has confirmed, and what else they have confirmed. `confirmed`: that they want to register
 * although another registration uses one of the answers. `previousRegNo`: that they want to pay for this registration
 * as well as that one.
 */
export type ConfirmedSubmission = {
  readonly quote: Quote | null
  readonly confirmed?: boolean
  readonly previousRegNo?: string
}

/** Shows the dialog of a phase. Renders nothing in a phase without a dialog. */
export function SubmitDialog({
  event,
  extensions,
  phase,
  send,
  onClose,
}: {
  readonly event: PublicEvent
  readonly extensions: Pick<FormExtensions, 'buildRows' | 'SubmitAnywayDialog'>
  readonly phase: SubmitPhase
  readonly send: (submission: ConfirmedSubmission) => void
  readonly onClose: () => void
}) {
  switch (phase.is) {
    case 'price-changed':
      return (
        <PriceChangedDialog
          event={event}
          buildRows={extensions.buildRows}
          oldQuote={phase.oldQuote}
          newQuote={phase.newQuote}
          pay={() => send({ quote: phase.newQuote })}
          onClose={onClose}
        />
      )
    case 'offer': {
      const { offer, oldQuote } = phase
      const isSamePrice = offer.newQuote === null
      return (
        <extensions.SubmitAnywayDialog
          event={event}
          alternative={offer}
          oldQuote={oldQuote}
          onConfirm={() => send({ quote: offer.newQuote ?? oldQuote, confirmed: isSamePrice })}
          onClose={onClose}
        />
      )
    }
    case 'same-person': {
      const { regNo, message, submission } = phase
      return (
        <Dialog title={samePerson.title} onClose={onClose}>
          <p>{formatMessage(samePerson.notCharged, { reason: message })}</p>
          <div className="actions">
            <a className="btn" href={buildResultPageUrl(event, regNo)}>
              {samePerson.open}
            </a>
            <button
              type="button"
              className="btn line"
              onClick={() => send({ ...submission, previousRegNo: regNo })}
            >
              {samePerson.again}
            </button>
            <button type="button" className="btn line" onClick={onClose}>
              {changed.back}
            </button>
          </div>
        </Dialog>
      )
    }
    case 'registered':
      return <RegisteredDialog event={event} text={phase.text} onClose={onClose} />
    default:
      return null
  }
}

type PriceChangedDialogProps = {
  readonly event: PublicEvent
  readonly buildRows: typeof buildQuoteRows
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
  buildRows,
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
  const categoryLabel = getLowerCaseLabel(event, 'category')
  const [dialogTitle, reason] =
    oldQuote.category !== newQuote.category
      ? [
          formatMessage(changed.titleCategory, { word: categoryLabel }),
          formatMessage(changed.category, {
            word: categoryLabel,
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
      <DetailsList rows={buildRows(event, newQuote, listPriceParts(event), oldQuote)} hasAmounts />
      <div className="actions">
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

/** Shown when a registration needs no further step after it is submitted. */
function RegisteredDialog({
  event,
  text,
  onClose,
}: Pick<Parameters<typeof PriceChangedDialog>[0], 'event'> & {
  readonly text: string
  readonly onClose: () => void
}) {
  return (
    <Dialog title={event.title} onClose={onClose}>
      <p className="completion-message">{text}</p>
      <div className="actions">
        <button type="button" className="btn" onClick={onClose}>
          {changed.close}
        </button>
      </div>
    </Dialog>
  )
}
