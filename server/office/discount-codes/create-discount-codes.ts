/** Creates discount codes, with a number of uses and a last day, and withdraws them. */
import { randomInt } from 'node:crypto'
import { assert, dayOf, err, foldCode, isDay, ok } from '../../../engine/index.ts'
import type { Day, EventConfig, Result } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'

/** Low enough for a readable list and for a single transaction. */
const MAX_CODE_COUNT = 1_000
/** Enough for one use by each delegate of the largest conference. */
const MAX_USES = 100_000
const MAX_NOTE_CHARACTERS = 200
/**
 * Excludes vowels, so that no code is a word, and characters that look alike. Ten of these 28 characters give 48 bits.
 */
const CODE_CHARACTERS = '23456789BCDFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 10
/** A chosen code is easier to guess, and short ones can be guessed manually. */
const MIN_CHOSEN_CHARACTERS = 6
const MAX_CHOSEN_CHARACTERS = 32
/** A random code is very unlikely to exist already; three such codes in a row indicate a bug. */
const MAX_GENERATION_ATTEMPTS = 3

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
  const inputResult = parseInput(event, input, dayOf(at))
  if (!inputResult.ok) return err({ code: 'bad_code', message: inputResult.error })
  const { chosen: chosenCode, count, ...options } = inputResult.value
  for (let attempt = 0; attempt < MAX_GENERATION_ATTEMPTS; attempt++) {
    const codes = Array.from({ length: count }, () => chosenCode ?? generateCode())
    const createResult = await store.createDiscountCodes({
      ...options,
      eventId: event.id,
      codes: codes.map((code) => ({ code, folded: foldCode(code) })),
      who: user,
      at,
    })
    if (createResult.ok) return ok(codes)
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
    typeof code === 'string' ? foldCode(code.slice(0, MAX_CHOSEN_CHARACTERS * 2)) : ''
  const outcome = await store.withdrawDiscountCode(event.id, normalisedCode, user, clock())
  if (outcome === 'unknown')
    return err({ code: 'code_unknown', message: `${event.title} has no such code.` })
  return ok(
    outcome === 'already_withdrawn'
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
  const count = parseWhole(input.count, MAX_CODE_COUNT)
  if (count === null) return err(`Create 1 to ${MAX_CODE_COUNT} codes at a time.`)
  const usesMax = parseWhole(input.uses, MAX_USES)
  if (usesMax === null) return err(`A code can have 1 to ${MAX_USES} uses.`)
  const until = toText(input.until)
  if (until !== '' && !isDay(until)) return err('Enter the date like this: 2027-01-31.')
  if (until !== '' && until < today) return err('“Valid until” is in the past.')
  const note = toText(input.note).replaceAll(/\s+/g, ' ')
  if (note.length > MAX_NOTE_CHARACTERS)
    return err(`A note can have at most ${MAX_NOTE_CHARACTERS} characters.`)
  const chosenCode = toText(input.code)
  const length = foldCode(chosenCode.slice(0, MAX_NOTE_CHARACTERS)).length
  if (
    chosenCode !== '' &&
    (length < MIN_CHOSEN_CHARACTERS || chosenCode.length > MAX_CHOSEN_CHARACTERS)
  )
    return err(
      `A chosen code has ${MIN_CHOSEN_CHARACTERS} to ${MAX_CHOSEN_CHARACTERS} letters and digits.`,
    )
  if (chosenCode !== '' && count !== 1)
    return err('You can create only one code if you choose its text.')
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
