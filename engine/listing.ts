/** What every list of the office has, whatever its event file states: the columns that are always in view, and its sums. */

/** By which a list is sorted: `?sort=name`, and `?sort=-name` the other way round. */
export const SORTS = ['number', 'name', 'category', 'total', 'status', 'date'] as const
export type SortName = (typeof SORTS)[number]

/** What the registrations of a list add up to, all pages together. Amounts are rupees. */
export type WireSums = {
  paid: number
  pending: number
  failed: number
  refunded: number
  /** What counts as paid, less what has gone back. */
  money: number
  /** What is still to be paid. */
  due: number
}
