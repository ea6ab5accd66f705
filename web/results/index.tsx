import type { PageProps } from '../main.tsx'
import { EventFooter, EventHeader, wear } from '../shared/frame.tsx'

/** What became of a payment. */
export default function ResultPage({ page }: PageProps) {
  if (page.page !== 'result') return null
  const { event } = page.event
  wear(event.look.colour)
  return <><EventHeader event={event} /><main className="wrap" id="main" /><EventFooter support={event.support} /></>
}
