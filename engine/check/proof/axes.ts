/**
 * The finite domain of an event's conditions: one axis per field, one value per way answers can
 * behave. All tests compare with constants, so one value stands for all answers that behave alike.
 */
import type { EventConfig, Field, PublicEvent } from '../../config.ts'
import type { Answer, Condition, Test } from '../../answer.ts'
import { assertNever } from '../../outcome.ts'
import { addDays, formatDay, isDay, type Day } from '../../time.ts'

/** An answer that stands for those that behave like it, in words; undefined: not answered. */
type Value = { readonly answer: Answer | undefined; readonly says: string }
export type Axis = { readonly field: string; readonly values: readonly Value[] }

export const NOT_ANSWERED: Value = { answer: undefined, says: 'not answered' }

/** Every condition an event states, in rules, fields, sections and requirements. */
export function conditionsOf(event: EventConfig | PublicEvent): readonly Condition[] {
  return [
    ...(event.categoryChoice.by === 'rules'
      ? event.categoryChoice.rules.flatMap((rule) => (rule.when === null ? [] : [rule.when]))
      : []),
    ...event.sections.flatMap((section) => (section.showWhen ? [section.showWhen] : [])),
    ...event.fields.flatMap((field) => [
      ...(field.showWhen ? [field.showWhen] : []),
      ...(field.required?.when ? [field.required.when] : []),
    ]),
  ]
}

/** The conditions that show a field, its section's and its own; all of them must hold. */
export function showsOf(event: EventConfig | PublicEvent, id: string): readonly Condition[] {
  const field = event.fields.find((one) => one.id === id)
  if (field === undefined) return []
  return [event.sections[field.section]?.showWhen, field.showWhen].filter(
    (condition) => condition !== undefined,
  )
}

/** What these conditions look at, and what decides whether that is shown, each field before what shows it. */
export function fieldsBehind(
  event: EventConfig | PublicEvent,
  conditions: readonly Condition[],
  also: readonly string[] = [],
): ReadonlySet<string> {
  const ids = new Set<string>()
  const add = (id: string): void => {
    if (ids.has(id)) return
    ids.add(id)
    for (const { field } of showsOf(event, id).flat(2)) add(field)
  }
  for (const { field } of conditions.flat(2)) add(field)
  also.forEach(add)
  return ids
}

/** The axis of one field, `fields` being its versions: the values that these tests tell apart. Options stay apart, for they are words to read. */
export function axisOf(
  id: string,
  fields: readonly Field[],
  tests: readonly Test[],
  mayBeEmpty: boolean,
): Axis {
  const answers = new Map(
    fields.flatMap((field) =>
      answersOf(field, tests).map((answer) => [answer, sayAnswer(field, tests, answer)] as const),
    ),
  )
  return {
    field: id,
    values: [
      ...[...answers].map(([answer, says]) => ({ answer, says })),
      ...(mayBeEmpty ? [NOT_ANSWERED] : []),
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
    case 'many':
      return subsetsOf(field)
    // Conditions only count people: so many of them, whoever they are.
    case 'people':
      return Array.from({ length: field.max ?? 0 }, (_, at) =>
        Array.from({ length: at + 1 }, () => ({})),
      )
    case 'consent':
      return [true]
    case 'text':
    case 'multiline':
    case 'email':
    case 'phone':
    case 'file':
      return [
        ...new Set(
          tests.flatMap((test) => (test.is === 'in' || test.is === 'not-in' ? test.values : [])),
        ),
        ANYTHING,
      ]
    default:
      return assertNever(field.type)
  }
}
/** Every choice that the field takes, in the order of its options; nothing chosen is "not answered". */
function subsetsOf({ options = [], choose }: Field): readonly (readonly string[])[] {
  const all = options.reduce<readonly (readonly string[])[]>(
    (sets, { id }) => [...sets, ...sets.map((set) => [...set, id])],
    [[]],
  )
  return all.filter(
    (set) =>
      set.length > 0 &&
      set.length >= (choose?.atLeast ?? 0) &&
      set.length <= (choose?.atMost ?? options.length) &&
      !(choose?.notTogether ?? []).some((group) => group.every((id) => set.includes(id))),
  )
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
  if (typeof answer === 'object')
    return field.type === 'many' ? answer.join(' and ') : `${answer.length} of them`
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
