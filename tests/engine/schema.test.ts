/** The lowered schema, judged by ajv, says what `errorsOf` says and shows what `shownFields` shows. */
import standalone from 'ajv/dist/standalone/index.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  day,
  flatSchema,
  toSchema,
  uiSchema,
  type Scalar,
  type Condition,
  type EventConfig,
  type Field,
  type RawAnswers,
  type Test,
} from '../../engine/index.ts'
import { loweredTests, LOWERED_TESTS_MAX } from '../../engine/schema-size.ts'
import { chosen, derived, eventOf, field, isIn, must, when } from './fixtures.ts'
import { ajv, judge, type Lowered } from './judge.ts'

const samples: Record<Field['type'], readonly unknown[]> = {
  text: [undefined, ' ', 'x', 'y', 'z'.repeat(201), ['x'], {}],
  multiline: [undefined, 'x\ny'],
  email: [undefined, 'asha@example.org', 'asha', 'a@b'],
  phone: [undefined, '9876543210', '12'],
  number: [undefined, '0', 1, '2.5', 'many', [1], 1e300, '-0'],
  date: [undefined, '2026-01-31', '2026-02-01', '2025-12-31', '2026-02-30'],
  'yes-no': [undefined, true, 'false', 'maybe', { true: true }],
  select: [undefined, 'a', 'b', 'c', 'gone', ['a'], 'B '],
  file: [undefined, 'proof.pdf', 'proof.exe'],
  many: [undefined, ['a'], ['b', 'a'], 'c', '["a","c"]', ['gone'], [], {}],
  people: [undefined, [{}], [{ name: 'Asha' }], [{ name: ' ' }, { name: 'x' }], '[{}]', 'x', {}],
  consent: [undefined, true, false, 'true', 'maybe'],
}
const rawOf = (event: EventConfig): fc.Arbitrary<RawAnswers> =>
  fc.record(
    Object.fromEntries(
      event.fields.map((made) => [
        made.id,
        fc.constantFrom(
          ...(made.options
            ? [undefined, 'gone', ...made.options.map(({ id }) => id)]
            : samples[made.type]),
        ),
      ]),
    ),
  )

describe.each([
  ['chosen', chosen],
  ['derived', derived],
])('the event with a %s category', (_name, event) => {
  it('is judged alike over its whole finite domain', () => {
    const same = judge(event)
    const walk = (left: readonly Field[], raw: RawAnswers): void => {
      const [next, ...rest] = left
      if (next === undefined) return same(raw)
      for (const value of next.options
        ? [undefined, 'gone', ...next.options.map(({ id }) => id)]
        : samples[next.type].slice(0, 4))
        walk(rest, { ...raw, [next.id]: value })
    }
    walk(event.fields, {})
  })
})

const types = Object.keys(samples) as readonly Field['type'][]
const abc = ['a', 'b', 'c'].map((id) => ({ id, label: id.toUpperCase() }))
const testOf = (made: Field): fc.Arbitrary<Test> => {
  const answered = fc.boolean().map((is): Test => ({ is: 'answered', answered: is }))
  const values: readonly Scalar[] =
    made.type === 'yes-no'
      ? [true, false]
      : made.type === 'select'
        ? ['a', 'b', 'c']
        : made.type === 'number'
          ? [0, 1, 2.5]
          : ['x', 'y', '2026-01-31', 'asha']
  const listed = fc
    .tuple(fc.boolean(), fc.subarray([...values], { minLength: 1 }))
    .map(([not, some]): Test => ({ is: not ? 'not-in' : 'in', values: some }))
  if (made.type === 'number')
    return fc.oneof(
      answered,
      listed,
      fc.constantFrom<Test>(
        { is: 'number', atLeast: 1 },
        { is: 'number', above: 0, below: 2.5 },
        { is: 'number', atMost: 1 },
      ),
    )
  if (made.type === 'date')
    return fc.oneof(
      answered,
      listed,
      fc.constantFrom<Test>(
        { is: 'date', from: day('2026-01-31') },
        { is: 'date', to: day('2026-01-31') },
        { is: 'date', from: day('2026-01-01'), to: day('2026-02-28') },
      ),
    )
  return fc.oneof(answered, listed)
}
/** Conditions on earlier fields only, so that there are no cycles. */
const conditionOf = (
  earlier: readonly Field[],
  withCategory: boolean,
): fc.Arbitrary<Condition | undefined> => {
  const parts = earlier.map((made) => testOf(made).map((test) => ({ field: made.id, test })))
  if (withCategory)
    parts.push(
      fc
        .tuple(fc.boolean(), fc.subarray(['p', 'q', 'r'], { minLength: 1 }))
        .map(([not, values]) => ({
          field: 'category',
          test: { is: not ? 'not-in' : 'in', values } as Test,
        })),
    )
  if (withCategory)
    parts.push(
      fc
        .boolean()
        .map((answered) => ({ field: 'category', test: { is: 'answered', answered } as Test })),
    )
  if (parts.length === 0) return fc.constant(undefined)
  const map = fc.array(fc.oneof(...parts), { minLength: 1, maxLength: 2 })
  return fc.option(fc.array(map, { minLength: 1, maxLength: 2 }), { nil: undefined })
}
const bare = (id: string): fc.Arbitrary<Field> =>
  fc
    .record({
      type: fc.constantFrom(...types),
      required: fc.boolean(),
      check: fc.boolean(),
      defaulted: fc.boolean(),
    })
    .map(({ type, required, check, defaulted }) =>
      field(id, {
        type,
        check,
        ...(required && { required: must(`${id} is needed`) }),
        ...(type === 'select' && { options: abc }),
        ...(type === 'file' && { accept: ['pdf'] }),
        ...(type === 'number' && { min: 0, max: 2 }),
        ...(defaulted && type === 'yes-no' && { default: false }),
        ...(defaulted && type === 'phone' && { default: '+91' }),
      }),
    )
/** One is called like something that every object has. */
const IDS = ['f1', 'f2', 'f3', 'constructor', 'f5', 'f6', 'f7']
/** Three fields decide the category by random rules; three more and a section follow conditions on anything before them. */
const synthetic: fc.Arbitrary<EventConfig> = fc.tuple(...IDS.map(bare)).chain((fields) => {
  const early = fields.slice(0, 3)
  const conditions = fields.map((_, i) => conditionOf(fields.slice(0, i), i >= 3))
  const rules = fc.array(fc.tuple(conditionOf(early, false), fc.constantFrom('p', 'q', 'r')), {
    maxLength: 4,
  })
  return fc
    .record({
      shows: fc.tuple(...conditions),
      musts: fc.tuple(...conditions),
      rules,
      section: conditionOf(fields.slice(0, 5), true),
      otherwise: fc.boolean(),
    })
    .map(({ shows, musts, rules: made, section, otherwise }) =>
      eventOf({
        categories: ['p', 'q', 'r'].map((id) => ({ id, label: id, listedOnly: false })),
        categoryChoice: {
          by: 'rules',
          rules: [
            ...made.flatMap(([condition, then]) => (condition ? [{ when: condition, then }] : [])),
            ...(otherwise ? [{ when: null, then: 'r' }] : []),
          ],
        },
        sections: [
          { title: 'One', fields: IDS.slice(0, 5) },
          { title: 'Two', fields: IDS.slice(5), ...(section && { showWhen: section }) },
        ],
        fields: fields.map((made, i) => {
          const show = shows[i]
          const need = musts[i]
          return {
            ...made,
            section: i < 5 ? 0 : 1,
            ...(show && { showWhen: show }),
            ...(made.required && need && { required: { ...made.required, when: need } }),
          }
        }),
      }),
    )
})

describe('any event', () => {
  // Every event is compiled, and many branches of it: some seconds of work, more on a busy machine.
  it(
    'is judged alike by engine and schema, in what is said and what is shown',
    { timeout: 180_000 },
    () => {
      fc.assert(
        fc.property(
          synthetic.chain((event) =>
            fc.tuple(fc.constant(event), fc.array(rawOf(event), { minLength: 12, maxLength: 12 })),
          ),
          ([event, raws]) => {
            const same = judge(event)
            for (const raw of raws) same(raw)
          },
        ),
        { seed: 20261121, numRuns: 60 },
      )
    },
  )

  it('lowers each field into one place and compiles to code without imports', () => {
    const many = eventOf({
      fields: [
        field('college', {
          type: 'select',
          options: Array.from({ length: 400 }, (_, i) => ({
            id: `College (${i})`,
            label: String(i),
          })),
        }),
        field('a', { type: 'yes-no' }),
        field('b', { showWhen: when(isIn('a', true)) }),
      ],
    })
    fc.assert(
      fc.property(fc.oneof(synthetic, fc.constant(many)), (event) => {
        const schema = toSchema(event) as unknown as Lowered
        const places = [
          ...Object.keys(schema.properties),
          ...(schema.allOf ?? []).flatMap(({ then }) => Object.keys(then.properties ?? {})),
        ]
        expect(places.sort()).toEqual(event.fields.map(({ id }) => id).sort())
        const instance = ajv(true)
        expect(standalone.default(instance, instance.compile(schema))).not.toMatch(
          /\brequire\(|^import /m,
        )
      }),
      { seed: 20261121, numRuns: 30 },
    )
    const same = judge(many)
    for (const college of [undefined, 'College (7)', 'College (400)', 'College 7'])
      same({ college })
  })
})

describe('questions that lean on the two before them', () => {
  const leaning = (count: number) =>
    eventOf({
      fields: Array.from({ length: count }, (_, at) =>
        field(`q${at}`, {
          type: 'yes-no',
          ...(at < 2 ? {} : { showWhen: when(isIn(`q${at - 2}`, true), isIn(`q${at - 1}`, true)) }),
        }),
      ),
    })
  const size = (event: EventConfig) =>
    [...loweredTests(event).values()].reduce((sum, one) => sum + one, 0)

  it('are counted as the schema states them, without making it', () => {
    for (const count of [2, 3, 8, 12]) {
      const event = leaning(count)
      const ifs = (toSchema(event) as unknown as Lowered).allOf ?? []
      const stated = JSON.stringify(ifs.map((branch) => branch.if)).match(/"enum":/g) ?? []
      expect([count, size(event)]).toEqual([count, stated.length])
    }
    expect(size(leaning(60))).toBeGreaterThan(1e9)
  })

  it('are judged alike up to the size that the checker accepts', () => {
    const event = leaning(12)
    expect(size(event)).toBeLessThan(LOWERED_TESTS_MAX)
    expect(size(leaning(13))).toBeGreaterThan(LOWERED_TESTS_MAX / 2)
    const same = judge(event)
    const all = Object.fromEntries(event.fields.map(({ id }) => [id, true]))
    for (const raw of [{}, all, { ...all, q5: false }, { ...all, q0: undefined }]) same(raw)
  })
})

it('the flat schema has every field, options as enum, and no conditions', () => {
  const flat = flatSchema(chosen) as {
    properties: Record<string, { type: string; enum?: string[] }>
    required: string[]
  }
  expect(Object.keys(flat.properties)).toEqual(chosen.fields.map(({ id }) => id))
  expect(flat.properties['ticket_type']?.enum).toEqual(['member', 'visitor', 'pg'])
  expect(flat.properties['is_member']?.type).toBe('boolean')
  expect(flat.required).toEqual(['full_name', 'email', 'phone', 'number', 'ticket_type', 'proof'])
  expect(JSON.stringify(flat)).not.toMatch(/"(if|allOf|oneOf|pattern|default)"/)
  expect(uiSchema(chosen)['ui:order']).toEqual(chosen.fields.map(({ id }) => id))
})
