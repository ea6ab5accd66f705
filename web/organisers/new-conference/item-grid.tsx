/** The grid of workshops or accompanying persons: their prices by the periods of the registration fees. */
import {
  askAboutSeats,
  continuesWorkshop,
  findWorkshopName,
  listItemColumns,
  readLastPricesAsSeats,
} from '../../../engine/authoring.ts'
import type { FeeProblem, ItemRow, ItemTable, NewEventAnswers } from '../../../engine/authoring.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { addConfirmedMessage, EMPTY_ITEM, removeAt } from './answers.ts'
import { PriceGrid } from './price-grid.tsx'
import { ProblemCount, TableNotes } from './table-notes.tsx'

type ItemGridProps = {
  readonly kind: 'workshops' | 'companions'
  readonly table: ItemTable
  readonly earlierAnswers: NewEventAnswers
  readonly problems: readonly FeeProblem[]
  readonly onChange: (table: ItemTable) => void
}

const PERSON = 'Accompanying person'

export function ItemGrid({ kind, table, earlierAnswers, problems, onChange }: ItemGridProps) {
  const { rows, notes, isByPeriod } = table
  const isWorkshop = kind === 'workshops'
  const columns = listItemColumns(table, earlierAnswers)
  const periods = listItemColumns({ isByPeriod: true }, earlierAnswers)
  const categories = earlierAnswers.categories?.map(({ label }) => label) ?? []
  const setRows = (changedRows: readonly ItemRow[]) => onChange({ ...table, rows: changedRows })
  const updateRow = (rowIndex: number, part: Partial<ItemRow>) =>
    setRows(rows.map((row, index) => (index === rowIndex ? { ...row, ...part } : row)))
  const getRowName = ({ category }: ItemRow, rowIndex: number): string => {
    const name = isWorkshop
      ? findWorkshopName(rows, rowIndex) || `workshop ${rowIndex + 1}`
      : PERSON
    return category === '' ? name : `${name} for ${category}`
  }
  /**
   * Returns the index of the row after the rows of the workshop, and the first category without a price in these rows.
   */
  const findNextPrice = (rowIndex: number) => {
    const end = rows.findIndex((_, index) => index > rowIndex && !continuesWorkshop(rows, index))
    const next = end < 0 ? rows.length : end
    const usedCategories = rows.slice(rowIndex, next).map(({ category }) => category)
    return { next, category: categories.find((candidate) => !usedCategories.includes(candidate)) }
  }
  const addCategory = (rowIndex: number) => {
    const { next, category = '' } = findNextPrice(rowIndex)
    setRows([...rows.slice(0, next), { ...EMPTY_ITEM, category }, ...rows.slice(next)])
  }
  /** Removes a row. The next row of the workshop takes over its name and its seats. */
  const removeRow = (rowIndex: number) => {
    const removedRow = rows[rowIndex]
    setRows(
      removeAt(
        removedRow !== undefined &&
          !continuesWorkshop(rows, rowIndex) &&
          continuesWorkshop(rows, rowIndex + 1)
          ? rows.map((row, index) =>
              index === rowIndex + 1
                ? { ...row, label: removedRow.label, number: row.number || removedRow.number }
                : row,
            )
          : rows,
        rowIndex,
      ),
    )
  }
  const setByPeriod = (isOn: boolean) =>
    onChange({
      ...table,
      isByPeriod: isOn,
      // Fills the new columns with the price that applied to all periods. Prices of hidden columns are kept.
      rows: rows.map((row) => ({
        ...row,
        cells: isOn
          ? periods.map((_, column) => row.cells[column] ?? row.cells[0] ?? '')
          : row.cells,
      })),
    })
  const { seatsAsked, ...decidedTable } = table
  const seatsQuestion = seatsAsked === true ? askAboutSeats(table, earlierAnswers) : null
  return (
    <>
      {seatsQuestion !== null && (
        <ul className="org-notes" aria-label="Seats or prices">
          <li>
            <p>{seatsQuestion}</p>
            <button
              type="button"
              className="btn line sm"
              onClick={() => onChange(readLastPricesAsSeats(table))}
            >
              They are seats
            </button>
            <button type="button" className="btn line sm" onClick={() => onChange(decidedTable)}>
              They are prices
            </button>
          </li>
        </ul>
      )}
      <PriceGrid
        label={isWorkshop ? 'Workshops' : 'Accompanying persons'}
        rowHeading={isWorkshop ? 'Workshop' : 'Person'}
        rows={rows}
        problems={problems.filter(({ message }) => message !== seatsQuestion)}
        onChange={setRows}
        getRowName={getRowName}
        onRemoveRow={removeRow}
        onConfirm={({ message }) => onChange(addConfirmedMessage(table, message))}
        columns={columns.map((name) => ({ name, renderHeading: () => name }))}
        renderRowHeading={(row, rowIndex, invalid) => ({
          hasLabel: isWorkshop && !continuesWorkshop(rows, rowIndex),
          extraContent: isWorkshop ? (
            <>
              {row.category !== '' && (
                <select
                  aria-label={`Category for row ${rowIndex + 1}`}
                  value={row.category}
                  {...invalid}
                  onChange={({ target }) => updateRow(rowIndex, { category: target.value })}
                >
                  {[...new Set([...categories, row.category])].map((category) => (
                    <option key={category} value={category}>
                      for {category}
                    </option>
                  ))}
                  {!continuesWorkshop(rows, rowIndex) && <option value="">for all others</option>}
                </select>
              )}
              {columns.length > 0 &&
                categories.length > 1 &&
                !continuesWorkshop(rows, rowIndex) &&
                findNextPrice(rowIndex).category !== undefined && (
                  <button type="button" className="link" onClick={() => addCategory(rowIndex)}>
                    Price for a category
                    <span className="vh">: {getRowName(row, rowIndex)}</span>
                  </button>
                )}
            </>
          ) : (
            row.label || PERSON
          ),
        })}
        lastColumn={{
          heading: isWorkshop ? 'Seats' : 'Free below the age of',
          renderCell: (row, rowIndex, invalid) =>
            (isWorkshop ? !continuesWorkshop(rows, rowIndex) : rowIndex === 0) && (
              <input
                aria-label={`${getRowName(row, rowIndex)}, ${isWorkshop ? 'seats' : 'free below the age of'}`}
                inputMode="numeric"
                value={row.number}
                {...invalid}
                onChange={({ target }) => updateRow(rowIndex, { number: target.value })}
              />
            ),
        }}
      >
        <div className="org-fees-add">
          {(isWorkshop || rows.length === 0) && (
            <button
              type="button"
              className="btn line sm"
              onClick={() => setRows([...rows, EMPTY_ITEM])}
            >
              <Icon name="plus" />
              {isWorkshop ? 'Add a workshop' : 'Add a price'}
            </button>
          )}
          {periods.length > 1 && (
            <button type="button" className="btn line sm" onClick={() => setByPeriod(!isByPeriod)}>
              {isByPeriod ? 'One price for all periods' : 'A price for each period'}
            </button>
          )}
        </div>
      </PriceGrid>
      <TableNotes
        notes={notes.map((note, index) => ({
          text: note,
          message: note,
          choices: [],
          onLeaveOut: () => onChange({ ...table, notes: removeAt(notes, index) }),
        }))}
      />
      <p className="mute">
        {columns.length > 0 &&
          `Enter an amount, “free”, or “–” if ${isWorkshop ? 'a workshop is' : 'they are'} not on sale. `}
        {isWorkshop && 'Leave the seats empty if they are not limited. '}
        Leave the table empty if there are no {isWorkshop ? 'workshops' : 'accompanying persons'}.
      </p>
      <ProblemCount count={problems.length} />
    </>
  )
}
