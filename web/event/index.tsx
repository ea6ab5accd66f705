import type { PageProps } from '../main.tsx'
import { EventFooter, EventHeader, wear } from '../shared/frame.tsx'

/** Registration for one event. */
export default function EventPage({ page }: PageProps) {
  if (page.page !== 'event') return null
  const { event } = page.event
  wear(event.look.colour)
  return <><EventHeader event={event} /><main className="wrap" id="main" /><EventFooter support={event.support} /></>
}
