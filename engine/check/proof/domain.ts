/**
 * The finite domain of an event: every combination of answers that its conditions and rules can tell
 * apart. All tests compare with constants, so one point stands for all answers that behave alike.
 */
import type {
  Answer,
  Answers,
  Condition,
  EventConfig,
  Field,
  PublicEvent,
  Test,
} from '../../config.ts'
import { own } from '../../outcome.ts'

type Point = { readonly answers: Answers; readonly text: string }

/** Above this many combinations nobody enumerates; the caller says so. */
const POINTS_MAX = 200_000

/** One field with every value that conditions can tell apart; undefined: not answered. */
type Axis = { readonly field: string; readonly values: readonly (Answer | undefined)[] }

/** The axes that decide the category: the fields its rules name, and those that decide whether these are shown. */
export function axesOfCategory(
  ...versions: readonly (EventConfig | PublicEvent)[]
): readonly Axis[] {
  return axesOf(versions, (event) => {
    const rules =
      event.categoryChoice.by === 'rules'
        ? event.categoryChoice.rules.flatMap((rule) => (rule.when === null ? [] : [rule.when]))
        : []
    const wanted = new Set([...fieldsOf(rules), ...choiceOf(event)])
    // A set that grows while it is walked: what shows a field is walked after it.
    for (const id of wanted) {
      const field = event.fields.find((known) => known.id === id)
      const shows =
        field === undefined
          ? []
          : [field.showWhen, event.sections[field.section]?.showWhen].filter(
              (when) => when !== undefined,
            )
      for (const other of fieldsOf(shows)) wanted.add(other)
    }
    return wanted
  })
}

/** All combinations, or null when there are too many. */
export function pointsOf(axes: readonly Axis[]): readonly Point[] | null {
  if (axes.reduce((product, axis) => product * axis.values.length, 1) > POINTS_MAX) return null
  return axes.reduce<readonly Point[]>(
    (points, axis) =>
      points.flatMap((point) =>
        axis.values.map((value) => ({
          answers: value === undefined ? point.answers : { ...point.answers, [axis.field]: value },
          text: [point.text, `${axis.field}: ${sayAnswer(value)}`].filter(Boolean).join(', '),
        })),
      ),
    [{ answers: {}, text: '' }],
  )
}

function axesOf(
  versions: readonly (EventConfig | PublicEvent)[],
  wantedBy: (event: EventConfig | PublicEvent) => ReadonlySet<string>,
): readonly Axis[] {
  const wanted = [...new Set(versions.flatMap((event) => [...wantedBy(event)]))].filter(
    (id) => id !== 'category',
  )
  return wanted.map((id) => {
    const constants = new Set(
      versions.flatMap((event) =>
        conditionsOf(event)
          .flat(2)
          .flatMap(({ field, test }) => (field === id ? constantsOf(test) : [])),
      ),
    )
    const fields = versions.flatMap((event) => event.fields.filter((field) => field.id === id))
    return {
      field: id,
      values: [...new Set([...fields.flatMap((field) => valuesOf(field, constants)), undefined])],
    }
  })
}

function fieldsOf(conditions: readonly Condition[]): readonly string[] {
  return conditions.flat(2).map(({ field }) => field)
}

function choiceOf(event: EventConfig | PublicEvent): readonly string[] {
  return event.categoryChoice.by === 'field' ? [event.categoryChoice.field] : []
}

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

function constantsOf(test: Test): readonly Answer[] {
  switch (test.is) {
    case 'in':
    case 'not-in':
      return test.values
    case 'answered':
      return []
    case 'number':
      return [test.atLeast, test.atMost, test.above, test.below].filter(
        (value) => value !== undefined,
      )
    case 'date':
      return [test.from, test.to].filter((value) => value !== undefined)
  }
}

function valuesOf(field: Field, constants: ReadonlySet<Answer>): readonly Answer[] {
  if (field.type === 'yes-no') return [true, false]
  if (field.type === 'select') return (field.options ?? []).map((option) => option.id)
  if (field.type === 'number') {
    const sorted = [...constants].filter((value) => typeof value === 'number').sort((a, b) => a - b)
    // Each constant, and one number of every open interval between and around them.
    return [
      ...new Set([
        ...sorted.flatMap((value, i) => [
          i === 0 ? value - 1 : (value + (sorted[i - 1] ?? value)) / 2,
          value,
        ]),
        (sorted.at(-1) ?? 0) + 1,
      ]),
    ]
  }
  if (field.type === 'date')
    return [
      ...new Set([
        ...[...constants].map(String),
        '1999-12-31',
        '2099-01-01',
        ...[...constants].flatMap((value) => neighbours(String(value))),
      ]),
    ].sort()
  return [...constants, 'anything else']
}

function neighbours(text: string): readonly string[] {
  const at = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(at)
    ? []
    : [-1, 1].map((step) => new Date(at + step * 86_400_000).toISOString().slice(0, 10))
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
      axes.map(({ field }) => sayAnswer(own(answers, field))).join('\n'),
      boxOf(answers),
    ]),
  )
  const possible = axes.map(({ field }) => new Set(all.map((answers) => own(answers, field))).size)
  return merged([...distinct.values()]).map((box) => sayBox(axes, box, possible))
}

/** An axis on which everything is possible says nothing. */
function sayBox(axes: readonly Axis[], box: Box, possible: readonly number[]): string {
  return axes
    .flatMap(({ field }, i) =>
      (box[i]?.size ?? 0) === possible[i]
        ? []
        : [`${field}: ${[...(box[i] ?? [])].map(sayAnswer).join(' or ')}`],
    )
    .join(', ')
}

/** An answer of a rule or condition in words. */
function sayAnswer(value: Answer | undefined): string {
  if (value === undefined) return 'not answered'
  if (value === true) return 'yes'
  return value === false ? 'no' : String(value)
}
