/**
 * Pricing context: availability of seats, the discount code and member records, found by the
 * server.
 *
 * Conditions and prices read it in addition to the answers, under names that no field can have. It is
 * stored with the answers, so that a bill can be recalculated from stored data.
 */
import type { PublicEvent } from '../event/config.ts'
import type { Answers, Scalar } from '../event/answer-types.ts'
import { fromPairs, getOwn } from '../lib/result.ts'

/** The name of the discount code's kind among the answers. */
export const CODE_NAME = 'code'

/** The form field by which a delegate chooses a payment method. */
export const METHOD_FIELD = 'way'

/** The name of the payment method in conditions of adjustments. Never stored: it follows from the payment. */
export const METHOD_NAME = 'method'

/** The name among the answers of a seat that is full: a quota's id, or `limit.option`. */
export function getFullSeatName(seat: string): string {
  return `full.${seat}`
}

/** The name of a value that a member list gives for an answer. */
export function getMemberListValueName(field: string, column: string): string {
  return `${field}.${column}`
}

/** The result of looking up an entered discount code. */
export type CodeStatus =
  | { readonly is: 'valid'; readonly kind: string }
  /** Never issued; used up; past its last day; withdrawn. */
  | { readonly is: 'unknown' | 'spent' | 'over' | 'withdrawn' }

export type PricingContext = {
  /** Null if no code was entered. */
  readonly code: CodeStatus | null
  /** Seats left, by quota id or `limit.option`. Absent if unlimited, or plenty left. */
  readonly left: Readonly<Record<string, number>>
  /** By field, the row of the member list that contains the answer. Null if none does. */
  readonly rolls: Readonly<Record<string, Readonly<Record<string, string>> | null>>
}

export const EMPTY_CONTEXT: PricingContext = { code: null, left: {}, rolls: {} }

/** Returns the context under the names that conditions use. */
export function getContextValues(context: PricingContext): Answers {
  const pairs: [string, Scalar][] = []
  if (context.code?.is === 'valid') pairs.push([CODE_NAME, context.code.kind])
  for (const [seat, left] of Object.entries(context.left))
    if (left <= 0) pairs.push([getFullSeatName(seat), true])
  for (const [field, row] of Object.entries(context.rolls))
    if (row !== null)
      for (const [column, value] of Object.entries(row))
        pairs.push([getMemberListValueName(field, column), value])
  return fromPairs(pairs)
}

/** Returns the answers with the context added, replacing any previous context. */
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

/** Extracts the context stored with these answers; it does not include seats that were not full. */
export function extractContext(event: PublicEvent, answers: Answers): PricingContext {
  const left: Record<string, number> = {}
  const memberLists: Record<string, Record<string, string>> = {}
  let code: CodeStatus | null = null
  const ownAnswers = removeContext(event, answers)
  for (const [name, value] of Object.entries(answers)) {
    if (getOwn(ownAnswers, name) !== undefined) continue
    const [field = '', column] = name.split('.')
    if (name === CODE_NAME) code = { is: 'valid', kind: String(value) }
    else if (name.startsWith(getFullSeatName(''))) left[name.slice(getFullSeatName('').length)] = 0
    else if (column !== undefined) (memberLists[field] ??= {})[column] = String(value)
  }
  return { code, left, rolls: memberLists }
}
