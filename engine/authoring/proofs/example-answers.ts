/** The trail of answers along a search path, to describe the delegate who reaches a result. */
import type { Answer, Answers } from '../../event/answer-types.ts'
import type { Carrying } from './walk-form.ts'

/** The answers of a path, the newest first. `weight` is their number; a No counts zero. */
export type AnswerTrail = {
  readonly name: string
  readonly answer: Answer
  readonly before: AnswerTrail
  readonly weight: number
} | null

export function longer(before: AnswerTrail, name: string, answer: Answer): AnswerTrail {
  return { name, answer, before, weight: (before?.weight ?? 0) + (answer === false ? 0 : 1) }
}

export function answersOfTrail(trail: AnswerTrail): Answers {
  const pairs: (readonly [string, Answer])[] = []
  for (let at = trail; at !== null; at = at.before) pairs.unshift([at.name, at.answer])
  return Object.fromEntries(pairs)
}

/** Returns the trail with fewer answers, so that only relevant ones are shown. */
function lighter(a: AnswerTrail, b: AnswerTrail): AnswerTrail {
  return (a?.weight ?? 0) <= (b?.weight ?? 0) ? a : b
}

export const carryingTrail: Carrying<AnswerTrail> = {
  start: null,
  answered: longer,
  keyOf: () => '',
  joined: lighter,
}
