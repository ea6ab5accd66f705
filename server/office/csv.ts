/**
 * CSV that spreadsheets open without doing anything: UTF-8 with a byte order mark (Excel guesses
 * otherwise), formulas defused with an apostrophe, also behind a semicolon. A phone number that begins with + stays one.
 */
import { stringify } from 'csv-stringify/sync'

export type CsvCell = string | number | boolean | null | undefined

const PHONE = /^\+[0-9][0-9 ()-]*$/

/** One chunk of a CSV file; the first carries the byte order mark. Rows end with CRLF. */
export function csvRows(rows: readonly (readonly CsvCell[])[], first: boolean): string {
  return stringify(
    rows.map((row) => [...row]),
    {
      bom: first,
      record_delimiter: 'windows',
      quoted_match: /[\r\n]/,
      escape_formulas: true,
      cast: {
        string: (value) => (PHONE.test(value) ? { value, ...NOT_A_FORMULA } : defused(value)),
        number: (value) => String(value),
        boolean: (value) => (value ? 'Yes' : 'No'),
      },
    },
  )
}

/**
 * What follows a semicolon, a tab or a line's end begins a cell of its own where a spreadsheet splits
 * there, as those of many countries do; quotes around the whole do not stop them.
 */
function defused(text: string): string {
  return text.replace(INNER_CELL, (whole: string, mark: string, cell: string) =>
    INNER_FORMULA.test(cell) && !PHONE.test(cell.trim()) ? `${mark}'${cell}` : whole,
  )
}
const INNER_CELL = /([;|\t\r\n]+)([^;|\t\r\n]+)/g
const INNER_FORMULA = /^["'\s]*[=+\-@＝＋－＠]/

// An option per cell that the library takes and its types leave out.
const NOT_A_FORMULA = { escape_formulas: false }
