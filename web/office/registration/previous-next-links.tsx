/** The links to the previous and next registration in the list from which this one was opened. */
import { skipToken, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link } from 'react-router-dom'
import type { OfficeEvent } from '../../../engine/api.ts'
import type { AdminList } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { createListReader } from '../office-api-responses.ts'
import { callApi, findList, buildRegistrationUrl, buildListUrl } from '../office-api-and-urls.ts'
import { useShortcutKeys } from '../ui/shortcut-keys.ts'

type PreviousNextLinksProps = {
  readonly event: OfficeEvent
  readonly regNo: string
  /** URL of the list page, with its filters. */
  readonly listUrl: string
}

/** Renders nothing if the page was not opened from a list of this event. */
export function PreviousNextLinks({ event, regNo, listUrl }: PreviousNextLinksProps) {
  const [path = '', search = ''] = listUrl.split('?')
  const list = findList(event, path, new URLSearchParams(search))
  const pageNumber = Math.max(1, Number(new URLSearchParams(search).get('page') ?? 1) || 1)
  const currentPage = useListPage(list, search, pageNumber, true)
  const rows = currentPage?.rows ?? []
  const index = rows.findIndex(({ reg_no: regNumber }) => regNumber === regNo)
  const isFound = currentPage !== null && index !== -1
  const needsNextPage =
    isFound && index === rows.length - 1 && pageNumber * currentPage.pageSize < currentPage.count
  const previousPage = useListPage(
    list,
    search,
    pageNumber - 1,
    isFound && index === 0 && pageNumber > 1,
  )
  const nextPage = useListPage(list, search, pageNumber + 1, needsNextPage)
  const nav = useRef<HTMLElement>(null)
  useShortcutKeys((key) => {
    const rel = key === '[' ? 'prev' : key === ']' ? 'next' : null
    if (rel === null) return false
    nav.current?.querySelector<HTMLElement>(`[rel=${rel}]`)?.click()
    return true
  })
  if (!isFound) return null
  const previous = rows[index - 1] ?? previousPage?.rows.at(-1)
  const next = rows[index + 1] ?? nextPage?.rows[0]
  const buildLinkState = (number: number): { from: string } => ({
    from: `${path}${buildQuery(search, number)}`,
  })
  return (
    <nav className="previous-next" aria-label="Previous and next registration" ref={nav}>
      {previous && (
        <Link
          rel="prev"
          aria-keyshortcuts="["
          to={buildRegistrationUrl(event, previous.reg_no)}
          state={buildLinkState(index === 0 ? pageNumber - 1 : pageNumber)}
        >
          <Icon name="left" small />
          Previous
        </Link>
      )}
      {next && (
        <Link
          rel="next"
          aria-keyshortcuts="]"
          to={buildRegistrationUrl(event, next.reg_no)}
          state={buildLinkState(index === rows.length - 1 ? pageNumber + 1 : pageNumber)}
        >
          Next
          <Icon name="right" small />
        </Link>
      )}
    </nav>
  )
}

/** Loads one page of the list. It shares the query key of the list page, so that loaded data is reused. */
function useListPage(list: AdminList | null, search: string, page: number, isEnabled: boolean) {
  const searchParams = new URLSearchParams(buildQuery(search, page))
  const url = list === null ? '' : buildListUrl(list.api, list, searchParams, true)
  const query = useQuery({
    queryKey: ['list', url],
    queryFn:
      list === null ? skipToken : ({ signal }) => callApi(url, createListReader(list), { signal }),
    enabled: isEnabled,
    // Avoids reloading the list on each move to the next registration.
    staleTime: STALE_AFTER_MS,
  })
  return query.data ?? null
}
const STALE_AFTER_MS = 60_000

function buildQuery(search: string, page: number): string {
  const params = new URLSearchParams(search)
  if (page === 1) params.delete('page')
  else params.set('page', String(page))
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}
