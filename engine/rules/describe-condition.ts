/** Describes conditions in words, to explain why a rule matches or a price applies. */
import type { Answer, Answers, Condition, Test } from '../event/answer-types.ts'
import { CODE_NAME, getFullQuotaName, METHOD_NAME } from './pricing-context.ts'
import { passesTest } from './conditions-and-operators.ts'
import type { PublicEvent } from '../event/config.ts'
import { assertNever, getOwn } from '../lib/result.ts'
import { formatDay } from '../lib/time.ts'

/**
 * Returns the actual value that fails the first failing test in a condition's first map, such as
 * "asi_member is no"; null if all tests pass.
 */
export function describeFirstFailure(
  event: PublicEvent,
  when: Condition,
  answers: Answers,
  category: string | null = null,
): string | null {
  const getAnswer = (field: string): Answer | undefined =>
    field === 'category' ? (category ?? undefined) : getOwn(answers, field)
  const failedTest = when[0]?.find(({ field, test }) => !passesTest(test, getAnswer(field)))
  return failedTest === undefined
    ? null
    : `${failedTest.field} is ${formatComparedAnswer(event, failedTest.field, getAnswer(failedTest.field))}`
}

/**
 * Describes the part of a condition that these answers do not meet: the first failing test, such as "asi_member is
 * yes". If the condition has alternatives, describes all of it. Null if the answers meet it.
 */
export function describeUnmetCondition(
  event: PublicEvent,
  condition: Condition,
  answers: Answers,
  category: string | null = null,
): string | null {
  const getAnswer = (field: string): Answer | undefined =>
    field === 'category' ? (category ?? undefined) : getOwn(answers, field)
  const unmetMaps = condition.map((map) =>
    map.filter(({ field, test }) => !passesTest(test, getAnswer(field))),
  )
  if (condition.length === 0 || unmetMaps.some((tests) => tests.length === 0)) return null
  const firstTests = unmetMaps[0]?.slice(0, 1) ?? []
  return describeCondition(event, condition.length === 1 ? [firstTests] : condition)
}

/** The words in a description that depend on who reads it. */
type Wording = {
  /** Returns the name of a field, the category or a context value. */
  readonly getName: (event: PublicEvent, id: string) => string
  /** The verb before the number of chosen options or listed people. */
  readonly countVerb: string
}
const IDS: Wording = { getName: (_, id) => id, countVerb: 'counts' }
const LABELS: Wording = { getName: getNameLabel, countVerb: 'has' }

/**
 * Describes a condition with the ids in the file, for its authors: "designation is PG and asi_member
 * is yes, or …".
 */
export function describeCondition(event: PublicEvent, condition: Condition): string {
  return formatCondition(event, condition, IDS)
}

/**
 * Describes a condition with the labels in the form, for readers who do not know the file:
 * "“Designation” is PG and “Are you a member?” is yes, or …".
 */
export function describeConditionByLabels(event: PublicEvent, condition: Condition): string {
  return formatCondition(event, condition, LABELS)
}

const formatCondition = (event: PublicEvent, condition: Condition, wording: Wording): string =>
  condition
    .map((map) =>
      map
        .map(
          ({ field, test }) =>
            `${wording.getName(event, field)} ${describeTest(event, field, test, wording)}`,
        )
        .join(' and '),
    )
    .join(', or ')

function getNameLabel(event: PublicEvent, id: string): string {
  if (id === 'category') return 'the category'
  if (id === CODE_NAME) return 'the discount code'
  if (id === METHOD_NAME) return 'the payment method'
  const findLabel = (fieldId: string): string | undefined =>
    [...event.fields, ...event.alsoStored].find((field) => field.id === fieldId)?.label
  const label = findLabel(id)
  if (label !== undefined) return `“${label}”`
  // A quota has no label, but delegates read its message.
  const quota = event.quotas.find((candidate) => id === getFullQuotaName(candidate.id))
  if (quota !== undefined) return `“${quota.full.message}”`
  // The name may be that of a column in the member list that contains the answer.
  const [fieldId = '', column] = id.split('.')
  const listedLabel = findLabel(fieldId)
  return listedLabel === undefined || column === undefined
    ? id
    : `the ${column.replaceAll('_', ' ')} of “${listedLabel}”`
}

function describeTest(
  event: PublicEvent,
  field: string,
  test: Test,
  { countVerb }: Wording,
): string {
  const joinValues = (values: readonly Answer[]): string =>
    values.map((value) => formatComparedAnswer(event, field, value)).join(' or ')
  switch (test.is) {
    case 'in':
      return `is ${joinValues(test.values)}`
    case 'not-in':
      return `is not ${joinValues(test.values)}`
    case 'has':
      return `has ${joinValues(test.values)}`
    case 'answered':
      return test.answered ? 'is answered' : 'is not answered'
    case 'count':
    case 'number':
      return `${test.is === 'count' ? countVerb : 'is'} ${describeBounds([
        ['at least', test.atLeast],
        ['above', test.above],
        ['at most', test.atMost],
        ['below', test.below],
      ])}`
    case 'date':
      if (test.age !== undefined)
        return `is aged ${describeBounds([
          ['at least', test.age.atLeast],
          ['above', test.age.above],
          ['at most', test.age.atMost],
          ['below', test.age.below],
        ])}${test.age.on === undefined ? '' : ` on ${formatDay(test.age.on)}`}`
      return `is ${describeBounds([
        ['on or after', test.from && formatDay(test.from)],
        ['on or before', test.to && formatDay(test.to)],
      ])}`
    default:
      return assertNever(test)
  }
}

function describeBounds(
  pairs: readonly (readonly [string, string | number | undefined])[],
): string {
  return pairs
    .flatMap(([word, limit]) => (limit === undefined ? [] : [`${word} ${limit}`]))
    .join(' and ')
}

function formatComparedAnswer(event: PublicEvent, id: string, answer: Answer | undefined): string {
  if (answer === undefined) return 'not answered'
  if (typeof answer === 'boolean') return answer ? 'yes' : 'no'
  if (typeof answer === 'object')
    return answer.every((candidate) => typeof candidate === 'string')
      ? answer.map((entry) => formatComparedAnswer(event, id, entry)).join(' and ')
      : `a list of ${answer.length}`
  const options =
    id === 'category'
      ? event.categories
      : (event.fields.find((field) => field.id === id)?.options ??
        (id === METHOD_NAME ? event.fees.methods : id === CODE_NAME ? event.codeKinds : undefined))
  return options?.find((option) => option.id === answer)?.label ?? String(answer)
}
