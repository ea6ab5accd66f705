/** Reads a bank statement: detects its columns and returns its deposits and withdrawals. */
import { readCurrency, INR, type Currency, toAmount, type Amount } from '../lib/money.ts'
import { err, ok, type Result } from '../lib/result.ts'
import {
  findCurrencyColumns,
  findDecimalMark,
  readDay,
  normaliseHeading,
  isInCurrency,
  findLikeliestHeader,
  readSignedAmount,
  findTable,
  getCellText,
  withColumns,
} from './spreadsheet-cells.ts'
import type { DecimalMark, SheetRow } from './spreadsheet-cells.ts'
import type { Day } from '../lib/time.ts'

/**
 * Column indexes, from 0. Null if there is no such column. Either `credit`, or `amount` with
 * `sign`.
 */
export type StatementColumns = {
  readonly date: number
  readonly narration: number
  readonly reference: number | null
  readonly credit: number | null
  readonly amount: number | null
  readonly sign: number | null
  /** Withdrawals, if `credit` contains deposits. Absent if there is no such column. */
  readonly debit?: number | null
  /** Columns that contain a currency. Absent if there are none. */
  readonly currencies?: readonly number[]
}
/** A deposit or a withdrawal. */
export type StatementLine = {
  readonly line: number
  readonly day: Day
  readonly narration: string
  /** The bank's reference, from its own column. Empty if there is none. */
  readonly reference: string
  /** Zero for a withdrawal in a file without a withdrawal column. */
  readonly amount: Amount
}
export type Statement = {
  /** The currency of all its amounts. */
  readonly currency: Currency
  readonly columns: StatementColumns
  /** Deposits. */
  readonly lines: readonly StatementLine[]
  /** Withdrawals, including payments that the bank returned. */
  readonly withdrawals: readonly StatementLine[]
  /**
   * Lines that repeat an earlier one, for example because two downloads were pasted together. Each
   * is counted once.
   */
  readonly repeated: readonly { readonly line: number; readonly first: number }[]
  /** Text above and below the table, such as the account's name, address and number. */
  readonly details: readonly string[]
  /** Lines with an unreadable amount or date, with more cells than headings, or in another currency. */
  readonly unread: readonly number[]
}
/** The columns could not be detected. `header` is the most likely heading row. */
export type UnknownColumns = {
  readonly code: 'columns_unknown'
  readonly header: readonly string[]
}

/** The maximum length shown to staff. Banks' narrations and references are shorter. */
const MAX_NARRATION_CHARACTERS = 300
/** Statements have about twenty rows of text above and below the table. */
const MAX_DETAIL_ROWS = 200

/** Banks' names for columns, letters only; the first match applies. */
const HEADING_PATTERNS = {
  date: [/^(txn|tran|transaction)?(date|dt)$/, /^(txnposted|posting|post|value)(date|dt)$/],
  narration: [
    /^(narration|description|particulars|(transaction|txn)?(remarks|details|description|particulars))$/,
  ],
  reference: [/utr/, /^(chq|cheque)?ref/, /^transactionid$/, /^(chq|cheque)/, /refno|refnumber/],
  credit: [/^(deposits?|credits?|cr)(amt|amount)?(inr|rs)?$/],
  amount: [/^((transaction|txn)?(amt|amount))(inr|rs)?$/],
  debit: [/^(withdrawals?|withdrawls?|debits?|dr|paidout|moneyout)(amt|amount)?(inr|rs)?$/],
  sign: [/^(drcr|crdr|debitcredit|creditdebit|(transaction|txn)?type)$/],
} as const satisfies Readonly<Record<string, readonly RegExp[]>>

/**
 * Reads a statement. `columns` are the columns that the user chose; null to detect them from the
 * headings.
 */
export function readStatement(
  rows: readonly SheetRow[],
  columns: StatementColumns | null = null,
  currency: Currency = INR,
): Result<Statement, UnknownColumns> {
  const detect = (cells: readonly string[]): StatementColumns | null =>
    detectColumns(cells, currency)
  const chosen = columns === null ? null : withCurrencyColumns(columns, rows)
  const table = findTable(rows, chosen, detect)
  if (table === null) return err({ code: 'columns_unknown', header: findLikeliestHeader(rows) })
  const { above, below } = table
  const lines: StatementLine[] = []
  const withdrawals: StatementLine[] = []
  const repeated: { line: number; first: number }[] = []
  const unread: number[] = []
  const firstLineByKey = new Map<string, number>()
  const tableRows = withColumns(below, table, columns === null ? detect : null)
  const dataEnd =
    tableRows.findLastIndex(
      ({ row, columnsOfRow }) => readDay(row.cells[columnsOfRow.date] ?? '') !== null,
    ) + 1
  const isForeign =
    above.some(({ cells }) => namesOtherCurrency(cells.join(' '), currency)) ||
    (chosen !== null && namesOtherCurrencyInHeading(chosen, findLikeliestHeader(rows), currency))
  const decimalMark = findDecimalMark(
    tableRows.flatMap(({ row, columnsOfRow }) => listAmountCells(row.cells, columnsOfRow)),
    currency,
  )
  for (const { row, columnsOfRow, hasExtraCells } of tableRows.slice(0, dataEnd)) {
    const day = readDay(row.cells[columnsOfRow.date] ?? '')
    if (day === null) {
      if (hasAmount(row, columnsOfRow, currency, decimalMark)) unread.push(row.line)
      continue
    }
    const isReadable =
      !isForeign &&
      !hasExtraCells &&
      isInCurrency(row.cells, columnsOfRow.currencies ?? [], currency)
    const rowAmount = isReadable
      ? readRowAmount(row.cells, columnsOfRow, currency, decimalMark)
      : null
    if (rowAmount === null) unread.push(row.line)
    // Without a withdrawal column, a row without a deposit may be a withdrawal.
    const mayBeWithdrawal =
      rowAmount === 0 && columnsOfRow.credit !== null && (columnsOfRow.debit ?? null) === null
    if (rowAmount === null || (rowAmount === 0 && !mayBeWithdrawal)) continue
    const line = {
      line: row.line,
      day,
      narration: getCellText(row.cells, columnsOfRow.narration).slice(0, MAX_NARRATION_CHARACTERS),
      reference: getCellText(row.cells, columnsOfRow.reference)
        .slice(0, MAX_NARRATION_CHARACTERS)
        .replace(/^0+$/, ''),
      amount: toAmount(Math.abs(rowAmount)),
    }
    const lineKey = JSON.stringify([day, rowAmount, line.narration, line.reference])
    const firstLine = firstLineByKey.get(lineKey)
    if (firstLine !== undefined) repeated.push({ line: row.line, first: firstLine })
    else if (rowAmount > 0) lines.push(line)
    else withdrawals.push(line)
    if (firstLine === undefined) firstLineByKey.set(lineKey, row.line)
  }
  const rowsAfterData = tableRows.slice(dataEnd)
  for (const { row, columnsOfRow } of rowsAfterData)
    if (hasUnreadableDay(row, columnsOfRow, currency, decimalMark)) unread.push(row.line)
  const details = [...above, ...rowsAfterData.map(({ row }) => row)]
    .slice(0, MAX_DETAIL_ROWS)
    .map(({ cells }) => cells.join(' ').slice(0, MAX_NARRATION_CHARACTERS))
  return ok({
    currency,
    columns: table.columns,
    lines,
    withdrawals,
    repeated,
    details,
    unread,
  })
}

/** If the text above the table states a currency, the amounts are in that currency. */
const STATED_CURRENCY = /currency\W{1,3}([a-z]+)/i
function namesOtherCurrency(text: string, currency: Currency): boolean {
  const [, statedCurrency] = STATED_CURRENCY.exec(text) ?? []
  if (statedCurrency === undefined || statedCurrency.length < 2) return false
  return currency === INR
    ? statedCurrency.length > 2 && !/^(?:inr|rs|rupee|indian)/i.test(statedCurrency)
    : statedCurrency.toUpperCase() !== currency
}

/** Words for totals and carried-forward balances, which are not deposits. */
const SUM_WORDS = /total|balance|brought|carried|[bc]\/f/i

const hasAmount = (
  { cells }: SheetRow,
  columnsOfRow: StatementColumns,
  currency: Currency,
  mark: DecimalMark | null,
): boolean => {
  const signed = readRowAmount(cells, columnsOfRow, currency, mark)
  return signed !== null && signed !== 0 && !SUM_WORDS.test(cells.join(' '))
}

/**
 * Returns true for a line with an amount and an unreadable date. Its date column is not empty, unlike that of totals
 * below the table.
 */
const hasUnreadableDay = (
  row: SheetRow,
  columnsOfRow: StatementColumns,
  currency: Currency,
  mark: DecimalMark | null,
): boolean =>
  /\d/.test(row.cells[columnsOfRow.date] ?? '') && hasAmount(row, columnsOfRow, currency, mark)

function detectColumns(cells: readonly string[], currency: Currency): StatementColumns | null {
  const headings = cells.map((cell) => stripHeadingCurrency(normaliseHeading(cell), currency))
  const findColumn = (column: keyof typeof HEADING_PATTERNS): number | null => {
    for (const pattern of HEADING_PATTERNS[column]) {
      const columnIndex = headings.findIndex((heading) => pattern.test(heading))
      if (columnIndex !== -1) return columnIndex
    }
    return null
  }
  const [date, narration, reference, credit] = [
    findColumn('date'),
    findColumn('narration'),
    findColumn('reference'),
    findColumn('credit'),
  ]
  const [amount, sign] = credit === null ? [findColumn('amount'), findColumn('sign')] : [null, null]
  if (
    date === null ||
    narration === null ||
    (credit === null && (amount === null || sign === null))
  )
    return null
  const debit = credit === null ? null : findColumn('debit')
  const currencies = findCurrencyColumns(headings)
  const currencyInfo = currencies.length === 0 ? {} : { currencies }
  return { date, narration, reference, credit, amount, sign, debit, ...currencyInfo }
}

/**
 * Returns a heading without the currency of its column: "Deposit (EUR)". Empty for another
 * currency.
 */
function stripHeadingCurrency(heading: string, currency: Currency): string {
  if (currency === INR) return heading
  const code = currency.toLowerCase()
  if (heading.endsWith(code)) return heading.slice(0, -code.length)
  return /(?:inr|rs)$/.test(heading) ? '' : heading
}

/** Adds the currency columns, found by their headings, to the columns that staff chose. */
const withCurrencyColumns = (
  columns: StatementColumns,
  rows: readonly SheetRow[],
): StatementColumns => ({
  currencies: findCurrencyColumns(findLikeliestHeader(rows).map(normaliseHeading)),
  ...columns,
})

/** Returns true if the heading of a chosen column states another currency. */
function namesOtherCurrencyInHeading(
  { credit, amount, debit = null }: StatementColumns,
  header: readonly string[],
  currency: Currency,
): boolean {
  return [credit, amount, debit].some((at) => {
    const [code] = /\b(?:[A-Z]{3}|Rs)\b(?=\W*$)/.exec(getCellText(header, at)) ?? []
    const namedCurrency = code === 'Rs' ? INR : readCurrency(code)
    return namedCurrency !== null && namedCurrency !== currency
  })
}

/** Returns the cells that show how the file writes numbers: amounts and balances. */
const listAmountCells = (
  cells: readonly string[],
  { date, narration, reference }: StatementColumns,
): readonly string[] =>
  cells.filter((cell, at) => at !== date && at !== narration && at !== reference && /\d/.test(cell))

/** Returns the deposit of a row, negative for a withdrawal; 0 if neither; null if unreadable. */
function readRowAmount(
  cells: readonly string[],
  { credit, amount, sign, debit = null }: StatementColumns,
  currency: Currency,
  mark: DecimalMark | null,
): Amount | null {
  if (credit !== null) {
    const deposit = readSignedAmount(getCellText(cells, credit), currency, mark)
    if (deposit !== 0) return deposit
    const withdrawal = readSignedAmount(getCellText(cells, debit), currency, mark)
    return withdrawal === null ? null : toAmount(-Math.abs(withdrawal))
  }
  const signText = `${getCellText(cells, sign)} ${getCellText(cells, amount)}`
  const signedAmount = readSignedAmount(
    getCellText(cells, amount).replace(/dr\.?$/i, ''),
    currency,
    mark,
  )
  if (/\bdr\b|debit|^\s*d\b/i.test(signText))
    return signedAmount === null ? null : toAmount(-Math.abs(signedAmount))
  return /\bcr\b|credit|^\s*c\b/i.test(signText) ? signedAmount : null
}
