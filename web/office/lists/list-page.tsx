/** The page of one list: filters, rows, pagination and export. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import {
  fillPlaceholders,
  formatCount,
  isAtLeast,
  isWorkQueueId,
  listColumns,
  STATE_LABELS,
  REGISTRATION_STATES,
  WORK_QUEUE,
} from '../../../engine/index.ts'
import type { AdminList, Role } from '../../../engine/index.ts'
import type { OfficeEvent } from '../../../engine/api.ts'
import type { ApiError } from '../../app/api-client.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { createListReader } from '../office-api-responses.ts'
import type { ListPageData } from '../office-api-responses.ts'
import { BulkBar } from './bulk-actions.tsx'
import { EXTRA_FILTERS, LIST_PARAM, callApi, buildListUrl } from '../office-api-and-urls.ts'
import { buildCells } from './visible-columns.ts'
import { Filters } from './list-filters.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { useIsPhone } from '../ui/use-media-query.ts'
import { useExport } from '../jobs/use-export.tsx'
import { ColumnPicker, useListSettings } from './views/saved-views-and-columns.tsx'
import { ListViews } from './views/list-views.tsx'
import { PrintableList } from './printable-list.tsx'
import { TotalsSentence, formatRegistrationCount, formatTotals } from './list-totals.tsx'
import { Pagination } from './pagination.tsx'
import { BusyButton } from '../ui/busy-button.tsx'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { ListTable, PlaceholderRows } from './list-table.tsx'
import { ScrollBox } from './scroll-box.tsx'
import { OtherLists } from './other-lists.tsx'
import { useSelection } from './selection.ts'
import './list-page.css'

type ListPageProps = {
  readonly role: Role
  readonly event: OfficeEvent
  readonly list: AdminList
}

/** Shows one list. The URL contains the list's state, so that users can bookmark it, share it and return to it. */
export function ListPage(props: ListPageProps) {
  const [searchParams] = useSearchParams()
  return searchParams.get('print') === 'list' ? (
    <PrintableList {...props} searchParams={searchParams} />
  ) : (
    <InteractiveList {...props} />
  )
}

function InteractiveList({ event, list, role }: ListPageProps) {
  const [searchParams, setSearchParams] = useSearchParams()
  /** The dismissed error. Any later error is shown. */
  const [dismissedError, setDismissedError] = useState<ApiError | null>(null)
  const url = buildListUrl(list.api, list, searchParams, true)
  const query = useQuery({
    queryKey: ['list', url],
    queryFn: ({ signal }) => callApi(url, createListReader(list), { signal }),
    placeholderData: keepPreviousData,
  })
  const page = query.data ?? null
  const lastPage =
    page === null ? 1 : Math.max(1, Math.ceil(page.count / Math.max(1, page.pageSize)))

  const error = useSignInOn401(query.error)
  const loadErrorText =
    error === null || error === dismissedError
      ? null
      : error.code === 'unexpected'
        ? list.errors.shape
        : fillPlaceholders(list.errors.load, { message: error.message }, '')
  const exportState = useExport()
  const exportAs = (format: 'csv' | 'xlsx'): void => {
    const csvUrl = buildListUrl(list.export.api, list, searchParams, false)
    const xlsxUrl = `${csvUrl}${csvUrl.includes('?') ? '&' : '?'}as=xlsx`
    exportState.start({
      path: format === 'csv' ? csvUrl : xlsxUrl,
      name: list.export.file.replace(/csv$/, format),
    })
  }
  const exportError = exportState.error
  const exportErrorText =
    exportError === null
      ? null
      : fillPlaceholders(list.errors.export, { message: exportError.message }, '')
  const errorText = exportErrorText ?? loadErrorText
  const dismissErrors = () => {
    exportState.dismissError()
    setDismissedError(error)
  }

  const canSelect = isAtLeast(role, 'desk')
  const selection = useSelection(list, searchParams)
  /** On a phone, a row has room for its checkbox only in selection mode. */
  const [isSelecting, setSelecting] = useState(false)
  const isPhone = useIsPhone()
  const listSettings = useListSettings(event, list)
  const { cells, optionalColumns } = buildCells(
    listColumns(list),
    event.always,
    listSettings.current.columns,
  )
  const extraFilters = EXTRA_FILTERS.flatMap((name) => {
    const label = findExtraFilterLabel(name, searchParams.get(name) ?? '')
    return label === null ? [] : [{ name, label }]
  })

  const updateParams = (applyChange: (params: URLSearchParams) => void, replace = false) => {
    const params = new URLSearchParams(searchParams)
    applyChange(params)
    setSearchParams(params, { replace })
  }
  const openPage = (number: number) =>
    updateParams((params) =>
      number === 1 ? params.delete('page') : params.set('page', String(number)),
    )
  const [status, focusOnNewPage] = useFocusOnNewPage(page?.page, query.isPlaceholderData)
  useEffect(() => {
    // The page number is past the end (old URL or new filters): open the last page.
    if (page !== null && !query.isPlaceholderData && page.page > lastPage) openPage(lastPage)
  })
  const clearFilters = () =>
    updateParams((params) =>
      [...params.keys()]
        .filter((name) => name !== 'page_size' && name !== LIST_PARAM)
        .forEach((name) => params.delete(name)),
    )
  const hasFilters =
    extraFilters.length > 0 || list.filters.some(({ sentAs }) => searchParams.get(sentAs))

  const totals = page?.sums && page.count > 0 && (
    <TotalsSentence {...page.sums} currency={page.currency} />
  )
  const actions = (
    <>
      {event.lists.length > 1 && <OtherLists event={event} list={list} />}
      <div className="actions">
        <BusyButton
          className="btn line sm"
          onClick={() => void query.refetch()}
          isBusy={query.isFetching}
        >
          <Icon name="again" small />
          Refresh
        </BusyButton>
        <BusyButton
          className="btn line sm"
          onClick={() => exportAs('xlsx')}
          isBusy={exportState.isPending}
        >
          Export to Excel
        </BusyButton>
        <BusyButton
          className="btn line sm"
          onClick={() => exportAs('csv')}
          isBusy={exportState.isPending}
        >
          <Icon name="down" small />
          {exportState.isPending ? 'Exporting…' : 'Export CSV'}
        </BusyButton>
        <Link className="btn line sm" to={buildPrintUrl(searchParams)}>
          <Icon name="print" small />
          Print list
        </Link>
      </div>
    </>
  )
  return (
    <main className="main" id="main">
      <PageHeading title={list.title}>{!isPhone && actions}</PageHeading>
      {errorText !== null && <Banner text={errorText} onDismiss={dismissErrors} />}
      {exportState.progress}
      {listSettings.error && (
        <Banner text={listSettings.error.message} onDismiss={listSettings.dismissError} />
      )}
      <ListViews
        event={event}
        list={list}
        listSettings={listSettings}
        searchParams={searchParams}
        fixedParams={['page_size', LIST_PARAM]}
      />
      <Filters
        key={list.route}
        list={list}
        searchParams={searchParams}
        extraFilters={extraFilters}
        onChange={updateParams}
        onReset={clearFilters}
        {...(isPhone && {
          moreOnPhone: (
            <>
              {totals}
              {actions}
            </>
          ),
        })}
      />
      <div className="list-summary-row">
        <div className="list-summary" role="status" tabIndex={-1} ref={status}>
          <p>
            {page === null ? (
              query.isFetching ? (
                'Loading registrations…'
              ) : (
                ''
              )
            ) : (
              <CountText text={page.summary ?? formatRegistrationCount(page.count)} />
            )}
          </p>
          {!isPhone && totals}
          {page !== null && lastPage > 1 && <p className="mute">{describeRange(page)}</p>}
        </div>
        {canSelect && page !== null && page.rows.length > 0 && (
          <button
            type="button"
            className="btn line sm select-rows-button"
            aria-pressed={isSelecting}
            onClick={() => {
              setSelecting(!isSelecting)
              selection.clear()
            }}
          >
            {isSelecting ? 'Cancel' : 'Select'}
          </button>
        )}
      </div>
      {page?.sortProblem && <p className="sort-notice care">{page.sortProblem}</p>}
      {optionalColumns.length > 0 && (
        <div className="tools">
          <ColumnPicker listSettings={listSettings} optionalColumns={optionalColumns} />
        </div>
      )}
      <ScrollBox isSelecting={isSelecting} isBusy={query.isFetching} page={page?.page}>
        {page === null && query.isFetching && <PlaceholderRows />}
        {page !== null && page.rows.length > 0 && (
          <ListTable
            event={event}
            list={list}
            cells={cells}
            rows={page.rows}
            currency={page.currency}
            refundRequestRegNos={page.refundRequestRegNos}
            isStale={query.isPlaceholderData}
            totals={
              page.sums === null || page.count < 2
                ? null
                : {
                    label: `All ${formatCount(page.count)}`,
                    ...formatTotals(page.sums, page.currency),
                  }
            }
            selection={canSelect ? selection : null}
            sort={searchParams.get('sort') ?? ''}
            onSort={(sort) =>
              updateParams((params) => {
                if (sort === '-date') params.delete('sort')
                else params.set('sort', sort)
                params.delete('page')
              })
            }
          />
        )}
      </ScrollBox>
      {canSelect && (
        <BulkBar
          role={role}
          selection={selection}
          count={page?.count ?? 0}
          onDone={() => void query.refetch()}
        />
      )}
      {page !== null && page.count === 0 && (
        <div className="none">
          <p>{list.empty}</p>
          {!hasFilters && <span className="mute">New registrations appear here immediately.</span>}
          {hasFilters && (
            <button type="button" className="btn line sm" onClick={clearFilters}>
              Clear all filters
            </button>
          )}
        </div>
      )}
      {page !== null && page.count > 0 && (
        <Pagination
          list={list}
          page={page}
          lastPage={lastPage}
          onPageChange={(number) => {
            focusOnNewPage()
            openPage(number)
          }}
          onPageSizeChange={(size) =>
            updateParams((params) => {
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
 * Returns a ref for the line above the table, and a function that moves the focus and the view to that line as soon as
 * the next page is shown. Changing a filter does not move the focus.
 */
function useFocusOnNewPage(
  page: number | undefined,
  isLoading: boolean,
): readonly [React.RefObject<HTMLDivElement | null>, () => void] {
  const statusLine = useRef<HTMLDivElement>(null)
  const isFocusPending = useRef(false)
  useEffect(() => {
    if (isLoading || !isFocusPending.current) return
    isFocusPending.current = false
    statusLine.current?.scrollIntoView({ block: 'start' })
    statusLine.current?.focus({ preventScroll: true })
  }, [page, isLoading])
  return [statusLine, () => void (isFocusPending.current = true)]
}

/** Returns the label of a filter that is not in the event file. Returns null if its value is unknown. */
function findExtraFilterLabel(name: (typeof EXTRA_FILTERS)[number], value: string): string | null {
  if (name === 'waiting') return isWorkQueueId(value) ? WORK_QUEUE[value].label : null
  const state = REGISTRATION_STATES.find((candidate) => candidate === value)
  if (state === undefined) return null
  const label = STATE_LABELS[state]
  return `${label.charAt(0).toUpperCase()}${label.slice(1)}`
}

/** Builds the URL of an attendance list with the same registrations. */
function buildPrintUrl(searchParams: URLSearchParams): string {
  const params = new URLSearchParams(searchParams)
  params.delete('page')
  params.set('print', 'list')
  return `?${params}`
}

/** Describes the visible rows: "41 to 60 of 547". */
function describeRange({ page, pageSize, rows, count }: ListPageData): string {
  const firstRow = (page - 1) * pageSize + 1
  const lastRow = firstRow + rows.length - 1
  return `${formatCount(firstRow)} to ${formatCount(lastRow)} of ${formatCount(count)}`
}

/** Emphasises the number at the start of the text. */
function CountText({ text }: { readonly text: string }) {
  const number = /^(?:More than )?[\d,]+/.exec(text)?.[0] ?? ''
  return (
    <>
      <b>{number}</b>
      {text.slice(number.length)}
    </>
  )
}
