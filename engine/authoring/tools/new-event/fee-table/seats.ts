/** Finds the seats in a workshop table: by heading, by words, or because only fees have a currency. */
import type { Currency } from '../../../../lib/money.ts'
import { isPriceCell } from './cells.ts'
import type { ItemTable } from './parts.ts'
import { hasPrice, isSeatsHeading, type Cells } from './tables.ts'

/** The heading of the column of seats after `moveSeatsToEnd`. */
const SEATS = 'Seats'
const PLAIN_NUMBER = /^\d{1,4}$/
const SEATS_IN_WORDS = /^(\d{1,5})\s*(?:seats?|places?|pax|participants?)\.?$/i
const CURRENCY_SIGN = /[₹$€£]|\/[-–=]|\b(?:rs|inr|usd|eur)\b/i
/** A larger number is a price, because workshops have fewer seats. */
const MAX_SEATS = 999

/** Returns "24" for "24 seats". Returns anything else unchanged. */
export const readSeats = (text: string): string => SEATS_IN_WORDS.exec(text)?.[1] ?? text

/**
 * Moves the column of seats to the end, with a heading that `isSeatsHeading` recognises. A single cell without a number
 * does not prevent this. Returns the cells unchanged if there is no such column.
 */
export function moveSeatsToEnd(
  cells: Cells,
  currency: Currency,
): { readonly cells: Cells; readonly hasSeats: boolean } {
  const first = cells.findIndex((row) => hasPrice(row, currency))
  const heads = cells.slice(0, Math.max(first, 0))
  const rows = cells.slice(Math.max(first, 0)).filter((row) => hasPrice(row, currency))
  const seatsColumn = findSeatsColumn(heads, rows, currency)
  if (seatsColumn < 0) return { cells, hasSeats: false }
  const heading = heads.findLastIndex((row) => row.filter((cell) => cell !== '').length > 1)
  const movedCells = cells.map((row, index) => [
    ...row.filter((_, column) => column !== seatsColumn),
    index === heading ? SEATS : index < first ? '' : (row[seatsColumn] ?? ''),
  ])
  const width = (cells[0]?.length ?? 1) - 1
  const addedRow = [...Array.from({ length: width }, () => ''), SEATS]
  return { cells: heading >= 0 ? movedCells : [addedRow, ...movedCells], hasSeats: true }
}

function findSeatsColumn(heads: Cells, rows: Cells, currency: Currency): number {
  const columns = Array.from({ length: rows[0]?.length ?? 0 }, (_, column) => column).slice(1)
  const listTexts = (column: number): readonly string[] =>
    rows.map((row) => row[column] ?? '').filter((cell) => cell !== '')
  const hasSeatsHeading = (column: number): boolean =>
    heads.some((row) => isSeatsHeading(row[column] ?? ''))
  const isInWords = (column: number): boolean => {
    const texts = listTexts(column)
    return texts.filter((text) => SEATS_IN_WORDS.test(text)).length * 2 > texts.length
  }
  const headedColumn = columns.find(hasSeatsHeading) ?? columns.find(isInWords)
  if (headedColumn !== undefined) return headedColumn
  const lastColumn = columns.findLast((column) => listTexts(column).length > 0) ?? 0
  const amounts = columns
    .filter((column) => column < lastColumn)
    .flatMap(listTexts)
    .filter((cell) => /\d/.test(cell) && isPriceCell(cell, currency))
  const areFeesSigned = amounts.length > 0 && amounts.every((cell) => CURRENCY_SIGN.test(cell))
  return areFeesSigned && listTexts(lastColumn).every((cell) => PLAIN_NUMBER.test(cell))
    ? lastColumn
    : -1
}

/** Returns true if every row has several prices and the last one can be a number of seats. */
export const canBeSeats = (rows: readonly { readonly cells: readonly string[] }[]): boolean =>
  rows.length > 0 &&
  rows.every(({ cells }) => {
    const last = cells.at(-1) ?? ''
    return cells.length > 1 && PLAIN_NUMBER.test(last) && Number(last) <= MAX_SEATS
  })

/** Returns the last price of each row. */
export const listLastPrices = ({ rows }: ItemTable): readonly string[] =>
  rows.map(({ cells }) => cells.at(-1) ?? '')

/** Returns the table after the organiser has answered that the last price of each row is its number of seats. */
export function readLastPricesAsSeats({ seatsAsked: _asked, ...table }: ItemTable): ItemTable {
  const rows = table.rows.map((row) => ({
    ...row,
    cells: row.cells.slice(0, -1),
    number: row.cells.at(-1) ?? '',
  }))
  return { ...table, rows, isByPeriod: rows.some(({ cells }) => cells.length > 1) }
}
