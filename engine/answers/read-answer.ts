/** Reads one answer from a form or the API: trims it, converts its type, removes invisible characters. */
import { toNfc, toWellFormed } from '../lib/unicode.ts'
import type { Field } from '../event/config.ts'
import type { Answer, Person, RawAnswers, Scalar } from '../event/answer-types.ts'
import { getMaxCharacters, getPersonFields } from './field-types.ts'
import { assertNever, fromPairs, getOwn } from '../lib/result.ts'

/**
 * Returns true for a value of the wrong structure: a list or object instead of a scalar, or a list of people with an
 * entry that is not an object of answers. Such a value counts as missing, not as malformed.
 */
export function isUnreadable(field: Field, value: unknown): boolean {
  if (field.type === 'people')
    return toRawList(value).some((candidate) => !isPerson(field, candidate))
  if (field.type === 'many') return toRawList(value).some(isObject)
  return isObject(value)
}

function isPerson(field: Field, value: unknown): value is RawAnswers {
  if (!isObject(value) || Array.isArray(value)) return false
  return !getPersonFields(field).some((part) => isUnreadable(part, getOwn(value, part.id)))
}

function isObject(value: unknown): value is RawAnswers {
  return typeof value === 'object' && value !== null
}

export function isBlank(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (typeof value === 'string' && value.trim() === '') ||
    (Array.isArray(value) && value.length === 0)
  )
}

/** Returns the answer to a field, or undefined if there is none. Idempotent. */
export function readField(field: Field, value: unknown): Answer | undefined {
  if (field.type === 'many') return readMany(field, toRawList(value))
  if (field.type === 'people') return readPeople(field, toRawList(value))
  return readAnswer(field, value)
}

/** Returns a value as a list. Accepts a list, JSON text (as sent by a form with files) or a single value. */
function toRawList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (isBlank(value)) return []
  if (typeof value !== 'string' || !value.trimStart().startsWith('[')) return [value]
  try {
    const parsed: unknown = JSON.parse(value)
    return Array.isArray(parsed) ? parsed : [value]
  } catch {
    return [value]
  }
}

/**
 * Returns each chosen option once, in the order of the options, followed by invalid ones, so that
 * validation can report them.
 */
function readMany(field: Field, values: readonly unknown[]): Answer | undefined {
  const ids = (field.options ?? []).map(({ id }) => id)
  const optionField: Field = { ...field, type: 'select' }
  const chosen = new Set(
    values.slice(0, MAX_LISTED_ANSWERS).flatMap((value) => {
      const answer = readAnswer(optionField, value)
      return answer === undefined ? [] : [String(answer)]
    }),
  )
  const knownIds = ids.filter((id) => chosen.has(id))
  const selectedIds = [...knownIds, ...[...chosen].filter((id) => !ids.includes(id))]
  return selectedIds.length === 0 ? undefined : selectedIds
}

/** Reads the listed people, but at most one more than the maximum: that is enough to detect that there are too many. */
function readPeople(field: Field, values: readonly unknown[]): Answer | undefined {
  const rawPeople = values
    .slice(0, (field.max ?? 0) + 1)
    .filter((candidate) => isPerson(field, candidate))
  const people = rawPeople.map((raw): Person =>
    fromPairs(
      getPersonFields(field).flatMap((part): [string, Scalar][] => {
        const answer = readAnswer(part, getOwn(raw, part.id)) ?? part.default
        return answer === undefined ? [] : [[part.id, answer]]
      }),
    ),
  )
  return people.length === 0 ? undefined : people
}

/** A limit that is higher than the number of options in any field. */
const MAX_LISTED_ANSWERS = 500

function readAnswer(field: Field, value: unknown): Scalar | undefined {
  if (field.type === 'consent') return readConsent(value)
  if (typeof value === 'boolean') return field.type === 'yes-no' ? value : String(value)
  if (typeof value === 'number')
    return field.type === 'number' && Number.isFinite(value) ? value + 0 : String(value)
  if (typeof value !== 'string') return undefined
  const text = truncateLongText(field, cleanText(field, value))
  if (text === '') return undefined
  switch (field.type) {
    case 'yes-no':
      return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : text
    case 'number':
      return /^[+-]?\d{1,15}(\.\d{1,10})?$/.test(text) ? Number(text) + 0 : text
    case 'select': {
      if (!field.ignoreCase) return text
      const lowerCaseText = text.toLowerCase()
      return field.options?.find((option) => option.id.toLowerCase() === lowerCaseText)?.id ?? text
    }
    case 'file':
      return text.split(/[\\/]/).at(-1) || undefined
    case 'many':
    case 'people':
    case 'text':
    case 'multiline':
    case 'email':
    case 'phone':
    case 'date':
      return text
    default:
      return assertNever(field.type)
  }
}

/** Reads a consent field. An unticked box counts as not answered, because a refusal is not consent. */
function readConsent(value: unknown): Scalar | undefined {
  if (isObject(value)) return undefined
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value
  if (text === true || text === 'true' || text === 'on') return true
  return text === false || text === 'false' || isBlank(text) ? undefined : String(value)
}

// Removes control characters, which are unsafe in mail headers, CSV and terminals; line breaks are
// allowed in multiline text only. Half a surrogate pair cannot be stored as UTF-8.
function cleanText(field: Field, value: string): string {
  // Nearly every answer is plain ASCII, which needs no cleaning.
  if (/^[ -~]*$/.test(value)) return value.trim()
  const lines = value.replace(/\r\n?/g, '\n')
  const flat = field.type === 'multiline' ? lines : lines.replace(/[\n\t\u2028\u2029]+/g, ' ')
  const text = toNfc(
    toWellFormed(flat).replace(CONTROL_CHARACTERS, '').replace(INVISIBLE_CHARACTERS, ''),
  ).trim()
  return VISIBLE_CHARACTER.test(text) ? text : ''
}
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
/**
 * Invisible characters: zero-width spaces, and direction marks that reverse all following text, even in office lists.
 * Joiners, which Malayalam and Hindi spelling requires, and variation selectors are kept.
 */
const INVISIBLE_CHARACTERS = /(?![\u200c\u200d\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/gu
/**
 * Matches a visible character: a name that contains only joiners or blank Braille is not a name.
 */
const VISIBLE_CHARACTER = /[^\s\u200c\u200d\ufe00-\ufe0f\u2800]/u

/**
 * Truncates a string that is certainly too long and marks it with an ellipsis: all patterns of the
 * field are tested on it, and some take quadratic time. A file name keeps its end, which contains
 * the extension. Options are not truncated, because they are only compared.
 */
function truncateLongText(field: Field, text: string): string {
  // A character can take two UTF-16 units, so a longer string exceeds the field's limit whether characters or units are
  // counted.
  const maxUnits = 2 * getMaxCharacters(field) + 2
  if (text.length <= maxUnits || field.type === 'select') return text
  return toWellFormed(
    field.type === 'file' ? `…${text.slice(1 - maxUnits)}` : `${text.slice(0, maxUnits - 1)}…`,
  )
}
