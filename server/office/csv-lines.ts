/** A CSV file in lines, as people count them, and what is said of one that cannot be taken. */
import { parse } from 'csv-parse/sync'
import { err, ok } from '../../engine/index.ts'
import type { Result } from '../../engine/index.ts'

/** `line` counts as an editor does, from 1; null: the file as a whole. */
export type CsvProblem = { readonly line: number | null; readonly message: string }
/** As a compiler says it, so that an editor finds the place. */
export function saidOf(file: string, { line, message }: CsvProblem): string {
  return line === null ? `${file}: ${message}` : `${file}:${line}: ${message}`
}

export type CsvLine = { readonly line: number; readonly cells: readonly string[] }

/** The lines that hold anything, each with its number; cells are trimmed. `quotes` loose: one within a word is taken as it stands, as banks write. */
export function readLines(
  text: string,
  quotes: 'strict' | 'loose' = 'strict',
): Result<readonly CsvLine[], CsvProblem> {
  try {
    const records = parse(text, {
      bom: true,
      info: true,
      relax_column_count: true,
      relax_quotes: quotes === 'loose',
      skip_empty_lines: true,
      trim: true,
    }) as unknown as { info: { lines: number }; record: string[] }[]
    // The parser counts the line a record ends on; a cell may hold line breaks.
    return ok(
      records.map(({ info, record }) => ({
        line: info.lines - record.reduce((sum, cell) => sum + (cell.match(/\n/g)?.length ?? 0), 0),
        cells: record,
      })),
    )
  } catch (error) {
    const line =
      typeof error === 'object' &&
      error !== null &&
      'lines' in error &&
      typeof error.lines === 'number'
        ? error.lines
        : null
    return err({
      line,
      message: `This is not CSV: ${error instanceof Error ? error.message : String(error)}.`,
    })
  }
}
