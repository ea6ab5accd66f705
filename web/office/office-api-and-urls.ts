/** The office's API helpers and URLs. */
import { QueryClient } from '@tanstack/react-query'
import type { AdminList } from '../../engine/index.ts'
import type { OfficeEvent, SessionResponse } from '../../engine/api.ts'
import { call } from '../app/api-client.ts'
import type { CallResult, ApiError, CallOptions, Reader } from '../app/api-client.ts'

export const SIGN_IN = '/admin/login'
export const DASHBOARD = '/admin/dashboard'
export const ACCOUNT = '/admin/account'
export const TEAM = '/admin/team'
export const AUDIT_LOG = '/admin/audit-log'
export const EMAILS = '/admin/system/emails'
export const EVENT_FILES = '/admin/system/event-files'
export const RECOVERY = '/admin/system/recovery'
export const SEARCH = '/admin/search'
export const EVENTS = '/admin/events'
export const PAYMENTS = '/admin/payments'
export const PAYMENT_REVIEWS = `${PAYMENTS}?tab=review`
export const AMOUNTS_DUE = `${PAYMENTS}?tab=due`
export const STATEMENTS = `${PAYMENTS}/statements`
export const SETTLEMENTS = `${PAYMENTS}/settlements`
/** Builds the URL of a month's page. The month has the format `2026-01`. */
export const buildMonthUrl = (month: string): string => `${PAYMENTS}/month/${month}`
/** Invitation and password links open this page. */
export const SET_PASSWORD = '/admin/password'

/** Returns whether the user can manage the team. */
export const isOwnerOfAll = ({ role, all_events }: SessionResponse): boolean =>
  role === 'owner' && all_events

/** Time in milliseconds for which the data of closed pages is cached, so that Back shows it immediately. */
const CACHE_MS = 60_000

/**
 * Creates a client that does not refetch automatically: the user should learn that a session has expired only after a
 * click, and the audit log records every read.
 */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        staleTime: 0,
        gcTime: CACHE_MS,
      },
    },
  })

/**
 * Calls the API. Throws an ApiError if the call fails, as react-query expects in queries and
 * mutations.
 */
export async function callApi<T>(
  path: string,
  read: Reader<T>,
  options: CallOptions = {},
): Promise<T> {
  return unwrap(await call(path, read, options))
}

/** Returns the value of a response. Throws its ApiError if the call failed. */
export function unwrap<T>(response: CallResult<T>): T {
  if (!response.ok) throw response.error
  return response.value
}

export const isApiError = (error: unknown): error is ApiError =>
  typeof error === 'object' && error !== null && 'status' in error && 'message' in error

/** Filters of every list, in addition to those in its event file. */
export const EXTRA_FILTERS = ['waiting', 'in_state'] as const

/**
 * Builds the URL of a list's API call or export from the filters in the page's URL, which have
 * the same parameter names. Omits empty filters.
 */
export function buildListUrl(
  api: string,
  list: AdminList,
  search: URLSearchParams,
  isPaged: boolean,
): string {
  const query = new URLSearchParams()
  for (const { sentAs } of list.filters) {
    const value = search.get(sentAs)?.trim()
    if (value) query.set(sentAs, value)
  }
  for (const name of isPaged ? [...EXTRA_FILTERS, 'page', 'page_size', 'sort'] : EXTRA_FILTERS) {
    const value = search.get(name)
    if (value) query.set(name, value)
  }
  // A page requests only the columns of the list. An event file may have a filter with the same name.
  if (isPaged && !list.filters.some(({ sentAs }) => sentAs === 'rows')) query.set('rows', 'listed')
  const text = query.toString()
  return text === '' ? api : `${api}${api.includes('?') ? '&' : '?'}${text}`
}

/**
 * Returns the page numbers to show: first, last and current ± 2. Null marks a gap of one or more
 * pages.
 */
export function listPageNumbers(current: number, last: number): readonly (number | null)[] {
  const numbers = [1, last, ...[-2, -1, 0, 1, 2].map((step) => current + step)].filter(
    (page) => page >= 1 && page <= last,
  )
  const pages = [...new Set(numbers)].sort((a, b) => a - b)
  return pages.flatMap((page, index) => {
    const previous = pages[index - 1]
    return previous === undefined || page === previous + 1 ? [page] : [null, page]
  })
}

/** Returns the URL to open after sign-in. Accepts only URLs of this site. */
export const sanitiseNext = (next: string | null): string =>
  next?.startsWith('/') &&
  !next.startsWith('//') &&
  !next.startsWith('/\\') &&
  !next.startsWith(SIGN_IN)
    ? next
    : DASHBOARD

/** Builds the URL of an event's overview. Event files choose the URLs of lists, but cannot use URLs below this one. */
export const buildEventUrl = ({ id }: Pick<OfficeEvent, 'id'>): string =>
  `${EVENTS}/${encodeURIComponent(id)}`

export const buildDiscountCodesUrl = (event: Pick<OfficeEvent, 'id'>): string =>
  `${buildEventUrl(event)}/codes`

/** Builds the URL of the payments of one event. */
export const buildEventPaymentsUrl = (event: Pick<OfficeEvent, 'id'>): string =>
  `${buildEventUrl(event)}/payments`

export const buildEventFileUrl = (event: Pick<OfficeEvent, 'id'>): string =>
  `${buildEventUrl(event)}/event-file`

export const buildSalesUrl = (event: Pick<OfficeEvent, 'id'>): string =>
  `${buildEventUrl(event)}/sales`

/**
 * Builds the URL of an event's registrations. An event may have several lists, with different columns of the same
 * registrations.
 */
export const buildRegistrationsUrl = (event: Pick<OfficeEvent, 'id'>): string =>
  `${buildEventUrl(event)}/registrations`

/**
 * Builds the URL of the page that adds a registration. It cannot clash with a registration, whose number ends with
 * digits.
 */
export const buildAddRegistrationUrl = (event: Pick<OfficeEvent, 'id'>): string =>
  `${buildRegistrationsUrl(event)}/new`

export const buildRegistrationUrl = (event: Pick<OfficeEvent, 'id'>, regNo: string): string =>
  `${buildRegistrationsUrl(event)}/${encodeURIComponent(regNo)}`

/** The parameter of a registrations page that selects a list other than the first. */
export const LIST_PARAM = 'list'

/** Builds the URL of the event's registrations page that shows this list. */
export const buildListPageUrl = (event: OfficeEvent, { id }: Pick<AdminList, 'id'>): string =>
  event.lists[0]?.id === id
    ? buildRegistrationsUrl(event)
    : `${buildRegistrationsUrl(event)}?${LIST_PARAM}=${encodeURIComponent(id)}`

/** Returns the list of an event that the page at a URL shows. Returns null if the page shows no list of this event. */
export function findList(
  event: OfficeEvent,
  path: string,
  searchParams: URLSearchParams,
): AdminList | null {
  if (path !== buildRegistrationsUrl(event))
    return event.lists.find(({ route }) => route === path) ?? null
  const selectedList = event.lists.find(({ id }) => id === searchParams.get(LIST_PARAM))
  return selectedList ?? event.lists[0] ?? null
}

const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
/** Sets the media type from the file extension, because the types that browsers report vary. */
export function toSpreadsheet(file: File): Blob {
  return new Blob([file], { type: /\.xlsx$/i.test(file.name) ? XLSX_TYPE : 'text/csv' })
}
