/** Random rule tables: what the boxes prove, trying every combination of answers must agree with. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { categoryOf, normalise, type Answers, type EventConfig } from '../../../engine/index.ts'
import { compileEvent } from '../../../engine/authoring.ts'
import { base, readGolden, shared } from './goldens.ts'
import { runs } from '../../runs.ts'

type Made = {
  readonly rules: readonly (readonly (readonly [string, string])[])[]
  readonly otherwise: boolean
  readonly hides: boolean
}
const options = ['pg', 'intern', 'consultant']
const tests: Readonly<Record<string, readonly string[]>> = {
  role: [...options, '[pg, intern]', '{not: pg}', '{answered: false}', '{answered: true}'],
  is_member: ['true', 'false'],
  age: ['{at_least: 30}', '{below: 30}', '{above: 40}', '{at_most: 40}', '{answered: false}', '30'],
  paper: ['true', 'false', '{answered: false}'],
}
const condition = fc
  .uniqueArray(fc.constantFrom(...Object.keys(tests)), { minLength: 1, maxLength: 3 })
  .chain((fields) =>
    fc.tuple(
      ...fields.map((field) =>
        fc.constantFrom(...(tests[field] ?? [])).map((test) => [field, test] as const),
      ),
    ),
  )
const table: fc.Arbitrary<Made> = fc.record({
  rules: fc.array(condition, { minLength: 1, maxLength: 6 }),
  otherwise: fc.boolean(),
  hides: fc.boolean(),
})

function fileOf({ rules, otherwise, hides }: Made): string {
  const lines = rules.map(
    (tests, at) =>
      `    - {when: {${tests.map(([field, test]) => `${field}: ${test}`).join(', ')}}, then: ${at % 2 === 0 ? 'member' : 'visitor'}}`,
  )
  const fields = [
    `        - {id: role, type: select, label: Role, options: [${options.join(', ')}]}`,
    '        - {id: age, type: number, label: Age}',
    `        - {id: paper, type: yes-no, label: Paper${hides ? ', show_when: {is_member: true}' : ''}}`,
  ]
  return base
    .replace(
      / {4}- \{when.*\n {4}- \{otherwise.*\n/,
      `${[...lines, ...(otherwise ? ['    - {otherwise: visitor}'] : [])].join('\n')}\n`,
    )
    .replace('  summary:', `${fields.join('\n')}\n  summary:`)
}

/** Every way of answering that a test can tell apart, as a form would send it. */
function everyAnswer(event: EventConfig): readonly Answers[] {
  const axes: readonly (readonly [string, readonly (string | number | boolean | undefined)[]])[] = [
    ['role', [...options, undefined]],
    ['is_member', [true, false]],
    ['age', [29, 30, 35, 40, 41, undefined]],
    ['paper', [true, false, undefined]],
  ]
  const all = axes.reduce<readonly Record<string, string | number | boolean>[]>(
    (some, [id, values]) =>
      some.flatMap((answers) =>
        values.map((value) => (value === undefined ? answers : { ...answers, [id]: value })),
      ),
    [{}],
  )
  return all.map((answers) => normalise(event, answers).answers)
}

/** The event as it is, without its checks: what they say is what is tested. */
function looseEvent(text: string): EventConfig {
  const { event } = compileEvent(
    base.replace(
      '  summary:',
      `${text
        .split('\n')
        .filter((line) => /id: (role|age|paper),/.test(line))
        .join('\n')}\n  summary:`,
    ),
    shared,
    { path: 'sample2026.yaml' },
  )
  if (event === null) throw new Error('the base with three more fields must be clean')
  return event
}

/** The rules as the evaluator has them, made without the compiler. */
const toRule = (event: EventConfig, made: Made): EventConfig => {
  return {
    ...event,
    categoryChoice: {
      by: 'rules',
      rules: [
        ...made.rules.map((tests, at) => ({
          when: [tests.map(([field, test]) => ({ field, test: testOf(test) }))],
          then: at % 2 === 0 ? 'member' : 'visitor',
        })),
        ...(made.otherwise ? [{ when: null, then: 'visitor' }] : []),
      ],
    },
  }
}
function testOf(text: string) {
  const [, key, value] = /^\{(\w+): (\w+)\}$/.exec(text) ?? []
  if (key === 'not') return { is: 'not-in', values: [String(value)] } as const
  if (key === 'answered') return { is: 'answered', answered: value === 'true' } as const
  if (key !== undefined)
    return {
      is: 'number',
      ...{
        at_least: { atLeast: Number(value) },
        below: { below: Number(value) },
        above: { above: Number(value) },
        at_most: { atMost: Number(value) },
      }[key],
    } as const
  if (text.startsWith('[')) return { is: 'in', values: text.slice(1, -1).split(', ') } as const
  return {
    is: 'in',
    values: [
      text === 'true' ? true : text === 'false' ? false : /^\d+$/.test(text) ? Number(text) : text,
    ],
  } as const
}

describe('random rule tables', () => {
  test('are complete, and their rules reachable, exactly where trying everything says so', () => {
    let incomplete = 0
    let unreachable = 0
    fc.assert(
      fc.property(table, (made) => {
        const text = fileOf(made)
        const { findings } = compileEvent(text, shared, { path: 'sample2026.yaml' })
        if (findings.some(({ code }) => code === 'EV305')) return
        const event = toRule(looseEvent(text), made)
        const answers = everyAnswer(event)
        const gap = answers.some((one) => categoryOf(event, one) === null)
        expect(findings.some(({ code }) => code === 'EV301')).toBe(gap)
        const rules = event.categoryChoice.by === 'rules' ? event.categoryChoice.rules : []
        const dead = made.rules.flatMap((_rule, at) => {
          // A rule is dead when a table that ends with it catches nobody more than the table above it.
          const upTo = (end: number): EventConfig => ({
            ...event,
            categoryChoice: { by: 'rules', rules: rules.slice(0, end) },
          })
          return answers.some(
            (one) => categoryOf(upTo(at), one) === null && categoryOf(upTo(at + 1), one) !== null,
          )
            ? []
            : [at]
        })
        expect(
          findings
            .filter(({ code }) => code === 'EV302')
            .map(({ at }) => Number(at.keyPath.split('.').at(-1))),
        ).toEqual(dead)
        incomplete += gap ? 1 : 0
        unreachable += dead.length
      }),
      { seed: 2026, numRuns: runs(400) },
    )
    // Otherwise the property would hold because nothing was ever found.
    expect(incomplete).toBeGreaterThan(runs(30))
    expect(unreachable).toBeGreaterThan(runs(30))
  })
})

test('a table too large to prove is said to be so, never complete', () => {
  const { findings } = compileEvent(readGolden('EV309.yaml'), shared, { path: 'sample2026.yaml' })
  expect(findings.map(({ code }) => code)).toEqual(['EV309'])
})

test('three rules of which none covers the last alone are blamed together', () => {
  const { findings } = compileEvent(readGolden('EV302.yaml'), shared, { path: 'sample2026.yaml' })
  expect(findings.flatMap(({ related }) => related.map(({ at }) => at.keyPath))).toEqual([
    'category.rules.0',
    'category.rules.1',
  ])
})
