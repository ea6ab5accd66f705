/** A paged log without an event: its filters are in the URL, and older rows are loaded on demand. */
import { useInfiniteQuery } from '@tanstack/react-query'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router-dom'
import { ask } from '../office-api-and-urls.ts'
import '../lists/list-filters.css'

type Page = { readonly before: number | null }

/** `asked`: the active filters as call parameters. `name`: the query key. */
export function useAskedList<T extends Page>(
  name: string,
  call: string,
  filters: readonly string[],
  read: Parameters<typeof ask<T>>[1],
) {
  const [params, setParams] = useSearchParams()
  const asked = new URLSearchParams(
    filters.flatMap((filter) => {
      const value = params.get(filter)?.trim() ?? ''
      return value === '' ? [] : [[filter, value]]
    }),
  ).toString()
  const query = useInfiniteQuery({
    queryKey: [name, asked],
    initialPageParam: null as number | null,
    queryFn: ({ signal, pageParam }) =>
      ask(`${call}?${asked}${pageParam === null ? '' : `&before=${pageParam}`}`, read, { signal }),
    getNextPageParam: ({ before }) => before,
  })
  return { params, setParams, asked, query }
}

/** The filters with Show and Clear buttons; empty ones are not sent. */
export function Asking({
  asked,
  onAsk,
  children,
}: {
  readonly asked: string
  readonly onAsk: (params: URLSearchParams) => void
  readonly children: ReactNode
}) {
  return (
    <form
      className="fil whole"
      aria-label="Filters"
      key={asked}
      onSubmit={(event) => {
        event.preventDefault()
        const data = [...new FormData(event.currentTarget)].flatMap(([name, value]) =>
          typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
        )
        onAsk(new URLSearchParams(data))
      }}
    >
      {children}
      <div className="go">
        <button type="submit" className="btn sm">
          Show
        </button>
        {asked !== '' && (
          <button
            type="button"
            className="btn line sm"
            onClick={() => onAsk(new URLSearchParams())}
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

type Events = readonly { readonly id: string; readonly title: string }[]

/** Event selector; all events by default. */
export function WhichEvent({
  events,
  chosen,
}: {
  readonly events: Events
  readonly chosen: string | null
}) {
  return (
    <label>
      Event
      <select name="event" defaultValue={chosen ?? ''}>
        <EventOptions events={events} />
      </select>
    </label>
  )
}

export function EventOptions({ events }: { readonly events: Events }) {
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
