/** Explains values of the right type in the wrong format: a date, an address, a name, a price. */
import type { Currency } from '../../lib/money.ts'
import { isDay } from '../../lib/time.ts'
import { suggestColour, suggestCorrections, suggestEmail } from './misspelt-addresses.ts'
import { toPlainDigits, explainPrice, removeQuotes } from './amount-notations.ts'
import type { Draft } from '../finding.ts'

const EXAMPLE_SITE = 'https://site.example/page'

/** The schema's requirement that a string violates. */
export type ExpectedFormat = {
  readonly keyword: string
  readonly format: string | undefined
  readonly pattern: string | undefined
  /** The meaning of the pattern, in the schema's wording: "must be …". */
  readonly words: string | undefined
  /** The currency of the file. */
  readonly currency: Currency
}

/** Reports a value in an invalid format. `valueText` is the value as written in the file, `value` as parsed. */
export function reportInvalidFormat(
  path: string,
  valueText: string,
  value: unknown,
  format: ExpectedFormat,
): Draft & { readonly code: 'EV103' | 'EV105' } {
  const at = { code: 'EV105' as const, at: path }
  const text = String(value)
  if (format.keyword === 'minLength' || text.trim() === '')
    return { ...at, message: `\`${getKeyName(path)}\` is empty` }
  if (format.format === 'date')
    return { ...at, message: `\`${valueText}\` is not a valid date`, help: explainDate(text) }
  if (format.format === 'email')
    return { ...at, message: `\`${valueText}\` is not an email address`, help: explainEmail(text) }
  const pattern = format.pattern ?? ''
  if (path.startsWith('fees.') && /none/.test(pattern))
    return {
      code: 'EV103',
      at: path,
      message: /^[\d.,_ ]+$/.test(text)
        ? `\`${valueText}\` is text, not a number`
        : `\`${valueText}\` is not a price: write an amount in digits only`,
      help:
        explainPrice(text, format.currency) ??
        'write the amount in digits only, such as 5000, or `free` or `none`',
    }
  if (path === 'payment') {
    const isFree =
      /^(?:no|nil|free|nothing|zero|null|without|na|n\/a|not required|no payment|false|off)$/i.test(
        text,
      )
    return {
      ...at,
      message: `\`${valueText}\` is not valid for \`payment\``,
      help: isFree
        ? 'write payment: none'
        : 'write payment: {gateway: airpay, account: …}, or `none` for an event that accepts no payments',
    }
  }
  if (
    /^fees\.(?:price_groups\.\d+\.)?prices\.period\./.test(path) &&
    /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)+$/.test(text)
  )
    return {
      ...at,
      message: `\`${valueText}\` is not valid for \`period\``,
      help: `write ${text.toLowerCase().replaceAll(' ', '-')}, the id of the period above; separate periods with commas`,
    }
  const parts = /\.\d+$/.test(path) ? splitEntries(text, pattern) : null
  if (parts !== null)
    return {
      ...at,
      message: `\`${valueText}\` is one entry of \`${getKeyName(path)}\``,
      help: `write ${parts.join(', ')}: separate entries with commas`,
    }
  const minutes = path === 'hold_seats_for' ? /^\d+/.exec(text)?.[0] : undefined
  if (minutes !== undefined)
    return {
      ...at,
      message: `\`${valueText}\` is not valid for \`hold_seats_for\``,
      help: `write ${minutes} ${/h/i.test(text) ? (minutes === '1' ? 'hour' : 'hours') : 'minutes'}: it ${format.words ?? ''}`,
    }
  const requirement = format.words ?? 'must have a different format'
  const acceptsSites = pattern !== '' && new RegExp(pattern, 'u').test(EXAMPLE_SITE)
  if (acceptsSites && isFileNameOrEmail(text))
    return {
      ...at,
      message: `\`${valueText}\` is not valid for \`${getKeyName(path)}\``,
      help: `write the address of the page or file, such as https://society.example/terms.pdf: it ${requirement}`,
    }
  const suggestion = /#\[/.test(pattern)
    ? suggestColour(text)
    : suggestCorrections(text, acceptsSites).find(
        (form) =>
          pattern !== '' &&
          form !== text &&
          // A correction to the start page or to an anchor would be a guess.
          form !== '/' &&
          !text.startsWith('#') &&
          new RegExp(pattern, 'u').test(form),
      )
  return {
    ...at,
    message: `\`${valueText}\` is not valid for \`${getKeyName(path)}\``,
    help:
      suggestion === null || suggestion === undefined
        ? `it ${requirement}`
        : `write ${suggestion.startsWith('#') ? `"${suggestion}"` : suggestion}: it ${requirement}`,
  }
}

/** Returns true for a file name without its site, and for an email address: their web address is unknown. */
const isFileNameOrEmail = (text: string): boolean =>
  /^\.{0,2}\/?[^/:]+\.(?:pdf|docx?|odt|rtf|txt|html?|php|aspx?|jpe?g|png)$/i.test(text.trim()) ||
  /^mailto:|^[^\s/:]+@[^\s/]+$/i.test(text.trim())

/** Splits list entries that are separated by something other than a comma, such as `reg_no; total`. */
function splitEntries(text: string, pattern: string): readonly string[] | null {
  const parts = text.split(/\s*[;|/]\s*|\s+(?:and|&)\s+|\s+/).filter((part) => part !== '')
  return parts.length > 1 &&
    pattern !== '' &&
    parts.every((part) => new RegExp(pattern, 'u').test(part))
    ? parts
    : null
}

function explainEmail(text: string): string {
  const suggestion = suggestEmail(text)
  if (suggestion !== null) return `write ${suggestion.correction}`
  const digits = text.replace(/\D/g, '').length
  return digits >= 8 && !text.includes('@')
    ? 'write an email address; to show a phone number, write it in one of the texts that delegates see'
    : /@[\w-]+$/.test(text.trim())
      ? `add the ending after ${text.trim()}: an address ends in .com, .org, .in or another ending`
      : 'write one address, such as office@example.org'
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]
/**
 * Suggests the correct format for 7 March 2026, March 7th 2026, 07/03/2026, 2026/3/7. Days come
 * before months, as in India.
 */
function explainDate(text: string): string {
  const dateText = toPlainDigits(removeQuotes(text))
    .replace(/^(mon|tues?|wed|wednes|thu|thurs?|fri|satur|sat|sun)(day)?[,.]?\s+/i, '')
    .replace(/[T,\s]+\d{1,2}[:.]\d{2}.*$/i, '')
    .replace(/(\d)(st|nd|rd|th)\b/gi, '$1')
    .replace(/^[\dOolI./-]+$/, (all) => all.replace(/[Oo]/g, '0').replace(/[lI]/g, '1'))
    .trim()
  const parts = dateText.split(/[\s./,–-]+/).filter((part) => part !== '' && !/^of$/i.test(part))
  const monthIndex = parts.findIndex((part) => readMonth(part) !== null)
  const month = monthIndex === -1 ? null : readMonth(parts[monthIndex] ?? '')
  const digits = parts.filter((_part, index) => index !== monthIndex)
  const compactMatch = /^(20\d\d)(\d\d)(\d\d)$/.exec(dateText)
  const dateParts =
    compactMatch !== null
      ? [compactMatch[1], compactMatch[2], compactMatch[3]]
      : month !== null && digits.length === 2
        ? (digits[0] ?? '').length === 4
          ? [digits[0], String(month), digits[1]]
          : [digits[1], String(month), digits[0]]
        : monthIndex === -1 && digits.length === 3
          ? (digits[0] ?? '').length === 4
            ? digits
            : isYearFirst(digits)
              ? digits
              : [digits[2], digits[1], digits[0]]
          : []
  const [year = '', secondPart = '', lastPart = ''] = dateParts
  const [monthText, dayText] =
    Number(secondPart) > 12 && Number(lastPart) <= 12
      ? [lastPart, secondPart]
      : [secondPart, lastPart]
  const day = `${year.length === 2 ? `20${year}` : year}-${monthText.padStart(2, '0')}-${dayText.padStart(2, '0')}`
  return isDay(day)
    ? `write ${month === null && compactMatch === null && (digits[0] ?? '').length !== 4 ? 'the year first: ' : ''}${day}`
    : 'write the date as year-month-day, such as 2026-01-31; the month must have that day'
}

/** Returns true for `26-09-01`: read with the year last, it would be a day in 2001, before Rollcall existed. */
function isYearFirst([first = '', , last = '']: readonly string[]): boolean {
  const isYear = (text: string): boolean => /^[23]\d$/.test(text)
  return isYear(first) && !isYear(last) && last.length < 4
}

function readMonth(word: string): number | null {
  const at = MONTHS.findIndex(
    (month) => word.length >= 3 && month.startsWith(word.toLowerCase().slice(0, 9)),
  )
  return at === -1 ? (/^sept\.?$/i.test(word) ? 9 : null) : at + 1
}

/** Returns `venue` for `event.venue`; for a list entry, the key of the list. */
export function getKeyName(path: string): string {
  return (
    path
      .split('.')
      .filter((part) => !/^\d+$/.test(part))
      .at(-1) ?? path
  )
}
