/** Recognises mistyped email, web and page addresses and colours, and suggests the correct form. */
import { suggestDomain } from '../../answers/misspelt-email-domains.ts'
import { toPlainDigits, removeQuotes } from './amount-notations.ts'

/** A description of the mistake, and the address that was probably intended. */
export type AddressSuggestion = { readonly mistake: string; readonly correction: string }

/** Matches exactly one address. Delegates' answers are checked less strictly (field-types.ts). */
export const EMAIL_PATTERN =
  '^[^\\s@<>()\\[\\],;:"\'|]+@[^\\s@<>()\\[\\],;:"\'/|]+\\.[^\\s@<>()\\[\\],;:"\'/.|]{2,}$'
const EMAIL_REGEXP = new RegExp(EMAIL_PATTERN, 'u')
/** Returns a suggestion; null if the address is correct or no correction is known. */
export function suggestEmail(text: string): AddressSuggestion | null {
  const trimmedText = text.trim()
  const candidates = trimmedText.split(/\s*(?:[;,/&|]|\s(?:and|or)\s)\s*/).map(cleanEmail)
  if (
    candidates.length > 1 &&
    candidates.filter((candidate) => EMAIL_REGEXP.test(candidate)).length > 1
  )
    return { mistake: 'there are two addresses instead of one', correction: candidates[0] ?? '' }
  const cleanedText = cleanEmail(trimmedText)
  const at = cleanedText.lastIndexOf('@')
  const domain = suggestDomain(cleanedText.slice(at + 1).toLowerCase())
  if (at > 0 && domain !== null) {
    const correction = `${cleanedText.slice(0, at)}@${domain}`
    return EMAIL_REGEXP.test(correction)
      ? { mistake: `\`${cleanedText.slice(at + 1)}\` is probably a typing mistake`, correction }
      : null
  }
  return cleanedText !== trimmedText && EMAIL_REGEXP.test(cleanedText)
    ? { mistake: `\`${trimmedText}\` is not a valid address`, correction: cleanedText }
    : null
}

/** Removes characters that are often copied along with an address. */
function cleanEmail(text: string): string {
  return removeQuotes(text)
    .normalize('NFKC')
    .replace(/^\[[^\]]*\]\(mailto:([^)]*)\)$/i, '$1')
    .replace(/^.*<([^<>]*@[^<>]*)>\W*$/, '$1')
    .replace(/^(?:e-?mail|mail ?to|mail|support)\s*(?:id)?\s*:\s*\/*/i, '')
    .replace(/^(?:(?:https?:)?\/\/)?www\.(?=[^@\s]+@)/i, '')
    .replace(/\?(subject|body|cc)=.*$/i, '')
    .replace(/\s*[([{]\s*at\s*[)\]}]\s*|\s+at\s+(?=\S+\s*(\.|dot|\(dot|\[dot))/gi, '@')
    .replace(/\s*[([{]\s*dot\s*[)\]}]\s*|\s+dot\s+/gi, '.')
    .replace(/^[\s<([{*_]+|[\s>)\]}*_,;:.!]+$/g, '')
    .replace(/\s+/g, '')
    .replace(/(@[\w-]+),(?=(?:com|in|org|net|co|ac|edu)\b[\w.]*$)/i, '$1.')
    .replace(/@{2,}/g, '@')
    .replace(/\.{2,}/g, '.')
    .replace(/\.@/, '@')
    .replace(/@\./, '@')
}

/**
 * Corrects a mistyped start of a web address: `http:/x`, `https//x`, `www,x.org`. Returns null if the start is correct.
 */
export function suggestWebAddress(text: string): AddressSuggestion | null {
  const schemeMatch =
    /^(h?t?tt?p?ps?|https?|htpps?|htps?|hhtps?)\s*([:;]?)\s*([/\\]*)\s*(.+)$/i.exec(text)
  if (schemeMatch !== null) {
    const [, scheme = '', colon = '', slashes = '', rest = ''] = schemeMatch
    const isCorrect =
      /^https?$/i.test(scheme) && colon === ':' && slashes === '//' && !/^\s/.test(rest)
    if (isCorrect || !/^[\w-]+(\.[\w-]+)+/.test(rest)) return null
    return { mistake: 'this is not the start of a web address', correction: `https://${rest}` }
  }
  const wwwMatch = /^(?:ww\.|wwww\.|www[,;:]\.?|www\.\.)([\w-]+(?:\.[\w-]+)+.*)$/i.exec(text)
  return wwwMatch === null
    ? null
    : { mistake: 'this is not the start of a web address', correction: `www.${wwwMatch[1]}` }
}

/** A website address with or without its scheme. Paths to our own pages begin with a slash. */
const SITE_ADDRESS =
  /^(?:h?t?tt?p?ps?\s*[:;]?\s*[/\\]+|www\b|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:[/\\]|$))/i

/**
 * Returns possible corrections of a string that violates a schema pattern, nearest first. If `acceptsSites` is true,
 * the pattern accepts external addresses, so an external address is not mistaken for one of Rollcall's pages.
 */
export function suggestCorrections(text: string, acceptsSites = false): readonly string[] {
  const trimmed = toPlainDigits(removeQuotes(text))
    .replace(/[\s,;:.]+$/, '')
    .trim()
  const parts = trimmed
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/&/g, ' and ')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
  const buildSlug = (separator: string): string => parts.join(separator).toLowerCase()
  const pathText = trimmed.replace(/^\s*(?:https?:?\/*)?([\w.-]+\.[a-z]{2,})?(?=\/|$)/i, '')
  const path = `/${pathText
    .replaceAll('\\', '/')
    .toLowerCase()
    .split('/')
    .map((part) =>
      part
        .trim()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, ''),
    )
    .filter((part) => part !== '')
    .join('/')}`
  const endpointPath = `/${pathText.replaceAll('\\', '/').replace(/\s+/g, '').replace(/^\/+/, '')}`
  if (acceptsSites && SITE_ADDRESS.test(trimmed)) {
    const site = trimmed.replaceAll('\\', '/').replace(/\s*([/.:;])\s*/g, '$1')
    return [site.replace(/^(?:h?t?tt?p?ps?)?[:;]?\/*/i, 'https://')]
  }
  return [
    trimmed,
    trimmed.toLowerCase(),
    trimmed.toUpperCase(),
    ...(/[/\\]/.test(trimmed) ? [path, endpointPath] : []),
    buildSlug('_'),
    buildSlug('-'),
    trimmed.replace(/\s+/g, ''),
    buildSlug(''),
    buildSlug('').toUpperCase(),
    path,
    trimmed.replace(/^(?:h?t+ps?)?\s*[:;]?\s*[/\\]*/i, 'https://').replace(/\s+/g, ''),
    `${trimmed.replace(/\.[a-z]{2,4}$/i, '').replace(/\s+/g, '-')}.csv`,
  ]
}

const COLOUR_BY_NAME: Readonly<Record<string, string>> = {
  black: '#000000',
  blue: '#0000FF',
  brown: '#A52A2A',
  crimson: '#DC143C',
  cyan: '#00FFFF',
  gold: '#FFD700',
  gray: '#808080',
  green: '#008000',
  grey: '#808080',
  indigo: '#4B0082',
  magenta: '#FF00FF',
  maroon: '#800000',
  navy: '#000080',
  olive: '#808000',
  orange: '#FFA500',
  pink: '#FFC0CB',
  purple: '#800080',
  red: '#FF0000',
  teal: '#008080',
  turquoise: '#40E0D0',
  violet: '#EE82EE',
  white: '#FFFFFF',
  yellow: '#FFFF00',
}

/** Converts `teal`, `0E7C7B`, `#fff`, `rgb(14, 124, 123)` to `#RRGGBB`; null if it is not a colour. */
export function suggestColour(text: string): string | null {
  const trimmed = toPlainDigits(removeQuotes(text))
    .replace(/[;,.]+$/, '')
    .trim()
  const name = trimmed
    .toLowerCase()
    .replace(/[\s_-]+/g, '')
    .replace(/^(dark|deep|light|royal|sky|bright)/, '')
  const knownColour = Object.entries(COLOUR_BY_NAME).find(
    ([colourName]) => colourName === name,
  )?.[1]
  if (knownColour !== undefined) return knownColour
  const parts = /^rgba?\(?\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})/i.exec(trimmed)
  if (parts !== null)
    return `#${parts
      .slice(1, 4)
      .map((part) => Math.min(255, Number(part)).toString(16).padStart(2, '0').toUpperCase())
      .join('')}`
  const digits = trimmed
    .replace(/^(?:0x|#|hex)*[\s:#]*/i, '')
    .replace(/\s+/g, '')
    .replace(/[oO]/g, '0')
    .replace(/[lI]/g, '1')
  if (/^[0-9a-f]{6}([0-9a-f]{2})?$/i.test(digits)) return `#${digits.slice(0, 6)}`
  return /^[0-9a-f]{3}$/i.test(digits)
    ? `#${[...digits].map((digit) => digit + digit).join('')}`
    : null
}
