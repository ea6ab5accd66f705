/** Decides whether a price list shows prices with or without tax, and what it says of the tax. */
import type { PublicEvent } from '../event/config.ts'
import { split, type Paise, type Split, type Tax, ratesText } from '../lib/money.ts'

type Priced = Pick<PublicEvent, 'fees'>

/**
 * Whether the price lists that delegates read contain tax: entirely, or not at all. As the prices of registrations
 * are written, and where those bear none, with tax only if every item's prices contain it.
 */
export function isListedWithTax({ fees }: Priced): boolean {
  const stated = fees.tax === null ? fees.items.map((item) => item.tax) : [fees.tax]
  return !stated.some((one) => one?.prices === 'exclusive')
}

/** The part of a price that such a list shows. */
export function listedPart<Amount>(
  event: Priced,
  price: { readonly base: Amount; readonly total: Amount },
): Amount {
  return isListedWithTax(event) ? price.total : price.base
}

/** A price of the event file, with the tax that it bears, as such a list shows it. */
export function listedPrice(event: Priced, tax: Tax | null, price: Paise): Paise {
  return listedPart(event, split(tax, price))
}

/** Above a list of registrations: "exclusive of 18% GST", "18% GST included"; empty: they bear no tax. */
export function listedTaxText(event: Priced): string {
  const { tax } = event.fees
  if (tax === null || tax.percent === 0) return ''
  const named = `${tax.percent}% ${tax.name}`
  return isListedWithTax(event) ? `${named} included` : `exclusive of ${named}`
}

/** The same as a sentence. */
export function listedTaxSentence(event: Priced): string {
  const text = listedTaxText(event)
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** What is paid for a price of the event file: the lists of organisers contain every tax. */
export function paidPrice(tax: Tax | null, price: Paise): Split['total'] {
  return split(tax, price).total
}

/** Above the lists of organisers: "GST (18% and 5%) included"; empty: nothing is taxed. */
export function paidTaxText({ fees }: Priced): string {
  const taxes = [fees.tax, ...fees.items.map(({ tax }) => tax)].filter((tax) => tax !== null)
  const rates = ratesText(taxes.map(({ percent }) => percent))
  const [first] = taxes
  if (first === undefined || rates === '') return ''
  return `${first.name}${rates.includes(' and ') ? ` (${rates})` : ''} included`
}
