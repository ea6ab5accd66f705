/** The breadcrumbs of the open page: its event, the pages above it, then the page itself. */
import { Link, useLocation } from 'react-router-dom'
import {
  DASHBOARD,
  EVENTS,
  buildEventUrl,
  findList,
  buildRegistrationsUrl,
} from '../office-api-and-urls.ts'
import { findSharedPage, listPagesAbove } from '../office-pages-and-roles.ts'
import type { EventPage } from '../office-pages-and-roles.ts'

type Breadcrumb = { readonly label: string; readonly to: string }

/** Renders nothing on the home page and on pages that do not exist. */
export function Breadcrumbs({
  eventPage,
  path,
  title,
}: {
  readonly eventPage: EventPage | null
  readonly path: string
  /** The text of the page’s heading. Empty until the page has a heading. */
  readonly title: string
}) {
  const { state } = useLocation() as { state: { readonly from?: string } | null }
  const breadcrumbs =
    eventPage === null
      ? listSharedBreadcrumbs(path)
      : listEventBreadcrumbs(eventPage, state?.from ?? null)
  if (breadcrumbs.length === 0) return null
  return (
    <nav className="breadcrumbs" aria-label="Breadcrumb">
      <ol>
        {breadcrumbs.map(({ label, to }) => (
          <li key={to}>
            <Link to={to} title={label}>
              {label}
            </Link>
          </li>
        ))}
        {title !== '' && <li aria-current="page">{title}</li>}
      </ol>
    </nav>
  )
}

function listSharedBreadcrumbs(path: string): readonly Breadcrumb[] {
  if (path === DASHBOARD || findSharedPage(path) === null) return []
  return [{ label: 'Home', to: DASHBOARD }, ...listPagesAbove(path)]
}

/**
 * Lists the pages above an event page. The link to the registrations keeps the filters with which the user found the
 * registration.
 */
function listEventBreadcrumbs(
  { event, id }: EventPage,
  from: string | null,
): readonly Breadcrumb[] {
  if (id === 'overview') return [{ label: 'Events', to: EVENTS }]
  const home = { label: event.title, to: buildEventUrl(event) }
  if (id !== 'registration' && id !== 'add') return [home]
  const [fromPath = '', fromSearch = ''] = from?.split('?') ?? []
  const isFromList = findList(event, fromPath, new URLSearchParams(fromSearch)) !== null
  const list = {
    label: 'Registrations',
    to: isFromList ? (from ?? '') : buildRegistrationsUrl(event),
  }
  return event.lists.length === 0 ? [home] : [home, list]
}
