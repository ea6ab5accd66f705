/** Explains values of the wrong type: text for a number, a number for text, one value for a list. */
import { suggestColour, suggestCorrections } from './misspelt-addresses.ts'
import {
  suggestAmount,
  suggestNumber,
  suggestPriceCell,
  toPlainDigits,
  explainPrice,
} from './amount-notations.ts'
import { getKeyName } from './value-formats.ts'
import { suggestCondition, suggestConnective } from './condition-notations.ts'
import { getCurrencyAt } from './currency-notations.ts'
import type { Draft } from '../finding.ts'
import { findStrayLine, suggestPriceRow, splitTableCells } from '../syntax/stray-lines.ts'
import { quoteText } from '../syntax/quotes.ts'
import { explainSaleValue } from './structures-of-other-form-builders.ts'
import type { Source } from '../syntax/source.ts'

/**
 * Reports a value of the wrong type. `types` are the types that the schema allows; `itemName` describes the item in
 * the message.
 */
export function reportWrongType(
  path: string,
  itemName: string,
  value: unknown,
  source: Source,
  types: readonly string[],
): Draft & { readonly code: 'EV007' | 'EV008' | 'EV103' } {
  const name = getKeyName(path)
  const written = source.getScalar(path)
  if (name === 'required' && (value === 0 || value === 1) && written !== null)
    return {
      code: 'EV008',
      at: path,
      message: `\`${written.text}\` is read as a number`,
      help: value === 1 ? 'write `true`' : 'write `false`, or remove `required`',
      fix: { start: written.span[0], end: written.span[1], text: value === 1 ? 'true' : 'false' },
    }
  if (
    typeof value === 'number' &&
    types.includes('string') &&
    !types.includes('number') &&
    written !== null
  ) {
    const colour = name === 'colour' ? suggestColour(written.text) : null
    const quotedText = JSON.stringify(colour ?? written.text)
    return {
      code: 'EV007',
      at: path,
      message: `\`${name}\` must be text, but \`${written.text}\` is read as the number ${value}`,
      help:
        path === 'hold_seats_for'
          ? (explainSaleValue(source, path, value) ?? '')
          : MAIL_KEYS.has(name)
            ? 'write an email address; to show a phone number, write it in one of the texts that delegates see'
            : DAY_KEYS.has(name)
              ? `${/\.(?:when|show_when|count)\./.test(path) ? `for a number write ${name === 'from' ? 'at_least' : 'at_most'}: ${value}; otherwise ` : ''}write the date as year-month-day, such as 2026-01-31`
              : `write ${quotedText}`,
      // With quotes, the value would still not be a day, a colour or an address.
      ...(colour !== null || MAIL_KEYS.has(name) || DAY_KEYS.has(name) || path === 'hold_seats_for'
        ? {}
        : { fix: { start: written.span[0], end: written.span[1], text: quotedText } }),
    }
  }
  if (
    typeof value === 'boolean' &&
    types.includes('string') &&
    !types.includes('boolean') &&
    written !== null
  ) {
    const quotedWord = JSON.stringify(written.text)
    return {
      code: 'EV103',
      at: path,
      message: `\`${name}\` must be text, but \`${written.text}\` is read as yes or no`,
      help: `for the word itself, write ${quotedWord}`,
    }
  }
  const yesNo =
    typeof value === 'string' && types.includes('boolean') ? YES_NO[value.toLowerCase()] : undefined
  if (yesNo !== undefined && written !== null)
    return {
      code: 'EV008',
      at: path,
      message: `\`${written.text}\` is read as text`,
      help: `write \`${yesNo}\``,
      fix: { start: written.span[0], end: written.span[1], text: yesNo },
    }
  const typeNames = types.map((type) => KIND_NAMES[type] ?? type)
  const actualText =
    value === null || value === undefined
      ? 'there is nothing here'
      : `this is ${KIND_NAMES[describeKind(value)] ?? 'something else'}`
  return {
    code: 'EV103',
    at: path,
    part: value === null || typeof value === 'object' ? 'key' : 'value',
    message:
      path === ''
        ? 'the file must be a block of keys'
        : `${itemName === '' ? `\`${name}\`` : itemName} must be ${typeNames.join(' or ')}`,
    notes: path === '' ? [] : [actualText],
    ...suggestCorrection(path, value, source, types),
  }
}

/** Lists whose entries are identified by an id. */
const ENTRY_LIST_PATHS =
  /^(categories|fees\.(?:price_groups\.\d+\.)?periods|form\.sections\.\d+\.fields)\.\d+$/
const MAIL_KEYS = new Set(['support', 'office', 'copy_to'])
const DAY_KEYS = new Set(['from', 'to', 'opens', 'closes', 'on'])

/** Returns the correction, and the part of the value to mark if it is not the whole value. */
function suggestCorrection(
  path: string,
  value: unknown,
  source: Source,
  types: readonly string[],
): Pick<Draft, 'help' | 'span' | 'fix'> {
  const raw = getSourceText(source, path)
  const name = getKeyName(path)
  const accepts = (type: string): boolean => types.includes(type)
  if (/(?:^|\.)(?:when|show_when)$/.test(path) && value !== null && typeof value !== 'object') {
    const thenText = /^category\.rules\.\d+\.when$/.test(path)
      ? source.getScalar(path.replace(/when$/, 'then'))
      : null
    return { help: suggestCondition(value, path.startsWith('category.'), thenText?.text ?? null) }
  }
  if (
    name === 'default' &&
    /^["']?(?:none|nil|null|n\/?a|empty|blank|-+|nothing)["']?$/i.test(raw.trim())
  )
    return {
      help: accepts('boolean')
        ? 'write `false`, or remove `default`'
        : 'remove `default`: without it the field starts empty',
    }
  if (Array.isArray(value) && /(?:^|\.)percent$/.test(path))
    return {
      help: path.startsWith('fees.adjustments')
        ? 'write one percentage; if it differs by period, write one adjustment per period, with from and to'
        : 'write one percentage; if it differs by category, answer or day, write tax_rules',
    }
  if (/^fees\.items\.\d+\.prices\.(?:when|otherwise|table)$/.test(path))
    return {
      help: 'write several tables as a list: prices: [{when: …, table: {period: […], each: […]}}, {otherwise: {period: […], each: […]}}]',
    }
  const connective = suggestConnective(path)
  if (connective !== null) return { help: connective }
  const saleSuggestion = explainSaleValue(source, path, value)
  if (saleSuggestion !== null) return { help: saleSuggestion }
  const isListEntry = /(?:^|\.)(?:when|show_when)\.\d+$/.test(path)
  if (isListEntry && value !== null && typeof value !== 'object')
    return { help: 'write a condition in braces, such as {role: [pg, faculty]}' }
  if (/^category\.rules\.\d+$/.test(path) && typeof value === 'string') {
    const rest = /^(?:else|otherwise|default|others?|rest)\b[\s:,=-]*(?:then\b)?\s*([\w-]+)$/i.exec(
      value,
    )
    return {
      help:
        rest === null
          ? 'write {when: {is_member: true}, then: member}'
          : `write {otherwise: ${rest[1]}}`,
    }
  }
  if (/^category\.rules\.\d+\.(?:otherwise|then)$/.test(path)) {
    const content = /^\{\s*\w+:\s*([\w-]+)\s*\}$/.exec(raw) ?? /^\[\s*([\w-]+)\s*\]$/.exec(raw)
    return { help: `write ${name}: ${content?.[1] ?? 'and one category'}` }
  }
  if (/\.mutually_exclusive\.\d+$/.test(path))
    return {
      help: 'put the options that exclude each other in separate brackets: [[a, b], [c, d]]',
    }
  if (path === 'payment')
    return {
      help: 'write {gateway: airpay, account: …}, or `none` for an event that accepts no payments',
    }
  if (value === null && accepts('string')) return explainHiddenValue(path, source)
  if (value === null && accepts('object'))
    return { help: `write its keys below it, indented, or remove \`${name}\`` }
  if (value === null) return { help: `write its value after the colon, or remove \`${name}\`` }
  const { start } = source.place(path)
  const firstLine = raw.split('\n')[0]?.trimEnd() ?? ''
  if (typeof value === 'string' && (accepts('array') || accepts('object')) && !accepts('number')) {
    const cells = isPriceTable(path) ? firstLine.split(/\s*,\s*|\s{2,}/) : []
    const slip =
      cells.length > 1 && splitTableCells(firstLine) === null
        ? {
            message: 'a row of prices is a key and a list',
            help: `write ${suggestPriceRow(cells)}`,
            isGuess: false,
          }
        : findStrayLine(firstLine, start.offset)
    if (slip !== null && slip.isGuess !== true)
      return {
        span: [start.offset, start.offset + firstLine.length],
        help: `${slip.message}: ${slip.help ?? ''}`,
      }
  }
  if (accepts('array') && (typeof value !== 'object' || !Array.isArray(value)))
    return { help: suggestList(path, value, raw, source) }
  if ((accepts('number') || accepts('integer')) && typeof value === 'string') {
    const number = suggestNumber(raw)
    if (number === null && UNLIMITED_WORDS.test(value.trim()))
      return {
        help: path.startsWith('quotas.')
          ? 'remove the whole quota: without a maximum none is needed'
          : `remove it: without a maximum there is no ${path.split('.').at(-1)}`,
      }
    return { help: number === null ? 'write a number, in digits' : `write ${number}` }
  }
  if (accepts('number') && isPrice(path))
    return {
      help:
        explainPrice(raw, getCurrencyAt(source, path)) ??
        'write the amount in digits only, such as 5000, or `free` or `none`',
    }
  if (accepts('string') && typeof value === 'object')
    return /\n/.test(raw)
      ? { help: 'write a single text value here' }
      : { help: suggestBareName(raw) ?? `to write text, put it in quotes: ${quoteText(raw)}` }
  if (accepts('object') && typeof value === 'string' && ENTRY_LIST_PATHS.test(path))
    return {
      help: `write {id: ${suggestCorrections(value).find((form) => /^[a-z][a-z0-9]*([_-][a-z0-9]+)*$/.test(form)) ?? 'name'}}`,
    }
  if (accepts('object') && typeof value === 'string' && path !== '')
    return { help: `write its keys below it, each on its own line, indented` }
  return {}
}

/** Explains `colour: #0E7C7B`: YAML reads the value as a comment, so the key is empty. */
function explainHiddenValue(path: string, source: Source): Pick<Draft, 'help' | 'span' | 'fix'> {
  const { end } = source.place(path, 'key')
  const commentMatch = /^\s*:?(\s+)(#[^\n]*)/.exec(source.text.slice(end.offset, end.offset + 400))
  const quotedValue = commentMatch?.[2]?.trim() ?? ''
  if (quotedValue === '' || /^#\s/.test(quotedValue))
    return { help: `write it after the colon, or remove \`${getKeyName(path)}\`` }
  const start = end.offset + (commentMatch?.[0].indexOf('#') ?? 0)
  const colour =
    getKeyName(path) === 'colour' ? /^#[0-9A-Fa-f]{6}\b/.exec(quotedValue)?.[0] : undefined
  return {
    span: [start, start + (colour ?? quotedValue).length],
    help: `# begins a comment: write ${quoteText(colour ?? quotedValue)}`,
    ...(colour === undefined
      ? {}
      : { fix: { start, end: start + colour.length, text: quoteText(colour) } }),
  }
}

/** Returns true for the price table, or the table of a group of categories. */
export const isPriceTable = (path: string): boolean =>
  /^fees\.(?:price_groups\.\d+\.)?prices$/.test(path)

/** Returns true for a row or a cell of a price table or of an item's table. */
export const isPrice = (path: string): boolean =>
  /^fees\.(?:(?:price_groups\.\d+\.)?prices|items\.\d+\.prices(?:\.\d+\.(?:table|otherwise))?)\.[a-z]/.test(
    path,
  )

/** Returns the number of columns in the price table; 1 if unknown. */
function countColumns(source: Source): number {
  let count = 0
  while (source.has(`fees.periods.${count}`)) count += 1
  return Math.max(1, count)
}

/**
 * Suggests `early-bird` for `{id: early-bird}`, a block written instead of a name. Returns null if the value may be
 * text.
 */
function suggestBareName(raw: string): string | null {
  const name = /^\{\s*(?:id|name|show|key|field|category|period):\s*([a-z][\w.-]*)\s*\}$/.exec(
    raw,
  )?.[1]
  return name === undefined ? null : `write ${name}: a name is written without braces`
}

/** Suggests a list for a single value. */
function suggestList(path: string, value: unknown, raw: string, source: Source): string {
  const currency = getCurrencyAt(source, path)
  const isPrices = isPrice(path)
  if (raw.includes('\n') || raw.length > 80)
    return 'start every entry on its own line with a dash and a space'
  const cells = toPlainDigits(raw)
    .replaceAll('、', ',')
    .replace(isPrices ? /^[^\d[]*(?=\[)/ : '', '')
    .replace(isPrices && raw.startsWith('{') ? /[a-z][\w-]*:\s*/g : '', '')
    .replace(/^[[({|]+|[\])}|]+$/g, '')
    .split(
      isPrices
        ? /\s*[;|]\s*|,\s+|,(?!\d{2,3}\b)|\s+\/\s+|\t+|\s{2,}/
        : path.endsWith('.accept')
          ? /(?:[\s,;|/&]|\b(?:and|or)\b)+/i
          : /\s*[,;|]\s*/,
    )
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
  const priceSuggestion = isPrices && cells.length === 1 ? suggestAmount(raw, currency) : null
  const isNotOnSale =
    isPrices && cells.length === 1 && suggestAmount(raw, currency)?.is === 'not-on-sale'
  const entries = isNotOnSale
    ? Array.from({ length: countColumns(source) }, () => 'none')
    : priceSuggestion?.is === 'several'
      ? priceSuggestion.rupees
      : isPrices
        ? cells.map((cell) => suggestPriceCell(cell, currency))
        : cells
  return typeof value === 'object' && value !== null && !raw.startsWith('{')
    ? 'start every entry with a dash and a space'
    : `write [${entries.join(', ')}]${isPrices && entries.length === 1 ? ', with a price for each period' : ''}`
}

/** Returns a value as written in the file, truncated if it is long. */
export function getSourceText(source: Source, path: string): string {
  const { start, end } = source.place(path)
  const raw = source.text.slice(start.offset, end.offset).trim()
  return raw.length > MAX_WRITTEN_LENGTH ? `${raw.slice(0, MAX_WRITTEN_LENGTH)}…` : raw
}
const UNLIMITED_WORDS =
  /^(?:un ?limited|no ?limit|none|any|infinite|infinity|open|all|as many as.*)$/i
/** A longer excerpt would not help the author find the value. */
const MAX_WRITTEN_LENGTH = 120
const YES_NO: Readonly<Record<string, 'true' | 'false'>> = {
  yes: 'true',
  y: 'true',
  on: 'true',
  true: 'true',
  no: 'false',
  n: 'false',
  off: 'false',
  false: 'false',
}
const KIND_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: '`true` or `false`',
  array: 'a list',
  object: 'a block of keys',
  null: 'nothing',
}

function describeKind(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}
