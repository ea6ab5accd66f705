import type { PageProps } from '../main.tsx'
import { EventFooter, EventHeader, wear } from '../shared/frame.tsx'
import { Icon } from '../shared/icons.tsx'

/** An event whose registration is over: it informs and offers no form. */
export default function ClosedPage({ page }: PageProps) {
  if (page.page !== 'event') return null
  const { event } = page.event
  wear(event.look.colour)
  return (
    <>
      <EventHeader event={event} />
      <main className="wrap closed" id="main">
        {event.about && <p className="lead">{event.about}</p>}
        <section className="closed-box">
          <h2 className="disp"><Icon name="tri" />{event.closed?.heading ?? 'Registration Closed'}</h2>
          {event.closed && <p>{event.closed.text}</p>}
          <a className="btn line" href={`mailto:${event.support}`}><Icon name="mail" />{event.support}</a>
        </section>
      </main>
      <EventFooter support={event.support} />
    </>
  )
}
