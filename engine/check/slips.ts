/**
 * Slips of the hand in a text that YAML cannot read: a quote or bracket that is not closed, a colon without
 * its space, a table or bullets pasted in. A parser notices them where the text stops making sense; here
 * every line is read alone, as its author reads it, so that the slip is told where it was made.
 */
import { looseSlip } from './loose.ts'
import type { Slip } from './loose.ts'
import { rowsOf } from './rows.ts'
import type { Row } from './rows.ts'
import type { Span } from './source.ts'

/** The last slip that stands on the line of `noticed`, an offset, or above it. */
export function typingSlip(text: string, noticed: number): Slip | null {
  const rows = rowsOf(text)
  const reading: Reading = { text, rows }
  let best: Slip | null = null
  for (let i = 0; i < rows.length;) {
    const row = rows[i]
    if (row === undefined || row.start > noticed) break
    const { slip, next } = judged(reading, i)
    if (slip !== null && (slip.isGuess !== true || isNear(rows, i, noticed))) best = slip
    i = Math.max(next, i + 1)
  }
  return best
}

/** A guess counts on the line where the text stops making sense, or just above it. */
function isNear(rows: readonly Row[], i: number, noticed: number): boolean {
  return (rows[i + 2]?.start ?? Infinity) > noticed
}

type Reading = { readonly text: string; readonly rows: readonly Row[] }
type Judged = { readonly slip: Slip | null; readonly next: number }

const KEY = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'[{#|>,@`][^:[\]{}#]*?)\s*:(?=\s|$)\s*/

function judged(reading: Reading, i: number): Judged {
  const row = reading.rows[i]
  if (row === undefined) return { slip: null, next: i + 1 }
  const dashes = /^(?:-(?:\s+|$))*/.exec(row.text)?.[0] ?? ''
  const rest = row.text.slice(dashes.length)
  const key = KEY.exec(rest)
  const from = row.start + row.indent + dashes.length
  if (rest === '') return { slip: null, next: i + 1 }
  if (key === null && dashes === '' && !/^["'[{]/.test(rest)) {
    const before = reading.rows[i - 1]
    const goesOn = before !== undefined && row.indent > before.indent && !/:$/.test(before.text)
    return { slip: goesOn ? null : looseSlip(rest, from), next: i + 1 }
  }
  if (key !== null && /^[(•●▪◦‣·∙*]|^-\S/.test(key[1] ?? ''))
    return { slip: looseSlip(rest, from), next: i + 1 }
  const value = rest.slice(key?.[0].length ?? 0)
  return valueSlip(reading, i, from + (key?.[0].length ?? 0), value, key?.[1] ?? null)
}

/** The value from an offset to the end of its line, and of the lines that its brackets and quotes reach into. */
function valueSlip(
  reading: Reading,
  i: number,
  from: number,
  value: string,
  key: string | null,
): Judged {
  const span: Span = [from, from + value.length]
  const next = i + 1
  const quoted = (instead: string): string => `write ${key === null ? '- ' : `${key}: `}${instead}`
  if (value === '' || value.startsWith('#')) return { slip: null, next }
  if (/^["']/.test(value)) return quoteSlip(reading, i, from, key)
  if (/^[[{]/.test(value)) return flowSlip(reading, i, from, key)
  if (/^[|>]/.test(value)) {
    if (/^[|>][-+0-9]{0,2}(\s+#.*)?$/.test(value)) return { slip: null, next }
    return {
      next,
      slip: {
        span,
        message: `a text cannot begin with \`${value.charAt(0)}\``,
        help: quoted(inQuotes(value)),
      },
    }
  }
  const bare = withoutComment(value)
  if (/^([@`%,\]}]|[*&!](?!\s)|[-?:]\s)/.test(bare))
    return {
      next,
      slip: {
        span: [from, from + bare.length],
        message: `a text cannot begin with \`${bare.charAt(0)}\``,
        help: quoted(inQuotes(bare)),
      },
    }
  const colon = /:(\s|$)/.exec(bare)
  if (colon === null) return strayCloser(bare, from, key, next)
  const isEntries = /^[^:]*,\s*[A-Za-z_]\w*:\s/.test(bare)
  return {
    next,
    slip: {
      span: [from, from + bare.length],
      message: isEntries
        ? 'several keys on one line need braces around them'
        : 'a colon inside a text starts a new key',
      help: isEntries
        ? `write {${key ?? ''}: ${bare.replace(/\s*\}$/, '')}}`
        : quoted(inQuotes(bare)),
    },
  }
}

/** `[1000, 1500` has lost its end, `1000, 1500]` its beginning. */
function strayCloser(bare: string, from: number, key: string | null, next: number): Judged {
  const closer = /[\]}]$/.exec(bare)?.[0]
  const opener = closer === ']' ? '[' : '{'
  if (closer === undefined || bare.includes(opener) || !bare.includes(','))
    return { slip: null, next }
  return {
    next,
    slip: {
      isGuess: true,
      span: [from, from + bare.length],
      message: `\`${closer}\` closes what nothing has opened`,
      help: `write ${key === null ? '- ' : `${key}: `}${opener}${bare}`,
    },
  }
}

/** A text in quotes that begins at `from`: closed, and nothing after it. */
function quoteSlip(reading: Reading, i: number, from: number, key: string | null): Judged {
  const end = closingQuote(reading, i, from)
  if (end === null) return { slip: unclosedQuote(reading, i, from), next: i + 1 }
  const after = restOfRow(reading, end.row, end.at)
  if (/^\s*($|#|:)/.test(after)) return { slip: null, next: end.row + 1 }
  const row = reading.rows[end.row]
  const whole = withoutComment(reading.text.slice(from, row === undefined ? from : endOf(row)))
  return {
    next: end.row + 1,
    slip: {
      span: [from, from + whole.length],
      message: 'the text goes on after its closing quote',
      help: `write ${key === null ? '- ' : `${key}: `}${inQuotes(withoutOuterQuotes(whole))}`,
    },
  }
}

type End = { readonly row: number; readonly at: number }

/** The offset after the closing quote; null when it is missing on its line and not below, further in. */
function closingQuote({ text, rows }: Reading, i: number, from: number): End | null {
  const quote = text.charAt(from)
  const first = rows[i]
  if (first === undefined) return null
  for (let row = i; row < rows.length; row += 1) {
    const here = rows[row]
    if (here === undefined || (row > i && here.indent <= first.indent)) return null
    if (row > i && KEY.test(here.text.replace(/^(- +)+/, ''))) return null
    const start = row === i ? from + 1 : here.start
    for (let at = start; at < endOf(here); at += 1) {
      if (quote === '"' && text.charAt(at) === '\\') at += 1
      else if (text.charAt(at) === quote) {
        if (quote === "'" && text.charAt(at + 1) === "'") at += 1
        else return { row, at: at + 1 }
      }
    }
  }
  return null
}

function unclosedQuote(reading: Reading, i: number, from: number): Slip {
  const row = reading.rows[i]
  const rest = row === undefined ? '' : reading.text.slice(from, endOf(row))
  const quote = rest.charAt(0)
  const curly = /^(["'][^"']*?)[“”„‟’‘](?=\s*([,}\]]|$))/.exec(rest)
  return {
    span: [from, from + rest.length],
    message: 'a text in quotes is not closed',
    help:
      curly === null
        ? `add ${quote} at the end of the text`
        : `write ${curly[1]}${quote}: the quote at its end is a curly one`,
  }
}

const CLOSER: Readonly<Record<string, string>> = { '{': '}', '[': ']' }
type Open = { readonly mark: string; readonly at: number }

/** Brackets that begin at `from`, over as many lines as they reach. */
function flowSlip(reading: Reading, i: number, from: number, key: string | null): Judged {
  const { text, rows } = reading
  const first = rows[i]
  let row = i
  let open: readonly Open[] = []
  let colons = 0
  let token = -1
  const fail = (slip: Slip): Judged => ({ slip, next: row + 1 })
  for (let at = from; ; at += 1) {
    const here = rows[row]
    if (here === undefined || first === undefined) return { slip: null, next: row + 1 }
    if (at >= endOf(here) || (text.charAt(at) === '#' && /\s/.test(text.charAt(at - 1)))) {
      const below = rows[row + 1]
      const reaches =
        below !== undefined && (below.indent > first.indent || /^[\]}]/.test(below.text))
      if (!reaches) return fail(unclosedBracket(text, here, open))
      row += 1
      at = below.start + below.indent - 1
      continue
    }
    const mark = text.charAt(at)
    if (/\s/.test(mark)) continue
    if (token === -1 && /["']/.test(mark)) {
      const end = closingQuote(reading, row, at)
      if (end === null) return fail(unclosedQuote(reading, row, at))
      const after = restOfRow(reading, end.row, end.at)
      if (!/^\s*($|[,\]}:]|#)/.test(after)) {
        const whole = /^[^,\]}]*/.exec(after)?.[0].trimEnd() ?? ''
        row = end.row
        return fail({
          span: [at, end.at + whole.length],
          message: 'the text goes on after its closing quote',
          help: `write ${inQuotes(withoutOuterQuotes(text.slice(at, end.at) + whole))}`,
        })
      }
      row = end.row
      at = end.at - 1
      token = at
      continue
    }
    if (mark === '{' || mark === '[') {
      if (token !== -1) return fail(bracketsInText(text, here, token, at, mark))
      open = [...open, { mark, at }]
      token = -1
      colons = 0
    } else if (mark === '}' || mark === ']') {
      const top = open.at(-1)
      if (top !== undefined && !open.some((one) => CLOSER[one.mark] === mark))
        return fail({
          span: [at, at + 1],
          message: `\`${mark}\` closes what nothing has opened`,
          help: `take it away, or add ${mark === ']' ? '[' : '{'} where it should begin`,
        })
      if (top !== undefined && CLOSER[top.mark] !== mark)
        return fail({
          span: [at, at + 1],
          message: `a \`${CLOSER[top.mark]}\` is missing before this \`${mark}\``,
          help: `write ${CLOSER[top.mark]}${mark}, or take one of them away`,
          related: [{ span: [top.at, top.at + 1], message: 'opened here' }],
        })
      open = open.slice(0, -1)
      token = at
      colons = 1
      if (open.length === 0) return afterFlow(reading, row, from, at + 1, key)
    } else if (mark === ',') {
      token = -1
      colons = 0
    } else if (mark === ':' && /[\s,\]}]|^$/.test(text.charAt(at + 1)) && token !== -1) {
      colons += 1
      const said = token
      token = -1
      if (colons > 1 && open.at(-1)?.mark === '{') return fail(commaMissing(text, said, at))
    } else if (token === -1) {
      token = at
      const word = /^[^,\]}\n]*/.exec(text.slice(at))?.[0].trim() ?? ''
      if (word === '-' || /^([@`%|>]|[*&!](?!\s)|[-?]\s)/.test(word))
        return fail({
          span: [at, at + word.length],
          message:
            word === '-' ? 'a dash alone is not read' : `a text cannot begin with \`${mark}\``,
          help:
            word === '-'
              ? 'write none for a price that is not on sale then, 0 if it costs nothing; "-" in quotes is the dash itself'
              : `write ${inQuotes(word)}`,
        })
    }
  }
}

function unclosedBracket(text: string, row: Row, open: readonly Open[]): Slip {
  const top = open.at(-1)
  const end = row.start + row.indent + withoutComment(row.text).length
  const missing = [...open]
    .reverse()
    .map(({ mark }) => CLOSER[mark])
    .join('')
  const isList = /,$/.test(withoutComment(row.text))
  const cut = /\s(#[^\s,}\]]+)[^#]*[}\]]$/.exec(row.text)
  if (cut !== null) {
    const hash = row.start + row.indent + cut.index + 1
    return {
      span: [hash, hash + (cut[1]?.length ?? 0)],
      message: 'what begins with # is a comment, so the rest of this line is not read',
      help: `write "${cut[1]}"`,
    }
  }
  return {
    span: [Math.max(0, end - 1), end],
    message: `a \`${missing}\` is missing at the end of this line`,
    help: `add ${missing}${isList ? ', or begin the next line further to the right' : ''}`,
    ...(top === undefined || text.slice(top.at, end).includes('\n') === false
      ? {}
      : { related: [{ span: [top.at, top.at + 1] as const, message: 'opened here' }] }),
  }
}

function bracketsInText(text: string, row: Row, token: number, at: number, mark: string): Slip {
  const closer = CLOSER[mark] ?? ''
  const close = text.indexOf(closer, at)
  const from = token + (/^[\w.-]+:\s+/.exec(text.slice(token, at))?.[0].length ?? 0)
  const end = close === -1 || close > endOf(row) ? at + 1 : close + 1
  const tail = /^[^,\]}\n]*/.exec(text.slice(end))?.[0].trimEnd() ?? ''
  return {
    isBraces: mark === '{',
    span: [from, end + tail.length],
    message: `a text with ${mark}…${closer} in it is read as a block of keys here`,
    help: `write ${inQuotes(text.slice(from, end + tail.length))}`,
  }
}

/** `{id: full_name label: Full Name}`: two colons in one entry. */
function commaMissing(text: string, token: number, colon: number): Slip {
  const entry = text.slice(token, colon)
  const name = /([\w-]+)\s*$/.exec(entry)?.[1] ?? ''
  const at = colon - (/([\w-]+)\s*$/.exec(entry)?.[0].length ?? 0)
  const before = entry.slice(0, entry.length - (colon - at)).trimEnd()
  return {
    span: [at, colon + 1],
    message: `a comma is missing before \`${name}\`, or the text with the colon needs quotes`,
    help: `write ${before.replace(/\s+/g, ' ')}, ${name}:`,
  }
}

/** What follows a bracket that is closed: nothing, or the text only began with one. */
function afterFlow(
  reading: Reading,
  row: number,
  from: number,
  end: number,
  key: string | null,
): Judged {
  const rest = restOfRow(reading, row, end)
  if (/^\s*($|#|:(\s|$))/.test(rest)) return { slip: null, next: row + 1 }
  const tail = withoutComment(rest)
  const said = key === null ? '- ' : `${key}: `
  const isCloser = /^\s*[\]},]+$/.test(tail)
  const whole = reading.text.slice(from, end) + tail
  return {
    next: row + 1,
    slip: {
      isBraces: !isCloser && reading.text.charAt(from) === '{',
      span: isCloser ? [end, end + tail.length] : [from, end + tail.length],
      message: isCloser
        ? `there is a \`${tail.trim()}\` too many here`
        : `a text that begins with ${reading.text.charAt(from)} must be in quotes`,
      help: isCloser ? 'take it away' : `write ${said}${inQuotes(whole)}`,
    },
  }
}

const endOf = (row: Row): number => row.start + row.indent + row.text.length
function restOfRow({ text, rows }: Reading, row: number, at: number): string {
  const here = rows[row]
  return here === undefined ? '' : text.slice(at, endOf(here))
}

/** A line's text without the comment after it. */
export function withoutComment(text: string): string {
  return text.replace(/\s#.*$/, '').trimEnd()
}

/** A text as it can stand in a file whatever is in it: in double quotes, or in single ones where it holds those. */
export function inQuotes(text: string): string {
  return text.includes('"') && !text.includes("'")
    ? `'${text}'`
    : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

function withoutOuterQuotes(text: string): string {
  const bare = /^(["'])\1?(.*?)\1?\1$/s.exec(text)?.[2]
  return bare === undefined ? text : bare.replaceAll('""', '"')
}
