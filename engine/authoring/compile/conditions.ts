/** Compiles the conditions of a file from any accepted form to the one that is evaluated. */
import type { Condition, Scalar, Test } from '../../event/answer-types.ts'
import {
  removeUndefined,
  map,
  optionalDay,
  text,
  texts,
  type PlainMap,
} from './read-checked-values.ts'

/** Compiles a condition: one map, or a list of maps of which any may hold. */
export function toCondition(value: unknown): Condition {
  return (Array.isArray(value) ? value : [value]).map((entry) =>
    Object.entries(map(entry)).map(([field, test]) => ({ field, test: toTest(test) })),
  )
}

function toTest(value: unknown): Test {
  if (Array.isArray(value)) return { is: 'in', values: value as Scalar[] }
  if (typeof value !== 'object' || value === null) return { is: 'in', values: [value as Scalar] }
  const test = map(value)
  if (test.not !== undefined)
    return { is: 'not-in', values: (Array.isArray(test.not) ? test.not : [test.not]) as Scalar[] }
  if (test.has !== undefined)
    return { is: 'has', values: Array.isArray(test.has) ? texts(test.has) : [text(test.has)] }
  if (test.count !== undefined) return { is: 'count', ...toBounds(map(test.count)) }
  if (test.answered !== undefined) return { is: 'answered', answered: test.answered === true }
  if (test.from !== undefined || test.to !== undefined)
    return {
      is: 'date',
      ...removeUndefined({ from: optionalDay(test.from), to: optionalDay(test.to) }),
    }
  return { is: 'number', ...toBounds(test) }
}

function toBounds(test: PlainMap): Omit<Extract<Test, { is: 'number' }>, 'is'> {
  return removeUndefined({
    atLeast: test.at_least as number | undefined,
    atMost: test.at_most as number | undefined,
    above: test.above as number | undefined,
    below: test.below as number | undefined,
  })
}
