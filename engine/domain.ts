/**
 * The finite domain of an event: every combination of answers that its conditions and rules can tell
 * apart. All tests compare with constants, so one point stands for all answers that behave alike.
 */
import type { Answer, Answers, Condition, EventConfig, Field, PublicEvent, Test } from './config.ts'

export type Point = { readonly answers: Answers; readonly text: string }

/** Above this many combinations nobody enumerates; the caller says so. */
const POINTS_MAX = 200_000

/**
 * Every point of the fields that the rules and conditions of these versions look at, or null when
 * there are more than can be walked. Fields that decide nothing are left unanswered.
 */
export function finitePoints(versions: readonly (EventConfig | PublicEvent)[]): readonly Point[] | null {
  const axes = axesOf(versions)
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

function axesOf(versions: readonly (EventConfig | PublicEvent)[]): { field: string; values: (Answer | undefined)[] }[] {
  const constants = new Map<string, Set<Answer>>()
  for (const event of versions) for (const condition of conditionsOf(event)) for (const map of condition) for (const { field, test } of map) {
    const known = constants.get(field) ?? new Set<Answer>()
    for (const value of constantsOf(test)) known.add(value)
    constants.set(field, known)
  }
  return [...constants.keys()]
    .filter((id) => id !== 'category')
    .map((id) => {
      const fields = versions.flatMap((event) => event.fields.filter((field) => field.id === id))
      return { field: id, values: [undefined, ...new Set(fields.flatMap((field) => valuesOf(field, constants.get(id) ?? new Set())))] }
    })
    .concat(versions.flatMap((event) => (event.categoryChoice.by === 'field' && !constants.has(event.categoryChoice.field) ? [{ field: event.categoryChoice.field, values: [undefined, ...event.categories.map((category) => category.id)] }] : [])).slice(0, 1))
}

/** Every condition an event states, in rules, fields, sections and requirements. */
export function conditionsOf(event: EventConfig | PublicEvent): readonly Condition[] {
  return [
    ...(event.categoryChoice.by === 'rules' ? event.categoryChoice.rules.flatMap((rule) => (rule.when === null ? [] : [rule.when])) : []),
    ...event.sections.flatMap((section) => (section.showWhen ? [section.showWhen] : [])),
    ...event.fields.flatMap((field) => [...(field.showWhen ? [field.showWhen] : []), ...(field.required?.when ? [field.required.when] : [])]),
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
      return [test.atLeast, test.atMost, test.above, test.below].filter((value) => value !== undefined)
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
    return [...new Set([...sorted.flatMap((value, i) => [i === 0 ? value - 1 : (value + (sorted[i - 1] ?? value)) / 2, value]), (sorted.at(-1) ?? 0) + 1])]
  }
  if (field.type === 'date') return [...new Set([...[...constants].map(String), '1999-12-31', '2099-01-01', ...[...constants].flatMap((value) => neighbours(String(value)))])].sort()
  return [...constants, 'anything else']
}

function neighbours(text: string): readonly string[] {
  const at = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(at) ? [] : [-1, 1].map((step) => new Date(at + step * 86_400_000).toISOString().slice(0, 10))
}

function sayAnswer(value: Answer | undefined): string {
  if (value === undefined) return 'not answered'
  if (value === true) return 'yes'
  return value === false ? 'no' : String(value)
}
