/** Payments of all events of the user, or of one: needs review, all, due, refunds. */
import { Link, useLocation, useSearchParams } from 'react-router-dom'
import { isAtLeast } from '../../../engine/index.ts'
import type { OfficeEvent, SessionResponse } from '../../../engine/api.ts'
import { PaymentReviews } from '../reconciliation/payment-reviews.tsx'
import { PageHeading } from '../ui/error-banner-and-heading.tsx'
import { Debtors } from './debtors.tsx'
import { Movements } from './movements.tsx'
import { OpenRefunds } from './open-refunds.tsx'
import '../lists/list-filters.css'
import '../lists/list-page.css'
import './payments.css'

const TABS = [
  { id: 'all', label: 'All payments', Contents: Movements },
  { id: 'review', label: 'Needs review', Contents: PaymentReviews },
  { id: 'due', label: 'Due', Contents: Debtors },
  { id: 'refunds', label: 'Refunds', Contents: OpenRefunds },
] as const

/** `event`: null for all events of the user. */
export function PaymentsPage({
  session,
  event,
}: {
  readonly session: SessionResponse
  readonly event: OfficeEvent | null
}) {
  const { pathname } = useLocation()
  const [params] = useSearchParams()
  // The other roles see payments that need review, but no list of all.
  const tabs = isAtLeast(session.role, 'treasurer')
    ? TABS
    : TABS.filter(({ id }) => id === 'review')
  const tab = tabs.find(({ id }) => id === params.get('tab')) ?? tabs[0] ?? TABS[0]
  return (
    <main className="main" id="main">
      <PageHeading title={event === null ? 'Payments' : `Payments: ${event.title}`} />
      <nav className="ptabs" aria-label="Payments">
        {tabs.map(({ id, label }) => (
          <Link
            key={id}
            to={`${pathname}?tab=${id}`}
            {...(id === tab.id ? { 'aria-current': 'page' as const } : {})}
          >
            {label}
          </Link>
        ))}
      </nav>
      <tab.Contents key={tab.id} session={session} eventId={event?.id ?? null} />
    </main>
  )
}
