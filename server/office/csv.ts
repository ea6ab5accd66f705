/**
 * CSV that spreadsheets open without doing anything: UTF-8 with a byte order mark (Excel guesses
 * otherwise), formulas defused with an apostrophe. A phone number that begins with + stays one.
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
        string: (value) => (PHONE.test(value) ? { value, ...NOT_A_FORMULA } : value),
        number: (value) => String(value),
        boolean: (value) => (value ? 'Yes' : 'No'),
      },
    },
  )
}

// An option per cell that the library takes and its types leave out.
const NOT_A_FORMULA = { escape_formulas: false }
