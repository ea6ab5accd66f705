/** Checks the tables of workshops and accompanying persons. Each problem states its row or cell. */
import { INR, toAmount, type Currency } from '../../../lib/money.ts'
import { askAboutPrices, readCells, type FeeProblem } from './check-fees.ts'
import type { ItemRow, ItemTable } from './fee-table/parts.ts'
import { explainName } from './category-name.ts'
import { listLastPrices } from './fee-table/seats.ts'
import { listImplausiblePrices } from './prices.ts'
import { countPeriods, listPeriodLabels } from './price-periods.ts'
import type { NewEventAnswers, PricesByPeriod } from './sample-options.ts'
import { combineWorkshops, type WorkshopEntry } from './workshops.ts'

type CheckedItems = {
  /** The answers, including those recognised in the table. */
  readonly answers: NewEventAnswers
  readonly problems: readonly FeeProblem[]
}

/** Returns the price columns: none if the event is free, otherwise one for all periods or one per period. */
export function listItemColumns(
  { isByPeriod }: Pick<ItemTable, 'isByPeriod'>,
  answers: NewEventAnswers,
): readonly string[] {
  if (answers.free === true) return []
  const count = countPeriods(answers)
  return isByPeriod && count > 1 ? listPeriodLabels(count, answers.periodLabels) : ['Price']
}

/** Returns true if the row has further prices for the workshop above it. */
export const continuesWorkshop = (rows: readonly ItemRow[], index: number): boolean =>
  index > 0 && rows[index]?.label.trim() === '' && rows[index].category !== ''

/** Returns the name of the row's workshop. */
export function findWorkshopName(rows: readonly ItemRow[], index: number): string {
  return continuesWorkshop(rows, index)
    ? findWorkshopName(rows, index - 1)
    : (rows[index]?.label.trim() ?? '')
}

const EMPTY_ROW: ItemRow = { label: '', category: '', cells: [], number: '' }

/** Returns true for a row without prices above rows for single categories: it states the workshop and its seats. */
const isOnlyHeading = (rows: readonly ItemRow[], index: number): boolean =>
  rows[index]?.category === '' &&
  rows[index].cells.every((cell) => cell.trim() === '') &&
  continuesWorkshop(rows, index + 1)

export function readWorkshopTable(table: ItemTable, answers: NewEventAnswers): CheckedItems {
  const readContext = createReadContext(table, answers)
  const { rows } = table
  const problems: FeeProblem[] = []
  const rowsWithPrices = rows.flatMap((_, row) => (isOnlyHeading(rows, row) ? [] : [row]))
  const entries = rowsWithPrices.map((row): WorkshopEntry => {
    const { category, cells, number: ownNumber } = rows[row] ?? EMPTY_ROW
    const heading = row > 0 && isOnlyHeading(rows, row - 1) ? rows[row - 1] : undefined
    const typedSeats = ownNumber.trim() === '' ? (heading?.number ?? '') : ownNumber
    const label = findWorkshopName(rows, row)
    const reason =
      label === '' ? 'Which workshop has these prices?' : explainName(label, 'workshop')
    if (reason !== null) problems.push({ row, message: reason })
    const categoryText = category === '' ? '' : ` for “${category}”`
    const prices = readPrices(row, cells, readContext, `“${label}”`, categoryText, problems)
    const number = /^(\d{1,5})(?:\s*(?:seats?|places?))?$/i.exec(typedSeats.trim())?.[1]
    if (typedSeats.trim() !== '' && number === undefined)
      problems.push({
        row: ownNumber.trim() === '' ? row - 1 : row,
        column: 'number',
        message: `“${typedSeats.trim()}” is not a number of seats. Write a whole number, such as 30.`,
      })
    return { label, category, prices, seats: number === undefined ? null : Number(number) }
  })
  const { workshops, problems: contradictions } = combineWorkshops(
    entries,
    answers.categories ?? [],
  )
  return {
    answers: { ...answers, workshops },
    // The organiser says what the last column contains before its prices are checked.
    problems:
      table.seatsAsked === true
        ? [{ message: askAboutSeats(table, answers) }, ...listNotes(table)]
        : [
            ...problems,
            ...contradictions
              .filter(({ entry, message }) => entries[entry]?.label !== '' && message !== '')
              .map(({ entry, isAboutSeats, message }) => ({
                row: rowsWithPrices[entry] ?? entry,
                ...(isAboutSeats === true ? { column: 'number' as const } : {}),
                message,
              })),
            ...listNotes(table),
          ],
  }
}

/** Asks what the last column of a pasted table without headings contains. */
export function askAboutSeats(table: ItemTable, answers: NewEventAnswers): string {
  const period = listItemColumns(table, answers)[(table.rows[0]?.cells.length ?? 0) - 1]
  return `Are ${listLastPrices(table).join(', ')} numbers of seats, or prices${period === undefined ? '' : ` in “${period}”`}?`
}

const COMPANION_LABEL = 'Accompanying person'

export function readCompanionTable(table: ItemTable, answers: NewEventAnswers): CheckedItems {
  const readContext = createReadContext(table, answers)
  const [first, ...others] = table.rows
  const notes = listNotes(table)
  if (first === undefined) return { answers, problems: notes }
  const problems: FeeProblem[] = []
  const prices = readPrices(0, first.cells, readContext, `“${COMPANION_LABEL}”`, '', problems)
  if (problems.length === 0 && prices.every((price) => price === null))
    problems.push({ row: 0, message: `Enter at least one price for “${COMPANION_LABEL}”.` })
  const age = first.number.trim()
  const isAge = /^[1-9]\d?$/.test(age)
  if (age !== '' && !isAge)
    problems.push({
      row: 0,
      column: 'number',
      message: `“${age}” is not an age. Write a number of years, such as 5, or leave it empty.`,
    })
  for (const [index, { label }] of others.entries())
    problems.push({
      row: index + 1,
      message: `You can enter only one price for accompanying persons here. Remove “${label || COMPANION_LABEL}”, and add it to the file later.`,
    })
  return {
    answers: { ...answers, companions: { prices, freeUnder: isAge ? Number(age) : null } },
    problems: [...problems, ...notes],
  }
}

type ReadContext = Pick<ItemTable, 'confirmed'> & {
  readonly columns: readonly string[]
  readonly currency: Currency
}

const createReadContext = (table: ItemTable, answers: NewEventAnswers): ReadContext => ({
  ...table,
  columns: listItemColumns(table, answers),
  currency: answers.currency ?? INR,
})

/** Reads the prices of a row and adds its problems to `problems`. */
function readPrices(
  row: number,
  cells: readonly string[],
  { columns, currency, confirmed }: ReadContext,
  name: string,
  categoryText: string,
  problems: FeeProblem[],
): PricesByPeriod {
  if (columns.length === 0) return [toAmount(0)]
  const isSingle = columns.length === 1
  const { prices, problems: cellProblems } = readCells(
    row,
    columns.map((_, column) => cells[column] ?? ''),
    currency,
    (column) => `does ${name} cost${categoryText}${isSingle ? '' : ` in “${columns[column]}”`}?`,
  )
  problems.push(...cellProblems)
  const isOnSale = prices.some((price) => price !== null)
  if (cellProblems.length === 0 && isOnSale)
    problems.push(
      ...askAboutPrices(
        row,
        listImplausiblePrices(`${name}${categoryText}`, prices, currency, columns),
        confirmed,
      ),
    )
  return cellProblems.length > 0 ? [] : prices
}

const listNotes = ({ notes }: ItemTable): readonly FeeProblem[] =>
  notes.map((message, note) => ({ note, message }))
