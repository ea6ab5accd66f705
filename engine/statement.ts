/** A bank's statement as the bank's site gives it: which column is what, and the money that came, line by line. */
import { paise, readAmount, type Paise } from './money.ts'
import { err, ok, type Result } from './outcome.ts'
import { isDay, type Day } from './time.ts'

/** A row of the file; `line` as an editor counts. */
type SheetRow = { readonly line: number; readonly cells: readonly string[] }
/** Where each thing stands, from 0; null: the file has no such column. Either `credit`, or `amount` with `sign`. */
export type StatementColumns = {
  readonly date: number
  readonly narration: number
  readonly reference: number | null
  readonly credit: number | null
  readonly amount: number | null
  readonly sign: number | null
}
/** Money that came. */
export type StatementLine = {
  readonly line: number
  readonly day: Day
  readonly narration: string
  /** Of the bank, from a column of its own; empty: it has none. */
  readonly reference: string
  readonly amount: Paise
}
export type Statement = {
  readonly columns: StatementColumns
  readonly lines: readonly StatementLine[]
  /** Rows with a date of which no amount can be read, by their line. */
  readonly unread: readonly number[]
}
/** Nobody can tell which column is which: `header` is the row that looks most like the heads of columns. */
export type ColumnsUnknown = {
  readonly code: 'columns_unknown'
  readonly header: readonly string[]
}

/** Banks put the account and the address above the table; none of them takes more rows for it. */
const ROWS_ABOVE_MAX = 60
/** A narration is read by people; no bank writes a longer one. */
const NARRATION_CHARACTERS_MAX = 300

/** How banks call their columns, letters only; the first that fits counts. */
const HEADS = {
  date: [/^(txn|tran|transaction)?(date|dt)$/, /^(txnposted|posting|post|value)(date|dt)$/],
  narration: [
    /^(narration|description|particulars|(transaction|txn)?(remarks|details|description|particulars))$/,
  ],
  reference: [/utr/, /^(chq|cheque)?ref/, /^transactionid$/, /^(chq|cheque)/, /refno|refnumber/],
  credit: [/^(deposits?|credits?|cr)(amt|amount)?(inr|rs)?$/],
  amount: [/^((transaction|txn)?(amt|amount))(inr|rs)?$/],
  sign: [/^(drcr|crdr|debitcredit|creditdebit|(transaction|txn)?type)$/],
} as const satisfies Readonly<Record<string, readonly RegExp[]>>

/** `columns`: as somebody said them, where the heads do not tell; null: by the heads. */
export function readStatement(
  rows: readonly SheetRow[],
  columns: StatementColumns | null = null,
): Result<Statement, ColumnsUnknown> {
  const above = rows.slice(0, ROWS_ABOVE_MAX)
  const found = above.flatMap((row, at) => {
    const heads = columnsOf(row.cells)
    return heads === null ? [] : [{ at, heads }]
  })[0]
  const is = columns ?? found?.heads
  if (is === undefined) return err({ code: 'columns_unknown', header: likeliestHeader(above) })
  const lines: StatementLine[] = []
  const unread: number[] = []
  for (const row of rows.slice(found === undefined ? 0 : found.at + 1)) {
    const day = dayIn(row.cells[is.date] ?? '')
    // Above and below the table there are rows of other things.
    if (day === null) continue
    const came = cameIn(row.cells, is)
    if (came === null) unread.push(row.line)
    else if (came > 0)
      lines.push({
        line: row.line,
        day,
        narration: textIn(row.cells, is.narration).slice(0, NARRATION_CHARACTERS_MAX),
        reference: textIn(row.cells, is.reference).replace(/^0+$/, ''),
        amount: came,
      })
  }
  return ok({ columns: is, lines, unread })
}

function columnsOf(cells: readonly string[]): StatementColumns | null {
  const heads = cells.map((cell) => cell.toLowerCase().replaceAll(/[^a-z]/g, ''))
  const at = (what: keyof typeof HEADS): number | null => {
    for (const pattern of HEADS[what]) {
      const found = heads.findIndex((head) => pattern.test(head))
      if (found !== -1) return found
    }
    return null
  }
  const [date, narration, reference, credit] = [
    at('date'),
    at('narration'),
    at('reference'),
    at('credit'),
  ]
  const [amount, sign] = credit === null ? [at('amount'), at('sign')] : [null, null]
  if (
    date === null ||
    narration === null ||
    (credit === null && (amount === null || sign === null))
  )
    return null
  return { date, narration, reference, credit, amount, sign }
}

/** The row with the most cells that have letters and no digits. */
function likeliestHeader(rows: readonly SheetRow[]): readonly string[] {
  const words = ({ cells }: SheetRow): number =>
    cells.filter((cell) => /[a-z]/i.test(cell) && !/\d/.test(cell)).length
  return rows.toSorted((a, b) => words(b) - words(a))[0]?.cells ?? []
}

function textIn(cells: readonly string[], at: number | null): string {
  return at === null ? '' : (cells[at] ?? '').replaceAll(/\s+/g, ' ').trim()
}

/** What came by a row; 0: money that went, or none; null: it cannot be read. */
function cameIn(
  cells: readonly string[],
  { credit, amount, sign }: StatementColumns,
): Paise | null {
  if (credit !== null) return amountIn(textIn(cells, credit))
  const said = `${textIn(cells, sign)} ${textIn(cells, amount)}`
  if (/\bdr\b|debit|^\s*d\b/i.test(said)) return paise(0)
  return /\bcr\b|credit|^\s*c\b/i.test(said) ? amountIn(textIn(cells, amount)) : null
}

/** "Rs. 1,00,000.00 Cr": whole paise; nothing where nothing stands. */
function amountIn(cell: string): Paise | null {
  const plain = cell
    .replaceAll(/rs\.?|inr|₹|cr\.?$|[,\s]/gi, '')
    .replace(/^\+/, '')
    .replace(/(\.\d{2})0+$/, '$1')
  if (plain === '' || plain === '-') return paise(0)
  if (plain.startsWith('-') || plain.startsWith('(')) return paise(0)
  return readAmount(plain)
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** 03/02/27, 3-2-2027, 03-Feb-2027, 3 February 2027 and 2027-02-03, with whatever time behind: banks here write the day first. */
function dayIn(cell: string): Day | null {
  const text = cell.trim()
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/.exec(text)
  if (iso !== null) return dayFrom(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const said = /^(\d{1,2})[-/. ]+(\d{1,2}|[a-z]{3,9})[-/., ]+(\d{4}|\d{2})(?!\d)/i.exec(text)
  if (said === null) return null
  const [, on = '', month = '', year = ''] = said
  const named = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1
  return dayFrom(
    Number(year) + (year.length === 2 ? 2000 : 0),
    named === 0 ? Number(month) : named,
    Number(on),
  )
}

function dayFrom(year: number, month: number, on: number): Day | null {
  const two = (number: number): string => String(number).padStart(2, '0')
  const text = `${year}-${two(month)}-${two(on)}`
  return isDay(text) ? text : null
}
