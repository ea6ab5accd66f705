/** Chooses the result page by the payment state. Success precedes any other payment attempt. */
import { useEffect, useRef, useState } from 'react'
import type { ReactNode, RefObject } from 'react'
import { assertNever, themeColors, dayOf, readInstant } from '../../engine/index.ts'
import { RESULT_MESSAGES } from '../../engine/messages.ts'
import type { PublicEvent, Stands } from '../../engine/index.ts'
import { EventFooter, EventHeader } from '../ui/layout/event-header-footer.tsx'
import { forget, keepCompleted } from '../registration/draft-storage.ts'
import './result-page.css'
import './ticket/ticket-print.css'
import { NotApproved, ToApprove } from './approval-pages.tsx'
import { ByHand, MANUAL_PAYMENT_MESSAGES } from './unpaid/manual-payment-pages.tsx'
import { Failed } from './unpaid/failed-payment-page.tsx'
import { NotPaid } from './unpaid/unpaid-page.tsx'
import { usePaying } from './unpaid/pay-now-button.tsx'
import type { AskToPay, Paying } from './unpaid/pay-now-button.tsx'
import { AtBank, Cancelled, Refunded, WithOrganisers } from './pending-refunded-cancelled-pages.tsx'
import type { Query, Registration } from './result-page-data.ts'
import { Difference } from './unpaid/balance-due-notice.tsx'
import { Ticket } from './ticket/ticket-page.tsx'

type StandingProps = {
  readonly event: PublicEvent
  readonly registration: Registration
  readonly query: Query
  /** Server time when the page was written. */
  readonly now: string
  readonly again: () => void
  readonly ask: AskToPay
  /** On the self-service page. */
  readonly isOwn?: boolean
}

/** States with a pay button. The price dialog must outlive the page that opened it. */
const PAYABLE: ReadonlySet<Stands> = new Set(['not-paid', 'failed', 'by-hand', 'lapsed'])

export function Standing(props: StandingProps) {
  const { event, registration, ask, again } = props
  const { stands, held_until: heldUntil } = registration
  useEffect(() => {
    if (stands !== 'complete') return
    forget(event)
    const at = readInstant(registration.payment_date ?? registration.created_at)
    const { email } = event.roles
    if (at !== null && email !== undefined)
      keepCompleted(event, registration.reg_no, dayOf(at), registration[email])
  }, [stands, event, registration])
  const [paying, over] = usePaying({ event, heldUntil, ask, again })
  const [outcome, said] = useOutcome(stands)
  return (
    <>
      <div className="outcome" ref={outcome}>
        <StandingPage {...props} paying={paying} />
      </div>
      <p className="vh" role="status">
        {said}
      </p>
      {(PAYABLE.has(stands) || registration.difference_due > 0) && over}
    </>
  )
}

/**
 * Focuses the heading with the payment state, which also announces it. If the delegate is elsewhere
 * on the page, the heading is only announced.
 */
function useOutcome(
  stands: Registration['stands'],
): readonly [RefObject<HTMLDivElement | null>, string] {
  const outcome = useRef<HTMLDivElement>(null)
  const [said, setSaid] = useState('')
  useEffect(() => {
    const heading = outcome.current?.querySelector('h2') ?? null
    if (heading === null) return
    // The focused element may have been on the previous page; the browser then focuses the body.
    if (document.activeElement === document.body) {
      heading.tabIndex = -1
      heading.focus({ preventScroll: true })
    } else setSaid(heading.textContent)
  }, [stands])
  return [outcome, said]
}

function StandingPage({
  event,
  registration,
  query,
  now,
  again,
  paying,
  isOwn = false,
}: StandingProps & { readonly paying: Paying }) {
  const known = { event, registration }
  const { stands } = registration
  switch (stands) {
    case 'complete':
      return (
        <>
          <Difference {...known} paying={paying} />
          <Ticket {...known} query={query} />
        </>
      )
    case 'not-paid':
      return <NotPaid {...known} now={now} again={again} paying={paying} />
    case 'by-hand':
    case 'told':
    case 'lapsed':
      return <ByHand {...known} {...{ stands, again, paying, isOwn }} />
    case 'at-bank':
      return <AtBank {...known} again={again} />
    case 'organisers':
      return <WithOrganisers {...known} />
    case 'failed':
      return <Failed {...known} query={query} now={now} paying={paying} />
    case 'refunded':
      return <Refunded {...known} />
    case 'cancelled':
      return <Cancelled {...known} />
    case 'to-approve':
      return <ToApprove {...known} again={again} />
    case 'refused':
      return <NotApproved {...known} />
    default:
      return assertNever(stands)
  }
}

export function titleOfStanding(event: PublicEvent, { stands }: Registration): string {
  switch (stands) {
    case 'complete':
      return event.results.success.title
    case 'not-paid':
      return RESULT_MESSAGES.unpaid.title
    case 'by-hand':
    case 'told':
    case 'lapsed':
      return MANUAL_PAYMENT_MESSAGES[stands].title
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
      return assertNever(stands)
  }
}

/**
 * Sets the page's theme colour to the event's, because the payment may belong to a different event
 * than the page. Set on the root element, so that dialogs and menus outside the tree have it too.
 */
function wear(colour: string): void {
  const look = themeColors(colour)
  const root = document.documentElement.style
  root.setProperty('--band', look.band)
  root.setProperty('--on-band', look.onBand)
  root.setProperty('--accent', look.accent)
  root.setProperty('--accent-tint', look.tint)
  root.setProperty('--accent-line', look.line)
}

/** The event's header and footer around a result. */
export function ResultFrame({
  event,
  children,
}: {
  readonly event: PublicEvent
  readonly children: ReactNode
}) {
  wear(event.look.colour)
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
    <div className="looking" role="status">
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
