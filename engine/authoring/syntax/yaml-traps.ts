/** Finds YAML traps: anchors, tags, texts cut off by a #, braces and commas intended as text. */
import { isAlias, isMap, isPair, isScalar, isSeq } from 'yaml'
import type { YAMLMap, YAMLSeq } from 'yaml'
import { explainPrice, suggestPriceCell } from '../suggestions/amount-notations.ts'
import { readStatedCurrency } from '../suggestions/currency-notations.ts'
import { suggestCondition } from '../suggestions/condition-notations.ts'
import { findStrayLine } from './stray-lines.ts'
import type { Report } from './syntax-findings.ts'
import { join } from './source.ts'
import type { Span } from './source.ts'

export type TrapContext = {
  readonly text: string
  readonly report: Report
  trap(path: string): void
}

/** Reports a node whose meaning in YAML differs from what the author meant. Child nodes are checked separately. */
export function reportTraps(node: unknown, path: string, traps: TrapContext): void {
  const { text, report, trap } = traps
  const span = getNodeRange(node) ?? [0, 0]
  const findSpanFrom = (mark: string): Span => {
    const start = text.lastIndexOf(mark, span[0])
    return start === -1 ? span : [start, span[1]]
  }
  if (isAlias(node)) {
    trap(path)
    return report('EV003', span, path, {
      message: `\`*${node.source}\` is an alias: anchors and aliases (& and *) are not part of this format`,
      help: 'write the value out; text that begins with * needs quotes',
    })
  }
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return
  if (node.anchor !== undefined) {
    trap(path)
    return report('EV003', findSpanFrom(`&${node.anchor}`), path, {
      message: `\`&${node.anchor}\` is an anchor: anchors and aliases (& and *) are not part of this format`,
      help: 'remove it; text that begins with & needs quotes',
    })
  }
  if (node.tag !== undefined) {
    trap(path)
    return report('EV003', findSpanFrom('!'), path, {
      message: `tags such as \`${node.tag}\` are not part of this format`,
      help: 'remove it; text that begins with ! needs quotes',
    })
  }
  if (isScalar(node) && node.type === 'PLAIN' && typeof node.value === 'string')
    findTextCutByHash(node.value, span, path, traps)
  if (isMap(node)) findMapTraps(node, span, path, traps)
  if (isSeq(node)) findCommaTraps(node, span, path, traps)
}

/** Reports `Hall #5`: a # with a space before it and none after was meant as text, but YAML reads a comment. */
function findTextCutByHash(
  value: string,
  [start, end]: Span,
  path: string,
  { text, report }: TrapContext,
): void {
  const rest = /^ (#[^\s#][^\n]*)/.exec(text.slice(end, end + 400))
  if (rest === null || !isProse(path)) return
  const fullValue = `${value} ${(rest[1] ?? '').trimEnd()}`
  report('EV004', [end + 1, end + 1 + (rest[1] ?? '').trimEnd().length], path, {
    message: `the text ends before \`#\`: everything after it is a comment`,
    help: `to keep it, write ${JSON.stringify(fullValue)}; for a comment put a space after the #`,
    fix: { start, end: start + fullValue.length, text: JSON.stringify(fullValue) },
  })
}

function findMapTraps(
  node: YAMLMap,
  span: Span,
  path: string,
  { text, report, trap }: TrapContext,
): void {
  for (const pair of node.items)
    if (isScalar(pair.key) && pair.key.value === '<<') {
      trap(join(path, '<<'))
      report('EV003', getNodeRange(pair.key) ?? span, join(path, '<<'), {
        message: 'merging with `<<` is not part of this format',
        help: 'write the keys out',
      })
    }
  if (node.flow !== true) return reportListMarkers(node, path, { text, report, trap })
  const emptyPairs = node.items.filter((pair) => isPair(pair) && pair.value === null)
  if (emptyPairs.length === 0) return
  const content = text.slice(span[0], span[1])
  if (/^\??$/.test(content.trim()) && /^fees\.(?:price_groups\.\d+\.)?prices\./.test(path)) {
    trap(path)
    const at = text.lastIndexOf('?', span[1])
    return report('EV001', [at, at + 1], path, {
      message: '`?` is not a price: write an amount in digits only',
      help: explainPrice('?') ?? '',
    })
  }
  const unspacedKey = emptyPairs
    .map((pair) => getNodeRange(pair.key) ?? span)
    .find(([start, end]) => UNSPACED_KEY.test(text.slice(start, end)))
  if (unspacedKey !== undefined) {
    trap(path)
    const valueText = text.slice(...unspacedKey)
    const [, key = valueText.split(' ')[0] ?? '', sign = '', value = ''] =
      UNSPACED_KEY.exec(valueText) ?? []
    const isWord = sign === ''
    return report('EV012', unspacedKey, path, {
      message: isWord
        ? `a colon is missing after \`${key}\``
        : sign === ':'
          ? `a space is missing after the colon of \`${key}:\``
          : `\`${key}\` is followed by \`${sign}\`; a key is followed by a colon and a space`,
      help: isWord
        ? `write ${valueText.replace(' ', ': ')}`
        : `write ${content.includes('\n') ? `${key}: ${value}` : content.replace(UNSPACED_KEYS, '$1$2: ')}`,
    })
  }
  if (emptyPairs.length === node.items.length) {
    trap(path)
    if (CONDITION_PATH.test(path))
      return report('EV005', span, path, {
        message: `\`${content}\` has a field but no answer`,
        help: suggestCondition(content.slice(1, -1), path.startsWith('category.'), null),
      })
    if (emptyPairs.length > 1)
      return report('EV005', span, path, {
        message: `\`${content}\` is read as a block of keys: write a list in […]`,
        help: `write [${content.slice(1, -1).trim()}]; if it is text, put it in quotes`,
      })
    const isCertain = /^\{[a-z][a-z0-9_.]*\}$/.test(content) && isProse(path)
    return report('EV005', span, path, {
      message: `\`${content}\` is read as a block of keys${isProse(path) ? ': text that begins with {…} needs quotes' : ''}`,
      help: isProse(path)
        ? `write "${content}"`
        : `write ${content.slice(1, -1).trim()}: a name is written without braces`,
      ...(isCertain
        ? { fix: { start: span[0], end: span[1], text: JSON.stringify(content) } }
        : {}),
    })
  }
  for (const pair of emptyPairs) {
    const key = getNodeRange(pair.key) ?? span
    trap(path)
    report('EV006', key, path, {
      message: `\`${text.slice(key[0], key[1])}\` looks like the rest of the text: inside {…} a comma starts a new key`,
      help: suggestQuotes(text, span, key, CONDITION_PATH.test(path)),
    })
  }
}

/** Reports `• {id: pg}` and `1. {id: pg}`, which are parsed as keys but were meant as list entries. */
function reportListMarkers(node: YAMLMap, path: string, { text, report, trap }: TrapContext): void {
  for (const pair of node.items) {
    const span = getNodeRange(pair.key)
    if (
      span === null ||
      !/^(?:[•●▪◦‣·∙*+–—]|\(?(?:\d{1,2}|[a-z])[.)]|-)\s*[{\w]/.test(text.slice(...span))
    )
      continue
    const end = text.indexOf('\n', span[0])
    const line = text.slice(span[0], end === -1 ? text.length : end).trimEnd()
    const slip = findStrayLine(line, span[0])
    if (slip === null) continue
    trap(path)
    return report('EV001', slip.span, path, { message: slip.message, help: slip.help ?? '' })
  }
}

/**
 * A key without a valid separator: `id:pg`, `id = pg`. Times (9:30) and addresses (https://…) are
 * excluded.
 */
const UNSPACED_KEY =
  /^([A-Za-z_][\w-]*)\s*(:(?!\/\/)|：|=>|->|==+|=|→)\s*(\S.*)$|^(?:id|label|type|from|to|when|then|go|mail|show|required|default)( )(?=\S)/s
const UNSPACED_KEYS = /([{,]\s*)([A-Za-z_][\w-]*)\s*(?::(?!\/\/)|：|=>|->|==+|=|→)\s*/g

/** Keys with a list as value. */
const LIST_KEY =
  /\b(details|lines|options|notes|reasons|filters|columns|steps|accept|also|shows|hides|period|page_sizes)\s*:\s*([^:{}[\]"']*,\s*)$/

/** Returns the correct notation of a string that was split at a comma. */
function suggestQuotes(
  text: string,
  [start]: Span,
  [from, to]: Span,
  belongsToCondition: boolean,
): string {
  if (belongsToCondition) return suggestBracketedChoices(text, start, from, to)
  const listMatch = LIST_KEY.exec(text.slice(start, from))
  if (listMatch !== null) return `write ${listMatch[1]}: [${listMatch[2]}${text.slice(from, to)}]`
  const textBefore = /[^,{}[\]:]+(?:,[^,{}[\]:]+)*,\s*$/.exec(text.slice(start, from))?.[0]
  return textBefore === undefined || /["'\n]/.test(textBefore)
    ? 'put the text with the comma in quotes'
    : `put the text with the comma in quotes: ${JSON.stringify((textBefore + text.slice(from, to)).trim())}`
}

const CONDITION_PATH = /(?:^|\.)(?:when|show_when)(?:\.\d+)?$/

/** Suggests a list for `{role: pg, faculty}`: one field with several answers. */
function suggestBracketedChoices(text: string, start: number, from: number, to: number): string {
  const keyWithChoices = /([a-z]\w*):\s*\(?([^,{}[\]:]+(?:,[^,{}[\]:]+)*),\s*$/.exec(
    text.slice(start, from),
  )
  const rest = /^(?:\s*,\s*[\w-]+(?=\s*[,}]))*/.exec(text.slice(to))?.[0] ?? ''
  return keyWithChoices === null
    ? 'write the field and its answer, such as is_member: true'
    : `write ${keyWithChoices[1]}: [${keyWithChoices[2]}, ${text.slice(from, to).replace(/\)$/, '')}${rest}]; another field needs its own answer`
}

/** Keys whose value is never a sentence: a name, an enumerated word, an address or a day. */
const NON_PROSE_KEYS = new Set(
  (
    'format id type as from to opens closes status support office form success failed also colour logo ' +
    'chosen_in then otherwise currency prices round overlap other_dates period options default accept ' +
    'followed_by prefix digits gateway account register registration tariff gateway_return go do show ' +
    'notices amounts lookup when show_when on category code at copy_to columns details filters lines route api key'
  ).split(' '),
)

/** Returns true if the value is displayed text. The nearest key with a name, not a list index, determines this. */
function isProse(path: string): boolean {
  const name = path
    .split('.')
    .filter((part) => !/^\d+$/.test(part))
    .at(-1)
  return !NON_PROSE_KEYS.has(name ?? '') || /\.panel\.lines\b/.test(path)
}

/** Reports a comma between digits, without a space, in a row of prices: it was meant as a thousands separator. */
function findCommaTraps(
  node: YAMLSeq,
  span: Span,
  path: string,
  { text, report, trap }: TrapContext,
): void {
  if (node.flow !== true || !/^fees\.prices\.[^.]+$/.test(path)) return
  const content = text.slice(span[0] + 1, span[1] - 1)
  const contentWithoutThousands = content.replace(THOUSANDS_PATTERN, (match) =>
    match.replaceAll(',', ''),
  )
  // A comma in quotes separates no entries; the amount in quotes gets a finding of its own.
  const unquoted = content.replace(/"[^"]*"|'[^']*'/g, (quoted) => '_'.repeat(quoted.length))
  const thousandsMatch = new RegExp(THOUSANDS_PATTERN.source).exec(unquoted)
  if (thousandsMatch === null || !isThousands(unquoted, contentWithoutThousands)) return
  trap(path)
  const start = span[0] + 1 + thousandsMatch.index
  const cells = contentWithoutThousands.split(',').map((cell) => cell.trim())
  const suggestedCells = cells.map((cell) => suggestPriceCell(cell, readStatedCurrency(text)))
  const hasReadWord = suggestedCells.some(
    (cell, index) => /^(?:free|none)$/.test(cell) && cell !== cells[index],
  )
  report('EV006', [start, start + thousandsMatch[0].length], path, {
    message: `the comma in \`${thousandsMatch[0]}\` separates entries: this is read as two prices`,
    help: `write [${suggestedCells.join(', ')}]${hasReadWord ? '; `none`: not on sale in that period; `free`: costs nothing' : ''}`,
  })
}
const THOUSANDS_PATTERN = /(?<![\d,]|\d\.)\d{1,3}(?:,\d{2})*,\d{3}(?![\d.]*\d{1,},\d)/g

/**
 * Returns true if the commas separate thousands. `[500,600]` may be two prices; a single digit
 * before three others, or a group with a leading zero, is one amount.
 */
function isThousands(content: string, joinedContent: string): boolean {
  return (
    /,0\d\d/.test(content) ||
    /(^|[^\d,])[1-9],\d{3}(?!\d)/.test(content) ||
    /(?:₹|\brs\.?|\binr)\s*\d{1,3},\d{3}|,\d{3}\s*(?:\/-|\/=|rs\b|inr\b)/i.test(content) ||
    (/,\s/.test(joinedContent) && joinedContent !== content)
  )
}

/** Returns the position of a node in the text. Returns null if the node has no position of its own. */
export function getNodeRange(node: unknown): Span | null {
  const range =
    (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) && node.range
      ? node.range
      : null
  return range === null || range === undefined ? null : [range[0], range[1]]
}
