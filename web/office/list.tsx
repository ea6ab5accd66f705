/** The page of one list: its filters, its rows, its pages, its export. */
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { fill, formatCount } from '../../engine/index.ts'
import type { AdminList, OfficeEvent } from '../../engine/index.ts'
import { download, save } from '../api.ts'
import type { ApiError } from '../api.ts'
import { Icon } from '../shared/icons.tsx'
import { listReader } from './answers.ts'
import { ask, take, withFilters } from './calls.ts'
import { Filters } from './filters.tsx'
import { useLeaveOn401 } from './leave.ts'
import { Pager } from './pager.tsx'
import { Banner, Heading } from './parts.tsx'
import { Rows, RowsWaiting } from './rows.tsx'
import { Sold } from './sold.tsx'
import './list.css'

/** One list: what it shows stands in the address, so that it can be bookmarked, sent on and gone back to. */
export function ListPage({
  event,
  list,
}: {
  readonly event: OfficeEvent
  readonly list: AdminList
}) {
  const [search, setSearch] = useSearchParams()
  /** The problem that was dismissed; the next try may have its own. */
  const [dismissed, setDismissed] = useState<ApiError | null>(null)
  const address = withFilters(list.api, list, search, true)
  const query = useQuery({
    queryKey: ['list', address],
    queryFn: ({ signal }) => ask(address, listReader(list), { signal }),
    placeholderData: keepPreviousData,
  })
  const page = query.data ?? null
  const last = page === null ? 1 : Math.max(1, Math.ceil(page.count / Math.max(1, page.pageSize)))

  const error = useLeaveOn401(query.error)
  const loadProblem =
    error === null || error === dismissed
      ? null
      : error.code === 'unexpected'
        ? list.errors.shape
        : fill(list.errors.load, { message: error.message }, '')
  const saving = useMutation({
    mutationFn: async () => {
      const file = take(await download(withFilters(list.export.api, list, search, false)))
      save(file.blob, file.name ?? list.export.file)
    },
  })
  const refused = useLeaveOn401(saving.error)
  const exportProblem =
    refused === null ? null : fill(list.errors.export, { message: refused.message }, '')
  const shownProblem = exportProblem ?? loadProblem
  const dismiss = () => {
    saving.reset()
    setDismissed(error)
  }

  const [box, fits] = useFits()

  const go = (change: (params: URLSearchParams) => void, replace = false) => {
    const params = new URLSearchParams(search)
    change(params)
    setSearch(params, { replace })
  }
  const turnTo = (number: number) =>
    go((params) => (number === 1 ? params.delete('page') : params.set('page', String(number))))
  useEffect(() => {
    // A page beyond the end, from an old address or after a filter: the last one there is.
    if (page !== null && !query.isPlaceholderData && page.page > last) turnTo(last)
  })
  const reset = () =>
    go((params) =>
      [...params.keys()]
        .filter((name) => name !== 'page_size')
        .forEach((name) => params.delete(name)),
    )
  const isFiltered = list.filters.some(({ sentAs }) => search.get(sentAs))

  return (
    <main className="main" id="main">
      <Heading title={list.title}>
        <div className="acts">
          <button
            type="button"
            className="btn line sm"
            onClick={() => void query.refetch()}
            disabled={query.isFetching}
          >
            <Icon name="again" small />
            Refresh
          </button>
          <button
            type="button"
            className="btn sm"
            onClick={() => saving.mutate()}
            disabled={saving.isPending}
          >
            <Icon name="down" small />
            {saving.isPending ? 'Exporting…' : 'Export CSV'}
          </button>
        </div>
      </Heading>
      {shownProblem !== null && <Banner text={shownProblem} onDismiss={dismiss} />}
      <Filters key={list.route} list={list} search={search} onChange={go} onReset={reset} />
      <div className="say" role="status">
        <p>
          {page === null ? (
            query.isFetching ? (
              'Loading registrations…'
            ) : (
              ''
            )
          ) : (
            <Shown text={page.shown ?? countText(page.count)} />
          )}
        </p>
        {page !== null && last > 1 && (
          <p className="mute">
            Page {formatCount(page.page)} of {formatCount(last)}
          </p>
        )}
      </div>
      {event.sells && <Sold event={event} list={list} search={search} />}
      <div className={fits ? 'tb fits' : 'tb'} ref={box} aria-busy={query.isFetching}>
        {page === null && query.isFetching && <RowsWaiting />}
        {page !== null && page.rows.length > 0 && (
          <Rows list={list} rows={page.rows} isStale={query.isPlaceholderData} />
        )}
      </div>
      {page !== null && page.count === 0 && (
        <div className="none">
          <p>{list.empty}</p>
          {isFiltered && (
            <button type="button" className="btn line sm" onClick={reset}>
              Reset the filters
            </button>
          )}
        </div>
      )}
      {page !== null && page.count > 0 && (
        <Pager
          list={list}
          page={page}
          last={last}
          onTurn={turnTo}
          onSize={(size) =>
            go((params) => {
              params.set('page_size', String(size))
              params.delete('page')
            })
          }
        />
      )}
    </main>
  )
}

/** Whether the table is as wide as its place: then its head stays in sight while the page scrolls; else it scrolls sideways. */
function useFits(): readonly [React.RefObject<HTMLDivElement | null>, boolean] {
  const box = useRef<HTMLDivElement>(null)
  const [fits, setFits] = useState(false)
  useEffect(() => {
    const place = box.current
    if (place === null) return
    const watch = new ResizeObserver(() => setFits(place.scrollWidth <= place.clientWidth))
    watch.observe(place)
    for (const child of place.children) watch.observe(child)
    return () => watch.disconnect()
  })
  return [box, fits]
}

const countText = (count: number): string =>
  count === 1 ? '1 registration' : `${formatCount(count)} registrations`

/** The sentence with its number set stronger. */
function Shown({ text }: { readonly text: string }) {
  const number = /^(?:More than )?[\d,]+/.exec(text)?.[0] ?? ''
  return (
    <>
      <b>{number}</b>
      {text.slice(number.length)}
    </>
  )
}
