/** The pages of the office: their addresses, the roles that may open them, and the old addresses. */
import { isAtLeast, type Role } from '../../engine/index.ts'
import type { OfficeEvent, SessionResponse } from '../../engine/api.ts'
import {
  ACCOUNT,
  AUDIT_LOG,
  DASHBOARD,
  EMAILS,
  EVENT_FILES,
  PAYMENTS,
  RECOVERY,
  SEARCH,
  STATEMENTS,
  TEAM,
  addRegistrationUrl,
  discountCodesUrl,
  eventPaymentsUrl,
  eventUrl,
  isOwnerOfAll,
  monthUrl,
  registrationUrl,
  registrationsUrl,
} from './office-api-and-urls.ts'

/** Who may open a page. The server checks every call; this only chooses which links are shown. */
export type Access = Role | 'owner_of_all'

export const mayOpen = (session: SessionResponse, access: Access): boolean =>
  access === 'owner_of_all' ? isOwnerOfAll(session) : isAtLeast(session.role, access)

/** Pages that belong to no event, or to all of them. */
export const SHARED_PAGES = [
  { id: 'home', to: DASHBOARD, label: 'Dashboard', access: 'viewer' },
  { id: 'search', to: SEARCH, label: 'Search', access: 'viewer' },
  { id: 'payments', to: PAYMENTS, label: 'Payments', access: 'viewer' },
  { id: 'month', to: monthUrl('{month}'), label: 'Month-end close', access: 'treasurer' },
  { id: 'statements', to: STATEMENTS, label: 'Bank statements', access: 'treasurer' },
  { id: 'team', to: TEAM, label: 'Team', access: 'owner_of_all' },
  { id: 'emails', to: EMAILS, label: 'Emails', access: 'desk' },
  { id: 'event-files', to: EVENT_FILES, label: 'Event files', access: 'owner_of_all' },
  { id: 'recovery', to: RECOVERY, label: 'Recovery', access: 'owner_of_all' },
  { id: 'audit-log', to: AUDIT_LOG, label: 'Audit log', access: 'owner' },
  { id: 'account', to: ACCOUNT, label: 'Your account', access: 'viewer' },
] as const satisfies readonly {
  readonly id: string
  readonly to: string
  readonly label: string
  readonly access: Access
}[]
export type SharedPage = (typeof SHARED_PAGES)[number]

/** The page of each month is one page, whose address has the month. */
const MONTH_IN_PATH = /\/\d{4}-(?:0[1-9]|1[0-2])$/

export const findSharedPage = (path: string): SharedPage | null =>
  SHARED_PAGES.find(({ to }) => to === path.replace(MONTH_IN_PATH, '/{month}')) ?? null

/** Pages of one event, below its address. */
export type EventPageId = 'registrations' | 'registration' | 'add' | 'payments' | 'codes'
export type EventPage = {
  readonly event: OfficeEvent
  readonly id: EventPageId
  readonly label: string
  readonly access: Access
  /** The last segment of a registration's address; empty for the other pages. */
  readonly regNo: string
}

/** Returns null if the address belongs to no page of an event that the user may see. */
export function findEventPage(path: string, events: readonly OfficeEvent[]): EventPage | null {
  for (const event of events) {
    const page = (id: EventPageId, label: string, access: Access, regNo = ''): EventPage => ({
      event,
      id,
      label,
      access,
      regNo,
    })
    if (path === registrationsUrl(event)) return page('registrations', 'Registrations', 'viewer')
    if (path === addRegistrationUrl(event)) return page('add', 'Add registration', 'desk')
    if (path === eventPaymentsUrl(event)) return page('payments', 'Payments', 'treasurer')
    if (path === discountCodesUrl(event) && event.gives_codes)
      return page('codes', 'Discount codes', 'viewer')
    const regNo = segmentBelow(path, registrationsUrl(event))
    if (regNo !== null) return page('registration', 'Registration', 'viewer', regNo)
  }
  return null
}

/** Decodes the only segment of a path below an address. Null if there is none, or several. */
function segmentBelow(path: string, address: string): string | null {
  if (!path.startsWith(`${address}/`)) return null
  const segment = path.slice(address.length + 1)
  return segment === '' || segment.includes('/') ? null : decodeSegment(segment)
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    // “%” without two digits after it: the text itself.
    return segment
  }
}

/** Addresses of earlier versions, which bookmarks and old emails contain. */
const OLD_ADDRESSES: Readonly<Record<string, string>> = {
  '/admin': DASHBOARD,
  '/admin/people': TEAM,
  '/admin/mails': EMAILS,
  '/admin/activity': AUDIT_LOG,
  '/admin/event-files': EVENT_FILES,
  '/admin/recovery': RECOVERY,
}

/**
 * Returns the address that replaces an old one, with its query and fragment. Null if the address is
 * not an old one. The address of a list itself stays: event files choose it.
 */
export function replaceOldAddress(
  { pathname, search, hash }: { pathname: string; search: string; hash: string },
  events: readonly OfficeEvent[],
): string | null {
  const keepQuery = (to: string, extra: Readonly<Record<string, string>> = {}): string => {
    const query = new URLSearchParams([...Object.entries(extra), ...new URLSearchParams(search)])
    return `${to}${query.size === 0 ? '' : `?${query.toString()}`}${hash}`
  }
  const target = OLD_ADDRESSES[pathname]
  if (target !== undefined) return keepQuery(target)
  if (pathname === '/admin/money') return keepQuery(PAYMENTS, { tab: 'review' })
  for (const event of events) {
    const id = encodeURIComponent(event.id)
    if (pathname === eventUrl(event)) return keepQuery(registrationsUrl(event))
    if (pathname === `/admin/${id}/add`) return keepQuery(addRegistrationUrl(event))
    if (pathname === `/admin/codes-of/${id}`) return keepQuery(discountCodesUrl(event))
    if (pathname === `/admin/${id}/reconcile`) return keepQuery(STATEMENTS, { event: event.id })
    for (const list of event.lists) {
      const regNo = segmentBelow(pathname, list.route)
      if (regNo !== null) return keepQuery(registrationUrl(event, regNo))
    }
  }
  return null
}
