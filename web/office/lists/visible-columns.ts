/**
 * The columns of a registration list.
 * Number, name, category, total, status and date are always shown, whatever the event file states.
 * Phone, email and membership are second lines of the columns they belong to. Other columns are
 * optional.
 */
import type { AdminList, Column, SortName } from '../../../engine/index.ts'
import type { OfficeEvent } from '../../../engine/api.ts'

/** `slot` positions a cell on a phone, where a row has three lines. */
export type Slot = 'reg' | 'name' | 'status' | 'total' | 'option' | 'at'
export type Cell = {
  readonly column: Column
  readonly under: readonly Column[]
  readonly slot: Slot | null
  /** Sort key of the column; null: not sortable. */
  readonly sort: SortName | null
}
type Always = OfficeEvent['always']

/** The visible columns, and those that can be added. */
export function cellsOf(
  columns: AdminList['columns'],
  always: Always,
  chosen: readonly string[],
): { readonly cells: readonly Cell[]; readonly more: readonly Column[] } {
  const fixed = fixedOf(columns, always)
  const taken = new Set(fixed.flatMap(({ column, under }) => [column, ...under]))
  const more = columns.filter((column) => !taken.has(column))
  const added = more
    .filter(({ id }) => chosen.includes(id))
    .map((column): Cell => ({ column, under: [], slot: null, sort: null }))
  return { cells: [...fixed, ...added], more }
}

function fixedOf(columns: AdminList['columns'], always: Always): readonly Cell[] {
  const known = (id: string | null, otherwise: Column): Column =>
    columns.find((column) => column.id === id) ?? otherwise
  const texts = columns.filter(({ id, kind }) => kind === 'text' && id !== 'reg_no')
  const name = always.name === null ? texts[0] : known(always.name, NAME(always.name))
  const ofRole = (role: Column['role']): readonly Column[] =>
    texts.filter((column) => column.role === role && column !== name)
  const member = columns.find(
    (column) => column.kind === 'yes-no' && texts.some((text) => isDetailOf(text, column)),
  )
  const membership =
    member === undefined ? [] : [member, ...texts.filter((text) => isDetailOf(text, member))]
  const cell = (
    slot: Slot,
    sort: SortName,
    column: Column,
    under: readonly Column[] = [],
  ): Cell => ({
    column,
    under,
    slot,
    sort,
  })
  return [
    cell('reg', 'number', known('reg_no', NUMBER), ofRole('phone')),
    ...(name === undefined ? [] : [cell('name', 'name', name, ofRole('email'))]),
    cell('option', 'category', known(always.category, CATEGORY), membership),
    cell('total', 'total', known('total', TOTAL)),
    cell('status', 'status', columns.find(({ kind }) => kind === 'status') ?? STATUS),
    cell('at', 'date', known('created_at', DATE)),
  ]
}

const NUMBER: Column = { id: 'reg_no', label: 'Registration number', kind: 'text' }
const NAME = (id: string): Column => ({ id, label: 'Name', kind: 'text' })
const CATEGORY: Column = { id: 'category', label: 'Category', kind: 'option' }
const TOTAL: Column = { id: 'total', label: 'Total', kind: 'money' }
const STATUS: Column = { id: 'payment_status', label: 'Payment status', kind: 'status' }
const DATE: Column = { id: 'created_at', label: 'Registered', kind: 'date' }

/** Whether a text column belongs to a yes-no column, as `asi_membership_number` to `asi_member`. */
const isDetailOf = (text: Column, yesNo: Column): boolean =>
  text.id !== yesNo.id && text.id.startsWith(yesNo.id)
