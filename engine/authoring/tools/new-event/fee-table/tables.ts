/** Separates a paste that contains several tables: the fees, the workshops, and others. */
import type { Currency } from '../../../../lib/money.ts'
import { isPriceCell } from './cells.ts'
import { ACCOMPANYING_WORDS, GROUP_TITLE, namesExtras, namesWorkshops } from './notes.ts'

/** Rows of cells, all of the same width. */
export type Cells = readonly (readonly string[])[]
export type SeparatedTables = {
  readonly fees: Cells
  /** Tables of workshops, with their titles and headings. */
  readonly workshops: readonly Cells[]
  /** Tables whose headings differ from those of the fees. The organiser decides what their rows are. */
  readonly others: readonly { readonly heading: string; readonly cells: Cells }[]
}
type Table = {
  /** Titles and headings above its prices. */
  readonly heads: Cells
  readonly rows: (readonly string[])[]
}

const SEATS_HEADING =
  /^\W*(?:(?:no\.?|number|max\w*)\s*(?:of\s*)?)?(?:seats?|places?|capacity|pax|intake|slots?)\b/i
const NUMBERING_HEADING = /^(?:(?:s|sl|sr)\.?\s*no\.?|no\.?|#)$/i
const NUMBER = /^\d+[.)]?$/
/** A title after which fees follow again. */
const FEES_TITLE = /\b(?:registration|categor(?:y|ies))\b|^conference\b/i

export const isSeatsHeading = (text: string): boolean => SEATS_HEADING.test(text)
export const isNumberingHeading = (text: string): boolean => NUMBERING_HEADING.test(text)

const listFilledCells = (row: readonly string[]): readonly string[] =>
  row.filter((cell) => cell !== '')
const isHeading = (row: readonly string[]): boolean => listFilledCells(row).length > 1
const hasHeadings = ({ heads }: Table): boolean => heads.some(isHeading)
const findLabel = (row: readonly string[]): string =>
  listFilledCells(row).find((cell) => !NUMBER.test(cell) && !isNumberingHeading(cell)) ?? ''

/** Returns true for a row with an amount, a word such as Free, or a dash, apart from its first cell. */
export const hasPrice = (row: readonly string[], currency: Currency): boolean =>
  row.some((cell, column) => column > 0 && isPriceCell(cell, currency))

/** Separates the fees in a pasted text from its other tables. */
export function separateTables(cells: Cells, currency: Currency): SeparatedTables {
  const { tables, notes } = splitTables(cells, currency)
  return sortTables(tables, notes)
}

/** Returns each table of a pasted text about workshops. */
export function listTables(cells: Cells, currency: Currency): readonly Cells[] {
  const { tables, notes } = splitTables(cells, currency)
  return tables.map(({ heads, rows }, index) =>
    dropEmptyColumns([...heads, ...rows, ...(index === tables.length - 1 ? notes : [])]),
  )
}

/**
 * Splits a pasted text into tables. A new row of headings starts another table, unless it repeats the current
 * headings. A title that mentions workshops or extras also starts another table, except below the headings of
 * workshops. `notes` are the rows that do not belong to any table.
 */
function splitTables(
  cells: Cells,
  currency: Currency,
): { readonly tables: readonly Table[]; readonly notes: Cells } {
  const tables: Table[] = []
  const notes: (readonly string[])[] = []
  let current: Table | undefined
  let pending: (readonly string[])[] = []
  for (const row of cells) {
    if (!hasPrice(row, currency)) {
      pending.push(row)
      continue
    }
    const heads = current === undefined ? pending : shortenRepeated(pending, current.heads)
    const start =
      current === undefined
        ? 0
        : listsWorkshops(current) && !heads.some(isHeading)
          ? -1
          : findTableStart(heads)
    if (start >= 0) {
      notes.push(...heads.slice(0, start))
      current = { heads: heads.slice(start), rows: [row] }
      tables.push(current)
    } else if (current !== undefined) {
      if (!hasHeadings(current) && heads.some(isFeesTitle)) current = tables[0] ?? current
      const target: Table =
        !hasHeadings(current) && ACCOMPANYING_WORDS.test(findLabel(row))
          ? (tables[0] ?? current)
          : current
      target.rows.push(...heads, row)
    }
    pending = []
  }
  return { tables, notes: [...notes, ...pending] }
}

/**
 * Removes headings that the table already has. If only the first cell of a heading differs, keeps that cell as a title.
 */
function shortenRepeated(rows: Cells, heads: Cells): (readonly string[])[] {
  const formatRow = (row: readonly string[]): string => row.join('\t').toLowerCase()
  const knownRows = new Set(heads.map(formatRow))
  const knownRowsWithoutFirstCell = new Set(heads.map((row) => formatRow(row.slice(1))))
  return rows
    .filter((row) => !isHeading(row) || !knownRows.has(formatRow(row)))
    .map((row) =>
      isHeading(row) && knownRowsWithoutFirstCell.has(formatRow(row.slice(1)))
        ? row.map((cell, column) => (column === 0 ? cell : ''))
        : row,
    )
}

/** Returns the index at which another table starts among rows without prices, or -1 if none starts. */
function findTableStart(rows: Cells): number {
  const title = rows.findIndex(
    (row) => !isHeading(row) && (namesWorkshops(findLabel(row)) || namesExtras(findLabel(row))),
  )
  const heading = rows.findIndex(isHeading)
  // The line above a heading is its title.
  const titleIndex = heading > 0 ? heading - 1 : heading
  return title < 0 || heading < 0 ? Math.max(title, titleIndex) : Math.min(title, titleIndex)
}

const isFeesTitle = (row: readonly string[]): boolean =>
  !isHeading(row) && (FEES_TITLE.test(findLabel(row)) || GROUP_TITLE.test(findLabel(row)))

const namesWorkshopsAbove = ({ heads }: Table): boolean =>
  heads.some((row) => namesWorkshops(findLabel(row)))

const listsWorkshops = (table: Table): boolean =>
  namesWorkshopsAbove(table) ||
  table.heads.some((row) => isHeading(row) && row.some(isSeatsHeading))

/** Sorts the tables into fees, workshops and others. `notes` belong to the fees. */
function sortTables(tables: readonly Table[], notes: Cells): SeparatedTables {
  const listsFees = (table: Table): boolean =>
    !namesWorkshopsAbove(table) || table.rows.some((row) => GROUP_TITLE.test(findLabel(row)))
  // If every table mentions workshops, the word describes the whole event: "CME on Echocardiography".
  const fees = tables.find(listsFees) ?? tables[0]
  if (fees === undefined) return { fees: notes, workshops: [], others: [] }
  const labels = new Set(fees.rows.map(findLabel))
  // A table with the same categories below another title is a group of categories.
  const isGroup = (table: Table): boolean =>
    !hasHeadings(table) && table.rows.every((row) => labels.has(findLabel(row)))
  const otherTables = tables.filter((table) => table !== fees)
  const groups = otherTables.filter(isGroup)
  const furtherTables = otherTables.filter((table) => !isGroup(table))
  const numbering = new Set(
    fees.heads.flatMap((row) =>
      row.flatMap((cell, column) => (isNumberingHeading(cell) ? [column] : [])),
    ),
  )
  const selectCells = (table: Table): Cells =>
    hasHeadings(table)
      ? dropEmptyColumns([...table.heads, ...table.rows])
      : // Its columns match those of the fees, so an empty column stays in place.
        dropEmptyColumns([...table.heads, ...table.rows], numbering)
  return {
    fees: dropEmptyColumns(
      [fees, ...groups].flatMap(({ heads, rows }) => [...heads, ...rows]).concat(notes),
    ),
    workshops: furtherTables.filter(listsWorkshops).map(selectCells),
    others: furtherTables
      .filter((table) => !listsWorkshops(table))
      .map((table) => ({
        heading: table.heads.map((row) => listFilledCells(row).join(', ')).join(': '),
        cells: selectCells(table),
      })),
  }
}

/** Removes empty columns. If `droppedColumns` is given, removes only these and empty columns at the end. */
function dropEmptyColumns(cells: Cells, droppedColumns?: ReadonlySet<number>): Cells {
  const width = Math.max(0, ...cells.map((row) => row.length))
  const isEmpty = (column: number): boolean => cells.every((row) => (row[column] ?? '') === '')
  const allColumns = Array.from({ length: width }, (_, column) => column)
  const last = allColumns.findLast((column) => !isEmpty(column)) ?? -1
  const keptColumns = allColumns.filter((column) =>
    droppedColumns === undefined ? !isEmpty(column) : column <= last && !droppedColumns.has(column),
  )
  return cells.map((row) => keptColumns.map((column) => row[column] ?? ''))
}
