/** The office's calls and its addresses. What is asked of a list stands in the page's address, under the names the call takes. */
import { QueryClient } from '@tanstack/react-query'
import type { AdminList, SessionAnswer } from '../../engine/index.ts'
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
/** What waits for a decision; its call has the name of reviews. */
export const MONEY = '/admin/money'
/** Where a link to set a password leads. */
export const PASSWORD = '/admin/password'

/** Whoever looks after the people of the office. */
export const isOwnerOfAll = ({ role, all_events }: SessionAnswer): boolean =>
  role === 'owner' && all_events

/** How long an answer that no page shows any more is kept for Back, milliseconds. */
const KEPT_MS = 60_000

/** Nothing is asked again by itself: a stale session must show at the next click, and every read is in the audit log. */
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

/** Asks, and turns a refused call into what react-query takes for an error, in queries and mutations alike: the ApiError itself. */
export async function ask<T>(path: string, read: Reader<T>, options: CallOptions = {}): Promise<T> {
  return take(await call(path, read, options))
}

/** The value of an answer; throws its ApiError. */
export function take<T>(answered: Answered<T>): T {
  if (!answered.ok) throw answered.error
  return answered.value
}

export const isApiError = (error: unknown): error is ApiError =>
  typeof error === 'object' && error !== null && 'status' in error && 'message' in error

/** What every list is asked beside its filters. */
export const ASKED_BESIDE = ['waiting', 'in_state'] as const

/** The list's call or export with the filters set in the address; empty ones are left out. */
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
  // A page needs no more of its rows; a filter of the event file may be called so.
  if (paging && !list.filters.some(({ sentAs }) => sentAs === 'rows')) query.set('rows', 'listed')
  const text = query.toString()
  return text === '' ? api : `${api}${api.includes('?') ? '&' : '?'}${text}`
}

/** First, last and current ± 2, no others; null stands for the pages left out, be it one. */
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

/** An address to go back to after signing in; only ours, never another site's. */
export const safeNext = (next: string | null): string =>
  next?.startsWith('/') &&
  !next.startsWith('//') &&
  !next.startsWith('/\\') &&
  !next.startsWith(LOGIN)
    ? next
    : DASHBOARD

/** Below no list, whose addresses the event files choose. */
export const codesAddress = (eventId: string): string =>
  `/admin/codes-of/${encodeURIComponent(eventId)}`

/** A registration's number never reads so: each begins with its event's letters. */
export const reconcileAddress = (eventId: string): string =>
  `/admin/${encodeURIComponent(eventId)}/reconcile`

export const addAddress = (eventId: string): string => `/admin/${encodeURIComponent(eventId)}/add`

export const registrationAddress = (list: AdminList, regNo: string): string =>
  `${list.route}/${encodeURIComponent(regNo)}`

/** A key that somebody presses while typing is a letter and nothing else. */
export function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select, dialog') !== null)
  )
}

const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
/** A file of a bank or a gateway as it is sent: browsers name the kinds of files as they like. */
export function asSheet(file: File): Blob {
  return new Blob([file], { type: /\.xlsx$/i.test(file.name) ? XLSX_TYPE : 'text/csv' })
}
