/** The page of one list: filters, rows, pagination and export. */
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import {
  ENDED_LABEL,
  fillPlaceholders,
  formatCount,
  isAtLeast,
  isWorkQueueId,
  listColumns,
  STATE_LABELS,
  STATES,
  WORK_QUEUE,
} from '../../../engine/index.ts'
import type { AdminList, Role, WireSums } from '../../../engine/index.ts'
import type { OfficeEvent } from '../../../engine/api.ts'
import { download, save } from '../../app/api-client.ts'
import type { ApiError } from '../../app/api-client.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { listReader } from '../office-api-responses.ts'
import { BulkBar } from './bulk-actions.tsx'
import { ASKED_BESIDE, ask, take, withFilters } from '../office-api-and-urls.ts'
import { cellsOf } from './visible-columns.ts'
import { Filters } from './list-filters.tsx'
import { useLeaveOn401 } from '../expired-session.ts'
import { ListTools, useMyList } from './saved-views-and-columns.tsx'
import { Pager } from './pagination.tsx'
import { Banner, Heading } from '../ui/error-banner-and-heading.tsx'
import { moneyOf, Rows, RowsWaiting } from './list-table.tsx'
import { Sold } from './sales-report.tsx'
import './list-page.css'

/** A list whose state is in the URL, so that it can be bookmarked, shared and reached with Back. */
export function ListPage({
  event,
  list,
  role,
}: {
  readonly role: Role
  readonly event: OfficeEvent
  readonly list: AdminList
}) {
  const [search, setSearch] = useSearchParams()
  /** The error that was dismissed; the next attempt may show its own. */
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
        : fillPlaceholders(list.errors.load, { message: error.message }, '')
  const saving = useMutation({
    mutationFn: async (as: 'csv' | 'xlsx') => {
      const filtered = withFilters(list.export.api, list, search, false)
      const asked = `${filtered}${filtered.includes('?') ? '&' : '?'}as=xlsx`
      const file = take(await download(as === 'csv' ? filtered : asked))
      save(file.blob, file.name ?? list.export.file.replace(/csv$/, as))
    },
  })
  const refused = useLeaveOn401(saving.error)
  const exportProblem =
    refused === null ? null : fillPlaceholders(list.errors.export, { message: refused.message }, '')
  const shownProblem = exportProblem ?? loadProblem
  const dismiss = () => {
    saving.reset()
    setDismissed(error)
  }

  const [box, fits] = useFits()
  const mayTick = isAtLeast(role, 'desk')
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  /** On a phone, a row has room for its checkbox only in selection mode. */
  const [isTicking, setTicking] = useState(false)
  const kept = useMyList(event, list)
  const { cells, more } = cellsOf(listColumns(list), event.always, kept.mine.columns)
  const asked = ASKED_BESIDE.flatMap((name) => {
    const words = saidOf(name, search.get(name) ?? '')
    return words === null ? [] : [{ name, words }]
  })

  const go = (change: (params: URLSearchParams) => void, replace = false) => {
    const params = new URLSearchParams(search)
    change(params)
    setSearch(params, { replace })
  }
  const turnTo = (number: number) =>
    go((params) => (number === 1 ? params.delete('page') : params.set('page', String(number))))
  useEffect(() => {
    // A page beyond the end, from an old URL or after filtering: open the last one.
    if (page !== null && !query.isPlaceholderData && page.page > last) turnTo(last)
  })
  const reset = () =>
    go((params) =>
      [...params.keys()]
        .filter((name) => name !== 'page_size')
        .forEach((name) => params.delete(name)),
    )
  const isFiltered = asked.length > 0 || list.filters.some(({ sentAs }) => search.get(sentAs))

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
            className="btn line sm"
            onClick={() => saving.mutate('xlsx')}
            disabled={saving.isPending}
          >
            Export Excel
          </button>
          <button
            type="button"
            className="btn sm"
            onClick={() => saving.mutate('csv')}
            disabled={saving.isPending}
          >
            <Icon name="down" small />
            {saving.isPending ? 'Exporting…' : 'Export CSV'}
          </button>
        </div>
      </Heading>
      {shownProblem !== null && <Banner text={shownProblem} onDismiss={dismiss} />}
      <Filters key={list.route} list={list} search={search} onChange={go} onReset={reset} />
      {asked.length > 0 && (
        <p className="only">
          {asked.map(({ name, words }) => (
            <button
              key={name}
              type="button"
              className="btn quiet sm"
              onClick={() =>
                go((params) => {
                  params.delete(name)
                  params.delete('page')
                })
              }
            >
              {words}
              <Icon name="cross" small />
              <span className="vh">: show all</span>
            </button>
          ))}
        </p>
      )}
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
        {page?.sums && page.count > 0 && <Sums {...page.sums} />}
        {page !== null && last > 1 && (
          <p className="mute">
            Page {formatCount(page.page)} of {formatCount(last)}
          </p>
        )}
      </div>
      {page?.notSorted && <p className="only care">{page.notSorted}</p>}
      <ListTools
        kept={kept}
        list={list}
        more={more}
        search={search}
        onView={(query) => setSearch(query)}
      />
      {event.sells && <Sold event={event} list={list} search={search} />}
      {mayTick && page !== null && page.rows.length > 0 && (
        <button
          type="button"
          className="btn line sm ticking"
          aria-pressed={isTicking}
          onClick={() => {
            setTicking(!isTicking)
            setTicked(new Set())
          }}
        >
          {isTicking ? 'Cancel' : 'Select'}
        </button>
      )}
      <div
        className={['tb', fits && 'fits', isTicking && 'ticks'].filter(Boolean).join(' ')}
        ref={box}
        aria-busy={query.isFetching}
      >
        {page === null && query.isFetching && <RowsWaiting />}
        {page !== null && page.rows.length > 0 && (
          <Rows
            list={list}
            cells={cells}
            rows={page.rows}
            refundRequested={page.refundRequested}
            isStale={query.isPlaceholderData}
            ticked={mayTick ? ticked : null}
            onTick={(regNo) => {
              const next = new Set(ticked)
              if (!next.delete(regNo)) next.add(regNo)
              setTicked(next)
            }}
            sort={search.get('sort') ?? ''}
            onSort={(sort) =>
              go((params) => {
                if (sort === '-date') params.delete('sort')
                else params.set('sort', sort)
                params.delete('page')
              })
            }
          />
        )}
      </div>
      {mayTick && (
        <BulkBar
          role={role}
          ticked={(page?.rows ?? []).filter(({ reg_no: number }) => ticked.has(number))}
          onUntick={() => setTicked(new Set())}
          onDone={() => void query.refetch()}
        />
      )}
      {page !== null && page.count === 0 && (
        <div className="none">
          <p>{list.empty}</p>
          {isFiltered && (
            <button type="button" className="btn line sm" onClick={reset}>
              Clear all filters
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

/**
 * Whether the table fits its container. If so, its header stays visible while the page scrolls;
 * otherwise the table scrolls sideways.
 */
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

/** Text for a restriction other than the filters; null: not a known one. */
function saidOf(name: (typeof ASKED_BESIDE)[number], value: string): string | null {
  if (name === 'waiting') return isWorkQueueId(value) ? WORK_QUEUE[value].label : null
  const state = STATES.find((known) => known === value)
  if (state === undefined) return null
  const words = STATE_LABELS[state]
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** Totals over all pages; zero amounts are omitted. */
function Sums({ paid, pending, failed, refunded, ended, money, due }: WireSums) {
  const counted = [
    ['Paid', paid],
    ['Pending', pending],
    ['Failed', failed],
    ['Refunded', refunded],
    [ENDED_LABEL, ended],
  ] as const
  const words = [
    ...counted.flatMap(([word, count]) => (count === 0 ? [] : [`${word} ${formatCount(count)}`])),
    ...(money === 0 ? [] : [`${moneyOf(money, true)} received`]),
    ...(due === 0 ? [] : [`${moneyOf(due, true)} due`]),
  ]
  return <p className="mute sums-of">{words.join(' · ')}</p>
}

const countText = (count: number): string =>
  count === 1 ? '1 registration' : `${formatCount(count)} registrations`

/** The sentence with its number emphasised. */
function Shown({ text }: { readonly text: string }) {
  const number = /^(?:More than )?[\d,]+/.exec(text)?.[0] ?? ''
  return (
    <>
      <b>{number}</b>
      {text.slice(number.length)}
    </>
  )
}
