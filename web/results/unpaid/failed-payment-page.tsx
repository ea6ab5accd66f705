/** The result page of a failed payment, with the retry button. */
import { fillKnownPlaceholders } from '../../../engine/index.ts'
import {
  formatMessage,
  RESULT_MESSAGES,
  buildResultRows,
  getResultValues,
  statesNoCharge,
} from '../../../engine/messages.ts'
import type { Failure, PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { DetailsList } from '../../ui/details-list.tsx'
import { renderMessage } from '../../ui/rich-message.tsx'
import { Bill } from '../bill-details.tsx'
import { ResultButtons } from '../result-page-buttons.tsx'
import { formatPriceUntil, getValidPrice, PayNowButton } from './pay-now-button.tsx'
import type { PayButtonState } from './pay-now-button.tsx'
import type { ResultPageParams, Registration } from '../result-page-data.ts'
import { toDetailsRow } from '../ticket/ticket-page.tsx'
import './failed-payment-page.css'

type FailedPaymentProps = {
  readonly event: PublicEvent
  readonly registration: Registration | null
  readonly query: ResultPageParams
  /** Server time when the page was rendered. */
  readonly now: string
  /** Omitted if there is nothing to pay. */
  readonly payButton?: PayButtonState
}

const { failed } = RESULT_MESSAGES

/** Messages that replace the event file's texts about the charge if the delegate was charged, or may have been. */
const MONEY_MESSAGES: Readonly<Record<Exclude<Failure, 'declined'>, string>> = {
  expired: failed.expired,
  'given-back': failed.refunded,
  unclear: failed.unconfirmed,
}

/**
 * Shows a failed payment. Shows the event file's notes about the charge only if the stored payment has failed, and "no
 * amount was deducted" only if the bank declined. If the order is unknown, the page says so instead.
 */
export function FailedPayment({ event, registration, query, now, payButton }: FailedPaymentProps) {
  const page = event.results.failed
  const values = getResultValues(event, registration, query)
  const failure = registration?.failed_as ?? null
  /**
   * Omits lines with a placeholder that has no value. Omits lines that say that nothing was charged,
   * unless the bank declined the payment.
   */
  const fillLines = (lines: readonly string[]) =>
    lines
      .filter((line) => failure === 'declined' || !statesNoCharge(line))
      .flatMap((line) => fillKnownPlaceholders(line, values) ?? [])
  const rows = buildResultRows(event, 'failed', registration, query)
    .filter(({ id }) => id !== 'lines')
    .map((row) => toDetailsRow(event, row, 'bad'))
  const isKnown = registration !== null || page.lookup === 'if-found'
  const price = registration === null ? null : getValidPrice(registration, now)
  const isPayable = registration?.may_pay === true && event.payment !== null
  const hasPayButton = isPayable && payButton?.formPath === null
  // A closed event accepts no new payment, unless the order is still payable.
  const checkNote =
    event.status === 'closed' && !isPayable ? failed.checkDeducted : failed.checkFirst
  const notes = fillLines(page.notes)
  const paymentNotes = isKnown && page.notesTitle === undefined ? notes : []
  const advice = page.notesTitle === undefined ? [] : notes
  const [intro = null] = fillLines(page.intro === undefined ? [] : [page.intro])
  // The payment was received, so the card did not cause the failure.
  const reasons = failure === 'given-back' ? [] : fillLines(page.reasons)
  return (
    <article className="fx bad" aria-labelledby="failed">
      <h2 className="disp" id="failed">
        <Icon name="bang" />
        {page.title}
      </h2>
      {intro !== null && <p className="intro">{intro}</p>}
      {failure !== null && failure !== 'declined' && (
        <p className="intro">
          {MONEY_MESSAGES[failure]} {failure !== 'given-back' && checkNote}
        </p>
      )}
      {paymentNotes.length > 0 && (
        <ul className="facts">
          {paymentNotes.map((note) => (
            <li key={note}>
              <Icon name={chooseIcon(note)} />
              {note}
            </li>
          ))}
        </ul>
      )}
      {!isKnown && (
        <p className="intro">
          {failed.notFound} {checkNote}
        </p>
      )}
      {notes.length < page.notes.length && (
        <p className="intro">
          {renderMessage(RESULT_MESSAGES.help, {
            support: <a href={`mailto:${event.support}`}>{event.support}</a>,
          })}
        </p>
      )}
      {registration !== null && isPayable && payButton && (
        <div className="again">
          <PayNowButton
            label={price === null ? failed.pay : formatMessage(failed.payAmount, { amount: price })}
            payButton={payButton}
          />
          {payButton.formPath === null && (
            <p>
              {failed.saved} {formatPriceUntil(registration, now)}
            </p>
          )}
        </div>
      )}
      <div className="actions">
        <ResultButtons
          event={event}
          buttons={page.buttons}
          registration={registration}
          query={query}
          firstStyle={hasPayButton ? 'line' : 'main'}
        />
      </div>
      <div className={reasons.length > 0 || advice.length > 0 ? 'cols' : ''}>
        <div>
          <DetailsList rows={rows} />
          <Bill event={event} registration={registration} />
        </div>
        {reasons.length > 0 && <NoteList title={failed.causes} lines={reasons} />}
        {advice.length > 0 && <NoteList title={page.notesTitle ?? ''} lines={advice} />}
      </div>
    </article>
  )
}

/** Chooses the icon next to a message by its words. */
function chooseIcon(note: string): 'tick' | 'cross' | 'again' | 'info' {
  if (statesNoCharge(note)) return 'tick'
  if (/\bagain\b|\bretry\b/i.test(note)) return 'again'
  return /\bnot\b/i.test(note) ? 'cross' : 'info'
}

function NoteList({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  return (
    <div className="causes">
      <h3 className="disp">{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  )
}
