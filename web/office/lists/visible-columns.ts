/** The columns of a registration list: fixed columns, their second lines, and optional columns. */
import type { AdminList, Column, SortName } from '../../../engine/index.ts'
import type { OfficeEvent } from '../../../engine/api.ts'

/** `slot` positions a cell on a phone, where a row has three lines. */
export type Slot = 'reg' | 'name' | 'status' | 'total' | 'option' | 'at'
export type Cell = {
  readonly column: Column
  readonly details: readonly Column[]
  readonly slot: Slot | null
  /** Null if the column is not sortable. */
  readonly sort: SortName | null
}
type FixedColumns = OfficeEvent['always']

/** Returns the visible columns, and those that the user can add. */
export function buildCells(
  columns: AdminList['columns'],
  fixedColumns: FixedColumns,
  chosenIds: readonly string[],
): { readonly cells: readonly Cell[]; readonly optionalColumns: readonly Column[] } {
  const fixedCells = buildFixedCells(columns, fixedColumns)
  const usedColumns = new Set(fixedCells.flatMap(({ column, details }) => [column, ...details]))
  const optionalColumns = columns.filter((column) => !usedColumns.has(column))
  const addedCells = optionalColumns
    .filter(({ id }) => chosenIds.includes(id))
    .map((column): Cell => ({ column, details: [], slot: null, sort: null }))
  return { cells: [...fixedCells, ...addedCells], optionalColumns }
}

/**
 * Builds the columns that are always shown, even if the event file does not list them: number, name, category, total,
 * status and date. Phone, email and membership are shown as second lines in the columns they belong to.
 */
function buildFixedCells(
  columns: AdminList['columns'],
  fixedColumns: FixedColumns,
): readonly Cell[] {
  const findColumn = (id: string | null, fallback: Column): Column =>
    columns.find((column) => column.id === id) ?? fallback
  const textColumns = columns.filter(({ id, kind }) => kind === 'text' && id !== 'reg_no')
  const nameColumn =
    fixedColumns.name === null
      ? textColumns[0]
      : findColumn(fixedColumns.name, createNameColumn(fixedColumns.name))
  const findByRole = (role: Column['role']): readonly Column[] =>
    textColumns.filter((column) => column.role === role && column !== nameColumn)
  const memberColumn = columns.find(
    (column) =>
      column.kind === 'yes-no' && textColumns.some((text) => isDetailColumn(text, column)),
  )
  const membershipColumns =
    memberColumn === undefined
      ? []
      : [memberColumn, ...textColumns.filter((text) => isDetailColumn(text, memberColumn))]
  const createCell = (
    slot: Slot,
    sort: SortName,
    column: Column,
    details: readonly Column[] = [],
  ): Cell => ({
    column,
    details,
    slot,
    sort,
  })
  return [
    createCell('reg', 'number', findColumn('reg_no', NUMBER_COLUMN), findByRole('phone')),
    ...(nameColumn === undefined
      ? []
      : [createCell('name', 'name', nameColumn, findByRole('email'))]),
    createCell(
      'option',
      'category',
      findColumn(fixedColumns.category, CATEGORY_COLUMN),
      membershipColumns,
    ),
    createCell('total', 'total', findColumn('total', TOTAL_COLUMN)),
    createCell('status', 'status', columns.find(({ kind }) => kind === 'status') ?? STATUS_COLUMN),
    createCell('at', 'date', findColumn('created_at', DATE_COLUMN)),
  ]
}

const NUMBER_COLUMN: Column = { id: 'reg_no', label: 'Registration number', kind: 'text' }
const createNameColumn = (id: string): Column => ({ id, label: 'Name', kind: 'text' })
const CATEGORY_COLUMN: Column = { id: 'category', label: 'Category', kind: 'option' }
const TOTAL_COLUMN: Column = { id: 'total', label: 'Total', kind: 'money' }
const STATUS_COLUMN: Column = { id: 'payment_status', label: 'Payment status', kind: 'status' }
const DATE_COLUMN: Column = { id: 'created_at', label: 'Registered', kind: 'date' }

/** Returns whether a text column adds detail to a yes-no column, as `asi_membership_number` does to `asi_member`. */
const isDetailColumn = (textColumn: Column, yesNoColumn: Column): boolean =>
  textColumn.id !== yesNoColumn.id && textColumn.id.startsWith(yesNoColumn.id)
