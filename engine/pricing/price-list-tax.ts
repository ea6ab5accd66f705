/** Decides whether a price list shows prices with or without tax, and formats its text about tax. */
import { VALIDATION_MESSAGES } from '../text-catalogue/validation.ts'
import { formatMessage } from '../lib/format-message.ts'
import type { PublicEvent } from '../event/config.ts'
import { type Amount, type Tax, formatRates } from '../lib/money.ts'
import { splitPrice, type Split } from './line-tax-and-rounding.ts'
import { appliesToAll, canApplyTo } from '../rules/conditions-and-operators.ts'
import { chooseTax, isTaxRuleActive, listAllTaxes, getTaxRules } from './tax-rules.ts'
import type { Answers } from '../event/answer-types.ts'
import type { Item } from '../event/pricing-types.ts'
import type { Day } from '../lib/time.ts'

type EventFees = Pick<PublicEvent, 'fees'>

/**
 * A price in a list: its category, the date that determines its tax, and, for the delegate's own price, the answers.
 */
export type ListedPrice = {
  readonly category: string | null
  readonly on: Day
  readonly answers?: Answers | null
}

const isTaxed = (tax: Tax | null): tax is Tax => tax !== null && tax.percent > 0

/**
 * Returns true if lists for delegates show a category's prices with tax. This is the same for all
 * prices of the category. It depends on the tax of the registration price, or else on the event's
 * tax; without either, prices include tax only if every item's price does.
 */
export function isListedWithTax(
  { fees }: EventFees,
  { category, on, answers }: ListedPrice,
): boolean {
  const getTax = (item: Item | null): Tax | null =>
    chooseTax(fees, item, answers ?? null, category, on).tax
  const knownTax = [getTax(null), fees.tax].find(isTaxed)
  const taxes = knownTax === undefined ? fees.items.map(getTax) : [knownTax]
  return !taxes.some((tax) => tax?.prices === 'exclusive')
}

/** Returns the part of a price that a list shows. */
export function getListedPart<Amount>(
  event: EventFees,
  listedPrice: ListedPrice,
  price: { readonly base: Amount; readonly total: Amount },
): Amount {
  return isListedWithTax(event, listedPrice) ? price.total : price.base
}

/** Returns an item's price as a list shows it, with the tax for these answers on that day. */
export function getListedItemPrice(
  event: EventFees,
  item: Item,
  price: Amount,
  answers: Answers,
  category: string | null,
  on: Day,
): Amount {
  const { tax } = chooseTax(event.fees, item, answers, category, on)
  return getListedPart(event, { category, on }, splitPrice(tax, price))
}

/**
 * Returns the text about the tax of a registration price for a list: "exclusive of 18% GST", "18% GST included". It
 * lists every tax that may apply; for the delegate's own price, only the tax that does apply, or the reason why none
 * does. Empty if there is no tax.
 */
export function getListedTaxText(event: EventFees, listedPrice: ListedPrice): string {
  const { category, on, answers } = listedPrice
  const ownTax = answers ? chooseTax(event.fees, null, answers, category, on) : null
  if (ownTax !== null && !isTaxed(ownTax.tax)) return ownTax.note ?? ''
  const includesTax = isListedWithTax(event, listedPrice)
  const taxes = (ownTax === null ? listPossibleTaxes(event, listedPrice) : [ownTax.tax])
    .filter(isTaxed)
    .filter(({ prices }) => (prices === 'inclusive') === includesTax)
  const { exclusive, included, or } = VALIDATION_MESSAGES.tax
  const texts = [...new Set(taxes.map(({ name }) => name))].map(
    (name) =>
      `${formatRates(taxes.filter((tax) => tax.name === name).map(({ percent }) => percent))} ${name}`,
  )
  return texts.length === 0
    ? ''
    : formatMessage(includesTax ? included : exclusive, {
        tax: texts.reduce((first, second) => formatMessage(or, { first, second })),
      })
}

/** Lists the taxes that a category's registration may have on that day, for any answers. */
function listPossibleTaxes(
  { fees }: EventFees,
  { category, on }: ListedPrice,
): readonly (Tax | null)[] {
  const rules = getTaxRules(fees, null).filter(
    (rule) =>
      isTaxRuleActive(rule, on) &&
      (rule.when === undefined || category === null || canApplyTo(rule.when, category)),
  )
  const unconditionalIndex = rules.findIndex(
    ({ when }) => when === undefined || appliesToAll(when, category),
  )
  return unconditionalIndex === -1
    ? [fees.tax, ...rules.map(({ tax }) => tax)]
    : rules.slice(0, unconditionalIndex + 1).map(({ tax }) => tax)
}

/**
 * The places where a list states its taxes: above the list if the text is the same for all prices; in a row if it is
 * the same for that row; otherwise at each price.
 */
export type PlacedTaxTexts = {
  readonly above: string
  readonly rows: readonly { readonly text: string; readonly cells: readonly string[] }[]
}

/**
 * Decides where a list's texts about tax are shown. `rows` contains the text of each price; null for a price that is
 * not on sale.
 */
export function placeTaxTexts(rows: readonly (readonly (string | null)[])[]): PlacedTaxTexts {
  const common = findCommonText(rows.flat())
  return {
    above: common ?? '',
    rows: rows.map((cells) => {
      const text = common === null ? findCommonText(cells) : ''
      return { text: text ?? '', cells: cells.map((cell) => (text === null ? (cell ?? '') : '')) }
    }),
  }
}

/** Returns a text about tax as a sentence. */
export const formatTaxSentence = (text: string): string =>
  text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/**
 * Returns the text that all prices on sale share; empty if none is on sale, null if the texts
 * differ.
 */
function findCommonText(texts: readonly (string | null)[]): string | null {
  const distinctTexts = new Set(texts.filter((text) => text !== null))
  return distinctTexts.size > 1 ? null : ([...distinctTexts][0] ?? '')
}

/** Returns the amount to pay for a price. Lists for organisers include all taxes. */
export function computePaidPrice(tax: Tax | null, price: Amount): Split['total'] {
  return splitPrice(tax, price).total
}

/**
 * Returns the text above lists for organisers: "GST (18% and 5%) included". Empty if nothing is
 * taxed.
 */
export function getPaidTaxText({ fees }: EventFees): string {
  const taxes = listAllTaxes(fees).map(({ tax }) => tax)
  const rates = formatRates(taxes.map(({ percent }) => percent))
  const [first] = taxes
  if (first === undefined || rates === '') return ''
  return `${first.name}${rates.includes(' and ') ? ` (${rates})` : ''} included`
}
