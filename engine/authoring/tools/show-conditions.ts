/** Writes conditions in the syntax of an event file. */
import type { Answer, Condition, ConditionMap, Test } from '../../event/answer-types.ts'
import { assertNever, fromPairs } from '../../lib/result.ts'

/** A plain value to write in the file. */
export type DisplayedValue = unknown
export type Block = Readonly<Record<string, DisplayedValue>>

/** Returns the block without undefined values. */
export function removeUndefined(block: Block): Block {
  return fromPairs(Object.entries(block).filter(([, value]) => value !== undefined))
}

/** Writes a condition: one map, or a list of maps. */
export function showCondition(condition: Condition): DisplayedValue {
  const maps = condition.map((map: ConditionMap) =>
    fromPairs(map.map(({ field, test }) => [field, showTest(test)] as const)),
  )
  return maps.length === 1 ? maps[0] : maps
}

function showTest(test: Test): DisplayedValue {
  const unwrapSingle = (values: readonly Answer[]): DisplayedValue =>
    values.length === 1 ? values[0] : values
  switch (test.is) {
    case 'in':
      return unwrapSingle(test.values)
    case 'not-in':
      return { not: unwrapSingle(test.values) }
    case 'has':
      return { has: unwrapSingle(test.values) }
    case 'count':
      return { count: showBounds(test) }
    case 'answered':
      return { answered: test.answered }
    case 'number':
      return showBounds(test)
    case 'date':
      if (test.age !== undefined) return { age: { ...showBounds(test.age), on: test.age.on } }
      return removeUndefined({ from: test.from, to: test.to })
    default:
      return assertNever(test)
  }
}

function showBounds(test: Omit<Extract<Test, { is: 'number' }>, 'is'>): Block {
  return removeUndefined({
    at_least: test.atLeast,
    at_most: test.atMost,
    above: test.above,
    below: test.below,
  })
}
