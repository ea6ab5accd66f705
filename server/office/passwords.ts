/** Passwords of the office: argon2id, made up where nobody gave one. */
import { randomInt } from 'node:crypto'
import { hash } from '@node-rs/argon2'

/** Without characters that look alike when copied from a screen. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
/** 16 of 31 letters are 79 bits. */
const GROUPS = 4
const LETTERS_PER_GROUP = 4
/** Shorter ones are guessed within the limits on signing in. */
export const PASSWORD_CHARACTERS_MIN = 8

export function hashPassword(password: string): Promise<string> {
  return hash(password)
}

/** `k7xm-2wqp-…` */
export function makePassword(): string {
  const letter = (): string => LETTERS[randomInt(LETTERS.length)] ?? ''
  return Array.from({ length: GROUPS }, () =>
    Array.from({ length: LETTERS_PER_GROUP }, letter).join(''),
  ).join('-')
}
