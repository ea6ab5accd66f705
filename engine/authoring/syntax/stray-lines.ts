/** Explains a line that is neither a key with its value nor a list entry. */
import { suggestAmount } from '../suggestions/amount-notations.ts'
import type { Span } from './source.ts'

export type SyntaxMistake = {
  readonly span: Span
  readonly message: string
  readonly help?: string
  /**
   * True if the line may instead be the continuation of a text. Such a mistake is reported only if nothing explains
   * the error better.
   */
  readonly isGuess?: boolean
  /** True if the braces were meant as text. */
  readonly isBraces?: boolean
  readonly related?: readonly { readonly span: Span; readonly message: string }[]
}

/** List markers from letters and web pages. */
const BULLET_PATTERN =
  /^([•●▪◦‣·∙○■□➢➤►▶✓✔→⁃*+–—]|\(?\d{1,2}[.)]|\(?[a-z][.)]|[ivx]+[.)])\s+(\S.*)$/i

/** Returns the mistake in a line. Returns null if the line may continue text. `at` is the line's offset. */
export function findStrayLine(text: string, at: number): SyntaxMistake | null {
  const report = (message: string, help: string, isGuess = false): SyntaxMistake => ({
    span: [at, at + text.length],
    message,
    help,
    ...(isGuess ? { isGuess } : {}),
  })
  const cells = splitTableCells(text)
  if (cells !== null)
    return report(
      'a pasted table is not valid YAML',
      cells.length === 0
        ? 'remove this line; write a row of prices as member: [1000, 1500]'
        : `write ${suggestPriceRow(cells)}`,
    )
  const bold = /^([*_]{1,2})([A-Za-z_][\w-]*)(?::\1|\1:)\s*(.*)$/.exec(text)
  if (bold !== null)
    return report(
      'the characters around the key are markup for bold',
      `write ${bold[2]}: ${bold[3]}`,
    )
  const bullet = BULLET_PATTERN.exec(text)
  if (bullet !== null)
    return report(`\`${bullet[1]}\` does not begin an entry of a list`, `write - ${bullet[2]}`)
  const dash = /^-([^\s-].*)$/.exec(text)
  if (dash !== null) return report('a space is missing after the dash', `write - ${dash[1]}`)
  const parentheses = /^\((.*)\)$/.exec(text)
  if (parentheses !== null && /^[\w-]+:\s/.test(parentheses[1] ?? ''))
    return report('write keys in {…}, not in (…)', `write {${parentheses[1]}}`)
  const unspacedKey = /^([A-Za-z_][\w-]*):(?!\/\/)([^\s:].*)$/.exec(text)
  if (unspacedKey !== null)
    return report(
      'a space is missing after the colon',
      `write ${unspacedKey[1]}: ${unspacedKey[2]}`,
    )
  const sign =
    /^([A-Za-z_][\w-]*)\s*(：|﹕|∶|;|:=|=>|->|=|→|⇒)\s*(.*)$/.exec(text) ??
    /^([A-Za-z_][\w-]*)\s+([–—-])\s+(.*)$/.exec(text)
  if (sign !== null)
    return report(
      `a key is followed by a colon and a space, not by \`${sign[2]}\``,
      `write ${`${sign[1]}: ${sign[3]}`.trim()}`,
    )
  const keyWithoutColon = /^([A-Za-z_][\w-]*)(?:\s+(.*))?$/.exec(text)
  if (keyWithoutColon !== null)
    return report(
      `a colon is missing after \`${keyWithoutColon[1]}\``,
      `write ${`${keyWithoutColon[1]}: ${keyWithoutColon[2] ?? ''}`.trim()}`,
      true,
    )
  return null
}

/**
 * Returns the cells of a line from a table with bars (Markdown) or tabs (Excel). Returns an empty list for the line
 * under a table's header, and null if the line is not part of a table.
 */
export function splitTableCells(text: string): readonly string[] | null {
  if (/^[|+][-=:+|\s]+[|+]$/.test(text) && /-|=/.test(text)) return []
  const cells = /^\|.*\|/.test(text)
    ? text.replace(/^\||\|$/g, '').split('|')
    : /^[^\t]+(\t+[^\t]*)+$/.test(text) && !/:\t/.test(text)
      ? text.split(/\t+/)
      : null
  return cells === null ? null : cells.map((cell) => cell.trim())
}

/** Converts `Member | Rs. 1,000 | 1500` to `member: [1000, 1500]`. */
export function suggestPriceRow(cells: readonly string[]): string {
  const [name = '', ...prices] = cells
  const id = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  const isHeader =
    prices.length > 0 &&
    prices.every((cell) => /^[a-z]/i.test(cell) && suggestAmount(cell) === null)
  if (isHeader)
    return `period: [${prices.map(suggestCell).join(', ')}], and below it a row for each category by its id`
  return prices.length === 0
    ? `${id}:`
    : `${id === '' ? 'name' : id}: [${prices.map(suggestCell).join(', ')}]`
}

function suggestCell(cell: string): string {
  const suggestion = suggestAmount(cell)
  return suggestion?.is === 'rupees'
    ? suggestion.rupees
    : suggestion?.is === 'not-on-sale'
      ? 'none'
      : suggestion?.is === 'free'
        ? 'free'
        : cell
            .toLowerCase()
            .replace(/[^a-z0-9]+/g, '-')
            .replace(/^-|-$/g, '')
}
