/** The sentence of the price preview about a category or an item that is not on sale in a period. */
import { getCategoryLabel, getPeriodLabel } from '../../../engine/index.ts'
import type { EventConfig, QuoteRefusal } from '../../../engine/index.ts'
import { getItemName } from '../../registration/price/itemised-price.ts'

/** Names the category or the item, and the period, by their labels. */
export function explainNotOnSale(
  event: EventConfig,
  { category, item, option, period }: QuoteRefusal & { readonly code: 'not_on_sale' },
): string {
  const ownPeriods = event.fees.items.find(({ id }) => id === item)?.periods ?? []
  const label =
    ownPeriods.find(({ id }) => id === period)?.label ??
    getPeriodLabel(event.fees, period, category) ??
    period
  const name = item === null ? getCategoryLabel(event, category) : getItemName(event, item, option)
  return `${name} is not on sale in “${label}”.`
}
