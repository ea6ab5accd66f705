/**
 * Defines the valid answers for each field type. Normalisation, validation and the JSON Schema use these definitions.
 */
import { VALIDATION_MESSAGES } from '../text-catalogue/validation.ts'
import { formatMessage } from '../lib/format-message.ts'
import type { Answer } from '../event/answer-types.ts'
import { MAX_ANSWER_CHARACTERS } from '../event/default-settings-and-limits.ts'
import type { Field } from '../event/config.ts'
import { FORMATS } from '../event/identifier-patterns.ts'
import { findState, readGstin } from '../event/gstin.ts'
import { getDecimals, type Currency } from '../lib/money.ts'
import { assertNever } from '../lib/result.ts'
import { DAY_PATTERN, type Day } from '../lib/time.ts'

/** The maximum length of an email address that the gateway accepts, in characters (see the gateway's field table). */
export const GATEWAY_EMAIL_LENGTH = { min: 6, max: 50 } as const

const EMAIL_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
/** The pattern that the HTML standard defines for `<input type=email>`. Browsers accept exactly these addresses. */
const EMAIL_PATTERN = `^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${EMAIL_LABEL}(?:\\.${EMAIL_LABEL})*$`

/**
 * A pattern that an answer must match, in JSON Schema syntax (unanchored, flag u), and the error
 * message for a mismatch.
 */
type AnswerPattern = { readonly pattern: string; readonly message: (answer: string) => string }

/** Returns the length of the longest answer that the field accepts, in characters. */
export function getMaxCharacters(field: Field): number {
  const limit = field.maxLength ?? MAX_ANSWER_CHARACTERS[field.type]
  return field.type === 'email' ? Math.min(limit, MAX_ANSWER_CHARACTERS.email) : limit
}

const EMAIL_REGEXP = new RegExp(EMAIL_PATTERN, 'u')

/** Returns true if browsers accept the text as an email address. */
export function isEmail(text: string): boolean {
  return EMAIL_REGEXP.test(text)
}

/** Builds the message for a valid address that the gateway does not accept. */
export function buildGatewayEmailMessage(characters: number): string {
  const { min, max } = GATEWAY_EMAIL_LENGTH
  return formatMessage(VALIDATION_MESSAGES.emailForGateway, { count: characters, min, max })
}

/**
 * Returns the patterns for a text-like field, in the order in which they are tested. Empty for number, yes-no and
 * select fields.
 */
export function getFieldPatterns(field: Field): readonly AnswerPattern[] {
  const limit = getMaxCharacters(field)
  const buildLengthPattern = (min: number, max: number): string => `^[\\s\\S]{${min},${max}}$`
  const maxLengthPattern: AnswerPattern = {
    pattern: buildLengthPattern(0, limit),
    message: () => formatMessage(VALIDATION_MESSAGES.tooLong, { max: limit }),
  }
  const withInvalidMessage = (pattern: string): AnswerPattern => ({
    pattern,
    message: () => getInvalidMessage(field),
  })
  switch (field.type) {
    case 'text':
    case 'multiline':
      return [
        maxLengthPattern,
        ...(field.pattern === undefined ? [] : [withInvalidMessage(field.pattern)]),
      ]
    case 'email':
      return [
        // Checked first: the other patterns cannot check a truncated address.
        maxLengthPattern,
        withInvalidMessage(EMAIL_PATTERN),
        ...(field.check ? [withInvalidMessage('@[^\\s@]+\\.[^\\s@]+$')] : []),
        ...(field.toGateway === true
          ? [
              {
                pattern: buildLengthPattern(GATEWAY_EMAIL_LENGTH.min, GATEWAY_EMAIL_LENGTH.max),
                message: ({ length: characters }: string) => buildGatewayEmailMessage(characters),
              },
            ]
          : []),
      ]
    case 'phone':
      return [
        ...(field.check ? [withInvalidMessage(getPhonePattern(field))] : []),
        maxLengthPattern,
      ]
    case 'date':
      return getDatePatterns(field.from, field.to).map(withInvalidMessage)
    case 'file':
      return [
        ...(field.accept === undefined
          ? []
          : [withInvalidMessage(buildExtensionPattern(field.accept))]),
        maxLengthPattern,
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

/** Returns true if the field rejects some answers as malformed, and not only as missing or too long. */
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

/**
 * Returns the field's message for a malformed answer. Without one, describes the format of a transfer reference, or
 * the allowed range of a number.
 */
export function getInvalidMessage(field: Field): string {
  const { type, invalid, pattern } = field
  if (invalid !== '') return invalid
  if (pattern !== undefined)
    return pattern === FORMATS.utr ? VALIDATION_MESSAGES.utr : VALIDATION_MESSAGES.format
  return (type === 'number' ? buildRangeMessage(field) : null) ?? VALIDATION_MESSAGES.check
}

function buildRangeMessage({ min, max }: Field): string | null {
  const { numberBetween, numberFrom, numberTo } = VALIDATION_MESSAGES
  if (min === undefined)
    return max === undefined ? null : formatMessage(numberTo, { max: String(max) })
  return max === undefined
    ? formatMessage(numberFrom, { min: String(min) })
    : formatMessage(numberBetween, { min: String(min), max: String(max) })
}

/**
 * Checks rules that no pattern can express, and returns the error for a well-formed answer, or null. The JSON Schema
 * cannot contain these rules, so both validations call this function. A GSTIN is accepted if and only if an invoice
 * can print it.
 */
export function findValueError(
  field: Field,
  answer: Answer | undefined,
  currency: Currency,
): string | null {
  if (field.pattern === FORMATS.gstin && typeof answer === 'string')
    return readGstin(answer) === null ? buildGstinMessage(answer) : null
  if (field.isAmount === true && typeof answer === 'number')
    return Number(answer.toFixed(getDecimals(currency))) === answer
      ? null
      : buildAmountMessage(currency)
  return null
}

/** Explains why an answer in the format of a GSTIN is not a GSTIN: its state code or its check character. */
function buildGstinMessage(answer: string): string {
  const code = answer.slice(0, 2)
  return findState(code) === null
    ? formatMessage(VALIDATION_MESSAGES.gstinState, { code })
    : VALIDATION_MESSAGES.gstin
}

function buildAmountMessage(currency: Currency): string {
  const { amount, amountWithThreeDecimals, wholeAmount } = VALIDATION_MESSAGES
  const decimals = getDecimals(currency)
  return decimals === 0 ? wholeAmount : decimals === 2 ? amount : amountWithThreeDecimals
}

/** Returns the message for a required field that has no answer. */
export function getRequiredMessage(field: Field): string {
  return field.required?.message ?? getInvalidMessage(field)
}

// Matches 7 to 15 digits (E.164 allows 15) with the separators that people write. An untouched form sends the
// default, which is a prefix such as +91.
function getPhonePattern(field: Field): string {
  const numberPattern = '\\+?(?:[ ().\\-]*[0-9]){7,15}[ ().\\-]*'
  return typeof field.default === 'string'
    ? `^(?:${escapeForPattern(field.default)}|${numberPattern})$`
    : `^${numberPattern}$`
}

/** Returns patterns that together match the dates in a range, including both ends. */
export function getDatePatterns(from: Day | undefined, to: Day | undefined): readonly string[] {
  return [
    DAY_PATTERN,
    ...(from === undefined ? [] : [buildLimitPattern(from, 'later')]),
    ...(to === undefined ? [] : [buildLimitPattern(to, 'earlier')]),
  ]
}

/**
 * Builds a pattern for the limit and all later (or earlier) dates, with one alternative for each position at which a
 * digit may differ first.
 */
function buildLimitPattern(limit: Day, side: 'later' | 'earlier'): string {
  const alternatives = [...limit].flatMap((digit, index) => {
    const remainingDigits = limit.slice(index + 1).replace(/\d/g, '[0-9]')
    if (!/\d/.test(digit) || digit === (side === 'later' ? '9' : '0')) return []
    const range = side === 'later' ? `[${Number(digit) + 1}-9]` : `[0-${Number(digit) - 1}]`
    return [`${limit.slice(0, index)}${range}${remainingDigits}`]
  })
  return `^(?:${[limit, ...alternatives].join('|')})$`
}

// JSON Schema patterns have no flags, so each letter is listed in both cases.
function buildExtensionPattern(accept: readonly string[]): string {
  const matchAnyCase = (suffix: string): string =>
    [...suffix]
      .map((letter) =>
        /[a-z]/i.test(letter)
          ? `[${letter.toLowerCase()}${letter.toUpperCase()}]`
          : escapeForPattern(letter),
      )
      .join('')
  return `[^.]\\.(?:${accept.map(matchAnyCase).join('|')})$`
}

/** Returns a pattern that matches only this text, with the flag u. */
export function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** Returns the message for an invalid multiple choice: too few or too many options, or two that exclude each other. */
export function getChoiceMessage(field: Field): string {
  return field.choose?.message || getInvalidMessage(field)
}

/** Returns the fields that a `people` field has for each person. Empty for other types. */
export function getPersonFields(field: Field): readonly Field[] {
  return field.fields ?? []
}
