/** Reads cells of bank and gateway spreadsheets: texts, dates and amounts in Indian formats. */
import {
  INR,
  getCurrencySymbol,
  getDecimals,
  toAmount,
  readAmount,
  type Currency,
  type Amount,
} from '../lib/money.ts'
import { isDay, type Day } from '../lib/time.ts'

/** A row of the file; `line` is its line number in an editor. */
export type SheetRow = { readonly line: number; readonly cells: readonly string[] }

/** The maximum number of rows with name and address above the table. */
const MAX_ROWS_ABOVE = 60

/**
 * Longer than any heading that banks use. A cell in a file without headings may have two million
 * characters.
 */
const MAX_HEADING_CHARACTERS = 200

/** Normalises a heading for comparison: letters only, in lower case. */
export function normaliseHeading(cell: string): string {
  return cell
    .slice(0, MAX_HEADING_CHARACTERS)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
}

/** Returns the row with the most cells that contain letters and no digits. */
export function findLikeliestHeader(sheetRows: readonly SheetRow[]): readonly string[] {
  const rows = sheetRows.slice(0, MAX_ROWS_ABOVE)
  const countWords = ({ cells }: SheetRow): number =>
    cells.filter((cell) => /[a-z]/i.test(cell) && !/\d/.test(cell)).length
  const likeliest = rows.toSorted((a, b) => countWords(b) - countWords(a))[0]?.cells ?? []
  return likeliest.map((cell) => cell.slice(0, MAX_HEADING_CHARACTERS))
}

/** Returns the text of a cell; empty if the column does not exist. */
export function getCellText(cells: readonly string[], index: number | null): string {
  return index === null ? '' : (cells[index] ?? '').replaceAll(/\s+/g, ' ').trim()
}

/** The decimal mark in a file's amounts. */
export type DecimalMark = '.' | ','

/**
 * Returns the decimal mark in the amounts: the mark that is followed by one or two digits, or that follows the other
 * mark (the thousands separator). Null if this is true for neither mark or for both; an amount such as 1.234 is then
 * ambiguous.
 */
export function findDecimalMark(cells: readonly string[], currency: Currency): DecimalMark | null {
  const marksInUse = new Set<DecimalMark>()
  for (const cell of cells) {
    if (/\d\.\d{1,2}(?!\d)|,\d{3}\.\d/.test(cell) && !/\.\d{3},|\.\d+\./.test(cell))
      marksInUse.add('.')
    if (/\d,\d{1,2}(?!\d)(?!,)|\.\d{3},\d/.test(cell) && !/,\d{3}\.|,\d+,/.test(cell))
      marksInUse.add(',')
  }
  // If every cell has three digits after the mark, they are decimals, because an amount without
  // decimals would have no mark.
  if (marksInUse.size === 0 && getDecimals(currency) === 3)
    for (const mark of ['.', ','] as const)
      if (cells.every((cell) => new RegExp(`^\\D*\\d+[${mark}]\\d{3}\\D*$`).test(cell)))
        marksInUse.add(mark)
  const [mark] = marksInUse
  return marksInUse.size === 1 && mark !== undefined ? mark : null
}

/**
 * Reads "Rs. 1,00,000.00 Cr", "-20.00", "20.00-", "20.00 Dr" and "(20.00)" as signed whole minor
 * units; 0 if the cell is empty. Null if it is not an amount in this currency. `mark`: the decimal
 * mark of the file, for currencies other than the rupee.
 */
export function readSignedAmount(
  cell: string,
  currency: Currency = INR,
  mark: DecimalMark | null = null,
): Amount | null {
  const text = currency === INR ? cell : stripCurrency(cell, currency)
  if (currency === INR && text.includes(',') && !GROUPED_AMOUNT.test(text)) return null
  const plain = text
    .replaceAll(currency === INR ? /rs\.?|inr|₹|cr\.?$|[,\s]/gi : /cr\.?$|\s/gi, '')
    .replace(/^(.+?)(?:dr\.?|[-−])$/i, '-$1')
    .replace(/^-(?=[-−(])/, '')
    .replace(/^\+/, '')
  if (plain === '' || plain === '-') return toAmount(0)
  const [, negativeDigits = ''] = /^(?:-|−|\()(.*?)\)?$/.exec(plain) ?? []
  const digits = negativeDigits === '' ? plain : negativeDigits
  const number =
    currency === INR
      ? digits.replace(/(\.\d{2})0+$/, '$1')
      : formatWithDecimalPoint(digits, mark, currency)
  const amount = number === null ? null : readAmount(number, currency)
  return amount === null || negativeDigits === '' ? amount : toAmount(-amount)
}

const stripCurrency = (cell: string, currency: Currency): string =>
  cell.replaceAll(new RegExp(currency, 'gi'), '').replaceAll(getCurrencySymbol(currency), '')

/**
 * Returns the number with a decimal point. Null if the marks are ambiguous or misplaced, because a wrong reading would
 * be a thousand times too large or too small.
 */
function formatWithDecimalPoint(
  digits: string,
  mark: DecimalMark | null,
  currency: Currency,
): string | null {
  if (!/[.,]/.test(digits)) return digits
  if (mark === null) return null
  const [whole = '', fraction = '', ...others] = digits.split(mark)
  const isGrouped = /^\d{1,3}(?:[.,]\d{3})*$|^\d+$/.test(whole)
  if (!isGrouped || others.length > 0) return null
  const decimals = fraction.slice(0, getDecimals(currency))
  return /^0*$/.test(fraction.slice(decimals.length))
    ? `${whole.replaceAll(/[.,]/g, '')}${decimals === '' ? '' : `.${decimals}`}`
    : null
}

/** Thousands in groups of three, or lakhs in groups of two before the last three digits. */
const GROUPED_AMOUNT = /^[^\d,]*\d{1,3}(?:,\d{2,3})*,\d{3}(?![\d,])[^,]*$/

/** Names for a currency column that banks and gateways use, letters only. */
const CURRENCY_HEADING = /(?:(?:currency|curr|ccy)(?:code|name)?|w(?:ae)?hrung|devise|moneda)$/
/** Spellings of rupees that banks and gateways use. Empty if the line states no currency. */
const RUPEE_SPELLINGS = /^(|inr|356|rs\.?|₹|rupees?|indian rupees?)$/i

/** Returns the columns that contain a currency. */
export const findCurrencyColumns = (headings: readonly string[]): readonly number[] =>
  headings.flatMap((heading, column) => (CURRENCY_HEADING.test(heading) ? [column] : []))

/** Returns true if a line is in this currency or states none. */
export const isInCurrency = (
  cells: readonly string[],
  currencies: readonly number[],
  currency: Currency,
): boolean =>
  currencies.every((at) => {
    const text = getCellText(cells, at)
    return currency === INR
      ? RUPEE_SPELLINGS.test(text)
      : ['', currency, getCurrencySymbol(currency)].includes(text.toUpperCase())
  })

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * Reads 03/02/27, 3-2-2027, 03-Feb-2027, 3 February 2027 and 2027-02-03, with or without a time.
 * Indian banks write the day first.
 */
export function readDay(cell: string): Day | null {
  const text = cell.trim()
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/.exec(text)
  if (iso !== null) return createDay(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const match = /^(\d{1,2})[-/. ]+(\d{1,2}|[a-z]{3,9})[-/., ]+(\d{4}|\d{2})(?!\d)/i.exec(text)
  if (match === null) return null
  const [, dayOfMonth = '', month = '', year = ''] = match
  const monthNumber = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1
  return createDay(
    Number(year) + (year.length === 2 ? 2000 : 0),
    monthNumber === 0 ? Number(month) : monthNumber,
    Number(dayOfMonth),
  )
}

function createDay(year: number, month: number, dayOfMonth: number): Day | null {
  const padToTwo = (number: number): string => String(number).padStart(2, '0')
  const text = `${year}-${padToTwo(month)}-${padToTwo(dayOfMonth)}`
  return isDay(text) ? text : null
}

/**
 * Finds the table of a sheet: the first row that `detectColumns` accepts as headings, its columns,
 * and the rows below. `columns` are the columns that the user chose. Null if the columns could not
 * be detected.
 */
export function findTable<C>(
  rows: readonly SheetRow[],
  columns: C | null,
  detectColumns: (cells: readonly string[]) => C | null,
): {
  readonly columns: C
  /** The headings. If the user chose the columns, those of the likeliest heading row. */
  readonly headings: readonly string[]
  readonly above: readonly SheetRow[]
  readonly below: readonly SheetRow[]
} | null {
  const headingRow = rows.slice(0, MAX_ROWS_ABOVE).flatMap((row, index) => {
    const detected = detectColumns(row.cells)
    return detected === null ? [] : [{ at: index, detected, headings: row.cells }]
  })[0]
  const tableColumns = columns ?? headingRow?.detected
  if (tableColumns === undefined) return null
  return headingRow === undefined
    ? {
        columns: tableColumns,
        headings: findLikeliestHeader(rows),
        above: [],
        below: rows,
      }
    : {
        columns: tableColumns,
        headings: headingRow.headings,
        above: rows.slice(0, headingRow.at),
        below: rows.slice(headingRow.at + 1),
      }
}

/** A row below the headings, with its columns. */
export type TableRow<C> = {
  readonly row: SheetRow
  readonly columnsOfRow: C
  /**
   * True if a cell has no heading. Its row is probably split at a comma in an amount or a text, so each cell may be in
   * the wrong column.
   */
  readonly hasExtraCells: boolean
}

/**
 * Returns the rows below the headings, each with its columns. If two downloads were pasted
 * together, the second has its own headings, possibly in another order. `detectColumns` is null if
 * the user chose the columns.
 */
export function withColumns<C>(
  rows: readonly SheetRow[],
  table: { readonly columns: C; readonly headings: readonly string[] },
  detectColumns: ((cells: readonly string[]) => C | null) | null,
): readonly TableRow<C>[] {
  let { columns: columnsOfRow, headings } = table
  return rows.flatMap((row) => {
    const detected = detectColumns?.(row.cells) ?? null
    if (detected === null)
      return [{ row, columnsOfRow, hasExtraCells: hasExtraCells(row.cells, headings) }]
    columnsOfRow = detected
    headings = row.cells
    return []
  })
}

/** A last column without a name is accepted, and so are empty cells, which programs add at the end of rows. */
function hasExtraCells(cells: readonly string[], headings: readonly string[]): boolean {
  const countToLastText = (texts: readonly string[]): number =>
    texts.findLastIndex((text) => text.trim() !== '') + 1
  return cells.length > headings.length && countToLastText(cells) > countToLastText(headings)
}
