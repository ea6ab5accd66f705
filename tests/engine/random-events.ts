/** Generates random events with every kind of field, condition and context, and random answers. */
import * as fc from 'fast-check'
import {
  day,
  type EventConfig,
  type Field,
  type RawAnswers,
  type Scalar,
} from '../../engine/index.ts'
import type { Condition, Test } from '../../engine/event/answer-types.ts'
import type { PricingContext } from '../../engine/rules/pricing-context.ts'
import { FORMATS } from '../../engine/event/identifier-patterns.ts'
import { createEvent, createField, createRequired } from './fixtures.ts'

/** Sample answers as browsers and attackers send them, by field type. */
export const SAMPLE_ANSWERS: Record<Field['type'], readonly unknown[]> = {
  text: [
    undefined,
    ' ',
    'x',
    'y',
    'AB123',
    '682001',
    '27AAPFU0939F1ZV',
    '27AAPFU0939F1ZW',
    'z'.repeat(201),
    ['x'],
    {},
  ],
  multiline: [undefined, 'x\ny', 'AB123\n'],
  email: [undefined, 'asha@example.org', 'asha', 'a@b', 'a@b.c', `${'a'.repeat(40)}@example.org`],
  phone: [undefined, '9876543210', '12'],
  number: [undefined, '0', 1, 1.005, '2.5', 'many', [1], 1e300, '-0', 2],
  date: [undefined, '2026-01-31', '2026-02-01', '2025-12-31', '2026-02-30'],
  'yes-no': [undefined, true, 'false', 'maybe', { true: true }],
  select: [undefined, 'a', 'b', 'c', 'gone', ['a'], 'B '],
  file: [undefined, 'proof.pdf', 'proof.exe'],
  many: [undefined, ['a'], ['b', 'a'], 'c', '["a","c"]', ['gone', 'a'], [], {}, '[', [['a']]],
  people: [undefined, [{}], '[{"name":"x"}]', 'x', {}, [], ['x'], [null, {}], '[1]', '[{'],
  consent: [undefined, true, false, 'true', 'maybe', 'on', 0, ['true']],
}

const FIELD_TYPES = Object.keys(SAMPLE_ANSWERS) as readonly Field['type'][]
const OPTIONS = ['a', 'b', 'c'].map((id) => ({ id, label: id.toUpperCase() }))
const makeOptional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined })
/** Removes undefined properties, as in a compiled event. */
const removeUndefined = <T extends object>(
  record: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as never

const days = fc.constantFrom(day('2025-12-31'), day('2026-01-31'), day('2026-02-01'))
const bounds = fc.constantFrom(0, 1, 1.5, 2, 3)
const testBounds = fc
  .record({
    atLeast: makeOptional(bounds),
    atMost: makeOptional(bounds),
    above: makeOptional(bounds),
    below: makeOptional(bounds),
  })
  .map(removeUndefined)

const choiceLimits: fc.Arbitrary<NonNullable<Field['choose']>> = fc
  .tuple(
    fc
      .record({
        atLeast: makeOptional(fc.constantFrom(1, 2, 3)),
        atMost: makeOptional(fc.constantFrom(1, 2)),
      })
      .map(removeUndefined),
    fc.record({
      mutuallyExclusive: fc.constantFrom<string[][]>(
        [],
        [['a', 'b']],
        [
          ['a', 'b'],
          ['b', 'c'],
        ],
        [['a', 'b', 'c']],
        [['a', 'gone']],
      ),
      message: fc.constantFrom('', 'Choose well'),
    }),
  )
  .map(([limits, choice]) => ({ ...limits, ...choice }))

/** Generates the limits that a field of the given type may set on its answers. */
const randomProperties = (id: string, type: Field['type']): fc.Arbitrary<Partial<Field>> => {
  switch (type) {
    case 'text':
    case 'multiline':
      return fc
        .record({
          pattern: fc.constantFrom(undefined, '^(?:[A-Z]{2}[0-9]{3})$', FORMATS.pin, FORMATS.gstin),
          maxLength: fc.constantFrom(undefined, undefined, 3),
        })
        .map(removeUndefined)
    case 'date':
      return fc.record({ from: makeOptional(days), to: makeOptional(days) }).map(removeUndefined)
    case 'number':
      return fc
        .record({
          min: makeOptional(fc.constant(0)),
          max: fc.constantFrom(undefined, 2, 3),
          isWhole: makeOptional(fc.constant(true)),
          isAmount: makeOptional(fc.constant(true)),
        })
        .map(removeUndefined)
    case 'select':
      return fc.boolean().map((ignoreCase) => ({ options: OPTIONS, ignoreCase }))
    case 'many':
      return fc
        .record({ choose: makeOptional(choiceLimits), ignoreCase: fc.boolean() })
        .map((choiceLimits) => ({ options: OPTIONS, ...removeUndefined(choiceLimits) }))
    case 'file':
      return fc.constant({ accept: ['pdf'] })
    case 'phone':
      return fc.boolean().map((hasDefault) => (hasDefault ? { default: '+91' } : {}))
    case 'yes-no':
      return fc.boolean().map((hasDefault) => (hasDefault ? { default: false } : {}))
    case 'consent':
      return fc.constantFrom({}, { link: '/terms', version: '3' })
    case 'people':
      return fc
        .record({
          min: makeOptional(fc.constantFrom(1, 2)),
          max: fc.constantFrom(1, 2, 3),
          fields: fc
            .uniqueArray(fc.constantFrom(...PERSON_FIELD_TYPES), { minLength: 1, maxLength: 4 })
            .chain((parts) => fc.tuple(...parts.map((part) => randomField(part, [part])))),
        })
        .map((limits) => ({
          ...removeUndefined(limits),
          invalid: `${id} is not a list of people`,
        }))
    case 'email':
      return fc.constantFrom({}, { toGateway: true })
  }
}
/** The field types that a list of people may contain. Each field's id is its type. */
const PERSON_FIELD_TYPES = [
  'text',
  'multiline',
  'email',
  'phone',
  'number',
  'date',
  'yes-no',
  'select',
] as const

function randomField(
  id: string,
  allowedTypes: readonly Field['type'][] = FIELD_TYPES,
): fc.Arbitrary<Field> {
  return fc
    .record({ type: fc.constantFrom(...allowedTypes), required: fc.boolean(), check: fc.boolean() })
    .chain(({ type, required, check }) =>
      randomProperties(id, type).map((properties) =>
        createField(id, {
          type,
          check,
          ...(required && { required: createRequired(`${id} is needed`) }),
          ...properties,
        }),
      ),
    )
}

type FieldTest = { readonly field: string; readonly test: Test }
const randomEqualityTest = (field: string, values: readonly Scalar[]): fc.Arbitrary<FieldTest> =>
  fc
    .tuple(fc.boolean(), fc.subarray([...values], { minLength: 1 }))
    .map(([isNegated, someValues]) => ({
      field,
      test: { is: isNegated ? 'not-in' : 'in', values: someValues },
    }))
const randomAnsweredTest = (field: string): fc.Arbitrary<FieldTest> =>
  fc.boolean().map((answered) => ({ field, test: { is: 'answered', answered } }))

function randomTest({ id, type }: Field): fc.Arbitrary<FieldTest> {
  const answeredTests = randomAnsweredTest(id)
  const countTests = testBounds.map((testLimits): FieldTest => ({
    field: id,
    test: { is: 'count', ...testLimits },
  }))
  switch (type) {
    case 'number':
      return fc.oneof(
        answeredTests,
        randomEqualityTest(id, [0, 1, 2.5]),
        testBounds.map((testLimits): FieldTest => ({
          field: id,
          test: { is: 'number', ...testLimits },
        })),
      )
    case 'date':
      return fc.oneof(
        answeredTests,
        randomEqualityTest(id, ['2026-01-31', 'x']),
        fc
          .record({ from: makeOptional(days), to: makeOptional(days) })
          .map((testLimits): FieldTest => ({
            field: id,
            test: { is: 'date', ...removeUndefined(testLimits) },
          })),
      )
    case 'many':
      return fc.oneof(
        answeredTests,
        countTests,
        fc
          .subarray(['a', 'b', 'c', 'gone'], { minLength: 1 })
          .map((values): FieldTest => ({ field: id, test: { is: 'has', values } })),
      )
    case 'people':
      return fc.oneof(answeredTests, countTests)
    case 'yes-no':
    case 'consent':
      return fc.oneof(answeredTests, randomEqualityTest(id, [true, false]))
    case 'select':
      return fc.oneof(answeredTests, randomEqualityTest(id, ['a', 'b', 'c']))
    case 'text':
    case 'multiline':
    case 'email':
    case 'phone':
    case 'file':
      return fc.oneof(answeredTests, randomEqualityTest(id, ['x', 'y', '2026-01-31', 'asha']))
  }
}

/** Tests of the context: a discount code, full quotas, a row of a member list. */
const CONTEXT_TESTS: readonly fc.Arbitrary<FieldTest>[] = [
  randomAnsweredTest('code'),
  randomEqualityTest('code', ['faculty', 'coupon']),
  randomAnsweredTest('full.hall'),
  randomEqualityTest('full.seats', [true]),
  randomAnsweredTest('f1.kind'),
  randomEqualityTest('f1.kind', ['life', 'annual']),
  fc.record({ from: makeOptional(days), to: makeOptional(days) }).map((testLimits): FieldTest => ({
    field: 'f1.valid_to',
    test: { is: 'date', ...removeUndefined(testLimits) },
  })),
]
const row = fc
  .record({
    kind: fc.constantFrom('life', 'annual'),
    valid_to: fc.constantFrom('2026-01-31', '2027-01-01', ''),
  })
  .map((memberRow): Readonly<Record<string, string>> => memberRow)
export const anyContext: fc.Arbitrary<PricingContext> = fc.record({
  code: fc.constantFrom(
    null,
    { is: 'valid', kind: 'faculty' } as const,
    { is: 'valid', kind: 'coupon' } as const,
    { is: 'unknown' } as const,
    { is: 'spent' } as const,
  ),
  left: fc.constantFrom({}, { hall: 0 }, { hall: 3, seats: 0 }, { hall: -1, seats: 1 }),
  memberRecords: fc.oneof(
    fc.constantFrom({}, { f1: null }),
    row.map((f1) => ({ f1 })),
  ),
})

/** Generates conditions on earlier fields only, so that there are no cycles. */
function randomCondition(
  earlierFields: readonly Field[],
  canTestCategory: boolean,
): fc.Arbitrary<Condition | undefined> {
  const parts = [
    ...earlierFields.map(randomTest),
    fc.oneof(...CONTEXT_TESTS),
    ...(canTestCategory
      ? [randomEqualityTest('category', ['p', 'q', 'r']), randomAnsweredTest('category')]
      : []),
  ]
  const map = fc.array(fc.oneof(...parts), { minLength: 1, maxLength: 2 })
  return makeOptional(fc.array(map, { minLength: 1, maxLength: 2 }))
}

/** One of the ids is the name of a property that every object has. */
const IDS = ['f1', 'f2', 'f3', 'constructor', 'f5', 'f6', 'f7']
/**
 * Random rules derive the category from three fields. Four more fields and a section have conditions on any earlier
 * fields.
 */
export const anyEvent: fc.Arbitrary<EventConfig> = fc
  .tuple(...IDS.map((id) => randomField(id)))
  .chain((fields) => {
    const earlyFields = fields.slice(0, 3)
    const conditions = fields.map((_, i) => randomCondition(fields.slice(0, i), i >= 3))
    const rules = fc.array(
      fc.tuple(randomCondition(earlyFields, false), fc.constantFrom('p', 'q', 'r')),
      {
        maxLength: 4,
      },
    )
    return fc
      .record({
        showConditions: fc.tuple(...conditions),
        requiredConditions: fc.tuple(...conditions),
        rules,
        section: randomCondition(fields.slice(0, 5), true),
        otherwise: fc.boolean(),
      })
      .map(({ showConditions, requiredConditions, rules: ruleConditions, section, otherwise }) =>
        createEvent({
          categories: ['p', 'q', 'r'].map((id) => ({ id, label: id, listedOnly: false })),
          categoryChoice: {
            by: 'rules',
            rules: [
              ...ruleConditions.flatMap(([condition, categoryId]) =>
                condition ? [{ when: condition, then: categoryId }] : [],
              ),
              ...(otherwise ? [{ when: null, then: 'r' }] : []),
            ],
          },
          sections: [
            { title: 'One', fields: IDS.slice(0, 5) },
            { title: 'Two', fields: IDS.slice(5), ...(section && { showWhen: section }) },
          ],
          fields: fields.map((field, i) => {
            const showCondition = showConditions[i]
            const requiredCondition = requiredConditions[i]
            return {
              ...field,
              section: i < 5 ? 0 : 1,
              ...(showCondition && { showWhen: showCondition }),
              ...(field.required &&
                requiredCondition && {
                  required: { ...field.required, when: requiredCondition },
                }),
            }
          }),
        }),
      )
  })

/** Generates values for the names of the fields, and for names that are not fields. */
export function randomRawAnswers(event: EventConfig): fc.Arbitrary<RawAnswers> {
  const fieldArbitraries = {
    code: fc.constantFrom(undefined, 'faculty'),
    'full.hall': fc.constantFrom(undefined, true),
    'f1.kind': fc.constantFrom(undefined, 'life'),
    gone: fc.constantFrom(undefined, 'x'),
  }
  return fc.record({ ...fieldArbitraries, ...buildAnswerArbitraries(event.fields) })
}

function buildAnswerArbitraries(fields: readonly Field[]): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(
    fields.map((field) => {
      const sampleAnswer = fc.constantFrom(
        ...(field.type === 'select'
          ? [undefined, 'gone', ...(field.options ?? []).map(({ id }) => id)]
          : SAMPLE_ANSWERS[field.type]),
      )
      if (field.type === 'many')
        return [field.id, fc.oneof(sampleAnswer, fc.subarray(['c', 'a', 'b']))]
      if (field.type !== 'people') return [field.id, sampleAnswer]
      const person = fc.record({
        ...buildAnswerArbitraries(field.fields ?? []),
        gone: fc.constant('x'),
      })
      return [field.id, fc.oneof(sampleAnswer, fc.array(person, { maxLength: 4 }))]
    }),
  )
}

/** Formats answers as a form with file uploads sends them: lists become JSON. */
export function formatListsAsJson({ fields }: EventConfig, raw: RawAnswers): RawAnswers {
  const listFieldIds = new Set(
    fields.flatMap(({ id, type }) => (type === 'many' || type === 'people' ? [id] : [])),
  )
  return Object.fromEntries(
    Object.entries(raw).map(([id, value]) => [
      id,
      listFieldIds.has(id) && Array.isArray(value) ? JSON.stringify(value) : value,
    ]),
  )
}
