/**
 * An event lowered to JSON Schema draft-07, for a judge that knows nothing of event files. Conditions
 * become `allOf: [{if, then}]`, always with `required` inside `if`; each field stands in one `then`.
 * No format, minLength or object const: what ajv compiles from it needs no import at run time.
 */
import type { Answer, Condition, Field, PublicEvent, Test } from './config.ts'
import { formsOf, literal } from './fields.ts'
import { assertNever, fromPairs } from './outcome.ts'
import { DAY_PATTERN, type Day } from './time.ts'

type Schema = { readonly [keyword: string]: unknown }

const NEVER: Schema = { not: {} }
/** What a text that must be there matches: something that is no space. */
export const NOT_BLANK = '\\S'
/** ajv compares longer enums with an imported function, which the served module must not need. */
const ENUM_MAX = 150

/** The whole schema, to be judged on normalised answers. Same verdict as `errorsOf`. */
export function toSchema(event: PublicEvent): Schema {
  const whens = event.fields.map((field) => showsWhen(event, field))
  const always = event.fields.filter((_, i) => whens[i]?.length === 0)
  const shown = (id: string, trail: readonly string[]): readonly Schema[] => {
    const index = event.fields.findIndex((field) => field.id === id)
    return trail.includes(id)
      ? []
      : (whens[index] ?? []).map((condition) =>
          lower(event, condition, (other) => shown(other, [...trail, id])),
        )
  }
  const lowered = (condition: Condition): Schema => lower(event, condition, (id) => shown(id, []))
  const conditional = event.fields.flatMap((field, i): readonly Schema[] => {
    const when = whens[i] ?? []
    if (when.length === 0) return []
    return [
      {
        if: all(when.map(lowered)),
        then: {
          properties: fromPairs([[field.id, fieldSchema(field)]]),
          ...(isAlwaysRequired(field) ? { required: [field.id] } : {}),
        },
      },
    ]
  })
  const sometimes = event.fields.flatMap((field, i): readonly Schema[] => {
    const when = field.required?.when
    return when === undefined
      ? []
      : [{ if: all([...(whens[i] ?? []), when].map(lowered)), then: { required: [field.id] } }]
  })
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: event.title,
    type: 'object',
    properties: fromPairs(always.map((field) => [field.id, fieldSchema(field)])),
    required: always.filter(isAlwaysRequired).map((field) => field.id),
    ...(conditional.length + sometimes.length === 0
      ? {}
      : { allOf: [...conditional, ...sometimes] }),
  }
}

/** Every field, no conditions: what a form library draws from. `required` here only draws stars. */
export function flatSchema(event: PublicEvent): Schema {
  return {
    type: 'object',
    properties: fromPairs(event.fields.map((field) => [field.id, flatField(field)])),
    required: event.fields.filter(isAlwaysRequired).map((field) => field.id),
  }
}

function flatField(field: Field): Schema {
  const described = {
    title: field.label,
    ...(field.hint === undefined ? {} : { description: field.hint }),
  }
  const options = field.options?.map((option) => option.id)
  return {
    ...described,
    type: typeOf(field),
    ...(field.type === 'select' ? { enum: options ?? [] } : {}),
  }
}

/** Order of the flat schema's fields, and the options' labels. How a field is drawn is for those that draw it. */
export function uiSchema(event: PublicEvent): Schema {
  return {
    'ui:order': event.fields.map((field) => field.id),
    'ui:submitButtonOptions': { norender: true },
    ...fromPairs(
      event.fields.map((field) => [
        field.id,
        field.options === undefined
          ? {}
          : { 'ui:enumNames': field.options.map((option) => option.label) },
      ]),
    ),
  }
}

function isAlwaysRequired(field: Field): boolean {
  return field.required !== undefined && field.required.when === undefined
}

const JSON_TYPES: Readonly<Record<Field['type'], 'string' | 'number' | 'boolean'>> = {
  text: 'string',
  multiline: 'string',
  email: 'string',
  phone: 'string',
  number: 'number',
  date: 'string',
  'yes-no': 'boolean',
  select: 'string',
  file: 'string',
}
function typeOf(field: Field): 'string' | 'number' | 'boolean' {
  return JSON_TYPES[field.type]
}

function fieldSchema(field: Field): Schema {
  const described = { title: field.label, type: typeOf(field) }
  if (field.type === 'select')
    return { ...described, ...oneOfThese((field.options ?? []).map((option) => option.id)) }
  if (field.type === 'number')
    return {
      ...described,
      ...(field.min === undefined ? {} : { minimum: field.min }),
      ...(field.max === undefined ? {} : { maximum: field.max }),
    }
  const patterns = [
    ...(typeOf(field) === 'string' && field.required !== undefined ? [NOT_BLANK] : []),
    ...formsOf(field).map((form) => form.pattern),
  ]
  return patterns.length === 0
    ? described
    : { ...described, allOf: patterns.map((pattern) => ({ pattern })) }
}

/** The conditions that must all hold for a field to show: its section's and its own. */
function showsWhen(event: PublicEvent, field: Field): readonly Condition[] {
  return [event.sections[field.section]?.showWhen, field.showWhen].filter(
    (condition) => condition !== undefined,
  )
}

/** `shown` gives what must hold for a field to show: hidden counts as not answered, whatever the field still holds. */
type Shown = (id: string) => readonly Schema[]

function lower(event: PublicEvent, condition: Condition, shown: Shown): Schema {
  return any(
    condition.map((map) =>
      all(
        map.map(({ field, test }) =>
          field === 'category'
            ? lowerCategory(event, test, shown)
            : lowerTest(field, test, shown(field)),
        ),
      ),
    ),
  )
}

function lowerTest(field: string, test: Test, shown: readonly Schema[]): Schema {
  const hidden = shown.length === 0 ? [] : [negate(all(shown))]
  const answered = (schema: Schema): Schema => ({
    type: 'object',
    properties: fromPairs([[field, schema]]),
    required: [field],
  })
  switch (test.is) {
    case 'in':
      return all([...shown, answered(oneOfThese(test.values))])
    case 'not-in':
      return any([...hidden, negate(answered(oneOfThese(test.values)))])
    case 'answered':
      return test.answered ? all([...shown, answered({})]) : any([...hidden, negate(answered({}))])
    case 'number':
      return all([...shown, answered({ type: 'number', ...limits(test) })])
    case 'date':
      return all([
        ...shown,
        answered({
          type: 'string',
          allOf: datePatterns(test.from, test.to).map((pattern) => ({ pattern })),
        }),
      ])
    default:
      return assertNever(test)
  }
}

/** A chosen category is a test on its field. A derived one: some rule gives a fitting category and no earlier rule gives another. */
function lowerCategory(event: PublicEvent, test: Test, shown: Shown): Schema {
  const choice = event.categoryChoice
  const ids = event.categories.map((category) => category.id)
  const wanted =
    test.is === 'answered'
      ? ids
      : test.is === 'in' || test.is === 'not-in'
        ? ids.filter((id) => test.values.includes(id))
        : []
  const isWanted = (): Schema => {
    if (choice.by === 'field')
      return lowerTest(choice.field, { is: 'in', values: wanted }, shown(choice.field))
    const before: Schema[] = []
    const boxes: Schema[] = []
    for (const { when, then } of choice.rules) {
      const fits = when === null ? {} : lower(event, when, shown)
      if (wanted.includes(then)) boxes.push(all([...before, fits]))
      else before.push(negate(fits))
    }
    return any(boxes)
  }
  const accepts = test.is === 'not-in' || (test.is === 'answered' && !test.answered)
  return accepts ? negate(isWanted()) : isWanted()
}

function limits({ atLeast, atMost, above, below }: Extract<Test, { is: 'number' }>): Schema {
  const named = {
    minimum: atLeast,
    maximum: atMost,
    exclusiveMinimum: above,
    exclusiveMaximum: below,
  }
  return fromPairs(Object.entries(named).filter(([, limit]) => limit !== undefined))
}

function oneOfThese(values: readonly Answer[]): Schema {
  if (values.length === 0) return NEVER
  if (values.length <= ENUM_MAX || values.some((value) => typeof value !== 'string'))
    return { enum: values }
  return {
    type: 'string',
    pattern: `^(?:${values.map((value) => literal(String(value))).join('|')})$`,
  }
}

/** Real days from one to another, both included, as patterns that must all match. */
function datePatterns(from: Day | undefined, to: Day | undefined): readonly string[] {
  return [
    DAY_PATTERN,
    ...(from === undefined ? [] : [beyond(from, 'later')]),
    ...(to === undefined ? [] : [beyond(to, 'earlier')]),
  ]
}

/** Days compare as text of equal length: equal, or beyond at the first character that differs. */
function beyond(limit: Day, side: 'later' | 'earlier'): string {
  const alternatives = [...limit].flatMap((digit, at) => {
    const rest = limit.slice(at + 1).replace(/\d/g, '[0-9]')
    if (!/\d/.test(digit) || digit === (side === 'later' ? '9' : '0')) return []
    const range = side === 'later' ? `[${Number(digit) + 1}-9]` : `[0-${Number(digit) - 1}]`
    return [`${limit.slice(0, at)}${range}${rest}`]
  })
  return `^(?:${[limit, ...alternatives].join('|')})$`
}

function all(schemas: readonly Schema[]): Schema {
  return schemas.length === 1 && schemas[0] !== undefined
    ? schemas[0]
    : schemas.length === 0
      ? {}
      : { allOf: schemas }
}

function any(schemas: readonly Schema[]): Schema {
  return schemas.length === 1 && schemas[0] !== undefined
    ? schemas[0]
    : schemas.length === 0
      ? NEVER
      : { anyOf: schemas }
}

function negate(schema: Schema): Schema {
  return { not: schema }
}
