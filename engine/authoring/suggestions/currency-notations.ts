/** Recognises currencies in everyday notation: codes, symbols and names, alone or next to amounts. */
import {
  spellCurrency,
  formatUnknownAmount,
  INR,
  listCurrencies,
  getLocalSymbol,
  readCurrency,
  type Currency,
} from '../../lib/money.ts'
import { memoize } from '../../lib/memoize.ts'
import type { Source } from '../syntax/source.ts'

/** Reads the currency from a file's text, which may be invalid. Returns INR if the currency is missing or invalid. */
export const readStatedCurrency = (text: string): Currency =>
  readCurrency(/^currency: *["']?([A-Z]{3})\b/m.exec(text)?.[1]) ?? INR

/** Returns the currency of a price: that of its item table or of the category in its row or cell, else the event's. */
export function getCurrencyAt(source: Source, path: string): Currency {
  const tablePath = /^fees\.items\.\d+\.prices\.\d+(?=\.)/.exec(path)?.[0]
  const tableCurrency =
    tablePath === undefined ? null : readCurrency(source.getScalar(`${tablePath}.currency`)?.text)
  if (tableCurrency !== null) return tableCurrency
  const names = path.split('.prices.')[1]?.split('.') ?? []
  for (let index = 0; source.has(`categories.${index}`); index += 1) {
    const id = source.getScalar(`categories.${index}.id`)?.text
    if (id === undefined || !names.includes(id)) continue
    const statedCurrency = source.getScalar(`categories.${index}.currency`)?.text
    return readCurrency(statedCurrency) ?? readStatedCurrency(source.text)
  }
  return readStatedCurrency(source.text)
}

/** Short names that several currencies share, each with the most likely currency. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  rs: 'INR',
  re: 'INR',
  rupee: 'INR',
  indian: 'INR',
  '€': 'EUR',
  $: 'USD',
  us$: 'USD',
  dollar: 'USD',
  '£': 'GBP',
  pound: 'GBP',
  sterling: 'GBP',
  '¥': 'JPY',
  s$: 'SGD',
  a$: 'AUD',
  au$: 'AUD',
  c$: 'CAD',
  ca$: 'CAD',
  franc: 'CHF',
  sfr: 'CHF',
  fr: 'CHF',
  dirham: 'AED',
  dh: 'AED',
  dhs: 'AED',
  rm: 'MYR',
  nrs: 'NPR',
  taka: 'BDT',
  baht: 'THB',
  rand: 'ZAR',
}

/** Maps English names in lower case to codes, including single words that only one currency uses ("euro", "yen"). */
const mapCodesByName = memoize((_: 'all') => {
  const currencies = listCurrencies()
  const namesWithCodes = currencies.map(
    (currency) => [toSingular(spellCurrency(1, currency)), currency] as const,
  )
  const entriesByLastWord = Map.groupBy(namesWithCodes, ([name]) => name.split(' ').at(-1) ?? '')
  return new Map([
    ...[...entriesByLastWord].flatMap(([word, [entry, ...otherEntries]]) =>
      entry === undefined || otherEntries.length > 0 ? [] : [[word, entry[1]] as const],
    ),
    ...currencies.map((currency) => [getLocalSymbol(currency), currency] as const),
    ...namesWithCodes,
  ])
})

/** Removes a plural ending for comparison: "Euros", "US dollars". */
const toSingular = (name: string): string => name.toLowerCase().replaceAll(/(?<=\p{L}{2})s\b/gu, '')

/** Returns the currency that a string means: "Euro", "eur", "€", "Rs.", "US dollars". Null if not recognised. */
export function suggestCurrency(text: string): Currency | null {
  const word = text
    .trim()
    .replaceAll(/^["'“”‘’(]+|[."'“”‘’):;,]+$/g, '')
    .replaceAll(/\s+/g, ' ')
  const code = readCurrency(word.toUpperCase())
  if (code !== null) return code
  const name = toSingular(word)
  const shortNameCode = SHORT_NAMES[word.toLowerCase()] ?? SHORT_NAMES[name]
  if (shortNameCode !== undefined) return readCurrency(shortNameCode)
  // "EUR (€)", "Euro €": one of the words is enough.
  return (
    mapCodesByName('all').get(name) ??
    word
      .split(/[\s(),/]+/)
      .map((part) => readCurrency(part))
      .find((found) => found !== null) ??
    null
  )
}

/**
 * Signs next to an amount that are read as a currency, in addition to the event's own. Codes that are also medical
 * abbreviations (CHF, AED, CAD) are read only if they are the event's currency.
 */
const OTHER_CURRENCY_SIGNS: readonly (readonly [currency: string, pattern: string])[] = [
  ['EUR', '€|\\beur\\b|\\beuros?\\b'],
  ['USD', '\\bus ?\\$|\\busd\\b|\\b(?:us )?dollars?\\b'],
  ['GBP', '£|\\bgbp\\b'],
  ['SGD', '(?<!\\w)s\\$|\\bsgd\\b'],
  ['AUD', '(?<!\\w)au?\\$|\\baud\\b'],
  ['JPY', '¥|\\bjpy\\b|\\byen\\b'],
  ['LKR', '\\blkr\\b'],
  ['NPR', '\\bnpr\\b|\\bnrs\\b\\.?'],
  ['BDT', '\\bbdt\\b'],
  ['KWD', '\\bkwd\\b'],
  // Last, because several currencies use this symbol.
  ['USD', '(?<!\\w)\\$'],
]
/** Rupee signs before an amount. */
export const RUPEE_SIGN = '(?:₹|\\brs\\b\\.?|\\binr\\b\\.?|\\brupees\\b|रु\\.?|രൂപ)'
/** Countries other than India that also abbreviate their rupees as Rs. */
const RUPEE_ABBREVIATION: readonly string[] = ['LKR', 'MUR', 'NPR', 'PKR', 'SCR']

export type CurrencySign = { readonly currency: Currency; readonly pattern: string }

/**
 * Returns the signs to look for next to amounts, starting with those of the event's currency: in an event with prices
 * in SGD, `$` means Singapore dollars. Rupee signs are handled separately, unless the event's currency is another
 * rupee, such as LKR.
 */
export const listCurrencySigns = memoize((eventCurrency: Currency): readonly CurrencySign[] => [
  ...(eventCurrency === INR
    ? []
    : [{ currency: eventCurrency, pattern: buildOwnSignPattern(eventCurrency) }]),
  ...OTHER_CURRENCY_SIGNS.flatMap(([code, pattern]) => {
    const currency = readCurrency(code)
    return currency === null ? [] : [{ currency, pattern }]
  }),
])

/** Returns the sign that pages and emails print before an amount. */
export const getPrintedSign = (currency: Currency): string =>
  formatUnknownAmount(currency).split('\u00a0')[0] ?? currency

/** Returns the pattern of the event's own signs; for INR, the rupee signs. */
export const buildOwnSignPattern = memoize((eventCurrency: Currency): string => {
  if (eventCurrency === INR) return RUPEE_SIGN
  const symbol = getLocalSymbol(eventCurrency)
  const name = spellCurrency(1, eventCurrency).toLowerCase().split(' ').at(-1) ?? ''
  return [
    ...(symbol === eventCurrency ? [] : [buildIsolatedPattern(symbol)]),
    buildIsolatedPattern(eventCurrency),
    `\\b${escapePattern(name)}s?\\b`,
    ...(RUPEE_ABBREVIATION.includes(eventCurrency) ? ['\\brs\\b\\.?', '\\brupees\\b'] : []),
  ].join('|')
})

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
/** Matches only a whole sign: in R$, `$` is part of another sign. */
const buildIsolatedPattern = (sign: string): string =>
  `(?<![\\p{L}\\d])${escapePattern(sign)}${/\p{L}$/u.test(sign) ? '(?!\\p{L})' : ''}`

/** Returns the currency of a sign that one of these patterns matched; null for a rupee sign. */
export function findCurrencyOfSign(sign: string, eventCurrency: Currency): Currency | null {
  return (
    listCurrencySigns(eventCurrency).find(({ pattern }) =>
      new RegExp(`^(?:${pattern})$`, 'iu').test(sign),
    )?.currency ?? null
  )
}
