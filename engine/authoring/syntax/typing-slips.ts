/**
 * Finds typing mistakes in unreadable YAML: unclosed quotes or brackets, missing spaces, pasted tables.
 *
 * A parser reports an error where the text becomes invalid. This module reads every line separately, so that it reports
 * the mistake where the author made it.
 */
import { findBracketMistake } from './brackets.ts'
import { findStrayLine } from './stray-lines.ts'
import type { SyntaxMistake } from './stray-lines.ts'
import { opensLongText, splitRows } from './lines.ts'
import { getRowEnd, quoteText, KEY_PATTERN, findQuoteMistake, removeComment } from './quotes.ts'
import type { Step, SourceRows } from './quotes.ts'
import type { Row } from './lines.ts'
import type { Span } from './source.ts'

/** Returns the last mistake at or above the line of `errorOffset`, where the parser failed. */
export function findTypingMistake(text: string, errorOffset: number): SyntaxMistake | null {
  const rows = splitRows(text)
  const source: SourceRows = { text, rows }
  let lastMistake: SyntaxMistake | null = null
  for (let i = 0; i < rows.length;) {
    const row = rows[i]
    if (row === undefined || row.start > errorOffset) break
    const { mistake, next } = readRow(source, i)
    if (mistake !== null && (mistake.isGuess !== true || isNear(rows, i, errorOffset)))
      lastMistake = mistake
    i = Math.max(next, i + 1)
  }
  return lastMistake
}

/**
 * Returns true if a guess is near enough: on the line where the text becomes invalid, or just above
 * it.
 */
function isNear(rows: readonly Row[], i: number, errorOffset: number): boolean {
  return (rows[i + 2]?.start ?? Infinity) > errorOffset
}

function readRow(source: SourceRows, i: number): Step {
  const row = source.rows[i]
  if (row === undefined) return { mistake: null, next: i + 1 }
  const dashes = /^(?:-(?:\s+|$))*/.exec(row.text)?.[0] ?? ''
  const rest = row.text.slice(dashes.length)
  const keyMatch = KEY_PATTERN.exec(rest)
  const from = row.start + row.indent + dashes.length
  if (rest === '') return { mistake: null, next: i + 1 }
  if (keyMatch === null && dashes === '' && !/^["'[{]/.test(rest)) {
    const previousRow = source.rows[i - 1]
    if (previousRow !== undefined && opensLongText(previousRow) && !showsOtherMistake(rest))
      return { mistake: reportLineOutsideText(previousRow, row), next: i + 1 }
    const isOpen = previousRow !== undefined && removeComment(previousRow.text).endsWith(':')
    const isContinuation = previousRow !== undefined && row.indent > previousRow.indent && !isOpen
    if (isOpen && row.indent > previousRow.indent && /[,{.!]|(\S+ ){3}/.test(rest)) {
      const slip = findStrayLine(rest, from)
      return { mistake: slip?.isGuess === true ? reportMissingBar(previousRow) : slip, next: i + 1 }
    }
    return { mistake: isContinuation ? null : findStrayLine(rest, from), next: i + 1 }
  }
  if (keyMatch !== null && /^[(•●▪◦‣·∙*]|^-\S/.test(keyMatch[1] ?? ''))
    return { mistake: findStrayLine(rest, from), next: i + 1 }
  if (dashes === '' && rest.startsWith('{') && isAmongEntries(source.rows, i))
    return {
      mistake: {
        span: [from, from + rest.length],
        message: 'the dash of this entry is missing',
        help: `write - ${rest}`,
      },
      next: i + 1,
    }
  const value = rest.slice(keyMatch?.[0].length ?? 0)
  return readValue(source, i, from + (keyMatch?.[0].length ?? 0), value, keyMatch?.[1] ?? null)
}

/** Returns true if the line is a conflict marker or shows another mistake. Returns false for an ordinary sentence. */
const showsOtherMistake = (text: string): boolean =>
  /^[<>=]{7}/.test(text) || findStrayLine(text, 0)?.isGuess !== true

/** Reports a line of long text that is indented less than its other lines. */
function reportLineOutsideText(opener: Row, row: Row): SyntaxMistake {
  return {
    isGuess: true,
    span: [row.start + row.indent, getRowEnd(row)],
    message: 'this line is outside the text above it',
    help: 'indent it as far as the other lines of that text',
    related: [{ span: [opener.start + opener.indent, getRowEnd(opener)], message: 'the text' }],
  }
}

/** The width of a dash and a space. */
const DASH_WIDTH = 2

/** Returns true if an adjacent line is a list entry whose dash or text starts in the same column. */
function isAmongEntries(rows: readonly Row[], i: number): boolean {
  const indent = rows[i]?.indent ?? 0
  return [rows[i - 1], rows[i + 1]].some(
    (row) =>
      row !== undefined &&
      row.text.startsWith('- ') &&
      (row.indent === indent || row.indent + DASH_WIDTH === indent),
  )
}

/** Looks for a mistake in the value at an offset, up to the end of the last line that its brackets or quotes span. */
function readValue(
  source: SourceRows,
  i: number,
  from: number,
  value: string,
  key: string | null,
): Step {
  const span: Span = [from, from + value.length]
  const next = i + 1
  const formatHelp = (replacement: string): string =>
    `write ${key === null ? '- ' : `${key}: `}${replacement}`
  if (value === '' || value.startsWith('#')) return { mistake: null, next }
  if (/^["']/.test(value)) return findQuoteMistake(source, i, from, key)
  if (/^[[{]/.test(value)) return findBracketMistake(source, i, from, key)
  if (/^[|>]/.test(value)) {
    if (/^[|>][-+0-9]{0,2}(\s+#.*)?$/.test(value)) return { mistake: null, next }
    return {
      next,
      mistake: {
        span,
        message: `text cannot begin with \`${value.charAt(0)}\``,
        help: formatHelp(quoteText(value)),
      },
    }
  }
  const valueWithoutComment = removeComment(value)
  if (/^([@`%,\]}]|[*&!](?!\s)|[-?:]\s)/.test(valueWithoutComment))
    return {
      next,
      mistake: {
        span: [from, from + valueWithoutComment.length],
        message: `text cannot begin with \`${valueWithoutComment.charAt(0)}\``,
        help: formatHelp(
          quoteText(
            /^`[^`]*`$/.test(valueWithoutComment)
              ? valueWithoutComment.slice(1, -1)
              : valueWithoutComment,
          ),
        ),
      },
    }
  const colon = /:(\s|$)/.exec(valueWithoutComment)
  if (colon === null) return reportStrayBracket(valueWithoutComment, from, key, next)
  const hasSeveralEntries = /^[^:]*,\s*[A-Za-z_]\w*:\s/.test(valueWithoutComment)
  return {
    next,
    mistake: {
      span: [from, from + valueWithoutComment.length],
      message: hasSeveralEntries
        ? 'several keys on one line need braces around them'
        : 'a colon inside text starts a new key',
      help: hasSeveralEntries
        ? `write {${key ?? ''}: ${valueWithoutComment.replace(/\s*\}$/, '')}}`
        : formatHelp(quoteText(valueWithoutComment)),
    },
  }
}

/** Reports a missing opening bracket: `1000, 1500]`. */
function reportStrayBracket(
  valueWithoutComment: string,
  from: number,
  key: string | null,
  next: number,
): Step {
  const closer = /[\]}]$/.exec(valueWithoutComment)?.[0]
  const opener = closer === ']' ? '[' : '{'
  if (
    closer === undefined ||
    valueWithoutComment.includes(opener) ||
    !valueWithoutComment.includes(',')
  )
    return { mistake: null, next }
  return {
    next,
    mistake: {
      isGuess: true,
      span: [from, from + valueWithoutComment.length],
      message: `\`${closer}\` has no matching opening bracket`,
      help: `write ${key === null ? '- ' : `${key}: `}${opener}${valueWithoutComment}`,
    },
  }
}

/** Reports a multiline text without `|`. */
function reportMissingBar(row: Row): SyntaxMistake {
  return {
    isGuess: true,
    span: [row.start + row.indent, getRowEnd(row)],
    message: 'multi-line text needs a | after its key',
    help: `write ${removeComment(row.text)} |`,
  }
}
