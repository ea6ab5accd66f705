/** Returns the references in bank statement lines, or a fallback name for a line without references. */
import {
  toBankKey,
  readChequeNumber,
  isUtr,
  findReferenceKeys,
  MAX_REFERENCE_CHARACTERS,
  findUtr,
  splitWords,
  type BankKey,
} from './bank-reference.ts'
import { memoize } from '../lib/memoize.ts'
import type { Statement, StatementLine } from './bank-statement-columns-and-lines.ts'
import type { Amount } from '../lib/money.ts'
import type { KnownPayment, KnownReferences } from './statement-payer-proposals.ts'

/**
 * Returns the references in the line. The reference column and the narration are separate, so no number spans both.
 */
export const listLineKeys = memoize(
  ({ reference, narration }: StatementLine): ReadonlySet<BankKey> =>
    new Set([...findReferenceKeys(reference), ...findReferenceKeys(narration)]),
)

/** Returns a fallback name for a line without references: its date, amount, reference column and narration. */
export function buildFallbackReference({
  day,
  amount,
  reference,
  narration,
}: StatementLine): string {
  const text = reference === '' ? narration : `${reference} ${narration}`
  const name = `${day} ${amount} ${text}`
  if (name.length <= MAX_REFERENCE_CHARACTERS) return name
  const end = ` x${computeFingerprint(name)}`
  return name.slice(0, MAX_REFERENCE_CHARACTERS - end.length) + end
}

/** For a fallback reference, returns the bank's own text. Returns any other reference unchanged. */
export const formatLineReference = (reference: string): string =>
  /^\d{4}-\d{2}-\d{2} \d+ (?<text>.*?\p{L}.*?)(?: x[0-9a-z]{1,7})?$/u.exec(reference)?.groups?.[
    'text'
  ] ?? reference

/** Computes an FNV-1a hash, which distinguishes long texts that start the same way. */
function computeFingerprint(text: string): string {
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 0).toString(36)
}

/**
 * Returns the current key, and the keys that older versions used: without a fingerprint, and without the
 * amount.
 */
export const listFallbackKeys = memoize((line: StatementLine): readonly BankKey[] => {
  const { day, amount, narration } = line
  const names = [
    buildFallbackReference(line),
    `${day} ${amount} ${narration}`,
    `${day} ${narration}`,
  ]
  return names.map((name) => toBankKey(name.slice(0, MAX_REFERENCE_CHARACTERS)))
})

/** UPI apps and some banks print twelve digits in three groups. */
const DIGITS_IN_GROUPS = /(?<![\d-])\d{4}([ -])\d{4}\1\d{4}(?![\d-])/g

/**
 * Returns the UTRs in a line. In the reference column, a UTR may be printed in groups.
 */
export const findLineUtrs = memoize(
  ({ reference, narration }: StatementLine): readonly BankKey[] => {
    const words = [...splitWords(reference), ...splitWords(narration)].flatMap(
      (word) => findUtr(word) ?? [],
    )
    const wholeReference = [toBankKey(reference)].filter(isUtr)
    const groups = (narration.match(DIGITS_IN_GROUPS) ?? []).map(toBankKey).filter(isUtr)
    return [...new Set([...wholeReference, ...words, ...groups])]
  },
)

/**
 * Returns the line with its original reference column, if its reference is a fallback name. A
 * fallback name contains the text of the reference column, followed by the narration.
 */
export function restoreReferenceColumn(line: StatementLine): StatementLine {
  const { day, amount, reference: name, narration } = line
  if (!name.startsWith(`${day} `)) return line
  const text = name.slice(day.length + 1).replace(new RegExp(`^${amount} `), '')
  const at = text.indexOf(narration.slice(0, NARRATION_START_CHARACTERS))
  return { ...line, reference: at > 0 ? text.slice(0, at) : '' }
}
/** How much of the narration to look for. A long fallback name contains only the start of the narration. */
const NARRATION_START_CHARACTERS = 12

/**
 * Returns true if the line identifies one of these payments: by a bank reference, or by any other number together
 * with the payment's amount. A line may contain a number that is shorter than a bank reference by chance. `payments` is
 * keyed by the line's keys.
 */
export function identifiesPayment(
  line: StatementLine,
  payments: ReadonlyMap<BankKey, { readonly amount: Amount }>,
): boolean {
  const utrs = findLineUtrs(line)
  const names = new Set<BankKey>([...utrs, ...listFallbackKeys(line)])
  const hasOtherUtr = utrs.some((key) => !payments.has(key))
  return [...payments].some(
    ([key, { amount }]) => names.has(key) || (amount === line.amount && !hasOtherUtr),
  )
}

/**
 * Banks' words for cheques and clearing. "CLG" may also mean a college, whose PIN code is not a
 * cheque number.
 */
const CHEQUE_WORD = /^(?:CHQ|CHEQUE|CLG|CLEARING|MICR|CTS)(?:NO)?(?=\d|$)/
/** "CHQ DEP 456789": the maximum distance in words between the bank's word and the number. */
const MAX_WORDS_APART = 2

/**
 * Returns the cheque number of a line; null if the line is not about a cheque. The reference column
 * takes precedence over a number near the bank's word in the narration.
 */
export function findChequeNumber(line: StatementLine): BankKey | null {
  const words = splitWords(line.narration)
  const isChequeLine = words.some((word) => CHEQUE_WORD.test(word)) && !words.includes('CASH')
  if (!isChequeLine || findLineUtrs(line).length > 0) return null
  const nearbyWords = words.filter((_, index) =>
    words
      .slice(Math.max(0, index - MAX_WORDS_APART), index + MAX_WORDS_APART + 1)
      .some((word) => CHEQUE_WORD.test(word)),
  )
  const [year = '', month = '', date = ''] = line.day.slice(2).split('-')
  const days = [`${date}${month}${year}`, `${year}${month}${date}`].map(toBankKey)
  const numbers = [...splitWords(line.reference), ...nearbyWords].flatMap(
    (word) => readChequeNumber(word) ?? [],
  )
  return numbers.find((key) => !days.includes(key)) ?? null
}

/** A statement line has about ten numbers. A file with millions of short numbers would block the server. */
const MAX_REFERENCE_NUMBERS = 100_000
/**
 * The maximum for all lines together. Adjacent words also form references, so there are more references than numbers.
 */
const MAX_REFERENCES = 250_000

/**
 * Returns every reference under which the lines may be stored; null if there are more references than any real
 * statement contains.
 */
export function findStatementReferences({
  lines,
  withdrawals,
}: Pick<Statement, 'lines' | 'withdrawals'>): readonly BankKey[] | null {
  const keys = new Set<BankKey>()
  let [numberCount, referenceCount] = [0, 0]
  for (const line of [...lines, ...withdrawals]) {
    numberCount += (`${line.reference} ${line.narration}`.match(/\p{Nd}+/gu) ?? []).length
    if (numberCount > MAX_REFERENCE_NUMBERS) return null
    const lineKeys = listLineKeys(line)
    referenceCount += lineKeys.size
    if (referenceCount > MAX_REFERENCES) return null
    for (const key of lineKeys) keys.add(key)
  }
  for (const key of lines.flatMap(listFallbackKeys)) keys.add(key)
  return [...keys]
}

/** Counts the lines in which each key occurs. */
export function countKeys(lines: readonly ReadonlySet<BankKey>[]): ReadonlyMap<BankKey, number> {
  const counts = new Map<BankKey, number>()
  for (const keys of lines) for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/** Returns true if a line with this amount can be the payment, or the line of which the payment is one part. */
export function isAmountOfPayment(
  amount: number,
  payment: KnownPayment,
  otherParts: NonNullable<KnownReferences['otherParts']>,
): boolean {
  const others = otherParts.get(payment.id) ?? []
  const total = others.reduce((sum, part) => sum + part.amount, payment.amount as number)
  return amount === payment.amount || amount === total
}
