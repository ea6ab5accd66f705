/** The parts that the payment tables share: a table of amounts, and links to registrations. */
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { formatCount } from '../../../engine/index.ts'
import type { OfficeEvent, SessionResponse } from '../../../engine/api.ts'
import { buildRegistrationUrl } from '../office-api-and-urls.ts'
import { EventOptions } from '../ui/log-list.tsx'
import './payments.css'

/** Shows a table that scrolls sideways on a narrow page. On a phone, each row is a block. */
export function AmountTable({
  label,
  head,
  children,
}: {
  readonly label: string
  /** A column with `isAmount` is aligned to the right. */
  readonly head: readonly { readonly text: string; readonly isAmount?: boolean }[]
  readonly children: ReactNode
}) {
  return (
    <div className="payments-table" role="region" aria-label={label} tabIndex={0}>
      <table>
        <caption className="vh">{label}</caption>
        <thead>
          <tr>
            {head.map(({ text, isAmount }) => (
              <th key={text} scope="col" className={isAmount === true ? 'num' : undefined}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        {children}
      </table>
    </div>
  )
}

/** Shows the name, the number and the event of a registration. Links to the registration if the user may open it. */
export function RegistrationLink({
  session,
  eventId,
  regNo,
  name,
  event: title,
}: {
  readonly session: SessionResponse
  readonly eventId: string | null
  readonly regNo: string | null
  readonly name: string
  /** Null on the page of one event. */
  readonly event: string | null
}) {
  const event = session.events.find(({ id }) => id === eventId)
  const eventLabel = title !== null && <small className="event">{title}</small>
  if (regNo === null) return <>Not matched to a registration{eventLabel}</>
  return (
    <>
      {event === undefined ? (
        <b>{name || regNo}</b>
      ) : (
        <Link to={buildRegistrationUrl(event, regNo)}>{name || regNo}</Link>
      )}
      <small>{regNo}</small>
      {eventLabel}
    </>
  )
}

/** Selects one event on a page for all events. `value` is empty for all events. */
export const EventFilter = ({
  events,
  value,
  onChange,
}: {
  readonly events: readonly OfficeEvent[]
  readonly value: string
  readonly onChange: (event: string) => void
}) => (
  <label className="event-filter">
    <span className="vh">Event</span>
    <select value={value} onChange={({ target }) => onChange(target.value)}>
      <EventOptions events={events} />
    </select>
  </label>
)

/** Returns a number with its noun, such as “1 payment”. */
export const pluralise = (count: number, singular: string, plural: string): string =>
  `${formatCount(count)} ${count === 1 ? singular : plural}`

/** Groups rows by key, in the order in which the keys first appear. */
export function groupRows<Row>(
  rows: readonly Row[],
  getKey: (row: Row) => string,
): readonly (readonly [string, readonly Row[]])[] {
  const groups = new Map<string, Row[]>()
  for (const row of rows) groups.set(getKey(row), [...(groups.get(getKey(row)) ?? []), row])
  return [...groups]
}
