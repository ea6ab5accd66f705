/** Parses CSV into numbered lines, enforces size limits, and explains why a file cannot be read. */
import { parse } from 'csv-parse/sync'
import { err, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'

/** `line` is 1-based, as in an editor; null if the problem concerns the whole file. */
export type CsvProblem = { readonly line: number | null; readonly message: string }
/** Formats a problem like a compiler message, so that an editor can jump to the line. */
export function formatProblem(file: string, { line, message }: CsvProblem): string {
  return line === null ? `${file}: ${message}` : `${file}:${line}: ${message}`
}

export type CsvLine = { readonly line: number; readonly cells: readonly string[] }

/**
 * Limits for one file. With loose `quotes`, a quote inside a cell is literal, because bank exports contain such quotes.
 */
export type SheetLimits = {
  readonly maxBytes: number
  readonly maxLines: number
  readonly maxCells: number
  /** The maximum time for reading the file, in milliseconds. */
  readonly maxMs: number
  readonly quotes: 'strict' | 'loose'
  /** `below` is for bank files, where other lines, such as the account number, precede the headings. */
  readonly headings: 'first' | 'below'
}

const MB = 1024 * 1024
/** Limits for a bank statement or a settlement report: enough for more than a year of a busy account. */
export const STATEMENT_LIMITS: SheetLimits = {
  maxBytes: 2 * MB,
  maxLines: 5_000,
  maxCells: 300_000,
  maxMs: 30_000,
  quotes: 'loose',
  headings: 'below',
}
/** Limits for a member list or for registrations from another system: the largest society has about 400,000 members. */
export const LIST_LIMITS: SheetLimits = {
  maxBytes: 64 * MB,
  maxLines: 500_001,
  maxCells: 5_000_000,
  maxMs: 120_000,
  quotes: 'strict',
  headings: 'first',
}
/** The widest gateway report has about sixty columns. */
const MAX_COLUMNS = 500

/**
 * Returns the non-empty lines with their numbers and trimmed cells. Stops at the first limit that the file
 * exceeds.
 */
export function readLines(
  file: string | Buffer,
  limits: SheetLimits,
): Result<readonly CsvLine[], CsvProblem> {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file
  const lines: CsvLine[] = []
  const limiter = createLimiter(limits)
  // The parser creates all cells of a line before they can be counted, so the delimiters are counted first.
  const delimiter = findDelimiter(bytes, limits)
  if (countBytes(bytes, delimiter) > limits.maxCells) return err(limiter.checkCellCount())
  try {
    parse(bytes, {
      bom: true,
      delimiter,
      on_record: (record: string[], { lines: lastLine }) => {
        // The parser reports the line where a record ends; a cell may contain line breaks.
        const lineBreakCount = record.reduce(
          (sum, cell) => sum + (cell.match(/\n/g)?.length ?? 0),
          0,
        )
        const line = { line: lastLine - lineBreakCount, cells: record }
        const problem = limiter.countLine(line)
        if (problem !== null) throw new LimitExceeded(problem)
        lines.push(line)
        return null
      },
      relax_column_count: true,
      relax_quotes: limits.quotes === 'loose',
      skip_empty_lines: true,
      trim: true,
    })
    return ok(lines)
  } catch (error) {
    if (error instanceof LimitExceeded) return err(error.problem)
    const line =
      typeof error === 'object' &&
      error !== null &&
      'lines' in error &&
      typeof error.lines === 'number'
        ? error.lines
        : null
    return err({
      line,
      message: `This is not valid CSV: ${error instanceof Error ? error.message : String(error)}.`,
    })
  }
}

class LimitExceeded extends Error {
  readonly problem: CsvProblem
  constructor(problem: CsvProblem) {
    super(problem.message)
    this.problem = problem
  }
}

/** Counts lines and cells while a CSV or Excel file is read. */
export function createLimiter({ maxLines, maxCells }: SheetLimits): {
  /** Counts a line and returns the limit that it exceeds. Null if it exceeds none. */
  countLine(line: CsvLine): CsvProblem | null
  checkCellCount(): CsvProblem
} {
  let lineCount = 0
  let cellCount = 0
  const checkCellCount = (): CsvProblem => ({
    line: null,
    message: `This file has more than ${maxCells} cells. Upload a shorter one.`,
  })
  return {
    checkCellCount,
    countLine({ line, cells: { length } }) {
      lineCount += 1
      cellCount += length
      if (lineCount > maxLines)
        return {
          line: null,
          message: `This file has more than ${maxLines} lines. Upload a shorter one.`,
        }
      if (length > MAX_COLUMNS)
        return { line, message: `This line has ${length} cells. The limit is ${MAX_COLUMNS}.` }
      return cellCount > maxCells ? checkCellCount() : null
    },
  }
}

/** In countries with a decimal comma, spreadsheets and banks separate cells with semicolons, and some use tabs. */
const DELIMITERS = [',', ';', '\t'] as const
const LINES_EXAMINED = 60
const BYTES_EXAMINED = 64 * 1024

/**
 * Returns the delimiter that the first line contains most often. If the headings may be below other lines, returns the
 * delimiter that most of the first lines contain at least twice; that rule would fail for a two-column list, whose
 * lines contain it only once.
 */
function findDelimiter(
  bytes: Buffer,
  { headings }: Pick<SheetLimits, 'headings'>,
): (typeof DELIMITERS)[number] {
  const lines = bytes
    .toString('utf8', 0, BYTES_EXAMINED)
    .split('\n')
    .slice(0, LINES_EXAMINED)
    .map((line) => line.replaceAll(/"[^"]*"/g, ''))
  const headingLine = lines.find((line) => line.trim() !== '') ?? ''
  const count = (delimiter: string): number =>
    headings === 'first'
      ? headingLine.split(delimiter).length
      : lines.filter((line) => line.split(delimiter).length > 2).length
  return DELIMITERS.toSorted((a, b) => count(b) - count(a))[0] ?? ','
}

function countBytes(bytes: Buffer, delimiter: string): number {
  let count = 0
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + 1))
    count += 1
  return count
}
