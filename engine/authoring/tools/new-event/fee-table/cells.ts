/** Splits a pasted table into cells, and distinguishes prices, days and notes about tax. */
import { suggestAmount } from '../../../suggestions/amount-notations.ts'
import { findDays } from '../../../prose/find-days.ts'
import type { Currency } from '../../../../lib/money.ts'

const MARKDOWN_RULE = /^[\s|:+=-]+$/

/**
 * Returns true if an answer is a table. Copied cells are separated by tabs, typed ones often by
 * bars.
 */
export function isFeeTable(text: string): boolean {
  if (text.includes('\t')) return true
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.length > 1 && lines.every((line) => line.includes('|'))
}

/** Returns rows with the same number of cells, without empty rows and columns. */
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
    .filter((line) => !MARKDOWN_RULE.test(line))
    .map((line) =>
      line
        .trim()
        .replace(/^\||\|$/g, '')
        .split('|')
        .map(cleanCell),
    )

/** Splits at tabs. Spreadsheets put a cell with several lines in quotes. */
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

/** A decimal comma is ambiguous in rupees: "390,00" can be 390, or a mistyped 39,000. */
export const hasDecimalComma = (text: string): boolean => DECIMAL_COMMA.test(text.trim())
const DECIMAL_COMMA = /^\d{1,3}(?:[. ]?\d{3})*,\d{2}$/
/** Returns true if a cell is a price: an amount, a word such as Free, or a dash. */
export function isPriceCell(text: string, currency: Currency): boolean {
  if (text === '' || findDays(text, 0).length > 0) return false
  return DECIMAL_COMMA.test(text) || suggestAmount(text, currency) !== null
}

export type TableTax = 'inside' | 'on top'
export const GST_PERCENT = 18
const TAX_WORDS = /\b(gst|tax(es)?)\b/i
const ADDED_WORDS =
  /\+|\b(plus|without|extra|exclu\w*|excl|additional\w*|over and above|on top|added)\b/i
const INCLUDED_WORDS = /\b(inclu\w*|incl|inside)\b/i

export const mentionsTax = (text: string): boolean => TAX_WORDS.test(text)

/** Reads "+ 18% GST" or "inclusive of GST". Returns null if the note is unclear or states another percentage. */
export function readTaxNote(text: string): TableTax | null {
  if (!mentionsTax(text)) return null
  const percent = /(\d+(?:\.\d+)?)\s*%/.exec(text)?.[1]
  if (percent !== undefined && Number(percent) !== GST_PERCENT) return null
  const [onTop, inside] = [ADDED_WORDS.test(text), INCLUDED_WORDS.test(text)]
  return onTop === inside ? null : onTop ? 'on top' : 'inside'
}

const TAX_IN_BRACKETS = /[([][^()[\]]*\b(?:gst|tax(?:es)?)\b[^()[\]]*[)\]]/i
const TAX_AT_END =
  /[\s,;–-]*(?:\+|\b(?:plus|without|incl\w*\.?|excl\w*\.?|including|excluding)\b)(?:\s*of)?[^()]*\b(?:gst|tax(?:es)?)\b[^()]*$/i

/** Separates a note about tax from a heading: "Early Bird (incl. GST)". */
export function splitTaxNote(text: string): { readonly rest: string; readonly note: string } {
  const found = TAX_IN_BRACKETS.exec(text) ?? TAX_AT_END.exec(text)
  if (found === null) return { rest: text, note: '' }
  const rest = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`
  return { rest: cleanCell(rest), note: found[0] }
}
