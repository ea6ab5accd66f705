/** The navigation of the office: event switcher, pages of the event, then pages of all events. */
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import type { OfficeEvent, SessionResponse } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { listEventLinks, listSharedLinks } from '../office-pages-and-roles.ts'
import type { RailLink } from '../office-pages-and-roles.ts'
import { EventSwitcher } from './event-switcher.tsx'
import './rail.css'

type RailProps = {
  readonly session: SessionResponse
  /** The event whose pages are shown. Null if the user has no access to any event. */
  readonly currentEvent: OfficeEvent | null
  /** The URL of the link to highlight, if the rail has a link to the open page. */
  readonly currentUrl: string | null
  readonly onLogOut: () => void
}

/** Browsers round the positions of a scrolled box, so the comparison needs a tolerance. */
const END_TOLERANCE_PX = 4

export function Rail({ session, currentEvent, currentUrl, onLogOut }: RailProps) {
  const links = useRef<HTMLDivElement>(null)
  const [hasMore, setHasMore] = useState(false)
  useEffect(() => {
    const box = links.current
    const currentLink = box?.querySelector('[aria-current]')
    if (box === null || currentLink === null || currentLink === undefined) return
    // Only the rail scrolls, not the page.
    const { top, bottom } = currentLink.getBoundingClientRect()
    const bounds = box.getBoundingClientRect()
    if (bottom > bounds.bottom) box.scrollTop += bottom - bounds.bottom
    if (top < bounds.top) box.scrollTop -= bounds.top - top
  }, [currentUrl])
  // The footer has a visible edge if there are more links to scroll to.
  const updateHasMore = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = links.current ?? {}
    setHasMore(scrollHeight - scrollTop - clientHeight > END_TOLERANCE_PX)
  }
  useEffect(() => {
    const observer = new ResizeObserver(updateHasMore)
    if (links.current !== null) observer.observe(links.current)
    return () => observer.disconnect()
  })
  // Settlements belong to one event, so the page opens with the event chosen in the switcher.
  const addEventParam = (id: string, to: string): string =>
    id === 'settlements' && currentEvent !== null
      ? `${to}?${new URLSearchParams({ event: currentEvent.id }).toString()}`
      : to
  const renderLinks = (links: readonly RailLink[]) =>
    links.map(({ id, to, label, icon }) => (
      <li key={id}>
        <Link
          to={addEventParam(id, to)}
          {...(to === currentUrl && { 'aria-current': 'page' as const })}
        >
          <Icon name={icon} />
          {label}
        </Link>
      </li>
    ))
  const organisationLinks = listSharedLinks(session, 'organisation')
  return (
    <>
      <nav aria-label="Office">
        {currentEvent !== null && <EventSwitcher session={session} currentEvent={currentEvent} />}
        <div className="links" ref={links} onScroll={updateHasMore}>
          {currentEvent !== null && <ul>{renderLinks(listEventLinks(session, currentEvent))}</ul>}
          <h2 className="grp" id="rail-events">
            All events
          </h2>
          <ul aria-labelledby="rail-events">{renderLinks(listSharedLinks(session, 'events'))}</ul>
          {organisationLinks.length > 0 && (
            <>
              <h2 className="grp" id="rail-organisation">
                Organisation
              </h2>
              <ul aria-labelledby="rail-organisation">{renderLinks(organisationLinks)}</ul>
            </>
          )}
        </div>
      </nav>
      <div className={hasMore ? 'me more' : 'me'}>
        <button type="button" className="btn line sm" onClick={onLogOut}>
          <Icon name="out" small />
          Logout
        </button>
      </div>
    </>
  )
}
