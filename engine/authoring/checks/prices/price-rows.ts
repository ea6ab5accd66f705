/** Checks EV401 and EV402: every category has a row of prices, and every row has a price for each period. */
import type { Check, Model } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'
import { formatList } from '../../suggestions/nearest-name.ts'
import type { PriceRows } from '../../schema/event-file-types.ts'
import { listPriceTables } from '../names/price-tables.ts'
import { listItemTables } from '../names/item-tables.ts'

export const priceRowMissingCheck: Check = {
  slug: 'price-row-missing',
  severity: 'error',
  why: 'Delegates in a category without prices cannot register.',
  after: ['EV203', 'EV206'],
  find: ({ file }) => {
    const tables = listPriceTables({ file })
    if (tables.length === 0) return []
    return file.categories.flatMap(({ id }, index): Draft[] =>
      tables.some(({ rows }) => Object.hasOwn(rows, id))
        ? []
        : [
            {
              at: file.fees.prices === undefined ? 'fees.price_groups' : 'fees.prices',
              part: 'key',
              message: `category \`${id}\` has no prices`,
              related: [{ at: `categories.${index}.id`, message: 'declared here' }],
              help: 'add a row with one price per period',
            },
          ],
    )
  },
}

export const priceRowLengthCheck: Check = {
  slug: 'price-row-length',
  severity: 'error',
  why: 'Each price belongs to the period named above it. A missing price shifts all following prices.',
  after: ['EV204', 'EV206'],
  find: (model) => {
    return [
      ...listPriceTables(model).flatMap(({ path, rows, periods, periodsPath }) =>
        checkTableLengths(model, path, rows, periods, periodsPath),
      ),
      ...listItemTables(model).flatMap(({ path, rows, item, itemIndex }) =>
        item.periods === undefined
          ? checkTableLengths(model, path, rows)
          : checkTableLengths(model, path, rows, item.periods, `fees.items.${itemIndex}.periods`),
      ),
    ]
  },
}

/** Reports periods that the first row of a table does not list exactly once, and rows of the wrong length. */
function checkTableLengths(
  model: Model,
  path: string,
  prices: PriceRows,
  periods: readonly { readonly id: string }[] = model.file.fees.periods,
  periodsPath = 'fees.periods',
): readonly Draft[] {
  const columns = (prices.period ?? []).map(String)
  const missingPeriods = periods.map(({ id }) => id).filter((id) => !columns.includes(id))
  const note = `periods: ${formatList(columns)}`
  const missingColumns: readonly Draft[] =
    missingPeriods.length === 0
      ? []
      : [
          {
            at: `${path}.period`,
            message: `the first row does not list ${missingPeriods.map((id) => `\`${id}\``).join(' and ')}`,
            related: missingPeriods.map((id) => ({
              at: `${periodsPath}.${periods.findIndex((period) => period.id === id)}.id`,
              message: 'declared here',
            })),
            help: 'list each period once, in the order of the columns',
          },
        ]
  const repeatedColumns = columns.flatMap((id, index): Draft[] =>
    columns.indexOf(id) === index
      ? []
      : [
          {
            at: `${path}.period.${index}`,
            message: `the first row lists \`${id}\` twice`,
            related: [
              { at: `${path}.period.${columns.indexOf(id)}`, message: 'first listed here' },
            ],
            help: 'list each period once, in the order of the columns',
          },
        ],
  )
  // If the first row is wrong, the expected number of prices in the other rows is unknown.
  if (repeatedColumns.length > 0) return [...missingColumns, ...repeatedColumns]
  const formatCounts = (row: readonly unknown[]): string =>
    `${row.length} price${row.length === 1 ? '' : 's'} for ${columns.length} period${columns.length === 1 ? '' : 's'}`
  const wrongRows = Object.entries(prices).filter(
    ([category, row]) => category !== 'period' && row.length !== columns.length,
  )
  const [shortest, longest] = [Math.min, Math.max].map((compute) =>
    compute(...wrongRows.map(([, row]) => row.length)),
  )
  // If all rows have the same number of prices, only the first row is wrong, so only that row is reported.
  if (
    wrongRows.length > 1 &&
    shortest === longest &&
    wrongRows.length === Object.keys(prices).length - 1
  ) {
    const firstRow = wrongRows[0]?.[1] ?? []
    if (firstRow.length === columns.length + missingPeriods.length) return missingColumns
    const hasExtraPrice = firstRow.length > columns.length
    return [
      ...missingColumns,
      {
        at: `${path}.period`,
        part: 'entry',
        message: `${columns.length} period${columns.length === 1 ? '' : 's'} here, but all ${wrongRows.length} rows have ${firstRow.length} price${firstRow.length === 1 ? '' : 's'}`,
        related: wrongRows
          .slice(0, 1)
          .map(([category]) => ({ at: `${path}.${category}`, message: 'for example, this row' })),
        notes: [note],
        help: hasExtraPrice
          ? 'add the period of the missing column to the first row and to `periods`, or remove a price from each row'
          : 'add the missing price to each row (`none` if not on sale), or remove a period from the first row and from `periods`',
      },
    ]
  }
  const rows = wrongRows.flatMap(([category, row]): Draft[] => [
    {
      at: `${path}.${category}`,
      part: 'entry',
      message: formatCounts(row),
      related: [{ at: `${path}.period`, part: 'entry', message: 'the columns' }],
      notes: [note],
      help: 'write one price for each period: an amount, `free`, or `none` if it is not on sale',
    },
  ])
  return [...missingColumns, ...rows]
}
