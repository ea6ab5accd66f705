/** The links below a ticket: calendar entry, directions and share. */
import { useState } from 'react'
import { formatMessage, RESULT_MESSAGES } from '../../../engine/messages.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'

const { ticket } = RESULT_MESSAGES

export function TicketLinks({ event }: { readonly event: PublicEvent }) {
  const [shareResult, setShareResult] = useState<string | null>(null)
  const link = new URL(event.routes.form, location.href).href
  const share = async () => {
    if ('share' in navigator) {
      // Closing the share sheet is not an error.
      await navigator.share({ title: event.title, url: link }).catch(() => {})
      return
    }
    try {
      await (navigator as Navigator).clipboard.writeText(link)
      setShareResult(ticket.linkCopied)
    } catch {
      setShareResult(formatMessage(ticket.link, { link }))
    }
  }
  return (
    <>
      <ul className="ticket-links">
        <li>
          <a className="btn line sm" href={`/api/events/${event.id}/calendar.ics`}>
            <Icon name="cal" />
            {ticket.calendar}
          </a>
        </li>
        <li>
          <a
            className="btn line sm"
            href={buildMapUrl(event)}
            target="_blank"
            rel="noreferrer"
            aria-label={formatMessage(ticket.mapLabel, { venue: event.venue })}
          >
            <Icon name="pin" />
            {ticket.map}
          </a>
        </li>
        <li>
          <button type="button" className="btn line sm" onClick={() => void share()}>
            <Icon name="out" />
            {ticket.share}
          </button>
        </li>
      </ul>
      <p className={shareResult === null ? 'vh' : 'share-result'} role="status">
        {shareResult}
      </p>
    </>
  )
}

/** Returns a map search for the venue's name. Phones open this URL in their maps app. */
function buildMapUrl({ venue }: PublicEvent): string {
  return `https://www.google.com/maps/search/?${new URLSearchParams({ api: '1', query: venue })}`
}
