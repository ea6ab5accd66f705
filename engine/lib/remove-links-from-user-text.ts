/** Prevents text typed by users from becoming a link in an email or document. */
import { memoize } from './memoize.ts'

/** The words in an event file that emails and documents may contain unchanged. */
export type KnownWords = {
  readonly words: ReadonlySet<string>
  /** Addresses in the file that contain a placeholder: `https://maps.example/?q={city}`. */
  readonly patterns: readonly RegExp[]
}

/** Collects every word in the texts of an event. */
export const collectEventWords = memoize((event: object): KnownWords => {
  const words = new Set<string>()
  const patterns: RegExp[] = []
  const collectWords = (value: unknown): void => {
    if (typeof value === 'string')
      for (const word of value.split(/\s+/).map(stripPunctuation)) {
        words.add(word)
        const pattern = buildPattern(word)
        if (pattern !== null) patterns.push(pattern)
      }
    else if (typeof value === 'object' && value !== null)
      for (const part of Object.values(value)) collectWords(part)
  }
  collectWords(event)
  return { words, patterns }
})

/**
 * Builds a pattern for an address with placeholders. The host must be fixed in the file, because a placeholder in the
 * host would determine where the link leads.
 */
function buildPattern(word: string): RegExp | null {
  if (!/^https?:\/\/[^/{}]+\/[^{}]*\{/i.test(word)) return null
  const parts = word.split(/\{[^{}]*\}/).map((part) => part.replace(/[$()*+.?[\\\]^{|}-]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^\\s/\\\\@]*')}$`)
}

/**
 * Returns the text without links that users typed: inserts spaces into every word that mail programs could turn into
 * a link. Words that the event file or `ownHosts` contains stay unchanged. "https://evil.example" becomes "https: /
 * /evil. example".
 */
export function removeForeignLinks(
  text: string,
  knownWords: KnownWords,
  ownHosts: ReadonlySet<string>,
): string {
  return text
    .split(/(\s+)/)
    .map((word) =>
      !LINK_CHARACTER.test(word) || isKnown(stripPunctuation(word), knownWords, ownHosts)
        ? word
        : breakLink(word),
    )
    .join('')
}

/** Every link contains one of these characters; most words contain none. */
const LINK_CHARACTER = /[.:/\\\u2024\u3002\uFE52\uFF0E\uFF1A\uFF61]/

const isKnown = (word: string, { words, patterns }: KnownWords, ownHosts: ReadonlySet<string>) =>
  ownHosts.has(word) || words.has(word) || patterns.some((pattern) => pattern.test(word))

/** Removes the punctuation around a word. */
function stripPunctuation(word: string): string {
  return word.replace(/^[\p{Ps}\p{Pi}"'<,;:!?.]+|[\p{Pe}\p{Pf}"'>,;:!?.]+$/gu, '')
}

/**
 * Browsers and mail programs read each of these as a dot in a host name, and circled letters as
 * letters.
 */
const HOST_DOT = /[.\u2024\u3002\uFE52\uFF0E\uFF61](?=[\p{L}\p{M}\p{N}\p{So}\p{Cf}_-])/gu
/** Matches a colon only after a letter, because "10:30" is a time. */
const SCHEME_COLON = /(?<=[\p{L}\p{M}])[:\uFF1A](?=\S)/gu

function breakLink(word: string): string {
  return word
    .replace(HOST_DOT, (dot: string, at: number) => (isDecimal(word, at) ? dot : `${dot} `))
    .replace(SCHEME_COLON, '$& ')
    .replace(/([/\\])(?=[/\\])/g, '$1 ')
}

/** Returns true for the dot of an amount ("4,250.50"), but not of a numeric address. */
function isDecimal(word: string, at: number): boolean {
  const digitsBefore = /[\d,]*$/.exec(word.slice(0, at))?.[0] ?? ''
  const digitsAfter = /^\d+/.exec(word.slice(at + 1))?.[0] ?? ''
  const textAfterNumber = word.slice(at + 1 + digitsAfter.length)
  const start = word.slice(0, at - digitsBefore.length)
  return (
    digitsBefore !== '' &&
    digitsAfter !== '' &&
    !/^(?:[\p{L}\p{So}]|\.[\p{L}\p{N}\p{So}])/u.test(textAfterNumber) &&
    !/[.\p{L}/@]$/u.test(start)
  )
}
