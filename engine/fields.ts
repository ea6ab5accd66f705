/** What a proper answer of each field type looks like; read by the normaliser, the check and the schema alike. */
import { ANSWER_CHARACTERS_MAX } from './check/defaults.ts'
import type { Field, FieldType } from './config.ts'
import { assertNever } from './outcome.ts'
import { DAY_PATTERN } from './time.ts'

/** What the gateway takes for an e-mail address (its field table), `ANSWER_CHARACTERS_MAX.email` at most. */
const EMAIL_CHARACTERS_MIN = 6

/** A pattern an answer must match, as JSON Schema writes it (unanchored, flag u), and what is said if it does not. */
type Form = { readonly pattern: string; readonly message: string }

/** The longest answer that the field takes, in characters. */
export function charactersMax(field: Field): number {
  const limit = field.lengthMax ?? ANSWER_CHARACTERS_MAX[field.type]
  return field.type === 'email' ? Math.min(limit, ANSWER_CHARACTERS_MAX.email) : limit
}

/** The patterns of a text-like field, in the order in which they are judged. Empty for numbers, yes-no and select. */
export function formsOf(field: Field): readonly Form[] {
  const limit = charactersMax(field)
  const length = (min: number, max: number): string => `^[\\s\\S]{${min},${max}}$`
  const notTooLong: Form = {
    pattern: length(0, limit),
    message: `Please use at most ${limit} characters`,
  }
  const proper = (pattern: string): Form => ({ pattern, message: invalidOf(field) })
  switch (field.type) {
    case 'text':
    case 'multiline':
      return [notTooLong]
    case 'email':
      return [
        // No address has characters beyond the basic plane, and the gateway would count each as two.
        proper(`^[\\u0000-\\uffff]{${EMAIL_CHARACTERS_MIN},${limit}}$`),
        ...(field.check ? [proper('^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$')] : []),
      ]
    case 'phone':
      return [...(field.check ? [proper(phonePattern(field))] : []), notTooLong]
    case 'date':
      return [proper(DAY_PATTERN)]
    case 'file':
      return [
        ...(field.accept === undefined ? [] : [proper(endingPattern(field.accept))]),
        notTooLong,
      ]
    case 'number':
    case 'yes-no':
    case 'select':
      return []
    default:
      return assertNever(field.type)
  }
}

/** Whether an answer can be of the wrong form, and not merely missing or too long. */
export const CAN_BE_MALFORMED: Readonly<Record<FieldType, boolean>> = {
  text: false,
  multiline: false,
  email: true,
  phone: true,
  number: true,
  date: true,
  'yes-no': false,
  select: true,
  file: true,
}

/** The field's own message for a malformed answer. */
export function invalidOf(field: Field): string {
  return field.invalid === '' ? 'Please check this answer' : field.invalid
}

/** The message for a field that has to be answered and is not. */
export function requiredOf(field: Field): string {
  return field.required?.message ?? invalidOf(field)
}

// 7 to 15 digits (E.164 allows 15) with the separators people write. The default, a prefix such as
// +91 that nobody typed anything after, is what an untouched form sends.
function phonePattern(field: Field): string {
  const number = '\\+?(?:[ ().\\-]*[0-9]){7,15}[ ().\\-]*'
  return typeof field.default === 'string'
    ? `^(?:${literal(field.default)}|${number})$`
    : `^${number}$`
}

// JSON Schema patterns carry no flags, so each letter stands for its two cases.
function endingPattern(accept: readonly string[]): string {
  const anyCase = (ending: string): string =>
    [...ending]
      .map((letter) =>
        /[a-z]/i.test(letter)
          ? `[${letter.toLowerCase()}${letter.toUpperCase()}]`
          : literal(letter),
      )
      .join('')
  return `[^.]\\.(?:${accept.map(anyCase).join('|')})$`
}

/** A text as a pattern that matches just that text, under the flag u. */
export function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
