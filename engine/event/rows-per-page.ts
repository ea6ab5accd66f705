/** The numbers of rows that office tables show at a time. */

/** Rows per page of an office list: one screen. */
export const LIST_ROWS = 20
/** The page sizes of the default list, for an event that declares no list. */
export const LIST_ROWS_CHOICES: readonly number[] = [10, 20, 50, 100]
/** The most rows for one response; more need an export. */
export const LIST_ROWS_MAX = 100
/** Rows of statements, settlements and reviews before "Show more". */
export const RECONCILIATION_ROWS = 50
