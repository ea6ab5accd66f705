/** Finds typing mistakes in valid texts: printed quotes, doubled characters, addresses, formatting. */
import { INR } from '../../../lib/money.ts'
import { buildOwnSignPattern, getPrintedSign } from '../../suggestions/currency-notations.ts'
import { suggestEmail, suggestWebAddress } from '../../suggestions/misspelt-addresses.ts'
import { findMatches } from '../../prose/pattern-matches.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import { quoteText } from '../../syntax/quotes.ts'

/**
 * Reports the matches of a pattern in the file's texts. `hint` is a faster pattern that matches all of these texts and
 * excludes most of the roughly 600 texts of a file.
 */
function findInTexts(
  model: Model,
  hint: RegExp,
  pattern: RegExp,
  toMessage: (found: RegExpMatchArray) => Pick<Draft, 'message' | 'help'> | null,
): readonly Draft[] {
  return model.writtenTexts
    .filter(({ written }) => hint.test(written))
    .flatMap(({ path, written: text, at }) =>
      findMatches(text, pattern).flatMap((found): Draft[] => {
        const messageAndHelp = toMessage(found)
        const start = at + found.index
        return messageAndHelp === null
          ? []
          : [{ at: path, span: [start, start + found[0].length], ...messageAndHelp }]
      }),
    )
}

/** Characters that may be the closing quote of a quoted text. */
const CLOSING_QUOTES = '”“»›’‘´″"`'
/** A motto may be in quotation marks, which should be printed. */
const QUOTABLE_PATH = /^event\.theme$/

const curlyQuotesCheck: Check = {
  slug: 'curly-quotes',
  severity: 'warning',
  why: 'Only straight quotes work as quotes in YAML. The curly quotes of word processors are printed.',
  find: (model) =>
    model.writtenTexts.flatMap(({ path, written: text, at }): Draft[] => {
      if (!CLOSING_QUOTES.includes(text.charAt(text.length - 1)) && !/^[“„«]/.test(text)) return []
      if (model.source.getScalar(path)?.isUnquoted !== true || QUOTABLE_PATH.test(path)) return []
      const quotedText =
        /^([“”„‟«‹‘‚‛″`´'])(?![“”„‟«‹‘‚‛″`´'])([^“”„‟«»"]*)[”“»›’‘´″"`]$/.exec(text)?.[2] ??
        /^[“„«]([^”“»]*)$/.exec(text)?.[1] ??
        // In 65", the quote is an inch mark.
        /^([^“”„"]*(?:[^“”„"\d\s]|\b\d{4}))["”]$/.exec(text)?.[1]
      // In ‘Heal’ and ‘teach’, two words are quoted, but not the whole text.
      return quotedText === undefined || quotedText.trim() === '' || /[‘‛‹]/.test(quotedText)
        ? []
        : [
            {
              at: path,
              span: [at, at + text.length],
              message: `the quotes in \`${text}\` are part of the text and are printed`,
              help: `write ${quoteText(quotedText.trim())}; to print them, put straight quotes around the whole text: ${`'${text}'`}`,
            },
          ]
    }),
}

const duplicateCurrencySignCheck: Check = {
  slug: 'duplicate-currency-sign',
  severity: 'warning',
  why: 'An amount is printed with its currency sign, so a sign in the text would be printed twice.',
  after: ['EV208'],
  find: (model) => {
    const amounts = [
      'base',
      'gst',
      'total',
      'amount',
      ...(model.file.form.also_stored ?? []).flatMap(({ id, type }) =>
        type === 'money' ? [id] : [],
      ),
    ].join('|')
    const { currency } = model.config
    const ownSign = currency === INR ? '' : `${buildOwnSignPattern(currency)}|`
    const sign = `(?:${ownSign}₹|₨|\\brs\\b\\.?|\\binr\\b\\.?|\\brupees?\\b|रु\\.?|रुपये)`
    return findInTexts(
      model,
      /\{/,
      new RegExp(
        `${sign}[ \\u00a0]*\\{(${amounts})\\}|\\{(${amounts})\\}[ \\u00a0]*(?:${sign}|/[-=])`,
        'giu',
      ),
      (found) => ({
        message: /\/[-=]$/.test(found[0])
          ? `\`{${found[2] ?? ''}}\` is printed as a complete amount; “${found[0].slice(-2)}” would be printed after it`
          : `\`{${found[1] ?? found[2] ?? ''}}\` is already printed with ${getPrintedSign(currency)}; here the sign appears twice`,
        help: `write {${found[1] ?? found[2] ?? ''}}`,
      }),
    )
  },
}

const mistypedAddressCheck: Check = {
  slug: 'mistyped-address',
  severity: 'warning',
  why: 'Email to a mistyped address is not delivered.',
  find: (model) => [
    ...findInTexts(model, /@/, /[^\s<>()[\]"'“”,;:|]+@[^\s<>()[\]"'“”;|{}]+/gu, (found) => {
      const written = found[0].replace(/[.,!?]+$/, '')
      const suggestion = suggestEmail(written)
      return suggestion === null || suggestion.correction === written
        ? null
        : {
            message: `\`${written}\`: ${suggestion.mistake}`,
            help: `write ${suggestion.correction}`,
          }
    }),
    ...findInTexts(
      model,
      /tp|ww/i,
      /(?<![\w@./])(?:h?t{1,3}p{1,2}s?|https?|hhtps?|htpps?)(?:[:;]+[/\\]*|[/\\]+) ?[\w-]+(?:\.[\w-]+)+[^\s"'<>)]*|(?<![\w@.])(?:www[,;:]\.?|wwww\.|ww\.|www\.\.)[\w-]+\.[\w.-]+/giu,
      (found) => {
        const suggestion = suggestWebAddress(found[0])
        return suggestion === null
          ? null
          : {
              message: `\`${found[0]}\`: ${suggestion.mistake}`,
              help: `write ${suggestion.correction}`,
            }
      },
    ),
    ...findPhoneMistakes(model),
  ],
}

/** The number of digits of an Indian mobile number. */
const MOBILE_DIGITS = 10

/**
 * Returns the leading groups of digits that form one number of up to ten digits. For example, a time follows the number
 * in "98470 12345 10 AM".
 */
function readNumber(digitRun: string, followingText: string): string {
  // In "12345or", the O belongs to the following word.
  const digits = /^\p{L}/u.test(followingText) ? digitRun.replace(/[Oo]+$/, '') : digitRun
  let number = ''
  for (const [group] of digits.matchAll(/[^\dOo]?[\dOo]+/g)) {
    if (!/\d/.test(group) || countDigits(number) === MOBILE_DIGITS) break
    number += group
  }
  return number
}
const countDigits = (digits: string): number => digits.replace(/[^\dOo]/g, '').length

/** Reports mobile numbers in texts that contain a letter, or have an extra or missing digit. */
function findPhoneMistakes(model: Model): readonly Draft[] {
  const findInDigitRuns = (hint: RegExp, pattern: RegExp, min: number, max: number) =>
    findInTexts(model, hint, pattern, (found): Pick<Draft, 'message' | 'help'> | null => {
      const digitRun = found[1] ?? ''
      const number = readNumber(
        digitRun,
        found.input?.slice((found.index ?? 0) + found[0].length) ?? '',
      )
      const digitCount = countDigits(number)
      if (digitCount < min || digitCount > max) return null
      if (/[Oo]/.test(number))
        return {
          message: `the phone number \`${number}\` contains a letter O`,
          help: `write ${number.replace(/[Oo]/g, '0')}`,
        }
      return digitCount === MOBILE_DIGITS
        ? null
        : {
            message: `the phone number \`${number}\` has ${digitCount} digits`,
            help: 'write all ten digits',
          }
    })
  return [
    ...findInDigitRuns(/\+/, /\+\s?91[\s-]*(\d[\dOo]*(?:[\s-][\dOo]+)*)/gu, 6, Infinity),
    ...findInDigitRuns(
      /[6-9][\s-]?[\dOo][\s-]?[\dOo]/,
      /(?:\b(?:phone|mobile|mob|call|whatsapp|contact|cell)\b[^\d+\n]{0,12})([6-9][\dOo]*(?:[\s-][\dOo]+)*)/giu,
      MOBILE_DIGITS - 1,
      MOBILE_DIGITS + 1,
    ),
  ]
}

const markupInTextCheck: Check = {
  slug: 'markup-in-text',
  severity: 'warning',
  why: 'Texts are plain text. Markup such as bold is printed unchanged.',
  find: (model) => [
    ...findPrintedBullets(model),
    ...findInTexts(
      model,
      /&/,
      /&(?:#\d+|#x[0-9a-f]+|amp|nbsp|lt|gt|quot|apos|rupee|rsquo|lsquo|rdquo|ldquo|ndash|mdash|hellip|bull|copy|reg|deg);/giu,
      (found) => ({
        message: `\`${found[0]}\` is printed unchanged: this is plain text, not HTML`,
        help: `write ${decodeEntity(found[0])}`,
      }),
    ),
    ...findInTexts(
      model,
      /</,
      /<\/?(?:b|i|u|br|p|strong|em|a|ul|ol|li|span|div|h[1-6]|font|center|sup|sub)(?:\s[^<>]*)?\/?>/giu,
      (found) => ({
        message: `\`${found[0]}\` is printed unchanged: this is plain text, not HTML`,
        help: 'remove the tag; a block of text (|) keeps its line breaks',
      }),
    ),
    ...findInTexts(
      model,
      /[*]|__|\]\(/,
      /(?<![\w*])(\*{1,2}|__)(?![\s*_])([^*\n]{1,80}?)(?<![\s*_])\1(?![\w*])|\[([^\]\n]+)\]\((https?:[^)\s]*)\)/gu,
      (found) => ({
        message: `the characters of \`${found[0]}\` are printed unchanged`,
        help: `write ${found[2] ?? `${found[3] ?? ''}: ${found[4] ?? ''}`}`,
      }),
    ),
  ],
}

const CHARACTER_BY_ENTITY: Readonly<Record<string, string>> = {
  amp: '&',
  nbsp: 'a space',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  rsquo: '’',
  lsquo: '‘',
  rdquo: '”',
  ldquo: '“',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  bull: '•',
  copy: '©',
  reg: '®',
  deg: '°',
}
function decodeEntity(written: string): string {
  const name = written.slice(1, -1).toLowerCase()
  const number = /^#(x?)([0-9a-f]+)$/.exec(name)
  if (number === null) return CHARACTER_BY_ENTITY[name] ?? 'the character itself'
  const code = Number.parseInt(number[2] ?? '', number[1] === 'x' ? 16 : 10)
  return code > 32 && code <= 0x10ffff ? String.fromCodePoint(code) : 'a space'
}

const strayEndMarkCheck: Check = {
  slug: 'stray-end-mark',
  severity: 'warning',
  why: 'Other file formats need a comma after a value. In YAML, the comma is part of the text and is printed.',
  find: (model) =>
    model.writtenTexts.flatMap(({ path, written: text, at }): Draft[] =>
      ',;'.includes(text.charAt(text.length - 1)) &&
      /[^,;\s][,;]$/.test(text) &&
      model.source.getScalar(path)?.isUnquoted === true &&
      NAME_PATH.test(path)
        ? [
            {
              at: path,
              span: [at + text.length - 1, at + text.length],
              message: `the \`${text.slice(-1)}\` at the end is part of the text and is printed`,
              help: `write ${text.slice(0, -1)}`,
            },
          ]
        : [],
    ),
}
/** Matches texts that never end with a comma, such as names and labels. */
const NAME_PATH = /(^|\.)(title|label|venue|heading|hours|theme|subject|button|name)$/

/** Reports bullets in texts that are already printed as list items. */
const findPrintedBullets = (model: Model): readonly Draft[] =>
  model.writtenTexts.flatMap(({ path, written: text, at }): Draft[] => {
    const bullet = /^["']?([•●▪◦‣·∙➢➤►▶]|-|–|—)\s+\S/.exec(text)?.[1]
    return bullet === undefined || !/\.\d+$/.test(path)
      ? []
      : [
          {
            at: path,
            span: [at, at + text.indexOf(bullet) + 1],
            message: `the \`${bullet}\` is printed in addition to the bullet of the list`,
            help: `write - ${text.replace(bullet, '').replace(/^(["']?)\s+/, '$1')}`,
          },
        ]
  })

export const typingMistakeChecks = {
  EV014: curlyQuotesCheck,
  EV015: duplicateCurrencySignCheck,
  EV016: mistypedAddressCheck,
  EV017: markupInTextCheck,
  EV018: strayEndMarkCheck,
} satisfies Checks
