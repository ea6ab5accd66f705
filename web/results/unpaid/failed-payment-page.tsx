/** The page of a payment that failed: what is known of it, and trying again. */
import { fillKnown, resultRows, resultValues, saysNoMoneyWent } from '../../../engine/index.ts'
import type { Failure, PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Ledger } from '../../ui/details-list.tsx'
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
  /** The server's clock when it wrote the page. */
  readonly now: string
  /** Left out where there is nothing to pay. */
  readonly paying?: Paying
}

const BEFORE_PAYING_AGAIN = ' before you pay again'

/** What is said of the money instead of the event file's own words, where it went, or nobody can know that it stayed. */
const MONEY_SAID: Readonly<Record<Exclude<Failure, 'declined'>, string>> = {
  expired:
    'No payment for this order reached us in time. Please make sure that no amount was deducted before you pay again.',
  'given-back':
    'Money came for this registration and is refunded to you, so the registration is not paid. A bank or a card company may take some working days until its statement shows the refund.',
  unclear:
    'We do not know what became of this payment, so please make sure that no amount was deducted before you pay again.',
}

/**
 * A payment that failed. The event file's notes (what happened to the money) are said only where the
 * stored payment has failed, and that no money went only where the bank has said no; where nothing is
 * known of the order, the page says that instead.
 */
export function Failed({ event, registration, query, now, paying }: FailedProps) {
  const page = event.results.failed
  const values = resultValues(event, registration, query)
  /** What names a number that nobody gave is not said: there would be nothing to quote. */
  const failedAs = registration?.failed_as ?? null
  const said = (lines: readonly string[]) =>
    lines
      .filter((line) => failedAs === 'declined' || !saysNoMoneyWent(line))
      .flatMap((line) => fillKnown(line, values) ?? [])
  const rows = resultRows(event, 'failed', registration, query)
    .filter(({ id }) => id !== 'lines')
    .map((row) => rowOf(event, row, 'bad'))
  const known = registration !== null || page.lookup === 'if-found'
  const price = registration === null ? null : heldPrice(registration, now)
  const isPayable = registration?.may_pay === true && event.payment !== null
  // Nobody can pay again at a closed event, except for an order that may still be paid.
  const withoutAdvice = (sentence: string): string =>
    event.status === 'closed' && !isPayable ? sentence.replace(BEFORE_PAYING_AGAIN, '') : sentence
  const notes = said(page.notes)
  const facts = known && page.notesTitle === undefined ? notes : []
  const advice = page.notesTitle === undefined ? [] : notes
  const [intro = null] = said(page.intro === undefined ? [] : [page.intro])
  // Money came: nothing was wrong with the card.
  const reasons = failedAs === 'given-back' ? [] : said(page.reasons)
  return (
    <article className="fx bad" aria-labelledby="failed">
      <h2 className="disp" id="failed">
        <Icon name="bang" />
        {page.title}
      </h2>
      {intro !== null && <p className="intro">{intro}</p>}
      {failedAs !== null && failedAs !== 'declined' && (
        <p className="intro">{withoutAdvice(MONEY_SAID[failedAs])}</p>
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
          {withoutAdvice(
            'We could not look up this payment, so please make sure that no amount was deducted before you pay again.',
          )}
        </p>
      )}
      {notes.length < page.notes.length && (
        <p className="intro">
          If you need help, write to <a href={`mailto:${event.support}`}>{event.support}</a>.
        </p>
      )}
      {registration !== null && isPayable && paying && (
        <div className="again">
          <PayNow label={price === null ? 'Pay again' : `Pay ${price} again`} paying={paying} />
          <p>
            Your answers are saved, so you do not have to fill in the form again.
            {sayHeld(registration, now)}
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
        {reasons.length > 0 && <Lines title="Possible causes" lines={reasons} />}
        {advice.length > 0 && <Lines title={page.notesTitle ?? ''} lines={advice} />}
      </div>
    </article>
  )
}

function sayHeld({ held_until: heldUntil }: Registration, now: string): string {
  const day = lastDayOf(heldUntil)
  if (day === null) return ''
  return isPast(heldUntil, now)
    ? ` The price was held until the end of ${day}. If today’s price is different, we will ask you before anything is charged.`
    : ` The price is held until the end of ${day}.`
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
