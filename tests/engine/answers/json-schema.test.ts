/** The lowered schema, judged by ajv, says what `errorsOf` says and shows what `shownFields` shows. */
import { runInThisContext } from 'node:vm'
import standalone from 'ajv/dist/standalone/index.js'
import type { ValidateFunction } from 'ajv'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  flatSchema,
  normalise,
  toSchema,
  uiSchema,
  type EventConfig,
  type Field,
  type RawAnswers,
} from '../../../engine/index.ts'
import { contextValues } from '../../../engine/rules/pricing-context.ts'
import { loweredTests, LOWERED_TESTS_MAX } from '../../../engine/answers/json-schema-size.ts'
import { anyEvent, asTexts, facts, rawOf, samples } from '../random-events.ts'
import { chosen, derived, eventOf, field, isIn, must, when } from '../fixtures.ts'
import { ajv, judge, type Lowered } from './schema-agreement.ts'
import { runs } from '../../runs.ts'

/** Enough to meet every kind of field and test in company: of six mistakes put in, the last was met by the eighteenth. */
const RUNS = runs(25)

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

/** What a browser gets: the module's code, alone. */
const loaded = (code: string): ValidateFunction => {
  const name = /export default (\w+);/.exec(code)?.[1] ?? ''
  const body = code.replace(/export const validate = \w+;|export default \w+;/g, '')
  return runInThisContext(`(() => { ${body}; return ${name} })()`) as ValidateFunction
}

describe('any event', () => {
  // Every event is compiled, and many branches of it: some seconds of work, more on a busy machine.
  it('is judged alike by engine and schema, in what is said and what is shown, with and without facts', () => {
    fc.assert(
      fc.property(
        anyEvent.chain((event) =>
          fc.tuple(
            fc.constant(event),
            fc.array(fc.tuple(rawOf(event), facts), { minLength: 12, maxLength: 12 }),
          ),
        ),
        ([event, raws]) => {
          const same = judge(event)
          for (const [raw, known] of raws) same(raw, known)
        },
      ),
      { seed: 20261121, numRuns: RUNS },
    )
  })

  it('is read once and for all: reading again changes nothing, and lists may come as their JSON', () => {
    fc.assert(
      fc.property(
        anyEvent.chain((event) => fc.tuple(fc.constant(event), rawOf(event), facts)),
        ([event, raw, known]) => {
          const { answers } = normalise(event, raw, known)
          expect(normalise(event, answers, known).answers).toEqual(answers)
          expect(normalise(event, asTexts(event, raw), known).answers).toEqual(answers)
          // What a delegate says of a code, a place or a roll is not believed.
          const alone = Object.keys(normalise(event, raw).answers)
          expect(alone.filter((id) => !event.fields.some((made) => made.id === id))).toEqual([])
          expect(answers).toMatchObject(contextValues(known))
        },
      ),
      { seed: 20261121, numRuns: 10 * RUNS },
    )
  })

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
    const withRaws = fc
      .oneof(anyEvent, fc.constant(many))
      .chain((event) =>
        fc.tuple(fc.constant(event), fc.array(fc.tuple(rawOf(event), facts), { maxLength: 8 })),
      )
    fc.assert(
      fc.property(withRaws, ([event, raws]) => {
        const schema = toSchema(event) as unknown as Lowered
        const places = [
          ...Object.keys(schema.properties),
          ...(schema.allOf ?? []).flatMap(({ then }) => Object.keys(then.properties ?? {})),
        ]
        expect(places.sort()).toEqual(event.fields.map(({ id }) => id).sort())
        const instance = ajv(true)
        const here = instance.compile(schema)
        const code = standalone.default(instance, here)
        expect(code).not.toMatch(/\brequire\(|^import /m)
        const there = loaded(code)
        for (const [raw, known] of raws) {
          const { answers } = normalise(event, raw, known)
          expect([there(answers), there.errors]).toEqual([here(answers), here.errors])
        }
      }),
      { seed: 20261121, numRuns: runs(30) },
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

it('what is asked of each person is drawn like a form of its own: in order, with labels and options', () => {
  const event = eventOf({
    fields: [
      field('companions', {
        type: 'people',
        max: 4,
        fields: [
          field('name', { required: must('Name?'), hint: 'As on the badge' }),
          field('meal', { type: 'select', options: [{ id: 'veg', label: 'Vegetarian' }] }),
          field('age', { type: 'number', isWhole: true }),
        ],
      }),
      field('workshops', { type: 'many', options: [{ id: 'ecmo', label: 'ECMO' }] }),
      field('terms', { type: 'consent', required: must('Please agree') }),
    ],
  })
  const { properties, required } = flatSchema(event) as {
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
  expect(uiSchema(event)).toEqual({
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
