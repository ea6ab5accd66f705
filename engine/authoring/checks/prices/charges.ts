/**
 * Checks EV459, EV469, EV473 to EV475, EV479, EV480: charges match the questions in the form.
 *
 * Chosen items are charged, hidden fields cause no charge, and every price can apply.
 */
import { findPlaceholderNames as namesInLabel } from '../../../event/placeholders-and-answer-texts.ts'
import { proveBill } from '../../proofs/bill-bounds.ts'
import { findUnansweredFields, findHiddenFields } from '../../proofs/fields-of-items.ts'
import { listBillDays } from '../../proofs/price-days.ts'
import type { ItemResult } from '../../proofs/item-prices.ts'
import { describeAnswers } from '../../proofs/describe-example.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import { formatList } from '../../suggestions/nearest-name.ts'
import { findConstants } from '../names/names-in-conditions.ts'
import { BOUND_ERRORS, getItemPath } from './bill.ts'
import { listItemCells } from './fees.ts'
import { listItemTables, type LocatedItemTable } from '../names/item-tables.ts'

const countedFieldHiddenCheck: Check = {
  slug: 'counted-field-hidden',
  severity: 'warning',
  why: 'A line that counts a hidden or empty field is not charged, although the delegate chose the item.',
  after: BOUND_ERRORS,
  find: (model) =>
    findUnansweredFields(model.config).map(({ item, field, isHidden, sample }): Draft => {
      const path = getItemPath(model, item)
      const {
        by,
        times,
        count,
        amount_in: amountIn,
      } = model.file.fees.items?.find(({ id }) => id === item) ?? {}
      const key =
        times === field ? 'times' : amountIn === field ? 'amount_in' : by === field ? 'by' : 'count'
      const place =
        typeof count === 'object' && key === 'count' ? `${path}.count.${field}` : `${path}.${key}`
      return {
        at: place,
        part: typeof count === 'object' && key === 'count' ? 'key' : 'value',
        message: `\`${field}\` may be ${isHidden ? 'hidden' : 'left empty'} while \`${item}\` is chosen: nothing would be charged`,
        notes: [`for \`${sample.category}\` with ${describeAnswers(sample)}`],
        related: model.fields
          .filter(({ id }) => id === field)
          .map((entry) => ({ at: `${entry.path}.id`, message: 'this field' })),
        help: isHidden
          ? `show \`${field}\` whenever \`${item}\` can be chosen`
          : `require \`${field}\`, or give it a default`,
      }
    }),
}

const chargedWithoutQuestionCheck: Check = {
  slug: 'charged-without-question',
  severity: 'warning',
  why: 'A condition with `not` is also true for delegates who never see the question, so they are charged for something they did not choose.',
  after: BOUND_ERRORS,
  find: (model) =>
    findHiddenFields(model.config).map(({ item, field, sample }): Draft => {
      const condition = model.conditions.find(
        ({ kind, owner }) => kind === 'item' && owner === getItemPath(model, item),
      )
      const test = condition?.conditionMaps
        .flatMap(({ tests }) => tests)
        .find((candidate) => candidate.field === field)
      const answersText = describeAnswers(sample)
      return {
        at: test?.path ?? `${getItemPath(model, item)}.when`,
        message: `\`${item}\` is also charged if \`${field}\` is hidden`,
        notes: [`for \`${sample.category}\`${answersText === '' ? '' : ` with ${answersText}`}`],
        related: model.fields
          .filter(({ id }) => id === field)
          .map(({ path, raw }) => ({
            at: `${path}.${raw.show_when === undefined ? 'id' : 'show_when'}`,
            message: raw.show_when === undefined ? 'this field' : 'the condition of this field',
          })),
        help: suggestCondition(model, field, test?.raw),
      }
    }),
}

/**
 * Suggests two corrections of a `not` test: charge only delegates who chose one of the other answers, or also
 * those who do not see the question.
 */
function suggestCondition({ config }: Model, id: string, test: unknown): string {
  const field = config.fields.find((field) => field.id === id)
  const excludedAnswers = findConstants(test, '').map(({ value }) => String(value))
  const allAnswers =
    field?.type === 'yes-no' ? ['true', 'false'] : (field?.options ?? []).map((entry) => entry.id)
  const otherAnswers = allAnswers.filter((candidate) => !excludedAnswers.includes(candidate))
  const formatOptions = (options: readonly string[]): string =>
    options.length === 1 ? options.join() : `[${formatList(options, MAX_LISTED_OPTIONS)}]`
  const otherHelp = `to charge the others too, write [{${id}: {not: ${formatOptions(excludedAnswers)}}}, {${id}: {answered: false}}]`
  return otherAnswers.length === 0
    ? otherHelp
    : `write {${id}: ${formatOptions(otherAnswers)}}; ${otherHelp}`
}
/** A finding lists at most this many answers, and only counts the others. */
const MAX_LISTED_OPTIONS = 6

type UnusedPrice = { readonly row: string; readonly period: string; readonly at: string }

/** Returns the prices of a table that are never charged. */
function findUnusedPrices(
  model: Model,
  { path }: LocatedItemTable,
  tableAt: number,
  itemResult: ItemResult,
): readonly UnusedPrice[] {
  const reachedCells = new Set(
    itemResult.reachedCells
      .filter(({ table }) => table === tableAt)
      .map(({ row, period }) => `${row} ${period}`),
  )
  return listItemCells(model).filter(
    ({ table, row, period, amount }) =>
      table === path && amount !== null && amount > 0 && !reachedCells.has(`${row} ${period}`),
  )
}

/** Reports unused prices: one finding for the whole table, each whole row, or the other cells of each period. */
function reportUnusedPrices(
  model: Model,
  place: LocatedItemTable,
  unusedPrices: readonly UnusedPrice[],
): readonly Draft[] {
  const { item, path, rows, isOtherwiseTable } = place
  const chargedCells = listItemCells(model).filter(
    ({ table, amount }) => table === path && amount !== null && amount > 0,
  )
  const help =
    'remove the price, write `none`, or correct the condition that excludes every delegate'
  if (unusedPrices.length === chargedCells.length)
    return [
      {
        at: path,
        part: 'key',
        message: `no delegate is ever charged ${isOtherwiseTable && listItemTables(model).filter((itemTable) => itemTable.item === item).length === 1 ? `the prices of \`${item.id}\`` : `this table of \`${item.id}\``}`,
        help: isOtherwiseTable
          ? 'remove the table, or correct the conditions of the item or of the tables above'
          : 'remove the table, or correct its condition, or those of the item or of the tables above',
      },
    ]
  const byRow = Map.groupBy(unusedPrices, ({ row }) => row)
  const isRowUnused = (row: string): boolean =>
    byRow.get(row)?.length === chargedCells.filter((cell) => cell.row === row).length
  const rowNames = Object.keys(rows).filter(isRowUnused)
  const remainingPrices = Map.groupBy(
    unusedPrices.filter(({ row }) => !rowNames.includes(row)),
    ({ period }) => period,
  )
  return [
    ...rowNames.map((row): Draft => ({
      at: `${path}.${row}`,
      part: 'entry',
      message: `no delegate is ever charged the prices of the row \`${row}\` of \`${item.id}\``,
      help,
    })),
    ...[...remainingPrices].flatMap(([period, cells]): Draft[] => {
      const [firstPrice, ...otherPrices] = cells
      return firstPrice === undefined
        ? []
        : [
            {
              at: firstPrice.at,
              message: `no delegate is ever charged the price of ${formatList(
                cells.map(({ row }) => (row === 'each' ? `\`${item.id}\`` : `\`${row}\``)),
                3,
              )} in \`${period}\``,
              related: otherPrices.slice(0, 2).map(({ at }) => ({ at, message: 'and this price' })),
              help: 'write `none`, or add a price for delegates who should be able to buy it',
            },
          ]
    }),
  ]
}

const unreachablePriceCheck: Check = {
  slug: 'unreachable-price',
  severity: 'warning',
  why: 'A price that is never charged was probably intended for some delegates.',
  after: [...BOUND_ERRORS, 'EV306', 'EV407', 'EV462'],
  find: (model) => {
    const rows = Object.values(model.config.fees.prices ?? {})
    const openPeriods = new Set(
      listBillDays(model.config).flatMap(({ period }) =>
        rows.some((row) => (row[period] ?? null) !== null) ? [period] : [],
      ),
    )
    return proveBill(model.config).items.flatMap(({ id, result: found }): readonly Draft[] =>
      found === null
        ? []
        : listItemTables(model)
            .filter(({ item }) => item.id === id)
            .flatMap((place) => {
              // If registration is never open in a period, another check reports the period.
              const unusedPrices = findUnusedPrices(model, place, place.tableIndex, found).filter(
                ({ period }) => openPeriods.has(period),
              )
              return unusedPrices.length === 0 ? [] : reportUnusedPrices(model, place, unusedPrices)
            }),
    )
  },
}

/** Common words for deductions. `SURCHARGE_WORDS` contains common words for surcharges. */
const DEDUCTION_WORDS =
  /\b(?:discount(?:ed|s)?|rebate|concession|less|(?<!-)off|waiver|waived|coupon|voucher|scholarship|subsidy|reduction|reduced)\b/i
const SURCHARGE_WORDS =
  /\b(?:surcharge|penalty|fine|late (?:fee|charge)|(?:extra|additional|card|gateway|convenience|transaction|handling|service|processing|bank|payment) (?:charge|fee)s?)\b/i

const discountIncreasesPriceCheck: Check = {
  slug: 'discount-increases-price',
  severity: 'warning',
  why: 'A discount without a minus sign raises the price, and a late fee with a minus sign lowers it.',
  find: ({ file }) =>
    (file.fees.adjustments ?? []).flatMap((entry, index): Draft[] => {
      const key = entry.percent === undefined ? 'amount' : 'percent'
      const amount = Number(entry[key] ?? 0)
      const nameText = `${entry.label ?? ''} ${entry.id.replaceAll(/[-_]/g, ' ')}`
      const isDeduction = DEDUCTION_WORDS.test(nameText) && !SURCHARGE_WORDS.test(nameText)
      const isSurcharge = SURCHARGE_WORDS.test(nameText) && !DEDUCTION_WORDS.test(nameText)
      if ((amount > 0 && !isDeduction) || (amount < 0 && !isSurcharge) || amount === 0) return []
      return [
        {
          at: `fees.adjustments.${index}.${key}`,
          message:
            amount > 0
              ? `“${entry.label ?? entry.id}” raises the price: a discount needs a minus sign`
              : `“${entry.label ?? entry.id}” lowers the price: a surcharge has no minus sign`,
          help: `write ${key}: ${-amount}`,
        },
      ]
    }),
}

const discountForAllCheck: Check = {
  slug: 'discount-for-all',
  severity: 'warning',
  why: 'A discount for every delegate on every day is probably missing a condition or dates.',
  after: ['EV472', 'EV475'],
  find: ({ config }) =>
    config.fees.adjustments.flatMap(({ id, label, when, from, to, by }, index): Draft[] =>
      when !== undefined ||
      from !== undefined ||
      to !== undefined ||
      ('amount' in by ? by.amount : by.percent) >= 0
        ? []
        : [
            {
              at: `fees.adjustments.${index}.id`,
              message: `every delegate gets “${label}”: \`${id}\` has no condition and no dates`,
              help: 'add `when` (which delegates) or `to` (the last day); if every delegate should get it, change the prices instead',
            },
          ],
    ),
}

/** Returns whether a price can be multiplied by the answer to a field. */
const isCountable = ({ type }: { readonly type: string }): boolean =>
  type === 'number' || type === 'people'

const splitWords = (id: string): readonly string[] =>
  id.split(/[-_]/).map((word) => word.replace(/s$/, ''))

/** Returns whether a condition or the count of an item uses the field. */
const isUsedElsewhere = ({ conditions, config }: Model, id: string): boolean =>
  conditions.some(({ conditionMaps }) =>
    conditionMaps.some(({ tests }) => tests.some(({ field }) => field === id)),
  ) ||
  config.fees.items.some(({ count, times, amountIn }) =>
    [count?.field, times, amountIn].includes(id),
  )

const chosenNumberNotChargedCheck: Check = {
  slug: 'chosen-number-not-charged',
  severity: 'warning',
  why: 'A delegate who orders three tickets would be charged for only one.',
  after: ['EV201', 'EV206', 'EV461', 'EV462'],
  find: (model) => {
    const { items } = model.config.fees
    const numbers = model.config.fields.filter(isCountable)
    return items.flatMap((item, index): Draft[] => {
      const { id, label, by, count, times, amountIn, when } = item
      const countedFields = [count?.field, times, amountIn]
      const namedFields = namesInLabel(label)
      const [unusedNumber] = numbers.filter(
        (field) =>
          !countedFields.includes(field.id) &&
          (namedFields.includes(field.id) ||
            // For example, the form has a field “Tickets for the dinner”, but the dinner item has no `count`.
            (countedFields.every((candidate) => candidate === undefined) &&
              splitWords(id).every((word, nth) => splitWords(field.id)[nth] === word) &&
              !isUsedElsewhere(model, field.id))) &&
          !(when ?? []).some((map) => map.some((test) => test.field === field.id)),
      )
      const unusedNumberField = model.fields.find((field) => field.id === unusedNumber?.id)
      return unusedNumber === undefined || model.file.fees.items?.[index]?.id !== id
        ? []
        : [
            {
              at: `fees.items.${index}.${namedFields.includes(unusedNumber.id) ? 'label' : 'id'}`,
              message: namedFields.includes(unusedNumber.id)
                ? `the label mentions \`${unusedNumber.id}\`, but the price does not depend on it`
                : `the form asks for \`${unusedNumber.id}\`, but the price of \`${id}\` does not depend on the number`,
              related:
                unusedNumberField === undefined
                  ? []
                  : [{ at: `${unusedNumberField.path}.id`, message: 'asked here' }],
              help: `to charge for each of them, write ${by === undefined && count === undefined ? 'count' : 'times'}: ${unusedNumber.id}`,
            },
          ]
    })
  },
}
const preselectedItemCheck: Check = {
  slug: 'preselected-item',
  severity: 'warning',
  why: 'A delegate who overlooks the item pays for it, and asks for a refund later.',
  after: ['EV201', 'EV206', 'EV461', 'EV462', 'EV469'],
  find: (model) =>
    model.config.fees.items.flatMap(({ id, count, when }): Draft[] => {
      const hasPrice = listItemCells(model).some(
        ({ item, amount }) => model.file.fees.items?.[item]?.id === id && (amount ?? 0) > 0,
      )
      // If the registration has no price, the item may be the actual purchase. A compulsory item cannot be deselected,
      // so it does not count as preselected.
      if (model.config.fees.prices === null || !hasPrice) return []
      const getPreselectedValue = (name: string): unknown => {
        const itemField = model.config.fields.find((field) => field.id === name)
        return (itemField?.min ?? 0) > 0 ? undefined : itemField?.default
      }
      const field =
        count !== undefined && Number(getPreselectedValue(count.field) ?? 0) > 0
          ? count.field
          : (when ?? [])
              .flatMap((map) => (map.length === 1 ? map : []))
              .find(
                (candidate) =>
                  candidate.test.is === 'in' &&
                  candidate.test.values.length === 1 &&
                  candidate.test.values[0] === true &&
                  getPreselectedValue(candidate.field) === true,
              )?.field
      const usedField = model.fields.find((candidate) => candidate.id === field)
      return usedField === undefined
        ? []
        : [
            {
              at: `${usedField.path}.default`,
              message: `\`${id}\` is preselected: every delegate who does not change \`${usedField.id}\` pays for it`,
              related: [{ at: getItemPath(model, id), message: 'charged here' }],
              help: `write default: ${count === undefined ? 'false' : '0'}`,
            },
          ]
    }),
}

export const chargeChecks = {
  EV459: discountForAllCheck,
  EV469: countedFieldHiddenCheck,
  EV473: chargedWithoutQuestionCheck,
  EV474: unreachablePriceCheck,
  EV475: discountIncreasesPriceCheck,
  EV479: chosenNumberNotChargedCheck,
  EV480: preselectedItemCheck,
} satisfies Checks
