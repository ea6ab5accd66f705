/** The price tables of items as written in the file, with their paths. */
import type * as Files from '../../schema/event-file-types.ts'
import type { Model } from '../../checked-file.ts'

/** One table of an item, as written. */
export type LocatedItemTable = {
  readonly item: Files.Item
  /** The item's index in the file, from 0. */
  readonly itemIndex: number
  /** The table's index within the item. */
  readonly tableIndex: number
  /** The path of the rows. */
  readonly path: string
  readonly rows: Files.PriceRows
  readonly isOtherwiseTable: boolean
  /** The currency as written. It is undefined if the table states none. */
  readonly currency: string | undefined
}

/** Returns every table of every item, in the order in which they are evaluated. */
export function listItemTables({ file }: Model): readonly LocatedItemTable[] {
  return (file.fees.items ?? []).flatMap((item, itemIndex): LocatedItemTable[] => {
    const path = `fees.items.${itemIndex}.prices`
    const { prices } = item
    if (prices === undefined) return []
    if (!isList(prices))
      return [
        {
          item,
          itemIndex,
          tableIndex: 0,
          path,
          rows: prices,
          isOtherwiseTable: true,
          currency: undefined,
        },
      ]
    return prices.flatMap(({ table, otherwise, currency }, tableIndex): LocatedItemTable[] => {
      const rows = otherwise ?? table
      const key = otherwise === undefined ? 'table' : 'otherwise'
      return rows === undefined
        ? []
        : [
            {
              item,
              itemIndex,
              tableIndex,
              path: `${path}.${tableIndex}.${key}`,
              rows,
              isOtherwiseTable: otherwise !== undefined,
              currency,
            },
          ]
    })
  })
}

function isList<T, R>(value: T | readonly R[]): value is readonly R[] {
  return Array.isArray(value)
}

/** Returns the columns of an item's table, as written. */
export function listTableColumns({ rows }: LocatedItemTable): readonly string[] {
  return (rows.period ?? []).map(String)
}
