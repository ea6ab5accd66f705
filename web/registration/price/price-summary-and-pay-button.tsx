/** The price summary, as a column or a bar, with the submit button. */
import { useEffect, useRef, useState } from 'react'
import type { CSSProperties, ReactNode } from 'react'
import { buttonText, formatPrice, isEmail, categoryLabel } from '../../../engine/index.ts'
import {
  COMMON_MESSAGES,
  CONNECTION_ERROR_MESSAGES,
  FORM_MESSAGES,
  FORM_PRICE_MESSAGES,
  formatMessage,
  pluralForm,
} from '../../../engine/messages.ts'
import type { Contradiction, PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Ledger } from '../../ui/details-list.tsx'
import { richMessage } from '../../ui/rich-message.tsx'
import { useIsLive } from '../../app/hydration-state.ts'
import { ahead, FORM_ID } from '../form/field-keys.ts'
import type { More } from '../form/form-extensions.ts'
import type { PriceView } from './live-price.ts'
import { goTo, useErrorInTitle } from '../form/error-summary.tsx'
import './price-summary-and-pay-button.css'

const { errors, summary: text } = FORM_MESSAGES

/** Id of the bill beside the form or in the bar, for skip links. */
export const SUMMARY_ID = 'summary'
export const BAR_ID = 'summary-bar'

const wideQuery = () => matchMedia('(min-width: 768px)')
/**
 * Whether the page has two columns, or one with the bar at the bottom. Null if unknown, as on the
 * server.
 */
export function useWide(): boolean | null {
  const isLive = useIsLive()
  const [isWide, setWide] = useState(() => typeof matchMedia === 'function' && wideQuery().matches)
  useEffect(() => {
    const query = wideQuery()
    const look = (): void => setWide(query.matches)
    query.addEventListener('change', look)
    look()
    return () => query.removeEventListener('change', look)
  }, [])
  return isLive ? isWide : null
}

/**
 * Only one of the two is in the page, so that nothing is read twice. Of a server-rendered page, CSS
 * shows one.
 */
export function Summary(props: SummaryProps) {
  const wide = useWide()
  useErrorInTitle(props.wrong > 0)
  return (
    <>
      {wide !== false && <SummaryColumn {...props} />}
      {wide !== true && <SummaryBar {...props} />}
    </>
  )
}

export type SummaryProps = {
  readonly event: PublicEvent
  readonly price: PriceView
  readonly more: More
  /** Notes below the bill. */
  readonly notes: readonly string[]
  /** An answer that contradicts the category. It is pointed out, but allowed. */
  readonly odd: Contradiction | null
  /** Until when the price is valid, and the next price. */
  readonly until: ReactNode
  readonly busy: boolean
  /** The request timed out and is being sent again. */
  readonly waits: boolean
  /** Whether this page submits the form; otherwise the button opens the next page. */
  readonly isLast: boolean
  /** Number of answers with an error. */
  readonly wrong: number
  /** Label of the submit button, or null for the default. */
  readonly send: string | null
  /** The pending upload that delays the submit after the button was pressed; null: none. */
  readonly held: ReactNode
  /** Email address for the confirmation; undefined: not entered, or not asked for. */
  readonly mailTo: unknown
  /** Error of the last attempt; stays after its toast has disappeared. */
  readonly problem: string | null
  readonly retry: () => void
}

/**
 * Progress text at the button that was pressed; nothing else on the page shows that work is in
 * progress.
 */
function Waiting({ busy, waits, held }: SummaryProps) {
  if (!busy) return held
  return (
    waits && (
      <p className="why">
        <Icon name="clock" />
        {CONNECTION_ERROR_MESSAGES.retrying}
      </p>
    )
  )
}

/**
 * Zero-width space: placeholder for a total that is calculated before the script has loaded
 * (pre-hydration-script.ts).
 */
const NOTHING_YET = '\u200b'

const isFree = (price: PriceView): boolean => price.is === 'price' && price.quote.total === 0

/** Notes about the price and the payment. */
function Reasons({ price, notes, wrong, problem, until, retry, busy, odd }: SummaryProps) {
  if (busy) return null
  return (
    <>
      {price.is === 'none' && (
        <p className="why" id="pay-why">
          <Icon name="info" />
          <span {...ahead('why')}>
            {price.why}
            {price.retry && (
              <>
                {' '}
                <button type="button" className="link" onClick={retry}>
                  {COMMON_MESSAGES.tryAgain}
                </button>
              </>
            )}
          </span>
        </p>
      )}
      {notes.map((note) => (
        <p className="why" key={note}>
          <Icon name="info" />
          {note}
        </p>
      ))}
      {odd !== null && (
        <p className="why care">
          <Icon name="tri" />
          <span>
            {richMessage(errors.contradiction, {
              ...odd,
              button: (text) => (
                <button type="button" className="link" onClick={() => goTo(odd.field)}>
                  {text}
                </button>
              ),
            })}
          </span>
        </p>
      )}
      {problem !== null && !(price.is === 'none' && price.why === problem) && (
        <p className="why bad">
          <Icon name="bang" />
          {problem}
        </p>
      )}
      {wrong > 0 && (
        <p className="why bad">
          <Icon name="bang" />
          {formatMessage(pluralForm(wrong, errors), { count: wrong })}
        </p>
      )}
      {price.is === 'price' && until}
    </>
  )
}

function PayButton({ event, price, send, busy }: SummaryProps) {
  const { busy: busyText } = event.form.summary
  // Pressed before hydration, the browser would send the form itself, to a URL that accepts no
  // forms.
  const isLive = useIsLive()
  const isPaid = event.payment !== null && !isFree(price) && send === null
  return (
    <button
      type="submit"
      form={FORM_ID}
      className="btn"
      disabled={busy || price.is === 'none' || !isLive}
      {...ahead('pay')}
      {...(price.is === 'none' ? { 'aria-describedby': 'pay-why' } : {})}
    >
      {busy ? (
        <span className="spin" aria-hidden="true" />
      ) : (
        <Icon name={isPaid ? 'lock' : 'tick'} />
      )}
      {busy
        ? busyText
        : (send ?? buttonText(event, price.is === 'price' ? price.quote.total : null))}
    </button>
  )
}

function CategoryLine({
  event,
  category,
}: {
  readonly event: PublicEvent
  readonly category: string
}) {
  const found = event.categories.find((one) => one.id === category)
  const style = {
    '--c': found?.colour ? `var(--c-${found.colour})` : 'var(--accent)',
  } as CSSProperties
  return (
    <p className="for">
      <i className="sw" style={style} />
      {categoryLabel(event, category)}
    </p>
  )
}

function Body({ event, price, more }: SummaryProps) {
  const { lines, empty } = event.form.summary
  const category =
    price.is === 'price' ? price.quote.category : price.is === 'none' ? price.category : null
  return (
    <>
      {category !== null && !lines.includes('category') && !more.rowsNameCategory && (
        <CategoryLine event={event} category={category} />
      )}
      {price.is === 'price' ? (
        <Ledger rows={more.rows(event, price.quote, lines)} money />
      ) : (
        !(category !== null && more.rowsNameCategory) && (
          <p className="empty" {...ahead('empty')}>
            {empty}
          </p>
        )
      )}
    </>
  )
}

/** Announces the total to screen readers when it changes, after the current announcement. */
function TotalSaid({ price }: Pick<SummaryProps, 'price'>) {
  return (
    <p className="vh" aria-live="polite">
      {price.is === 'price' &&
        formatMessage(FORM_PRICE_MESSAGES.total, { amount: formatPrice(price.quote.total) })}
    </p>
  )
}

/**
 * The email address, shown beside the pay button, so that a typo is noticed before payment rather
 * than when no email arrives.
 */
function MailTo({ event, answer }: { readonly event: PublicEvent; readonly answer: unknown }) {
  if (typeof answer !== 'string' || !isEmail(answer)) return null
  return (
    <p className="why">
      <Icon name="mail" />
      <span>
        {richMessage(event.sendsMail === true ? text.confirmationTo : text.email, {
          email: <b>{answer}</b>,
        })}
      </span>
    </p>
  )
}

/** Notes below the form in the one-column layout; the bar holds only the price and the button. */
export function NotesBelow(props: SummaryProps) {
  const wide = useWide()
  if (wide === true) return null
  return (
    <div className="below">
      <div aria-live="polite">
        <Reasons {...props} />
      </div>
      {props.isLast && <MailTo event={props.event} answer={props.mailTo} />}
    </div>
  )
}

/** The sticky column beside the form. */
export function SummaryColumn(props: SummaryProps) {
  return (
    <aside className="side" aria-labelledby={SUMMARY_ID}>
      <div className="sum">
        <h2 className="disp" id={SUMMARY_ID} tabIndex={-1}>
          {props.event.form.summary.title}
        </h2>
        {props.price.is !== 'free' && <Body {...props} />}
        <TotalSaid price={props.price} />
        {props.isLast && <PayButton {...props} />}
        <div aria-live="polite">
          <Waiting {...props} />
          <Reasons {...props} />
        </div>
        {props.isLast && <MailTo event={props.event} answer={props.mailTo} />}
      </div>
    </aside>
  )
}

/**
 * Landmark name of the bar. Must differ from the section titles, one of which may equal the
 * summary's title.
 */
function barNameOf({ sections, form: { summary } }: PublicEvent): string {
  const isTaken = sections.some(({ title }) => title === summary.title)
  return isTaken ? formatMessage(text.bar, { title: summary.title }) : summary.title
}

/** The bar at the bottom of a phone: the price is always visible, its details unfold upwards. */
function SummaryBar(props: SummaryProps) {
  const [open, setOpen] = useState(false)
  const bar = useRef<HTMLElement>(null)
  const { price, event } = props
  const isLive = useIsLive()
  useEffect(() => {
    // Toasts appear above the bar at its current height. Set on their element only, because every
    // element that inherits the value would be recalculated.
    const above = document.querySelector<HTMLElement>('.messages')?.style
    const watch = new ResizeObserver(() =>
      above?.setProperty('--bar', `${bar.current?.offsetHeight ?? 0}px`),
    )
    if (bar.current) watch.observe(bar.current)
    return () => {
      watch.disconnect()
      above?.removeProperty('--bar')
    }
  }, [])
  return (
    <section ref={bar} className="bar" id={BAR_ID} tabIndex={-1} aria-label={barNameOf(event)}>
      {open && price.is === 'price' && (
        <div className="unfolded" id="summary-details">
          <h2 className="disp">{event.form.summary.title}</h2>
          <Body {...props} />
        </div>
      )}
      <TotalSaid price={props.price} />
      <div aria-live="polite">
        <Waiting {...props} />
      </div>
      <div className="row">
        {price.is === 'none' && price.retry && (
          <button type="button" className="btn line" onClick={props.retry}>
            {COMMON_MESSAGES.tryAgain}
          </button>
        )}
        {price.is === 'none' && !price.retry && (
          // The full text is below the form, where screen readers read it.
          <p className="why" aria-hidden="true">
            <strong {...ahead('instead')}>{NOTHING_YET}</strong>
            <span {...ahead('short')}>{price.why}</span>
          </p>
        )}
        {price.is === 'price' && (
          <button
            type="button"
            className="tog"
            aria-expanded={open}
            aria-controls={open ? 'summary-details' : undefined}
            onClick={() => setOpen(!open)}
          >
            <strong {...ahead('total')}>{formatPrice(price.quote.total)}</strong>
            <small>
              {text.details} <Icon name="chev" small />
            </small>
          </button>
        )}
        {props.isLast ? (
          <PayButton {...props} />
        ) : (
          <button type="submit" form={FORM_ID} className="btn" disabled={!isLive}>
            {text.next}
          </button>
        )}
      </div>
    </section>
  )
}
