/** Splits rows into batches for statements that read or write many of them. */

/** The number of rows per statement, which stays far below the databases' limits on parameters. */
const BATCH_ROWS = 500

export function* splitIntoBatches<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += BATCH_ROWS) yield rows.slice(at, at + BATCH_ROWS)
}
