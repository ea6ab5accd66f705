/** Models possible answers of delegates as boxes of a finite domain, to prove rules and conditions. */
import type { EventConfig } from '../../event/config.ts'
import type { Condition } from '../../event/answer-types.ts'
import { passesTest } from '../../rules/conditions-and-operators.ts'
import {
  assertListed,
  createFieldAxis,
  createContextAxis,
  findRelevantFields,
  findMemberListColumn,
  listVisibilityConditions,
  type Axis,
} from './fields-in-conditions.ts'
import { createBox, containsValue, createSpace, type Box, type Space } from './sets-of-answers.ts'

export type Domain = {
  readonly axes: readonly Axis[]
  readonly space: Space
  /** The impossible answers: those in which a hidden field is answered. */ readonly impossible: readonly Box[]
}

/** Returns the domain of these conditions, including everything that determines whether their fields are visible. */
export function buildDomain(event: EventConfig, conditions: readonly Condition[]): Domain {
  const ids = [...findRelevantFields(event, conditions)]
  const tests = [...conditions, ...ids.flatMap((id) => listVisibilityConditions(event, id))].flat(2)
  const axes = ids.flatMap((id): Axis[] => {
    if (id === 'category') return [buildCategoryAxis(event)]
    const contextAxis = createContextAxis(event, id)
    if (contextAxis !== null) return [contextAxis]
    const field = event.fields.find((field) => field.id === id)
    if (field === undefined) return []
    const isAlwaysAnswered =
      field.default !== undefined ||
      (field.required !== undefined && field.required.when === undefined)
    const ownTests = tests.filter((test) => test.field === id).map(({ test }) => test)
    return [
      createFieldAxis(
        id,
        [field],
        ownTests,
        !isAlwaysAnswered || listVisibilityConditions(event, id).length > 0,
      ),
    ]
  })
  assertListed(axes)
  const space = createSpace(axes.map(({ values }) => values.length))
  const unrestricted = { axes, space, impossible: [] }
  /** A value from a member list is known only if the field that looks it up is answered. */
  const notListedBoxes = axes.flatMap(({ field }, axis): Box[] => {
    const lookupField = findMemberListColumn(event, field)?.field
    const box =
      lookupField === undefined
        ? null
        : createBox(space, (at, value) =>
            at === axis
              ? axes[axis]?.values[value]?.answer !== undefined
              : axes[at]?.field !== lookupField || axes[at]?.values[value]?.answer === undefined,
          )
    return box === null ? [] : [box]
  })
  const hiddenBoxes = axes.flatMap(({ field }) =>
    listVisibilityConditions(event, field).flatMap((shown): Box[] =>
      subtractCondition(unrestricted, shown).flatMap((hiddenBox) => {
        const axis = axes.findIndex((axis) => axis.field === field)
        const box = createBox(
          space,
          (at, value) =>
            containsValue(space, hiddenBox, at, value) &&
            (at !== axis || axes[axis]?.values[value]?.answer !== undefined),
        )
        return box === null ? [] : [box]
      }),
    ),
  )
  return { axes, space, impossible: [...hiddenBoxes, ...notListedBoxes] }
}

/** Converts a condition to boxes of the domain. Tests of fields without an axis count as false. */
export function toBoxes({ axes, space }: Domain, condition: Condition): readonly Box[] {
  return condition.flatMap((map) => {
    if (map.some(({ field }) => !axes.some((axis) => axis.field === field))) return []
    const box = createBox(space, (axis, value) =>
      map.every(
        ({ field, test }) =>
          field !== axes[axis]?.field || passesTest(test, axes[axis]?.values[value]?.answer),
      ),
    )
    return box === null ? [] : [box]
  })
}

export function listAllBoxes({ space }: Pick<Domain, 'space'>): readonly Box[] {
  const box = createBox(space, () => true)
  return box === null ? [] : [box]
}

// ¬(A or B) = ¬A and ¬B; the negation of a map is one box per failing test.
function subtractCondition(domain: Domain, condition: Condition): readonly Box[] {
  return condition.reduce<readonly Box[]>((rest, map) => {
    const failingBoxes = map.flatMap(({ field, test }) => {
      const box = createBox(
        domain.space,
        (axis, value) =>
          domain.axes[axis]?.field !== field ||
          !passesTest(test, domain.axes[axis]?.values[value]?.answer),
      )
      return box === null ? [] : [box]
    })
    return rest.flatMap((a) =>
      failingBoxes.flatMap((b) => {
        const intersection = createBox(
          domain.space,
          (axis, value) =>
            containsValue(domain.space, a, axis, value) &&
            containsValue(domain.space, b, axis, value),
        )
        return intersection === null ? [] : [intersection]
      }),
    )
  }, listAllBoxes(domain))
}

/** Returns the categories that a discount code gives or a full quota offers. They do not depend on the answers. */
export function listCategoriesFromContext({ codeKinds, quotas }: EventConfig): readonly string[] {
  return [
    ...codeKinds.flatMap(({ gives }) => ('category' in gives ? [gives.category] : [])),
    ...quotas.flatMap(({ full }) => (full.offer === undefined ? [] : [full.offer])),
  ]
}

function buildCategoryAxis(event: EventConfig): Axis {
  const offeredCategories = event.categories.filter(
    ({ id, listedOnly }) => !listedOnly || listCategoriesFromContext(event).includes(id),
  )
  return {
    field: 'category',
    values: [
      { answer: undefined, description: 'not known' },
      ...offeredCategories.map(({ id }) => ({ answer: id, description: id })),
    ],
  }
}

/** Describes a box: "designation: senior-resident or not answered, asi_member: no". Omits axes that do not matter. */
export function describeBox(domain: Domain, box: Box): string {
  const parts = domain.axes.flatMap(({ field, values }, axis) => {
    const descriptions = values
      .filter((_value, index) => containsValue(domain.space, box, axis, index))
      .map(({ description }) => description)
    return descriptions.length === values.length
      ? []
      : [
          `${field}: ${descriptions.length > 6 ? `${descriptions.slice(0, 5).join(', ')} or ${descriptions.length - 5} more` : descriptions.join(' or ')}`,
        ]
  })
  return parts.length === 0 ? 'all answers' : parts.join(', ')
}
