/** Features that all office lists share, whatever the event file: fixed columns, sorting and sums. */

/** The sort keys of a list: `?sort=name`, and `?sort=-name` for descending order. */
export const SORT_NAMES = ['number', 'name', 'category', 'total', 'status', 'date'] as const
export type SortName = (typeof SORT_NAMES)[number]

/** Sums over all pages of a list, in rupees. */
export type WireSums = {
  /** These four exclude ended registrations. */
  paid: number
  pending: number
  failed: number
  refunded: number
  /** Cancelled or refused. */
  ended: number
  /** Payments that count, less refunds. */
  money: number
  /** The balance to be paid. */
  due: number
  /** `money` and `due` in currencies other than the list's. Absent if there are none. */
  others?: { currency: string; money: number; due: number }[]
}

/** A user's settings for a list: the columns they added, and their named views. */
export type MyList = {
  readonly columns: readonly string[]
  /** `query`: the filters and sorting of a view, as in the page's URL, without the search text. */
  readonly views: readonly { readonly name: string; readonly query: string }[]
}
/**
 * GET /admin/my-lists/: keyed by event id and list id, separated by a slash. POST {event, list,
 * columns, views} returns the same response.
 */
export type MyListsResponse = { status: 'success'; lists: Readonly<Record<string, MyList>> }
