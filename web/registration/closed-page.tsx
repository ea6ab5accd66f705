/** The page for an event whose registration is closed, with contact details. */
import {
  dayOf,
  formatDays,
  checkRegistrationOpen,
  readInstant,
  isEventOver,
} from '../../engine/index.ts'
import { EVENT_PAGE_MESSAGES, formatMessage, VALIDATION_MESSAGES } from '../../engine/messages.ts'
import type { PublicEvent } from '../../engine/index.ts'
import type { EventResponse } from '../../engine/api.ts'
import type { PageProps } from '../app/page-props.ts'
import { EventFooter, EventHeader } from '../ui/layout/event-header-footer.tsx'
import { Icon } from '../ui/icons-and-logo.tsx'
import { loadDraft } from './draft-storage.ts'
import { BreakableText } from '../ui/details-list.tsx'
import { SubmittedNotice } from './previous-submission-notice.tsx'
import './closed-page.css'

/** States that registration is closed at the moment, and whom to contact. */
export function ClosedNotice({
  event,
  text,
  heading = event.closed?.heading ?? VALIDATION_MESSAGES.closed.heading,
}: {
  readonly event: PublicEvent
  readonly text: string | null
  readonly heading?: string | undefined
}) {
  return (
    <section className="closed-box" aria-labelledby="closed">
      <h2 className="disp" id="closed">
        <Icon name="tri" />
        {heading}
      </h2>
      {(text ?? event.closed?.text) && <p>{text ?? event.closed?.text}</p>}
      <p>
        <a className="btn line" href={`mailto:${event.support}`}>
          <Icon name="mail" />
          <span>
            <BreakableText text={event.support} />
          </span>
        </a>
      </p>
    </section>
  )
}

/** Shows a small note that the event has taken place. The note does not close the form. */
export function PastEventNote({ event, now }: Pick<EventResponse, 'event' | 'now'>) {
  const time = readInstant(now)
  if (time === null || !isEventOver(event, dayOf(time))) return null
  return (
    <p className="over">
      {formatMessage(EVENT_PAGE_MESSAGES.tookPlace, { days: formatDays(event.from, event.to) })}
    </p>
  )
}

/** Shows the page for an event whose registration has closed or has not opened yet: information only, no form. */
export default function ClosedPage({ page }: PageProps) {
  if (page.page !== 'event') return null
  const { event, now } = page.event
  const time = readInstant(now)
  const openState = time === null ? null : checkRegistrationOpen(event, dayOf(time))
  const submittedRegNo = loadDraft(event)?.regNo ?? null
  return (
    <>
      <EventHeader event={event} />
      <main className="wrap closed" id="main">
        <PastEventNote event={event} now={now} />
        {submittedRegNo !== null && <SubmittedNotice event={event} regNo={submittedRegNo} />}
        {event.about !== undefined && <p className="lead">{event.about}</p>}
        <ClosedNotice event={event} {...(openState?.open === false ? openState : { text: null })} />
      </main>
      <EventFooter support={event.support} />
    </>
  )
}
