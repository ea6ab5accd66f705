/** The event switcher above the rail: the rail links to the pages of the chosen event. */
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { day, isEventOver, sortEvents } from '../../../engine/index.ts'
import type { OfficeEvent, SessionResponse } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { switchEventUrl } from '../office-pages-and-roles.ts'
import { Panel } from './panel.tsx'

type SwitcherProps = { readonly session: SessionResponse; readonly current: OfficeEvent }

/** A user with access to only one event sees just its title. */
export function EventSwitcher({ session, current }: SwitcherProps) {
  const label = (
    <>
      <i
        className="sw"
        style={{ '--c': current.look.colour } as React.CSSProperties}
        aria-hidden="true"
      />
      <span title={current.title}>{current.title}</span>
    </>
  )
  if (session.events.length < 2) return <p className="oneevent">{label}</p>
  return (
    <Panel
      className="switcher"
      button={
        <>
          {label}
          <span className="vh"> (change event)</span>
          <Icon name="chev" small />
        </>
      }
    >
      {(close) => <Events session={session} current={current} onChoose={close} />}
    </Panel>
  )
}

function Events({ session, current, onChoose }: SwitcherProps & { readonly onChoose: () => void }) {
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
  const [openEvents, pastEvents] = [
    events.filter((event) => !isEventOver(event, today)),
    events.filter((event) => isEventOver(event, today)),
  ]
  const renderLinks = (linkedEvents: readonly OfficeEvent[]) => (
    <ul>
      {linkedEvents.map((event) => (
        <li key={event.id}>
          <Link
            to={switchEventUrl(session, location, event)}
            onClick={onChoose}
            {...(event.id === current.id && { 'aria-current': 'true' as const })}
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
          const [first] = [...openEvents, ...pastEvents]
          if (key !== 'Enter' || first === undefined) return
          onChoose()
          void navigate(switchEventUrl(session, location, first))
        }}
      />
      {renderLinks(openEvents)}
      {pastEvents.length > 0 && (
        <details open={words.length > 0 || openEvents.length === 0}>
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
