/** Every combination of answers that can change an event's category, where there are few enough to list, and sets of them in few words. */
import type { EventConfig, PublicEvent } from '../../config.ts'
import type { Answer, Answers } from '../../answer.ts'
import { own } from '../../outcome.ts'
import { axisOf, axisOfFact, fieldsBehind, NOT_ANSWERED, showsOf, type Axis } from './axes.ts'

type Point = { readonly answers: Answers }

/** Above this many combinations nobody enumerates; the caller says so. */
const POINTS_MAX = 200_000

/** The axes that decide the category in any of these versions: the fields its rules name, and those that decide whether these are shown. */
export function axesOfCategory(
  ...versions: readonly (EventConfig | PublicEvent)[]
): readonly Axis[] {
  const behind = versions.map((event) => {
    const { categoryChoice: choice } = event
    const rules =
      choice.by === 'rules' ? choice.rules.flatMap(({ when }) => (when === null ? [] : [when])) : []
    const ids = fieldsBehind(event, rules, choice.by === 'field' ? [choice.field] : [])
    return { ids, conditions: [...rules, ...[...ids].flatMap((id) => showsOf(event, id))] }
  })
  const tests = behind.flatMap(({ conditions }) => conditions).flat(2)
  return [...new Set(behind.flatMap(({ ids }) => [...ids]))]
    .filter((id) => id !== 'category')
    .map(
      (id) =>
        versions.map((event) => axisOfFact(event, id)).find((axis) => axis !== null) ??
        axisOf(
          id,
          versions.flatMap(({ fields }) => fields.filter((field) => field.id === id)),
          tests.filter(({ field }) => field === id).map(({ test }) => test),
          true,
        ),
    )
}

/** All combinations, or null when there are too many. */
export function pointsOf(axes: readonly Axis[]): readonly Point[] | null {
  if (axes.some(({ isTooLarge }) => isTooLarge)) return null
  if (axes.reduce((product, axis) => product * axis.values.length, 1) > POINTS_MAX) return null
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

/** One set of values for each axis: all their combinations. */
type Box = readonly ReadonlySet<Answer | undefined>[]

/** The same points in fewer boxes: two that differ on one axis only become one, until none do. */
function merged(boxes: readonly Box[]): readonly Box[] {
  const left = [...boxes]
  for (let i = 0; i < left.length; i++) {
    const mine = left[i] ?? []
    const other = left.findIndex(
      (theirs, j) =>
        j > i &&
        mine.filter((values, axis) => !sameSet(values, theirs[axis] ?? new Set())).length <= 1,
    )
    if (other === -1) continue
    const theirs = left[other] ?? []
    left[i] = mine.map((values, axis) => new Set([...values, ...(theirs[axis] ?? [])]))
    left.splice(other, 1)
    i = -1
  }
  return left
}

function sameSet(a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): boolean {
  return a.size === b.size && [...a].every((value) => b.has(value))
}

/** Points of these axes in as few lines as fit; `all` is every point there can be, so that an axis on which everything is possible says nothing. */
export function sayTogether(
  axes: readonly Axis[],
  points: readonly Answers[],
  all: readonly Answers[],
): readonly string[] {
  const boxOf = (answers: Answers): Box => axes.map(({ field }) => new Set([own(answers, field)]))
  const distinct = new Map(
    points.map((answers) => [
      JSON.stringify(axes.map(({ field }) => own(answers, field) ?? null)),
      boxOf(answers),
    ]),
  )
  const possible = axes.map(({ field }) => new Set(all.map((answers) => own(answers, field))).size)
  return merged([...distinct.values()]).map((box) =>
    axes
      .flatMap((axis, at) => {
        const inside = [...(box[at] ?? [])]
        return inside.length === possible[at]
          ? []
          : [`${axis.field}: ${inside.map((answer) => say(axis, answer)).join(' or ')}`]
      })
      .join(', '),
  )
}

/** In the words of the axis; an answer that is not on it (a default, a trimmed text) as it stands. */
function say({ values }: Axis, answer: Answer | undefined): string {
  if (answer === undefined) return NOT_ANSWERED.says
  return values.find((value) => value.answer === answer)?.says ?? String(answer)
}
