/** The extras of a ticket: QR code for the desk, calendar entry, map and share link. */
import { useState } from 'react'
import { CODE_LOOK } from '../../../engine/index.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { QrCode } from '../../ui/qr-code.tsx'

/**
 * The registration number as a QR code for the desk. Generated in the browser, so that no third
 * party receives the number.
 */
export function NumberAsCode({ number }: { readonly number: string }) {
  return (
    <QrCode
      text={number}
      look={CODE_LOOK}
      label="The registration number as a QR code, for the desk"
    />
  )
}

export function TakeAlong({ event }: { readonly event: PublicEvent }) {
  const [said, setSaid] = useState<string | null>(null)
  const link = new URL(event.routes.form, location.href).href
  const share = async () => {
    if ('share' in navigator) {
      // Closing the share sheet is not an error.
      await navigator.share({ title: event.title, url: link }).catch(() => {})
      return
    }
    try {
      await (navigator as Navigator).clipboard.writeText(link)
      setSaid('Link copied')
    } catch {
      setSaid(`The link to share: ${link}`)
    }
  }
  return (
    <>
      <ul className="take">
        <li>
          <a className="btn line sm" href={`/api/events/${event.id}/calendar.ics`}>
            <Icon name="cal" />
            Add to calendar
          </a>
        </li>
        <li>
          <a className="btn line sm" href={mapOf(event)} target="_blank" rel="noreferrer">
            <Icon name="pin" />
            Open map
            <span className="vh"> of {event.venue}, in a new tab</span>
          </a>
        </li>
        <li>
          <button type="button" className="btn line sm" onClick={() => void share()}>
            <Icon name="out" />
            Share this event
          </button>
        </li>
      </ul>
      <p className={said === null ? 'vh' : 'taken'} role="status">
        {said}
      </p>
    </>
  )
}

/** A map search for the venue's name; phones open this URL in their maps app. */
function mapOf({ venue }: PublicEvent): string {
  return `https://www.google.com/maps/search/?${new URLSearchParams({ api: '1', query: venue })}`
}
