/** The answers that led along a way of a walk, so that whoever gets somewhere can be named. */
import type { Answer, Answers } from '../../event/answer-types.ts'
import type { Carrying } from './walk-form.ts'

/** The answers of a way, the newest first. `weight` is how many there are; a No weighs nothing. */
export type Trail = {
  readonly name: string
  readonly answer: Answer
  readonly before: Trail
  readonly weight: number
} | null

export function longer(before: Trail, name: string, answer: Answer): Trail {
  return { name, answer, before, weight: (before?.weight ?? 0) + (answer === false ? 0 : 1) }
}

export function answersOfTrail(trail: Trail): Answers {
  const pairs: (readonly [string, Answer])[] = []
  for (let at = trail; at !== null; at = at.before) pairs.unshift([at.name, at.answer])
  return Object.fromEntries(pairs)
}

/** The one with the fewer answers: what matters is said, and nothing else. */
function lighter(a: Trail, b: Trail): Trail {
  return (a?.weight ?? 0) <= (b?.weight ?? 0) ? a : b
}

export const carryingTrail: Carrying<Trail> = {
  start: null,
  answered: longer,
  keyOf: () => '',
  joined: lighter,
}
