/** The references that a line of a bank statement contains, and the name of a line that has none. */
import {
  bankKey,
  isUtr,
  keysIn,
  REFERENCE_CHARACTERS_MAX,
  utrOf,
  wordsOf,
  type BankKey,
} from './bank-reference.ts'
import { remember } from '../lib/memoize.ts'
import type { StatementLine } from './bank-statement.ts'

/** The column of references and the narration are two texts: no number begins in one and ends in the other. */
export const keysOfLine = remember(
  ({ reference, narration }: StatementLine): ReadonlySet<BankKey> =>
    new Set([...keysIn(reference), ...keysIn(narration)]),
)

/** A line without a number of its own is known by its day, amount and texts. */
export function fallbackName({ day, amount, reference, narration }: StatementLine): string {
  const texts = reference === '' ? narration : `${reference} ${narration}`
  const name = `${day} ${amount} ${texts}`
  if (name.length <= REFERENCE_CHARACTERS_MAX) return name
  const end = ` x${fingerprint(name)}`
  return name.slice(0, REFERENCE_CHARACTERS_MAX - end.length) + end
}

/** FNV-1a: tells apart texts that are longer than a reference and begin alike. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 0).toString(36)
}

/** As it is stored now, and as it was before it had a fingerprint, and before it had the amount. */
export const fallbackKeys = remember((line: StatementLine): readonly BankKey[] => {
  const { day, amount, narration } = line
  const names = [fallbackName(line), `${day} ${amount} ${narration}`, `${day} ${narration}`]
  return names.map((name) => bankKey(name.slice(0, REFERENCE_CHARACTERS_MAX)))
})

/** UPI apps and some banks print twelve digits in three groups. */
const IN_GROUPS = /(?<![\d-])\d{4}([ -])\d{4}\1\d{4}(?![\d-])/g

/** The bank's own numbers in a line: a column of its own may hold one in groups. */
export const utrsIn = remember(({ reference, narration }: StatementLine): readonly BankKey[] => {
  const words = [...wordsOf(reference), ...wordsOf(narration)].flatMap((word) => utrOf(word) ?? [])
  const whole = [bankKey(reference)].filter(isUtr)
  const groups = (narration.match(IN_GROUPS) ?? []).map(bankKey).filter(isUtr)
  return [...new Set([...whole, ...words, ...groups])]
})
