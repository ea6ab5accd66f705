/** Reads quoted texts: finds where they end, explains missing quotes, and strips quotes and comments. */
import type { SyntaxMistake } from './stray-lines.ts'
import type { Row } from './lines.ts'

export type SourceRows = { readonly text: string; readonly rows: readonly Row[] }
export type Step = { readonly mistake: SyntaxMistake | null; readonly next: number }

export const KEY_PATTERN = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'[{#|>,@`][^:[\]{}#]*?)\s*:(?=\s|$)\s*/

export const getRowEnd = (row: Row): number => row.start + row.indent + row.text.length
export function getRestOfRow({ text, rows }: SourceRows, row: number, at: number): string {
  const line = rows[row]
  return line === undefined ? '' : text.slice(at, getRowEnd(line))
}

/** Returns a line's text without the comment after it. */
export function removeComment(text: string): string {
  return text.replace(/\s#.*$/, '').trimEnd()
}

/** Quotes a string: in double quotes, or in single quotes if it contains double ones. */
export function quoteText(text: string): string {
  return text.includes('"') && !text.includes("'")
    ? `'${text}'`
    : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

export function removeOuterQuotes(text: string): string {
  const unquoted = /^(["'])\1?(.*?)\1?\1$/s.exec(text)?.[2]
  return unquoted === undefined ? text : unquoted.replaceAll('""', '"')
}

/** Checks a quoted text that starts at `from`. Reports a missing closing quote, or text after the closing quote. */
export function findQuoteMistake(
  source: SourceRows,
  i: number,
  from: number,
  key: string | null,
): Step {
  const end = findClosingQuote(source, i, from)
  if (end === null) return { mistake: describeUnclosedQuote(source, i, from), next: i + 1 }
  const textAfterQuote = getRestOfRow(source, end.row, end.at)
  if (/^\s*($|#|:)/.test(textAfterQuote)) return { mistake: null, next: end.row + 1 }
  const row = source.rows[end.row]
  const value = removeComment(source.text.slice(from, row === undefined ? from : getRowEnd(row)))
  return {
    next: end.row + 1,
    mistake: {
      span: [from, from + value.length],
      message: 'the text continues after its closing quote',
      help: `write ${key === null ? '- ' : `${key}: `}${quoteText(removeOuterQuotes(value))}`,
    },
  }
}

type QuoteEnd = { readonly row: number; readonly at: number }

/**
 * Returns the offset after the closing quote. Returns null if neither the line nor the more indented lines below it
 * contain one.
 */
export function findClosingQuote(
  { text, rows }: SourceRows,
  i: number,
  from: number,
): QuoteEnd | null {
  const quote = text.charAt(from)
  const firstRow = rows[i]
  if (firstRow === undefined) return null
  for (let row = i; row < rows.length; row += 1) {
    const line = rows[row]
    if (line === undefined || (row > i && line.indent <= firstRow.indent)) return null
    if (row > i && KEY_PATTERN.test(line.text.replace(/^(- +)+/, ''))) return null
    const start = row === i ? from + 1 : line.start
    for (let at = start; at < getRowEnd(line); at += 1) {
      if (quote === '"' && text.charAt(at) === '\\') at += 1
      else if (text.charAt(at) === quote) {
        if (quote === "'" && text.charAt(at + 1) === "'") at += 1
        else return { row, at: at + 1 }
      }
    }
  }
  return null
}

export function describeUnclosedQuote(source: SourceRows, i: number, from: number): SyntaxMistake {
  const row = source.rows[i]
  const rest = row === undefined ? '' : source.text.slice(from, getRowEnd(row))
  const quote = rest.charAt(0)
  const curlyQuote = /^(["'][^"']*?)[“”„‟’‘](?=\s*([,}\]]|$))/.exec(rest)
  return {
    span: [from, from + rest.length],
    message: 'text in quotes is not closed',
    help:
      curlyQuote === null
        ? `add ${quote} at the end of the text`
        : `write ${curlyQuote[1]}${quote}: the closing quote is a curly quote`,
  }
}
