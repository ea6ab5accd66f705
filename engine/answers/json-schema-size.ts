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
  const ofCondition = (condition: Condition): number =>
    condition.flat().reduce((sum, { field }) => sum + 1 + ofName(field), 0)
  // Each rule also states that none before it matches.
  const category = (): number =>
    categoryChoice.by === 'field'
      ? 1 + ofShown(byId.get(categoryChoice.field))
      : categoryChoice.rules.reduce(
          (sum, { when }, at) =>
            sum + (when === null ? 0 : ofCondition(when) * (categoryChoice.rules.length - at)),
          0,
        )
  const ofName = (name: string): number =>
    name === 'category' ? category() : ofShown(byId.get(name))
  const ofShown = (field: Field | undefined): number => {
    if (field === undefined) return 0
    const knownCount = shown.get(field.id)
    if (knownCount !== undefined) return knownCount
    // Cuts circular conditions, which are reported elsewhere.
    shown.set(field.id, 0)
    const whens = [sections[field.section]?.showWhen, field.showWhen].filter(
      (when) => when !== undefined,
    )
    const size = whens.reduce((sum, when) => sum + ofCondition(when), 0)
    shown.set(field.id, size)
    return size
  }
  return new Map(
    fields.map((field) => {
      const must = field.required?.when
      return [
        field.id,
        ofShown(field) + (must === undefined ? 0 : ofShown(field) + ofCondition(must)),
      ]
    }),
  )
}
