/**
 * Compiles an event to JSON Schema draft-07, for validators that do not read event files.
 *
 * Conditions become `allOf: [{if, then}]`, always with `required` inside `if`; each field occurs in one `then`. Uses no
 * format, minLength or object const, so the module that ajv compiles from the schema has no imports at run time.
 */
import type { Field, PublicEvent } from '../event/config.ts'
import type { Condition, Scalar, Test } from '../event/answer-types.ts'
import {
  getDatePatterns,
  getPersonFields,
  getFieldPatterns,
  escapeForPattern,
} from './field-types.ts'
import { assertNever, fromPairs } from '../lib/result.ts'

type Schema = { readonly [keyword: string]: unknown }

const NEVER_VALID: Schema = { not: {} }
/** The pattern for a required text: at least one character that is not a space. */
export const NOT_BLANK = '\\S'
/** For longer enums, ajv imports a function to compare the values. The served module must not have imports. */
const MAX_ENUM_VALUES = 150

/**
 * Returns the complete schema, for normalised answers. Validating with this schema gives the same result as
 * `findAnswerErrors`.
 */
export function toSchema(event: PublicEvent): Schema {
  const showConditions = event.fields.map((field) => getShowConditions(event, field))
  const unconditionalFields = event.fields.filter((_, i) => showConditions[i]?.length === 0)
  const getShowCondition = (id: string, ancestors: readonly string[]): readonly Schema[] => {
    const index = event.fields.findIndex((field) => field.id === id)
    return ancestors.includes(id)
      ? []
      : (showConditions[index] ?? []).map((condition) =>
          convertCondition(event, condition, (other) =>
            getShowCondition(other, [...ancestors, id]),
          ),
        )
  }
  const convert = (condition: Condition): Schema =>
    convertCondition(event, condition, (id) => getShowCondition(id, []))
  const conditionalSchemas = event.fields.flatMap((field, i): readonly Schema[] => {
    const when = showConditions[i] ?? []
    if (when.length === 0) return []
    return [
      {
        if: buildAllOf(when.map(convert)),
        then: {
          properties: fromPairs([[field.id, buildFieldSchema(field)]]),
          ...(isAlwaysRequired(field) ? { required: [field.id] } : {}),
        },
      },
    ]
  })
  const requiredSchemas = event.fields.flatMap((field, i): readonly Schema[] => {
    const when = field.required?.when
    return when === undefined
      ? []
      : [
          {
            if: buildAllOf([...(showConditions[i] ?? []), when].map(convert)),
            then: { required: [field.id] },
          },
        ]
  })
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: event.title,
    type: 'object',
    properties: fromPairs(unconditionalFields.map((field) => [field.id, buildFieldSchema(field)])),
    required: unconditionalFields.filter(isAlwaysRequired).map((field) => field.id),
    ...(conditionalSchemas.length + requiredSchemas.length === 0
      ? {}
      : { allOf: [...conditionalSchemas, ...requiredSchemas] }),
  }
}

/**
 * Returns a schema of all fields, without conditions, for a form library to render. In this schema, `required` only
 * adds a star to the label.
 */
export function buildFlatSchema(event: PublicEvent): Schema {
  return buildFlatFieldsSchema(event.fields)
}

function buildFlatFieldSchema(field: Field): Schema {
  const baseSchema = {
    title: field.label,
    ...(field.hint === undefined ? {} : { description: field.hint }),
  }
  const options = field.options?.map((option) => option.id)
  return {
    ...baseSchema,
    type: getJsonType(field),
    ...(field.type === 'select' ? { enum: options ?? [] } : {}),
    ...(field.type === 'many'
      ? { items: { type: 'string', enum: options ?? [] }, uniqueItems: true }
      : {}),
    ...(field.type === 'people'
      ? { items: buildFlatFieldsSchema(getPersonFields(field)), maxItems: field.max ?? 0 }
      : {}),
  }
}

function buildFlatFieldsSchema(fields: readonly Field[]): Schema {
  return {
    type: 'object',
    properties: fromPairs(fields.map((field) => [field.id, buildFlatFieldSchema(field)])),
    required: fields.filter(isAlwaysRequired).map((field) => field.id),
  }
}

/** Returns the field order and option labels of the flat schema. The result does not define how a field is rendered. */
export function createUiSchema(event: PublicEvent): Schema {
  return { ...buildUiSchemaOfFields(event.fields), 'ui:submitButtonOptions': { norender: true } }
}

function buildUiSchemaOfFields(fields: readonly Field[]): Schema {
  return {
    'ui:order': fields.map((field) => field.id),
    ...fromPairs(
      fields.map((field) => [
        field.id,
        {
          ...(field.options === undefined
            ? {}
            : { 'ui:enumNames': field.options.map((option) => option.label) }),
          ...(field.type === 'people'
            ? { items: buildUiSchemaOfFields(getPersonFields(field)) }
            : {}),
        },
      ]),
    ),
  }
}

function isAlwaysRequired(field: Field): boolean {
  return field.required !== undefined && field.required.when === undefined
}

type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array'
const JSON_TYPES: Readonly<Record<Field['type'], JsonType>> = {
  text: 'string',
  multiline: 'string',
  email: 'string',
  phone: 'string',
  number: 'number',
  date: 'string',
  'yes-no': 'boolean',
  select: 'string',
  file: 'string',
  many: 'array',
  people: 'array',
  consent: 'boolean',
}
function getJsonType(field: Field): JsonType {
  return field.isWhole === true ? 'integer' : JSON_TYPES[field.type]
}

function buildFieldSchema(field: Field): Schema {
  const baseSchema = { title: field.label, type: getJsonType(field) }
  if (field.type === 'select')
    return { ...baseSchema, ...buildEnumSchema((field.options ?? []).map((option) => option.id)) }
  if (field.type === 'many') return { ...baseSchema, ...buildMultipleChoiceSchema(field) }
  if (field.type === 'people')
    return {
      ...baseSchema,
      minItems: field.min ?? 0,
      maxItems: field.max ?? 0,
      items: {
        type: 'object',
        properties: fromPairs(
          getPersonFields(field).map((personField) => [
            personField.id,
            buildFieldSchema(personField),
          ]),
        ),
        required: getPersonFields(field)
          .filter(isAlwaysRequired)
          .map(({ id }) => id),
      },
    }
  if (field.type === 'number')
    return {
      ...baseSchema,
      ...(field.min === undefined ? {} : { minimum: field.min }),
      ...(field.max === undefined ? {} : { maximum: field.max }),
    }
  const patterns = [
    ...(getJsonType(field) === 'string' && field.required !== undefined ? [NOT_BLANK] : []),
    ...getFieldPatterns(field).map((form) => form.pattern),
  ]
  return patterns.length === 0
    ? baseSchema
    : { ...baseSchema, allOf: patterns.map((pattern) => ({ pattern })) }
}

function buildMultipleChoiceSchema({ options = [], choose }: Field): Schema {
  const exclusions = (choose?.mutuallyExclusive ?? []).map((group) =>
    negate(buildAllOf(group.map((id) => ({ contains: { enum: [id] } })))),
  )
  return {
    items: buildEnumSchema(options.map(({ id }) => id)),
    ...(choose?.atLeast === undefined ? {} : { minItems: choose.atLeast }),
    ...(choose?.atMost === undefined ? {} : { maxItems: choose.atMost }),
    ...(exclusions.length === 0 ? {} : { allOf: exclusions }),
  }
}

/**
 * Returns the conditions that must all hold for a field to be visible: its section's and its own.
 */
function getShowConditions(event: PublicEvent, field: Field): readonly Condition[] {
  return [event.sections[field.section]?.showWhen, field.showWhen].filter(
    (condition) => condition !== undefined,
  )
}

/**
 * Returns the conditions under which a field is visible. A hidden field counts as not answered,
 * even if it has a value.
 */
type GetShowSchemas = (id: string) => readonly Schema[]

function convertCondition(
  event: PublicEvent,
  condition: Condition,
  getShowSchemas: GetShowSchemas,
): Schema {
  return buildAnyOf(
    condition.map((map) =>
      buildAllOf(
        map.map(({ field, test }) =>
          field === 'category'
            ? convertCategoryTest(event, test, getShowSchemas)
            : convertTest(field, test, getShowSchemas(field)),
        ),
      ),
    ),
  )
}

function convertTest(field: string, test: Test, showSchemas: readonly Schema[]): Schema {
  const hiddenSchemas = showSchemas.length === 0 ? [] : [negate(buildAllOf(showSchemas))]
  const requireAnswer = (schema: Schema): Schema => ({
    type: 'object',
    properties: fromPairs([[field, schema]]),
    required: [field],
  })
  switch (test.is) {
    case 'in':
      return buildAllOf([...showSchemas, requireAnswer(buildEnumSchema(test.values))])
    case 'not-in':
      return buildAnyOf([...hiddenSchemas, negate(requireAnswer(buildEnumSchema(test.values)))])
    case 'has':
      return buildAllOf([
        ...showSchemas,
        requireAnswer({ type: 'array', contains: buildEnumSchema(test.values) }),
      ])
    case 'count': {
      const { min, max } = roundBounds(test)
      const withinBounds = requireAnswer({
        type: 'array',
        minItems: Math.max(1, min),
        ...buildMaximumSchema(max),
      })
      if (max < Math.max(0, min)) return NEVER_VALID
      return min > 0
        ? buildAllOf([...showSchemas, withinBounds])
        : buildAnyOf([
            ...hiddenSchemas,
            negate(requireAnswer({})),
            ...(max > 0 ? [withinBounds] : []),
          ])
    }
    case 'answered':
      return test.answered
        ? buildAllOf([...showSchemas, requireAnswer({})])
        : buildAnyOf([...hiddenSchemas, negate(requireAnswer({}))])
    case 'number':
      return buildAllOf([...showSchemas, requireAnswer({ type: 'number', ...buildLimits(test) })])
    case 'date':
      return buildAllOf([
        ...showSchemas,
        requireAnswer({
          type: 'string',
          allOf: getDatePatterns(test.from, test.to).map((pattern) => ({ pattern })),
        }),
      ])
    default:
      return assertNever(test)
  }
}

/**
 * Converts a test on the category. If delegates choose the category, the schema tests the field. If rules derive the
 * category, a category matches if one of its rules applies and no earlier rule does.
 */
function convertCategoryTest(
  event: PublicEvent,
  test: Test,
  getShowSchemas: GetShowSchemas,
): Schema {
  const choice = event.categoryChoice
  const ids = event.categories.map((category) => category.id)
  const matchingCategories =
    test.is === 'answered'
      ? ids
      : test.is === 'in' || test.is === 'not-in'
        ? ids.filter((id) => test.values.includes(id))
        : []
  const buildPositiveSchema = (): Schema => {
    if (choice.by === 'field')
      return convertTest(
        choice.field,
        { is: 'in', values: matchingCategories },
        getShowSchemas(choice.field),
      )
    const earlierRules: Schema[] = []
    const alternatives: Schema[] = []
    for (const { when, then } of choice.rules) {
      const condition = when === null ? {} : convertCondition(event, when, getShowSchemas)
      if (matchingCategories.includes(then))
        alternatives.push(buildAllOf([...earlierRules, condition]))
      else earlierRules.push(negate(condition))
    }
    return buildAnyOf(alternatives)
  }
  const isNegated = test.is === 'not-in' || (test.is === 'answered' && !test.answered)
  return isNegated ? negate(buildPositiveSchema()) : buildPositiveSchema()
}

function buildLimits({ atLeast, atMost, above, below }: Extract<Test, { is: 'number' }>): Schema {
  const keywords = {
    minimum: atLeast,
    maximum: atMost,
    exclusiveMinimum: above,
    exclusiveMaximum: below,
  }
  return fromPairs(Object.entries(keywords).filter(([, limit]) => limit !== undefined))
}

/** Returns the range of whole numbers that a test of a count accepts. */
function roundBounds({ atLeast, atMost, above, below }: Extract<Test, { is: 'count' }>): {
  readonly min: number
  readonly max: number
} {
  return {
    min: Math.max(Math.ceil(atLeast ?? 0), above === undefined ? 0 : Math.floor(above) + 1),
    max: Math.min(
      Math.floor(atMost ?? Infinity),
      below === undefined ? Infinity : Math.ceil(below) - 1,
    ),
  }
}

function buildMaximumSchema(max: number): Schema {
  return Number.isFinite(max) ? { maxItems: max } : {}
}

function buildEnumSchema(values: readonly Scalar[]): Schema {
  if (values.length === 0) return NEVER_VALID
  if (values.length <= MAX_ENUM_VALUES || values.some((value) => typeof value !== 'string'))
    return { enum: values }
  return {
    type: 'string',
    pattern: `^(?:${values.map((value) => escapeForPattern(String(value))).join('|')})$`,
  }
}

function buildAllOf(schemas: readonly Schema[]): Schema {
  return schemas.length === 1 && schemas[0] !== undefined
    ? schemas[0]
    : schemas.length === 0
      ? {}
      : { allOf: schemas }
}

function buildAnyOf(schemas: readonly Schema[]): Schema {
  return schemas.length === 1 && schemas[0] !== undefined
    ? schemas[0]
    : schemas.length === 0
      ? NEVER_VALID
      : { anyOf: schemas }
}

function negate(schema: Schema): Schema {
  return { not: schema }
}
