/**
 * The finite domain of an event's conditions: one axis per field.
 *
 * Each axis has one value per class of equivalent answers. All tests compare with constants, so one
 * value represents all answers that give the same results.
 */
import type { EventConfig, Field, PublicEvent } from '../../event/config.ts'
import type { Answer, Condition, Test } from '../../event/answer-types.ts'
import { assertNever } from '../../lib/result.ts'
import {
  CODE_NAME,
  METHOD_NAME,
  getFullQuotaName,
  getMemberListValueName,
} from '../../rules/pricing-context.ts'
import { listSeatPools } from '../../pricing/quotas.ts'
import { addDays, formatDay, isDay, type Day } from '../../lib/time.ts'
import { TooLarge, tryWithinBudget } from './sets-of-answers.ts'
import { listDistinctChoices, listDistinctPeople } from './list-answers.ts'

/** A representative answer with its description. The answer is undefined if the field is not answered. */
type Value = { readonly answer: Answer | undefined; readonly description: string }
export type Axis = {
  readonly field: string
  readonly values: readonly Value[]
  /** True if the field has too many classes of answers to list. Nothing that depends on the field is proved. */
  readonly isTooLarge?: true
}
/** Properties that distinguish answers in addition to tests. */
export type Distinctions = {
  /** For a `many` field: the property that distinguishes options. */
  readonly getOptionKey?: (option: string) => string
  /** For a `people` field: the conditions that select the people to count. */
  readonly countConditions?: readonly Condition[]
  /**
   * For a number field: whether it is a count or an amount, so that the minimum and maximum of each class are included.
   */
  readonly needsBounds?: boolean
}

export const NOT_ANSWERED: Value = { answer: undefined, description: 'not answered' }

/** Returns every condition of an event: in rules, fields, sections and requirements. */
export function collectConditions(event: EventConfig | PublicEvent): readonly Condition[] {
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

/** Returns the conditions that must all be true for a field to be visible: those of its section and its own. */
export function listVisibilityConditions(
  event: EventConfig | PublicEvent,
  id: string,
): readonly Condition[] {
  const field = event.fields.find((field) => field.id === id)
  if (field === undefined) return []
  return [event.sections[field.section]?.showWhen, field.showWhen].filter(
    (condition) => condition !== undefined,
  )
}

/**
 * Returns the fields that these conditions read, and the fields that determine whether those are visible. Each field
 * comes before the fields that it shows.
 */
export function findRelevantFields(
  event: EventConfig | PublicEvent,
  conditions: readonly Condition[],
  otherFields: readonly string[] = [],
): ReadonlySet<string> {
  const ids = new Set<string>()
  const add = (id: string): void => {
    if (ids.has(id)) return
    ids.add(id)
    for (const { field } of listVisibilityConditions(event, id).flat(2)) add(field)
    const memberListColumn = findMemberListColumn(event, id)
    if (memberListColumn !== null) add(memberListColumn.field)
  }
  for (const { field } of conditions.flat(2)) add(field)
  otherFields.forEach(add)
  return ids
}

/**
 * Returns the member list column with a name such as `ksp_number.kind`, and the field that looks it up. Returns null if
 * there is no such column.
 */
export function findMemberListColumn(
  event: EventConfig | PublicEvent,
  name: string,
): { readonly field: string; readonly options: readonly string[] } | null {
  for (const field of event.fields)
    for (const column of event.memberLists.find(({ id }) => id === field.roll)?.columns ?? [])
      if (column.type === 'choice' && getMemberListValueName(field.id, column.id) === name)
        return { field: field.id, options: column.options ?? [] }
  return null
}

/** Returns the names that conditions use for seats that may be full. */
export function listFullSeatNames(quotas: EventConfig['quotas']): readonly string[] {
  return listSeatPools(quotas).map(({ id }) => getFullQuotaName(id))
}

/**
 * Returns the axis of a context value: no discount code or one of each kind, a seat that is full or
 * not, a row of a member list. Null if the name is not a context value.
 */
export function createContextAxis(event: EventConfig | PublicEvent, name: string): Axis | null {
  const createAxis = (values: readonly Value[], description: string): Axis => ({
    field: name,
    values: [...values, { answer: undefined, description }],
  })
  if (name === CODE_NAME && event.codeKinds.length > 0)
    return createAxis(
      event.codeKinds.map(({ id }) => ({ answer: id, description: id })),
      'none',
    )
  if (name === METHOD_NAME && event.fees.methods !== undefined)
    return {
      field: name,
      values: event.fees.methods.map(({ id }) => ({ answer: id, description: id })),
    }
  if (listFullSeatNames(event.quotas).includes(name))
    return createAxis([{ answer: true, description: 'full' }], 'free')
  const column = findMemberListColumn(event, name)
  return column === null
    ? null
    : createAxis(
        column.options.map((option) => ({ answer: option, description: option })),
        'not in the member list',
      )
}

/**
 * Returns the axis of one field with the values that these tests distinguish. `fields` are the
 * field's versions. Options of a select stay separate, so that each can be displayed.
 */
export function createFieldAxis(
  id: string,
  fields: readonly Field[],
  tests: readonly Test[],
  mayBeEmpty: boolean,
  distinctions: Distinctions = {},
): Axis {
  return tryWithinBudget(
    (): Axis => {
      const answers = new Map(
        fields.flatMap((field) =>
          listAnswers(field, tests, distinctions).map(
            (answer) => [answer, describeAnswer(field, tests, answer)] as const,
          ),
        ),
      )
      return {
        field: id,
        values: [
          ...[...answers].map(([answer, description]) => ({ answer, description })),
          ...(mayBeEmpty ? [NOT_ANSWERED] : []),
        ],
      }
    },
    { field: id, values: [NOT_ANSWERED], isTooLarge: true },
  )
}

/** Throws TooLarge if one of the axes is too large. */
export function assertListed(axes: readonly Axis[]): void {
  if (axes.some(({ isTooLarge }) => isTooLarge)) throw new TooLarge()
}

function listAnswers(
  field: Field,
  tests: readonly Test[],
  distinctions: Distinctions,
): readonly Answer[] {
  switch (field.type) {
    case 'yes-no':
      return [true, false]
    case 'select':
      return (field.options ?? []).map(({ id }) => id)
    case 'number':
      return listDistinctNumbers(field, listNumbers(tests), distinctions.needsBounds === true)
    case 'date': {
      const thresholds = listDays(tests)
      return [
        ...new Set([
          ...thresholds.flatMap((threshold) => [
            addDays(threshold, -1),
            threshold,
            addDays(threshold, 1),
          ]),
          ...(thresholds.length === 0 ? [field.from ?? field.to ?? '2000-01-01'] : []),
          ...[field.from, field.to].filter((day) => day !== undefined),
        ]),
      ]
        .filter((day) => (field.from ?? day) <= day && day <= (field.to ?? day))
        .sort()
    }
    case 'many':
      return listDistinctChoices(field, tests, distinctions.getOptionKey ?? null)
    case 'people':
      return listDistinctPeople(
        field,
        tests,
        distinctions.countConditions ?? [],
        (part, ownTests) =>
          createFieldAxis(
            part.id,
            [part],
            ownTests,
            part.required === undefined && part.default === undefined,
          ).values.map(({ answer }) => answer),
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
        OTHER_TEXT,
      ]
    default:
      return assertNever(field.type)
  }
}

/** The distance from a threshold to the value next to it, which is smaller than any charged step. */
const NEIGHBOUR_DISTANCE = 0.001

/** The smallest possible amount, in rupees. */
const ONE_PAISA = 0.01

/**
 * Returns one number for each threshold and for each interval between thresholds, if the field accepts it. For an
 * interval, returns its minimum and maximum if `needsBounds` is set.
 */
function listDistinctNumbers(
  { min = -Infinity, max = Infinity, isWhole = false }: Field,
  thresholds: readonly number[],
  needsBounds: boolean,
): readonly number[] {
  const edges = [-Infinity, ...thresholds, Infinity]
  const ranges = edges.slice(1).flatMap((end, index) => {
    const start = edges[index] ?? -Infinity
    return [
      ...(thresholds.includes(start) ? [{ from: start, to: start, isThreshold: true }] : []),
      { from: start, to: end, isThreshold: false },
    ]
  })
  const representatives = ranges.flatMap(({ from, to, isThreshold }): readonly number[] => {
    if (isThreshold)
      return from >= min && from <= max && (!isWhole || Number.isInteger(from)) ? [from] : []
    const step = isWhole ? 1 : NEIGHBOUR_DISTANCE
    const lowest =
      min > from ? (isWhole ? Math.ceil(min) : min) : isWhole ? Math.floor(from) + 1 : from + step
    const highest =
      max < to ? (isWhole ? Math.floor(max) : max) : isWhole ? Math.ceil(to) - 1 : to - step
    if (lowest > highest) return []
    if (!Number.isFinite(lowest) && !Number.isFinite(highest)) return [1]
    if (!Number.isFinite(lowest)) return [isWhole || max < to ? highest : to - 1]
    if (!Number.isFinite(highest)) return [isWhole || min > from ? lowest : from + 1]
    // Zero causes no bill line, so the smallest number that causes one is included too.
    const smallestUnit = isWhole ? 1 : ONE_PAISA
    if (needsBounds)
      return lowest <= 0 && smallestUnit < highest
        ? [lowest, smallestUnit, highest]
        : [lowest, highest]
    return [isWhole ? lowest : (Math.max(from, min) + Math.min(to, max)) / 2]
  })
  return [...new Set(representatives)]
}

/** Represents every string that is not in any test. No form can send this value, because texts are trimmed. */
const OTHER_TEXT = ' anything '

function listNumbers(tests: readonly Test[]): readonly number[] {
  const constants = tests.flatMap((test): readonly (Answer | undefined)[] =>
    test.is === 'number'
      ? [test.atLeast, test.atMost, test.above, test.below]
      : test.is === 'in' || test.is === 'not-in'
        ? test.values
        : [],
  )
  return [...new Set(constants.filter((value) => typeof value === 'number'))].sort((a, b) => a - b)
}

function listDays(tests: readonly Test[]): readonly Day[] {
  const constants = tests.flatMap((test): readonly (Answer | undefined)[] =>
    test.is === 'date'
      ? [test.from, test.to]
      : test.is === 'in' || test.is === 'not-in'
        ? test.values
        : [],
  )
  return [...new Set(constants.filter((value) => typeof value === 'string' && isDay(value)))].sort()
}

function describeAnswer(field: Field, tests: readonly Test[], answer: Answer): string {
  if (typeof answer === 'boolean') return answer ? 'yes' : 'no'
  if (typeof answer === 'object')
    return field.type === 'many' ? answer.join(' and ') : describePeople(answer)
  if (answer === OTHER_TEXT)
    return tests.some(({ is }) => is === 'in' || is === 'not-in') ? 'anything else' : 'anything'
  if (field.type === 'date' && typeof answer === 'string' && isDay(answer)) return formatDay(answer)
  if (field.type !== 'number' || typeof answer !== 'number') return String(answer)
  const thresholds = listNumbers(tests)
  if (thresholds.includes(answer)) return String(answer)
  const below = thresholds.findLast((threshold) => threshold < answer)
  const above = thresholds.find((threshold) => threshold > answer)
  if (below === undefined) return above === undefined ? 'any number' : `below ${above}`
  return above === undefined ? `above ${below}` : `between ${below} and ${above}`
}

function describePeople(people: readonly unknown[]): string {
  const kinds = Map.groupBy(people, (person) =>
    Object.entries(person as Readonly<Record<string, unknown>>)
      .map(([part, answer]) => `${part} ${String(answer)}`)
      .join(', '),
  )
  return [...kinds]
    .map(
      ([kind, samePeople]) => `${samePeople.length}${kind === '' ? ' of them' : ` with ${kind}`}`,
    )
    .join(' and ')
}
