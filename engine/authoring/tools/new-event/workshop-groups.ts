/** Groups workshops by the categories and periods in which they are on sale. */
import { expandPrices } from './price-periods.ts'
import type { PricesByPeriod, SampleCategory, SampleWorkshop } from './sample-options.ts'
import { isEverSold } from './workshops.ts'
import { deriveId } from './yaml-text.ts'

export type CategoryWithId = SampleCategory & { readonly id: string }
export type WorkshopWithId = SampleWorkshop & { readonly id: string }
/** The prices for some categories, with one row per workshop of the group. */
type WorkshopPrices = {
  readonly categories: readonly CategoryWithId[]
  readonly rows: readonly { readonly id: string; readonly prices: PricesByPeriod }[]
}
/** Workshops that are on sale for these categories in the same periods. */
export type WorkshopItem = {
  readonly id: string
  readonly categories: readonly CategoryWithId[]
  /** For each period, whether the workshops are on sale. */
  readonly isOnSale: readonly boolean[]
  /** Sorted so that the last table has the most categories. */
  readonly tables: readonly WorkshopPrices[]
}
export type WorkshopGroup = {
  readonly field: string
  readonly workshops: readonly WorkshopWithId[]
  /** The categories that can choose them. */
  readonly categories: readonly CategoryWithId[]
  readonly items: readonly WorkshopItem[]
}

/** Returns the prices of a workshop for a category, one per period. */
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
 * Groups workshops so that every option that a delegate can choose is on sale, as the checker requires. Workshops
 * that are not on sale for a category are in a field that is hidden from this category. Workshops that are not on
 * sale in a period form an item with its own periods.
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
  let itemCount = 0
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
      field: addNumber('workshops', '_', index),
      workshops: group,
      categories: buyers,
      items: items.map(([sales, members]): WorkshopItem => {
        const buildRows = (category: CategoryWithId) =>
          group.map((workshop) => ({
            id: workshop.id,
            prices: findWorkshopPrices(workshop, category, periods),
          }))
        const tables = Map.groupBy(members, (category) => JSON.stringify(buildRows(category)))
        return {
          id: addNumber('workshop', '-', itemCount++),
          categories: members,
          isOnSale: [...sales].map((sale) => sale === '+'),
          tables: [...tables.values()]
            .map((payers) => ({
              categories: payers,
              // These categories cannot register in a period in which they have no price.
              rows: (payers[0] === undefined ? [] : buildRows(payers[0])).map(({ id, prices }) => ({
                id,
                prices: prices.map((price, period) =>
                  payers.every((payer) => (payer.prices[period] ?? null) === null) ? null : price,
                ),
              })),
            }))
            .sort((one, other) => one.categories.length - other.categories.length),
        }
      }),
    }
  })
}

const addNumber = (name: string, separator: string, index: number): string =>
  index === 0 ? name : `${name}${separator}${index + 1}`
