/** Keeps text that people typed from becoming a link in an email or a document: only words of the event file stay links. */
import { remember } from './memoize.ts'

/** Words of an event file, as an email or a document may repeat them. */
export type KnownWords = {
  readonly words: ReadonlySet<string>
  /** Addresses that the file writes with a value in them: `https://maps.example/?q={city}`. */
  readonly patterns: readonly RegExp[]
}

/** Every word of every text of an event. */
export const wordsOfEvent = remember((event: object): KnownWords => {
  const words = new Set<string>()
  const patterns: RegExp[] = []
  const read = (value: unknown): void => {
    if (typeof value === 'string')
      for (const word of value.split(/\s+/).map(bare)) {
        words.add(word)
        const pattern = patternOf(word)
        if (pattern !== null) patterns.push(pattern)
      }
    else if (typeof value === 'object' && value !== null)
      for (const part of Object.values(value)) read(part)
  }
  read(event)
  return { words, patterns }
})

/** The host must be the file's own: a value in it would choose where the link leads. */
function patternOf(word: string): RegExp | null {
  if (!/^https?:\/\/[^/{}]+\/[^{}]*\{/i.test(word)) return null
  const parts = word.split(/\{[^{}]*\}/).map((part) => part.replace(/[$()*+.?[\\\]^{|}-]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^\\s/\\\\@]*')}$`)
}

/**
 * The text without links of strangers: a word that mail programs could turn into a link gets spaces, unless the event
 * file or `ours` has the same word. "https://evil.example" becomes "https: / /evil. example".
 */
export function withoutForeignLinks(
  text: string,
  known: KnownWords,
  ours: ReadonlySet<string>,
): string {
  return text
    .split(/(\s+)/)
    .map((word) => (isKnown(bare(word), known, ours) ? word : unlinked(word)))
    .join('')
}

const isKnown = (word: string, { words, patterns }: KnownWords, ours: ReadonlySet<string>) =>
  ours.has(word) || words.has(word) || patterns.some((pattern) => pattern.test(word))

/** Without the punctuation of the sentence around it. */
function bare(word: string): string {
  return word.replace(/^[\p{Ps}\p{Pi}"'<,;:!?.]+|[\p{Pe}\p{Pf}"'>,;:!?.]+$/gu, '')
}

/** Browsers and mail programs read each of these as the dot of a host name, and a letter in a circle as the letter. */
const DOT = /[.\u2024\u3002\uFE52\uFF0E\uFF61](?=[\p{L}\p{M}\p{N}\p{So}\p{Cf}_-])/gu
/** After a letter: "10:30" is a time. */
const SCHEME = /(?<=[\p{L}\p{M}])[:\uFF1A](?=\S)/gu

function unlinked(word: string): string {
  return word
    .replace(DOT, (dot: string, at: number) => (isDecimal(word, at) ? dot : `${dot} `))
    .replace(SCHEME, '$& ')
    .replace(/([/\\])(?=[/\\])/g, '$1 ')
}

/** "4,250.50": of an amount the dot stays as it is; of an address in numbers it does not. */
function isDecimal(word: string, at: number): boolean {
  const before = /[\d,]*$/.exec(word.slice(0, at))?.[0] ?? ''
  const after = /^\d+/.exec(word.slice(at + 1))?.[0] ?? ''
  const rest = word.slice(at + 1 + after.length)
  const start = word.slice(0, at - before.length)
  return (
    before !== '' &&
    after !== '' &&
    !/^(?:[\p{L}\p{So}]|\.[\p{L}\p{N}\p{So}])/u.test(rest) &&
    !/[.\p{L}/@]$/u.test(start)
  )
}
