/** Splits a pasted table into cells, and tells prices, days and notes about tax apart. */
import { suggestAmount } from '../../../suggestions/amount-notations.ts'
import { findDays } from '../../../prose/find-days.ts'
import type { Currency } from '../../../../lib/money.ts'

const RULE_OF_MARKDOWN = /^[\s|:+=-]+$/

/** Whether an answer is a table: copied cells are separated by tabs, typed ones often by bars. */
export function isFeeTable(text: string): boolean {
  if (text.includes('\t')) return true
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.length > 1 && lines.every((line) => line.includes('|'))
}

/** Returns rows of cells of equal number, without empty rows and columns. */
export function splitCells(text: string): readonly (readonly string[])[] {
  const rows = (text.includes('\t') ? splitAtTabs(text) : splitAtBars(text)).filter((row) =>
    row.some((cell) => cell !== ''),
  )
  const width = Math.max(0, ...rows.map((row) => row.length))
  const columns = Array.from({ length: width }, (_, column) => column).filter((column) =>
    rows.some((row) => (row[column] ?? '') !== ''),
  )
  return rows.map((row) => columns.map((column) => row[column] ?? ''))
}

const splitAtBars = (text: string): readonly (readonly string[])[] =>
  text
    .split('\n')
    .filter((line) => !RULE_OF_MARKDOWN.test(line))
    .map((line) =>
      line
        .trim()
        .replace(/^\||\|$/g, '')
        .split('|')
        .map(cleanCell),
    )

/** A cell of several lines is in quotes, as spreadsheets copy it. */
function splitAtTabs(text: string): readonly (readonly string[])[] {
  const rows: string[][] = []
  for (const match of text.matchAll(/(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\n]*))(\t|\r?\n|$)/g)) {
    const row = rows.at(-1)
    const cell = cleanCell(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (row === undefined) rows.push([cell])
    else row.push(cell)
    if (match[3] !== '\t') rows.push([])
    if (match.index + match[0].length >= text.length) break
  }
  return rows
}

const cleanCell = (text: string): string => text.replace(/[\s\u00a0\u200b\ufeff]+/g, ' ').trim()

/** Ambiguous in rupees: "390,00" can be 390, or 39,000 with a slip. */
export const hasDecimalComma = (text: string): boolean => DECIMAL_COMMA.test(text.trim())
const DECIMAL_COMMA = /^\d{1,3}(?:[. ]?\d{3})*,\d{2}$/
/** Whether the cell is in place of a price: an amount, a word such as Free, or a dash. */
export function isPriceCell(text: string, currency: Currency): boolean {
  if (text === '' || findDays(text, 0).length > 0) return false
  return DECIMAL_COMMA.test(text) || suggestAmount(text, currency) !== null
}

export type TableTax = 'inside' | 'on top'
export const GST_PERCENT = 18
const TAX = /\b(gst|tax(es)?)\b/i
const ON_TOP = /\+|\b(plus|extra|exclu\w*|excl|additional\w*|over and above|on top|added)\b/i
const INSIDE = /\b(inclu\w*|incl|inside)\b/i

export const mentionsTax = (text: string): boolean => TAX.test(text)

/** Reads "+ 18% GST", "inclusive of GST"; null if it is not clear, or another percentage. */
export function readTaxNote(text: string): TableTax | null {
  if (!mentionsTax(text)) return null
  const percent = /(\d+(?:\.\d+)?)\s*%/.exec(text)?.[1]
  if (percent !== undefined && Number(percent) !== GST_PERCENT) return null
  const [onTop, inside] = [ON_TOP.test(text), INSIDE.test(text)]
  return onTop === inside ? null : onTop ? 'on top' : 'inside'
}

const BRACKETS = /[([][^()[\]]*\b(?:gst|tax(?:es)?)\b[^()[\]]*[)\]]/i
const AT_END =
  /[\s,;–-]*(?:\+|\b(?:plus|incl\w*\.?|excl\w*\.?|including|excluding)\b)(?:\s*of)?[^()]*\b(?:gst|tax(?:es)?)\b[^()]*$/i

/** Separates a note about tax from a heading: "Early Bird (incl. GST)". */
export function splitTaxNote(text: string): { readonly rest: string; readonly note: string } {
  const found = BRACKETS.exec(text) ?? AT_END.exec(text)
  if (found === null) return { rest: text, note: '' }
  const rest = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`
  return { rest: cleanCell(rest), note: found[0] }
}
