/** What an act on a registration is given, before anybody judged it, and what reads its words. */
import { createHash } from 'node:crypto'
import { err, fromRupees, ok, readAmount } from '../../../engine/index.ts'
import type { ActName, FieldErrors, Paise, Result } from '../../../engine/index.ts'
import type { Deps, ServedEvent } from '../../dependencies.ts'
import type { Acted, ActNo, NewAct, Once, StoredRegistration } from '../../storage/index.ts'

/** `words`: what came beside act, reason and key. */
export type Asked = {
  readonly deps: Pick<
    Deps,
    'store' | 'events' | 'payments' | 'gateway' | 'clock' | 'uploads' | 'environment'
  >
  readonly served: ServedEvent
  readonly registration: StoredRegistration
  readonly wanted: NewAct
  readonly words: Words
}
/** All that the acts of the office read of a body; a review is named beside them and is resolved by the guard. */
export const ACT_WORDS = {
  act: 'text',
  why: 'text',
  key: 'text',
  answers: 'object',
  total: 'text',
  way: 'text',
  reference: 'text',
  amount: 'text',
  day: 'text',
  pay_back: 'text',
  kept: 'text',
  by_hand: 'flag',
  offer: 'flag',
  category: 'text',
} as const
export type ActWord = keyof typeof ACT_WORDS
export type Words = Readonly<Partial<Record<ActWord | 'review', unknown>>>
/** `message` may say more than what the store did. */
export type Done = Result<Acted, ActNo>
export type Doer = (asked: Asked) => Promise<Done>

/** Whoever clicks twice sends the same key; 128 random bits take 32 characters of it. */
const KEY = /^[\w-]{8,64}$/

/** Null: none was sent. A key counts with whoever sends it, for this registration, and for the same words only. */
export function onceOf(
  { key, ...words }: Words,
  of: { readonly who: string; readonly regNo: string; readonly act: ActName },
): Result<Once | null, ActNo> {
  if (key === undefined || key === null) return ok(null)
  if (typeof key !== 'string' || !KEY.test(key))
    return badData('A key has 8 to 64 letters, digits or dashes.')
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
  return ok({
    key: hash(JSON.stringify([of.who, of.regNo, key])),
    fingerprint: hash(JSON.stringify([of.act, words])),
  })
}

export function badData(message: string, errors?: FieldErrors) {
  return err({ code: 'bad_data' as const, message, ...(errors !== undefined && { errors }) })
}

export function textIn<N extends string>(
  words: Readonly<Partial<Record<N, unknown>>>,
  name: N,
): string {
  const word = words[name]
  return typeof word === 'string' ? word.trim() : ''
}

/** Rupees as text or number; null: none was sent. */
export function amountIn(words: Words, name: keyof Words): Result<Paise | null, ActNo> {
  const word = words[name]
  if (word === undefined || word === null || word === '') return ok(null)
  const amount = typeof word === 'string' ? readAmount(word) : fromRupees(word)
  return amount === null || amount < 0
    ? badData('Write the amount in rupees, such as 985 or 985.50.')
    : ok(amount)
}
