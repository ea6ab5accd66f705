/** Decides whether a price list shows prices with or without tax, and how it mentions the tax. */
import { VALIDATION_MESSAGES } from '../text-catalogue/validation.ts'
import { formatMessage } from '../lib/format-message.ts'
import type { PublicEvent } from '../event/config.ts'
import { type Amount, type Tax, ratesText } from '../lib/money.ts'
import { splitPrice, type Split } from './line-tax.ts'
import { chooseTax, listEveryTax } from './tax-rules.ts'
import type { Answers } from '../event/answer-types.ts'
import type { Item } from '../event/pricing-types.ts'
import type { Day } from '../lib/time.ts'

type EventFees = Pick<PublicEvent, 'fees'>

/**
 * Whether price lists for delegates include tax, always for the whole list. Follows the
 * registration prices; if those bear no tax, includes it only if every item's price does.
 */
export function isListedWithTax({ fees }: EventFees): boolean {
  const taxes = fees.tax === null ? fees.items.map((item) => item.tax) : [fees.tax]
  return !taxes.some((tax) => tax?.prices === 'exclusive')
}

/** Returns the part of a price that such a list shows. */
export function listedPart<Amount>(
  event: EventFees,
  price: { readonly base: Amount; readonly total: Amount },
): Amount {
  return isListedWithTax(event) ? price.total : price.base
}

/** Returns a price of an item as such a list shows it, with the tax for these answers on that day. */
export function listedItemPrice(
  event: EventFees,
  item: Item,
  price: Amount,
  answers: Answers,
  category: string | null,
  on: Day,
): Amount {
  const { tax } = chooseTax(event.fees, item, answers, category, on)
  return listedPart(event, splitPrice(tax, price))
}

/** Text above a list of registrations: "exclusive of 18% GST", "18% GST included". Empty if no tax. */
export function listedTaxText(event: EventFees): string {
  const { tax, taxRules = [] } = event.fees
  if (tax === null || tax.percent === 0) return ''
  const rates = ratesText([tax, ...taxRules.map((rule) => rule.tax)].map(({ percent }) => percent))
  const taxName = `${taxRules.length === 0 ? `${tax.percent}%` : rates} ${tax.name}`
  const { exclusive, included } = VALIDATION_MESSAGES.tax
  return formatMessage(isListedWithTax(event) ? included : exclusive, { tax: taxName })
}

/** Returns the same as a sentence. */
export function listedTaxSentence(event: EventFees): string {
  const text = listedTaxText(event)
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Returns the amount paid for a price of the event file: lists for organisers include all tax. */
export function paidPrice(tax: Tax | null, price: Amount): Split['total'] {
  return splitPrice(tax, price).total
}

/** Text above lists for organisers: "GST (18% and 5%) included". Empty if nothing is taxed. */
export function paidTaxText({ fees }: EventFees): string {
  const taxes = listEveryTax(fees).map(({ tax }) => tax)
  const rates = ratesText(taxes.map(({ percent }) => percent))
  const [first] = taxes
  if (first === undefined || rates === '') return ''
  return `${first.name}${rates.includes(' and ') ? ` (${rates})` : ''} included`
}
