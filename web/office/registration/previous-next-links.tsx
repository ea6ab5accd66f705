/** The links to the previous and next registration in the list from which this one was opened. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import type { AdminList } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { createListReader } from '../office-api-responses.ts'
import { callApi, registrationUrl, buildListUrl } from '../office-api-and-urls.ts'

type NeighboursProps = {
  readonly list: AdminList
  readonly regNo: string
  /** URL of the list's page with its filters. */
  readonly from: string
}

/** Renders nothing if the page was not opened from this list. */
export function Neighbours({ list, regNo, from }: NeighboursProps) {
  const [path = '', search = ''] = from.split('?')
  const page = Math.max(1, Number(new URLSearchParams(search).get('page') ?? 1) || 1)
  const here = usePage(list, search, page, path === list.route)
  const rows = here?.rows ?? []
  const at = rows.findIndex(({ reg_no: number }) => number === regNo)
  const isKnown = here !== null && at !== -1
  const older = isKnown && at === rows.length - 1 && page * here.pageSize < here.count
  const before = usePage(list, search, page - 1, isKnown && at === 0 && page > 1)
  const after = usePage(list, search, page + 1, older)
  if (!isKnown) return null
  const previous = rows[at - 1] ?? before?.rows.at(-1)
  const next = rows[at + 1] ?? after?.rows[0]
  const fromPage = (number: number): { from: string } => ({
    from: `${path}${queryOf(search, number)}`,
  })
  return (
    <nav className="near" aria-label="Previous and next registration">
      {previous && (
        <Link
          to={registrationUrl(list, previous.reg_no)}
          state={fromPage(at === 0 ? page - 1 : page)}
        >
          <Icon name="left" small />
          Previous
        </Link>
      )}
      {next && (
        <Link
          to={registrationUrl(list, next.reg_no)}
          state={fromPage(at === rows.length - 1 ? page + 1 : page)}
        >
          Next
          <Icon name="right" small />
        </Link>
      )}
    </nav>
  )
}

/** Uses the query key of the list page, so that data just shown are not loaded again. */
function usePage(list: AdminList, search: string, page: number, isWanted: boolean) {
  const address = buildListUrl(list.api, list, new URLSearchParams(queryOf(search, page)), true)
  const query = useQuery({
    queryKey: ['list', address],
    queryFn: ({ signal }) => callApi(address, createListReader(list), { signal }),
    enabled: isWanted,
    // Stepping through a list does not reload it each time.
    staleTime: STALE_MS,
  })
  return query.data ?? null
}
const STALE_MS = 60_000

function queryOf(search: string, page: number): string {
  const params = new URLSearchParams(search)
  if (page === 1) params.delete('page')
  else params.set('page', String(page))
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}
