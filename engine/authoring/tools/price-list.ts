/**
 * Lists everything that an event sells, as small tables: registration by category, items by row, and rules.
 *
 * Adjustments and quotas are described in words. Prices are as in the file, column by column.
 */
import { EACH_ROW } from '../../pricing/bill.ts'
import { describeCondition } from '../../rules/describe-condition.ts'
import type { EventConfig, Field } from '../../event/config.ts'
import {
  formatCount,
  formatMoney,
  fromMajorUnits,
  toAmount,
  type Amount,
  type Currency,
  type Tax,
} from '../../lib/money.ts'
import { getCurrency } from '../../rules/category.ts'
import { getOwn } from '../../lib/result.ts'
import { REGISTRATION_LINE_ID } from '../../event/pricing-types.ts'
import type { Condition } from '../../event/answer-types.ts'
import type {
  Adjustment,
  Item,
  Quota,
  PriceTable,
  MemberList,
  Period,
  TaxRule,
} from '../../event/pricing-types.ts'
import { listPeriodsOfItem, findGroupOfCategory } from '../../pricing/price-periods.ts'
import { addDays, formatDay, formatDaysBefore } from '../../lib/time.ts'
import { listCategoriesOfTable } from './item-tables.ts'
import { formatSigned } from './explain-bill-lines.ts'

export type ListedRow = {
  readonly id: string
  readonly label: string
  readonly currency: Currency
  /** One per period, in order. Null if not on sale. */
  readonly cells: readonly (Amount | null)[]
  readonly note?: string
}
export type ListedTable = {
  /** `registration`, or an item's id. */
  readonly id: string
  readonly label: string
  /** Conditions, quantity, factor and tax: one clause each. */
  readonly about: readonly string[]
  /** The columns: the periods of the fees, or the item's own. */
  readonly periods: readonly Period[]
  /** The item's price tables; the first match applies. Empty if the delegate enters the price. */
  readonly parts: readonly ListedPart[]
}
/** The label of a table without a condition, which applies to all other delegates. */
export const ALL_OTHERS = 'all others'

/** One price table of an item. */
export type ListedPart = {
  /** The condition of the table in words. Null if the item has a single table. */
  readonly when: string | null
  /** The labels of the categories that the table applies to. Null if other answers determine this. */
  readonly categories: readonly string[] | null
  readonly rows: readonly ListedRow[]
}
/** One rule of a list, in words. */
export type ListedRule = { readonly id: string; readonly description: string }
/** `rollcall event simulate --json` prints these property names. */
export type PriceList = {
  readonly tables: readonly ListedTable[]
  readonly taxRules: readonly ListedRule[]
  readonly adjustments: readonly ListedRule[]
  readonly limits: readonly ListedRule[]
  readonly unique: readonly ListedRule[]
  readonly codes: readonly ListedRule[]
  readonly rolls: readonly ListedRule[]
}

/** The title above each kind of rule, in display order. */
const RULE_TITLES = {
  taxRules: 'Taxes, the first that applies',
  adjustments: 'Adjustments, from top to bottom',
  limits: 'Quotas',
  unique: 'Unique answers',
  codes: 'Discount codes',
  rolls: 'Member lists',
} as const satisfies Record<Exclude<keyof PriceList, 'tables'>, string>

/** Returns the rules of an event by kind, each kind with its title. Omits kinds without rules. */
export const listRuleGroups = (
  list: PriceList,
): readonly { readonly title: string; readonly rules: readonly ListedRule[] }[] =>
  (Object.keys(RULE_TITLES) as (keyof typeof RULE_TITLES)[])
    .map((kind) => ({ title: RULE_TITLES[kind], rules: list[kind] }))
    .filter(({ rules }) => rules.length > 0)

export function buildPriceList(event: EventConfig): PriceList {
  const { fees, unique, codeKinds, memberLists } = event
  return {
    tables:
      fees.prices === null
        ? []
        : [
            ...listRegistrationTables(event, fees.prices),
            ...fees.items.map((item) => buildItemTable(event, item)),
          ],
    taxRules: [
      ...fees.items.flatMap(({ id, ownTaxRules = [] }) =>
        ownTaxRules.map((rule, index) => ({
          id: `${id} ${index + 1}`,
          description: formatTaxRule(event, rule),
        })),
      ),
      ...(fees.taxRules ?? []).map((rule, index) => ({
        id: String(index + 1),
        description: formatTaxRule(event, rule),
      })),
    ],
    adjustments: fees.adjustments.map((adjustment) => ({
      id: adjustment.id,
      description: formatAdjustment(event, adjustment),
    })),
    limits: event.quotas.map((quota) => ({ id: quota.id, description: formatQuota(event, quota) })),
    unique: unique.map(({ fields, onDuplicate, message }) => ({
      id: fields.join(' and '),
      description: `${onDuplicate === 'block' ? 'only once' : 'a second time after confirmation'}: “${message}”`,
    })),
    codes: codeKinds.map(({ id, label, gives }) => ({
      id,
      description: `${label}: gives the ${'category' in gives ? `category ${gives.category}` : `adjustment ${gives.adjustment}`}`,
    })),
    rolls: memberLists.map((memberList) => ({
      id: memberList.id,
      description: formatMemberList(event, memberList),
    })),
  }
}

function formatMemberList(
  { fields }: EventConfig,
  { id, key, columns, shows }: MemberList,
): string {
  const fieldIds = fields
    .filter(({ roll: memberList }) => memberList === id)
    .map((field) => field.id)
  const columnTexts = columns.map((column) =>
    column.options === undefined
      ? `${column.id}${column.type === 'date' ? ' (a date)' : ''}`
      : `${column.id} (${column.options.join(' or ')})`,
  )
  return [
    `${fieldIds.join(' and ')} is looked up by ${key} among ${columnTexts.join(', ')}`,
    ...(shows.length === 0 ? [] : [`shown: ${shows.join(', ')}`]),
  ].join('; ')
}

/** Returns the table of the event's periods, and one table per group of categories. */
function listRegistrationTables(event: EventConfig, prices: PriceTable): readonly ListedTable[] {
  const { groups = [] } = event.fees
  return [undefined, ...groups].flatMap((group): ListedTable[] => {
    const periods = group?.periods ?? event.fees.periods
    const categories = event.categories.filter(
      ({ id }) => findGroupOfCategory(event.fees, id) === group,
    )
    if (categories.length === 0 && groups.length > 0) return []
    return [
      {
        id: 'registration',
        label: group?.label ?? 'Registration',
        about: [],
        periods,
        parts: [
          {
            when: null,
            categories: null,
            rows: categories.map(({ id, label, listedOnly }) => ({
              ...createListedRow(periods, prices, id, label, getCurrency(event, id)),
              ...(listedOnly ? { note: describeListedCategory(event, id) } : {}),
            })),
          },
        ],
      },
    ]
  })
}

/** Describes a category that no answer leads to. A discount code may give it, or a full quota may offer it. */
function describeListedCategory({ codeKinds, quotas }: EventConfig, category: string): string {
  const kinds = codeKinds.filter(({ gives }) => 'category' in gives && gives.category === category)
  if (kinds.length > 0) return `with a code: ${kinds.map(({ id }) => id).join(', ')}`
  return quotas.some(({ full }) => full.offer === category)
    ? 'when another is full'
    : 'price list only'
}

function createListedRow(
  periods: readonly Period[],
  table: PriceTable,
  id: string,
  label: string,
  currency: Currency,
): ListedRow {
  const row = getOwn(table, id) ?? {}
  return {
    id,
    label,
    currency,
    cells: periods.map((period) => getOwn(row, period.id) ?? null),
  }
}

function buildItemTable(event: EventConfig, item: Item): ListedTable {
  const periods = listPeriodsOfItem(event.fees, item)
  const field = findField(event, item.by)
  const getLabel = (row: string): string =>
    row === EACH_ROW ? 'each' : (field?.options?.find(({ id }) => id === row)?.label ?? row)
  return {
    id: item.id,
    label: item.label,
    about: describeItem(event, item),
    periods,
    parts: item.prices.map(({ when, table, currency = event.currency }, part) => ({
      when:
        when !== null ? describeCondition(event, when) : item.prices.length > 1 ? ALL_OTHERS : null,
      categories: listCategoriesOfTable(event, item, part)?.map(({ label }) => label) ?? null,
      rows: Object.keys(table).map((row) =>
        createListedRow(periods, table, row, getLabel(row), currency),
      ),
    })),
  }
}

function findField(event: EventConfig, id: string | undefined): Field | undefined {
  return id === undefined ? undefined : event.fields.find((field) => field.id === id)
}

/** Quotes a field's label, because it may be a sentence such as “I give”. */
const getFieldLabel = (event: EventConfig, id: string): string =>
  `“${findField(event, id)?.label ?? id}”`

function describeItem(event: EventConfig, item: Item): readonly string[] {
  const { when, by, count, times, amountIn, tax } = item
  return [
    ...(when === undefined ? [] : [`where ${describeCondition(event, when)}`]),
    ...(by === undefined
      ? []
      : [`by the choice in ${getFieldLabel(event, by)}${formatMaximum(findField(event, by))}`]),
    ...(count === undefined
      ? []
      : [
          `for each in ${getFieldLabel(event, count.field)}${count.where === undefined ? '' : ` where ${describeCondition(event, count.where)}`}${formatMaximum(findField(event, count.field))}`,
        ]),
    ...(times === undefined
      ? []
      : [`times ${getFieldLabel(event, times)}${formatMaximum(findField(event, times))}`]),
    ...(amountIn === undefined
      ? []
      : [formatAmountField(event, findField(event, amountIn), amountIn)]),
    ...(hasCommonTax(event, tax) ? [] : [tax === null ? 'no tax' : formatListedTax(tax)]),
  ]
}

/** Formats the maximum quantity. Returns an empty string if the field states none. */
function formatMaximum(field: Field | undefined): string {
  const max = field?.type === 'many' ? field.choose?.atMost : field?.max
  return max === undefined ? '' : ` (${field?.type === 'many' ? 'at most' : 'up to'} ${max})`
}

/** Formats the range of a price that the delegate enters, with the label of its field. */
export function formatAmountField(
  event: EventConfig,
  field: Field | undefined,
  id: string,
): string {
  const formatAmount = (rupees: number): string =>
    formatMoney(fromMajorUnits(rupees, event.currency) ?? toAmount(0), event.currency)
  const { min, max } = field ?? {}
  return min === undefined || max === undefined
    ? `as entered in ${getFieldLabel(event, id)}`
    : `${formatAmount(min)} to ${formatAmount(max)}, as entered in ${getFieldLabel(event, id)}`
}

/** Returns true if this tax applies to the whole list and so need not be repeated. */
function hasCommonTax({ fees }: EventConfig, tax: Tax | null): boolean {
  return (
    tax?.name === fees.tax?.name &&
    tax?.percent === fees.tax?.percent &&
    tax?.prices === fees.tax?.prices &&
    tax?.round === fees.tax?.round
  )
}

/** Formats the days of a period: "1–15 June 2027", "until 15 June 2027". */
export function describeDays({ from, to }: Period): string {
  return formatDaysBefore(from ?? null, to === undefined ? null : addDays(to, 1))
}

/** Formats "GST 18%, added to the price". */
export function formatListedTax({ name, percent, prices }: Tax): string {
  return `${name} ${percent}%, ${prices === 'exclusive' ? 'added to the price' : 'inside the price'}`
}

function formatTaxRule(event: EventConfig, { tax, when, from, to, note }: TaxRule): string {
  const { name, percent, replaces } = tax
  const terms =
    replaces === undefined
      ? formatListedTax(tax)
      : `${name} ${percent}% instead of ${replaces}% on the price without tax`
  return [
    terms,
    ...(from === undefined ? [] : [`from ${formatDay(from)}`]),
    ...(to === undefined ? [] : [`to ${formatDay(to)}`]),
    ...(when === undefined ? [] : [`where ${describeCondition(event, when)}`]),
    ...(note === undefined ? [] : [`named “${note}”`]),
  ].join(', ')
}

/** How a list refers to conditions and items: by the file's ids, or by the labels shown to delegates. */
export type Naming = {
  readonly describe: (event: EventConfig, condition: Condition) => string
  readonly nameItem: (event: EventConfig, id: string) => string
}
const NAMING_BY_ID: Naming = { describe: describeCondition, nameItem: (_, id) => id }

export function formatAdjustment(
  event: EventConfig,
  { label, by, on, when, from, to }: Adjustment,
  { describe, nameItem }: Naming = NAMING_BY_ID,
): string {
  const change =
    'percent' in by
      ? `${by.percent > 0 ? '+' : '−'}${Math.abs(by.percent)}%`
      : formatSigned(by.amount, by.currency ?? event.currency)
  return [
    `${label}: ${change} on ${on === 'all' ? 'all lines' : on === REGISTRATION_LINE_ID ? on : nameItem(event, on)}`,
    ...(from === undefined ? [] : [`from ${formatDay(from)}`]),
    ...(to === undefined ? [] : [`to ${formatDay(to)}`]),
    ...(when === undefined ? [] : [`where ${describe(event, when)}`]),
  ].join(', ')
}

function formatQuota(event: EventConfig, quota: Quota): string {
  const { full, few } = quota
  return [
    formatSeats(event, quota),
    ...(few === undefined ? [] : [`when ${few} or fewer are left, the form shows how many`]),
    `then “${full.message}”${full.offer === undefined ? '' : ` and ${full.offer} is offered`}`,
  ].join('; ')
}

/** Formats the number of seats and the registrations that take them: "100, where category is Trainee". */
export function formatSeats(
  event: EventConfig,
  quota: Quota,
  { describe }: Naming = NAMING_BY_ID,
): string {
  const { when, eachOptionOf, count, withDelegate, max } = quota
  const options = findField(event, eachOptionOf)?.options
  const maxText =
    typeof max === 'number'
      ? formatCount(max)
      : Object.entries(max)
          .map(
            ([option, seats]) =>
              `${options?.find(({ id }) => id === option)?.label ?? option}: ${formatCount(seats)}`,
          )
          .join(', ')
  const countedText =
    count === undefined
      ? ''
      : `, counting ${withDelegate === true ? 'the delegate and ' : ''}${getFieldLabel(event, count)}`
  return `${eachOptionOf === undefined ? maxText : `${maxText} in ${getFieldLabel(event, eachOptionOf)}`}${countedText}${when === undefined ? '' : `, where ${describe(event, when)}`}`
}
