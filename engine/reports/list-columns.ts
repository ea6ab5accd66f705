/** What every list of the office has, whatever its event file states: the columns that are always in view, and its sums. */

/** By which a list is sorted: `?sort=name`, and `?sort=-name` the other way round. */
export const SORTS = ['number', 'name', 'category', 'total', 'status', 'date'] as const
export type SortName = (typeof SORTS)[number]

/** What the registrations of a list add up to, all pages together. Amounts are rupees. */
export type WireSums = {
  /** These four without those that are over. */
  paid: number
  pending: number
  failed: number
  refunded: number
  /** Cancelled or refused. */
  ended: number
  /** What counts as paid, less what has gone back. */
  money: number
  /** What is still to be paid. */
  due: number
}

/** How somebody has a list: the columns they added to those in view, and the views they named. */
export type MyList = {
  readonly columns: readonly string[]
  /** `query`: the filters and the sorting of a view, as the page's address has them; never what was searched for. */
  readonly views: readonly { readonly name: string; readonly query: string }[]
}
/**
 * GET /admin/my-lists/: by an event's id and a list's, with a slash between them. POST {event, list, columns, views}
 * answers the same.
 */
export type MyListsAnswer = { status: 'success'; lists: Readonly<Record<string, MyList>> }
