/** The grid of fees: a row for each category, a column for each price period. */
import {
  askAboutCurrency,
  closePeriod,
  explainNote,
  listClosedDays,
  listColumnLabels,
  listRowRemarks,
  readNote,
} from '../../../engine/authoring.ts'
import type { FeeProblem, FeeTable, NoteMeaning } from '../../../engine/authoring.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { addConfirmedMessage, removeAt } from './answers.ts'
import { DayField } from './day-field.tsx'
import { PriceGrid } from './price-grid.tsx'
import { ProblemCount, TableNotes } from './table-notes.tsx'

type FeeGridProps = {
  readonly fees: FeeTable
  readonly problems: readonly FeeProblem[]
  /** `removedColumn` is the index of the removed column, if the change removes a period. */
  readonly change: (fees: FeeTable, removedColumn?: number) => void
  /** Moves a row of a pasted table to the question that it belongs to, without its note. */
  readonly move: (
    row: FeeTable['rows'][number],
    to: Exclude<NoteMeaning, 'category'>,
    fees: FeeTable,
  ) => void
}

const DEFAULT_LABELS = ['Early Bird', 'Regular', 'Late']
const MOVE_LABELS: Readonly<Record<NoteMeaning, string>> = {
  category: 'Add as a category',
  workshop: 'Move to the workshops',
  companion: 'Move to the accompanying persons',
}

export function FeeGrid({ fees, problems, change, move }: FeeGridProps) {
  const { columns, rows, notes } = fees
  const setColumn = (changedIndex: number, part: Partial<FeeTable['columns'][number]>) =>
    change({
      ...fees,
      columns: columns.map((column, index) =>
        index === changedIndex ? { ...column, ...part } : column,
      ),
    })
  const addRow = () =>
    change({ ...fees, rows: [...rows, { label: '', cells: columns.map(() => '') }] })
  const addColumn = () =>
    change({
      ...fees,
      columns: [
        ...columns,
        {
          label: DEFAULT_LABELS[columns.length] ?? `Period ${columns.length + 1}`,
          from: '',
          to: '',
        },
      ],
      rows: rows.map((row) => ({ ...row, cells: [...row.cells, ''] })),
    })
  const removeColumn = (at: number) =>
    change(
      {
        ...fees,
        columns: removeAt(columns, at),
        rows: rows.map((row) => ({ ...row, cells: removeAt(row.cells, at) })),
      },
      at,
    )
  const getColumnName = (column: number): string => columns[column]?.label || `period ${column + 1}`
  const { currency, currencyAsked, ...others } = fees
  const remarks = listRowRemarks(rows, currency)
  const closedDays = listClosedDays(fees)
  // The file gives a name to each unnamed period; messages use these names.
  const labels = listColumnLabels(fees)
  // The question about the currency is shown above the table, with its answers.
  const tableProblems = problems.filter(
    ({ row, column, note, message }) =>
      row !== undefined ||
      column !== undefined ||
      note !== undefined ||
      currencyAsked === undefined ||
      message !== askAboutCurrency(currencyAsked),
  )
  return (
    <>
      {currency !== undefined && (
        <p>
          The prices are in {currency}.{' '}
          <button type="button" className="link" onClick={() => change(others)}>
            They are in rupees
          </button>
        </p>
      )}
      {currencyAsked !== undefined && (
        <ul className="org-notes" aria-label="Currency of the table">
          <li>
            <p>{askAboutCurrency(currencyAsked)}</p>
            <button
              type="button"
              className="btn line sm"
              onClick={() => change({ ...others, currency: currencyAsked })}
            >
              In {currencyAsked}
            </button>
            <button type="button" className="btn line sm" onClick={() => change(others)}>
              In rupees
            </button>
          </li>
        </ul>
      )}
      <PriceGrid
        label="Fees"
        rowName="Category"
        rows={rows}
        problems={tableProblems}
        change={(changedRows) => change({ ...fees, rows: changedRows })}
        getRowName={({ label }, at) => label || `category ${at + 1}`}
        removeRow={(at) => change({ ...fees, rows: removeAt(rows, at) })}
        fixColumns={(fixedColumns) => change({ ...fees, columns: fixedColumns })}
        confirm={({ message, column, isClosedPeriod }) =>
          isClosedPeriod === true && typeof column === 'number'
            ? change(closePeriod(fees, column), column)
            : change(addConfirmedMessage(fees, message))
        }
        columns={columns.map(({ label, from, to }, column) => ({
          name: getColumnName(column),
          head: (markPart) => (
            <>
              <input
                aria-label={`Name of period ${column + 1}`}
                value={label}
                placeholder={labels[column] ?? ''}
                {...markPart('label')}
                onChange={({ target }) => setColumn(column, { label: target.value })}
              />
              <DayField
                label="from (optional)"
                aria-label={`First day of ${getColumnName(column)}`}
                value={from}
                {...markPart('from')}
                change={(day) => setColumn(column, { from: day })}
              />
              <DayField
                label={
                  column === columns.length - 1 && to === ''
                    ? 'until the conference ends, or'
                    : 'until'
                }
                aria-label={`Last day of ${getColumnName(column)}`}
                value={to}
                {...markPart(undefined)}
                change={(day) => setColumn(column, { to: day })}
              />
              {columns.length > 1 && (
                <button type="button" className="link" onClick={() => removeColumn(column)}>
                  Remove <span className="vh">{getColumnName(column)}</span>
                </button>
              )}
            </>
          ),
        }))}
      >
        <div className="org-fees-add">
          <button type="button" className="btn line sm" onClick={addRow}>
            <Icon name="plus" />
            Add a category
          </button>
          <button type="button" className="btn line sm" onClick={addColumn}>
            <Icon name="plus" />
            Add a price period
          </button>
        </div>
      </PriceGrid>
      <TableNotes
        notes={notes.map((note, index) => {
          const { message, meanings } = explainNote(note)
          const otherFees = { ...fees, notes: removeAt(notes, index) }
          const row = readNote(note, columns.length)
          return {
            text: note,
            message,
            choices: meanings.map((meaning) => ({
              label: MOVE_LABELS[meaning],
              choose: () =>
                meaning === 'category'
                  ? change({ ...otherFees, rows: [...rows, row] })
                  : move(row, meaning, otherFees),
            })),
            leaveOut: () => change(otherFees),
          }
        })}
      />
      <div role="status">
        {closedDays.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
      {remarks.length > 0 && (
        <div role="status">
          <p>The form does not check these conditions. The event file states them in comments:</p>
          <ul>
            {remarks.map((remark) => (
              <li key={remark}>{remark}</li>
            ))}
          </ul>
        </div>
      )}
      <p className="mute">
        Leave “from” empty if a period begins on the day after the previous one ends. In the first
        period, leave it empty if registration opens immediately.
      </p>
      <p className="mute">
        Write amounts, free, or – if a category is not on sale in a period. Leave the table empty if
        you do not know the fees yet.
      </p>
      <ProblemCount count={problems.length} />
    </>
  )
}
