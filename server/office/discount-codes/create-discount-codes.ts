/** Creates discount codes: how many of a kind, uses per code, and last day. */
import { randomInt } from 'node:crypto'
import { assert, dayOf, err, foldCode, isDay, ok } from '../../../engine/index.ts'
import type { Day, EventConfig, Result } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'

/** A list that can still be read, and a single write to the store. */
const COUNT_MAX = 1_000
/** Everybody at the largest conference. */
const USES_MAX = 100_000
const NOTE_CHARACTERS_MAX = 200
/**
 * No vowels, so that no code is a word, and no characters that look alike: 28 characters, ten of which give 48
 * bits.
 */
const SIGNS = '23456789BCDFGHJKMNPQRSTVWXYZ'
const SIGNS_IN_CODE = 10
/** A chosen code is easier to guess, and short ones can be tried by hand. */
const CHOSEN_CHARACTERS_MIN = 6
const CHOSEN_CHARACTERS_MAX = 32
/** Two equal random codes are very unlikely; three in a row are a bug. */
const DRAWS_MAX = 3

/** Input from a form or command line. Missing values mean one code, one use, no last day, no note. */
export type CodeWords = {
  readonly kind?: unknown
  readonly count?: unknown
  readonly uses?: unknown
  readonly until?: unknown
  readonly note?: unknown
  /** A chosen code instead of a random one. */
  readonly code?: unknown
}
export type CodesRefusal = {
  readonly code: 'bad_code' | 'code_taken' | 'code_unknown'
  readonly message: string
}

/** Returns the codes to hand out, once they are stored. */
export async function makeCodes(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  event: EventConfig,
  words: CodeWords,
  who: string,
): Promise<Result<readonly string[], CodesRefusal>> {
  const at = clock()
  const read = readWords(event, words, dayOf(at))
  if (!read.ok) return err({ code: 'bad_code', message: read.error })
  const { chosen, count, ...given } = read.value
  for (let tried = 0; tried < DRAWS_MAX; tried++) {
    const codes = Array.from({ length: count }, () => chosen ?? drawn())
    const made = await store.makeCodes({
      ...given,
      eventId: event.id,
      codes: codes.map((code) => ({ code, folded: foldCode(code) })),
      who,
      at,
    })
    if (made.ok) return ok(codes)
    if (chosen !== null)
      return err({ code: 'code_taken', message: `The code ${chosen} already exists.` })
  }
  assert(false, 'every code that was drawn is there already')
}

export async function withdrawCode(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  event: EventConfig,
  code: unknown,
  who: string,
): Promise<Result<string, CodesRefusal>> {
  const folded = typeof code === 'string' ? foldCode(code.slice(0, CHOSEN_CHARACTERS_MAX * 2)) : ''
  const done = await store.withdrawCode(event.id, folded, who, clock())
  if (done === 'unknown')
    return err({ code: 'code_unknown', message: `${event.title} has no such code.` })
  return ok(
    done === 'before'
      ? 'This code is already withdrawn.'
      : 'Code withdrawn. Nobody can use it any more. Existing registrations keep their discount.',
  )
}

type Read = {
  readonly kind: string
  readonly count: number
  readonly usesMax: number
  readonly lastDay: Day | null
  readonly note: string
  readonly chosen: string | null
}

function readWords(event: EventConfig, words: CodeWords, today: Day): Result<Read, string> {
  const kinds = event.codeKinds.map(({ id }) => id)
  const kind = textOf(words.kind)
  if (kinds.length === 0) return err(`The event file of ${event.title} defines no discount codes.`)
  if (!kinds.includes(kind))
    return err(
      `No kind of code is called “${kind.slice(0, 50)}”. Choose one of ${kinds.join(', ')}.`,
    )
  const count = wholeOf(words.count, COUNT_MAX)
  if (count === null) return err(`Create 1 to ${COUNT_MAX} codes at a time.`)
  const usesMax = wholeOf(words.uses, USES_MAX)
  if (usesMax === null) return err(`A code can have 1 to ${USES_MAX} uses.`)
  const until = textOf(words.until)
  if (until !== '' && !isDay(until)) return err('Enter the date like this: 2027-01-31.')
  if (until !== '' && until < today) return err('“Valid until” is in the past.')
  const note = textOf(words.note).replaceAll(/\s+/g, ' ')
  if (note.length > NOTE_CHARACTERS_MAX)
    return err(`A note has at most ${NOTE_CHARACTERS_MAX} characters.`)
  const chosen = textOf(words.code)
  const length = foldCode(chosen.slice(0, NOTE_CHARACTERS_MAX)).length
  if (chosen !== '' && (length < CHOSEN_CHARACTERS_MIN || chosen.length > CHOSEN_CHARACTERS_MAX))
    return err(
      `A chosen code has ${CHOSEN_CHARACTERS_MIN} to ${CHOSEN_CHARACTERS_MAX} letters and digits.`,
    )
  if (chosen !== '' && count !== 1) return err('If you choose the code, create only one.')
  return ok({
    kind,
    count,
    usesMax,
    lastDay: isDay(until) ? until : null,
    note,
    chosen: chosen === '' ? null : chosen,
  })
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

/** Parses a whole number; 1 if it is missing; null: not whole, or out of bounds. */
function wholeOf(value: unknown, most: number): number | null {
  const text = textOf(value)
  if (value === undefined || value === null || text === '') return 1
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
  return number >= 1 && number <= most ? number : null
}

function drawn(): string {
  const signs = Array.from({ length: SIGNS_IN_CODE }, () => SIGNS[randomInt(SIGNS.length)]).join('')
  return `${signs.slice(0, SIGNS_IN_CODE / 2)}-${signs.slice(SIGNS_IN_CODE / 2)}`
}
