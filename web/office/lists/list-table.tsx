/** The table of a list's rows, and the office's formats for amounts and instants. */
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import {
  assertNever,
  dayOf,
  formatAmount,
  formatDayShort,
  formatMoney,
  formatPrice,
  formatTime,
  fromRupees,
  paise,
  readInstant,
} from '../../../engine/index.ts'
import type { AdminList, Colour, Column } from '../../../engine/index.ts'
import type { ListRow } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { isTyping, registrationAddress } from '../office-api-and-urls.ts'
import type { Cell } from './visible-columns.ts'
import { RegNumber, Stands } from '../ui/error-banner-and-heading.tsx'

type RowsProps = {
  readonly list: AdminList
  readonly cells: readonly Cell[]
  readonly rows: readonly ListRow[]
  /** Numbers of registrations whose delegates request the refund of a second payment. */
  readonly refundRequested: readonly string[]
  readonly isStale: boolean
  /** As in the URL: `name`, `-name`; empty: newest first. */
  readonly sort: string
  readonly onSort: (sort: string) => void
  /** Numbers of the selected rows; null: the user's role has no bulk actions. */
  readonly ticked: ReadonlySet<string> | null
  readonly onTick: (regNo: string) => void
}

/** A number such as EXAMPLE-17 stays on one line despite its hyphen. */
const SHORT_WORD = /^\S{1,20}$/

export function Rows({
  list,
  cells,
  rows,
  refundRequested,
  isStale,
  sort,
  onSort,
  ticked,
  onTick,
}: RowsProps) {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const from = pathname + search
  const table = useRef<HTMLTableElement>(null)
  useRowKeys(table)
  const isShown = (id: string): boolean => cells.some(({ column }) => column.id === id)
  const hasSplit = ['base', 'gst'].every(
    (id) => list.columns.some((column) => column.id === id) && !isShown(id),
  )
  return (
    <table className={isStale ? 'stale' : undefined} ref={table}>
      <caption className="vh">{list.title}</caption>
      <thead>
        <tr>
          {cells.map((cell) => (
            <Head key={cell.column.id} cell={cell} sort={sort} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr
            key={row.id}
            onClick={(clicked) => {
              if (isMeant(clicked))
                void navigate(registrationAddress(list, row.reg_no), { state: { from } })
            }}
          >
            {cells.map((cell) => (
              <td key={cell.column.id} className={classOf(cell)}>
                {ticked !== null && cell.slot === 'reg' && (
                  <label className="tick">
                    <input
                      type="checkbox"
                      aria-label={`Select ${row.reg_no}`}
                      checked={ticked.has(row.reg_no)}
                      onChange={() => onTick(row.reg_no)}
                    />
                  </label>
                )}
                <CellOf list={list} cell={cell} row={row} hasSplit={hasSplit} from={from} />
                {cell.slot === 'reg' && refundRequested.includes(row.reg_no) && (
                  <small className="bad">Refund requested</small>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/**
 * Whether a click is on the row itself: not on a control in it, nor while text is being selected.
 */
function isMeant({ target }: React.MouseEvent): boolean {
  const isOwn = target instanceof Element && target.closest('a, button, input, label') !== null
  return !isOwn && (getSelection()?.isCollapsed ?? true)
}

/** `j` and `k` move between rows; Enter opens the focused one, because its link has the focus. */
function useRowKeys(table: React.RefObject<HTMLTableElement | null>): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
      if (step === 0 || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
      const links = [...(table.current?.querySelectorAll<HTMLElement>('td.reg a') ?? [])]
      const here = links.findIndex((link) => link === document.activeElement)
      const next = links[here === -1 ? (step === 1 ? 0 : links.length - 1) : here + step]
      next?.focus()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [table])
}

type HeadProps = Pick<RowsProps, 'sort' | 'onSort'> & { readonly cell: Cell }

function Head({ cell, sort, onSort }: HeadProps) {
  const { column, under, sort: by } = cell
  const words = (
    <>
      {column.label}
      {under.map(({ id, label }) => (
        <span key={id} className="vh">
          , {label}
        </span>
      ))}
    </>
  )
  // The default order is by date, newest first.
  const is = sort === '' ? '-date' : sort
  const isUp = is === by
  const isDown = is === `-${by}`
  if (by === null)
    return (
      <th scope="col" className={classOf(cell)}>
        {words}
      </th>
    )
  return (
    <th
      scope="col"
      className={classOf(cell)}
      {...((isUp || isDown) && { 'aria-sort': isUp ? 'ascending' : 'descending' })}
    >
      <button
        type="button"
        onClick={() => onSort(isUp || (by === 'date' && !isDown) ? `-${by}` : by)}
      >
        {words}
        <Icon name="chev" small />
      </button>
    </th>
  )
}

const classOf = ({ column, slot }: Cell): string =>
  [
    slot ?? 'x',
    column.kind === 'money' || column.kind === 'number' ? 'num' : '',
    column.kind === 'option' ? 'ct' : '',
    slot === 'at' ? 'fold' : '',
  ]
    .filter(Boolean)
    .join(' ')

type CellProps = {
  readonly list: AdminList
  readonly cell: Cell
  readonly row: ListRow
  readonly hasSplit: boolean
  readonly from: string
}

function CellOf({
  list,
  cell: { column, under, slot },
  row,
  hasSplit,
  from,
}: CellProps): ReactNode {
  const text = textOf(column, row)
  // A membership is shown by its number, or by its name if no number was given.
  const said = under.map((below) => secondLine(below, row)).filter(Boolean)
  const second = said.at(-1)
  const small = second && <small>{second}</small>
  if (slot === 'reg')
    return (
      <>
        <Link to={registrationAddress(list, row.reg_no)} state={{ from }}>
          <RegNumber text={row.reg_no} />
        </Link>
        {small}
      </>
    )
  switch (column.kind) {
    case 'status': {
      return (
        <>
          <Stands of={row} inList />
          {row.in_review && row.payment_status === 'success' && (
            <Badge tone="care" icon="tri">
              Needs review
            </Badge>
          )}
          <small className="folded">{dateParts(row['created_at'])?.[0]}</small>
        </>
      )
    }
    case 'date': {
      const parts = dateParts(row[column.id])
      return (
        parts && (
          <>
            {parts[0]}
            <small>{parts[1]}</small>
          </>
        )
      )
    }
    case 'money':
      return (
        <>
          {slot === 'total' ? <b>{text}</b> : text}
          {slot === 'total' && hasSplit && row['total'] !== 0 && (
            <small>{[moneyOf(row['base']), moneyOf(row['gst'])].filter(Boolean).join(' + ')}</small>
          )}
        </>
      )
    case 'option': {
      const colour = colourOf(list, column, row)
      return (
        <>
          {colour && (
            <i
              className="sw"
              style={{ '--c': `var(--c-${colour})` } as React.CSSProperties}
              aria-hidden="true"
            />
          )}
          {text}
          {small}
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
          ) : SHORT_WORD.test(text) ? (
            <span className="nb">{text}</span>
          ) : (
            text
          )}
          {small}
        </>
      )
    default:
      return assertNever(column.kind)
  }
}

/** Second line of a cell: a text as it is, a Yes as the column's label, a No as nothing. */
function secondLine(column: Column, row: ListRow): string {
  const value = row[column.id]
  return typeof value === 'boolean' ? (value ? column.label : '') : textOf(column, row)
}

/**
 * Text of a cell; empty for a missing value. Amounts have no rupee sign except in the total column.
 */
function textOf(column: Column, row: ListRow): string {
  const value = row[column.id]
  if (value === null || value === undefined) return ''
  if (column.kind === 'money') return column.id === 'total' ? totalOf(value) : moneyOf(value)
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return String(row[`${column.id}_display`] ?? value)
}

/**
 * Formats rupees from the API, with the sign or, in a column of amounts, without. Returns other
 * values unchanged.
 */
export function moneyOf(value: unknown, sign = false): string {
  const amount = fromRupees(value)
  if (amount === null)
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return sign ? formatMoney(amount) : formatAmount(amount)
}

/** A total from the API: with the rupee sign, or "Free". */
export function totalOf(value: unknown): string {
  return fromRupees(value) === 0 ? formatPrice(paise(0)) : moneyOf(value, true)
}

/** An instant as day and time in India: "31 Jan 2026" and "9:53 am". */
export function dateParts(value: unknown): readonly [string, string] | null {
  const at = typeof value === 'string' ? readInstant(value) : null
  return at === null ? null : [formatDayShort(dayOf(at)), formatTime(at)]
}

function colourOf(list: AdminList, column: Column, row: ListRow): Colour | undefined {
  const options = list.filters.find(({ show }) => show === column.id)?.options
  return options?.find(({ id }) => id === row[column.id])?.colour
}

/** Placeholder rows in the shape of the table, so that nothing moves when the data arrive. */
export function RowsWaiting() {
  return (
    <div className="skel" aria-hidden="true">
      {Array.from({ length: 8 }, (_, index) => (
        <i key={index} />
      ))}
    </div>
  )
}

/** Formats an amount that may be negative: 590 and −590. */
export function signedMoney(amount: number): string {
  const size = fromRupees(Math.abs(amount))
  return size === null ? '' : formatMoney(paise(amount < 0 ? -size : size))
}
