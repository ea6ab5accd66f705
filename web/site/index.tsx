import { formatDays } from '../../engine/index.ts'
import type { PageProps } from '../main.tsx'

/** The open events. */
export default function Site({ page }: PageProps) {
  if (page.page !== 'site' && page.page !== 'organisers') return null
  return (
    <main className="wrap plain" id="main">
      <h1 className="disp">Register for a conference</h1>
      <ul>
        {page.events.map((event) => (
          <li key={event.id}><a href={event.routes.form}>{event.title}</a>, {formatDays(event.from, event.to)}, {event.venue}</li>
        ))}
      </ul>
    </main>
  )
}
