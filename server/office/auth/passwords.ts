/** Generates and checks staff passwords (argon2id). */
import { randomInt } from 'node:crypto'
import type * as Argon2 from '@node-rs/argon2'
import { importLazily } from '../../ops/lazy-import.ts'

const argon2 = importLazily<typeof Argon2>('@node-rs/argon2')

/** Excludes characters that look alike when copied from a screen. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
/** 16 of 31 letters give 79 bits. */
const GROUP_COUNT = 4
const LETTERS_PER_GROUP = 4
/** Longer passwords are refused, because an attacker could use up CPU time by having them hashed. */
export const MAX_CREDENTIAL_CHARACTERS = 256
/** Shorter passwords can be guessed within the sign-in limits. */
export const MIN_PASSWORD_CHARACTERS = 8

/**
 * The most common words in lists of stolen passwords, which attackers guess first. They are rejected on their
 * own and with digits or punctuation around them.
 */
const COMMON_WORDS = new Set(
  (
    'password passwort passw pass admin administrator root user login master secret welcome letmein changeme ' +
    'default test testing demo sample temp qwerty qwertyuiop qwertz azerty asdfgh asdfghjkl zxcvbn zxcvbnm ' +
    'iloveyou monkey dragon sunshine princess football baseball cricket superman batman trustno computer ' +
    'internet samsung google facebook whatever freedom starwars shadow hello india bharat mumbai delhi kerala ' +
    'krishna ganesh lakshmi jesus abc abcd abcdef abcdefgh office rollcall conference registration'
  ).split(' '),
)
/** Maps characters that people use in place of letters to these letters. */
const LETTER_BY_CHARACTER: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '@': 'a',
  $: 's',
}

const trimNonLetters = (text: string): string => text.replace(/^[^a-z]+|[^a-z]+$/g, '')

/**
 * Explains why a password is rejected, in a sentence. Null if it is accepted. `names` are the user's and the events'
 * names: a password must not consist of one of them alone.
 */
export function findPasswordProblem(password: string, names: readonly string[]): string | null {
  if (password.length > MAX_CREDENTIAL_CHARACTERS)
    return `The password can have at most ${MAX_CREDENTIAL_CHARACTERS} characters.`
  if (password.length < MIN_PASSWORD_CHARACTERS)
    return `The password must have at least ${MIN_PASSWORD_CHARACTERS} characters.`
  const lowerCasePassword = password.toLowerCase()
  const passwordWithLetters = lowerCasePassword.replace(
    /[013@$]/g,
    (character) => LETTER_BY_CHARACTER[character] ?? character,
  )
  const variants = [
    trimNonLetters(lowerCasePassword),
    trimNonLetters(passwordWithLetters),
    trimNonLetters(passwordWithLetters).replace(/[^a-z]/g, ''),
  ]
  const ownNames = new Set(
    names.map((name) => trimNonLetters(name.toLowerCase())).filter((name) => name.length > 2),
  )
  if (variants.some((variant) => COMMON_WORDS.has(variant)))
    return 'This password is too easy to guess. Use several words.'
  if (variants.some((variant) => ownNames.has(variant)))
    return 'The password cannot be a username or the name of an event. Use several words.'
  if (new Set(lowerCasePassword).size < MIN_DISTINCT_CHARACTERS || isSequence(lowerCasePassword))
    return 'This password is too easy to guess (a keyboard row, or too few different characters). Use several words.'
  return null
}
const MIN_DISTINCT_CHARACTERS = 4
const KEYBOARD_ROWS = [
  '01234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
]

/**
 * Returns true for passwords such as 12345678, 87654321 or 12341234: every character is next to the previous one in a
 * row of keys, or the first half is repeated.
 */
function isSequence(text: string): boolean {
  const half = text.slice(0, Math.ceil(text.length / 2))
  return [text, [...text].reverse().join('')].some((variant) =>
    KEYBOARD_ROWS.some(
      (row) => row.includes(variant) || (variant === half + half && row.includes(half)),
    ),
  )
}

export function hashPassword(password: string): Promise<string> {
  return argon2().hash(password)
}

export function verifyPassword(password: string, passwordHash: string): Promise<boolean> {
  return argon2().verify(passwordHash, password)
}

/** Generates a password such as `k7xm-2wqp-…`. */
export function generatePassword(): string {
  const pickRandomLetter = (): string => LETTERS[randomInt(LETTERS.length)] ?? ''
  return Array.from({ length: GROUP_COUNT }, () =>
    Array.from({ length: LETTERS_PER_GROUP }, pickRandomLetter).join(''),
  ).join('-')
}
