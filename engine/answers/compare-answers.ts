/** Normalises answers for comparison: ignores case, spaces and the Indian country code. */
import type { Answer, Answers } from '../event/answer-types.ts'
import { toNfc } from '../lib/unicode.ts'
import type { EventConfig, Field } from '../event/config.ts'
import { isScalar } from '../rules/conditions-and-operators.ts'
import { FORMATS } from '../event/identifier-patterns.ts'
import { getOwn } from '../lib/result.ts'
import { memoize } from '../lib/memoize.ts'
import type { UniqueAnswers } from '../event/pricing-types.ts'

/** A uniqueness rule of the event file. The store has an index for each rule. */
export type UniqueRule = Pick<UniqueAnswers, 'onDuplicate'> & {
  /** The name of the index. Rules that compare the same answers in the same way share an index. */
  readonly name: string
  readonly parts: readonly {
    readonly id: string
    readonly as: 'text' | 'phone'
    /** The default value, which the form sends if the delegate enters nothing. It does not count as an answer. */
    readonly defaultAnswer?: string
  }[]
  /** The field with the delegate's email address, which the office can search for. */
  readonly emailField?: string
}

type ComparedEvent = Pick<EventConfig, 'unique' | 'fields' | 'roles'>
/** Returns the uniqueness rules in the order of the event file. */
export const listUniqueRules = memoize((event: ComparedEvent): readonly UniqueRule[] =>
  event.unique.map(({ fields, onDuplicate }): UniqueRule => {
    const parts = fields.map((id) => {
      const field = event.fields.find((field) => field.id === id)
      const fieldType =
        field !== undefined && isPhone(field) ? ('phone' as const) : ('text' as const)
      return typeof field?.default === 'string'
        ? { id, as: fieldType, defaultAnswer: field.default }
        : { id, as: fieldType }
    })
    const rule = { onDuplicate, parts, name: parts.map(({ id, as }) => `${id} ${as}`).join(', ') }
    const email = event.fields.find(({ id, type }) => id === event.roles.email && type === 'email')
    return email !== undefined && fields.includes(email.id)
      ? { ...rule, emailField: email.id }
      : rule
  }),
)

function isPhone({ type, pattern }: Field): boolean {
  return type === 'phone' || pattern === FORMATS['mobile-in']
}

/**
 * Returns the key by which these answers are compared. Null if an answer is missing, because a missing answer equals no
 * other.
 */
export function getComparisonKey(
  { parts }: Pick<UniqueRule, 'parts'>,
  answers: Answers,
): string | null {
  const foldedAnswers = parts.map(({ id, as, defaultAnswer }) => {
    const answer = getOwn(answers, id)
    if (answer === undefined || answer === defaultAnswer) return ''
    return as === 'phone' ? foldPhone(String(answer)) : foldText(formatAnswerAsText(answer))
  })
  return foldedAnswers.includes('') ? null : JSON.stringify(foldedAnswers)
}

function formatAnswerAsText(answer: Answer): string {
  return isScalar(answer) ? String(answer) : JSON.stringify(answer)
}

/**
 * Normalises a string for comparison: ignores case, spaces and invisible characters, and treats characters that differ
 * only in appearance as equal (NFKC).
 */
export function foldText(text: string): string {
  // Fast path: nearly every answer is plain ASCII, and one call may normalise 100,000 of them.
  if (/^[ -~]*$/.test(text)) return text.replaceAll(' ', '').toLowerCase()
  const plain = toNfc(text).normalize('NFKC').replace(INVISIBLE_CHARACTERS, '')
  // Converts to upper case and then to lower case, so that ß equals ss and a final sigma equals a
  // sigma.
  return plain.toUpperCase().toLowerCase().normalize('NFKC')
}
const INVISIBLE_CHARACTERS = /[\s\p{Default_Ignorable_Code_Point}\u2800]+/gu

/**
 * Returns the digits of a phone number; for an Indian mobile number in any notation, its ten
 * national digits.
 */
export function foldPhone(text: string): string {
  const digits = text.normalize('NFKC').replace(/[^0-9]/g, '')
  return INDIAN_MOBILE.exec(digits)?.[1] ?? digits.replace(/^00/, '')
}
const INDIAN_MOBILE = /^(?:(?:00)?91)?0?([6-9][0-9]{9})$/

/** Normalises a code for lookup: keeps only letters and digits, so a missing dash does not matter. */
export function foldCode(text: string): string {
  return foldText(text).replace(/[^\p{L}\p{N}]+/gu, '')
}
