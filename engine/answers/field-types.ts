/** What a proper answer of each field type looks like; read by the normaliser, the check and the schema alike. */
import type { Answer } from '../event/answer-types.ts'
import { ANSWER_CHARACTERS_MAX } from '../event/defaults.ts'
import type { Field } from '../event/config.ts'
import { FORMATS } from '../event/identifier-patterns.ts'
import { readGstin } from '../event/gstin.ts'
import { assertNever } from '../lib/result.ts'
import { DAY_PATTERN, type Day } from '../lib/time.ts'

/** What the gateway takes for the email address of whoever pays (its field table), in characters. */
export const GATEWAY_EMAIL_CHARACTERS = { min: 6, max: 50 } as const

const EMAIL_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
/** HTML's rule for `<input type=email>`, word for word: what every browser takes for an address. */
const EMAIL_PATTERN = `^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${EMAIL_LABEL}(?:\\.${EMAIL_LABEL})*$`

/**
 * A pattern an answer must match, as JSON Schema writes it (unanchored, flag u), and what is said of an
 * answer that does not.
 */
type Form = { readonly pattern: string; readonly message: (answer: string) => string }

/** The longest answer that the field takes, in characters. */
export function charactersMax(field: Field): number {
  const limit = field.lengthMax ?? ANSWER_CHARACTERS_MAX[field.type]
  return field.type === 'email' ? Math.min(limit, ANSWER_CHARACTERS_MAX.email) : limit
}

const EMAIL = new RegExp(EMAIL_PATTERN, 'u')

/** Whether browsers would take it for an email address. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text)
}

/** What is said of an address that is one, and that the gateway does not take. */
export function emailNotForGateway(characters: number): string {
  const { min, max } = GATEWAY_EMAIL_CHARACTERS
  return `This address has ${characters} characters. The payment gateway only takes addresses of ${min} to ${max}. Please give another one.`
}

/** The patterns of a text-like field, in the order in which they are judged. Empty for numbers, yes-no and select. */
export function formsOf(field: Field): readonly Form[] {
  const limit = charactersMax(field)
  const length = (min: number, max: number): string => `^[\\s\\S]{${min},${max}}$`
  const notTooLong: Form = {
    pattern: length(0, limit),
    message: () => `Please use at most ${limit} characters`,
  }
  const proper = (pattern: string): Form => ({ pattern, message: () => invalidOf(field) })
  switch (field.type) {
    case 'text':
    case 'multiline':
      return [notTooLong, ...(field.pattern === undefined ? [] : [proper(field.pattern)])]
    case 'email':
      return [
        // Of what was cut nobody knows whether it was an address.
        notTooLong,
        proper(EMAIL_PATTERN),
        ...(field.check ? [proper('@[^\\s@]+\\.[^\\s@]+$')] : []),
        ...(field.toGateway === true
          ? [
              {
                pattern: length(GATEWAY_EMAIL_CHARACTERS.min, GATEWAY_EMAIL_CHARACTERS.max),
                message: ({ length: characters }: string) => emailNotForGateway(characters),
              },
            ]
          : []),
      ]
    case 'phone':
      return [...(field.check ? [proper(phonePattern(field))] : []), notTooLong]
    case 'date':
      return datePatterns(field.from, field.to).map(proper)
    case 'file':
      return [
        ...(field.accept === undefined ? [] : [proper(endingPattern(field.accept))]),
        notTooLong,
      ]
    case 'number':
    case 'yes-no':
    case 'select':
    case 'many':
    case 'people':
    case 'consent':
      return []
    default:
      return assertNever(field.type)
  }
}

/** Whether an answer can be of the wrong form, and not merely missing or too long. */
export function canBeMalformed({ type, pattern, roll }: Field): boolean {
  switch (type) {
    case 'text':
    case 'multiline':
      return pattern !== undefined || roll !== undefined
    case 'email':
    case 'phone':
    case 'number':
    case 'date':
    case 'select':
    case 'file':
    case 'many':
    case 'people':
      return true
    case 'yes-no':
    case 'consent':
      return false
    default:
      return assertNever(type)
  }
}

const UTR_SAYS =
  'Please enter the UTR: 12 digits for UPI and IMPS, or 16 or 22 letters and digits for NEFT and RTGS'

/** The field's own message for a malformed answer; of a transfer's number what one looks like. */
export function invalidOf(field: Field): string {
  if (field.invalid !== '') return field.invalid
  return field.pattern === FORMATS.utr ? UTR_SAYS : 'Please check this answer'
}

/**
 * What is wrong with an answer of the right form; null: nothing. No pattern can express it, so the schema does not
 * know it, and both verdicts ask here. A GSTIN is accepted exactly where an invoice prints it.
 */
export function faultOf(field: Field, answer: Answer | undefined): string | null {
  if (field.pattern === FORMATS.gstin && typeof answer === 'string')
    return readGstin(answer) === null ? GSTIN_SAYS : null
  if (field.isAmount === true && typeof answer === 'number')
    return Number(answer.toFixed(2)) === answer ? null : AMOUNT_SAYS
  return null
}
const GSTIN_SAYS = 'This GSTIN has a wrong character. Please check it.'
const AMOUNT_SAYS = 'Please enter an amount with at most two decimals'

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

/** Real days from one to another, both included, as patterns that must all match. */
export function datePatterns(from: Day | undefined, to: Day | undefined): readonly string[] {
  return [
    DAY_PATTERN,
    ...(from === undefined ? [] : [beyond(from, 'later')]),
    ...(to === undefined ? [] : [beyond(to, 'earlier')]),
  ]
}

/** Days compare as text of equal length: equal, or beyond at the first character that differs. */
function beyond(limit: Day, side: 'later' | 'earlier'): string {
  const alternatives = [...limit].flatMap((digit, at) => {
    const rest = limit.slice(at + 1).replace(/\d/g, '[0-9]')
    if (!/\d/.test(digit) || digit === (side === 'later' ? '9' : '0')) return []
    const range = side === 'later' ? `[${Number(digit) + 1}-9]` : `[0-${Number(digit) - 1}]`
    return [`${limit.slice(0, at)}${range}${rest}`]
  })
  return `^(?:${[limit, ...alternatives].join('|')})$`
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

/** What is said of a choice of several that is not one: too few, too many, or two that exclude each other. */
export function chooseOf(field: Field): string {
  return field.choose?.say || invalidOf(field)
}

/** The simple fields of a `people` field; none elsewhere. */
export function fieldsOfPerson(field: Field): readonly Field[] {
  return field.fields ?? []
}
