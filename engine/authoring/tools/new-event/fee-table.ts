/** Reads a fee table pasted from a spreadsheet or a web page, without dropping any text. */
import { suggestAmount } from '../../suggestions/amount-notations.ts'
import { INR, type Currency } from '../../../lib/money.ts'
import { addDays, type Day } from '../../../lib/time.ts'
import {
  GST_PERCENT,
  isPriceCell,
  mentionsTax,
  readTaxNote,
  splitCells,
  splitTaxNote,
  type TableTax,
} from './fee-table/cells.ts'
import { connectPeriods, isPeriodHeading, readPeriodHeading, splitTime } from './fee-table/days.ts'
import {
  extractCompanions,
  formatNoteBelow,
  GROUP_TITLE,
  listUnexplainedMarks,
  moveExtrasToNotes,
} from './fee-table/notes.ts'
import { findTableCurrency } from './fee-table/currency.ts'
import { dropTaxColumns } from './fee-table/tax.ts'
import type { FeeRow, FeeTable } from './fee-table/parts.ts'
import { hasPrice, isNumberingHeading, separateTables, type Cells } from './fee-table/tables.ts'
import { readPrice } from './prices.ts'

/**
 * A pasted fee table, with the tax and the price of accompanying persons. Each of these is null if the table does not
 * state it.
 */
export type PastedFees = FeeTable & {
  readonly tax: TableTax | null
  /** The price of an accompanying person, in the format of an answer to that question. */
  readonly companions: string | null
  /** The cells of each table of workshops in the same text. */
  readonly workshops: readonly Cells[]
}
/** The context for reading the table's amounts and days. */
export type TableContext = {
  readonly currency: Currency
  readonly from: Day | undefined
  readonly to: Day | undefined
  readonly today: Day
}

const CAPTION_WORDS =
  /^[\s*]*(?:(?:notes?|registration|delegate|conference|all|are|is|fees?|fee structure|tariff|amount|charges?|rates?|prices?|categor(?:y|ies)|particulars?|types?|details|class|in|inr|rs\.?|₹|rupees|per|person|of|the|and|for|date|dates|period|structure|:|–|-|\/|\(|\)|20\d\d)[\s:*()]*)+$/i
const OTHER_CURRENCY = /\b(usd|us\$|eur|gbp|aed|dollars?|euros?)\b|[$€£]/i

/** The tax note recorded for a column of GST amounts. */
const GST_COLUMN = '+ GST'

/** The table after its headings and labels have been read, but before its dates are. */
type Body = {
  readonly heads: readonly string[]
  readonly rows: readonly FeeRow[]
}
/** A row before its label cells are joined. */
type LabelledRow = { readonly labels: readonly string[]; readonly cells: readonly string[] }

/** Reads the table of registration fees. Separates rows that are probably not categories. */
export function readFeeTable(text: string, context: TableContext): PastedFees {
  const { fees, workshops, others } = separateTables(splitCells(text), context.currency)
  const { tax, ...table } = readPriceTable(fees, context)
  const currency = table.currency ?? context.currency
  const { notes, ...remainingFees } = moveExtrasToNotes(extractCompanions(table, currency))
  return {
    ...remainingFees,
    notes: [...notes, ...others.flatMap((other) => listRowsBelow(other, context, currency))],
    tax,
    workshops,
  }
}

/**
 * Returns a note about each row of another table. Amounts include their currency if it differs from that of the fees.
 */
function listRowsBelow(
  { heading, cells }: { readonly heading: string; readonly cells: Cells },
  context: TableContext,
  currency: Currency,
): readonly string[] {
  const { rows, notes, ...table } = readPriceTable(cells, context)
  const ownCurrency = table.currency ?? table.currencyAsked ?? currency
  const nameCurrency = (cell: string): string =>
    ownCurrency !== currency && /^\d/.test(cell) ? `${ownCurrency} ${cell}` : cell
  return [
    ...rows.map((row) => formatNoteBelow({ ...row, cells: row.cells.map(nameCurrency) }, heading)),
    ...notes.filter((note) => !heading.includes(note)),
  ]
}

/** Reads a table of prices by period. If `hasSeats` is true, its last column contains seats, in any notation. */
export function readPriceTable(
  cells: Cells,
  context: TableContext,
  hasSeats = false,
): FeeTable & { readonly tax: TableTax | null } {
  const tableCurrency = context.currency === INR ? findTableCurrency(cells) : {}
  const { currency = context.currency } = tableCurrency
  // If the currency of the whole table is in question, individual lines do not ask about it again.
  const isCurrencyKnown = (tableCurrency.currency ?? tableCurrency.currencyAsked) !== undefined
  const notes: string[] = []
  const taxNotes: string[] = []
  const extractTaxNote = (cell: string): string => {
    if (!mentionsTax(cell)) return cell
    const { rest, note } = splitTaxNote(cell)
    const isWholeNote = note === '' || CAPTION_WORDS.test(rest)
    if (readTaxNote(isWholeNote ? cell : note) === null) return cell
    taxNotes.push(isWholeNote ? cell : note)
    return isWholeNote ? '' : rest
  }
  const { headRows, priceRows } = separateRows(cells, currency, (line) => {
    const rest = extractTaxNote(line)
    const isCaption =
      CAPTION_WORDS.test(rest) ||
      (isCurrencyKnown && CAPTION_WORDS.test(`in ${rest.replace(OTHER_CURRENCY, ' ')}`))
    if (rest !== '' && !isCaption) notes.push(rest)
  })
  const allColumns = chooseColumns(headRows, priceRows, currency, hasSeats)
  const taxColumns = dropTaxColumns(headRows, priceRows, allColumns.prices, currency, GST_PERCENT)
  const columns = { ...allColumns, prices: taxColumns.prices }
  if (taxColumns.isOnTop) taxNotes.push(GST_COLUMN)
  if (taxColumns.unclear !== null) notes.push(`${taxColumns.unclear} (columns)`)
  for (const column of columns.others)
    for (const [index, row] of [...headRows, ...priceRows].entries())
      if ((row[column] ?? '') !== '' && index >= headRows.length) notes.push(row[column] ?? '')
  for (const column of columns.labels)
    for (const row of headRows) {
      const rest = extractTaxNote(row[column] ?? '')
      if (rest !== '' && !CAPTION_WORDS.test(rest) && !GROUP_TITLE.test(rest)) notes.push(rest)
    }
  const labelCells = priceRows.flatMap((row) => columns.labels.map((column) => row[column] ?? ''))
  notes.push(...listUnexplainedMarks(labelCells, notes))
  const heads = readHeads(
    headRows.map((row) => columns.prices.map((column) => extractTaxNote(row[column] ?? ''))),
    columns.prices.length,
  )
  const rows = readRows(priceRows, columns, currency, taxNotes, hasSeats)
  const body = arrangeTable(heads, rows, currency)
  const latest = context.to ?? context.from ?? addDays(context.today, 365)
  const fees: FeeTable = {
    columns: connectPeriods(
      body.heads.map((head) => {
        const { rest, time } = splitTime(head)
        if (time !== null) notes.push(head)
        return readPeriodHeading(rest, latest)
      }),
      context,
    ).map((column) => (CAPTION_WORDS.test(column.label) ? { ...column, label: '' } : column)),
    rows: body.rows,
    notes,
    ...tableCurrency,
  }
  const taxes = new Set(taxNotes.map(readTaxNote))
  const [tax = null] = taxes
  return taxes.size > 1 ? { ...fees, notes: [...notes, ...taxNotes], tax: null } : { ...fees, tax }
}

/**
 * Separates headings from rows with prices. A line with a single cell may be the title of a group of rows. All other
 * texts are passed to `addNote`.
 */
function separateRows(
  rows: readonly (readonly string[])[],
  currency: Currency,
  addNote: (line: string) => void,
): {
  readonly headRows: readonly (readonly string[])[]
  readonly priceRows: readonly (readonly string[])[]
} {
  const isPriced = (row: readonly string[]): boolean => hasPrice(row, currency)
  const first = rows.findIndex(isPriced)
  const headRows: (readonly string[])[] = []
  const priceRows: (readonly string[])[] = []
  const labels = rows.filter(isPriced).map(([label = '']) => label)
  const isRepeated = labels.some((label, index) => label !== '' && labels.indexOf(label) !== index)
  let group = ''
  for (const [index, row] of rows.entries()) {
    const filledCells = row.filter((cell) => cell !== '')
    if (isPriced(row))
      priceRows.push(group === '' ? row : [`${group} – ${row[0] ?? ''}`, ...row.slice(1)])
    else if (filledCells.length > 1 && index < first) headRows.push(row)
    else if (
      filledCells.length === 1 &&
      isRepeated &&
      !mentionsTax(filledCells[0] ?? '') &&
      index > first - 2
    )
      group = filledCells[0] ?? ''
    else if (
      filledCells.length === 1 &&
      index < first &&
      (row[0] ?? '') === '' &&
      // Below the headings, a single cell is the title of the following rows.
      (headRows.length === 0 || isPeriodHeading(filledCells[0] ?? ''))
    )
      headRows.push(row)
    else for (const cell of filledCells) addNote(cell)
  }
  return { headRows, priceRows }
}

type Columns = {
  readonly labels: readonly number[]
  readonly prices: readonly number[]
  readonly others: readonly number[]
}

/**
 * Classifies columns: labels are to the left of the first column with prices. Numbering columns are
 * ignored.
 */
function chooseColumns(
  headRows: readonly (readonly string[])[],
  priceRows: readonly (readonly string[])[],
  currency: Currency,
  hasSeats: boolean,
): Columns {
  const width = priceRows[0]?.length ?? 0
  const columnIndexes = Array.from({ length: width }, (_, column) => column)
  const isNumbering = (column: number): boolean =>
    headRows.some((row) => isNumberingHeading(row[column] ?? '')) ||
    (column === 0 &&
      width > 2 &&
      priceRows.every((row, index) => (row[0] ?? '').replace(/[.)]$/, '') === String(index + 1)))
  const hasPrices = (column: number): boolean => {
    if (hasSeats && column === width - 1) return true
    const cells = priceRows.map((row) => row[column] ?? '').filter((cell) => cell !== '')
    return cells.filter((cell) => isPriceCell(cell, currency)).length * 2 > cells.length
  }
  const unnumberedColumns = columnIndexes.filter((column) => !isNumbering(column))
  const first =
    unnumberedColumns.find((column) => column !== unnumberedColumns[0] && hasPrices(column)) ??
    width
  return {
    labels: unnumberedColumns.filter((column) => column < first),
    prices: unnumberedColumns.filter((column) => column >= first && hasPrices(column)),
    others: unnumberedColumns.filter((column) => column >= first && !hasPrices(column)),
  }
}

/** Returns the texts above each price column. An empty cell continues the one before it. */
function readHeads(
  rows: readonly (readonly string[])[],
  width: number,
): readonly (readonly string[])[] {
  const filledRows = rows.map((row, index) => {
    const isMerged = rows.length === 1 || index < rows.length - 1
    let previousCell = ''
    return row.map((cell) => (previousCell = cell === '' && isMerged ? previousCell : cell))
  })
  return Array.from({ length: width }, (_, column) =>
    filledRows
      .map((row) => row[column] ?? '')
      .filter(
        (cell, index, all) =>
          cell !== '' && !CAPTION_WORDS.test(cell) && all.indexOf(cell) === index,
      ),
  )
}

/** Fills merged labels from above, and removes notes about tax from prices. */
function readRows(
  priceRows: readonly (readonly string[])[],
  columns: Columns,
  currency: Currency,
  taxNotes: string[],
  hasSeats: boolean,
): readonly LabelledRow[] {
  const labelsAbove: string[] = []
  let previousCells: readonly string[] = []
  return priceRows.map((row) => {
    const labels = columns.labels
      .map((column, index) => {
        const isMerged = index < columns.labels.length - 1
        const cell = row[column] ?? ''
        return (labelsAbove[index] = cell === '' && isMerged ? (labelsAbove[index] ?? '') : cell)
      })
      .map(cleanLabel)
      .filter((part) => part !== '')
    const cells = columns.prices.map((column, index) => {
      const cell = row[column] ?? ''
      const suggestion = suggestAmount(cell, currency)
      if (suggestion?.is === 'as-above') return previousCells[index] ?? cell
      if (suggestion?.is !== 'with-tax' || readTaxNote(cell) === null) return cell
      taxNotes.push(cell)
      return suggestion.rupees
    })
    // "Free" in a cell that spans all periods.
    const [first = ''] = cells
    const isSpanned =
      first !== '' &&
      readPrice(first, currency) === 0 &&
      cells.slice(1, hasSeats ? -1 : undefined).every((cell) => cell === '')
    const isSeats = (index: number): boolean => hasSeats && index === cells.length - 1
    previousCells = isSpanned ? cells.map((cell, index) => (isSeats(index) ? cell : first)) : cells
    return { labels, cells: previousCells }
  })
}

const cleanLabel = (text: string): string =>
  text.replace(/[\s:*†‡#]+$/, '').replace(/^[\s*•–-]+/, '')

/** Arranges a table in any layout with categories as rows and periods as columns. */
function arrangeTable(
  heads: readonly (readonly string[])[],
  labelledRows: readonly LabelledRow[],
  currency: Currency,
): Body {
  const listBody = readList(labelledRows)
  if (listBody !== null) return listBody
  const headings = heads.map((parts) => parts.join(' '))
  const isForeignHeading = headings.map((head) => currency === INR && OTHER_CURRENCY.test(head))
  // If all columns have the same foreign currency, one question about the table is enough.
  const isForeign = isForeignHeading.every(Boolean) ? [] : isForeignHeading
  const rows = labelledRows.map(({ labels, cells }) => ({
    label: labels.join(' – '),
    // Marks amounts as foreign if their heading states another currency.
    cells: cells.map((cell, column) =>
      isForeign[column] === true && /^\d/.test(cell) ? `USD ${cell}` : cell,
    ),
  }))
  const isTimed = heads.some((parts) => parts.some(isPeriodHeading))
  if (!isTimed && rows.length > 0 && rows.every(({ label }) => isPeriodHeading(label)))
    return {
      heads: rows.map(({ label }) => label),
      rows: headings.map((label, column) => ({
        label,
        cells: rows.map(({ cells }) => cells[column] ?? ''),
      })),
    }
  const columns = heads.map((parts) => ({
    period: parts.filter(isPeriodHeading).join(' '),
    group: parts.filter((part) => !isPeriodHeading(part)).join(' '),
  }))
  const isGrouped =
    columns.length > 1 &&
    // The same prices with and without GST are not two categories.
    !columns.some(({ group }) => mentionsTax(group)) &&
    columns.every(
      ({ group, period }) => group !== '' && (isTimed ? period !== '' : GROUP_TITLE.test(group)),
    )
  const groups = [...new Set(columns.map(({ group }) => group))]
  if (!isGrouped || groups.length === 1) return { heads: headings, rows }
  const periods = [...new Set(columns.map(({ period }) => period))]
  return {
    heads: periods,
    rows: rows.flatMap(({ label, cells }) =>
      groups.map((group) => ({
        label:
          label === '' || (rows.length === 1 && CAPTION_WORDS.test(label))
            ? group
            : `${label} – ${group}`,
        cells: periods.map(
          (period) =>
            cells[
              columns.findIndex((column) => column.group === group && column.period === period)
            ] ?? '',
        ),
      })),
    ),
  }
}

/** Reads a list with one line per category and period; null if the table is not such a list. */
function readList(rows: readonly LabelledRow[]): Body | null {
  const isList = rows.every(
    ({ labels: [category = '', period = '', third], cells }) =>
      third === undefined &&
      cells.length === 1 &&
      isPeriodHeading(period) &&
      !isPeriodHeading(category),
  )
  if (!isList || rows.length === 0) return null
  const [categories, periods] = [0, 1].map((part) => [
    ...new Set(rows.map(({ labels }) => labels[part] ?? '')),
  ])
  return {
    heads: periods ?? [],
    rows: (categories ?? []).map((category) => ({
      label: category,
      cells: (periods ?? []).map(
        (period) =>
          rows.find(({ labels }) => labels[0] === category && labels[1] === period)?.cells[0] ?? '',
      ),
    })),
  }
}
