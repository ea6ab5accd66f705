/** Reads a pasted table of workshops or accompanying persons by the periods of the registration fees. */
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

/** Reads a pasted text, which can have several tables. */
export function readItemTable(text: string, answers: NewEventAnswers, today: Day): ItemTable {
  return readItemTables(listTables(splitCells(text), answers.currency ?? INR), answers, today)
}

/** Reads tables as one. If one has a price for each period, a single price of another applies to all. */
export function readItemTables(
  tables: readonly Cells[],
  answers: NewEventAnswers,
  today: Day,
): ItemTable {
  const read = tables.map((cells) => readTable(cells, answers, today))
  const width = Math.max(1, ...read.flatMap(({ rows }) => rows.map(({ cells }) => cells.length)))
  const isByPeriod = width > 1
  const asked = read.filter(({ seatsAsked }) => seatsAsked === true)
  const isSeatsAsked = asked.length > 0 && asked.length === read.length
  return {
    rows: read
      .flatMap(({ rows }) => rows)
      .map((row) =>
        row.cells.length === 1
          ? { ...row, cells: Array.from({ length: width }, () => row.cells[0] ?? '') }
          : row,
      ),
    notes: [
      ...read.flatMap(({ notes }) => notes),
      ...(isSeatsAsked ? [] : asked.map(explainLastNumbers)),
    ],
    isByPeriod,
    ...(isSeatsAsked ? { seatsAsked: true } : {}),
  }
}

const explainLastNumbers = (table: ItemTable): string =>
  `${listLastPrices(table).join(', ')} were read as prices. If they are seats, write them in that column.`

function readTable(pasted: Cells, answers: NewEventAnswers, today: Day): ItemTable {
  const { from, to = from, currency = INR, tax } = answers
  const { cells: arranged, hasSeats } = moveSeatsToEnd(pasted, currency)
  const table = readPriceTable(arranged, { from, to, currency, today }, hasSeats)
  const categories = answers.categories?.map(({ label }) => label) ?? []
  const seatsAt = table.columns.findIndex(({ label }) => isSeatsHeading(label))
  const heads = table.columns.filter((_, column) => column !== seatsAt)
  const priced = table.rows.map(({ label, cells }) => ({
    label,
    cells: cells.filter((_, column) => column !== seatsAt),
    number: seatsAt < 0 ? '' : readSeats(cells[seatsAt] ?? ''),
  }))
  const isCategory = (name: string): boolean =>
    name !== '' && splitCategory(name, categories).label === ''
  const isByCategory = heads.length > 0 && heads.every(({ label }) => isCategory(label))
  const areRowsCategories =
    priced.length > 0 &&
    priced.every(({ label }) => isCategory(label)) &&
    heads.every(({ label, to: end }) => label !== '' && end === '' && !isPeriodHeading(label))
  const rows = isByCategory
    ? priced.flatMap(({ label, cells, number }) =>
        heads.map((head, column) => ({
          label: `${label} – ${head.label}`,
          cells: [cells[column] ?? ''],
          number: column === 0 ? number : '',
        })),
      )
    : areRowsCategories
      ? heads.flatMap((head, column) =>
          priced.map(({ label, cells }) => ({
            label: `${head.label} – ${label}`,
            cells: [cells[column] ?? ''],
            number: '',
          })),
        )
      : priced
  const persons = rows.filter(({ label }) => ACCOMPANYING_WORDS.test(label))
  // A table of only accompanying persons is read. Among workshops, they become a question.
  const asked = persons.length === rows.length ? [] : persons
  const notes = [
    ...table.notes
      .filter((note) => !WORKSHOP_HEADING.test(note))
      .map(
        (note) => `“${note}” was not read. If it decides who pays what, add it to the file later.`,
      ),
    ...asked.map(
      ({ label, cells }) =>
        `“${label} = ${cells.join(' / ')}” is no workshop. Enter it with the accompanying persons.`,
    ),
    ...(table.tax !== null && table.tax !== tax
      ? [
          `The table says that ${table.tax === 'inside' ? 'its prices include GST' : 'GST is added to its prices'}. All prices of the event are charged as you answered for the registration fees.`,
        ]
      : []),
  ]
  const read = rows.filter((row) => !asked.includes(row))
  const width = Math.max(1, ...read.map(({ cells }) => cells.length))
  const isByPeriod = width > 1
  const isUnnamed = heads.every((head) => head.label === '' && head.from === '' && head.to === '')
  const isSeatsAsked = seatsAt < 0 && isUnnamed && canBeSeats(read)
  return {
    rows: joinWorkshops(read.flatMap((row) => readItemRow(row, categories, row.number))),
    notes:
      isByPeriod && !isByCategory && !isSeatsAsked
        ? [...notes, ...comparePeriods(heads, answers)]
        : notes,
    isByPeriod,
    ...(isSeatsAsked ? { seatsAsked: true } : {}),
  }
}

/** Returns the rows for a row of a fee table: "Workshop: ECG (free for PG)" gives one for all, and one for PG. */
export function readItemRow(
  { label, cells }: FeeRow,
  categories: readonly string[],
  number = '',
): readonly ItemRow[] {
  const named = splitSeats(label.replace(WORKSHOP_PREFIX, ''))
  const free = FREE_FOR_PATTERN.exec(named.rest)
  const freeFor = free?.[1]?.split(/\s*(?:,|&|\/|\band\b)\s*/i) ?? []
  const isFreeForCategories =
    freeFor.length > 0 &&
    freeFor.every((name) => name !== '' && splitCategory(name, categories).label === '')
  const rest = isFreeForCategories ? named.rest.slice(0, free?.index) : named.rest
  const row = {
    ...splitCategory(rest.trim(), categories),
    cells: cells.map((cell) => cell.replaceAll('/-', '')),
    number: number === '' ? (named.seats ?? '') : number,
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

/** Puts the rows of a workshop next to each other, with its name only in the first. */
function joinWorkshops(rows: readonly ItemRow[]): readonly ItemRow[] {
  const groups = Map.groupBy(rows, ({ label }) => label.toLowerCase())
  return [...groups.values()].flatMap((group) =>
    group.map((row, index) => (index > 0 && row.category !== '' ? { ...row, label: '' } : row)),
  )
}

/** Workshop prices change on the days of the registration fees. Returns a sentence for each other day in the table. */
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
