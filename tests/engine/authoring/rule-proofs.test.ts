/** For random rule tables, the checker's proof must agree with a brute-force check of all answers. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findCategory, normalise, type Answers, type EventConfig } from '../../../engine/index.ts'
import { compileEvent } from '../../../engine/authoring.ts'
import { sampleFile, readGolden, shared } from './goldens.ts'
import { chooseRuns } from '../../runs.ts'

type RuleTable = {
  readonly rules: readonly (readonly (readonly [string, string])[])[]
  readonly hasOtherwise: boolean
  readonly hasHiddenFields: boolean
}
const options = ['pg', 'intern', 'consultant']
const testTextsByField: Readonly<Record<string, readonly string[]>> = {
  role: [...options, '[pg, intern]', '{not: pg}', '{answered: false}', '{answered: true}'],
  is_member: ['true', 'false'],
  age: ['{at_least: 30}', '{below: 30}', '{above: 40}', '{at_most: 40}', '{answered: false}', '30'],
  paper: ['true', 'false', '{answered: false}'],
}
const condition = fc
  .uniqueArray(fc.constantFrom(...Object.keys(testTextsByField)), { minLength: 1, maxLength: 3 })
  .chain((fields) =>
    fc.tuple(
      ...fields.map((field) =>
        fc.constantFrom(...(testTextsByField[field] ?? [])).map((test) => [field, test] as const),
      ),
    ),
  )
const anyRuleTable: fc.Arbitrary<RuleTable> = fc.record({
  rules: fc.array(condition, { minLength: 1, maxLength: 6 }),
  hasOtherwise: fc.boolean(),
  hasHiddenFields: fc.boolean(),
})

function buildFile({ rules, hasOtherwise, hasHiddenFields }: RuleTable): string {
  const lines = rules.map(
    (conditions, index) =>
      `    - {when: {${conditions.map(([field, test]) => `${field}: ${test}`).join(', ')}}, then: ${index % 2 === 0 ? 'member' : 'visitor'}}`,
  )
  const fields = [
    `        - {id: role, type: select, label: Role, options: [${options.join(', ')}]}`,
    '        - {id: age, type: number, label: Age}',
    `        - {id: paper, type: yes-no, label: Paper${hasHiddenFields ? ', show_when: {is_member: true}' : ''}}`,
  ]
  return sampleFile
    .replace(
      / {4}- \{when.*\n {4}- \{otherwise.*\n/,
      `${[...lines, ...(hasOtherwise ? ['    - {otherwise: visitor}'] : [])].join('\n')}\n`,
    )
    .replace('  summary:', `${fields.join('\n')}\n  summary:`)
}

/** Returns every distinguishable combination of answers, as a form would send it. */
function listAllAnswers(event: EventConfig): readonly Answers[] {
  const axes: readonly (readonly [string, readonly (string | number | boolean | undefined)[]])[] = [
    ['role', [...options, undefined]],
    ['is_member', [true, false]],
    ['age', [29, 30, 35, 40, 41, undefined]],
    ['paper', [true, false, undefined]],
  ]
  const allAnswers = axes.reduce<readonly Record<string, string | number | boolean>[]>(
    (combinations, [id, values]) =>
      combinations.flatMap((answers) =>
        values.map((value) => (value === undefined ? answers : { ...answers, [id]: value })),
      ),
    [{}],
  )
  return allAnswers.map((answers) => normalise(event, answers).answers)
}

/** Compiles the event without its rules, because this test verifies how the compiler checks rules. */
function compileWithoutChecks(text: string): EventConfig {
  const { event } = compileEvent(
    sampleFile.replace(
      '  summary:',
      `${text
        .split('\n')
        .filter((line) => /id: (role|age|paper),/.test(line))
        .join('\n')}\n  summary:`,
    ),
    shared,
    { path: 'sample2026.yaml' },
  )
  if (event === null) throw new Error('the base file with three more fields must have no errors')
  return event
}

/** Adds the rules in the format that the evaluator reads, without the compiler. */
const withRules = (event: EventConfig, table: RuleTable): EventConfig => {
  return {
    ...event,
    categoryChoice: {
      by: 'rules',
      rules: [
        ...table.rules.map((conditions, index) => ({
          when: [conditions.map(([field, test]) => ({ field, test: parseTest(test) }))],
          then: index % 2 === 0 ? 'member' : 'visitor',
        })),
        ...(table.hasOtherwise ? [{ when: null, then: 'visitor' }] : []),
      ],
    },
  }
}
function parseTest(text: string) {
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

describe('random rule tables', { tags: ['slow'] }, () => {
  test('are reported as complete and reachable if and only if a brute-force check agrees', () => {
    let incompleteCount = 0
    let unreachableCount = 0
    fc.assert(
      fc.property(anyRuleTable, (ruleTable) => {
        const text = buildFile(ruleTable)
        const { findings } = compileEvent(text, shared, { path: 'sample2026.yaml' })
        if (findings.some(({ code }) => code === 'EV305')) return
        const event = withRules(compileWithoutChecks(text), ruleTable)
        const answers = listAllAnswers(event)
        const hasGap = answers.some((answer) => findCategory(event, answer) === null)
        expect(findings.some(({ code }) => code === 'EV301')).toBe(hasGap)
        const rules = event.categoryChoice.by === 'rules' ? event.categoryChoice.rules : []
        const deadRules = ruleTable.rules.flatMap((_rule, index) => {
          // A rule is dead if it matches no answers that the preceding rules leave unmatched.
          const withRulesUpTo = (end: number): EventConfig => ({
            ...event,
            categoryChoice: { by: 'rules', rules: rules.slice(0, end) },
          })
          return answers.some(
            (answer) =>
              findCategory(withRulesUpTo(index), answer) === null &&
              findCategory(withRulesUpTo(index + 1), answer) !== null,
          )
            ? []
            : [index]
        })
        expect(
          findings
            .filter(({ code }) => code === 'EV302')
            .map(({ at }) => Number(at.keyPath.split('.').at(-1))),
        ).toEqual(deadRules)
        incompleteCount += hasGap ? 1 : 0
        unreachableCount += deadRules.length
      }),
      { seed: 2026, numRuns: chooseRuns(400) },
    )
    // Without these assertions, the test would also pass if no such table were generated.
    expect(incompleteCount).toBeGreaterThan(chooseRuns(30))
    expect(unreachableCount).toBeGreaterThan(chooseRuns(30))
  })
})

test(
  'a rule table that is too large for a proof is reported as too large, never as complete',
  { tags: ['slow'] },
  () => {
    const { findings } = compileEvent(readGolden('EV309.yaml'), shared, { path: 'sample2026.yaml' })
    expect(findings.map(({ code }) => code)).toEqual(['EV309'])
  },
)

test('three rules that together cover the last rule are all reported', () => {
  const { findings } = compileEvent(readGolden('EV302.yaml'), shared, { path: 'sample2026.yaml' })
  expect(findings.flatMap(({ related }) => related.map(({ at }) => at.keyPath))).toEqual([
    'category.rules.0',
    'category.rules.1',
  ])
})
