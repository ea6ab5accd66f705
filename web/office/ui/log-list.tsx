/** A paged log. The URL contains its filters, and older rows are loaded on demand. */
import { useInfiniteQuery } from '@tanstack/react-query'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router-dom'
import { callApi } from '../office-api-and-urls.ts'
import '../lists/list-filters.css'

type LogPage = { readonly before: number | null }

/** `filterQuery` is the query string of the active filters. `name` is the query key. */
export function useFilteredLog<T extends LogPage>(
  name: string,
  path: string,
  filters: readonly string[],
  read: Parameters<typeof callApi<T>>[1],
) {
  const [params, setParams] = useSearchParams()
  const filterQuery = new URLSearchParams(
    filters.flatMap((filter) => {
      const value = params.get(filter)?.trim() ?? ''
      return value === '' ? [] : [[filter, value]]
    }),
  ).toString()
  const query = useInfiniteQuery({
    queryKey: [name, filterQuery],
    initialPageParam: null as number | null,
    queryFn: ({ signal, pageParam }) =>
      callApi(`${path}?${filterQuery}${pageParam === null ? '' : `&before=${pageParam}`}`, read, {
        signal,
      }),
    getNextPageParam: ({ before }) => before,
  })
  return { params, setParams, filterQuery, query }
}

/** The filters, with Show and Clear buttons. Empty filters are not sent. */
export function FilterForm({
  filterQuery,
  onApply,
  children,
}: {
  readonly filterQuery: string
  readonly onApply: (params: URLSearchParams) => void
  readonly children: ReactNode
}) {
  return (
    <form
      className="fil whole"
      aria-label="Filters"
      key={filterQuery}
      onSubmit={(event) => {
        event.preventDefault()
        const data = [...new FormData(event.currentTarget)].flatMap(([name, value]) =>
          typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
        )
        onApply(new URLSearchParams(data))
      }}
    >
      {children}
      <div className="go">
        <button type="submit" className="btn sm">
          Show
        </button>
        {filterQuery !== '' && (
          <button
            type="button"
            className="btn line sm"
            onClick={() => onApply(new URLSearchParams())}
          >
            Clear
          </button>
        )}
      </div>
    </form>
  )
}

export function ShowOlder({
  query,
}: {
  readonly query: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >
}) {
  return (
    query.hasNextPage && (
      <button
        type="button"
        className="btn line sm"
        disabled={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        Show older
      </button>
    )
  )
}

type EventChoices = readonly { readonly id: string; readonly title: string }[]

/** Event selector; all events by default. */
export function EventFilter({
  events,
  selectedId,
}: {
  readonly events: EventChoices
  readonly selectedId: string | null
}) {
  return (
    <label>
      Event
      <select name="event" defaultValue={selectedId ?? ''}>
        <EventOptions events={events} />
      </select>
    </label>
  )
}

export function EventOptions({ events }: { readonly events: EventChoices }) {
  return (
    <>
      <option value="">All events</option>
      {events.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </>
  )
}
