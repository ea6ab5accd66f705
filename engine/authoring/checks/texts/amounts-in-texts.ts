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
import { splitPrice } from '../../../pricing/line-tax.ts'
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
import { listTextPeriods } from '../../prose/named-periods.ts'
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
  readonly sums: readonly Amount[]
}

/** Returns the prices in the currency of an amount, to compare them with it. */
const filterByCurrency = <P extends { readonly currency: Currency }>(
  prices: readonly P[],
  { currency }: StatedAmount,
): readonly P[] => prices.filter((price) => price.currency === currency)

/**
 * Returns every cell with the amounts that a text may state: as written, before tax, with tax, and
 * the tax itself.
 */
function listPriceCells(model: Model): readonly PriceCell[] {
  return listTableCells(model).flatMap(
    ({ category, period, at, amount, currency }): PriceCell[] => {
      if (amount === null) return []
      const { base, gst, total } = splitPrice(model.config.fees.tax, amount)
      return [{ category, period, at, currency, sums: [amount, base, total, gst] }]
    },
  )
}

/**
 * Returns the amounts that a text may state for items: the unit price with tax, the change by an
 * adjustment, the bounds of a donation.
 */
function listItemPrices(model: Model): readonly PricedItem[] {
  const { items, adjustments, tax } = model.config.fees
  const listSums = (amount: Amount, of: typeof tax): readonly Amount[] => {
    const { base, gst, total } = splitPrice(of, amount)
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
              sums: listSums(cell.amount, item.tax),
            },
          ]
    }),
    ...items.flatMap((item, i): PricedItem[] => {
      const field = model.config.fields.find(({ id }) => id === item.amountIn)
      return listCurrenciesOfEvent(model.config).flatMap((currency) => {
        const ends = [field?.min, field?.max].flatMap((end) =>
          end === undefined ? [] : listSums(fromMajorUnits(end, currency) ?? toAmount(0), item.tax),
        )
        return field === undefined
          ? []
          : [{ item, row: EACH_ROW, at: `fees.items.${i}.amount_in`, currency, sums: ends }]
      })
    }),
    ...listAdjustmentAmounts(model).flatMap(
      ({ adjustment, at, amount, currency }): PricedItem[] => {
        const { on } = adjustments[adjustment] ?? {}
        const itemTax = on === 'all' ? tax : (items.find(({ id }) => id === on)?.tax ?? tax)
        return amount === null
          ? []
          : [{ item: null, row: EACH_ROW, at, currency, sums: listSums(amount, itemTax) }]
      },
    ),
  ]
}
type PricedItem = {
  /** Null for an adjustment. */
  readonly item: Item | null
  readonly row: string
  readonly at: string
  readonly currency: Currency
  readonly sums: readonly Amount[]
}

/**
 * Returns the items that a form field sells: an amount in the field refers to them. For an option,
 * only its row.
 */
function findItemsOfField(
  model: Model,
  path: string,
  all: readonly PricedItem[],
): readonly PricedItem[] {
  const [, s, f, o] = /^form\.sections\.(\d+)\.fields\.(\d+)(?:\.options\.(\d+))?/.exec(path) ?? []
  const id = model.file.form.sections[Number(s)]?.fields[Number(f)]?.id
  const field = model.config.fields.find((field) => field.id === id)
  if (field === undefined) return []
  const option = o === undefined ? undefined : field.options?.[Number(o)]?.id
  return all.filter(
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

/** Texts that tell delegates what they pay. Office texts and texts about the past promise nothing. */
const DELEGATE_TEXT_PATHS =
  /^(?:form\.|categories\.|fees\.(?:periods|price_groups|items|adjustments)\.|event\.(?:about|theme)|results\.(?:success|failed)\.(?:intro|notes|reasons)|closed\.|email\.text)/
/** Words in labels of fields that sell nothing. */
const NOT_FOR_SALE_WORDS =
  /\b(?:income|salary|budget|turnover|amount|paid|donation|contribution|utr|transaction)\b/i

type TextMention = { readonly readable: EventText; readonly mention: StatedAmount }
/** Every amount that a delegate would expect to pay, in any currency. */
export const findAllAmounts = memoize((model: Model): readonly TextMention[] =>
  collectEventTexts(model)
    .filter(
      ({ path, heading }) => DELEGATE_TEXT_PATHS.test(path) && !NOT_FOR_SALE_WORDS.test(heading),
    )
    .flatMap((readable) =>
      findAmounts(readable.text, model.config.currency)
        .filter((mention) => {
          if (isEventName(model, readable.text.slice(mention.start, mention.end))) return false
          // An amount in an option is charged unless the words around it say otherwise.
          const isChoice = /^form\.sections\.\d+\.fields\.\d+\.(?:label|options)/.test(
            readable.path,
          )
          return isChoice
            ? isAskedInForm(mention, readable.heading)
            : isPayableAmount(mention, readable.heading)
        })
        .map((mention) => ({ readable, mention })),
    ),
)
/** Amounts in the currencies of the event; others cannot be compared with its prices. */
const findStatedAmounts = memoize((model: Model): readonly TextMention[] =>
  findAllAmounts(model).filter(({ mention }) =>
    listCurrenciesOfEvent(model.config).includes(mention.currency),
  ),
)
/** "Euro 2026" is a conference: a part of the title, or a currency's name in the singular with the event's year. */
const isEventName = ({ config: { title, from } }: Model, words: string): boolean =>
  (/\p{L}/u.test(words) && title.toLowerCase().includes(words.toLowerCase())) ||
  (/^\p{L}{3,}[^\Ws]\s+\d{4}$/iu.test(words) && words.endsWith(from.slice(0, 4)))
const isAskedInForm = ({ left, right }: StatedAmount, heading: string): boolean => {
  const around = `${heading} ${left} ${right}`
  return (
    !NOT_FOR_SALE_WORDS.test(around) &&
    !/\b(?:prizes?|awards?|grants?|refund\w*|worth|save[sd]?|discounts?|up ?to|below|above|more than|less than)\b/i.test(
      around,
    ) &&
    !/\b(?:paid|payable|pay|collected|settled?|billed|charged)\s+(?:\w+\s+){0,3}?(?:at|to|directly|separately|in cash)\b|\bat the (?:venue|desk|hotel|counter|spot)\b|\bdirectly\b|\bseparately\b|\bon[- ]?(?:the )?(?:spot|site)\b/i.test(
      around,
    )
  )
}

const amountNotChargedCheck: Check = {
  slug: 'amount-not-charged',
  severity: 'warning',
  why: 'Delegates expect to pay an amount that a text states. An amount outside the price table is never charged.',
  after: [...TABLE_ERRORS, 'EV401'],
  find: (model) => {
    if (model.config.status === 'closed') return []
    const allCells = listPriceCells(model)
    const allPrices = listItemPrices(model)
    const adjusted = findNamedDifferences(model, allCells, allPrices)
    return findStatedAmounts(model).flatMap(({ readable, mention }): Draft[] => {
      const cells = filterByCurrency(allCells, mention)
      const otherPrices = filterByCurrency(allPrices, mention)
      const isCharged = [...cells, ...otherPrices].some(({ sums }) => sums.includes(mention.amount))
      if (isCharged || isAlreadyReported(adjusted, readable, mention)) return []
      // EV456 reports an amount that differs from the field's own prices.
      if (findItemsOfField(model, readable.path, otherPrices).length > 0) return []
      const suggestion = findIntendedCells(model, cells, readable, mention)
      const [matchingPrice] = suggestion
      const at = {
        at: readable.path,
        span: [readable.at + mention.start, readable.at + mention.end] as const,
      }
      if (matchingPrice !== undefined) return []
      return [
        {
          ...at,
          message: `${formatMoney(mention.amount, mention.currency)} is not in the price table: it is never charged`,
          related: listPriceTables(model)
            .slice(0, 1)
            .map(({ path }) => ({ at: path, part: 'key' as const, message: 'what is charged' })),
          help: /\.fields\.\d+\.(?:label|options)/.test(readable.path)
            ? 'remove the amount, or state how it is paid (payable at the venue), or add a category with this price'
            : 'write an amount of the price table, or state what it is for and how it is paid',
        },
      ]
    })
  },
}

const amountDiffersCheck: Check = {
  slug: 'amount-differs',
  severity: 'warning',
  why: 'Two places state different prices for the same delegates. Delegates will insist on the lower one.',
  after: [...TABLE_ERRORS, 'EV401'],
  find: (model) => {
    if (model.config.status === 'closed') return []
    const allCells = listPriceCells(model)
    const allPrices = listItemPrices(model)
    const adjusted = findNamedDifferences(model, allCells, allPrices)
    const rest = findStatedAmounts(model).flatMap(({ readable, mention }): Draft[] => {
      const cells = filterByCurrency(allCells, mention)
      const itemPrices = filterByCurrency(allPrices, mention)
      if (isAlreadyReported(adjusted, readable, mention)) return []
      const candidates = findItemsOfField(model, readable.path, itemPrices)
      if (candidates.length > 0)
        return [...findItemDifference(model, readable, mention, candidates, cells, itemPrices)]
      if (itemPrices.some(({ sums }) => sums.includes(mention.amount))) return []
      const suggestion = findIntendedCells(model, cells, readable, mention)
      if (suggestion.length === 0 || suggestion.some(({ sums }) => sums.includes(mention.amount)))
        return []
      const names = [...new Set(suggestion.map(({ at }) => model.source.written(at)?.text ?? ''))]
      return [
        {
          at: readable.path,
          span: [readable.at + mention.start, readable.at + mention.end],
          message: `the text says ${formatMoney(mention.amount, mention.currency)}, but the prices of \`${suggestion[0]?.category ?? ''}\` ${suggestion.length === 1 ? `in \`${suggestion[0]?.period ?? ''}\` ` : ''}say ${names.join(', ')}`,
          related: suggestion.slice(0, 1).map(({ at }) => ({ at, message: 'the price' })),
          help: 'write the same amount in both places',
        },
      ]
    })
    return [...adjusted, ...rest]
  },
}

/** Amounts right after the name of an adjustment or of an item, which are not its own. */
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

/** An amount in a field that sells items, equal to none of their prices. */
function findItemDifference(
  model: Model,
  readable: EventText,
  mention: StatedAmount,
  candidates: readonly PricedItem[],
  cells: readonly PriceCell[],
  itemPrices: readonly PricedItem[],
): readonly Draft[] {
  // If the delegate chooses the price, the text may state any amount: ₹ 500 plants a tree.
  if (candidates.some(({ item }) => item?.amountIn !== undefined)) return []
  const isOption = /\.options\.\d+/.test(readable.path)
  // A hint may mention other prices too; an option states its own.
  const others = isOption ? [] : [...cells, ...itemPrices.filter(({ item }) => item === null)]
  if ([...candidates, ...others].some(({ sums }) => sums.includes(mention.amount))) return []
  const names = [...new Set(candidates.map(({ at }) => model.source.written(at)?.text ?? ''))]
  const [first] = candidates
  return [
    {
      at: readable.path,
      span: [readable.at + mention.start, readable.at + mention.end],
      message: `the text says ${formatMoney(mention.amount, mention.currency)}, but the prices of \`${first?.item?.id ?? ''}\` say ${names.slice(0, PRICES_LISTED_MAX).join(', ')}${names.length > PRICES_LISTED_MAX ? ` and ${names.length - PRICES_LISTED_MAX} more` : ''}`,
      related: first === undefined ? [] : [{ at: first.at, message: 'the price' }],
      help: 'write the same amount in both places',
    },
  ]
}
/** More prices than this are counted instead of listed. */
const PRICES_LISTED_MAX = 6

/** Matches the end of an earlier amount in the same line. */
const buildAmountEndPattern = memoize((currency: Currency) =>
  currency === INR
    ? /[,;]|(?:₹|\brs\b\.?)\s*[\d,]+(?:\/-)?/i
    : new RegExp(`[,;]|(?:${buildOwnSignPattern(currency)})\\s*[\\d.,]+`, 'iu'),
)

/**
 * Returns the cells that a text clearly refers to: it names one category, and perhaps a period.
 * Empty if it names none, or several.
 */
function findIntendedCells(
  model: Model,
  cells: readonly PriceCell[],
  readable: EventText,
  mention: StatedAmount,
): readonly PriceCell[] {
  const { config } = model
  const categoryIndex = /^categories\.(\d+)\./.exec(readable.path)?.[1]
  const around = `${mention.left} ${mention.right}`
  // An amount refers to the text before it; if there are several in one line, to the text between
  // them.
  const precedingText = mention.left.split(buildAmountEndPattern(mention.currency)).at(-1) ?? ''
  const names = config.categories.map(({ id, label }) => [label, id.replaceAll('-', ' ')])
  const byName = findNamedPayer(names, precedingText, mention)
  const category = categoryIndex === undefined ? byName : Number(categoryIndex)
  const id = config.categories[category ?? -1]?.id
  if (id === undefined) return []
  const periods = listPeriodsOfCategory(config.fees, id)
  const ofPeriod = listTextPeriods(model).find(({ at }) => readable.path.startsWith(`${at}.`))
  const named = findNamed(
    periods.map(({ id, label }) => [label, id.replaceAll('-', ' ')]),
    around,
  )
  const period = ofPeriod?.period ?? (named === null ? undefined : periods[named])
  return cells.filter(
    (cell) => cell.category === id && (period === undefined || cell.period === period.id),
  )
}

export const textAmountChecks = {
  EV455: amountNotChargedCheck,
  EV456: amountDiffersCheck,
} satisfies Checks
