/** Splits rows into batches for statements that read or write many of them. */

/** The number of rows per statement, which stays far below the databases' limits on parameters. */
const BATCH_ROWS = 500

export function* splitIntoBatches<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += BATCH_ROWS)
    yield rows.slice(start, start + BATCH_ROWS)
}
