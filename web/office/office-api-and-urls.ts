/**
 * The office's API helpers and URLs.
 * A list's filters are in the page's URL, under the names that the call uses.
 */
import { QueryClient } from '@tanstack/react-query'
import type { AdminList } from '../../engine/index.ts'
import type { SessionAnswer } from '../../engine/api.ts'
import { call } from '../app/api-client.ts'
import type { Answered, ApiError, CallOptions, Reader } from '../app/api-client.ts'

export const LOGIN = '/admin/login'
export const DASHBOARD = '/admin/dashboard'
export const ACCOUNT = '/admin/account'
export const PEOPLE = '/admin/people'
export const ACTIVITY = '/admin/activity'
export const MAILS = '/admin/mails'
export const EVENT_FILES = '/admin/event-files'
export const RECOVERY = '/admin/recovery'
export const SEARCH = '/admin/search'
/** The payment reviews; the API calls them reviews. */
export const MONEY = '/admin/money'
/** Target of a link to set a password. */
export const PASSWORD = '/admin/password'

/** Whether the user manages the team. */
export const isOwnerOfAll = ({ role, all_events }: SessionAnswer): boolean =>
  role === 'owner' && all_events

/** How long the data of closed pages are cached for Back, in milliseconds. */
const KEPT_MS = 60_000

/**
 * A client without automatic refetching: an expired session must show at the next click, and every
 * read is recorded in the audit log.
 */
export const newClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        staleTime: 0,
        gcTime: KEPT_MS,
      },
    },
  })

/**
 * Calls the API and throws the ApiError of a refused call, as react-query expects in queries and
 * mutations.
 */
export async function ask<T>(path: string, read: Reader<T>, options: CallOptions = {}): Promise<T> {
  return take(await call(path, read, options))
}

/** Returns the value of an answer; throws its ApiError. */
export function take<T>(answered: Answered<T>): T {
  if (!answered.ok) throw answered.error
  return answered.value
}

export const isApiError = (error: unknown): error is ApiError =>
  typeof error === 'object' && error !== null && 'status' in error && 'message' in error

/** Parameters of every list in addition to its filters. */
export const ASKED_BESIDE = ['waiting', 'in_state'] as const

/** URL of a list's call or export with the filters of the page's URL; empty ones are omitted. */
export function withFilters(
  api: string,
  list: AdminList,
  search: URLSearchParams,
  paging: boolean,
): string {
  const query = new URLSearchParams()
  for (const { sentAs } of list.filters) {
    const value = search.get(sentAs)?.trim()
    if (value) query.set(sentAs, value)
  }
  for (const name of paging ? [...ASKED_BESIDE, 'page', 'page_size', 'sort'] : ASKED_BESIDE) {
    const value = search.get(name)
    if (value) query.set(name, value)
  }
  // A page needs only the listed columns of its rows. An event file's filter may have the same
  // name.
  if (paging && !list.filters.some(({ sentAs }) => sentAs === 'rows')) query.set('rows', 'listed')
  const text = query.toString()
  return text === '' ? api : `${api}${api.includes('?') ? '&' : '?'}${text}`
}

/** Page numbers: first, last and current ± 2; null represents a gap of one or more pages. */
export function pageWindow(current: number, last: number): readonly (number | null)[] {
  const near = [1, last, ...[-2, -1, 0, 1, 2].map((step) => current + step)].filter(
    (page) => page >= 1 && page <= last,
  )
  const pages = [...new Set(near)].sort((a, b) => a - b)
  return pages.flatMap((page, index) => {
    const before = pages[index - 1]
    return before === undefined || page === before + 1 ? [page] : [null, page]
  })
}

/** Returns a URL to open after sign-in; only URLs of this site are accepted. */
export const safeNext = (next: string | null): string =>
  next?.startsWith('/') &&
  !next.startsWith('//') &&
  !next.startsWith('/\\') &&
  !next.startsWith(LOGIN)
    ? next
    : DASHBOARD

/** Not below a list's URL, because event files choose those. */
export const codesAddress = (eventId: string): string =>
  `/admin/codes-of/${encodeURIComponent(eventId)}`

/** Cannot be confused with a registration number, which begins with its event's letters. */
export const reconcileAddress = (eventId: string): string =>
  `/admin/${encodeURIComponent(eventId)}/reconcile`

export const addAddress = (eventId: string): string => `/admin/${encodeURIComponent(eventId)}/add`

export const registrationAddress = (list: AdminList, regNo: string): string =>
  `${list.route}/${encodeURIComponent(regNo)}`

/** Whether the key press is text input rather than a shortcut. */
export function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select, dialog') !== null)
  )
}

const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
/** A spreadsheet with a reliable media type; the types that browsers report vary. */
export function asSheet(file: File): Blob {
  return new Blob([file], { type: /\.xlsx$/i.test(file.name) ? XLSX_TYPE : 'text/csv' })
}
