/** Reads a table of fees as it is copied from a spreadsheet or a web page; nothing in it is dropped. */
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
import { ACCOMPANYING, askAboutExtras, CONDITION, listUnexplainedMarks } from './fee-table/notes.ts'
import { findTableCurrency } from './fee-table/currency.ts'
import { dropTaxColumns } from './fee-table/tax.ts'
import type { FeeRow, FeeTable } from './fee-table/parts.ts'
import { readPrice } from './prices.ts'

/** What a pasted table says besides the fees of the categories. Null if it does not. */
export type PastedFees = FeeTable & {
  readonly tax: TableTax | null
  /** The price of an accompanying person, as the answer to its question. */
  readonly companions: string | null
}
/** What the days of the table can mean. */
export type TableContext = {
  readonly currency: Currency
  readonly from: Day | undefined
  readonly to: Day | undefined
  readonly today: Day
}

const NUMBERING = /^(?:(?:s|sl|sr)\.?\s*no\.?|no\.?|#)$/i
const CAPTION =
  /^[\s*]*(?:(?:notes?|registration|delegate|conference|all|are|is|fees?|fee structure|tariff|amount|charges?|rates?|prices?|categor(?:y|ies)|particulars?|types?|details|class|in|inr|rs\.?|₹|rupees|per|person|of|the|and|for|date|dates|period|structure|:|–|-|\/|\(|\)|20\d\d)[\s:*()]*)+$/i
const GROUP =
  /\b(members?|non[- ]?members?|delegates?|students?|pgs?|post ?graduates?|residents?|faculty|doctors?|consultants?|nurses?|trainees?|interns?|ugs?|indian?s?|foreign\w*|overseas|international|saarc|national)\b/i
const OTHER_CURRENCY = /\b(usd|us\$|eur|gbp|aed|dollars?|euros?)\b|[$€£]/i

/** What a column of GST says. */
const GST_COLUMN = '+ GST'

/** Cells of the table whose headings and labels are read, before days are. */
type Body = {
  readonly heads: readonly string[]
  readonly rows: readonly FeeRow[]
}
/** A row whose labels are still apart. */
type LabelledRow = { readonly labels: readonly string[]; readonly cells: readonly string[] }

export function readFeeTable(text: string, context: TableContext): PastedFees {
  const cells = splitCells(text)
  const found = context.currency === INR ? findTableCurrency(text, cells) : {}
  const { currency = context.currency } = found
  // What is asked about the whole table is not asked about a line.
  const isCurrencyKnown = (found.currency ?? found.currencyAsked) !== undefined
  const notes: string[] = []
  const taxNotes: string[] = []
  const takeTax = (cell: string): string => {
    if (!mentionsTax(cell)) return cell
    const { rest, note } = splitTaxNote(cell)
    const whole = note === '' || CAPTION.test(rest)
    if (readTaxNote(whole ? cell : note) === null) return cell
    taxNotes.push(whole ? cell : note)
    return whole ? '' : rest
  }
  const { headRows, priceRows } = separateRows(cells, currency, (line) => {
    const rest = takeTax(line)
    const isCaption =
      CAPTION.test(rest) ||
      (isCurrencyKnown && CAPTION.test(`in ${rest.replace(OTHER_CURRENCY, ' ')}`))
    if (rest !== '' && !isCaption) notes.push(rest)
  })
  const all = chooseColumns(headRows, priceRows, currency)
  const untaxed = dropTaxColumns(headRows, priceRows, all.prices, currency, GST_PERCENT)
  const columns = { ...all, prices: untaxed.prices }
  if (untaxed.isOnTop) taxNotes.push(GST_COLUMN)
  if (untaxed.unclear !== null) notes.push(`${untaxed.unclear} (columns)`)
  for (const column of columns.others)
    for (const [index, row] of [...headRows, ...priceRows].entries())
      if ((row[column] ?? '') !== '' && index >= headRows.length) notes.push(row[column] ?? '')
  for (const column of columns.labels)
    for (const row of headRows) {
      const rest = takeTax(row[column] ?? '')
      if (rest !== '' && !CAPTION.test(rest) && !GROUP.test(rest)) notes.push(rest)
    }
  const marked = priceRows.flatMap((row) => columns.labels.map((column) => row[column] ?? ''))
  notes.push(...listUnexplainedMarks(marked, notes))
  const heads = readHeads(
    headRows.map((row) => columns.prices.map((column) => takeTax(row[column] ?? ''))),
    columns.prices.length,
  )
  const rows = readRows(priceRows, columns, currency, taxNotes)
  const body = arrange(heads, rows, currency)
  const latest = context.to ?? context.from ?? addDays(context.today, 365)
  const fees: FeeTable = {
    columns: connectPeriods(
      body.heads.map((head) => {
        const { rest, time } = splitTime(head)
        if (time !== null) notes.push(head)
        return readPeriodHeading(rest, latest)
      }),
      context,
    ).map((column) => (CAPTION.test(column.label) ? { ...column, label: '' } : column)),
    rows: body.rows,
    notes,
    ...found,
  }
  const taxes = new Set(taxNotes.map(readTaxNote))
  const [tax = null] = taxes
  return {
    ...askAboutExtras(
      takeCompanions(taxes.size > 1 ? { ...fees, notes: [...notes, ...taxNotes] } : fees, currency),
    ),
    tax: taxes.size > 1 ? null : tax,
  }
}

/** Separates headings from rows with prices. A line with a single text goes to `note`, or names a group of rows. */
function separateRows(
  rows: readonly (readonly string[])[],
  currency: Currency,
  note: (line: string) => void,
): {
  readonly headRows: readonly (readonly string[])[]
  readonly priceRows: readonly (readonly string[])[]
} {
  const hasPrice = (row: readonly string[]): boolean =>
    row.some((cell, column) => column > 0 && isPriceCell(cell, currency))
  const first = rows.findIndex(hasPrice)
  const headRows: (readonly string[])[] = []
  const priceRows: (readonly string[])[] = []
  const labels = rows.filter(hasPrice).map(([label = '']) => label)
  const isRepeated = labels.some((label, index) => label !== '' && labels.indexOf(label) !== index)
  let group = ''
  for (const [index, row] of rows.entries()) {
    const filled = row.filter((cell) => cell !== '')
    if (hasPrice(row))
      priceRows.push(group === '' ? row : [`${group} – ${row[0] ?? ''}`, ...row.slice(1)])
    else if (filled.length > 1 && index < first) headRows.push(row)
    else if (
      filled.length === 1 &&
      isRepeated &&
      !mentionsTax(filled[0] ?? '') &&
      index > first - 2
    )
      group = filled[0] ?? ''
    else if (
      filled.length === 1 &&
      index < first &&
      (row[0] ?? '') === '' &&
      // Below the headings, a single text is the title of the rows that follow.
      (headRows.length === 0 || isPeriodHeading(filled[0] ?? ''))
    )
      headRows.push(row)
    else for (const cell of filled) note(cell)
  }
  return { headRows, priceRows }
}

type Columns = {
  readonly labels: readonly number[]
  readonly prices: readonly number[]
  readonly others: readonly number[]
}

/** The columns of labels are those before the first one with prices; a numbering is neither. */
function chooseColumns(
  headRows: readonly (readonly string[])[],
  priceRows: readonly (readonly string[])[],
  currency: Currency,
): Columns {
  const width = priceRows[0]?.length ?? 0
  const all = Array.from({ length: width }, (_, column) => column)
  const isNumbering = (column: number): boolean =>
    headRows.some((row) => NUMBERING.test(row[column] ?? '')) ||
    (column === 0 &&
      width > 2 &&
      priceRows.every((row, index) => (row[0] ?? '').replace(/[.)]$/, '') === String(index + 1)))
  const hasPrices = (column: number): boolean => {
    const cells = priceRows.map((row) => row[column] ?? '').filter((cell) => cell !== '')
    return cells.filter((cell) => isPriceCell(cell, currency)).length * 2 > cells.length
  }
  const counted = all.filter((column) => !isNumbering(column))
  const first = counted.find((column) => column !== counted[0] && hasPrices(column)) ?? width
  return {
    labels: counted.filter((column) => column < first),
    prices: counted.filter((column) => column >= first && hasPrices(column)),
    others: counted.filter((column) => column >= first && !hasPrices(column)),
  }
}

/** Returns the texts above each column of prices. An empty cell continues the one before it. */
function readHeads(
  rows: readonly (readonly string[])[],
  width: number,
): readonly (readonly string[])[] {
  const filled = rows.map((row, index) => {
    const isMerged = rows.length === 1 || index < rows.length - 1
    let before = ''
    return row.map((cell) => (before = cell === '' && isMerged ? before : cell))
  })
  return Array.from({ length: width }, (_, column) =>
    filled
      .map((row) => row[column] ?? '')
      .filter(
        (cell, index, all) => cell !== '' && !CAPTION.test(cell) && all.indexOf(cell) === index,
      ),
  )
}

/** Fills merged labels from above, and writes prices without their notes about tax. */
function readRows(
  priceRows: readonly (readonly string[])[],
  columns: Columns,
  currency: Currency,
  taxNotes: string[],
): readonly LabelledRow[] {
  const above: string[] = []
  let before: readonly string[] = []
  return priceRows.map((row) => {
    const labels = columns.labels
      .map((column, index) => {
        const isMerged = index < columns.labels.length - 1
        const cell = row[column] ?? ''
        return (above[index] = cell === '' && isMerged ? (above[index] ?? '') : cell)
      })
      .map(cleanLabel)
      .filter((part) => part !== '')
    const cells = columns.prices.map((column, index) => {
      const cell = row[column] ?? ''
      const suggestion = suggestAmount(cell, currency)
      if (suggestion?.is === 'as-above') return before[index] ?? cell
      if (suggestion?.is !== 'with-tax' || readTaxNote(cell) === null) return cell
      taxNotes.push(cell)
      return suggestion.rupees
    })
    // "Free" in a cell that spans all periods.
    const [first = ''] = cells
    const isSpanned =
      first !== '' &&
      readPrice(first, currency) === 0 &&
      cells.slice(1).every((cell) => cell === '')
    before = isSpanned ? cells.map(() => first) : cells
    return { labels, cells: before }
  })
}

const cleanLabel = (text: string): string =>
  text.replace(/[\s:*†‡#]+$/, '').replace(/^[\s*•–-]+/, '')

/** Arranges the table with categories as rows and periods as columns, however it was drawn. */
function arrange(
  heads: readonly (readonly string[])[],
  labelled: readonly LabelledRow[],
  currency: Currency,
): Body {
  const listed = readList(labelled)
  if (listed !== null) return listed
  const joined = heads.map((parts) => parts.join(' '))
  const named = joined.map((head) => currency === INR && OTHER_CURRENCY.test(head))
  // One currency above all columns is asked about once.
  const isForeign = named.every(Boolean) ? [] : named
  const rows = labelled.map(({ labels, cells }) => ({
    label: labels.join(' – '),
    // A figure is not in rupees if its heading says so.
    cells: cells.map((cell, column) =>
      isForeign[column] === true && /^\d/.test(cell) ? `USD ${cell}` : cell,
    ),
  }))
  const isTimed = heads.some((parts) => parts.some(isPeriodHeading))
  if (!isTimed && rows.length > 0 && rows.every(({ label }) => isPeriodHeading(label)))
    return {
      heads: rows.map(({ label }) => label),
      rows: joined.map((label, column) => ({
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
    // Prices with and without GST are not two categories.
    !columns.some(({ group }) => mentionsTax(group)) &&
    columns.every(
      ({ group, period }) => group !== '' && (isTimed ? period !== '' : GROUP.test(group)),
    )
  const groups = [...new Set(columns.map(({ group }) => group))]
  if (!isGrouped || groups.length === 1) return { heads: joined, rows }
  const periods = [...new Set(columns.map(({ period }) => period))]
  return {
    heads: periods,
    rows: rows.flatMap(({ label, cells }) =>
      groups.map((group) => ({
        label:
          label === '' || (rows.length === 1 && CAPTION.test(label))
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

/** Reads a list with a line for each category and period; null if it is not one. */
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

/** Accompanying persons are asked separately: they come with a delegate and are no category. */
function takeCompanions(fees: FeeTable, currency: Currency): Omit<PastedFees, 'tax'> {
  const row = fees.rows.find(({ label }) => ACCOMPANYING.test(label))
  const prices = row?.cells.map((cell) => readPrice(cell, currency)) ?? []
  if (row === undefined || fees.rows.length === 1 || prices.some((price) => price == null))
    return { ...fees, companions: null }
  return {
    ...fees,
    rows: fees.rows.filter((other) => other !== row),
    // Its price is asked on another card, where an age or a condition must be written again.
    notes: CONDITION.test(row.label) ? [...fees.notes, row.label] : fees.notes,
    companions: row.cells.join(' / ').replaceAll(/\/-/g, ''),
  }
}
