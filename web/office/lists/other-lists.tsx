/** Links to the other lists of an event, next to the title of the list. */
import { Link } from 'react-router-dom'
import type { AdminList } from '../../../engine/index.ts'
import type { OfficeEvent } from '../../../engine/api.ts'
import { buildListPageUrl } from '../office-api-and-urls.ts'
import './other-lists.css'

/** The lists of one event show the same registrations with different columns. */
export const OtherLists = ({
  event,
  list: { id: shownId },
}: {
  readonly event: OfficeEvent
  readonly list: AdminList
}) => (
  <nav className="other-lists" aria-label="Lists of this event">
    Other lists:{' '}
    {event.lists
      .filter(({ id }) => id !== shownId)
      .map((list) => (
        <Link key={list.id} to={buildListPageUrl(event, list)}>
          {shortenTitle(list.title)}
        </Link>
      ))}
  </nav>
)

/** Removes “registrations” from the end of a list title. */
export const shortenTitle = (title: string): string => title.replace(/\s+registrations$/i, '')
