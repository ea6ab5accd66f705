/** Detects when a person pays twice, or registers twice before paying. */
import { isAscii, toNfc } from '../lib/unicode.ts'
import { foldText } from '../answers/compare-answers.ts'
import { getMailboxKey } from '../answers/misspelt-email-domains.ts'

/** Titles before a name, which some people write and others omit. */
const NAME_TITLES: ReadonlySet<string> = new Set([
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
 * Malayalam chillu letters, each with its older spelling, which other keyboards produce: the base letter with a
 * virama. Unicode does not treat the two as equal.
 */
const CHILLU_SPELLINGS: Readonly<Record<string, string>> = {
  ൺ: 'ണ്',
  ൻ: 'ന്',
  ർ: 'ര്',
  ൽ: 'ല്',
  ൾ: 'ള്',
  ൿ: 'ക്',
}

/**
 * Returns the normalised email address and name: the name without title, case, spaces and punctuation, the address as
 * its mailbox ("a.nair+x@gmail.com" is "anair@gmail.com"). Null if either is missing.
 */
export function getPayerKey({
  email,
  fullName,
}: {
  readonly email: string
  readonly fullName: string
}): string | null {
  const nameWords = listNameWords(fullName)
  const nameStart = nameWords.findIndex((word) => !NAME_TITLES.has(word))
  const name = nameWords.slice(Math.max(0, nameStart)).join('')
  const mailbox = getMailboxKey(email)
  return mailbox === NO_MAILBOX || name === '' ? null : JSON.stringify([mailbox, name])
}

/** The mailbox key of an empty address. */
const NO_MAILBOX = getMailboxKey('')

function listNameWords(fullName: string): readonly string[] {
  // Fast path: each registration is compared, and nearly every name is ASCII.
  const words = isAscii(fullName)
    ? fullName
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, ' ')
        .split(' ')
    : toNfc(fullName)
        .normalize('NFKC')
        .replace(/[ൺ-ൿ]/g, (chillu) => CHILLU_SPELLINGS[chillu] ?? chillu)
        .split(/[^\p{L}\p{M}\p{N}\p{Default_Ignorable_Code_Point}]+/u)
        .map(foldText)
  return words.filter((word) => word !== '')
}

/**
 * A registration of the same person, paid or in payment. `isProven`: created or opened in the
 * browser that registers now.
 */
export type SamePerson = { readonly regNo: string; readonly isProven: boolean }

/**
 * Decides what to do when a form is submitted for a person who has registered before. The form asks
 * only about a registration that this browser created or opened by an emailed link. For any other
 * registration an email is sent, because a stranger may have filled in the form. `confirmed`: the
 * number that the delegate confirmed.
 */
export function decideSamePerson<R extends SamePerson>(
  registrations: readonly R[],
  confirmed: string | null,
): { readonly is: 'ask' | 'email'; readonly registration: R } | null {
  const proven = registrations.find(({ isProven }) => isProven)
  if (proven !== undefined)
    return proven.regNo === confirmed ? null : { is: 'ask', registration: proven }
  const [other] = registrations
  return other === undefined ? null : { is: 'email', registration: other }
}
