/** Reads member list rows from CSV: checks every line first, and names each bad one by number. */
import { assertNever, toNfc, err, foldText, isDay, ok } from '../../../engine/index.ts'
import type { Result, MemberList } from '../../../engine/index.ts'
import type { MemberListRow } from '../../storage/index.ts'
import type { CsvLine, CsvProblem } from '../../office/spreadsheets/parse-csv.ts'

/** A name, a number, a kind. */
const CELL_CHARACTERS_MAX = 300

export type MemberListFile = {
  readonly rows: readonly MemberListRow[]
  /** Columns of the file that the member list does not have; they are ignored. */
  readonly leftOut: readonly string[]
}

/** The first line names the member list's columns, in any order and case. */
export function readMemberList(
  roll: MemberList,
  [header, ...lines]: readonly CsvLine[],
): Result<MemberListFile, readonly CsvProblem[]> {
  if (header === undefined || lines.length === 0)
    return err([{ line: null, message: 'The file holds no row.' }])
  const named = header.cells.map((name) => name.toLowerCase())
  const missing = roll.columns.filter(({ id }) => !named.includes(id.toLowerCase()))
  const twice = named.find((name, at) => named.indexOf(name) !== at)
  if (missing.length > 0 || twice !== undefined)
    return err(
      [
        ...missing.map(({ id }) => `The column ${id} is missing.`),
        ...(twice === undefined ? [] : [`The column ${twice} is there twice.`]),
      ].map((message) => ({ line: header.line, message })),
    )

  const problems: CsvProblem[] = []
  const rows: MemberListRow[] = []
  const seen = new Map<string, number>()
  for (const line of lines) {
    const { row, wrong } = rowOf(roll, named, line)
    const before = seen.get(row.key)
    if (wrong.length === 0 && before !== undefined)
      wrong.push(`${row.cells[roll.key]} stands in line ${before} already.`)
    problems.push(...wrong.map((message) => ({ line: line.line, message })))
    seen.set(row.key, line.line)
    rows.push(row)
  }
  const known = roll.columns.map(({ id }) => id.toLowerCase())
  const leftOut = header.cells.filter((name) => !known.includes(name.toLowerCase()))
  return problems.length === 0 ? ok({ rows, leftOut }) : err(problems)
}

function rowOf(
  roll: MemberList,
  named: readonly string[],
  { cells }: CsvLine,
): { readonly row: MemberListRow; readonly wrong: string[] } {
  const wrong: string[] = []
  if (cells.length !== named.length)
    wrong.push(`There are ${cells.length} cells under ${named.length} headings.`)
  const read = roll.columns.map((column): [string, string] => {
    const cell = toNfc(cells[named.indexOf(column.id.toLowerCase())] ?? '').trim()
    const value = cellOf(column, cell)
    if (value === null && wrong.length === 0) wrong.push(sentence(column, cell))
    return [column.id, value ?? '']
  })
  const row = Object.fromEntries(read)
  const key = foldText(row[roll.key] ?? '')
  if (key === '' && wrong.length === 0) wrong.push(`The ${roll.key} is missing.`)
  return { row: { key, cells: row }, wrong }
}

/** Returns the cell as stored; null: not a valid value for the column. A day may be missing: it then has no end. */
function cellOf(
  { type, options = [] }: MemberList['columns'][number],
  cell: string,
): string | null {
  switch (type) {
    case 'text':
      return cell.length > CELL_CHARACTERS_MAX ? null : cell
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

function sentence({ id, type, options = [] }: MemberList['columns'][number], cell: string): string {
  const said = cell === '' ? `The ${id} is missing` : `“${cell.slice(0, 50)}” is no ${id}`
  switch (type) {
    case 'text':
      return `The ${id} has more than ${CELL_CHARACTERS_MAX} characters.`
    case 'date':
      return `${said}: write a day such as 2027-03-31 or 31/03/2027.`
    case 'choice':
      return `${said}: it is one of ${options.join(', ')}.`
    default:
      return assertNever(type)
  }
}
