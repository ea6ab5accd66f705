/**
 * Writes CSV that is safe to open in a spreadsheet.
 * UTF-8 with a byte order mark (without it, Excel guesses the encoding). Formulas are escaped with an apostrophe, even
 * after a semicolon or invisible characters. A phone number that begins with + stays unchanged. A character that
 * changes the writing direction is replaced by its name. Does not use csv-stringify, which takes six times as long per
 * row (docs/decisions.md, Office). A test compares the output of both.
 */
import { showDirectionMarks } from '../../../engine/index.ts'

export type CsvCell = string | number | boolean | CsvAmount | null | undefined
/** An amount computed by the program rather than entered as text, so a negative amount is not escaped as a formula. */
export type CsvAmount = { readonly amount: number; readonly decimals: number }

const BYTE_ORDER_MARK = '\uFEFF'
const PHONE_PATTERN = /^\+[0-9][0-9 ()-]*$/
/** Matches cells that need escaping. Other cells are written unchanged. */
const NEEDS_ESCAPING_PATTERN =
  /[",;|\t\r\n\u202a-\u202e\u2066-\u2069]|^[\s\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠]/u

/** Formats one chunk of a CSV file; the first chunk begins with the byte order mark. Rows end with CRLF. */
export function formatCsvRows(rows: readonly (readonly CsvCell[])[], isFirst: boolean): string {
  let text = isFirst ? BYTE_ORDER_MARK : ''
  for (const row of rows) {
    let separator = ''
    for (const cell of row) {
      text += separator + formatCell(cell)
      separator = ','
    }
    text += '\r\n'
  }
  return text
}

function formatCell(cell: CsvCell): string {
  if (typeof cell === 'string')
    return NEEDS_ESCAPING_PATTERN.test(cell) && !PHONE_PATTERN.test(cell) ? escapeText(cell) : cell
  if (typeof cell === 'number') return String(cell)
  if (typeof cell === 'object' && cell !== null) return cell.amount.toFixed(cell.decimals)
  if (typeof cell === 'boolean') return cell ? 'Yes' : 'No'
  return ''
}

function escapeText(text: string): string {
  const textWithEscapedCells = escapeInnerCells(text)
  const escapedText = showDirectionMarks(
    FORMULA_PATTERN.test(textWithEscapedCells) ? `'${textWithEscapedCells}` : textWithEscapedCells,
  )
  return NEEDS_QUOTES_PATTERN.test(escapedText)
    ? `"${escapedText.replaceAll('"', '""')}"`
    : escapedText
}
/** Some programs drop white space and invisible characters before they look for a formula. */
const FORMULA_PATTERN = /^(?:[\t\r]|[\s\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠])/u
const NEEDS_QUOTES_PATTERN = /[",\r\n]/

/**
 * Escapes formulas within a cell. In many countries, spreadsheets also split cells at a semicolon, tab or line end,
 * even within quotes, so the text after such a character is escaped too.
 */
function escapeInnerCells(text: string): string {
  return text.replace(INNER_CELL_PATTERN, (match: string, mark: string, cell: string) =>
    INNER_FORMULA_PATTERN.test(cell) && !PHONE_PATTERN.test(cell.trim())
      ? `${mark}'${cell}`
      : match,
  )
}
const INNER_CELL_PATTERN = /([;|\t\r\n]+)([^;|\t\r\n]+)/g
const INNER_FORMULA_PATTERN = /^["'\s\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠]/u
