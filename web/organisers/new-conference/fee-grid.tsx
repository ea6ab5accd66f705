/** The grid of fees: a row for each category, a column for each price period. */
import { useId } from 'react'
import { isDay } from '../../../engine/index.ts'
import {
  askAboutCurrency,
  explainNote,
  listRowRemarks,
  readNote,
} from '../../../engine/authoring.ts'
import type { FeeProblem, FeeTable } from '../../../engine/authoring.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'

type FeeGridProps = {
  readonly fees: FeeTable
  readonly problems: readonly FeeProblem[]
  readonly change: (fees: FeeTable) => void
}

const LABELS = ['Early Bird', 'Regular', 'Late']

/** Problems are shown beside their cell, and summarised below the grid. */
export function FeeGrid({ fees, problems, change }: FeeGridProps) {
  const id = useId()
  const { columns, rows, notes } = fees
  const setColumn = (at: number, part: Partial<FeeTable['columns'][number]>) =>
    change({
      ...fees,
      columns: columns.map((column, index) => (index === at ? { ...column, ...part } : column)),
    })
  const setRow = (at: number, part: Partial<FeeTable['rows'][number]>) =>
    change({ ...fees, rows: rows.map((row, index) => (index === at ? { ...row, ...part } : row)) })
  const addRow = () =>
    change({ ...fees, rows: [...rows, { label: '', cells: columns.map(() => '') }] })
  const addColumn = () =>
    change({
      ...fees,
      columns: [
        ...columns,
        { label: LABELS[columns.length] ?? `Period ${columns.length + 1}`, from: '', to: '' },
      ],
      rows: rows.map((row) => ({ ...row, cells: [...row.cells, ''] })),
    })
  const without = <Entry,>(entries: readonly Entry[], at: number): readonly Entry[] =>
    entries.filter((_, index) => index !== at)
  const removeColumn = (at: number) =>
    change({
      ...fees,
      columns: without(columns, at),
      rows: rows.map((row) => ({ ...row, cells: without(row.cells, at) })),
    })
  const listFor = (row: number | undefined, column: number | undefined) =>
    problems
      .map((problem, index) => ({ problem, index }))
      .filter(
        ({ problem }) =>
          problem.note === undefined && problem.row === row && problem.column === column,
      )
  /** The attributes of an input whose value has a problem. */
  const markInvalid = (row: number | undefined, column: number | undefined) => {
    const [first] = listFor(row, column)
    return first === undefined
      ? {}
      : { 'aria-invalid': true, 'aria-describedby': `${id}-${first.index}` }
  }
  const listProblems = (entries: ReturnType<typeof listFor>) =>
    entries.map(({ problem, index }) => (
      <p key={index} className="org-error" id={`${id}-${index}`}>
        <Icon name="bang" />
        {problem.message}
      </p>
    ))
  const nameOf = (column: number): string => columns[column]?.label || `period ${column + 1}`
  const headProblems = columns.flatMap((_, column) => listFor(undefined, column))
  const { currency, currencyAsked, ...others } = fees
  const remarks = listRowRemarks(rows, currency)
  // The question about the currency stands above the table, with its answers.
  const tableProblems = listFor(undefined, undefined).filter(
    ({ problem }) =>
      currencyAsked === undefined || problem.message !== askAboutCurrency(currencyAsked),
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
      <div className="org-fees" role="region" aria-label="Fees" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Category</th>
              {columns.map(({ label, from, to }, column) => (
                <th key={column} scope="col">
                  <input
                    aria-label={`Name of period ${column + 1}`}
                    value={label}
                    onChange={({ target }) => setColumn(column, { label: target.value })}
                  />
                  {from !== '' && (
                    <label>
                      from
                      <input
                        type="date"
                        aria-label={`First day of ${nameOf(column)}`}
                        value={isDay(from) ? from : ''}
                        onChange={({ target }) => setColumn(column, { from: target.value })}
                      />
                    </label>
                  )}
                  <label>
                    {column === columns.length - 1 && to === ''
                      ? 'until the conference ends, or'
                      : 'until'}
                    <input
                      type="date"
                      aria-label={`Last day of ${nameOf(column)}`}
                      value={isDay(to) ? to : ''}
                      {...markInvalid(undefined, column)}
                      onChange={({ target }) => setColumn(column, { to: target.value })}
                    />
                  </label>
                  {columns.length > 1 && (
                    <button type="button" className="link" onClick={() => removeColumn(column)}>
                      Remove <span className="vh">{nameOf(column)}</span>
                    </button>
                  )}
                </th>
              ))}
              <th scope="col">
                <span className="vh">Remove</span>
              </th>
            </tr>
            {headProblems.length > 0 && (
              <tr>
                <td colSpan={columns.length + 2}>{listProblems(headProblems)}</td>
              </tr>
            )}
          </thead>
          <tbody>
            {rows.map(({ label, cells }, row) => {
              const rowProblems = [
                ...listFor(row, undefined),
                ...columns.flatMap((_, column) => listFor(row, column)),
              ]
              const name = label || `category ${row + 1}`
              return [
                <tr key={row}>
                  <th scope="row">
                    <input
                      aria-label={`Category ${row + 1}`}
                      value={label}
                      {...markInvalid(row, undefined)}
                      onChange={({ target }) => setRow(row, { label: target.value })}
                    />
                  </th>
                  {columns.map((_, column) => (
                    <td key={column}>
                      <input
                        aria-label={`${name}, ${nameOf(column)}`}
                        inputMode="text"
                        value={cells[column] ?? ''}
                        {...markInvalid(row, column)}
                        onChange={({ target }) =>
                          setRow(row, {
                            cells: columns.map((_column, index) =>
                              index === column ? target.value : (cells[index] ?? ''),
                            ),
                          })
                        }
                      />
                    </td>
                  ))}
                  <td>
                    <button
                      type="button"
                      className="link"
                      onClick={() => change({ ...fees, rows: without(rows, row) })}
                    >
                      Remove <span className="vh">{name}</span>
                    </button>
                  </td>
                </tr>,
                rowProblems.length > 0 && (
                  <tr key={`${row} problems`}>
                    <td colSpan={columns.length + 2}>{listProblems(rowProblems)}</td>
                  </tr>
                ),
              ]
            })}
          </tbody>
        </table>
      </div>
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
      {listProblems(tableProblems)}
      {notes.length > 0 && (
        <ul className="org-notes" aria-label="Texts of the table that are not prices">
          {notes.map((note, index) => (
            <li key={`${index} ${note}`}>
              <p>{explainNote(note).message}</p>
              {explainNote(note).isMaybeCategory && (
                <button
                  type="button"
                  className="btn line sm"
                  onClick={() =>
                    change({
                      ...fees,
                      rows: [...rows, readNote(note, columns.length)],
                      notes: without(notes, index),
                    })
                  }
                >
                  Add as a category<span className="vh">: {note}</span>
                </button>
              )}
              <button
                type="button"
                className="btn line sm"
                onClick={() => change({ ...fees, notes: without(notes, index) })}
              >
                Leave out<span className="vh">: {note}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {remarks.length > 0 && (
        <div role="status">
          <p>The event file does not do this yet. A comment in it message so:</p>
          <ul>
            {remarks.map((remark) => (
              <li key={remark}>{remark}</li>
            ))}
          </ul>
        </div>
      )}
      <p className="mute">
        Write amounts, free, or – if a category is not on sale then. Leave the table empty if you do
        not know the fees yet.
      </p>
      <p role="alert" className={problems.length > 0 ? 'org-error' : 'vh'}>
        {problems.length > 0 &&
          `${problems.length} ${problems.length === 1 ? 'question' : 'questions'} about the table`}
      </p>
    </>
  )
}
