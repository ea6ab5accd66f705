/**
 * Lists the combinations of answers that can change a delegate's category, and describes sets of these combinations.
 */
import type { EventConfig, PublicEvent } from '../../event/config.ts'
import type { Answer, Answers } from '../../event/answer-types.ts'
import { normalise } from '../../answers/normalize-answers.ts'
import { extractContext } from '../../rules/pricing-context.ts'
import { fromPairs, getOwn } from '../../lib/result.ts'
import { formatDay, isDay, type Day } from '../../lib/time.ts'
import {
  createFieldAxis,
  createContextAxis,
  findRelevantFields,
  NOT_ANSWERED,
  listVisibilityConditions,
  type Axis,
} from './fields-in-conditions.ts'

type Point = { readonly answers: Answers }

/** The maximum number of listed combinations. If there are more, none are listed, and the caller reports this. */
const MAX_POINTS = 200_000

/**
 * Returns the axes that determine the category in any of these versions: the fields in its rules, and the fields that
 * determine whether those are visible.
 */
export function listCategoryAxes(
  ...versions: readonly (EventConfig | PublicEvent)[]
): readonly Axis[] {
  const categoryInputs = versions.map((event) => {
    const { categoryChoice: choice } = event
    const rules =
      choice.by === 'rules' ? choice.rules.flatMap(({ when }) => (when === null ? [] : [when])) : []
    const ids = findRelevantFields(event, rules, choice.by === 'field' ? [choice.field] : [])
    return {
      ids,
      conditions: [...rules, ...[...ids].flatMap((id) => listVisibilityConditions(event, id))],
    }
  })
  const tests = categoryInputs.flatMap(({ conditions }) => conditions).flat(2)
  return [...new Set(categoryInputs.flatMap(({ ids }) => [...ids]))]
    .filter((id) => id !== 'category')
    .map(
      (id) =>
        versions.map((event) => createContextAxis(event, id)).find((axis) => axis !== null) ??
        createFieldAxis(
          id,
          versions.flatMap(({ fields }) => fields.filter((field) => field.id === id)),
          tests.filter(({ field }) => field === id).map(({ test }) => test),
          true,
        ),
    )
}

/** Returns all combinations, or null if there are too many. */
export function listPoints(axes: readonly Axis[]): readonly Point[] | null {
  if (axes.some(({ isTooLarge }) => isTooLarge)) return null
  if (axes.reduce((product, axis) => product * axis.values.length, 1) > MAX_POINTS) return null
  return axes.reduce<readonly Point[]>(
    (points, { field, values }) =>
      points.flatMap(({ answers }) =>
        values.map(({ answer }) => ({
          answers: answer === undefined ? answers : { ...answers, [field]: answer },
        })),
      ),
    [{ answers: {} }],
  )
}

/**
 * Converts a point to a delegate's answers. Adds defaults and removes hidden answers, which turns impossible points
 * into possible ones. Includes the context, but a member record only if the field that looks it up is answered.
 */
export function toAnswers(event: EventConfig | PublicEvent, point: Answers): Answers {
  const context = extractContext(event, point)
  const { answers } = normalise(event, point, context)
  const memberLists = fromPairs(
    Object.entries(context.memberRecords).filter(([field]) => getOwn(answers, field) !== undefined),
  )
  return normalise(event, point, { ...context, memberRecords: memberLists }).answers
}

/** A set of values for each axis. The box contains all their combinations. */
type Box = readonly ReadonlySet<Answer | undefined>[]

/** Merges boxes that differ on only one axis, until no two such boxes remain. */
function mergeBoxes(boxes: readonly Box[]): readonly Box[] {
  const remainingBoxes = [...boxes]
  for (let i = 0; i < remainingBoxes.length; i++) {
    const box = remainingBoxes[i] ?? []
    const otherIndex = remainingBoxes.findIndex(
      (other, j) =>
        j > i &&
        box.filter((values, axis) => !areSetsEqual(values, other[axis] ?? new Set())).length <= 1,
    )
    if (otherIndex === -1) continue
    const otherBox = remainingBoxes[otherIndex] ?? []
    remainingBoxes[i] = box.map((values, axis) => new Set([...values, ...(otherBox[axis] ?? [])]))
    remainingBoxes.splice(otherIndex, 1)
    i = -1
  }
  return remainingBoxes
}

function areSetsEqual(a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): boolean {
  return a.size === b.size && [...a].every((value) => b.has(value))
}

/**
 * Describes points on these axes in as few lines as possible. `possibleAnswers` contains every possible point. Omits an
 * axis if all its possible values are included.
 */
export function formatPoints(
  axes: readonly Axis[],
  points: readonly Answers[],
  possibleAnswers: readonly Answers[],
): readonly string[] {
  const toBox = (answers: Answers): Box =>
    axes.map(({ field }) => new Set([getOwn(answers, field)]))
  const distinct = new Map(
    points.map((answers) => [
      JSON.stringify(axes.map(({ field }) => getOwn(answers, field) ?? null)),
      toBox(answers),
    ]),
  )
  const possibleCounts = axes.map(
    ({ field }) => new Set(possibleAnswers.map((answers) => getOwn(answers, field))).size,
  )
  return mergeBoxes([...distinct.values()]).map((box) =>
    axes
      .flatMap((axis, index) => {
        const boxAnswers = [...(box[index] ?? [])]
        return boxAnswers.length === possibleCounts[index]
          ? []
          : [`${axis.field}: ${describeAnswers(axis, boxAnswers).join(' or ')}`]
      })
      .join(', '),
  )
}

/**
 * Describes each answer. Consecutive days on the axis become a range, because all days between them
 * are equivalent.
 */
function describeAnswers(
  axis: Axis,
  contained: readonly (Answer | undefined)[],
): readonly string[] {
  const days = axis.values.flatMap(({ answer }) =>
    typeof answer === 'string' && isDay(answer) ? [answer] : [],
  )
  const dayRanges: Day[][] = []
  for (const [index, day] of days.entries()) {
    if (!contained.includes(day)) continue
    if (index > 0 && contained.includes(days[index - 1])) dayRanges.at(-1)?.push(day)
    else dayRanges.push([day])
  }
  const isDayOnAxis = (answer: Answer | undefined): boolean => days.some((day) => day === answer)
  return [
    ...dayRanges.map((run) => describeRange(run, days)),
    ...contained
      .filter((answer) => !isDayOnAxis(answer))
      .map((answer) => describeAnswer(axis, answer)),
  ]
}

/** Formats a range of days: "to 17 January 1982", "from 18 January 2015", or both ends. */
function describeRange(run: readonly Day[], allDays: readonly Day[]): string {
  const [first, last] = [run[0], run.at(-1)]
  if (first === undefined || last === undefined) return ''
  const from = first === allDays[0] ? null : formatDay(first)
  const to = last === allDays.at(-1) ? null : formatDay(last)
  if (from === null && to === null) return 'any day'
  if (from === null) return `to ${to}`
  return to === null ? `from ${from}` : from === to ? from : `${from} to ${to}`
}

/**
 * Returns the description of an answer on the axis. An answer that is not on the axis (a default, a trimmed text) is
 * returned as written.
 */
function describeAnswer({ values }: Axis, answer: Answer | undefined): string {
  if (answer === undefined)
    return (
      values.find((value) => value.answer === undefined)?.description ?? NOT_ANSWERED.description
    )
  return values.find((value) => value.answer === answer)?.description ?? String(answer)
}
