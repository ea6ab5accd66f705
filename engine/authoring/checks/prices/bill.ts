/** Checks EV461 to EV471: every possible bill line has a price, and every quantity has a maximum. */
import type { EventConfig } from '../../../event/config.ts'
import { MAX_AMOUNT, formatMoney, INR } from '../../../lib/money.ts'
import { formatDay } from '../../../lib/time.ts'
import { findOverlappingAdjustments, proveBill, type Extremes } from '../../proofs/bill-bounds.ts'
import type { MissingPrice } from '../../proofs/item-prices.ts'
import {
  describeAnswers,
  describeBill,
  describeCategories,
  getChoiceVerb,
} from '../../proofs/describe-example.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import { join } from '../../syntax/source.ts'
import { listTableColumns, listItemTables } from '../names/item-tables.ts'
import { getCurrency } from '../../../rules/category.ts'

/** If one of these findings is reported, names, conditions or tables are unusable, so the bill is not checked. */
const NAME_ERRORS = [
  'EV201',
  'EV202',
  'EV203',
  'EV204',
  'EV205',
  'EV206',
  'EV216',
  'EV217',
  'EV218',
  'EV305',
  'EV307',
  'EV308',
  'EV313',
  'EV402',
  'EV411',
  'EV461',
]
export const BOUND_ERRORS = [...NAME_ERRORS, 'EV465']

export const getItemPath = (model: Model, id: string): string =>
  `fees.items.${model.config.fees.items.findIndex((item) => item.id === id)}`

const itemWithoutPriceCheck: Check = {
  slug: 'item-without-price',
  severity: 'error',
  why: 'Each item needs exactly one price. Without a price it cannot be sold. If it has two prices, only one is charged.',
  after: ['EV206'],
  find: (model) => {
    const { fees } = model.file
    const items = fees.items ?? []
    const missingPricesDrafts: readonly Draft[] =
      items.length === 0 || fees.prices !== undefined
        ? []
        : [
            {
              at: 'fees.items',
              part: 'key',
              message: 'without `prices` the event charges nothing, not even for these items',
              help: 'add prices with a row for each category; write `free` if the registration costs nothing',
            },
          ]
    const itemDrafts = items.flatMap((item, index): Draft[] => {
      const path = `fees.items.${index}`
      if (item.prices === undefined && item.amount_in === undefined)
        return [
          {
            at: path,
            message: `\`${item.id}\` has no price`,
            help: `add prices: {period: [${(item.periods ?? fees.periods).map(({ id }) => id).join(', ')}], ${item.by === undefined ? 'each' : '<an option>'}: [${(item.periods ?? fees.periods).map(() => '…').join(', ')}]}`,
          },
        ]
      return item.prices !== undefined && item.amount_in !== undefined
        ? [
            {
              at: join(path, 'amount_in'),
              part: 'key',
              message: `\`${item.id}\` has both prices and an amount that the delegate enters`,
              related: [{ at: join(path, 'prices'), part: 'key', message: 'the prices' }],
              help: 'keep one of the two',
            },
          ]
        : []
    })
    const byItem = Map.groupBy(listItemTables(model), ({ itemIndex }) => itemIndex)
    const misplacedDrafts = [...byItem.values()].flatMap((tables) =>
      tables.flatMap(({ isOtherwiseTable, path }, index): Draft[] => {
        const nextTable = tables[index + 1]
        return !isOtherwiseTable || nextTable === undefined
          ? []
          : [
              {
                at: path,
                part: 'key',
                message: 'tables after this one are never reached',
                related: [{ at: nextTable.path, part: 'key', message: 'never reached' }],
                help: 'move `otherwise` to the end',
              },
            ]
      }),
    )
    return [...missingPricesDrafts, ...itemDrafts, ...misplacedDrafts]
  },
}

const itemIncompleteCheck: Check = {
  slug: 'item-incomplete',
  severity: 'error',
  why: 'If no table or row applies to a delegate who chooses the item, the delegate gets no bill and cannot register.',
  after: NAME_ERRORS,
  find: (model) =>
    findMissingPrices(model, ['no-table', 'no-row', 'no-cell']).map(({ id, missing }): Draft => {
      const { by, periods = model.file.fees.periods } =
        model.file.fees.items?.find((item) => item.id === id) ?? {}
      const [firstDelegate] = missing.samples
      const delegateText = `delegates in ${describeCategories(missing.samples)}`
      const example = firstDelegate === undefined ? [] : createNote(describeAnswers(firstDelegate))
      if (missing.table === null)
        return {
          at: `${getItemPath(model, id)}.prices`,
          part: 'key',
          message: `no table of \`${id}\` applies to ${delegateText}`,
          notes: example,
          help: 'add {otherwise: {…}}, a table for these delegates, or a condition of the item that excludes them',
        }
      const place = listItemTables(model).find(
        ({ item, tableIndex }) => item.id === id && tableIndex === missing.table,
      )
      return {
        at: place?.path ?? getItemPath(model, id),
        part: 'key',
        message: `no row for \`${missing.row}\`, which ${delegateText} can ${getChoiceVerb(model.config, by)}`,
        notes: example,
        help: `add ${missing.row}: [${periods.map(() => '…').join(', ')}]`,
      }
    }),
}

const createNote = (description: string): readonly string[] =>
  description === '' ? [] : [`with ${description}`]

type MissingItemPrice = { readonly id: string; readonly missing: MissingPrice }

function findMissingPrices(
  model: Model,
  kinds: readonly MissingPrice['is'][],
): readonly MissingItemPrice[] {
  return proveBill(model.config).items.flatMap(({ id, result: found }) =>
    (found?.missingPrices ?? []).flatMap((missing) =>
      kinds.includes(missing.is) ? [{ id, missing }] : [],
    ),
  )
}

/** Returns reachable `none` cells: those for items that other delegates can buy in the same period, or all others. */
function findReachableNoneCells(
  model: Model,
  areSoldToOthers: boolean,
): readonly MissingItemPrice[] {
  const cells = new Set(
    proveBill(model.config).items.flatMap(({ id, result: found }) =>
      (found?.reachedCells ?? []).map(({ row, period }) => `${id} ${row} ${period}`),
    ),
  )
  return findMissingPrices(model, ['not-on-sale']).filter(
    ({ id, missing }) => cells.has(`${id} ${missing.row} ${missing.period}`) === areSoldToOthers,
  )
}

/** Returns one draft for each item and period, located at the first cell. */
function groupByPeriod(
  model: Model,
  missingPrices: readonly MissingItemPrice[],
  describe: (id: string, some: readonly MissingItemPrice[], period: string) => Omit<Draft, 'at'>,
): readonly Draft[] {
  const groups = Map.groupBy(missingPrices, ({ id, missing }) => `${id} ${missing.period}`)
  return [...groups.values()].map((missingPrices): Draft => {
    const [firstPrice] = missingPrices
    const { id = '', missing } = firstPrice ?? {}
    const table = listItemTables(model).find(
      ({ item, tableIndex }) => item.id === id && tableIndex === missing?.table,
    )
    const column = table === undefined ? -1 : listTableColumns(table).indexOf(missing?.period ?? '')
    return {
      at: `${table?.path ?? ''}.${missing?.row ?? ''}.${column}`,
      ...describe(id, missingPrices, missing?.period ?? ''),
    }
  })
}

const formatRows = (missingPrices: readonly MissingItemPrice[]): string =>
  [...new Set(missingPrices.map(({ missing }) => `\`${missing.row}\``))].join(' or ')

const itemMissingForCategoryCheck: Check = {
  slug: 'item-missing-for-category',
  severity: 'warning',
  why: 'The form accepts an answer for which no bill is possible, although other delegates can buy the same item.',
  after: [...NAME_ERRORS, 'EV462'],
  find: (model) =>
    groupByPeriod(model, findReachableNoneCells(model, true), (id, missingPrices, period) => {
      const { by } = model.file.fees.items?.find((item) => item.id === id) ?? {}
      const delegateText = `delegates in ${describeCategories(missingPrices.flatMap(({ missing }) => missing.samples))}`
      const [exampleDelegate] = missingPrices[0]?.missing.samples ?? []
      return {
        message:
          by === undefined
            ? `for ${delegateText}, the price of \`${id}\` is \`none\` in \`${period}\``
            : `for ${delegateText}, the price of ${formatRows(missingPrices)} is \`none\` in \`${period}\``,
        notes: exampleDelegate === undefined ? [] : createNote(describeAnswers(exampleDelegate)),
        help: 'write a price or `free`, or exclude these delegates with a condition of the item (`when`) or of the field (`show_when`); if it is sold out for them, accept the finding: allow: [{code: EV463, because: …}]',
      }
    }),
}

const neverForSaleCheck: Check = {
  slug: 'never-for-sale',
  severity: 'note',
  why: 'A delegate who chooses the item in this period is refused, because it is not on sale.',
  after: [...NAME_ERRORS, 'EV462'],
  find: (model) =>
    groupByPeriod(
      model,
      findReachableNoneCells(model, false).filter(isUnexpectedGap(model)),
      (id, missingPrices, period) => ({
        message: `${formatRows(missingPrices) === '`each`' ? `\`${id}\`` : formatRows(missingPrices)} is not on sale for any delegate in \`${period}\``,
        help: 'write a price if it should be on sale in this period',
      }),
    ),
}

/**
 * Returns whether the price may be missing by mistake. An item with its own periods uses `none` to pause its sales.
 */
const isUnexpectedGap =
  (model: Model) =>
  ({ id, missing: { period } }: MissingItemPrice): boolean =>
    listItemTables(model).some(
      (table) =>
        table.item.id === id &&
        (table.item.periods === undefined ||
          Object.entries(table.rows).some(
            ([row, cells]) =>
              row !== 'period' && cells[listTableColumns(table).indexOf(period ?? '')] !== 'none',
          )),
    )

const unlimitedCountCheck: Check = {
  slug: 'unlimited-count',
  severity: 'error',
  why: 'If a counted number has no maximum, the bill has no maximum either.',
  after: ['EV201', 'EV206', 'EV216'],
  find: (model) => {
    const uses = (model.file.fees.items ?? []).flatMap((item, index) =>
      [
        { key: 'count', name: typeof item.count === 'string' ? item.count : undefined },
        { key: 'times', name: item.times },
        { key: 'amount_in', name: item.amount_in },
      ].flatMap(({ key, name }) =>
        name === undefined ? [] : [{ at: `fees.items.${index}.${key}`, key, name }],
      ),
    )
    return uses.flatMap(({ at, key, name }): Draft[] => {
      const usedField = model.fields.find(({ id }) => id === name)
      if (usedField === undefined) return []
      const { field, path } = usedField
      const missingKeys = [
        ...(field.type === 'number' && field.min === undefined ? ['min'] : []),
        ...(field.max === undefined ? ['max'] : []),
      ]
      return missingKeys.length === 0
        ? []
        : [
            {
              at: `${path}.id`,
              message: `\`${name}\` has no ${missingKeys.join(' and no ')}, but ${key === 'amount_in' ? 'sets the amount to pay' : 'is multiplied by a price'}`,
              related: [{ at, message: key === 'amount_in' ? 'named here' : 'counted here' }],
              help: `add ${missingKeys.map((entry) => `${entry}: …`).join(', ')}`,
            },
          ]
    })
  },
}

const billAboveMaximumCheck: Check = {
  slug: 'bill-above-maximum',
  severity: 'error',
  why: 'The gateway limits the amount of one payment. A delegate with a higher bill cannot pay.',
  after: [...BOUND_ERRORS, 'EV1102'],
  find: ({ config }) => {
    const highestBill = computeExtremes(config).find(
      ({ currency }) => currency === INR,
    )?.mostExpensive
    return highestBill == null || highestBill.total <= MAX_AMOUNT || config.payment === null
      ? []
      : [
          {
            at: config.fees.items.length > 0 ? 'fees.items' : 'fees.adjustments',
            part: 'key',
            message: `a bill can exceed the maximum of one payment: ${formatMoney(highestBill.total, INR)}`,
            notes: [
              describeBill(config, highestBill),
              `the gateway accepts at most ${formatMoney(MAX_AMOUNT, INR)}, tax included`,
            ],
            help: 'lower a maximum or a price',
          },
        ]
  },
}

/** Computes the lowest and highest bill in each currency for an event that also sells items. */
function computeExtremes(event: EventConfig): readonly Extremes[] {
  const { items, adjustments } = event.fees
  return items.length + adjustments.length === 0 ? [] : (proveBill(event).extremes ?? [])
}

const discountExceedsPriceCheck: Check = {
  slug: 'discount-exceeds-price',
  severity: 'warning',
  why: 'A line of the bill is never negative, so the delegate does not get the whole discount.',
  after: BOUND_ERRORS,
  find: (model) =>
    computeExtremes(model.config)
      .flatMap(({ excessiveDeductions }) => excessiveDeductions)
      .map(({ adjustment, undeducted, sample, on }): Draft => {
        const index = model.config.fees.adjustments.findIndex(({ id }) => id === adjustment)
        const answersText = describeAnswers(sample)
        return {
          at: `fees.adjustments.${index}`,
          message: `\`${adjustment}\` deducts ${formatMoney(undeducted, getCurrency(model.config, sample.category))} more than the total of the lines that it changes`,
          notes: [
            `for \`${sample.category}\` on ${formatDay(on)}${answersText === '' ? '' : ` with ${answersText}`}`,
          ],
          help: 'deduct less, deduct a percentage, or exclude these delegates with `when`',
        }
      }),
}

const overlappingAdjustmentsCheck: Check = {
  slug: 'overlapping-adjustments',
  severity: 'note',
  why: 'One delegate can get both adjustments. Adjustments apply from top to bottom, so the order of an amount and a percentage changes the total.',
  after: BOUND_ERRORS,
  find: ({ config }) => {
    const pairs = findOverlappingAdjustments(config) ?? []
    return pairs.length === 0
      ? []
      : [
          {
            at: 'fees.adjustments',
            part: 'key',
            message: `several adjustments can apply to one line: ${pairs.map(([one, other]) => `\`${one}\` and then \`${other}\``).join(', ')}`,
            help: 'if a delegate should not get both, add `when` to one of them; if one is a percentage, the order changes the total',
          },
        ]
  },
}

const billNotProvedCheck: Check = {
  slug: 'bill-not-proved',
  severity: 'note',
  why: 'The check did not finish, so the result is unknown.',
  after: BOUND_ERRORS,
  find: (model) => {
    const { config } = model
    if (config.fees.items.length + config.fees.adjustments.length === 0) return []
    const { items, extremes } = proveBill(config)
    const unprovedItems = items.filter(({ result: found }) => found === null)
    return [
      ...unprovedItems.map(({ id }): Draft => ({
        at: `${getItemPath(model, id)}.id`,
        message: `too many answers affect \`${id}\`: not all combinations could be checked for a price`,
        help: 'make it depend on fewer answers, or limit the number of choices (choose: {at_most: …})',
      })),
      ...(extremes === null && unprovedItems.length === 0
        ? [
            {
              at: config.fees.items.length > 0 ? 'fees.items' : 'fees.adjustments',
              part: 'key' as const,
              message:
                'too many answers affect the bill: the highest and lowest bill are unknown, and discounts were not checked',
              help: 'make items and adjustments depend on fewer answers, or limit the number of choices (choose: {at_most: …})',
            },
          ]
        : []),
    ]
  },
}

export const billChecks = {
  EV461: itemWithoutPriceCheck,
  EV462: itemIncompleteCheck,
  EV463: itemMissingForCategoryCheck,
  EV464: neverForSaleCheck,
  EV465: unlimitedCountCheck,
  EV466: billAboveMaximumCheck,
  EV467: discountExceedsPriceCheck,
  EV468: overlappingAdjustmentsCheck,
  EV471: billNotProvedCheck,
} satisfies Checks
