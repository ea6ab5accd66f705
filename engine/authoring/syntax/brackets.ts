/** Finds missing commas, colons and brackets in flow collections of one or more lines. */
import { suggestRange } from '../suggestions/condition-notations.ts'
import type { SyntaxMistake } from './stray-lines.ts'
import {
  findClosingQuote,
  getRowEnd,
  quoteText,
  getRestOfRow,
  describeUnclosedQuote,
  removeComment,
  removeOuterQuotes,
} from './quotes.ts'
import type { Step, SourceRows } from './quotes.ts'
import type { Row } from './lines.ts'

const CLOSING_BRACKETS: Readonly<Record<string, string>> = { '{': '}', '[': ']' }
type OpenBracket = { readonly bracket: string; readonly at: number }

/** Looks for a mistake in the brackets that open at `from`, on all lines that they span. */
export function findBracketMistake(
  source: SourceRows,
  i: number,
  from: number,
  key: string | null,
): Step {
  const { text, rows } = source
  const firstRow = rows[i]
  let row = i
  let openBrackets: readonly OpenBracket[] = []
  let colons = 0
  let tokenStart = -1
  const fail = (mistake: SyntaxMistake): Step => ({ mistake, next: row + 1 })
  for (let at = from; ; at += 1) {
    const line = rows[row]
    if (line === undefined || firstRow === undefined) return { mistake: null, next: row + 1 }
    if (at >= getRowEnd(line) || (text.charAt(at) === '#' && /\s/.test(text.charAt(at - 1)))) {
      const nextRow = rows[row + 1]
      const continuesBelow =
        nextRow !== undefined && (nextRow.indent > firstRow.indent || /^[\]}]/.test(nextRow.text))
      if (!continuesBelow) return fail(reportUnclosedBracket(text, line, openBrackets))
      row += 1
      at = nextRow.start + nextRow.indent - 1
      continue
    }
    const bracket = text.charAt(at)
    if (/\s/.test(bracket)) continue
    if (tokenStart === -1 && /["']/.test(bracket)) {
      const end = findClosingQuote(source, row, at)
      if (end === null) return fail(describeUnclosedQuote(source, row, at))
      const textAfterQuote = getRestOfRow(source, end.row, end.at)
      if (!/^\s*($|[,\]}:]|#)/.test(textAfterQuote)) {
        const value = /^[^,\]}]*/.exec(textAfterQuote)?.[0].trimEnd() ?? ''
        row = end.row
        return fail({
          span: [at, end.at + value.length],
          message: 'the text continues after its closing quote',
          help: `write ${quoteText(removeOuterQuotes(text.slice(at, end.at) + value))}`,
        })
      }
      row = end.row
      at = end.at - 1
      tokenStart = at
      continue
    }
    if (bracket === '{' || bracket === '[') {
      if (tokenStart !== -1) return fail(reportBracketsInText(text, line, tokenStart, at, bracket))
      openBrackets = [...openBrackets, { bracket, at }]
      tokenStart = -1
      colons = 0
    } else if (bracket === '}' || bracket === ']') {
      const innermost = openBrackets.at(-1)
      const rest = text.slice(at + 1, getRowEnd(line)).trimStart()
      const isMismatched =
        innermost !== undefined && CLOSING_BRACKETS[innermost.bracket] !== bracket
      if (
        isMismatched &&
        openBrackets.length === 1 &&
        !rest.startsWith(CLOSING_BRACKETS[innermost.bracket] ?? '')
      )
        return fail({
          span: [at, at + 1],
          message: `\`${innermost.bracket}\` is closed by \`${CLOSING_BRACKETS[innermost.bracket]}\`, not by \`${bracket}\``,
          help: `write ${CLOSING_BRACKETS[innermost.bracket]} instead of ${bracket}`,
          related: [{ span: [innermost.at, innermost.at + 1], message: 'opened here' }],
        })
      if (
        isMismatched &&
        !openBrackets.some((candidate) => CLOSING_BRACKETS[candidate.bracket] === bracket)
      )
        return fail({
          span: [at, at + 1],
          message: `\`${bracket}\` has no matching opening bracket`,
          help: `remove it, or add ${bracket === ']' ? '[' : '{'} where it should begin`,
        })
      if (isMismatched)
        return fail({
          span: [at, at + 1],
          message: `a \`${CLOSING_BRACKETS[innermost.bracket]}\` is missing before this \`${bracket}\``,
          help: `write ${CLOSING_BRACKETS[innermost.bracket]}${bracket}, or remove one of them`,
          related: [{ span: [innermost.at, innermost.at + 1], message: 'opened here' }],
        })
      openBrackets = openBrackets.slice(0, -1)
      tokenStart = at
      colons = 1
      if (openBrackets.length === 0) return reportTextAfterBracket(source, row, from, at + 1, key)
    } else if (bracket === ',') {
      if (tokenStart === -1 && colons === 0)
        return fail({
          span: [at, at + 1],
          message: 'there is an extra comma here',
          help: 'remove it, or add the missing entry before it',
        })
      tokenStart = -1
      colons = 0
    } else if (bracket === ':' && /[\s,\]}]|^$/.test(text.charAt(at + 1)) && tokenStart !== -1) {
      colons += 1
      const keyStart = tokenStart
      tokenStart = -1
      if (colons > 1 && openBrackets.at(-1)?.bracket === '{')
        return fail(reportMissingComma(text, keyStart, at))
    } else if (tokenStart === -1) {
      tokenStart = at
      const word = /^[^,\]}\n]*/.exec(text.slice(at))?.[0].trim() ?? ''
      if (word === '-' || /^([@`%|>]|[*&!](?!\s)|[-?]\s)/.test(word))
        return fail({
          span: [at, at + word.length],
          message:
            word === '-' ? 'a single dash is not a value' : `text cannot begin with \`${bracket}\``,
          help:
            word === '-'
              ? 'write `none` if it is not on sale in that period, `free` if it costs nothing, or "-" in quotes for the dash itself'
              : `write ${suggestRange(word) ?? quoteText(word)}`,
        })
    }
  }
}

function reportUnclosedBracket(
  text: string,
  row: Row,
  open: readonly OpenBracket[],
): SyntaxMistake {
  const lastBracket = open.at(-1)
  const end = row.start + row.indent + removeComment(row.text).length
  const missingBrackets = [...open]
    .reverse()
    .map(({ bracket }) => CLOSING_BRACKETS[bracket])
    .join('')
  const endsWithComma = removeComment(row.text).endsWith(',')
  const commentMatch = /\s(#[^\s,}\]]+)[^#]*[}\]]$/.exec(row.text)
  if (commentMatch !== null) {
    const hashOffset = row.start + row.indent + commentMatch.index + 1
    return {
      span: [hashOffset, hashOffset + (commentMatch[1]?.length ?? 0)],
      message: '# begins a comment, so the rest of this line is ignored',
      help: `write "${commentMatch[1]}"`,
    }
  }
  if (lastBracket !== undefined && /^[^(]*\)$/.test(text.slice(lastBracket.at, end)))
    return {
      span: [end - 1, end],
      message: `\`${lastBracket.bracket}\` is closed by \`${missingBrackets}\`, not by \`)\``,
      help: `write ${missingBrackets} instead of )`,
    }
  return {
    span: [Math.max(0, end - 1), end],
    message: `a \`${missingBrackets}\` is missing at the end of this line`,
    help: `add ${missingBrackets}${endsWithComma ? ', or indent the next line further' : ''}`,
    ...(lastBracket === undefined || text.slice(lastBracket.at, end).includes('\n') === false
      ? {}
      : {
          related: [
            { span: [lastBracket.at, lastBracket.at + 1] as const, message: 'opened here' },
          ],
        }),
  }
}

function reportBracketsInText(
  text: string,
  row: Row,
  token: number,
  at: number,
  bracket: string,
): SyntaxMistake {
  const closer = CLOSING_BRACKETS[bracket] ?? ''
  const closerOffset = text.indexOf(closer, at)
  const textStart = token + (/^[\w.-]+:\s+/.exec(text.slice(token, at))?.[0].length ?? 0)
  const pattern = /^\/\^?.*?\$?\/(?=\s*[,}\n])/.exec(text.slice(textStart, getRowEnd(row) + 1))?.[0]
  // A pattern between slashes, as in programming languages: its braces belong to the pattern.
  if (pattern !== undefined)
    return {
      isBraces: bracket === '{',
      span: [textStart, textStart + pattern.length],
      message: 'write a pattern in quotes, without slashes around it',
      help: `write ${quoteText(pattern.slice(1, -1).replace(/^\^/, '').replace(/\$$/, ''))}`,
    }
  const end = closerOffset === -1 || closerOffset > getRowEnd(row) ? at + 1 : closerOffset + 1
  const tail = /^[^,\]}\n]*/.exec(text.slice(end))?.[0].trimEnd() ?? ''
  return {
    isBraces: bracket === '{',
    span: [textStart, end + tail.length],
    message: `YAML reads text with ${bracket}…${closer} as a block of keys`,
    help: `write ${quoteText(text.slice(textStart, end + tail.length))}`,
  }
}

/** Reports `{id: full_name label: Full Name}`: two colons in one entry. */
function reportMissingComma(text: string, token: number, colonOffset: number): SyntaxMistake {
  const entry = text.slice(token, colonOffset)
  const name = /([\w-]+)\s*$/.exec(entry)?.[1] ?? ''
  const nameStart = colonOffset - (/([\w-]+)\s*$/.exec(entry)?.[0].length ?? 0)
  const textBefore = entry
    .slice(0, entry.length - (colonOffset - nameStart))
    .trimEnd()
    .replace(/[;,|]$/, '')
  const separatorMatch = /([;|])\s*[\w-]+\s*$/.exec(entry)
  if (separatorMatch !== null)
    return {
      span: [token + separatorMatch.index, token + separatorMatch.index + 1],
      message: `entries in {…} are separated by commas, not by \`${separatorMatch[1]}\``,
      help: 'write , instead of ' + separatorMatch[1],
    }
  if (textBefore === '')
    return {
      span: [nameStart, colonOffset + 1],
      message: `a { is missing before \`${name}\``,
      help: `write {${name}:`,
    }
  return {
    span: [nameStart, colonOffset + 1],
    message: `a comma is missing before \`${name}\`, or the text with the colon needs quotes`,
    help: `write ${textBefore.replace(/\s+/g, ' ')}, ${name}:`,
  }
}

/** Reports text after a closing bracket, because the whole value was probably meant as text. */
function reportTextAfterBracket(
  source: SourceRows,
  row: number,
  from: number,
  end: number,
  key: string | null,
): Step {
  const rest = getRestOfRow(source, row, end)
  if (/^\s*($|#|:(\s|$))/.test(rest)) return { mistake: null, next: row + 1 }
  const tail = removeComment(rest)
  const keyText = key === null ? '- ' : `${key}: `
  const isCloser = /^\s*[\]},]+$/.test(tail)
  if (key !== null && /^\s*,\s*[A-Za-z_]\w*\s*:/.test(tail))
    return {
      next: row + 1,
      mistake: {
        span: [from, end + tail.length],
        message: 'several keys on one line need braces around them',
        help: `write {${keyText}${source.text.slice(from, end)}${tail.replace(/\s*\}$/, '')}}`,
      },
    }
  const fixedText = source.text.slice(from, end) + tail
  return {
    next: row + 1,
    mistake: {
      isBraces: !isCloser && source.text.charAt(from) === '{',
      span: isCloser ? [end, end + tail.length] : [from, end + tail.length],
      message: isCloser
        ? `there is an extra \`${tail.trim()}\` here`
        : `text that begins with ${source.text.charAt(from)} needs quotes`,
      help: isCloser ? 'remove it' : `write ${keyText}${quoteText(fixedText)}`,
    },
  }
}
