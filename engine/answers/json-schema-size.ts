/** Estimates the size of an event's JSON Schema without building it. Each field can double the size. */
import type { EventConfig, Field } from '../event/config.ts'
import type { Condition } from '../event/answer-types.ts'

/**
 * The maximum number of tests. A schema with this many tests takes a second to compile, and is a 220 KB download
 * (compressed).
 */
export const MAX_SCHEMA_TESTS = 1500

/**
 * Returns, for each field, the number of tests in its conditions. Includes the conditions of the fields to which
 * these conditions refer, recursively.
 */
export function countSchemaTests(event: EventConfig): ReadonlyMap<string, number> {
  const { fields, sections, categoryChoice } = event
  const byId = new Map(fields.map((field) => [field.id, field]))
  const countsById = new Map<string, number>()
  const countInCondition = (condition: Condition): number =>
    condition.flat().reduce((sum, { field }) => sum + 1 + countForName(field), 0)
  // Each rule also requires that no earlier rule matches.
  const countInCategoryRules = (): number =>
    categoryChoice.by === 'field'
      ? 1 + countForField(byId.get(categoryChoice.field))
      : categoryChoice.rules.reduce(
          (sum, { when }, index) =>
            sum +
            (when === null ? 0 : countInCondition(when) * (categoryChoice.rules.length - index)),
          0,
        )
  const countForName = (name: string): number =>
    name === 'category' ? countInCategoryRules() : countForField(byId.get(name))
  const countForField = (field: Field | undefined): number => {
    if (field === undefined) return 0
    const knownCount = countsById.get(field.id)
    if (knownCount !== undefined) return knownCount
    // Stops at circular conditions, which another check reports.
    countsById.set(field.id, 0)
    const conditions = [sections[field.section]?.showWhen, field.showWhen].filter(
      (when) => when !== undefined,
    )
    const size = conditions.reduce((sum, when) => sum + countInCondition(when), 0)
    countsById.set(field.id, size)
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
