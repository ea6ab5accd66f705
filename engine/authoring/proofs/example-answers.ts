/** Records the answers along a search path, to describe the delegate who reaches a result. */
import type { Answer, Answers } from '../../event/answer-types.ts'
import type { StateOperations } from './walk-form.ts'

/** The answers of a path, newest first. `weight` is the number of answers other than No. */
export type AnswerPath = {
  readonly name: string
  readonly answer: Answer
  readonly previous: AnswerPath
  readonly weight: number
} | null

export function extendPath(before: AnswerPath, name: string, answer: Answer): AnswerPath {
  return {
    name,
    answer,
    previous: before,
    weight: (before?.weight ?? 0) + (answer === false ? 0 : 1),
  }
}

export function collectAnswers(path: AnswerPath): Answers {
  const pairs: (readonly [string, Answer])[] = []
  for (let step = path; step !== null; step = step.previous) pairs.unshift([step.name, step.answer])
  return Object.fromEntries(pairs)
}

/** Returns the path with fewer answers, so that only relevant answers are shown. */
function pickShorterPath(a: AnswerPath, b: AnswerPath): AnswerPath {
  return (a?.weight ?? 0) <= (b?.weight ?? 0) ? a : b
}

export const pathState: StateOperations<AnswerPath> = {
  start: null,
  addAnswer: extendPath,
  buildKey: () => '',
  merge: pickShorterPath,
}
