/** Checks EV455, EV456: amounts in texts agree with the price table. */
import { EACH_ROW } from '../../../pricing/bill.ts'
import {
  INR,
  formatMoney,
  fromMajorUnits,
  toAmount,
  type Currency,
  type Amount,
} from '../../../lib/money.ts'
import { splitPrice } from '../../../pricing/line-tax-and-rounding.ts'
import { memoize } from '../../../lib/memoize.ts'
import { findWrongAdjustmentAmounts, findWrongItemAmounts } from './named-amounts.ts'
import { findNamed, findNamedPayer } from '../../prose/named-in-text.ts'
import { findAmounts, isPayableAmount, type StatedAmount } from '../../prose/find-amounts.ts'
import { buildOwnSignPattern } from '../../suggestions/currency-notations.ts'
import { listCurrenciesOfEvent } from '../../../rules/category.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import { collectEventTexts, type EventText } from '../../prose/event-texts.ts'
import type { Item } from '../../../event/pricing-types.ts'
import { listPeriodsOfCategory } from '../../../pricing/price-periods.ts'
import { listLocatedPeriods } from '../../prose/named-periods.ts'
import { listPriceTables } from '../names/price-tables.ts'
import { listConditionNames } from '../../proofs/walk-form.ts'
import {
  listAdjustmentAmounts,
  TABLE_ERRORS,
  listTableCells,
  listItemCells,
} from '../prices/fees.ts'

type PriceCell = {
  readonly category: string
  readonly period: string
  readonly at: string
  readonly currency: Currency
  readonly amounts: readonly Amount[]
}

/** Returns the prices in the currency of a stated amount. Prices in other currencies cannot be compared with it. */
const filterByCurrency = <P extends { readonly currency: Currency }>(
  prices: readonly P[],
  { currency }: StatedAmount,
): readonly P[] => prices.filter((price) => price.currency === currency)

/**
 * Returns every cell of the price tables with the amounts that text may state for it: as written, without tax, with
 * tax, and the tax itself.
 */
function listPriceCells(model: Model): readonly PriceCell[] {
  return listTableCells(model).flatMap(
    ({ category, period, at, amount, currency }): PriceCell[] => {
      if (amount === null) return []
      const { base, gst, total } = splitPrice(model.config.fees.tax, amount)
      return [{ category, period, at, currency, amounts: [amount, base, total, gst] }]
    },
  )
}

/**
 * Returns the amounts that text may state for items and adjustments: unit prices, amounts of adjustments and limits
 * of donations, each with and without tax.
 */
function listItemPrices(model: Model): readonly PricedItem[] {
  const { items, adjustments, tax } = model.config.fees
  const listSums = (amount: Amount, appliedTax: typeof tax): readonly Amount[] => {
    const { base, gst, total } = splitPrice(appliedTax, amount)
    return [amount, base, total, gst]
  }
  return [
    ...listItemCells(model).flatMap((cell): PricedItem[] => {
      const item = items[cell.item]
      return item === undefined || cell.amount === null
        ? []
        : [
            {
              item,
              row: cell.row,
              at: cell.at,
              currency: cell.currency,
              amounts: listSums(cell.amount, item.tax),
            },
          ]
    }),
    ...items.flatMap((item, i): PricedItem[] => {
      const field = model.config.fields.find(({ id }) => id === item.amountIn)
      return listCurrenciesOfEvent(model.config).flatMap((currency) => {
        const bounds = [field?.min, field?.max].flatMap((end) =>
          end === undefined ? [] : listSums(fromMajorUnits(end, currency) ?? toAmount(0), item.tax),
        )
        return field === undefined
          ? []
          : [
              {
                item,
                row: EACH_ROW,
                at: `fees.items.${i}.amount_in`,
                currency,
                amounts: bounds,
              },
            ]
      })
    }),
    ...listAdjustmentAmounts(model).flatMap(
      ({ adjustment, at, amount, currency }): PricedItem[] => {
        const { on } = adjustments[adjustment] ?? {}
        const itemTax = on === 'all' ? tax : (items.find(({ id }) => id === on)?.tax ?? tax)
        return amount === null
          ? []
          : [
              {
                item: null,
                row: EACH_ROW,
                at,
                currency,
                amounts: listSums(amount, itemTax),
              },
            ]
      },
    ),
  ]
}
type PricedItem = {
  /** The item, or null for an adjustment. */
  readonly item: Item | null
  readonly row: string
  readonly at: string
  readonly currency: Currency
  readonly amounts: readonly Amount[]
}

/**
 * Returns the prices of the items that a form field sells, because amounts in the field's texts refer to them. For an
 * option, returns only the prices of its row.
 */
function findItemsOfField(
  model: Model,
  path: string,
  pricedItems: readonly PricedItem[],
): readonly PricedItem[] {
  const [, s, f, o] = /^form\.sections\.(\d+)\.fields\.(\d+)(?:\.options\.(\d+))?/.exec(path) ?? []
  const id = model.file.form.sections[Number(s)]?.fields[Number(f)]?.id
  const field = model.config.fields.find((field) => field.id === id)
  if (field === undefined) return []
  const option = o === undefined ? undefined : field.options?.[Number(o)]?.id
  return pricedItems.filter(
    ({ item, row }) =>
      item !== null &&
      [
        item.by,
        item.count?.field,
        item.times,
        item.amountIn,
        ...listConditionNames([item.when]),
      ].includes(field.id) &&
      (option === undefined || item.by !== field.id || row === option),
  )
}

/** Matches the texts that delegates read before they pay. Office texts are not checked. */
const DELEGATE_TEXT_PATHS =
  /^(?:form\.|categories\.|fees\.(?:periods|price_groups|items|adjustments)\.|event\.(?:about|theme)|results\.(?:success|failed)\.(?:intro|notes|reasons)|closed\.|email\.text)/
/** Words in the headings of fields that ask for an amount but sell nothing. */
const NOT_FOR_SALE_WORDS =
  /\b(?:income|salary|budget|turnover|amount|paid|donation|contribution|utr|transaction)\b/i

type TextMention = { readonly eventText: EventText; readonly mention: StatedAmount }
/** Returns every amount that a delegate would expect to pay, in any currency. */
export const findAllAmounts = memoize((model: Model): readonly TextMention[] =>
  collectEventTexts(model)
    .filter(
      ({ path, heading }) => DELEGATE_TEXT_PATHS.test(path) && !NOT_FOR_SALE_WORDS.test(heading),
    )
    .flatMap((eventText) =>
      findAmounts(eventText.text, model.config.currency)
        .filter((mention) => {
          if (isEventName(model, eventText.text.slice(mention.start, mention.end))) return false
          // An amount in a label or an option is assumed to be charged, unless the words around it exclude this.
          const isChoice = /^form\.sections\.\d+\.fields\.\d+\.(?:label|options)/.test(
            eventText.path,
          )
          return isChoice
            ? isPayableInOption(mention, eventText.heading)
            : isPayableAmount(mention, eventText.heading)
        })
        .map((mention) => ({ eventText, mention })),
    ),
)
/** Returns amounts in the currencies of the event. Other amounts cannot be compared with its prices. */
const findStatedAmounts = memoize((model: Model): readonly TextMention[] =>
  findAllAmounts(model).filter(({ mention }) =>
    listCurrenciesOfEvent(model.config).includes(mention.currency),
  ),
)
/** Returns whether an amount is a conference name: part of the title, or "Euro 2026" with the event's year. */
const isEventName = ({ config: { title, from } }: Model, words: string): boolean =>
  (/\p{L}/u.test(words) && title.toLowerCase().includes(words.toLowerCase())) ||
  (/^\p{L}{3,}[^\Ws]\s+\d{4}$/iu.test(words) && words.endsWith(from.slice(0, 4)))
const isPayableInOption = ({ textBefore, textAfter }: StatedAmount, heading: string): boolean => {
  const context = `${heading} ${textBefore} ${textAfter}`
  return (
    !NOT_FOR_SALE_WORDS.test(context) &&
    !/\b(?:prizes?|awards?|grants?|refund\w*|worth|save[sd]?|discounts?|up ?to|below|above|more than|less than)\b/i.test(
      context,
    ) &&
    !/\b(?:paid|payable|pay|collected|settled?|billed|charged)\s+(?:\w+\s+){0,3}?(?:at|to|directly|separately|in cash)\b|\bat the (?:venue|desk|hotel|counter|spot)\b|\bdirectly\b|\bseparately\b|\bon[- ]?(?:the )?(?:spot|site)\b/i.test(
      context,
    )
  )
}

const amountNotChargedCheck: Check = {
  slug: 'amount-not-charged',
  severity: 'warning',
  why: 'Delegates expect to pay an amount that they read. An amount that is not in the price table is never charged.',
  after: [...TABLE_ERRORS, 'EV401'],
  find: (model) => {
    if (model.config.status === 'closed') return []
    const allCells = listPriceCells(model)
    const allPrices = listItemPrices(model)
    const namedDifferences = findNamedDifferences(model, allCells, allPrices)
    return findStatedAmounts(model).flatMap(({ eventText, mention }): Draft[] => {
      const cells = filterByCurrency(allCells, mention)
      const otherPrices = filterByCurrency(allPrices, mention)
      const isCharged = [...cells, ...otherPrices].some(({ amounts }) =>
        amounts.includes(mention.amount),
      )
      if (isCharged || isAlreadyReported(namedDifferences, eventText, mention)) return []
      // EV456 reports an amount that differs from the field's own prices.
      if (findItemsOfField(model, eventText.path, otherPrices).length > 0) return []
      const namedCells = findIntendedCells(model, cells, eventText, mention)
      const [matchingPrice] = namedCells
      const location = {
        at: eventText.path,
        span: [eventText.at + mention.start, eventText.at + mention.end] as const,
      }
      if (matchingPrice !== undefined) return []
      return [
        {
          ...location,
          message: `${formatMoney(mention.amount, mention.currency)} is not in the price table, so it is never charged`,
          related: listPriceTables(model)
            .slice(0, 1)
            .map(({ path }) => ({
              at: path,
              part: 'key' as const,
              message: 'the price table',
            })),
          help: /\.fields\.\d+\.(?:label|options)/.test(eventText.path)
            ? 'remove the amount, or state how it is paid (payable at the venue), or add a category with this price'
            : 'write an amount from the price table, or state what the amount is for and how it is paid',
        },
      ]
    })
  },
}

const amountDiffersCheck: Check = {
  slug: 'amount-differs',
  severity: 'warning',
  why: 'Two places state different prices for the same delegates. Delegates will insist on the lower price.',
  after: [...TABLE_ERRORS, 'EV401'],
  find: (model) => {
    if (model.config.status === 'closed') return []
    const allCells = listPriceCells(model)
    const allPrices = listItemPrices(model)
    const namedDifferences = findNamedDifferences(model, allCells, allPrices)
    const otherDifferences = findStatedAmounts(model).flatMap(({ eventText, mention }): Draft[] => {
      const cells = filterByCurrency(allCells, mention)
      const itemPrices = filterByCurrency(allPrices, mention)
      if (isAlreadyReported(namedDifferences, eventText, mention)) return []
      const candidates = findItemsOfField(model, eventText.path, itemPrices)
      if (candidates.length > 0)
        return [...findItemDifference(model, eventText, mention, candidates, cells, itemPrices)]
      if (itemPrices.some(({ amounts }) => amounts.includes(mention.amount))) return []
      const namedCells = findIntendedCells(model, cells, eventText, mention)
      if (
        namedCells.length === 0 ||
        namedCells.some(({ amounts }) => amounts.includes(mention.amount))
      )
        return []
      const names = [...new Set(namedCells.map(({ at }) => model.source.getScalar(at)?.text ?? ''))]
      return [
        {
          at: eventText.path,
          span: [eventText.at + mention.start, eventText.at + mention.end],
          message: `the text says ${formatMoney(mention.amount, mention.currency)}, but the prices of \`${namedCells[0]?.category ?? ''}\` ${namedCells.length === 1 ? `in \`${namedCells[0]?.period ?? ''}\` ` : ''}say ${names.join(', ')}`,
          related: namedCells.slice(0, 1).map(({ at }) => ({ at, message: 'the price' })),
          help: 'write the same amount in both places',
        },
      ]
    })
    return [...namedDifferences, ...otherDifferences]
  },
}

/** Reports amounts that directly follow the name of an adjustment or item but are not its price. */
const findNamedDifferences = (
  model: Model,
  cells: readonly PriceCell[],
  itemPrices: readonly PricedItem[],
): readonly Draft[] => [
  ...findWrongAdjustmentAmounts(
    model,
    collectEventTexts(model).filter(({ path }) => DELEGATE_TEXT_PATHS.test(path)),
    [...cells, ...itemPrices.filter(({ item }) => item === null)],
  ),
  ...findWrongItemAmounts(
    model,
    collectEventTexts(model).filter(
      ({ path }) =>
        DELEGATE_TEXT_PATHS.test(path) &&
        !/\.options\.|^fees\./.test(path) &&
        findItemsOfField(model, path, itemPrices).length === 0,
    ),
    itemPrices,
  ),
]

const isAlreadyReported = (
  drafts: readonly Draft[],
  { path, at }: EventText,
  { start }: StatedAmount,
): boolean => drafts.some((draft) => draft.at === path && draft.span?.[0] === at + start)

/** Reports an amount in the text of a field that sells items, if the amount is none of the items' prices. */
function findItemDifference(
  model: Model,
  eventText: EventText,
  mention: StatedAmount,
  candidates: readonly PricedItem[],
  cells: readonly PriceCell[],
  itemPrices: readonly PricedItem[],
): readonly Draft[] {
  // If the delegate chooses the amount, the text may state any amount ("₹ 500 plants a tree").
  if (candidates.some(({ item }) => item?.amountIn !== undefined)) return []
  const isOption = /\.options\.\d+/.test(eventText.path)
  // A hint may also mention other prices, but an option states only its own.
  const prices = isOption ? [] : [...cells, ...itemPrices.filter(({ item }) => item === null)]
  if ([...candidates, ...prices].some(({ amounts }) => amounts.includes(mention.amount))) return []
  const names = [...new Set(candidates.map(({ at }) => model.source.getScalar(at)?.text ?? ''))]
  const [firstPrice] = candidates
  return [
    {
      at: eventText.path,
      span: [eventText.at + mention.start, eventText.at + mention.end],
      message: `the text says ${formatMoney(mention.amount, mention.currency)}, but the prices of \`${firstPrice?.item?.id ?? ''}\` say ${names.slice(0, MAX_LISTED_PRICES).join(', ')}${names.length > MAX_LISTED_PRICES ? ` and ${names.length - MAX_LISTED_PRICES} more` : ''}`,
      related: firstPrice === undefined ? [] : [{ at: firstPrice.at, message: 'the price' }],
      help: 'write the same amount in both places',
    },
  ]
}
/** A finding lists at most this many prices, and only counts the others. */
const MAX_LISTED_PRICES = 6

/** Builds a pattern that matches the end of an earlier amount on the same line. */
const buildAmountEndPattern = memoize((currency: Currency) =>
  currency === INR
    ? /[,;]|(?:₹|\brs\b\.?)\s*[\d,]+(?:\/-)?/i
    : new RegExp(`[,;]|(?:${buildOwnSignPattern(currency)})\\s*[\\d.,]+`, 'iu'),
)

/**
 * Returns the cells to which text refers if it mentions exactly one category, and possibly a period. Returns no cells
 * if the text mentions no category or several.
 */
function findIntendedCells(
  model: Model,
  cells: readonly PriceCell[],
  eventText: EventText,
  mention: StatedAmount,
): readonly PriceCell[] {
  const { config } = model
  const categoryIndex = /^categories\.(\d+)\./.exec(eventText.path)?.[1]
  const context = `${mention.textBefore} ${mention.textAfter}`
  // An amount belongs to the text before it, back to the previous amount on the same line.
  const nearText = mention.textBefore.split(buildAmountEndPattern(mention.currency)).at(-1) ?? ''
  const names = config.categories.map(({ id, label }) => [label, id.replaceAll('-', ' ')])
  const namedCategory = findNamedPayer(names, nearText, mention)
  const category = categoryIndex === undefined ? namedCategory : Number(categoryIndex)
  const id = config.categories[category ?? -1]?.id
  if (id === undefined) return []
  const periods = listPeriodsOfCategory(config.fees, id)
  const textPeriod = listLocatedPeriods(model).find(({ at }) => eventText.path.startsWith(`${at}.`))
  const namedPeriod = findNamed(
    periods.map(({ id, label }) => [label, id.replaceAll('-', ' ')]),
    context,
  )
  const period = textPeriod?.period ?? (namedPeriod === null ? undefined : periods[namedPeriod])
  return cells.filter(
    (cell) => cell.category === id && (period === undefined || cell.period === period.id),
  )
}

export const textAmountChecks = {
  EV455: amountNotChargedCheck,
  EV456: amountDiffersCheck,
} satisfies Checks
