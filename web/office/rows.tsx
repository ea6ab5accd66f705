import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { formatMoney, paise } from '../../engine/index.ts'
import type { AdminList, Colour, Column, ListRow } from '../../engine/index.ts'
import { Badge, Status } from '../shared/status.tsx'
import { registrationAddress } from './calls.ts'
import { RegNumber } from './parts.tsx'

/**
 * How a list's columns become a table: the number first and linked, e-mail under the name, a
 * membership number under its Yes. `slot` places a column on a phone, where a row is three lines.
 */
type Cell = { readonly column: Column; readonly under: Column | null; readonly slot: 'reg' | 'name' | 'status' | 'total' | 'option' | 'at' | null; readonly folds: boolean }

const EMAIL = /^e?mail|email$/i

export function cellsOf(columns: readonly Column[]): readonly Cell[] {
  const numbered = [...columns.filter(({ id }) => id === 'reg_no'), ...columns.filter(({ id }) => id !== 'reg_no')]
  const taken = new Set<Column>()
  const name = numbered.find(({ id }) => id === 'full_name') ?? numbered.find(({ id, kind }) => kind === 'text' && id !== 'reg_no')
  const total = numbered.find(({ id }) => id === 'total') ?? numbered.find(({ kind }) => kind === 'money')
  const option = numbered.find(({ kind }) => kind === 'option')
  const at = numbered.findLast(({ kind }) => kind === 'date')
  const under = (column: Column): Column | null => {
    const mail = column === name ? numbered.find(({ id, kind }) => kind === 'text' && EMAIL.test(id)) : undefined
    const detail = column.kind === 'yes-no' ? numbered.find(({ id, kind }) => kind === 'text' && id.startsWith(column.id)) : undefined
    const found = mail ?? detail ?? null
    if (found !== null) taken.add(found)
    return found
  }
  const slotOf = (column: Column): Cell['slot'] => {
    if (column.id === 'reg_no') return 'reg'
    if (column.kind === 'status') return 'status'
    return column === name ? 'name' : column === total ? 'total' : column === option ? 'option' : column === at ? 'at' : null
  }
  const cells = numbered.map((column) => ({ column, under: under(column), slot: slotOf(column), folds: ['base', 'gst'].includes(column.id) || column === at }))
  return cells.filter(({ column }) => !taken.has(column))
}

type RowsProps = { readonly list: AdminList; readonly rows: readonly ListRow[]; readonly isStale: boolean }

export function Rows({ list, rows, isStale }: RowsProps) {
  const cells = cellsOf(list.columns)
  const hasSplit = list.columns.some(({ id }) => id === 'base') && list.columns.some(({ id }) => id === 'gst')
  return (
    <table className={isStale ? 'stale' : undefined}>
      <caption className="vh">{list.title}</caption>
      <thead>
        <tr>{cells.map(({ column, under, slot, folds }) => <th key={column.id} scope="col" className={classOf(column, slot, folds)}>{column.label}{under && <span className="vh">, {under.label}</span>}</th>)}</tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            {cells.map((cell) => <td key={cell.column.id} className={classOf(cell.column, cell.slot, cell.folds)}><CellOf list={list} cell={cell} row={row} hasSplit={hasSplit} /></td>)}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const classOf = (column: Column, slot: Cell['slot'], folds: boolean): string =>
  [slot ?? 'x', column.kind === 'money' || column.kind === 'number' ? 'num' : '', column.kind === 'option' ? 'ct' : '', folds ? 'fold' : ''].filter(Boolean).join(' ')

function CellOf({ list, cell: { column, under, slot }, row, hasSplit }: { readonly list: AdminList; readonly cell: Cell; readonly row: ListRow; readonly hasSplit: boolean }): ReactNode {
  const text = textOf(column, row)
  if (slot === 'reg') {
    const at = list.columns.findLast(({ kind }) => kind === 'date')
    return <><Link to={registrationAddress(list, row.reg_no)}><RegNumber text={row.reg_no} /></Link>{at && <small className="folded">{dateParts(row[at.id])?.join(', ')}</small>}</>
  }
  const second = under === null ? '' : textOf(under, row)
  switch (column.kind) {
    case 'status':
      return <><Status is={row.in_review && row.payment_status !== 'success' ? 'review' : row.payment_status} word={String(row[`${column.id}_display`] ?? '')} />{row.in_review && row.payment_status === 'success' && <Badge tone="care" icon="tri">Review</Badge>}</>
    case 'date': {
      const parts = dateParts(row[column.id])
      return parts && <>{parts[0]}<small>{parts[1]}</small></>
    }
    case 'money':
      return <>{slot === 'total' ? <b>{text}</b> : text}{slot === 'total' && hasSplit && <small className="folded">{[moneyOf(row['base']), moneyOf(row['gst'])].filter(Boolean).join(' + ')}</small>}</>
    case 'option': {
      const colour = colourOf(list, column, row)
      return <>{colour && <i className="sw" style={{ '--c': `var(--c-${colour})` } as React.CSSProperties} aria-hidden="true" />}{text}</>
    }
    default:
      return <>{slot === 'name' ? <b>{text}</b> : text}{second && <small>{second}</small>}</>
  }
}

/** What a cell says; empty for a value that is not there. Money in a cell goes without the rupee sign unless it is the total. */
function textOf(column: Column, row: ListRow): string {
  const value = row[column.id]
  if (value === null || value === undefined) return ''
  if (column.kind === 'money') return column.id === 'total' ? moneyOf(value, true) : moneyOf(value)
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return String(row[`${column.id}_display`] ?? value)
}

export function moneyOf(value: unknown, sign = false): string {
  if (typeof value !== 'number') return typeof value === 'string' ? value : ''
  const text = formatMoney(paise(Math.round(value * 100)))
  return sign ? text : text.replace(/^₹\s*/, '')
}

const DATE = new Intl.DateTimeFormat('en-IN', { timeZone: 'Asia/Kolkata', day: 'numeric', month: 'short', year: 'numeric' })
const TIME = new Intl.DateTimeFormat('en-IN', { timeZone: 'Asia/Kolkata', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** An instant as Indian day and time. */
export function dateParts(value: unknown): readonly [string, string] | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : [DATE.format(at), TIME.format(at)]
}

function colourOf(list: AdminList, column: Column, row: ListRow): Colour | undefined {
  const options = list.filters.find(({ show }) => show === column.id)?.options
  return options?.find(({ id }) => id === row[column.id])?.colour
}

/** Ruled lines in the shape of the table, so that nothing moves when the rows arrive. */
export function RowsWaiting() {
  return <div className="skel" aria-hidden="true">{Array.from({ length: 8 }, (_, index) => <i key={index} />)}</div>
}
