/** Finds a second payment for one person in one event. */
import { toNfc } from '../lib/unicode.ts'
import { foldText } from '../answers/compare-answers.ts'

/** Titles before a name, which some people write and others omit. */
const TITLES: ReadonlySet<string> = new Set([
  'adv',
  'doctor',
  'dr',
  'er',
  'kum',
  'kumari',
  'miss',
  'mr',
  'mrs',
  'ms',
  'prof',
  'professor',
  'shri',
  'smt',
  'sri',
])

/**
 * Returns email address and name normalised: without title, case, spaces and punctuation. Null if one
 * of them is missing.
 */
export function getPayerKey({
  email,
  fullName,
}: {
  readonly email: string
  readonly fullName: string
}): string | null {
  const nameWords = toNfc(fullName)
    .normalize('NFKC')
    .split(/[^\p{L}\p{M}\p{N}\p{Default_Ignorable_Code_Point}]+/u)
    .map(foldText)
    .filter((word) => word !== '')
  const first = nameWords.findIndex((word) => !TITLES.has(word))
  const [address, name] = [foldText(email), nameWords.slice(Math.max(0, first)).join('')]
  return address === '' || name === '' ? null : JSON.stringify([address, name])
}
