/** The table of a list, and the office's format for times. */
import { useRef } from 'react'
import type { ReactNode } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import {
  CURRENCY_COLUMN,
  assertNever,
  dayOf,
  formatDayShort,
  formatTime,
  readInstant,
} from '../../../engine/index.ts'
import type { AdminList, Colour, Column, Currency } from '../../../engine/index.ts'
import type { ListRow, OfficeEvent } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { buildRegistrationUrl } from '../office-api-and-urls.ts'
import { useShortcutKeys } from '../ui/shortcut-keys.ts'
import { EntryTime } from '../ui/list-entry-time.tsx'
import { TotalsRow } from './list-totals.tsx'
import type { Totals } from './list-totals.tsx'
import type { Cell } from './visible-columns.ts'
import { readDue, RegNumber, RegistrationStatus } from '../ui/error-banner-and-heading.tsx'
import { formatResponseAmount, formatResponsePrice } from '../ui/format-amount.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import type { Selection } from './selection.ts'
import './list-table.css'

type ListTableProps = {
  readonly event: Pick<OfficeEvent, 'id'>
  readonly list: AdminList
  readonly cells: readonly Cell[]
  readonly rows: readonly ListRow[]
  /** The currency of rows that do not state one. */
  readonly currency: Currency
  /** Registration numbers of delegates who requested a refund of a second payment. */
  readonly refundRequestRegNos: readonly string[]
  readonly isStale: boolean
  /** The sort order in the URL, such as `name` or `-name`. Empty for newest first. */
  readonly sort: string
  readonly onSort: (sort: string) => void
  /** The sums across all pages. Null if there are none. */
  readonly totals: Totals | null
  /** The selected rows. Null if the user's role has no bulk actions. */
  readonly selection: Selection | null
}

/** A number such as EXAMPLE-17 stays on one line despite its hyphen. */
const UNBROKEN_WORD = /^\S{1,20}$/

export function ListTable({
  event: { id: eventId },
  list,
  cells,
  rows,
  currency,
  refundRequestRegNos,
  isStale,
  sort,
  onSort,
  totals,
  selection,
}: ListTableProps) {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const listUrl = pathname + search
  const table = useRef<HTMLTableElement>(null)
  useRowShortcuts(table)
  const isVisible = (id: string): boolean => cells.some(({ column }) => column.id === id)
  const showsTaxSplit = ['base', 'gst'].every(
    (id) => list.columns.some((column) => column.id === id) && !isVisible(id),
  )
  return (
    <table className={isStale ? 'stale' : undefined} ref={table}>
      <caption className="vh">{list.title}</caption>
      <thead>
        <tr>
          {cells.map((cell) => (
            <HeaderCell key={cell.column.id} cell={cell} sort={sort} onSort={onSort}>
              {selection !== null && cell.slot === 'reg' && (
                <label className="tick">
                  <input
                    type="checkbox"
                    aria-label="Select all on this page"
                    checked={rows.every(({ reg_no: regNo }) => selection.rows.has(regNo))}
                    onChange={() => selection.togglePage(rows)}
                  />
                </label>
              )}
            </HeaderCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr
            key={row.id}
            onClick={(event) => {
              if (isRowClick(event))
                void navigate(buildRegistrationUrl({ id: eventId }, row.reg_no), {
                  state: { from: listUrl },
                })
            }}
          >
            {cells.map((cell) => (
              <td key={cell.column.id} className={getCellClass(cell)}>
                {selection !== null && cell.slot === 'reg' && (
                  <label className="tick">
                    <input
                      type="checkbox"
                      aria-label={`Select ${getRowName(cells, row)}`}
                      checked={selection.rows.has(row.reg_no)}
                      onChange={() => selection.toggle(row)}
                    />
                  </label>
                )}
                <BodyCell
                  eventId={eventId}
                  list={list}
                  cell={cell}
                  row={row}
                  currency={readRowCurrency(row, currency)}
                  showsTaxSplit={showsTaxSplit}
                  listUrl={listUrl}
                />
                {cell.slot === 'reg' && refundRequestRegNos.includes(row.reg_no) && (
                  <small className="bad">Refund requested</small>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      {totals !== null && <TotalsRow cells={cells} {...totals} />}
    </table>
  )
}

/** Returns a row's currency. Rows state it only if the event has several currencies. */
function readRowCurrency(row: ListRow, listCurrency: Currency): Currency {
  const currency = row[CURRENCY_COLUMN.id]
  return currency === undefined ? listCurrency : readResponseCurrency({ currency })
}

/** Returns whether a click opens the row. A click on a control in the row, or one that selects text, does not. */
function isRowClick({ target }: React.MouseEvent): boolean {
  const isOnControl =
    target instanceof Element && target.closest('a, button, input, label') !== null
  return !isOnControl && (getSelection()?.isCollapsed ?? true)
}

/** Handles shortcuts: `j` and `k` move the focus between the rows' links, Enter opens a row, `x` selects it. */
function useRowShortcuts(table: React.RefObject<HTMLTableElement | null>): void {
  useShortcutKeys((key) => {
    const links = [...(table.current?.querySelectorAll<HTMLElement>('td.reg a') ?? [])]
    const focusedIndex = links.findIndex(
      (link) => link.closest('tr')?.contains(document.activeElement) === true,
    )
    if (key === 'x') {
      const row = links[focusedIndex]?.closest('tr')
      row?.querySelector<HTMLInputElement>('.tick input')?.click()
      return row !== undefined
    }
    const step = key === 'j' ? 1 : key === 'k' ? -1 : 0
    if (step === 0) return false
    const nextLink =
      links[focusedIndex === -1 ? (step === 1 ? 0 : links.length - 1) : focusedIndex + step]
    nextLink?.focus()
    return true
  })
}

/**
 * Returns the delegate's name, or the number if the row has no name. A screen reader says a name faster than a number.
 */
function getRowName(cells: readonly Cell[], row: ListRow): string {
  const column = cells.find(({ slot }) => slot === 'name')?.column
  const name = column === undefined ? undefined : row[column.id]
  return typeof name === 'string' && name !== '' ? name : row.reg_no
}

type HeaderCellProps = Pick<ListTableProps, 'sort' | 'onSort'> & {
  readonly cell: Cell
  /** Content before the label. */
  readonly children: ReactNode
}

function HeaderCell({ cell, sort, onSort, children }: HeaderCellProps) {
  const { column, details, sort: sortKey } = cell
  const otherLabels = details.map(({ id, label }) => (
    <span key={id} className="vh">
      , {label}
    </span>
  ))
  // The default order is by date, newest first.
  const currentSort = sort === '' ? '-date' : sort
  const isAscending = currentSort === sortKey
  const isDescending = currentSort === `-${sortKey}`
  if (sortKey === null)
    return (
      <th scope="col" className={getCellClass(cell)}>
        {children}
        {column.label}
        {otherLabels}
      </th>
    )
  return (
    <th
      scope="col"
      className={getCellClass(cell)}
      // Screen readers announce this with each cell of the column, instead of the header's full text (“Sort by …”).
      abbr={column.label}
      {...((isAscending || isDescending) && {
        'aria-sort': isAscending ? 'ascending' : 'descending',
      })}
    >
      {children}
      <button
        type="button"
        onClick={() =>
          onSort(isAscending || (sortKey === 'date' && !isDescending) ? `-${sortKey}` : sortKey)
        }
      >
        <span className="vh">Sort by </span>
        {column.label}
        <Icon name="chev" small />
      </button>
      {otherLabels}
    </th>
  )
}

const getCellClass = ({ column, slot }: Cell): string =>
  [
    slot ?? 'x',
    column.kind === 'money' || column.kind === 'number' ? 'num' : '',
    column.kind === 'option' ? 'ct' : '',
    slot === 'at' ? 'fold' : '',
  ]
    .filter(Boolean)
    .join(' ')

type BodyCellProps = {
  readonly eventId: string
  readonly list: AdminList
  readonly cell: Cell
  readonly row: ListRow
  readonly currency: Currency
  readonly showsTaxSplit: boolean
  readonly listUrl: string
}

function BodyCell({
  eventId,
  list,
  cell: { column, details, slot },
  row,
  currency,
  showsTaxSplit,
  listUrl,
}: BodyCellProps): ReactNode {
  const text = formatCell(column, row, currency)
  // Shows the membership number, or the name of the membership if there is no number.
  const detailLines = details.map((detail) => formatDetail(detail, row, currency)).filter(Boolean)
  const lastDetail = detailLines.at(-1)
  const smallText = lastDetail && <small title={lastDetail}>{lastDetail}</small>
  if (slot === 'reg')
    return (
      <>
        <Link to={buildRegistrationUrl({ id: eventId }, row.reg_no)} state={{ from: listUrl }}>
          <RegNumber text={row.reg_no} />
        </Link>
        {smallText}
      </>
    )
  switch (column.kind) {
    case 'status': {
      return (
        <>
          <RegistrationStatus registration={row} isInList due={readDue(row)} currency={currency} />
          {row.in_review && row.payment_status === 'success' && (
            <Badge tone="care" icon="tri">
              Needs review
            </Badge>
          )}
          <small className="second-line-date">{formatDateParts(row['created_at'])?.[0]}</small>
        </>
      )
    }
    case 'date': {
      const timestamp = row[column.id]
      return typeof timestamp === 'string' && timestamp !== '' ? <EntryTime at={timestamp} /> : null
    }
    case 'money':
      return (
        <>
          {slot === 'total' ? <b>{text}</b> : text}
          {slot === 'total' && showsTaxSplit && row['total'] !== 0 && (
            <small>
              {[row['base'], row['gst']]
                .map((part) => formatResponseAmount(part, currency))
                .filter(Boolean)
                .join(' + ')}
            </small>
          )}
        </>
      )
    case 'option': {
      const colour = findColour(list, column, row)
      return (
        <>
          {colour && (
            <i
              className="sw"
              style={{ '--c': `var(--c-${colour})` } as React.CSSProperties}
              aria-hidden="true"
            />
          )}
          <span className="lines" title={text}>
            {text}
          </span>
          {smallText}
        </>
      )
    }
    case 'text':
    case 'number':
    case 'file':
    case 'yes-no':
      return (
        <>
          {slot === 'name' ? (
            <b>{text}</b>
          ) : UNBROKEN_WORD.test(text) ? (
            <span className="nb">{text}</span>
          ) : (
            text
          )}
          {smallText}
        </>
      )
    default:
      return assertNever(column.kind)
  }
}

/** Formats the second line of a cell: text unchanged, Yes as the column's label, No as empty. */
function formatDetail(column: Column, row: ListRow, currency: Currency): string {
  const value = row[column.id]
  return typeof value === 'boolean'
    ? value
      ? column.label
      : ''
    : formatCell(column, row, currency)
}

/** Formats a cell; empty for a missing value. Only the total column shows a currency symbol. */
function formatCell(column: Column, row: ListRow, currency: Currency): string {
  const value = row[column.id]
  if (value === null || value === undefined) return ''
  if (column.kind === 'money')
    return column.id === 'total'
      ? formatResponsePrice(value, currency)
      : formatResponseAmount(value, currency)
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return String(row[`${column.id}_display`] ?? value)
}

/** Formats an instant as a date and a time in India: "31 Jan 2026" and "9:53 am". Returns null for other values. */
export function formatDateParts(value: unknown): readonly [string, string] | null {
  const instant = typeof value === 'string' ? readInstant(value) : null
  return instant === null ? null : [formatDayShort(dayOf(instant)), formatTime(instant)]
}

function findColour(list: AdminList, column: Column, row: ListRow): Colour | undefined {
  const options = list.filters.find(({ show }) => show === column.id)?.options
  return options?.find(({ id }) => id === row[column.id])?.colour
}

/** Shows placeholder rows in the shape of the table, so that nothing moves when the data arrives. */
export function PlaceholderRows() {
  return (
    <div className="placeholder-rows" aria-hidden="true">
      {Array.from({ length: 8 }, (_, index) => (
        <i key={index} />
      ))}
    </div>
  )
}
