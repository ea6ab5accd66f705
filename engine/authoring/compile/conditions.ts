/** Compiles conditions from every accepted notation of a file to the structure that is evaluated. */
import type { AgeBounds, Condition, Scalar, Test } from '../../event/answer-types.ts'
import { fromPairs } from '../../lib/result.ts'
import { addDays, addMonths, type Day } from '../../lib/time.ts'
import {
  removeUndefined,
  asMap,
  asOptionalDay,
  asText,
  asTexts,
  type PlainMap,
} from './read-checked-values.ts'

/** Compiles a condition: one map, or a list of maps, at least one of which must be true. */
export function toCondition(value: unknown): Condition {
  return (Array.isArray(value) ? value : [value]).map((entry) =>
    Object.entries(asMap(entry)).map(([field, test]) => ({ field, test: toTest(test) })),
  )
}

function toTest(value: unknown): Test {
  if (Array.isArray(value)) return { is: 'in', values: value as Scalar[] }
  if (typeof value !== 'object' || value === null) return { is: 'in', values: [value as Scalar] }
  const test = asMap(value)
  if (test.not !== undefined)
    return { is: 'not-in', values: (Array.isArray(test.not) ? test.not : [test.not]) as Scalar[] }
  if (test.has !== undefined)
    return { is: 'has', values: Array.isArray(test.has) ? asTexts(test.has) : [asText(test.has)] }
  if (test.count !== undefined) return { is: 'count', ...toBounds(asMap(test.count)) }
  if (test.answered !== undefined) return { is: 'answered', answered: test.answered === true }
  if (test.age !== undefined) {
    const age = asMap(test.age)
    return {
      is: 'date',
      age: { ...toBounds(age), ...removeUndefined({ on: asOptionalDay(age.on) }) },
    }
  }
  if (test.from !== undefined || test.to !== undefined)
    return {
      is: 'date',
      ...removeUndefined({ from: asOptionalDay(test.from), to: asOptionalDay(test.to) }),
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

/**
 * Replaces the age tests in a compiled value (a condition or a whole event) with tests on the date of birth. An age
 * without a day means the age on `firstDay`. Returns the same value if it contains no age test.
 */
export function resolveAges<T>(value: T, firstDay: Day): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const entries = value.map((entry: unknown) => resolveAges(entry, firstDay))
    return entries.some((entry, index) => entry !== value[index]) ? (entries as T) : value
  }
  if (isAgeTest(value)) return { ...value, ...toDatesOfBirth(value.age, firstDay) }
  const changed = Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const resolved = resolveAges(inner, firstDay)
    return resolved === inner ? [] : [[key, resolved] as const]
  })
  return changed.length === 0 ? value : { ...value, ...fromPairs(changed) }
}

const isAgeTest = (value: object): value is { is: 'date'; age: AgeBounds } =>
  'is' in value && value.is === 'date' && 'age' in value && value.age !== undefined

/** Converts ages to dates of birth. A person born on 29 February has their birthday on 1 March in other years. */
function toDatesOfBirth(
  { atLeast = -Infinity, atMost = Infinity, above = -Infinity, below = Infinity, on }: AgeBounds,
  firstDay: Day,
): Omit<Extract<Test, { is: 'date' }>, 'is'> {
  const day = on ?? firstDay
  const min = Math.max(atLeast, above + 1)
  const max = Math.min(atMost, below - 1)
  const bounds = { atLeast, atMost, above, below }
  return {
    ...(Number.isFinite(max) && { from: addDays(addMonths(day, -12 * (max + 1)), 1) }),
    ...(Number.isFinite(min) && { to: addMonths(day, -12 * min) }),
    age: {
      ...fromPairs(Object.entries(bounds).filter(([, bound]) => Number.isFinite(bound))),
      on: day,
    },
  }
}
