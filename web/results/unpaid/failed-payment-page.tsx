/** The result page of a failed payment, with the retry button. */
import { fillKnown } from '../../../engine/index.ts'
import {
  formatMessage,
  RESULT_MESSAGES,
  resultRows,
  resultValues,
  statesNoCharge,
} from '../../../engine/messages.ts'
import type { Failure, PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Ledger } from '../../ui/details-list.tsx'
import { richMessage } from '../../ui/rich-message.tsx'
import { Bill } from '../bill-details.tsx'
import { Buttons } from '../result-page-buttons.tsx'
import { heldPrice, isPast, lastDayOf, PayNow } from './pay-now-button.tsx'
import type { Paying } from './pay-now-button.tsx'
import type { Query, Registration } from '../result-page-data.ts'
import { rowOf } from '../ticket/ticket-page.tsx'
import './failed-payment-page.css'

type FailedProps = {
  readonly event: PublicEvent
  readonly registration: Registration | null
  readonly query: Query
  /** Server time when the page was written. */
  readonly now: string
  /** Omitted if there is nothing to pay. */
  readonly paying?: Paying
}

const { failed, priceWasGuaranteedUnknownAmount } = RESULT_MESSAGES

/** Replaces the event file's texts about the money if it was transferred, or if that is unknown. */
const MONEY_MESSAGES: Readonly<Record<Exclude<Failure, 'declined'>, string>> = {
  expired: failed.expired,
  'given-back': failed.refunded,
  unclear: failed.unconfirmed,
}

/**
 * A failed payment. The event file's notes about the money are shown only if the stored payment has
 * failed, and "no amount was deducted" only if the bank declined. If the order is unknown, the page
 * says so instead.
 */
export function Failed({ event, registration, query, now, paying }: FailedProps) {
  const page = event.results.failed
  const values = resultValues(event, registration, query)
  /** Omits texts that refer to an unknown number, because there would be nothing to quote. */
  const failedAs = registration?.failed_as ?? null
  const said = (lines: readonly string[]) =>
    lines
      .filter((line) => failedAs === 'declined' || !statesNoCharge(line))
      .flatMap((line) => fillKnown(line, values) ?? [])
  const rows = resultRows(event, 'failed', registration, query)
    .filter(({ id }) => id !== 'lines')
    .map((row) => rowOf(event, row, 'bad'))
  const known = registration !== null || page.lookup === 'if-found'
  const price = registration === null ? null : heldPrice(registration, now)
  const isPayable = registration?.may_pay === true && event.payment !== null
  // Nobody can pay again at a closed event, unless the order is still payable.
  const check = event.status === 'closed' && !isPayable ? failed.checkDeducted : failed.checkFirst
  const notes = said(page.notes)
  const facts = known && page.notesTitle === undefined ? notes : []
  const advice = page.notesTitle === undefined ? [] : notes
  const [intro = null] = said(page.intro === undefined ? [] : [page.intro])
  // The payment arrived, so the card was not the cause.
  const reasons = failedAs === 'given-back' ? [] : said(page.reasons)
  return (
    <article className="fx bad" aria-labelledby="failed">
      <h2 className="disp" id="failed">
        <Icon name="bang" />
        {page.title}
      </h2>
      {intro !== null && <p className="intro">{intro}</p>}
      {failedAs !== null && failedAs !== 'declined' && (
        <p className="intro">
          {MONEY_MESSAGES[failedAs]} {failedAs !== 'given-back' && check}
        </p>
      )}
      {facts.length > 0 && (
        <ul className="facts">
          {facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      )}
      {!known && (
        <p className="intro">
          {failed.notFound} {check}
        </p>
      )}
      {notes.length < page.notes.length && (
        <p className="intro">
          {richMessage(RESULT_MESSAGES.help, {
            support: <a href={`mailto:${event.support}`}>{event.support}</a>,
          })}
        </p>
      )}
      {registration !== null && isPayable && paying && (
        <div className="again">
          <PayNow
            label={price === null ? failed.pay : formatMessage(failed.payAmount, { amount: price })}
            paying={paying}
          />
          <p>
            {failed.saved} {sayHeld(registration, now)}
          </p>
        </div>
      )}
      <div className="acts">
        <Buttons
          event={event}
          buttons={page.buttons}
          registration={registration}
          query={query}
          first={isPayable ? 'line' : 'main'}
        />
      </div>
      <div className={reasons.length > 0 || advice.length > 0 ? 'cols' : ''}>
        <div>
          <Ledger rows={rows} />
          <Bill event={event} registration={registration} />
        </div>
        {reasons.length > 0 && <Lines title={failed.causes} lines={reasons} />}
        {advice.length > 0 && <Lines title={page.notesTitle ?? ''} lines={advice} />}
      </div>
    </article>
  )
}

function sayHeld({ held_until: heldUntil }: Registration, now: string): string {
  const day = lastDayOf(heldUntil)
  if (day === null) return ''
  return formatMessage(
    isPast(heldUntil, now) ? priceWasGuaranteedUnknownAmount : failed.priceGuaranteed,
    {
      day,
    },
  )
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
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
