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
type Open = { readonly mark: string; readonly at: number }

/** Reads brackets that begin at `from` and all lines that they span. */
export function findBracketMistake(
  source: SourceRows,
  i: number,
  from: number,
  key: string | null,
): Step {
  const { text, rows } = source
  const first = rows[i]
  let row = i
  let open: readonly Open[] = []
  let colons = 0
  let token = -1
  const fail = (slip: SyntaxMistake): Step => ({ slip, next: row + 1 })
  for (let at = from; ; at += 1) {
    const line = rows[row]
    if (line === undefined || first === undefined) return { slip: null, next: row + 1 }
    if (at >= getRowEnd(line) || (text.charAt(at) === '#' && /\s/.test(text.charAt(at - 1)))) {
      const below = rows[row + 1]
      const reaches =
        below !== undefined && (below.indent > first.indent || /^[\]}]/.test(below.text))
      if (!reaches) return fail(reportUnclosedBracket(text, line, open))
      row += 1
      at = below.start + below.indent - 1
      continue
    }
    const mark = text.charAt(at)
    if (/\s/.test(mark)) continue
    if (token === -1 && /["']/.test(mark)) {
      const end = findClosingQuote(source, row, at)
      if (end === null) return fail(describeUnclosedQuote(source, row, at))
      const after = getRestOfRow(source, end.row, end.at)
      if (!/^\s*($|[,\]}:]|#)/.test(after)) {
        const value = /^[^,\]}]*/.exec(after)?.[0].trimEnd() ?? ''
        row = end.row
        return fail({
          span: [at, end.at + value.length],
          message: 'the text continues after its closing quote',
          help: `write ${quoteText(removeOuterQuotes(text.slice(at, end.at) + value))}`,
        })
      }
      row = end.row
      at = end.at - 1
      token = at
      continue
    }
    if (mark === '{' || mark === '[') {
      if (token !== -1) return fail(reportBracketsInText(text, line, token, at, mark))
      open = [...open, { mark, at }]
      token = -1
      colons = 0
    } else if (mark === '}' || mark === ']') {
      const top = open.at(-1)
      const rest = text.slice(at + 1, getRowEnd(line)).trimStart()
      const isMismatched = top !== undefined && CLOSING_BRACKETS[top.mark] !== mark
      if (isMismatched && open.length === 1 && !rest.startsWith(CLOSING_BRACKETS[top.mark] ?? ''))
        return fail({
          span: [at, at + 1],
          message: `\`${top.mark}\` is closed by \`${CLOSING_BRACKETS[top.mark]}\`, not by \`${mark}\``,
          help: `write ${CLOSING_BRACKETS[top.mark]} instead of ${mark}`,
          related: [{ span: [top.at, top.at + 1], message: 'opened here' }],
        })
      if (isMismatched && !open.some((candidate) => CLOSING_BRACKETS[candidate.mark] === mark))
        return fail({
          span: [at, at + 1],
          message: `\`${mark}\` closes nothing that was opened`,
          help: `remove it, or add ${mark === ']' ? '[' : '{'} where it should begin`,
        })
      if (isMismatched)
        return fail({
          span: [at, at + 1],
          message: `a \`${CLOSING_BRACKETS[top.mark]}\` is missing before this \`${mark}\``,
          help: `write ${CLOSING_BRACKETS[top.mark]}${mark}, or remove one of them`,
          related: [{ span: [top.at, top.at + 1], message: 'opened here' }],
        })
      open = open.slice(0, -1)
      token = at
      colons = 1
      if (open.length === 0) return readAfterBracket(source, row, from, at + 1, key)
    } else if (mark === ',') {
      if (token === -1 && colons === 0)
        return fail({
          span: [at, at + 1],
          message: 'there is an extra comma here',
          help: 'remove it, or add the missing entry before it',
        })
      token = -1
      colons = 0
    } else if (mark === ':' && /[\s,\]}]|^$/.test(text.charAt(at + 1)) && token !== -1) {
      colons += 1
      const tokenText = token
      token = -1
      if (colons > 1 && open.at(-1)?.mark === '{')
        return fail(reportMissingComma(text, tokenText, at))
    } else if (token === -1) {
      token = at
      const word = /^[^,\]}\n]*/.exec(text.slice(at))?.[0].trim() ?? ''
      if (word === '-' || /^([@`%|>]|[*&!](?!\s)|[-?]\s)/.test(word))
        return fail({
          span: [at, at + word.length],
          message:
            word === '-' ? 'a single dash is not a value' : `a text cannot begin with \`${mark}\``,
          help:
            word === '-'
              ? 'write none for a price that is not on sale then, free if it costs nothing, or "-" in quotes for the dash itself'
              : `write ${suggestRange(word) ?? quoteText(word)}`,
        })
    }
  }
}

function reportUnclosedBracket(text: string, row: Row, open: readonly Open[]): SyntaxMistake {
  const top = open.at(-1)
  const end = row.start + row.indent + removeComment(row.text).length
  const missing = [...open]
    .reverse()
    .map(({ mark }) => CLOSING_BRACKETS[mark])
    .join('')
  const isList = removeComment(row.text).endsWith(',')
  const commentMatch = /\s(#[^\s,}\]]+)[^#]*[}\]]$/.exec(row.text)
  if (commentMatch !== null) {
    const hash = row.start + row.indent + commentMatch.index + 1
    return {
      span: [hash, hash + (commentMatch[1]?.length ?? 0)],
      message: '# begins a comment, so the rest of this line is ignored',
      help: `write "${commentMatch[1]}"`,
    }
  }
  if (top !== undefined && /^[^(]*\)$/.test(text.slice(top.at, end)))
    return {
      span: [end - 1, end],
      message: `\`${top.mark}\` is closed by \`${missing}\`, not by \`)\``,
      help: `write ${missing} instead of )`,
    }
  return {
    span: [Math.max(0, end - 1), end],
    message: `a \`${missing}\` is missing at the end of this line`,
    help: `add ${missing}${isList ? ', or indent the next line further' : ''}`,
    ...(top === undefined || text.slice(top.at, end).includes('\n') === false
      ? {}
      : { related: [{ span: [top.at, top.at + 1] as const, message: 'opened here' }] }),
  }
}

function reportBracketsInText(
  text: string,
  row: Row,
  token: number,
  at: number,
  mark: string,
): SyntaxMistake {
  const closer = CLOSING_BRACKETS[mark] ?? ''
  const close = text.indexOf(closer, at)
  const from = token + (/^[\w.-]+:\s+/.exec(text.slice(token, at))?.[0].length ?? 0)
  const pattern = /^\/\^?.*?\$?\/(?=\s*[,}\n])/.exec(text.slice(from, getRowEnd(row) + 1))?.[0]
  // A pattern between slashes, as in programming languages: its braces are part of it.
  if (pattern !== undefined)
    return {
      isBraces: mark === '{',
      span: [from, from + pattern.length],
      message: 'write a pattern in quotes, without slashes around it',
      help: `write ${quoteText(pattern.slice(1, -1).replace(/^\^/, '').replace(/\$$/, ''))}`,
    }
  const end = close === -1 || close > getRowEnd(row) ? at + 1 : close + 1
  const tail = /^[^,\]}\n]*/.exec(text.slice(end))?.[0].trimEnd() ?? ''
  return {
    isBraces: mark === '{',
    span: [from, end + tail.length],
    message: `YAML reads a text with ${mark}…${closer} as a block of keys`,
    help: `write ${quoteText(text.slice(from, end + tail.length))}`,
  }
}

/** Reports `{id: full_name label: Full Name}`: two colons in one entry. */
function reportMissingComma(text: string, token: number, colon: number): SyntaxMistake {
  const entry = text.slice(token, colon)
  const name = /([\w-]+)\s*$/.exec(entry)?.[1] ?? ''
  const at = colon - (/([\w-]+)\s*$/.exec(entry)?.[0].length ?? 0)
  const before = entry
    .slice(0, entry.length - (colon - at))
    .trimEnd()
    .replace(/[;,|]$/, '')
  const other = /([;|])\s*[\w-]+\s*$/.exec(entry)
  if (other !== null)
    return {
      span: [token + other.index, token + other.index + 1],
      message: `entries in {…} are separated by commas, not by \`${other[1]}\``,
      help: 'write , instead of ' + other[1],
    }
  if (before === '')
    return {
      span: [at, colon + 1],
      message: `a { is missing before \`${name}\``,
      help: `write {${name}:`,
    }
  return {
    span: [at, colon + 1],
    message: `a comma is missing before \`${name}\`, or the text with the colon needs quotes`,
    help: `write ${before.replace(/\s+/g, ' ')}, ${name}:`,
  }
}

/**
 * Reads the text after a closing bracket. If there is any, the whole value was intended as a text.
 */
function readAfterBracket(
  source: SourceRows,
  row: number,
  from: number,
  end: number,
  key: string | null,
): Step {
  const rest = getRestOfRow(source, row, end)
  if (/^\s*($|#|:(\s|$))/.test(rest)) return { slip: null, next: row + 1 }
  const tail = removeComment(rest)
  const keyText = key === null ? '- ' : `${key}: `
  const isCloser = /^\s*[\]},]+$/.test(tail)
  if (key !== null && /^\s*,\s*[A-Za-z_]\w*\s*:/.test(tail))
    return {
      next: row + 1,
      slip: {
        span: [from, end + tail.length],
        message: 'several keys on one line need braces around them',
        help: `write {${keyText}${source.text.slice(from, end)}${tail.replace(/\s*\}$/, '')}}`,
      },
    }
  const fixedText = source.text.slice(from, end) + tail
  return {
    next: row + 1,
    slip: {
      isBraces: !isCloser && source.text.charAt(from) === '{',
      span: isCloser ? [end, end + tail.length] : [from, end + tail.length],
      message: isCloser
        ? `there is an extra \`${tail.trim()}\` here`
        : `a text that begins with ${source.text.charAt(from)} needs quotes`,
      help: isCloser ? 'remove it' : `write ${keyText}${quoteText(fixedText)}`,
    },
  }
}
