/** Finds wrong amounts directly after the name of an item or an adjustment: "Gala dinner Rs. 1,800". */
import { formatMoney, type Amount, type Currency } from '../../../lib/money.ts'
import type { Item } from '../../../event/pricing-types.ts'
import { findAmounts } from '../../prose/find-amounts.ts'
import type { EventText } from '../../prose/event-texts.ts'
import type { Draft } from '../../finding.ts'
import type { Model } from '../../checked-file.ts'
import { listAdjustmentAmounts } from '../prices/fees.ts'

type Price = {
  readonly item: Item | null
  readonly row: string
  readonly at: string
  readonly currency: Currency
  readonly amounts: readonly Amount[]
}

const escapeName = (text: string): string =>
  text
    .trim()
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/[\s-]+/g, '[\\s-]+')
/** Words allowed between a name and its amount. */
const CONNECTING_WORDS =
  '(?:[\\s:(@=–-]|\\b(?:tickets?|seats?|beds?|price|fees?|charges?|costs?|is|are|at|of|for|each|per|person|head|one|night)\\b)*$'
/** Words that show that an amount is not the price of a single item. */
const OTHER_AMOUNT_WORDS =
  /\b(?:includ\w*|free|complimentary|refund\w*|cancel\w*|deduct\w*|deposit|worth|prizes?|instead|directly|separately|hotel|at the (?:venue|desk|counter)|on the spot|couples?|families|family|package|both|together|members?|non-?members?|students?|child\w*)\b/i

/** Returns the names of each item and its options, each with its row. For the name of an item, the row is null. */
function listItemNames({ config, fields }: Model) {
  return config.fees.items.flatMap((item) => {
    const options = fields.find(({ id }) => id === item.by)?.field.options ?? []
    const itemName = item.label.replaceAll(/\{[^}]*\}/g, ' ').replace(/[\s:,]+$/, '')
    return [
      { item, row: null, name: itemName },
      { item, row: null, name: item.id.replaceAll(/[-_]/g, ' ') },
      ...options.map(({ id, label }) => ({ item, row: id, name: label })),
    ].filter(({ name }) => name.trim().length > 4)
  })
}

/** Reports each amount that directly follows the name of one item but is not its price. */
export function findWrongItemAmounts(
  model: Model,
  texts: readonly EventText[],
  prices: readonly Price[],
): readonly Draft[] {
  const names = listItemNames(model).map((entry) => ({
    ...entry,
    pattern: new RegExp(`(?<![\\w-])${escapeName(entry.name)}${CONNECTING_WORDS}`, 'iu'),
  }))
  if (names.length === 0) return []
  return texts.flatMap((eventText) =>
    findAmounts(eventText.text, model.config.currency).flatMap((statedAmount): Draft[] => {
      const precedingText = statedAmount.textBefore.split(/[,;]|\b(?:and|or|plus)\b/).at(-1) ?? ''
      if (
        OTHER_AMOUNT_WORDS.test(
          `${precedingText} ${statedAmount.textAfter.split(/[,;.]/)[0] ?? ''}`,
        )
      )
        return []
      const namedEntries = names.filter(({ pattern }) => pattern.test(precedingText))
      const [firstEntry] = namedEntries
      if (firstEntry === undefined || namedEntries.some(({ item }) => item !== firstEntry.item))
        return []
      const row = namedEntries.find((entry) => entry.row !== null)?.row ?? null
      const itemPrices = prices.filter(
        (price) =>
          price.item === firstEntry.item &&
          price.currency === statedAmount.currency &&
          (row === null || price.row === row),
      )
      if (itemPrices.length === 0 || firstEntry.item.amountIn !== undefined) return []
      if (itemPrices.some(({ amounts }) => amounts.includes(statedAmount.amount))) return []
      const writtenPrices = [
        ...new Set(itemPrices.map(({ at }) => model.source.getScalar(at)?.text ?? '')),
      ]
      return [
        {
          at: eventText.path,
          span: [eventText.at + statedAmount.start, eventText.at + statedAmount.end],
          message: `the text says ${formatMoney(statedAmount.amount, statedAmount.currency)}, but the prices of \`${firstEntry.item.id}\` say ${writtenPrices.slice(0, 6).join(', ')}`,
          related: itemPrices.slice(0, 1).map(({ at }) => ({ at, message: 'the price' })),
          help: 'write the same amount in both places',
        },
      ]
    }),
  )
}

/**
 * Reports each amount that directly follows an adjustment's name but differs from the amount in the file: "A late fee
 * of Rs. 1000".
 */
export function findWrongAdjustmentAmounts(
  model: Model,
  texts: readonly EventText[],
  knownPrices: readonly Pick<Price, 'currency' | 'amounts'>[],
): readonly Draft[] {
  const { adjustments } = model.config.fees
  const adjustmentAmounts = listAdjustmentAmounts(model)
  return adjustmentAmounts.flatMap(({ adjustment, at, text, currency: ownCurrency }): Draft[] => {
    const { id, label } = adjustments[adjustment] ?? { id: '', label: '' }
    const names = [...new Set([label, id.replaceAll('-', ' ')])]
      .filter((name) => name.length > 4)
      .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\s+/g, '\\s+'))
    if (
      names.length === 0 ||
      adjustments.filter((adjustment) => adjustment.label === label).length > 1
    )
      return []
    const adjustmentNamePattern = new RegExp(
      `(?<![\\w-])(?:${names.join('|')})\\s*(?:of|is|will be|:|-|–|@)?\\s*$`,
      'i',
    )
    return texts.flatMap((eventText) =>
      findAmounts(eventText.text, model.config.currency)
        .filter(
          ({ amount, currency, textBefore }) =>
            currency === ownCurrency &&
            adjustmentNamePattern.test(textBefore) &&
            knownPrices.every(
              (price) => price.currency !== currency || !price.amounts.includes(amount),
            ),
        )
        .map(({ amount, start, end }): Draft => ({
          at: eventText.path,
          span: [eventText.at + start, eventText.at + end],
          message: `the text says ${formatMoney(amount, ownCurrency)}, but \`${id}\` is ${text.replace(/^[-+]/, '')}`,
          related: [{ at, message: 'the amount' }],
          help: 'write the same amount in both places',
        })),
    )
  })
}
