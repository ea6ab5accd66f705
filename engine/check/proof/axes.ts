/** The finite domain of an event's conditions: one axis per field, one value per way answers can behave. */
import type { Answer, Condition, EventConfig, Field, Test } from '../../config.ts'
import { passes } from '../../conditions.ts'
import { formatDay, addDays, isDay, type Day } from '../../time.ts'
import { boxOf, spaceOf, type Box, type Space } from './boxes.ts'

/** `undefined` is "not answered". */
type Axis = {
  readonly field: string
  readonly values: readonly { readonly answer: Answer | undefined; readonly says: string }[]
}
export type Domain = {
  readonly axes: readonly Axis[]
  readonly space: Space
  /** Answers nobody can give: answered although hidden. */ readonly impossible: readonly Box[]
}

/** The domain of these conditions and of everything their fields' visibility hangs on. */
export function domainOf(event: EventConfig, conditions: readonly Condition[]): Domain {
  const ids = new Set<string>()
  const visibility = (id: string): readonly Condition[] => {
    const field = event.fields.find((one) => one.id === id)
    if (field === undefined) return []
    const section = event.sections[field.section]?.showWhen
    return [
      ...(section === undefined ? [] : [section]),
      ...(field.showWhen === undefined ? [] : [field.showWhen]),
    ]
  }
  const add = (condition: Condition): void => {
    for (const { field } of condition.flat()) {
      if (ids.has(field)) continue
      ids.add(field)
      for (const shown of visibility(field)) add(shown)
    }
  }
  for (const condition of conditions) add(condition)
  const tests = [...conditions, ...[...ids].flatMap(visibility)].flat(2)
  const axes = [...ids].flatMap((id): Axis[] => {
    const field = event.fields.find((one) => one.id === id)
    const mine = tests.filter((one) => one.field === id).map(({ test }) => test)
    if (id === 'category') return [categoryAxis(event)]
    return field === undefined ? [] : [axisOf(field, mine, visibility(id).length > 0)]
  })
  const space = spaceOf(axes.map(({ values }) => values.length))
  const partial = { axes, space, impossible: [] }
  const impossible = axes.flatMap(({ field }) =>
    visibility(field).flatMap((shown): Box[] =>
      complementOf(partial, shown).flatMap((hidden) => {
        const axis = axes.findIndex((one) => one.field === field)
        const box = boxOf(
          space,
          (at, value) =>
            isSet(partial, hidden, at, value) &&
            (at !== axis || axes[axis]?.values[value]?.answer !== undefined),
        )
        return box === null ? [] : [box]
      }),
    ),
  )
  return { axes, space, impossible }
}

/** A condition as boxes of the domain; tests of fields that are no axis are taken as never true. */
export function boxesOf({ axes, space }: Domain, condition: Condition): readonly Box[] {
  return condition.flatMap((map) => {
    if (map.some(({ field }) => !axes.some((axis) => axis.field === field))) return []
    const box = boxOf(space, (axis, value) =>
      map.every(
        ({ field, test }) =>
          field !== axes[axis]?.field || passes(test, axes[axis]?.values[value]?.answer),
      ),
    )
    return box === null ? [] : [box]
  })
}

export function everything({ space }: Pick<Domain, 'space'>): readonly Box[] {
  const box = boxOf(space, () => true)
  return box === null ? [] : [box]
}

// ¬(A or B) = ¬A and ¬B; ¬map = one box per failing test.
function complementOf(domain: Domain, condition: Condition): readonly Box[] {
  return condition.reduce<readonly Box[]>((rest, map) => {
    const failing = map.flatMap(({ field, test }) => {
      const box = boxOf(
        domain.space,
        (axis, value) =>
          domain.axes[axis]?.field !== field ||
          !passes(test, domain.axes[axis]?.values[value]?.answer),
      )
      return box === null ? [] : [box]
    })
    return rest.flatMap((a) =>
      failing.flatMap((b) => {
        const both = boxOf(
          domain.space,
          (axis, value) => isSet(domain, a, axis, value) && isSet(domain, b, axis, value),
        )
        return both === null ? [] : [both]
      }),
    )
  }, everything(domain))
}

function isSet({ space }: Pick<Domain, 'space'>, box: Box, axis: number, value: number): boolean {
  return (
    ((box[(space.offsets[axis] ?? 0) + Math.floor(value / 30)] ?? 0) & (1 << (value % 30))) !== 0
  )
}

function categoryAxis(event: EventConfig): Axis {
  const given = event.categories.filter(({ listedOnly }) => !listedOnly)
  return {
    field: 'category',
    values: [
      { answer: undefined, says: 'not known' },
      ...given.map(({ id }) => ({ answer: id, says: id })),
    ],
  }
}

/** Values that no test tells apart are kept apart only where they are words to read: options. */
function axisOf(field: Field, tests: readonly Test[], mayHide: boolean): Axis {
  const always =
    field.default !== undefined ||
    (field.required !== undefined && field.required.when === undefined)
  const none = always && !mayHide ? [] : [{ answer: undefined, says: 'not answered' }]
  return {
    field: field.id,
    values: [
      ...answersOf(field, tests).map((answer) => ({
        answer,
        says: sayAnswer(field, tests, answer),
      })),
      ...none,
    ],
  }
}

function answersOf(field: Field, tests: readonly Test[]): readonly Answer[] {
  switch (field.type) {
    case 'yes-no':
      return [true, false]
    case 'select':
      return (field.options ?? []).map(({ id }) => id)
    case 'number': {
      const marks = numbersOf(tests)
      const all = [
        ...marks.flatMap((mark, at) => [
          at === 0 ? mark - 1 : (mark + (marks[at - 1] ?? mark)) / 2,
          mark,
        ]),
        (marks.at(-1) ?? 0) + 1,
      ]
      return all.filter(
        (value) =>
          (field.min === undefined || value >= field.min) &&
          (field.max === undefined || value <= field.max),
      )
    }
    case 'date': {
      const marks = daysOf(tests)
      return [
        ...new Set([
          ...marks.flatMap((mark) => [addDays(mark, -1), mark, addDays(mark, 1)]),
          ...(marks.length === 0 ? ['2000-01-01'] : []),
        ]),
      ].sort()
    }
    default:
      return [
        ...new Set(
          tests.flatMap((test) => (test.is === 'in' || test.is === 'not-in' ? test.values : [])),
        ),
        ANYTHING,
      ]
  }
}
/** Stands for every text that no test names; no form can send it, because texts are trimmed. */
const ANYTHING = ' anything else '

function numbersOf(tests: readonly Test[]): readonly number[] {
  const constants = tests.flatMap((test): readonly (Answer | undefined)[] =>
    test.is === 'number'
      ? [test.atLeast, test.atMost, test.above, test.below]
      : test.is === 'in' || test.is === 'not-in'
        ? test.values
        : [],
  )
  return [...new Set(constants.filter((value) => typeof value === 'number'))].sort((a, b) => a - b)
}

function daysOf(tests: readonly Test[]): readonly Day[] {
  const constants = tests.flatMap((test): readonly (Answer | undefined)[] =>
    test.is === 'date'
      ? [test.from, test.to]
      : test.is === 'in' || test.is === 'not-in'
        ? test.values
        : [],
  )
  return [...new Set(constants.filter((value) => typeof value === 'string' && isDay(value)))].sort()
}

function sayAnswer(field: Field, tests: readonly Test[], answer: Answer): string {
  if (typeof answer === 'boolean') return answer ? 'yes' : 'no'
  if (answer === ANYTHING) return 'anything else'
  if (field.type === 'date' && typeof answer === 'string' && isDay(answer)) return formatDay(answer)
  if (field.type !== 'number' || typeof answer !== 'number') return String(answer)
  const marks = numbersOf(tests)
  if (marks.includes(answer)) return String(answer)
  const below = marks.findLast((mark) => mark < answer)
  const above = marks.find((mark) => mark > answer)
  if (below === undefined) return above === undefined ? 'any number' : `below ${above}`
  return above === undefined ? `above ${below}` : `between ${below} and ${above}`
}

/** "designation: senior-resident or not answered, asi_member: no"; axes that do not matter are left out. */
export function sayBox(domain: Domain, box: Box): string {
  const parts = domain.axes.flatMap(({ field, values }, axis) => {
    const inside = values
      .filter((_value, at) => isSet(domain, box, axis, at))
      .map(({ says }) => says)
    return inside.length === values.length
      ? []
      : [
          `${field}: ${inside.length > 6 ? `${inside.slice(0, 5).join(', ')} or ${inside.length - 5} more` : inside.join(' or ')}`,
        ]
  })
  return parts.length === 0 ? 'all answers' : parts.join(', ')
}
