/** Reads member list rows from CSV. Reports every invalid line with its number. */
import { assertNever, toNfc, err, foldText, isDay, ok } from '../../../engine/index.ts'
import type { Result, MemberList } from '../../../engine/index.ts'
import type { MemberListRow } from '../../storage/index.ts'
import type { CsvLine, CsvProblem } from '../../office/spreadsheets/parse-csv.ts'

/** Enough for a name, a number or a kind. */
const MAX_CELL_CHARACTERS = 300

export type MemberListFile = {
  readonly rows: readonly MemberListRow[]
  /** Columns of the CSV file that the member list does not have. */
  readonly ignoredColumns: readonly string[]
}

/** Reads the rows of a member list. The first line contains its column names, in any order and case. */
export function readMemberList(
  memberList: MemberList,
  [header, ...lines]: readonly CsvLine[],
): Result<MemberListFile, readonly CsvProblem[]> {
  if (header === undefined || lines.length === 0)
    return err([{ line: null, message: 'The file has no rows.' }])
  const headings = header.cells.map((name) => name.toLowerCase())
  const missingColumns = memberList.columns.filter(({ id }) => !headings.includes(id.toLowerCase()))
  const duplicate = headings.find((name, index) => headings.indexOf(name) !== index)
  if (missingColumns.length > 0 || duplicate !== undefined)
    return err(
      [
        ...missingColumns.map(({ id }) => `The column ${id} is missing.`),
        ...(duplicate === undefined ? [] : [`The column ${duplicate} occurs twice.`]),
      ].map((message) => ({ line: header.line, message })),
    )

  const problems: CsvProblem[] = []
  const rows: MemberListRow[] = []
  const lineByKey = new Map<string, number>()
  for (const line of lines) {
    const { row, errors } = readRow(memberList, headings, line)
    const firstLine = lineByKey.get(row.key)
    if (errors.length === 0 && firstLine !== undefined)
      errors.push(`${row.cells[memberList.key]} is already in line ${firstLine}.`)
    problems.push(...errors.map((message) => ({ line: line.line, message })))
    lineByKey.set(row.key, line.line)
    rows.push(row)
  }
  const columnIds = memberList.columns.map(({ id }) => id.toLowerCase())
  const ignoredColumns = header.cells.filter((name) => !columnIds.includes(name.toLowerCase()))
  return problems.length === 0 ? ok({ rows, ignoredColumns }) : err(problems)
}

function readRow(
  memberList: MemberList,
  columnNames: readonly string[],
  { cells }: CsvLine,
): { readonly row: MemberListRow; readonly errors: string[] } {
  const errors: string[] = []
  if (cells.length !== columnNames.length)
    errors.push(`The line has ${cells.length} cells, but there are ${columnNames.length} headings.`)
  const entries = memberList.columns.map((column): [string, string] => {
    const cell = toNfc(cells[columnNames.indexOf(column.id.toLowerCase())] ?? '').trim()
    const value = readCell(column, cell)
    if (value === null && errors.length === 0) errors.push(describeError(column, cell))
    return [column.id, value ?? '']
  })
  const row = Object.fromEntries(entries)
  const key = foldText(row[memberList.key] ?? '')
  if (key === '' && errors.length === 0) errors.push(`The ${memberList.key} is missing.`)
  return { row: { key, cells: row }, errors }
}

/**
 * Returns the value to store for a cell. Null if the cell is invalid for the column. An empty date means that the row
 * does not expire.
 */
function readCell(
  { type, options = [] }: MemberList['columns'][number],
  cell: string,
): string | null {
  switch (type) {
    case 'text':
      return cell.length > MAX_CELL_CHARACTERS ? null : cell
    case 'date': {
      const [, day = '', month = '', year = ''] =
        /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/.exec(cell) ?? []
      const text = year === '' ? cell : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
      return text === '' || isDay(text) ? text : null
    }
    case 'choice':
      return options.find((option) => option.toLowerCase() === cell.toLowerCase()) ?? null
    default:
      return assertNever(type)
  }
}

function describeError(
  { id, type, options = [] }: MemberList['columns'][number],
  cell: string,
): string {
  const problem =
    cell === '' ? `The ${id} is missing` : `“${cell.slice(0, 50)}” is not a valid ${id}`
  switch (type) {
    case 'text':
      return `The ${id} has more than ${MAX_CELL_CHARACTERS} characters.`
    case 'date':
      return `${problem}. Write a date such as 2027-03-31 or 31/03/2027.`
    case 'choice':
      return `${problem}. Use one of ${options.join(', ')}.`
    default:
      return assertNever(type)
  }
}
