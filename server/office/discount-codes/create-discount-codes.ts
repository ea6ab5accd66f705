/** Creates discount codes: number, uses per code, and last day. */
import { randomInt } from 'node:crypto'
import { assert, dayOf, err, foldCode, isDay, ok } from '../../../engine/index.ts'
import type { Day, EventConfig, Result } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'

/** Low enough for a readable list and for a single transaction. */
const COUNT_MAX = 1_000
/** Enough for one use by each delegate of the largest conference. */
const USES_MAX = 100_000
const NOTE_CHARACTERS_MAX = 200
/**
 * No vowels, so that no code is a word, and no characters that look alike: 28 characters, ten of which give 48
 * bits.
 */
const CODE_CHARACTERS = '23456789BCDFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 10
/** A chosen code is easier to guess, and short ones can be guessed manually. */
const CHOSEN_CHARACTERS_MIN = 6
const CHOSEN_CHARACTERS_MAX = 32
/** A random code is very unlikely to exist already; three such codes in a row indicate a bug. */
const DRAWS_MAX = 3

/** Input from a form or command line. Missing values mean one code, one use, no last day, no note. */
export type CodeInput = {
  readonly kind?: unknown
  readonly count?: unknown
  readonly uses?: unknown
  readonly until?: unknown
  readonly note?: unknown
  /** A chosen code instead of a random one. */
  readonly code?: unknown
}
export type CodesError = {
  readonly code: 'bad_code' | 'code_taken' | 'code_unknown'
  readonly message: string
}

/** Stores new codes and returns them. */
export async function createCodes(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  event: EventConfig,
  input: CodeInput,
  user: string,
): Promise<Result<readonly string[], CodesError>> {
  const at = clock()
  const parsed = parseInput(event, input, dayOf(at))
  if (!parsed.ok) return err({ code: 'bad_code', message: parsed.error })
  const { chosen: chosenCode, count, ...options } = parsed.value
  for (let attempt = 0; attempt < DRAWS_MAX; attempt++) {
    const codes = Array.from({ length: count }, () => chosenCode ?? generateCode())
    const stored = await store.createDiscountCodes({
      ...options,
      eventId: event.id,
      codes: codes.map((code) => ({ code, folded: foldCode(code) })),
      who: user,
      at,
    })
    if (stored.ok) return ok(codes)
    if (chosenCode !== null)
      return err({ code: 'code_taken', message: `The code ${chosenCode} already exists.` })
  }
  assert(false, 'every generated code already exists')
}

export async function withdrawCode(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  event: EventConfig,
  code: unknown,
  user: string,
): Promise<Result<string, CodesError>> {
  const normalisedCode =
    typeof code === 'string' ? foldCode(code.slice(0, CHOSEN_CHARACTERS_MAX * 2)) : ''
  const outcome = await store.withdrawDiscountCode(event.id, normalisedCode, user, clock())
  if (outcome === 'unknown')
    return err({ code: 'code_unknown', message: `${event.title} has no such code.` })
  return ok(
    outcome === 'before'
      ? 'This code is already withdrawn.'
      : 'Code withdrawn. It can no longer be used. Existing registrations keep their discount.',
  )
}

type ParsedInput = {
  readonly kind: string
  readonly count: number
  readonly usesMax: number
  readonly lastDay: Day | null
  readonly note: string
  readonly chosen: string | null
}

function parseInput(event: EventConfig, input: CodeInput, today: Day): Result<ParsedInput, string> {
  const kinds = event.codeKinds.map(({ id }) => id)
  const kind = toText(input.kind)
  if (kinds.length === 0) return err(`The event file of ${event.title} defines no discount codes.`)
  if (!kinds.includes(kind))
    return err(`There is no code kind “${kind.slice(0, 50)}”. Choose one of ${kinds.join(', ')}.`)
  const count = parseWhole(input.count, COUNT_MAX)
  if (count === null) return err(`Create 1 to ${COUNT_MAX} codes at a time.`)
  const usesMax = parseWhole(input.uses, USES_MAX)
  if (usesMax === null) return err(`A code can have 1 to ${USES_MAX} uses.`)
  const until = toText(input.until)
  if (until !== '' && !isDay(until)) return err('Enter the date like this: 2027-01-31.')
  if (until !== '' && until < today) return err('“Valid until” is in the past.')
  const note = toText(input.note).replaceAll(/\s+/g, ' ')
  if (note.length > NOTE_CHARACTERS_MAX)
    return err(`A note has at most ${NOTE_CHARACTERS_MAX} characters.`)
  const chosenCode = toText(input.code)
  const length = foldCode(chosenCode.slice(0, NOTE_CHARACTERS_MAX)).length
  if (
    chosenCode !== '' &&
    (length < CHOSEN_CHARACTERS_MIN || chosenCode.length > CHOSEN_CHARACTERS_MAX)
  )
    return err(
      `A chosen code has ${CHOSEN_CHARACTERS_MIN} to ${CHOSEN_CHARACTERS_MAX} letters and digits.`,
    )
  if (chosenCode !== '' && count !== 1) return err('If you choose the code, create only one.')
  return ok({
    kind,
    count,
    usesMax,
    lastDay: isDay(until) ? until : null,
    note,
    chosen: chosenCode === '' ? null : chosenCode,
  })
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

/** Parses a whole number. Returns 1 if it is missing, and null if it is not whole or out of range. */
function parseWhole(value: unknown, max: number): number | null {
  const text = toText(value)
  if (value === undefined || value === null || text === '') return 1
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
  return number >= 1 && number <= max ? number : null
}

function generateCode(): string {
  const characters = Array.from(
    { length: CODE_LENGTH },
    () => CODE_CHARACTERS[randomInt(CODE_CHARACTERS.length)],
  ).join('')
  return `${characters.slice(0, CODE_LENGTH / 2)}-${characters.slice(CODE_LENGTH / 2)}`
}
