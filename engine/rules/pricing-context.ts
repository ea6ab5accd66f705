/**
 * What one form cannot know: whether a place is left, what a code gives, what a roll says. The server finds
 * it out; conditions and prices read it beside the answers, under names that no field can have, and it is
 * stored with them, so that a bill can be worked out again from what is stored.
 */
import type { PublicEvent } from '../event/config.ts'
import type { Answers, Scalar } from '../event/answer-types.ts'
import { fromPairs, own } from '../lib/result.ts'

/** The name of the code's kind among the answers. */
export const CODE = 'code'

/** The name of a place that is full among the answers: a limit's id, or `limit.option`. */
export function fullOf(place: string): string {
  return `full.${place}`
}

/** The name of what a roll says of an answer. */
export function rollValueOf(field: string, column: string): string {
  return `${field}.${column}`
}

/** What became of a code that was typed. */
export type CodeFact =
  | { readonly is: 'valid'; readonly kind: string }
  /** Nobody made it; it was used up; its last day is over; it was withdrawn. */
  | { readonly is: 'unknown' | 'spent' | 'over' | 'withdrawn' }

export type Facts = {
  /** Null: no code was typed. */
  readonly code: CodeFact | null
  /** Places that are left, by place: a limit's id, or `limit.option`. What is absent is not limited, or has plenty. */
  readonly left: Readonly<Record<string, number>>
  /** By field, the row of its roll on which the answer stands; null: on none. */
  readonly rolls: Readonly<Record<string, Readonly<Record<string, string>> | null>>
}

export const NO_FACTS: Facts = { code: null, left: {}, rolls: {} }

/** The facts under the names by which conditions ask for them. */
export function factValues(facts: Facts): Answers {
  const pairs: [string, Scalar][] = []
  if (facts.code?.is === 'valid') pairs.push([CODE, facts.code.kind])
  for (const [place, left] of Object.entries(facts.left))
    if (left <= 0) pairs.push([fullOf(place), true])
  for (const [field, row] of Object.entries(facts.rolls))
    if (row !== null)
      for (const [column, value] of Object.entries(row))
        pairs.push([rollValueOf(field, column), value])
  return fromPairs(pairs)
}

/** The answers with the facts beside them; facts that were there before are gone. */
export function laidIn(event: PublicEvent, answers: Answers, facts: Facts): Answers {
  return { ...answersAlone(event, answers), ...factValues(facts) }
}

/** The answers without the facts. */
export function answersAlone(event: PublicEvent, answers: Answers): Answers {
  const isAnswer = (id: string): boolean =>
    event.fields.some((field) => field.id === id) ||
    event.alsoStored.some((stored) => stored.id === id)
  return fromPairs(Object.entries(answers).filter(([id]) => isAnswer(id)))
}

/** The facts that were laid in beside these answers; a place that was not full is not among them. */
export function factsAmong(event: PublicEvent, answers: Answers): Facts {
  const left: Record<string, number> = {}
  const rolls: Record<string, Record<string, string>> = {}
  let code: CodeFact | null = null
  const given = answersAlone(event, answers)
  for (const [name, value] of Object.entries(answers)) {
    if (own(given, name) !== undefined) continue
    const [field = '', column] = name.split('.')
    if (name === CODE) code = { is: 'valid', kind: String(value) }
    else if (name.startsWith(fullOf(''))) left[name.slice(fullOf('').length)] = 0
    else if (column !== undefined) (rolls[field] ??= {})[column] = String(value)
  }
  return { code, left, rolls }
}
