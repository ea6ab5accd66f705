/** A bank's statement as the bank's site gives it: which column is what, and the money that came, line by line. */
import { paise, type Paise } from './money.ts'
import { err, ok, type Result } from './outcome.ts'
import { dayIn, headOf, likeliestHeader, signedIn, tableIn, textIn } from './sheet.ts'
import type { SheetRow } from './sheet.ts'
import type { Day } from './time.ts'

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
  const table = tableIn(rows, columns, columnsOf)
  if (table === null) return err({ code: 'columns_unknown', header: likeliestHeader(rows) })
  const { is, below } = table
  const lines: StatementLine[] = []
  const unread: number[] = []
  for (const row of below) {
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
  const heads = cells.map(headOf)
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

/** Money that went is none that came. */
function amountIn(cell: string): Paise | null {
  const signed = signedIn(cell)
  return signed === null ? null : paise(Math.max(0, signed))
}
