/**
 * CSV that spreadsheets open without doing anything: UTF-8 with a byte order mark (Excel guesses
 * otherwise), formulas defused with an apostrophe, also behind a semicolon. A phone number that begins with + stays one.
 *
 * csv-stringify takes six times as long per row; a test compares the two (docs/decisions.md, Office).
 */

export type CsvCell = string | number | boolean | null | undefined

const BYTE_ORDER_MARK = '\uFEFF'
const PHONE = /^\+[0-9][0-9 ()-]*$/
/** What stands in no plain word: a text without any of it is written as it is. */
const CARE = /[",;|\t\r\n]|^[=+\-@＝＋－＠]/

/** One chunk of a CSV file; the first carries the byte order mark. Rows end with CRLF. */
export function csvRows(rows: readonly (readonly CsvCell[])[], first: boolean): string {
  let text = first ? BYTE_ORDER_MARK : ''
  for (const row of rows) {
    let between = ''
    for (const cell of row) {
      text += between + written(cell)
      between = ','
    }
    text += '\r\n'
  }
  return text
}

function written(cell: CsvCell): string {
  if (typeof cell === 'string') return CARE.test(cell) && !PHONE.test(cell) ? careful(cell) : cell
  if (typeof cell === 'number') return String(cell)
  if (typeof cell === 'boolean') return cell ? 'Yes' : 'No'
  return ''
}

function careful(text: string): string {
  const defused = innerDefused(text)
  const harmless = FORMULA.test(defused) ? `'${defused}` : defused
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
const FORMULA = /^[=+\-@\t\r＝＋－＠]/
const QUOTED = /[",\r\n]/

/**
 * What follows a semicolon, a tab or a line's end begins a cell of its own where a spreadsheet splits
 * there, as those of many countries do; quotes around the whole do not stop them.
 */
function innerDefused(text: string): string {
  return text.replace(INNER_CELL, (whole: string, mark: string, cell: string) =>
    INNER_FORMULA.test(cell) && !PHONE.test(cell.trim()) ? `${mark}'${cell}` : whole,
  )
}
const INNER_CELL = /([;|\t\r\n]+)([^;|\t\r\n]+)/g
const INNER_FORMULA = /^["'\s]*[=+\-@＝＋－＠]/
