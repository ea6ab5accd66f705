/** A list's rows as a table, and how the office writes an amount and an instant. */
import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router-dom'
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
} from '../../engine/index.ts'
import type { AdminList, Colour, Column, ListRow } from '../../engine/index.ts'
import { Badge, Status } from '../shared/status.tsx'
import { registrationAddress } from './calls.ts'
import { RegNumber } from './parts.tsx'

/**
 * How a list's columns become a table: the number first and linked, the phone number under it, email
 * under the name, a membership under the category. `slot` places a cell on a phone, where a row is
 * three lines; a cell that folds goes under another one when the table is narrow.
 */
type Slot = 'reg' | 'name' | 'status' | 'total' | 'option' | 'at'
type Cell = {
  readonly column: Column
  readonly under: readonly Column[]
  readonly slot: Slot | null
  readonly folds: boolean
}

/** A number such as EXAMPLE-17 stays on one line, hyphen or not. */
const SHORT_WORD = /^\S{1,20}$/

export function cellsOf(columns: readonly Column[]): readonly Cell[] {
  const ordered = [
    ...columns.filter(({ id }) => id === 'reg_no'),
    ...columns.filter(({ id }) => id !== 'reg_no'),
  ]
  const texts = ordered.filter(({ id, kind }) => kind === 'text' && id !== 'reg_no')
  const slots: Readonly<Record<Slot, Column | undefined>> = {
    reg: ordered.find(({ id }) => id === 'reg_no'),
    name: texts.find(({ role }) => role === 'fullName') ?? texts[0],
    status: ordered.find(({ kind }) => kind === 'status'),
    total: ordered.find(({ id }) => id === 'total') ?? ordered.find(({ kind }) => kind === 'money'),
    option: ordered.find(({ kind }) => kind === 'option'),
    at: ordered.findLast(({ kind }) => kind === 'date'),
  }
  const membership = ordered.filter(
    (column) => column.kind === 'yes-no' && texts.some((text) => isDetailOf(text, column)),
  )
  const under = (column: Column): readonly Column[] => {
    if (column === slots.reg) return texts.filter(({ role }) => role === 'phone')
    if (column === slots.name) return texts.filter(({ role }) => role === 'email')
    const member =
      column === slots.option
        ? membership.slice(0, 1)
        : column === membership[0] && slots.option === undefined
          ? [column]
          : []
    return member.flatMap((yesNo) => [
      ...(column === yesNo ? [] : [yesNo]),
      ...texts.filter((text) => isDetailOf(text, yesNo)),
    ])
  }
  const cells = ordered.map((column) => ({
    column,
    under: under(column),
    slot: (Object.keys(slots) as Slot[]).find((slot) => slots[slot] === column) ?? null,
    folds: ['base', 'gst'].includes(column.id) || column === slots.at,
  }))
  const taken = new Set(cells.flatMap((cell) => cell.under))
  return cells.filter(({ column }) => !taken.has(column))
}

/** `asi_membership_number` says more about `asi_member`. */
const isDetailOf = (text: Column, yesNo: Column): boolean =>
  text.id !== yesNo.id && text.id.startsWith(yesNo.id)

type RowsProps = {
  readonly list: AdminList
  readonly rows: readonly ListRow[]
  readonly isStale: boolean
}

export function Rows({ list, rows, isStale }: RowsProps) {
  const cells = cellsOf(list.columns)
  const { pathname, search } = useLocation()
  const hasSplit =
    list.columns.some(({ id }) => id === 'base') && list.columns.some(({ id }) => id === 'gst')
  return (
    <table className={isStale ? 'stale' : undefined}>
      <caption className="vh">{list.title}</caption>
      <thead>
        <tr>
          {cells.map(({ column, under, slot, folds }) => (
            <th key={column.id} scope="col" className={classOf(column, slot, folds)}>
              {column.label}
              {under.map(({ id, label }) => (
                <span key={id} className="vh">
                  , {label}
                </span>
              ))}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            {cells.map((cell) => (
              <td key={cell.column.id} className={classOf(cell.column, cell.slot, cell.folds)}>
                <CellOf
                  list={list}
                  cell={cell}
                  row={row}
                  hasSplit={hasSplit}
                  from={pathname + search}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const classOf = (column: Column, slot: Cell['slot'], folds: boolean): string =>
  [
    slot ?? 'x',
    column.kind === 'money' || column.kind === 'number' ? 'num' : '',
    column.kind === 'option' ? 'ct' : '',
    folds ? 'fold' : '',
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
  // A membership is said by its number; by its name only where no number was given.
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
      const at = list.columns.findLast(({ kind }) => kind === 'date')
      return (
        <>
          <Status
            is={row.in_review && row.payment_status !== 'success' ? 'review' : row.payment_status}
            word={String(row[`${column.id}_display`] ?? '')}
          />
          {row.in_review && row.payment_status === 'success' && (
            <Badge tone="care" icon="tri">
              Review
            </Badge>
          )}
          {at && <small className="folded">{dateParts(row[at.id])?.[0]}</small>}
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
            <small className="folded">
              {[moneyOf(row['base']), moneyOf(row['gst'])].filter(Boolean).join(' + ')}
            </small>
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

/** A second line: a text as it is, a Yes as what it says yes to, a No as nothing. */
function secondLine(column: Column, row: ListRow): string {
  const value = row[column.id]
  return typeof value === 'boolean' ? (value ? column.label : '') : textOf(column, row)
}

/** What a cell says; empty for a value that is not there. Money in a cell goes without the rupee sign unless it is the total. */
function textOf(column: Column, row: ListRow): string {
  const value = row[column.id]
  if (value === null || value === undefined) return ''
  if (column.kind === 'money') return column.id === 'total' ? totalOf(value) : moneyOf(value)
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return String(row[`${column.id}_display`] ?? value)
}

/** Rupees of the wire, with the sign or, in a column of amounts, without. What is no amount stays what it is. */
export function moneyOf(value: unknown, sign = false): string {
  const amount = fromRupees(value)
  if (amount === null)
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return sign ? formatMoney(amount) : formatAmount(amount)
}

/** A total of the wire: with the sign, or "Free". */
export function totalOf(value: unknown): string {
  return fromRupees(value) === 0 ? formatPrice(paise(0)) : moneyOf(value, true)
}

/** An instant as Indian day and time: "31 Jan 2026" and "9:53 am". */
export function dateParts(value: unknown): readonly [string, string] | null {
  const at = typeof value === 'string' ? readInstant(value) : null
  return at === null ? null : [formatDayShort(dayOf(at)), formatTime(at)]
}

function colourOf(list: AdminList, column: Column, row: ListRow): Colour | undefined {
  const options = list.filters.find(({ show }) => show === column.id)?.options
  return options?.find(({ id }) => id === row[column.id])?.colour
}

/** Ruled lines in the shape of the table, so that nothing moves when the rows arrive. */
export function RowsWaiting() {
  return (
    <div className="skel" aria-hidden="true">
      {Array.from({ length: 8 }, (_, index) => (
        <i key={index} />
      ))}
    </div>
  )
}
