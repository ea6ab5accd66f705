/** Reads a pasted table of workshops or accompanying persons, with the periods of the registration fees. */
import { formatDay, isDay, type Day } from '../../../../lib/time.ts'
import { countPeriods, listPeriodLabels } from '../price-periods.ts'
import { readPriceTable } from '../fee-table.ts'
import { INR } from '../../../../lib/money.ts'
import { splitCells } from './cells.ts'
import { splitSeats } from '../prices.ts'
import type { NewEventAnswers } from '../sample-options.ts'
import { splitCategory } from '../workshops.ts'
import { isPeriodHeading, type PeriodDays } from './days.ts'
import { ACCOMPANYING_WORDS } from './notes.ts'
import type { FeeRow, ItemRow, ItemTable } from './parts.ts'
import { canBeSeats, listLastPrices, moveSeatsToEnd, readSeats } from './seats.ts'
import { isSeatsHeading, listTables, type Cells } from './tables.ts'

/** A heading above the names of workshops. */
const WORKSHOP_HEADING =
  /^(?:(?:(?:pre|post)[- ]?(?:conference|congress)|workshops?|courses?|cmes?|hands[- ]on|add[- ]?ons?|seats?|topics?|names?|titles?|accompanying|persons?|fees?|prices?|of|the)[\s:]*)+$/i
const WORKSHOP_PREFIX =
  /^(?:(?:pre|post)[- ]?(?:conference|congress)\s+)?workshops?(?:\s*\d+)?\s*[:–—-]\s*/i
const FREE_FOR_PATTERN =
  /\s*(?:[([]\s*|[,;–-]\s*)?(?:is\s+)?free\s+(?:of charge\s+)?for\s+([^()[\]]+?)\s*[)\]]?$/i

/** Reads a pasted text, which can contain several tables. */
export function readItemTable(text: string, answers: NewEventAnswers, today: Day): ItemTable {
  return readItemTables(listTables(splitCells(text), answers.currency ?? INR), answers, today)
}

/**
 * Reads several tables as one. If one table has a price for each period, the single prices in the other tables apply
 * to all periods.
 */
export function readItemTables(
  tables: readonly Cells[],
  answers: NewEventAnswers,
  today: Day,
): ItemTable {
  const itemTables = tables.map((cells) => readTable(cells, answers, today))
  const width = Math.max(
    1,
    ...itemTables.flatMap(({ rows }) => rows.map(({ cells }) => cells.length)),
  )
  const isByPeriod = width > 1
  const askingTables = itemTables.filter(({ seatsAsked }) => seatsAsked === true)
  const isSeatsAsked = askingTables.length > 0 && askingTables.length === itemTables.length
  return {
    rows: itemTables
      .flatMap(({ rows }) => rows)
      .map((row) =>
        row.cells.length === 1
          ? { ...row, cells: Array.from({ length: width }, () => row.cells[0] ?? '') }
          : row,
      ),
    notes: [
      ...itemTables.flatMap(({ notes }) => notes),
      ...(isSeatsAsked ? [] : askingTables.map(explainLastNumbers)),
    ],
    isByPeriod,
    ...(isSeatsAsked ? { seatsAsked: true } : {}),
  }
}

const explainLastNumbers = (table: ItemTable): string =>
  `${listLastPrices(table).join(', ')} were read as prices. If they are numbers of seats, enter them in the seats column.`

function readTable(pastedCells: Cells, answers: NewEventAnswers, today: Day): ItemTable {
  const { from, to = from, currency = INR, tax } = answers
  const { cells: arrangedCells, hasSeats } = moveSeatsToEnd(pastedCells, currency)
  const table = readPriceTable(arrangedCells, { from, to, currency, today }, hasSeats)
  const categories = answers.categories?.map(({ label }) => label) ?? []
  const seatsColumn = table.columns.findIndex(({ label }) => isSeatsHeading(label))
  const heads = table.columns.filter((_, column) => column !== seatsColumn)
  const pricedRows = table.rows.map(({ label, cells }) => ({
    label,
    cells: cells.filter((_, column) => column !== seatsColumn),
    number: seatsColumn < 0 ? '' : readSeats(cells[seatsColumn] ?? ''),
  }))
  const isCategory = (name: string): boolean =>
    name !== '' && splitCategory(name, categories).label === ''
  const isByCategory = heads.length > 0 && heads.every(({ label }) => isCategory(label))
  const areRowsCategories =
    pricedRows.length > 0 &&
    pricedRows.every(({ label }) => isCategory(label)) &&
    heads.every(({ label, to: end }) => label !== '' && end === '' && !isPeriodHeading(label))
  const rows = isByCategory
    ? pricedRows.flatMap(({ label, cells, number }) =>
        heads.map((head, column) => ({
          label: `${label} – ${head.label}`,
          cells: [cells[column] ?? ''],
          number: column === 0 ? number : '',
        })),
      )
    : areRowsCategories
      ? heads.flatMap((head, column) =>
          pricedRows.map(({ label, cells }) => ({
            label: `${head.label} – ${label}`,
            cells: [cells[column] ?? ''],
            number: '',
          })),
        )
      : pricedRows
  const persons = rows.filter(({ label }) => ACCOMPANYING_WORDS.test(label))
  // If all rows are accompanying persons, they are read. Otherwise, the organiser is asked about each such row.
  const questionRows = persons.length === rows.length ? [] : persons
  const notes = [
    ...table.notes
      .filter((note) => !WORKSHOP_HEADING.test(note))
      .map((note) => `“${note}” was not read. If it affects the prices, add it to the file later.`),
    ...questionRows.map(
      ({ label, cells }) =>
        `“${label} = ${cells.join(' / ')}” is not a workshop. Enter it with the accompanying persons.`,
    ),
    ...(table.tax !== null && table.tax !== tax
      ? [
          `The table says that ${table.tax === 'inside' ? 'its prices include GST' : 'GST is added to its prices'}. GST on all prices follows your answer for the registration fees.`,
        ]
      : []),
  ]
  const remainingRows = rows.filter((row) => !questionRows.includes(row))
  const width = Math.max(1, ...remainingRows.map(({ cells }) => cells.length))
  const isByPeriod = width > 1
  const isUnnamed = heads.every((head) => head.label === '' && head.from === '' && head.to === '')
  const isSeatsAsked = seatsColumn < 0 && isUnnamed && canBeSeats(remainingRows)
  return {
    rows: joinWorkshops(remainingRows.flatMap((row) => readItemRow(row, categories, row.number))),
    notes:
      isByPeriod && !isByCategory && !isSeatsAsked
        ? [...notes, ...comparePeriods(heads, answers)]
        : notes,
    isByPeriod,
    ...(isSeatsAsked ? { seatsAsked: true } : {}),
  }
}

/**
 * Returns the item rows for one row of a fee table: "Workshop: ECG (free for PG)" gives one row for all, and one for
 * PG.
 */
export function readItemRow(
  { label, cells }: FeeRow,
  categories: readonly string[],
  number = '',
): readonly ItemRow[] {
  const splitLabel = splitSeats(label.replace(WORKSHOP_PREFIX, ''))
  const free = FREE_FOR_PATTERN.exec(splitLabel.rest)
  const freeFor = free?.[1]?.split(/\s*(?:,|&|\/|\band\b)\s*/i) ?? []
  const isFreeForCategories =
    freeFor.length > 0 &&
    freeFor.every((name) => name !== '' && splitCategory(name, categories).label === '')
  const rest = isFreeForCategories ? splitLabel.rest.slice(0, free?.index) : splitLabel.rest
  const row = {
    ...splitCategory(rest.trim(), categories),
    cells: cells.map((cell) => cell.replaceAll('/-', '')),
    number: number === '' ? (splitLabel.seats ?? '') : number,
  }
  return [
    row,
    ...(isFreeForCategories
      ? freeFor.map((name) => ({
          label: row.label,
          category: splitCategory(name, categories).category,
          cells: cells.map(() => 'free'),
          number: '',
        }))
      : []),
  ]
}

/** Puts the rows of each workshop together, with the workshop's name only in the first. */
function joinWorkshops(rows: readonly ItemRow[]): readonly ItemRow[] {
  const groups = Map.groupBy(rows, ({ label }) => label.toLowerCase())
  return [...groups.values()].flatMap((group) =>
    group.map((row, index) => (index > 0 && row.category !== '' ? { ...row, label: '' } : row)),
  )
}

/**
 * Returns a sentence for each price change in the table on a day when the registration fees do not change. In the
 * file, all prices change on the same days.
 */
function comparePeriods(heads: readonly PeriodDays[], answers: NewEventAnswers): readonly string[] {
  const count = countPeriods(answers)
  const labels = listPeriodLabels(count, answers.periodLabels)
  if (heads.length !== count)
    return [
      `The table has ${heads.length} prices in a row, but the registration fees have ${count} ${count === 1 ? 'period' : `periods (${labels.join(', ')})`}. Compare the prices in each column.`,
    ]
  return heads.flatMap(({ to }, index): readonly string[] => {
    const end = answers.periodEnds?.[index]
    return end === undefined || !isDay(to) || to === end
      ? []
      : [
          `The table changes its prices after ${formatDay(to)}, but “${labels[index]}” applies until ${formatDay(end)}. The file changes all prices after ${formatDay(end)}.`,
        ]
  })
}
