/** Passwords of the office: argon2id, made up where nobody gave one. */
import { randomInt } from 'node:crypto'
import { hash } from '@node-rs/argon2'

/** Without characters that look alike when copied from a screen. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
/** 16 of 31 letters are 79 bits. */
const groups = 4
const perGroup = 4
export const passwordLengthMin = 8

export function hashPassword(password: string): Promise<string> {
  return hash(password)
}

/** `k7xm-2wqp-…` */
export function makePassword(): string {
  const letter = (): string => letters[randomInt(letters.length)] ?? ''
  return Array.from({ length: groups }, () =>
    Array.from({ length: perGroup }, letter).join(''),
  ).join('-')
}
