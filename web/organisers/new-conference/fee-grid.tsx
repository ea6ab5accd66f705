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
  readonly onChange: (fees: FeeTable, removedColumn?: number) => void
  /** Moves a row of a pasted table to the question that it belongs to, without its note. */
  readonly onMoveRow: (
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

export function FeeGrid({ fees, problems, onChange, onMoveRow }: FeeGridProps) {
  const { columns, rows, notes } = fees
  const setColumn = (changedIndex: number, part: Partial<FeeTable['columns'][number]>) =>
    onChange({
      ...fees,
      columns: columns.map((column, index) =>
        index === changedIndex ? { ...column, ...part } : column,
      ),
    })
  const addRow = () =>
    onChange({ ...fees, rows: [...rows, { label: '', cells: columns.map(() => '') }] })
  const addColumn = () =>
    onChange({
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
  const removeColumn = (index: number) =>
    onChange(
      {
        ...fees,
        columns: removeAt(columns, index),
        rows: rows.map((row) => ({ ...row, cells: removeAt(row.cells, index) })),
      },
      index,
    )
  const getColumnName = (column: number): string => columns[column]?.label || `period ${column + 1}`
  const { currency, currencyAsked: suggestedCurrency, ...feesWithoutCurrency } = fees
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
      suggestedCurrency === undefined ||
      message !== askAboutCurrency(suggestedCurrency),
  )
  return (
    <>
      {currency !== undefined && (
        <p>
          The prices are in {currency}.{' '}
          <button type="button" className="link" onClick={() => onChange(feesWithoutCurrency)}>
            They are in rupees
          </button>
        </p>
      )}
      {suggestedCurrency !== undefined && (
        <ul className="org-notes" aria-label="Currency of the table">
          <li>
            <p>{askAboutCurrency(suggestedCurrency)}</p>
            <button
              type="button"
              className="btn line sm"
              onClick={() => onChange({ ...feesWithoutCurrency, currency: suggestedCurrency })}
            >
              In {suggestedCurrency}
            </button>
            <button
              type="button"
              className="btn line sm"
              onClick={() => onChange(feesWithoutCurrency)}
            >
              In rupees
            </button>
          </li>
        </ul>
      )}
      <PriceGrid
        label="Fees"
        rowHeading="Category"
        rows={rows}
        problems={tableProblems}
        onChange={(changedRows) => onChange({ ...fees, rows: changedRows })}
        getRowName={({ label }, index) => label || `category ${index + 1}`}
        onRemoveRow={(index) => onChange({ ...fees, rows: removeAt(rows, index) })}
        onFixColumns={(fixedColumns) => onChange({ ...fees, columns: fixedColumns })}
        onConfirm={({ message, column, isClosedPeriod }) =>
          isClosedPeriod === true && typeof column === 'number'
            ? onChange(closePeriod(fees, column), column)
            : onChange(addConfirmedMessage(fees, message))
        }
        columns={columns.map(({ label, from, to }, column) => ({
          name: getColumnName(column),
          renderHeading: (getInputProps) => (
            <>
              <input
                aria-label={`Name of period ${column + 1}`}
                value={label}
                placeholder={labels[column] ?? ''}
                {...getInputProps('label')}
                onChange={({ target }) => setColumn(column, { label: target.value })}
              />
              <DayField
                label="from (optional)"
                aria-label={`First day of ${getColumnName(column)}`}
                value={from}
                {...getInputProps('from')}
                onChange={(day) => setColumn(column, { from: day })}
              />
              <DayField
                label={
                  column === columns.length - 1 && to === ''
                    ? 'until the conference ends, or'
                    : 'until'
                }
                aria-label={`Last day of ${getColumnName(column)}`}
                value={to}
                {...getInputProps(undefined)}
                onChange={(day) => setColumn(column, { to: day })}
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
              onChoose: () =>
                meaning === 'category'
                  ? onChange({ ...otherFees, rows: [...rows, row] })
                  : onMoveRow(row, meaning, otherFees),
            })),
            onLeaveOut: () => onChange(otherFees),
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
          <p>The form does not check these conditions. The event file includes them as comments:</p>
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
        Enter an amount, “free”, or “–” if a category is not on sale in a period. Leave the table
        empty if you do not know the fees yet.
      </p>
      <ProblemCount count={problems.length} />
    </>
  )
}
