/** The tables of registration prices as written in the file: the event's table, and one for each group. */
import type { PriceRows } from '../../schema/event-file-types.ts'
import type { Model } from '../../checked-file.ts'

export type LocatedPriceTable = {
  /** The path of the rows. */
  readonly path: string
  readonly rows: PriceRows
  readonly periods: readonly { readonly id: string }[]
  readonly periodsPath: string
}

export function listPriceTables({
  file: { fees },
}: Pick<Model, 'file'>): readonly LocatedPriceTable[] {
  const { periods, prices, price_groups: groups = [] } = fees
  return [
    ...(prices === undefined
      ? []
      : [{ path: 'fees.prices', rows: prices, periods, periodsPath: 'fees.periods' }]),
    ...groups.map((group, i) => ({
      path: `fees.price_groups.${i}.prices`,
      rows: group.prices,
      periods: group.periods,
      periodsPath: `fees.price_groups.${i}.periods`,
    })),
  ]
}
