/** Links between the lists of one event. */
import { Link } from 'react-router-dom'
import type { AdminList } from '../../../engine/index.ts'
import type { OfficeEvent } from '../../../engine/api.ts'
import { listUrl } from '../office-api-and-urls.ts'
import './other-lists.css'

/** The lists of one event show the same registrations with different columns. */
export const OtherLists = ({
  event,
  list: { id: shownId },
}: {
  readonly event: OfficeEvent
  readonly list: AdminList
}) => (
  <nav className="of-event" aria-label="Lists of this event">
    {event.lists.map((list) => (
      <Link
        key={list.id}
        to={listUrl(event, list)}
        {...(list.id === shownId && { 'aria-current': 'page' as const })}
      >
        {shortTitle(list.title)}
      </Link>
    ))}
  </nav>
)

/** Removes “registrations”, with which every list title ends. */
export const shortTitle = (title: string): string => title.replace(/\s+registrations$/i, '')
