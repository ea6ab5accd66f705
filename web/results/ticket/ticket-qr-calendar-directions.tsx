/** What a delegate takes along from a ticket: its code for the desk, the days for the calendar, the way there, the link for others. */
import { useState } from 'react'
import { CODE_LOOK } from '../../../engine/index.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { QrCode } from '../../ui/qr-code.tsx'

/** The number as a code that a desk scans; drawn here, so that nobody else learns of it. */
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
      // Closing the sheet again is no failure.
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

/** A search for the place by its name: the maps of a phone answer this address themselves. */
function mapOf({ venue }: PublicEvent): string {
  return `https://www.google.com/maps/search/?${new URLSearchParams({ api: '1', query: venue })}`
}
