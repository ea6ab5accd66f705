/** The pages of the office: their addresses, the roles that may open them, and the old addresses. */
import { isAtLeast, type Role } from '../../engine/index.ts'
import type { OfficeEvent, SessionResponse } from '../../engine/api.ts'
import type { IconName } from '../ui/icons-and-logo.tsx'
import {
  ACCOUNT,
  AUDIT_LOG,
  DASHBOARD,
  EMAILS,
  EVENTS,
  EVENT_FILES,
  PAYMENTS,
  RECOVERY,
  SEARCH,
  SETTLEMENTS,
  STATEMENTS,
  TEAM,
  buildAddRegistrationUrl,
  buildDiscountCodesUrl,
  buildEventFileUrl,
  buildEventPaymentsUrl,
  buildEventUrl,
  isOwnerOfAll,
  buildMonthUrl,
  buildRegistrationUrl,
  buildRegistrationsUrl,
  buildSalesUrl,
} from './office-api-and-urls.ts'

/** The role required to open a page. Determines only which links are shown; the server checks every call. */
export type RequiredAccess = Role | 'owner_of_all'

export const canOpen = (session: SessionResponse, access: RequiredAccess): boolean =>
  access === 'owner_of_all' ? isOwnerOfAll(session) : isAtLeast(session.role, access)

type PageEntry = {
  readonly id: string
  readonly label: string
  readonly icon: IconName
  readonly access: RequiredAccess
}

/** Pages that belong to no single event. `rail` is the part of the rail that links to the page. */
export const SHARED_PAGES = [
  { id: 'home', to: DASHBOARD, label: 'Home', icon: 'home', access: 'viewer', rail: 'events' },
  { id: 'search', to: SEARCH, label: 'Search', icon: 'search', access: 'viewer', rail: null },
  {
    id: 'events',
    to: EVENTS,
    label: 'Events',
    icon: 'grid',
    access: 'viewer',
    rail: 'events',
  },
  {
    id: 'payments',
    to: PAYMENTS,
    label: 'Payments',
    icon: 'bank',
    access: 'treasurer',
    rail: 'events',
  },
  {
    id: 'month',
    to: buildMonthUrl('{month}'),
    label: 'Month-end close',
    icon: 'cal',
    access: 'treasurer',
    rail: null,
  },
  {
    id: 'statements',
    to: STATEMENTS,
    label: 'Bank statements',
    icon: 'rows',
    access: 'treasurer',
    rail: 'events',
  },
  {
    id: 'statement',
    to: `${STATEMENTS}/{id}`,
    label: 'Bank statement',
    icon: 'rows',
    access: 'treasurer',
    rail: null,
  },
  {
    id: 'settlements',
    to: SETTLEMENTS,
    label: 'Settlements',
    icon: 'down',
    access: 'treasurer',
    rail: 'events',
  },
  {
    id: 'payout',
    to: `${SETTLEMENTS}/{reference}`,
    label: 'Payout',
    icon: 'down',
    access: 'treasurer',
    rail: null,
  },
  {
    id: 'team',
    to: TEAM,
    label: 'Team',
    icon: 'flag',
    access: 'owner_of_all',
    rail: 'organisation',
  },
  {
    id: 'audit-log',
    to: AUDIT_LOG,
    label: 'Audit log',
    icon: 'clock',
    access: 'owner',
    rail: 'organisation',
  },
  { id: 'emails', to: EMAILS, label: 'Emails', icon: 'mail', access: 'desk', rail: 'organisation' },
  {
    id: 'event-files',
    to: EVENT_FILES,
    label: 'Event files',
    icon: 'file',
    access: 'owner_of_all',
    rail: 'organisation',
  },
  {
    id: 'recovery',
    to: RECOVERY,
    label: 'Recovery',
    icon: 'tri',
    access: 'owner_of_all',
    // Shown only while the office is in recovery.
    rail: 'organisation',
  },
  { id: 'account', to: ACCOUNT, label: 'Your account', icon: 'lock', access: 'viewer', rail: null },
] as const satisfies readonly (PageEntry & {
  readonly to: string
  readonly rail: 'events' | 'organisation' | null
})[]
export type SharedPage = (typeof SHARED_PAGES)[number]

/** The month in the address of the month-end close, which is one page for all months. */
const MONTH_IN_PATH = /\/20\d\d-(?:0[1-9]|1[0-2])$/
/** All statements share one page, and so do all payouts. */
const STATEMENT_IN_PATH = /(?<=\/statements)\/\d{1,15}$/
const PAYOUT_IN_PATH = /(?<=\/payments\/settlements)\/[^/]+$/

export const findSharedPage = (path: string): SharedPage | null =>
  SHARED_PAGES.find(
    ({ to }) =>
      to ===
      path
        .replace(PAYOUT_IN_PATH, '/{reference}')
        .replace(MONTH_IN_PATH, '/{month}')
        .replace(STATEMENT_IN_PATH, '/{id}'),
  ) ?? null

/**
 * Returns the pages whose addresses are prefixes of this one, such as Statements for a bank
 * statement.
 */
export const listPagesAbove = (path: string): readonly SharedPage[] =>
  SHARED_PAGES.filter(({ to }) => path.startsWith(`${to}/`))

type EventPageEntry = PageEntry & {
  /** The address of the page for an event. */
  readonly url: (event: OfficeEvent) => string
  /** Whether the event has this page. */
  readonly existsFor: (event: OfficeEvent) => boolean
  readonly isInRail: boolean
}

/** The pages of one event, in the order of the rail. */
export const EVENT_PAGES = [
  {
    id: 'overview',
    label: 'Overview',
    icon: 'home',
    access: 'viewer',
    url: buildEventUrl,
    existsFor: () => true,
    isInRail: true,
  },
  {
    id: 'registrations',
    label: 'Registrations',
    icon: 'rows',
    access: 'viewer',
    url: buildRegistrationsUrl,
    existsFor: ({ lists }) => lists.length > 0,
    isInRail: true,
  },
  {
    id: 'add',
    label: 'Add registration',
    icon: 'plus',
    access: 'desk',
    url: buildAddRegistrationUrl,
    existsFor: () => true,
    isInRail: false,
  },
  {
    id: 'payments',
    label: 'Payments',
    icon: 'bank',
    access: 'treasurer',
    url: buildEventPaymentsUrl,
    existsFor: () => true,
    isInRail: true,
  },
  {
    id: 'sales',
    label: 'Sales',
    icon: 'grid',
    access: 'viewer',
    url: buildSalesUrl,
    existsFor: ({ lists }) => lists.length > 0,
    isInRail: true,
  },
  {
    id: 'codes',
    label: 'Discount codes',
    icon: 'tag',
    access: 'treasurer',
    url: buildDiscountCodesUrl,
    existsFor: ({ gives_codes }) => gives_codes,
    isInRail: true,
  },
  {
    id: 'event-file',
    label: 'Event file',
    icon: 'file',
    access: 'treasurer',
    url: buildEventFileUrl,
    existsFor: () => true,
    isInRail: true,
  },
] as const satisfies readonly EventPageEntry[]
export type EventPageId = (typeof EVENT_PAGES)[number]['id'] | 'registration'
export type EventPage = {
  readonly event: OfficeEvent
  readonly id: EventPageId
  readonly label: string
  readonly access: RequiredAccess
  /** The last segment of a registration's address; empty for the other pages. */
  readonly regNo: string
}

/** Returns null if the address does not belong to any page of an event that the user may see. */
export function findEventPage(path: string, events: readonly OfficeEvent[]): EventPage | null {
  for (const event of events) {
    const page = EVENT_PAGES.find(({ url, existsFor }) => url(event) === path && existsFor(event))
    if (page !== undefined) return { event, ...page, regNo: '' }
    const regNo = readSegmentBelow(path, buildRegistrationsUrl(event))
    if (regNo !== null)
      return { event, id: 'registration', label: 'Registration', access: 'viewer', regNo }
  }
  return null
}

export type RailLink = PageEntry & { readonly to: string }

/** Lists the pages of an event that the rail shows to this user. */
export const listEventLinks = (session: SessionResponse, event: OfficeEvent): readonly RailLink[] =>
  EVENT_PAGES.filter(
    ({ access, existsFor, isInRail }) => isInRail && existsFor(event) && canOpen(session, access),
  ).map(({ url, ...page }) => ({ ...page, to: url(event) }))

/** Lists the pages of one part of the rail that this user may open. */
export const listSharedLinks = (
  session: SessionResponse,
  railPart: 'events' | 'organisation',
): readonly RailLink[] =>
  SHARED_PAGES.filter(
    ({ id, access, rail }) =>
      rail === railPart && canOpen(session, access) && (id !== 'recovery' || session.in_recovery),
  )

/** Lists the events that accept registrations today and to which this user may add registrations. */
export const listEventsForNewRegistrations = (session: SessionResponse): readonly OfficeEvent[] =>
  canOpen(session, 'desk') ? session.events.filter((event) => event.adds_registrations) : []

/** Parameters with the same meaning for every event: the tab and the month of its payments. */
const SHARED_PARAMS = ['tab', 'month']

/**
 * Returns the address to open when the user switches to another event: the same page, without the filters, which apply
 * only to the previous event. Returns the first page of the other event if it does not have this page.
 */
export function buildUrlForEvent(
  session: SessionResponse,
  { pathname, search }: { readonly pathname: string; readonly search: string },
  target: OfficeEvent,
): string {
  const page = findEventPage(pathname, session.events)
  const id = page?.id === 'registration' ? 'registrations' : page?.id
  const links = listEventLinks(session, target)
  const samePage = links.find((link) => link.id === id)
  if (samePage === undefined) return links[0]?.to ?? buildEventUrl(target)
  const query = new URLSearchParams(
    [...new URLSearchParams(search)].filter(([name]) => SHARED_PARAMS.includes(name)),
  )
  return query.size === 0 ? samePage.to : `${samePage.to}?${query.toString()}`
}

/** Decodes the only segment of a path below an address. Returns null if there is no such segment, or more than one. */
function readSegmentBelow(path: string, address: string): string | null {
  if (!path.startsWith(`${address}/`)) return null
  const segment = path.slice(address.length + 1)
  return segment === '' || segment.includes('/') ? null : decodeSegment(segment)
}

export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    // The segment contains “%” without two hex digits, so it is returned unchanged.
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
 * Returns the address that replaces an old one, with its query and fragment. Returns null if the address is not an old
 * one. List URLs are set in the event file, so they are never redirected.
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
    if (pathname === `/admin/${id}/add`) return keepQuery(buildAddRegistrationUrl(event))
    if (pathname === `/admin/codes-of/${id}`) return keepQuery(buildDiscountCodesUrl(event))
    if (pathname === `/admin/${id}/reconcile`) return keepQuery(STATEMENTS)
    for (const list of event.lists) {
      const regNo = readSegmentBelow(pathname, list.route)
      if (regNo !== null) return keepQuery(buildRegistrationUrl(event, regNo))
    }
  }
  return null
}
