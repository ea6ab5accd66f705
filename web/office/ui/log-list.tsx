/** A paged log. The URL contains its filters, and older rows are loaded on demand. */
import { useInfiniteQuery } from '@tanstack/react-query'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { useSearchParams } from 'react-router-dom'
import { callApi } from '../office-api-and-urls.ts'
import { Filters } from '../lists/list-filters.tsx'
import type { ListFilter } from '../lists/list-filters.tsx'

type LogPage = { readonly before: number | null }

/**
 * Loads a log page by page, filtered by the URL. `filterQuery` is the query string of the active filters. `name` is
 * the query key.
 */
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
    placeholderData: (previous) => previous,
  })
  return { params, setParams, filterQuery, query }
}

/** Shows the filters of a log. Like the filters of a list, they apply immediately. */
export function LogFilters({
  title,
  filters,
  barFilterName,
  params,
  setParams,
}: {
  readonly title: string
  readonly filters: readonly ListFilter[]
  readonly barFilterName: string
} & Pick<ReturnType<typeof useFilteredLog>, 'params' | 'setParams'>) {
  return (
    <div className="log-filters">
      <Filters
        list={{ title, filters }}
        searchParams={params}
        extraFilters={[]}
        barFilterName={barFilterName}
        onChange={(change, replace = false) =>
          setParams(
            (previous) => {
              const next = new URLSearchParams(previous)
              change(next)
              return next
            },
            { replace },
          )
        }
        onReset={() => setParams(new URLSearchParams())}
      />
    </div>
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

/** Creates a filter by event, with all events as the default. */
export const createEventFilter = (events: EventChoices): ListFilter => ({
  show: 'event',
  sentAs: 'event',
  label: 'Event',
  kind: 'options',
  anyLabel: 'All events',
  options: events.map(({ id, title }) => ({ id, label: title })),
})

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
