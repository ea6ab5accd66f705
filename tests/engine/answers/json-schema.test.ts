/** The JSON Schema, evaluated by ajv, gives the same errors and visible fields as the engine. */
import { runInThisContext } from 'node:vm'
import standalone from 'ajv/dist/standalone/index.js'
import type { ValidateFunction } from 'ajv'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  buildFlatSchema,
  normalise,
  toSchema,
  createUiSchema,
  type EventConfig,
  type Field,
  type RawAnswers,
} from '../../../engine/index.ts'
import { getContextValues } from '../../../engine/rules/pricing-context.ts'
import { countSchemaTests, MAX_SCHEMA_TESTS } from '../../../engine/answers/json-schema-size.ts'
import {
  anyEvent,
  formatListsAsJson,
  anyContext,
  randomRawAnswers,
  SAMPLE_ANSWERS,
} from '../random-events.ts'
import {
  chosenCategoryEvent,
  derivedCategoryEvent,
  createEvent,
  createField,
  isIn,
  createRequired,
  when,
} from '../fixtures.ts'
import { createAjv, createAgreementAssertion, type CompiledSchema } from './schema-agreement.ts'
import { chooseRuns } from '../../runs.ts'

/**
 * Enough events to combine every kind of field and condition: of six deliberate bugs, the last one was detected by
 * the eighteenth event.
 */
const RUNS = chooseRuns(25)

describe.each([
  ['chosen', chosenCategoryEvent],
  ['derived', derivedCategoryEvent],
])('the event with a %s category', (_name, event) => {
  it('the engine and the schema give the same result for every combination of sample answers', () => {
    const expectAgreement = createAgreementAssertion(event)
    const checkCombinations = (remainingFields: readonly Field[], raw: RawAnswers): void => {
      const [nextField, ...laterFields] = remainingFields
      if (nextField === undefined) return expectAgreement(raw)
      for (const value of nextField.options
        ? [undefined, 'gone', ...nextField.options.map(({ id }) => id)]
        : SAMPLE_ANSWERS[nextField.type].slice(0, 4))
        checkCombinations(laterFields, { ...raw, [nextField.id]: value })
    }
    checkCombinations(event.fields, {})
  })
})

/** Evaluates the module's code, which has no imports, as a browser does. */
const loadValidator = (code: string): ValidateFunction => {
  const name = /export default (\w+);/.exec(code)?.[1] ?? ''
  const body = code.replace(/export const validate = \w+;|export default \w+;/g, '')
  return runInThisContext(`(() => { ${body}; return ${name} })()`) as ValidateFunction
}

describe('any event', () => {
  // Compiling every event with all its branches takes a few seconds, and longer on a busy machine.
  it('has the same errors and visible fields in the engine and the schema, with and without context', () => {
    fc.assert(
      fc.property(
        anyEvent.chain((event) =>
          fc.tuple(
            fc.constant(event),
            fc.array(fc.tuple(randomRawAnswers(event), anyContext), {
              minLength: 12,
              maxLength: 12,
            }),
          ),
        ),
        ([event, rawAnswersWithContext]) => {
          const checkAgreement = createAgreementAssertion(event)
          for (const [raw, context] of rawAnswersWithContext) checkAgreement(raw, context)
        },
      ),
      { seed: 20261121, numRuns: RUNS },
    )
  })

  it('keeps its answers unchanged when they are normalised again, and accepts lists as JSON', () => {
    fc.assert(
      fc.property(
        anyEvent.chain((event) =>
          fc.tuple(fc.constant(event), randomRawAnswers(event), anyContext),
        ),
        ([event, raw, context]) => {
          const { answers } = normalise(event, raw, context)
          expect(normalise(event, answers, context).answers).toEqual(answers)
          expect(normalise(event, formatListsAsJson(event, raw), context).answers).toEqual(answers)
          // The server does not trust what a request says about a discount code, a seat or a member list.
          const engineAnswers = Object.keys(normalise(event, raw).answers)
          expect(
            engineAnswers.filter((id) => !event.fields.some((field) => field.id === id)),
          ).toEqual([])
          expect(answers).toMatchObject(getContextValues(context))
        },
      ),
      { seed: 20261121, numRuns: 10 * RUNS },
    )
  })

  it('has a validator without imports in which each field is compiled once', () => {
    const largeEvent = createEvent({
      fields: [
        createField('college', {
          type: 'select',
          options: Array.from({ length: 400 }, (_, i) => ({
            id: `College (${i})`,
            label: String(i),
          })),
        }),
        createField('a', { type: 'yes-no' }),
        createField('b', { showWhen: when(isIn('a', true)) }),
      ],
    })
    const eventWithAnswers = fc
      .oneof(anyEvent, fc.constant(largeEvent))
      .chain((event) =>
        fc.tuple(
          fc.constant(event),
          fc.array(fc.tuple(randomRawAnswers(event), anyContext), { maxLength: 8 }),
        ),
      )
    fc.assert(
      fc.property(eventWithAnswers, ([event, rawAnswersWithContext]) => {
        const schema = toSchema(event) as unknown as CompiledSchema
        const propertyIds = [
          ...Object.keys(schema.properties),
          ...(schema.allOf ?? []).flatMap(({ then: branchSchema }) =>
            Object.keys(branchSchema.properties ?? {}),
          ),
        ]
        expect(propertyIds.sort()).toEqual(event.fields.map(({ id }) => id).sort())
        const ajv = createAjv(true)
        const interpretedValidator = ajv.compile(schema)
        const code = standalone.default(ajv, interpretedValidator)
        expect(code).not.toMatch(/\brequire\(|^import /m)
        const compiledValidator = loadValidator(code)
        for (const [raw, context] of rawAnswersWithContext) {
          const { answers } = normalise(event, raw, context)
          expect([compiledValidator(answers), compiledValidator.errors]).toEqual([
            interpretedValidator(answers),
            interpretedValidator.errors,
          ])
        }
      }),
      { seed: 20261121, numRuns: chooseRuns(30) },
    )
    const checkAgreement = createAgreementAssertion(largeEvent)
    for (const college of [undefined, 'College (7)', 'College (400)', 'College 7'])
      checkAgreement({ college })
  })
})

describe('fields that depend on the two previous fields', () => {
  const createEventWithDependentFields = (count: number) =>
    createEvent({
      fields: Array.from({ length: count }, (_, index) =>
        createField(`q${index}`, {
          type: 'yes-no',
          ...(index < 2
            ? {}
            : { showWhen: when(isIn(`q${index - 2}`, true), isIn(`q${index - 1}`, true)) }),
        }),
      ),
    })
  const countAllTests = (event: EventConfig) =>
    [...countSchemaTests(event).values()].reduce((sum, count) => sum + count, 0)

  it('the tests in their conditions are counted correctly without building the schema', () => {
    for (const count of [2, 3, 8, 12]) {
      const event = createEventWithDependentFields(count)
      const branches = (toSchema(event) as unknown as CompiledSchema).allOf ?? []
      const enumsInSchema =
        JSON.stringify(branches.map((branch) => branch.if)).match(/"enum":/g) ?? []
      expect([count, countAllTests(event)]).toEqual([count, enumsInSchema.length])
    }
    expect(countAllTests(createEventWithDependentFields(60))).toBeGreaterThan(1e9)
  })

  it('give the same result in the engine and the schema, up to the size that the checker accepts', () => {
    const event = createEventWithDependentFields(12)
    expect(countAllTests(event)).toBeLessThan(MAX_SCHEMA_TESTS)
    expect(countAllTests(createEventWithDependentFields(13))).toBeGreaterThan(MAX_SCHEMA_TESTS / 2)
    const checkAgreement = createAgreementAssertion(event)
    const allYes = Object.fromEntries(event.fields.map(({ id }) => [id, true]))
    for (const raw of [{}, allYes, { ...allYes, q5: false }, { ...allYes, q0: undefined }])
      checkAgreement(raw)
  })
})

it('the flat schema has every field, options as enums, and no conditions', () => {
  const flatSchema = buildFlatSchema(chosenCategoryEvent) as {
    properties: Record<string, { type: string; enum?: string[] }>
    required: string[]
  }
  expect(Object.keys(flatSchema.properties)).toEqual(chosenCategoryEvent.fields.map(({ id }) => id))
  expect(flatSchema.properties['ticket_type']?.enum).toEqual(['member', 'visitor', 'pg'])
  expect(flatSchema.properties['is_member']?.type).toBe('boolean')
  expect(flatSchema.required).toEqual([
    'full_name',
    'email',
    'phone',
    'number',
    'ticket_type',
    'proof',
  ])
  expect(JSON.stringify(flatSchema)).not.toMatch(/"(if|allOf|oneOf|pattern|default)"/)
  expect(createUiSchema(chosenCategoryEvent)['ui:order']).toEqual(
    chosenCategoryEvent.fields.map(({ id }) => id),
  )
})

it("the schema lists each person's fields in order, with labels and options", () => {
  const event = createEvent({
    fields: [
      createField('companions', {
        type: 'people',
        max: 4,
        fields: [
          createField('name', { required: createRequired('Name?'), hint: 'As on the badge' }),
          createField('meal', { type: 'select', options: [{ id: 'veg', label: 'Vegetarian' }] }),
          createField('age', { type: 'number', isWhole: true }),
        ],
      }),
      createField('workshops', { type: 'many', options: [{ id: 'ecmo', label: 'ECMO' }] }),
      createField('terms', { type: 'consent', required: createRequired('Please agree') }),
    ],
  })
  const { properties, required } = buildFlatSchema(event) as {
    properties: Record<string, unknown>
    required: string[]
  }
  expect(required).toEqual(['terms'])
  expect(properties).toEqual({
    companions: {
      title: 'Label of companions',
      type: 'array',
      maxItems: 4,
      items: {
        type: 'object',
        properties: {
          name: { title: 'Label of name', description: 'As on the badge', type: 'string' },
          meal: { title: 'Label of meal', type: 'string', enum: ['veg'] },
          age: { title: 'Label of age', type: 'integer' },
        },
        required: ['name'],
      },
    },
    workshops: {
      title: 'Label of workshops',
      type: 'array',
      items: { type: 'string', enum: ['ecmo'] },
      uniqueItems: true,
    },
    terms: { title: 'Label of terms', type: 'boolean' },
  })
  expect(createUiSchema(event)).toEqual({
    'ui:order': ['companions', 'workshops', 'terms'],
    'ui:submitButtonOptions': { norender: true },
    companions: {
      items: {
        'ui:order': ['name', 'meal', 'age'],
        name: {},
        meal: { 'ui:enumNames': ['Vegetarian'] },
        age: {},
      },
    },
    workshops: { 'ui:enumNames': ['ECMO'] },
    terms: {},
  })
})
