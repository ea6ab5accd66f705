/** Estimates the size of an event's JSON Schema without building it: it can double with every field. */
import type { EventConfig, Field } from '../event/config.ts'
import type { Condition } from '../event/answer-types.ts'

/** With this many tests, compiling takes a second and browsers load 220 KB compressed. */
export const LOWERED_TESTS_MAX = 1500

/**
 * Returns for each field the number of tests in its conditions, including those of the fields they
 * refer to, recursively.
 */
export function countLoweredTests(event: EventConfig): ReadonlyMap<string, number> {
  const { fields, sections, categoryChoice } = event
  const byId = new Map(fields.map((field) => [field.id, field]))
  const shown = new Map<string, number>()
  const countInCondition = (condition: Condition): number =>
    condition.flat().reduce((sum, { field }) => sum + 1 + countForName(field), 0)
  // Each rule also states that none before it matches.
  const category = (): number =>
    categoryChoice.by === 'field'
      ? 1 + countForField(byId.get(categoryChoice.field))
      : categoryChoice.rules.reduce(
          (sum, { when }, index) =>
            sum +
            (when === null ? 0 : countInCondition(when) * (categoryChoice.rules.length - index)),
          0,
        )
  const countForName = (name: string): number =>
    name === 'category' ? category() : countForField(byId.get(name))
  const countForField = (field: Field | undefined): number => {
    if (field === undefined) return 0
    const knownCount = shown.get(field.id)
    if (knownCount !== undefined) return knownCount
    // Cuts circular conditions, which are reported elsewhere.
    shown.set(field.id, 0)
    const conditions = [sections[field.section]?.showWhen, field.showWhen].filter(
      (when) => when !== undefined,
    )
    const size = conditions.reduce((sum, when) => sum + countInCondition(when), 0)
    shown.set(field.id, size)
    return size
  }
  return new Map(
    fields.map((field) => {
      const requiredWhen = field.required?.when
      return [
        field.id,
        countForField(field) +
          (requiredWhen === undefined ? 0 : countForField(field) + countInCondition(requiredWhen)),
      ]
    }),
  )
}
