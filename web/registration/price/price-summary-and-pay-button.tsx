/** The price summary, as a column or a bar, with the submit button. */
import { useEffect, useRef, useState } from 'react'
import type { CSSProperties, ReactNode } from 'react'
import { getButtonText, formatPrice, isEmail, getCategoryLabel } from '../../../engine/index.ts'
import {
  COMMON_MESSAGES,
  CONNECTION_ERROR_MESSAGES,
  FORM_MESSAGES,
  FORM_PRICE_MESSAGES,
  formatMessage,
  selectPluralForm,
} from '../../../engine/messages.ts'
import type { Contradiction, PublicEvent, Quote } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { DetailsList } from '../../ui/details-list.tsx'
import { renderMessage } from '../../ui/rich-message.tsx'
import { useIsLive } from '../../app/hydration-state.ts'
import { markPreHydrationText, FORM_ID } from '../form/field-keys.ts'
import type { FormExtensions } from '../form/form-extensions.ts'
import type { PriceView } from './live-price.ts'
import { markTotal } from './total-before-hydration.tsx'
import { focusField, useErrorInTitle } from '../form/error-summary.tsx'
import './price-summary-and-pay-button.css'

const { errors, summary: text } = FORM_MESSAGES

/** Element ids of the summary column's heading and of the bar: targets of the skip links. */
export const SUMMARY_ID = 'summary'
export const BAR_ID = 'summary-bar'

const createWideQuery = () => matchMedia('(min-width: 768px)')
/**
 * Returns true if the page has two columns, false if it has one with the bar at the bottom. Null if unknown, as on the
 * server.
 */
export function useIsWide(): boolean | null {
  const isLive = useIsLive()
  const [isWide, setWide] = useState(
    () => typeof matchMedia === 'function' && createWideQuery().matches,
  )
  useEffect(() => {
    const query = createWideQuery()
    const updateIsWide = (): void => setWide(query.matches)
    query.addEventListener('change', updateIsWide)
    updateIsWide()
    return () => query.removeEventListener('change', updateIsWide)
  }, [])
  return isLive ? isWide : null
}

/** Renders only the column or the bar. A server-rendered page contains both, and CSS hides one of them. */
export function PriceSummary(props: SummaryProps) {
  const isWide = useIsWide()
  useErrorInTitle(props.errorCount > 0)
  return (
    <>
      {isWide !== false && <SummaryColumn {...props} />}
      {isWide !== true && <SummaryBar {...props} />}
    </>
  )
}

export type SummaryProps = {
  readonly event: PublicEvent
  readonly price: PriceView
  readonly extensions: FormExtensions
  /** Notes below the bill. */
  readonly notes: readonly string[]
  /** An answer that contradicts the category. It is reported, but allowed. */
  readonly contradiction: Contradiction | null
  /** The last day of the price, and the next price. */
  readonly priceChangeNote: ReactNode
  readonly isBusy: boolean
  /** The request timed out and is being sent again. */
  readonly isRetrying: boolean
  /** Whether this page submits the form; otherwise the button opens the next page. */
  readonly isLast: boolean
  /** Number of answers with an error. */
  readonly errorCount: number
  /** Label of the submit button, or null for the default. */
  readonly submitLabel: string | null
  /** Note about a pending upload that delays submission. Null if there is none. */
  readonly uploadNotice: ReactNode
  /** Email address for the confirmation. Undefined if the answer or the field is missing. */
  readonly confirmationAddress: unknown
  /** Error of the last attempt; stays after its toast has disappeared. */
  readonly problem: string | null
  readonly reloadPrices: () => void
}

/** Progress text next to the submit button: the only sign that the form is being submitted. */
function ProgressText({ isBusy, isRetrying, uploadNotice }: SummaryProps) {
  if (!isBusy) return uploadNotice
  return (
    isRetrying && (
      <p className="why">
        <Icon name="clock" />
        {CONNECTION_ERROR_MESSAGES.retrying}
      </p>
    )
  )
}

/** Zero-width space: placeholder for a total calculated by pre-hydration.ts. */
const PLACEHOLDER = '\u200b'

const isFree = (price: PriceView): boolean => price.is === 'price' && price.quote.total === 0

/** Notes about the price and the payment. */
function PriceNotes({
  price,
  notes,
  errorCount,
  problem,
  priceChangeNote,
  reloadPrices,
  isBusy,
  contradiction,
}: SummaryProps) {
  if (isBusy) return null
  return (
    <>
      {price.is === 'none' && (
        <p className="why" id="pay-why">
          <Icon name="info" />
          <span {...markPreHydrationText('why')}>
            {price.reason}
            {price.canRetry && (
              <>
                {' '}
                <button type="button" className="link" onClick={reloadPrices}>
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
      {contradiction !== null && (
        <p className="why care">
          <Icon name="tri" />
          <span>
            {renderMessage(errors.contradiction, {
              ...contradiction,
              button: (text) => (
                <button
                  type="button"
                  className="link"
                  onClick={() => focusField(contradiction.field)}
                >
                  {text}
                </button>
              ),
            })}
          </span>
        </p>
      )}
      {problem !== null && !(price.is === 'none' && price.reason === problem) && (
        <p className="why bad">
          <Icon name="bang" />
          {problem}
        </p>
      )}
      {errorCount > 0 && (
        <p className="why bad">
          <Icon name="bang" />
          {formatMessage(selectPluralForm(errorCount, errors), { count: errorCount })}
        </p>
      )}
      {price.is === 'price' && priceChangeNote}
    </>
  )
}

function PayButton({ event, price, submitLabel, isBusy }: SummaryProps) {
  const { busy: busyText } = event.form.summary
  // Before hydration, the browser would send the form to a URL that accepts no forms.
  const isLive = useIsLive()
  const needsPayment = event.payment !== null && !isFree(price) && submitLabel === null
  return (
    <button
      type="submit"
      form={FORM_ID}
      className="btn"
      disabled={isBusy || price.is === 'none' || !isLive}
      {...markPreHydrationText('pay')}
      {...(price.is === 'none' ? { 'aria-describedby': 'pay-why' } : {})}
    >
      {isBusy ? (
        <span className="spin" aria-hidden="true" />
      ) : (
        <Icon name={needsPayment ? 'lock' : 'tick'} />
      )}
      {isBusy
        ? busyText
        : (submitLabel ?? getButtonText(event, price.is === 'price' ? price.quote.total : null))}
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
  const categoryOption = event.categories.find((candidate) => candidate.id === category)
  const style = {
    '--c': categoryOption?.colour ? `var(--c-${categoryOption.colour})` : 'var(--accent)',
  } as CSSProperties
  return (
    <p className="for">
      <i className="sw" style={style} />
      {getCategoryLabel(event, category)}
    </p>
  )
}

function PriceRows({ event, price, extensions: { buildRows, hasCategoryInRows } }: SummaryProps) {
  const { lines, empty } = event.form.summary
  const category =
    price.is === 'price' ? price.quote.category : price.is === 'none' ? price.category : null
  return (
    <>
      {category !== null && !lines.includes('category') && !hasCategoryInRows && (
        <CategoryLine event={event} category={category} />
      )}
      {price.is === 'price' ? (
        <DetailsList rows={buildRows(event, price.quote, lines).map(markTotal)} hasAmounts />
      ) : (
        !(category !== null && hasCategoryInRows) && (
          <p className="empty" {...markPreHydrationText('empty')}>
            {empty}
          </p>
        )
      )}
    </>
  )
}

const formatTotal = ({ total, currency }: Quote): string => formatPrice(total, currency)

/** Announces the total to screen readers when it changes, after the current announcement. */
function TotalAnnouncement({ price }: Pick<SummaryProps, 'price'>) {
  return (
    <p className="vh" aria-live="polite">
      {price.is === 'price' &&
        formatMessage(FORM_PRICE_MESSAGES.total, { amount: formatTotal(price.quote) })}
    </p>
  )
}

/** Shows the email address next to the pay button, so that the delegate notices a typo before paying. */
function ConfirmationAddress({
  event,
  answer,
}: {
  readonly event: PublicEvent
  readonly answer: unknown
}) {
  if (typeof answer !== 'string' || !isEmail(answer)) return null
  return (
    <p className="why">
      <Icon name="mail" />
      <span>
        {renderMessage(event.sendsMail === true ? text.confirmationTo : text.email, {
          email: <b>{answer}</b>,
        })}
      </span>
    </p>
  )
}

/** Notes below the form in the one-column layout; the bar holds only the price and the button. */
export function NotesBelowForm(props: SummaryProps) {
  const isWide = useIsWide()
  if (isWide === true) return null
  return (
    <div className="below">
      <div aria-live="polite">
        <PriceNotes {...props} />
      </div>
      {props.isLast && (
        <ConfirmationAddress event={props.event} answer={props.confirmationAddress} />
      )}
    </div>
  )
}

/** Shows the sticky column next to the form. */
export function SummaryColumn(props: SummaryProps) {
  return (
    <aside className="side" aria-labelledby={SUMMARY_ID}>
      <div className="sum">
        <h2 className="disp" id={SUMMARY_ID} tabIndex={-1}>
          {props.event.form.summary.title}
        </h2>
        {props.price.is !== 'free' && <PriceRows {...props} />}
        <TotalAnnouncement price={props.price} />
        {props.isLast && <PayButton {...props} />}
        <div aria-live="polite">
          <ProgressText {...props} />
          <PriceNotes {...props} />
        </div>
        {props.isLast && (
          <ConfirmationAddress event={props.event} answer={props.confirmationAddress} />
        )}
      </div>
    </aside>
  )
}

/**
 * Returns the landmark name of the bar. It must differ from the section titles, one of which may equal the summary's
 * title.
 */
function getBarName({ sections, form: { summary } }: PublicEvent): string {
  const isSectionTitle = sections.some(({ title }) => title === summary.title)
  return isSectionTitle ? formatMessage(text.bar, { title: summary.title }) : summary.title
}

/** Shows the bar at the bottom of a phone's screen. It always shows the price; its details open upwards. */
function SummaryBar(props: SummaryProps) {
  const [isOpen, setOpen] = useState(false)
  const bar = useRef<HTMLElement>(null)
  const { price, event } = props
  const isLive = useIsLive()
  useEffect(() => {
    // Toasts appear above the bar, so their element gets the bar's height as a custom property. No other element
    // gets the property, because the browser recalculates the style of every element that inherits it.
    const toastStyle = document.querySelector<HTMLElement>('.messages')?.style
    const observer = new ResizeObserver(() =>
      toastStyle?.setProperty('--bar', `${bar.current?.offsetHeight ?? 0}px`),
    )
    if (bar.current) observer.observe(bar.current)
    return () => {
      observer.disconnect()
      toastStyle?.removeProperty('--bar')
    }
  }, [])
  return (
    <section ref={bar} className="bar" id={BAR_ID} tabIndex={-1} aria-label={getBarName(event)}>
      {isOpen && price.is === 'price' && (
        <div className="summary-details" id="summary-details">
          <h2 className="disp">{event.form.summary.title}</h2>
          <PriceRows {...props} />
        </div>
      )}
      <TotalAnnouncement price={props.price} />
      <div aria-live="polite">
        <ProgressText {...props} />
      </div>
      <div className="row">
        {price.is === 'none' && price.canRetry && (
          <button type="button" className="btn line" onClick={props.reloadPrices}>
            {COMMON_MESSAGES.tryAgain}
          </button>
        )}
        {price.is === 'none' && !price.canRetry && (
          // The full text is below the form, where screen readers read it.
          <p className="why" aria-hidden="true">
            <strong {...markPreHydrationText('instead')}>{PLACEHOLDER}</strong>
            <span {...markPreHydrationText('short')}>{price.reason}</span>
          </p>
        )}
        {price.is === 'price' && (
          <button
            type="button"
            className="tog"
            aria-expanded={isOpen}
            aria-controls={isOpen ? 'summary-details' : undefined}
            onClick={() => setOpen(!isOpen)}
          >
            <strong {...markPreHydrationText('total')}>{formatTotal(price.quote)}</strong>
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
