/**
 * Writes CSV that is safe to open in a spreadsheet.
 * UTF-8 with a byte order mark (without it Excel guesses the encoding). Formulas are escaped with an apostrophe, also after a
 * semicolon and after invisible characters. A phone number that begins with + stays unchanged.
 *
 * Not written with csv-stringify, which takes six times as long per row (docs/decisions.md, Office); a test compares the output with it.
 */

export type CsvCell = string | number | boolean | null | undefined

const BYTE_ORDER_MARK = '\uFEFF'
const PHONE = /^\+[0-9][0-9 ()-]*$/
/** Characters that need care; a text without any of them is written unchanged. */
const CARE = /[",;|\t\r\n]|^[\s\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠]/u

/** Formats one chunk of a CSV file; the first chunk has the byte order mark. Rows end with CRLF. */
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
/** Some programs drop white space and invisible characters before they look for a formula. */
const FORMULA = /^(?:[\t\r]|[\s\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠])/u
const QUOTED = /[",\r\n]/

/**
 * In many countries spreadsheets also split cells at a semicolon, tab or line end, even within quotes, so the
 * text after one is escaped too.
 */
function innerDefused(text: string): string {
  return text.replace(INNER_CELL, (whole: string, mark: string, cell: string) =>
    INNER_FORMULA.test(cell) && !PHONE.test(cell.trim()) ? `${mark}'${cell}` : whole,
  )
}
const INNER_CELL = /([;|\t\r\n]+)([^;|\t\r\n]+)/g
const INNER_FORMULA = /^["'\s\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠]/u
