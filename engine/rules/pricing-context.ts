/**
 * Pricing context: available seats, the discount code and member records, which the server looks
 * up.
 *
 * Conditions and prices use it in addition to the answers, under names that no field can have. It
 * is stored with the answers, so that a bill can be recalculated from stored data.
 */
import type { PublicEvent } from '../event/config.ts'
import type { Answers, Scalar } from '../event/answer-types.ts'
import { fromPairs, getOwn } from '../lib/result.ts'

/** The name of the discount code's kind among the answers. */
export const CODE_NAME = 'code'

/** The form field for the payment method. */
export const METHOD_FIELD = 'way'

/**
 * The name of the payment method in conditions of adjustments. Never stored, because it follows
 * from the payment.
 */
export const METHOD_NAME = 'method'

/** The member list column with the last date on which a row is valid. */
export const VALID_TO_COLUMN = 'valid_to'

/** Returns the name of a full quota among the answers. `seat` is a quota's id, or `quota.option`. */
export function getFullQuotaName(seat: string): string {
  return `full.${seat}`
}

/** Returns the name of a value that a member list provides for an answer. */
export function getMemberListValueName(field: string, column: string): string {
  return `${field}.${column}`
}

/** The result of looking up an entered discount code. */
export type CodeStatus =
  | { readonly is: 'valid'; readonly kind: string }
  /** The code was never issued, is used up, has expired, or was withdrawn. */
  | { readonly is: 'unknown' | 'spent' | 'over' | 'withdrawn' }

export type PricingContext = {
  /** Null if no code was entered. */
  readonly code: CodeStatus | null
  /**
   * Seats left, by quota id or `quota.option`. Absent if unlimited, or if there are more than
   * enough.
   */
  readonly left: Readonly<Record<string, number>>
  /** The member list row for each field's answer, by field id. Null if there is none. */
  readonly memberRecords: Readonly<Record<string, Readonly<Record<string, string>> | null>>
}

export const EMPTY_CONTEXT: PricingContext = { code: null, left: {}, memberRecords: {} }

/** Returns the context values under their names in conditions. */
export function getContextValues(context: PricingContext): Answers {
  const pairs: [string, Scalar][] = []
  if (context.code?.is === 'valid') pairs.push([CODE_NAME, context.code.kind])
  for (const [seat, left] of Object.entries(context.left))
    if (left <= 0) pairs.push([getFullQuotaName(seat), true])
  for (const [field, row] of Object.entries(context.memberRecords))
    if (row !== null)
      for (const [column, value] of Object.entries(row))
        pairs.push([getMemberListValueName(field, column), value])
  return fromPairs(pairs)
}

/** Returns the answers with this context instead of any previous one. */
export function addContext(event: PublicEvent, answers: Answers, context: PricingContext): Answers {
  return { ...removeContext(event, answers), ...getContextValues(context) }
}

/** Returns the answers without the context. */
export function removeContext(event: PublicEvent, answers: Answers): Answers {
  const isAnswer = (id: string): boolean =>
    event.fields.some((field) => field.id === id) ||
    event.alsoStored.some((stored) => stored.id === id)
  return fromPairs(Object.entries(answers).filter(([id]) => isAnswer(id)))
}

/**
 * Extracts the context that is stored with these answers. Quotas that were not full are not stored.
 */
export function extractContext(event: PublicEvent, answers: Answers): PricingContext {
  const left: Record<string, number> = {}
  const memberLists: Record<string, Record<string, string>> = {}
  let code: CodeStatus | null = null
  const ownAnswers = removeContext(event, answers)
  for (const [name, value] of Object.entries(answers)) {
    if (getOwn(ownAnswers, name) !== undefined) continue
    const [field = '', column] = name.split('.')
    if (name === CODE_NAME) code = { is: 'valid', kind: String(value) }
    else if (name.startsWith(getFullQuotaName('')))
      left[name.slice(getFullQuotaName('').length)] = 0
    else if (column !== undefined) (memberLists[field] ??= {})[column] = String(value)
  }
  return { code, left, memberRecords: memberLists }
}
