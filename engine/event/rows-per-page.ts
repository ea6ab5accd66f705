/** The numbers of rows per page in office tables. */

/** Rows per page of an office list: about one screen. */
export const LIST_ROWS = 20
/** The page sizes of the default list, for an event that declares no list. */
export const LIST_ROWS_CHOICES: readonly number[] = [10, 20, 50, 100]
/** The maximum number of rows in one response. For more rows, staff use an export. */
export const MAX_LIST_ROWS = 100
/** Rows of statements, settlements and reviews before "Show more". */
export const RECONCILIATION_ROWS = 50
