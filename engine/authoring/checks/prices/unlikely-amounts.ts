/** Checks EV657, EV658: prices that differ greatly from comparable prices, and discounts of 100%. */
import { EACH_ROW } from '../../../pricing/bill.ts'
import { REGISTRATION_LINE_ID } from '../../../event/pricing-types.ts'
import { formatMoney, type Amount, type Currency } from '../../../lib/money.ts'
import { CODE_NAME } from '../../../rules/pricing-context.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import { TABLE_ERRORS, listItemCells, listAdjustmentAmounts, listTableCells } from './fees.ts'

/** A price with an extra or missing digit differs from comparable prices by at least this factor. */
const DIGIT_FACTOR = 8
/** The factor for two options of one kind. It is higher because there is only one price to compare with. */
const DIGIT_FACTOR_SAME_KIND = 10
/** The factor for two options of different kinds. */
const DIGIT_FACTOR_TWO_OPTIONS = 20
/** Words for items whose options are of one kind and have similar prices. */
const KIND_WORDS =
  /\b(?:workshops?|courses?|sessions?|rooms?|beds?|(?:t-?)?shirts?|pass(?:es)?|contests?)\b/i
/** Prices within this factor of each other are similar. */
const SIMILAR_FACTOR = 3
/** The typical price of an item, as a fraction of the registration price. */
const USUAL_FRACTION = 1 / 3

type Cell = {
  readonly item: number | null
  readonly table: string
  readonly row: string
  readonly period: string
  readonly at: string
  readonly currency: Currency
  readonly amount: Amount
}

const computeRatio = (a: number, b: number): number => Math.max(a, b) / Math.min(a, b)
const isSimilar = (cells: readonly Cell[]): boolean =>
  computeRatio(
    Math.max(...cells.map(({ amount }) => amount)),
    Math.min(...cells.map(({ amount }) => amount)),
  ) <= SIMILAR_FACTOR

function listCells(model: Model): readonly Cell[] {
  return [
    ...listTableCells(model).map((cell) => ({ ...cell, item: null, row: cell.category })),
    ...listItemCells(model),
  ].flatMap((cell): Cell[] =>
    cell.amount === null || cell.amount <= 0 ? [] : [{ ...cell, amount: cell.amount }],
  )
}

/** Words for categories whose prices may differ greatly from those of ordinary delegates. */
const SPECIAL_CATEGORY_WORDS =
  /\b(?:students?|undergrad\w*|ug|pg|post ?grad\w*|interns?|trainees?|residents?|scholars?|nurses?|nursing|allied|technicians?|schools?|child\w*|kids?|juniors?|seniors?|retired|trade|exhibit\w*|stalls?|vendors?|publishers?|compan(?:y|ies)|corporate|industry|sponsors?|institution\w*|groups?|teams?|famil(?:y|ies)|couples?|day|days|online|virtual|accompan\w+|spouses?|visitors?|observers?|life|patrons?|vip|only)\b/i
/** Words for items for one person. Such an item costs less than ten registrations. */
const PERSONAL_ITEM_WORDS =
  /\b(?:certificates?|lunch(?:es)?|dinners?|banquets?|gala|evenings?|part(?:y|ies)|meals?|breakfasts?|(?:t-?)?shirts?|kits?|bags?|mugs?|caps?|souvenir copy|bus|boats?|transport|shuttles?|pick-?up|parking|accompanying|companions?|spouses?|child\w*|family|workshops?|tours?)\b/i
const COMPANION_WORDS = /\b(?:accompan\w+|companions?|spouses?)\b/i

type Outlier = { readonly cell: Cell; readonly other: Cell }

/** Compares a price with several similar prices in its table, or with a single price by a larger factor. */
function findOutlierInTable(cell: Cell, cells: readonly Cell[], name = ''): Outlier | null {
  const comparedCells = cells.filter(
    (candidate) =>
      candidate.table === cell.table &&
      candidate.period === cell.period &&
      candidate.row !== cell.row &&
      candidate.currency === cell.currency,
  )
  const [other] = comparedCells
  const isOutlier = (minFactor: number): boolean =>
    comparedCells.every(({ amount }) => computeRatio(amount, cell.amount) >= minFactor)
  return other !== undefined &&
    (comparedCells.length > 1
      ? isSimilar(comparedCells) && isOutlier(DIGIT_FACTOR)
      : isOutlier(KIND_WORDS.test(name) ? DIGIT_FACTOR_SAME_KIND : DIGIT_FACTOR_TWO_OPTIONS))
    ? { cell, other }
    : null
}

/** Compares a price with the prices of the same option for other delegates. */
function findOutlierAcrossTables(cell: Cell, cells: readonly Cell[]): Outlier | null {
  const cellsOfOtherTables = cells.filter(
    (candidate) =>
      candidate.item === cell.item &&
      candidate.table !== cell.table &&
      candidate.row === cell.row &&
      candidate.period === cell.period &&
      candidate.currency === cell.currency,
  )
  const [other] = cellsOfOtherTables
  return other !== undefined &&
    cellsOfOtherTables.every(({ amount }) => computeRatio(amount, cell.amount) >= DIGIT_FACTOR)
    ? { cell, other }
    : null
}

/** Returns the name of the item to which a cell belongs. */
function getItemName(model: Model, cell: Cell): string {
  const item = model.config.fees.items[cell.item ?? -1]
  return item === undefined ? '' : `${item.id.replaceAll('-', ' ')} ${item.label}`
}

/** Compares the ratio of an option's prices in two tables with the ratios of all other options. */
function findOutlierByRatio(cell: Cell, cells: readonly Cell[]): Outlier | null {
  const cellsInPeriod = cells.filter(
    (candidate) =>
      candidate.item === cell.item &&
      candidate.period === cell.period &&
      candidate.currency === cell.currency,
  )
  const computeTableRatio = (row: string, other: string): number | null => {
    const [ownCell, otherCell] = [cell.table, other].map((table) =>
      cellsInPeriod.find((candidate) => candidate.table === table && candidate.row === row),
    )
    return ownCell === undefined || otherCell === undefined
      ? null
      : ownCell.amount / otherCell.amount
  }
  const rows = [...new Set(cellsInPeriod.map(({ row }) => row))].filter((row) => row !== cell.row)
  const other = cellsInPeriod.find(({ table, row }) => table !== cell.table && row === cell.row)
  if (other === undefined) return null
  const ownRatio = computeTableRatio(cell.row, other.table)
  const otherRatios = rows.flatMap((row) => computeTableRatio(row, other.table) ?? [])
  return ownRatio !== null &&
    otherRatios.length > 1 &&
    computeRatio(Math.max(...otherRatios), Math.min(...otherRatios)) <= 2 &&
    otherRatios.every((share) => computeRatio(ownRatio, share) >= DIGIT_FACTOR)
    ? { cell, other }
    : null
}

/** Compares the ratio of a price to the price in another currency with the ratio of the registration prices. */
function findOutlierAcrossCurrencies(
  cell: Cell,
  cells: readonly Cell[],
  registration: readonly Cell[],
): Outlier | null {
  const other = cells.find(
    (candidate) =>
      candidate.item === cell.item &&
      candidate.row === cell.row &&
      candidate.period === cell.period &&
      candidate.currency !== cell.currency,
  )
  if (other === undefined) return null
  const listAmountsIn = (currency: Currency): readonly number[] =>
    registration.filter((candidate) => candidate.currency === currency).map(({ amount }) => amount)
  const [ownAmounts, foreignAmounts] = [listAmountsIn(cell.currency), listAmountsIn(other.currency)]
  if (ownAmounts.length === 0 || foreignAmounts.length === 0) return null
  const statedRatio = cell.amount / other.amount
  const [low, high] = [
    Math.min(...ownAmounts) / Math.max(...foreignAmounts),
    Math.max(...ownAmounts) / Math.min(...foreignAmounts),
  ]
  return statedRatio > high * SIMILAR_FACTOR || statedRatio < low / SIMILAR_FACTOR
    ? { cell, other }
    : null
}

/** Compares the price of an item for one person with the price of the registration. */
function findOutlierByRegistration(
  model: Model,
  cell: Cell,
  registration: readonly Cell[],
): Outlier | null {
  const item = model.config.fees.items[cell.item ?? -1]
  const ownAmounts = registration
    .filter(({ currency }) => currency === cell.currency)
    .toSorted((a, b) => a.amount - b.amount)
  const [dearest, median] = [ownAmounts.at(-1), ownAmounts[Math.floor(ownAmounts.length / 2)]]
  if (item === undefined || dearest === undefined || median === undefined) return null
  const name = getItemName(model, cell)
  if (PERSONAL_ITEM_WORDS.test(name) && cell.amount >= dearest.amount * 10)
    return { cell, other: dearest }
  return cell.row === EACH_ROW &&
    COMPANION_WORDS.test(name) &&
    cell.amount * DIGIT_FACTOR < median.amount
    ? { cell, other: median }
    : null
}

const priceOutOfLineCheck: Check = {
  slug: 'price-out-of-line',
  severity: 'warning',
  why: 'If a price has an extra or missing digit, delegates pay ten times as much, or a tenth.',
  after: [...TABLE_ERRORS, 'EV401', 'EV412', 'EV414', 'EV415', 'EV451', 'EV461', 'EV462'],
  find: (model) => {
    const cells = listCells(model)
    const registration = cells.filter(({ item }) => item === null)
    // Of two prices that differ, reports the price that is further from the usual fraction of the registration price.
    const computeDistance = ({ amount, currency }: Cell): number => {
      const ownAmounts = (registration.length === 0 ? cells : registration)
        .filter((candidate) => candidate.currency === currency)
        .map((candidate) => candidate.amount)
        .toSorted((x, y) => x - y)
      const median = ownAmounts[Math.floor(ownAmounts.length / 2)]
      return median === undefined ? 0 : Math.abs(Math.log(amount / (median * USUAL_FRACTION)))
    }
    const isSpecial = (id: string): boolean =>
      SPECIAL_CATEGORY_WORDS.test(
        `${id.replaceAll('-', ' ')} ${model.config.categories.find((candidate) => candidate.id === id)?.label ?? ''}`,
      )
    const ordinaryCells = registration.filter(({ row }) => !isSpecial(row))
    const outliers = cells.flatMap((cell): Outlier[] => {
      if (cell.item === null) {
        const outlier = isSpecial(cell.row) ? null : findOutlierInTable(cell, ordinaryCells)
        return outlier === null ? [] : [outlier]
      }
      const outlier =
        findOutlierInTable(cell, cells, getItemName(model, cell)) ??
        findOutlierAcrossTables(cell, cells) ??
        findOutlierByRatio(cell, cells) ??
        findOutlierAcrossCurrencies(cell, cells, registration) ??
        findOutlierByRegistration(model, cell, registration)
      return outlier === null ? [] : [outlier]
    })
    const reportedOutliers = outliers.filter(
      ({ cell, other }) =>
        !outliers.some(
          (candidate) => candidate.cell.at === other.at && candidate.other.at === cell.at,
        ) ||
        (computeDistance(cell) === computeDistance(other)
          ? cells.indexOf(cell) < cells.indexOf(other)
          : computeDistance(cell) > computeDistance(other)),
    )
    const rows = Map.groupBy(reportedOutliers, ({ cell }) => `${cell.table} ${cell.row}`)
    return [...rows.values()].flatMap(([firstOutlier]): Draft[] =>
      firstOutlier === undefined
        ? []
        : [
            {
              at: firstOutlier.cell.at,
              message: `the price is ${formatMoney(firstOutlier.cell.amount, firstOutlier.cell.currency)} here, but a comparable price is ${formatMoney(firstOutlier.other.amount, firstOutlier.other.currency)}: check the number of digits`,
              related: [{ at: firstOutlier.other.at, message: 'the other price' }],
              help: 'correct the price; if it is correct, accept the finding under `allow`',
            },
          ],
    )
  },
}

/** Words in labels that state that nothing remains to be paid. */
const FREE_WORDS =
  /\b(?:free|waive[rd]?|complimentary|gratis|no (?:charge|fee)|nothing|full(?:y)?|100 ?%|hundred per ?cent)\b/i

const fullDiscountCheck: Check = {
  slug: 'discount-of-everything',
  severity: 'warning',
  why: 'A discount of the full price makes the registration or the item free.',
  after: [...TABLE_ERRORS, 'EV401', 'EV459', 'EV467', 'EV475', 'EV537', 'EV640'],
  find: (model) => {
    const { adjustments, items } = model.config.fees
    const amounts = listAdjustmentAmounts(model)
    return adjustments.flatMap(({ id, label, on, by, when }, index): Draft[] => {
      const hasCode = (when ?? []).some((map) => map.some(({ field }) => field === CODE_NAME))
      if (hasCode || FREE_WORDS.test(`${id.replaceAll('-', ' ')} ${label}`)) return []
      if ('percent' in by)
        return by.percent > -100
          ? []
          : [
              {
                at: `fees.adjustments.${index}.percent`,
                message: `“${label}” deducts the full price`,
                help: 'write a smaller percentage; if it is intended to be free, state that in the label',
              },
            ]
      const statedAmount = amounts.find(({ adjustment }) => adjustment === index)
      if (by.amount >= 0 || statedAmount === undefined) return []
      const acceptedCategories = (when ?? []).flatMap((map) =>
        map.flatMap(({ field, test }) =>
          field === 'category' && test.is === 'in' ? test.values : [],
        ),
      )
      const equalPrice = listCells(model).find(
        (cell) =>
          cell.amount === -by.amount &&
          cell.currency === statedAmount.currency &&
          (cell.item === null
            ? on === REGISTRATION_LINE_ID &&
              (acceptedCategories.length === 0 || acceptedCategories.includes(cell.row))
            : items[cell.item]?.id === on),
      )
      return equalPrice === undefined
        ? []
        : [
            {
              at: statedAmount.at,
              message: `“${label}” deducts the full price of ${formatMoney(equalPrice.amount, equalPrice.currency)}`,
              related: [{ at: equalPrice.at, message: 'the price' }],
              help: 'deduct less, or exclude these delegates with `when`; if it is intended to be free, state that in the label',
            },
          ]
    })
  },
}

export const unlikelyAmountChecks = {
  EV657: priceOutOfLineCheck,
  EV658: fullDiscountCheck,
} satisfies Checks
