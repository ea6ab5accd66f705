/** Payments of one event or all the user's events, in tabs. */
import { Link, useLocation, useSearchParams } from 'react-router-dom'
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

/** Shows the payments in tabs. `event` is null for all the user's events. */
export function PaymentsPage({
  session,
  event,
}: {
  readonly session: SessionResponse
  readonly event: OfficeEvent | null
}) {
  const { pathname } = useLocation()
  const [params] = useSearchParams()
  const tab = TABS.find(({ id }) => id === params.get('tab')) ?? TABS[0]
  return (
    <main className="main" id="main">
      <PageHeading title="Payments" />
      <nav className="payment-tabs" aria-label="Payments">
        {TABS.map(({ id, label }) => (
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
