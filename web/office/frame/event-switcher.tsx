/** The event switcher above the rail: the rail links to the pages of the chosen event. */
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { day, isEventOver, sortEvents } from '../../../engine/index.ts'
import type { OfficeEvent, SessionResponse } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { buildUrlForEvent } from '../office-pages-and-roles.ts'
import { Popup } from './panel.tsx'

type SwitcherProps = { readonly session: SessionResponse; readonly currentEvent: OfficeEvent }

/** Shows the event switcher. A user with access to one event sees only its title. */
export function EventSwitcher({ session, currentEvent }: SwitcherProps) {
  const label = (
    <>
      <i
        className="sw"
        style={{ '--c': currentEvent.look.colour } as React.CSSProperties}
        aria-hidden="true"
      />
      <span title={currentEvent.title}>{currentEvent.title}</span>
    </>
  )
  if (session.events.length < 2) return <p className="event-title">{label}</p>
  return (
    <Popup
      className="switcher"
      button={
        <>
          {label}
          <span className="vh"> (change event)</span>
          <Icon name="chev" small />
        </>
      }
    >
      {(close) => <Events session={session} currentEvent={currentEvent} onChoose={close} />}
    </Popup>
  )
}

function Events({
  session,
  currentEvent,
  onChoose,
}: SwitcherProps & { readonly onChoose: () => void }) {
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const location = useLocation()
  const navigate = useNavigate()
  useEffect(() => input.current?.focus(), [])
  const today = day(session.today)
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const events = sortEvents(session.events, today).filter(({ title }) =>
    words.every((word) => title.toLowerCase().includes(word)),
  )
  const [upcomingEvents, pastEvents] = [
    events.filter((event) => !isEventOver(event, today)),
    events.filter((event) => isEventOver(event, today)),
  ]
  const renderLinks = (linkedEvents: readonly OfficeEvent[]) => (
    <ul>
      {linkedEvents.map((event) => (
        <li key={event.id}>
          <Link
            to={buildUrlForEvent(session, location, event)}
            onClick={onChoose}
            {...(event.id === currentEvent.id && { 'aria-current': 'true' as const })}
          >
            <i
              className="sw"
              style={{ '--c': event.look.colour } as React.CSSProperties}
              aria-hidden="true"
            />
            {event.title}
          </Link>
        </li>
      ))}
    </ul>
  )
  return (
    <>
      <input
        ref={input}
        type="search"
        aria-label="Find an event"
        placeholder="Find an event"
        autoComplete="off"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key }) => {
          const [firstEvent] = [...upcomingEvents, ...pastEvents]
          if (key !== 'Enter' || firstEvent === undefined) return
          onChoose()
          void navigate(buildUrlForEvent(session, location, firstEvent))
        }}
      />
      {renderLinks(upcomingEvents)}
      {pastEvents.length > 0 && (
        <details open={words.length > 0 || upcomingEvents.length === 0}>
          <summary>
            Past events ({pastEvents.length}) <Icon name="chev" small />
          </summary>
          {renderLinks(pastEvents)}
        </details>
      )}
      <p role="status" className="mute">
        {events.length === 0 ? `No events match “${text}”.` : ''}
      </p>
    </>
  )
}
