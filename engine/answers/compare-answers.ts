/**
 * Answers as they are compared where the same thing may be written in several ways: without case, spaces and
 * what cannot be seen, Indian mobile numbers without the country's number.
 */
import type { Answer, Answers } from '../event/answer-types.ts'
import { composed } from '../lib/unicode.ts'
import type { Field, PublicEvent } from '../event/config.ts'
import { isScalar } from '../rules/evaluate-condition.ts'
import { FORMATS } from '../event/identifier-patterns.ts'
import { own } from '../lib/result.ts'
import { remember } from '../lib/memoize.ts'
import type { Unique } from '../event/pricing-types.ts'

/** A rule of what may be answered once, as the store keeps an index for it. */
export type UniqueRule = Pick<Unique, 'otherwise'> & {
  /** The index is known by it: rules that compare the same answers in the same way share one. */
  readonly name: string
  readonly parts: readonly {
    readonly id: string
    readonly as: 'text' | 'phone'
    /** What an untouched form sends, which is no answer. */
    readonly untouched?: string
  }[]
}

/** In the event file's order. */
export const uniqueRules = remember((event: PublicEvent): readonly UniqueRule[] =>
  event.unique.map(({ fields, otherwise }): UniqueRule => {
    const parts = fields.map((id) => {
      const field = event.fields.find((one) => one.id === id)
      const as = field !== undefined && isPhone(field) ? ('phone' as const) : ('text' as const)
      return typeof field?.default === 'string' ? { id, as, untouched: field.default } : { id, as }
    })
    return { otherwise, parts, name: parts.map(({ id, as }) => `${id} ${as}`).join(', ') }
  }),
)

function isPhone({ type, pattern }: Field): boolean {
  return type === 'phone' || pattern === FORMATS['mobile-in']
}

/** What a rule compares of these answers; null where any of them is missing, because nothing is then like anything. */
export function foldedFor({ parts }: Pick<UniqueRule, 'parts'>, answers: Answers): string | null {
  const folded = parts.map(({ id, as, untouched }) => {
    const answer = own(answers, id)
    if (answer === undefined || answer === untouched) return ''
    return as === 'phone' ? foldedPhone(String(answer)) : foldedText(textOf(answer))
  })
  return folded.includes('') ? null : JSON.stringify(folded)
}

function textOf(answer: Answer): string {
  return isScalar(answer) ? String(answer) : JSON.stringify(answer)
}

/** Without case, spaces, and what cannot be seen; signs that only look otherwise are the same (NFKC). */
export function foldedText(text: string): string {
  // Nearly every answer is plain ASCII, and there may be a hundred thousand to fold at once.
  if (/^[ -~]*$/.test(text)) return text.replaceAll(' ', '').toLowerCase()
  const plain = composed(text).normalize('NFKC').replace(UNSEEN, '')
  // Both ways, so that ß is ss and a final sigma is a sigma.
  return plain.toUpperCase().toLowerCase().normalize('NFKC')
}
const UNSEEN = /[\s\p{Default_Ignorable_Code_Point}\u2800]+/gu

/** The digits; of an Indian mobile number the ten that are its own, however it is dialled. */
export function foldedPhone(text: string): string {
  const digits = text.normalize('NFKC').replace(/[^0-9]/g, '')
  return INDIAN_MOBILE.exec(digits)?.[1] ?? digits.replace(/^00/, '')
}
const INDIAN_MOBILE = /^(?:(?:00)?91)?0?([6-9][0-9]{9})$/

/** A code as it is looked for: letters and digits only, so that nobody fails at a dash. */
export function foldedCode(text: string): string {
  return foldedText(text).replace(/[^\p{L}\p{N}]+/gu, '')
}
