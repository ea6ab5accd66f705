/** A grid of prices: a row for each category or workshop, a column for each price period. */
import { useId, useRef } from 'react'
import type { ReactNode } from 'react'
import type { FeeProblem, FeeTable } from '../../../engine/authoring.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'

type Row = FeeTable['rows'][number]
/** Attributes of an input: its value has a problem, which is shown below its row. */
type InvalidAttributes = { readonly 'aria-invalid'?: true; readonly 'aria-describedby'?: string }

type PriceGridProps<R extends Row> = {
  readonly label: string
  /** The heading of the rows, such as "Category". */
  readonly rowName: string
  /** A column of prices: its name, and its heading. */
  readonly columns: readonly {
    readonly name: string
    readonly head: (getInputProps: (part: FeeProblem['part']) => InvalidAttributes) => ReactNode
  }[]
  readonly rows: readonly R[]
  readonly problems: readonly FeeProblem[]
  readonly onChange: (rows: readonly R[]) => void
  readonly getRowName: (row: R, at: number) => string
  /** The content below, or instead of, the field for the row's label. */
  readonly renderRowHead?: (
    row: R,
    at: number,
    invalid: InvalidAttributes,
  ) => { readonly hasLabel: boolean; readonly more: ReactNode }
  /** A column without prices. */
  readonly lastColumn?: {
    readonly head: string
    readonly cell: (row: R, at: number, invalid: InvalidAttributes) => ReactNode
  }
  readonly removeRow: (at: number) => void
  readonly fixColumns?: (columns: FeeTable['columns']) => void
  /** Called with a problem that the organiser confirms as correct. */
  readonly confirm: (problem: FeeProblem) => void
  /** Between the table and the problems of the whole table. */
  readonly children: ReactNode
}

/** Shows the grid, with problems below their row or heading. */
export function PriceGrid<R extends Row>(props: PriceGridProps<R>) {
  const {
    label,
    rowName,
    columns,
    rows,
    problems,
    onChange,
    getRowName,
    renderRowHead,
    lastColumn,
  } = props
  const { removeRow, fixColumns, confirm, children } = props
  const id = useId()
  const table = useRef<HTMLDivElement>(null)
  const setRow = (at: number, part: Partial<Row>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...part } : row)))
  const listProblemsAt = (row: number | undefined, column: FeeProblem['column']) =>
    problems
      .map((problem, index) => ({ problem, index }))
      .filter(
        ({ problem }) =>
          problem.note === undefined && problem.row === row && problem.column === column,
      )
  const markInvalid = (
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
                  // The button disappears, and the field of the problem may disappear with it.
                  table.current?.focus()
                  fixColumns?.(fix.columns)
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
                  // The field of a closed period disappears with it.
                  const field =
                    problem.isClosedPeriod === true
                      ? null
                      : table.current?.querySelector<HTMLElement>(
                          `input[aria-describedby="${id}-${index}"]`,
                        )
                  ;(field ?? table.current)?.focus()
                  confirm(problem)
                }}
              >
                {problem.confirmLabel}
              </button>
            )}
          </div>
        )}
      </div>
    ))
  const headProblems = columns.flatMap((_, column) => listProblemsAt(undefined, column))
  const width = columns.length + (lastColumn === undefined ? 2 : 3)
  return (
    <>
      <div className="org-fees" role="region" aria-label={label} tabIndex={0} ref={table}>
        <table>
          <thead>
            <tr>
              <th scope="col">{rowName}</th>
              {columns.map(({ head }, column) => (
                <th key={column} scope="col">
                  {head((part) => markInvalid(undefined, column, part))}
                </th>
              ))}
              {lastColumn !== undefined && <th scope="col">{lastColumn.head}</th>}
              <th scope="col">
                <span className="vh">Remove</span>
              </th>
            </tr>
            {headProblems.length > 0 && (
              <tr>
                <td colSpan={width}>{renderProblems(headProblems)}</td>
              </tr>
            )}
          </thead>
          <tbody>
            {rows.map((row, at) => {
              const rowProblems = [
                ...listProblemsAt(at, undefined),
                ...columns.flatMap((_, column) => listProblemsAt(at, column)),
                ...listProblemsAt(at, 'number'),
              ]
              const name = getRowName(row, at)
              const { hasLabel, more } = renderRowHead?.(row, at, markInvalid(at, undefined)) ?? {
                hasLabel: true,
                more: null,
              }
              return [
                <tr key={at}>
                  <th scope="row">
                    {hasLabel && (
                      <input
                        aria-label={`${rowName} ${at + 1}`}
                        value={row.label}
                        {...markInvalid(at, undefined)}
                        onChange={({ target }) => setRow(at, { label: target.value })}
                      />
                    )}
                    {more}
                  </th>
                  {columns.map((column, index) => (
                    <td key={index}>
                      <input
                        aria-label={`${name}, ${column.name}`}
                        inputMode="text"
                        value={row.cells[index] ?? ''}
                        {...markInvalid(at, index)}
                        onChange={({ target }) =>
                          setRow(at, {
                            cells: columns.map((_column, other) =>
                              other === index ? target.value : (row.cells[other] ?? ''),
                            ),
                          })
                        }
                      />
                    </td>
                  ))}
                  {lastColumn !== undefined && (
                    <td>{lastColumn.cell(row, at, markInvalid(at, 'number'))}</td>
                  )}
                  <td>
                    <button type="button" className="link" onClick={() => removeRow(at)}>
                      Remove <span className="vh">{name}</span>
                    </button>
                  </td>
                </tr>,
                rowProblems.length > 0 && (
                  <tr key={`${at} problems`}>
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
