/** Groups workshops by the categories and periods in which they are on sale: a field and its items for each group. */
import { expandPrices } from './price-periods.ts'
import type { PricesByPeriod, SampleCategory, SampleWorkshop } from './sample-options.ts'
import { isEverSold } from './workshops.ts'
import { deriveId } from './yaml-text.ts'

export type CategoryWithId = SampleCategory & { readonly id: string }
export type WorkshopWithId = SampleWorkshop & { readonly id: string }
/** The prices of some categories: a row for each workshop of the group. */
type WorkshopPrices = {
  readonly categories: readonly CategoryWithId[]
  readonly rows: readonly { readonly id: string; readonly prices: PricesByPeriod }[]
}
/** Workshops with the same periods of sale for these categories. */
export type WorkshopItem = {
  readonly id: string
  readonly categories: readonly CategoryWithId[]
  /** Whether they are on sale, by period. */
  readonly isOnSale: readonly boolean[]
  /** The last one has the most categories. */
  readonly tables: readonly WorkshopPrices[]
}
export type WorkshopGroup = {
  readonly field: string
  readonly workshops: readonly WorkshopWithId[]
  /** The categories that can choose them. */
  readonly categories: readonly CategoryWithId[]
  readonly items: readonly WorkshopItem[]
}

/** The prices of a workshop for a category, one for each period. */
export const findWorkshopPrices = (
  workshop: SampleWorkshop,
  { label }: CategoryWithId,
  periods: number,
): PricesByPeriod =>
  expandPrices(
    workshop.ownPrices?.find((own) => own.label === label)?.prices ?? workshop.prices,
    periods,
  )

/**
 * The checker reports an option that a delegate can choose but not buy. So a workshop that is not on sale for a
 * category has a field that this category does not see; one that is not on sale in a period, an item with its own
 * periods.
 */
export function groupWorkshops(
  workshops: readonly SampleWorkshop[],
  categories: readonly CategoryWithId[],
  periods: number,
): readonly WorkshopGroup[] {
  const labels = workshops.map(({ label }) => label)
  const withIds = workshops.map((workshop, index) => ({
    ...workshop,
    id: deriveId(workshop.label, index, labels, 'workshop'),
  }))
  const listSales = (workshop: SampleWorkshop, category: CategoryWithId): string => {
    const prices = findWorkshopPrices(workshop, category, periods)
    const isSold = isEverSold(prices, category.prices)
    return prices.map((price) => (isSold && price !== null ? '+' : '-')).join('')
  }
  const groups = Map.groupBy(withIds, (workshop) =>
    categories.map((category) => listSales(workshop, category)).join(' '),
  )
  let itemsBefore = 0
  return [...groups.values()].map((group, index): WorkshopGroup => {
    const [first] = group
    const bySales = Map.groupBy(categories, (category) =>
      first === undefined ? '' : listSales(first, category),
    )
    const items = [...bySales].filter(([sales]) => sales.includes('+'))
    const buyers = categories.filter((category) =>
      items.some(([, members]) => members.includes(category)),
    )
    return {
      field: number('workshops', '_', index),
      workshops: group,
      categories: buyers,
      items: items.map(([sales, members]): WorkshopItem => {
        const rowsOf = (category: CategoryWithId) =>
          group.map((workshop) => ({
            id: workshop.id,
            prices: findWorkshopPrices(workshop, category, periods),
          }))
        const tables = Map.groupBy(members, (category) => JSON.stringify(rowsOf(category)))
        return {
          id: number('workshop', '-', itemsBefore++),
          categories: members,
          isOnSale: [...sales].map((sale) => sale === '+'),
          tables: [...tables.values()]
            .map((payers) => ({
              categories: payers,
              rows: payers[0] === undefined ? [] : rowsOf(payers[0]),
            }))
            .sort((one, other) => one.categories.length - other.categories.length),
        }
      }),
    }
  })
}

const number = (name: string, between: string, index: number): string =>
  index === 0 ? name : `${name}${between}${index + 1}`
