/** How large an event's schema becomes, worked out without making it: it can double with every field. */
import type { EventConfig, Field } from '../event/config.ts'
import type { Condition } from '../event/answer-types.ts'

/** Compiling takes a second for so many, and what a browser loads is 220 KB packed. */
export const LOWERED_TESTS_MAX = 1500

/** Of each field the tests that its conditions come to, with those of the fields that they ask, and theirs. */
export function loweredTests(event: EventConfig): ReadonlyMap<string, number> {
  const { fields, sections, categoryChoice } = event
  const byId = new Map(fields.map((field) => [field.id, field]))
  const shown = new Map<string, number>()
  const ofCondition = (condition: Condition): number =>
    condition.flat().reduce((sum, { field }) => sum + 1 + ofName(field), 0)
  // Each rule also says that none before it fits.
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
    const known = shown.get(field.id)
    if (known !== undefined) return known
    // Where conditions go round in a circle, which is told elsewhere, the circle is cut here.
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
