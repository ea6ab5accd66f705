/** A grid of prices: a row for each category or workshop, a column for each price period. */
import { useId, useRef } from 'react'
import type { ReactNode } from 'react'
import type { FeeProblem, FeeTable } from '../../../engine/authoring.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'

type Row = FeeTable['rows'][number]
/** Attributes for an input whose value has a problem; the problem is shown below the row. */
type InvalidAttributes = { readonly 'aria-invalid'?: true; readonly 'aria-describedby'?: string }

type PriceGridProps<R extends Row> = {
  readonly label: string
  /** The heading of the rows, such as "Category". */
  readonly rowHeading: string
  /** A column of prices: its name, and its heading. */
  readonly columns: readonly {
    readonly name: string
    readonly renderHeading: (
      getInputProps: (part: FeeProblem['part']) => InvalidAttributes,
    ) => ReactNode
  }[]
  readonly rows: readonly R[]
  readonly problems: readonly FeeProblem[]
  readonly onChange: (rows: readonly R[]) => void
  readonly getRowName: (row: R, rowIndex: number) => string
  /** The content below, or instead of, the field for the row's label. */
  readonly renderRowHeading?: (
    row: R,
    rowIndex: number,
    invalid: InvalidAttributes,
  ) => { readonly hasLabel: boolean; readonly extraContent: ReactNode }
  /** A last column, which contains something other than prices. */
  readonly lastColumn?: {
    readonly heading: string
    readonly renderCell: (row: R, rowIndex: number, invalid: InvalidAttributes) => ReactNode
  }
  readonly onRemoveRow: (rowIndex: number) => void
  readonly onFixColumns?: (columns: FeeTable['columns']) => void
  /** Called with a problem when the organiser confirms that the value is correct. */
  readonly onConfirm: (problem: FeeProblem) => void
  /** The content between the table and the problems that concern the whole table. */
  readonly children: ReactNode
}

/** Shows the grid, with problems below their row or heading. */
export function PriceGrid<R extends Row>(props: PriceGridProps<R>) {
  const {
    label,
    rowHeading,
    columns,
    rows,
    problems,
    onChange,
    getRowName,
    renderRowHeading,
    lastColumn,
  } = props
  const { onRemoveRow, onFixColumns, onConfirm, children } = props
  const id = useId()
  const table = useRef<HTMLDivElement>(null)
  const updateRow = (rowIndex: number, changes: Partial<Row>) =>
    onChange(rows.map((row, index) => (index === rowIndex ? { ...row, ...changes } : row)))
  const listProblemsAt = (row: number | undefined, column: FeeProblem['column']) =>
    problems
      .map((problem, index) => ({ problem, index }))
      .filter(
        ({ problem }) =>
          problem.note === undefined && problem.row === row && problem.column === column,
      )
  const getInvalidAttributes = (
    row: number | undefined,
    column: FeeProblem['column'],
    part?: FeeProblem['part'],
  ): InvalidAttributes => {
    const first = listProblemsAt(row, column).find(({ problem }) => problem.part === part)
    return first === undefined
      ? {}
      : { 'aria-invalid': true, 'aria-describedby': `${id}-${first.index}` }
  }
  const renderProblems = (entries: ReturnType<typeof listProblemsAt>) =>
    entries.map(({ problem, index }) => (
      <div key={index} className="org-grid-problem">
        <p className="org-error" id={`${id}-${index}`}>
          <Icon name="bang" />
          {problem.message}
        </p>
        {(problem.fixes !== undefined || problem.confirmLabel !== undefined) && (
          <div className="org-fees-add">
            {problem.fixes?.map((fix) => (
              <button
                key={fix.message}
                type="button"
                className="btn line sm"
                aria-describedby={`${id}-${index}`}
                onClick={() => {
                  // The button disappears, and the field with the problem may disappear with it.
                  table.current?.focus()
                  onFixColumns?.(fix.columns)
                }}
              >
                {fix.message}
              </button>
            ))}
            {problem.confirmLabel !== undefined && (
              <button
                type="button"
                className="btn line sm"
                aria-describedby={`${id}-${index}`}
                onClick={() => {
                  // The field of a closed period disappears with the button.
                  const field =
                    problem.isClosedPeriod === true
                      ? null
                      : table.current?.querySelector<HTMLElement>(
                          `input[aria-describedby="${id}-${index}"]`,
                        )
                  ;(field ?? table.current)?.focus()
                  onConfirm(problem)
                }}
              >
                {problem.confirmLabel}
              </button>
            )}
          </div>
        )}
      </div>
    ))
  const headingProblems = columns.flatMap((_, column) => listProblemsAt(undefined, column))
  const width = columns.length + (lastColumn === undefined ? 2 : 3)
  return (
    <>
      <div className="org-fees" role="region" aria-label={label} tabIndex={0} ref={table}>
        <table>
          <thead>
            <tr>
              <th scope="col">{rowHeading}</th>
              {columns.map(({ renderHeading }, column) => (
                <th key={column} scope="col">
                  {renderHeading((part) => getInvalidAttributes(undefined, column, part))}
                </th>
              ))}
              {lastColumn !== undefined && <th scope="col">{lastColumn.heading}</th>}
              <th scope="col">
                <span className="vh">Remove</span>
              </th>
            </tr>
            {headingProblems.length > 0 && (
              <tr>
                <td colSpan={width}>{renderProblems(headingProblems)}</td>
              </tr>
            )}
          </thead>
          <tbody>
            {rows.map((row, rowIndex) => {
              const rowProblems = [
                ...listProblemsAt(rowIndex, undefined),
                ...columns.flatMap((_, column) => listProblemsAt(rowIndex, column)),
                ...listProblemsAt(rowIndex, 'number'),
              ]
              const name = getRowName(row, rowIndex)
              const { hasLabel, extraContent } = renderRowHeading?.(
                row,
                rowIndex,
                getInvalidAttributes(rowIndex, undefined),
              ) ?? {
                hasLabel: true,
                extraContent: null,
              }
              return [
                <tr key={rowIndex}>
                  <th scope="row">
                    {hasLabel && (
                      <input
                        aria-label={`${rowHeading} ${rowIndex + 1}`}
                        value={row.label}
                        {...getInvalidAttributes(rowIndex, undefined)}
                        onChange={({ target }) => updateRow(rowIndex, { label: target.value })}
                      />
                    )}
                    {extraContent}
                  </th>
                  {columns.map((column, index) => (
                    <td key={index} data-head={column.name}>
                      <input
                        aria-label={`${name}, ${column.name}`}
                        inputMode="text"
                        value={row.cells[index] ?? ''}
                        {...getInvalidAttributes(rowIndex, index)}
                        onChange={({ target }) =>
                          updateRow(rowIndex, {
                            cells: columns.map((_column, cellIndex) =>
                              cellIndex === index ? target.value : (row.cells[cellIndex] ?? ''),
                            ),
                          })
                        }
                      />
                    </td>
                  ))}
                  {lastColumn !== undefined && (
                    <td data-head={lastColumn.heading}>
                      {lastColumn.renderCell(
                        row,
                        rowIndex,
                        getInvalidAttributes(rowIndex, 'number'),
                      )}
                    </td>
                  )}
                  <td>
                    <button type="button" className="link" onClick={() => onRemoveRow(rowIndex)}>
                      Remove <span className="vh">{name}</span>
                    </button>
                  </td>
                </tr>,
                rowProblems.length > 0 && (
                  <tr key={`${rowIndex} problems`}>
                    <td colSpan={width}>{renderProblems(rowProblems)}</td>
                  </tr>
                ),
              ]
            })}
          </tbody>
        </table>
      </div>
      {children}
      {renderProblems(listProblemsAt(undefined, undefined))}
    </>
  )
}
