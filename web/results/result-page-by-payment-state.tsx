/**
 * Chooses the result page by the payment state. A successful payment takes precedence over other
 * attempts.
 */
import { useEffect, useRef, useState } from 'react'
import type { ReactNode, RefObject } from 'react'
import { assertNever, computeThemeColors, dayOf, readInstant } from '../../engine/index.ts'
import { RESULT_MESSAGES } from '../../engine/messages.ts'
import type { PublicEvent, PaymentState } from '../../engine/index.ts'
import type { WirePaymentInstructions, WireReceivedAmount } from '../../engine/api.ts'
import { EventFooter, EventHeader } from '../ui/layout/event-header-footer.tsx'
import { deleteDraft, saveCompletedRegistration } from '../registration/draft-storage.ts'
import './result-page.css'
import './ticket/ticket-print.css'
import { NotApproved, WaitingForApproval } from './approval-pages.tsx'
import { ManualPaymentPage, getManualPaymentTitle } from './unpaid/manual-payment-pages.tsx'
import { FailedPayment } from './unpaid/failed-payment-page.tsx'
import { UnpaidPage } from './unpaid/unpaid-page.tsx'
import { usePayment } from './unpaid/pay-now-button.tsx'
import type { RequestPayment, PayButtonState } from './unpaid/pay-now-button.tsx'
import {
  ConfirmingPayment,
  Cancelled,
  Refunded,
  UnderReview,
} from './pending-refunded-cancelled-pages.tsx'
import type { ResultPageParams, Registration } from './result-page-data.ts'
import { BalanceDue, getBalanceTitle } from './unpaid/balance-due-notice.tsx'
import { Ticket } from './ticket/ticket-page.tsx'

type PaymentStateProps = {
  readonly event: PublicEvent
  readonly registration: Registration
  readonly query: ResultPageParams
  /** Server time when the page was rendered. */
  readonly now: string
  readonly reload: () => void
  readonly requestPayment: RequestPayment
  /** Whether the page is the self-service page. */
  readonly isSelfService?: boolean
  /** The received amounts that staff are checking, if known. */
  readonly underReview?: readonly WireReceivedAmount[] | undefined
  /** The instructions for the manual payment method that is due, if the result page may show them. */
  readonly paymentInstructions?: WirePaymentInstructions | null
}

/** States with a pay button. The price dialog must outlive the page that opened it. */
const PAYABLE_STATES: ReadonlySet<PaymentState> = new Set([
  'not-paid',
  'failed',
  'by-hand',
  'lapsed',
])

export function PaymentStatePage(props: PaymentStateProps) {
  const { event, registration, requestPayment, reload } = props
  const { stands: paymentState, price_until: priceUntil } = registration
  useEffect(() => {
    if (paymentState !== 'complete') return
    deleteDraft(event)
    const time = readInstant(registration.payment_date ?? registration.created_at)
    const { email } = event.roles
    if (time !== null && email !== undefined)
      saveCompletedRegistration(event, registration.reg_no, dayOf(time), registration[email])
  }, [paymentState, event, registration])
  const [payButton, dialog] = usePayment({ event, priceUntil, requestPayment, reload })
  const [container, announcement] = useHeadingFocus(paymentState)
  return (
    <>
      <div className="outcome" ref={container}>
        <PageForState {...props} payButton={payButton} />
      </div>
      <p className="vh" role="status">
        {announcement}
      </p>
      {(PAYABLE_STATES.has(paymentState) || registration.difference_due > 0) && dialog}
    </>
  )
}

/**
 * Focuses the heading with the payment state, so that screen readers announce it. If another
 * element has focus, the heading is only announced.
 */
function useHeadingFocus(
  paymentState: Registration['stands'],
): readonly [RefObject<HTMLDivElement | null>, string] {
  const container = useRef<HTMLDivElement>(null)
  const [announcement, setAnnouncement] = useState('')
  useEffect(() => {
    const heading = container.current?.querySelector('h2') ?? null
    if (heading === null) return
    // The focused element may have been on the previous page; the browser then focuses the body.
    if (document.activeElement === document.body) {
      heading.tabIndex = -1
      heading.focus({ preventScroll: true })
    } else setAnnouncement(heading.textContent)
  }, [paymentState])
  return [container, announcement]
}

function PageForState({
  event,
  registration,
  query,
  now,
  reload,
  payButton,
  isSelfService = false,
  underReview = [],
  paymentInstructions = null,
}: PaymentStateProps & { readonly payButton: PayButtonState }) {
  const pageProps = { event, registration }
  const { stands: paymentState } = registration
  switch (paymentState) {
    case 'complete':
      return (
        <>
          <BalanceDue {...pageProps} payButton={payButton} />
          <Ticket {...pageProps} {...{ query, isSelfService }} />
        </>
      )
    case 'not-paid':
      return <UnpaidPage {...pageProps} now={now} reload={reload} payButton={payButton} />
    case 'by-hand':
    case 'told':
    case 'lapsed':
      return (
        <ManualPaymentPage
          {...pageProps}
          {...{ paymentState, reload, payButton, isSelfService, paymentInstructions }}
        />
      )
    case 'at-bank':
      return <ConfirmingPayment {...pageProps} reload={reload} />
    case 'organisers':
      return <UnderReview {...pageProps} receivedAmounts={underReview} />
    case 'failed':
      return <FailedPayment {...pageProps} query={query} now={now} payButton={payButton} />
    case 'refunded':
      return <Refunded {...pageProps} />
    case 'cancelled':
      return <Cancelled {...pageProps} />
    case 'to-approve':
      return <WaitingForApproval {...pageProps} reload={reload} />
    case 'refused':
      return <NotApproved {...pageProps} />
    default:
      return assertNever(paymentState)
  }
}

export function getStateTitle(event: PublicEvent, registration: Registration): string {
  const { stands: paymentState } = registration
  switch (paymentState) {
    case 'complete':
      return getBalanceTitle(registration) ?? event.results.success.title
    case 'not-paid':
      return RESULT_MESSAGES.unpaid.title
    case 'by-hand':
    case 'told':
    case 'lapsed':
      return getManualPaymentTitle(paymentState, registration)
    case 'at-bank':
      return RESULT_MESSAGES.confirming.title
    case 'organisers':
      return RESULT_MESSAGES.underReview.title
    case 'failed':
      return event.results.failed.title
    case 'refunded':
      return RESULT_MESSAGES.refunded.title
    case 'cancelled':
      return RESULT_MESSAGES.cancelled.title
    case 'to-approve':
      return RESULT_MESSAGES.waitingForApproval.title
    case 'refused':
      return RESULT_MESSAGES.notApproved.title
    default:
      return assertNever(paymentState)
  }
}

/**
 * Sets the page's theme colour to the event's, because the payment may belong to a different event from the page. Set
 * on the root element, so that dialogs and menus outside the tree have it too.
 */
function applyThemeColour(colour: string): void {
  const theme = computeThemeColors(colour)
  const root = document.documentElement.style
  root.setProperty('--band', theme.band)
  root.setProperty('--on-band', theme.onBand)
  root.setProperty('--accent', theme.accent)
  root.setProperty('--accent-tint', theme.tint)
  root.setProperty('--accent-line', theme.line)
}

/** Shows the event's header and footer around a result. */
export function ResultFrame({
  event,
  children,
}: {
  readonly event: PublicEvent
  readonly children: ReactNode
}) {
  applyThemeColour(event.look.colour)
  return (
    <>
      <EventHeader event={event} />
      <main className="wrap res" id="main">
        {children}
      </main>
      <EventFooter support={event.support} />
    </>
  )
}

export function Loading() {
  return (
    <div className="loading-note" role="status">
      <span className="spin big" aria-hidden="true" />
      <p>{RESULT_MESSAGES.loading}</p>
    </div>
  )
}

export function useTitle(event: PublicEvent, title: string): void {
  useEffect(() => {
    document.title = `${title} · ${event.title}`
  }, [title, event.title])
}
